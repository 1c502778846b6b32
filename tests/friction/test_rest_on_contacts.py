"""What friction at rigid contacts in the plane holds: ranges of positions against closed forms, and against runs."""

import math

import pytest

import dalembert as da

G = 9.81


def ladder(floor, wall, theta=1.25, man=0.0):
    """A ladder of 12 kg and 4 m at an angle to a rough floor, against a wall; `man`: a weight [N] at its upper end."""
    s, c = math.sin(theta), math.cos(theta)
    m = da.Mechanism("ladder", plane=True, gravity=(0, -G))
    bar = m.body("ladder", da.rod(length=4.0, mass=12.0), at=(2 * c, 2 * s), angle=-theta)
    m.contact("wall", m.ground, bar, normal=(1, 0), points=[bar.start], **({"mu": wall} if wall else {}))
    m.contact("floor", m.ground, bar, points=[bar.end], mu=floor)
    m.force("man", bar, (0, -man), at=bar.start)
    return m


@pytest.mark.parametrize(("floor", "wall"), [(0.3, 0.2), (0.3, 0.0), (0.5, 0.5)])
def test_the_angle_of_the_ladder(floor, wall):
    """The textbook's tan(theta) >= (1 - mu_floor mu_wall)/(2 mu_floor)."""
    found = da.equilibrium(ladder(floor, wall))
    least = math.atan((1 - floor * wall) / (2 * floor))
    (here,) = [one for one in found if -math.radians(80) in one]
    assert found.coordinate == "ladder.angle" and here.on == ("floor", "wall")
    assert "4 of 4 sets of touching gaps" in str(found) and "more paths may exist" in str(found)
    # from upright to the least angle
    assert (here.low, here.high) == pytest.approx((-math.pi / 2, -least), abs=1e-8)
    assert -least - 1e-3 in found and -least + 1e-3 not in found
    assert here.states[1].q[2] == pytest.approx(-least, abs=1e-8)


def test_a_man_at_the_top_needs_a_steeper_ladder():
    # smooth wall: w sin = (W/2 + P) cos, w <= mu (W + P)
    weight, man = 12 * G, 800.0
    (here,) = [one for one in da.equilibrium(ladder(0.4, 0.0, math.radians(80), man)) if -math.radians(80) in one]
    assert here.high == pytest.approx(-math.atan((weight / 2 + man) / (0.4 * (weight + man))), abs=1e-8)


@pytest.mark.parametrize("beyond", [-1e-3, 1e-3])
def test_a_run_agrees(beyond):
    least = math.atan((1 - 0.3 * 0.2) / (2 * 0.3))
    run = da.simulate(ladder(0.3, 0.2, least - beyond), until=0.1)
    assert (abs(run["ladder"].angle[-1] - run["ladder"].angle[0]) < 1e-12) == (beyond < 0)


def slope(angle, mu, width=0.4, stop=False):
    m = da.Mechanism("slope", plane=True, gravity=(-G * math.sin(angle), -G * math.cos(angle)))
    block = m.body("block", da.block(width, 0.2, mass=2.0), at=(0, 0.1))
    m.contact("slope", m.ground, block, points=[block.point(-width / 2, -0.1), block.point(width / 2, -0.1)], mu=mu)
    if stop:
        m.contact("stop", m.ground, block, normal=(1, 0), points=[block.point(-width / 2, -0.1)], through=(-1.0, 0))
    return m


def test_a_block_on_a_slope():
    """Everywhere below the angle of friction and of tipping, nowhere above; so does the block that hangs from its two points, its turned image."""
    for angle, mu, width, held in ((0.2, 0.21, 0.4, True), (0.2, 0.20, 0.4, False), (0.3, 0.5, 0.05, False)):
        found = da.equilibrium(slope(angle, mu, width))
        assert len(found) == 2 * held and (found.coordinate, 0.5 in found) == ("block.x", held)
        assert not held or found[0].low == -math.inf and found[0].high == math.inf


@pytest.mark.parametrize(("slope_angle", "sides"), [(0.2, "wide tall"), (0.6, "wide")])
def test_a_box_rests_on_each_of_its_sides(slope_angle, sides):
    """On the opposite side too, which is a path of its own: it stands where tan(angle) is below mu, and width/height of the side."""
    m = da.Mechanism("box", plane=True, gravity=(-G * math.sin(slope_angle), -G * math.cos(slope_angle)))
    m.contact("floor", m.ground, m.body("box", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1)), mu=0.9)
    expected = [{"bottom_left", "bottom_right"}, {"top_left", "top_right"}]
    if "tall" in sides:
        expected += [{"bottom_left", "top_left"}, {"bottom_right", "top_right"}]
    found = [{name.removeprefix("floor.") for name in one.on} for one in da.equilibrium(m)]
    assert len(found) == len(expected) and all(one in found for one in expected)


def test_a_block_that_slides_down_to_a_stop():
    found = da.equilibrium(slope(0.3, 0.1, stop=True))
    (rest,) = [
        one for one in found if one.on == ("slope.p1", "slope.p2") and abs(one.states[0].q[2]) < 1
    ]  # not hanging
    assert rest.low == rest.high == pytest.approx(-0.8, abs=1e-9)  # its corner at -1
    turned = [one.states[0].q for one in found if one.low == one.high and abs(math.cos(one.states[0].q[2]) + 1) < 1e-9]
    assert len(turned) == 1, "one place is one place, full turns aside"


def test_a_tilted_block_leans_on_the_stop():
    """At both ends of the range a run stays in the middle of it, and falls a little beyond."""
    model = slope(0.3, 0.1, stop=True)
    (lean,) = [one for one in da.equilibrium(model) if one.on == ("slope.p2", "stop") and one.low < one.high]
    assert lean.coordinate == "block.angle"
    for end, beyond in ((lean.low, -1e-3), (lean.high, 1e-3)):
        for way in (-1.0, 1.0):
            there = da.assemble(
                _closed(0.3), fixed={"block.angle": end + way * beyond}, start=lean.states[0 if beyond < 0 else 1]
            ).state
            run = da.simulate(model, until=0.05, start=there)
            stays = abs(run["block"].angle[-1] - run["block"].angle[0]) < 1e-12
            assert stays == (way < 0.0)


def _closed(angle):
    """The block with its corner and the stop held, to be brought to another angle."""
    m = slope(angle, 0.1)
    block = m["block"]
    m.constraint("on slope", m.measure("p2 y", point=block.point(0.2, -0.1), along=(0, 1)))
    m.constraint("on stop", m.measure("p1 x", point=block.point(-0.2, -0.1), along=(1, 0)) + 1.0)
    return m


@pytest.mark.parametrize("slope", [0.0, 0.1])
@pytest.mark.parametrize("plane", [True, False])
def test_a_ball_that_could_roll(plane, slope):
    """No set of gaps leaves one free motion: the answer is whether the start stays, on a level floor with nothing, on a slope not at all."""
    down, level = G * math.sin(slope), G * math.cos(slope)
    m = da.Mechanism("ball", plane=plane, gravity=(down, -level) if plane else (down, 0, -level))
    ball = m.body(
        "ball", da.disk(0.1, mass=1.0) if plane else da.sphere(0.1, mass=1.0), at=(0, 0.1) if plane else (0, 0, 0.1)
    )
    m.contact("floor", m.ground, ball, mu=0.3)
    found = da.equilibrium(m)
    assert found.stays == (slope == 0.0) and found.used == (0.0 if slope == 0.0 else math.inf) and not found.certain
    # a torque on it balances the slope by friction: tan(a) of mu
    m.torque("brake", ball, G * math.sin(slope) * 0.1 if plane else (0, -G * math.sin(slope) * 0.1, 0))
    found = da.equilibrium(m)
    assert found.stays and found.used == pytest.approx(math.tan(slope) / 0.3, abs=1e-9)


def test_what_is_refused():
    with pytest.raises(da.MethodError, match="dry friction with method, along or spinning"):
        da.equilibrium(slope(0.2, 0.3), method="settle")


def test_friction_of_a_constant_size_holds_besides():
    """On a slope of 0.2 with mu = 0.2 it needs W (sin - mu cos) more."""
    need = 2.0 * G * (math.sin(0.2) - 0.2 * math.cos(0.2))
    for force, held in ((need - 1e-6, False), (need + 1e-6, True)):
        m = slope(0.2, 0.2)
        m.friction("rub", m["block"].x, force=force)
        assert (0.5 in da.equilibrium(m)) == held


def test_a_gap_that_joints_hold_closed_is_refused():
    """A guide and a floor below it share the weight in any proportion: friction of the floor was taken as none, and the block slid on for ever."""
    m = da.Mechanism("guided", plane=True, gravity=(0, -G))
    body = m.body("block", mass=1.0, inertia=0.1)
    m.prismatic("way", m.ground, body, along=(1, 0))
    m.contact("floor", m.ground, body, points=[body.point(0, 0)], mu=0.3)
    asks = da.equilibrium, da.reactions, da.instant, lambda m: da.simulate(m, until=0.1), lambda m: da.holding_load(m, "way.slide")  # fmt: skip
    for ask in asks:
        with pytest.raises(
            da.ModelError, match="feels what presses at 'floor', which touches and which no motion opens"
        ):
            ask(m)
    m.open("floor")
    assert da.simulate(m, until=0.1).status == "ok"


def test_a_block_turned_over_is_found():
    """A brick on a rough floor stands on its long and short sides; upside down it is on another path of its upper corners.  Every start finds all."""
    m = da.Mechanism("brick", plane=True, gravity=(0, -9.81))
    brick = m.body("brick", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1))
    m.contact("floor", m.ground, brick, mu=0.4)
    over = da.assemble(m, fixed={"brick.angle": math.pi, "brick.y": 0.1, "brick.x": 0.0}).state
    sides = [("bottom_left", "bottom_right"), ("top_left", "top_right"), ("bottom_left", "top_left"), ("bottom_right", "top_right")]  # fmt: skip
    for start in (None, over):
        found = sorted(one.on for one in da.equilibrium(m, start=start))
        assert found == sorted((f"floor.{a}", f"floor.{b}") for a, b in sides)
