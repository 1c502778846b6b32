"""Pictures of a run: the mechanism in a few poses, coordinates, reactions, energies.  Needs matplotlib, which is imported on first use."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MethodError, checked_call, nearest, shown
from ..model.measure import Measure
from ..model.output_units import OutputUnits
from . import overview
from .files import MissingPackageError, optional, whole_file, with_ending
from .in_units import converted, units_of
from .lagrangian import LagrangianResult
from .series import Series

if TYPE_CHECKING:
    from .result import Result
    from .saved import SavedResult


# colours that stay apart for all kinds of colour vision (Okabe and Ito), darkest first
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#777777")
STYLE = {
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.6,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}
PANELS = ("mechanism", "motion", "reactions", "energy")
# lines in one panel: more cannot be told apart
LINES = 6


@checked_call
def plot(run: Any, *what: Any, path: Any = None, units: Any = None) -> Any:
    """Draw a run.

    Parameters
    ----------
    run
        A result, or one read from a file.
    what
        What to draw, a panel for each: "mechanism", "motion" (coordinates), "reactions", "energy", the name of a body, joint, driver, force or
        measure, a measure, or an array of the result such as `run["A"].force`.  Nothing: the first four in one picture.
    path
        File to write; the ending decides the format (.png, .pdf, .svg).  Without it the picture belongs to `matplotlib.pyplot` and is shown
        by `pyplot.show()`.
    units
        Units of the axes: "mm, kN, deg"; default: those of the model, else SI units.

    Returns
    -------
    matplotlib.figure.Figure
        The picture.
    """
    matplotlib = optional("matplotlib", "plot", "plot")
    asked = "plot"
    if not len(getattr(run, "t", ())):
        raise MethodError(asked, f"{run!r}", "there are no outputs to draw", "give the result of simulate")
    target = None if path is None else with_ending(f"plot(path={shown(path)})", path, ".png")
    shown_in = units_of("plot", run, units)
    panels = (
        run.panels(what)
        if isinstance(run, LagrangianResult)
        else [_panel(run, item) for item in (what or _default(run))]
    )
    with matplotlib.rc_context(STYLE):
        figure = new_figure(len(panels), target is None)
        columns = 1 if len(panels) == 1 else 2
        rows = math.ceil(len(panels) / columns)
        grid = figure.add_gridspec(rows, columns)
        later = []
        for k, draw in enumerate(panels):
            # a last panel alone in its row gets the whole row
            alone = columns == 2 and len(panels) % 2 == 1 and k == len(panels) - 1
            cell = grid[k // columns, :] if alone else grid[k // columns, k % columns]
            later.append(draw(figure.add_subplot(cell), shown_in))
        figure.suptitle(run.model if isinstance(run.model, str) else run.model.name, fontsize=13, fontweight="bold")
        if any(later):
            # a drawing to scale needs the size of its axes, which the layout finds from all that is around
            figure.get_layout_engine().execute(figure)
            for finish in filter(None, later):
                finish()
        if target is not None:
            write(figure, target, path)
    return figure


def _default(run: Result | SavedResult) -> tuple[str, ...]:
    wanted = PANELS[1:] if isinstance(run.model, str) else PANELS
    return tuple(name for name in wanted if name != "reactions" or overview.reactions(run, 1))


def new_figure(panels: int, shown: bool) -> Any:
    """Empty picture for panels; one that is only written to a file stays out of pyplot, which would keep it in memory."""
    size = (7.0, 4.6) if panels == 1 else (11.0, 4.2 * math.ceil(panels / 2) + 0.4)
    return empty_figure(shown, figsize=size, layout="constrained", dpi=110)


def empty_figure(shown: bool, **options: Any) -> Any:
    """Figure with these options; `shown` if pyplot is to know it, so that `pyplot.show()` shows it."""
    from matplotlib.figure import Figure

    if shown:
        # without a display, or with one that does not work, the picture can still be made
        with contextlib.suppress(Exception):
            from matplotlib import pyplot

            return pyplot.figure(**options)
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = Figure(**options)
    FigureCanvasAgg(figure)
    return figure


def check_ending(asked: str, target: Path, known: Sequence[str], do: str) -> str:
    """Format of a picture by the ending of its file; refused if it is not known."""
    ending = target.suffix[1:].lower()
    if ending not in known:
        why = f"no such picture format; {nearest(ending, known)}"
        raise MethodError(asked, f"the ending {target.suffix!r}", why, do)
    return ending


def write(figure: Any, target: Path, path: Any) -> None:
    """Write a figure, whole or not at all; no date inside: the same run gives the same file."""
    asked, known = f"plot(path={shown(path)})", sorted(figure.canvas.get_supported_filetypes())
    ending = check_ending(asked, target, known, "use .png, .pdf or .svg")
    metadata = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(ending)
    with whole_file(target, asked) as file:
        figure.savefig(file, format=ending, metadata=metadata)


# -- panels ------------------------------------------------------------------------------------------------------------


def _panel(run: Result | SavedResult, what: Any) -> Any:
    """Function that draws one panel into axes; what it returns, if anything, is called when the size of the axes is known."""
    if isinstance(what, str) and what in PANELS:
        if what == "mechanism" and isinstance(run.model, str):
            raise MethodError(
                "plot('mechanism')",
                "a result read from a file",
                "files hold numbers, not shapes",
                "draw the run itself: run.plot('mechanism')",
            )
        drawn: dict[str, Callable[[Any], Any]] = {
            "mechanism": _mechanism, "motion": _motion, "reactions": _reactions, "energy": _energy,
        }  # fmt: skip
        return drawn[what](run)
    lines, title = _lines(run, what)
    return lambda axes, units: draw_series(axes, lines, title, units)


def _lines(run: Result | SavedResult, what: Any) -> tuple[list[Series], str]:
    """Quantities of a panel and its title: an array, a measure, what tells most about a part."""
    if isinstance(what, Series | Measure):
        series = what if isinstance(what, Series) else run[what]
        return [series], series.name
    name = what if isinstance(what, str) else getattr(what, "name", None)
    known = [
        *PANELS,
        *overview.facts(run)["bodies"],
        *(n for kind in ("joint", "driver", "force") for n in overview.part_names(run, kind)),
        *overview.measure_names(run),
    ]
    if name not in known:
        raise MethodError(
            f"plot({what!r})", "there is nothing of that name", nearest(what, known), "use one of the known names"
        )
    part = run[name]
    if name in overview.measure_names(run):
        return [part], name
    if name in overview.facts(run)["bodies"]:
        turning = run.plane and float(np.ptp(part.angle)) > 1e-9
        return [part.position] + ([part.angle] if turning else []), f"position of {name}"
    if name in overview.part_names(run, "driver"):
        return [part.effort], f"effort of {name}"
    # round-off of a torque that a joint cannot carry is not worth an axis; torques are compared with force times length
    length = overview.facts(run)["length"]
    sizes = [float(np.max(np.abs(part.force), initial=0.0)) * length, float(np.max(np.abs(part.torque), initial=0.0))]
    load = [s for s, size in zip((part.force, part.torque), sizes) if size > 1e-9 * max(sizes)] or [part.force]
    return load, f"load of {name} on {getattr(part.body, 'name', part.body)}"


def _mechanism(run: Result) -> Any:
    def begin(axes: Any, units: OutputUnits) -> Any:
        from ..pictures.panel import draw_panel

        axes.set_title("mechanism")
        axes.set_axis_off()
        return lambda: draw_panel(axes, run, units)

    return begin


def _motion(run: Result | SavedResult) -> Any:
    found = overview.coordinates(run, LINES - 2)
    return lambda axes, units: draw_series(axes, found, "coordinates", units)


def _reactions(run: Result | SavedResult) -> Any:
    found = overview.reactions(run, LINES)
    left = len(overview.part_names(run, "joint")) - len(found)
    title = "forces in joints" + (" (the first six)" if len(found) == LINES and left > 0 else "")
    return lambda axes, units: draw_series(axes, found, title, units)


def _energy(run: Result | SavedResult) -> Any:
    energy = run.energy

    def draw(axes: Any, units: OutputUnits) -> None:
        # the total last and thin, since it often lies on one of the others
        total = converted(energy.total, units)
        axes.plot(
            total.t, np.asarray(total), color="#222222", linewidth=1.1, linestyle=(0, (5, 2)), label="total", zorder=5
        )
        draw_series(axes, [energy.kinetic, energy.potential], "energy", units)

    return draw


def draw_series(axes: Any, given: list[Any], title: str, shown_in: OutputUnits) -> None:
    """Lines over time; quantities of a second unit go to an axis on the right."""
    found = [converted(series, shown_in) for series in given]
    axes.set_title(title)
    axes.set_xlabel(f"t [{shown_in.unit('s')}]")
    units = list(dict.fromkeys(s.unit for s in found))
    right = axes.twinx() if len(units) > 1 else None
    if right is not None:
        right.grid(False)
        right.spines["right"].set_visible(True)
    lines: list[Any] = []
    extra = list(axes.get_lines())
    for series in found:
        # two axes at most: units beyond the second share the right one
        target = axes if series.unit == units[0] else right
        values = np.asarray(series).reshape(len(series), -1)
        for k in range(values.shape[1]):
            label = (
                series.name
                if values.shape[1] == 1
                else f"{series.name} {series.axes[k] if k < len(series.axes) else k}"
            )
            style = "-" if target is axes else "--"
            assert target is not None
            lines += target.plot(series.t, values[:, k], style, color=COLORS[len(lines) % len(COLORS)], label=label)
    axes.set_ylabel(_label(found, units[:1], shown_in))
    if right is not None:
        right.set_ylabel(_label(found, units[1:], shown_in) + " (dashed)")
    for each in (axes, right):
        if each is not None:
            _roomy(each)
    lines += extra
    if len(lines) > 1:
        axes.legend(
            lines,
            [line.get_label() for line in lines],
            loc="upper center",
            bbox_to_anchor=(0.5, -0.16),
            ncols=_columns(axes, [line.get_label() for line in lines]),
        )
    t = found[0].t if found else None
    if t is not None and t[0] != t[-1]:
        axes.set_xlim(*sorted((float(t[0]), float(t[-1]))))


def _columns(axes: Any, names: list[str]) -> int:
    """Columns of a legend that is no wider than the axes: a wider one would make these narrow, or be cut."""
    # the layout will make the axes wider than they are at first, by a quarter and more
    width = 1.25 * 72.0 * axes.get_window_extent().width / axes.figure.dpi
    each = 45.0 + 5.2 * max(map(len, names))  # points: line and gaps, letters
    return max(1, min(4, len(names), int(width / each)))


def _label(found: list[Any], units: list[str], shown_in: OutputUnits) -> str:
    names = {"m": "length", "rad": "angle", "N": "force", "N m": "torque", "J": "energy", "W": "power", "m/s": "speed"}
    shown_names = {shown_in.unit(unit): name for unit, name in names.items()}
    single = [s for s in found if s.unit in units]
    words = [shown_names.get(u, "") for u in units]
    text = single[0].name if len(single) == 1 and len(units) == 1 else ", ".join(dict.fromkeys(w for w in words if w))
    return f"{text} [{', '.join(u or '1' for u in units)}]".strip()


def _roomy(axes: Any) -> None:
    """Limits that do not blow up round-off: a constant is drawn as a flat line."""
    low, high = axes.get_ylim()
    size = max(abs(low), abs(high))
    if high - low < 1e-6 * size or size < 1e-12:
        margin = 0.5 * size if size > 1e-12 else 1.0
        axes.set_ylim(0.5 * (low + high) - margin, 0.5 * (low + high) + margin)


__all__ = ["MissingPackageError", "plot"]
