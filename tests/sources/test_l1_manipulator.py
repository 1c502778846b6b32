"""L1: three-link planar manipulator ABCD, LAGRANGE 1.5: generalized coordinates th1, th2, th3, each relative to the link before.

    x_B = l1 cos th1                      y_B = l1 sin th1
    x_C = x_B + l2 cos(th1 + th2)         y_C = y_B + l2 sin(th1 + th2)
    x_D = x_C + l3 cos(th1 + th2 + th3)   y_D = y_C + l3 sin(th1 + th2 + th3)

Three degrees of freedom.  The source goes no further; ours: three uniform links and a hand of mass m at D, gravity, and torques in the three
joints.  As a mechanism: rods on revolutes.  As a Lagrangian system: the three angles; and once more with the joints A, B, C relaxed by displacements
(u, v) of what follows them, held at zero by rows: their multipliers are minus the joint forces.  Also the source's seven variables.
"""

import numpy as np
import pytest
from two_ways import TIGHT, agree

import dalembert as da

LENGTHS, MASSES, HAND, G = (0.7, 0.6, 0.4), (2.0, 1.4, 0.8), 0.5, 9.81
TORQUES = ("9*cos(2*t)", "5 - 3*t", "1.5*sin(5*t)")
START, RATES = (0.4, -0.7, 0.9), (0.5, -0.4, 1.0)
# for inverse dynamics
MOTION = ("0.4 + sin(t)", "-0.7 + sin(2*t)", "0.9 + sin(3*t)")


def forward(th):
    """Positions of B, C, D, one row each."""
    angle = np.cumsum(th)
    return np.cumsum(np.array(LENGTHS)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), axis=0)


def as_mechanism(driven=False):
    m = da.Mechanism("manipulator", plane=True, gravity=(0, -G))
    points, angles = np.vstack([(0, 0), forward(START)]), np.cumsum(START)
    before = m.ground
    for k, name in enumerate("ABC"):
        link = m.body(
            f"link {k + 1}",
            da.rod(length=LENGTHS[k], mass=MASSES[k]),
            at=tuple((points[k] + points[k + 1]) / 2),
            angle=angles[k],
        )
        joint = m.revolute(name, before, link, at=tuple(points[k]))
        if driven:
            m.drive(f"motor {k + 1}", joint.angle, MOTION[k])
        else:
            m.actuator(f"torque {k + 1}", joint.angle, force=TORQUES[k])
            m.start(joint.angle, value=START[k], rate=RATES[k])
        before = link
    hand = m.particle("hand", mass=HAND, at=tuple(points[3]))
    m.revolute("D", before, hand, at=tuple(points[3]))
    return m


def as_lagrangian(relaxed=False, driven=False):
    joints = ("A", "B", "C", "D")
    m = da.Lagrangian(
        ["th1", "th2", "th3", *([f"{x}{j}" for j in joints for x in "uv"] if relaxed else [])], gravity=(0, "-g"), name="manipulator",
        holonomic={f"{j} {x}": f"{u}{j}" for j in joints for x, u in zip("xy", "uv")} if relaxed else (),
        forces={} if driven else {f"th{k + 1}": torque for k, torque in enumerate(TORQUES)},
        parameters={"g": G, "m": HAND} | {f"l{k + 1}": x for k, x in enumerate(LENGTHS)} | {f"m{k + 1}": x for k, x in enumerate(MASSES)},
    )  # fmt: skip
    x, y = (["uA"], ["vA"]) if relaxed else (["0"], ["0"])
    for k in range(3):
        angle = " + ".join(f"th{i + 1}" for i in range(k + 1))
        middle = (" + ".join([*x, f"l{k + 1}/2*cos({angle})"]), " + ".join([*y, f"l{k + 1}/2*sin({angle})"]))
        m.body(f"link {k + 1}", f"m{k + 1}", f"m{k + 1}*l{k + 1}**2/12", at=middle, angle=angle)
        x.append(f"l{k + 1}*cos({angle})")
        y.append(f"l{k + 1}*sin({angle})")
        if relaxed:
            x.append(f"u{joints[k + 1]}")
            y.append(f"v{joints[k + 1]}")
    m.particle("hand", "m", (" + ".join(x), " + ".join(y)))
    for k in range(3):
        if driven:
            m.constraint(f"motor {k + 1}", f"th{k + 1} - ({MOTION[k]})")
            m.guess(f"th{k + 1}", START[k])
        else:
            m.start(f"th{k + 1}", START[k], rate=RATES[k])
    return m


def seven_variables():
    """x_B, y_B, x_C, y_C and the three angles, which observe four relationships; the hand at D is a function of them."""
    m = da.Lagrangian(
        "th1 th2 th3 xB yB xC yC", gravity=(0, "-g"), forces={f"th{k + 1}": torque for k, torque in enumerate(TORQUES)},
        holonomic={
            "xB": "xB - l1*cos(th1)", "yB": "yB - l1*sin(th1)", "xC": "xC - xB - l2*cos(th1 + th2)", "yC": "yC - yB - l2*sin(th1 + th2)",
        },
        parameters={"g": G, "m": HAND} | {f"l{k + 1}": x for k, x in enumerate(LENGTHS)} | {f"m{k + 1}": x for k, x in enumerate(MASSES)},
        name="seven variables",
    )  # fmt: skip
    m.body("link 1", "m1", "m1*l1**2/12", at=("xB/2", "yB/2"), angle="th1")
    m.body("link 2", "m2", "m2*l2**2/12", at=("(xB + xC)/2", "(yB + yC)/2"), angle="th1 + th2")
    m.body(
        "link 3",
        "m3",
        "m3*l3**2/12",
        at=("xC + l3/2*cos(th1 + th2 + th3)", "yC + l3/2*sin(th1 + th2 + th3)"),
        angle="th1 + th2 + th3",
    )
    m.particle("hand", "m", ("xC + l3*cos(th1 + th2 + th3)", "yC + l3*sin(th1 + th2 + th3)"))
    for k in range(3):
        m.start(f"th{k + 1}", START[k], rate=RATES[k])
    return m


def test_three_degrees_of_freedom():
    assert da.mobility(as_mechanism()).dof == 3
    for m in (as_lagrangian(), as_lagrangian(relaxed=True), seven_variables()):
        assert da.simulate(m, until=0.01).audit.degrees_of_freedom == 3


def test_forward_kinematics():
    """B, C and D of every model by the formulas of the source."""
    runs = [da.simulate(m, until=0.3, **TIGHT) for m in (as_mechanism(), as_lagrangian(), seven_variables())]
    one, two, seven = runs
    angles = np.column_stack([one[f"{j}.angle"] for j in "ABC"])
    expected = np.array([forward(th) for th in angles])
    ends = np.stack([one[f"link {k + 1}"].point(one.model[f"link {k + 1}"].end).position for k in range(3)], axis=1)
    assert ends == pytest.approx(expected, abs=1e-12)
    assert np.asarray(two["hand"].position)[:, :2] == pytest.approx(np.array([forward(q)[2] for q in two.q]), abs=1e-12)
    assert seven.q[:, 3:].reshape(-1, 2, 2) == pytest.approx(np.array([forward(q[:3])[:2] for q in seven.q]), abs=1e-12)


def test_motion_and_joint_forces():
    """0.8 s of a triple pendulum with torques: errors grow tenfold."""
    options = {"until": 0.8, "output": 0.01, **TIGHT}
    models = (as_mechanism(), as_lagrangian(), as_lagrangian(relaxed=True), seven_variables())
    one, plain, relaxed, seven = (da.simulate(m, **options) for m in models)
    angles = np.column_stack([one[f"{j}.angle"] for j in "ABC"])
    rates = np.column_stack([one[f"{j}.angle"].rate for j in "ABC"])
    assert np.ptp(angles, axis=0).min() > 0.5
    for run in (plain, relaxed, seven):
        assert run.status == "ok"
        assert agree(run.q[:, :3], angles)
        assert agree(run.v[:, :3], rates)
        assert agree(np.asarray(run["hand"].position)[:, :2], one["hand"].position)
    for joint in "ABCD":
        assert agree(-np.column_stack([relaxed[f"{joint} {x}"] for x in "xy"]), one[joint].force)
    # the hand falls and is carried: m a = force at D + weight
    force = HAND * (np.asarray(one["hand"].acceleration) + (0, G))
    assert agree(-np.column_stack([relaxed["D x"], relaxed["D y"]]), force)


def test_torques_for_a_given_motion():
    """Inverse dynamics of both, each in three ways of its own."""
    times = np.linspace(0.0, 2.0, 41)
    one, two = (
        da.inverse_dynamics(as_mechanism(driven=True), times),
        da.inverse_dynamics(as_lagrangian(relaxed=True, driven=True), times),
    )
    assert one.spread < 1e-10 and two.spread < 1e-10
    for k in (1, 2, 3):
        assert agree(two[f"motor {k}"].multiplier, one[f"motor {k}"].multiplier)
    for joint in "ABCD":
        assert agree(-np.column_stack([two.run[f"{joint} {x}"] for x in "xy"]), one.run[joint].force)
