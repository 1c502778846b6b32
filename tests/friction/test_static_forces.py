"""The one problem of statics against linear programs of SciPy that know nothing of free motions: random balances, and ladders by the public verbs."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

import dalembert as da
from dalembert.analyses.rest.static_forces import Grip, StaticForces, corner
from tests.soak import share

G = 9.81


def program(cost, force, jac, loads, pushes, grips, signs):
    """The largest cost.F with J^T lam = Q + g F + R^T n + S^T T over (F, n, T, lam), one line for each way of T; multipliers press on given sides."""
    columns = np.vstack([loads.T, pushes, *(one.rows for one in grips), -jac]).T
    first, count = loads.shape[1] + len(pushes), columns.shape[1]
    rows, limits, sign = [], [], iter(signs)
    for k, one in enumerate(grips):
        limit = np.zeros(count)
        if one.contact >= 0:
            limit[loads.shape[1] + one.contact] = one.mu
        for pad in one.pads:
            side = next(sign) * pad[0]
            limit[count - len(jac) :] += side
            rows.append(np.append(np.zeros(count - len(jac)), -side))
            limits.append(0.0)
        for way in (1.0, -1.0):
            rows.append(way * np.eye(count)[first + k] - limit)
            limits.append(one.known)
    bounds = [(None, None)] * loads.shape[1] + [(0, None)] * len(pushes) + [(None, None)] * (count - first)
    made = linprog(-np.append(cost, np.zeros(count - len(cost))), rows, limits, columns, -force, bounds, method="highs")
    return {0: lambda: -made.fun, 3: lambda: math.inf}.get(made.status, lambda: None)()


def hull(force, jac, loads, pushes, grips, k):
    """Smallest and largest load k over all sides of what presses."""
    ends = []
    for signs in itertools.product((1.0, -1.0), repeat=sum(len(one.pads) for one in grips)):
        pair = [program(way * np.eye(loads.shape[1])[k], force, jac, loads, pushes, grips, signs) for way in (-1, 1)]
        ends += [] if None in pair else [(-pair[0], pair[1])]
    return (min(x for x, _ in ends), max(x for _, x in ends)) if ends else None


@pytest.mark.parametrize("seed", range(share(400)))
def test_random_balances(seed):
    """Contacts, friction of known sizes and friction of multipliers: the same extremes where nothing feeds on itself by as much as itself."""
    random = np.random.default_rng(seed)
    n, rows = 7, random.integers(1, 4)
    jac, force = random.normal(size=(rows, n)), random.normal(size=n)
    loads, pushes = random.normal(size=(n, 1)), random.normal(size=(random.integers(0, 4), n))
    grips = [Grip(f"contact {k}", random.normal(size=(1, n)), contact=k, mu=random.uniform(0.0, 1.0)) for k in range(len(pushes))]  # fmt: skip
    grips += [Grip(f"known {k}", random.normal(size=(1, n)), known=random.uniform(0.0, 1.0)) for k in range(2)]
    grips += [
        Grip(f"felt {k}", random.normal(size=(1, n)), pads=(0.05 * np.eye(rows)[[random.integers(0, rows)]],))
        for k in range(3)
    ]
    forces, expected = (
        StaticForces(force, jac, np.ones(n), loads, pushes, grips),
        hull(force, jac, loads, pushes, grips, 0),
    )
    found = forces.extremes(0)
    assert (found is None) == (expected is None) == (forces.inside()[0] < 0.0)
    if found is None:
        return
    # what is found holds, and it is all of it unless another side of a load that vanishes on the way holds more
    size = 1e-7 * max([1.0, *(abs(x) for x in (*found, *expected) if math.isfinite(x))])
    assert found[0] >= expected[0] - size and found[1] <= expected[1] + size
    one_side = hull(force, jac, loads, pushes, [g if not g.pads else Grip(g.name, g.rows, known=0.0) for g in grips], 0)
    assert one_side is None or (found[0] <= one_side[0] + size and found[1] >= one_side[1] - size)
    without = [one for one in grips if not one.pads]
    exact = StaticForces(force, jac, np.ones(n), loads, pushes, without).extremes(0)
    by_program = hull(force, jac, loads, pushes, without, 0)
    assert (exact is None) == (by_program is None)
    assert exact is None or exact == pytest.approx(by_program, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("seed", range(share(200)))
def test_corners_of_linear_programs(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 7))
    cost, rows, limits = random.normal(size=n), random.normal(size=(3 * n, n)), random.uniform(-0.2, 1.0, size=3 * n)
    box, ends = np.vstack([np.eye(n), -np.eye(n)]), np.full(2 * n, 10.0)
    made = linprog(-cost, np.vstack([box, rows]), np.append(ends, limits), bounds=(None, None), method="highs")
    found = corner(
        cost, np.vstack([box, rows]), np.append(ends, limits), [k if x >= 0 else k + n for k, x in enumerate(cost)]
    )
    assert (found is None) == (made.status != 0)
    assert found is None or cost @ found == pytest.approx(-made.fun, rel=1e-9, abs=1e-9)


def ladder(theta, floor, wall, man, at, pin=None):
    """A ladder of 12 kg and 4 m at an angle to the floor, with a man on it; its foot on the floor, or in a bearing with friction."""
    s, c = math.sin(theta), math.cos(theta)
    m = da.Mechanism("ladder", plane=True, gravity=(0, -G))
    bar = m.body("ladder", da.rod(length=4.0, mass=12.0), at=(2 * c, 2 * s), angle=-theta)
    m.contact("wall", m.ground, bar, normal=(1, 0), points=[bar.start], mu=wall)
    if pin is None:
        m.contact("floor", m.ground, bar, points=[bar.end], mu=floor)
    else:
        m.prismatic(
            "rail", m.ground, block := m.body("foot", mass=1.0, inertia=0.1, at=(4 * c, 0)), along=(1, 0), at=(4 * c, 0)
        )
        m.revolute("pin", block, bar, at=(4 * c, 0))
        m.friction("sole", "rail", mu=floor)
        m.friction("bearing", "pin", mu=0.3, radius=pin)
    m.force("man", bar, (0, -man), at=bar.point(4.0 * at - 2.0, 0))
    return m


def rests(theta, floor, wall, man, at):
    """Whether forces (N_floor, T_floor, N_wall, T_wall) balance, by a linear program, and how far they are from doing so: the least force to the side at the foot."""
    s, c, weight = math.sin(theta), math.cos(theta), 12 * G
    # the foot is at (4 c, 0); the man is `at` of the way from the upper end
    moment = weight * 2 * c + man * 4 * (1 - at) * c
    A = np.array([[0.0, 1, 1, 0, 1, -1], [1.0, 0, 0, 1, 0, 0], [0, 0, -4 * s, -4 * c, 0, 0]])
    b = np.array([0.0, weight + man, -moment])
    cones = np.array(
        [[-floor, 1, 0, 0, 0, 0], [-floor, -1, 0, 0, 0, 0], [0, 0, -wall, 1, 0, 0], [0, 0, -wall, -1, 0, 0]]
    )
    bounds = [(0, None), (None, None), (0, None), (None, None), (0, None), (0, None)]
    return linprog([0, 0, 0, 0, 1, 1], cones, np.zeros(4), A, b, bounds, method="highs").fun


@pytest.mark.parametrize("seed", range(share(150)))
def test_ladders(seed):
    """Rest is possible where a linear program balances: the load at the foot may then be 0; and so do the ranges of `equilibrium`."""
    random = np.random.default_rng(seed)
    theta, floor, wall = random.uniform(0.5, 1.5), random.uniform(0.05, 0.8), random.uniform(0.0, 0.8)
    man, at = random.choice([0.0, 400.0]), random.uniform(0.05, 1.0)
    needed = rests(theta, floor, wall, man, at)
    m = ladder(theta, floor, wall, man, at)
    m.force("hand", m["ladder"], (1, 0), at=m["ladder"].end)
    held = da.holding_load(m, "hand")["hand"]
    assert abs(held.value) == pytest.approx(needed, abs=1e-6)
    if seed < share(20):
        ranges = [
            one for one in da.equilibrium(ladder(theta, floor, wall, man, at)) if one.coordinate == "ladder.angle"
        ]
        # but for angles on the very end
        if not 0.0 < needed < 1e-3:
            assert any(one.low - 1e-9 <= -theta <= one.high + 1e-9 for one in ranges) == (
                needed == pytest.approx(0.0, abs=1e-9)
            )


def test_a_ladder_with_a_bearing_beside_a_contact():
    """Friction in joints that feels what contacts put on them: the foot slides on a rail and turns in a pin, both with friction; the smallest moment of all by a search over forces."""
    theta, floor, wall, radius = 1.0, 0.2, 0.15, 0.1
    m = ladder(theta, floor, wall, 0.0, 1.0, pin=radius)
    m.force("hand", m["foot"], (1, 0))
    held = da.holding_load(m, "hand")["hand"]
    s, c, weight = math.sin(theta), math.cos(theta), 12 * G
    best = [math.inf, -math.inf]
    # N, T of the wall; pin: force (-N, W - T) on the ladder, moment about the foot  W 2c - N 4s - T 4c = M, |M| <= 0.3 r |F|
    for part in (-1.0, 1.0):
        for side in (-1.0, 1.0):
            n = weight / 4
            for _ in range(200):
                t = part * wall * n
                moment = side * 0.3 * radius * math.hypot(n, weight - t)
                n = (2 * c * weight - moment) / (4 * s + part * wall * 4 * c)
            rail = floor * abs(weight + G - part * wall * n)
            best = [min(best[0], -n - rail), max(best[1], -n + rail)]
    assert (held.low, held.high) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("offset", [0.0, 0.1])
def test_two_guides_share_by_the_smallest_loads(offset):
    """A weight beside the middle of two guides in one line: of all shares the smallest takes half each, and the reports tell that there are others."""
    m = da.Mechanism("slope", plane=True, gravity=(-G * math.sin(0.1), -G * math.cos(0.1)))
    block = m.body("block", mass=2.0, inertia=0.1, at=(offset, 0))
    for name, x in (("left", -0.2), ("right", 0.2)):
        m.prismatic(name, m.ground, block, along=(1, 0), at=(x, 0))
        m.friction(f"rub {name}", name, mu=0.2)
    held = da.holding_load(m, "left.slide")
    loads = [da.reactions(_bare(offset))[name].force[1] for name in ("left", "right")]
    most = 0.2 * sum(map(abs, loads))
    down = 2.0 * G * math.sin(0.1)
    assert (held["left.slide"].low, held["left.slide"].high) == pytest.approx((down - most, down + most), rel=1e-9)
    assert "smallest loads" in str(held) and "smallest loads" in str(da.equilibrium(m))


def _bare(offset):
    """The same without friction, held along the guides."""
    m = da.Mechanism("slope", plane=True, gravity=(-G * math.sin(0.1), -G * math.cos(0.1)))
    block = m.body("block", mass=2.0, inertia=0.1, at=(offset, 0))
    for name, x in (("left", -0.2), ("right", 0.2)):
        m.prismatic(name, m.ground, block, along=(1, 0), at=(x, 0))
    m.drive("hold", m["left"].slide, 0.0)
    return m


@pytest.mark.parametrize(("mu", "locks"), [(0.5, False), (1.2, True)])
def test_a_push_that_presses_on_its_guide(mu, locks):
    """F cos b = T and n = W + F sin b with |T| <= mu |n|: no bound upwards where mu tan b > 1, the guide locks itself."""
    b, weight = math.pi / 4, 2.0 * G
    m = da.Mechanism("guide", plane=True, gravity=(0, -G))
    block = m.body("block", mass=2.0, inertia=0.1)
    m.prismatic("guide", m.ground, block, along=(1, 0))
    m.friction("rub", "guide", mu=mu)
    m.force("push", block, (math.cos(b), -math.sin(b)))
    held = da.holding_load(m, "push")["push"]
    high = math.inf if locks else mu * weight / (math.cos(b) - mu * math.sin(b))
    assert (held.low, held.high) == (
        pytest.approx(-mu * weight / (math.cos(b) + mu * math.sin(b)), rel=1e-9),
        pytest.approx(high, rel=1e-9),
    )


def test_a_bound_far_away_is_no_missing_one():
    """A load that hardly does work has a large bound; two walls that squeeze with any size have none, and bounds beside them stay exact."""
    lean = 1e-5
    loads = np.array([[lean], [1.0]])
    rub = Grip("rub", np.array([[1.0, 0.0]]), known=2.0)
    low, high = StaticForces(np.array([1.0, 0.0]), np.array([[0.0, 1.0]]), np.ones(2), loads, grips=[rub]).extremes(0)
    assert (low, high) == pytest.approx((-3.0 / lean, 1.0 / lean), rel=1e-9)
    # walls on both sides of x, friction of the first along y, a load along x and one along z that only a known friction holds
    walls = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    grips = [
        Grip("wall", np.array([[0.0, 1.0, 0.0]]), contact=0, mu=0.3),
        Grip("z", np.array([[0.0, 0.0, 1.0]]), known=0.25),
    ]
    forces = StaticForces(np.array([0.3, -1.0, 0.1]), np.zeros((0, 3)), np.ones(3), np.eye(3), walls, grips)
    assert forces.extremes(2) == pytest.approx((-0.35, 0.15), rel=1e-12)
    assert forces.extremes(1) == (-math.inf, math.inf) == forces.extremes(0)


def test_many_frictions_on_one_freedom():
    """Twelve frictions of 0.5 N hold 3 N with half of what they may; no choice of their signs is tried one by one."""
    m = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2", potential="-3*x")
    for k in range(12):
        m.friction(f"rub {k}", "x" if k else "x + 0*y", force=0.5)
    m.friction("rub y", "y", force=1.0)
    assert da.equilibrium(m).used == pytest.approx(0.5, rel=1e-9)
    held = da.holding_load(m, ["x", "y"])
    assert (held["x"].low, held["x"].high) == pytest.approx((-9.0, 3.0), rel=1e-9)
