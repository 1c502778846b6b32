"""What dry friction holds: ranges of loads and of positions against closed forms."""

import math

import pytest

import dalembert as da

G = 9.81


def slope(angle, **options):
    m = da.Mechanism("slope", plane=True, gravity=(-G * math.sin(angle), -G * math.cos(angle)))
    body = m.body("block", mass=2.0, inertia=0.1)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.friction("rub", "guide", **options)
    return m


def test_range_of_loads_on_a_slope():
    """F between W (sin - mu cos) and W (sin + mu cos), with the static coefficient."""
    held = da.holding_load(slope(0.5, mu=0.1, static=0.2), "guide.slide")["guide.slide"]
    weight = 2.0 * G
    assert held.value == pytest.approx(weight * math.sin(0.5), abs=1e-12)
    assert held.low == pytest.approx(weight * (math.sin(0.5) - 0.2 * math.cos(0.5)), abs=1e-10)
    assert held.high == pytest.approx(weight * (math.sin(0.5) + 0.2 * math.cos(0.5)), abs=1e-10)
    assert "friction can hold it from" in str(da.holding_load(slope(0.5, mu=0.2), "guide.slide")) and not held.certain
    known = da.holding_load(slope(0.5, force=3.0), "guide.slide")
    assert "friction holds it from" in str(known) and known["guide.slide"].certain


def pendulum(radius=0.05, mu=0.4):
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0, -0.5), angle=-math.pi / 2)
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.friction("rub", "A", mu=mu, radius=radius)
    return m


def test_positions_that_a_pin_holds():
    """W l/2 |sin| <= mu r W: around the lowest and around the highest position."""
    found = da.equilibrium(pendulum())
    limit, down = math.asin(0.4 * 0.05 / 0.5), -math.pi / 2
    (inner,) = [one for one in found if down in one]
    assert inner.low == pytest.approx(down - limit, abs=1e-8) and inner.high == pytest.approx(down + limit, abs=1e-8)
    top = [one for one in found if down not in one]
    ends = sorted(x for one in top for x in (one.low, one.high) if math.isfinite(x))
    assert ends == pytest.approx([down - math.pi + limit, down + math.pi - limit], abs=1e-8)
    assert down + 0.01 in found and down + 1.0 not in found


def test_a_run_agrees_where_it_stays():
    found = da.equilibrium(pendulum())
    (inner,) = [one for one in found if -math.pi / 2 in one]
    for angle in (inner.high - 1e-4, inner.high + 1e-4):
        m = pendulum()
        m.start(m["A"].angle, angle, rate=0.0)
        run = da.simulate(m, until=0.2)
        assert (abs(run["A"].angle[-1] - angle) < 1e-12) == (angle in found)


def test_everywhere_on_a_rough_slope_and_nowhere_on_a_steep_one():
    assert [(one.low, one.high) for one in da.equilibrium(slope(0.1, mu=0.2))] == [(-math.inf, math.inf)]
    assert len(da.equilibrium(slope(0.3, mu=0.2))) == 0


def test_two_wedges_lock_themselves():
    """A wedge of 0.15 rad under a load, friction on both its faces: driven back unless 2 atan(mu) >= 0.15."""

    def wedge(mu):
        m = da.Mechanism("wedge", plane=True)
        low = m.body("wedge", mass=0.1, inertia=0.01)
        top = m.body("load", mass=0.1, inertia=0.01, at=(0, 0.1))
        m.prismatic("floor", m.ground, low, along=(1, 0))
        m.prismatic("face", low, top, along=(math.cos(0.15), math.sin(0.15)), at=(0, 0.1))
        m.prismatic("shaft", m.ground, top, along=(0, 1))
        m.force("press", top, (0, -100.0))
        m.friction("below", "floor", mu=mu)
        m.friction("on", "face", mu=mu)
        return m

    limit = math.tan(0.15 / 2)
    for mu, locks in ((limit + 1e-4, True), (limit - 1e-4, False)):
        run = da.simulate(wedge(mu), until=0.05)
        assert (abs(run["floor"].slide[-1]) < 1e-10) == locks
        held = da.holding_load(wedge(mu), "floor.slide")["floor.slide"]
        assert (held.low <= 0.0 <= held.high) == locks
    # what drives it in: Q = W (tan(a + phi) + tan(phi)), phi the angle of friction
    phi = math.atan(0.3)
    held = da.holding_load(wedge(0.3), "floor.slide")["floor.slide"]
    assert max(abs(held.low), abs(held.high)) == pytest.approx(100.0 * (math.tan(0.15 + phi) + math.tan(phi)), rel=1e-9)


def test_mistakes_are_told():
    with pytest.raises(da.MethodError, match="leave them out"):
        da.equilibrium(slope(0.1, mu=0.2), method="energy")


def test_initial_values_do_not_end_the_ranges():
    """They say where a run begins: the ranges are those of the whole way."""
    m = pendulum()
    m.start(m["A"].angle, -math.pi / 2, rate=1.0)
    found, free = da.equilibrium(m), da.equilibrium(pendulum())
    assert [x for one in found for x in (one.low, one.high)] == pytest.approx(
        [x for one in free for x in (one.low, one.high)], abs=1e-8
    )
    assert found.looked == pytest.approx(free.looked, abs=1e-12)


@pytest.mark.parametrize(("rate", "told"), [("0", "nothing can move"), ("0.1*t", "an equilibrium is at rest")])
def test_a_driven_machine_with_friction_is_refused_as_one_without(rate, told):
    m = slope(0.1, mu=0.2)
    m.drive("motor", m["guide"].slide, rate)
    with pytest.raises(da.DalembertError, match=told):
        da.equilibrium(m)


def test_what_slides_and_turns_is_held_in_the_direction_of_its_motion():
    """A level shaft that turns as it slides, s = p a: friction mu m g against (s', r a') holds loads up to mu m g sqrt(1 + (r/p)^2) along s."""
    radius, pitch, mu = 0.03, 0.05, 0.2
    m = da.Mechanism("shaft", plane=False, gravity=(0, 0, -9.81))
    rod = m.body("rod", da.cylinder(radius, 0.5, mass=3.0, axis="x"))
    m.cylindrical("sleeve", m.ground, rod, at=(0, 0, 0), axis=(1, 0, 0))
    m.constraint("thread", f"sleeve.slide - {pitch}*sleeve.angle")
    m.friction("rub", "sleeve", mu=mu, radius=radius)
    held = da.holding_load(m, "sleeve.slide")["sleeve.slide"]
    most = mu * 3.0 * 9.81 * math.sqrt(1.0 + (radius / pitch) ** 2)
    assert (held.low, held.high) == pytest.approx((-most, most), rel=1e-6)
