"""Constants of the motion along runs: found from the symmetries, kept by the integration, and not found where there is none."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

from .machines import double_pendulum, pendulum

TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def top():
    m = da.Lagrangian(
        "psi theta phi", gravity=(0, 0, "-g"), parameters={"m": 0.6, "g": 9.81, "l": 0.1, "A": 0.004, "C": 0.001}
    )
    m.body(
        "top", "m", inertia=("A", "A", "C"), at=("l*sin(theta)*sin(psi)", "-l*sin(theta)*cos(psi)", "l*cos(theta)"),
        turns=[("z", "psi"), ("x", "theta"), ("z", "phi")],
    )  # fmt: skip
    m.start("theta", 0.3)
    m.start("phi", 0.0, rate=200.0)
    return m


def test_heavy_top():
    """Momenta of psi and phi, and the energy: C w3 = 0.2, p_psi = C w3 cos(theta) at the start."""
    run = da.simulate(top(), until=0.5, **TIGHT)
    kept = run.conserved
    assert len(kept) == 3 and max(kept.drift.values()) < 1e-8
    values = sorted(float(x[0]) for x in kept.values())
    assert values == pytest.approx(sorted([0.2, 0.2 * np.cos(0.3), 20.0 + 0.6 * 9.81 * 0.1 * np.cos(0.3)]), rel=1e-12)
    assert "kept to" in str(kept)


def test_shaft_l4():
    """L4: theta is ignorable, m a^2/3 theta' sin(phi)^2 is constant."""
    m = da.Lagrangian(
        "theta phi", kinetic="m*a**2/6*(rate(phi)**2 + rate(theta)**2*sin(phi)**2)", potential="-m*g*a/2*cos(phi) + k*phi**2/2",
        parameters={"m": 1.5, "a": 0.8, "g": 9.81, "k": 2.0},
    )  # fmt: skip
    m.start("phi", 0.7)
    m.start("theta", 0.0, rate=3.0)
    run = da.simulate(m, until=2.0, **TIGHT)
    expected = 1.5 * 0.64 / 3.0 * 3.0 * np.sin(0.7) ** 2
    assert any(float(x[0]) == pytest.approx(expected, rel=1e-12) for x in run.conserved.values())
    assert max(run.conserved.drift.values()) < 1e-9


def test_energy_only_where_it_is_constant():
    assert len(da.simulate(pendulum(), until=0.1).conserved) == 1
    assert len(da.simulate(double_pendulum(), until=0.1).conserved) == 1
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**2/2", dissipation="0.1*rate(x)**2/2")
    m.start("x", 1.0)
    kept = da.simulate(m, until=0.1).conserved
    assert not kept and "no constants" in str(kept)


def test_an_energy_that_is_zero_is_kept_as_well_as_its_terms():
    """x'' = 1 - 3 x from rest at x = 0: T + V = 0, where T and -V reach 1/6."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", forces={"x": "1 - 3*x"})
    m.start("x", 0.0)
    kept = da.simulate(m, until=2.0).conserved
    assert float(kept["energy"][0]) == 0.0 and 0.0 < kept.drift["energy"] < 1e-7


def test_jacobi_integral():
    """Bead on a turning wire: T + V changes, the Jacobi integral stays."""
    m = da.Lagrangian("r", parameters={"m": 2.0, "w": 3.0})
    m.particle("bead", "m", ("r*cos(w*t)", "r*sin(w*t)"))
    m.start("r", 0.1)
    kept = da.simulate(m, until=0.5, **TIGHT).conserved
    (constant,) = kept.values()
    assert float(constant[0]) == pytest.approx(-0.5 * 2.0 * 9.0 * 0.01, rel=1e-12)
    assert max(kept.drift.values()) < 1e-9


def test_every_constant_has_a_name_of_its_own():
    """Two free bodies on a spring: momenta in x and y, two moments of momentum (about the origin, and of the mass centre), energy: five."""
    m = da.Mechanism("two", plane=True)
    a = m.body("a", da.rod(length=1.0, mass=1.0), at=(0, 0), velocity=(0.3, 0.1), spin=1.0)
    b = m.body("b", da.rod(length=1.0, mass=2.0), at=(1, 0.5), velocity=(-0.1, 0.4), spin=-2.0)
    m.spring("s", a.end, b.start, stiffness=30.0, free_length=0.0)
    run = da.simulate(da.lagrangian_of(m), until=0.5, **TIGHT)
    found = da.conserved(run.model)
    names = [x.name for x in found]
    assert len(found) == len(set(names)) == len(run.conserved) == 5
    assert str(run.conserved).count("kept to") == 5 and max(run.conserved.drift.values()) < 1e-8
    # about the origin: sum m r x v + J w; the shorter one keeps the plain name
    total = 1.0 / 12 * 1.0 + 2.0 / 12 * -2.0 + 2.0 * (1 * 0.4 - 0.5 * -0.1)
    plain, second = (name for name in names if name.startswith("moment of momentum"))
    assert second == f"{plain} (2)"
    assert float(run.conserved[plain][0]) == pytest.approx(total, rel=1e-12)
    # the second is that about the mass centre, up to a factor and the first: with one body turning it differs
    still = dict.fromkeys([*run.model.q, *(f"rate({x})" for x in run.model.q)], 0.0)
    assert found[second].evaluate({**still, "x_a": 1.0, "rate(y_b)": 1.0}) != 0.0
    assert found[plain].evaluate({**still, "x_a": 1.0, "rate(y_b)": 1.0}) == 0.0
