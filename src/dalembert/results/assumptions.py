"""What a run takes for granted and cannot see in its equations: contacts that press, motion that stays planar, axes the right way round.

The equations of a broken assumption are satisfied and its numbers are finite; only the machine would do something else.  So each is looked
at on its own, and what is found is a `Note` with the part, the time and a number; the status of the run is then "doubtful".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.joints._rolling import Rolling
from ..system.planarity import groups, out_of_plane
from .touching import ContactResult

if TYPE_CHECKING:
    from ..system.planarity import OutOfPlane
    from .result import Result

# a normal force below this part of the loads of the run is rounding
ROUNDING = 1e-9
# states at which contacts are looked at besides the outputs
MOST = 2000


@dataclass(frozen=True)
class Note:
    """Something about a run that its equations do not tell.

    Attributes
    ----------
    kind
        "contact pulls", "leaves the plane", "carried across the plane", "turned round", "singular position", "may be squeezed", "friction is shared", "depends on a hypothesis" or "friction sticks".
    parts
        Names of the contact or of the bodies.
    t
        Time of the worst value [s].
    value, unit
        The worst value: the normal force, the moment across the plane, or the cosine of two axes.
    doubtful
        Whether the real machine would move differently from then on.
    text
        All of it in a sentence.
    """

    kind: str
    parts: tuple[str, ...]
    t: float
    value: float
    unit: str
    doubtful: bool
    text: str

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def notes(run: Result) -> tuple[Note, ...]:
    """All notes about a run, or about one instant."""
    return (*pulling(run), *across(run), *turned_round(run))


# -- contacts ----------------------------------------------------------------------------------------------------------------


def pulling(run: Result) -> list[Note]:
    """Contacts with a negative normal force at an output or an accepted step: rolling there means that the joint holds the roller down."""
    facts = run.system.known
    if "contacts" not in facts:
        facts["contacts"] = [part for part in run.parts("joint") if isinstance(part, Rolling)]
    contacts = facts["contacts"]
    if not contacts:
        return []
    found = []
    looked = [run, *_between(run)]
    # where nothing loads a contact its force is the rounding of nothing: less than moves the bodies by a length in days
    builder = run.system.builder
    mass = sum(builder.drawing.matter(body).mass for body in builder.bodies)
    nothing = 1e-12 * mass * float(run.system.length)
    for part in contacts:
        t = np.concatenate([x.t for x in looked])
        normal = np.concatenate([np.asarray(ContactResult(x, part).normal) for x in looked])
        loads = max(float(np.max(np.abs(x.load(part, part.j)[0]), initial=0.0)) for x in looked)
        order = np.argsort(t, kind="stable")
        t, normal = t[order], normal[order]
        # a run backwards begins at its latest time
        if len(run.t) > 1 and run.t[-1] < run.t[0]:
            t, normal = t[::-1], normal[::-1]
        below = np.flatnonzero(normal < -(ROUNDING * loads + nothing))
        if not len(below):
            continue
        k, first = int(np.argmin(normal)), float(t[below[0]])
        since = f" from t = {first:.6g} s" if len(t) > 1 else ""
        text = (
            f"contact {part.name!r} pulls{since}: normal force {normal[k]:.6g} N at t = {t[k]:.6g} s; a contact only presses, so "
            f"{part.j.name!r} would lift off there{_shared(run, part)}"
        )
        found.append(Note("contact pulls", (part.name,), float(t[k]), float(normal[k]), "N", True, text))
    return found


def _shared(run: Result, part: Rolling) -> str:
    """Remark where the force of a contact is one choice of many."""
    if not list(getattr(run.prepared, "dropped", ())):
        return ""
    from .audit import not_unique

    return " (its share is not unique: the smallest loads that fit)" if part.name in not_unique(run) else ""


def _between(run: Result) -> list[Any]:
    """The run at its accepted steps: outputs may be far apart.  Nothing for one instant or a driven motion, which have no steps."""
    if run.trace is None or run.driven or len(run.trace.kept.t) < 2:
        return []
    kept = run.trace.kept
    pick = np.unique(np.linspace(0, len(kept.t) - 1, min(MOST, len(kept.t))).astype(int))
    t, y, angle = kept.t[pick], kept.y[pick], kept.angle[pick]
    return [type(run)._at_states(run.prepared, run.problem, t, y, angle, segments=run.trace.segments)]


# -- planar motion -----------------------------------------------------------------------------------------------------------


def across(run: Result) -> list[Note]:
    """Moments across the plane that the motion needs: carried by the guiding joints of a held group, by nothing for a free one."""
    builder = run.system.builder
    facts = run.system.known
    if "out of plane" not in facts:
        facts["out of plane"] = out_of_plane(builder.drawing)
    broken = facts["out of plane"]
    if not broken or not len(run.t):
        return []
    known = {id(x.body): x for x in broken}
    gravity = builder.gravity
    found = []
    # in a held group every body has its own moments; a free group must balance as a whole
    balances: list[list[Any]] = [[x] for x in broken if x.held]
    for group in groups(builder.drawing):
        balances.append([known[id(body)] for body in group if id(body) in known and not known[id(body)].held])
    for guilty in filter(None, balances):
        needed = np.zeros((len(run.t), 2))
        size = 0.0
        for x in guilty:
            moment, terms = _needed(run, x, gravity)
            needed, size = needed + moment, max(size, terms)
        total = np.linalg.norm(needed, axis=1)
        k = int(np.argmax(total))
        if total[k] <= ROUNDING * size:
            continue
        names = tuple(x.body.name for x in guilty)
        listed = ", ".join(map(repr, names))
        held = guilty[0].held
        need = f"{listed}: the motion needs a moment of {total[k]:.6g} N m across the plane at t = {run.t[k]:.6g} s; "
        if held:
            joints = ", ".join(dict.fromkeys(repr(name) for x in guilty for name in x.guides))
            text = need + f"the planar answer is right if {joints} carry it"
        else:
            text = need + "no hinge, slider or weld carries it, so that it would leave the plane: model it in space"
        kind = "carried across the plane" if held else "leaves the plane"
        found.append(Note(kind, names, float(run.t[k]), float(total[k]), "N m", not held, text))
    return found


def _needed(run: Result, x: OutOfPlane, gravity: np.ndarray) -> tuple[np.ndarray, float]:
    """Moment across the plane that a body needs over time, in space axes (time, 2), and the size of its terms."""
    motion = run.kinematics(x.body)
    spin, turning = motion.omega[:, 2], motion.alpha[:, 2]
    own = np.column_stack([x.j_xz * turning - x.j_yz * spin**2, x.j_yz * turning + x.j_xz * spin**2])
    needed = np.einsum("tij,tj->ti", motion.rotation[:, :2, :2], own)
    mass = run.system.builder.drawing.matter(x.body).mass
    force = mass * (motion.acceleration - gravity)
    # z e_z x f = z (-f_y, f_x)
    lever = x.height * np.column_stack([-force[:, 1], force[:, 0]])
    terms = float(np.max(np.abs(own), initial=0.0)) + float(np.max(np.abs(lever), initial=0.0))
    return needed + lever, terms


# -- axes ----------------------------------------------------------------------------------------------------------------------


def turned_round(run: Result) -> list[Note]:
    """Joints in space whose axes change from parallel to opposite on the way: rows hold in both poses, but no motion joins them."""
    if run.plane or len(run.t) < 2:
        return []
    found = []
    for joint in run.parts("joint"):
        if not any(row.kind == "parallel" for row in joint.rows()):
            continue
        i, j = run.system.builder.drawing.attach(joint.markers[0], joint.markers[-1])
        a, b = (np.einsum("tij,jk->tik", run.kinematics(x.body).rotation, x.axes) for x in (i, j))
        axes = (2, 0) if any(row.kind == "dot" for row in joint.rows()) else (2,)
        for axis in axes:
            cosine = np.einsum("ti,ti->t", a[:, :, axis], b[:, :, axis])
            other = np.flatnonzero((cosine > 0.0) != (cosine[0] > 0.0))
            if len(other):
                k = int(other[0])
                text = (
                    f"joint {joint.name!r} has turned round at t = {run.t[k]:.6g} s: its axes on {joint.bodies[0].name!r} and on "
                    f"{joint.bodies[-1].name!r} have the cosine {cosine[k]:.6g}, {cosine[0]:.6g} at the start"
                )
                found.append(Note("turned round", (joint.name,), float(run.t[k]), float(cosine[k]), "1", True, text))
                break
    return found
