"""L2: differential gear train, LAGRANGE 2.2.1 and 2.3.1.

Two disks A (mass m_A, radius a) turn by th1, th2 about AA' (here z); disk B (m_B, radius b) turns by th3 about its axis OB, which turns by th4 about
AA', its centre at a from it.  Pure rolling at P and Q:

    a (th4' - th1') - b th3' = 0,  a (th4' - th2') + b th3' = 0     ->  th3' = (a/2b) (th2' - th1'),  th4' = (th1' + th2')/2
    (2 m_A a^2 + I_t + m_B a^2/2) th1'' + (I_t - m_B a^2/2) th2'' = 2 (2 tau1 + tau3), and 1 <-> 2,   I_t = m_B (a^2 + b^2/4)

The rows have constant coefficients, so they are holonomic: the mechanism holds them as relations of angles, the Lagrangian system as rates or
as angles.  The tooth forces at P and Q are the multipliers: -lam along the rolling direction on B.  B hangs on a massless carrier: a cross
with one arm along AA' and one along OB; as a Lagrangian system the cross is relaxed by displacements (u, v, w) of its centre and a turn eps across both arms.
The torque tau3 acts on the carrier.  Gravity along -y loads the bearings.
"""

import numpy as np
import pytest
from two_ways import TIGHT, agree

import dalembert as da

MA, MB, A, B, G = 2.0, 1.5, 0.3, 0.1, 9.81
TORQUES = (1.0, -0.4, 0.3)
RATES = (3.0, -1.0)
IT = MB * (A**2 + B**2 / 4)


def as_mechanism():
    m = da.Mechanism("differential", plane=False, gravity=(0, -G, 0))
    upper, lower = (
        m.body(n, mass=MA, inertia=(MA * A**2 / 4, MA * A**2 / 4, MA * A**2 / 2), at=(0, 0, z))
        for n, z in (("upper", B), ("lower", -B))
    )
    planet = m.body("B", mass=MB, inertia=(MB * B**2 / 2, MB * B**2 / 4, MB * B**2 / 4), at=(A, 0, 0))
    one = m.revolute("one", m.ground, upper, at=(0, 0, B), axis="z")
    two = m.revolute("two", m.ground, lower, at=(0, 0, -B), axis="z")
    cross = m.universal("cross", m.ground, planet, at=(0, 0, 0), axes=("z", "x"))
    m.constraint("P", f"{A}*(cross.angle_i - one.angle) - {B}*cross.angle_j")
    m.constraint("Q", f"{A}*(cross.angle_i - two.angle) + {B}*cross.angle_j")
    for name, angle, torque in zip(("tau1", "tau2", "tau3"), (one.angle, two.angle, cross.angle_i), TORQUES):
        m.actuator(name, angle, force=torque)
    m.start(one.angle, value=0.0, rate=RATES[0])
    m.start(two.angle, value=0.0, rate=RATES[1])
    return m


def of_rates():
    """Four angles and the rows of rates that the source has."""
    m = da.Lagrangian(
        "th1 th2 th3 th4",
        kinetic="mA*a**2*(rate(th1)**2 + rate(th2)**2)/4 + mB*b**2*rate(th3)**2/4 + It*rate(th4)**2/2",
        potential="mB*g*a*sin(th4)",
        nonholonomic={"P": "a*(rate(th4) - rate(th1)) - b*rate(th3)", "Q": "a*(rate(th4) - rate(th2)) + b*rate(th3)"},
        forces={"th1": TORQUES[0], "th2": TORQUES[1], "th4": TORQUES[2]},
        parameters={"mA": MA, "mB": MB, "a": A, "b": B, "It": IT, "g": G}, name="rows of rates",
    )  # fmt: skip
    m.start("th1", 0.0, rate=RATES[0])
    m.start("th2", 0.0, rate=RATES[1])
    return m


def of_angles():
    """Bodies, rows of angles, and the cross relaxed."""
    m = da.Lagrangian(
        "th1 th2 th3 th4 u v w eps", gravity=(0, "-g", 0), parameters={"mA": MA, "mB": MB, "a": A, "b": B, "g": G}, name="rows of angles",
        holonomic={"P": "a*(th4 - th1) - b*th3", "Q": "a*(th4 - th2) + b*th3", "x": "u", "y": "v", "z": "w", "across": "eps"},
        forces={"th1": TORQUES[0], "th2": TORQUES[1], "th4": TORQUES[2]},
    )  # fmt: skip
    for name, height, angle in (("upper", "b", "th1"), ("lower", "-b", "th2")):
        m.body(name, "mA", ("mA*a**2/4", "mA*a**2/4", "mA*a**2/2"), at=(0, 0, height), turns=[("z", angle)])
    m.body(
        "B", "mB", ("mB*b**2/2", "mB*b**2/4", "mB*b**2/4"),
        at=("u + a*cos(eps)*cos(th4)", "v + a*cos(eps)*sin(th4)", "w - a*sin(eps)"), turns=[("z", "th4"), ("y", "eps"), ("x", "th3")],
    )  # fmt: skip
    m.start("th1", 0.0, rate=RATES[0])
    m.start("th2", 0.0, rate=RATES[1])
    return m


def test_rows_are_holonomic():
    """Recognised from the rates; two degrees of freedom in both ways."""
    found = da.classify(of_rates())
    assert found.holonomic, found
    assert da.mobility(as_mechanism()).dof == 2
    assert da.simulate(of_angles(), until=0.01).audit.degrees_of_freedom == 2


def test_motion_tooth_forces_and_cross():
    options = {"until": 2.0, "output": 0.02, **TIGHT}
    one, rates, two = (da.simulate(m(), **options) for m in (as_mechanism, of_rates, of_angles))
    angles = np.column_stack([one[n] for n in ("one.angle", "two.angle", "cross.angle_j", "cross.angle_i")])
    assert np.ptp(angles, axis=0).min() > 1.0
    for run in (rates, two):
        assert agree(run.q[:, :4], angles)
        assert agree(run["P"], np.asarray(one["P"].multipliers)[:, 0])
        assert agree(run["Q"], np.asarray(one["Q"].multipliers)[:, 0])
    # th3' and th4' of the source
    v = two.v
    assert agree(A / (2 * B) * (v[:, 1] - v[:, 0]), v[:, 2])
    assert agree((v[:, 0] + v[:, 1]) / 2, v[:, 3])
    # the equations of motion, with the moment of the weight of B on the carrier: tau3 - m_B g a cos th4
    tau3 = TORQUES[2] - MB * G * A * np.cos(two.q[:, 3])
    for i, j in ((0, 1), (1, 0)):
        left = (2 * MA * A**2 + IT + MB * A**2 / 2) * two.a[:, i] + (IT - MB * A**2 / 2) * two.a[:, j]
        assert agree(left, 2 * (2 * TORQUES[i] + tau3))
    # spin of B: m_B b^2/2 th3'' = b (lam_P - lam_Q); disks: m_A a^2/2 th1'' = tau1 + a lam_P
    assert agree(MB * B / 2 * two.a[:, 2], np.asarray(two["P"]) - np.asarray(two["Q"]))
    assert agree(MA * A**2 / 2 * two.a[:, 0] - TORQUES[0], A * np.asarray(two["P"]))
    # what the cross carries: force at O, couple across both arms
    assert agree(-np.column_stack([two["x"], two["y"], two["z"]]), one["cross"].force)
    th4 = two.q[:, 3]
    across = np.column_stack([-np.sin(th4), np.cos(th4), 0 * th4])
    assert agree(-np.asarray(two["across"])[:, None] * across, one["cross"].torque)


def test_without_weight_the_accelerations_are_constant():
    """Two equations with constant coefficients: th1, th2 = rate t + acceleration t^2/2, by both ways."""
    one, two = as_mechanism(), of_rates()
    one.gravity = (0, 0, 0)
    two.parameter("g", 0.0)
    one, two = (da.simulate(m, until=2.0, output=0.05, **TIGHT) for m in (one, two))
    same, other = 2 * MA * A**2 + IT + MB * A**2 / 2, IT - MB * A**2 / 2
    turn = np.linalg.solve([[same, other], [other, same]], [2 * (2 * TORQUES[k] + TORQUES[2]) for k in (0, 1)])
    expected = np.outer(two.t, RATES) + np.outer(two.t**2 / 2, turn)
    assert agree(two.q[:, :2], expected)
    assert agree(np.column_stack([one["one.angle"], one["two.angle"]]), expected)


@pytest.mark.parametrize("m", [of_rates, of_angles])
def test_tooth_rows_given_twice(m):
    """The carrier's mean of the two disks follows from the rolling at P and Q: named as dependent, and the motion stays."""
    plain, more = m(), m()
    more.constraint("mean", "th1 + th2 - 2*th4")
    plain, run = (da.simulate(x, until=0.5, output=0.05, **TIGHT) for x in (plain, more))
    assert run.audit.redundant_rows
    assert agree(run.q, plain.q)
