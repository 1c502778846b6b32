"""What a page opens with: its first plots, and below which size numbers are rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.forces import Contact
from ..model.joints.cam import Cam
from ..results.result import Result
from ..results.saved import ENERGY, SavedResult
from .subject import Subject

if TYPE_CHECKING:
    from ..results.record import Record


Listed = list[tuple[dict[str, Any], np.ndarray]]
# part of the largest number of its kind below which a number is rounding: far below what the tolerances of a run leave
ROUNDING = 1e-9


def mark_rounding(listed: Listed, run: Record | SavedResult) -> None:
    """Give every quantity `zero`: sizes below which its values, and its rate, are what is left of rounding.

    Quantities of one unit are compared with the largest of them; forces and moments also with m (|a| + |g|) of the bodies, since reactions
    are differences of these and may all be zero.  Numbers without unit, as errors, may be as small as they like, except coordinates.
    """
    largest = _loads(run)
    for about, values in listed:
        parts = [(about["unit"], values)]
        if "rate_unit" in about:
            parts = [(about["unit"], values[:, :-1]), (about["rate_unit"], values[:, -1:])]
        for unit, x in parts:
            key = _kind(about, unit)
            largest[key] = max(largest.get(key, 0.0), _size(x))
    for about, _ in listed:
        units = [about["unit"], *([about["rate_unit"]] if "rate_unit" in about else [])]
        about["zero"] = [ROUNDING * largest[_kind(about, unit)] for unit in units]


def _kind(about: dict[str, Any], unit: str) -> str:
    if unit:
        return unit
    # each by itself, and never small beside itself
    return "coordinate" if about["part"] == "" else f" {about['name']}"


def _size(x: np.ndarray) -> float:
    x = np.abs(x[np.isfinite(x)])
    return float(np.max(x, initial=0.0))


def _loads(run: Record | SavedResult) -> dict[str, float]:
    """Largest m (|a| + |g|) of the bodies, and its moment about a length of the model."""
    if not isinstance(run, Result):
        return {}
    drawing, plane = run.system.builder.drawing, run.plane
    gravity = float(np.linalg.norm(run.system.builder.gravity))
    width, linear = (3, 2) if plane else (6, 3)
    force = 0.0
    for b, body in enumerate(run.system.builder.bodies):
        a = np.linalg.norm(run.a[:, width * b : width * b + linear], axis=1)
        force = max(force, float(drawing.matter(body).mass) * (_size(a) + gravity))
    # energies are forces times ways, or differences of such: of a mechanism that does not move they are rounding
    moment = force * float(run.system.length)
    return {"N": force, "N m": moment, "J": moment}


def first_plots(listed: Listed, about: Subject) -> list[list[int]]:
    """Quantities of the plots that the page opens with: coordinates, efforts of motors, a force, energies.

    What is zero throughout, or rounding, tells nothing.
    """
    found = [q for q, _ in listed]
    sizes = [(x if "rate_unit" not in q else x[:, :-1]) for q, x in listed]
    told = [_size(x) > q["zero"][0] for q, x in zip(found, sizes)]
    # what is the same at every output says nothing, unless there is one output only
    rounding = [max(q["zero"][0], 1e-12 if about.poses else ROUNDING * _size(x)) for q, x in zip(found, sizes)]
    moved = [_span(x) > zero if len(x) > 1 else t for (_, x), zero, t in zip(listed, rounding, told)]
    # gaps of contacts are named by them, and jump about 0: places of bodies tell more
    gaps = {f"{part.name}.{label}" for part in _contacts(about.run) for label in part.gaps}
    motion = [k for k, q in enumerate(found) if q["part"] == "" and moved[k] and q["what"] not in gaps]
    motion = _unlike([(k, listed[k][1][:, :1]) for k in motion])
    motion = motion[:4] if about.poses else _beside_each_other(_telling(motion, listed, about.run), listed)
    if not motion:
        motion = [k for k, q in enumerate(found) if q["what"] == "position"][:1]
    forces = [k for k, q in enumerate(found) if q["what"] == "force" and told[k]][:1]
    efforts = _efforts(listed, about.run, told)
    # the answer of inverse dynamics are the efforts
    forces = [] if about.extra and efforts else forces
    energy = [k for k, q in enumerate(found) if q["part"] == ENERGY and q["what"] != "imbalance"]
    energy = energy if any(told[k] for k in energy) else []
    return [ks for ks in (motion, efforts, forces, energy) if ks]


def _telling(numbers: list[int], listed: Listed, run: Record | SavedResult) -> list[int]:
    """Coordinates, those first that go and come back: the angle of a crank that only turns on tells least, gaps of cams are 0 or nearly.

    One comes back if its way in the lesser direction is 2 % of its way in all.
    """
    joints = run.parts("joint") if isinstance(run, Result) else []
    cams = tuple(f"{part.name}." for part in joints if isinstance(part, Cam))

    def rank(k: int) -> int:
        if listed[k][0]["what"].startswith(cams):
            return 2
        x = listed[k][1][:, 0]
        steps = np.diff(x[np.isfinite(x)])
        there, back = float(steps[steps > 0.0].sum()), -float(steps[steps < 0.0].sum())
        return 0 if min(there, back) >= 0.02 * (there + back) else 1

    return sorted(numbers, key=rank)


def _beside_each_other(numbers: list[int], listed: Listed) -> list[int]:
    """The first of these coordinates, and one that it does not flatten: of another unit, which has an axis of its own, or of a like span."""
    if not numbers:
        return []
    first = numbers[0]
    unit, span = listed[first][0]["unit"], _span(listed[first][1][:, :1])
    spans = {k: span if listed[k][0]["unit"] != unit else _span(listed[k][1][:, :1]) for k in numbers[1:]}
    return [first, *[k for k, x in spans.items() if 0.1 * span <= x <= 10.0 * span][:1]]


def _span(x: np.ndarray) -> float:
    """Largest difference of two values of one component."""
    x = x[np.isfinite(x).all(axis=1)]
    return float(np.max(np.ptp(x, axis=0), initial=0.0)) if len(x) else 0.0


def _unlike(values: list[tuple[int, np.ndarray]]) -> list[int]:
    """Numbers of quantities without those that repeat one before: the length of a cylinder that is the slide of its guide."""
    found: list[tuple[int, np.ndarray]] = []
    for k, x in values:
        if not any(np.allclose(x, y, rtol=0.0, atol=1e-9 * _size(y), equal_nan=True) for _, y in found):
            found.append((k, x))
    return [k for k, _ in found]


def _contacts(run: Record | SavedResult) -> list[Any]:
    """Contacts, and no cams: those have one gap, whose coordinates are others."""
    return [part for part in run.parts("force") if isinstance(part, Contact)] if isinstance(run, Result) else []


def _efforts(listed: Listed, run: Record | SavedResult, told: list[bool]) -> list[int]:
    """Efforts of the drivers, or else of torques that change in time; of one unit, at most four."""
    drivers, torques = _motors(run)
    found = [k for k, (q, _) in enumerate(listed) if q["what"] == "effort" and told[k]]
    chosen = [k for k in found if listed[k][0]["part"] in drivers]
    changing = (k for k in found if float(np.ptp(listed[k][1])) > 1e-6 * _size(listed[k][1]))
    chosen = chosen or [k for k in changing if listed[k][0]["part"] in torques]
    return [k for k in chosen if listed[k][0]["unit"] == listed[chosen[0]][0]["unit"]][:4]


def _motors(run: Record | SavedResult) -> tuple[set[str], set[str]]:
    if isinstance(run, Result):
        return {part.name for part in run.parts("driver")}, {p.name for p in run.parts("force") if p.glyph == "couple"}
    return set(run.about.get("drivers", ())) if isinstance(run, SavedResult) else set(), set()
