"""The constraint doctor: degrees of freedom, dependent rows by joint and direction, how long they last, and what would cure them."""

from __future__ import annotations

import math
import re

import numpy as np

from ..compilation import compiling
from ..errors import AssemblyError, ModelError, shown
from ..model.driver import Driver
from ..model.kinds import read_mechanism
from ..model.mechanism import Mechanism
from ..options.call import verb
from ..state import State
from ..system.planarity import out_of_plane
from ..system.system import compile
from .assembly.search import WRONG_SIDE
from .dependence.compromise import blamed_part, compromise, contradicts, detect_blurred, satisfied
from .dependence.relaxation import Words
from .dependence.report import DependentSet, Mobility
from .dependence.sets import (
    BLURRED,
    LARGEST_DENSE,
    LARGEST_FACTORED,
    Dependence,
    Rows,
    allowed_residual,
    dependences,
    is_closed,
    lasting_and_passing,
    moved_residuals,
    parts_of,
    rank_of,
    tilted_residuals,
)
from .dynamics.consistent import check_positions
from .dynamics.start import read_state
from .pose.initial import assemble
from .pose.pose import Pose

# part of a tilt that must remain open for the mobility to count as lost
FELT = 1e-3


@verb
def mobility(model: Mechanism, state: State | None = None, *, tilt: float = 1e-3) -> Mobility:
    """Degrees of freedom of a mechanism, and everything that is dependent in its constraints.

    Parameters
    ----------
    model
        The mechanism.
    state
        Where to look, for example `run.at(t)`; default: the drawing, assembled.  Where dimensions contradict each other, it is
        assembled as far as possible, and the contradiction is reported.
    tilt
        Tilt of a joint's axis for the verdict "fragile" [rad].

    Returns
    -------
    Mobility
        `.dof .grubler .rank .reason` and `.dependent`, each with `.joints .rows .count .directions .verdict .proposals`.
        Printed, it is a report.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("door", plane=False)
    >>> door = m.body("door", mass=20.0, inertia=(7.0, 1.0, 6.0), at=(0.4, 1.0, 0.0))
    >>> low = m.revolute("low", m.ground, door, at=(0, 0.2, 0), axis="y")
    >>> high = m.revolute("high", m.ground, door, at=(0, 1.8, 0), axis="y")
    >>> found = da.mobility(m)
    >>> found.dof, found.grubler, found.dependent[0].verdict
    (1, -4, 'permanent, fragile')
    """
    read_mechanism(f"mobility({shown(model, 40)})", model)
    asked = f"mobility({model.name!r})"

    with compiling(), np.errstate(all="ignore"):
        pose, failure = _pose(asked, model, state)
        system, n_rows = pose.system, pose.system.n_rows
        sets: tuple[DependentSet, ...] = ()
        count = 0
        freedoms = system.freedom
        if pose.dropped.any() or (n_rows > LARGEST_FACTORED and is_closed(system)):
            rows = Rows(pose)
            found_sets = dependences(rows)
            count = sum(found.null.shape[1] for found in found_sets)
            sets = _verdicts(rows, found_sets, freedoms - n_rows + count, tilt, failure is not None)
        if failure is not None and not any(found.inconsistent for found in sets):
            raise failure
    rank = n_rows - count
    return Mobility(
        model.name,
        freedoms - rank,
        freedoms - n_rows,
        rank,
        sets,
        _reason(n_rows, count, sets),
        freedoms - rank - sum(found.count for found in sets if found.pose_only),
        freedoms,
        n_rows,
        len(system.builder.bodies),
        len(model.parts("joint")),
        len(model.parts("driver")),
        pose.state,
        tilt,
        out_of_plane(system.builder.drawing),
        model.units,
    )


# -- the pose --------------------------------------------------------------------------------------------------------------


def _pose(asked: str, model: Mechanism, state: State | None) -> tuple[Pose, AssemblyError | None]:
    """Where to look: the state given, or the drawing assembled as far as its dimensions allow, and why not further.

    Dependent rows are detected there.
    """
    if not model.bodies:
        raise ModelError(asked, "no moving body", "there is nothing to analyse", "add a body with m.body(...)")
    failure, given = None, read_state(asked, model, state)
    if given is None:
        system = compile(model)
        try:
            q = assemble(model, system, 0.0)
        except AssemblyError as error:
            pose = Pose(system, 0.0, system.q0)
            near = compromise(pose)
            # contradictory initial values are another matter than contradictory joints, and so is a start on the wrong side
            if near is None or satisfied(pose, near) or error.why.startswith(WRONG_SIDE):
                raise
            q, failure = near, error
        pose = Pose(system, 0.0, q)
        if failure is None:
            pose.detect()
        else:
            detect_blurred(pose)
        return pose, failure
    system = compile(model)
    counted = given.angles if len(given.angles) == len(system.builder.angles) else None
    pose = Pose(system, given.t, given.q, given.v, counted)
    pose.detect()
    # a state may be off by its last digits; more than that is another state than the joints allow
    worst = np.max(np.abs(pose.scale * pose.phi), initial=0.0, where=~pose.dropped)
    if worst <= 1e-6:
        pose.onto()
    check_positions(pose, asked, math.inf, pose.off_rows["state"][1:])
    return pose, None


# -- verdicts --------------------------------------------------------------------------------------------------------------


def _verdicts(
    rows: Rows, found: list[Dependence], dof: int, tilt: float, compromised: bool
) -> tuple[DependentSet, ...]:
    """Sets with their verdicts; one that holds partly in this pose only becomes two."""
    directions = min(max((one.null.shape[1] for one in found), default=0), 12) + 3
    drives = np.array([isinstance(rows.system.model[name], Driver) for name in rows.system.row_parts], dtype=bool)
    # sets with a driver are judged as driven, all others with the drivers released
    moved = {False: moved_residuals(rows, directions, drives), True: moved_residuals(rows, directions, drives & False)}
    movable = {False: dof + int(np.sum(drives & ~rows.pose.dropped)) > 0, True: dof > 0}
    allowed = {driven: allowed_residual(rows, residuals) for driven, residuals in moved.items()}
    tilted = tilted_residuals(rows, tilt) / tilt
    made = []
    for one in found:
        if contradicts(rows, one, compromised):
            made.append(_set(rows, one, "inconsistent", True))
            continue
        driven = any(isinstance(part, Driver) for part in one.parts)
        lasting, passing = lasting_and_passing(rows, one, moved[driven], allowed[driven])
        blurred = passing.shape[1] > 0
        tolerance = BLURRED if blurred else 0.0
        if lasting.shape[1]:
            part = parts_of(rows, one.parts, lasting, tolerance)
            fragile = _fragile_joints(rows, part, tilted) if movable[driven] else ()
            made.append(_set(rows, part, "permanent, fragile" if fragile else "permanent", blurred, fragile))
        if passing.shape[1]:
            made.append(_set(rows, parts_of(rows, one.parts, passing, tolerance), "only in this pose", blurred))
    return tuple(made)


def _fragile_joints(rows: Rows, one: Dependence, tilted: np.ndarray) -> tuple[str, ...]:
    """Joints whose tilt leaves a residual that no motion closes, in a set that can move.

    A small change of the rows, delta, is closed by a motion if J x = -delta has a solution, that is if n^T delta = 0 for all null
    vectors n.  Where it is not, no pose near this one satisfies all rows, and the motion is lost.
    """
    bodies = {id(body): body for part in one.parts for body in part.bodies}
    width, turns = (3, 1) if rows.system.plane else (6, 3)
    free = sum(width - turns * body.particle for body in bodies.values() if not body.is_ground)
    # a set that is not held by the ground moves as a whole anyway
    free -= 0 if any(body.is_ground for body in bodies.values()) else width
    small = len(one.rows) <= LARGEST_DENSE
    if free <= (rank_of(rows.dense(one.rows)) if small else len(one.rows) - one.null.shape[1]):
        return ()
    found, k = [], 0
    for part in one.parts:
        n = len(rows.system.rows_of(part.name))
        share, change = one.null[k : k + n], tilted[one.rows[k : k + n]]
        k += n
        if float(np.max(np.abs(share.T @ change), initial=0.0)) > FELT:
            found.append(part.name)
    return tuple(found)


def _set(rows: Rows, one: Dependence, verdict: str, blurred: bool, fragile: tuple[str, ...] = ()) -> DependentSet:
    words = Words(rows, one, blurred)
    residual, unit, blamed = blamed_part(rows, one) if verdict == "inconsistent" else (0.0, "m", "")
    drivers = tuple(part.name for part in one.parts if isinstance(part, Driver))
    too_fast, rate_unit = (0.0, "rad/s")
    # what asks for a rate of its own: a driver, or a condition on velocities with a part that does not depend on them
    movers = drivers or tuple(part.name for part in one.parts if part.sets_rate)
    if movers and verdict.startswith("permanent"):
        too_fast, rate_unit = _contradicting_rate(rows, one, movers[0])
    return DependentSet(
        joints=tuple(part.name for part in one.parts),
        rows=_row_names(rows, one),
        count=one.null.shape[1],
        directions={part.name: words.directions(part) for part in one.parts},
        verdict=verdict,
        # away from a singular position every row is needed: giving one up would add freedom there
        proposals=() if verdict == "only in this pose" else _cures(words.proposals(), verdict),
        residual=residual,
        unit=unit,
        blamed=blamed,
        fragile_joints=fragile,
        drivers=drivers,
        too_fast=too_fast,
        rate_unit=rate_unit,
        mover=movers[0] if too_fast else "",
    )


def _cures(proposals: tuple[str, ...], verdict: str) -> tuple[str, ...]:
    """Proposals that fit a verdict: a slot would hide a wrong length, not cure it."""
    return tuple(text for text in proposals if verdict != "inconsistent" or "slot" not in text)


def _contradicting_rate(rows: Rows, one: Dependence, driver: str) -> tuple[float, str]:
    """By how much the rate of a driver must change for J v = nu to have a solution, and its unit.

    It has one if n^T nu = 0 for all null vectors n; with the component r along the one that nu loads, a driver with the coefficient n_k
    is off by r / n_k.
    """
    nu = (rows.scale * rows.pose.nu)[one.rows]
    n = one.null @ (one.null.T @ nu)
    r = float(np.linalg.norm(n))
    (row,) = rows.system.rows_of(driver)
    share = abs(float(n[int(np.flatnonzero(one.rows == row)[0])]))
    unit = "m/s" if rows.is_length[row] else "rad/s"
    # rounding beside the rates of the others
    if r <= 1e-9 * max(1.0, float(np.max(np.abs(nu), initial=0.0))) or share <= 1e-9 * r:
        return 0.0, unit
    return r * r / share / float(rows.scale[row]), unit


def _row_names(rows: Rows, one: Dependence) -> tuple[str, ...]:
    """Rows that take part.  Which of x, y and z do depends on the axes of space, so that all of them count."""
    names = rows.names
    size = np.max(np.abs(one.null), axis=1)
    stem = [re.sub(r"_[xyz]$", "", names[r]) for r in one.rows]
    loaded = {s for s, x in zip(stem, size) if x > 1e-6}
    return tuple(names[r] for r, s in zip(one.rows, stem) if s in loaded)


def _reason(n_rows: int, count: int, sets: tuple[DependentSet, ...]) -> str:
    if not n_rows:
        return "nothing is held"
    if not count:
        return "the counts agree: all rows are independent"
    if any(found.inconsistent for found in sets):
        verbs = "depends on the others, and contradicts" if count == 1 else "depend on the others, and contradict"
        return f"{count} of {n_rows} rows {verbs} them"
    if all(found.pose_only for found in sets):
        return (
            f"{count} of {n_rows} rows {'depends' if count == 1 else 'depend'} on the others in this pose; the count takes all of "
            "them as new conditions"
        )
    repeat = "repeats" if count == 1 else "repeat"
    return f"{count} of {n_rows} rows {repeat} what the others say; the count takes all of them as new conditions"
