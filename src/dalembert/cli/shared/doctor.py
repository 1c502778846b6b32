"""The doctor: mobility, redundancy, units, inertia, consistency of a model, each with a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from ...errors import DalembertError, ModelError, ModelFileError
from ...io.files import unchecked_dimensions
from ...io.problems import in_file_syntax
from ...model.dimensions import DimensionError, Judge, Quantity
from ...model.glyphs import glyph
from ...model.lagrangian import Lagrangian
from ...model.output_units import read_units
from ...model.shapes.outline import polylines
from ...model.units import ANGLE
from ...system.geometry import Drawing
from ...system.planarity import out_of_plane
from ...system.system import compile
from . import exits
from .outcome import Outcome
from .perform import perform

if TYPE_CHECKING:
    from ...model.mechanism import Mechanism


# sizes beyond which a unit was probably forgotten: a machine of 100 m, a pin of 0.1 mm
LARGEST, SMALLEST = 100.0, 1e-4
# accelerations that are no gravity of a planet or moon [m/s²]
GRAVITY = (0.1, 30.0)
# radius of gyration beyond this many sizes of the machine, or below this part of it, is no body of it
WIDE, NARROW = 10.0, 1e-4

OUTSIDE = 0.1  # part of its size by which a pin may lie beside the outline of a body: lugs are seldom drawn
RATE = Quantity((0, 0, -1, 1))  # of an angle
TOLD = 5  # expressions that are named whose dimensions units cannot tell


@dataclass
class Finding:
    """One thing looked at: `verdict` is "good", "note" or "wrong"."""

    topic: str
    verdict: str
    text: str


def examine(model: Mechanism | Lagrangian, unused: Iterable[str] = ()) -> Outcome:
    """Look at a model; an outcome whose exit code says whether something is wrong.  `unused` are parameters that its file never uses."""
    found, reports = (_lagrangian(model), []) if isinstance(model, Lagrangian) else _mechanism(model)
    names = ", ".join(unused)
    if names:
        found.append(Finding("parameters", "note", f"never used: {names}; a misspelt name, or one to leave out?"))
    units = read_units("check", model.units)
    found = [replace(f, text=units.in_text(f.text)) for f in found]
    wrong = [f for f in found if f.verdict == "wrong"]
    notes = [f for f in found if f.verdict == "note"]
    signs = {"good": "✓", "note": "!", "wrong": "✗"}
    wide = max(len(f.topic) for f in found)
    blank = "\n" + " " * (wide + 4)
    lines = [f"{signs[f.verdict]} {f.topic:{wide}}  {f.text.replace(chr(10), blank)}" for f in found]
    headline = f"nothing wrong, {len(notes)} to look at" if notes else "nothing wrong"
    freedom = next((f"; {f.text}" for f in found if f.topic == "mobility" and f.verdict == "good"), "")
    headline = f"{len(wrong)} of {len(found)} things are wrong" if wrong else headline + freedom
    text = in_file_syntax("\n".join(lines) + "".join(f"\n\n{report}" for report in reports))
    code, brief = exits.DOUBTFUL if wrong else exits.OK, not (wrong or notes or reports)
    return Outcome("check", headline, text, {"findings": [vars(f) for f in found]}, code, brief=brief)


def _mechanism(model: Mechanism) -> tuple[list[Finding], list[str]]:
    reports: list[str] = []
    looks = (_units, _inertia, _planarity, _consistency, _places)
    found = [*_mobility(model, reports), *(one for look in looks for one in look(model))]
    return [*found[:1], *_freedoms(model, found), *found[1:]], reports


def _mobility(model: Mechanism, reports: list[str]) -> list[Finding]:
    try:
        made = perform("mobility", model, {})
    except DalembertError as error:
        return [Finding("mobility", "wrong", str(error))]
    data = made.data
    driven = len(model.parts("driver"))
    moves = f"{data['dof']} degree{'s' * (data['dof'] != 1)} of freedom"
    moves += f" besides {driven} driver{'s' * (driven != 1)}" if driven else ""
    found = [Finding("mobility", "good", moves)]
    if data["dof"] == 0 and not driven:
        found = [Finding("mobility", "note", "0 degrees of freedom and no driver: a structure, nothing moves")]
    if not data["dependent"]:
        return [*found, Finding("redundancy", "good", "every row of every joint is needed")]
    reports.append(made.text)
    worst = "wrong" if made.code else "note"
    texts = [f"{', '.join(s['joints'])}: {s['count']} too many, {s['verdict']}" for s in data["dependent"]]
    return [*found, Finding("redundancy", worst, "\n".join(texts)), *_causes(model, made.code)]


def _freedoms(model: Mechanism, found: list[Finding]) -> list[Finding]:
    """Drivers that are too many, and freedoms that nothing acts on: of a machine with drivers, mostly a joint was forgotten."""
    from ...analyses.dependence.freedoms import freedoms

    left = freedoms(model)
    if left is None:
        return []
    made, too_many, idle = [], left.overdriven(), left.idle()
    if too_many is not None:
        fails = any(one.topic in ("assembly", "start") and one.verdict == "wrong" for one in found)
        made.append(Finding("drivers", "wrong" if fails else "note", f"{too_many[0]}; {too_many[1]}"))
    if idle:
        names = ", ".join(map(repr, idle[:6])) + (", …" if len(idle) > 6 else "")
        text = f"no driver, spring, force or stop acts along {names}"
        driven = bool(model.at_work("driver"))
        text += ": is a joint, a driver or a spring missing?" if driven else ""
        made.append(Finding("freedoms", "note" if driven else "good", text))
    return made


def _causes(model: Mechanism, contradicts: int) -> list[Finding]:
    from ...analyses.dependence.cause import causes
    from ...analyses.mobility import mobility

    if not contradicts:
        return []
    try:
        sets = [one for one in mobility(model).dependent if one.inconsistent]
        said = [text for one in sets for text in causes(model, one)]
    except DalembertError:
        return []
    return [Finding("cause", "wrong", "\n".join(dict.fromkeys(said)))] if said else []


def _units(model: Mechanism) -> list[Finding]:
    """Dimensions of all expressions, and numbers that look like those of another unit."""
    try:
        system = compile(model)
    except DalembertError as error:
        return [Finding("units", "wrong", str(error))]
    odd = []
    length = float(system.length)
    if not SMALLEST <= length <= LARGEST:
        odd.append(f"the machine is {length:.3g} m large: is a unit missing?")
    gravity = float(np.linalg.norm(system.builder.drawing.vector(model.gravity)))
    if gravity and not GRAVITY[0] <= gravity <= GRAVITY[1]:
        odd.append(f"gravity is {gravity:.4g} m/s²: is a unit missing?")
    odd += bare_speeds(model)
    try:
        untold = unchecked_dimensions(model)
    except ModelFileError as error:
        return [Finding("units", "wrong", "\n".join([*error.lines, *odd]))]
    except ModelError as error:
        untold = (f"{error.found}, which has no form in a file",)
    # what units cannot tell, the first few
    doubts = [f"not checked: {text}" for text in untold[:TOLD]]
    doubts += [f"and {len(untold) - TOLD} more"] if len(untold) > TOLD else []
    fit = f"{'no dimension contradicts another' if untold else 'dimensions fit'}; the machine is {length:.3g} m large"
    return [Finding("units", "note" if odd else "good", "\n".join([*(odd or [fit]), *doubts]))]


def bare_speeds(model: Mechanism | Lagrangian) -> Iterator[str]:
    """Parameters without unit that can only be angular velocities, in a file that counts revolutions: 60 would be 60 rad/s."""
    if not model.drivers or "rpm" not in model.units:
        return
    machine = cast("Mechanism", model)
    bare = {name: model.parameters[name] for name in model.parameters if not machine[name].unit}
    for driver in machine.at_work("driver"):
        for name in sorted(driver.expression.names & set(bare)) if driver.measure.unit == "rad" else ():
            known = {x: model._dimension(x) for x in driver.expression.names} | {name: RATE}
            judge = Judge(known.__getitem__)
            try:
                turns = judge.of(driver.expression).dimension == ANGLE and not judge.doubts
            except DimensionError:
                continue
            if turns:
                value, speed = f"{bare[name]:g}", f"{bare[name] * 30 / math.pi:.4g} rpm"
                yield f'{name} = {value} has no unit: in {driver.name!r} it counts radians per second, {speed}; write "{value} rpm", or the unit rad/s'


def _inertia(model: Mechanism) -> list[Finding]:
    try:
        system = compile(model)
    except DalembertError as error:
        return [Finding("inertia", "wrong", str(error))]
    drawing, length = system.builder.drawing, float(system.length)
    odd, total = [], 0.0
    for body in model.bodies:
        p = drawing.matter(body)
        total += p.mass
        if p.mass <= 0.0:
            odd.append(f"{body.name!r} has no mass")
            continue
        # in the plane only the moment about z counts; it stands last
        largest = float(np.max(np.diag(np.atleast_2d(p.inertia))))
        radius = math.sqrt(largest / p.mass)
        if not body.particle and radius > WIDE * length:
            odd.append(f"{body.name!r}: radius of gyration {radius:.3g} m in a machine of {length:.3g} m")
        elif not body.particle and 0.0 < radius < NARROW * length:
            odd.append(f"{body.name!r}: radius of gyration {radius:.3g} m: are mass and inertia in SI units?")
    fit = f"{len(model.bodies)} bodies, {total:.4g} kg in all"
    return [Finding("inertia", "note" if odd else "good", "\n".join(odd or [fit]))]


def _planarity(model: Mechanism) -> list[Finding]:
    """Whether what is modelled in the plane stays there (BASICS 8.5)."""
    try:
        broken = out_of_plane(Drawing(model))
    except DalembertError:
        return []  # told under inertia
    if not model.plane:
        return []
    if not broken:
        return [Finding("planarity", "good", "forces and products of inertia keep the motion in the plane")]
    return [Finding("planarity", "note" if one.held else "wrong", str(one)) for one in broken]


def _consistency(model: Mechanism) -> list[Finding]:
    """Whether it goes together, the velocities fit, and the equations have one answer."""
    from ...analyses.reactions import reactions

    try:
        made = perform("assemble", model, {})
    except DalembertError as error:
        return [Finding("assembly", "wrong", str(error))]
    found = [Finding("assembly", "good", made.headline)]
    try:
        at_start = reactions(model)
    except DalembertError as error:
        return [*found, Finding("start", "wrong", str(error))]
    found += [Finding("contact", "wrong", str(note)) for note in at_start.warnings if note.kind == "contact pulls"]
    if not at_start.not_unique:
        return [*found, Finding("start", "good", "velocities fit; accelerations and reactions are unique")]
    text = f"not unique: {', '.join(at_start.not_unique)}"
    return [*found, Finding("start", "good", "velocities fit"), Finding("reactions", "note", text)]


def _places(model: Mechanism) -> list[Finding]:
    held = {body for kind in ("joint", "force", "driver") for part in model.parts(kind) for body in part.bodies}
    loose = [body.name for body in model.bodies if body not in held]
    found = []
    if loose and len(model.bodies) > len(loose):
        text = f"nothing holds {', '.join(map(repr, loose))}: no joint, force or driver is attached"
        found.append(Finding("bodies", "note", text))
    try:
        outside = list(_outside(model))
    except DalembertError:
        return found  # told under inertia
    return [*found, *([Finding("pins", "note", "\n".join(outside))] if outside else [])]


def _outside(model: Mechanism) -> Iterator[str]:
    """Pins and balls that lie off every shape they connect, by more than a tenth of its size."""
    drawing = Drawing(model)
    length, factor = read_units("check", model.units).of("m")
    for part in model.parts("joint"):
        if not glyph(part.glyph).pins or len(part.markers) < 2:
            continue
        gaps = []
        for end in drawing.attach(part.markers[0], part.markers[-1]):
            if end.body.shape is None:
                continue  # the ground
            outline = end.body.shape.outline(drawing.number)
            points = np.vstack([np.zeros((0, 3)), *(line for line in polylines(outline, 24))])
            low, high = points.min(axis=0), points.max(axis=0)
            size = float(np.linalg.norm(high - low))
            place = end.point + drawing.poses[end.body].center
            gap = float(np.linalg.norm(place - np.clip(place, low, high)))
            gaps.append((gap, end.body.name, size > 0.0 and gap > OUTSIDE * size))
        if gaps and all(far for *_, far in gaps):
            yield f"{part.name!r} lies {', '.join(f'{g * factor:.4g} {length} outside {n!r}' for g, n, _ in gaps)}"


def _lagrangian(model: Lagrangian) -> list[Finding]:
    from ...analyses.reactions import reactions

    found = [Finding("coordinates", "good", ", ".join(model.q))]
    try:
        rows = reactions(model)
    except DalembertError as error:
        return [*found, Finding("start", "wrong", str(error))]
    if rows.not_unique:
        return [*found, Finding("start", "note", f"rows not unique: {', '.join(rows.not_unique)}")]
    return [*found, Finding("start", "good", "velocities fit; accelerations are unique")]
