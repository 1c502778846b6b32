"""Why dimensions contradict each other: the places of two joints on two bodies, and the values of single parameters that would fit."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ...errors import DalembertError
from ...model.mechanism import Mechanism
from ...model.output_units import read_units
from ...system.geometry import Drawing
from ..mobility import mobility
from .report import DependentSet

MOST = 12  # parameters that are tried
TRIES = 8  # steps of the secant method for each
FITS = 1e-7  # part of the first contradiction that counts as none


def causes(model: Mechanism, found: DependentSet) -> list[str]:
    """Sentences about an inconsistent set of `mobility`: lengths that differ, and parameters with the value that would fit."""
    return [*_distances(model, found), *_parameters(model, found)]


def _distances(model: Mechanism, found: DependentSet) -> list[str]:
    """Two joints between the same two bodies, whose points are not equally far apart on both."""
    drawing, said = Drawing(model), []
    length, factor = read_units("mobility", model.units).of("m")
    joints = [part for part in model.parts("joint") if part.name in found.joints and len(part.markers) > 1]
    for a, b in combinations(joints, 2):
        if set(a.bodies) != set(b.bodies) or len(a.bodies) != 2 or "m" not in found.unit:
            continue
        ends = [{end.body: end.point for end in drawing.attach(part.markers[0], part.markers[-1])} for part in (a, b)]
        gaps = {body: float(np.linalg.norm(ends[0][body] - ends[1][body])) for body in a.bodies}
        if max(gaps.values()) - min(gaps.values()) > 1e-9 * max(gaps.values()):
            places = ", ".join(f"{gap * factor:.6g} {length} apart on {body.name!r}" for body, gap in gaps.items())
            said.append(f"{a.name!r} and {b.name!r} are {places}")
    return said


def _parameters(model: Mechanism, found: DependentSet) -> list[str]:
    """Parameters that end the contradiction when they alone are changed, with the value."""
    units, said = read_units("mobility", model.units), []
    given = model.parameters
    for name in list(given)[:MOST]:
        value = _fitting(model, name, found.residual)
        if value is None:
            continue
        (unit, factor), now = units.of(model[name].unit), given[name]
        # lengths that only must reach far enough fit beyond the value as well
        beyond = _opening_with(model, name, value + 0.01 * (value - now)) <= FITS * found.residual
        bound = ("at least " if value > now else "at most ") if beyond else ""
        said.append(
            f"{name} = {bound}{_number(value * factor, beyond)} {unit}".rstrip()
            + f" would fit, it is {_number(now * factor)}"
        )
    return said


def _number(x: float, rough: bool = False) -> str:
    return f"{x:.{4 if rough else 5}g}"


def _opening_with(model: Mechanism, name: str, value: float) -> float:
    """Opening with another value of a parameter; infinite where there is no answer."""
    start = model.parameters[name]
    try:
        model.set_parameter(name, value)
        return _opening(model)
    except DalembertError:
        return float("inf")
    finally:
        model.set_parameter(name, start)


def _fitting(model: Mechanism, name: str, residual: float) -> float | None:
    """Value of a parameter for which the contradiction ends: the opening grows as |p - p*| near it, so that its secant leads there."""
    start = value = model.parameters[name]
    if value == 0.0:
        return None
    last, here = (value, residual), value * (1.0 + 1e-4)
    for _ in range(TRIES):
        opening = _opening_with(model, name, here)
        if opening <= FITS * residual:
            return here
        slope = (opening - last[1]) / (here - last[0]) if here != last[0] else 0.0
        if abs(slope) * abs(start) < 1e-3 * residual or not opening < 1e3 * residual:
            return None  # it has no influence on the contradiction
        # a little too far: where lengths only must reach, all beyond fits
        last, here = (here, opening), here - (1.0 + 1e-4) * opening / slope
        if not 0.05 < here / start < 20.0:
            return None
    return None


def _opening(model: Mechanism) -> float:
    return max((s.residual for s in mobility(model).dependent if s.inconsistent), default=0.0)
