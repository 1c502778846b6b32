"""Boxes in space that slide, stop, hold and tip on several corners with Coulomb's friction: closed forms, the same box in the plane, and what is refused."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.model.forces._rubbing import Circle
from dalembert.viewer.cones import presses

G = 9.81
SIZE = (0.4, 0.3, 0.2)
FINE = {"rtol": 1e-10, "atol": 1e-12}


def crate(velocity=(0, 0, 0), mu=0.3, size=SIZE, gravity=(0, 0, -G), above=0.0, spin=None, body=None, **options):
    m = da.Mechanism("crate", plane=False, gravity=gravity)
    box = m.body("crate", da.box(*size, mass=2.0), at=(0, 0, size[2] / 2 + above), velocity=velocity, spin=spin, **(body or {}))  # fmt: skip
    m.contact("floor", m.ground, box, mu=mu, **options)
    return m


def in_plane(size, mu, gravity=(0, -G), above=0.0, **options):
    start = {name: options.pop(name) for name in ("velocity",) if name in options}
    m = da.Mechanism("crate", plane=True, gravity=gravity)
    box = m.body("crate", da.block(size[0], size[2], mass=2.0), at=(0, size[2] / 2 + above), **start)
    m.contact("floor", m.ground, box, mu=mu, **options)
    return m


def slope(angle, azimuth=0.0):
    """Gravity as a slope feels it, that falls along a direction of its plane."""
    down = math.sin(angle)
    return G * down * math.cos(azimuth), G * down * math.sin(azimuth), -G * math.cos(angle)


def closes(run):
    assert not run.audit.failures, run.audit
    assert run.work.error < 1e-9
    return True


def same_as_in_plane(space, plane, rel=1e-9):
    """The motion of a box in space along x is that of the box in the plane, at all outputs."""
    assert np.array_equal(space.t, plane.t)
    at, flat = np.asarray(space["crate"].position), np.asarray(plane["crate"].position)
    assert at[:, [0, 2]] == pytest.approx(flat, abs=rel)
    assert at[:, 1] == pytest.approx(np.zeros(len(at)), abs=1e-11)
    assert np.asarray(space["crate"].velocity)[:, [0, 2]] == pytest.approx(
        np.asarray(plane["crate"].velocity), abs=10 * rel
    )
    assert np.asarray(space["floor"].force)[:, [0, 2]] == pytest.approx(np.asarray(plane["floor"].force), abs=1e-6)
    return True


class TestSliding:
    @pytest.mark.parametrize("way", [0.0, 0.3, math.atan2(0.3, 0.4), 1.2, 2.5, 4.0])
    @pytest.mark.parametrize("turned", [0.0, 0.7])
    def test_stops_in_a_straight_line(self, way, turned):
        e = np.array([math.cos(way), math.sin(way), 0.0])
        body = {"rotation": ((0, 0, 1), turned)} if turned else None
        run = da.simulate(crate(velocity=tuple(e), body=body), until=0.5)
        (sticks,) = run.events
        assert sticks.what == "stick" and sticks.t == pytest.approx(1 / (0.3 * G), rel=1e-9)
        far = 1 / (2 * 0.3 * G)
        assert run["crate"].position[-1] == pytest.approx(far * e + [0, 0, 0.1], abs=1e-9)
        along = np.asarray(run["crate"].position)
        assert along @ [-e[1], e[0], 0] == pytest.approx(np.zeros(len(along)), abs=1e-12)
        assert np.max(np.abs(run.v[:, 3:])) < 1e-9 and np.max(np.abs(run.v[-1])) < 1e-12
        assert run["floor"].force[0] == pytest.approx(0.3 * 2 * G * -e + [0, 0, 2 * G], rel=1e-12)
        assert run["floor"].force[-1] == pytest.approx([0, 0, 2 * G], abs=1e-9)
        assert run["floor"].work[-1] == pytest.approx(-1.0, rel=1e-9)
        assert closes(run)

    def test_presses_before_its_middle(self):
        # no moment about the mass centre at the height h: c = mu h u/|u|
        run = da.simulate(crate(velocity=(0.6, 0.8, 0)), until=0.1)
        (press,) = presses(run)
        assert press.at[0] == pytest.approx([0.3 * 0.1 * 0.6, 0.3 * 0.1 * 0.8, 0.0], abs=1e-12)
        load = da.free_body(crate(velocity=(0.6, 0.8, 0)), "crate")
        assert "floor" in str(load)

    def test_three_corners_carry_it_where_the_smallest_sharing_would_pull(self):
        # c is between the corners, and beyond the rhombus of the middles of the edges: the rear corner carries nothing
        e = np.array([math.cos(0.9), math.sin(0.9), 0.0])
        run = da.simulate(crate(velocity=tuple(e), mu=0.8, size=(0.2, 0.2, 0.24)), until=0.3)
        assert int(np.sum(run["floor"].pressing()[0] > 0)) == 3
        assert run["crate"].position[-1] == pytest.approx(e / (2 * 0.8 * G) + [0, 0, 0.12], abs=1e-9)
        assert int(np.sum(run["floor"].pressing()[-1] > 0)) == 4
        assert [x.what for x in run.events if x.what in ("stick", "slip")] == ["stick"]
        assert closes(run)

    def test_across_a_slope_as_a_particle(self):
        g = slope(0.25, 0.4)
        run = da.simulate(crate(velocity=(-0.3, 1.0, 0), gravity=g), until=0.5, rtol=1e-11, atol=1e-13)
        made = solve_ivp(
            lambda t, y: [*y[2:], *(np.array(g[:2]) + 0.3 * g[2] * y[2:] / np.hypot(*y[2:]))],
            (0, 0.5), [0, 0, -0.3, 1.0], rtol=1e-12, atol=1e-13, method="DOP853",
        )  # fmt: skip
        assert run["crate"].position[-1, :2] == pytest.approx(made.y[:2, -1], abs=1e-9)
        assert closes(run)

    def test_a_slope_that_is_drawn(self):
        m = da.Mechanism("slope", plane=False, gravity=(0, 0, -G))
        normal = (math.sin(0.3), 0.0, math.cos(0.3))
        box = m.body("crate", da.box(*SIZE, mass=2.0), at=tuple(0.1 * np.array(normal)), rotation=((0, 1, 0), 0.3))
        m.contact("floor", m.ground, box, normal=normal, mu=0.2)
        run = da.simulate(m, until=1.0)
        x = 0.5 * G * (math.sin(0.3) - 0.2 * math.cos(0.3))
        assert run["crate"].position[-1] == pytest.approx(
            [x * math.cos(0.3) + 0.1 * normal[0], 0, -x * math.sin(0.3) + 0.1 * normal[2]], abs=1e-9
        )
        assert run.q[-1, 3:] == pytest.approx(run.q[0, 3:], abs=1e-12)

    def test_a_coefficient_from_a_table(self):
        # tables are looked up in Python, with the same equations as in machine code
        m = da.Mechanism("crate", plane=False, gravity=(0, 0, -G))
        m.table("rubs", [0, 1, 2, 5], [0.3, 0.3, 0.3, 0.3])
        box = m.body("crate", da.box(*SIZE, mass=2.0), at=(0, 0, 0.1), velocity=(0.6, 0.8, 0))
        m.contact("floor", m.ground, box, mu="rubs(v)")
        run = da.simulate(m, until=0.2)
        assert run["crate"].velocity[-1] == pytest.approx((1 - 0.3 * G * 0.2) * np.array([0.6, 0.8, 0]), abs=1e-9)

    def test_on_a_belt_that_moves(self):
        m = da.Mechanism("belt", plane=False, gravity=(0, 0, -G))
        belt = m.body("belt", da.box(10.0, 2.0, 0.1, mass=5.0), at=(0, 0, -0.05))
        m.prismatic("way", m.ground, belt, along=(1, 0, 0))
        m.drive("motor", m["way"].slide, "1.5*t")
        box = m.body("box", da.box(0.2, 0.2, 0.2, mass=1.0), at=(0, 0, 0.1))
        m.contact("on", belt, box, normal=(0, 0, 1), through=belt.point(0, 0, 0.05), mu=0.25)
        run = da.simulate(m, until=1.0, **FINE)
        (sticks,) = run.events
        assert sticks.t == pytest.approx(1.5 / (0.25 * G), rel=1e-9)
        assert run["box"].velocity[-1, 0] == pytest.approx(1.5, rel=1e-12)
        assert run["motor"].work[-1] == pytest.approx(1.5**2, rel=1e-9)
        assert closes(run)


class TestSticking:
    @pytest.mark.parametrize("azimuth", [0.0, math.atan2(0.3, 0.4), 2.2])
    def test_holds_below_the_angle_of_friction_and_slips_above(self, azimuth):
        down = np.array([math.cos(azimuth), math.sin(azimuth), 0])
        held = da.simulate(crate(gravity=slope(math.atan(0.4) - 1e-6, azimuth), static=0.4), until=1.0)
        assert not held.events and np.max(np.abs(held["crate"].position[-1, :2])) < 1e-12
        assert held["floor"].force[-1, :2] == pytest.approx(-2.0 * np.array(slope(math.atan(0.4) - 1e-6, azimuth))[:2])
        angle = math.atan(0.4) + 1e-6
        run = da.simulate(crate(gravity=slope(angle, azimuth), static=0.4), until=1.0)
        x = 0.5 * G * (math.sin(angle) - 0.3 * math.cos(angle))
        assert run["crate"].position[-1] == pytest.approx(x * down + [0, 0, 0.1], abs=1e-8)
        assert closes(run)

    def test_slips_where_the_pull_exceeds_the_static_limit(self):
        m = crate(mu=0.3, static=0.4)
        m.force("pull", m["crate"], ("2.4*t", "3.2*t", 0), at=m["crate"].point(0, 0, -0.1))
        run = da.simulate(m, until=3.0, rtol=1e-11, atol=1e-13)
        (slips,) = run.events
        assert slips.what == "slip" and slips.t == pytest.approx(0.4 * G * 2 / 4, rel=1e-10)
        speed = (3.0**2 - slips.t**2) - 0.3 * G * (3.0 - slips.t)
        assert run["crate"].velocity[-1] == pytest.approx([0.6 * speed, 0.8 * speed, 0], abs=1e-8)
        assert closes(run)

    @pytest.mark.parametrize("way", [(1, 0), (0, 1), (0.6, 0.8)])
    def test_slips_where_a_pull_that_grows_reaches_the_limit(self, way):
        # static = mu: nothing jumps there, and x'' = P/m - mu g grows from 0
        m = crate(mu=0.3)
        m.force("pull", m["crate"], (f"{10 * way[0]}*t", f"{10 * way[1]}*t", 0), at=m["crate"].point(0, 0, -0.1))
        run = da.simulate(m, until=1.0, **FINE)
        (slips,) = run.events
        assert slips.what == "slip" and slips.t == pytest.approx(0.3 * G / 5, rel=1e-9)
        x = 5 / 6 * (1.0 - slips.t) ** 3
        assert run["crate"].position[-1] == pytest.approx([way[0] * x, way[1] * x, 0.1], abs=1e-8)

    def test_holds_a_moment_that_every_sharing_can_give(self):
        # a pull P beside the middle by e: P (1 + e/a) <= static N for every sharing, a half the diagonal; beyond it is refused at that instant
        m = crate(mu=0.3, static=0.4)
        m.force("pull", m["crate"], ("4*t", 0, 0), at=m["crate"].point(0, 0.05, -0.1))
        with pytest.raises(da.SingularError, match="not every sharing") as told:
            da.simulate(m, until=3.0)
        end = 0.4 * 2 * G / (4 * (1 + 0.05 / 0.25))
        assert told.value.t == pytest.approx(end, rel=1e-9)
        run = told.value.result
        assert run.t[-1] <= end and np.max(np.abs(run.v)) < 1e-12
        assert run["floor"].force[-1, 0] == pytest.approx(-4 * run.t[-1], rel=1e-9)

    @pytest.mark.parametrize("part", [0.9, 1.0, 1.1, 3.0])
    def test_rests_with_a_weight_on_a_corner(self, part):
        # the centre of pressure on a diagonal, within the rhombus, on it and beyond
        m = crate()
        m.force("weight", m["crate"], (0, 0, -part * 2 * G), at=m["crate"].point(0.2, 0.15, 0.1))
        run = da.simulate(m, until=0.3)
        assert not run.events and np.max(np.abs(run.v)) < 1e-12
        (press,) = presses(run)
        assert press.at[-1, :2] == pytest.approx(part / (1 + part) * np.array([0.2, 0.15]), rel=1e-9)

    def test_small_motions_of_what_sticks_are_none(self):
        with pytest.raises(da.ModelError, match="nothing can move"):
            da.linearize(crate(gravity=slope(0.2)))
        with pytest.raises(da.MethodError, match="slides on 4 closed gaps"):
            da.linearize(crate(velocity=(1, 0, 0)))


class TestAsInThePlane:
    @pytest.mark.parametrize("mu", [0.24, 0.26, 0.6])
    def test_brakes_and_tips(self, mu):
        size = (0.1, 0.3, 0.4)
        space = da.simulate(crate(velocity=(2, 0, 0), mu=mu, size=size), until=0.3, **FINE)
        plane = da.simulate(in_plane(size, mu, velocity=(2, 0)), until=0.3, **FINE)
        assert same_as_in_plane(space, plane)
        # it tips where mu is above half the width over the height of the centre
        assert (np.max(np.abs(space.v[:, 4])) > 1e-3) == (mu > 0.25)
        assert closes(space)

    def test_falls_from_its_edge_and_lies_down(self):
        size = (0.05, 0.3, 0.4)
        space = da.simulate(crate(mu=0.9, size=size, gravity=slope(0.3)), until=1.0, **FINE)
        plane = da.simulate(in_plane(size, 0.9, (G * math.sin(0.3), -G * math.cos(0.3))), until=1.0, **FINE)
        assert same_as_in_plane(space, plane, 1e-8)
        assert [x.what for x in space.events][:2] == ["slip", "impact"]
        assert closes(space)

    def test_pulled_over_its_edge(self):
        size, height = (0.2, 0.3, 0.4), 0.2
        space, plane = crate(mu=0.9, size=size), in_plane(size, 0.9)
        space.force("pull", space["crate"], ("4*t", 0, 0), at=space["crate"].point(0, 0, height))
        plane.force("pull", plane["crate"], ("4*t", 0), at=plane["crate"].point(0, height))
        one, two = (da.simulate(m, until=1.5, **FINE) for m in (space, plane))
        assert one.events[0].t == pytest.approx(2 * G * 0.1 / 0.4 / 4, rel=1e-9)
        assert same_as_in_plane(one, two, 1e-8)

    @pytest.mark.parametrize(("speed", "e", "hypothesis"), [(1.0, 0.0, "newton"), (1.0, 0.4, "newton"), (0.1, 0.0, "newton"), (1.0, 0.4, "poisson")])  # fmt: skip
    def test_lands_flat(self, speed, e, hypothesis):
        options = {"above": 0.1, "restitution": e, "hypothesis": hypothesis}
        space = da.simulate(crate(velocity=(speed, 0, 0), **options), until=1.0, **FINE)
        plane = da.simulate(in_plane(SIZE, 0.3, velocity=(speed, 0), **options), until=1.0, **FINE)
        first, flat = space.events[0], plane.events[0]
        assert first.t == pytest.approx(flat.t, rel=1e-12) and first.dissipated == pytest.approx(flat.dissipated, rel=1e-9)  # fmt: skip
        down = math.sqrt(2 * G * 0.1)
        left = max(0.0, speed - 0.3 * (1 + e) * down)
        assert first.after.v[:3] == pytest.approx([left, 0, e * down], abs=1e-12)
        assert space["crate"].position[-1, 0] == pytest.approx(plane["crate"].position[-1, 0], abs=1e-8)
        assert closes(space)


class TestOnATurntable:
    def table(self, w, mu, r=0.5):
        m = da.Mechanism("turntable", plane=False, gravity=(0, 0, -G))
        table = m.body("table", da.cylinder(5.0, 0.1, mass=10.0), at=(0, 0, -0.05), spin=(0, 0, w))
        m.revolute("O", m.ground, table, at=(0, 0, 0), axis=(0, 0, 1))
        m.drive("motor", m["O"].angle, f"{w}*t")
        box = m.body("crate", da.box(0.1, 0.1, 0.1, mass=2.0), at=(r, 0, 0.05), velocity=(0, w * r, 0), spin=(0, 0, w))
        m.contact("on", table, box, normal=(0, 0, 1), through=(0, 0, 0), mu=mu)
        return m

    def test_it_is_carried_around(self):
        # m w^2 r <= mu m g
        run = da.simulate(self.table(2.0, 0.25), until=1.0)
        assert not run.events
        assert run["crate"].position[-1] == pytest.approx([0.5 * math.cos(2.0), 0.5 * math.sin(2.0), 0.05], abs=1e-7)
        assert np.linalg.norm(run["on"].force[:, :2], axis=1) == pytest.approx(
            np.full(len(run.t), 2 * 4 * 0.5), rel=1e-9
        )

    def test_it_slides_off_as_a_particle_and_does_not_turn_on_the_table(self):
        w, mu = 2.0, 0.15
        run = da.simulate(self.table(w, mu), until=0.4, rtol=1e-10, atol=1e-12)

        def rates(t, y):
            slide = y[2:] - w * np.array([-y[1], y[0]])
            return [*y[2:], *(-mu * G * slide / np.linalg.norm(slide))]

        # friction is inward at first; a rate of 1e-9 to begin with has the direction of slip
        made = solve_ivp(rates, (0, 0.4), [0.5, 0, 1e-9, w * 0.5], rtol=1e-11, atol=1e-13, method="DOP853")
        assert run["crate"].position[-1, :2] == pytest.approx(made.y[:2, -1], abs=1e-6)
        assert run["crate"].spin[-1, 2] == pytest.approx(w, abs=1e-9)
        assert closes(run)


THREE = np.array([(-0.2, -0.1), (0.2, -0.1), (0.0, 0.2)])


def stool(velocity, spin, as_one=True, h=0.1):
    m = da.Mechanism("stool", plane=False, gravity=(0, 0, -G))
    body = m.body("stool", mass=2.0, inertia=(0.1, 0.1, 0.04), at=(0, 0, h), velocity=velocity, spin=(0, 0, spin))
    feet = [body.point(x, y, -h) for x, y in THREE]
    for k, some in enumerate([feet] if as_one else [[foot] for foot in feet]):
        m.contact(f"feet {k}", m.ground, body, points=some, mu=0.3)
    return m


class TestTurning:
    @pytest.mark.parametrize(("velocity", "spin"), [((1, 0, 0), 2.0), ((0.5, 0.2, 0), -3.0), ((1, 0, 0), 1e-6)])
    def test_three_feet_of_one_contact_rub_as_three_contacts(self, velocity, spin):
        one, three = (da.simulate(stool(velocity, spin, x), until=0.1, **FINE) for x in (True, False))
        assert one.q == pytest.approx(three.q, abs=1e-12) and one.v == pytest.approx(three.v, abs=1e-11)
        assert one.a[0] == pytest.approx(three.a[0], abs=1e-9)

    def test_stops_where_the_equations_of_a_flat_body_say(self):
        # N_k of sum N = m g and no moment about the axes along the floor; then m u' = sum f, J w' = sum r x f, f_k = -mu N_k e_k
        def rates(t, y):
            turned = np.array([[math.cos(y[2]), -math.sin(y[2])], [math.sin(y[2]), math.cos(y[2])]])
            arms = THREE @ turned.T
            slide = y[3:5] + y[5] * np.column_stack([-arms[:, 1], arms[:, 0]])
            e = slide / np.linalg.norm(slide, axis=1)[:, None]
            rows = np.vstack([np.ones(3), arms[:, 1] - 0.03 * e[:, 1], -arms[:, 0] + 0.03 * e[:, 0]])
            f = -0.3 * np.linalg.solve(rows, [2.0 * G, 0.0, 0.0])[:, None] * e
            return [*y[3:], *f.sum(axis=0) / 2.0, np.sum(arms[:, 0] * f[:, 1] - arms[:, 1] * f[:, 0]) / 0.04]

        def slow(t, y):
            return float(np.hypot(*y[3:5])) - 1e-4

        slow.terminal = True
        made = solve_ivp(rates, (0, 1), [0, 0, 0, 1.0, 0, 2.0], rtol=1e-10, atol=1e-12, events=slow)
        run = da.simulate(stool((1, 0, 0), 2.0), until=0.5)
        sticks = run.events[-1]
        # the equations end at 1e-4 m/s, which mu g takes away in 3e-5 s
        assert sticks.what == "stick" and sticks.t == pytest.approx(made.t[-1], abs=1e-4)
        assert run["stool"].position[-1, :2] == pytest.approx(made.y[:2, -1], abs=1e-7)
        assert np.max(np.abs(run.v[-1])) < 1e-12
        assert closes(run)

    def test_a_cylinder_slides_turns_and_rolls(self):
        m = da.Mechanism("roller", plane=False, gravity=(0, 0, -G))
        body = m.body("roller", da.cylinder(0.1, 0.4, mass=1.0, axis=(1, 0, 0)), at=(0, 0, 0.1), velocity=(0.5, 1, 0))
        m.contact("floor", m.ground, body, mu=0.3)
        run = da.simulate(m, until=1.0)
        assert run.events[-1].what == "stick"
        # rolling: the speed across its axis is its spin times the radius, and stays
        assert float(np.linalg.norm(run.v[-1, :3])) == pytest.approx(0.1 * abs(run.v[-1, 3]), rel=1e-9)
        late = run.t > run.events[-1].t
        assert np.ptp(np.linalg.norm(run.v[late, :3], axis=1)) < 1e-9
        assert closes(run)


class TestRefused:
    def test_sliding_and_turning_on_four_corners(self):
        with pytest.raises(da.SingularError, match="a body that turns would rub otherwise"):
            da.simulate(crate(velocity=(1, 0, 0), spin=(0, 0, 1.0)), until=1.0)

    def test_a_push_beside_the_middle_turns_it(self):
        m = crate(velocity=(1, 0, 0))
        m.force("push", m["crate"], (0, "max(0, t - 0.1)", 0), at=m["crate"].point(0.1, 0, 0))
        with pytest.raises(da.SingularError, match="turn") as told:
            da.simulate(m, until=1.0)
        # alpha = r F/J with F = t - 0.1: it turns by 1e-9 rad/s soon after
        assert told.value.t == pytest.approx(0.1, abs=1e-3)
        assert told.value.result["crate"].velocity[-1, 0] == pytest.approx(1 - 0.3 * G * told.value.result.t[-1], rel=1e-6)  # fmt: skip

    def test_a_blow_that_turns_it(self):
        with pytest.raises(da.SingularError):
            da.simulate(crate(velocity=(1, 0, 0), spin=(0, 0, 1.0), above=0.1), until=1.0)

    def test_a_joint_that_may_take_a_part(self):
        m = crate()
        m.cylindrical("post", m.ground, m["crate"], at=(0, 0, 0), axis=(0, 0, 1))
        with pytest.raises(da.SingularError, match="share it"):
            da.simulate(m, until=0.1)

    def test_a_rim_and_a_point(self):
        m = da.Mechanism("cone", plane=False)
        cone = m.body("cone", da.cone(0.1, 0.3, mass=1.0), rotation=((0, 1, 0), 1.0))
        with pytest.raises(da.ModelError, match="a rim and a point"):
            m.contact("floor", m.ground, cone, mu=0.3)


@pytest.mark.parametrize("seed", range(5))
def test_every_sharing_has_the_moments_that_the_circle_says(seed):
    random = np.random.default_rng(seed)
    r = random.normal(size=(2 + seed, 2))
    circle = Circle.through(r)
    o = np.array(circle.weights) @ r
    assert sum(circle.weights) == pytest.approx(1.0)
    if seed < 2:
        assert circle.inner == pytest.approx(circle.outer)
    assert np.linalg.norm(r - o, axis=1).min() >= circle.inner - 1e-12
    for _ in range(50):
        n = random.dirichlet(np.ones(len(r)))
        c = n @ r
        d, arms = np.linalg.norm(c - o), r - c
        moments = float(n @ np.sum(arms**2, axis=1))
        assert moments >= circle.inner**2 - d**2 - 1e-12
        if d >= circle.inner:
            continue
        # a force and a moment at the limit, shared as n says, are in all cones
        way, part = random.uniform(0, 2 * math.pi), random.uniform()
        force = 0.5 * part * np.array([math.cos(way), math.sin(way)])
        moment = 0.5 * (1 - part) * (circle.inner - d) / circle.ratio
        f = n[:, None] * (force + moment / moments * np.column_stack([-arms[:, 1], arms[:, 0]]))
        assert f.sum(axis=0) == pytest.approx(force, abs=1e-12)
        assert float(np.sum(arms[:, 0] * f[:, 1] - arms[:, 1] * f[:, 0])) == pytest.approx(moment, abs=1e-12)
        assert np.all(np.linalg.norm(f, axis=1) <= 0.5 * n + 1e-12)


def tripod(spin, velocity=(0, 0, 0)):
    """A body of 1 kg, I = 0.04 kg m^2 about its axis, on three feet 0.2 m from it; the friction of its weight is shared equally, as it is symmetric."""
    m = da.Mechanism("tripod", plane=False, gravity=(0, 0, -G))
    body = m.body("body", mass=1.0, inertia=(0.02, 0.02, 0.04), at=(0, 0, 0.1), spin=(0, 0, spin), velocity=velocity)
    feet = [0.1 + k * 2 * math.pi / 3 for k in range(3)]
    points = [body.point(0.2 * math.cos(a), 0.2 * math.sin(a), -0.1) for a in feet]
    m.contact("floor", m.ground, body, points=points, mu=0.3)
    return m


@pytest.mark.parametrize(("spin", "velocity"), [(8.0, (0, 0, 0)), (3.0, (0.1, 0, 0))])
def test_work_of_what_comes_to_rest_is_its_energy(spin, velocity):
    """States between the steps are asked of the motion in them, not of its events: near rest those let the integral of the work go on for ever."""
    run = da.simulate(tripod(spin, velocity), until=0.3 if any(velocity) else 1.0)
    if velocity == (0, 0, 0):
        # the feet turn about the axis: I w' = -mu m g r
        assert [event.t for event in run.events.of("stick")] == pytest.approx([0.04 * spin / (0.3 * G * 0.2)], abs=1e-9)
    assert np.abs(run.v[-1]).max() < 1e-9
    energy = 0.5 * sum(x * x for x in velocity) + 0.5 * 0.04 * spin**2
    assert float(run["floor"].work[-1]) == pytest.approx(-energy, abs=1e-7)


@pytest.mark.parametrize("foot", range(3))
def test_rest_after_turning_about_a_foot_is_an_event(foot):
    """The foot that stuck all the time carries the friction of the body at rest: it is that of the feet that slid."""
    spin, mu, R = 0.5, 0.3, 0.2
    angle = 0.1 + foot * 2 * math.pi / 3
    m = da.Mechanism("tripod", plane=False, gravity=(0, 0, -G))
    velocity = (spin * R * math.sin(angle), -spin * R * math.cos(angle), 0)
    body = m.body("body", mass=1.0, inertia=(0.02, 0.02, 0.04), spin=(0, 0, spin), velocity=velocity)
    points = [body.point(R * math.cos(a), R * math.sin(a), 0) for a in (0.1 + k * 2 * math.pi / 3 for k in range(3))]
    m.contact("floor", m.ground, body, points=points, mu=mu)
    run = da.simulate(m, until=0.2)
    # the mass centre is on the floor, each foot carries a third: (I + m R^2) w' = -2 (mu m g/3) sqrt(3) R
    rest = (0.04 + R**2) * spin / (2 / math.sqrt(3) * mu * G * R)
    assert run.events.of("stick")[-1].t == pytest.approx(rest, rel=1e-5)
    assert np.abs(run.v[run.t > rest]).max() < 1e-9
