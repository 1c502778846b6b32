"""One case of a sweep: build the model, analyse it, keep what was asked for.  A failure is data, not an exception."""

from __future__ import annotations

import hashlib
import inspect
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..analyses.by_name import ask, function_of
from ..compilation import compiling, counting_anew
from ..errors import DalembertError, MethodError, shown
from ..io.files import parse_text
from ..options.tables import MOTIONS
from ..options.verbs import VERBS
from .quantities import summary, value_of

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism


# verbs a sweep can ask, small motions about an equilibrium among them, and what else they are called on the command line
SWEPT = (*(name for name, verb in VERBS.items() if verb.swept), "modes")
ALIASES = {verb.command: name for name, verb in VERBS.items() if verb.swept and verb.command not in (name, "modes")}

Record = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """What all cases of a sweep share; it travels to the workers.

    `model` is the text of a model file (JSON) or a function that builds the model from the values; `ask` a verb or a function of the model.
    """

    model: str | Callable[..., Any]
    ask: str | Callable[..., Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    keep: Mapping[str, Any] | None = None

    def build(self, values: Mapping[str, Any]) -> Mechanism | Lagrangian:
        """Model with these values of its parameters."""
        if callable(self.model):
            return self.model(**values)
        # the verbs of the package leave a model as it is, so that it is read once; functions of the user get one of their own, which they may change
        own = callable(self.ask) or any(callable(x) for x in (self.keep or {}).values())
        model, given = _read(self.model) if own else _shared(self.model)
        for name, x in {**given, **values}.items():
            model.set_parameter(name, x)
        return model

    def load(self) -> None:
        """Have the machine code at hand that cases will need, before this process is forked."""
        if not callable(self.model):
            with compiling():
                pass

    @cached_property
    def identity(self) -> str:
        """Hash of everything that decides about the numbers, except for the values of the case."""
        keep = None if self.keep is None else {key: _described(x) for key, x in self.keep.items()}
        options = {key: shown(x, 100_000) for key, x in sorted(self.options.items())}
        told = {"model": _described(self.model), "ask": _described(self.ask), "options": options, "keep": keep}
        return _hashed({**told, "version": __version__})

    def key(self, values: Mapping[str, Any]) -> str:
        """Key of a case in a file of finished cases."""
        return _hashed([self.identity, sorted(values.items())])


def _read(text: str) -> tuple[Any, dict[str, float]]:
    model = parse_text(text, ".json").model
    return model, dict(model.parameters)


_last = threading.local()  # the last model that was read, in every thread its own


def _shared(text: str) -> tuple[Any, dict[str, float]]:
    if getattr(_last, "text", None) != text:
        _last.model = _read(text)
        _last.text = text
    return _last.model  # type: ignore[no-any-return]


def _hashed(x: Any) -> str:
    return hashlib.sha256(json.dumps(x, sort_keys=True, ensure_ascii=True).encode()).hexdigest()[:24]


def _described(x: Any) -> str:
    """Text that changes when what it stands for does: functions by name and source."""
    if isinstance(x, str):
        return x
    try:
        source = inspect.getsource(x)
    except (OSError, TypeError):
        source = ""
    return f"{getattr(x, '__module__', '')}.{getattr(x, '__qualname__', type(x).__name__)}\n{source}"


def run_case(task: Task, values: Mapping[str, Any]) -> Record:
    """Run one case; returns what is kept with units, status and seconds, or a failure with its four parts."""
    begun, stage = time.perf_counter(), "model"
    try:
        # what comes out is a function of the case alone, whichever cases this process has computed before
        with counting_anew():
            model = task.build(values)
            stage = "analysis"
            result = analysed(task, model)
            stage = "keep"
            kept, units = _kept(task, model, result)
            status = getattr(getattr(result, "run", result), "status", "ok")
            record = {"kept": kept, "units": units, "status": status if isinstance(status, str) else "ok"}
    except DalembertError as error:
        record = failed(type(error).__name__, **error.parts, stage=stage)
    except Exception as error:  # whatever a case does, the others go on
        own = callable(task.ask) or callable(task.model) or stage == "keep"
        why, do = "this is a mistake of dalembert, not of yours", "report it with the model file"
        why, do = ("the function raised it", "correct the function") if own else (why, do)
        kind = type(error).__name__
        found = f"{kind}: {shown(str(error), 300)[1:-1]}"
        record = failed(kind, f"case {shown(dict(values))}", found, why, do, stage=stage)
    return {**record, "seconds": round(time.perf_counter() - begun, 6)}


def failed(kind: str, asked: str, found: str, why: str, do: str, **more: Any) -> Record:
    """Record of a case that failed: the kind of its error, and its four parts."""
    failure = {"kind": kind, "asked": asked, "found": found, "why": why, "do": do}
    return {"failure": failure, "status": "failed", "seconds": 0.0, **more}


def analysed(task: Task, model: Mechanism | Lagrangian) -> Any:
    """Result of the analysis that a task asks for."""
    options = dict(task.options)
    if callable(task.ask):
        return _whole(task.ask(model, **options))
    if task.ask in ("modes", "linearize"):
        state = {"state": _resting(model)} if task.ask == "modes" else {}
        return function_of("linearize")(model, **{**state, **options})
    if task.ask == "simulate":
        # a failed audit becomes the status of the case instead of a warning
        options = {"audit": False, **options}
    return _whole(ask(task.ask, model, options, **({"progress": False} if task.ask in MOTIONS else {})))


def _resting(model: Mechanism | Lagrangian) -> Any:
    """The equilibrium whose modes are asked for: the first, which is stable if any is."""
    from ..analyses.equilibrium import equilibrium

    found = equilibrium(model)
    if not len(found):
        asked = f"modes of {model.name!r}"
        raise MethodError(asked, "no equilibrium", "modes are small motions about one", "ask for 'linearize' instead")
    return found[0]


def _whole(result: Any) -> Any:
    """A run that was interrupted from the keyboard is no result of a case."""
    if getattr(getattr(result, "trace", None), "interrupted", False):
        raise KeyboardInterrupt
    return result


def _kept(task: Task, model: Mechanism | Lagrangian, result: Any) -> tuple[dict[str, Any], dict[str, str]]:
    if callable(task.ask) and isinstance(result, Mapping) and task.keep is None:
        return {str(key): _plain(str(key), x) for key, x in result.items()}, {}
    # results of a function are those of the verb that they look like
    kinds = {"Equilibria": "equilibrium", "Linearization": "modes", "Reactions": "reactions"}
    like = next((kinds[c.__name__] for c in type(result).__mro__ if c.__name__ in kinds), "simulate")
    verb = task.ask if isinstance(task.ask, str) else like
    if callable(task.ask) and task.keep is None and not hasattr(result, "t"):
        return {"value": _plain("value", result)}, {}
    keep = summary(getattr(result, "model", model), verb) if task.keep is None else task.keep
    kept, units = {}, {}
    for name, what in keep.items():
        x, units[name] = value_of(result, what, verb)
        kept[name] = _plain(name, x)
    return kept, units


def _plain(name: str, x: Any) -> Any:
    """Number, text, flag or nested lists of numbers: what a line of JSON holds."""
    if isinstance(x, np.ndarray | np.generic):
        x = np.asarray(x).tolist()
    if isinstance(x, bool | int | float | str) or x is None:
        return x
    if isinstance(x, list | tuple):
        return [_plain(name, item) for item in x]
    found = f"{name} = {shown(x)} of type {type(x).__name__}"
    do = "return one of these, or a dict of them"
    raise MethodError(f"keep {name!r}", found, "numbers, texts and arrays can be kept of a case", do)
