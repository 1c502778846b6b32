"""L6: two wheels (thin disks, mass m, radius a) on a massless axle of length l, rolling on a plane; LAGRANGE 2.6.2.

    2 q1' + a cos q5 (q3' + q4') = 0,   2 q2' - a sin q5 (q3' + q4') = 0,   q5 = (a/l) (q4 - q3)
    T = m a^2/4 [(3 + al^2) q3'^2 - 2 al^2 q3' q4' + (3 + al^2) q4'^2],   al = a/l
    w1 = (3 + al^2) q3' - al^2 q4', w2 = (3 + al^2) q4' - al^2 q3' constant:
    q3' = [(3 + al^2) w1 + al^2 w2]/(3 (3 + 2 al^2)),   q5' = al (w2 - w1)/(3 + 2 al^2)

The wheel rates are constant and the centre goes round a circle of radius (l/2) |(q3' + q4')/(q4' - q3')| = (l/6) (3 + 2 al^2) |(w1 + w2)/(w2 - w1)|.

Two Lagrangian systems: the energy as the source has it, and two bodies in space, whose energy is derived.  q5 turns clockwise, the axle
lies along (sin q5, cos q5), and wheel 1 (spin q3) is at its positive end.  The axle as a mechanism, with two rolling joints, belongs beside
`of_bodies`, into the same tests.
"""

import math

import numpy as np
import pytest
from two_ways import TIGHT, agree

import dalembert as da

M, A, L = 1.1, 0.25, 0.9
AL = A / L
SPINS = (3.0, 5.0)


def rows():
    return {
        "nonholonomic": {
            "roll 1": "2*rate(q1) + a*cos(q5)*(rate(q3) + rate(q4))",
            "roll 2": "2*rate(q2) - a*sin(q5)*(rate(q3) + rate(q4))",
        },
        "holonomic": {"turn": "q5 - a/l*(q4 - q3)"},
        "parameters": {"m": M, "a": A, "l": L},
    }


def started(m):
    m.start("q3", 0.0, rate=SPINS[0])
    m.start("q4", 0.0, rate=SPINS[1])
    return m


def of_energy():
    kinetic = "m*(rate(q1)**2 + rate(q2)**2) + m*(l**2 + a**2)/4*rate(q5)**2 + m*a**2/4*(rate(q3)**2 + rate(q4)**2)"
    return started(da.Lagrangian("q1 q2 q3 q4 q5", kinetic=kinetic, name="axle by energy", **rows()))


def of_bodies():
    m = da.Lagrangian("q1 q2 q3 q4 q5", name="axle of bodies", **rows())
    for name, sign, spin in (("wheel 1", "+", "q3"), ("wheel 2", "-", "q4")):
        at = (f"q1 {sign} l/2*sin(q5)", f"q2 {sign} l/2*cos(q5)", "a")
        m.body(name, "m", ("m*a**2/4", "m*a**2/2", "m*a**2/4"), at=at, turns=[("z", "-q5"), ("y", f"-{spin}")])
    return started(m)


def reduced(v):
    """T of the source, in q3' and q4' alone."""
    return M * A**2 / 4 * ((3 + AL**2) * (v[:, 2] ** 2 + v[:, 3] ** 2) - 2 * AL**2 * v[:, 2] * v[:, 3])


@pytest.mark.parametrize("make", [of_energy, of_bodies])
def test_circle(make):
    """Two turns of the axle: constant rates, circle, and the force that bends the path, 2 m v^2/radius."""
    turning = AL * (SPINS[1] - SPINS[0])
    run = da.simulate(make(), until=4 * math.pi / turning, output=0.5, **TIGHT)
    assert run.audit.degrees_of_freedom == 2
    assert agree(run.v[:, 2:], np.tile([*SPINS, turning], (len(run.t), 1)))
    assert agree(run.energy.kinetic, reduced(run.v))
    # centre: q1' = -a/2 (q3' + q4') cos q5, q2' = a/2 (q3' + q4') sin q5, with q5 = turning t
    speed = A / 2 * (SPINS[0] + SPINS[1])
    radius = L / 2 * abs((SPINS[0] + SPINS[1]) / (SPINS[1] - SPINS[0]))
    q5 = turning * run.t
    assert speed / turning == pytest.approx(radius)
    assert agree(run.q[:, :2], radius * np.column_stack([-np.sin(q5), 1 - np.cos(q5)]))
    # the row has 2 before q1', so the force on the centre is -2 lam
    force = -2 * np.column_stack([run["roll 1"], run["roll 2"]])
    assert agree(force, 2 * M * speed**2 / radius * np.column_stack([np.sin(q5), np.cos(q5)]))
    # the other side of the same row is the torque on the wheels: none in the steady motion, with the row of q5
    assert (
        np.max(np.abs(np.asarray(run.reaction("roll 1")) + run.reaction("roll 2") + run.reaction("turn"))[:, 2:])
        < 1e-10
    )


def test_constants_of_the_source():
    run = da.simulate(of_bodies(), until=3.0, output=0.1, **TIGHT)
    w1, w2 = ((3 + AL**2) * run.v[:, i] - AL**2 * run.v[:, j] for i, j in ((2, 3), (3, 2)))
    assert agree(w1, np.full(len(run.t), w1[0])) and agree(w2, np.full(len(run.t), w2[0]))
    assert agree(((3 + AL**2) * w1 + AL**2 * w2) / (3 * (3 + 2 * AL**2)), run.v[:, 2])
    assert agree(AL * (w2 - w1) / (3 + 2 * AL**2), run.v[:, 4])
    radius = L / 6 * (3 + 2 * AL**2) * np.abs((w1 + w2) / (w2 - w1))
    assert agree(radius, np.full(len(run.t), L / 2 * 4.0))
    # momenta dT/dq3' = m a^2/2 w1: differences of T in steps of 1, exact for a quadratic form
    one, two = np.zeros((1, 5)), np.zeros((1, 5))
    one[0, 2:4], two[0, 2:4] = (SPINS[0] + 1, SPINS[1]), (SPINS[0] - 1, SPINS[1])
    assert (reduced(one) - reduced(two))[0] / 2 == pytest.approx(M * A**2 / 2 * w1[0], rel=1e-12)


def test_reduced_energy_at_random_rates():
    """T of the bodies equals the reduced T at every admissible rate, and not only along one motion."""
    rng = np.random.default_rng(6)
    for _ in range(5):
        m = of_bodies()
        for name, rate in zip(("q3", "q4"), rng.normal(size=2) * 3):
            m.start(name, float(rng.uniform(-2, 2)), rate=float(rate))
        run = da.simulate(m, until=1e-3)
        assert run.energy.kinetic[0] == pytest.approx(reduced(run.v)[0], rel=1e-12)


def test_torque_on_one_wheel_by_the_reduced_equations():
    """With L formed from T before the rows are used: m a^2/2 [(3 + al^2) q3'' - al^2 q4''] = tau, and 0 for the other wheel."""
    tau = 0.6
    m = of_bodies()
    m.couple("motor", "wheel 1", (0, -tau, 0), local=True)
    run = da.simulate(m, until=2.0, output=0.05, **TIGHT)
    left = M * A**2 / 2 * np.array([[3 + AL**2, -(AL**2)], [-(AL**2), 3 + AL**2]])
    turn = np.linalg.solve(left, [tau, 0.0])
    assert agree(run.a[:, 2:4], np.tile(turn, (len(run.t), 1)))
    assert agree(run.v[:, 2:4], SPINS + np.outer(run.t, turn))
