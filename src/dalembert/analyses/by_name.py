"""Verbs by name, with options as plain data in SI units: what model files, the command line, the page and sweeps ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from ..errors import DalembertError, MethodError
from ..options.tables import DRIVEN, TABLES
from .simulate import output_times, simulate

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism
    from ..state import State

# end of a motion for which none is asked [s]
DEFAULT_END: float = TABLES["simulate"]["until"].fallback
_SYMBOLIC = ("conserved", "small_oscillations")


def function_of(verb: str) -> Callable[..., Any]:
    """Function behind a verb, loaded when it is asked for first."""
    folder = "symbolic" if verb in _SYMBOLIC else "analyses"
    found: Callable[..., Any] = getattr(import_module(f"..{folder}.{verb}", __package__), verb)
    return found


def ask(verb: str, model: Mechanism | Lagrangian, options: Mapping[str, Any], **more: Any) -> Any:
    """Answer of a verb; `more` are arguments that Python alone has, such as `progress`.

    Of `linearize` it is a list: where, and the small motions there.
    """
    if verb == "linearize":
        given = {name: x for name, x in options.items() if name != "at"}
        found = places(model, options.get("at"))
        return [(where, function_of(verb)(model, state, **given, **more)) for where, state in found]
    return function_of(verb)(model, **arguments(verb, model, options), **more)


def arguments(verb: str, model: Mechanism | Lagrangian, options: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a verb from options as a file has them."""
    made = dict(options)
    if verb == "simulate":
        made.setdefault("until", DEFAULT_END)
        if made.pop("at", None) == "equilibrium":
            # what drivers ask for at their first instant is solved for
            made = {"velocities": "solve", **made, "start": at_rest(model)}
    elif verb in DRIVEN:
        made = {**{name: x for name, x in made.items() if name not in ("until", "output")}, "times": times_of(made)}
    elif verb in ("reactions", "free_body", "potential_energy"):
        made["state"] = state_at(model, made.pop("t", None))
    elif verb == "equations" and model.kind == "mechanism":
        made.setdefault("form", "minimal")
    if "spinning" in made:
        made["spinning"] = tuple(made["spinning"])
    if "impulse" in made:
        made["impulse"] = {_point(model, key): x for key, x in made["impulse"].items()}
    return made


def times_of(options: Mapping[str, Any]) -> Any:
    """Times of a driven motion: given one by one, or by their end and step."""
    if "times" in options:
        return options["times"]
    end = options.get("until", DEFAULT_END)
    return output_times("output times", options.get("output"), 0.0, end).tolist()


def state_at(model: Mechanism | Lagrangian, t: float | None) -> State | None:
    """State at a time, reached by simulating; None for the start."""
    if not t:
        return None
    run = simulate(model, until=t, output=[t])
    if not run.complete:
        raise KeyboardInterrupt
    return run.at(t)


def at_rest(model: Mechanism | Lagrangian) -> Any:
    """The stable equilibrium nearest to the drawing, for a motion that begins there."""
    found = function_of("equilibrium")(model)
    stable = getattr(found, "stable", ())
    if not stable:
        rubs = hasattr(found, "ranges") or not hasattr(found, "stable")
        raise MethodError(
            f"simulate({model.name!r}) from an equilibrium", "ranges of positions in which friction holds it" if rubs else "no stable equilibrium",
            "a motion begins at one place" if rubs else "the machine does not rest in any of those that were found",
            "give the start by [start]" if rubs else "look at `dalembert equilibrium`, and give the start by [start]",
        )  # fmt: skip
    return stable[0]


def places(model: Mechanism | Lagrangian, at: str | None) -> list[tuple[str, Any]]:
    """Where to look at small motions; without a choice: the stable equilibria, or the start where there are none."""
    start = [("the start", None)]
    if at == "start":
        return start
    try:
        found = function_of("equilibrium")(model)
    except DalembertError:
        if at == "equilibrium":
            raise
        return start
    if hasattr(found, "ranges"):
        if at == "equilibrium":
            why = "small motions are those about one position, and what sticks holds the others"
            raise MethodError("modes", "ranges of positions in which friction holds it", why, "use --at start")
        return start
    named = [(f"equilibrium {k} ({e.verdict})", e) for k, e in enumerate(found)]
    chosen = [(where, e) for where, e in named if e.verdict != "unstable"]
    if at == "equilibrium" and not named:
        raise MethodError("modes", "no equilibrium", "there is none to look at", "use --at start")
    return chosen or (named if at == "equilibrium" else start)


def _point(model: Mechanism | Lagrangian, key: str) -> Any:
    """Point "bar.end" of a body; everything else as it is."""
    body, _, point = key.rpartition(".")
    machine = cast("Mechanism", model)
    if not model.bodies or not body or body not in machine:
        return key
    shape = getattr(machine[body], "shape", None)
    return getattr(machine[body], point) if shape is not None and point in shape.points else key
