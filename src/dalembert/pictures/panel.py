"""The mechanism as one panel among plots of a run: first pose, a few others in light grey, paths of the points that tell most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.glyphs import glyph
from .board import compose
from .draw import Look, ghost_poses
from .drawing import Drawing, read

if TYPE_CHECKING:
    from ..results.record import Record


# joints that are seen without a name
WITHOUT = ("gear", "rack", "belt")
GHOSTS, PATHS = 4, 4
# names in a panel: more would cover the drawing
NAMES = 10


def draw_panel(ax: Any, run: Record, units: Any = None) -> None:
    """Draw a run into axes whose size on paper is final."""
    asked = "plot('mechanism')"
    subject = read(asked, run, "start", units)
    names = {body["name"] for body in subject.scene["bodies"]}
    joints = [m for m in subject.scene["marks"] if m["kind"] == "joint" and m.get("named", True)]
    names |= {m["name"] for m in joints if m["glyph"] not in WITHOUT}
    # a machine that is small beside its way has no room for names
    room = float(subject.scene["single"]) > 0.3 * size_of(subject)
    look = Look(asked, GHOSTS, (), names if len(names) <= NAMES and room else False, None, None, True, None, False, 100)
    look.units = subject.units
    for panel in subject.panels:
        panel.clock = ""  # the plots beside it have all times
    compose(subject, look, worth_tracing(subject), ghost_poses(subject, GHOSTS), ax)


def size_of(subject: Drawing) -> float:
    """Size of the space that is passed through."""
    return float(np.max(np.ptp(np.asarray(subject.scene["box"], dtype=float), axis=0)))


def worth_tracing(subject: Drawing) -> list[tuple[str, int, Any]]:
    """Points that move: free ends, or mass centres, of bodies with one joint or none, then pins between moving bodies."""
    scene = subject.scene
    place = {point["name"]: point["place"] for point in scene["points"]}
    found = []
    for body in subject.shown:
        if len(body.joints) <= 1:
            names = (f"end of {body.name}", f"{body.name} (mass centre)", body.name)
            found.append((body.name, next(place[name] for name in names if name in place)))
    for mark in scene["marks"]:
        if mark["kind"] == "joint" and glyph(mark["glyph"]).pins and all(body >= 0 for body, _ in mark["places"]):
            found.append((mark["name"], mark["places"][-1]))
    size = size_of(subject)
    moving = [(name, at[0], at) for name, at in found if np.max(np.ptp(subject.path(at), axis=0)) > 1e-9 * size]
    return moving[:PATHS]
