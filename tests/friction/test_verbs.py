"""Friction in the other analyses: at one state, along a driven motion, for small motions."""

import math

import numpy as np
import pytest

import dalembert as da
from tests.friction.test_kernel import slider_crank

G = 9.81


def on_slope(angle, rate=0.0, **more):
    """A block on a slope that rises along x by an angle."""
    m = da.Mechanism("slope", plane=True, gravity=(-G * math.sin(angle), -G * math.cos(angle)))
    block = m.body("block", mass=1.0, inertia=0.1)
    m.prismatic("guide", m.ground, block, along=(1, 0))
    m.friction("rub", "guide", **more)
    m.start(m["guide"].slide, 0.0, rate=rate)
    return m


def test_instant_where_it_sticks_and_where_it_slips():
    still = da.instant(on_slope(0.3, mu=0.5))
    assert still.second_rate("guide.slide") == pytest.approx(0.0, abs=1e-12)
    assert still["rub"].force == pytest.approx([G * math.sin(0.3), 0.0], abs=1e-12)
    up = da.instant(on_slope(0.3, 2.0, mu=0.5))
    assert up.second_rate("guide.slide") == pytest.approx(-G * (math.sin(0.3) + 0.5 * math.cos(0.3)), rel=1e-12)
    steep = da.instant(on_slope(0.6, mu=0.5))
    assert steep.second_rate("guide.slide") == pytest.approx(-G * (math.sin(0.6) - 0.5 * math.cos(0.6)), rel=1e-12)


def test_instant_agrees_with_a_run():
    m = on_slope(0.3, 2.0, mu=0.5, static=0.6)
    run = da.simulate(m, until=1.0)
    for t in (0.1, 0.8):
        now, out = da.instant(m, run.at(t)), run.resample(np.array([t]))
        assert now["rub"].force == pytest.approx(np.asarray(out["rub"].force[0]), abs=1e-9)
        assert now["guide"].force == pytest.approx(np.asarray(out["guide"].force[0]), abs=1e-9)


def test_reactions_feel_the_friction():
    """A drawer is pulled beside its guide: both ends press, and friction at mu N holds it back."""
    m = da.Mechanism("drawer", plane=True)
    body = m.body("drawer", mass=1.0, inertia=0.02)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.force("pull", body, (5.0, 0), at=body.point(0, 0.3), frame="space")
    m.friction("rub", "guide", mu=0.3, length=0.2)
    m.start(m["guide"].slide, 0.0, rate=1.0)
    found = da.reactions(m)
    assert abs(found["guide"].torque) == pytest.approx(5.0 * 0.3, rel=1e-12)
    sheet = da.free_body(m, body)
    assert sheet.resultant().force[0] == pytest.approx(5.0 - 0.3 * 2 * 1.5 / 0.2, rel=1e-9)


def screw_jack(mu=0.1, rate=0.5):
    m = da.Mechanism("jack", plane=False, gravity=(0, 0, -G))
    nut = m.body("nut", da.box(0.1, 0.1, 0.05, mass=20.0))
    m.screw("thread", m.ground, nut, at=(0, 0, 0), axis=(0, 0, 1), pitch=0.08 * 2 * math.pi * 0.02)
    m.friction("rub", "thread", mu=mu, radius=0.02)
    m.drive("motor", m["thread"].angle, f"{rate}*t")
    return m


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_the_torque_of_a_jack(way):
    """Raising T = W r (tan a + mu)/(1 - mu tan a), lowering W r (mu - tan a)/(1 + mu tan a) (any textbook of machine elements)."""
    run = da.inverse_dynamics(screw_jack(rate=0.5 * way), [0.0, 0.5, 1.0])
    lead, mu, weight = 0.08, 0.1, 20.0 * G
    torque = weight * 0.02 * (lead + way * mu) / (1.0 - way * mu * lead)
    assert run["motor"].multiplier == pytest.approx(torque, rel=1e-9)
    assert run.run.status == "ok"


def test_inverse_dynamics_agrees_with_a_run():
    """A driven slider-crank with friction in all joints: the torque of its motor by both ways."""
    m = slider_crank()
    m._starts.clear()
    m.drive("motor", m["O"].angle, "0.7 + 3*t")
    times = np.linspace(0.0, 2.0, 21)
    one, two = da.inverse_dynamics(m, times), da.simulate(m, until=2.0, output=list(times), rtol=1e-10)
    away = np.min(np.abs(times[:, None] - np.array([e.t for e in two.events])[None, :]), axis=1) > 1e-6
    away[0] = False
    assert one["motor"].multiplier[away] == pytest.approx(two["motor"].torque[away], rel=1e-6)
    assert one.run["rub_A"].torque[away] == pytest.approx(two["rub_A"].torque[away], rel=1e-6)
    assert da.kinematics(m, times)["O"].angle == pytest.approx(0.7 + 3 * times, abs=1e-12)


def test_small_motions_where_it_sticks():
    """Two masses on springs: held by friction, the first one is as good as fixed."""

    def chain(**friction):
        m = da.Mechanism("chain", plane=True)
        a, b = m.body("a", mass=1.0, inertia=1.0), m.body("b", mass=2.0, inertia=1.0)
        m.prismatic("one", m.ground, a, along=(1, 0))
        m.prismatic("two", a, b, along=(1, 0))
        m.actuator("k1", m["one"].slide, force="-100*s")
        m.actuator("k2", m["two"].slide, force="-50*s")
        if friction:
            m.friction("rub", "one", **friction)
        return m

    stuck = da.linearize(chain(force=1.0))
    assert [float(mode.omega) for mode in stuck.modes] == pytest.approx([5.0], rel=1e-9)
    assert len(da.linearize(chain()).modes) == 2
    moving = chain(force="2 + 0.5*v", static_force=2.0)
    moving.start(moving["one"].slide, 0.0, rate=3.0)
    moving.start(moving["two"].slide, 0.0, rate=-3.0)
    # while it slips a size that grows with the rate damps, and a constant one does not
    state = da.linearize(moving)
    assert np.sum(state.eigenvalues.real) == pytest.approx(-0.5, rel=1e-6)


def test_small_motions_of_what_cannot_move_are_refused():
    with pytest.raises(da.ModelError, match="nothing can move"):
        da.linearize(on_slope(0.3, mu=0.5))
