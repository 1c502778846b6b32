"""Whether the lengths of a planar loop of hinges let it close: triangle inequality, reach of two links, Grashof's rule."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np

from ...model.body import Body
from ...model.joints import Joint
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...system.system import System
from .loops import Geometry, Loop, find_loops, role


def impossible_lengths(model: Mechanism, system: System, t: float, held: Iterable[tuple[Measure, float]] = ()) -> str:
    """Sentence that says why a loop of hinges with parallel axes cannot close by its lengths; "" if its lengths allow it."""
    geometry = Geometry(system, system.q0)
    for loop in find_loops(model):
        n = len(loop.joints)
        if n < 3 or any(role(joint) != "hinge" for joint in loop.joints):
            continue
        ends = [link(geometry, body, loop.joints[k], loop.joints[(k + 1) % n]) for k, body in enumerate(loop.bodies)]
        if any(end is None for end in ends):
            continue
        vectors = [end for end in ends if end is not None]
        lengths = [float(np.linalg.norm(u)) for u in vectors]
        longest = max(range(n), key=lambda k: lengths[k])
        others = sum(lengths) - lengths[longest]
        listed = ", ".join(f"{body.name} {length:.6g} m" for body, length in zip(loop.bodies, lengths))
        if lengths[longest] > others * (1.0 + 1e-9):
            return (
                f"the loop {loop.text} ({listed}) cannot close: {loop.bodies[longest].name!r} is longer than all others together, "
                f"by {lengths[longest] - others:.6g} m"
            )
        if n == 4 and model.plane:
            text = _dyad(model, system, t, loop, vectors, lengths, held)
            if text:
                return f"the four-bar {loop.text} ({listed}) {text}; {grashof(loop, lengths)}"
    return ""


def link(geometry: Geometry, body: Body, one: Joint, two: Joint) -> np.ndarray | None:
    """From one hinge to the next on a body, in its axes and across the hinge axis; None where the two axes are not parallel."""
    a, b = geometry.on_body(one, body), geometry.on_body(two, body)
    axis = a.axes[:, 2]
    if geometry.system.plane:
        return b.point - a.point
    if abs(float(axis @ b.axes[:, 2])) < 1.0 - 1e-9:
        return None
    u = b.point - a.point
    return u - axis * float(u @ axis)


def grashof(loop: Loop, lengths: list[float]) -> str:
    """Statement of Grashof's rule for a four-bar."""
    short, p, q, long = sorted(lengths)
    name = loop.bodies[min(range(4), key=lambda k: lengths[k])].name
    if short + long < p + q:
        return f"by Grashof {name!r} can turn fully ({short:g} + {long:g} < {p:g} + {q:g} m)"
    return f"by Grashof no link can turn fully ({short:g} + {long:g} ≥ {p:g} + {q:g} m)"


def _dyad(
    model: Mechanism,
    system: System,
    t: float,
    loop: Loop,
    links: list[np.ndarray],
    lengths: list[float],
    held: Iterable[tuple[Measure, float]],
) -> str:
    """Why the angle given to one joint of a four-bar leaves the other two links too short or too long to meet; "" if they meet."""
    drawing = system.builder.drawing
    given = [(d.measure, d.expression.evaluate({**drawing.values, "t": t})) for d in model.parts("driver")]
    given += [(s.measure, drawing.number(s.value)) for s in model.starts if s.value is not None]
    given += list(held)
    for k, (measure, value) in itertools.product(range(4), given):
        before, after = loop.bodies[k - 1], loop.bodies[k]
        if measure.kind != "angle" or measure.i is None or measure.j is None:
            continue
        if {id(measure.i.body), id(measure.j.body)} != {id(before), id(after)}:
            continue
        turn = (value + drawing.offset(measure)) * (1.0 if measure.j.body is after else -1.0)
        # from the pin k to the next pin on `after`, and to the pin before on `before`, both in the axes of `before`
        u, w = links[k], -links[k - 1]
        c, s = math.cos(turn), math.sin(turn)
        apart = math.hypot(c * u[0] - s * u[1] - w[0], s * u[0] + c * u[1] - w[1])
        one, two = lengths[(k + 1) % 4], lengths[(k + 2) % 4]
        pins = f"{loop.joints[(k + 1) % 4].name!r} and {loop.joints[k - 1].name!r}"
        bodies = f"{loop.bodies[(k + 1) % 4].name!r} and {loop.bodies[(k + 2) % 4].name!r}"
        if apart > (one + two) * (1.0 + 1e-9) or apart < abs(one - two) * (1.0 - 1e-9):
            return (
                f"cannot close with {measure.name} = {value:.6g}: the pins {pins} are {apart:.6g} m apart, and {bodies} between them reach "
                f"from {abs(one - two):.6g} to {one + two:.6g} m"
            )
    return ""
