"""Forces have a potential where dQ/dq is symmetric on the motions that the rows allow, and only there (LAGRANGE 2.1.2-10)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.model.expression import Name
from dalembert.model.expression.derivative import derivative
from tests.soak import share

G = 9.81


def plane(forces, names="x y", **more):
    kinetic = " + ".join(f"rate({x})**2/2" for x in names.split())
    return da.Lagrangian(names, kinetic=kinetic, forces=forces, name="field", **more)


def bob(force, at=(0.3, 0.2)):
    m = da.Mechanism("bob", plane=True)
    m.force("g", m.particle("p", mass=1.0, at=at), force)
    return m


def made_of_body(x):
    return Name(f"p.{x}")


def refused(model, *words):
    with pytest.raises(da.MethodError) as error:
        da.potential_energy(model)
    for word in words:
        assert word in error.value.found, error.value.found
    assert all((error.value.asked, error.value.found, error.value.why, error.value.do))


def test_one_coordinate():
    """Q = 1 - 3 x: V = 3 x^2/2 - x, at rest in x = 1/3 with V = -1/6."""
    m = plane({"x": "1 - 3*x"}, "x")
    (e,) = da.equilibrium(m, method="energy")
    assert e.state.q == pytest.approx([1.0 / 3.0], abs=1e-12) and e.energy == pytest.approx(-1.0 / 6.0, abs=1e-12)
    found = da.potential_energy(m, da.State(0.0, np.array([2.0]), np.zeros(1)))
    assert float(found) == pytest.approx(4.0, rel=1e-14)
    assert found.expression.evaluate({"x": -1.0}) == pytest.approx(2.5, rel=1e-14)


def test_two_forces_that_have_a_potential_together():
    """(-2 x y, -x^2) = -grad(x^2 y), though neither force has a potential alone; with the other sign both are named."""
    m = plane({"x": "-2*x*y", "y": "-x**2"})
    m.start("x", 2.0)
    m.start("y", 3.0)
    assert float(da.potential_energy(m)) == pytest.approx(12.0, rel=1e-14)
    assert "energy" in da.conserved(m)
    run = da.simulate(m, until=0.3)
    energy = run.conserved["energy"]
    assert np.max(np.abs(energy - energy[0])) < 1e-7 * np.max(np.abs(energy))
    assert energy[0] == pytest.approx(12.0, rel=1e-12)
    assert run.work.conservative == pytest.approx(12.0 - np.asarray(run["x"]) ** 2 * np.asarray(run["y"]), abs=1e-7)
    refused(plane({"x": "-2*x*y", "y": "x**2"}), "force on 'x'", "force on 'y'", "d(force along y)/d(x)")


def test_force_of_a_mechanism_that_depends_on_its_place():
    """(-2 x, 1 - 3 y) = -grad(x^2 + 3 y^2/2 - y)."""
    m = bob(("-2*p.x", "1 - 3*p.y"))
    v = lambda x, y: x**2 + 1.5 * y**2 - y  # noqa: E731
    found = da.potential_energy(m, da.State(0.0, np.array([1.0, 2.0, 0.0]), np.zeros(3)))
    assert float(found) == pytest.approx(v(1.0, 2.0) - v(0.3, 0.2), rel=1e-11)  # work from the drawing
    (e,) = da.equilibrium(m, method="energy")
    assert e.state.q[:2] == pytest.approx([0.0, 1.0 / 3.0], abs=1e-10)
    assert e.energy == pytest.approx(v(0.0, 1.0 / 3.0) - v(0.3, 0.2), rel=1e-10)
    assert da.equilibrium(bob(("-2*p.x", 0)), method="energy")[0].verdict == "degenerate"
    m.start("p.x", rate=1.0)
    run = da.simulate(m, until=1.0)
    x, y = (np.asarray(run[f"p.{c}"]) for c in "xy")
    assert run.work.conservative == pytest.approx(v(x[0], y[0]) - v(x, y), abs=1e-7)
    assert run["g"].nonconservative_work == pytest.approx(np.zeros(len(x)), abs=1e-12)
    whirl = da.simulate(bob(("-2*p.x - 0.1*p.y", "-3*p.y")), until=0.5)
    assert whirl["g"].conservative_work == pytest.approx(np.zeros(len(whirl.t)), abs=1e-12)
    refused(bob(("-2*p.x - 0.1*p.y", "-3*p.y")), "force 'g'", "d(force along p.y)/d(p.x)")
    refused(bob(("-2*p.x - 0.1*rate(p.y)", "-3*p.y")), "force 'g'", "rate(p.y)")


def test_a_field_is_the_same_on_both_kinds_of_models():
    """-3 per kg on 2 kg is a spring of 6 N/m: V = 3 r^2."""
    m = da.Mechanism("ball", plane=True)
    m.particle("b", mass=2.0, at=(0.4, 0.3))
    m.field("f", ("-3*x", "-3*y"))
    twin = da.Lagrangian("u w", name="ball")
    twin.particle("b", 2.0, at=("u", "w"))
    twin.field("f", ("-3*x", "-3*y"))
    twin.start("u", 0.4)
    twin.start("w", 0.3)
    for model in (m, twin):
        (e,) = da.equilibrium(model, method="energy")
        assert e.verdict == "stable" and e.eigenvalues == pytest.approx([3.0, 3.0], rel=1e-9)
        run = da.simulate(model, until=0.5)
        assert run.work.nonconservative == pytest.approx(np.zeros(len(run.t)), abs=1e-12)
        assert run.work.conservative[-1] == pytest.approx(0.75 * math.sin(0.5 * math.sqrt(3.0)) ** 2, abs=1e-7)
    assert float(da.potential_energy(twin)) == pytest.approx(0.75, rel=1e-14)


@pytest.mark.parametrize("case", range(share(60)))
def test_random_polynomials(case):
    """Q = -grad V of a polynomial is recognised and V recovered up to a constant; with a curl it is refused."""
    rng = np.random.default_rng(case)
    names = ["x", "y", "z"][: int(rng.integers(2, 4))]
    made = 0.0
    m = plane({}, " ".join(names))
    q = dict(zip(names, m.coordinates))
    for _ in range(6):
        term = float(rng.uniform(-2, 2))
        for x in names:
            term = term * q[x] ** int(rng.integers(0, 3))
        made = made + term
    made = made + q["x"]
    forces = {x: (-derivative(made, x)).simplify() for x in names}
    found = da.potential_energy(plane(forces, " ".join(names))).expression
    a, b = (dict(zip(names, rng.uniform(-1, 1, len(names)))) for _ in range(2))
    gained = made.evaluate(a) - made.evaluate(b)
    size = 1.0 + abs(made.evaluate(a)) + abs(made.evaluate(b))
    assert found.evaluate(a) - found.evaluate(b) == pytest.approx(gained, abs=1e-12 * size)
    if len(names) == 2:
        # the same by the work of the forces of a mechanism
        places = {x: made_of_body(x) for x in names}
        b = {"x": 0.3, "y": 0.2}
        m = bob([forces[x].substitute(places) for x in names])
        state = da.State(0.0, np.array([a["x"], a["y"], 0.0]), np.zeros(3))
        assert float(da.potential_energy(m, state)) == pytest.approx(
            made.evaluate(a) - made.evaluate(b), abs=1e-10 * size
        )
    whirl = float(rng.choice([-1, 1]) * 10.0 ** rng.uniform(-6, 0))
    refused(plane(forces | {"x": forces["x"] + whirl * q["y"]}, " ".join(names)), "force on 'x'")


def test_on_the_motions_that_rows_allow():
    """(-y, x) has no potential in the plane; on a circle of radius 2 it is the force 2 along the arc: V = -4 times the angle."""
    force = {"x": "-y", "y": "x"}
    refused(plane(force), "d(force along y)/d(x) - d(force along x)/d(y) = 1")
    m = plane(force, holonomic={"ring": "x**2 + y**2 - 4"})
    m.start("x", 2.0)
    at = da.State(0.0, np.array([2.0 * math.cos(1.1), 2.0 * math.sin(1.1)]), np.zeros(2))
    assert float(da.potential_energy(m, at)) == pytest.approx(-4.4, rel=1e-9)
    assert da.potential_energy(m, at).expression is None


def ball(**loads):
    """A box on a ball joint with a spring at one corner."""
    m = da.Mechanism("box", plane=False, gravity=(0, 0, -G))
    b = m.body("b", da.box(0.3, 0.2, 0.1, mass=2.0), at=(0.4, 0.1, -0.2))
    m.spherical("A", m.ground, b, at=(0, 0, 0))
    m.spring("k", m.ground.point(1, 0, 0), b.point(0.1, 0.1, 0.05), stiffness=30.0, free_length=0.4)
    for method, given in loads.items():
        getattr(m, method)(f"the {method}", *([] if method == "field" else [b]), *given)
    return m


def test_rotations_in_space():
    """Turns do not commute, and slopes of torques are unsymmetric for that alone; a field with a potential is told from one without."""
    good = ball(field=(("-3*x + y", "x - 2*y**2", "-z**3"),))
    e = da.equilibrium(good, method="energy", starts=2)[0]
    x = da.equilibrium(good, method="force", starts=2)[0]
    assert e.eigenvalues == pytest.approx(x.eigenvalues, rel=1e-6)
    for load, word in (
        ({"field": (("-3*x + 1.001*y", "x - 2*y**2", "-z**3"),)}, "field 'the field'"),
        ({"torque": ((0, 0, 1.0),)}, "torque 'the torque'"),
        ({"force": ((0, 0, "1 + b.x"),)}, "force 'the force'"),
    ):
        refused(ball(**load), word)


def test_work_on_a_way_of_turns():
    """The field (-6 x, 0, 0) per kg on a bar that turns in space: V = 3 times the integral of x^2 dm, 2/3 along the bar and 1/600 across it."""
    m = da.Mechanism("bar", plane=False)
    rod = m.body("bar", da.box(1.0, 0.1, 0.1, mass=2.0), at=(0.5, 0, 0))
    m.spherical("A", m.ground, rod, at=(0, 0, 0))
    m.field("f", ("-6*x", 0, 0))
    angle = 0.9
    p = [math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)]
    state = da.State(0.0, np.array([0.5 * math.cos(angle), 0.5 * math.sin(angle), 0.0, *p]), np.zeros(6))
    assert float(da.potential_energy(m, state)) == pytest.approx(
        -3.0 * (2.0 / 3.0 - 1.0 / 600.0) * math.sin(angle) ** 2, rel=1e-10
    )


def on_a_rail(kind):
    """(-3x, 2x) has no potential in the plane; on y = x² it is -3x + 2x·2x along x, so that V = 3x²/2 - 4x³/3."""
    if kind == "mechanism":
        m = bob(("-3*p.x", "2*p.x"), at=(0.6, 0.36))
        m.constraint("rail", "p.y - p.x**2")
        return m, da.lagrangian_of(m)
    m = plane({"x": "-3*x", "y": "2*x"}, holonomic={"rail": "y - x**2"})
    m.start("x", 0.6)
    return m, m


@pytest.mark.parametrize("kind", ["mechanism", "coordinates"])
def test_all_verbs_decide_alike_on_a_rail(kind):
    m, written = on_a_rail(kind)
    V = lambda x: 1.5 * x**2 - 4.0 * x**3 / 3.0  # noqa: E731
    run = da.simulate(m, until=2.0, output=0.1, rtol=1e-10, atol=1e-12)
    x = np.asarray(run["p.x" if kind == "mechanism" else "x"])
    assert np.ptp(x) > 0.3
    assert np.asarray(run.work.conservative) == pytest.approx(V(0.6) - V(x), abs=1e-8)
    assert np.max(np.abs(run.work.nonconservative)) < 1e-8
    energy = da.conserved(written)["energy"]
    name = next(name for name in written.q if name.startswith("x"))
    assert energy.evaluate(dict.fromkeys(written.q, 0.0) | {f"rate({q})": 0.0 for q in written.q} | {name: 0.6}) == pytest.approx(V(0.6))  # fmt: skip
    stable = next(e for e in da.equilibrium(m, method="energy") if e.verdict == "stable")
    assert stable.energy == pytest.approx(V(0.0) - V(0.6))  # counted from the start
    assert float(da.potential_energy(written)) == pytest.approx(V(0.6))


def test_energy_is_constant_where_no_formula_is_found():
    """The same force on a circle: one motion, so that its work is that of a potential, which no row gives in closed form."""
    m = plane({"x": "-3*x", "y": "2*x"}, holonomic={"ring": "x**2 + y**2 - 1"})
    found = da.conserved(m)
    assert len(found) == 0 and "the energy is constant" in str(found)
    free = plane({"x": "-3*x", "y": "2*x"})
    assert "forces have power" in str(da.conserved(free))


def test_force_of_a_body_on_one_motion_is_conservative():
    """A force that turns with its body has no potential for a free body; of a pendulum it is a constant torque about the pin, V = -F l theta."""

    def bar(pinned):
        m = da.Mechanism("bar", plane=True, gravity=(0, -G))
        b = m.body("b", da.rod(length=1.0, mass=1.0))
        if pinned:
            m.revolute("O", m.ground, b, at=(0, 0), on=b.start)
        m.force("F", b, (0, 1.0), at=b.end, frame="body")
        return da.simulate(m, until=0.5)

    run = bar(True)
    turned = np.asarray(run["O.angle"]) - float(np.asarray(run["O.angle"])[0])
    assert np.asarray(run.work["F"]) == pytest.approx(turned, abs=1e-8)
    assert np.max(np.abs(run.work.nonconservative)) < 1e-8
    free = bar(False)
    assert np.asarray(free.work.nonconservative) == pytest.approx(np.asarray(free.work["F"]), abs=1e-9)
