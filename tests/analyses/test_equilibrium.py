"""equilibrium: numbers with closed forms, energies scanned independently, steady turns, branches along parameters, refusals.

Tolerances: places converge to rounding (1e-12 of the forces, so about 1e-11 in angles), stiffness comes from differences of fourth
order with an error of about 1e-11 of its largest part; 1e-8 relative leaves room for both.
"""

import math
import re

import numpy as np
import pytest

import dalembert as da
from tests.soak import share

from .machines import bar, fb4

G = 9.81
# bar of 1 m with a square section of 0.1 m: m g l/2 / (m l^2/3 + m (0.1)^2/12) = 14.678304239...
BAR = G * 0.5 / (1.0 / 3.0 + 0.01 / 12.0)


def pendulum(plane=True, axis=(0.0, 0.0, 1.0), turn=lambda p: p):
    """Bar hinged at one end; in space about the given axis, gravity across it."""
    at = (0.5, 0.0) if plane else turn((0.5, 0.0, 0.0))
    m = da.Mechanism("pendulum", plane=plane, gravity=(0, -G) if plane else turn((0.0, -G, 0.0)))
    pose = {} if plane else {"rotation": np.column_stack([turn(e) for e in np.eye(3)]).tolist()}
    body = m.body("bar", **bar(1.0, plane), at=at, **pose)
    m.revolute("A", m.ground, body, at=(0, 0) if plane else (0, 0, 0), **({} if plane else {"axis": turn(axis)}))
    return m


def rotated(seed):
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    q *= np.sign(np.linalg.det(q))
    return lambda p: tuple(q @ np.asarray(p, dtype=float))


# -- the bar pendulum ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model", [pendulum(), pendulum(False), pendulum(False, turn=rotated(3))], ids=["plane", "space", "turned"]
)
def test_bar_pendulum(model):
    hanging, upright = da.equilibrium(model)
    assert BAR == pytest.approx(14.678304239, abs=1e-9)
    assert (hanging.verdict, upright.verdict) == ("stable", "unstable")
    assert hanging.eigenvalues == pytest.approx([BAR], rel=1e-9)
    assert upright.eigenvalues == pytest.approx([-BAR], rel=1e-9)
    assert hanging.energy == pytest.approx(-10 * G * 0.5, rel=1e-12)
    assert np.linalg.norm(hanging.reactions["A"].force) == pytest.approx(10 * G, rel=1e-10)
    assert "14.6783" in str(da.equilibrium(model)) and "stable" in repr(hanging)


def test_multipliers_balance_the_forces():
    """J^T lam = Q at every equilibrium, with J and Q of `equations`."""
    m = springy()
    for e in da.equilibrium(m):
        made = da.equations(m, e.state)
        assert made.jac.T @ e.multipliers == pytest.approx(made.Q, abs=1e-8)
        assert abs(made.phi).max() < 1e-12
        assert abs(made.a).max() < 1e-7


# -- FB4 with springs ------------------------------------------------------------------------------------------------------


def springy(plane=True, turn=lambda p: p, unit=1.0):
    """FB4 with two springs to the ground; unit = 1000: the same machine in millimetres."""
    assert unit == 1.0 or plane
    m = fb4(plane, turn=None if plane else turn) if unit == 1.0 else scaled(unit)
    at = (lambda x, y: (unit * x, unit * y)) if plane else (lambda x, y: turn((x, y, 0.0)))
    zero = (0.0, 0.0) if plane else (0.0, 0.0, 0.0)
    for name, place, body, k in (("upper", (0, 3), "rocker", 200.0), ("lower", (1, -1), "coupler", 300.0)):
        m.spring(name, m.ground.point(*at(*place)), m[body].point(*zero), stiffness=k, free_length=unit)
    return m


def scaled(unit):
    """FB4 with all lengths multiplied."""
    m, made = fb4(), da.Mechanism("FB4 scaled", gravity=(0, -G * unit))
    for body in m.bodies:
        p = body.shape.mass_properties()
        made.body(
            body.name,
            mass=p.mass,
            inertia=float(p.inertia[2, 2]) * unit**2,
            at=tuple(unit * float(x) for x in body.at[:2]),
            angle=body.drawn_angle,
        )
    for name, i, j, half in (
        ("A", "ground", "crank", -0.5),
        ("B", "crank", "coupler", -2.0),
        ("C", "coupler", "rocker", 1.5),
    ):
        made.revolute(name, made[i], made[j], at=made[j].point(half * unit, 0.0))
    made.revolute("D", made.ground, made["rocker"], at=made["rocker"].point(-1.5 * unit, 0.0))
    return made


def closed_loop(crank, side=1.0):
    """Positions of FB4 for a crank angle, by the law of cosines: pins B and C on the drawn branch."""
    b = np.array([math.cos(crank), math.sin(crank)])
    d = np.array([4.0, 0.0]) - b
    far = float(np.linalg.norm(d))
    along = (far**2 + 16.0 - 9.0) / (2 * far)
    up = math.sqrt(16.0 - along**2)
    e = d / far
    return b, b + along * e + side * up * np.array([-e[1], e[0]])


def energy_of_fb4(crank):
    b, c = closed_loop(crank)
    middle = {"crank": b / 2, "coupler": (b + c) / 2, "rocker": (np.array([4.0, 0.0]) + c) / 2}
    total = G * (10 * middle["crank"][1] + 40 * middle["coupler"][1] + 30 * middle["rocker"][1])
    total += 100.0 * (np.linalg.norm(middle["rocker"] - (0, 3)) - 1.0) ** 2
    return total + 150.0 * (np.linalg.norm(middle["coupler"] - (1, -1)) - 1.0) ** 2


def test_fb4_against_a_scan_of_its_energy():
    """Every stationary point of V(crank angle) over a turn is found, and nothing else; V from the law of cosines."""
    angles = np.linspace(0, 2 * math.pi, 2001)
    energies = np.array([energy_of_fb4(x) for x in angles])
    slope = np.diff(energies)
    turns = int(np.sum(slope * np.roll(slope, 1) < 0))
    found = da.equilibrium(springy())
    assert len(found) == turns == 2
    for e in found:
        crank = e.state.q[2]
        h = 1e-4
        assert e.energy == pytest.approx(energy_of_fb4(crank), rel=1e-11)
        assert (energy_of_fb4(crank + h) - energy_of_fb4(crank - h)) / (2 * h) == pytest.approx(0.0, abs=2e-5)
        second = (energy_of_fb4(crank + h) - 2 * energy_of_fb4(crank) + energy_of_fb4(crank - h)) / h**2
        # K along the free motion with unit crank speed
        unit = e.motions[:, 0] / e.motions[2, 0]
        assert e.K[0, 0] / e.motions[2, 0] ** 2 == pytest.approx(second, rel=1e-5)
        assert unit[2] == 1.0
        assert e.verdict == ("stable" if second > 0 else "unstable")


@pytest.mark.parametrize("kind", ["space", "turned", "millimetres"])
def test_the_same_in_space_turned_and_in_millimetres(kind):
    plane = [e.eigenvalues[0] for e in da.equilibrium(springy())]
    other = {
        "space": lambda: springy(False),
        "turned": lambda: springy(False, rotated(5)),
        "millimetres": lambda: springy(unit=1000.0),
    }[kind]()
    assert [e.eigenvalues[0] for e in da.equilibrium(other)] == pytest.approx(plane, rel=1e-8)


def test_redundant_dimensions_that_disagree_a_little():
    """FB4 in space with the ground pin of the rocker 1e-8 m out of the plane: rounding of a drawing, not another machine."""
    m = fb4(False)
    made = da.Mechanism("FB4 off", plane=False, gravity=(0, -G, 0))
    for body in m.bodies:
        p = body.shape.mass_properties()
        made.body(body.name, mass=p.mass, inertia=tuple(np.diag(p.inertia)), at=body.at, rotation=body.rotation)
    for name, i, j, half in (
        ("A", "ground", "crank", -0.5),
        ("B", "crank", "coupler", -2.0),
        ("C", "coupler", "rocker", 1.5),
    ):
        made.revolute(name, made[i], made[j], at=made[j].point(half, 0.0, 0.0), axis=(0, 0, 1))
    end = made["rocker"].point(-1.5, 0.0, 0.0), made.ground.point(4.0, 0.0, 1e-8)
    made.revolute("D", made["rocker"], made.ground, at=end, axis=(0, 0, 1))
    exact = [e.eigenvalues[0] for e in da.equilibrium(m)]
    found = da.equilibrium(made)
    assert [e.eigenvalues[0] for e in found] == pytest.approx(exact, rel=1e-6)
    # the states are good for the other analyses
    assert abs(da.linearize(made, found[0]).modes[0].omega ** 2) == pytest.approx(exact[0], rel=1e-6)
    assert np.isfinite(found[0].reactions["A"].force).all()


# -- bistable slider-crank -------------------------------------------------------------------------------------------------

R, ROD, STIFF, FREE, TORSION = 0.1, 0.3, 200.0, 0.3, 1.0


def bistable():
    """Crank 0.1 m, rod 0.3 m; spring of 200 N/m that wants the slider at 0.3 m; torsion spring of 1 N m/rad that wants the crank at 0."""
    m = da.Mechanism("bistable slider-crank")
    crank = m.body("crank", da.rod(length=R, mass=0.2), at=(R / 2, 0))
    rod = m.body("rod", da.rod(length=ROD, mass=0.4), at=(R + ROD / 2, 0))
    slider = m.body("slider", da.block(0.06, 0.04, mass=0.5), at=(R + ROD, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, slider, at=rod.end)
    m.prismatic("guide", m.ground, slider, along=(1, 0))
    m.spring("push", m.ground.point(0, 0), slider.point(0, 0), stiffness=STIFF, free_length=FREE)
    m.torsion_spring("wind", m["O"].angle, stiffness=TORSION)
    return m


def energy_of_slider_crank(angle):
    slide = R * math.cos(angle) + math.sqrt(ROD**2 - (R * math.sin(angle)) ** 2)
    return 0.5 * STIFF * (slide - FREE) ** 2 + 0.5 * TORSION * angle**2


def test_bistable_slider_crank():
    found = da.equilibrium(bistable())
    assert [e.verdict for e in found] == ["stable", "stable", "unstable"]
    # the count: changes of sign of the slope of V over a full turn about the drawing
    angles = np.linspace(-math.pi, math.pi, 20001) + 1e-6
    slope = np.diff([energy_of_slider_crank(x) for x in angles])
    places = angles[1:-1][slope[1:] * slope[:-1] < 0]
    assert len(places) == 3
    assert sorted(e.state.q[2] for e in found) == pytest.approx(sorted(places), abs=4e-4)
    assert found[2].state.q[2] == pytest.approx(0.0, abs=1e-12)
    for e in found:
        x, h = e.state.q[2], 1e-4
        assert e.energy == pytest.approx(energy_of_slider_crank(x), rel=1e-12)
        second = (energy_of_slider_crank(x + h) - 2 * energy_of_slider_crank(x) + energy_of_slider_crank(x - h)) / h**2
        assert e.K[0, 0] / e.motions[2, 0] ** 2 == pytest.approx(second, rel=1e-6)
    assert found.stable == tuple(found[:2])


# -- several free motions, in space ------------------------------------------------------------------------------------------


def spatial():
    """Two bars on ball joints, one below the other, with oblique springs: six free motions, no symmetry."""
    m = da.Mechanism("two bars", plane=False, gravity=(0, 0, -G))
    a = m.body("a", mass=2.0, inertia=(0.02, 0.19, 0.18), at=(0.1, 0.2, -0.45), rotation=((0, 1, 0), 0.5))
    b = m.body("b", mass=1.0, inertia=(0.01, 0.08, 0.09), at=(0.2, 0.1, -1.3), rotation=((1, 1, 0), 0.3))
    m.spherical("O", m.ground, a, at=a.point(0, 0, 0.5))
    m.spherical("P", a, b, at=(a.point(0, 0, -0.5), b.point(0, 0.1, 0.4)))
    m.spring("s1", m.ground.point(1, 0, 0), a.point(0.1, 0, -0.2), stiffness=60.0, free_length=0.5)
    m.spring("s2", m.ground.point(-0.5, 1, -1), b.point(0.2, 0.1, -0.3), stiffness=40.0, free_length=0.6)
    m.spring("s3", a.point(-0.3, 0.1, 0), b.point(-0.2, 0.3, 0), stiffness=30.0, free_length=0.7)
    return m


def matrix(p):
    """Rotation matrix by quaternion products, unlike the package's formula: A x = p x p*."""

    def product(x, y):
        return np.array([x[0] * y[0] - x[1:] @ y[1:], *(x[0] * y[1:] + y[0] * x[1:] + np.cross(x[1:], y[1:]))])

    back = p * (1, -1, -1, -1)
    return np.column_stack([product(product(p, np.array([0.0, *e])), back)[1:] for e in np.eye(3)])


def energy_in_space(q):
    a, b = q[:7], q[7:]
    at = lambda body, x: body[:3] + matrix(body[3:]) @ np.array(x)  # noqa: E731
    total = G * (2.0 * a[2] + 1.0 * b[2])
    for k, free, x, y in (
        (60.0, 0.5, np.array([1.0, 0, 0]), at(a, (0.1, 0, -0.2))),
        (40.0, 0.6, np.array([-0.5, 1, -1]), at(b, (0.2, 0.1, -0.3))),
        (30.0, 0.7, at(a, (-0.3, 0.1, 0)), at(b, (-0.2, 0.3, 0))),
    ):
        total += 0.5 * k * (np.linalg.norm(x - y) - free) ** 2
    return total


def test_stiffness_in_space_is_the_hessian_of_the_energy():
    """Second differences of V along curves on the constraints, with V from the positions alone; all pairs of free motions."""
    from dalembert.analyses.pose.pose import Pose
    from dalembert.analyses.rest.bodies import Bodies as Statics

    m = spatial()
    e = da.equilibrium(m, starts=4)[0]
    assert e.verdict == "stable" and len(e.eigenvalues) == 6
    assert e.energy == pytest.approx(energy_in_space(e.state.q), rel=1e-12)
    statics = Statics(Pose.of(m, e.state, asked="test"))

    def energy(y):
        statics.pose.q = e.state.q.copy()
        assert statics.retract(e.motions @ y)
        return energy_in_space(statics.pose.q)

    h, n = 1e-3, 6
    unit = np.eye(n)
    base = energy(np.zeros(n))
    # on a curve through a stationary point the second derivative is that of its tangent
    for i in range(n):
        for j in range(i + 1):
            y = unit[i] + unit[j]
            second = (energy(h * y) - 2 * base + energy(-h * y)) / h**2
            assert y @ e.K @ y == pytest.approx(second, rel=1e-4, abs=1e-4 * np.abs(e.K).max())
    assert e.K == pytest.approx(e.K.T, abs=1e-12 * np.abs(e.K).max())


def test_stiffness_without_a_potential_is_symmetric_where_one_exists():
    """method="force" does not symmetrise: what comes out is symmetric because the joints and forces are."""
    e = da.equilibrium(spatial(), starts=2, method="force")[0]
    assert e.energy == pytest.approx(da.equilibrium(spatial(), starts=2)[0].energy, rel=1e-9)
    assert e.K == pytest.approx(e.K.T, abs=1e-8 * np.abs(e.K).max())


def test_energy_is_told_by_forces_too():
    """-m g h of a bar, with a field -dV/dx of V = x^2 on its mass centre; none where a force has no potential."""
    m = pendulum()
    W = 10.0 * G  # of a bar of 10 kg and 1 m
    assert [e.energy for e in da.equilibrium(m, method="force")] == pytest.approx([-W / 2, W / 2], rel=1e-12)
    m.force("field", m["bar"], ("-2*bar.x", 0))
    hanging, upright = da.equilibrium(m, method="force")
    start = 0.5**2  # energies of fields count from the start
    assert [hanging.energy, upright.energy] == pytest.approx([-W / 2 - start, W / 2 - start], rel=1e-9)
    bead = da.Mechanism("bead", gravity=(0, 0))
    point = bead.particle("p", mass=1.0)
    bead.force("whirl", point, ("-p.x - p.y", "p.x - p.y"))
    assert all(math.isnan(e.energy) for e in da.equilibrium(bead, method="force"))


def test_a_ball_pendulum_turns_freely_about_the_vertical():
    """A ball-jointed bar: one zero eigenvalue, and one equilibrium for each family."""
    m = da.Mechanism("ball pendulum", plane=False, gravity=(0, 0, -G))
    body = m.body("bar", **bar(1.0, False), at=(0.5, 0, 0))
    m.spherical("A", m.ground, body, at=(0, 0, 0))
    hanging, upright = da.equilibrium(m)
    assert hanging.verdict == "degenerate" and upright.verdict == "unstable"
    assert hanging.eigenvalues == pytest.approx([0.0, BAR, BAR], abs=1e-7)
    assert upright.eigenvalues == pytest.approx([-BAR, -BAR, 0.0], abs=1e-7)


def test_laws_of_position_have_a_potential():
    """Hardening spring as an expression, as a Python function and as spring plus expression: x with k x + c x^3 = m g."""
    k, c, mass = 50.0, 400.0, 2.0
    x = np.roots([c, 0.0, k, -mass * G])
    x = float(x[np.isreal(x)].real[0])
    energies = []
    for options in (
        {"stiffness": k, "force": f"{c}*l^3"},
        {"force": f"{k}*l + {c}*l^3"},
        {"force": lambda length, v, t: k * length + c * length**3},
    ):
        m = da.Mechanism("hanging mass", gravity=(0, -G))
        body = m.body("mass", mass=mass, inertia=1.0, at=(0, -0.3))
        m.prismatic("guide", m.ground, body, along=(0, 1))
        m.spring("spring", m.ground.point(0, 0), body.point(0, 0), **options)
        e = da.equilibrium(m, method="energy").stable[0]
        assert abs(e.state.q[1]) == pytest.approx(x, rel=1e-10)
        assert e.eigenvalues == pytest.approx([(k + 3 * c * x**2) / mass], rel=1e-8)
        # expressions and functions are integrated from the drawn length of 0.3 m
        drawn = 0.25 * c * 0.3**4 + 0.5 * k * 0.3**2
        energies.append(e.energy + drawn)
    assert energies == pytest.approx([0.5 * k * x**2 + 0.25 * c * x**4 - mass * G * x] * 3, rel=1e-10)


def test_stops_hold():
    """A mass on a tyre, PLANAR 6.1.1: deflection m g / k, and it would fall without it."""
    m = da.Mechanism("tyre", gravity=(0, -G))
    body = m.body("hub", mass=3.0, inertia=1.0, at=(0, 0.4))
    m.prismatic("guide", m.ground, body, along=(0, 1))
    m.stop("tyre", body.y, lower=0.35, stiffness=1e4)
    (e,) = da.equilibrium(m, method="energy")
    assert e.state.q[1] == pytest.approx(0.35 - 3 * G / 1e4, abs=1e-12)
    assert e.eigenvalues == pytest.approx([1e4 / 3], rel=1e-8)


# -- forces without a potential ----------------------------------------------------------------------------------------------


def ziegler(load):
    """Ziegler's column: two links of 1 m, masses 2 and 1 kg at their ends, torsion springs of 1 N m, follower force at the tip."""
    m = da.Mechanism("Ziegler column")
    one = m.body("one", mass=2.0, inertia=0.0, center=(1, 0), at=(0, 0))
    two = m.body("two", mass=1.0, inertia=0.0, center=(1, 0), at=(1, 0))
    m.revolute("A", m.ground, one, at=(0, 0))
    m.revolute("B", one, two, at=(1, 0))
    m.torsion_spring("kA", m["A"].angle, stiffness=1.0)
    m.torsion_spring("kB", m["B"].angle, stiffness=1.0)
    m.force("P", two, (-load, 0), at=two.point(1, 0), frame="body")
    return m


@pytest.mark.parametrize("load, verdict", [(41 / 28 - 0.01, "stable"), (41 / 28 + 0.01, "unstable")])
def test_a_little_damping_lowers_the_load_of_zieglers_column(load, verdict):
    """With equal dampers, however small, flutter begins at P = 41/28 k/l, far below 7/2 - sqrt 2; the same as for the Lagrangian system."""
    m = ziegler(load)
    m.torsion_spring("dA", m["A"].angle, stiffness=0.0, damping=1e-3)
    m.torsion_spring("dB", m["B"].angle, stiffness=0.0, damping=1e-3)
    (e,) = [e for e in da.equilibrium(m, starts=2) if np.max(np.abs(e.state.q[2::3])) < 1e-6]
    assert e.verdict == verdict
    assert da.linearize(m, e).stable == (verdict == "stable")


def test_flutter_of_zieglers_column():
    """Ziegler 1952: with 2m and m the straight column flutters from P = (7/2 - sqrt 2) k/l; no other equilibrium announces it."""
    critical = 3.5 - math.sqrt(2.0)
    below, above = (da.equilibrium(ziegler(critical * c), starts=3)[0] for c in (1 - 1e-5, 1 + 1e-5))
    assert below.verdict == "stable" and not np.iscomplexobj(below.eigenvalues)
    assert above.verdict == "unstable" and np.iscomplexobj(above.eigenvalues)
    # characteristic equation of the source at P = 1: 2 x^2 - (7 - 2 P) x + 1 = 0 for x = omega^2
    assert da.equilibrium(ziegler(1.0), starts=2)[0].eigenvalues == pytest.approx(
        np.sort(np.roots([2, -5, 1])), rel=1e-8
    )


def test_energy_refuses_forces_without_a_potential():
    # Q = (P sin(b - a), 0) in the angles a, b of the links to the line: dQ_a/db is P beside the straight column
    pair = r"d\(force along two.angle\)/d\(one.angle\) - d\(force along one.angle\)/d\(two.angle\) = 1$"
    with pytest.raises(da.MethodError, match="force 'P' is not conservative") as error:
        da.equilibrium(ziegler(1.0), method="energy")
    assert re.search(pair, error.value.found)
    assert all((error.value.asked, error.value.found, error.value.why, error.value.do))
    # of one free motion every force that depends on positions has a potential (LAGRANGE 2.1.9), one along rates has none
    m = pendulum()
    m.actuator("motor", m["A"].angle, force="2*cos(bar.x)")
    by_energy, by_force = (da.equilibrium(m, method=method) for method in ("energy", "force"))
    assert len(by_energy) == len(by_force) == 2
    for a, b in zip(by_energy, by_force):
        assert a.eigenvalues == pytest.approx(b.eigenvalues, rel=1e-9) and math.isfinite(a.energy)
    m.actuator("brake", m["A"].angle, force="2*rate(bar.x)")
    with pytest.raises(da.MethodError, match="actuator 'brake' is not conservative: it depends on"):
        da.equilibrium(m, method="energy")


# -- steady turns ------------------------------------------------------------------------------------------------------------

HOOP = 0.4


def bead(omega, driven=False):
    """Bead of 0.3 kg on a hoop of radius 0.4 m that turns about its vertical diameter; it is a point (inertia 1e-9)."""
    m = da.Mechanism("bead on a hoop", plane=False, gravity=(0, 0, -G))
    rate = m.parameter("omega", omega)
    hoop = m.body("hoop", mass=1.0, inertia=(0.1, 0.1, 0.2), at=(0, 0, 0))
    m.revolute("axle", m.ground, hoop, at=(0, 0, 0), axis=(0, 0, 1))
    point = m.body("bead", mass=0.3, inertia=(1e-9,) * 3, at=(HOOP * math.sin(0.5), 0, -HOOP * math.cos(0.5)))
    m.revolute("slot", hoop, point, at=(0, 0, 0), axis=(0, -1, 0))
    if driven:
        m.drive("motor", m["axle"].angle, "omega*t")
    return m, rate


def polar(e):
    """Angle of the bead from the lowest point."""
    x, _, z = e.state.q[7:10]
    return math.atan2(x, -z)


@pytest.mark.parametrize("driven", [False, True])
def test_bead_on_a_hoop(driven):
    """V - omega^2 I/2: cos(theta) = g/(omega^2 R), K = m R^2 omega^2 sin^2(theta); below sqrt(g/R) only the lowest point."""
    m, rate = bead(8.0, driven)
    found = da.equilibrium(m, spinning=(m["axle"].angle, rate))
    theta = math.acos(G / (64.0 * HOOP))
    assert [e.verdict for e in found] == ["stable", "stable", "unstable", "unstable"]
    assert sorted(polar(e) for e in found[:2]) == pytest.approx([-theta, theta], abs=1e-10)
    for e in found[:2]:
        mass = 0.3 * HOOP**2
        assert e.eigenvalues == pytest.approx([64.0 * math.sin(theta) ** 2 * mass / (mass + 1e-9)], rel=1e-9)
    # the state is the steady motion itself: simulated, it stays
    run = da.simulate(m, until=0.5, start=found[0].state)
    assert run["slot.angle"][-1] == pytest.approx(run["slot.angle"][0], abs=1e-8)
    assert run["axle.angle"].rate[-1] == pytest.approx(8.0, abs=1e-8)
    m, rate = bead(3.0, driven)
    assert [e.verdict for e in da.equilibrium(m, spinning=(m["axle"].angle, rate))] == ["stable", "unstable"]


@pytest.mark.parametrize("between", [(4.5, 5.5), (5.5, 4.5)][: share(2)], ids=["up", "down"][: share(2)])
def test_pitchfork_of_the_bead(between):
    m, rate = bead(3.0)
    branches = da.equilibrium(m, spinning=(m["axle"].angle, rate), along="omega", between=between)
    (point,) = branches.branch_points
    assert point.value == pytest.approx(math.sqrt(G / HOOP), abs=1e-6)
    assert not branches.folds
    # the lowest point, the highest point, and the arms: cos(theta) = g/(omega^2 R), both signs
    arms = [b for b in branches if np.ptp(b.values) < 0.9]
    signs = set()
    for arm in arms:
        for value, e in zip(arm.values, arm.equilibria):
            assert math.cos(polar(e)) == pytest.approx(G / (value**2 * HOOP), abs=1e-7)
            signs.add(int(np.sign(round(polar(e), 2))))
    assert signs >= {-1, 1}
    assert sorted({v for b in branches if b not in arms for v in b.verdicts} - {"degenerate"}) == ["stable", "unstable"]
    assert "branch at 4.952272" in str(branches)


def test_pitchfork_of_a_pendulum_on_a_spinning_shaft():
    """Bar hinged on the axis: K = m g a/2 - omega^2 (m a^2/4 + J_across - J_along) at the lowest point."""
    m = da.Mechanism("pendulum on a shaft", plane=False, gravity=(0, 0, -G))
    omega = m.parameter("omega", 3.0)
    shaft = m.body("shaft", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute("bearing", m.ground, shaft, at=(0, 0, 0), axis=(0, 0, 1))
    data = bar(1.0, False)
    along, across, _ = data["inertia"]
    body = m.body("bar", **data, at=(0.4, 0, -0.3), rotation=((0, 1, 0), math.atan2(0.3, 0.4)))
    m.revolute("pin", shaft, body, at=(0, 0, 0), axis=(0, 1, 0))
    branches = da.equilibrium(m, spinning=(m["bearing"].angle, omega), along="omega", between=(3.0, 4.5))
    critical = math.sqrt(10 * G * 0.5 / (10 * 0.25 + across - along))
    assert [p.value for p in branches.branch_points] == pytest.approx([critical], abs=1e-6)


# -- along a parameter -------------------------------------------------------------------------------------------------------


def truss():
    """Mass between two springs that form a flat roof of half-width 1 m and height 0.5 m, pressed down by P."""
    m = da.Mechanism("roof")
    load = m.parameter("P", 0.0, "N")
    top = m.body("top", mass=1.0, inertia=1.0, at=(0, 0.5))
    m.prismatic("guide", m.ground, top, along=(0, 1))
    for name, x in (("left", -1.0), ("right", 1.0)):
        m.spring(name, m.ground.point(x, 0), top.point(0, 0), stiffness=100.0, free_length=math.hypot(1, 0.5))
    m.force("load", top, (0, -load))
    return m


def test_folds_of_a_snapping_roof():
    """P(y) = 2 k y (l0/sqrt(1 + y^2) - 1) has its extremes where 1 + y^2 = l0^(2/3)."""
    branches = da.equilibrium(truss(), along="P", between=(-6.0, 6.0))
    y = math.sqrt(math.hypot(1, 0.5) ** (2 / 3) - 1)
    peak = 200.0 * y * (math.hypot(1, 0.5) / math.sqrt(1 + y * y) - 1)
    assert sorted(f.value for f in branches.folds) == pytest.approx([-peak, peak], rel=1e-9)
    assert sorted(f.equilibrium.state.q[1] for f in branches.folds) == pytest.approx([-y, y], rel=1e-6)
    assert not branches.branch_points
    (branch,) = branches
    parts = [v for v in branch.verdicts if v != "degenerate"]
    assert [a for a, b in zip(parts, [*parts[1:], ""]) if a != b] == ["stable", "unstable", "stable"]
    for value, height in zip(branch.values, branch.coordinate("guide.slide") + 0.5):
        exact = 200.0 * height * (math.hypot(1, 0.5) / math.sqrt(1 + height**2) - 1)
        assert exact == pytest.approx(value, abs=1e-8)


def test_a_parameter_that_changes_lengths():
    """Pendulum of length r with a torsion spring: the angle with k a = m g r/2 cos(a) for every r on the branch."""
    m = da.Mechanism("pendulum", gravity=(0, -G))
    r = m.parameter("r", 0.5, "m")
    body = m.body("bar", da.rod(length=r, mass=1.0), at=(r / 2, 0))
    m.revolute("A", m.ground, body, at=(0, 0))
    m.torsion_spring("k", m["A"].angle, stiffness=8.0)
    branches = da.equilibrium(m, along="r", between=(0.5, 1.5))
    (branch,) = branches
    for value, angle in zip(branch.values, branch.coordinate("A.angle")):
        assert 8.0 * angle + G * value / 2 * math.cos(angle) == pytest.approx(0.0, abs=1e-9)
    # the reactions belong to the value of the parameter there
    last = branch.equilibria[-1]
    assert last.reactions["A"].force == pytest.approx([0.0, G], abs=1e-9)
    assert m.parameters["r"] == 0.5


def test_a_range_that_ends_where_the_model_does():
    """Torsion spring from 0: it may not be negative.  Two of the three equilibria meet where phi sin(phi) + cos(phi) = 0."""
    m = da.Mechanism("pendulum", gravity=(0, -G))
    k = m.parameter("k", 1.0)
    body = m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute("A", m.ground, body, at=(0, 0))
    m.torsion_spring("spring", m["A"].angle, stiffness=k)
    branches = da.equilibrium(m, along="k", between=(0.0, 10.0))
    assert {branch.ended for branch in branches} == {"range"}
    phi = 2.7983860457838871  # by Newton's method on the condition above
    assert phi * math.sin(phi) + math.cos(phi) == pytest.approx(0.0, abs=1e-12)
    assert [fold.value for fold in branches.folds] == pytest.approx([G / 2 * math.sin(phi)], rel=1e-8)
    for branch in branches:
        for value, angle in zip(branch.values, branch.coordinate("A.angle")):
            assert value * angle + G / 2 * math.cos(angle) == pytest.approx(0.0, abs=1e-9)


# -- refusals ------------------------------------------------------------------------------------------------------------------


def shaft(torque=0.0):
    m = da.Mechanism("shaft")
    body = m.body("rotor", mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, body, at=(0, 0))
    if torque:
        m.torque("motor", body, torque)
    return m


def refused(kind, text, *args, **options):
    with pytest.raises(kind, match=text) as error:
        da.equilibrium(*args, **options)
    parts = (error.value.asked, error.value.found, error.value.why, error.value.do)
    assert all(isinstance(part, str) and part for part in parts)


def test_nothing_free():
    m = shaft()
    m.drive("hold", m["A"].angle, 0.3)
    refused(da.ModelError, "nothing can move", m)


def test_a_driver_under_way():
    m = fb4()
    m.spring("s", m.ground.point(0, 3), m["rocker"].point(0, 0), stiffness=1.0)
    m.drive("motor", m["A"].angle, "2*t")
    refused(da.MethodError, "rates that do not fit: 'motor' by 2 rad/s", m)


def test_no_equilibrium():
    refused(da.ConvergenceError, "no equilibrium was found", shaft(torque=2.0))


def test_everything_balanced_is_degenerate():
    (e,) = da.equilibrium(shaft())
    assert e.verdict == "degenerate" and e.eigenvalues == pytest.approx([0.0], abs=1e-12)


@pytest.mark.parametrize(
    "options, text",
    [
        ({"method": "enrgy"}, "did you mean 'energy'"),
        ({"starts": 0}, "starts = 0"),
        ({"turns": -1}, "turns = -1"),
        ({"seed": 0.5}, "seed = 0.5"),
        ({"t": float("nan")}, "t = nan"),
        ({"along": "r"}, "along without between"),
        ({"between": (0, 1)}, "between without along"),
        ({"along": "r", "between": (0, 1)}, "not a parameter"),
        ({"spinning": 3.0}, "a pair is needed"),
        ({"spinning": ("A.angle", 3.0)}, "gravity has the part 9.81"),
        ({"start": "here"}, "a State is needed"),
        ({"method_": 1}, "unknown argument"),
    ],
)
def test_bad_options(options, text):
    refused(da.DalembertError, text, pendulum(), **options)


def test_bad_ranges():
    refused(da.MethodError, "a State is needed", truss(), along="P", between=(0.0, 1.0), start="here")
    refused(da.MethodError, "two different finite numbers", truss(), along="P", between=(1.0, 1.0))
    refused(da.MethodError, "two different finite numbers", truss(), along="P", between=(0.0, float("inf")))


def test_no_mechanism():
    refused(da.MethodError, "a Mechanism is needed", "pendulum")


def test_a_turn_that_joints_resist():
    """FB4 in space cannot turn as a whole about its crank pin."""
    m = fb4(False, gravity=False)
    refused(da.MethodError, "rates that do not fit", m, spinning=(m["A"].angle, 3.0))


def test_a_turn_at_another_rate_than_the_driver():
    m, _ = bead(8.0, driven=True)
    refused(da.MethodError, "'motor' by 1 rad/s", m, spinning=(m["axle"].angle, 7.0))


def test_a_turn_past_a_fixed_spring():
    """A spring from the ground to the bead pulls differently in every position of the hoop."""
    m, rate = bead(8.0)
    m.spring("s", m.ground.point(1, 0, 0), m["bead"].point(0, 0, 0), stiffness=1.0)
    refused(da.MethodError, "turned by 1 rad about the axis", m, spinning=(m["axle"].angle, rate))


# -- random mechanisms ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(0, share(40, 9), 3))
def test_random_mechanisms(seed):
    """Whatever is found balances: J^T lam = Q, no accelerations from rest, and `linearize` sees the same stiffness.

    Many random mechanisms have none, because something falls or is driven; then the error says so.
    """
    from tests.identities.random_mechanisms import build, draw

    m = build(draw(seed))
    try:
        found = da.equilibrium(m, starts=2)
    except da.DalembertError as error:
        assert isinstance(error, da.ConvergenceError | da.MethodError | da.ModelError)
        assert (
            "no equilibrium" in error.found
            or "rates that do not fit" in error.found
            or "nothing can move" in error.found
        )
        return
    for e in found:
        made = da.equations(m, e.state)
        size = max(1.0, float(np.abs(made.Q).max()))
        assert made.jac.T @ e.multipliers == pytest.approx(made.Q, abs=1e-8 * size)
        assert np.abs(made.phi).max(initial=0.0) < 1e-9
        assert np.abs(made.a).max() < 1e-5 * size
        if np.iscomplexobj(e.eigenvalues):
            continue
        small = da.linearize(m, e)
        values = np.sort(np.linalg.eigvals(np.linalg.solve(small.M, small.K)).real)
        assert values == pytest.approx(np.sort(e.eigenvalues), abs=1e-5 * np.abs(e.eigenvalues).max())


def test_values_of_measures():
    hanging = da.equilibrium(pendulum())[0]
    assert hanging["A.angle"] == pytest.approx(-math.pi / 2, abs=1e-12)
    assert hanging["bar.y"] == pytest.approx(-0.5, abs=1e-12)
    with pytest.raises(da.DalembertError, match="B.angle"):
        hanging["B.angle"]


def test_a_mechanism_seen_before_is_not_compiled_again(monkeypatch):
    """The second search finds its arrays and its assembled start, bit by bit the same; a change of the mechanism, or of a parameter, is seen."""
    from dalembert.system import known

    compiled, compile_ = [], known.compile

    def counted(*args, **options):
        compiled.append(1)
        return compile_(*args, **options)

    monkeypatch.setattr(known, "compile", counted)
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    m.parameter("k", 100.0)
    rod = m.body("rod", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute("A", m.ground, rod, at=(0, 0))
    m.torsion_spring("coil", m["A"], stiffness="k")
    first = da.equilibrium(m)
    assert len(compiled) == 1
    again = da.equilibrium(m)
    assert len(compiled) == 1
    assert [e.state.q.tolist() for e in first] == [e.state.q.tolist() for e in again]
    # k a + m g l/2 cos(a) = 0 in every pose of rest; then with a push at the mass centre besides
    for k, push in ((100.0, 0.0), (200.0, 0.0), (200.0, 20.0)):
        m.set_parameter("k", k)
        if push:
            m.force("push", rod, (0, -push))
        angle = da.equilibrium(m)[0]["A.angle"]
        assert k * angle + 0.5 * (9.81 + push) * math.cos(angle) == pytest.approx(0.0, abs=1e-10)
