"""compare: all forms of the equations of one system, checked against each other at random states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from ..errors import DalembertError, checked_call
from ..model.lagrangian import Lagrangian
from .derivation import derive, random_states, shared
from .forms import FORMS, read_model
from .forms.base import Form
from .forms.independent import Reduced
from .forms.lagrange import Lagrange
from .friction import slipping
from .sheet import Sheet, write_page

STEEPEST = 20.0  # rates of dependent coordinates per independent rate
TOLERANCE = 1e-9  # relative; solutions of linear systems of a few unknowns lose three or four digits


@dataclass(frozen=True)
class Difference:
    """Largest difference of one form from the reference, relative to the largest acceleration or multiplier there."""

    form: str
    accelerations: float
    multipliers: float | None
    where: str


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Forms of one system and how far they part.  `agree` is True when accelerations and multipliers are the same everywhere."""

    model: Lagrangian
    forms: dict[str, Form]
    left_out: dict[str, str]
    reference: str
    differences: tuple[Difference, ...]
    states: tuple[dict[str, float], ...] = field(default=())

    @property
    def agree(self) -> bool:
        """Whether all forms give the same accelerations and multipliers."""
        return bool(self.states) and all(
            max(x.accelerations, x.multipliers or 0.0) <= TOLERANCE for x in self.differences
        )

    @property
    def sheets(self) -> list[Sheet]:
        """The sheet of every form."""
        return [form.sheet for form in self.forms.values()]

    def __getitem__(self, form: str) -> Form:
        return self.forms[form]

    def __str__(self) -> str:
        verdict = "not compared, as no state was found at which all terms have values and all constraints hold"
        if self.states:
            verdict = f"they {'agree' if self.agree else 'DISAGREE'} at {len(self.states)} random states"
        lines = [f"forms of the equations of {self.model.name!r}: {verdict}"]
        wide = 2 + max(len(name) for name in ("form", *self.forms, *self.left_out))
        lines.append(f"  {'form':<{wide}}accelerations  multipliers   (relative difference from {self.reference!r})")
        for x in self.differences:
            lam = "-" if x.multipliers is None else f"{x.multipliers:.1e}"
            worst = max(x.accelerations, x.multipliers or 0.0)
            lines.append(
                f"  {x.form:<{wide}}{x.accelerations:<15.1e}{lam}" + (f"   at {x.where}" if worst > TOLERANCE else "")
            )
        lines += [f"  {name:<{wide}}left out: {why}" for name, why in self.left_out.items()]
        return "\n".join(lines)

    __repr__ = __str__

    def to_html(self, path: str | Path | None = None) -> str:
        """All forms one below the other as sections of a page; with a path, a whole page is written there as well."""
        sections = [f"<section><pre>{escape(str(self))}</pre></section>", *(sheet.html() for sheet in self.sheets)]
        if path is not None:
            write_page(path, f"equations of {self.model.name}", sections)
        return "\n".join(sections)


@checked_call
def compare(model: Lagrangian, states: int = 5, seed: int = 1) -> Comparison:
    """Write the equations of a Lagrangian system in all forms and compare them at random states.

    Parameters
    ----------
    model
        The system.
    states
        Number of random states; they satisfy the constraints.
    seed
        Seed of the random numbers.

    Returns
    -------
    Comparison
        `.agree`, `.forms` by name, `.differences`, and `.left_out` with the reason for each form that does not apply.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Lagrangian("theta", gravity=(0, "-g"), parameters={"m": 1.0, "l": 0.5, "g": 9.81}, name="pendulum")
    >>> bob = m.particle("bob", "m", at=("l*sin(theta)", "-l*cos(theta)"))
    >>> da.compare(m).agree
    True
    """
    model = slipping(read_model("compare", model))
    d = derive(model, f"compare({model.name!r})")
    forms: dict[str, Form] = {}
    left_out: dict[str, str] = {}
    reference = "multipliers"
    for name, make in FORMS.items():
        try:
            with shared(d):
                forms[name] = make(model)
        except DalembertError as error:
            if name == reference:
                raise
            left_out[name] = f"{error.found}: {error.why}"
    regular, lagrange = _regular(forms.get("reduced")), forms.get("lagrange")
    loops = lagrange if isinstance(lagrange, Lagrange) and lagrange.angles else None
    chosen = random_states(
        d, states, seed, lambda x: regular(x) and (loops is None or loops.closes(x)), None if loops is None else loops.closed
    )  # fmt: skip
    moving = [name for name in forms if name not in ("virtual-work", reference)]
    worst: dict[str, list[Any]] = {name: [0.0, None, "no state"] for name in moving}
    for values in chosen:
        expected = forms[reference].accelerations(values)
        for name in moving:
            found = forms[name].accelerations(values)
            a = _apart(found.accelerations, expected.accelerations)
            lam = _apart(found.multipliers, expected.multipliers) if found.multipliers else None
            if max(a, lam or 0.0) >= max(worst[name][0], worst[name][1] or 0.0):
                worst[name][2] = ", ".join(f"{x} = {values[x]:.4g}" for x in model.q)
            worst[name][0] = max(a, worst[name][0])
            worst[name][1] = lam if worst[name][1] is None else max(lam or 0.0, worst[name][1])
    differences = tuple(Difference(name, *x) for name, x in worst.items())
    return Comparison(model, forms, left_out, reference, differences, tuple(chosen))


def _regular(form: Form | None) -> Callable[[Mapping[str, float]], bool]:
    """Whether a state is far from positions where the independent coordinates lose their meaning, and rounding grows."""
    if not isinstance(form, Reduced):
        return lambda values: True
    evaluate = form.derivation.numbers(list(form.partition.S))
    return lambda values: max((abs(x) for x in evaluate(values)), default=0.0) < STEEPEST


def _apart(found: dict[str, float], expected: dict[str, float]) -> float:
    """Largest difference relative to the largest number."""
    scale = max((abs(b) for b in expected.values()), default=0.0)
    return float(max((abs(a - expected[k]) for k, a in found.items()), default=0.0) / max(scale, 1e-12))
