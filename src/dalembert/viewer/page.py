"""The page as one text: template, style, scripts, data."""

from __future__ import annotations

import html
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.output_units import OutputUnits
from ..results.audit import constraint_errors, energy_errors
from ..results.files import quantities, single_quantities
from ..results.in_units import units_of
from ..results.result import Result
from ..results.saved import ENERGY, SavedResult
from ..results.series import Series
from .opening import first_plots, mark_rounding
from .packing import packed, safe_json
from .phases import phases
from .scene import drawing, loads
from .sheets import has_sheets, sheet_quantities, sheets
from .subject import Subject, check_shown, subject
from .tables import report

if TYPE_CHECKING:
    from ..results.record import Record


# scripts in the order in which they need each other; together they are one function
SCRIPTS = (
    "data.js", "player.js", "listing.js", "symbols.js", "looks.js", "names.js", "stage.js", "plane.js", "space.js", "plot.js", "save.js", "sheet.js", "formulas.js", "tables.js", "main.js",
)  # fmt: skip
# what pages in space have before the last of them: three.js, as built at installation, and the shaded drawing
BUNDLE = "built/three-space.js"
SOLID = ("solids.js", "fittings.js", "shaded.js")
# numbers that a page carries at most (about 8 MB); beyond, only every second, third, ... output is shown
MOST = 1_500_000
# marks on the line of time at most
MARKS = 300
# SI units that tables and remarks of the page use
SHOWN = ("m", "m/s", "N", "N m")
# what a pose without velocities has
POSE = ("position", "angle", "quaternion")


def page(x: Any, height: int | None = None, equations: bool = False) -> str:
    """HTML text of the page of a result; `height` (pixels) limits the drawing where the page stands inside another one."""
    return written(page_data(x, equations=equations), kind="" if height is None else "inside")


def written(
    data: dict[str, Any], kind: str = "", style: str = "", script: str = "", connect: str = "", live: bool = False
) -> str:
    """HTML text of a page of data; the studio adds a style, a script that sees the functions of the page, and whom it may ask.

    A `live` page has all scripts, since it may show anything later.
    """
    parts = {
        "title": html.escape(_displayable(data["name"])),
        "style": _static("page.css") + style,
        "script": "\n".join([*(_static(name) for name in scripts(data["scene"], live)), script]),
        "data": safe_json(data),
        "class": kind,
        "connect": connect,
    }
    # one pass over the template: a body named "@data@" stays a name
    return re.sub("@(title|style|script|data|class|connect)@", lambda found: parts[found[1]], _static("page.html"))


def scripts(drawn: dict[str, Any] | None, live: bool = False) -> list[str]:
    """Names of the scripts of a page; those for shading only in space, and only where three.js was built."""
    space = live or (drawn is not None and not drawn["plane"])
    shaded = space and (files(__package__) / "static" / BUNDLE).is_file()
    return [*SCRIPTS[:-1], *([BUNDLE, *SOLID] if shaded else []), SCRIPTS[-1]]


def framed(x: Any, height: int = 720) -> str:
    """The page inside a frame, for notebooks: it cannot reach the notebook around it."""
    inner = html.escape(page(x, height), quote=True)
    may = "allow-scripts allow-downloads"
    return f'<iframe srcdoc="{inner}" sandbox="{may}" style="width:100%;height:{height}px;border:0"></iframe>'


def page_data(x: Any, brief: bool = False, equations: bool = False) -> dict[str, Any]:
    """Everything the page shows, as plain data.

    `brief` leaves out the reports, for pages that change many times a second; `equations` writes the equations of motion, which takes SymPy
    and seconds.
    """
    about = check_shown("page", x, subject(x))
    run, saved = about.run, isinstance(about.run.model, str)
    units = about.units if about.units is not None else units_of("page", run)
    listed = [_quantity(where, series, units) for where, series in _listed(about)]
    shown = len(listed)
    if about.rest is not None:
        _count_from_rest(listed, about.rest)
    cut = not brief and not about.poses and not saved and has_sheets(run)
    maker = None if saved else drawing(run)
    if cut:
        listed += [_quantity(where, series, units) for where, series in sheet_quantities(run)]
    if maker is not None and not (about.poses and isinstance(run, Result)):
        listed += [_quantity(where, series, units) for where, series in maker.quantities()]
    mark_rounding(listed, run)
    size = sum(values.size for _, values in listed)
    # poses that stand beside each other are all shown
    stride = max(1, -(-size // MOST)) if about.listing is None else 1
    keep = np.arange(0, len(run.t), stride)
    # the last output is always shown
    keep = np.unique(np.append(keep, len(run.t) - 1))
    found = [{**one, "values": [packed(c) for c in values[keep].T]} for one, values in listed]
    for one in found[shown:]:
        one["hidden"] = True
    index = {(q["part"], q["what"]): k for k, q in enumerate(found)}
    along, name, unit = (run.t, "t", "s") if about.along is None else about.along
    return {
        "name": about.name,
        "kind": about.kind,
        "t": packed(np.asarray(along)[keep]),
        "axis": {"name": name, "unit": units.unit(unit)} | _factor(units.factor(unit)),
        "units": {si: units.of(si) for si in SHOWN if units.factor(si) != 1.0},
        "listing": about.listing,
        "stride": stride,
        "outputs": len(run.t),
        "complete": bool(getattr(run, "complete", True)),
        "marks": _marks(run) if about.along is None else [],
        "phases": phases(run) if about.kind == "run" and not saved and about.along is None else [],
        "quantities": found,
        "first": first_plots(listed[:shown], about),
        "scene": None if maker is None else maker.scene(index),
        "loads": loads(run, index) if isinstance(run, Result) and not about.poses else [],
        "sheets": sheets(run, index) if cut else [],
        "report": None if brief else report(about, units, equations),
    }


def _marks(run: Record | SavedResult) -> list[dict[str, Any]]:
    """What happened, for the line of time: of very many every second, third, ... one."""
    happened = [x if isinstance(x, dict) else x.about() for x in getattr(run, "events", ())]
    some = happened[:: max(1, -(-len(happened) // MARKS))]
    return [{"t": x["t"], "what": x["what"], "text": f"{x['name']}: {x['text']}"} for x in some]


def _count_from_rest(listed: list[tuple[dict[str, Any], np.ndarray]], rest: Any) -> None:
    """Coordinates as changes from a state; places of bodies stay as they are, since the drawing needs them."""
    at = {where[-1]: np.asarray(series)[0] for where, series in quantities(rest) if where[0] == ""}
    for k, (about, values) in enumerate(listed):
        if about["part"] == "" and about["what"] in at:
            about["name"] = f"Δ {about['name']}"
            listed[k] = about, values - at[about["what"]]


def _static(name: str) -> str:
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")


def _displayable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _listed(about: Subject) -> Any:
    run = about.run
    for (part, what), series in single_quantities(run):
        # matrices are no lines
        if series.ndim > 2 or (about.poses and part != "" and (part == ENERGY or what not in POSE)):
            continue
        if about.poses and series.rate is not None:
            series = Series(np.asarray(series), series.name, series.unit, series.axes, run.t)
        yield (part, what), series
    yield from about.extra
    if about.kind == "run" and not isinstance(run, SavedResult):
        yield from _errors(run)


def _errors(run: Record) -> Any:
    """How far every output is off the constraints, and the balance of energy: what the audit has looked at."""
    for name, values in zip(("position error", "velocity error"), constraint_errors(run)):
        yield ("constraints", name), Series(values, f"constraints.{name}", "", (), run.t)
    if run.trace is not None and not run.driven and len(run.trace.kept.t) > 1:
        kept = run.trace.kept
        # known at the accepted steps; time may run backwards
        order = 1 if kept.t[-1] >= kept.t[0] else -1
        values = np.interp(run.t, kept.t[::order], energy_errors(run)[::order])
        yield (ENERGY, "imbalance"), Series(values, "imbalance", "", (), run.t)


def _quantity(where: tuple[str, str], series: Any, units: OutputUnits) -> tuple[dict[str, Any], np.ndarray]:
    """What the page says of a quantity, and its values in SI units, which the drawing needs; plots multiply them with the factor."""
    part, what = where
    values = np.asarray(series, dtype=float).reshape(len(series), -1)
    columns = range(values.shape[1] if values.shape[1] > 1 else 0)
    axes = list(series.axes) if len(series.axes) == len(columns) else [str(k) for k in columns]
    group = "energy" if part == ENERGY else (part or what.rpartition(".")[0] or "measures")
    name = what if part in ("", ENERGY) else f"{part}.{what}"
    unit, factor = units.of(series.unit)
    about: dict[str, Any] = {"part": part, "what": what, "group": group, "name": name, "unit": unit, "axes": axes}
    about |= _factor(factor)
    if getattr(series, "rate", None) is not None:
        values = np.column_stack([values, np.asarray(series.rate, dtype=float)])
        about["rate_unit"], rate_factor = units.of(series.rate.unit)
        about |= _factor(rate_factor, "rate_factor")
    return about, values


def _factor(x: float, name: str = "factor") -> dict[str, float]:
    return {} if x == 1.0 else {name: x}
