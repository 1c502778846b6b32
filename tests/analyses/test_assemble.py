"""assemble: from rough drawings to configurations, branches, alternatives, conditions, and why it cannot be done.

Tolerance 1e-11 for positions: the constraints hold to 1e-12 of the model's length, and circles that cross at a fair angle double that.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import dalembert as da
from tests.errors.checks import refused

from .machines import PIN, fb4

TOLERANCE = 1e-11


def four_bar(ground=4.0, crank=1.0, coupler=4.0, rocker=3.0, angle=None, scale=1.0, rough=True, names="ABCD"):
    """Four-bar of uniform rods, roughly drawn near the open configuration with the crank upright."""
    s = scale
    m = da.Mechanism("four-bar", gravity=(0, -9.81 * s))
    c = m.body("crank", da.rod(length=crank * s, mass=1.0), at=(0.1 * s, 0.5 * s), angle=1.4)
    k = m.body("coupler", da.rod(length=coupler * s, mass=4.0), at=(1.8 * s, 1.9 * s), angle=0.5)
    r = m.body("rocker", da.rod(length=rocker * s, mass=3.0), at=(3.8 * s, 1.5 * s), angle=1.7)
    a, b, d, e = names
    m.revolute(a, m.ground, c, at=(0, 0), on=c.start)
    m.revolute(b, c, k, on=[c.end, k.start])
    m.revolute(d, k, r, on=[k.end, r.end])
    m.revolute(e, m.ground, r, at=(ground * s, 0), on=r.start)
    if angle is not None:
        m.start(f"{a}.angle", value=angle)
    return m


def end_of(state, body, length):
    """End of a rod of which body is the number: mass centre plus half its length along it."""
    x, y, angle = state.q[3 * body : 3 * body + 3]
    return np.array([x + length / 2 * math.cos(angle), y + length / 2 * math.sin(angle)])


# -- positions ---------------------------------------------------------------------------------------------------------


def test_rough_drawing_of_fb4():
    """The pin of coupler and rocker: on circles about (0, 1) and (4, 0)."""
    found = da.assemble(four_bar(angle=math.pi / 2))
    assert end_of(found.state, 1, 4.0) == pytest.approx(PIN, abs=TOLERANCE)
    assert end_of(found.state, 2, 3.0) == pytest.approx(PIN, abs=TOLERANCE)
    assert found.branch.kind == "open" and found.dof == 1
    assert found.conditions == ("start of A.angle",) and found.dependent == ()
    # drawn at (0.1, 0.5) with 1.4 rad, reached (0, 0.5) with pi/2
    assert found.moved["crank"].distance == pytest.approx(0.1, abs=TOLERANCE)
    assert found.moved["crank"].angle == pytest.approx(math.pi / 2 - 1.4, abs=TOLERANCE)
    text = str(found)
    assert (
        "assembly of 'four-bar' at t = 0 s: 1 degree of freedom, 1 condition" in text
        and "branch: loop A–B–C–D: open" in text
    )
    assert re.search(r"crank +0\.1 +0\.170796", text)


def test_what_is_assembled_already_does_not_move():
    found = da.assemble(fb4())
    assert max(m.distance for m in found.moved.values()) < 1e-12 and max(m.angle for m in found.moved.values()) < 1e-12


def test_the_state_goes_on():
    m = four_bar(angle=math.pi / 2)
    m.start("A.angle", rate=2.0)
    found = da.assemble(m)
    for start in (found.state, found):
        run = da.simulate(m, until=0.1, start=start)
        assert run["crank"].spin[0] == pytest.approx(2.0, abs=1e-12)
        assert run.q[0] == pytest.approx(found.state.q, abs=1e-12)
    assert max(x.distance for x in da.assemble(m, start=found).moved.values()) < 1e-12


def test_least_change():
    """Two equal free masses 3 m apart on a rod of 2 m: each moves half a metre; twice the mass moves half as far."""
    for ratio in (1.0, 2.0):
        m = da.Mechanism("pair")
        a, b = m.particle("a", mass=1.0, at=(0, 0)), m.particle("b", mass=ratio, at=(3, 0))
        m.distance("rod", a, b, length=2.0)
        found = da.assemble(m)
        assert found.moved["a"].distance == pytest.approx(ratio / (1 + ratio), abs=TOLERANCE)
        assert found.moved["b"].distance == pytest.approx(1 / (1 + ratio), abs=TOLERANCE)
        assert found.dof == 3


def test_drivers_at_a_time():
    m = four_bar()
    m.drive("motor", "A.angle", "pi/2 + t")
    found = da.assemble(m, t=0.25)
    assert found.state.q[2] == pytest.approx(math.pi / 2 + 0.25, abs=TOLERANCE)
    assert found.state.v[2] == pytest.approx(1.0, abs=TOLERANCE) and found.dof == 0


# -- what is fixed -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fixed", [["rocker"], "rocker", ("rocker",)])
def test_a_body_stays_where_it_is_drawn(fixed):
    """The rocker is held as drawn; its pin is on the ground, so that the point D is where its start is."""
    m = four_bar()
    with refused(da.AssemblyError, "'fixed rocker' by 0.01"):  # drawn 0.014 m off its pin, it cannot stay
        da.assemble(m, fixed=fixed)
    m = fb4()
    m.body("weight", mass=1.0, inertia=0.1, at=(0.3, 1.3))
    m.fixed("E", "weight", "coupler", at=(0.3, 1.3))
    found = da.assemble(m, fixed=fixed)
    assert found.moved["rocker"].distance < 1e-12 and found.conditions == ("fixed rocker",)


def test_a_body_in_space_stays():
    m = da.Mechanism("pair", plane=False)
    turn = ((1, 2, 3), 0.8)
    a = m.body("a", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 0), rotation=turn)
    b = m.body("b", mass=1.0, inertia=(1, 1, 1), at=(1.3, 0.2, 0.1))
    m.spherical("S", a, b, at=(a.point(0.5, 0, 0), b.point(-0.5, 0, 0)))
    free = da.assemble(m)
    assert free.moved["a"].distance > 1e-3 and free.moved["b"].distance > 1e-3 and free.dof == 9
    held = da.assemble(m, fixed=["a"])
    assert held.moved["a"].distance < 1e-12 and held.moved["a"].angle < 1e-12 and held.moved["b"].distance > 1e-3
    # from another state it stays where that has it
    again = da.assemble(m, start=free.state, fixed=["a"])
    assert max(x.distance + x.angle for x in again.moved.values()) < 1e-11


def test_measures_are_held_at_their_values_or_at_given_ones():
    m = four_bar()
    found = da.assemble(m, fixed=["A.angle"])
    assert found.state.q[2] == pytest.approx(1.4, abs=TOLERANCE)
    found = da.assemble(m, fixed={"A.angle": 1.0})
    assert found.state.q[2] == pytest.approx(1.0, abs=TOLERANCE)
    found = da.assemble(m, fixed={"coupler.x": 2.0})
    assert found.state.q[3] == pytest.approx(2.0, abs=TOLERANCE)


# -- branches ----------------------------------------------------------------------------------------------------------


def crossed_pin():
    """The other crossing of the circles about (0, 1) and (4, 0)."""
    r = math.sqrt(128.0)
    return (48.0 - r) / 17.0, (5.0 - 4.0 * r) / 17.0


@pytest.mark.parametrize("plane", [True, False])
def test_both_branches_of_fb4(plane):
    m = fb4(plane=plane)
    found = da.assemble(m, fixed=["A.angle"], branches=True)
    (other,) = found.alternatives
    assert (found.branch.kind, other.branch.kind) == ("open", "crossed") and found.branch != other.branch
    assert found.branch.signature == (-other.branch.signature[0],)
    run = da.simulate(m, until=1e-3, start=other.state)
    pin = run["coupler"].point(*((2.0, 0.0) if plane else (2.0, 0.0, 0.0))).position[0]
    assert pin[:2] == pytest.approx(crossed_pin(), abs=TOLERANCE)
    # remembered: from its state the same branch is reached, from a state nearby too
    again = da.assemble(m, start=other.state, fixed=["A.angle"])
    assert again.branch == other.branch and again.moved["rocker"].angle < 1e-9
    near = da.assemble(m, start=other.state, fixed={"A.angle": 0.1})
    assert near.branch == other.branch and near.branch.kind == "crossed"
    assert found.alternatives[0].alternatives is None and "other configurations: 1" in str(found)


def test_the_branch_stays_through_a_motion():
    """The sign is that of the triangle B, C, D, which the crank of a crank-rocker never flattens."""
    m = fb4(gravity=False)
    m.drive("motor", "A.angle", "t")
    for which in (0, 1):
        first = da.assemble(m, branches=True)
        first = [first, *first.alternatives][which]
        run = da.simulate(m, until=2 * math.pi, start=first.state, output=0.5)
        signs = set()
        for t in run.t:
            signs.add(da.assemble(m, start=run.at(float(t))).branch.signature)
        assert signs == {first.branch.signature}


@pytest.mark.parametrize("seed", range(5))
def test_the_branch_changes_neither_with_names_nor_with_orientation(seed):
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    plain = da.assemble(fb4(plane=False), fixed=["A.angle"], branches=True)
    names = ("z", "y", "x", "P4", "P3", "P2", "P1")
    turned = da.assemble(
        fb4(plane=False, turn=lambda p: tuple(turn @ np.array(p)), names=names), fixed=["P4.angle"], branches=True
    )
    assert turned.branch == plain.branch and turned.branch.kind == "open"
    assert [a.branch for a in turned.alternatives] == [a.branch for a in plain.alternatives]
    flat = da.assemble(fb4(names=names))
    assert flat.branch == plain.branch


def test_ball_and_cylinder_instead_of_hinges():
    """FB4 in space without redundancy: hinge, ball, cylinder, hinge, the balls at different heights; the same branches as in the plane."""
    m = da.Mechanism("RSCR", plane=False)
    corners = [(0.0, 0.0), (0.0, 1.0), PIN, (4.0, 0.0)]
    for name, (x0, y0), (x1, y1) in (("crank", *corners[:2]), ("coupler", *corners[1:3]), ("rocker", *corners[2:])):
        m.body(name, mass=1.0, inertia=(1, 1, 1), at=((x0 + x1) / 2, (y0 + y1) / 2, 0.2))
    m.revolute("A", m.ground, "crank", at=(0, 0, -0.3), axis=(0, 0, 1))
    m.spherical("B", "crank", "coupler", at=(0, 1, 0.4))
    m.cylindrical("C", "coupler", "rocker", at=(*PIN, 0.1), axis=(0, 0, 1))
    m.revolute("D", m.ground, "rocker", at=(4, 0, 0), axis=(0, 0, 1))
    found = da.assemble(m, fixed=["A.angle"], branches=True)
    flat = da.assemble(fb4(), fixed=["A.angle"], branches=True)
    assert found.dof == 1 and found.branch == flat.branch and found.branch.kind == "open"
    assert [a.branch for a in found.alternatives] == [a.branch for a in flat.alternatives]


def test_a_drawing_on_the_other_side():
    """FB4 open, then the crank angle is asked to be that of a state on the crossed branch: told, as the drawing and the result differ."""
    m = fb4()
    other = da.assemble(m, fixed=["A.angle"], branches=True).alternatives[0]
    assert other.drawn != other.branch and "drawn on another branch" in str(other)
    assert da.assemble(m).drawn == da.assemble(m).branch


def test_slider_crank_has_two_sides():
    """x = r cos a +- sqrt(l^2 - r^2 sin^2 a)."""
    m = da.Mechanism("slider-crank")
    crank = m.body("crank", da.rod(length=0.5, mass=1.0), at=(0.1, 0.2), angle=0.9)
    rod = m.body("rod", da.rod(length=1.5, mass=2.0), at=(1.0, 0.2), angle=-0.3)
    piston = m.body("piston", mass=1.0, inertia=0.1, at=(1.6, 0.1))
    m.revolute("O", m.ground, crank, at=(0, 0), on=crank.start)
    m.revolute("A", crank, rod, on=[crank.end, rod.start])
    m.revolute("B", rod, piston, on=[rod.end, piston.center])
    m.prismatic("bore", m.ground, piston, along=(1, 0), at=(m.ground.point(0, 0), piston.center))
    m.start("O.angle", value=0.8)
    found = da.assemble(m, branches=True)
    reach = math.sqrt(1.5**2 - (0.5 * math.sin(0.8)) ** 2)
    assert found.state.q[6] == pytest.approx(0.5 * math.cos(0.8) + reach, abs=TOLERANCE)
    (other,) = found.alternatives
    assert other.state.q[6] == pytest.approx(0.5 * math.cos(0.8) - reach, abs=TOLERANCE)
    assert found.branch.signature == (-other.branch.signature[0],) and 0 not in found.branch.signature


def test_two_dyads_have_four_configurations():
    """Two four-bars in a row: each rocker up or down, given the crank."""
    m = four_bar(angle=math.pi / 2)
    link = m.body("link", da.rod(length=3.0, mass=1.0), at=(5.0, 3.0), angle=0.2)
    last = m.body("last", da.rod(length=2.5, mass=1.0), at=(6.5, 1.0), angle=1.8)
    m.revolute("E", "rocker", link, on=[m["rocker"].end, link.start])
    m.revolute("F", link, last, on=[link.end, last.end])
    m.revolute("G", m.ground, last, at=(7, 0), on=last.start)
    found = da.assemble(m, branches=True)
    everything = [found, *found.alternatives]
    assert {a.branch.signature for a in everything} == {(s, t) for s in (1, -1) for t in (1, -1)}
    # the pin C is one of two by hand; the next one lies on circles about C and about (7, 0)
    pins = [end_of(a.state, 3, 3.0) for a in everything]
    for a, pin in zip(everything, pins):
        c = end_of(a.state, 2, 3.0)
        assert math.dist(pin, c) == pytest.approx(3.0, abs=TOLERANCE) and math.dist(pin, (7, 0)) == pytest.approx(
            2.5, abs=TOLERANCE
        )
        assert min(math.dist(c, PIN), math.dist(c, crossed_pin())) < TOLERANCE
    assert len({tuple(np.round(p, 6)) for p in pins}) == 4


def test_dead_centre_belongs_to_both():
    """The dyad stretched: B, C, D on a line, the two branches meet."""
    m = da.Mechanism("stretched")
    for name, x0, length in (("left", 0.0, 1.0), ("right", 1.0, 1.0)):
        m.body(name, da.rod(length=length, mass=1.0), at=(x0 + length / 2, 0))
    crank = m.body("crank", da.rod(length=1.0, mass=1.0), at=(0, -0.5), angle=math.pi / 2)
    m.revolute("A", m.ground, crank, at=(0, -1))
    m.revolute("B", crank, "left", at=(0, 0))
    m.revolute("C", "left", "right", at=(1, 0))
    m.revolute("D", m.ground, "right", at=(2, 0))
    found = da.assemble(m, fixed=["A.angle"])
    assert found.branch.signature == (0,) and "meet" in str(found.branch)


def test_no_loops():
    m = da.Mechanism("pendulum")
    m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute("A", m.ground, "bar", at=(0, 0))
    found = da.assemble(m, branches=True)
    assert found.branch.signature == () and found.alternatives == () and "no loops" in str(found)


def test_a_loop_in_space_is_listed_and_not_classified():
    """RSSR: hinge, two balls, hinge; other configurations are found, their branch has no sign."""
    m = da.Mechanism("RSSR", plane=False)
    inertia = (0.1, 0.1, 0.1)
    a = m.body("a", mass=1.0, inertia=inertia, at=(0, 0.5, 0))
    b = m.body("b", mass=1.0, inertia=inertia, at=(1, 1, 0.5))
    c = m.body("c", mass=1.0, inertia=inertia, at=(2, 0.5, 1))
    m.revolute("A", m.ground, a, at=(0, 0, 0), axis=(0, 0, 1))
    m.spherical("S", a, b, at=(0, 1, 0))
    m.spherical("T", b, c, at=(2, 1, 1))
    m.revolute("D", m.ground, c, at=(2, 0, 1), axis=(1, 0, 0))
    found = da.assemble(m, fixed=["A.angle"], branches=True)
    assert found.branch.signature == (None,) and found.dof == 2
    # T is on its circle about the x axis through (2, 0, 1), at the drawn distance of S = (0, 1, 0)
    reach = math.sqrt(2**2 + 0**2 + 1**2)
    tips = set()
    for one in [found, *found.alternatives]:
        run = da.simulate(m, until=1e-4, start=one.state)
        tip = run["c"].point(0, 0.5, 0).position[0]
        assert math.dist(tip, (0, 1, 0)) == pytest.approx(reach, abs=TOLERANCE)
        tips.add(tuple(np.round(tip, 6)))
    # |T - S|^2 = 4 + (cos - 1)^2 + (1 + sin)^2 = 5: sin - cos = -1, so the angle is 0 or 3 pi/2
    assert tips == {(2.0, 1.0, 1.0), (2.0, 0.0, 0.0)}


def test_particles_on_rods():
    """Two circles cross twice: the second point is the first mirrored at the line of the centres (0, 1) and (4, 0)."""
    m = da.Mechanism("rods")
    a, b = m.particle("a", mass=1.0, at=(0, 1)), m.particle("b", mass=1.0, at=(3.5, 2.9))
    m.distance("OA", m.ground.point(0, 0), a)
    m.distance("AB", a, b)
    m.distance("BC", m.ground.point(4, 0), b)
    (other,) = da.assemble(m, fixed=["a"], branches=True).alternatives
    d = np.array([4.0, -1.0]) / math.sqrt(17.0)
    u = np.array([3.5, 1.9])
    assert other.state.q[3:5] == pytest.approx([0, 1] + 2 * (u @ d) * d - u, abs=TOLERANCE)


def test_a_platform_on_six_legs():
    """Feet and hinges each in a plane: every configuration has its mirror image below; loops in space are counted, not listed."""
    m = da.Mechanism("platform", plane=False)
    plate = m.body("plate", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 1))
    for k in range(6):
        foot, head = 2 * math.pi * k / 6, 2 * math.pi * ((k + 1) // 2) / 3 + 0.3
        ends = (
            m.ground.point(math.cos(foot), math.sin(foot), 0),
            plate.point(0.5 * math.cos(head), 0.5 * math.sin(head), 0),
        )
        m.distance(f"leg {k}", *ends)
    found = da.assemble(m, branches=True, tries=200)
    heights = sorted(one.state.q[2] for one in [found, *found.alternatives])
    assert len(heights) >= 2 and heights == pytest.approx([-z for z in reversed(heights)], abs=1e-9)
    assert str(found.branch) == "5 loops without a sign" and found.branch.signature == (None,) * 5


@pytest.mark.parametrize("plane", [True, False])
def test_a_flat_parallelogram_is_where_two_branches_meet(plane):
    m = da.Mechanism("flat", plane=plane)
    inertia, end, axis = (0.1, (), {}) if plane else ((0.1, 0.1, 0.1), (0,), {"axis": "z"})
    a, b, c = (m.body(n, mass=1.0, inertia=inertia, at=(x, 0, *end)) for n, x in (("a", 0.5), ("b", 2.0), ("c", 2.5)))
    for name, i, j, x in (("A", m.ground, a, 0), ("B", a, b, 1), ("C", b, c, 3), ("D", m.ground, c, 2)):
        m.revolute(name, i, j, at=(x, 0, *end), **axis)
    assert str(da.assemble(m).branch) == "loop A–B–C–D: 0, where two branches meet"


def rssr(seed, crank_angle, unit=1.0, wheel=False):
    """RSSR with random axes and lengths; returns it with all values of the output angle for this angle of the crank.

    With the balls S (on the crank, given) and T = d + R(n, x) u on its circle, |T - S|^2 = l^2 is  p cos x + q sin x = r.
    """
    rng = np.random.default_rng(seed)
    e, n = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
    a, d = np.zeros(3), np.array([2.0, 0.3, 0.2])
    across = lambda v, axis: v - (v @ axis) * axis  # noqa: E731
    s0 = a + 0.4 * across(rng.normal(size=3), e)
    t0 = d + across(rng.normal(size=3), n)
    place = lambda p: tuple(unit * p)  # noqa: E731
    m = da.Mechanism("RSSR", plane=False)
    bodies = [
        m.body(name, mass=1.0, inertia=(0.1 * unit**2,) * 3, at=place((p + q) / 2 + 0.1))
        for name, p, q in (("crank", a, s0), ("rod", s0, t0), ("rocker", d, t0))
    ]
    m.revolute("A", m.ground, bodies[0], at=place(a), axis=tuple(e))
    m.spherical("S", bodies[0], bodies[1], at=place(s0))
    m.spherical("T", bodies[1], bodies[2], at=place(t0))
    m.revolute("D", m.ground, bodies[2], at=place(d), axis=tuple(n))
    if wheel:
        m.body("wheel", mass=1.0, inertia=(0.1 * unit**2,) * 3, at=place((s0 + t0) / 2 + 0.2))
        m.revolute("W", bodies[1], "wheel", at=place((s0 + t0) / 2 + 0.2), axis=(1, 0, 0))
    length = np.linalg.norm(t0 - s0)
    s = (
        s0 * math.cos(crank_angle)
        + np.cross(e, s0) * math.sin(crank_angle)
        + e * (e @ s0) * (1 - math.cos(crank_angle))
    )
    u, w = t0 - d, d - s
    f, g = np.array([u - (u @ n) * n, np.cross(n, u)]), (u @ n) * n
    p, q = 2.0 * f @ w
    r = length**2 - w @ w - u @ u - 2.0 * g @ w
    size = math.hypot(p, q)
    if abs(r) > size:
        return m, []
    middle, half = math.atan2(q, p), math.acos(r / size)
    return m, sorted(((middle + sign * half + math.pi) % (2 * math.pi)) - math.pi for sign in (1, -1))


@pytest.mark.parametrize("wheel", [False, True])
@pytest.mark.parametrize("unit", [1.0, 1000.0])
@pytest.mark.parametrize("seed", [1, 2, 4, 5])
def test_a_rod_between_balls_turns_idly(seed, unit, wheel):
    """RSSR: two configurations by the closed form, however the rod is turned about its own line, with what it carries."""
    m, angles = rssr(seed, 0.2, unit, wheel)
    assert len(angles) == 2
    found = da.assemble(m, fixed={"A.angle": 0.2}, branches=True)
    reached = [found, *found.alternatives]
    assert len(reached) == 2
    turns = sorted(da.simulate(m, until=1e-6, start=one.state)["D"].angle[0] for one in reached)
    turns = sorted(((x + math.pi) % (2 * math.pi)) - math.pi for x in turns)
    assert turns == pytest.approx(angles, abs=1e-9)


def test_what_is_free_is_no_other_configuration():
    """Links on balls, a body that hangs on nothing: they can be moved over into each other, whatever the start."""
    m = da.Mechanism("chain", plane=False)
    for name, x in (("first", 0.5), ("second", 1.5), ("loose", 5.0)):
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(x, 0, 0))
    m.spherical("A", m.ground, "first", at=(0, 0, 0))
    m.spherical("B", "first", "second", at=(1, 0, 0))
    assert da.assemble(m, branches=True).alternatives == ()
    # a given height of the end of a rod on a hinge: two angles
    m = da.Mechanism("pendulum", plane=False)
    m.body("bar", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    m.body("loose", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(5, 0, 0))
    m.revolute("A", m.ground, "bar", at=(0, 0, 0), axis="z")
    found = da.assemble(m, fixed={"bar.y": 0.25}, branches=True)
    (other,) = found.alternatives
    assert sorted((found.state.q[0], other.state.q[0])) == pytest.approx([-math.sqrt(3) / 4, math.sqrt(3) / 4])


# -- conditions --------------------------------------------------------------------------------------------------------


def test_complete_conditions():
    assert da.assemble(four_bar(angle=1.5), complete=True).dof == 1
    assert da.assemble(four_bar(), fixed={"coupler.x": 1.8}, complete=True).dof == 1
    assert da.assemble(fb4(), fixed=["crank"], complete=True).dependent == ()


def test_too_few_conditions():
    with refused(
        da.AssemblyError, "assemble('four-bar')", "too few conditions: 1 degree of freedom, 0 conditions (none)"
    ):
        da.assemble(four_bar(), complete=True)


def test_too_many_conditions_that_agree():
    m = four_bar(angle=1.5)
    m.start("crank.angle", value=1.5)
    found = da.assemble(m)
    assert found.dependent == ("start of crank.angle",) and "says nothing new here: start of crank.angle" in str(found)
    with refused(da.AssemblyError, "too many conditions", "'start of crank.angle' follows from"):
        da.assemble(m, complete=True)


def test_too_many_conditions_that_disagree():
    m = four_bar(angle=1.5)
    m.start("crank.angle", value=1.4)
    with refused(da.AssemblyError, "the initial values disagree", "by 0.1 rad"):
        da.assemble(m)
    with refused(da.AssemblyError, "disagree", "'fixed crank.angle' by 0.1 rad"):
        da.assemble(four_bar(angle=1.5), fixed={"crank.angle": 1.4})


def test_a_condition_that_the_joints_make_dependent():
    """A bar hanging straight down: its height has no slope there, so it determines nothing (PLANAR 6.3.4, matrix singular)."""
    m = da.Mechanism("pendulum")
    m.body("bar", da.rod(length=1.0, mass=1.0), at=(0, -0.5), angle=-math.pi / 2)
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.start("bar.y", value=-0.5)
    assert da.assemble(m).dependent == ("start of bar.y",)
    with refused(da.AssemblyError, "'start of bar.y' follows from the joints"):
        da.assemble(m, complete=True)


# -- conditions on velocities (PLANAR 6.3.27) ----------------------------------------------------------------------------


def double_pendulum():
    """Two equal rods, level."""
    m = da.Mechanism("double pendulum", gravity=(0, -9.81))
    one = m.body("one", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    two = m.body("two", da.rod(length=1.0, mass=1.0), at=(1.5, 0))
    m.revolute("O", m.ground, one, at=(0, 0))
    m.revolute("A", one, two, at=(1, 0))
    return m


def test_one_rate_for_two_freedoms():
    """The second rod swings back with -1.5 rad/s: of all its spins that of the smallest kinetic energy, (1 + w/2)^2 + w^2/12."""
    m = double_pendulum()
    m.start("O.angle", rate=1)
    with refused(da.AssemblyError, "too few conditions", "velocities: 2 degrees of freedom, 1 rate (rate of O.angle)"):
        da.assemble(m, complete=True)
    with refused(da.AssemblyError, "velocities: 2 degrees of freedom, 1 rate", "rate=...) for A.angle"):
        da.assemble(m, fixed=["O.angle", "A.angle"], complete=True)
    found = da.assemble(m)
    assert found.state.v[5] == pytest.approx(-1.5, rel=1e-12)
    assert found.velocities.rates["A.angle"] == (pytest.approx(-2.5, rel=1e-12), "rad/s")
    assert (found.velocities.taken, found.velocities.complete) == (1, False)
    assert "they decide 1 of 2" in str(found) and "smallest kinetic energy were chosen: A.angle -2.5 rad/s" in str(
        found
    )


def test_as_many_rates_as_freedoms():
    m = double_pendulum()
    m.start("O.angle", value=0.2, rate=1)
    m.start("A.angle", value=0.1, rate=0)
    found = da.assemble(m, complete=True)
    assert found.velocities.complete and found.state.v[[2, 5]] == pytest.approx([1.0, 1.0])
    assert "they decide all velocities" in str(found)


def test_rates_that_say_nothing_new():
    m = four_bar(angle=1.5)
    m.start("A.angle", rate=1.0)
    assert da.assemble(m, complete=True).velocities.complete
    m.start("crank.angle", rate=1.0)
    with refused(da.AssemblyError, "velocities: 'rate of crank.angle' follows from the joints"):
        da.assemble(m, complete=True)


def test_velocities_of_bodies_and_rest():
    m = double_pendulum()
    assert da.assemble(m, fixed=["O.angle", "A.angle"], complete=True).velocities.why == "at rest"
    m2 = da.Mechanism("free")
    m2.body("bar", da.rod(length=1.0, mass=1.0), spin=2.0)
    with refused(da.AssemblyError, "3 degrees of freedom, 1 rate (spin of bar)"):
        da.assemble(m2, fixed=["bar"], complete=True)
    m2 = da.Mechanism("free")
    m2.body("bar", da.rod(length=1.0, mass=1.0), spin=2.0, velocity=(1, 0))
    assert da.assemble(m2, fixed=["bar"], complete=True).velocities.taken == 3


# -- what cannot be assembled ------------------------------------------------------------------------------------------


def test_lengths_that_cannot_close():
    with refused(
        da.AssemblyError, "assembly of 'four-bar'", "constraints not satisfied", " m", "lengths make it impossible",
        "crank 1 m, coupler 1 m, rocker 1 m, ground 4 m", "'ground' is longer than all others together, by 1 m",
    ):  # fmt: skip
        da.assemble(four_bar(4, 1, 1, 1))


def test_lengths_that_cannot_close_in_space():
    """Hinges about an inclined axis, the links at different heights: only lengths across the axis count."""
    m = da.Mechanism("too short", plane=False)
    turn = ((1, 1, 0), 0.7)
    for name, at in (("crank", (0, 0, 0)), ("coupler", (1, 0, 0)), ("rocker", (2, 0, 0))):
        m.body(name, mass=1.0, inertia=(1, 1, 1), at=at, rotation=turn)
    body = m["crank"]
    axis = m["coupler"].axis(0, 0, 1)
    ground = m.body("frame", mass=1.0, inertia=(1, 1, 1), at=(0, 0, -1), rotation=turn)
    m.revolute("A", ground, body, at=(ground.point(0, 0, 0), body.point(-0.5, 0, 0.3)), axis=axis)
    m.revolute("B", body, "coupler", at=(body.point(0.5, 0, 0), m["coupler"].point(-0.5, 0, 0)), axis=axis)
    m.revolute("C", "coupler", "rocker", at=(m["coupler"].point(0.5, 0, 1), m["rocker"].point(-0.5, 0, 0)), axis=axis)
    m.revolute("D", ground, "rocker", at=(ground.point(4, 0, 0.9), m["rocker"].point(0.5, 0, 0.2)), axis=axis)
    with refused(da.AssemblyError, "'frame' is longer than all others together, by 1 m", "coupler 1 m"):
        da.assemble(m)


@pytest.mark.parametrize("how", ["start", "driver", "fixed"])
def test_a_crank_angle_out_of_reach(how):
    """Crank 3 m pointing away from D: B and D are 7 m apart, coupler 2 m and rocker 2.5 m reach 4.5 m."""
    m = four_bar(4, 3, 2, 2.5, angle=math.pi if how == "start" else None)
    options = {}
    if how == "driver":
        m.drive("motor", "A.angle", "pi + t")
    elif how == "fixed":
        options["fixed"] = {"crank.angle": math.pi}
    with refused(
        da.AssemblyError, "lengths make it impossible", "cannot close with", "'B' and 'D' are 7 m apart", "from 0.5 to 4.5 m",
        "by Grashof no link can turn fully (2 + 4 ≥ 2.5 + 3 m)",
    ):  # fmt: skip
        da.assemble(m, **options)


def test_a_crank_that_folds_too_far():
    """Ground 2, crank 2 at 0: B on D; coupler 3 and rocker 1 differ by 2 m."""
    m = four_bar(2, 2, 3, 1, angle=0.0)
    with refused(da.AssemblyError, "are 0 m apart", "from 2 to 4 m", "Grashof"):
        da.assemble(m)


def stuck():
    """Two rods of 2 m on pins 2 m apart, drawn along the line of the pins: turning them does not bring their ends together."""
    m = da.Mechanism("triangle")
    left = m.body("left", da.rod(length=2.0, mass=1.0), at=(1, 0), angle=0.0)
    right = m.body("right", da.rod(length=2.0, mass=1.0), at=(1, 0), angle=math.pi)
    m.revolute("A", m.ground, left, at=(0, 0), on=left.start)
    m.revolute("B", m.ground, right, at=(2, 0), on=right.start)
    m.revolute("C", left, right, on=[left.end, right.end])
    return m


def test_a_start_on_the_wrong_side():
    with refused(da.AssemblyError, "'C' by", "the start is on the wrong side", "moved by", "branches=True"):
        da.assemble(stuck())
    found = da.assemble(stuck(), branches=True)
    tops = sorted(a.state.q[1] for a in [found, *found.alternatives])
    assert tops == pytest.approx([-math.sqrt(3) / 2, math.sqrt(3) / 2], abs=TOLERANCE)


def test_values_out_of_reach():
    m = da.Mechanism("pendulum")
    m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.start("bar.x", value=3.0)
    with refused(da.AssemblyError, "'start of bar.x' by", "no configuration was found", "other starts"):
        da.assemble(m)


# -- units -------------------------------------------------------------------------------------------------------------


def test_metres_and_millimetres():
    one, two = (da.assemble(four_bar(scale=s), branches=True) for s in (1.0, 1000.0))
    for name in one.moved:
        assert two.moved[name].distance == pytest.approx(1000.0 * one.moved[name].distance, rel=1e-9)
        assert two.moved[name].angle == pytest.approx(one.moved[name].angle, rel=1e-9)
    assert one.branch == two.branch and len(one.alternatives) == len(two.alternatives) == 1
    assert two.alternatives[0].state.q.reshape(3, 3) == pytest.approx(
        one.alternatives[0].state.q.reshape(3, 3) * [1000.0, 1000.0, 1.0], rel=1e-9
    )


def test_failures_in_metres_and_millimetres():
    sizes = []
    for s in (1.0, 1000.0):
        with refused(da.AssemblyError, "lengths make it impossible") as caught:
            da.assemble(four_bar(4, 1, 1, 1, scale=s))
        sizes.append([float(x) for x in re.findall(r"by ([0-9.e+-]+) m", caught[0].found)])
    assert sizes[1] == pytest.approx([1000.0 * x for x in sizes[0]], rel=1e-3)
    # nearly assembled is not assembled, in both: off by 1e-9 of the length
    for s in (1.0, 1000.0):
        m = da.Mechanism("pair")
        a, b = m.particle("a", mass=1.0, at=(0, 0)), m.particle("b", mass=1.0, at=(s * (1 + 1e-9), 0))
        m.distance("rod", a, b, length=s)
        assert da.assemble(m).moved["a"].distance == pytest.approx(0.5e-9 * s, rel=1e-5)


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fixed": ["crunk"]}, ("crunk",)),
        ({"fixed": ["ground"]}, ("ground",)),
        ({"fixed": {"crank": 3.0}}, ("'crank' = 3.0", "where it is drawn")),
        ({"fixed": {"A.angle": "high"}}, ("high",)),
        ({"fixed": [7]}, ("7",)),
        ({"start": "drawing"}, ("State is needed",)),
        ({"t": math.nan}, ("t = nan",)),
        ({"tries": -1}, ("tries = -1",)),
        ({"seed": 1.5}, ("seed = 1.5",)),
        ({"branch": "open"}, ("unknown argument 'branch'",)),
        ({"branches": "open"}, ("branches = 'open'", "True or False")),
        ({"complete": 1}, ("complete = 1", "True or False")),
    ],
)
def test_bad_input(options, words):
    with refused(da.DalembertError, *words):
        da.assemble(four_bar(), **options)


def test_no_bodies_and_no_mechanism():
    with refused(da.ModelError, "no moving body"):
        da.assemble(da.Mechanism("empty"))
    with refused(da.MethodError, "a Mechanism is needed"):
        da.assemble(None)


@pytest.mark.parametrize("plane", [True, False])
def test_a_particle_has_no_orientation(plane):
    """A particle on a rope: scattered starts differ in nothing but its idle rotation, which is no other configuration."""
    m = da.Mechanism("ball", plane=plane)
    zero = (0, 0) if plane else (0, 0, 0)
    ball = m.particle("ball", mass=1.0, at=(1, 0) if plane else (1, 0, 0))
    m.distance("rope", m.ground.point(*zero), ball.point(*zero))
    assert da.assemble(m, branches=True).alternatives == ()


@pytest.mark.parametrize("turns", [5, 50, -400])
def test_angles_many_turns_away(turns):
    """Angles in the plane count full turns: driven, started and fixed ones are reached, with the same pose as within the first turn."""
    near, value = da.assemble(four_bar(angle=1.5)), 1.5 + 2.0 * math.pi * turns
    driven = four_bar()
    driven.drive("motor", driven["A"].angle, f"{value!r} + t")
    for found in (
        da.assemble(driven),
        da.assemble(four_bar(angle=value)),
        da.assemble(four_bar(), fixed={"A.angle": value}),
    ):
        # round-off of an angle of 2500 rad is 5e-13
        assert abs(found.state.q[2] - value) < TOLERANCE
        assert np.max(np.abs(found.state.q[3:] - near.state.q[3:])) < TOLERANCE
        assert found.branch == near.branch and found.moved["crank"].angle < math.pi


@pytest.mark.parametrize("order", [("A", "B"), ("B", "A")])
def test_angles_of_a_chain_many_turns_away(order):
    m = da.Mechanism("arm")
    upper = m.body("upper", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    lower = m.body("lower", da.rod(length=1.0, mass=1.0), at=(1.5, 0))
    m.revolute("A", m.ground, upper, at=(0, 0))
    m.revolute("B", upper, lower, at=(1, 0))
    for name in order:
        m.drive(f"motor {name}", m[name].angle, {"A": "100*t", "B": "50 + t"}[name])
    q = da.assemble(m, t=3.0).state.q
    assert abs(q[2] - 300.0) < TOLERANCE and abs(q[5] - 353.0) < TOLERANCE


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("far", [20.0, 300.0, -3000.7])
def test_gears_many_turns_away(plane, far):
    """Three wheels, drawn at zero: the second turns -2 times as far as the first, the third half as far as the second, the other way."""
    m = da.Mechanism("gears", plane=plane)
    at = (lambda x: (x, 0)) if plane else (lambda x: (x, 0, 0))
    for name, joint, x in (("one", "A", 0.0), ("two", "B", 3.0), ("three", "C", 5.0)):
        m.body(name, mass=1.0, inertia=0.1 if plane else (0.1, 0.1, 0.1), at=at(x))
        m.revolute(joint, m.ground, name, at=at(x), **({} if plane else {"axis": "z"}))
    # the last pair is named first: its angles follow only when the others are known
    m.gear("G2", "B", "C", ratio=-0.5)
    m.gear("G1", "A", "B", ratio=-2.0)
    m.drive("motor", m["A"].angle, f"{far} + 2*t")
    found = da.assemble(m)
    run = da.simulate(m, until=0.1)
    again = da.simulate(m, until=0.1, start=found.state)
    for one in (run, again):
        for joint, ratio in (("A", 1.0), ("B", -2.0), ("C", 1.0)):
            assert one[joint].angle[0] == pytest.approx(ratio * far, abs=1e-10)
            assert one[joint].angle[-1] == pytest.approx(ratio * (far + 0.2), abs=1e-10)


@pytest.mark.parametrize("plane", [True, False])
def test_slides_many_lengths_away(plane):
    """Steps are limited to a third of the model's length, and there are as many as it takes."""
    m = da.Mechanism("slide", plane=plane)
    at = (lambda x: (x, 0)) if plane else (lambda x: (x, 0, 0))
    for name, x in (("a", 0.0), ("b", 1.0)):
        m.body(name, mass=1.0, inertia=0.1 if plane else (0.1, 0.1, 0.1), at=at(x))
    m.prismatic("P", m.ground, "a", at=at(0.0), along=at(1.0))
    m.revolute("R", "a", "b", at=at(1.0), **({} if plane else {"axis": "z"}))
    m.drive("push", m["P"].slide, "300 + t")
    assert da.assemble(m).state.q[0] == pytest.approx(300.0, rel=1e-12)


def test_a_rack_and_a_screw_many_turns_away():
    """A slide by 5 m turns a pinion of 0.1 m radius by 50 rad; a screw of 10 mm per radian by 50 turns after pi m."""
    m = da.Mechanism("rack")
    m.body("pinion", mass=1.0, inertia=0.1, at=(0, 0))
    m.body("rack", mass=1.0, inertia=0.1, at=(0, 0.1))
    m.revolute("A", m.ground, "pinion", at=(0, 0))
    m.prismatic("P", m.ground, "rack", at=(0, 0.1), along=(1, 0))
    m.rack("G", "A", "P", radius=0.1)
    m.drive("push", m["P"].slide, "5 + t")
    assert abs(da.simulate(m, until=0.01)["A"].angle[0]) == pytest.approx(50.0, abs=1e-9)
    m = da.Mechanism("screw", plane=False)
    m.body("nut", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 0))
    m.screw("S", m.ground, "nut", at=(0, 0, 0), axis="z", pitch=0.01)
    m.drive("push", m["S"].slide, "0.5 + t")
    ratio = 0.01 / (2.0 * math.pi)  # a pitch is a length per turn
    assert da.simulate(m, until=0.01)["S"].angle[0] == pytest.approx(0.5 / ratio, rel=1e-10)


def test_a_driver_at_a_dead_centre_is_named():
    """The piston cannot start from its dead centre: nobody gave a velocity, the driver asks for one that the joints do not allow."""
    m = da.Mechanism("stretched")
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=1.0), at=(0.5, 0))
    piston = m.body("piston", mass=1.0, inertia=0.1, at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(0.2, 0))
    m.revolute("B", rod, piston, at=(0.8, 0))
    bore = m.prismatic("bore", m.ground, piston, along=(1, 0))
    m.drive("push", bore.slide, "-0.01*t")
    with refused(da.AssemblyError, "'push' by 0.01 m/s", "locks up", "da.mobility(m)"):
        da.assemble(m)


def test_example_of_the_docstring():
    import doctest
    import importlib

    result = doctest.testmod(importlib.import_module("dalembert.analyses.assemble"))
    assert result.attempted > 0 and result.failed == 0
