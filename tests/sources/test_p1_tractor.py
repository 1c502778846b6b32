"""P1: tractor on two unilateral tyres with thrust, PLANAR Example 6.1.1.

    d_f = h0 - (y + l_f phi),   d_r = h0 - (y - l_r phi),   F = k d for d >= 0, else 0
    m x'' = T_r
    m y'' = F_f + F_r - m g
    J phi'' = l_f F_f - l_r F_r + T_r h0

The deflections are linear in (y, phi) by the source's small-angle assumption, so the tyres are stops on these two
expressions, and the thrust is a force at the mass centre with its couple T_r h0.  Equilibrium of y and phi gives F_f
= (m g l_r - T_r h0) / (l_f + l_r), F_r = m g - F_f, so the front wheel lifts off statically at T_r = m g l_r / h0.

Tolerances: 1e-13 relative to m g for single evaluations (rounding of a dozen operations; numbers like 1e4 N); motion
1e-8 m and rad, from rtol = 1e-11, measured error 2e-12; lift-off times 1e-9 s, the error of the motion divided
by the rate of deflection, about 0.1 m/s.
"""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import dalembert as da

M, J, G, K, H0, LF, LR = 2000.0, 1500.0, 9.81, 2.5e5, 0.9, 1.4, 0.8
CRITICAL = M * G * LR / H0  # static lift-off of the front wheel


def tractor(thrust):
    m = da.Mechanism("tractor", plane=True, gravity=(0, -G))
    m.parameter("T_r", thrust, "N")
    body = m.body("tractor", mass=M, inertia=J, at=(0, H0))
    front = m.measure("front", f"tractor.y + {LF}*tractor.angle")
    rear = m.measure("rear", f"tractor.y - {LR}*tractor.angle")
    m.stop("front tyre", front, lower=H0, stiffness=K)
    m.stop("rear tyre", rear, lower=H0, stiffness=K)
    m.force("thrust", body, ("T_r", 0))
    m.torque("couple", body, f"T_r*{H0}")
    return m


def deflections(y, phi):
    return H0 - (y + LF * phi), H0 - (y - LR * phi)


def source(y, phi, thrust):
    """Right sides of the source, with the law of the tyre as it defines it."""
    front, rear = (K * d if d >= 0 else 0.0 for d in deflections(y, phi))
    return np.array([thrust, front + rear - M * G, LF * front - LR * rear + thrust * H0])


def static(thrust):
    """(y, phi) at rest while both tyres press."""
    front = (M * G * LR - thrust * H0) / (LF + LR)
    rear = M * G - front
    return np.linalg.solve([[1, LF], [1, -LR]], [H0 - front / K, H0 - rear / K])


def evaluate(m, y, phi, v=(0.0, 0.0, 0.0)):
    return da.equations(m, da.State(0.0, np.array([0.0, y, phi]), np.array(v)))


# -- equations ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "phi", "pressing"),
    [
        (H0 - 0.05, 0.01, (True, True)),
        (H0 - 0.02, 0.03, (False, True)),
        (H0 - 0.01, -0.04, (True, False)),
        (H0 + 0.02, 0.001, (False, False)),
    ],
)
def test_equations_of_the_source(y, phi, pressing):
    front, rear = deflections(y, phi)
    assert (front > 0, rear > 0) == pressing
    thrust = 3000.0
    e = evaluate(tractor(thrust), y, phi, (4.0, -0.3, 0.2))
    assert e.M == pytest.approx(np.diag([M, M, J]), rel=1e-15)
    assert e.jac.shape == (0, 3) and e.lam.shape == (0,)
    expected = source(y, phi, thrust)
    assert e.Q == pytest.approx(expected, abs=1e-13 * M * G)
    assert e.a == pytest.approx(expected / [M, M, J], abs=1e-13 * M * G / J)
    if all(pressing):
        linear = [
            thrust,
            K * (H0 - y - LF * phi) + K * (H0 - y + LR * phi) - M * G,
            LF * K * (H0 - y - LF * phi) - LR * K * (H0 - y + LR * phi) + thrust * H0,
        ]
        assert e.Q == pytest.approx(linear, abs=1e-13 * M * G)


def test_the_equations_are_linear():
    """Both tyres pressing: Q(a + b) - Q(a) does not depend on a."""
    m, rng = tractor(1000.0), np.random.default_rng(61)
    step = np.array([2e-3, -1e-3])
    differences = []
    for _ in range(5):
        y, phi = H0 - 0.05 + rng.uniform(-0.01, 0.01), rng.uniform(-0.005, 0.005)
        differences.append(evaluate(m, y + step[0], phi + step[1]).Q - evaluate(m, y, phi).Q)
    expected = [0, -2 * K * step[0] - K * (LF - LR) * step[1], -K * (LF - LR) * step[0] - K * (LF**2 + LR**2) * step[1]]
    assert np.array(differences) == pytest.approx(np.tile(expected, (5, 1)), abs=1e-12 * M * G)


def test_small_angle_of_the_source_is_the_first_order_of_the_wheel_heights():
    """Tyres on the true heights of the hubs: the same force at phi = 0 and the same first derivatives there."""
    m = da.Mechanism("tractor", plane=True, gravity=(0, -G))
    body = m.body("tractor", mass=M, inertia=J, at=(0, H0))
    for name, x in (("front", LF), ("rear", -LR)):
        height = m.measure(name, point=body.point(x, -H0), along=(0, 1))
        m.stop(f"{name} tyre", height, lower=0.0, stiffness=K)
    y, h = H0 - 0.05, 1e-5
    assert evaluate(m, y, 0.0).Q == pytest.approx(source(y, 0.0, 0.0), abs=1e-12 * M * G)
    # central differences: error h^2 K l^2 (third derivatives of the heights), below 1e-4 N and N m
    found = (evaluate(m, y, h).Q - evaluate(m, y, -h).Q) / (2 * h)
    expected = (source(y, h, 0.0) - source(y, -h, 0.0)) / (2 * h)
    # the true moment also has the second derivative of the heights: force k d times h0 per radian and tyre
    assert found[:2] == pytest.approx(expected[:2], abs=1e-3)
    assert found[2] == pytest.approx(expected[2] + 2 * K * 0.05 * H0, abs=1e-3)


# -- statics -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_static_forces(share):
    thrust = share * CRITICAL
    y, phi = static(thrust)
    e = evaluate(tractor(thrust), y, phi)
    assert e.a == pytest.approx([thrust / M, 0, 0], abs=1e-12 * G)
    front, rear = (K * d for d in deflections(y, phi))
    assert front == pytest.approx((M * G * LR - thrust * H0) / (LF + LR), abs=1e-9)
    assert front > 0 and front + rear == pytest.approx(M * G, rel=1e-12)


def test_static_lift_off_of_the_front_wheel():
    """At T_r = m g l_r / h0 the front deflection is zero, the rear tyre carries m g, and nothing accelerates but x."""
    y, phi = static(CRITICAL)
    front, rear = deflections(y, phi)
    assert front == pytest.approx(0, abs=1e-15) and K * rear == pytest.approx(M * G, rel=1e-12)
    e = evaluate(tractor(CRITICAL), y, phi)
    assert e.a == pytest.approx([CRITICAL / M, 0, 0], abs=1e-11)
    # beyond it no pose is at rest: with the wheel in the air and y balanced, the excess turns the tractor up
    beyond = evaluate(tractor(1.01 * CRITICAL), H0 - M * G / K + LR * 0.1, 0.1)
    assert beyond.a[1] == pytest.approx(0, abs=1e-11)
    assert beyond.a[2] == pytest.approx(0.01 * CRITICAL * H0 / J, rel=1e-9)
    # and at the critical thrust itself the raised tractor stays where it is, at any pitch
    for pitch in (0.07, 0.1, 0.2):
        raised = evaluate(tractor(CRITICAL), H0 - M * G / K + LR * pitch, pitch)
        assert deflections(raised.state.q[1], pitch)[0] < 0
        assert raised.a[1:] == pytest.approx([0, 0], abs=1e-11)


# -- motion ------------------------------------------------------------------------------------------------------------


def linear_motion(state, t, thrust, tyres):
    """Closed form of (y, phi, y', phi') after time t while the given tyres press: a matrix exponential."""
    stiffness, load = np.zeros((2, 2)), np.array([-M * G, thrust * H0])
    for arm in tyres:
        stiffness += K * np.outer([1, arm], [1, arm])
        load += K * H0 * np.array([1, arm])
    mass = np.diag([1 / M, 1 / J])
    a = np.zeros((5, 5))
    a[:2, 2:4] = np.eye(2)
    a[2:4, :2], a[2:4, 4] = -mass @ stiffness, mass @ load
    return (expm(a * t) @ [*state, 1.0])[:4]


def test_thrust_from_rest_lifts_the_front_wheel_and_sets_it_down_again():
    """A sudden thrust of 0.7 of the critical one overshoots: the wheel leaves the ground, swings, and lands.

    Closed form piece by piece: linear motion with both tyres, then with the rear one only, joined at zero deflection.
    """
    thrust = 0.7 * CRITICAL
    y, phi = static(0.0)
    m = tractor(thrust)
    m.start(m["tractor"].y, value=y, rate=0.0)
    m.start(m["tractor"].angle, value=phi, rate=0.0)
    m.start(m["tractor"].x, value=0.0, rate=0.0)
    run = da.simulate(m, until=0.35, rtol=1e-11, atol=1e-13, output=0.01)

    def front(state):
        return H0 - state[0] - LF * state[1]

    first = np.array([y, phi, 0.0, 0.0])
    off = brentq(lambda t: front(linear_motion(first, t, thrust, (LF, -LR))), 0.02, 0.12, xtol=1e-14)
    lifted = linear_motion(first, off, thrust, (LF, -LR))
    on = off + brentq(lambda t: front(linear_motion(lifted, t, thrust, (-LR,))), 0.02, 0.25, xtol=1e-14)
    landed = linear_motion(lifted, on - off, thrust, (-LR,))
    assert off < on < 0.3

    def exact(t):
        if t <= off:
            return linear_motion(first, t, thrust, (LF, -LR))
        if t <= on:
            return linear_motion(lifted, t - off, thrust, (-LR,))
        return linear_motion(landed, t - on, thrust, (LF, -LR))

    expected = np.array([exact(t) for t in run.t])
    # the pieces are the right ones: the rear tyre presses throughout, the front one outside (off, on) only
    assert np.all(H0 - expected[:, 0] + LR * expected[:, 1] > 0)
    lifted_times = (run.t > off) & (run.t < on)
    assert np.array_equal(H0 - expected[:, 0] - LF * expected[:, 1] < 0, lifted_times)

    found = np.column_stack([run["tractor"].position[:, 1], run["tractor"].angle])
    assert found == pytest.approx(expected[:, :2], abs=1e-8)
    assert run["tractor"].position[:, 0] == pytest.approx(thrust / M * run.t**2 / 2, abs=1e-10)
    crossings = run.crossings("front", H0)
    assert crossings[:2] == pytest.approx([off, on], abs=1e-9)
    # the tyre pushes up with k d and never pulls
    force = run["front tyre"].effort
    assert force == pytest.approx(K * np.maximum(H0 - run["front"], 0.0), abs=1e-6)
    assert np.all(force[lifted_times] == 0.0)
