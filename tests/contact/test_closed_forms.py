"""Machines of textbooks with contacts, friction and impacts, each against its closed form."""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81
SHARP = {"rtol": 1e-11, "atol": 1e-13}


def near(found, wanted, tolerance=1e-8):
    wanted = np.asarray(wanted, dtype=float)
    size = max(float(np.max(np.abs(wanted))), 1e-12)
    assert np.max(np.abs(np.asarray(found, dtype=float) - wanted)) <= tolerance * size, (found, wanted)


def ran(m, until, **options):
    run = da.simulate(m, until=until, **{**SHARP, **options})
    assert run.status == "ok", run.audit
    return run


def floor(**more):
    return da.Mechanism("machine", plane=True, **{"gravity": (0, -G), **more})


def on_a_slope(angle):
    """x is down the slope."""
    return floor(gravity=(G * math.sin(angle), -G * math.cos(angle)))


def carried(m, law, body, mu, height=0.0):
    """A driven platform under a body."""
    plate = m.body("plate", da.block(20, 0.2, mass=5), at=(0, height - 0.1))
    m.prismatic("way", m.ground, plate, along=(1, 0))
    m.drive("motor", "way.slide", law)
    m.contact("on", plate, body, normal=(0, 1), through=(0, height), mu=mu)


def test_a_disk_on_a_belt_that_is_driven_harder_and_harder():
    """It rolls with a third of the acceleration of the belt, until mu g is not enough."""
    m, mu, jerk = floor(), 0.2, 4.0
    carried(m, f"{jerk}*t**3/6", m.body("disk", da.disk(0.1, mass=2.0), at=(0, 0.1)), mu)
    slips = 3 * mu * G / jerk
    run = ran(m, slips + 0.3)
    near(run.events[-1].t, slips)
    belt = jerk * slips**2 / 2
    near(run["disk"].velocity[-1, 0], belt / 3 + mu * G * 0.3)
    near(run["disk"].spin[-1], belt * 2 / 3 / 0.1 + 2 * mu * G * 0.3 / 0.1)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_crate_of_any_size_slides_as_far(scale):
    m, speed = floor(), math.sqrt(scale)
    crate = m.body("crate", da.block(0.4 * scale, 0.2 * scale, mass=2.0), at=(0, 0.1 * scale), velocity=(speed, 0))
    m.contact("floor", m.ground, crate, mu=0.3)
    run = ran(m, speed, atol=1e-6)
    near(run.events[0].t, speed / (0.3 * G))
    near(run["crate"].position[-1, 0], scale / (2 * 0.3 * G))


@pytest.mark.parametrize(("push", "slips"), [(20.0, True), (6.0, False)])
def test_a_block_on_a_block(push, slips):
    m, lower, upper = floor(), 3.0, 1.0
    a = m.body("a", da.block(2, 0.2, mass=lower), at=(0, 0.1))
    b = m.body("b", da.block(0.2, 0.2, mass=upper), at=(-0.5, 0.3))
    m.contact("floor", m.ground, a, mu=0.1)
    m.contact("top", a, b, normal=(0, 1), through=a.point(0, 0.1), mu=0.2)
    m.force("push", a, (push, 0))
    run, floor_takes = ran(m, 0.4), 0.1 * (lower + upper) * G
    together = (push - floor_takes) / (lower + upper)
    own = [(push - floor_takes - 0.2 * upper * G) / lower, 0.2 * G] if slips else [together, together]
    near([run["a"].velocity[-1, 0], run["b"].velocity[-1, 0]], np.array(own) * 0.4)


@pytest.mark.parametrize(("mu", "rolls"), [(0.2, False), (0.64, True)])
def test_a_hoop_on_a_steep_slope(mu, rolls):
    m, radius = on_a_slope(0.9), 0.3  # tan(0.9)/2 = 0.63
    m.contact(
        "slope", m.ground, m.body("hoop", mass=1.5, inertia=1.5 * radius**2, at=(0, radius)), radius=radius, mu=mu
    )
    run, s, c = ran(m, 1.0), math.sin(0.9), math.cos(0.9)
    near(run["hoop"].velocity[-1, 0], G * s / 2 if rolls else G * (s - mu * c))
    near(run["hoop"].spin[-1], -G * s / 2 / radius if rolls else -mu * G * c / radius)


def test_a_row_of_balls_with_small_gaps():
    m = floor(gravity=(0, 0))
    balls = [m.body(f"b{k}", da.disk(0.1, mass=1.0), at=(0.201 * k, 0), velocity=(float(k == 0), 0)) for k in range(5)]
    for k in range(4):
        m.contact(f"c{k}", balls[k], balls[k + 1], restitution=1.0)
    near(ran(m, 0.1).v[-1].reshape(5, 3)[:, 0], [0, 0, 0, 0, 1])


def test_to_and_fro_between_two_walls():
    m = floor(gravity=(0, 0))
    m.particle("p", mass=1.0, velocity=(1.0, 0.3))
    m.impact("right", "1 - p.x", restitution=0.7)
    m.impact("left", "1 + p.x", restitution=0.7)
    run, t, speed, times = ran(m, 20.0), 1.0, 1.0, []
    while t < 20:
        times.append(t)
        speed *= 0.7
        t += 2 / speed
    near(run.events.times, times)
    near(run["p"].velocity[-1], [speed * (-1) ** len(times), 0.3])


def test_an_upright_rod_on_a_rough_floor_slips_where_its_force_leaves_the_cone():
    m, start, mu = floor(), 0.05, 0.3
    at = (math.sin(start) / 2, math.cos(start) / 2)
    rod = m.body("rod", da.rod(1.0, mass=1.0), at=at, angle=math.pi / 2 - start)
    m.contact("floor", m.ground, rod, points=[rod.start], mu=mu)
    angle = math.pi / 2 - da.simulate(m, until=1.0, **SHARP).events.of("slip")[0].before.q[2]

    def ratio(x):  # w^2 = 3 g (cos a0 - cos a), alpha = 3/2 g sin a of a rod of 1 m about its foot
        s, c = np.sin(x), np.cos(x)
        w2, alpha = 3 * G * (math.cos(start) - c), 1.5 * G * s
        return np.abs((alpha * c - w2 * s) / 2) / (G - (alpha * s + w2 * c) / 2)

    near(ratio(angle), mu)
    assert np.all(ratio(np.linspace(start, angle, 200)[:-1]) < mu)


def test_a_ladder_leaves_the_wall_at_two_thirds_of_its_height():
    m, start = floor(), 0.3
    rod = m.body("rod", da.rod(2.0, mass=3.0), at=(math.sin(start), math.cos(start)), angle=math.pi / 2 + start)
    m.contact("floor", m.ground, rod, points=[rod.start])
    m.contact("wall", m.ground, rod, points=[rod.end], normal=(1, 0))
    near(ran(m, 1.0).events["wall"][0].before.q[1], 2 / 3 * math.cos(start))


def test_two_pendulums_that_collide():
    m, e = floor(), 0.6
    a = m.body("a", da.disk(0.1, mass=2.0), at=(-0.1 - math.sin(0.5), -math.cos(0.5)))
    b = m.body("b", da.disk(0.1, mass=1.0), at=(0.1, -1.0))
    m.revolute("A", m.ground, a, at=(-0.1, 0))
    m.revolute("B", m.ground, b, at=(0.1, 0))
    m.contact("hit", a, b, restitution=e)
    hit, one, two = ran(m, 0.6).events[0], 2 * 1.005, 1.005
    w = math.sqrt(4 * G * (1 - math.cos(0.5)) / one)
    near([hit.after.v[2], hit.after.v[5]], [w * (one - e * two) / (one + two), w * one * (1 + e) / (one + two)])


@pytest.mark.parametrize("mu", [0.05, 0.5])
def test_a_billiard_ball_with_spin_at_the_cushion(mu):
    """It slides all through the blow, or is caught: 2/7 of what slides."""
    m, e = da.Mechanism("billiard", plane=False), 0.8
    ball = m.body("ball", da.sphere(0.05, mass=0.2), at=(-0.1, 0, 0), velocity=(2.0, 1.0, 0), spin=(0, 0, 5.0))
    m.contact("cushion", m.ground, ball, normal=(-1, 0, 0), mu=mu, restitution=e)
    run, takes = ran(m, 0.06), min(mu * (1 + e) * 2.0, 2 / 7 * (1.0 + 5.0 * 0.05))
    near(run["ball"].velocity[-1], [-e * 2.0, 1.0 - takes, 0])
    near(run["ball"].spin[-1, 2], 5.0 - takes / (0.4 * 0.05))


def test_backspin():
    m, mu, r = da.Mechanism("backspin", plane=False, gravity=(0, 0, -G)), 0.2, 0.05
    ball = m.body("ball", da.sphere(r, mass=0.2), at=(0, 0, r), velocity=(1.0, 0, 0), spin=(0, -60.0, 0))
    m.contact("floor", m.ground, ball, mu=mu)
    run, rolls = ran(m, 2.0), (5 * 1.0 - 2 * r * 60.0) / 7
    near(run.events[0].t, (1.0 - rolls) / (mu * G))
    near([run["ball"].velocity[-1, 0], r * run["ball"].spin[-1, 1]], [rolls, rolls])


def test_a_ball_on_a_turntable_goes_round_with_two_sevenths():
    m, w, r, v = da.Mechanism("turntable", plane=False, gravity=(0, 0, -G)), 2.0, 0.05, 0.3
    table = m.body("table", mass=5.0, inertia=(1, 1, 1))
    m.revolute("O", m.ground, table, at=(0, 0, 0), axis=(0, 0, 1))
    m.drive("motor", "O.angle", f"{w}*t")
    ball = m.body("ball", da.sphere(r, mass=0.2), at=(0.5, 0, r), velocity=(0, v, 0), spin=(-(v - w * 0.5) / r, 0, 0))
    m.contact("on", table, ball, mu=0.8)
    rate = 2 / 7 * w
    run = ran(m, math.pi / rate)
    assert not run.events.of("slip")
    near(run["ball"].position[-1, :2], [0.5 - 2 * v / rate, 0])


def test_a_ball_rolls_in_a_bowl():
    m, small, R, r = da.Mechanism("bowl", plane=False, gravity=(0, 0, -G)), 1e-4, 1.0, 0.1
    ball = m.body("ball", da.sphere(r, mass=0.2), at=((R - r) * math.sin(small), 0, -(R - r) * math.cos(small)))
    m.contact("bowl", m.ground, ball, radii=(R, r), inside=True, mu=0.5)
    run = ran(m, math.pi / math.sqrt(5 / 7 * G / (R - r)))
    near(run["ball"].position[-1, 0], -(R - r) * math.sin(small), 1e-7)  # of an infinitely small motion


def test_a_table_throws_its_load():
    m, A, w = floor(), 0.05, 20.0
    table = m.body("table", da.block(1, 0.1, mass=5), at=(0, -0.05))
    m.prismatic("guide", m.ground, table, along=(0, 1))
    m.drive("shaker", "guide.slide", f"{A}*sin({w}*t)")
    m.contact("on", table, m.body("ball", da.disk(0.1, mass=1), at=(0, 0.1)), normal=(0, 1), through=(0, 0))
    run, off = ran(m, 0.1), math.asin(G / (A * w * w)) / w
    near(run.events.of("release")[0].t, off)
    fly = 0.1 - off
    near(run["ball"].position[-1, 1], 0.1 + A * math.sin(w * off) + A * w * math.cos(w * off) * fly - G * fly**2 / 2)


@pytest.mark.parametrize("mu", [0.1, 0.5])
def test_a_nut_on_its_screw(mu):
    """It runs down where the lead is steeper than friction, and is held otherwise."""
    m, r, lead, mass, inertia = da.Mechanism("jack", plane=False, gravity=(0, 0, -G)), 0.02, 0.05, 3.0, 0.01
    m.screw("s", m.ground, m.body("nut", mass=mass, inertia=(inertia,) * 3), at=(0, 0, 0), axis=(0, 0, 1), pitch=lead)
    m.friction("rub", "s", mu=mu, radius=r)
    z, p, angle = ran(m, 0.5)["nut"].position[-1, 2], lead / (2 * math.pi), math.atan(lead / (2 * math.pi * r))
    c, s = math.cos(angle), math.sin(angle)
    if math.tan(angle) <= mu:
        assert z == pytest.approx(0.0, abs=1e-14)
        return
    alpha, _ = np.linalg.solve([[mass * p, -(c + mu * s)], [inertia, r * (s - mu * c)]], [-mass * G, 0])
    near(z, p * alpha / 8)


def test_a_block_on_a_wedge_that_slides_with_friction():
    m, angle, big, small, mu, under = floor(), 0.6, 4.0, 1.0, 0.2, 0.05
    wedge = m.body("wedge", mass=big, inertia=1.0)
    m.prismatic("guide", m.ground, wedge, along=(1, 0))
    m.friction("rub", "guide", mu=under)
    n, d = np.array([math.sin(angle), math.cos(angle)]), np.array([math.cos(angle), -math.sin(angle)])
    block = m.body("block", da.block(0.2, 0.2, mass=small), at=tuple(0.1 * n), angle=-angle)
    m.contact("on", wedge, block, normal=tuple(n), through=(0, 0), mu=mu)
    push = n - mu * d  # of the wedge on the block, for N = 1
    rows = [
        [small, small * d[0], -push[0], 0], [0, small * d[1], -push[1], 0],
        [big, 0, push[0], -under], [0, 0, -push[1], 1],
    ]  # fmt: skip
    back, *_ = np.linalg.solve(rows, [0, -small * G, 0, big * G])
    near(ran(m, 0.2)["wedge"].velocity[-1, 0], 0.2 * back)


def test_a_drum_between_two_shoes():
    m, mu, F, R = floor(gravity=(0, 0)), 0.3, 50.0, 0.2
    drum = m.body("drum", da.disk(R, mass=2.0), spin=30.0)
    m.revolute("O", m.ground, drum, at=(0, 0))
    for k, side in enumerate((1, -1)):
        pad = m.body(f"pad{k}", da.block(0.02, 0.1, mass=0.5), at=(side * (R + 0.01), 0))
        m.prismatic(f"g{k}", m.ground, pad, along=(1, 0))
        m.force(f"F{k}", pad, (-side * F, 0))
        m.contact(f"c{k}", pad, drum, normal=(-side, 0), through=(side * R, 0), mu=mu)
    run = ran(m, 0.5)
    near(run.events[0].t, 30.0 / (2 * mu * F * R / (0.5 * 2 * R * R)))
    assert run["drum"].spin[-1] == pytest.approx(0.0, abs=1e-12)


def test_a_block_that_holds_on_a_slope_is_hit():
    m, mu, one, two = on_a_slope(-0.3), 0.5, 2.0, 1.0  # x is up
    a = m.body("a", da.block(0.2, 0.2, mass=one), at=(0, 0.1))
    b = m.body("b", da.block(0.2, 0.2, mass=two), at=(0.5, 0.1), velocity=(-3, 0))
    m.contact("fa", m.ground, a, mu=mu)
    m.contact("fb", m.ground, b, mu=mu)
    m.contact("hit", a, b, normal=(1, 0), through=(0.1, 0))
    slower = G * (mu * math.cos(0.3) - math.sin(0.3))
    after = two * math.sqrt(9 - 2 * slower * 0.3) / (one + two)
    near(ran(m, 1.5)["a"].position[-1, 0], -(after**2) / (2 * slower))


def test_friction_stops_an_oscillation_beside_its_middle():
    m, k, F, x = floor(gravity=(0, 0)), 100.0, 3.0, 0.5
    guide = m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=1.0), along=(1, 0))
    m.spring("coil", guide, stiffness=k)
    m.friction("rub", guide, force=F)
    m.start(guide.slide, x, rate=0.0)
    run, turns = ran(m, 10), 0
    while abs(k * x) > F:
        x, turns = -(abs(x) - 2 * F / k) * math.copysign(1, x), turns + 1
    near(run["guide"].slide[-1], x)
    near(run.events[-1].t, turns * math.pi / 10)


def test_stick_and_slip_on_a_belt():
    """Held until 0.5 g, then a cosine about 0.3 g/k, until it is as fast as the belt again."""
    m, v = floor(), 0.5
    block = m.body("block", da.block(0.2, 0.2, mass=1.0), at=(0, 0.1), velocity=(v, 0))
    belt = m.body("belt", mass=5, inertia=1)
    m.prismatic("way", m.ground, belt, along=(1, 0))
    m.drive("motor", "way.slide", f"{v}*t")
    m.contact("on", belt, block, normal=(0, 1), through=(0, 0), mu=0.3, static=0.5)
    m.spring("coil", (m.ground, (-1, 0.1)), (block, (0, 0)), stiffness=100.0, free_length=1.0)
    run, slips = ran(m, 1.0), 0.5 * G / 100 / v
    near(run.events.of("slip")[0].t, slips)
    phase = -math.atan2(v / 10, 0.2 * G / 100)
    near(run.events.of("stick")[-1].t, slips + (math.pi - 2 * phase) / 10)


def test_a_ball_rolls_on_a_free_plank_on_ice():
    m, big, r, mu = floor(), 3.0, 0.1, 0.3
    plank = m.body("plank", da.block(6, 0.1, mass=big), at=(0, 0.05))
    ball = m.body("ball", da.disk(r, mass=1.0), at=(0, 0.1 + r), velocity=(2.0, 0))
    m.contact("ice", m.ground, plank)
    m.contact("on", plank, ball, normal=(0, 1), through=plank.point(0, 0.05), mu=mu)
    run, rolls = ran(m, 1.0), 2.0 / (mu * G * (1 + 1 / big + 2))
    near(run.events[0].t, rolls)
    near([run["ball"].velocity[-1, 0], run["plank"].velocity[-1, 0]], [2.0 - mu * G * rolls, mu * G * rolls / big])


def test_a_lid_on_two_rollers():
    """The rollers go half as fast: m_eff = 2 + 2 (1 + 1/2)/4."""
    m = floor()
    lid = m.body("lid", da.block(4, 0.1, mass=2.0), at=(0.5, 0.25))
    for k in (0, 1):
        roller = m.body(f"r{k}", da.disk(0.1, mass=1.0), at=(float(k), 0.1))
        m.contact(f"f{k}", m.ground, roller, mu=0.5)
        m.contact(f"l{k}", lid, roller, normal=(0, -1), through=(0, 0.2), mu=0.5)
    m.force("push", lid, (3.0, 0))
    near(ran(m, 0.5)["lid"].velocity[-1, 0], 3.0 * 0.5 / 2.75)


def test_two_wheels_that_are_pressed_together():
    m, R, r, F, mu, w = floor(gravity=(0, 0)), 0.2, 0.1, 40.0, 0.3, 50.0
    a, b = m.body("a", da.disk(R, mass=2.0), spin=w), m.body("b", da.disk(r, mass=1.0), at=(R + r, 0))
    seat = m.body("seat", mass=0.5, inertia=1.0, at=(R + r, 0))
    m.revolute("A", m.ground, a, at=(0, 0))
    m.prismatic("guide", m.ground, seat, along=(1, 0))
    m.revolute("B", seat, b, at=(R + r, 0))
    m.force("press", seat, (-F, 0))
    m.contact("rims", a, b, mu=mu)
    run, one, two = ran(m, 1.0), 0.5 * 2.0 * R**2, 0.5 * r**2
    locks = w * R / (mu * F * (R**2 / one + r**2 / two))
    near(run.events[0].t, locks)
    near([run["a"].spin[-1], run["b"].spin[-1]], [w - mu * F * R * locks / one, -mu * F * r * locks / two])


def test_a_tall_box_tips_on_a_platform():
    m, a, w, h = floor(), 6.0, 0.2, 0.6
    box = m.body("box", da.block(w, h, mass=1.0), at=(0, h / 2))
    carried(m, f"{a}*t**2/2", box, 2.0)
    run = da.simulate(m, until=0.1, **SHARP)
    near(run["box"].spin_rate[0], (a * h / 2 - G * w / 2) / ((w * w + h * h) / 3))


def test_balls_in_a_wedge_come_to_rest_without_end():
    m, s = floor(), math.sqrt(0.5)
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0.05, 1.0), spin=5.0)
    for name, x in (("left", s), ("right", -s)):
        m.contact(name, m.ground, ball, normal=(x, s), restitution=0.6, mu=0.3)
    run = ran(m, 5.0)
    near(run["ball"].position[-1], [0, 0.1 / s])
    assert run["ball"].spin[-1] == pytest.approx(0.0, abs=1e-12)


def test_a_rim_that_grips_rolls_as_the_joint_does():
    def disk(m, lean=0.3):
        b = math.pi / 2 - lean
        turn = [[1, 0, 0], [0, math.cos(b), -math.sin(b)], [0, math.sin(b), math.cos(b)]]
        return m.body("disk", da.disk(0.3, mass=1.0), at=(0, 0, 0.3 * math.cos(lean)), rotation=turn)

    one, two = (da.Mechanism("coin", plane=False, gravity=(0, 0, -G)) for _ in range(2))
    a, b = disk(one), disk(two)
    one.rolling_disk("roll", one.ground, a, radius=0.3, axis=a.axis(0, 0, 1))
    one.start("disk.x", 0.0, rate=1.0)
    rolls = ran(one, 0.5)
    two.contact("on", two.ground, b, points=[b.point(0, 0, 0)], radius=0.3, axis=b.axis(0, 0, 1), mu=5.0)
    grips = ran(two, 0.5, start=rolls.at(0.0))
    assert not grips.events
    near(grips["disk"].position[-1], rolls["disk"].position[-1])


def test_steps_of_one_length_meet_the_same_transitions():
    def machine():
        m = floor()
        cart = m.body("cart", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1))
        m.contact("floor", m.ground, cart, mu=0.2, static=0.25)
        m.revolute("A", cart, m.body("bob", da.rod(1.0, mass=1.5), at=(0.5, 0.2)), at=(0, 0.2))
        return m

    run, live = ran(machine(), 2.0), da.Stepper(machine(), step=4e-3, method=8)
    live.step(500)
    assert len(run.events) >= 4
    near(live.state.q, run.q[-1], 1e-7)
    near(ran(machine(), 2.0, method="radau", rtol=1e-10, atol=1e-12).q[-1], run.q[-1], 1e-7)
