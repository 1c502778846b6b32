"""Steps of one length for many contacts: closed forms, runs through events, and what holds in every step of every pile.

`h` is the step.  An impact is met at the start or the end of a step, up to h early or late, so that positions are off by some (1 + e) |v| h: the method is of order 1.
"""

import math
import runpy
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.comparison.steps import compare_steps
from dalembert.errors import MethodError

G = 9.81
STEP = 1e-3
EXAMPLES = Path(__file__).parents[2] / "examples"


def moreau(m, until, step=STEP, **options):
    run = da.simulate(m, until=until, method="moreau", step=step, **options)
    assert run.status == "ok", run.audit
    return run


def ball(height, e, mu=None, speed=0.0):
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    disk = m.body("ball", da.disk(0.1, mass=1.0), at=(0, 0.1 + height), velocity=(speed, 0))
    m.contact("floor", m.ground, disk, restitution=e, mu=mu)
    return m


def block(speed=0.0, mu=0.2, angle=0.0, **options):
    """A block on a floor, gravity inclined."""
    m = da.Mechanism("block", plane=True, gravity=(G * math.sin(angle), -G * math.cos(angle)))
    body = m.body("block", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1), velocity=(speed, 0))
    m.contact("floor", m.ground, body, mu=mu, **options)
    return m


def stack(n, plane=True):
    m = da.Mechanism("stack", plane=plane, gravity=(0, -G) if plane else (0, 0, -G))
    below, up = m.ground, (0, 1) if plane else (0, 0, 1)
    for k in range(n):
        at = (0, 0.1 + 0.2 * k) if plane else (0, 0, 0.1 + 0.2 * k)
        box = m.body(f"box{k}", da.block(0.4, 0.2, mass=1.0) if plane else da.box(0.4, 0.3, 0.2, mass=1.0), at=at)
        top = None if below is m.ground else below.point(*(0.1 * x for x in up))
        m.contact(f"c{k}", below, box, normal=up, through=top, mu=0.5)
        below = box
    return m


def pile(seed, n=12, plane=True, mu=0.3, e=0.2):
    """Balls of several sizes thrown into a box."""
    random = np.random.default_rng(seed)
    m = da.Mechanism("pile", plane=plane, gravity=(0, -G) if plane else (0, 0, -G))
    up, wide = 1 if plane else 2, 0.3 if plane else 0.2
    normals = [s * x for x in np.eye(3)[:up] for s in (1.0, -1.0)]
    balls = []
    for k in range(n):
        r = 0.04 + 0.03 * random.random()
        at = 0.05 * random.uniform(-1, 1, 3)
        at[up] = 0.1 + 0.16 * k
        shape = da.disk(r, mass=1.0) if plane else da.sphere(r, mass=1.0)
        one = m.body(f"b{k}", shape, at=at[: up + 1], velocity=random.uniform(-1, 1, up + 1))
        balls.append(one)
    m.contact("pile", balls, mu=mu, restitution=e)
    m.contact("floor", m.ground, balls, mu=mu, restitution=e)
    for i, normal in enumerate(normals):
        place = tuple(-wide * normal[: up + 1])
        m.contact(f"wall{i}", m.ground, balls, normal=tuple(normal[: up + 1]), through=place, mu=mu, restitution=e)
    return m


# -- closed forms ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.5, 0.8])
def test_ball_comes_to_rest(e):
    """Infinitely many bounces last sqrt(2 H/g) (1 + e)/(1 - e)."""
    height = 0.5
    rest = math.sqrt(2 * height / G) * (1 + e) / (1 - e)
    run = moreau(ball(height, e), rest + 0.2, output="steps")
    moves = np.asarray(run["ball"].velocity)[:, 1] < -1e-12
    last = run.t[np.flatnonzero(moves)[-1]]
    # every bounce begins and ends up to a step early; those shorter than a step are none
    assert last == pytest.approx(rest, abs=4 * STEP / (1 - e))
    # what rests may stand by the fall of a step above the floor
    assert run.q[-1][1] == pytest.approx(0.1, abs=G * STEP**2)
    assert run.dissipated[-1] == pytest.approx(G * height, abs=G * G * STEP**2)


def test_block_slides_to_rest():
    """v0^2/(2 mu g), exactly: friction is constant, and the midpoint rule integrates it so but for the last step."""
    run = moreau(block(1.0, 0.2), 1.0)
    assert run.q[-1][0] == pytest.approx(1.0 / (2 * 0.2 * G), abs=0.2 * G * STEP**2)
    assert np.asarray(run["floor"].force)[5] == pytest.approx([-0.2 * 2 * G, 2 * G], rel=1e-12)
    assert np.asarray(run["block"].acceleration)[5] == pytest.approx([-0.2 * G, 0], abs=1e-11)
    assert run.dissipated[-1] == pytest.approx(0.5 * 2.0 * 1.0, rel=1e-9)


@pytest.mark.parametrize(
    ("mu", "static", "slips"), [(0.5, None, False), (0.3, None, True), (0.3, 0.5, False), (0.2, 0.35, True)]
)
def test_block_on_an_incline(mu, static, slips):
    """At tan a = 0.4 it stays where the static coefficient is larger, else it slides with g (sin a - mu cos a)."""
    angle = math.atan(0.4)
    run = moreau(block(0.0, mu, angle, static=static), 0.5)
    way = 0.5 * G * (math.sin(angle) - mu * math.cos(angle)) * 0.25 if slips else 0.0
    # static friction holds through no more than the first step
    assert run.q[-1][0] == pytest.approx(way, abs=1e-12 if not slips else 2 * STEP)
    assert (way > 0.0) == slips


@pytest.mark.parametrize(("theta", "stands"), [(60, True), (55, False)])
def test_ladder(theta, stands):
    """Floor 0.3, wall 0.2: it stands above tan = (1 - 0.3 0.2)/(2 0.3), 57.5 degrees."""
    c, s = math.cos(math.radians(theta)), math.sin(math.radians(theta))
    m = da.Mechanism("ladder", plane=True, gravity=(0, -G))
    bar = m.body("ladder", da.rod(length=4.0, mass=12.0), at=(2 * c, 2 * s), angle=-math.radians(theta))
    m.contact("floor", m.ground, bar, points=[bar.end], mu=0.3)
    m.contact("wall", m.ground, bar, points=[bar.start], normal=(1, 0), mu=0.2)
    run = moreau(m, 0.3)
    moved = float(np.abs(run.q[-1] - run.q[0]).max())
    assert moved < 1e-12 if stands else moved > 1e-3


@pytest.mark.parametrize("mu", [0.3, 0.8])
def test_box_on_four_corners(mu):
    """Redundant contacts in space: the pull 0.676 of the weight slides it along itself, or not; loads add up to what it needs."""
    pull = np.array([6.0, 1.0])
    m = da.Mechanism("box", plane=False, gravity=(*pull, -9.0))
    box = m.body("box", da.box(0.4, 0.3, 0.2, mass=2.0), at=(0, 0, 0.1))
    m.contact("floor", m.ground, box, mu=mu)
    run = moreau(m, 0.5)
    size = float(np.linalg.norm(pull))
    a = max(0.0, size - mu * 9.0) * pull / size
    assert run.q[-1][:2] == pytest.approx(0.5 * a * 0.25, abs=1e-9)
    assert np.asarray(run["floor"].force)[7] == pytest.approx([*(2.0 * (a - pull)), 18.0], abs=1e-9)
    assert np.asarray(run["floor"].normal)[7] == pytest.approx(18.0)


@pytest.mark.parametrize("plane", [True, False])
def test_stack_stays(plane):
    """Boxes at rest: each carries those above it, and nothing creeps: their rows, 4 or 12 of each, are few enough to be solved exactly."""
    n = 10 if plane else 6
    run = moreau(stack(n, plane), 1.0, output=0.1)
    assert np.abs(run.q - run.q[0]).max() < 1e-12 and np.abs(run.v).max() < 1e-12
    for k in range(n):
        assert np.asarray(run[f"c{k}"].normal)[-1] == pytest.approx((n - k) * G, rel=1e-9)


# -- runs through events -----------------------------------------------------------------------------------------------------


def largest(m, until, step, names):
    """Largest difference of coordinates between the two kinds of runs."""
    one, other = da.simulate(m, until=until, output=until / 40), moreau(m, until, step, output=until / 40)
    return max(float(np.abs(np.asarray(one[x]) - np.asarray(other[x])).max()) for x in names)


def first_order(machines, until, names, step=2e-3):
    """Mean errors over several machines, whose impacts fall on other parts of a step, halve with the step: by 1.6 to 2.5, as so few of them leave it open."""
    errors = [np.mean([largest(m, until, step / 2**k, names) for m in machines]) for k in range(3)]
    assert 1.6**2 < errors[0] / errors[2] < 2.5**2, errors
    return errors


def test_bouncing_balls():
    machines = [ball(0.3 + 0.017 * k, 0.7, 0.2, 0.5) for k in range(8)]
    for m in machines:
        m.measure("x", m["ball"].x)
        m.measure("y", m["ball"].y)
    errors = first_order(machines, 0.9, ["x", "y"])
    # three impacts of some 2.4 m/s, each up to a step early
    assert errors[0] < 3 * 1.7 * 2.5 * 2e-3


def test_cradle():
    """Five disks in a row with gaps of a millimetre: what the first brings, the last takes away."""
    m = da.Mechanism("cradle", plane=True, gravity=(0, 0))
    disks = [m.body(f"d{k}", da.disk(0.05, mass=1.0), at=(0.101 * k, 0)) for k in range(5)]
    m.start(disks[0].x, rate=2.0)
    for k in range(4):
        m.contact(f"c{k}", disks[k], disks[k + 1], restitution=1.0)
    run, through = moreau(m, 0.02, 1e-4), da.simulate(m, until=0.02)
    assert run.v[-1][::3] == pytest.approx([0, 0, 0, 0, 2.0], abs=1e-12)
    assert run.q[-1] == pytest.approx(through.q[-1], abs=4 * 2.0 * 1e-4)


def test_stick_slip():
    """A block on a rough floor that is shaken: it sticks and slips."""
    m = da.Mechanism("shaken", plane=True, gravity=(0, -G))
    body = m.body("block", da.block(0.4, 0.1, mass=1.0), at=(0, 0.05))
    m.actuator("push", body.x, force="8*sin(3*t)")
    m.contact("floor", m.ground, body, mu=0.5, static=0.6)
    m.measure("x", body.x)
    assert len(da.simulate(m, until=4.0).events.of("stick", "slip")) >= 6
    errors = [np.mean([largest(m, 4.0, step * k, ["x"]) for k in (0.9, 1.0, 1.1)]) for step in (4e-3, 1e-3)]
    # every change of the coefficient is met up to a step late: (0.6 - 0.5) g h in the velocity, for half a second
    assert errors[0] < 8 * 0.1 * G * 4e-3 and errors[1] < 0.5 * errors[0]


def test_pendulum_between_stops_and_with_friction():
    """Joints hold: a stop of an angle, friction in a pin, a point against a rough wall."""
    stopped = []
    for k in range(6):
        m = da.Mechanism("stopped", plane=True, gravity=(0, -G))
        bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
        pin = m.revolute("A", m.ground, bar, at=(0, 0))
        m.impact("s", f"A.angle + {1.6 + 0.03 * k}", restitution=0.6)
        m.friction("f", "A", mu=0.3, radius=0.05)
        assert pin
        stopped.append(m)
    first_order(stopped, 1.2, ["A.angle"])
    m = da.Mechanism("double", plane=True, gravity=(0, -G))
    upper = m.body("upper", da.rod(length=0.5, mass=1.0), at=(0.25, 0))
    lower = m.body("lower", da.rod(length=0.5, mass=1.0), at=(0.75, 0))
    m.revolute("A", m.ground, upper, at=(0, 0))
    m.revolute("B", upper, lower, at=(0.5, 0))
    m.contact("wall", m.ground, lower, points=[lower.end], normal=(1, 0), through=(-0.3, 0), mu=0.3, restitution=0.3)
    errors = [largest(m, 0.9, step, ["A.angle", "B.angle"]) for step in (2e-3, 5e-4)]
    # one impact at some 5 m/s, and what chaos makes of it in a third of a second
    assert errors[1] < 0.5 * errors[0] < 0.1


def test_friction_of_a_pin_has_its_load():
    """mu r |F| while it turns, in `run[...]` as in other runs."""
    m = da.Mechanism("wheel", plane=True, gravity=(0, -G))
    wheel = m.body("wheel", da.disk(0.2, mass=3.0), at=(0, 0), spin=5.0)
    m.revolute("A", m.ground, wheel, at=(0, 0))
    m.friction("f", "A", mu=0.2, radius=0.05)
    run = moreau(m, 0.5)
    assert np.asarray(run["f"].torque)[3] == pytest.approx(-0.2 * 0.05 * 3.0 * G, rel=1e-9)
    assert run.v[-1][2] == pytest.approx(5.0 - 0.2 * 0.05 * 3.0 * G / (0.5 * 3.0 * 0.04) * 0.5, rel=1e-9)


def test_woodpecker():
    """Stops of measures, friction along others, constraints and a spring: the toy of `examples/34_woodpecker.py` (Glocker), by events and by steps."""
    names = runpy.run_path(str(EXAMPLES / "34_woodpecker.py"))
    m, until = names["m"], 0.16
    other = moreau(m, until, 1e-5, output=until / 40)
    through = da.simulate(m, until=until, output=until / 40)
    hit = names["hits"][0].t
    # one peck of 10 rad/s, and five more impacts of the sleeve, each up to a step early
    assert hit < until
    for name, size in (("bird", 0.01), ("sleeve", 0.01)):
        apart = np.abs(np.asarray(through[name].position) - np.asarray(other[name].position)).max()
        assert apart < 2e-3 * size, (name, apart)


def rod(hypothesis):
    """A rod that falls onto its tip and whose slip reverses in the impact: the two hypotheses of restitution differ."""
    m = da.Mechanism("rod", plane=True, gravity=(0, -G))
    bar = m.body("rod", da.rod(length=2.0, mass=1.0), at=(0, 1.0), angle=0.7, velocity=(1.0, 0))
    m.contact("floor", m.ground, bar, points=[bar.start], mu=1.0, restitution=0.6, hypothesis=hypothesis)
    return m


@pytest.mark.parametrize(("hypothesis", "agree"), [("newton", True), ("poisson", False)])
def test_verify_compares_the_runs(hypothesis, agree):
    """Steps have Newton's restitution: an impact by Poisson's, with a slip that reverses, is another one, and is told apart."""
    found = da.verify(rod(hypothesis), until=0.8, step=2e-4)
    assert found.run.agree == found.agree == agree
    assert (found.run.apart[1] < 1e-3) == agree and found.run.events >= 1
    assert "run through" in str(found)
    with pytest.raises(MethodError, match="Lagrangian"):
        da.verify(da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x", name="fall"), until=1.0)


def shaker():
    """A ball on a plate that is driven."""
    m = da.Mechanism("shaker", plane=True, gravity=(0, -G))
    plate = m.body("plate", da.block(1.0, 0.1, mass=5.0), at=(0, -0.05))
    guide = m.prismatic("guide", m.ground, plate, along=(0, 1))
    m.drive("d", guide.slide, "0.02*sin(25*t)")
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0.1, 0.3))
    m.contact("c", plate, ball, normal=(0, 1), through=plate.point(0, 0.05), restitution=0.5, mu=0.3)
    return m


def backlash():
    """Two wheels with play between their teeth, and a load that changes its side."""
    m = da.Mechanism("gears", plane=True)
    a, b = (m.body(name, da.disk(r, mass=1.0), at=(x, 0)) for name, r, x in (("a", 0.1, 0), ("b", 0.2, 0.3)))
    m.revolute("A", m.ground, a, at=(0, 0))
    m.revolute("B", m.ground, b, at=(0.3, 0))
    m.start(m["A"].angle, rate=3.0)
    for name, sign in (("front", 1), ("back", -1)):
        m.impact(name, f"{sign}*(0.1*A.angle + 0.2*B.angle) + 0.002", restitution=0.3)
    m.actuator("load", m["B"].angle, force="0.3*sin(9*t)")
    return m


def parallelogram():
    """Redundant joints over a floor."""
    m = da.Mechanism("parallelogram", plane=True, gravity=(0, -G))
    c, s = math.cos(1.0), math.sin(1.0)
    top = m.body("top", da.rod(length=2.0, mass=1.0), at=(1 + c, s))
    for k in range(3):
        bar = m.body(f"c{k}", da.rod(length=1.0, mass=1.0), at=(k + 0.5 * c, 0.5 * s), angle=1.0)
        m.revolute(f"O{k}", m.ground, bar, at=(k, 0))
        m.revolute(f"P{k}", bar, top, at=(k + c, s))
    m.contact("floor", m.ground, top, points=[top.end], through=(0, 0.3), restitution=0.4)
    return m


def massless():
    """A coupler without mass: the saddle-point system has the responses."""
    m = da.Mechanism("massless", plane=True, gravity=(0, -G))
    arm, ball = (
        m.body("arm", da.rod(length=1.0, mass=1.0), at=(0.5, 0)),
        m.body("ball", da.disk(0.1, mass=1.0), at=(1.5, 0)),
    )
    coupler = m.body("coupler", mass=0.0, inertia=0.0, at=(1.25, 0))
    m.revolute("A", m.ground, arm, at=(0, 0))
    m.revolute("B", arm, coupler, at=(1, 0))
    m.revolute("C", coupler, ball, at=(1.5, 0))
    m.contact("floor", m.ground, ball, through=(0, -0.8), restitution=0.3, mu=0.3)
    return m


def compliant():
    """Friction at a compliant contact."""
    m = da.Mechanism("soft", plane=True, gravity=(0, -G))
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0, 0.11), velocity=(1, 0))
    m.contact("floor", m.ground, ball, stiffness=2e4, damping=0.5, mu=0.3)
    return m


def bowl():
    """A ball in a bowl in space."""
    m = da.Mechanism("bowl", plane=False, gravity=(0, 0, -G))
    ball = m.body("ball", da.sphere(0.05, mass=1.0), at=(0.3, 0, -0.2))
    m.contact("bowl", m.ground, ball, radii=(0.5, 0.05), inside=True, mu=0.4)
    return m


@pytest.mark.parametrize(
    ("machine", "until", "step"),
    [(shaker, 0.8, 1e-3), (backlash, 0.3, 2e-4), (parallelogram, 0.9, 1e-3), (massless, 0.7, 1e-3), (compliant, 0.5, 2e-4), (bowl, 1.0, 1e-3)],
)  # fmt: skip
def test_machines_of_all_kinds(machine, until, step):
    """The bound of `verify`, (n + 1) v h/2 after n events, and the audit with the work of drivers through impacts."""
    found = compare_steps(machine(), until, step)
    assert found.apart[1] <= found.allowed and found.apart[1] < 0.02, found
    assert moreau(machine(), until, step).audit.energy < 1e-3


def dry():
    """Constant friction with a larger one at rest, shaken."""
    m = da.Mechanism("dry", plane=True)
    block_ = m.body("block", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    guide = m.prismatic("guide", m.ground, block_, along=(1, 0))
    m.actuator("push", guide.slide, force="8*sin(3*t)")
    m.friction("f", guide.slide, force=5.0, static_force=6.0)
    return m


def socket():
    """Friction of a ball in its socket: three components."""
    m = da.Mechanism("socket", plane=False, gravity=(0, 0, -G))
    rod_ = m.body("rod", da.rod(length=1.0, mass=1.0, radius=0.02), at=(0.5, 0, 0), spin=(1, 0, 2))
    m.spherical("S", m.ground, rod_, at=(0, 0, 0))
    m.friction("f", "S", mu=0.3, radius=0.05)
    return m


@pytest.mark.parametrize(("machine", "until"), [(dry, 2.0), (socket, 1.0)])
def test_friction_of_joints(machine, until):
    found = compare_steps(machine(), until, 1e-3)
    # in lengths of the model, 0.04 m of the block
    assert found.apart[1] <= min(found.allowed, 1e-2), found


def test_chain_with_friction_in_all_pins():
    """Eight pins on eight freedoms: torques lie within mu r |F|, on the border where a pin turns, and energy falls."""
    m = da.Mechanism("chain", plane=True, gravity=(0, -G))
    before = m.ground
    for k in range(8):
        link = m.body(f"l{k}", da.rod(length=0.2, mass=0.3), at=(0.2 * k + 0.1, 0))
        m.revolute(f"J{k}", before, link, at=(0.2 * k, 0))
        m.friction(f"f{k}", f"J{k}", mu=0.2, radius=0.02)
        before = link
    run = moreau(m, 1.0, output="steps")
    assert run.trace.contacts.worst < 1e-9
    for k in range(8):
        torque, force = np.abs(run[f"f{k}"].torque), 0.2 * 0.02 * np.linalg.norm(run[f"J{k}"].force, axis=1)
        rate = np.asarray(run[f"J{k}"].angle.rate)
        assert np.all(torque <= force * (1 + 1e-9) + 1e-12)
        # a pin that turns one way at both ends of a step does so against all of it
        turns = (np.abs(rate) > 0.1) & (np.append(0.0, rate[:-1]) * rate > 0.0)
        assert torque[turns] == pytest.approx(force[turns], rel=1e-6)
        assert np.all(np.asarray(run[f"f{k}"].torque)[turns] * rate[turns] < 0)
    assert run.energy.total[-1] < run.energy.total[0] - 1.0


# -- every step of every pile ------------------------------------------------------------------------------------------------


def contacts(m, run):
    """(normal forces, friction forces, gaps) over time of every contact, the gaps from coordinates alone."""
    for name in m.parts("force"):
        force = np.asarray(run[name.name].force)
        normal = np.asarray(run[name.name].normal)
        (gap,) = name.gaps.values()
        yield normal, np.sqrt(np.maximum((force**2).sum(axis=1) - normal**2, 0.0)), np.asarray(run.measure(gap))


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize(("seed", "mu", "e"), [(1, 0.3, 0.2), (2, 0.0, 0.5), (3, 0.7, 0.0), (4, 0.2, 0.9)])
def test_random_piles(seed, mu, e, plane):
    """Energy never rises, nothing overlaps by 1e-6 m, impulses lie in their cones, and what is open carries nothing."""
    n = 12 if plane else 8
    m = pile(seed, n, plane, mu, e)
    run = moreau(m, 1.0, output="steps")
    energy = np.asarray(run.energy.total)
    # what impulses that are not solved exactly would create is taken from velocities, as long as there are some
    assert np.diff(energy).max() <= 1e-9 * energy[0]
    assert energy[0] - energy[-1] == pytest.approx(run.dissipated[-1], abs=1e-9 * energy[0])
    assert energy[-1] < 0.9 * energy[0]
    for normal, friction, gap in contacts(m, run):
        assert gap.min() > -1e-6
        assert normal.min() >= 0.0
        # of vectors that were taken apart and squared
        assert (friction - mu * normal).max() <= 1e-6 * max(normal.max(), 1.0)
        # a contact acts within a step in which its gap would close, or stays closed up to g h^2: what is open by more than that carries nothing
        moves = 2.0 * STEP * (np.abs(run.v).max(axis=1) * (1.0 if plane else math.sqrt(3.0)))
        reach = moves[1:] + moves[:-1] + G * STEP**2
        assert not np.any(normal[1:] * (np.minimum(gap[1:], gap[:-1]) > reach))
    # action and reaction, and Newton's law: means of a step
    for body in m.bodies:
        found = sum(np.asarray(run[x.name].on(body).force) for x in m.parts("force") if body in x.bodies)
        weight = np.zeros(found.shape[1])
        weight[-1] = -G
        slowed = 1e-6 * np.abs(found).max()
        assert np.asarray(run[body.name].acceleration) == pytest.approx(found + weight, abs=slowed + 1e-9)


def test_impulses_are_solved():
    """Few rows are solved to rounding; the audit says how well, and what it does not look at."""
    run = moreau(block(1.0, 0.2), 0.2)
    assert run.trace.contacts.worst < 1e-12 and run.trace.contacts.unsolved == 0
    assert "not looked at" in str(run.audit) and "taken by impacts and friction" in str(run.audit)


def test_other_times():
    """States and forces between steps are ends of shorter steps; outputs change nothing of the run."""
    m = ball(0.3, 0.5)
    run, often = moreau(m, 0.6), moreau(m, 0.6, output=0.00037)
    assert run.q[-1] == pytest.approx(often.q[-1], abs=1e-12)
    state = run.at(0.1)
    assert state.q[1] == pytest.approx(0.4 - 0.5 * G * 0.01, abs=1e-12)
    again = run.resample([0.0, 0.1, 0.6])
    assert again.q[0] == pytest.approx(run.q[0]) and again.q[2] == pytest.approx(run.q[-1], abs=1e-12)


@pytest.mark.parametrize(
    ("options", "found"),
    [({}, "no step"), ({"step": STEP, "backward": True, "until": -1.0}, "backward")],
)
def test_refused(options, found):
    with pytest.raises(MethodError, match=found):
        da.simulate(ball(1.0, 0.5), **{"until": 1.0, "method": "moreau", **options})


def test_refused_models():
    m = ball(1.0, 0.5)
    m.event("low", "floor.gap", level=0.3)
    with pytest.raises(MethodError, match="events 'low'"):
        da.simulate(m, until=1.0, method="moreau", step=STEP)
    with pytest.raises(MethodError, match="depends on the rate"):
        da.simulate(block(1.0, "0.2 + 0.1*v"), until=1.0, method="moreau", step=STEP)
    with pytest.raises(MethodError, match="the gap of 'floor' is -0.01"):
        da.simulate(ball(-0.01, 0.5), until=1.0, method="moreau", step=STEP)
    system = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x", name="fall")
    with pytest.raises(MethodError, match="Lagrangian"):
        da.simulate(system, until=1.0, method="moreau", step=STEP)
    with pytest.raises(MethodError, match="work and impulses"):
        assert moreau(ball(1.0, 0.5), 0.1).work
