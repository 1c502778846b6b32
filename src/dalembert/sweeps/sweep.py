"""sweep: the same question for many values of parameters."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
from collections.abc import Callable, Mapping
from typing import Any

from ..compilation import ensure_compiled
from ..errors import MethodError, ModelError, nearest, shown
from ..io.files import ModelFile, read_file, to_data
from ..model.expression import Expr
from ..model.model import Model
from ..options.call import verb
from ..options.tables import DRIVEN, TABLES
from ..progress import Progress
from .case import ALIASES, SWEPT, Record, Task
from .checkpoint import Checkpoint
from .quantities import split
from .result import Case, Failure, Sweep
from .values import cases_of, fixed_of, unit_text
from .workers import by_executor, here, in_processes


@verb
def sweep(
    model: Any,
    over: Any,
    *,
    ask: str | Callable[..., Any] | None = None,
    keep: Any = None,
    fixed: Mapping[str, Any] | None = None,
    processes: int | None = None,
    executor: Any = None,
    checkpoint: Any = None,
    progress: bool | None = None,
    **options: Any,
) -> Sweep:
    """Run one analysis for many values of the parameters of a model.

    Each case is read and assembled anew, so that closed loops follow the new lengths.  A case that fails is recorded with its reason, and
    the others go on.  Ctrl-C ends the sweep and keeps what is finished.

    Parameters
    ----------
    model
        A model file (.toml, .json), a Mechanism or Lagrangian with parameters, or a function that builds one from the values:
        `build(r=0.1)`.
    over
        Values by parameter, whose product is run: {"r": [0.1, 0.2], "n": "1000 rpm:3000 rpm:5"}; or a list of cases [{"r": 0.1, "n": 10}].
        Numbers are in SI units; texts may have units, and "first:last:how many" is a range.
    ask
        "simulate", "kinematics", "inverse_dynamics", "equilibrium", "linearize", "modes" (about the first stable equilibrium), "reactions"; or
        a function of the model that returns a result, a number, or a dict of numbers.  Default: what the file asks for, else "simulate".
    keep
        What to keep of each case: a text, a list of texts, or a dict with names of your own and texts or functions of the result.  A text is
        a quantity, "O.angle", `"|A.force|"`, "piston.position.x", "motor.effort", "energy.total", with one of max, min, largest, span, mean,
        rms, first, final before it; without such a word values at all outputs are kept.  Default: a short summary.
    fixed
        Values of other parameters, the same in all cases.
    processes
        1: in this process; more: in so many processes.  Default: here, with help of all cores where it takes long.
    executor
        Anything with `submit` that returns futures, to run the cases elsewhere.
    checkpoint
        File (.jsonl) that gets one line per finished case.  The same sweep with the same file goes on where it was; a case counts as
        finished if model, values, analysis and version of the package are the same.
    progress
        Show progress of long work; default: on a terminal.
    **options
        Options of the analysis, such as until=1.0; default: those that the file has for it.

    Returns
    -------
    Sweep
        Prints as a table; `s["r"]`, `s["max |A.force|"]` arrays by parameter, `.failures`, `.to_csv(path)`, `.cases`.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> l = m.parameter("l", 1.0, "m")
    >>> bar = m.body("bar", da.rod(length=l, mass=2.0), at=("l/2", 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> s = da.sweep(m, over={"l": [0.5, 1.0, 2.0]}, ask="modes", keep="frequency[0]")
    >>> s["frequency[0]"].round(6).tolist()
    [0.863406, 0.610521, 0.431703]
    """
    file = read_file(model) if isinstance(model, str | os.PathLike) else None
    verb = question(ask, {} if file is None else file.analyses)
    source, name, known, given = _source(model, verb, file)
    _check_derived({} if file is None else file.derived, over, fixed)
    axes, cases = cases_of(over, known)
    shared = fixed_of(fixed, known, cases)
    task = Task(source, verb, _options(verb, {**given, **options}), _keep(keep))
    _check_places(processes, executor)
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        # a worker that imports the script finds the sweep in it: its end tells the sweep above
        os._exit(1)
    runs = [{**shared, **case} for case in cases]
    records, complete, resumed = _run(task, runs, processes, executor, checkpoint, progress)
    units = {n: unit_text(x) for n, x in (known or {}).items()}
    for record in records.values():
        units.update(record.get("units", {}))
    label = verb if isinstance(verb, str) else getattr(verb, "__name__", "a function")
    places = tuple(sorted(records))
    made = tuple(_case(cases[k], records[k]) for k in places)
    shown_in = tuple(json.loads(source).get("units") or ()) if isinstance(source, str) else ()
    return Sweep(name, label, made, axes, units, complete, resumed, len(cases), places, shown_in)


def _run(
    task: Task, runs: list[dict[str, Any]], processes: int | None, executor: Any, checkpoint: Any, progress: bool | None
) -> tuple[dict[int, Record], bool, int]:
    """Records by number of the case, whether all are there, and how many were there before."""
    records: dict[int, Record] = {}
    with contextlib.ExitStack() as stack:
        file = None
        if checkpoint is not None:
            if callable(checkpoint):
                file = checkpoint()  # opened, and closed in time, by who called
            else:
                file = Checkpoint(checkpoint)
                stack.callback(file.close)
            keys = [task.key(values) for values in runs]
            records |= {k: file.done[key] for k, key in enumerate(keys) if key in file.done}
        resumed = len(records)
        todo = [k for k in range(len(runs)) if k not in records]
        bar = Progress("sweep", resumed, len(runs), force=bool(progress))
        bar.active = bar.active if progress is None else bool(progress)
        stack.callback(bar.close)
        if not todo:
            return records, True, resumed
        many = 1 if processes is None else min(processes, len(todo))
        if executor is not None:
            found_by = by_executor(executor, task, runs, todo)
        elif many > 1:
            _have_kernels(task)  # once, before the workers would all wait for it
            found_by = in_processes(task, runs, todo, many)
        else:
            found_by = here(task, runs, todo, help_after=processes is None)
        try:
            with contextlib.closing(found_by) as coming:
                for k, record in coming:
                    if "interrupted" in record:
                        raise KeyboardInterrupt
                    if record.get("stage") == "keep":
                        # a quantity that does not exist is a mistake of the sweep, not of a case: told at once
                        asked, found, why, do = (record["failure"][part] for part in ("asked", "found", "why", "do"))
                        raise MethodError(f"sweep(keep=...): {asked}", found, why, do)
                    records[k] = record
                    if file is not None and not record.get("passing"):
                        file.add(task.key(runs[k]), runs[k], record)
                    bar(len(records))
        except KeyboardInterrupt:
            return records, False, resumed
    return records, True, resumed


def _have_kernels(task: Task) -> None:
    """Compile what a model needs: its own family of kernels, and of those for mechanisms the plane or space."""
    if isinstance(task.model, str):
        model = json.loads(task.model)
        family = "plane" if model.get("plane", True) else "space"
        ensure_compiled("lagrangian" if model.get("kind") == "lagrangian" else family, implicit=False)


def _case(values: dict[str, Any], record: Record) -> Case:
    failure = record.get("failure")
    parts = ("kind", "asked", "found", "why", "do")
    told = None if failure is None else Failure(**{key: str(failure.get(key, "")) for key in parts})
    status, seconds = str(record.get("status", "ok")), float(record.get("seconds", 0.0))
    return Case(values, record.get("kept", {}), status, told, seconds)


# -- what was given ----------------------------------------------------------------------------------------------------


def question(ask: Any, analyses: Mapping[str, Any]) -> Any:
    """What each case is asked; by default what the file asks for."""
    if callable(ask):
        return ask
    if ask is None:
        asked = [verb for verb in SWEPT if verb in analyses]
        if len(asked) > 1:
            found = "the file asks for " + ", ".join(f"[{verb}]" for verb in asked)
            do = f"choose one: ask={asked[0]!r} (--ask {asked[0]})"
            raise MethodError("sweep without ask", found, "a sweep is about one of them", do)
        verb = asked[0] if asked else "simulate"
        # small motions are those about equilibria, unless the file wants them at the start
        return "modes" if verb == "linearize" and analyses[verb].get("at") != "start" else verb
    found = ALIASES.get(ask, ask) if isinstance(ask, str) else ask
    if found not in SWEPT:
        what = "no such analysis"
        raise MethodError(f"sweep(ask={shown(ask)})", what, nearest(ask, (*SWEPT, *ALIASES)), "ask one of these")
    return found


def _source(model: Any, verb: Any, file: ModelFile | None) -> tuple[Any, str, dict[str, Any] | None, dict[str, Any]]:
    """Text of the model or function that builds it, name, parameters as a file writes them, options of the file."""
    analyses: Mapping[str, Any] = {}
    if file is not None:
        model, analyses = file.model, file.analyses
    if isinstance(model, Model):
        try:
            data = to_data(model)
        except ModelError as error:
            do = "give a function that builds the model: da.sweep(build, over={'r': [0.1, 0.2]}) calls build(r=0.1)"
            raise ModelError(f"sweep({model.name!r}): {error.asked}", error.found, error.why, do) from None
        parameters = data.get("parameters", {})
        if not parameters:
            do = "name a number: r = m.parameter('r', 0.2, 'm'), or [parameters] in a file"
            raise MethodError(f"sweep({model.name!r})", "a model without parameters", "a sweep changes parameters", do)
        options = dict(analyses.get("linearize" if verb == "modes" else verb, {})) if isinstance(verb, str) else {}
        if verb != "simulate":
            options.pop("at", None)  # which is what `question` looks at
        if verb in DRIVEN and "until" in analyses.get("simulate", {}):
            options.setdefault("until", analyses["simulate"]["until"])
        return json.dumps(data), model.name, parameters, options
    if callable(model):
        return model, getattr(model, "__name__", "model"), None, {}
    found = f"{shown(model)} of type {type(model).__name__}"
    why = "a sweep is of a model file, a model, or a function that builds one"
    raise MethodError(f"sweep({shown(model, 40)})", found, why, "give 'slider-crank.toml', a Mechanism or a Lagrangian")


def _check_derived(derived: Mapping[str, Expr], *given: Any) -> None:
    """Refuse to sweep what a file computes from other parameters."""
    tables = [x for item in given for x in (item if isinstance(item, list | tuple) else [item])]
    for name in (name for table in tables if isinstance(table, Mapping) for name in table if name in derived):
        found, others = f"a derived parameter: {name} = {derived[name]}", sorted(derived[name].names)
        do = f"name {' or '.join(others[:6])}" if others else "write a number in place of the formula"
        raise MethodError(f"sweep over {name!r}", found, "the file computes it by this formula", do)


def _options(verb: Any, given: dict[str, Any]) -> dict[str, Any]:
    options = {name: x for name, x in given.items() if x is not None}
    if verb == "simulate" and "until" not in options:
        do = "give until=1.0, or [simulate] until in the file"
        raise MethodError("sweep(ask='simulate')", "no end time", "a motion needs one", do)
    if verb in DRIVEN and not {"until", "times"} & set(options):
        raise MethodError(f"sweep(ask={verb!r})", "no times", "a motion needs them", "give until=1.0 or times=[...]")
    if "times" in options:
        options.pop("until", None)
    if isinstance(verb, str):
        left_out = ("progress",) if verb == "simulate" else ("progress", "at")
        known = [name for name in TABLES["linearize" if verb == "modes" else verb] if name not in left_out]
        for name in options:
            if name not in known:
                why, do = nearest(name, known, 30), "use one of the options of the analysis"
                raise MethodError(f"sweep(ask={verb!r})", f"unknown option {name!r}", why, do)
    return options


def _keep(keep: Any) -> dict[str, Any] | None:
    if keep is None:
        return None
    if isinstance(keep, str) or callable(keep):
        keep = [keep]
    if isinstance(keep, list | tuple):
        keep = {x if isinstance(x, str) else getattr(x, "__name__", "value"): x for x in keep}
    if not isinstance(keep, Mapping) or not keep or not all(isinstance(name, str) for name in keep):
        why = "what to keep is a text, a list of texts, or a dict of names and texts"
        raise MethodError("sweep(keep=...)", f"keep = {shown(keep)}", why, "give keep=['max |A.force|']")
    for x in keep.values():
        if not callable(x):
            split(x)
    return dict(keep)


def _check_places(processes: Any, executor: Any) -> None:
    if executor is not None and not callable(getattr(executor, "submit", None)):
        why, do = "an executor has submit(function, *arguments)", "give for example a ThreadPoolExecutor"
        raise MethodError("sweep(executor=...)", f"{shown(executor)} of type {type(executor).__name__}", why, do)
    if executor is not None and processes is not None:
        raise MethodError("sweep", "processes and executor", "cases run in one of them", "give only one")
