"""Verbs on mechanisms with conditions on velocities: counts, dependent rows, blows, equilibria, small motions.

Tolerances: 1e-12 for single evaluations of size 1; 1e-7 for matrices by differences.
"""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.pose.pose import Pose

FINE = {"rtol": 1e-12, "atol": 1e-13}


def sleigh(ahead=0.1, **motion):
    m = da.Mechanism("sleigh", plane=True)
    body = m.body("sleigh", mass=1.0, inertia=0.1, center=(ahead, 0), **motion)
    m.knife_edge("blade", m.ground, body, at=(0, 0), along=(1, 0))
    return m


def two_blades(across=0.0):
    """Two blades on one body, side by side (dependent) or, turned against each other, not."""
    m = da.Mechanism("two blades", plane=True)
    body = m.body("body", mass=1.0, inertia=0.1)
    m.knife_edge("left", m.ground, body, at=(0, 0.5), along=(1, 0))
    m.knife_edge("right", m.ground, body, at=(0, -0.5), along=(np.cos(across), np.sin(across)))
    return m


# -- counting ----------------------------------------------------------------------------------------------------------


def test_mobility_counts_speeds():
    assert da.mobility(sleigh()).dof == 2
    # turned against each other both hold: the body turns about the point where the normals of the blades meet
    found = da.mobility(two_blades(0.3))
    assert found.dof == 1 and not found.dependent


def test_blades_side_by_side_are_a_permanent_set():
    found = da.mobility(two_blades())
    assert found.dof == 2
    (one,) = found.dependent
    assert one.joints == ("left", "right") and one.count == 1 and one.verdict == "permanent"
    loads = da.reactions(two_blades())
    assert loads.dependent == 1 and set(loads.not_unique) == {"left", "right"}


def test_blades_that_are_parallel_in_this_pose_only():
    # two bodies hinged together in line, each with a blade beside the hinge: straight, both rows say the same
    m = da.Mechanism("two sleighs", plane=True)
    a, b = (m.body(name, mass=1.0, inertia=0.1, at=(x, 0)) for name, x in (("a", -0.5), ("b", 0.5)))
    m.revolute("pin", a, b, at=(0, 0))
    m.knife_edge("first", m.ground, a, at=a.point(0.5, 0), along=a.axis(1, 0))
    m.knife_edge("second", m.ground, b, at=b.point(-0.5, 0), along=b.axis(1, 0))
    found = da.mobility(m)
    assert found.dof == 3 and found.elsewhere == 2
    assert [one.verdict for one in found.dependent] == ["only in this pose"]


def test_positions_are_kept_before_velocities():
    # a slider that is guided (a position) and also held by a blade (a velocity): the guide stays, or it would drift
    m = da.Mechanism("guided", plane=True)
    body = m.body("body", mass=1.0, inertia=0.1, velocity=(1, 0))
    m.knife_edge("blade", m.ground, body, along=(1, 0))
    m.prismatic("guide", m.ground, body, along=(1, 0))
    run = da.simulate(m, until=5.0, output=1.0)
    assert run.status == "ok"
    assert "1 redundant row (blade.across)" in str(run.audit)
    assert np.max(np.abs(run["body"].position[:, 1])) < 1e-13
    (one,) = da.mobility(m).dependent
    assert set(one.joints) == {"blade", "guide"} and one.verdict.startswith("permanent")


@pytest.mark.parametrize("way", ["_dense_choice", "_sparse_choice"])
def test_both_ways_to_choose_keep_positions(way):
    # two wheels on a shaft: of all rows of the dependent set, hinge and heights included, a condition on velocities is left out
    from dalembert.analyses.pose import rank

    m = da.Mechanism("axle", plane=False)
    wheels = [m.body(name, mass=1.0, inertia=(0.1, 0.2, 0.1), at=(0, y, 0.3)) for name, y in (("a", 0.4), ("b", -0.4))]
    m.revolute("shaft", *wheels, at=(0, 0, 0.3), axis="y")
    for wheel in wheels:
        m.rolling_disk(f"under {wheel.name}", m.ground, wheel, radius=0.3, axis="y", through=(0, 0, 0))
    pose = Pose.of(m, asked="test")
    dropped = getattr(rank, way)(pose.system, pose.work)
    assert [pose.rows[r].rate_only for r in np.flatnonzero(dropped)] == [True]


# -- blows -------------------------------------------------------------------------------------------------------------


def test_blow_across_the_blade():
    # P at the distance d ahead of the blade: the sleigh turns about the blade, (I + m a^2) w = P d; the blade takes the rest
    a, d, blow = 0.1, 0.4, 2.0
    found = da.strike(sleigh(a), {"sleigh": ((0, blow), (d, 0))})
    w = blow * d / (0.1 + a**2)
    assert found.after.v == pytest.approx([0.0, a * w, w], abs=1e-12)
    assert found.impulse["blade"].linear == pytest.approx([0.0, a * w - blow], abs=1e-12)


def test_velocities_that_do_not_fit_are_caught():
    m = sleigh(0.1, velocity=(1.0, 0.5), spin=0.2)
    caught = da.simulate(m, until=0.1, velocities="impulsive").impulse
    # the impulse N of the blade: m (v' - v) = N, I (w' - w) = -a N, and v' = a w' across at the mass centre
    before = np.array([0.5 + 0.1 * 0.2, 0.2])
    impulse = (0.1 * before[1] - before[0]) / (1.0 + 0.1**2 / 0.1)
    assert caught.impulse["blade"].linear == pytest.approx([0.0, impulse], abs=1e-12)
    assert caught.energy_change < 0.0


# -- equilibria and small motions ----------------------------------------------------------------------------------------


def pulled(angle):
    """A sleigh with its mass centre on the blade, pulled by a spring across its way."""
    m = da.Mechanism("pulled", plane=True)
    body = m.body("sleigh", mass=2.0, inertia=0.3, angle=angle)
    m.knife_edge("blade", m.ground, body, along=body.axis(1, 0))
    m.spring("spring", m.ground.point(0, 1), body.point(0, 0), stiffness=8.0, free_length=0.0)
    return m


def test_equilibria_of_a_family():
    # any heading rests where the spring is across it, with nothing left along: x cos + (y - 1) sin = 0
    (found, *_) = da.equilibrium(pulled(0.4))
    x, y, angle = found.state.q
    assert x * np.cos(angle) + (y - 1) * np.sin(angle) == pytest.approx(0.0, abs=1e-10)
    # along: k/m; turning: no torque at all.  K is not symmetric: turning changes the force along, moving gives no torque
    assert found.eigenvalues == pytest.approx([0.0, 4.0], abs=1e-8)
    assert found.verdict == "degenerate"
    assert found.reactions["blade"].force == pytest.approx(-8.0 * np.array([-x, 1 - y]), abs=1e-10)


@pytest.mark.parametrize("method", ["energy", "force"])
def test_search_goes_on_where_a_coin_falls_flat(method):
    """Forces drive a leaning coin flat, where it touches all along its rim and its rows say nothing; it stands upright, and falls from there.

    About a tangent at the contact 5/4 m r² y'' = m g r y.
    """
    r = 0.05
    m = da.Mechanism("coin", plane=False, gravity=(0, 0, -9.81))
    lean = math.radians(5)
    coin = m.body("coin", da.disk(r, mass=0.3), at=(0, 0, r * math.cos(lean)), rotation=("y", math.pi / 2 - lean))
    m.rolling_disk("floor", m.ground, coin, radius=r, axis=coin.axis(0, 0, 1), through=(0, 0, 0))
    (e,) = da.equilibrium(m, method=method)
    assert e.verdict == "unstable"
    assert e["coin"].position[2] == pytest.approx(r, rel=1e-12)
    assert np.min(e.eigenvalues) == pytest.approx(-9.81 / (1.25 * r), rel=1e-9)


def test_small_motions_about_an_equilibrium_of_the_family():
    m = pulled(0.4)
    small = da.linearize(m, da.equilibrium(m)[0])
    assert small.steady and small.nonholonomic
    assert small.speeds.shape == (3, 2) and small.motions.shape == (3, 3)
    assert len(small.eigenvalues) == 5
    assert np.sort(np.abs(small.eigenvalues)) == pytest.approx([0, 0, 0, 2, 2], abs=1e-4)


@pytest.mark.parametrize("speed, stable", [(1.5, True), (-1.5, False)])
def test_sleigh_runs_stably_with_its_mass_ahead(speed, stable):
    # straight at speed v: (I + m a^2) w' = -m a v w, the blade behind the mass centre straightens it
    a = 0.1
    m = sleigh(a)
    m.start(m["blade"].speed, rate=speed)
    m.start("sleigh.angle", rate=0.0)
    small = da.linearize(m)
    assert small.steady
    moving = [s for s in small.eigenvalues if abs(s) > 1e-4]
    assert moving == pytest.approx([-a * speed / (0.1 + a**2)], abs=1e-7)
    assert small.stable == stable


def test_transfer_function_of_a_rolling_disk():
    # pushed along: (3/2) m x'' = F for a disk
    m = da.Mechanism("disk", plane=False, gravity=(0, 0, -9.81))
    body = m.body("disk", mass=2.0, inertia=(0.045, 0.09, 0.045), at=(0, 0, 0.3))
    floor = m.rolling_disk("floor", m.ground, body, radius=0.3, axis="y", through=(0, 0, 0))
    m.start(floor.x, rate=4.0)
    m.start(floor.yaw, rate=0.0)
    m.start(floor.tilt, rate=0.0)
    small = da.linearize(m)
    assert small.transfer("disk.x", "disk.x")(2.0) == pytest.approx(1 / (1.5 * 2.0 * 2.0**2), rel=1e-6)
    assert small.transfer("disk.x", "rate(disk.x)")(2.0) == pytest.approx(1 / (1.5 * 2.0 * 2.0), rel=1e-6)


def test_drivers_with_enough_positions_are_kinematics():
    # all positions are driven, and agree with the blade: conditions on velocities are then no obstacle
    m = da.Mechanism("on rails", plane=True)
    body = m.body("body", mass=1.0, inertia=0.1)
    m.knife_edge("blade", m.ground, body, along=(1, 0))
    m.drive("x", body.x, "sin(t)")
    m.drive("y", body.y, "0*t")
    m.drive("angle", body.angle, "0*t")
    run = da.kinematics(m, times=[0.0, 0.5])
    assert run["body"].position[-1] == pytest.approx([np.sin(0.5), 0.0], abs=1e-12)


def test_rolling_on_what_moves_conserves_momentum():
    # a disk rolls inside nothing but on a cart that is free to move: horizontal momentum stays
    m = da.Mechanism("cart", plane=False, gravity=(0, 0, -9.81))
    cart = m.body("cart", mass=3.0, inertia=(0.2, 0.3, 0.4), at=(0, 0, -0.1))
    m.planar("ice", m.ground, cart, at=(0, 0, 0), axis="z")
    body = m.body("disk", mass=2.0, inertia=(0.045, 0.09, 0.045), at=(0, 0, 0.3))
    deck = m.rolling_disk("deck", cart, body, radius=0.3, axis="y", through=(0, 0, 0))
    m.start(deck.roll, rate=4.0)
    m.start(deck.yaw, rate=0.6)
    m.start(deck.tilt, rate=0.05)
    m.start(cart.x, rate=0.2)
    m.start(cart.y, rate=-0.1)
    m.start("ice.angle", rate=0.3)
    run = da.simulate(m, until=1.0, output=0.1, **FINE)
    assert run.status == "ok", run.audit
    momentum = 3.0 * run["cart"].velocity + 2.0 * run["disk"].velocity
    assert np.max(np.ptp(momentum[:, :2], axis=0)) < 1e-10
    assert da.verify(m).agree


# -- independent formulations --------------------------------------------------------------------------------------------


def on_a_line():
    m = da.Mechanism("wheel on a cart", plane=True, gravity=(1.0, -9.81))
    cart = m.body("cart", mass=2.0, inertia=0.2, at=(0, -0.1))
    m.prismatic("track", m.ground, cart, along=(1, 0))
    wheel = m.body("wheel", mass=1.0, inertia=0.02, at=(0.1, 0.2), center=(0.03, 0.01))
    m.rolling_on_line("deck", cart, wheel, radius=0.2, through=(0, 0))
    return m


def on_a_raft():
    m = da.Mechanism("raft", plane=True, gravity=(0.3, -0.5))
    raft = m.body("raft", mass=2.0, inertia=0.4, center=(0.2, -0.1))
    skate = m.body("skate", mass=1.0, inertia=0.1, at=(0.5, 0.2), angle=0.3)
    m.knife_edge("blade", raft, skate, at=(0.6, 0.3), along=(1, 0.5))
    m.pfaffian("rope", "rate(blade.speed) - (0.2 + raft.x**2)*rate(raft.angle) - 0.1*cos(t)", unit="m")
    return m


def egg_on_a_tray():
    m = da.Mechanism("egg", plane=False, gravity=(0, 0, -9.81))
    tray = m.body("tray", mass=3.0, inertia=(0.4, 0.5, 0.8), at=(0.1, 0, 0))
    m.spherical("pivot", m.ground, tray, at=(0, 0, -0.2))
    egg = m.body(
        "egg", mass=1.0, inertia=(0.02, 0.02, 0.03), center=(0.01, 0, 0.03), at=(0, 0, 0.4), rotation=((1, 0, 0), -1.2)
    )
    m.rolling_surface(
        "contact", tray, egg, meridian="0.4*sqrt(1 - (z/0.6)**2)", span=(-0.6, 0.6), axis=egg.axis(0, 0, 1)
    )
    m.knife_edge("skate", tray, egg, at=(0, 0, 0.1), along="x", normal="z")
    return m


@pytest.mark.parametrize("build", [on_a_line, on_a_raft, egg_on_a_tray, two_blades, sleigh])
def test_all_formulations_agree(build):
    found = da.verify(build())
    assert found.agree, found


@pytest.mark.parametrize("build", [on_a_line, on_a_raft, egg_on_a_tray])
def test_first_law_and_loads(build):
    # the energy audit closes with conditions that move and that do work, and every body's loads give its acceleration
    m = build()
    run = da.simulate(m, until=0.3, output=0.1)
    assert run.status == "ok", run.audit
    for body in m.bodies:
        assert da.free_body(m, body.name, run.at(0.2), inertia=True).balanced


def test_conditions_that_contradict_each_other_are_told():
    """x' = 0.3 w and x' = 0.3 w + 1: the doctor says that no motion follows both, and by how much."""
    m = da.Mechanism("contradiction")
    m.body("x", mass=1.0, inertia=1.0)
    m.pfaffian("one", "rate(x.x) - 0.3*rate(x.angle)")
    m.pfaffian("two", "rate(x.x) - 0.3*rate(x.angle) - 1")
    (found,) = da.mobility(m).dependent
    assert found.too_fast == pytest.approx(1.0, rel=1e-9) and found.mover in ("one", "two")
    assert "contradict each other" in str(da.mobility(m))
