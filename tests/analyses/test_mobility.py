"""The constraint doctor: counts, dependent sets, verdicts, proposals.

Sources: counts by the rank of a dense Jacobian (`numpy.linalg.matrix_rank`); FB4 with four hinges has the three self-stresses force along the axes
and two moments across them (any wrench that all four hinges transmit); the door of the issue; Bennett's condition; a link that is too
long by a stated amount.  Proposals are built and counted.

Tolerances: counts and texts are exact; residuals of contradictory loops are of first order in the error, so its square is allowed.
"""

import dataclasses
import math
import re

import numpy as np
import pytest
from identities.random_mechanisms import World, build, draw

import dalembert as da
from tests.soak import share
from tests.work import calls

from .loops import FB4_POINTS, bennett, loop, parallelogram, rotation
from .machines import fb4

SINGLES = [f"make {name} point_on_line along its axis" for name in "ABCD"]


def summary(found, back=lambda text: text):
    """Everything of a report but numbers with units, names turned back."""
    sets = [
        (
            tuple(map(back, s.joints)),
            tuple(map(back, s.rows)),
            s.count,
            {back(name): tuple(map(back, texts)) for name, texts in s.directions.items()},
            s.verdict,
            tuple(map(back, s.proposals)),
            tuple(map(back, s.fragile_joints)),
            back(s.blamed),
        )
        for s in found.dependent
    ]
    return found.dof, found.grubler, found.rank, found.elsewhere, found.reason, sets


def dense_rank(m, state=None):
    jac = da.equations(m, state).jac
    return np.linalg.matrix_rank(jac / np.linalg.norm(jac, axis=1)[:, None], tol=1e-6)


# -- FB4 -----------------------------------------------------------------------------------------------------------------


def test_fb4_in_the_plane_is_right_by_the_count():
    found = da.mobility(fb4())
    assert (found.dof, found.grubler, found.rank, found.dependent) == (1, 1, 8, ())
    assert "agree" in found.reason


def test_fb4_in_space():
    found = da.mobility(fb4(plane=False))
    assert (found.dof, found.grubler, found.rank) == (1, -2, 17)
    assert found.rank == dense_rank(fb4(plane=False))
    (only,) = found.dependent
    assert only.joints == ("A", "B", "C", "D") and only.count == 3
    assert only.verdict == "permanent, fragile"
    assert only.permanent and only.fragile and not only.pose_only and not only.inconsistent
    assert set(only.directions.values()) == {("force along its axis", "moments across its axis")}
    assert only.fragile_joints == only.joints
    assert len(only.rows) == 20 and set(only.rows) <= set(da.compile(fb4(plane=False)).row_names)
    assert set(SINGLES) < set(only.proposals) and "make C spherical and D cylindrical" in only.proposals
    assert "3 of 20 rows" in found.reason


PLAIN = summary(da.mobility(loop(FB4_POINTS)))


def test_the_loop_is_fb4():
    assert PLAIN == summary(da.mobility(fb4(plane=False)))


@pytest.mark.parametrize("seed", range(100))
def test_fb4_turned(seed):
    assert summary(da.mobility(loop(FB4_POINTS, turn=rotation(seed)))) == PLAIN


@pytest.mark.parametrize("unit", [1000.0, 0.001])
def test_fb4_in_other_units(unit):
    assert summary(da.mobility(loop(FB4_POINTS, turn=rotation(7), unit=unit))) == PLAIN


def test_fb4_renamed():
    new = {"A": "zulu", "B": "yankee", "C": "xray", "D": "able"}
    old = {b: a for a, b in new.items()}
    found = da.mobility(loop(FB4_POINTS, bodies=("three", "two", "one"), joints=tuple(new.values())))
    back = lambda text: re.sub("|".join(old), lambda hit: old[hit[0]], text)  # noqa: E731
    assert summary(found, back) == PLAIN


@pytest.mark.parametrize("kinds", [
    ("revolute", "revolute", "spherical", "cylindrical"),
    ("cylindrical", "revolute", "revolute", "spherical"),
    ("revolute", "point_on_line", "revolute", "revolute"),
    ("revolute", "revolute", "revolute", "point_on_line"),
])  # fmt: skip
def test_proposals_of_fb4_when_built(kinds):
    changed = {name: kind for name, kind in zip("ABCD", kinds) if kind != "revolute"}
    text = "make " + " and ".join(f"{name} {kind}" for name, kind in changed.items())
    assert text.replace("point_on_line", "point_on_line along its axis") in PLAIN[5][0][5]
    built = da.mobility(loop(FB4_POINTS, kinds=kinds, turn=rotation(3)))
    assert (built.dof, built.grubler, built.dependent) == (1, 1, ())


def test_every_proposal_of_fb4_has_the_right_rank():
    """All 16 changes, by dense rank of the model with the changed joints."""
    proposals = PLAIN[5][0][5]
    assert len(proposals) == 16
    for text in proposals:
        changed = dict(re.findall(r"([A-D]) (\w+)", text))
        m = loop(FB4_POINTS, kinds=[changed.get(name, "revolute") for name in "ABCD"])
        assert dense_rank(m) == da.compile(m).n_rows == 17, text


def test_half_a_cure_leaves_the_rest():
    found = da.mobility(loop(FB4_POINTS, kinds=("revolute", "revolute", "revolute", "spherical")))
    (only,) = found.dependent
    assert (found.dof, only.count, only.verdict) == (1, 1, "permanent, fragile")
    assert "D" not in only.fragile_joints, "a ball has no axis"
    assert set(only.proposals) >= {"make A cylindrical", "make B cylindrical", "make C cylindrical"}
    found = da.mobility(loop(FB4_POINTS, kinds=("cylindrical", "revolute", "revolute", "spherical")))
    assert found.dependent == () and found.dof == 1


def test_fragile_means_what_it_says():
    """With the axis of D tilted on its bar by the stated tolerance there is no pose, and nothing to simulate."""
    tilted = loop(FB4_POINTS, tilt=1e-3)
    (only,) = da.mobility(tilted).dependent
    assert only.verdict == "inconsistent" and only.blamed == "D" and only.unit == "rad"
    assert only.residual == pytest.approx(1e-3, rel=0.02)
    with pytest.raises(da.AssemblyError):
        da.simulate(tilted, until=0.1)
    # the cure is one: the same tilt does no harm to a ball
    cured = da.mobility(loop(FB4_POINTS, tilt=1e-3, kinds=("revolute", "revolute", "spherical", "cylindrical")))
    assert (cured.dof, cured.dependent) == (1, ())


def test_at_a_state_of_a_run():
    m = fb4(plane=False)
    run = da.simulate(m, until=0.6)
    found = da.mobility(m, run.at(0.6))
    assert summary(found) == PLAIN
    assert found.state.t == 0.6 and found.state.q == pytest.approx(run.at(0.6).q, abs=1e-9)


# -- singular positions --------------------------------------------------------------------------------------------------


def flat(plane=True, seed=None):
    points = parallelogram(0.0)
    if not plane:
        return loop(points, turn=np.eye(3) if seed is None else rotation(seed))
    m = da.Mechanism("flat", gravity=(0, -9.81))
    bars = [
        m.ground,
        *(m.body(n, mass=1.0, inertia=0.1, at=at) for n, at in (("a", (0.5, 0)), ("b", (2, 0)), ("c", (2.5, 0)))),
    ]
    for k, (name, p) in enumerate(zip("ABCD", points)):
        m.revolute(name, bars[k], bars[(k + 1) % 4], at=p[:2])
    return m


def test_flat_parallelogram():
    found = da.mobility(flat())
    assert (found.dof, found.grubler, found.rank, found.elsewhere) == (2, 1, 7, 1)
    (only,) = found.dependent
    assert (only.joints, only.count, only.verdict) == (("A", "B", "C", "D"), 1, "only in this pose")
    assert only.directions["A"] == ("force towards 'B'",)
    assert only.proposals == (), "elsewhere every row is needed"
    assert "2 degrees of freedom here, 1 in poses nearby" in str(found)


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_flat_parallelogram_in_space(seed):
    """The three dependencies of parallel hinges stay, the one of the flat position does not: two sets."""
    found = da.mobility(flat(plane=False, seed=seed))
    assert (found.dof, found.grubler, found.rank, found.elsewhere) == (2, -2, 16, 1)
    lasting, passing = found.dependent
    assert (lasting.count, lasting.verdict) == (3, "permanent, fragile")
    assert lasting.proposals == PLAIN[5][0][5], "as for any four parallel hinges"
    assert (passing.count, passing.verdict) == (1, "only in this pose")
    assert passing.directions["A"] == ("force across its axis towards 'B'",)
    away = da.mobility(loop(parallelogram(0.01), turn=rotation(0 if seed is None else seed)))
    assert away.dof == 1 and [s.verdict for s in away.dependent] == ["permanent, fragile"]


def test_two_bars_in_line_are_shaky():
    """Two bars between two fixed pins in one line: a motion of first order only."""
    m = da.Mechanism("shaky")
    a, b = (m.body(name, mass=1.0, inertia=0.1, at=(x, 0)) for name, x in (("a", 0.5), ("b", 1.5)))
    m.revolute("A", m.ground, a, at=(0, 0))
    m.revolute("B", a, b, at=(1, 0))
    m.revolute("C", b, m.ground, at=(2, 0))
    found = da.mobility(m)
    assert (found.dof, found.elsewhere, found.dependent[0].verdict) == (1, 0, "only in this pose")


def slider_crank(driven, angle=0.0):
    """Crank 1 m, rod 2 m."""
    x, y = math.cos(angle), math.sin(angle)
    end = x + math.sqrt(4 - y * y)
    m = da.Mechanism("slider-crank")
    crank = m.body("crank", mass=1, inertia=0.1, at=(x / 2, y / 2), angle=angle)
    rod = m.body("rod", mass=1, inertia=0.1, at=((x + end) / 2, y / 2), angle=math.atan2(-y, end - x))
    slide = m.body("slide", mass=1, inertia=0.1, at=(end, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("P", crank, rod, at=(x, y))
    m.revolute("Q", rod, slide, at=(end, 0))
    m.prismatic("guide", m.ground, slide, along=(1, 0))
    m.drive("motor", m["O"].angle if driven == "crank" else m["guide"].slide, angle if driven == "crank" else 0.0)
    return m


def test_driver_locks_up_at_the_dead_centre():
    found = da.mobility(slider_crank("slide"))
    assert (found.dof, found.grubler, found.rank, found.elsewhere) == (1, 0, 8, 0)
    (only,) = found.dependent
    assert only.joints == ("O", "P", "Q", "motor") and only.drivers == ("motor",)
    assert only.verdict == "only in this pose"
    assert only.directions["motor"] == ("the drive of guide.slide",)
    assert "lock-up: here motor cannot drive it" in str(found)
    for m in (slider_crank("slide", 0.3), slider_crank("crank"), slider_crank("crank", 0.3)):
        assert (da.mobility(m).dof, da.mobility(m).dependent) == (0, ())


def test_a_driven_linkage_is_as_fragile_as_a_free_one():
    m = fb4(plane=False)
    m.drive("motor", m["A"].angle, "t")
    found = da.mobility(m)
    assert (found.dof, found.grubler, found.rank, found.drivers) == (0, -3, 18, 1)
    assert summary(found)[5] == PLAIN[5]
    at_the_flat = flat(plane=False)
    at_the_flat.drive("motor", at_the_flat["A"].angle, "t")
    found = da.mobility(at_the_flat)
    assert [s.verdict for s in found.dependent] == ["permanent, fragile", "only in this pose"]
    assert (found.dof, found.elsewhere) == (1, 0)


def test_driver_that_repeats_a_joint():
    """Crank and slide both driven: one driver too many, wherever it stands."""
    m = slider_crank("crank", 0.3)
    m.drive("second", m["guide"].slide, 0.0)
    found = da.mobility(m)
    (only,) = found.dependent
    assert (found.dof, only.count, only.verdict) == (0, 1, "permanent")
    assert {"leave out motor", "leave out second"} <= set(only.proposals)


# -- dimensions that contradict each other --------------------------------------------------------------------------------


def three_cranks(longer=0.0, plane=True, angle=0.8, unit=1.0):
    """Parallelogram with a third crank in the middle, that one longer than the others."""
    m = da.Mechanism("three cranks", plane=plane)
    c, s = math.cos(angle), math.sin(angle)
    place = (lambda x, y: (unit * x, unit * y)) if plane else (lambda x, y: (unit * x, unit * y, 0.0))

    def bar(name, x, y, angle):
        pose = {"angle": angle} if plane else {"rotation": ((0, 0, 1), angle)}
        inertia = 0.1 * unit**2
        return m.body(name, mass=1.0, inertia=inertia if plane else (inertia,) * 3, at=place(x, y), **pose)

    axis = {} if plane else {"axis": "z"}
    left, right = bar("left", c / 2, s / 2, angle), bar("right", 2 + c / 2, s / 2, angle)
    table = bar("table", c + 1, s, 0.0)
    middle = bar("middle", 1 + (1 + longer) * c / 2, (1 + longer) * s / 2, angle)
    for name, i, j, at in (
        ("A", m.ground, left, (0, 0)),
        ("B", left, table, (c, s)),
        ("C", table, right, (2 + c, s)),
        ("D", m.ground, right, (2, 0)),
        ("E", m.ground, middle, (1, 0)),
    ):
        m.revolute(name, i, j, at=place(*at), **axis)
    m.revolute("F", middle, table, at=(middle.point(*place((1 + longer) / 2, 0)), table.point(*place(0, 0))), **axis)
    return m


def test_three_cranks_that_fit():
    found = da.mobility(three_cranks())
    assert (found.dof, found.grubler, found.rank) == (1, 0, 11)
    (only,) = found.dependent
    assert (only.count, only.verdict) == (1, "permanent"), "in the plane there is no axis that could tilt"
    assert only.directions["E"] == ("force towards 'F'",)
    assert "make F pin_in_slot, slot towards 'E'" in only.proposals
    fits = da.mobility(three_cranks(plane=False))
    assert (fits.dof, fits.grubler, fits.rank) == (1, -6, 23)
    assert [(s.joints, s.count) for s in fits.dependent] == [
        (("A", "B", "C", "D"), 3),
        (("A", "B", "C", "D", "E", "F"), 1),
        (("A", "B", "E", "F"), 3),
    ], "two loops of hinges, and the third crank in the plane of motion"


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_one_crank_too_long(plane, unit):
    """0.05 m, found to its square over the size."""
    m = three_cranks(0.05, plane, unit=unit)
    with pytest.raises(da.AssemblyError):
        da.simulate(m, until=0.1)
    wrong = [s for s in da.mobility(m).dependent if s.inconsistent]
    assert len(wrong) == 1 and wrong[0].blamed == "F" and wrong[0].unit == "m"
    assert wrong[0].residual == pytest.approx(0.05 * unit, rel=1e-3)
    assert "'F' stays open by" in str(da.mobility(m)) and "contradict" in da.mobility(m).reason


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_bar_too_long_across_the_plane(seed):
    """The bar of FB4 is bent by 0.05 m along the axes: D stays open by that."""
    turn = np.eye(3) if seed is None else rotation(seed)
    found = da.mobility(loop(FB4_POINTS, turn=turn, off=(0.0, 0.0, 0.05)))
    (only,) = found.dependent
    assert (only.verdict, only.blamed, only.unit) == ("inconsistent", "D", "m")
    assert only.residual == pytest.approx(0.05, rel=1e-3)
    assert summary(found) == summary(da.mobility(loop(FB4_POINTS, off=(0.0, 0.0, 0.05))))
    millimetres = da.mobility(loop(FB4_POINTS, turn=turn, off=(0.0, 0.0, 0.05), unit=1000.0))
    assert summary(millimetres) == summary(found)
    assert millimetres.dependent[0].residual == pytest.approx(50.0, rel=1e-3)


def test_bars_too_short_to_reach():
    """Crank 1, coupler 2 and rocker 1 span 4 at most; the pins are 4.5 apart, and 0.5 is missing."""
    m = da.Mechanism("too short")
    crank = m.body("crank", mass=1, inertia=1, at=(0, 0.5))
    coupler = m.body("coupler", mass=1, inertia=1, at=(1, 1))
    rocker = m.body("rocker", mass=1, inertia=1, at=(4, 0.5))
    m.revolute("A", m.ground, crank, at=(0, 0))
    m.revolute("B", crank, coupler, at=(crank.point(0, 0.5), coupler.point(-1, 0)))
    m.revolute("C", coupler, rocker, at=(coupler.point(1, 0), rocker.point(0, 0.5)))
    m.revolute("D", m.ground, rocker, at=(4.5, 0), on=rocker.point(0, -0.5))
    (only,) = da.mobility(m).dependent
    assert only.verdict == "inconsistent" and only.residual == pytest.approx(0.5, rel=1e-3)


def bent_with_a_ball(k):
    return loop(FB4_POINTS, off=(0.0, 0.0, 0.07), kinds=["spherical" if i == k else "revolute" for i in range(4)])


CONTRARY = {
    "bent": lambda: loop(FB4_POINTS, off=(0.0, 0.0, 0.05)),
    "bent and turned": lambda: loop(FB4_POINTS, off=(0.0, 0.0, 0.05), turn=rotation(1)),
    "bent, millimetres": lambda: loop(FB4_POINTS, off=(0.0, 0.0, 0.05), unit=1000.0),
    "tilted": lambda: loop(FB4_POINTS, tilt=1e-3),
    "tilted much": lambda: loop(FB4_POINTS, tilt=0.2),
    "Bennett": lambda: loop(*bennett(), off=(0.05, 0.0, 0.0)),
    **{f"bent, {j} a ball": lambda k=k: bent_with_a_ball(k) for k, j in enumerate("ABCD")},
    "three cranks": lambda: three_cranks(0.05),
    "three cranks in space": lambda: three_cranks(0.05, False),
    "three cranks, far too long": lambda: three_cranks(0.9),
}


@pytest.mark.parametrize("which", CONTRARY)
@pytest.mark.parametrize("verb", ["assemble", "simulate", "simulate from a value"])
def test_the_same_joint_is_named_wherever_it_is_found(which, verb):
    """Other verbs refuse with the joint, the amount and the unit that the doctor tells."""
    m = CONTRARY[which]()
    (wrong,) = [s for s in da.mobility(m).dependent if s.inconsistent]
    if verb == "simulate from a value":
        m.start(next(f"{j.name}.angle" for j in m.parts("joint") if "angle" in j.coordinates()), value=0.01)
    with pytest.raises(da.AssemblyError) as caught:
        da.assemble(m) if verb == "assemble" else da.simulate(m, until=0.1)
    assert caught.value.found.endswith(f": {wrong.blamed!r} by {wrong.residual:.6g} {wrong.unit}")
    assert "dimensions contradict each other" in caught.value.why or "lengths make it impossible" in caught.value.why


@pytest.mark.parametrize("off", [1e-5, 1e-4, 0.01, 0.05, 0.1])
def test_a_contradiction_of_any_size_is_counted_alike(off):
    """The fourth hinge of FB4 moved along its axis: the three rows of the linkage that closes, and no proposal that leaves it open."""
    found = da.mobility(loop(FB4_POINTS, off=(0.0, 0.0, off)))
    (only,) = found.dependent
    assert (found.dof, only.count, only.verdict, only.blamed) == (1, 3, "inconsistent", "D")
    assert only.residual == pytest.approx(off, rel=1e-4) and len(only.proposals) == 16
    for proposal in only.proposals:
        kinds = dict.fromkeys("ABCD", "revolute") | dict(re.findall(r"\b([ABCD]) ([a-z_]+)", proposal))
        cured = loop(FB4_POINTS, off=(0.0, 0.0, off), kinds=tuple(kinds.values()))
        again = da.mobility(cured)  # assembled, or it would be told
        assert (again.dof, again.dependent) == (1, ())


def test_a_drawing_on_the_wrong_side_is_no_contradiction():
    """Two rods of 2 m on pins 2 m apart, drawn over each other: an equilateral triangle elsewhere, so that the dimensions are right."""
    m = da.Mechanism("triangle")
    left = m.body("left", da.rod(length=2.0, mass=1.0), at=(1, 0), angle=0.0)
    right = m.body("right", da.rod(length=2.0, mass=1.0), at=(1, 0), angle=math.pi)
    m.revolute("A", m.ground, left, at=(0, 0), on=left.start)
    m.revolute("B", m.ground, right, at=(2, 0), on=right.start)
    m.revolute("C", left, right, on=[left.end, right.end])
    with pytest.raises(da.AssemblyError, match="wrong side"):
        da.mobility(m)


def test_rounding_of_a_drawing_is_no_contradiction():
    """What simulate accepts, 1e-6 of the length, is a dependence like any other."""
    found = da.mobility(three_cranks(1e-7))
    assert [s.verdict for s in found.dependent] == ["permanent"]
    assert da.simulate(three_cranks(1e-7), until=0.01, audit=False).status == "ok"


# -- Bennett ---------------------------------------------------------------------------------------------------------------


def test_bennett():
    points, axes = bennett()
    plain = da.mobility(loop(points, axes))
    assert (plain.dof, plain.grubler, plain.rank) == (1, -2, 17)
    (only,) = plain.dependent
    assert (only.joints, only.count, only.verdict) == (("A", "B", "C", "D"), 3, "permanent, fragile")
    assert only.fragile_joints == only.joints
    for seed in range(5):
        assert summary(da.mobility(loop(points, axes, turn=rotation(seed)))) == summary(plain)
    assert summary(da.mobility(loop(points, axes, unit=1000.0))) == summary(plain)


@pytest.mark.parametrize("u", [0.4, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("twists", [(0.9, 0.6), (0.7, 1.2), (math.pi / 6, math.pi / 3)])
def test_bennett_linkages_everywhere(twists, u):
    found = da.mobility(loop(*bennett(*twists, u=u)))
    assert (found.dof, [s.verdict for s in found.dependent]) == (1, ["permanent, fragile"])


def test_bennett_with_a_link_too_long():
    """0.05 m too long, to first order; what the other joints give way to is of second order."""
    points, axes = bennett()
    found = da.mobility(loop(points, axes, off=(0.05, 0.0, 0.0)))
    (only,) = found.dependent
    # three rows too many, as in the linkage that closes
    assert (found.dof, only.count) == (1, 3) and (only.verdict, only.blamed, only.unit) == ("inconsistent", "D", "m")
    assert only.residual == pytest.approx(0.05, rel=0.03)
    turned = da.mobility(loop(points, axes, off=(0.05, 0.0, 0.0), turn=rotation(4)))
    assert summary(turned) == summary(found)


# -- simulation of all of them ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["FB4", "parallelogram", "Bennett"])
def test_simulation_in_any_orientation(name):
    """The same motion in four orientations: two runs at a local error of 1e-10 over 0.3 s, errors growing less than a hundredfold."""
    points, axes = {"FB4": (FB4_POINTS, None), "parallelogram": (parallelogram(1.2), None), "Bennett": bennett()}[name]
    given = {} if axes is None else {"axes": axes}
    runs = []
    for turn in (np.eye(3), rotation(0), rotation(1), rotation(2)):
        run = da.simulate(loop(points, turn=turn, **given), until=0.3, rtol=1e-10, atol=1e-12)
        assert run.status == "ok" and run.audit.degrees_of_freedom == 1 and len(run.audit.redundant_rows) == 3
        runs.append(np.asarray(run["A.angle"]))
    assert np.ptp(runs[0]) > 0.05
    for other in runs[1:]:
        assert other == pytest.approx(runs[0], abs=1e-8)


@pytest.mark.parametrize("twists", [(0.9, 0.6), (0.7, 1.2), (math.pi / 6, math.pi / 3)])
def test_bennett_linkages_move(twists):
    """A second of falling in other orientations: the choice of rows is revised as the bodies turn, and every audit passes."""
    for seed in (3, 4, 5):
        m = loop(*bennett(*twists, u=0.9), turn=rotation(seed), down=(0.0, 0.0, -9.81))
        assert da.simulate(m, until=1.0).status == "ok"


def test_parallelogram_in_space_falls_through_flat_positions():
    """Hinges in space: three rows too many, a fourth in the flat positions, which are passed to the same side in any orientation.

    Right after a flat position velocities of rows left out may be off by 1e-11, which the audit does not pass: it is not asked.
    """
    runs = [
        da.simulate(loop(parallelogram(0.8), turn=rotation(s), down=(0.0, -9.81, 0.0)), until=2.0, audit=False)
        for s in (1, 3)
    ]
    for run in runs:
        total = np.asarray(run.energy.total)
        assert np.ptp(total) < 1e-6 * np.max(run.energy.kinetic)
        assert np.ptp(np.asarray(run["A.angle"])) > 0.8  # from 0.8 rad to beyond 0
    # rtol 1e-8, made larger on the way through each flat position
    assert np.asarray(runs[1]["A.angle"]) == pytest.approx(np.asarray(runs[0]["A.angle"]), abs=1e-4)


def test_a_velocity_that_belongs_to_two_motions():
    """Flat, one crank driven off and the rest left to itself: both motions that meet there have this rate, and are told.

    Links of 1, 2 and 1 in line: a + 2 b - c = 0 for their rates, and a² + 2 b² - c² = 0 for what comes next, so b = 0 or b = -2 a.
    """
    m = flat()
    m.start(m["A"].angle, rate=1.0)
    with pytest.raises(da.AssemblyError, match="several motions leave it") as error:
        da.simulate(m, until=0.5)
    assert "a 1, b -2, c -3 rad/s" in error.value.found and "a 1, b 0, c 1 rad/s" in error.value.found


def test_simulation_of_the_flat_parallelogram():
    """Released flat, with gravity across: positions and energy hold, in any orientation.

    Velocities of rows left out are not to the last digit on leaving a singular position, so the audit is not asked.
    """
    runs = [da.simulate(flat(plane=False, seed=seed), until=0.3, audit=False) for seed in (None, 0, 1)]
    runs.append(da.simulate(flat(), until=0.3, audit=False))
    for run in runs:
        assert np.ptp(np.asarray(run["A.angle"])) > 0.05
        system, ends = run.system, run.at(0.3)
        assert np.max(np.abs(da.equations(system, ends).phi)) < 1e-10
        total = np.asarray(run.energy.total)
        assert np.ptp(total) < 1e-6 * np.max(run.energy.kinetic)


# -- doors, trees and others -----------------------------------------------------------------------------------------------


def door(low, high):
    m = da.Mechanism("door", plane=False)
    leaf = m.body("leaf", mass=20.0, inertia=(7.0, 1.0, 6.0), at=(0.4, 1.0, 0.0))
    for name, kind, y in (("low", low, 0.2), ("high", high, 1.8)):
        word = {"spherical": None, "point_on_line": "along"}.get(kind, "axis")
        getattr(m, kind)(name, m.ground, leaf, at=(0, y, 0), **({word: "y"} if word else {}))
    return m


@pytest.mark.parametrize("low, high, count, verdict", [
    ("revolute", "revolute", 5, "permanent, fragile"),
    ("revolute", "cylindrical", 4, "permanent, fragile"),
    ("revolute", "spherical", 3, "permanent, fragile"),
    ("spherical", "cylindrical", 2, "permanent, fragile"),
    ("spherical", "spherical", 1, "permanent"),
])  # fmt: skip
def test_door(low, high, count, verdict):
    """Rows minus 5: the door turns about one axis."""
    found = da.mobility(door(low, high))
    (only,) = found.dependent
    assert (found.dof, found.rank, only.count, only.verdict) == (1, 5, count, verdict)
    assert only.proposals


def test_door_proposals():
    """The textbook door: a ball below, a bead on the axis above."""
    (only,) = da.mobility(door("revolute", "revolute")).dependent
    assert "make low spherical and high point_on_line along its axis" in only.proposals
    assert {"leave out low", "leave out high"} <= set(only.proposals)
    exact = da.mobility(door("spherical", "point_on_line"))
    assert (exact.dof, exact.grubler, exact.dependent) == (1, 1, ())
    (balls,) = da.mobility(door("spherical", "spherical")).dependent
    assert balls.directions == {"low": ("force towards 'high'",), "high": ("force towards 'low'",)}


def test_trees_and_free_bodies():
    m = da.Mechanism("free", plane=False)
    m.body("a", mass=1.0, inertia=(1, 1, 1))
    m.particle("p", mass=1.0, at=(1, 0, 0))
    found = da.mobility(m)
    assert (found.dof, found.grubler, found.rank, found.dependent) == (9, 9, 0, ())
    m.spherical("S", m.ground, m["a"], at=(0, 0, 1))
    assert (da.mobility(m).dof, da.mobility(m).dependent) == (6, ())


def test_truss_with_a_bar_too_many():
    m = da.Mechanism("truss")
    nodes = [m.particle(f"n{k}", mass=1.0, at=p) for k, p in enumerate([(0, 0), (1, 0), (1, 1), (0, 1)])]
    for i in range(4):
        for j in range(i):
            m.distance(f"d{j}{i}", nodes[j].point(0, 0), nodes[i].point(0, 0))
    found = da.mobility(m)
    (only,) = found.dependent
    assert (found.dof, found.grubler, only.count, only.verdict) == (3, 2, 1, "permanent")
    assert set(only.proposals) == {f"leave out {name}" for name in only.joints} and len(only.joints) == 6


def test_gears_in_a_ring():
    m = da.Mechanism("gears")
    pins = []
    for k, p in enumerate([(0, 0), (1, 0), (0.5, 0.8)]):
        pins.append(m.revolute(f"J{k}", m.ground, m.body(f"g{k}", mass=1, inertia=1, at=p), at=p))
    m.gear("G01", pins[0], pins[1], ratio=-1)
    m.gear("G12", pins[1], pins[2], ratio=-1)
    m.gear("G20", pins[2], pins[0], ratio=1)
    (only,) = da.mobility(m).dependent
    assert (only.joints, only.verdict) == (("G01", "G12", "G20"), "permanent")


def test_a_small_loop_in_a_large_machine():
    """FB4 a thousand times smaller than the machine it sits in is judged by its own size."""
    m = loop([tuple(0.01 * x for x in p) for p in FB4_POINTS], turn=rotation(5))
    far = m.body("far", mass=1.0, inertia=(1, 1, 1), at=(40.0, 0, 0))
    m.revolute("hinge", m.ground, far, at=(40.0, 1.0, 0), axis="x")
    found = da.mobility(m)
    assert found.dof == 2 and summary(found)[5] == PLAIN[5]


def test_loops_in_a_row():
    """Parallelograms side by side share joints; each loop has its own three dependencies."""
    m = da.Mechanism("row", plane=False)
    before = None
    for k in range(5):
        crank = m.body(f"crank {k}", mass=1, inertia=(0.1, 0.1, 0.1), at=(2 * k, 0.5, 0))
        m.revolute(f"A{k}", m.ground, crank, at=(2 * k, 0, 0), axis="z")
        if before is not None:
            bar = m.body(f"bar {k}", mass=1, inertia=(0.1, 0.1, 0.1), at=(2 * k - 1, 1, 0))
            m.revolute(f"B{k}", before, bar, at=(2 * k - 2, 1, 0), axis="z")
            m.revolute(f"C{k}", bar, crank, at=(2 * k, 1, 0), axis="z")
        before = crank
    found = da.mobility(m)
    assert found.dof == 1 and found.rank == dense_rank(m)
    expected = [((f"A{k}", f"A{k + 1}", f"B{k + 1}", f"C{k + 1}"), 3, "permanent, fragile") for k in range(4)]
    assert [(tuple(sorted(s.joints)), s.count, s.verdict) for s in found.dependent] == expected


def test_massless_bodies_and_hubs():
    """Models that the saddle-point solver serves: the same answers as with mass, and as in the door."""
    m = da.Mechanism("three cranks, light")
    rod, light = (m.body(name, mass=0.0, inertia=0.0, at=at) for name, at in (("rod", (1, 1)), ("light", (1, 0.5))))
    left, right = (m.body(name, mass=1.0, inertia=0.1, at=at) for name, at in (("left", (0, 0.5)), ("right", (2, 0.5))))
    for name, i, j, at in (
        ("A", m.ground, left, (0, 0)),
        ("B", left, rod, (0, 1)),
        ("C", rod, right, (2, 1)),
        ("D", m.ground, right, (2, 0)),
        ("E", m.ground, light, (1, 0)),
        ("F", light, rod, (1, 1)),
    ):
        m.revolute(name, i, j, at=at)
    assert "saddle point" in repr(da.compile(m))
    assert summary(da.mobility(m))[5] == summary(da.mobility(three_cranks()))[5]
    m = door("revolute", "revolute")
    for k in range(50):
        place = (1.0, 0.1 * k, 0.0)
        leaf = m.body(f"leaf {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=place)
        m.revolute(f"hinge {k}", m["leaf"], leaf, at=place, axis="x")
    assert "saddle point" in repr(da.compile(m))
    found = da.mobility(m)
    assert found.dof == 51 and summary(found)[5] == summary(da.mobility(door("revolute", "revolute")))[5]


@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_drivers_that_contradict_each_other_in_time(unit):
    """Two drivers of one freedom: a disc on a rack that moves by r times its angle; the rack 0.3 m/s too fast, or just right."""

    def rack(speed):
        m = da.Mechanism("rack", plane=True)
        disc = m.body("disc", mass=1.0, inertia=unit**2)
        bar = m.body("bar", mass=1.0, inertia=unit**2, at=(0, -unit))
        m.revolute("A", m.ground, disc, at=(0, 0))
        m.prismatic("P", m.ground, bar, along=(1, 0))
        m.constraint("teeth", f"bar.x - {0.5 * unit!r}*disc.angle")
        m.drive("feed", m["P"].slide, f"{speed * unit!r}*t")
        m.drive("motor", m["A"].angle, "2*t")
        return da.mobility(m).dependent

    (one,) = rack(1.3)
    assert one.permanent and one.drivers == ("feed", "motor")
    assert (one.too_fast, one.rate_unit) == (pytest.approx(0.3 * unit, rel=1e-9), "m/s")
    (one,) = rack(1.0)
    assert one.permanent and one.too_fast == 0.0


# -- random mechanisms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", range(share(6)))
def test_random_mechanisms(chunk):
    """Rank against a dense one, and the same report for the model turned, shifted and in millimetres."""
    dependent = 0
    for seed in range(20 * chunk, 20 * chunk + 20):
        plan = draw(seed)
        m = build(plan)
        found = da.mobility(m)
        assert found.rank == (dense_rank(m) if found.rows else 0), seed
        assert found.dof == found.freedoms - found.rank and found.grubler == found.freedoms - found.rows
        assert sum(s.count for s in found.dependent) == found.rows - found.rank
        # lines of space that hold a coordinate become other joints when they are turned
        if not found.dependent or any(part.method.startswith("absolute") for part in plan.parts):
            continue
        dependent += 1
        turn, shift = rotation(seed), np.array([0.3, -0.2, 0.7])
        if plan.plane:
            c, s = math.cos(seed), math.sin(seed)
            turn, shift = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([0.3, -0.2, 0.0])
        elsewhere = da.mobility(build(plan, World(rotation=turn, shift=shift, length=1000.0)))
        assert summary(elsewhere) == summary(found), seed
    assert dependent >= 2


# -- cost ------------------------------------------------------------------------------------------------------------------


def chain(n, closed=False):
    m = da.Mechanism("chain", plane=False)
    corner = lambda k: (n / 6 * math.cos(2 * math.pi * k / (n + 1)), n / 6 * math.sin(2 * math.pi * k / (n + 1)), 0.0)  # noqa: E731
    before = m.ground
    for k in range(n):
        middle = tuple(0.5 * (a + b) for a, b in zip(corner(k), corner(k + 1)))
        body = m.body(f"body {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=middle)
        m.revolute(f"J{k}", before, body, at=corner(k), axis="z")
        before = body
    if closed:
        m.revolute("last", before, m.ground, at=corner(n), axis="z")
    return m


def test_chain_of_1000():
    """What it costs is measured in benchmarks/."""
    found = da.mobility(chain(1000))
    assert (found.dof, found.rank, found.dependent) == (1000, 5000, ())


def test_closed_chain_of_1000():
    """Parallel hinges in one loop: three dependencies, however long the loop (a planar loop of n bars has n - 2 freedoms)."""
    m = chain(1000, closed=True)
    found = da.mobility(m)
    (only,) = found.dependent
    assert (found.dof, only.count, only.verdict) == (998, 3, "permanent, fragile")
    assert len(only.joints) == 1001
    assert len(str(found)) < 2000, "the report stays compact"


# -- the report and bad input ----------------------------------------------------------------------------------------------


def test_report():
    found = da.mobility(fb4(plane=False))
    text = str(found)
    assert text == repr(found)
    for part in (
        "mobility of 'FB4': 1 degree of freedom",
        "18 freedoms of 3 bodies - 20 rows of 4 joints = -2",
        "18 freedoms - rank 17 = 1",
        "A, B, C, D: 3 rows too many",
        "force along its axis, moments across its axis",
        "mobility is lost when the axis of A, B, C or D tilts by 0.001 rad",
        "make A, B, C or D point_on_line along its axis",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) < 120
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.dof = 2


def test_the_model_is_left_alone():
    """Tilting axes for the verdict changes numbers of a compiled system, which are put back."""
    m = fb4(plane=False)
    before = da.simulate(m, until=0.2)
    da.mobility(m)
    after = da.simulate(m, until=0.2)
    assert np.array_equal(before.q, after.q)


@pytest.mark.parametrize("call, part", [
    (lambda: da.mobility(3), "a Mechanism is needed"),
    (lambda: da.mobility(da.Mechanism("empty")), "no moving body"),
    (lambda: da.mobility(fb4(), state=3), "a State is needed"),
    (lambda: da.mobility(fb4(), da.State(0.0, np.zeros(4), np.zeros(4))), "mobility('FB4')"),
    (lambda: da.mobility(fb4(), da.State(0.0, np.zeros(9), np.zeros(9))), "constraints not satisfied"),
    (lambda: da.mobility(fb4(), da.State(0.0, np.zeros(9), np.zeros(9))), "the bodies of the state given do not meet"),
    (lambda: da.mobility(fb4(), tilt=0.0), "tilt = 0.0"),
    (lambda: da.mobility(fb4(), tilt=1.0), "tilt = 1.0"),
    (lambda: da.mobility(fb4(), tilt=math.nan), "tilt = nan"),
    (lambda: da.mobility(fb4(), tilt="much"), "tilt = 'much'"),
    (lambda: da.mobility(fb4(), stat=None), "did you mean 'state'"),
])  # fmt: skip
def test_bad_input(call, part):
    with pytest.raises(da.DalembertError) as caught:
        call()
    assert part in str(caught.value)
    assert all((caught.value.asked, caught.value.found, caught.value.why, caught.value.do))


def test_contradictory_starts_are_not_blamed_on_joints():
    m = fb4()
    m.start(m["A"].angle, value=1.0)
    m.start(m["D"].angle, value=0.3)
    with pytest.raises(da.AssemblyError, match="start of D.angle"):
        da.mobility(m)


def test_odd_names():
    """Names are text, whatever they look like."""
    names = ("{}", "a and b", "make C", "[a-z]*")
    found = da.mobility(loop(FB4_POINTS, joints=names))
    assert found.dependent[0].joints == names and len(found.dependent[0].proposals) == 16
    assert "{}, a and b, make C, [a-z]*: 3 rows too many" in str(found)
    m = flat()
    odd = da.Mechanism("{0}")
    for body in m.bodies:
        odd.body(f"{{{body.name}", mass=1.0, inertia=0.1, at=body.at[:2])
    a, b, c = odd.bodies
    for name, i, j, at in (
        ("{", odd.ground, a, (0, 0)),
        ("}", a, b, (1, 0)),
        ("{1}", b, c, (3, 0)),
        ("%s", odd.ground, c, (2, 0)),
    ):
        odd.revolute(name, i, j, at=at)
    odd.revolute("{2}", odd.ground, b, at=(2, 0))
    assert "'{0}'" in str(da.mobility(odd))


def test_many_small_sets_cost_as_their_number():
    """Bodies on two coaxial hinges each: a set of its own for each, like that of a single door; four times as many cost four times as much."""

    def doors(n):
        m = da.Mechanism("doors", plane=False)
        before = m.ground
        for k in range(n):
            body = m.body(f"leaf {k}", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(k + 0.5, 0, 0))
            for name, z in (("low", -0.2), ("high", 0.2)):
                m.revolute(f"{name} {k}", before, body, at=(k, 0, z), axis="z")
            before = body
        return m

    alone = da.mobility(doors(1)).dependent[0]
    work = {}
    for n in (50, 200):
        m, answers = doors(n), []
        work[n] = calls(lambda m=m, answers=answers: answers.append(da.mobility(m)))
        (found,) = answers
        assert (found.dof, found.rank, len(found.dependent)) == (n, 5 * n, n)
        assert {one.verdict for one in found.dependent} == {alone.verdict}
        last = found.dependent[-1]
        assert last.joints == (f"low {n - 1}", f"high {n - 1}") and len(last.proposals) == len(alone.proposals)
        assert last.directions[f"low {n - 1}"] == alone.directions["low 0"]
    # 16 if anything went over all rows for each set
    assert work[200] < 5 * work[50]
