"""Coulomb friction at rigid contacts in the plane: boxes, disks and stops against closed forms."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.io.files import write_model

G = 9.81


def on_slope(angle, mu, width=0.2, height=0.2, until=1.0, static=None, **start):
    """A box of 2 kg on a slope that falls to the right, its x axis."""
    m = da.Mechanism("slope", plane=True, gravity=(G * math.sin(angle), -G * math.cos(angle)))
    box = m.body("box", da.block(width, height, mass=2.0), at=(0, height / 2), **start)
    m.contact("floor", m.ground, box, mu=mu, static=static)
    return da.simulate(m, until=until, rtol=1e-10, atol=1e-12)


def closes(run):
    """The audit passes, and works add up to the change of energy."""
    assert not run.audit.failures, run.audit
    assert run.work.error < 1e-9
    return True


class TestBox:
    def test_slides_to_rest(self):
        m = da.Mechanism("crate", plane=True, gravity=(0, -G))
        crate = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1), velocity=(1, 0))
        m.contact("floor", m.ground, crate, mu=0.3)
        run = da.simulate(m, until=1.0)
        (sticks,) = run.events
        assert sticks.what == "stick"
        assert sticks.t == pytest.approx(1 / (0.3 * G), rel=1e-12)
        assert run["crate"].position[-1, 0] == pytest.approx(1 / (2 * 0.3 * G), rel=1e-12)
        assert run["floor"].force[0] == pytest.approx([-0.3 * 2 * G, 2 * G], rel=1e-12)
        assert run["floor"].force[-1] == pytest.approx([0, 2 * G], abs=1e-12)
        assert run["floor"].work[-1] == pytest.approx(-1.0, rel=1e-12)
        assert np.max(np.abs(run.v[run.t > sticks.t])) < 1e-12  # held as joints are, to round-off
        assert closes(run)

    def test_slides_down_and_sticks_by_the_angle_of_friction(self):
        slides = on_slope(math.atan(0.3) + 1e-6, 0.3)
        x = 0.5 * G * (math.sin(math.atan(0.3) + 1e-6) - 0.3 * math.cos(math.atan(0.3) + 1e-6))
        assert slides["box"].position[-1, 0] == pytest.approx(x, rel=1e-8)
        held = on_slope(math.atan(0.3) - 1e-6, 0.3)
        assert held["box"].position[-1, 0] == pytest.approx(0, abs=1e-13)
        assert held["floor"].force[-1, 0] == pytest.approx(-2 * G * math.sin(math.atan(0.3) - 1e-6), rel=1e-10)

    def test_up_the_slope_and_back(self):
        run = on_slope(0.5, 0.3, velocity=(-1, 0))
        (turns,) = run.events
        up, down = (G * (math.sin(0.5) + way * 0.3 * math.cos(0.5)) for way in (1, -1))
        assert turns.what == "slip" and turns.t == pytest.approx(1 / up, rel=1e-12)
        x = -1 / (2 * up) + down * (1 - 1 / up) ** 2 / 2
        assert run["box"].position[-1, 0] == pytest.approx(x, rel=1e-10)
        assert closes(run)

    def test_static_coefficient_holds_and_kinetic_one_slides(self):
        assert on_slope(0.35, 0.2, static=0.5)["box"].position[-1, 0] == pytest.approx(0, abs=1e-13)
        run = on_slope(0.5, 0.2, static=0.5)
        assert run["box"].position[-1, 0] == pytest.approx(0.5 * G * (math.sin(0.5) - 0.2 * math.cos(0.5)), rel=1e-10)

    def test_tall_box_tips_about_its_corner(self):
        width, height, angle = 0.05, 0.4, 0.3
        run = on_slope(angle, 0.9, width, height, until=0.2)
        inertia = 2.0 * (width**2 + height**2) / 3
        moment = 2.0 * G * (height / 2 * math.sin(angle) - width / 2 * math.cos(angle))
        assert run.a[0, 2] == pytest.approx(-moment / inertia, rel=1e-12)
        assert set(run.events.of("slip", "stick")) == set()
        # the corner stays: the box turns about it, and energy is kept
        corner = run["box"].point(width / 2, -height / 2).position
        assert corner == pytest.approx(np.broadcast_to([width / 2, 0], corner.shape), abs=1e-10)
        assert closes(run)

    def test_falling_box_slips_on_its_corner_and_lies_down(self):
        run = on_slope(0.3, 0.9, 0.05, 0.4, until=2.0)
        assert [x.what for x in run.events] == ["slip", "impact"]
        assert run.q[-1, 2] == pytest.approx(-math.pi / 2, abs=1e-9)
        assert np.max(np.abs(run.v[-1])) < 1e-12
        assert closes(run)

    @pytest.mark.parametrize(("mu", "tips"), [(0.24, False), (0.26, True)])
    def test_braked_box_tips_where_mu_is_above_width_over_height(self, mu, tips):
        m = da.Mechanism("cart", plane=True, gravity=(0, -G))
        box = m.body("box", da.block(0.1, 0.4, mass=1.0), at=(0, 0.2), velocity=(2.0, 0))
        m.contact("floor", m.ground, box, mu=mu)
        run = da.simulate(m, until=0.05)
        assert (abs(run.v[-1, 2]) > 1e-3) == tips

    def test_slips_where_the_pull_exceeds_the_static_limit(self):
        m = da.Mechanism("pulled", plane=True, gravity=(0, -G))
        box = m.body("box", da.block(0.4, 0.2, mass=1.0), at=(0, 0.1))
        m.force("pull", box, ("2*t", 0), at=box.point(0, -0.1))
        m.contact("floor", m.ground, box, mu=0.3, static=0.4)
        run = da.simulate(m, until=3.0, rtol=1e-11, atol=1e-13)
        (slips,) = run.events
        assert slips.t == pytest.approx(0.4 * G / 2, rel=1e-12)
        way = 3.0 - slips.t
        speed = (3.0**2 - slips.t**2) - 0.3 * G * way
        assert run["box"].velocity[-1, 0] == pytest.approx(speed, rel=1e-9)
        assert closes(run)

    def test_on_a_belt_that_moves(self):
        m = da.Mechanism("belt", plane=True, gravity=(0, -G))
        belt = m.body("belt", da.block(10.0, 0.1, mass=5.0), at=(0, -0.05))
        m.prismatic("way", m.ground, belt, along=(1, 0))
        m.drive("motor", m["way"].slide, "1.5*t")
        box = m.body("box", da.block(0.2, 0.2, mass=1.0), at=(0, 0.1))
        m.contact("on", belt, box, normal=(0, 1), through=belt.point(0, 0.05), mu=0.25)
        run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)
        (sticks,) = run.events
        assert sticks.t == pytest.approx(1.5 / (0.25 * G), rel=1e-10)
        assert run["box"].velocity[-1, 0] == pytest.approx(1.5, rel=1e-12)
        # the belt does twice the work that the box keeps
        assert run["motor"].work[-1] == pytest.approx(1.5**2, rel=1e-9)
        assert closes(run)


class TestRound:
    @pytest.mark.parametrize("mu", [0.3, 0.1])
    def test_disk_on_a_slope_rolls_or_slides(self, mu):
        m = da.Mechanism("roll", plane=True, gravity=(G * math.sin(0.5), -G * math.cos(0.5)))
        disk = m.body("disk", da.disk(0.1, mass=1.0), at=(0, 0.1))
        m.contact("floor", m.ground, disk)
        m.friction("rub", "floor", mu=mu)
        run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)
        rolling, sliding = 2 / 3 * math.sin(0.5), math.sin(0.5) - mu * math.cos(0.5)
        assert run.q[-1, 0] == pytest.approx(0.5 * G * (rolling if mu > math.tan(0.5) / 3 else sliding), rel=1e-10)
        assert run["rub"].force[-1, 0] == pytest.approx(-G * min(math.sin(0.5) / 3, mu * math.cos(0.5)), rel=1e-10)
        assert run["floor"].force[-1] == pytest.approx([0, G * math.cos(0.5)], abs=1e-10)
        assert closes(run)

    def test_bowling_ball(self):
        m = da.Mechanism("bowl", plane=True, gravity=(0, -G))
        disk = m.body("disk", da.disk(0.1, mass=1.0), at=(0, 0.1), velocity=(3, 0))
        m.contact("floor", m.ground, disk, mu=0.1)
        run = da.simulate(m, until=2.0)
        (rolls,) = run.events
        assert rolls.t == pytest.approx(3 / (3 * 0.1 * G), rel=1e-12)
        assert run.v[-1] == pytest.approx([2, 0, -20], abs=1e-12)
        assert closes(run)

    def test_one_disk_turns_the_other(self):
        """A disk pressed on another that turns: their rims slide until they have one speed; the sum of I w/r is kept."""
        m = da.Mechanism("friction wheels", plane=True)
        wheel = m.body("wheel", da.disk(0.2, mass=2.0), at=(0, 0), spin=10.0)
        small = m.body("small", da.disk(0.1, mass=1.0), at=(0.3, 0))
        m.revolute("A", m.ground, wheel, at=(0, 0))
        arm = m.body("arm", mass=0.5, inertia=0.01, at=(0.3, 0))
        m.prismatic("guide", m.ground, arm, along=(1, 0))
        m.revolute("B", arm, small, at=(0.3, 0))
        m.force("press", arm, (-5.0, 0))
        m.contact("rims", wheel, small, mu=0.2)
        run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)
        (sticks,) = run.events
        big, little = 0.5 * 2.0 * 0.2**2, 0.5 * 0.1**2
        # w1 = 10 - F 0.2 t/I1, w2 = -F 0.1 t/I2, until 0.2 w1 + 0.1 w2 = 0
        t = 2.0 / (0.2 * 5.0 * (0.2**2 / big + 0.1**2 / little))
        assert sticks.t == pytest.approx(t, rel=1e-9)
        assert 0.2 * run.v[-1, 2] + 0.1 * run.v[-1, 5] == pytest.approx(0, abs=1e-12)
        assert closes(run)


class TestBlows:
    @pytest.mark.parametrize("hypothesis", ["newton", "poisson"])
    @pytest.mark.parametrize(
        ("vx", "spin", "mu"), [(3.0, 0.0, 0.2), (0.5, 0.0, 0.5), (1.0, 25.0, 0.15), (-0.3, 2.0, 0.4)]
    )
    def test_ball_with_spin(self, hypothesis, vx, spin, mu):
        """The friction impulse is -u/(1/m + r^2/I), or mu times the normal one where that is smaller."""
        r, mass, e = 0.1, 2.0, 0.6
        inertia = 0.5 * mass * r**2
        m = da.Mechanism("ball", plane=True)
        ball = m.body("ball", da.disk(r, mass=mass), at=(0, 0.15), velocity=(vx, -1.0), spin=spin)
        m.contact("floor", m.ground, ball, mu=mu, restitution=e, hypothesis=hypothesis)
        run = da.simulate(m, until=0.1)
        (hit,) = run.events
        u, normal = vx + r * spin, mass * (1 + e)
        friction = -u / (1 / mass + r**2 / inertia)
        friction = math.copysign(min(abs(friction), mu * normal), friction)
        assert hit.impulse["floor"] == pytest.approx(normal, rel=1e-12)
        assert hit.impulse["floor.friction"] == pytest.approx(friction, rel=1e-10)
        assert hit.after.v == pytest.approx([vx + friction / mass, e, spin + r * friction / inertia], rel=1e-10)
        assert hit.dissipated > 0.0 and hit.dissipated == pytest.approx(hit.energy_lost, rel=1e-10)
        assert closes(run)

    @staticmethod
    def rod(angle, mu, e, hypothesis="newton", velocity=(-0.3, -1.0), spin=0.0):
        """A rod that strikes a floor with its lower end (Kane and Levinson, Dynamics, 1985, p. 348)."""
        m = da.Mechanism("rod", plane=True)
        c, s = math.cos(angle), math.sin(angle)
        rod = m.body("rod", da.rod(length=1.0, mass=1.0), at=(0.5 * c, 0.5 * s + 0.01), angle=angle, velocity=velocity, spin=spin)  # fmt: skip
        m.contact("floor", m.ground, rod, points=[rod.start], mu=mu, restitution=e, hypothesis=hypothesis)
        return da.simulate(m, until=0.0105 / abs(velocity[1]))

    @pytest.mark.parametrize("hypothesis", ["newton", "poisson"])
    def test_energy_is_never_created(self, hypothesis):
        """Random rods: energy falls at every impact, friction in its cone; Newton's hypothesis alone would create some, and is told to have been corrected."""
        rng, corrected = np.random.default_rng(7), 0
        for _ in range(60):
            angle, mu, e = rng.uniform(0.3, 1.4), rng.uniform(0.1, 1.0), rng.uniform(0.5, 1.0)
            run = self.rod(angle, mu, e, hypothesis, velocity=(rng.uniform(-2, 2), -1.0))
            hit = run.events[0]
            assert hit.what == "impact" and hit.dissipated >= -1e-12 and not run.audit.failures
            assert abs(hit.impulse["floor.friction"]) <= mu * hit.impulse["floor"] * (1 + 1e-9)
            corrected += "of the rebound" in hit.text
            assert ("hypothesis='poisson' loses some" in str(run.audit.notes)) == ("of the rebound" in hit.text)
        assert corrected > 0 if hypothesis == "newton" else corrected >= 0

    def test_energy_that_newton_would_create(self):
        """A rod that ends its slip in the blow: e = 1 by Newton creates energy; the rebound is the largest that does not, which is told."""
        angle, e, vx = 0.5, 1.0, 0.3
        c, s = 0.5 * math.cos(angle), 0.5 * math.sin(angle)
        # mobility of the lower end of a rod of 1 kg and 1 m, along the normal and along the floor
        A = np.array([[1 + 12 * c * c, -12 * c * s], [-12 * c * s, 1 + 12 * s * s]])
        before = np.array([-1.0, vx])
        p = np.linalg.solve(A, np.array([e, 0.0]) - before)
        assert abs(p[1]) < 0.9 * p[0]  # it sticks
        assert 0.5 * p @ (2 * before + A @ p) > 0.01  # J that Newton's hypothesis would create
        hit = self.rod(angle, 0.9, e, velocity=(vx, -1.0)).events[0]
        assert hit.energy_after == pytest.approx(hit.energy_before, rel=1e-12)
        assert "of the rebound" in hit.text
        # sticking all the same, and thrown back with less than e
        after = before + A @ np.array([hit.impulse["floor"], hit.impulse["floor.friction"]])
        assert after[1] == pytest.approx(0, abs=1e-12)
        assert 0.5 < after[0] < e

    def test_two_corners_strike_at_once(self):
        m = da.Mechanism("box", plane=True)
        box = m.body("box", da.block(0.2, 0.2, mass=1.0), at=(0, 0.2), velocity=(2.0, -1.0))
        m.contact("floor", m.ground, box, mu=0.3, restitution=0.5)
        run = da.simulate(m, until=0.15)
        hit = run.events[0]
        # friction at the floor turns the box onto its front corner: all of the normal impulse may be there
        assert sum(x for k, x in hit.impulse.items() if "friction" not in k) > 0.0
        assert hit.dissipated > 0.0
        assert closes(run)


class TestRefused:
    def model(self):
        m = da.Mechanism("ball", plane=True, gravity=(0, -G))
        ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0, 0.2))
        return m, ball

    def test_static_alone(self):
        m, ball = self.model()
        with pytest.raises(da.ModelError, match="without mu"):
            m.contact("floor", m.ground, ball, static=0.3)

    def test_stop_without_direction(self):
        m, ball = self.model()
        m.impact("floor", "ball.y - 0.1")
        with pytest.raises(da.ModelError, match="along="):
            m.friction("rub", "floor", mu=0.3)

    def test_rough_and_mu(self):
        m = da.Mechanism("box", plane=True, gravity=(0, -G))
        box = m.body("box", da.block(0.2, 0.2, mass=1.0), at=(0, 0.1))
        with pytest.raises(da.ModelError, match="rough"):
            m.contact("floor", m.ground, box, mu=0.3, rough=True)

    def test_radius_at_a_contact(self):
        m, ball = self.model()
        m.contact("floor", m.ground, ball)
        with pytest.raises(da.ModelError, match="point"):
            m.friction("rub", "floor", mu=0.3, radius=0.1)


def test_file_round_trip(tmp_path):
    m = da.Mechanism("crate", plane=True, gravity=(0, -G))
    crate = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1), velocity=(1, 0))
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(2, 0.1), velocity=(1, 0))
    m.contact("floor", m.ground, crate, mu=0.3, static=0.4)
    m.contact("lane", m.ground, ball)
    m.friction("rub", "lane", mu="0.1 + 0.1*exp(-v)")
    write_model(m, tmp_path / "crate.toml")
    again = da.read_model(tmp_path / "crate.toml")
    one, two = (da.simulate(x, until=1.0) for x in (m, again))
    assert [str(x) for x in one.events] == [str(x) for x in two.events]
    assert one.q[-1] == pytest.approx(two.q[-1], abs=1e-14)


class TestInSpace:
    """Balls and points slide in two directions; friction is against the velocity of the point that touches."""

    def ball(self, mu, spin=(3.0, -4.0, 5.0), velocity=(2.0, 1.0, 0.0), height=0.1, **more):
        m = da.Mechanism("ball", plane=False, gravity=(0, 0, -G))
        ball = m.body("ball", da.sphere(0.1, mass=1.0), at=(0, 0, height), velocity=velocity, spin=spin)
        m.contact("floor", m.ground, ball, mu=mu, **more)
        return m

    def test_billiard_ball_rolls_in_the_end(self):
        """The slip u decreases along its own direction by 7/2 mu g; the ball rolls with v - 2/7 u."""
        run = da.simulate(self.ball(0.2), until=1.0)
        (rolls,) = run.events
        u = np.array([2.0, 1.0]) - 0.1 * np.array([-4.0, -3.0])
        assert rolls.what == "stick"
        assert rolls.t == pytest.approx(np.linalg.norm(u) / (3.5 * 0.2 * G), rel=1e-10)
        assert run["ball"].velocity[-1] == pytest.approx([*(np.array([2.0, 1.0]) - 2 / 7 * u), 0], abs=1e-10)
        # it rolls, and keeps the spin about the normal
        v, w = run["ball"].velocity[-1], run["ball"].spin[-1]
        assert v[:2] == pytest.approx([0.1 * w[1], -0.1 * w[0]], abs=1e-12) and w[2] == pytest.approx(
            5, rel=1e-8
        )  # rtol of the run
        assert run["floor"].force[0, :2] == pytest.approx(-0.2 * G * u / np.linalg.norm(u), rel=1e-10)
        assert closes(run)

    @pytest.mark.parametrize("mu", [0.05, 0.6])
    def test_ball_with_spin_bounces(self, mu):
        """The friction impulse is -2/7 m u, or mu times the normal one where that is smaller, against u."""
        run = da.simulate(self.ball(mu, height=0.3, restitution=0.7), until=0.3)
        hit, fall = run.events[0], math.sqrt(2 * G * 0.2)
        u = np.array([2.4, 1.3])
        normal, size = 1.7 * fall, np.linalg.norm(u)
        friction = -u / size * min(2 / 7 * size, mu * normal)
        assert hit.impulse["floor"] == pytest.approx(normal, rel=1e-10)
        assert hit.impulse["floor.friction"] == pytest.approx(np.linalg.norm(friction), rel=1e-10)
        assert hit.after.v[:3] == pytest.approx([2 + friction[0], 1 + friction[1], 0.7 * fall], rel=1e-10)
        assert hit.dissipated > 0.0 and closes(run)

    def test_ball_rolls_down_a_slope_or_slides(self):
        for mu, down in ((0.3, 5 / 7 * math.sin(0.4)), (0.05, math.sin(0.4) - 0.05 * math.cos(0.4))):
            m = da.Mechanism("slope", plane=False, gravity=(G * math.sin(0.4), 0, -G * math.cos(0.4)))
            ball = m.body("ball", da.sphere(0.1, mass=1.0), at=(0, 0, 0.1))
            m.contact("floor", m.ground, ball, mu=mu)
            run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)
            assert run["ball"].position[-1] == pytest.approx([0.5 * G * down, 0, 0.1], abs=1e-9)
            assert closes(run)


class TestAtOneState:
    """Questions about a state know the contacts that press there, as `simulate` would begin."""

    def crate(self, mu, angle=0.2, **start):
        m = da.Mechanism("crate", plane=True, gravity=(G * math.sin(angle), -G * math.cos(angle)))
        crate = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1), **start)
        m.contact("floor", m.ground, crate, mu=mu)
        return m

    @pytest.mark.parametrize(
        ("mu", "velocity", "friction"),
        [
            (None, (0, 0), 0.0),
            (0.3, (0, 0), -2 * G * math.sin(0.2)),
            (0.3, (1, 0), -0.3 * 2 * G * math.cos(0.2)),
            (0.1, (0, 0), -0.1 * 2 * G * math.cos(0.2)),
        ],
    )
    def test_reactions_instant_and_free_body(self, mu, velocity, friction):
        m = self.crate(mu, velocity=velocity)
        force = [friction, 2 * G * math.cos(0.2)]
        assert da.reactions(m)["floor"].force == pytest.approx(force, abs=1e-10)
        # what slides is in the table too; a dot is what is not carried
        line = next(x for x in str(da.reactions(m)).splitlines() if x.startswith("floor"))
        assert (f"{force[0]:.6g}" in line) == ("·" not in line) == (mu is not None), line
        assert da.instant(m)["floor"].force == pytest.approx(force, abs=1e-10)
        assert da.free_body(m, "crate")["floor"].force == pytest.approx(force, abs=1e-10)
        assert da.reactions(m).run.a[0, 0] == pytest.approx(G * math.sin(0.2) + friction / 2, abs=1e-10)

    def test_stops_of_both_kinds_of_models(self):
        m = da.Mechanism("particle", plane=True, gravity=(0, -G))
        m.particle("p", mass=2.0, at=(0, 0))
        m.impact("stop", "p.y")
        assert da.reactions(m)["stop"].force == pytest.approx([0, 2 * G])
        lagrangian = da.Lagrangian("y", kinetic="rate(y)**2/2", potential="9.81*y")
        lagrangian.impact("stop", "y")
        assert da.reactions(lagrangian)["stop"].multiplier == pytest.approx(-G)

    def test_open_contacts_carry_nothing(self):
        m = da.Mechanism("above", plane=True, gravity=(0, -G))
        ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0, 0.3))
        m.contact("floor", m.ground, ball, mu=0.2)
        found = da.reactions(m)
        assert "floor" not in found.names and found.run.a[0, 1] == pytest.approx(-G)

    def test_a_blow_is_no_force(self):
        with pytest.raises(da.MethodError, match="impulses"):
            da.reactions(self.crate(0.3, velocity=(0, -1)))
