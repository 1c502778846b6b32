"""equilibrium of Lagrangian systems: closed forms, the same machines as mechanisms, steady motions, refusals.

Tolerances: places are roots to rounding of exact derivatives (1e-10 absolute); eigenvalues then to 1e-10 relative.  Mechanisms take their
stiffness from differences, good to about 1e-10 of the largest entry: compared to 1e-9 relative.
"""

import math

import numpy as np
import pytest
from analyses.machines import PIN, bar, fb4
from scipy.optimize import brentq

import dalembert as da

from .machines import G, double_pendulum, pendulum, sleigh, slider_crank, slider_crank_of_joints

BAR = 10.0 * G * 0.5 / (10.0 / 3.0 + 10.0 * 0.01 / 12.0)


# -- one free motion ---------------------------------------------------------------------------------------------------------


def hinged_bar():
    """Bar of 1 m and 10 kg, section 0.1 m, in coordinates of its centre with the pin as two rows."""
    m = da.Lagrangian(
        "x y phi", holonomic={"px": "x - 0.5*sin(phi)", "py": "y + 0.5*cos(phi)"}, gravity=(0, -G), name="bar"
    )
    m.body("bar", 10.0, bar(1.0, True)["inertia"], at=("x", "y"), angle="phi")
    m.guess("y", -0.5)
    return m


def test_bar_pendulum():
    assert pytest.approx(14.678304239, abs=1e-9) == BAR
    found = da.equilibrium(hinged_bar())
    assert [e.verdict for e in found] == ["stable", "unstable"]
    assert [float(e.eigenvalues[0]) for e in found] == pytest.approx([BAR, -BAR], rel=1e-12)
    assert [e["phi"] for e in found] == pytest.approx([0.0, math.pi], abs=1e-12)
    assert found[0].energy == pytest.approx(-49.05, rel=1e-14)
    # the pin carries the weight, and only that
    assert found[0].reactions["py"].force == pytest.approx([0.0, 98.1, 0.0], abs=1e-10)
    assert found[0].reactions["px"].force == pytest.approx([0.0, 0.0, 0.0], abs=1e-10)
    assert found[0].multipliers == pytest.approx([0.0, -98.1], abs=1e-10)
    assert "14.6783" in str(found) and "phi" in str(found) and "stable" in repr(found[0])


def torsion_pendulum(k, phi0):
    """P7: half length l."""
    return da.Lagrangian(
        "phi", kinetic="2*m*l**2*rate(phi)**2/3", potential="m*g*l*sin(phi) + k*(phi - phi0)**2/2",
        parameters={"m": 2.0, "l": 0.5, "g": G, "k": k, "phi0": phi0}, name="pendulum with a torsion spring",
    )  # fmt: skip


@pytest.mark.parametrize(
    "k, phi0, count",
    [
        (5.0, 0.3, 1),
        (1.0, 0.3, 2),
        (1.0, 2.5, 2),
        (3.25, 0.0, 3),
        (4.0, math.pi / 2, 2),
        (20.0, -1.0, 1),
        (0.2, 0.0, 2),
    ],
)
def test_p7_all_equilibria_of_a_turn(k, phi0, count):
    """k (phi - phi0) + m g l cos(phi) = 0, stable exactly where k > m g l sin(phi)."""
    balance = lambda phi: k * (phi - phi0) + G * math.cos(phi)  # noqa: E731
    grid = np.linspace(-math.pi, math.pi, 4001)
    expected = [brentq(balance, a, b, xtol=1e-14) for a, b in zip(grid, grid[1:]) if balance(a) * balance(b) < 0.0]
    assert len(expected) == count
    found = da.equilibrium(torsion_pendulum(k, phi0))
    assert sorted(e["phi"] for e in found) == pytest.approx(expected, abs=1e-11)
    for e in found:
        stiffness = k - G * math.sin(e["phi"])
        assert e.verdict == ("stable" if stiffness > 0.0 else "unstable")
        assert e.eigenvalues == pytest.approx([stiffness / (4 * 2.0 * 0.25 / 3)], rel=1e-10)
        assert e.energy == pytest.approx(0.5 * k * (e["phi"] - phi0) ** 2 + G * math.sin(e["phi"]), rel=1e-12)


def test_more_turns():
    """A weak spring holds in several turns: all roots of k phi + m g l cos(phi) in two turns to either side."""
    k = 0.5
    balance = lambda phi: k * phi + G * math.cos(phi)  # noqa: E731
    grid = np.linspace(-4 * math.pi, 4 * math.pi, 20001)
    expected = [brentq(balance, a, b, xtol=1e-14) for a, b in zip(grid, grid[1:]) if balance(a) * balance(b) < 0.0]
    found = da.equilibrium(torsion_pendulum(k, 0.0), turns=4)
    assert sorted(e["phi"] for e in found) == pytest.approx(expected, abs=1e-11)


def test_energy_decides_where_the_stiffness_vanishes():
    """phi = pi/2 with k = m g l: V grows with the fourth power."""
    (flat,) = da.equilibrium(torsion_pendulum(G, math.pi / 2))
    assert flat.verdict == "stable" and "|s|^4" in flat.reason and flat["phi"] == pytest.approx(math.pi / 2, abs=1e-4)


def test_far_away():
    """x = m g/k is far from the start; a quartic well has two sides."""
    soft = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="k*x**2/2 - g*x", parameters={"k": 0.02, "g": G})
    (e,) = da.equilibrium(soft)
    assert e["x"] == pytest.approx(G / 0.02, rel=1e-12) and e.eigenvalues == pytest.approx([0.02], rel=1e-10)
    well = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="(x**2 - a**2)**2", parameters={"a": 3.0})
    found = da.equilibrium(well)
    assert [e.verdict for e in found] == ["stable", "stable", "unstable"]
    assert [e["x"] for e in found] == pytest.approx([-3.0, 3.0, 0.0], abs=1e-10)
    # V'' = 12 x^2 - 4 a^2
    assert [float(e.eigenvalues[0]) for e in found] == pytest.approx([72.0, 72.0, -36.0], rel=1e-10)


def four_bar_with_spring(damping=0.0):
    """A07: links of 1 m, bars of 1 kg, spring of 25 N/m and sqrt(2) m from the left pin to the joint of coupler and right link."""
    m = da.Lagrangian(
        "a b c",
        holonomic={"x": "cos(a) + cos(b) - cos(c) - 1", "y": "sin(a) + sin(b) - sin(c)"},
        potential="k*(sqrt((1 + cos(c))**2 + sin(c)**2) - l0)**2/2",
        dissipation="d*(sin(c)*rate(c))**2/((1 + cos(c))**2 + sin(c)**2)/2",
        gravity=(0, -G),
        parameters={"k": 25.0, "l0": math.sqrt(2.0), "d": damping},
        name="four-bar",
    )
    m.body("left", 1.0, 1 / 12, at=("cos(a)/2", "sin(a)/2"), angle="a")
    m.body("coupler", 1.0, 1 / 12, at=("cos(a) + cos(b)/2", "sin(a) + sin(b)/2"), angle="b")
    m.body("right", 1.0, 1 / 12, at=("1 + cos(c)/2", "sin(c)/2"), angle="c")
    m.start("c", 2.0)
    m.guess("a", 2.0)
    return m


def test_a07():
    """BENCHMARKS A07, exact values; the spring only pulls the parallelogram, which has two more equilibria."""
    found = da.equilibrium(four_bar_with_spring())
    assert [e.verdict for e in found] == ["stable", "stable", "unstable"]
    assert found[0]["c"] == pytest.approx(2.234331019017586, abs=1e-12)
    assert found[0].eigenvalues == pytest.approx([2.147676638502278**2], rel=1e-11)


def lagrangian_fb4():
    """FB4 with three angles and the loop as two rows."""
    m = da.Lagrangian(
        "a b c", holonomic={"x": "cos(a) + 4*cos(b) - 3*cos(c) - 4", "y": "sin(a) + 4*sin(b) - 3*sin(c)"}, gravity=(0, -G), name="FB4",
    )  # fmt: skip
    for name, at, length, angle in (
        ("crank", ("cos(a)/2", "sin(a)/2"), 1.0, "a"),
        ("coupler", ("cos(a) + 2*cos(b)", "sin(a) + 2*sin(b)"), 4.0, "b"),
        ("rocker", ("4 + 1.5*cos(c)", "1.5*sin(c)"), 3.0, "c"),
    ):
        m.body(name, **bar(length, True), at=at, angle=angle)
    m.start("a", math.pi / 2)
    m.guess("b", math.atan2(PIN[1] - 1.0, PIN[0]))
    m.guess("c", math.atan2(PIN[1], PIN[0] - 4.0))
    return m


def test_fb4_as_a_mechanism():
    """Places, energies, eigenvalues and loads of the joints agree; the branch of the drawing is kept."""
    found, other = da.equilibrium(lagrangian_fb4()), da.equilibrium(fb4())
    assert [e.verdict for e in found] == [e.verdict for e in other] == ["stable", "unstable"]
    for e, o in zip(found, other):
        angles = np.array([e["a"], e["b"], e["c"]])
        assert np.exp(1j * angles) == pytest.approx(np.exp(1j * o.state.q[2::3]), abs=1e-9)
        assert e.energy == pytest.approx(o.energy, rel=1e-10)
        assert e.eigenvalues == pytest.approx(o.eigenvalues, rel=1e-9)
        # the rows close the loop between coupler and rocker: -lam is the force on the coupler there, minus that on the rocker
        assert o.reactions["C"].force == pytest.approx(e.multipliers, rel=1e-8)


def test_slider_crank_as_a_mechanism():
    m, other = slider_crank(), slider_crank_of_joints()
    m.start("th", 0.4)
    found = da.equilibrium(m)
    wanted = da.equilibrium(other)
    assert [e.verdict for e in found] == [e.verdict for e in wanted] == ["stable", "unstable"]
    for e, o in zip(found, wanted):
        assert e["x"] == pytest.approx(o.state.q[6], abs=1e-9)
        assert e.energy == pytest.approx(o.energy, rel=1e-9)
        assert e.eigenvalues == pytest.approx(o.eigenvalues, rel=1e-9)


# -- several free motions ----------------------------------------------------------------------------------------------------

M1, M2, L1, L2 = 2.0, 3.0, 0.5, 0.4


def pulled_double_pendulum(force):
    """P8: half lengths L1, L2, horizontal force at the tip."""
    m = da.Lagrangian("a b", gravity=(0, -G), parameters={"F": force, "l1": L1, "l2": L2}, name="double pendulum")
    m.body("one", M1, M1 * L1**2 / 3, at=("l1*cos(a)", "l1*sin(a)"), angle="a")
    m.body("two", M2, M2 * L2**2 / 3, at=("2*l1*cos(a) + l2*cos(b)", "2*l1*sin(a) + l2*sin(b)"), angle="b")
    m.force("tip", "two", ("F", 0), at=("l2", 0))
    return m


@pytest.mark.parametrize("force", [7.0, -7.0, 40.0, 0.5])
def test_p8_four_equilibria(force):
    found = da.equilibrium(pulled_double_pendulum(force))
    stable = np.array([math.atan2(-(M1 + 2 * M2) * G, 2 * force), math.atan2(-M2 * G, 2 * force)])
    assert [e.verdict for e in found] == ["stable", "unstable", "unstable", "unstable"]
    assert found[0].state.q == pytest.approx(stable, abs=1e-12)
    turned = {tuple(np.cos(e.state.q - stable).round(12)) for e in found}
    assert turned == {(1, 1), (1, -1), (-1, 1), (-1, -1)}
    a1, a2 = L1 * math.hypot((M1 + 2 * M2) * G, 2 * force), L2 * math.hypot(M2 * G, 2 * force)
    coupling = 2 * M2 * L1 * L2 * math.cos(stable[0] - stable[1])
    mass = np.array([[4 * M1 * L1**2 / 3 + 4 * M2 * L1**2, coupling], [coupling, 4 * M2 * L2**2 / 3]])
    assert found[0].M == pytest.approx(mass, rel=1e-12)
    assert found[0].K == pytest.approx(np.diag([a1, a2]), rel=1e-11, abs=1e-11)
    assert found[0].eigenvalues == pytest.approx(
        np.sort(np.linalg.eigvals(np.linalg.solve(mass, found[0].K))), rel=1e-11
    )
    assert found[0].energy == pytest.approx(-a1 - a2, rel=1e-13)


def test_method_force_and_energy():
    """The same tip force as a potential: the same equilibria and energy; a force that turns with the bar has none."""
    m = pulled_double_pendulum(7.0)
    other = da.Lagrangian(
        "a b", gravity=(0, -G), potential="-F*(2*l1*cos(a) + 2*l2*cos(b))", parameters={"F": 7.0, "l1": L1, "l2": L2}
    )
    for name, part in m.parts.items():
        other.body(name, part.mass, part.inertia, at=part.position, rotation=part.rotation)
    by_energy = da.equilibrium(other, method="energy")
    assert by_energy[0].state.q == pytest.approx(da.equilibrium(m, method="force")[0].state.q, abs=1e-12)
    energy = L1 * math.hypot((M1 + 2 * M2) * G, 14.0) + L2 * math.hypot(M2 * G, 14.0)
    assert by_energy[0].energy == pytest.approx(-energy, rel=1e-13)
    assert da.equilibrium(m, method="energy")[0].energy == pytest.approx(-energy, rel=1e-13)
    m.force("jet", "two", (0, 1.0), local=True)
    refused(da.MethodError, "load 'jet'", m, method="energy")
    assert math.isnan(da.equilibrium(m)[0].energy)
    weight = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="k*x**2/2", forces={"x": 3.0}, parameters={"k": 2.0})
    assert da.equilibrium(weight)[0].energy == pytest.approx(-9.0 / 4.0)
    swirl = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2", potential="x**2 + y**2", forces={"x": "0.1*y"})
    refused(da.MethodError, "force on 'x'", swirl, method="energy")


def test_geometric_stiffness():
    """Point on a circle in x, y: V is linear, so that all stiffness is that of the multiplier; K = m g l about phi, m g/l in x."""
    m = da.Lagrangian(
        "x y", kinetic="m*(rate(x)**2 + rate(y)**2)/2", potential="m*g*y", parameters={"m": 2.0, "l": 0.5, "g": G},
        holonomic={"rod": "x**2 + y**2 - l**2"},
    )  # fmt: skip
    m.start("x", 0.3)
    m.guess("y", -0.4)
    low, high = da.equilibrium(m)
    assert low.state.q == pytest.approx([0.0, -0.5], abs=1e-12) and high.state.q == pytest.approx([0.0, 0.5], abs=1e-12)
    assert low.eigenvalues == pytest.approx([G / 0.5], rel=1e-12)
    assert high.eigenvalues == pytest.approx([-G / 0.5], rel=1e-12)
    # m g = -J^T lam, J = 2 y
    assert low.multipliers == pytest.approx([2.0 * G * 1.0], rel=1e-12)


def test_neutral_motion_is_one_family():
    """A ball pendulum in x, y, z may turn about the vertical; a bead on a level wire rests everywhere."""
    wire = da.Lagrangian("x", kinetic="rate(x)**2/2")
    (e,) = da.equilibrium(wire)
    assert e.verdict == "degenerate" and e.eigenvalues == pytest.approx([0.0], abs=1e-15)
    m = da.Lagrangian(
        "a b s", kinetic="(rate(a)**2 + rate(b)**2 + rate(s)**2)/2", potential="(a - b)**2 - cos(a)*cos(b)"
    )
    assert {e.verdict for e in da.equilibrium(m)} == {"degenerate", "unstable"}


def test_redundant_rows():
    m = hinged_bar()
    m.constraint("again", "2*x - sin(phi)")
    found = da.equilibrium(m)
    assert [float(e.eigenvalues[0]) for e in found] == pytest.approx([BAR, -BAR], rel=1e-12)
    assert found[0].reactions.dependent == 1


# -- forces without potential ------------------------------------------------------------------------------------------------


def follower_column(p, damping=0.0):
    """Ziegler's column: two equal links of 1 m, masses 2 and 1 kg at their ends, springs of 1 N m, follower force p."""
    return da.Lagrangian(
        "a b",
        kinetic="(3*rate(a)**2 + rate(b)**2 + 2*rate(a)*rate(b)*cos(a - b))/2",
        potential="(a**2 + (b - a)**2)/2",
        dissipation="d*(rate(a)**2 + (rate(b) - rate(a))**2)/2",
        forces={"a": "p*sin(a - b)"},
        parameters={"p": p, "d": damping},
        name="column",
    )


def test_flutter_of_zieglers_column():
    """M = [[3, 1], [1, 1]], K = [[2 - p, p - 1], [-1, 1]]: 2 s^4 + (7 - 2 p) s^2 + 1 = 0, so flutter from p = 7/2 - sqrt(2)."""
    critical = 3.5 - math.sqrt(2.0)
    for p, verdict in ((critical - 1e-3, "stable"), (critical + 1e-3, "unstable")):
        (e,) = [x for x in da.equilibrium(follower_column(p)) if np.max(np.abs(x.state.q)) < 1e-6]
        assert e.verdict == verdict
        assert np.prod(e.eigenvalues) == pytest.approx(0.5, rel=1e-9)
        assert np.sum(e.eigenvalues) == pytest.approx(3.5 - p, rel=1e-9)
        assert math.isnan(e.energy)


def test_damping_takes_part_where_forces_have_no_potential():
    """Ziegler's paradox: a little damping lowers the critical force, here to 41/28 (equal dampers)."""
    for p, verdict in ((41 / 28 - 0.01, "stable"), (41 / 28 + 0.01, "unstable")):
        (e,) = [x for x in da.equilibrium(follower_column(p, 1e-3)) if np.max(np.abs(x.state.q)) < 1e-6]
        assert e.verdict == verdict


def test_forces_that_feed_motion():
    """Van der Pol: the spring holds x = 0, but the force along the rate drives it away."""
    m = da.Lagrangian(
        "x", kinetic="rate(x)**2/2", potential="x**2/2", forces={"x": "mu*(1 - x**2)*rate(x)"}, parameters={"mu": 0.1}
    )
    (e,) = da.equilibrium(m)
    assert e.verdict == "unstable" and e.eigenvalues == pytest.approx([1.0])
    m.parameter("mu", -0.1)
    assert [e.verdict for e in da.equilibrium(m)] == ["stable"]


# -- steady motions ----------------------------------------------------------------------------------------------------------

HOOP = 0.4


def driven_bead(omega):
    """Bead of 0.3 kg on a hoop that turns by omega t about its vertical diameter."""
    m = da.Lagrangian("theta", gravity=(0, 0, -G), parameters={"R": HOOP, "omega": omega}, name="bead")
    m.particle("bead", 0.3, ("R*sin(theta)*cos(omega*t)", "R*sin(theta)*sin(omega*t)", "-R*cos(theta)"))
    return m


def free_bead(omega):
    """The same with the angle of the hoop as a coordinate."""
    m = da.Lagrangian(
        "theta psi",
        kinetic="0.2*rate(psi)**2/2",
        gravity=(0, 0, -G),
        parameters={"R": HOOP, "omega": omega},
        name="bead",
    )
    m.particle("bead", 0.3, ("R*sin(theta)*cos(psi)", "R*sin(theta)*sin(psi)", "-R*cos(theta)"))
    return m


@pytest.mark.parametrize("make, options", [(driven_bead, {}), (free_bead, {"spinning": ("psi", "omega")})])
def test_bead_on_a_hoop(make, options):
    """V - omega^2 I/2: cos(theta) = g/(omega^2 R), K/M = omega^2 sin(theta)^2; below sqrt(g/R) only the lowest point."""
    found = da.equilibrium(make(8.0), **options)
    theta = math.acos(G / (64.0 * HOOP))
    assert [e.verdict for e in found] == ["stable", "stable", "unstable", "unstable"]
    assert sorted(e["theta"] for e in found[:2]) == pytest.approx([-theta, theta], abs=1e-12)
    for e in found[:2]:
        assert e.eigenvalues == pytest.approx([64.0 * math.sin(theta) ** 2], rel=1e-11)
    run = da.simulate(found[0]._model, until=0.5, start=found[0].state)
    assert run["theta"][-1] == pytest.approx(found[0]["theta"], abs=1e-8)
    assert [e.verdict for e in da.equilibrium(make(3.0), **options)] == ["stable", "unstable"]


@pytest.mark.parametrize("make, options", [(driven_bead, {}), (free_bead, {"spinning": ("psi", "omega")})])
def test_pitchfork_of_the_bead(make, options):
    """The lowest point loses its stability at sqrt(g/R)."""

    def stiffness(omega):
        (e,) = [x for x in da.equilibrium(make(omega), **options) if abs(x["theta"]) < 1e-9]
        return float(e.eigenvalues[0])

    assert brentq(stiffness, 4.0, 6.0, xtol=1e-9) == pytest.approx(math.sqrt(G / HOOP), abs=1e-6)


def shaft(omega):
    """Bar of 1 m hinged on the axis of a shaft that turns about the vertical."""
    along, across, _ = bar(1.0, False)["inertia"]
    m = da.Lagrangian(
        "psi theta", kinetic="0.1*rate(psi)**2/2", gravity=(0, 0, -G), parameters={"omega": omega}, name="shaft"
    )
    m.body(
        "bar", 10.0, (across, across, along), at=("0.5*sin(theta)*cos(psi)", "0.5*sin(theta)*sin(psi)", "-0.5*cos(theta)"),
        turns=[("z", "psi"), ("y", "-theta")],
    )  # fmt: skip
    return m


def test_pitchfork_of_a_pendulum_on_a_spinning_shaft():
    """K = m g a/2 - omega^2 (m a^2/4 + J_across - J_along) at the lowest point."""
    along, across, _ = bar(1.0, False)["inertia"]

    def stiffness(omega):
        (e,) = [x for x in da.equilibrium(shaft(omega), spinning=("psi", omega)) if abs(x["theta"]) < 1e-9]
        return float(e.eigenvalues[0])

    critical = math.sqrt(10 * G * 0.5 / (10 * 0.25 + across - along))
    assert brentq(stiffness, 3.0, 4.5, xtol=1e-9) == pytest.approx(critical, abs=1e-6)


def top(rate=0.0):
    """D03: sleeping top with tilts about x and y and the spin."""
    m = da.Lagrangian("alpha beta psi", gravity=(0, 0, -G), parameters={"h": 0.04}, name="top")
    m.body(
        "top", 0.01, (3e-4, 3e-4, 4e-4), at=("h*sin(beta)", "-h*sin(alpha)*cos(beta)", "h*cos(alpha)*cos(beta)"),
        turns=[("x", "alpha"), ("y", "beta"), ("z", "psi")],
    )  # fmt: skip
    m.start("psi", rate=rate)
    return m


def test_d03_sleeping_top():
    """Gyroscopic terms hold a negative stiffness above 5.567728441653742 rad/s; where the angles fail, nothing is claimed."""
    for omega, verdict in ((5.5677, "unstable"), (5.5678, "stable")):
        found = da.equilibrium(top(), spinning=("psi", omega))
        (upright,) = [e for e in found if np.max(np.abs(e.state.q)) < 1e-9]
        assert upright.verdict == verdict and np.max(upright.eigenvalues) < 0.0
        assert upright.state.v == pytest.approx([0.0, 0.0, omega])
        # axis level: a pole of these angles, where force balance in them means nothing
        assert all(abs(abs(e["beta"]) - math.pi / 2) > 0.1 for e in found)


def test_a_pole_of_angles_is_not_judged():
    """Spherical pendulum: at its lowest point the angle phi has no inertia; spinning, it stands off with cos(theta) = g/w^2."""
    m = da.Lagrangian(
        "theta phi", kinetic="(rate(theta)**2 + sin(theta)**2*rate(phi)**2)/2", potential="-9.81*cos(theta)"
    )
    m.start("theta", 0.4)
    found = da.equilibrium(m)
    assert len(found) == 0 and sorted(abs(math.cos(s.q[0])) for s in found.singular) == pytest.approx([1.0, 1.0])
    assert "not judged" in str(found)
    steady = da.equilibrium(m, spinning=("phi", 5.0))
    assert [e.verdict for e in steady] == ["stable", "stable"]
    assert math.cos(steady[0]["theta"]) == pytest.approx(G / 25.0, rel=1e-12)


def test_a_kink_is_not_judged():
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="abs(x - 1)")
    m.start("x", 1.0)
    found = da.equilibrium(m)
    assert len(found) == 0 and [s.q[0] for s in found.singular] == pytest.approx([1.0])


# -- along a parameter -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make, options", [(driven_bead, {}), (free_bead, {"spinning": ("psi", "omega")})])
@pytest.mark.parametrize("between", [(4.5, 5.5), (5.5, 4.5)], ids=["up", "down"])
def test_branches_of_the_bead(make, options, between):
    """The arms leave the lowest point at sqrt(g/R): cos(theta) = g/(omega^2 R), both signs."""
    branches = da.equilibrium(make(3.0), along="omega", between=between, **options)
    (point,) = branches.branch_points
    assert point.value == pytest.approx(math.sqrt(G / HOOP), abs=1e-9) and not branches.folds
    signs = set()
    for arm in (b for b in branches if np.ptp(b.values) < 0.9):
        for value, e in zip(arm.values, arm.equilibria):
            assert math.cos(e["theta"]) == pytest.approx(G / (value**2 * HOOP), abs=1e-9)
            signs.add(int(np.sign(round(e["theta"], 2))))
        assert set(arm.verdicts) <= {"stable", "degenerate"}
    assert signs >= {-1, 1}


def test_folds_of_a_snapping_roof():
    """P(y) = 2 k y (l0/sqrt(1 + y^2) - 1) has its extremes where 1 + y^2 = l0^(2/3); the same in x, y with a row as guide."""
    l0 = math.hypot(1.0, 0.5)
    y = math.sqrt(l0 ** (2 / 3) - 1.0)
    load = 200.0 * y * (l0 / math.sqrt(1.0 + y**2) - 1.0)
    one = da.Lagrangian(
        "y", kinetic="rate(y)**2/2", potential="100*(sqrt(1 + y**2) - l0)**2 + P*y", parameters={"P": 0.0, "l0": l0}
    )
    two = da.Lagrangian(
        "x y", kinetic="(rate(x)**2 + rate(y)**2)/2", holonomic={"guide": "x"},
        potential="50*((sqrt((1 + x)**2 + y**2) - l0)**2 + (sqrt((1 - x)**2 + y**2) - l0)**2) + P*y",
        parameters={"P": 0.0, "l0": l0},
    )  # fmt: skip
    for m in (one, two):
        m.start("y", 0.5)
        branches = da.equilibrium(m, along="P", between=(-6.0, 6.0))
        assert sorted(mark.value for mark in branches.folds) == pytest.approx([-load, load], abs=1e-8)
        (branch,) = branches
        assert branch.coordinate("y")[0] * branch.coordinate("y")[-1] < 0.0


def test_a_parameter_that_moves_a_row():
    """A wall that moves drags a lever by a spring without length: x = b, and sin(phi) = b in equilibrium."""
    m = da.Lagrangian(
        "phi x", holonomic={"wall": "x - b"}, potential="k*(x - sin(phi))**2/2", parameters={"b": 0.0, "k": 40.0}
    )
    m.body("bar", 1.0, 0.1, at=("0.5*sin(phi)", "0.5*cos(phi)"), angle="phi")
    m.particle("end", 0.1, ("x", 0))
    m.start("phi", 0.0)
    (branch,) = [b for b in da.equilibrium(m, along="b", between=(0.0, 0.6)) if abs(b.coordinate("phi")[0]) < 1e-9]
    for value, e in zip(branch.values, branch.equilibria):
        assert e["x"] == pytest.approx(value, abs=1e-12) and math.sin(e["phi"]) == pytest.approx(value, abs=1e-9)


def test_no_branches_with_rate_rows():
    refused(da.MethodError, "with rate rows", sleigh(), along="m", between=(1.0, 2.0))


# -- rate rows ---------------------------------------------------------------------------------------------------------------


def test_knife_edge_on_a_slope():
    """A blade along the level line of a slope holds: the edge carries m g sin(slope); other headings slide."""
    m = da.Lagrangian(
        "x y phi", kinetic="m*(rate(x)**2 + rate(y)**2)/2 + J*rate(phi)**2/2", potential="m*g*y*sin(slope) + c*phi**2/2",
        parameters={"m": 1.2, "J": 0.5, "g": G, "slope": 0.3, "c": 2.0},
        nonholonomic={"blade": "cos(phi)*rate(y) - sin(phi)*rate(x)"}, name="blade",
    )  # fmt: skip
    (e,) = da.equilibrium(m)
    assert e["phi"] == pytest.approx(0.0, abs=1e-12)
    assert e.reactions["blade"].force == pytest.approx([0.0, 1.2 * G * math.sin(0.3), 0.0], abs=1e-11)
    # it may glide along the level line, and turning there costs c only
    assert e.verdict == "degenerate" and np.max(np.abs(e.eigenvalues)) == pytest.approx(2.0 / 0.5, rel=1e-10)


def test_a_sleigh_rests_anywhere():
    (e,) = da.equilibrium(sleigh())
    assert e.verdict == "degenerate" and e.state.v == pytest.approx([0.0, 0.0, 0.0])


# -- refusals ----------------------------------------------------------------------------------------------------------------


def refused(kind, text, model, **options):
    with pytest.raises(kind, match=text) as caught:
        da.equilibrium(model, **options)
    assert all(part.strip() for part in (caught.value.asked, caught.value.found, caught.value.why, caught.value.do))


def test_nothing_free():
    m = hinged_bar()
    m.constraint("stop", "phi - 0.1")
    refused(da.ModelError, "nothing can move: 3 independent rows", m)


def test_no_equilibrium():
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", forces={"x": "2 + sin(x)"}, name="pushed")
    refused(da.ConvergenceError, "no equilibrium", m)


def test_a_row_under_way():
    refused(da.MethodError, "'motor' is off by 10", slider_crank(drive=10.0))


def test_spinning_that_is_not_steady():
    m = free_bead(3.0)
    refused(da.MethodError, "not a coordinate", m, spinning=("chi", 3.0))
    refused(da.MethodError, "a pair is needed", m, spinning=3.0)
    refused(da.DalembertError, "rate of 'psi'", m, spinning=("psi", "speed"))
    m = da.Lagrangian("a b", kinetic="rate(a)**2 + rate(b)**2 + cos(a)*rate(a)*rate(b)", potential="b**2")
    refused(da.MethodError, "the inertia change", m, spinning=("a", 1.0))
    refused(da.MethodError, "row 'blade' is off by", sleigh(), spinning=("y", 1.0))


@pytest.mark.parametrize(
    "options, text",
    [
        ({"along": "mass", "between": (1.0, 2.0)}, "not a parameter"),
        ({"along": "m", "between": (1.0, 1.0)}, "two different finite numbers"),
        ({"along": "m"}, "along without between"),
        ({"start": "here"}, "a State is needed"),
        ({"start": da.State(0.0, [0.0, 1.0], [0.0, 0.0])}, "1 finite numbers are needed"),
        ({"method": "guess"}, "method = 'guess'"),
        ({"starts": 0}, "starts = 0"),
        ({"turns": -1.0}, "turns = -1"),
        ({"t": math.nan}, "t = nan"),
    ],
)
def test_bad_options(options, text):
    refused(da.MethodError, text, pendulum(), **options)


def test_unknown_names():
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="k*x**2/2")
    refused(da.DalembertError, "the name 'k'", m)
    (e,) = da.equilibrium(da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**2"))
    with pytest.raises(da.DalembertError, match="'z'"):
        e["z"]


def test_start_and_values():
    """From a start that is given; the equilibrium of one search begins another."""
    m = double_pendulum()
    first = da.equilibrium(m)
    assert [e.verdict for e in first] == ["stable", "unstable", "unstable", "unstable"]
    again = da.equilibrium(m, start=first[0], starts=1)
    assert again[0].state.q == pytest.approx([0.0, 0.0], abs=1e-12)
    assert first[0]["l*cos(a) + l*cos(b)"] == pytest.approx(1.4, abs=1e-13)


def test_frozen_time_is_told():
    """A potential that changes with time is judged at one instant, and says so; a bead on a hoop that turns steadily does not change."""
    m = da.Lagrangian("a", kinetic="rate(a)**2/2", potential="-9.81*cos(a)*(1 + 0.5*sin(3*t))", name="shaken")
    assert "time is frozen at t = 0 s" in str(da.equilibrium(m))
    bead = da.Lagrangian("a", gravity=(0, 0, -9.81), parameters={"w": 2.0}, name="bead")
    bead.particle("bead", 1.0, ("sin(a)*cos(w*t)", "sin(a)*sin(w*t)", "-cos(a)"))
    assert "frozen" not in str(da.equilibrium(bead))
