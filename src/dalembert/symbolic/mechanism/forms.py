"""Equations of a mechanism to read: M, Phi, Phi_q, gamma, Q as SymPy matrices, text, LaTeX, a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MethodError
from ...model.mechanism import Mechanism
from ..derivation import plain
from ..export.numpy import evaluators
from ..functions import Functions, lagrangian_functions, matrices, symbols_of, written_size
from ..printing import latex
from ..sheet import Equation, Section, Sheet, line, write_page
from ..simplify import tidied
from ..symbols import need_sympy
from .convert import ABSOLUTE, MINIMAL, Conversion, converted
from .written import Written, written

# operations written out: beyond the first SymPy takes minutes and nobody reads the result, beyond the second its numbers take seconds
LARGEST = 1_000_000
SMALL = 60_000


@dataclass(frozen=True, eq=False, repr=False)
class MechanismEquations:
    """M a + J^T lam = Q, J a = gamma of a mechanism, written out for all states.

    In the text x' is the rate and x'' the acceleration of x, and SymPy symbols have the same names.  In space absolute coordinates are
    mass centres and Euler parameters e0 … e3, velocities are r' and the angular velocity w in body axes.

    Attributes
    ----------
    model, form
        The mechanism, and "absolute" or "minimal".
    functions
        The formulas as a graph, from which code can be written.
    remarks
        What a reader must know.
    """

    model: Mechanism
    form: str
    functions: Functions
    remarks: tuple[str, ...]
    source: Written | Conversion

    # -- matrices ------------------------------------------------------------------------------------------------------------

    @cached_property
    def _made(self) -> dict[str, Any]:
        """All matrices as they come out of the derivation."""
        return matrices(self.functions, self.functions.results)

    @cached_property
    def _tidy(self) -> dict[str, Any]:
        """Those that were asked for, in a form to read."""
        return {}

    def _matrix(self, name: str) -> Any:
        if name not in self._tidy:
            self._tidy[name] = tidied(self._made[name])
        return self._tidy[name]

    @property
    def M(self) -> Any:
        """Mass matrix."""
        return self._matrix("M")

    @property
    def Q(self) -> Any:
        """Right side of M a + J^T lam = Q: weights, force laws, and all terms with products of velocities."""
        return self._matrix("f")

    @property
    def phi(self) -> Any:
        """Rows Phi, which are zero."""
        return self._matrix("phi")

    @property
    def J(self) -> Any:
        """Jacobian Phi_q of the rows, by velocities."""
        return self._matrix("J")

    @property
    def nu(self) -> Any:
        """Right side of J v = nu."""
        return self._matrix("nu")

    @property
    def gamma(self) -> Any:
        """Right side of J a = gamma."""
        return self._matrix("gamma")

    # -- symbols -------------------------------------------------------------------------------------------------------------

    @cached_property
    def symbols(self) -> dict[str, Any]:
        """Symbols of parameters, t, coordinates and velocities by their names in expressions."""
        return symbols_of(self.functions)

    @property
    def q(self) -> list[Any]:
        """Coordinates."""
        return [self.symbols[x] for x in self.functions.q]

    @property
    def v(self) -> list[Any]:
        """Velocities."""
        return [self.symbols[x] for x in self.functions.v]

    @cached_property
    def a(self) -> list[Any]:
        """Accelerations."""
        import sympy as sp

        return [sp.Symbol(f"{x.name}'", real=True) for x in self.v]

    @cached_property
    def lam(self) -> list[Any]:
        """Multipliers."""
        import sympy as sp

        return [sp.Symbol(f"lam_{plain(name)}", real=True) for name in self.row_names]

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows."""
        return self.functions.rows

    # -- to read -------------------------------------------------------------------------------------------------------------

    @cached_property
    def _lines(self) -> tuple[tuple[Equation, ...], tuple[Equation, ...]]:
        factors = (*self.a, *self.lam)
        motion = tuple(
            Equation((*self.M[k, :], *self.J[:, k]), self.Q[k], factors) for k in range(self.M.rows)
        )  # fmt: skip
        rows = tuple(Equation(tuple(self.J[r, :]), self.gamma[r], tuple(self.a)) for r in range(self.J.rows))
        return motion, rows

    @property
    def equations(self) -> list[Any]:
        """Equations of motion and of the rows as SymPy equalities."""
        return [x.sympy for part in self._lines for x in part]

    @cached_property
    def sheet(self) -> Sheet:
        """Title and sections."""
        motion, rows = self._lines
        where = "absolute coordinates" if self.form == ABSOLUTE else "joint coordinates"
        names = f"coordinates: {', '.join(map(str, self.q))}"
        lam = [f"{x.name}: {name}" for x, name in zip(self.lam, self.row_names)]
        held = tuple(line(x, 0) for x in self.phi if x != 0)
        return Sheet(f"equations of {self.model.name!r} in {where}", (
            Section("velocities", (), (names, f"velocities: {', '.join(x.name for x in self.v)}", *self.remarks)),
            Section("M a + J^T lam = Q", motion, tuple(lam)),
            Section("constraints Phi = 0", held),
            Section("J a = gamma", rows),
        ))  # fmt: skip

    def __str__(self) -> str:
        return self.sheet.text()

    __repr__ = __str__

    def latex(self, what: str | None = None) -> str:
        """LaTeX of all equations, or of one matrix: "M", "Q", "phi", "J", "nu", "gamma"."""
        if what is None:
            return self.sheet.latex()
        if what not in ("M", "Q", "phi", "J", "nu", "gamma"):
            raise MethodError(
                f"latex of {self.model.name!r}", f"what = {what!r}", "it is none of the matrices",
                "use 'M', 'Q', 'phi', 'J', 'nu' or 'gamma'",
            )  # fmt: skip
        return latex(getattr(self, what))

    def to_html(self, path: str | Path | None = None) -> str:
        """Section of a page; with a path, a whole page is written there as well."""
        section = self.sheet.html()
        if path is not None:
            write_page(path, f"equations of {self.model.name}", [section])
        return section

    # -- numbers -------------------------------------------------------------------------------------------------------------

    @cached_property
    def size(self) -> int:
        """Number of operations when everything is written out."""
        return written_size(self.functions)

    @cached_property
    def _numbers(self) -> Callable[..., list[Any]]:
        import sympy as sp

        tables: dict[str, Any] = {}
        for spline in self.functions.graph.splines:
            for order in range(4):
                tables[f"{spline.name}{'_d' * order}"] = lambda x, s=spline, k=order: s.value(float(x), k)
        parameters = [self.symbols[x] for x in self.functions.parameters]
        found = list(self._made.values())
        return sp.lambdify(  # type: ignore[no-any-return]
            [self.symbols["t"], self.q, self.v, parameters], found, modules=[tables, "numpy"], cse=True
        )

    @cached_property
    def _calls(self) -> dict[str, Callable[..., Any]]:
        return evaluators(self.functions, list(self.functions.results))

    def numbers(self, t: float, q: Any, v: Any) -> dict[str, np.ndarray]:
        """All matrices at a state, with the present parameters of the mechanism; Q under its own name.

        They are the SymPy matrices in numbers; where these are large, the functions that they are made from.
        """
        p = [self.model.parameters[x] for x in self.functions.parameters]
        with np.errstate(all="ignore"):
            if self.size <= SMALL:
                values = self._numbers(float(t), list(map(float, q)), list(map(float, v)), p)
            else:
                values = [call(t, q, v, p) for call in self._calls.values()]
        found = {}
        for (name, result), x in zip(self.functions.results.items(), values):
            found["Q" if name == "f" else name] = np.array(x, dtype=float).reshape(result.shape)
        return found


def mechanism_equations(model: Mechanism, form: str, asked: str, readable: bool = True) -> MechanismEquations:
    """Equations of a mechanism in absolute or joint coordinates; `readable` refuses what is too long to be written out."""
    need_sympy(asked)
    source: Written | Conversion
    if form == MINIMAL:
        source = converted(model)
        functions, remarks = lagrangian_functions(source.lagrangian, asked, MINIMAL), tuple(tree_words(source))
    else:
        source = written(model)
        functions, remarks = source.functions, source.remarks
    made = MechanismEquations(model, form, functions, remarks, source)
    if readable and made.size > LARGEST:
        raise MethodError(
            asked, f"{len(functions.q)} coordinates and {made.size:.2g} operations", "formulas of this size cannot be read",
            "use the arrays of da.equations(m), da.export(m, language='numpy'), or another form; none of them is written out",
        )  # fmt: skip
    return made


def tree_words(source: Conversion) -> list[str]:
    """The spanning tree in words."""
    made, found = source.coordinates, []
    for step in made.steps:
        how = "free" if step.joint is None else f"joint {step.joint.name!r} from {step.parent.name!r}"
        found.append(f"{step.body.name!r}: {how}")
    tree = {step.joint.name for step in made.steps if step.joint is not None}
    closing = [j.name for j in made.model.parts("joint") if j.name not in tree]
    words = [f"tree: {'; '.join(found)}"]
    return [*words, f"rows of {', '.join(map(repr, closing))}"] if closing else words
