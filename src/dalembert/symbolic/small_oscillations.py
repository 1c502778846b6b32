"""small_oscillations: M x'' + C x' + K x = 0 of a Lagrangian system about a position of rest, with symbols.

With constraints x are the independent coordinates, and K = S^T d/dq(dV/dq - Q + J^T lam) S, lam being the multipliers at rest: a
constraint under load adds stiffness (a pendulum in x and y has its stiffness only from there).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError, SingularError, nearest, shown
from ..model.expression import as_expression
from ..model.lagrangian import Lagrangian
from ..options.call import verb
from . import sp
from .checks import check_smooth
from .derivation import Derivation, derive
from .forms import read_model
from .partition import partition
from .printing import text
from .sheet import Equation, OfLines, Section, Sheet, line, named
from .simplify import is_zero, tidied, tidy
from .symbols import need_sympy, slope

TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class SmallOscillations(OfLines):
    """Linear equations M x'' + C x' + K x = 0 of the departures x from a position of rest.

    `M`, `C`, `K` are SymPy matrices; C holds damping and gyroscopic terms; `names` the coordinates, `position` the place.  In `equations` the
    symbols x, x', x'' are departures from rest.
    """

    model: Lagrangian
    names: tuple[str, ...]
    position: dict[str, Any]
    M: Any
    C: Any
    K: Any
    lines: tuple[Equation, ...]
    sheet: Sheet
    derivation: Derivation

    def matrices(self, parameters: Mapping[str, float] | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, C, K in numbers."""
        values = dict.fromkeys([*self.derivation.names, *(f"rate({x})" for x in self.derivation.names), "t"], 0.0)
        values |= self.model.parameters | dict(parameters or {})
        n = len(self.names)
        numbers = np.array(self.derivation.numbers([*self.M, *self.C, *self.K])(values)).reshape(3, n, n)
        return numbers[0], numbers[1], numbers[2]

    def eigenvalues(self, parameters: Mapping[str, float] | None = None) -> np.ndarray:
        """Eigenvalues s of exp(s t) motions, by growing imaginary part; +-i w for undamped oscillations."""
        M, C, K = self.matrices(parameters)
        n = len(M)
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
        found = np.linalg.eigvals(A)
        return np.asarray(found[np.lexsort((found.real, found.imag))])


@verb
def small_oscillations(
    model: Lagrangian, about: Mapping[str, Any] | None = None, independent: Sequence[str] | None = None
) -> SmallOscillations:
    """Linear equations about a position of rest.

    Parameters
    ----------
    model
        The system.
    about
        Position by coordinate: numbers or expressions of parameters; coordinates that are not named are zero.
    independent
        With constraints: coordinates in which the motion is described; default: chosen automatically.

    Returns
    -------
    SmallOscillations
        Symbolic M, C, K, the equations, `.eigenvalues()` in numbers.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Lagrangian("theta", kinetic="m*l**2*rate(theta)**2/2", potential="-m*g*l*cos(theta)",
    ...                   parameters={"m": 1.0, "l": 0.5, "g": 9.81}, name="pendulum")
    >>> da.small_oscillations(m, about={"theta": 0}).K
    Matrix([[g*l*m]])
    """
    read_model("small_oscillations", model)
    asked = f"small_oscillations({model.name!r}, about={shown(about, 60)})"
    need_sympy(asked)
    d = derive(model, asked)
    s = d.symbols
    place = _read_place(d, asked, about)
    at = dict(zip(s.q, place.values())) | dict.fromkeys(s.v, sp.S.Zero)
    if any(x.has(s.t) for x in (d.T, d.V, d.D, *d.Q, *d.phi, *d.J)) or any(not is_zero(x) for x in d.nu):
        raise ModelError(
            asked, "expressions that contain t",
            "a driven system has no position of rest", "fix t: give it as a parameter",
        )  # fmt: skip

    def here(x: Any) -> Any:
        return tidy(x.subs(at, simultaneous=True))

    force = d.dV + d.dD - d.Q + d.h  # h at rest: relative rest in a turning frame
    p = partition(d, asked, independent)
    S = p.S.applyfunc(here)
    if S.has(sp.zoo, sp.nan, sp.oo):
        raise SingularError(
            asked, f"independent coordinates {', '.join(p.independent)}", "there the rows do not determine the others", "choose others with independent="
        )  # fmt: skip
    _check_rest(d, asked, place, force.applyfunc(here), S, here)
    lam = _multipliers(d, p, force, here)
    held = force + (d.J.T * lam if d.lam else 0 * force)
    K = tidied(S.T * sp.Matrix([[here(slope(x, q)) for q in s.q] for x in held]) * S)
    C = tidied(S.T * sp.Matrix([[here(slope(x, v)) for v in s.v] for x in force]) * S)
    M = tidied(S.T * d.M.applyfunc(here) * S)
    names = p.independent
    k = [d.names.index(x) for x in names]
    x, v, a = ([group[i] for i in k] for group in (s.q, s.v, s.a))
    lines = tuple(Equation((*M[i, :], *C[i, :], *K[i, :]), sp.S.Zero, (*a, *v, *x)) for i in range(len(names)))
    rest = Section("position of rest", tuple(line(q, y) for q, y in zip(s.q, place.values())))
    motion = Section(f"$M x'' + C x' + K x = 0$ for departures of {named(names)}", lines)
    sheet = Sheet(f"small oscillations of {model.name!r}", (rest, motion))
    return SmallOscillations(model, names, place, M, C, K, lines, sheet, d)


def _read_place(d: Derivation, asked: str, about: Mapping[str, Any] | None) -> dict[str, Any]:
    if about is not None and not isinstance(about, Mapping):
        found = f"about = {shown(about)}"
        raise ModelError(asked, found, "values by name of coordinate are needed", "give about={'theta': 0}")
    given = dict(about or {})
    for name in given:
        if name not in d.names:
            raise ModelError(asked, f"the name {shown(name)}", "it is no coordinate", nearest(name, d.names))
    known = list(d.model.parameters)
    return {x: d.symbols.of(as_expression(given.get(x, 0), known=known, asked=asked)) for x in d.names}


def _check_rest(d: Derivation, asked: str, place: dict[str, Any], force: Any, S: Any, here: Any) -> None:
    """The rows hold and no force is left over; in symbols, or at least for the parameters given."""
    values = d.model.parameters | dict.fromkeys((f"rate({x})" for x in d.names), 0.0) | {"t": 0.0}
    check_smooth(
        d.model, values | dict(zip(d.names, d.numbers(list(place.values()))(values | dict.fromkeys(d.names, 0.0))))
    )
    parts = {f"the row {name!r}": here(x) for name, x in zip(d.model.holonomic, d.phi)}
    left = S.T * force
    parts |= {f"the force along displacement {k + 1}": x for k, x in enumerate(left)}
    values |= dict.fromkeys(d.names, 0.0)
    scale = max([1.0, *(abs(x) for x in d.numbers(list(force))(values))])
    for what, x in parts.items():
        if is_zero(x):
            continue
        number = d.numbers([x])(values)[0]
        if abs(number) > TOLERANCE * scale:
            where = ", ".join(f"{name} = {text(y)}" for name, y in place.items())
            raise ModelError(
                asked, f"{what} is {text(x)} = {number:.6g} at {where}", "this is no position of rest",
                "give about= a position at which equations(model, form='virtual-work') hold",
            )  # fmt: skip


def _multipliers(d: Derivation, p: Any, force: Any, here: Any) -> Any:
    """Multipliers at rest, from the rows of the dependent coordinates: A_m^T lam = -force_m."""
    if not d.lam:
        return sp.zeros(0, 1)
    # W = A_m^-1 in the order of the rows
    W = p.inverse[:, len(p.u) :].applyfunc(here)
    return tidied(-(W.T * force.applyfunc(here)))
