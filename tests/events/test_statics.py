"""Holding loads beside rigid stops, and the advice where something is refused."""

import math

import pytest

import dalembert as da


def beam(stop, **contact):
    """A lever of 2 kg and 1 m on a pin at its left end, its right end over a stop at the height -0.2 - `stop` (a contact with a ball of 1 mm)."""
    m = da.Mechanism("beam", plane=True, gravity=(0, -10.0))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, -0.2))
    m.revolute("A", m.ground, bar, at=(0, -0.2))
    m.contact("block", m.ground, bar, points=[bar.end], radius=1e-3, through=(0, -0.201 - stop), **contact)
    return m


def test_the_load_of_a_pose_that_touches_nothing():
    assert da.holding_load(beam(0.01), "A.angle").value == pytest.approx(10.0)


def test_a_stop_that_touches_takes_any_part_of_the_load():
    m = beam(0.0)
    held = da.holding_load(m, "A.angle")["A.angle"]
    assert (held.low, held.value) == (-math.inf, 0.0) and held.high == pytest.approx(10.0, rel=1e-12)
    assert "contacts hold it from -inf to 10 N m" in str(da.holding_load(m, "A.angle"))
    assert da.reactions(m)["block"].force == pytest.approx([0, 10.0])  # half the weight
    m.open("block")
    assert da.holding_load(m, "A.angle").value == pytest.approx(10.0)  # at which it carries nothing


def ladder(rope=True, floor=0.0, wall=0.0):
    """A ladder of 12 kg and 4 m at an angle from a wall, on contacts, with a rope at its foot."""
    theta = math.radians(20)
    s, c = math.sin(theta), math.cos(theta)
    m = da.Mechanism("ladder", plane=True, gravity=(0, -9.81))
    bar = m.body("ladder", da.rod(length=4.0, mass=12.0), at=(2 * s, 2 * c), angle=math.atan2(-c, s))
    m.contact("wall", m.ground, bar, normal=(1, 0), points=[bar.start], **({"mu": wall} if wall else {}))
    m.contact("floor", m.ground, bar, points=[bar.end], **({"mu": floor} if floor else {}))
    if rope:
        m.force("rope", bar, (-1, 0), at=bar.end)
    return m


WEIGHT, TAN = 12 * 9.81, math.tan(math.radians(20))


def test_the_rope_of_a_smooth_ladder_is_determined():
    held = da.holding_load(ladder(), "rope")
    load = held["rope"]
    assert held.value == pytest.approx(WEIGHT / 2 * TAN, rel=1e-12) and held.spread < 1e-9
    assert (load.low, load.high) == pytest.approx((held.value, held.value))


@pytest.mark.parametrize(("floor", "wall"), [(0.05, 0.0), (0.1, 0.1), (0.0, 0.2)])
def test_friction_leaves_a_range_of_ropes(floor, wall):
    # foot: N = W - w f, F + f N s = w; top: about the foot w (cos + f sin) = W/2 sin; both at their limits one way and the other
    def rope(sign):
        w = WEIGHT / 2 * TAN / (1 + sign * wall * TAN)
        return w - sign * floor * (WEIGHT - sign * wall * w)

    held = da.holding_load(ladder(floor=floor, wall=wall), "rope")["rope"]
    assert (held.low, held.high) == pytest.approx((rope(1), rope(-1)), rel=1e-10)
    assert held.value == pytest.approx(max(held.low, 0.0))


def test_friction_of_a_block_on_a_slope():
    a = 0.5
    m = da.Mechanism("slope", plane=True, gravity=(-10 * math.sin(a), -10 * math.cos(a)))
    block = m.body("block", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1))
    m.contact("slope", m.ground, block, mu=0.1, static=0.2)
    m.force("push", block, (1, 0), at=(0, 0.1))
    held = da.holding_load(m, "push")["push"]
    assert (held.low, held.high) == pytest.approx(
        [20 * (math.sin(a) + k * 0.2 * math.cos(a)) for k in (-1, 1)], rel=1e-10
    )


def test_what_no_load_holds_is_told():
    # the ladder with a rope at its foot that cannot keep its top from leaving the wall, which cannot pull
    m = ladder(rope=False)
    m.force("lift", m["ladder"], (1, 0), at=(0, 4 * math.cos(math.radians(20))))
    m.force("rope", m["ladder"], (1.0, 0), at=(4 * math.sin(math.radians(20)), 0))
    m.force("wind", m["ladder"], (500.0, 0), at=(2 * math.sin(math.radians(20)), 2 * math.cos(math.radians(20))))
    with pytest.raises(da.MethodError, match="no size of 'rope' holds the pose beside 'wall', 'floor'"):
        da.holding_load(m, "rope")


def test_friction_in_a_joint_beside_a_contact_that_touches():
    """Of a constant size it widens the range by its limit; one that feels what the pin carries by that: W + n up, with n from 0 at the load that lifts it."""
    m = beam(0.0)
    free = da.holding_load(m, "A.angle")["A.angle"]
    m.friction("brake", "A.angle", force=1.5, static_force=2.0)
    held = da.holding_load(m, "A.angle")["A.angle"]
    assert (
        (held.low, held.high) == (-math.inf, pytest.approx(free.high + 2.0)) and free.low == -math.inf and held.certain
    )
    m.friction("rub", "A", mu=0.2, radius=0.01)
    felt = da.holding_load(m, "A.angle")["A.angle"]
    # lifted off (n = 0) the pin carries the weight; a push n of the block would need a smaller load by far more than the friction that it leaves
    assert (felt.low, felt.high) == (
        -math.inf,
        pytest.approx(held.high + 0.2 * 0.01 * 20.0, rel=1e-9),
    ) and not felt.certain


def test_bodies_that_overlap_are_no_pose():
    with pytest.raises(da.MethodError, match="the gap of 'block' is -0.01"):
        da.holding_load(beam(-0.01), "A.angle")


def test_equilibria_without_a_stop():
    m = beam(0.0)
    assert [x.verdict for x in da.equilibrium(m)] == ["stable", "stable", "unstable"]
    m.open("block")
    assert [x.verdict for x in da.equilibrium(m)] == ["stable", "unstable"]


def test_the_advice_for_equilibria_works():
    # a soft contact is a force: it rests on it with half its weight, to the right and, since planes do not end, to the left
    rests = [x["A.angle"] for x in da.equilibrium(beam(0.0, stiffness=1e5, exponent=1.0)) if x.verdict == "stable"]
    assert sorted(abs(math.sin(x)) for x in rests) == pytest.approx([10.0 / 1e5] * 2, rel=1e-6)
    m = beam(0.05)
    m.damper("oil", m["A"].angle, damping=2.0)
    assert da.simulate(m, until=10.0)["block"].force[-1, 1] == pytest.approx(10.0, rel=1e-3)
