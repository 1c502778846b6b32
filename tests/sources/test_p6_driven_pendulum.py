"""P6: driven pendulum, PLANAR Examples 6.4.1 and 6.6.1: phi = 3 pi/2 + 2 pi t, half length l, pivot O.

    lam = (m l cos(phi) phi'^2,  -m g + m l sin(phi) phi'^2,  -m g l cos(phi))
    F'' = (-m l phi'^2 + m g sin(phi),  m g cos(phi))   pin force on the bar, frame parallel to the bar (6.6.10)
    T   = m g l cos(phi)                                driver torque on the bar (6.6.11, with an l lost on the way)

Rows as in the source: revolute P_j - P_i with j the bar, driver phi - phi(t).  Our joint frame is parallel to the
space axes in the drawn pose, so the bar is drawn along x; frame("body") is parallel to the bar however it is drawn.
The source calls lam_1 the centripetal force; it is minus its x component, the reaction being -Phi_r^T lam.

Tolerance: 1e-10 N at forces of 60 N: constraints hold to 1e-12, and forces follow the pose; measured below 1e-11.
"""

import math

import numpy as np
import pytest

import dalembert as da

M, L, G = 2.0, 0.7, 9.81
W = 2 * math.pi
TOLERANCE = 1e-10


def pendulum(angle=0.0):
    m = da.Mechanism("driven pendulum", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.rod(length=2 * L, mass=M), at=(L * math.cos(angle), L * math.sin(angle)), angle=angle)
    m.revolute("O", m.ground, bar, at=(0, 0))
    m.drive("motor", m["O"].angle, "3*pi/2 + 2*pi*t")
    return m


@pytest.mark.parametrize("t", [0.0, 0.1, 0.25, 0.37, 0.8, 1.9])
def test_equations_and_multipliers(t):
    phi = 1.5 * math.pi + W * t
    c, s = math.cos(phi), math.sin(phi)
    state = da.State(t, np.array([L * c, L * s, phi]), W * np.array([-L * s, L * c, 1.0]))
    e = da.equations(pendulum(), state)
    order = [e.row_names.index(name) for name in ("O.gap_x", "O.gap_y", "O.angle")]
    assert e.phi == pytest.approx([0, 0, 0], abs=1e-12)
    assert e.jac[order] == pytest.approx(np.array([[1, 0, L * s], [0, 1, -L * c], [0, 0, 1]]), abs=1e-13)  # 6.4.7
    assert e.nu[order] == pytest.approx([0, 0, W], abs=1e-13)
    assert e.gamma[order] == pytest.approx([-L * c * W**2, -L * s * W**2, 0], abs=TOLERANCE)
    assert e.M == pytest.approx(np.diag([M, M, M * L**2 / 3]), rel=1e-14)
    assert e.Q == pytest.approx([0, -M * G, 0], abs=1e-13)
    assert e.a == pytest.approx([-L * c * W**2, -L * s * W**2, 0], abs=TOLERANCE)  # 6.4.8
    expected = [M * L * c * W**2, -M * G + M * L * s * W**2, -M * G * L * c]
    assert e.lam[order] == pytest.approx(expected, abs=TOLERANCE)
    # inverse dynamics as the source writes it, 6.4.4 and 6.4.5
    a = np.linalg.solve(e.jac, e.gamma)
    assert e.lam == pytest.approx(np.linalg.solve(e.jac.T, e.Q - e.M @ a), abs=TOLERANCE)


@pytest.fixture(scope="module")
def run():
    return da.simulate(pendulum(), until=1.5, output=0.01)


def test_motion(run):
    """The driver assembles the bar drawn along x to phi = 3 pi/2 and carries it round, turns counted."""
    phi = 1.5 * math.pi + W * run.t
    assert run["bar"].angle == pytest.approx(phi, abs=1e-12)
    assert run["O"].angle == pytest.approx(phi, abs=1e-12)
    assert run["bar"].spin == pytest.approx(np.full(len(phi), W), abs=1e-11)
    assert run["bar"].spin_rate == pytest.approx(np.zeros(len(phi)), abs=1e-9)
    assert run["bar"].position == pytest.approx(L * np.column_stack([np.cos(phi), np.sin(phi)]), abs=1e-12)
    assert run.status == "ok"


def test_multipliers_over_time(run):
    phi = 1.5 * math.pi + W * run.t
    c, s = np.cos(phi), np.sin(phi)
    pin, motor = run["O"].multipliers, run["motor"].multipliers
    assert pin.axes == ("O.gap_x", "O.gap_y")
    assert pin == pytest.approx(np.column_stack([M * L * c * W**2, -M * G + M * L * s * W**2]), abs=TOLERANCE)
    assert motor[:, 0] == pytest.approx(-M * G * L * c, abs=TOLERANCE)


def test_reaction_in_the_joint_frame(run):
    """6.6.10, and 6.6.8 written out: F'' = -C^T A^T Phi_r^T lam with C = 1."""
    phi = 1.5 * math.pi + W * run.t
    expected = np.column_stack([-M * L * W**2 + M * G * np.sin(phi), M * G * np.cos(phi)])
    for frame in ("joint", "body"):
        found = run["O"].on("bar").frame(frame)
        assert found.force == pytest.approx(expected, abs=TOLERANCE), frame
        assert found.torque == pytest.approx(np.zeros(len(phi)), abs=TOLERANCE)
    # in space axes, and on the ground: equal and opposite
    space = np.column_stack([-M * L * np.cos(phi) * W**2, M * G - M * L * np.sin(phi) * W**2])
    assert run["O"].force == pytest.approx(space, abs=TOLERANCE)
    assert run["O"].on("ground").force == pytest.approx(-space, abs=TOLERANCE)


def test_frame_of_the_joint_follows_the_drawing():
    """Drawn at 0.4 rad, the joint frame on the bar is turned by -0.4 against the bar (C of 6.6.8 is that rotation)."""
    run = da.simulate(pendulum(angle=0.4), until=0.3, output=0.05)
    phi = 1.5 * math.pi + W * run.t
    body = np.column_stack([-M * L * W**2 + M * G * np.sin(phi), M * G * np.cos(phi)])
    assert run["O"].frame("body").force == pytest.approx(body, abs=TOLERANCE)
    C = np.array([[math.cos(0.4), math.sin(0.4)], [-math.sin(0.4), math.cos(0.4)]])
    assert run["O"].frame("joint").force == pytest.approx(body @ C, abs=TOLERANCE)


def test_driver_torque(run):
    """6.6.11: T = m g l cos phi on the bar; effort, power and the moment balance about O say the same."""
    torque = M * G * L * np.cos(1.5 * math.pi + W * run.t)
    assert run["motor"].torque == pytest.approx(torque, abs=TOLERANCE)
    assert run["motor"].on("ground").torque == pytest.approx(-torque, abs=TOLERANCE)
    assert run["motor"].force == pytest.approx(np.zeros((len(torque), 2)), abs=TOLERANCE)
    assert run["motor"].effort == pytest.approx(torque, abs=TOLERANCE)
    assert run["motor"].power == pytest.approx(torque * W, abs=10 * TOLERANCE)
    assert run["O"].power == pytest.approx(np.zeros(len(torque)), abs=0)
    # work of the driver is the rise of the potential energy, the kinetic one being constant
    rise = run.energy.total - run.energy.total[0]
    assert rise == pytest.approx(M * G * L * (np.sin(1.5 * math.pi + W * run.t) + 1), abs=1e-10)


def test_inverse_dynamics_and_reactions():
    """The same by the two verbs that need no integration: 6.4.1-6.4.8 over time, 6.6.10 and 6.6.11 at an instant."""
    found = da.inverse_dynamics(pendulum(), np.linspace(0.0, 1.5, 31))
    phi = 1.5 * math.pi + W * found.t
    assert found["motor"].multiplier == pytest.approx(M * G * L * np.cos(phi), abs=TOLERANCE)
    t = 0.37
    c, s = math.cos(1.5 * math.pi + W * t), math.sin(1.5 * math.pi + W * t)
    r = da.reactions(
        pendulum(), da.State(t, np.array([L * c, L * s, 1.5 * math.pi + W * t]), W * np.array([-L * s, L * c, 1.0]))
    )
    at = r.run["O"].on("bar").frame("body").force
    assert np.ravel(at) == pytest.approx([-M * L * W**2 + M * G * s, M * G * c], abs=TOLERANCE)
    assert float(np.ravel(r.run["motor"].effort)[0]) == pytest.approx(M * G * L * c, abs=TOLERANCE)
