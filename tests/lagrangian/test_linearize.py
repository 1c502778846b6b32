"""linearize of Lagrangian systems: closed forms, steady motions, rate rows, the same machines as mechanisms, transfer functions.

Tolerances: derivatives are exact, eigenvalues to rounding (1e-11 relative).  Mechanisms are linearized by differences, good to about
1e-10 of the largest entry: compared to 1e-9.
"""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import dalembert as da

from .machines import G, double_pendulum, pendulum, sleigh, slider_crank, slider_crank_of_joints
from .test_equilibrium import (
    HOOP,
    driven_bead,
    follower_column,
    four_bar_with_spring,
    free_bead,
    hinged_bar,
    lagrangian_fb4,
    pulled_double_pendulum,
    top,
)


def oscillator(m=2.0, c=0.6, k=50.0):
    return da.Lagrangian(
        "x", kinetic="m*rate(x)**2/2", potential="k*x**2/2 - F*x", dissipation="c*rate(x)**2/2",
        parameters={"m": m, "c": c, "k": k, "F": 0.0}, name="oscillator",
    )  # fmt: skip


def sorted_values(made):
    return np.sort_complex(np.round(made.eigenvalues, 9))


# -- about rest --------------------------------------------------------------------------------------------------------------


def test_damped_oscillator():
    m, c, k = 2.0, 0.6, 50.0
    made = da.linearize(oscillator(m, c, k))
    s = complex(-c / (2 * m), math.sqrt(k / m - (c / (2 * m)) ** 2))
    assert made.steady and made.stable and made.names == ("x", "rate(x)")
    assert sorted(made.eigenvalues, key=lambda x: x.imag) == pytest.approx([s.conjugate(), s], rel=1e-13)
    assert [made.M[0, 0], made.C[0, 0], made.K[0, 0]] == pytest.approx([m, c, k], rel=1e-14)
    (mode,) = made.modes
    assert mode.omega == pytest.approx(math.sqrt(k / m)) and mode.damping_ratio == pytest.approx(
        c / (2 * math.sqrt(k * m))
    )
    assert made.A == pytest.approx(np.array([[0.0, 1.0], [-k / m, -c / m]]))
    assert "damping ratio" in str(made) and "equilibrium" in str(made) and "oscillator" in repr(made)


def test_double_pendulum():
    """Masses m and 2 m on equal rods: det(K - w^2 M) = 0 with M = m l^2 [[3, 2], [2, 2]], K = m g l diag(3, 2)."""
    m = double_pendulum()
    made = da.linearize(m, da.equilibrium(m)[0])
    ratio = np.sort(np.linalg.eigvals(np.linalg.solve([[3.0, 2.0], [2.0, 2.0]], np.diag([3.0, 2.0]))))
    assert [mode.omega**2 for mode in made.modes] == pytest.approx(G / 0.7 * ratio, rel=1e-13)
    assert made.M == pytest.approx(1.3 * 0.49 * np.array([[3.0, 2.0], [2.0, 2.0]]))
    # amplitudes in a mode, b/a = 3 (g/l - w^2)/(2 w^2)
    slow = made.modes[0]
    x = slow.omega**2 * 0.7 / G
    assert slow.amplitude("b") / slow.amplitude("a") == pytest.approx(3.0 * (1.0 - x) / (2.0 * x), rel=1e-12)
    assert slow.amplitude("rate(a)") == pytest.approx(1j * slow.omega * slow.amplitude("a"), rel=1e-12)
    states = slow.states(frames=8, amplitude=0.1)
    assert states[0].q == pytest.approx(0.1 * slow.shape.real, abs=1e-12) and np.max(
        np.abs(slow.shape)
    ) == pytest.approx(1.0)


def test_bar_pendulum_with_rows():
    """Pin as two rows: the multipliers hold, +-14.678304239."""
    for e, sign in zip(da.equilibrium(hinged_bar()), (1.0, -1.0)):
        made = da.linearize(e._model, e)
        assert made.modes[-1].eigenvalue ** 2 == pytest.approx(-sign * 14.678304239, abs=1e-9)
        assert made.K / made.M == pytest.approx(np.array([[sign * 14.678304239]]), abs=1e-9)
        assert made.stable is (sign > 0.0)


def test_a07():
    """BENCHMARKS A07 with the damper of 1 N s/m."""
    m = four_bar_with_spring(1.0)
    made = da.linearize(m, da.equilibrium(m)[0])
    assert made.eigenvalues[1] == pytest.approx(-0.2423858093105051 + 2.13395502834838j, rel=1e-12)
    states = made.modes[0].states(frames=4)
    loop = np.cos(states[0].q)
    assert loop[0] + loop[1] - loop[2] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("damped", [False, True])
def test_the_same_as_mechanisms(damped):
    from analyses.machines import fb4

    pairs = [(lagrangian_fb4(), fb4()), (slider_crank(), slider_crank_of_joints())]
    if damped:
        for k, (a, b) in enumerate(pairs):
            angle, joint = (a.q[0], b["A"] if k == 0 else b["O"])
            b.damper("oil", joint.angle, damping=3.0)
            pairs[k] = (with_damper(a, angle, 3.0), b)
    for a, b in pairs:
        made, other = da.linearize(a, da.equilibrium(a)[0]), da.linearize(b, da.equilibrium(b)[0])
        assert made.eigenvalues == pytest.approx(other.eigenvalues, rel=1e-9, abs=1e-9)


def with_damper(model, angle, damping):
    """The same system with a dissipation function."""
    made = da.Lagrangian(
        model.q, kinetic=model.kinetic, potential=model.potential, dissipation=f"{damping}*rate({angle})**2/2",
        holonomic=model.holonomic, parameters=model.parameters,
    )  # fmt: skip
    for name, start in model.starts.items():
        made.start(name, start.value)
    made.guesses.update(model.guesses)
    return made


def test_p8_as_a_mechanism():
    from sources.test_p8_double_pendulum_force import double_pendulum as of_joints

    a, b = pulled_double_pendulum(7.0), of_joints(7.0)
    made, other = da.linearize(a, da.equilibrium(a)[0]), da.linearize(b, da.equilibrium(b)[0])
    assert made.eigenvalues == pytest.approx(other.eigenvalues, rel=1e-9, abs=1e-9)


def test_flutter():
    """Ziegler's column beyond 7/2 - sqrt(2): 2 s^4 + (7 - 2 p) s^2 + 1 = 0."""
    made = da.linearize(follower_column(2.5))
    expected = np.roots([2.0, 0.0, 7.0 - 5.0, 0.0, 1.0])
    assert sorted_values(made) == pytest.approx(np.sort_complex(np.round(expected, 9)), abs=1e-8)
    assert not made.stable


def test_free_motions_are_exactly_zero():
    """Three masses in a row with springs, in relative coordinates that hide the free motion: two zeros, the rest as known."""
    m = da.Lagrangian(
        "x y z", kinetic="(rate(x)**2 + rate(y)**2 + rate(z)**2)/2", potential="1e4*((x - y)**2 + (y - z)**2)/2"
    )
    made = da.linearize(m)
    assert [mode.free for mode in made.modes] == [True, True, False, False]
    assert [mode.omega for mode in made.modes[2:]] == pytest.approx([100.0, 100.0 * math.sqrt(3.0)], rel=1e-12)
    assert abs(made.modes[0].shape) == pytest.approx([1.0, 1.0, 1.0])
    assert made.stable and "free" in str(made)


def test_against_simulation():
    """A small motion about the hanging double pendulum, by exp(A t); quadratic terms leave 1e-6^2."""
    from scipy.linalg import expm

    m = pulled_double_pendulum(7.0)
    e = da.equilibrium(m)[0]
    made = da.linearize(m, e)
    x = 1e-6 * np.array([1.0, -2.0, 3.0, 1.0])
    run = da.simulate(m, until=0.7, start=da.State(0.0, e.state.q + x[:2], x[2:]), rtol=1e-13, atol=1e-15, audit=False)
    later = expm(0.7 * made.A) @ x
    assert np.concatenate([run.q[-1] - e.state.q, run.v[-1]]) == pytest.approx(later, abs=2e-11)


# -- steady motions ----------------------------------------------------------------------------------------------------------


def test_bead_on_a_driven_and_on_a_free_hoop():
    """Driven: s^2 = -w^2 sin^2.  Free: the hoop's momentum is kept, which adds 4 w^2 m R^2 cos^2 sin^2 .../(I + m R^2 sin^2)."""
    omega, mass, inertia = 8.0, 0.3 * HOOP**2, 0.2
    s, c = math.sqrt(1.0 - (G / (omega**2 * HOOP)) ** 2), G / (omega**2 * HOOP)
    driven = driven_bead(omega)
    made = da.linearize(driven, da.equilibrium(driven)[0])
    assert made.steady and made.modes[0].omega == pytest.approx(omega * s, rel=1e-11)
    free = free_bead(omega)
    e = da.equilibrium(free, spinning=("psi", omega))[0]
    made = da.linearize(free, e)
    # (m) th'' = m w^2 s c - ... with (I + m s^2) psi' constant: d psi' = -2 m s c w dth/(I + m s^2)
    square = omega**2 * s**2 + 4.0 * mass * s**2 * c**2 * omega**2 / (inertia + mass * s**2)
    assert made.steady and [mode.free for mode in made.modes] == [True, True, False]
    assert made.modes[2].omega == pytest.approx(math.sqrt(square), rel=1e-11)
    assert "steady motion" in str(made)


def test_d03_sleeping_top():
    """BENCHMARKS D03."""
    five, six = (da.linearize(top(rate)) for rate in (5.0, 6.0))
    assert five.steady and six.steady and not five.stable and six.stable
    assert five.eigenvalues[-1] == pytest.approx(1.55025829 + 3.16455696j, abs=1e-8)
    assert [mode.omega for mode in six.modes[2:]] == pytest.approx([2.38217885, 5.21275786], abs=1e-8)

    def growth(rate):
        # it grows like the root of the distance from the threshold: 1e-4 is 1e-8 away
        return float(np.max(da.linearize(top(rate)).eigenvalues.real)) - 1e-4

    assert brentq(growth, 5.0, 6.0, xtol=1e-11) == pytest.approx(5.567728441653742, abs=1e-6)


def test_steady_precession():
    """A heavy top in Euler's angles precesses at a constant rate p with (It + m h^2 - Ia) p^2 cos(th) - Ia s p + m g h = 0."""
    m, h, across, along, theta, precession = 0.5, 0.1, 8e-3, 1e-3, 0.6, 4.0
    model = da.Lagrangian("phi theta psi", gravity=(0, 0, -G), name="top")
    model.body(
        "top", m, (across - m * h**2, across - m * h**2, along),
        at=(f"{h}*sin(theta)*sin(phi)", f"-{h}*sin(theta)*cos(phi)", f"{h}*cos(theta)"),
        turns=[("z", "phi"), ("x", "theta"), ("z", "psi")],
    )  # fmt: skip
    spin = (across * precession**2 * math.cos(theta) + m * G * h) / (along * precession)
    model.start("theta", theta, rate=0.0)
    model.start("phi", rate=precession)
    model.start("psi", rate=spin - precession * math.cos(theta))
    made = da.linearize(model)
    assert made.steady and made.stable and sum(mode.free for mode in made.modes) == 4
    # Routh: nutation of a top with momenta p_phi, p_psi: It w^2 = d2/dth2 of (p_phi - p_psi cos)^2/(2 It sin^2) + m g h cos
    p_psi = along * spin
    p_phi = across * precession * math.sin(theta) ** 2 + p_psi * math.cos(theta)

    def amended(th):
        return (p_phi - p_psi * math.cos(th)) ** 2 / (2 * across * math.sin(th) ** 2) + m * G * h * math.cos(th)

    e = 1e-3
    second = (-amended(theta + 2 * e) + 16 * amended(theta + e) - 30 * amended(theta) + 16 * amended(theta - e) - amended(theta - 2 * e)) / (12 * e * e)  # fmt: skip
    # a difference of fourth order: 1e-12 of the fourth derivative, rounding 1e-16/e^2
    assert made.modes[-1].omega == pytest.approx(math.sqrt(second / across), rel=1e-7)
    # the same place found as an equilibrium at rates that are given
    rates = {"phi": precession, "psi": spin - precession * math.cos(theta)}
    assert min(abs(e["theta"] - theta) for e in da.equilibrium(model, spinning=rates)) < 1e-10


def test_a_state_that_is_not_steady():
    made = da.linearize(pendulum(0.3))
    assert not made.steady and "frozen" in str(made)
    assert made.K / made.M == pytest.approx(np.array([[G / 2.0 * math.cos(0.3)]]), rel=1e-13)
    with pytest.raises(da.MethodError, match="not an equilibrium"):
        made.transfer("theta", "theta")
    with pytest.raises(da.MethodError):
        _ = made.stable
    # a force that depends on time: balanced now, not later
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="(2 + cos(t))*x**2/2")
    assert not da.linearize(m).steady


# -- rate rows ---------------------------------------------------------------------------------------------------------------


def disk(speed=0.0, hoop=False, phi=0.4, theta=0.0, turning=0.0, r=0.5):
    """Disk or hoop on the floor: contact point x, y, heading phi, tilt theta, roll psi."""
    across, along = (0.5, 1.0) if hoop else (0.25, 0.5)
    m = da.Lagrangian(
        "x y phi theta psi",
        nonholonomic={"along": "rate(x) - r*rate(psi)*cos(phi)", "across": "rate(y) - r*rate(psi)*sin(phi)"},
        parameters={"r": r, "m": 2.0}, gravity=(0, 0, -G), name="disk",
    )  # fmt: skip
    inertia = [f"{k}*m*r**2" for k in (across, along, across)]
    centre = ("x + r*sin(phi)*sin(theta)", "y - r*cos(phi)*sin(theta)", "r*cos(theta)")
    m.body("disk", "m", inertia, at=centre, turns=[("z", "phi"), ("x", "theta"), ("y", "psi")])
    m.start("phi", phi, rate=turning)
    m.start("theta", theta, rate=0.0)
    m.start("psi", rate=speed / r)
    return m


@pytest.mark.parametrize("hoop, critical", [(False, 1.2786711852544421), (True, 1.1073617295175051)])
def test_c04_upright_rolling(hoop, critical):
    """BENCHMARKS C04: the square of the nonzero eigenvalues is (k/A')(v_c^2 - v^2), so that it vanishes at the critical speed."""

    def square(v):
        made = da.linearize(disk(v, hoop))
        assert made.steady
        (s,) = {complex(np.round(x**2, 10)) for x in made.eigenvalues if abs(x) > 1e-6} or {0j}
        assert abs(s.imag) < 1e-9
        return s.real

    assert brentq(square, 0.9, 1.5, xtol=1e-12) == pytest.approx(critical, abs=1e-9)
    slow, fast = da.linearize(disk(0.98 * critical, hoop)), da.linearize(disk(1.02 * critical, hoop))
    assert not slow.stable and fast.stable
    # theta'' = -(square) theta with L3's equations: 5 th'' = 4 g th/r - 12 (v/r)^2 th
    if not hoop:
        assert square(1.0) == pytest.approx((4 * G / 0.5 - 12.0 * 4.0) / 5.0, rel=1e-10)
    assert len(fast.eigenvalues) == 8 and fast.K.shape == (3, 5) and fast.M.shape == (3, 3)


@pytest.mark.parametrize("hoop, factor", [(False, 4 / 5), (True, 2 / 3)])
def test_c04_spinning_in_place(hoop, factor):
    """Upright and spinning about the vertical: stable above w^2 = 4 g/(5 r) for a disk, 2 g/(3 r) for a hoop."""
    critical = math.sqrt(factor * G / 0.5)
    slow, fast = (da.linearize(disk(0.0, hoop, turning=f * critical)) for f in (0.999, 1.001))
    assert slow.steady and fast.steady and not slow.stable and fast.stable


def test_c03_rolling_in_a_circle():
    """BENCHMARKS C03: steady though x and y are not: they only follow.  Its small motions against L3's equations, linearized."""
    r, ring, tilt = 0.05, 0.5, math.radians(5.0)
    # heading turns at w and the wheel rolls at psi' = (ring/r) w; tilt inwards
    roll, turn = 10.736498163261, 1.073649816326
    m = disk(r * roll, phi=0.2, theta=-tilt, turning=turn, r=r)
    made = da.linearize(m)
    assert not da.linearize(disk(r * roll, phi=0.2, theta=tilt, turning=turn, r=r)).steady
    assert made.steady and ring == pytest.approx(r * roll / turn, rel=1e-9)
    # place, heading, roll and the family of circles: zeros; one oscillation
    nonzero = [x for x in made.eigenvalues if abs(x) > 1e-4]
    assert len(nonzero) == 2
    # the same by simulation: period of a small disturbance of the tilt
    start = da.linearize(m).state
    state = da.State(0.0, start.q + np.array([0, 0, 0, 1e-5, 0]), start.v)
    run = da.simulate(m, until=3.0, start=state, output=0.002, rtol=1e-12, atol=1e-14, audit=False)
    swing = np.asarray(run["theta"]) - start.q[3]
    middle = 0.5 * (swing.max() + swing.min())
    crossings = run.crossings("theta", float(start.q[3] + middle), direction=1)
    period = np.mean(np.diff(crossings))
    # amplitude 1e-5: terms of second order shift the period by less than 1e-6
    assert 2 * math.pi / period == pytest.approx(abs(nonzero[0].imag), rel=1e-5)


def test_sleigh_at_rest_and_gliding():
    """A blade at rest: only zeros; K has a column for every coordinate.  Gliding straight: heading and place drift, nothing grows."""
    rest = da.linearize(sleigh(0.0, 0.0))
    assert rest.eigenvalues == pytest.approx(np.zeros(5)) and rest.K.shape == (2, 3) and rest.stable
    glide = da.linearize(sleigh(1.0, 0.0))
    assert glide.steady and glide.stable and glide.eigenvalues == pytest.approx(np.zeros(5))
    # y' = v phi: the state matrix knows that the path follows the heading
    row, column = glide.names.index("y"), glide.names.index("phi")
    assert glide.A[row, column] == pytest.approx(1.0, rel=1e-14)


def test_chaplygin_sleigh():
    """C06: with the mass centre ahead of the blade straight gliding is stable, s = -m a v/(I + m a^2); behind it grows."""
    for a, sign in ((0.1, -1.0), (-0.1, 1.0)):
        m = da.Lagrangian(
            "x y phi", parameters={"a": a}, nonholonomic={"blade": "cos(phi)*rate(y) - sin(phi)*rate(x)"}, name="sleigh"
        )
        m.body("sleigh", 1.0, 0.1, at=("x + a*cos(phi)", "y + a*sin(phi)"), angle="phi")
        m.start("x", rate=2.0)
        m.start("phi", rate=0.0)
        made = da.linearize(m)
        (s,) = [x for x in made.eigenvalues if x != 0.0]
        assert s == pytest.approx(sign * 0.1 * 2.0 / (0.1 + 0.01), rel=1e-12)
        assert made.steady and made.stable is (sign < 0.0)


@pytest.mark.parametrize("seed", range(6))
def test_against_differences_of_the_equations(seed):
    """Any state of systems with both kinds of rows, explicit time, forces and dissipation: A by differences of exact accelerations.

    Central differences of fourth order with steps of 1e-3: 1e-12 of fifth derivatives, rounding 1e-13.
    """
    rng = np.random.default_rng(seed)
    q = ["a", "b", "c", "d", "h"]
    w = lambda: float(rng.uniform(0.5, 1.5))  # noqa: E731
    m = da.Lagrangian(
        q,
        kinetic=" + ".join(f"{w() + 1}*rate({x})**2" for x in q)
        + f" + {w()}*cos(a - {w()}*b)*rate(a)*rate(c) + sin(t)*rate(d)*b",
        potential=f"{w()}*sin(a + c) + {w()}*b*d + {w()}*h**2*cos(t)",
        dissipation=f"{w()}*(rate(a) - rate(h))**2*(1 + b**2)/2",
        forces={"b": f"{w()}*d*rate(a)", "h": f"{w()}*sin(t + a)"},
        holonomic={"tie": f"h - {w()}*sin(a) - {w()}*b*c + 0.1*t"} if seed % 3 != 1 else {},
        nonholonomic={"roll": f"rate(b) - {w()}*cos(a)*rate(c) - {w()}*d*rate(a) - 0.2*sin(t)"}
        if seed % 3 != 2
        else {},
    )
    for x in q[:4]:
        m.start(x, float(rng.uniform(-1, 1)))
    for x in ("a", "c", "d"):
        m.start(x, rate=float(rng.uniform(-1, 1)))
    made = da.linearize(m)
    here, functions = made._linear, made._functions
    n = len(here.positions)
    follow_q = np.setdiff1d(np.arange(5), here.positions)
    follow_v = np.setdiff1d(np.arange(5), here.speeds)

    def rates(x):
        """(y', u') at a change x of the independent coordinates and rates; the others follow from the rows."""
        place, v = here.q.copy(), here.v.copy()
        place[here.positions] += x[:n]
        v[here.speeds] += x[n:]
        for _ in range(30):
            at = functions.values(here.t, place, v)
            if len(follow_q):
                place[follow_q] -= np.linalg.solve(at.jac[: functions.h][:, follow_q], at.phi)
        at = functions.values(here.t, place, v)
        v[follow_v] -= np.linalg.solve(at.jac[:, follow_v], at.w)
        at = functions.values(here.t, place, v)
        size = 5 + functions.m
        matrix = np.zeros((size, size))
        matrix[:5, :5], matrix[:5, 5:], matrix[5:, :5] = at.mass, at.jac.T, at.jac
        a = np.linalg.solve(matrix, np.concatenate([at.force, at.gamma]))
        return np.concatenate([v[here.positions], a[here.speeds]])

    step = 1e-3
    for k, x in enumerate(step * np.eye(len(here.A))):
        by_k = (8 * (rates(x) - rates(-x)) - (rates(2 * x) - rates(-2 * x))) / (12 * step)
        assert made.A[:, k] == pytest.approx(by_k, abs=1e-9)


def test_steady_motion_as_a_mechanism():
    """The bead on a free hoop, with the bead's small inertia of its own, by differences in turning axes."""
    from analyses.test_equilibrium import bead

    b, _ = bead(8.0)
    other = da.linearize(b, da.equilibrium(b, spinning=(b["axle"].angle, 8.0))[0])
    m = free_bead(8.0)
    made = da.linearize(m, da.equilibrium(m, spinning=("psi", 8.0))[0])
    # the mechanism's bead has 1e-9 kg m2 of its own beside 0.048
    assert made.modes[-1].omega == pytest.approx(other.modes[-1].omega, rel=1e-7)


# -- inputs and outputs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", ["x", "F"])
def test_transfer_function_of_the_oscillator(entry):
    m, c, k = 2.0, 0.6, 50.0
    made = da.linearize(oscillator(m, c, k))
    omega = np.array([0.0, 1.0, 5.0, 20.0])
    exact = 1.0 / (k - m * omega**2 + 1j * c * omega)
    assert made.transfer(entry, "x").response(omega) == pytest.approx(exact, rel=1e-12)
    assert made.transfer(entry, "rate(x)").response(omega) == pytest.approx(1j * omega * exact, rel=1e-12, abs=1e-15)
    assert made.transfer(entry, "3*sin(2*x) + 0.1*F").response(omega) == pytest.approx(
        6.0 * exact + (0.1 if entry == "F" else 0.0), rel=1e-12
    )


def test_state_space():
    """Pendulum in x, y: torque-like force on x, and what the rod feels: lam through the row."""
    m = da.Lagrangian(
        "x y", kinetic="m*(rate(x)**2 + rate(y)**2)/2", potential="m*g*y", parameters={"m": 2.0, "l": 0.5, "g": G},
        holonomic={"rod": "sqrt(x**2 + y**2) - l"},
    )  # fmt: skip
    m.start("x", 0.0)
    m.guess("y", -0.5)
    made = da.linearize(m)
    a, b, c, d = made.state_space(inputs=["x", "y", "g"], outputs=["x", "atan2(x, -y)", "rod", "rate(x)"])
    assert a == pytest.approx(np.array([[0.0, 1.0], [-G / 0.5, 0.0]]), abs=1e-12)
    # a force on y only loads the rod, as more gravity does: J = (0, -1), J^T lam = f
    assert b == pytest.approx(np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]), abs=1e-13)
    assert c == pytest.approx(np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0], [0.0, 1.0]]), abs=1e-12)
    assert d[2] == pytest.approx([0.0, -1.0, 2.0], abs=1e-12)
    space = made.state_space("x", "rod")
    assert space.inputs == ("x",) and space.outputs == ("multiplier of rod",)
    assert [part.size for part in made.state_space()] == [4, 0, 0, 0]


def test_a_parameter_changes_the_pull():
    """dx/dk at a stretched spring: static response -x/k."""
    m = da.Lagrangian(
        "x", kinetic="rate(x)**2/2", potential="k*x**2/2 - 3*x", dissipation="rate(x)**2/2", parameters={"k": 50.0}
    )
    made = da.linearize(m, da.equilibrium(m)[0])
    assert made.transfer("k", "x")(0.0) == pytest.approx(-0.06 / 50.0, rel=1e-12)


# -- refusals ----------------------------------------------------------------------------------------------------------------


def refused(kind, text, call, *args, **options):
    with pytest.raises(kind, match=text) as caught:
        call(*args, **options)
    assert all(part.strip() for part in (caught.value.asked, caught.value.found, caught.value.why, caught.value.do))


def test_bad_inputs_and_outputs():
    made = da.linearize(oscillator())
    refused(da.MethodError, "neither a coordinate nor a parameter", made.state_space, inputs=["z"])
    refused(da.DalembertError, "'z'", made.state_space, outputs=["z + x"])
    refused(da.MethodError, "without a finite value", made.state_space, outputs=["sqrt(x)"])
    refused(da.MethodError, "omega", made.transfer("x", "x").response, "fast")
    m = da.Lagrangian(
        "x y",
        kinetic="rate(x)**2 + rate(y)**2",
        potential="x**2",
        holonomic={"tie": "y - x - b"},
        parameters={"b": 0.0},
    )
    refused(da.MethodError, "moves row 'tie'", da.linearize(m).state_space, inputs=["b"])
    undamped = da.linearize(oscillator(c=0.0))
    refused(da.SingularError, "is a pole", undamped.transfer("x", "x").response, 5.0)


def test_bad_states():
    m = pendulum()
    refused(da.MethodError, "turning", da.linearize, m, turning=1.0)
    refused(da.MethodError, "a State is needed", da.linearize, m, "here")
    refused(da.MethodError, "1 finite numbers", da.linearize, m, da.State(0.0, [0.0, 0.0], [0.0, 0.0]))
    refused(da.MethodError, "belongs to another", da.linearize, m, da.equilibrium(pendulum())[0])
    refused(da.AssemblyError, "off by", da.linearize, hinged_bar(), da.State(0.0, [0.1, -0.5, 0.0], [0.0, 0.0, 0.0]))
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x*sqrt(x)")
    refused(da.SingularError, "finite", da.linearize, m, da.State(0.0, [-1.0], [0.0]))


def test_no_inertia():
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2", potential="x**2 + y**2")
    refused(da.SingularError, "'y' can change without inertia", da.linearize, m)


def test_nothing_free():
    m = hinged_bar()
    m.constraint("stop", "phi")
    refused(da.ModelError, "nothing can move", da.linearize, m)


def test_singular_position():
    """A parallelogram folded flat: its loop has one more free motion there."""
    m = four_bar_with_spring()
    refused(da.SingularError, "singular position", da.linearize, m, da.State(0.0, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]))


def test_redundant_rows():
    m = hinged_bar()
    m.constraint("again", "2*x - sin(phi)")
    assert da.linearize(m).modes[0].omega ** 2 == pytest.approx(14.678304239, abs=1e-9)
