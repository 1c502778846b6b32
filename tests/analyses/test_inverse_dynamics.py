"""inverse_dynamics: driver efforts three ways, against closed forms; shaking force and moment; tables, open chains, dead centres.

Nothing is integrated: efforts are as good as the solution of the linear equations, so the three ways must agree to 1e-9 of the largest
effort (the number asked for; 1e-12 is usual), and closed forms likewise.
"""

from __future__ import annotations

import importlib
import math

import numpy as np
import pytest
from contracts.samples import case_id, force_cases, joint_cases, sample

import dalembert as da
from dalembert.analyses.driven.newton_euler import FreeBodies

from .machines import PIN, fb4

AGREE = 1e-9


def ways(effort):
    return [np.asarray(x) for x in (effort.multiplier, effort.power, effort.newton_euler)]


def assert_three(effort, expected, tolerance=AGREE):
    """All three ways give the expected effort, relative to the largest."""
    largest = np.max(np.abs(expected))
    for x in ways(effort):
        assert np.max(np.abs(x - expected)) <= tolerance * largest
    assert effort.spread <= AGREE * largest
    assert effort.largest == pytest.approx(largest, rel=1e-8)


# -- piston engine -----------------------------------------------------------------------------------------------------

R, L, S = 0.05, 0.17, 0.06  # crank, rod, mass centre of the rod from the crank pin [m]
CRANK, ROD, PISTON = (2.0, 3e-3, 0.012), (0.6, 2.4e-3), 0.5  # (mass, inertia, centre from O), (mass, inertia), mass
G = 9.81
GAS = "-1500*(1.2 + cos(50*t))"


def engine(law="100*t"):
    """Single cylinder, bore along x, gravity along -x; the gas pushes the piston to the crank."""
    m = da.Mechanism("piston engine", plane=True, gravity=(-G, 0))
    crank = m.body("crank", mass=CRANK[0], inertia=CRANK[1], at=(CRANK[2], 0))
    rod = m.body("rod", mass=ROD[0], inertia=ROD[1], at=(R + S, 0))
    piston = m.body("piston", mass=PISTON, inertia=1e-3, at=(R + L, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(R, 0))
    m.revolute("B", rod, piston, at=(R + L, 0))
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    m.force("gas", piston, (GAS, 0))
    m.drive("motor", m["O"].angle, law)
    return m


def places(th):
    """Mass centres and rod angle as functions of the crank angle; complex angles welcome."""
    psi = -np.arcsin(R * np.sin(th) / L)
    crank = CRANK[2] * np.cos(th), CRANK[2] * np.sin(th)
    rod = R * np.cos(th) + S * np.cos(psi), R * np.sin(th) + S * np.sin(psi)
    return crank, rod, (R * np.cos(th) + L * np.cos(psi), 0 * th), psi


def slope(f, th):
    """Derivative by a complex step: exact to round-off."""
    return np.imag(f(th + 1e-30j)) / 1e-30


def slope2(f, th, h=1e-3):
    """Second derivative: sixth-order differences of the exact slopes; error h^6 times a seventh derivative of order 1."""
    d = [slope(f, th + k * h) for k in (-3, -2, -1, 1, 2, 3)]
    return (-d[0] + 9 * d[1] - 45 * d[2] + 45 * d[3] - 9 * d[4] + d[5]) / (60 * h)


COORDINATES = [lambda th, i=i, c=c: places(th)[i][c] for i in range(3) for c in range(2)]
MASSES = np.repeat([CRANK[0], ROD[0], PISTON], 2)


def engine_torque(th, w, e, gas):
    """(I) th'' + 1/2 I' th'^2 + V' - F x': the equation of the one freedom (PRINCIPLES, piston engine), with I' = 2 sum m x' x''."""
    first = np.array([slope(f, th) for f in (*COORDINATES, lambda x: places(x)[3])])
    second = np.array([slope2(f, th) for f in (*COORDINATES, lambda x: places(x)[3])])
    weights = np.append(MASSES, ROD[1])
    inertia = CRANK[1] + weights @ first**2
    half_slope = weights @ (first * second)
    gravity = G * (MASSES[::2] @ first[[0, 2, 4]])
    return inertia * e + half_slope * w**2 + gravity - gas * first[4]


def test_piston_engine_over_two_turns():
    """721 instants, one for each degree of 720, dead centres among them."""
    th = np.radians(np.arange(721))
    found = da.inverse_dynamics(engine(), th / 100)
    gas = -1500 * (1.2 + np.cos(th / 2))
    assert_three(found["motor"], engine_torque(th, 100.0, 0.0, gas))
    # at the dead centres the piston does not move and the crank's weight has no arm: hardly any torque, and no division by zero
    assert np.abs(ways(found["motor"])[1][[0, 180, 360, 540, 720]]) == pytest.approx(np.zeros(5), abs=1e-9 * 300)
    assert found["motor"].unit == "N m"
    text = str(found)
    assert "motor" in text and "O.angle" in text and "spread" in text and "shaking" in text


def test_piston_engine_that_speeds_up_and_stops():
    """Rates through zero: th = 1.3 + 2 sin(3 t) stands still at sin = 1; virtual power divides by no rate."""
    t = np.linspace(0, 2.1, 64)
    t[25] = math.pi / 6  # here the rate is exactly zero
    t.sort()
    th, w, e = 1.3 + 2 * np.sin(3 * t), 6 * np.cos(3 * t), -18 * np.sin(3 * t)
    found = da.inverse_dynamics(engine("1.3 + 2*sin(3*t)"), t)
    assert np.min(np.abs(w)) < 1e-14
    assert_three(found["motor"], engine_torque(th, w, e, -1500 * (1.2 + np.cos(50 * t))))


def test_shaking_force_and_moment():
    """On the ground: weight and gas force less the rate of momentum; the same with moments about any point."""
    t = np.radians(np.arange(0, 721, 10)) / 100
    found = da.inverse_dynamics(engine("100*t + 30*t**2"), t)
    th, w, e = 100 * t + 30 * t**2, 100 + 60 * t, 60.0
    first, second = (np.array([d(f, th) for f in COORDINATES]) for d in (slope, slope2))
    a = first * e + second * w**2
    r = np.array([f(th) for f in COORDINATES])
    psi = lambda x: places(x)[3]  # noqa: E731
    spin_rates = CRANK[1] * e + ROD[1] * (slope(psi, th) * e + slope2(psi, th) * w**2)
    gas = -1500 * (1.2 + np.cos(50 * t))
    force = np.column_stack([gas - MASSES[::2].sum() * G - MASSES[::2] @ a[::2], -MASSES[1::2] @ a[1::2]])
    assert np.asarray(found.shaking_force) == pytest.approx(force, abs=1e-9 * np.max(np.abs(force)))
    # z component of r x (weight + gas - m a), minus the rates of spin; the gas acts on the bore line y = 0
    down = np.zeros_like(r)
    down[::2] = -MASSES[::2, None] * G
    push = down - MASSES[:, None] * a
    moment = (r[::2] * push[1::2] - r[1::2] * push[::2]).sum(axis=0) - spin_rates
    assert np.asarray(found.shaking_moment) == pytest.approx(moment, abs=1e-9 * np.max(np.abs(moment)))
    about = np.asarray(found.shaking_moment_about((0.3, -0.2)))
    assert about == pytest.approx(moment - 0.3 * force[:, 1] - 0.2 * force[:, 0], abs=1e-8 * np.max(np.abs(about)))
    assert found.shaking_force.unit == "N" and found.shaking_force.axes == ("x", "y")
    # and by Newton's third law, joint by joint
    run = found.run
    joints = sum(np.asarray(run[n].on("ground").force) for n in ("O", "bore"))
    assert np.asarray(found.shaking_force) == pytest.approx(joints, abs=1e-9 * np.max(np.abs(force)))


# -- six-bar -----------------------------------------------------------------------------------------------------------


def meet(p, q, a, b, side):
    """Crossing of the circles (p, a) and (q, b), to the left (+1) or right (-1) of the line p q; complex numbers welcome."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    d2 = dx * dx + dy * dy
    u = (a * a - b * b + d2) / (2 * d2)
    h = side * np.sqrt(a * a / d2 - u * u)
    return p[0] + u * dx - h * dy, p[1] + u * dy + h * dx


# crank 1 about (0, 0); ternary coupler 3.2 with the point P at (1.9, 1.1) in its axes; rocker 2.6 about (3.4, -0.3);
# P carries the dyad of 2.4 and 1.8 to the ground at (1.0, 4.1)
GROUND2, GROUND3, POINT = (3.4, -0.3), (1.0, 4.1), (1.9, 1.1)
BARS = {"crank": 1.0, "coupler": 3.2, "rocker": 2.6, "link": 2.4, "arm": 1.8}
WEIGHT = {"crank": 1.2, "coupler": 4.0, "rocker": 2.2, "link": 1.5, "arm": 1.1}


def six_bar_points(th):
    a = np.cos(th), np.sin(th)
    b = meet(a, GROUND2, 3.2, 2.6, +1)
    ex, ey = (b[0] - a[0]) / 3.2, (b[1] - a[1]) / 3.2
    p = a[0] + POINT[0] * ex - POINT[1] * ey, a[1] + POINT[0] * ey + POINT[1] * ex
    c = meet(p, GROUND3, 2.4, 1.8, -1)
    zero = 0 * th
    ends = {
        "crank": ((zero, zero), a),
        "coupler": (a, b),
        "rocker": ((zero + GROUND2[0], zero + GROUND2[1]), b),
        "link": (p, c),
        "arm": ((zero + GROUND3[0], zero + GROUND3[1]), c),
    }
    return ends, p


def six_bar(law):
    th = 0.4
    ends, p = six_bar_points(th)
    m = da.Mechanism("Stephenson six-bar", plane=True, gravity=(0, -G))
    body = {}
    for name, (start, end) in ends.items():
        (x0, y0), (x1, y1) = start, end
        at, angle = ((x0 + x1) / 2, (y0 + y1) / 2), math.atan2(y1 - y0, x1 - x0)
        body[name] = m.body(name, da.rod(length=BARS[name], mass=WEIGHT[name]), at=at, angle=angle)
    m.revolute("O", m.ground, body["crank"], at=(0, 0))
    m.revolute("A", body["crank"], body["coupler"], at=ends["crank"][1])
    m.revolute("B", body["coupler"], body["rocker"], at=ends["coupler"][1])
    m.revolute("Q", m.ground, body["rocker"], at=GROUND2)
    m.revolute("P", body["coupler"], body["link"], at=p)
    m.revolute("C", body["link"], body["arm"], at=ends["arm"][1])
    m.revolute("E", m.ground, body["arm"], at=GROUND3)
    m.drive("motor", m["O"].angle, law)
    return m


def six_bar_torque(th, w, e):
    """I th'' + 1/2 I' th'^2 + V' over five rods: 1/2 m |mid'|^2 + m l^2/24 angle'^2, angle' from the ends."""
    torque = np.zeros_like(th)
    for name, m in WEIGHT.items():
        parts = [lambda x, c=c, n=name: sum(end[c] for end in six_bar_points(x)[0][n]) / 2 for c in (0, 1)]
        # a rod's spin: its end relative to its start, |d'| = l angle'
        parts += [lambda x, c=c, n=name: six_bar_points(x)[0][n][1][c] - six_bar_points(x)[0][n][0][c] for c in (0, 1)]
        for f, weight in zip(parts, (m, m, m / 12, m / 12)):
            first, second = slope(f, th), slope2(f, th)
            torque += weight * (first**2 * e + first * second * w**2)
        torque += m * G * slope(parts[1], th)
    return torque


def test_stephenson_six_bar():
    t = np.linspace(0, 1.4, 71)
    th, w, e = 0.4 + 5 * t + 0.8 * t**2, 5 + 1.6 * t, 1.6
    found = da.inverse_dynamics(six_bar("0.4 + 5*t + 0.8*t**2"), t)
    assert th[-1] - th[0] > 2 * math.pi, "a full turn and more"
    assert_three(
        found["motor"], six_bar_torque(th, w, e), tolerance=1e-8
    )  # differences of slopes are good to 1e-10 here
    assert found.run.status == "ok"


# -- open chains, tables -----------------------------------------------------------------------------------------------


def test_puma_three_ways():
    """BENCHMARKS G04: reference numbers of recursive Newton-Euler (8 decimals) and published ones with friction (4)."""
    from reference.test_g04_puma import ONES, RISING, ZERO, puma

    cases = [
        (puma(ZERO, ZERO), [0, 31.63988038, 6.03513802, 0, 0.0282528, 0], 5e-9),
        (puma(ZERO, RISING, gravity=0.0), [3.14997691, 9.48051364, 3.61888004, 0.1900996, 0.35185643, 0.5823418], 5e-9),
        (puma(ONES, ZERO), [-1.39107437, 33.42279897, 5.28311127, 0.00122308, 0.03063228, 0.00014828], 5e-9),
        (puma(ONES, ONES, friction=True), [32.4952, 60.8670, 17.7436, 1.4545, 1.2991, 0.7138], 5e-5),
    ]
    for model, expected, tolerance in cases:
        found = da.inverse_dynamics(model, [0.0])
        for k in range(3):
            assert [ways(found[f"motor {j + 1}"])[k][0] for j in range(6)] == pytest.approx(expected, abs=tolerance)
    # along a motion as well: torques up to 80 N m
    found = da.inverse_dynamics(puma(RISING, ONES, friction=True), np.linspace(0, 0.5, 6))
    assert max(found[n].spread for n in found) < 1e-9 * 80 and len(found) == 6


def arm(first, second):
    """Double pendulum of rods, 1 and 0.7 m, both joints driven."""
    m = da.Mechanism("arm", plane=True, gravity=(0, -G))
    a = m.body("upper", da.rod(length=1.0, mass=3.0), at=(0.5, 0))
    b = m.body("lower", da.rod(length=0.7, mass=2.0), at=(1.35, 0))
    m.revolute("A", m.ground, a, at=(0, 0))
    m.revolute("B", a, b, at=(1, 0))
    m.drive("shoulder", m["A"].angle, first)
    m.drive("elbow", m["B"].angle, second)
    return m


def arm_torques(q, v, a):
    """Lagrange's equations of two rods, relative angles."""
    c, s = np.cos(q[1]), np.sin(q[1])
    l1, l2, m1, m2 = 1.0, 0.7, 3.0, 2.0
    h = m2 * l1 * l2 / 2
    m11, m12, m22 = m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3) + 2 * h * c, m2 * l2**2 / 3 + h * c, m2 * l2**2 / 3
    g2 = m2 * G * l2 / 2 * np.cos(q[0] + q[1])
    g1 = (m1 / 2 + m2) * G * l1 * np.cos(q[0]) + g2
    return (
        m11 * a[0] + m12 * a[1] - h * s * (2 * v[0] * v[1] + v[1] ** 2) + g1,
        m12 * a[0] + m22 * a[1] + h * s * v[0] ** 2 + g2,
    )


def test_motion_given_as_tables():
    """Splines through measured angles drive both joints; torques by Lagrange with the splines' own derivatives."""
    knots = np.linspace(0, 2, 9)
    rng = np.random.default_rng(4)
    tables = [da.spline(knots, rng.uniform(-1, 1, 9), name=n) for n in ("shoulder_table", "elbow_table")]
    found = da.inverse_dynamics(arm(*tables), np.linspace(0, 2, 41))
    q, v, a = (np.array([[s.value(x, order) for x in found.t] for s in tables]) for order in range(3))
    first, second = arm_torques(q, v, a)
    assert_three(found["shoulder"], first)
    assert_three(found["elbow"], second)
    # the elbow's motor pushes against the upper arm, the shoulder's against the ground
    about = np.asarray(found.shaking_moment)
    assert about == pytest.approx(-first, abs=1e-9 * np.max(np.abs(first)))


def test_at_rest():
    """Constant drivers: statics, closed form of gravity."""
    found = da.inverse_dynamics(arm("0.3", "0.5"), [0.0, 1.0])
    first, second = arm_torques(np.array([0.3, 0.5]), np.zeros(2), np.zeros(2))
    for x in ways(found["shoulder"]):
        assert x == pytest.approx(np.full(2, first), rel=1e-12)
    for x in ways(found["elbow"]):
        assert x == pytest.approx(np.full(2, second), rel=1e-12)


def test_driver_along_an_expression_and_a_force():
    """A piston rod driven in length: force along a distance, against the moment balance of a lifted beam."""
    m = da.Mechanism("hoist", plane=True, gravity=(0, -G))
    beam = m.body("beam", da.rod(length=2.0, mass=5.0), at=(1.0, 0))
    m.revolute("A", m.ground, beam, at=(0, 0))
    m.measure("stroke", between=((m.ground, (0, 1.5)), beam.end))
    m.drive("cylinder", "stroke", "2.5 - 0.1*t**2")
    t = np.linspace(0, 2, 9)
    found = da.inverse_dynamics(m, t)
    assert found["cylinder"].unit == "N"
    # s^2 = 1.5^2 + 2^2 - 6 sin(th): s s' = -3 cos th th', and the power of F is that of inertia and weight
    th = np.asarray(found.run["beam"].angle)
    assert (2.5 - 0.1 * t**2) ** 2 == pytest.approx(6.25 - 6 * np.sin(th), abs=1e-12)
    s, ds, dds = 2.5 - 0.1 * t**2, -0.2 * t, -0.2
    w = -s * ds / (3 * np.cos(th))
    e = -(ds**2 + s * dds - 3 * np.sin(th) * w**2) / (3 * np.cos(th))
    moment = 5.0 * 4 / 3 * e + 5.0 * G * np.cos(th)
    assert_three(found["cylinder"], moment * s / (-3 * np.cos(th)))


def test_spatial_four_bar_with_redundant_rows():
    """Reactions are not unique, the motor's torque is: same as in the plane."""
    plane, space = fb4(), fb4(plane=False)
    plane.drive("motor", plane["A"].angle, "pi/2 + 2*t")
    space.drive("motor", space["A"].angle, "2*t")
    t = np.linspace(0, 3, 16)
    assert_three(da.inverse_dynamics(space, t)["motor"], ways(da.inverse_dynamics(plane, t)["motor"])[0])


def test_spring_of_zero_length():
    """PLANAR 6.2.15: a spring pulled through zero length takes the direction of the motion there; damper along it."""
    m = da.Mechanism("spring", plane=True)
    b = m.body("b", mass=1.0, inertia=0.5, at=(0, 0))
    m.spring("k", (m.ground, (0, 0)), b.point(0, 0), stiffness=10.0, free_length=0.4, damping=2.0)
    for name, law in (("x", "0.3*t"), ("y", "0.4*t"), ("angle", "0.0")):
        m.drive(name, m[f"b.{name}"], law)
    found = da.inverse_dynamics(m, [0.0, 1.0])
    # f = 10 (l - 0.4) + 2 * 0.5 along (0.6, 0.8), held by the drivers
    for k, f in enumerate((-4.0 + 1.0, 1.0 + 1.0)):
        for x, y in zip(ways(found["x"]), ways(found["y"])):
            assert (x[k], y[k]) == pytest.approx((0.6 * f, 0.8 * f), abs=1e-12)


def test_force_without_a_finite_value():
    m = arm("t", "t")
    m.actuator("wild", m["A"].angle, force="1/(t - 0.5)")
    with pytest.raises(da.ModelError, match="'wild' is .* at t = 0.5"):
        da.inverse_dynamics(m, [0.0, 0.5, 1.0])


# -- the free bodies on their own --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tag", "plane"), [*joint_cases(), *force_cases()], ids=case_id)
def test_every_element_balances(tag, plane):
    """Every joint and force: loads from geometry equal the kernels' rows, and each body of a simulated run is in balance.

    Tolerance: round-off of numbers of order 1 to 100 (and of the projection onto the constraints).
    """
    run = da.simulate(sample(tag, plane).model, until=0.02, output=[0.0, 0.02], audit=False)
    free = FreeBodies(run)
    need = free.given()
    for part in (*run.parts("joint"), *run.parts("driver")):
        rows = part.rows() if part.kind == "joint" else [part.measure]
        loads = [x for measure in rows for x in free.loads(measure)]
        assert len(loads) == len(run.system.rows_of(part.name))
        for r, load in zip(run.system.rows_of(part.name), loads):
            for b, x in load.items():
                # the reaction is -lam times the row
                need[:, b] += run.lam[:, r, None] * x
    used = [0, 1, 5] if plane else list(range(6))
    size = max(1.0, np.max(np.abs(run.lam), initial=0.0), np.max(np.abs(run.forces), initial=0.0))
    assert np.max(np.abs(need[:, :, used])) < 1e-9 * size


# -- access and bad input ----------------------------------------------------------------------------------------------


def test_access_and_text():
    m = arm("sin(t)", "t")
    found = da.inverse_dynamics(m, [0.0, 1.0])
    assert found[m["elbow"]] is found["elbow"] and list(found) == ["shoulder", "elbow"]
    assert "'elbow'" in repr(found["elbow"]) and "B.angle" in repr(found["elbow"])
    assert found["elbow"].multiplier.unit == "N m" and found.spread < AGREE
    with pytest.raises(da.ModelError, match="did you mean 'elbow'"):
        found["elbo"]


def test_undriven():
    with pytest.raises(da.ModelError, match="'A.angle' can still move"):
        da.inverse_dynamics(fb4(), [0.0])


def test_no_driver():
    m = da.Mechanism("rigid", plane=True)
    bar = m.body("bar", da.rod(length=1.0, mass=1.0))
    m.fixed("weld", m.ground, bar, at=(0, 0))
    with pytest.raises(da.MethodError, match="no driver"):
        da.inverse_dynamics(m, [0.0])


def test_drivers_that_share_a_freedom():
    """Two motors turn the two ends of FB4 as one: their shares are not determined."""
    m = fb4()
    m.drive("motor", m["A"].angle, repr(math.pi / 2))
    m.drive("second", m["D"].angle, repr(math.atan2(PIN[1], PIN[0] - 4)))
    with pytest.raises(da.MethodError, match="'motor', 'second' are not unique"):
        da.inverse_dynamics(m, [0.0])


def test_bad_times():
    for times in ([], "x", [1.0, 0.0], math.nan):
        with pytest.raises(da.MethodError, match="time"):
            da.inverse_dynamics(arm("t", "t"), times)
    with pytest.raises(da.MethodError, match="a Mechanism is needed"):
        da.inverse_dynamics(3, [0.0])


def test_docstring():
    import doctest

    result = doctest.testmod(importlib.import_module("dalembert.analyses.inverse_dynamics"))
    assert result.attempted and not result.failed
