"""Dry friction: stops, turning points, limit cycles, self-locking and jamming against closed forms and references."""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def block(gravity=(0.0, -G), mass=1.0):
    """A block on a guide along x."""
    m = da.Mechanism("block", plane=True, gravity=gravity)
    body = m.body("block", mass=mass, inertia=0.1)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.measure("x", point=body.point(0, 0), along=(1, 0))
    return m, body


def on_slope(angle, **options):
    """A block on a slope, x upward along it."""
    m, _ = block((-G * math.sin(angle), -G * math.cos(angle)))
    m.friction("rub", "guide", **options)
    return m


def test_a_block_stops_on_a_slope_and_stays():
    m = on_slope(0.3, force=4.0)
    m.start(m["guide"].slide, 0.0, rate=2.0)
    run = da.simulate(m, until=2.0)
    down = G * math.sin(0.3) + 4.0
    assert run.status == "ok"
    assert [(e.name, e.what) for e in run.events] == [("rub", "stick")]
    assert run.events[0].t == pytest.approx(2.0 / down, abs=1e-10)
    assert run["guide"].slide[-1] == pytest.approx(2.0 / down, abs=1e-9)  # v^2/(2 a) with v = 2: 0.289895 m
    assert round(float(run["guide"].slide[-1]), 6) == 0.289895
    stuck = run.t > run.events[0].t
    assert np.max(np.abs(run["guide.slide"].rate[stuck])) < 1e-14
    assert np.allclose(np.linalg.norm(run["rub"].force[stuck], axis=1), G * math.sin(0.3), atol=1e-9)


def test_it_slips_again_above_the_static_limit_only():
    m, _ = block()
    m.force("push", m["block"], ("2*t", 0))
    m.friction("rub", "guide", force=3.0, static_force=5.0)
    run = da.simulate(m, until=4.0, output=0.01)
    (event,) = run.events
    assert event.what == "slip" and event.t == pytest.approx(2.5, abs=1e-9)
    assert np.all(run["guide"].slide[run.t <= 2.5] == 0.0)
    # x'' = 2 t - 3 from rest at 2.5 s
    s = 4.0 - 2.5
    assert run["guide"].slide[-1] == pytest.approx((5.0 - 3.0) * s**2 / 2 + s**3 / 3, abs=1e-8)


def test_pendulum_with_friction_in_its_pin():
    """The torque is mu r |F| of the solved reaction: checked against an integration by other means."""
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.friction("rub", "A", mu=0.3, radius=0.05)
    run = da.simulate(m, until=0.9, rtol=1e-10)
    from scipy.integrate import solve_ivp

    inertia, weight, c = 2.0 / 3, 2.0 * G, 0.5

    def rate(t, y):
        """Newton's equations of a bar about its end, with the pin force found by iteration."""
        angle, w = y
        torque = 0.0
        for _ in range(60):
            a = (-weight * c * math.cos(angle) + torque) / inertia
            fx = 2.0 * (-a * c * math.sin(angle) - w**2 * c * math.cos(angle))
            fy = 2.0 * (a * c * math.cos(angle) - w**2 * c * math.sin(angle)) + weight
            torque = 0.3 * 0.05 * math.hypot(fx, fy)  # against a turn that goes down
        return [w, a]

    other = solve_ivp(rate, (0, 0.9), [0.0, -1e-300], rtol=1e-11, atol=1e-12)
    assert run["A"].angle[-1] == pytest.approx(other.y[0, -1], abs=1e-8)
    force = np.linalg.norm(run["A"].force, axis=1)
    assert np.abs(run["rub"].torque)[1:] == pytest.approx(0.3 * 0.05 * force[1:], rel=1e-10)
    assert run.status == "ok" and run.audit.energy < 1e-8


@pytest.mark.parametrize(("mu", "stays"), [(math.tan(0.3) + 1e-6, True), (math.tan(0.3) - 1e-6, False)])
def test_a_block_stays_on_a_slope_below_its_angle_of_friction(mu, stays):
    run = da.simulate(on_slope(0.3, mu=mu), until=1.0)
    assert (abs(run["guide"].slide[-1]) == 0.0) == stays


@pytest.mark.parametrize(("mu", "locks"), [(0.08, False), (0.12, True)])
def test_a_screw_locks_itself_at_the_angle_of_friction(mu, locks):
    """tan(lead) = pitch/(2 pi r) = 0.1."""
    m = da.Mechanism("jack", plane=False, gravity=(0, 0, -G))
    nut = m.body("nut", da.box(0.1, 0.1, 0.05, mass=20.0))
    m.screw("thread", m.ground, nut, at=(0, 0, 0), axis=(0, 0, 1), pitch=0.1 * 2 * math.pi * 0.02)
    m.friction("rub", "thread", mu=mu, radius=0.02)
    run = da.simulate(m, until=0.5)
    moved = abs(run["nut"].position[-1, 2])
    assert (moved < 1e-13) == locks  # rounding of the projections
    if not locks:
        # the nut slides down its thread like a block on a slope: load W, friction mu N along the helix
        lead, r, mass, spin = math.atan(0.1), 0.02, 20.0, 20.0 * (0.1**2 + 0.1**2) / 12
        # two equations: axial m z'' = -m g + N cos + mu N sin; turning J theta'' = (N sin - mu N cos) r, with z'' = -a sin, theta'' = a cos/r
        matrix = np.array(
            [
                [-mass * math.sin(lead), -(math.cos(lead) + mu * math.sin(lead))],
                [spin * math.cos(lead) / r, -(math.sin(lead) - mu * math.cos(lead)) * r],
            ]
        )
        a, _ = np.linalg.solve(matrix, [-mass * G, 0.0])
        assert moved == pytest.approx(0.5 * a * math.sin(lead) * 0.5**2, rel=1e-8)


@pytest.mark.parametrize(("mu", "jams"), [(0.30, False), (0.36, True)])
def test_a_drawer_jams(mu, jams):
    """Pulled at the arm b beside its guide of length L: it jams where 2 mu b >= L (here from mu = 1/3 on)."""
    length, arm = 0.2, 0.3
    m = da.Mechanism("drawer", plane=True)
    body = m.body("drawer", mass=1.0, inertia=0.02)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.force("pull", body, (5.0, 0), at=body.point(0, arm), frame="space")
    m.friction("rub", "guide", mu=mu, length=length)
    run = da.simulate(m, until=0.5)
    moved = abs(run["guide"].slide[-1])
    assert (moved == 0.0) == jams
    if not jams:
        # N = 2 T/L with T = F b
        assert moved == pytest.approx(0.5 * (5.0 - mu * 2 * 5.0 * arm / length) * 0.5**2, rel=1e-8)


def test_two_frictions_come_to_rest_one_after_the_other():
    m = da.Mechanism("two", plane=True, gravity=(0, -G))
    low = m.body("low", mass=2.0, inertia=1.0)
    top = m.body("top", mass=1.0, inertia=1.0)
    m.prismatic("floor", m.ground, low, along=(1, 0))
    m.prismatic("between", low, top, along=(1, 0))
    m.friction("below", "floor", mu=0.1)
    m.friction("on", "between", mu=0.3)
    m.start(m["between"].slide, 0.0, rate=3.0)
    m.start(m["floor"].slide, 0.0, rate=0.0)
    run = da.simulate(m, until=4.0, rtol=1e-10)
    # the upper one drags the lower: 0.3 m2 g > 0.1 (m1 + m2) g does not hold (2.943 N = 2.943 N): the lower one stays
    low_force, drag = 0.1 * 3.0 * G, 0.3 * 1.0 * G
    assert drag == pytest.approx(low_force)
    assert np.max(np.abs(run["floor"].slide)) < 1e-9
    assert run["between"].slide[-1] == pytest.approx(9.0 / (2 * 0.3 * G), abs=1e-8)


def test_the_upper_block_drags_the_lower_along():
    m = da.Mechanism("two", plane=True, gravity=(0, -G))
    low = m.body("low", mass=2.0, inertia=1.0)
    top = m.body("top", mass=1.0, inertia=1.0)
    m.prismatic("floor", m.ground, low, along=(1, 0))
    m.prismatic("between", low, top, along=(1, 0))
    m.friction("below", "floor", mu=0.05)
    m.friction("on", "between", mu=0.3)
    m.start(m["between"].slide, 0.0, rate=3.0)
    m.start(m["floor"].slide, 0.0, rate=0.0)
    run = da.simulate(m, until=6.0, rtol=1e-10)
    up, under = -0.3 * G, (0.3 * G - 0.05 * 3 * G) / 2.0
    together = 3.0 / (under - up)
    speed = under * together
    assert run.events["on"][0].t == pytest.approx(together, abs=1e-9) and run.events["on"][0].what == "stick"
    assert run.events["below"][-1].t == pytest.approx(together + speed / (0.05 * G), abs=1e-8)
    assert np.max(np.abs(run["between.slide"].rate[run.t > together + 0.01])) < 1e-13
    assert run["floor"].slide[-1] == pytest.approx(under * together**2 / 2 + speed**2 / (2 * 0.05 * G), abs=1e-8)
    assert run.status == "ok"


def test_energy_is_booked():
    m = on_slope(0.3, mu=0.5)
    m.start(m["guide"].slide, 0.0, rate=2.0)
    run = da.simulate(m, until=1.0)
    assert run.audit.energy < 1e-9
    lost = 0.5 * 2.0**2 - G * math.sin(0.3) * run["guide"].slide[-1]
    assert lost == pytest.approx(0.5 * G * math.cos(0.3) * run["guide"].slide[-1], abs=1e-8)


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
def test_states_between_outputs_and_saved_runs(rtol, tmp_path):
    m = on_slope(0.3, force=4.0)
    m.start(m["guide"].slide, 0.0, rate=2.0)
    run = da.simulate(m, until=1.0, rtol=rtol)
    down = G * math.sin(0.3) + 4.0
    assert float(run.at(0.1).q[0]) == pytest.approx(2 * 0.1 - down * 0.1**2 / 2, abs=10 * rtol)
    assert float(run.at(0.9).v[0]) == 0.0 or abs(run.at(0.9).v[0]) < 1e-14
    run.save(tmp_path / "run.npz")
    again = da.load(tmp_path / "run.npz")
    assert np.array_equal(np.asarray(again["rub"].force), np.asarray(run["rub"].force))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda m: m.friction("f", "guide"), "force= or mu="),
        (lambda m: m.friction("f", "guide", force=1.0, mu=0.1), "force and mu"),
        (lambda m: m.friction("f", "x", mu=0.1), "joint"),
        (lambda m: m.friction("f", "guide", mu=-0.1), "mu"),
        (lambda m: m.friction("f", "guide", mu=0.1, radius=0.1), "coordinate"),
        (lambda m: m.friction("f", "guide", mu=0.1, speed=0.1), "exact"),
        (lambda m: m.friction("f", "guide", force=1.0, static=0.1), "static"),
        (lambda m: m.friction("f", "guide", force="2*w"), "w"),
    ],
)
def test_mistakes_are_told(make, told):
    m, _ = block()
    with pytest.raises(da.DalembertError, match=told):
        make(m)


@pytest.mark.parametrize("kind", ["revolute", "spherical", "planar", "cylindrical"])
def test_a_joint_that_is_released_while_its_friction_sticks(kind):
    """What was held at rest falls freely, z = -g (t - t0)²/2, without any friction left."""
    m = da.Mechanism("let go", plane=False, gravity=(0, 0, -9.81))
    box = m.body("box", da.box(0.1, 0.2, 0.05, mass=0.5))
    axis = {} if kind == "spherical" else {"axis": (0, 0, 1) if kind == "planar" else (0, 1, 0)}
    getattr(m, kind)("joint", m.ground, box, at=(0, 0, 0), **axis)
    m.friction("rub", "joint", mu=0.2, **({} if kind == "planar" else {"radius": 0.02}))
    m.event("go", "t - 0.05", release="joint")
    run = da.simulate(m, until=0.25, output=0.05)
    assert run["box"].position[-1] == pytest.approx([0, 0, -9.81 * 0.2**2 / 2], abs=1e-12)
    assert [e.text for e in run.events] == ["joint released"] and run.status == "ok"


def doubled(second):
    """A block on a guide, and perhaps on another one beside it."""
    m = da.Mechanism("guides", plane=True, gravity=(0, -9.81))
    slider = m.body("slider", mass=1.0, inertia=0.1)
    m.prismatic("guide", m.ground, slider, along=(1, 0))
    if second:
        m.prismatic("other", m.ground, slider, along=(1, 0))
    m.friction("rub", "guide", mu=0.2)
    return m


@pytest.mark.parametrize("ask", [lambda m: da.simulate(m, until=0.5), da.reactions])
def test_friction_of_a_load_that_is_shared_is_refused(ask):
    """Two guides carry 9.81 N in any proportion: 0.2 times the load of one of them is no number."""
    ask(doubled(False))
    with pytest.raises(da.ModelError, match="'rub' feels the load of 'guide', which is not unique"):
        ask(doubled(True))


def test_rows_that_hold_twice_elsewhere_do_not_matter():
    """A guide is loaded by what lies on it, however two pins share the load above it."""
    m = da.Mechanism("cart", plane=True, gravity=(0, -9.81))
    cart = m.body("cart", mass=1.0, inertia=0.1)
    box = m.body("box", mass=2.0, inertia=0.1, at=(0, 0.2))
    m.prismatic("guide", m.ground, cart, along=(1, 0))
    m.revolute("left", cart, box, at=(-0.1, 0.1))
    m.revolute("right", cart, box, at=(0.1, 0.1))
    m.friction("rub", "guide", mu=0.2)
    m.start(m["guide"].slide, 0.0, rate=2.0)
    run = da.simulate(m, until=0.5)
    assert run["guide"].slide[-1] == pytest.approx(2.0 * 0.5 - 0.5 * 0.2 * 9.81 * 0.5**2, rel=1e-9)


def test_friction_that_would_push_is_told():
    m, _ = block()
    m.friction("rub", "guide", mu="0.3 - v")
    m.start(m["guide"].slide, 0.0, rate=1.0)
    with pytest.raises(da.ModelError, match="'rub'.*\n.*its size is -0.7"):
        da.simulate(m, until=1.0)


def test_analyses_that_do_not_know_it_say_so():
    m = on_slope(0.3, mu=0.5)
    with pytest.raises(da.MethodError, match="dry friction: 'rub'"):
        da.equations(m)
    with pytest.raises(da.MethodError, match="dry friction: 'rub'"):
        da.equations(model=m)


def brake(mu, speed, force=100.0):
    """A lever presses a pad on a drum: pivot 0.1 m beside and 0.05 m above the pad, pressed 0.4 m from the pivot."""
    m = da.Mechanism("brake", plane=True)
    drum = m.body("drum", da.disk(0.2, mass=10.0))
    lever = m.body("lever", da.rod(length=0.4, mass=1.0), at=(0.1, 0.25))
    m.revolute("O", m.ground, drum, at=(0, 0))
    m.revolute("P", m.ground, lever, at=(-0.1, 0.25))
    m.pin_in_slot("pad", m.ground, lever, at=(0, 0.2), along=(1, 0))
    m.measure("pad_x", point=lever.point(-0.1, -0.05), along=(1, 0))
    m.measure("slip", "pad_x + 0.2*O.angle")
    m.force("hand", lever, (0, -force), at=lever.end)
    m.friction("lining", "pad", mu=mu, along="slip")
    m.start(m["O"].angle, 0.0, rate=speed)
    return m


@pytest.mark.parametrize(("mu", "speed"), [(0.3, 20.0), (0.3, -20.0), (1.2, 20.0)])
def test_a_shoe_that_helps_itself(mu, speed):
    """N = F a/(b - mu c) where the drum draws the shoe in, F a/(b + mu c) the other way round."""
    run = da.simulate(brake(mu, speed), until=3.0)
    way = math.copysign(1.0, speed)
    normal = 100.0 * 0.4 / (0.1 - way * mu * 0.05)
    assert np.abs(run["pad"].force[1, 1]) == pytest.approx(normal, rel=1e-9)
    stopping = 0.5 * 10.0 * 0.2**2 * abs(speed) / (mu * normal * 0.2)
    assert run.events[0].t == pytest.approx(stopping, rel=1e-9) and run.events[0].what == "stick"
    assert run.status == "ok"


def test_a_shoe_that_grabs_is_told():
    """From mu = b/c = 2 on the drum draws the shoe in whatever the hand does."""
    with pytest.raises(da.SingularError, match="'lining'.*\n.*by 1.05 times"):
        da.simulate(brake(2.1, 20.0), until=1.0)


def test_of_two_solutions_the_one_that_a_yielding_joint_keeps():
    """Lifted, a shoe beyond mu = b/c could hang at N = -F a/(b + mu c), or be pressed by its own friction with F a/(mu c - b).

    A stiff spring in the place of the joint goes to the first, wherever it begins near it: 1 + mu c/b > 0 turns it back.
    """
    mu = 2.5
    now = da.instant(brake(mu, 20.0, -100.0))
    assert now["pad"].force[1] == pytest.approx(-100.0 * 0.4 / (0.1 + mu * 0.05), rel=1e-9)
    assert da.verify(brake(mu, 20.0, -100.0), states=1).agree
    # n' = n0 + b mu |n| - n about both solutions, with b = c/0.1 of the friction in the balance of moments
    n0, gain = -400.0, mu * 0.5
    first, second = n0 / (1 + gain), n0 / (1 - gain)
    for n, stays in ((first, True), (second, False)):
        assert n0 + gain * abs(n) - n == pytest.approx(0.0, abs=1e-9)
        assert ((n0 + gain * abs(n + 1.0) - (n + 1.0)) < 0.0) == stays


def test_stribecks_curve_with_a_static_limit():
    """Pulled by a spring: slips where k V t = static N, sticks where an integration by other means has v = 0, and again."""
    from scipy.integrate import solve_ivp

    k, speed = 200.0, 0.05
    m, _ = block()
    m.actuator("spring", "guide.slide", force=f"{k}*({speed}*t - s)")
    m.friction("rub", "guide", mu="0.1 + 0.2*exp(-(v/0.1)**2)", static=0.35)
    run = da.simulate(m, until=2.0, rtol=1e-10)
    first = 0.35 * G / (k * speed)

    def rate(t, y):
        return [y[1], k * (speed * t - y[0]) - (0.1 + 0.2 * math.exp(-((y[1] / 0.1) ** 2))) * G]

    def stops(t, y):
        return y[1]

    stops.terminal, stops.direction = True, -1
    other = solve_ivp(rate, (first, 2.0), [0.0, 0.0], events=stops, rtol=1e-12, atol=1e-14)
    stopped, place = other.t_events[0][-1], other.y_events[0][-1][0]
    assert [x.what for x in run.events[:3]] == ["slip", "stick", "slip"]
    assert [x.t for x in run.events[:3]] == pytest.approx([first, stopped, first + place / speed], abs=1e-8)
    assert run.status == "ok"


@pytest.mark.parametrize("length", [None, 0.1])
@pytest.mark.parametrize("kind", ["pin", "guide"])
def test_what_presses_in_space(kind, length):
    """mu |F|, and with a length also mu 2 |T|/length of the moment that the joint carries; in a pin times its radius."""
    m = da.Mechanism("arm", plane=False, gravity=(0.5, 0.3, -G))
    body = m.body("arm", da.box(0.6, 0.1, 0.05, mass=2.0), at=(0.3, 0.2, 0))
    more = {} if length is None else {"length": length}
    if kind == "pin":
        m.revolute("A", m.ground, body, at=(0, 0, 0), axis=(0, 1, 0))
        m.friction("rub", "A", mu=0.3, radius=0.05, **more)
    else:
        m.prismatic("A", m.ground, body, at=(0, 0, 0), along=(0, 0.6, -0.8))
        m.friction("rub", "A", mu=0.02, **more)
    run = da.simulate(m, until=0.3)
    force, torque = (np.linalg.norm(x, axis=1)[1:] for x in (run["A"].force, run["A"].torque))
    pressed = force + (0.0 if length is None else 2.0 * torque / length)
    found = np.linalg.norm(run["rub"].torque if kind == "pin" else run["rub"].force, axis=1)[1:]
    assert run.status == "ok"
    assert found == pytest.approx((0.3 * 0.05 if kind == "pin" else 0.02) * pressed, rel=1e-10)


@pytest.mark.parametrize(
    ("sizes", "told"),
    [({"mu": 0.3, "static": 0.1}, "static = 0.1, mu = 0.3 at rest"),
     ({"mu": "0.1 + 0.2*exp(-v)", "static": 0.25}, "static = 0.25, mu = 0.3 at rest"),
     ({"on": "guide.slide", "force": 2.0, "static_force": 1.0}, "static_force = 1, force = 2 at rest")],
)  # fmt: skip
def test_a_static_limit_below_the_sliding_friction_is_refused(sizes, told):
    m = da.Mechanism("block", plane=True, gravity=(0, -10))
    m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=0.1), along=(1, 0))
    with pytest.raises(da.ModelError, match=told):
        m.friction("rub", sizes.pop("on", "guide"), **sizes)


@pytest.mark.parametrize("stiffness", [{}, {"stiffness": 1e5}])
def test_so_is_that_of_a_contact_and_one_that_a_parameter_brings_about(stiffness):
    m = da.Mechanism("block", plane=True, gravity=(0, -10))
    block, s = m.body("block", da.block(0.2, 0.1, mass=1.0), at=(0, 0.05)), m.parameter("s", 0.4, "1")
    with pytest.raises(da.ModelError, match=r"static = 0\.1, mu = 0\.3 at rest"):
        m.contact("floor", m.ground, block, mu=0.3, static=0.1, **stiffness)
    m.contact("below", m.ground, block, mu=0.3, static=s, **stiffness)
    m.set_parameter("s", 0.2)
    with pytest.raises(da.ModelError, match=r"static = 0\.2, mu = 0\.3 at rest"):
        da.simulate(m, until=0.1)


def test_a_shoe_that_begins_to_grab_is_told_with_what_went_before():
    """mu rises through b/c = 2 as the drum slows down to (2.2 - 2)/0.1 = 2 m/s: no motion of rigid bodies from there."""
    with pytest.raises(da.SingularError, match="'lining'.*\n.*mu = (1.9|2)") as told:
        da.simulate(brake("2.2 - 0.1*v", 20.0), until=3.0, output="steps")
    run = told.value.result
    assert not run.complete and 0.2 * run["O.angle"].rate[-1] == pytest.approx(2.0, abs=0.1)


def test_turning_points_late_in_a_run():
    """Rates are 0 to what rounding of the time leaves of them: the later, the less is known, and no event repeats itself for that."""
    m, body = block((0, -G))
    m.actuator("spring", m["x"], force="-100*s")
    m.friction("rub", "guide", mu=1e-3)
    start = da.State(2000.0, np.array([1.0, 0.0, 0.0]), np.zeros(3), bodies=("block",))
    run = da.simulate(m, until=2005.0, start=start, output=1.0)
    assert [e.t for e in run.events] == pytest.approx(2000.0 + np.arange(1, 16) * math.pi / 10, abs=1e-8)
    assert {e.what for e in run.events} == {"slip"} and run.status == "ok"


def test_everything_comes_to_rest_in_a_slider_crank_with_friction_in_all_joints():
    from tests.friction.test_kernel import slider_crank

    run = da.simulate(slider_crank(0.3), until=3.0)
    assert run.status == "ok" and run.events[-1].t < 2.0
    assert np.max(np.abs(run["O.angle"].rate[run.t > run.events[-1].t])) < 1e-12
    assert run.audit.energy < 1e-6  # of the energy lost, at rtol 1e-8


class TestNothingMovesMeanwhile:
    """While all sticks or rests the motion has no error, whatever the step: what holds must be followed itself."""

    @pytest.mark.parametrize("w", [3.0, math.pi, 7.3, 26.7])
    @pytest.mark.parametrize("at", ["guide", "floor"])
    def test_a_pull_that_swings_tears_it_off_every_time(self, at, w):
        m = da.Mechanism("block", plane=True, gravity=(0, -G))
        body = m.body("block", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1))
        if at == "guide":
            m.prismatic("guide", m.ground, body, along=(1, 0))
            m.friction("rub", "guide", mu=0.3)
        else:
            m.contact("floor", m.ground, body, mu=0.3)
        m.force("pull", body, (f"7*sin({w}*t)", 0))
        run = da.simulate(m, until=5.0)
        first = math.asin(0.3 * 2 * G / 7) / w
        slips = [event.t for event in run.events.of("slip")]
        assert slips == pytest.approx([first + k * math.pi / w for k in range(len(slips))], rel=1e-7)
        assert len(slips) == 1 + int((5.0 - first) * w / math.pi)

    @pytest.mark.parametrize("wide", [0.01, 0.05, 0.3])
    @pytest.mark.parametrize("at", [2.436963504466762, 6.56113898437645, 9.184709695817622])
    def test_a_short_pull_tears_it_off(self, at, wide):
        m, body = block(mass=2.0)
        m.friction("rub", "guide", mu=0.3)
        m.force("pull", body, (f"7*exp(-((t - {at})/{wide})**2)", 0))
        run = da.simulate(m, until=10.0)
        assert [event.what for event in run.events] == ["slip", "stick"]
        assert run.events[0].t == pytest.approx(at - wide * math.sqrt(math.log(7 / (0.6 * G))), rel=1e-8)

    @pytest.mark.parametrize("at", [1.3, 5.77, 9.1])
    def test_a_short_pull_lifts_what_rests(self, at):
        m = da.Mechanism("block", plane=True, gravity=(0, -G))
        body = m.particle("block", mass=2.0, at=(0, 0))
        m.impact("floor", "block.y")
        m.force("pull", body, (0, f"30*exp(-((t - {at})/0.1)**2)"))
        leaves = da.simulate(m, until=10.0).events.of("release")[0]
        assert leaves.t == pytest.approx(at - 0.1 * math.sqrt(math.log(30 / (2 * G))), rel=1e-8)

    @pytest.mark.parametrize("at", [1.3, 5.77, 9.1])
    def test_a_short_force_is_an_event(self, at):
        m = da.Mechanism("block", plane=True)
        body = m.body("block", mass=2.0, inertia=1.0)
        m.fixed("weld", m.ground, body)
        m.force("pull", body, (f"30*exp(-((t - {at})/0.1)**2)", 0))
        m.event("much", "weld.force", level=20.0, direction="up")
        run = da.simulate(m, until=10.0)
        (much,) = run.events
        assert much.t == pytest.approx(at - 0.1 * math.sqrt(math.log(1.5)), rel=1e-8)
        # also where the force is 1e-229 N, whose square is zero
        assert run.status == "ok"


def test_the_effort_of_what_sticks_and_slips():
    """Pulled with 5 t: what holds it up to 2 N, then what it slips with."""
    m, _ = block()
    m.actuator("pull", "guide.slide", force="5*t")
    m.friction("rub", "guide", force=2.0)
    run = da.simulate(m, until=1.0, output=0.1)
    assert np.allclose(run["rub"].effort, -np.minimum(5.0 * run.t, 2.0), atol=1e-9)


def braced(what):
    """Bodies that joints or a driver hold, with friction where nothing can move."""
    m = da.Mechanism("braced", plane=True, gravity=(0, -G))
    if what == "driver":
        body = m.body("block", mass=1.0, inertia=0.1)
        m.prismatic("guide", m.ground, body, along=(1, 0.3))
        m.drive("motor", "guide.slide", "0")
        m.friction("rub", "guide", force=2.0)
        return m
    rise = math.sqrt(3) / 2
    left = m.body("left", da.rod(length=1.0, mass=1.0), at=(0.25, rise / 2), angle=math.pi / 3)
    right = m.body("right", da.rod(length=1.0, mass=1.0), at=(0.75, rise / 2), angle=-math.pi / 3)
    m.revolute("A", m.ground, left, at=(0, 0))
    m.revolute("B", left, right, at=(0.5, rise))
    m.revolute("C", m.ground, right, at=(1, 0))
    m.friction("rub", "B", mu=0.3, radius=0.05)
    m.friction("rust", "A", force=0.3)
    return m


@pytest.mark.parametrize("what", ["driver", "triangle"])
def test_friction_where_nothing_can_move_is_not_unique(what):
    """It may take anything up to its limit: none is taken, and that is told, whatever rounding makes of accelerations that are none."""
    run = da.simulate(braced(what), until=0.1)
    rubs = [part.name for part in run.model.frictions]
    assert run.status == "ok" and not run.events
    assert set(rubs) <= set(run.audit.not_unique)
    assert all(np.max(np.abs(run[name].effort)) == 0.0 for name in rubs)


@pytest.mark.parametrize("size", [{"force": 2.0}, {"mu": 0.2}])
@pytest.mark.parametrize("law", ["0.1*t**3", "0.1*t**4", "if_(t < 0.5, 0, (t - 0.5)**2)", "step(t, 0.2, 0, 1.4, -0.1)"])
def test_a_driver_sets_in_motion_what_rests(law, size):
    """Neither rate nor second rate tell at rest which way it will go; friction brakes from there on, and the driver has its work."""
    m, _ = block()
    m.drive("motor", "guide.slide", law)
    m.friction("rub", "guide", **size)
    run = da.simulate(m, until=1.0)
    rate = run["guide"].slide.rate
    moves = np.abs(rate) > 1e-7
    limit = size.get("force", 0.2 * G)
    assert run.status == "ok" and [e.what for e in run.events] == ["slip"]
    assert np.allclose(run["rub"].effort[moves], -limit * np.sign(rate[moves]), atol=1e-8)
    way = abs(float(run["guide"].slide[-1]))
    assert float(run["rub"].work[-1]) == pytest.approx(-limit * way, abs=1e-7)
    gained = 0.5 * float(rate[-1]) ** 2
    assert float(run["motor"].work[-1]) == pytest.approx(gained + limit * way, abs=1e-6)


def test_a_constraint_sets_in_motion_what_rests():
    L = da.Lagrangian("x", kinetic="rate(x)**2/2", holonomic={"moved": "x - 0.1*t**3"})
    L.friction("rub", "x", force=2.0)
    run = da.simulate(L, until=1.0)
    assert run.status == "ok" and [e.what for e in run.events] == ["slip"]
    assert np.allclose(np.asarray(run.reaction("rub"))[run.t > 1e-2, 0], -2.0)


def test_a_joint_that_carries_nothing_yet_does_not_hold():
    """Without a load on the guide its friction is nothing: x'' = 8 sin 3t, which begins with 0."""
    m = da.Mechanism("guide without a load", plane=True)
    body = m.body("body", mass=1.0, inertia=1.0)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.force("push", "body", ("8*sin(3*t)", 0))
    m.friction("rub", "guide", mu=0.1)
    run = da.simulate(m, until=2.0)
    t = np.asarray(run.t)
    assert run.status == "ok"
    assert np.asarray(run["guide.slide"]) == pytest.approx(8.0 / 3.0 * t - 8.0 / 9.0 * np.sin(3.0 * t), abs=1e-5)
