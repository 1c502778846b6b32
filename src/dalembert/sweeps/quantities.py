"""What is kept of a case: "max |A.force|", "final bore.slide", "energy.total", "frequency[0]".

A text is a quantity, with a word before it that makes one number of its values over time.  Without such a word the values at all outputs
are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MethodError, nearest, shown
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism

if TYPE_CHECKING:
    from ..results.record import Record


# words that make one number of values over time
REDUCTIONS: dict[str, Callable[[np.ndarray], Any]] = {
    "max": lambda x: np.max(x, axis=0), "min": lambda x: np.min(x, axis=0),
    "largest": lambda x: np.max(np.abs(x), axis=0), "span": lambda x: np.ptp(x, axis=0),
    "mean": lambda x: np.mean(x, axis=0), "rms": lambda x: np.sqrt(np.mean(np.square(x), axis=0)),
    "first": lambda x: x[0], "final": lambda x: x[-1],
}  # fmt: skip
_INDEX = re.compile(r"(.*)\[(\d+)\]")
_SUMMARY = (1, 2, 4)  # coordinates, drivers and joints of a summary


def split(text: Any) -> tuple[str, str]:
    """Word that reduces (or nothing) and quantity of a text: "max |A.force|", "max(|A.force|)"."""
    asked = f"keep = {shown(text)}"
    if not isinstance(text, str) or not text.strip():
        why = "what to keep is a text or a function of the result"
        raise MethodError(asked, f"a {type(text).__name__}", why, "give for example 'max |A.force|'")
    words = text.strip()
    found = re.fullmatch(r"(\w+)\s*\((.*)\)", words)
    if found is not None and found[1] in REDUCTIONS:
        return found[1], found[2].strip()
    word, blank, rest = words.partition(" ")
    # an expression of a Lagrangian system may contain blanks: "theta + 1"
    if blank and re.fullmatch(r"[A-Za-z]+", word):
        if word not in REDUCTIONS:
            raise MethodError(asked, f"the word {word!r}", nearest(word, REDUCTIONS), "use one of these words")
        return word, rest.strip()
    return "", words


def value_of(result: Any, keep: Any, ask: str) -> tuple[Any, str]:
    """Number, text or array that is kept of a result, and its unit."""
    if callable(keep):
        return keep(result), ""
    word, name = split(keep)
    if ask == "equilibrium":
        return _at_rest(result, name, word), _unit_at_rest(result, name)
    if ask in ("linearize", "modes"):
        return _of_modes(result, name, word), "Hz" if name.startswith("frequency") else ""
    values, unit = _over_time(result, name)
    if ask == "reactions":
        return values[0], unit
    if not len(values):
        raise MethodError(f"keep = {shown(keep)}", "no outputs", "there is nothing to keep", "give a later end time")
    return (REDUCTIONS[word](values) if word else values), unit


# -- results over time -------------------------------------------------------------------------------------------------


def _over_time(result: Any, name: str) -> tuple[np.ndarray, str]:
    if name.startswith("|") and name.endswith("|") and len(name) > 2:
        values, unit = _over_time(result, name[1:-1].strip())
        return np.abs(values) if values.ndim == 1 else np.linalg.norm(values, axis=1), unit
    run = getattr(result, "run", result)
    if name == "t":
        return np.asarray(run.t), "s"
    if name in ("shaking_force", "shaking_moment") and run is not result:
        series = getattr(result, name)
        return np.asarray(series), series.unit
    series = _series(run, name)
    return np.asarray(series, dtype=float), str(getattr(series, "unit", ""))


def _series(run: Record, name: str) -> Any:
    head, _, tail = name.partition(".")
    if head == "energy" and tail in ("kinetic", "potential", "total", "jacobi"):
        return getattr(run.energy, tail)
    found, model = re.fullmatch(r"rate\((.*)\)", name), run.model
    if found is not None:
        of = found[1].strip()
        return run.rate(of) if isinstance(model, Lagrangian) else _plain(name, run[of]).rate
    if isinstance(model, Lagrangian):
        if head not in model.parts:
            return run[name]
    elif head not in model or model.find_measure(name) is not None or not tail:
        return _plain(name, run[name])
    what, _, axis = tail.partition(".")
    series = _plain(name, getattr(run[head], what) if what and not what.startswith("_") else run[head])
    return series if not axis else series[:, _axis(name, axis, series)]


def _plain(name: str, series: Any) -> Any:
    if isinstance(series, np.ndarray):
        return series
    words = [word for word in dir(type(series)) if not word.startswith("_")]
    why = f"it has several quantities: {', '.join(words)}"
    raise MethodError(f"quantity {name!r}", f"{series!r}", why, f"name one of them, for example '{name}.{words[0]}'")


def _axis(name: str, axis: str, series: Any) -> int:
    axes = tuple(getattr(series, "axes", ()))
    if axis not in axes:
        raise MethodError(f"quantity {name!r}", f"no component {axis!r}", nearest(axis, axes), "use one of these")
    return axes.index(axis)


# -- results at one state ----------------------------------------------------------------------------------------------


def _at_rest(found: Any, name: str, word: str) -> Any:
    """Of the equilibria: how many there are, or a measure at the first (stable ones come first), with a word over all of them."""
    if name in ("count", "stable"):
        return len(found if name == "count" else found.stable)
    if not len(found):
        return "none" if name == "verdict" else float("nan")
    values = [getattr(e, name) if name in ("verdict", "energy") else float(e[name]) for e in found]
    return values[0] if not word or name == "verdict" else REDUCTIONS[word](np.asarray(values))


def _unit_at_rest(found: Any, name: str) -> str:
    model = found[0]._model if len(found) else None
    measure = None if model is None or isinstance(model, Lagrangian) else model.find_measure(name)
    return "J" if name == "energy" else "" if measure is None else str(measure.unit)


def _of_modes(found: Any, name: str, word: str) -> Any:
    """Of all modes: frequency [Hz], damping (ratio), growth (real part of the eigenvalue); with [k] of one."""
    of: dict[str, Callable[[Any], float]] = {
        "frequency": lambda mode: mode.frequency,
        "damping": lambda mode: mode.damping_ratio,
        "growth": lambda mode: mode.eigenvalue.real,
    }
    match = _INDEX.fullmatch(name)
    what = match[1] if match else name
    if what == "steady":
        return bool(found.steady)
    if what not in of:
        do = "use one of these"
        raise MethodError(f"keep = {name!r}", "no such quantity of modes", nearest(what, [*of, "steady"]), do)
    values = np.array([float(of[what](mode)) for mode in found.modes])
    if match is not None:
        k = int(match[2])
        return values[k] if k < len(values) else float("nan")
    return REDUCTIONS[word](values) if word and len(values) else values


# -- what is kept by default -------------------------------------------------------------------------------------------


def summary(model: Mechanism | Lagrangian, ask: str) -> dict[str, str]:
    """What is kept where nothing is asked for, from the model alone, so that all cases have the same columns."""
    return {text: text for text in _summary(model, ask)}


def _summary(model: Mechanism | Lagrangian, ask: str) -> list[str]:
    if ask == "equilibrium":
        return ["count", "stable", "verdict", *_coordinates(model)[:2]]
    if ask in ("linearize", "modes"):
        return ["frequency", "damping"]
    if isinstance(model, Lagrangian):
        return [f"{word} {name}" for name in model.q[:2] for word in ("min", "max", "final")]
    assert isinstance(model, Mechanism)
    coordinates, drivers, joints = _SUMMARY
    names = _coordinates(model)[:coordinates]
    motors = [part.name for part in model.parts("driver")][:drivers]
    pins = [part.name for part in model.parts("joint")][:joints]
    if ask == "reactions":
        return [*(f"{name}.effort" for name in motors), *(f"|{name}.force|" for name in pins)]
    made = [f"{word} {name}" for name in names for word in ("min", "max")]
    made += [f"largest {name}.effort" for name in motors] + [f"max |{name}.force|" for name in pins]
    return made or ["final energy.total"]


def _coordinates(model: Mechanism | Lagrangian) -> list[str]:
    """Coordinates that tell most: named measures, then those of joints, those on the ground first; what is driven tells nothing."""
    if isinstance(model, Lagrangian):
        return list(model.q)
    known = ((name, model.find_measure(name)) for name in model.measure_names())
    names = [name for name, measure in known if measure is not None and not measure.is_rate]
    driven = {driver.measure.name for driver in model.parts("driver")}
    joints = {part.name: any(body.is_ground for body in part.bodies) for part in model.parts("joint")}
    own = [name for name in names if "." not in name]
    of = [
        n for first in (True, False) for j in joints if joints[j] is first for n in names if n.rpartition(".")[0] == j
    ]
    return [name for name in (*own, *of) if name not in driven]
