"""Drivers that jump: in position refused with the time, in velocity an impulsive step with its account."""

from importlib import resources

import numpy as np
import pytest

import dalembert as da


def cart_with_rod(law):
    """A driven cart of 3 kg with a rod of 2 kg and 1 m hanging from it."""
    m = da.Mechanism("cart and rod", gravity=(0, -9.81))
    cart = m.body("cart", da.block(0.2, 0.1, mass=3.0), at=(0, 0))
    rod = m.body("rod", da.rod(length=1.0, mass=2.0), at=(0, -0.5), angle=-np.pi / 2)
    m.prismatic("rail", m.ground, cart, along=(1, 0))
    m.revolute("pin", cart, rod, at=(0, 0))
    m.drive("motor", m["rail"].slide, law)
    return m


@pytest.mark.parametrize("law, size", [("if_(t > 1, 0.25, 0)", 0.25), ("floor(t/1.5)*0.1", 0.1)])
def test_a_jump_of_position_is_refused_with_its_time(law, size):
    with pytest.raises(da.ModelError) as caught:
        da.simulate(cart_with_rod(law), until=3.0, progress=False)
    text = str(caught.value)
    assert "motor" in text and f"{size:g}" in text and ("t = 1 s" in text or "t = 1.5 s" in text)


def test_a_jump_of_velocity_is_a_blow_with_its_account():
    """The pin moves off with V = 2 m/s: impulse m V/4 on the rod, spin 3V/(2L), and (M + m/4) V by the motor."""
    run = da.simulate(cart_with_rod("if_(t > 1, 2*(t - 1), 0)"), until=1.5, progress=False)
    assert run.status == "ok"
    before = run.t < 1.0 - 1e-9
    assert np.abs(run.v[before]).max() < 1e-12, "nothing moves before the blow"
    (blow,) = run.impulses
    assert blow.before.t == pytest.approx(1.0, abs=1e-12)
    assert blow.after.v[:3] == pytest.approx([2.0, 0.0, 0.0], abs=1e-12)
    assert abs(blow.after.v[5]) == pytest.approx(3.0, rel=1e-12)
    assert np.hypot(*blow.impulse["pin"].linear) == pytest.approx(2.0 * 2.0 / 4.0, rel=1e-12)
    assert blow.impulse["motor"].effort == pytest.approx((3.0 + 0.5) * 2.0, rel=1e-12)
    # 1/2 M V^2 + 1/2 (m/4) V^2
    assert blow.energy_change == pytest.approx(0.5 * 3.5 * 4.0, rel=1e-12)
    after = run.at(1.0 + 1e-9)
    assert after.v[0] == pytest.approx(2.0, abs=1e-9) and abs(after.v[5]) == pytest.approx(3.0, abs=1e-6)


def test_corners_of_time_functions_without_a_jump_go_on():
    run = da.simulate(cart_with_rod("if_(t > 1, (t - 1)**2, 0)"), until=2.0, progress=False)
    assert run.status == "ok" and run.impulses == () and run.v[-1, 0] == pytest.approx(2.0, rel=1e-12)
    assert [name for _, name in run.switches] == ["motor"]


def test_velocities_before_a_blow_do_not_follow_from_those_after_it():
    m = cart_with_rod("if_(t > 1, 2*(t - 1), 0)")
    run = da.simulate(m, until=1.5, progress=False)
    with pytest.raises(da.ModelError, match="before a blow"):
        da.simulate(m, until=0.0, start=run.at(1.5), backward=True, progress=False)


def test_a_corner_of_a_constraint_is_refused_where_it_is_reached():
    """A particle on y = |x|: what happens at the corner is not part of the model."""
    m = da.Mechanism("corner", gravity=(0, -9.81))
    ball = m.particle("ball", mass=1.0, at=(-1, 1))
    m.constraint("track", "ball.y - abs(ball.x)")
    assert ball.name == "ball"
    with pytest.raises(da.ModelError, match="corner") as caught:
        da.simulate(m, until=2.0, progress=False)
    # sliding down 45 degrees over sqrt(2) m: t = sqrt(2 sqrt(2)/(g/sqrt(2)))
    assert f"t = {np.sqrt(4.0 / 9.81):.6f}"[:9] in str(caught.value) and "track" in str(caught.value)
    assert caught.value.result.t[-1] > 0.6, "the motion until then is not lost"


@pytest.mark.parametrize("row, refused", [("x - if_(t > 1, 0.5, 0)", True), ("x - if_(t > 1, 2*(t - 1), 0)", False)])
def test_rows_of_a_lagrangian_that_jump(row, refused):
    kinetic = "rate(x)**2/2 + rate(y)**2/2 + (rate(x) + rate(y))**2/2"
    m = da.Lagrangian("x, y", kinetic=kinetic, holonomic={"drive": row})
    if refused:
        with pytest.raises(da.ModelError, match="jumps by 0.5"):
            da.simulate(m, until=2.0, progress=False)
        return
    run = da.simulate(m, until=2.0, progress=False)
    assert run.status == "ok" and len(run.impulses) == 1
    # momentum of y: 2 y' + x' = 0 is kept by the blow
    assert run.v[-1] == pytest.approx([2.0, -1.0], rel=1e-9)


# laws with switches that are passed at one instant, and what they are in all; between the switches they jump, in place or in their rates
TOGETHER = [("max(0, t - 0.5) + min(0, t - 0.5)", 0.5, 1.0, []), ("max(0, t - 0.5) - min(0, t - 0.5)", 0.5, 1.0, [0.5]), ("if_(t < 0.4, 0, 1) + if_(t < 0.4, t + 1, t)", 2.0, 1.0, [])]  # fmt: skip


@pytest.mark.parametrize("method", ["auto", "radau5"])
@pytest.mark.parametrize("kind", ["machine", "coordinates"])
@pytest.mark.parametrize("law, place, rate, blows", TOGETHER)
def test_switches_of_one_law_at_one_instant(law, place, rate, blows, kind, method):
    if kind == "machine":
        m = cart_with_rod(law)
    else:
        m = da.Lagrangian("x y", "rate(x)^2/2 + rate(y)^2/2", holonomic={"motor": f"x - ({law})"})
    run = da.simulate(m, until=1.0, method=method, progress=False)
    assert run.status == "ok" and [t for t, _ in run.jumps] == pytest.approx(blows, abs=1e-12)
    assert run.q[-1, 0] == pytest.approx(place, abs=1e-9) and run.v[-1, 0] == pytest.approx(rate, abs=1e-9)


def test_a_row_whose_switches_come_together():
    """Two sliders at y = max(0, x) + min(0, x) = x: no corner is reached."""
    m = da.Mechanism("two")
    for name, height in (("a", 0.0), ("b", 1.0)):
        body = m.body(name, da.block(0.1, 0.1, mass=1.0), at=(0, height))
        m.prismatic(name.upper(), m.ground, body, at=(0, height), along=(1, 0))
    m.constraint("same", "B.slide - max(0, A.slide) - min(0, A.slide)")
    m.start("A.slide", value=-0.33, rate=1.0)
    run = da.simulate(m, until=1.0, progress=False)
    assert run.status == "ok" and not run.impulses
    assert (run["A.slide"][-1], run["B.slide"][-1]) == pytest.approx((0.67, 0.67), abs=1e-9)


@pytest.mark.parametrize("method", ["auto", 5, "radau5", "generalized_alpha"])
def test_a_count_of_turns_beside_the_angle_in_a_turn(method):
    """The Geneva drive: its slot changes from turn to turn where the angle jumps by 2 pi and the count by 1.  The motion is that of `kinematics`."""
    m = da.read_model(str(resources.files("dalembert.machines") / "geneva-drive.toml"))
    run = da.simulate(m, until=2.0, method=method, progress=False)
    assert run.status == "ok" and not run.impulses
    assert run["W.angle"] == pytest.approx(da.kinematics(m, run.t)["W.angle"], abs=1e-9)
    assert run["W.angle"][-1] - run["W.angle"][0] == pytest.approx(-np.pi, abs=1e-9)
