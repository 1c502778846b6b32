"""Machines far from the origin: rows are differences of large coordinates, and cannot be satisfied better than these are rounded.

Tolerances of 1e-13 of the model's length called pendulums 5 km from the origin singular.
"""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.kernels.project import rounding
from dalembert.system.system import compile as compile_model


def pendulum(far: float, plane: bool = True) -> da.Mechanism:
    if plane:
        m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
        bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(far + 0.5, -far))
        m.revolute("A", m.ground, bar, at=(far, -far))
    else:
        m = da.Mechanism("pendulum", plane=False, gravity=(0, 0, -9.81))
        bar = m.body("bar", da.rod(length=1.0, mass=2.0, radius=0.02), at=(far + 0.5, far, -far))
        m.revolute("A", m.ground, bar, at=(far, far, -far), axis=(0, 1, 0))
    return m


def four_bar(far: float, plane: bool = True, driven: bool = False) -> da.Mechanism:
    """4 m four-bar, in the plane or drawn in space with parallel axes (three rows too many)."""
    place = (lambda x, y: (far + x, far + y)) if plane else (lambda x, y: (far + x, far + y, far))
    along = {} if plane else {"axis": (0, 0, 1)}
    m = da.Mechanism("four-bar", plane=plane, gravity=(0, -9.81) if plane else (0, -9.81, 0))
    crank = m.body("crank", da.box(0.1, 1.0, 0.1, mass=10.0), at=place(0.0, 0.5))
    rod = m.body("rod", da.box(4.0, 0.1, 0.1, mass=40.0), at=place(2.0, 1.5))
    rocker = m.body("rocker", da.box(0.1, 2.0, 0.1, mass=20.0), at=place(4.0, 1.0))
    a = m.revolute("A", m.ground, crank, at=place(0.0, 0.0), **along)
    on = [crank.point(0, 0.5), rod.point(-2.0, -0.5)] if plane else [crank.point(0, 0.5, 0), rod.point(-2.0, -0.5, 0)]
    m.revolute("B", crank, rod, at=tuple(on), **along)
    m.revolute("C", rod, rocker, at=place(4.0, 2.0), **along)
    m.revolute("D", m.ground, rocker, at=place(4.0, 0.0), **along)
    if driven:
        m.drive("motor", a.angle, "2*t")
    else:
        m.start(a.angle, rate=2.0)
    return m


@pytest.mark.parametrize("plane", [True, False])
def test_a_pendulum_swings_alike_everywhere(plane):
    near = da.simulate(pendulum(0.0, plane), until=1.5)
    for far in (5e3, 1e5, 1e7):
        run = da.simulate(pendulum(far, plane), until=1.5)
        assert run.status == "ok"
        away = run["bar"].position - near["bar"].position
        ulp = np.spacing(far)
        # rounding enters at every step; angles do not see the distance otherwise
        assert np.max(np.abs(away - away[0])) < 2e-8 + 100.0 * ulp
        assert np.max(np.abs(run["A"].angle - near["A"].angle)) < 2e-8 + 100.0 * ulp
        assert run.audit.steps <= 1.2 * near.audit.steps


def test_the_audit_tells_the_rounding():
    run = da.simulate(pendulum(1e7), until=0.5)
    assert run.audit.position > 1e-12 and run.audit.passed
    assert f"rounding of coordinates {run.audit.rounding:.1e}" in str(run.audit)
    assert "rounding of coordinates" not in str(da.simulate(pendulum(1.0), until=0.5).audit)


@pytest.mark.parametrize("plane", [True, False])
def test_a_four_bar_at_50_km(plane):
    near, run = (da.simulate(four_bar(far, plane), until=0.6) for far in (0.0, 5e4))
    assert run.status == "ok"
    assert np.max(np.abs(run["A"].angle - near["A"].angle)) < 1e-7
    assert da.mobility(four_bar(5e4, plane)).dof == 1


def test_analyses_far_away():
    """Assembly, reactions, kinematics, equilibrium and linearization give what they give at the origin."""
    far, sizes = 1e6, []
    for d in (0.0, far):
        m = four_bar(d)
        assembled = da.assemble(m)
        force = da.reactions(m)["A"].force
        motion = da.kinematics(four_bar(d, driven=True), np.linspace(0.0, 0.5, 6))
        hanging = pendulum(d)
        low = da.equilibrium(hanging)[0]
        modes = da.linearize(hanging, low)
        frequency = np.max(np.abs(modes.eigenvalues.imag))
        sizes.append(np.concatenate([assembled.state.q[2::3], force, motion["D"].angle, [frequency, low.state.v[0]]]))
        assert motion.audit.passed
    assert np.max(np.abs(sizes[1] - sizes[0])) < 1e-6 * np.max(np.abs(sizes[0]))


def test_a_wagon_travels():
    """A wagon with hanging links: after 8 km at 30 m/s its joints are as good as coordinates of that size are."""
    m = da.Mechanism("wagon", plane=True, gravity=(0, -9.81))
    wagon = m.body("wagon", da.box(4.0, 1.0, 1.0, mass=1000.0), at=(8000.0, 0.0), velocity=(30.0, 0.0))
    m.prismatic("rail", m.ground, wagon, along=(1, 0))
    last = wagon
    for k in range(3):
        link = m.body(f"link{k}", da.rod(length=0.3, mass=1.0), at=(8000.0, -0.15 - 0.3 * k), angle=-np.pi / 2)
        pin = m.revolute(f"pin{k}", last, link, at=(8000.0, -0.3 * k))
        m.start(pin.angle, rate=1.0)
        last = link
    run = da.simulate(m, until=4.0)
    assert run.status == "ok" and run.audit.energy < 1e-8
    assert run["wagon"].position[-1, 0] == pytest.approx(8120.0, abs=1.0)


def test_rounding_as_the_reason():
    """Where rounding is as large as a part of the machine, it is named."""
    with pytest.raises(da.AssemblyError, match="1e\\+10 m from the origin, where numbers are rounded to 1.9e-06 m"):
        da.simulate(pendulum(1e10), until=1.0)


def test_rounding_is_the_same_in_the_kernels():
    system = compile_model(pendulum(3e6))
    work, q = system.workspace(), system.q0.copy()
    plain = getattr(rounding, "py_func", rounding)
    assert system.rounding(q) == pytest.approx(plain(system.numbering.I, system.numbering.P, work.F, q), rel=1e-12)
    assert system.rounding(q) == pytest.approx(4 * 2.0**-52 * (3e6 + 0.5) / system.length, rel=1e-6)
    q[2] = 1e9  # many turns
    assert system.rounding(q) == pytest.approx(plain(system.numbering.I, system.numbering.P, work.F, q), rel=1e-12)


def test_a_constrained_lagrangian_far_away():
    """The row of a rod is a difference of large coordinates there too."""
    ends = []
    for far in (0.0, 1e7):
        m = da.Lagrangian(
            "x y",
            kinetic="(rate(x)**2 + rate(y)**2)/2",
            potential="9.81*y",
            holonomic={"rod": f"sqrt((x - {far})**2 + y**2) - 1"},
        )
        m.start("x", far + 1.0)
        m.guess("y", 0.0)
        run = da.simulate(m, until=1.0)
        assert run.status == "ok"
        ends.append(run["x"][-1] - far)
    assert abs(ends[1] - ends[0]) < 1e-6
