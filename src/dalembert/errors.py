"""Typed errors. Every message has four parts: what was asked, what was found, why it is wrong, what to do.

All errors derive from `DalembertError`; catching that one catches everything this package raises on purpose.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class DalembertError(Exception):
    """Base of all errors of the package.

    Parameters
    ----------
    asked
        What the user asked for, with the name of the part ("revolute 'A' between 'crank' and 'rod'").
    found
        What was found, with names and numbers.
    why
        Why that is wrong.
    do
        What to do next.
    """

    def __init__(self, asked: str, found: str, why: str, do: str) -> None:
        self.asked, self.found, self.why, self.do = asked, found, why, do
        super().__init__(asked, found, why, do)

    @property
    def parts(self) -> dict[str, str]:
        """The four parts by name."""
        return {"asked": self.asked, "found": self.found, "why": self.why, "do": self.do}

    def restate(self, words: Callable[[str], str]) -> None:
        """Replace what was found, and why that is wrong, by the same in other words: in the units of the model."""
        self.found, self.why = words(self.found), words(self.why)
        self.args = self.asked, self.found, self.why, self.do

    def __str__(self) -> str:
        return f"{self.asked}\n  found: {self.found}\n  why:   {self.why}\n  do:    {self.do}"


class ModelError(DalembertError):
    """The description of the mechanism is wrong: a name, a number, a shape, a connection."""


class ExpressionError(ModelError):
    """A text expression cannot be read or evaluated; the message shows the position."""


class ModelFileError(ModelError):
    """A model file cannot be read; `lines` holds all its problems, each as "file:line: path: what was found"."""

    lines: tuple[str, ...] = ()

    @classmethod
    def of(cls, file: str, lines: Iterable[str]) -> ModelFileError:
        """Error of a file with these problems."""
        told = tuple(lines)
        found = told[0] if len(told) == 1 else f"{len(told)} problems\n" + "\n".join(told)
        made = cls(f"reading the model file {file}", found, "the file does not describe a model", "correct these lines")
        made.lines = told
        return made


class AssemblyError(DalembertError):
    """Positions or velocities that satisfy all constraints were not found."""


class SingularError(DalembertError):
    """The equations of motion have no unique acceleration: some body can move without inertia, or friction raises its own reaction (Painlevé's paradox, jamming).

    Attributes
    ----------
    t
        When; None where no time belongs to it.
    result
        The motion up to there; None where there is none.
    """

    t: float | None = None
    result: Any = None


class SingularPositionError(SingularError):
    """The drivers do not determine the motion any further.

    Attributes
    ----------
    kind
        "lock-up" or "branching".
    t, state
        When, and the pose there.
    joints
        Joints and drivers whose rows depend on each other there.
    result
        The motion up to there.
    """

    kind: str
    t: float
    state: Any  # a State
    joints: tuple[str, ...]


class ConvergenceError(DalembertError):
    """The time integration cannot go on.

    Attributes
    ----------
    kind
        "lock-up" where a driver pushes beyond the last position that the lengths allow, else "stopped".
    t
        When; None where no time belongs to it.
    result
        The motion up to there, with `status` "incomplete"; None where there is none.
    """

    kind: str = "stopped"
    t: float | None = None
    result: Any = None


class ResidualError(ConvergenceError):
    """An answer does not satisfy the equations that it was solved from; it is not returned."""


class MethodError(DalembertError):
    """A wrong or incompatible option of a method: tolerances, times, integrator names."""


def shown(x: object, limit: int = 120) -> str:
    """Short text of anything a user may have given: one line, of limited length, whatever its own `repr` does."""
    try:
        text = " ".join(repr(x).split())
    except Exception:  # a repr may fail in any way; the message must not
        text = f"an object of type {type(x).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


class UnknownAttributeError(ModelError, AttributeError):
    """An attribute that does not exist; also an AttributeError, so that Python's own look-ups work.

    `hasattr` and `getattr` with a default raise and drop it, so the names there are, and which is nearest, are looked up when someone reads it.
    """

    def __init__(self, asked: str, found: str, why: str, do: str, x: object = None, name: str = "") -> None:
        super().__init__(asked, found, why, do)
        self._told, self._of, self._name = why, type(x), name

    def __reduce__(self) -> Any:
        return type(self), (self.asked, self.found, self.why, self.do)

    @property
    def why(self) -> str:
        """Names there are, and the nearest."""
        if not self._told:
            words = [word for word in dir(self._of) if not word.startswith("_")]
            fields = [word for word in getattr(self._of, "__dataclass_fields__", ()) if not word.startswith("_")]
            self._told = nearest(self._name, sorted({*words, *fields}))
        return self._told

    @why.setter
    def why(self, text: str) -> None:
        self._told = text


def unknown_attribute(x: object, what: str, name: str, do: str = "use one of these names") -> AttributeError:
    """Error about an attribute that x, called `what` in the message, does not have; private names are Python's own business."""
    if name.startswith("_"):
        return AttributeError(name)
    return UnknownAttributeError(f"{name!r} of {what}", "no such attribute", "", do, x, name)


# what people call things elsewhere, and what they are called here
MEANT = {
    "hinge": "revolute", "pin": "revolute", "pivot": "revolute", "bearing": "revolute", "slider": "prismatic", "slide": "prismatic",
    "translational": "prismatic", "ball": "spherical", "ball_joint": "spherical", "socket": "spherical", "weld": "fixed", "rigid": "fixed",
    "lock": "fixed", "link": "distance", "rod": "distance", "rope": "distance", "cardan": "universal", "hooke": "universal", "slot": "pin_in_slot",
    "cam": "constraint", "rolling": "rolling_disk", "wheel": "rolling_disk", "torsional_spring": "torsion_spring", "contact": "stop",
    "body": "bodies", "joint": "joints", "force": "forces", "driver": "drivers", "drive": "drivers", "motor": "drivers", "motors": "drivers",
    "parameter": "parameters", "params": "parameters", "param": "parameters", "table": "tables", "measure": "measures", "starts": "start",
    "initial": "start", "dynamics": "simulate", "modes": "linearize", "inverse": "inverse_dynamics",
}  # fmt: skip


def _meant(asked: str, known: dict[str, str]) -> list[str]:
    """The known name that a word stands for: of other programs, or a rate as people write it (th_dot, dth)."""
    word = MEANT.get(asked, "")
    if word in known:
        return [word]
    stems = [asked.removesuffix(end).rstrip("_") for end in ("_dot", "dot", "_d", "'") if asked.endswith(end)]
    rates = [f"rate({stem})" for stem in [*stems, *([asked[1:]] if asked.startswith("d") else [])]]
    return [rate for rate in rates if rate in known][:1] or [f"rate({s})" for s in stems if s in known][:1]


def nearest(name: object, known: Iterable[str], limit: int = 12) -> str:
    """Sentence that suggests the nearest known name and lists what there is."""
    names = list(dict.fromkeys(str(k) for k in known))
    if not names:
        return "there are none yet"
    asked = name[:200].lower() if isinstance(name, str) else shown(name)
    lower: dict[str, str] = {}
    for candidate in names:
        lower.setdefault(candidate.lower(), candidate)
    close = _meant(asked, lower) or difflib.get_close_matches(asked, lower, n=1, cutoff=0.5)
    listed = ", ".join(names[:limit]) + (f", … ({len(names)} in all)" if len(names) > limit else "")
    return (f"did you mean {lower.get(close[0], close[0])!r}? " if close else "") + f"known: {listed}"


def checked_call(function: Callable[P, R]) -> Callable[P, R]:
    """Function whose wrong or missing arguments are told like all other mistakes, with the nearest argument suggested.

    Arguments that nothing can be done with are refused before they are compared, hashed or shown: objects whose own `repr` fails, lists
    nested beyond any use, and arrays or foreign objects where a word is needed.
    """
    signature = inspect.signature(function)
    what = function.__qualname__.removesuffix(".__init__")
    for model in ("Mechanism.", "Model."):
        what = what.replace(model, "m.")
    own = int("self" in signature.parameters)
    kind = MethodError if ".analyses." in function.__module__ or ".results." in function.__module__ else ModelError
    words = {name for name, p in signature.parameters.items() if str(p.annotation) in _WORDS}
    fit, in_order = _fitting(signature), list(signature.parameters)

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        if fit is not None and fit(args, options):
            given = [*zip(in_order, args), *options.items()] if options else list(zip(in_order, args))
        else:
            try:
                given = list(signature.bind(*args, **options).arguments.items())
            except TypeError as mismatch:
                asked = f"{what}({', '.join(shown(x, 40) for x in args[own : own + 2])})"
                error = wrong_arguments(asked, what, signature, str(mismatch), options, own)
                raise kind(*error.args) from None
        for name, x in given[own:]:
            why = "" if type(x) in _HARMLESS else _unusable(x, name in words)
            if why:
                found = f"{name} = {shown(x)} of type {type(x).__name__}"
                do = f"give {name} as a text" if name in words else f"give {name} as described for {what}"
                raise kind(f"{what}(...)", found, why, do)
        return function(*args, **options)

    return call


def _fitting(signature: inspect.Signature) -> Callable[[tuple[Any, ...], dict[str, Any]], bool] | None:
    """Whether arguments fit a function without *args and **options; `inspect` takes longer to bind them than most calls take."""
    every = signature.parameters.values()
    if any(p.kind not in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) for p in every):
        return None
    in_order = [p.name for p in every if p.kind is p.POSITIONAL_OR_KEYWORD]
    known = frozenset(signature.parameters)
    needed = frozenset(p.name for p in every if p.default is p.empty)
    # by the number of arguments without a name: names that are taken by them, and names that are still needed
    taken = [frozenset(in_order[:n]) for n in range(len(in_order) + 1)]
    missing = [needed - names for names in taken]

    def fit(args: tuple[Any, ...], options: dict[str, Any]) -> bool:
        n = len(args)
        if n > len(in_order):
            return False
        if not options:
            return not missing[n]
        return known.issuperset(options) and taken[n].isdisjoint(options) and missing[n] <= options.keys()

    return fit


_HARMLESS = frozenset((str, int, float, bool, type(None)))
_WORDS = ("str", "str | None", "<class 'str'>")
_PLAIN = (str, bytes, int, float, complex, list, tuple, dict, set, frozenset, type(None))
_NESTED = (list, tuple, dict, set, frozenset)
_DEEPEST = 50  # nested lists


def _unusable(x: object, word: bool) -> str:
    if type(x) in _HARMLESS:
        return ""
    if word and not isinstance(x, _PLAIN) and _origin(x) not in ("dalembert", "sympy"):
        return "a text is needed here"
    if not isinstance(x, _NESTED) and _showable(x):
        return ""
    level, depth, seen = [x], 0, 0
    while level and seen < 1000:
        inner: list[object] = []
        for item in level[:1000]:
            if isinstance(item, dict):
                inner += list(item.values())[:1000]
            elif isinstance(item, list | tuple | set | frozenset):
                inner += list(item)[:1000]
            elif not isinstance(item, _PLAIN) and not _showable(item):
                return "the object cannot even be shown: its own repr fails"
        depth, seen, level = depth + 1, seen + len(level), inner
        if depth > _DEEPEST:
            return f"lists nested deeper than {_DEEPEST}"
    return ""


def _origin(x: object) -> str:
    """Package that an object comes from; functions of SymPy are classes without a module."""
    return str(type(x).__module__ or type(type(x)).__module__).partition(".")[0]


def _showable(x: object) -> bool:
    if _origin(x) in ("builtins", "numpy", "dalembert", "sympy", "scipy"):
        return True
    try:
        repr(x)
    except Exception:  # a repr may fail in any way
        return False
    return True


def wrong_arguments(
    asked: str, what: str, signature: inspect.Signature, found: str, options: Iterable[str], skip: int = 1
) -> ModelError:
    """Error of a call whose arguments do not fit; `skip` leading parameters are not shown."""
    known = [name for name, p in signature.parameters.items() if p.kind is not p.VAR_KEYWORD][skip:]
    unknown = [name for name in options if name not in known]
    if not unknown:
        return ModelError(asked, found, "the arguments do not fit", f"call {what}({', '.join(known)})")
    why = f"there is no such argument; {nearest(unknown[0], known, 30)}"
    return ModelError(asked, f"unknown argument {unknown[0]!r}", why, f"call {what}({', '.join(known)})")
