"""Equations of a mechanism to read: M, Phi, Phi_q, gamma, Q as SymPy matrices, text, LaTeX, a page; and its variational equation.

In absolute coordinates, with the virtual work of every force element by its name, this is

plane   δq.(M q'' - Q) = 0              Phi_q δq = 0                      PLANAR 6.1.18, 6.2.5, 6.3.3, 6.3.5
space   δr.(m r'' - F) + δπ.(J' w'' + w' x J' w' - n') = 0     Phi_r δr + Pi δπ = 0     SPATIAL (1); δπ: virtual rotation, body axes
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...derived import Derived
from ...errors import MethodError
from ...model.body import Body
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from .. import sp
from ..derivation import derive, plain
from ..export.numpy import evaluators
from ..functions import Functions, lagrangian_functions, matrices, symbols_of, written_size
from ..one_sided import with_named_stops
from ..printing import latex
from ..sheet import Equation, OnSheet, Section, Sheet, line, named
from ..simplify import tidied, tidy
from ..symbols import Symbols, formula, need_sympy, spline_numbers
from ..theory_parts import Moving, TheoryParts, moving_parts
from ..virtual_loads import ByLoads, LoadWork, load_work, variation
from .convert import ABSOLUTE, MINIMAL, Conversion, converted, g_matrix
from .drawing import SymbolicDrawing, expression
from .written import Written, written

# operations written out: beyond the first SymPy takes minutes and nobody reads the result, beyond the second its numbers take seconds
LARGEST = 1_000_000
SMALL = 60_000


@dataclass(frozen=True, eq=False, repr=False)
class MechanismEquations(TheoryParts, OnSheet, Derived):
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

    M = formula("Mass matrix.", lambda e: tidied(e._made["M"]))
    Q = formula(
        "Right side of M a + J^T lam = Q: weights, force laws, and all terms with products of velocities.",
        lambda e: tidied(e._made["f"]),
    )
    phi = formula("Rows Phi, which are zero.", lambda e: tidied(e._made["phi"]))
    J = formula("Jacobian Phi_q of the rows, by velocities.", lambda e: tidied(e._made["J"]))
    jac = property(lambda e: e.J, doc="The same as `J`.")
    nu = formula("Right side of J v = nu.", lambda e: tidied(e._made["nu"]))
    gamma = formula("Right side of J a = gamma.", lambda e: tidied(e._made["gamma"]))

    # -- symbols -------------------------------------------------------------------------------------------------------------

    @cached_property
    def symbols(self) -> dict[str, Any]:
        """Symbols of parameters, t, coordinates and velocities by their names in expressions."""
        return symbols_of(self.functions)

    q = formula("Coordinates.", lambda e: [e.symbols[x] for x in e.functions.q])
    v = formula("Velocities.", lambda e: [e.symbols[x] for x in e.functions.v])
    a = formula("Accelerations.", lambda e: [sp.Symbol(f"{x.name}'", real=True) for x in e.v])
    lam = formula("Multipliers.", lambda e: [sp.Symbol(f"lam_{plain(name)}", real=True) for name in e.row_names])

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows."""
        return self.functions.rows

    # -- parts of the theory -------------------------------------------------------------------------------------------------

    @cached_property
    def _bodies(self) -> dict[str, Moving]:
        """Bodies; in absolute coordinates their velocities are those of the equations."""
        if isinstance(self.source, Conversion):
            return moving_parts(self.source.lagrangian, Symbols(self.source.lagrangian.q))
        s, found, q, v, plane = Symbols(()), {}, iter(self.q), iter(self.v), self.model.plane
        for body in self.model.bodies:
            pose = self.source.coordinates.poses[body]
            matter = self.source.coordinates.drawing.poses[body].matter
            position, velocity = (sp.Matrix([next(x), next(x), 0 if plane else next(x)]) for x in (q, v))
            if body.particle:
                found[body.name] = Moving(position, velocity)
                continue
            for _ in range(1 if plane else 4):
                next(q)
            w = sp.Matrix([0, 0, next(v)] if plane else [next(v) for _ in range(3)])
            A, J = s.matrix(pose.rotation), s.matrix(matter.inertia)
            found[body.name] = Moving(position, velocity, A, w, J)
        return found

    def _moving(self) -> dict[str, Moving]:
        return self._bodies

    def _rate(self, x: Any) -> Any:
        if isinstance(self.source, Conversion):
            return x.applyfunc(Symbols(self.source.lagrangian.q).total_rate)
        return x.xreplace(dict(zip(self.v, self.a)))  # velocities and spins are symbols

    @property
    def _drawing(self) -> SymbolicDrawing:
        """Poses of all bodies as drawn."""
        return self.source.coordinates.drawing

    def _speeds(self) -> list[Any]:
        return self.v

    @property
    def N(self) -> Any:
        """N(q) of q' = N v: one where velocities are rates; in space p' = G^T w/2 for the Euler parameters of every body."""
        if isinstance(self.source, Conversion) or self.model.plane:
            return sp.eye(len(self.q))
        blocks, s = [], Symbols(())
        for body in self.model.bodies:
            p = self.source.coordinates.poses[body].parameters
            blocks += [sp.eye(3)] if p is None else [sp.eye(3), s.matrix(g_matrix(list(p))).T / 2]
        return sp.diag(*blocks)

    @cached_property
    def _columns(self) -> list[tuple[list[int], list[int]]]:
        """Places of the velocity and of the angular velocity of every body in v, in absolute coordinates."""
        if isinstance(self.source, Conversion):
            raise MethodError(
                f"equations of {self.model.name!r} in joint coordinates", "no columns of single bodies",
                "joint coordinates move several bodies at once", "ask for form='absolute' or 'variational'",
            )  # fmt: skip
        linear, turning, made, at = (2, 1, [], 0) if self.model.plane else (3, 3, [], 0)
        for body in self.model.bodies:
            middle = at + linear
            at = middle + (0 if body.particle else turning)
            made.append(([*range(middle - linear, middle)], [*range(middle, at)]))
        return made

    @property
    def Phi_r(self) -> Any:
        """Columns of J of the velocities of all mass centres, one body after the other: Phi_r r'' + Pi w'' = gamma (SPATIAL)."""
        return self.J[:, [k for linear, _ in self._columns for k in linear]]

    @property
    def Pi(self) -> Any:
        """Columns of J of the angular velocities of all bodies in their axes; of their angles in the plane."""
        return self.J[:, [k for _, turning in self._columns for k in turning]]

    @property
    def Phi_q(self) -> Any:
        """Jacobian by the coordinates (r, p): J with w = 2 G p' of the Euler parameters p (BASICS 8.50); J in the plane.

        Derivatives of Phi by p differ from it by multiples of p^T, as formulas with p^T p = 1 may; along p^T δp = 0 all are the same.
        """
        scale = [1] * len(self.v)
        for _, turning in () if self.model.plane else self._columns:
            for k in turning:
                scale[k] = 4  # N = G^T/2 there
        return tidied(self.J * sp.diag(*scale) * self.N.T)

    @property
    def b(self) -> Any:
        """Velocity terms b of M a + b = g of free bodies (BASICS 8.35): zero and w' x J'w'; of joint coordinates d/dt dT/dq' - dT/dq - M q''."""
        if isinstance(self.source, Conversion):
            return self._derived.h
        made: list[Any] = []
        for name, part in self._bodies.items():
            made += [0, 0] if self.model.plane else [0, 0, 0]
            if part.rotation is not None:
                made += [0] if self.model.plane else list(self.gyroscopic(name))
        return sp.Matrix(made)

    @cached_property
    def _derived(self) -> Any:
        assert isinstance(self.source, Conversion)
        return derive(self.source.lagrangian, f"equations of {self.model.name!r}")

    @property
    def active_force(self) -> Any:
        """Generalized active force phi: of everything but reactions and inertia (LAGRANGE 1.5.11)."""
        return tidied(self.Q + self.b)

    @property
    def inertia_force(self) -> Any:
        """Generalized inertia force phi* = -(M a + b); phi + phi* = J^T lam (LAGRANGE 1.5.16)."""
        return tidied(-(self.M * sp.Matrix(self.a) + self.b))

    @property
    def power(self) -> Any:
        """Power phi.v of the generalized active force."""
        return tidy((self.active_force.T * sp.Matrix(self.v))[0])

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
    def sheet(self) -> Sheet:  # type: ignore[override]
        """Title and sections."""
        motion, rows = self._lines
        where = "absolute coordinates" if self.form == ABSOLUTE else "joint coordinates"
        names = f"coordinates: {named(map(str, self.q))}"
        lam = [f"${x.name}$: {name}" for x, name in zip(self.lam, self.row_names)]
        held = tuple(line(x, 0) for x in self.phi if x != 0)
        sheet = Sheet(f"equations of {self.model.name!r} in {where}", (
            Section("velocities", (), (names, f"velocities: {named(x.name for x in self.v)}", *self.remarks)),
            Section("$M a + J^T lam = Q$", motion, tuple(lam)),
            Section("constraints $Phi = 0$", held),
            Section("$J a = gamma$", rows),
        ))  # fmt: skip
        return with_named_stops(sheet, self.source.laws, Symbols(self.functions.q))

    def latex(self, what: str | None = None) -> str:
        """LaTeX of all equations, or of one matrix: "M", "Q", "phi", "J", "nu", "gamma"."""
        if what is None:
            return super().latex()
        if what not in ("M", "Q", "phi", "J", "jac", "nu", "gamma"):
            raise MethodError(
                f"latex of {self.model.name!r}", f"what = {what!r}", "it is none of the matrices",
                "use 'M', 'Q', 'phi', 'J', 'nu' or 'gamma'",
            )  # fmt: skip
        return latex(getattr(self, what))

    # -- numbers -------------------------------------------------------------------------------------------------------------

    @cached_property
    def size(self) -> int:
        """Number of operations when everything is written out."""
        return written_size(self.functions)

    @cached_property
    def _numbers(self) -> Callable[..., list[Any]]:
        tables = spline_numbers(self.functions.graph.splines)
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
        p = list({**self.functions.parameters, **self.model.parameters}.values())
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
    closing = [j.name for j in made.model.at_work("joint") if j.name not in tree]
    words = [f"tree: {'; '.join(found)}"]
    return [*words, f"rows of {', '.join(map(repr, closing))}"] if closing else words


_LETTERS = {"velocity": "r_", "spin": "π_"}  # virtual displacements of points, virtual rotations


@dataclass(frozen=True, eq=False, repr=False)
class MechanismVariational(ByLoads, MechanismEquations):
    """Variational equation of a mechanism in absolute coordinates.

    `brackets` are M a - Q, which multiply `variations`: δx, δy, δphi of every body in the plane, δx, δy, δz and the virtual rotation δπ in
    its axes in space.  `virtual_work["S"]` is δW of a force element, `virtual_displacements` the δr, δπ and δl in it, `generalized("S")` its
    generalized force; weights are "weight of bar".
    """

    @cached_property
    def variations(self) -> tuple[Any, ...]:  # type: ignore[override]
        """Symbols of the virtual displacements, one for each velocity."""
        # rate(x_bar), and wx_bar of what turns
        return tuple(variation(x[5:-1] if x.startswith("rate(") else f"π_{x[1:]}") for x in self.functions.v)

    @cached_property
    def brackets(self) -> Any:
        """M a - Q, which is zero along every displacement that the joints allow."""
        return self.M * sp.Matrix(self.a) - self.Q

    @cached_property
    def works(self) -> tuple[LoadWork, ...]:  # type: ignore[override]
        """Virtual work of every load."""
        return tuple(x for x in self._works() if x is not None)

    def _works(self) -> Iterator[LoadWork | None]:
        source = self.source
        assert isinstance(source, Written)
        names = list(dict.fromkeys(law.part for law in source.laws))
        for name in names:
            own = [k for k, law in enumerate(source.laws) if law.part == name]
            force = [-self._made["law"][k] for k in own]
            rows = [self._made["law_rows"][k, :] for k in own]
            yield load_work(name, force, [_moved(source.laws[k].measure) for k in own], rows)
        s, one_each = Symbols(()), sp.eye(len(self.variations)).tolist()
        for body, (linear, _) in zip(self.model.bodies, self._columns):
            mass = s.of(source.coordinates.drawing.poses[body].matter.mass)
            force = [mass * s.of(expression(x)) for x in self.model.gravity[: len(linear)]]
            rows = [one_each[k] for k in linear]
            yield load_work(f"weight of {body.name}", force, [self.variations[k] for k in linear], rows)

    def wrenches(self, load: Any, bodies: Iterable[str]) -> dict[str, tuple[Any, Any, Any]]:
        """Force of a load in space and in body axes, and moment about the mass centre in body axes, of bodies."""
        Q, found = self.generalized(load), {}
        for body, (linear, turning) in zip(self.model.bodies, self._columns):
            if body.name in bodies:
                force = sp.Matrix([*(Q[k] for k in linear), 0][:3])
                moment = sp.Matrix([0, 0, *(Q[k] for k in turning)][-3:])
                own = self._bodies[body.name].rotation.T * force
                found[body.name] = force, self._of_unit(body, own), self._of_unit(body, moment)
        return found

    def _of_unit(self, body: Body, x: Any) -> Any:
        """Polynomials of Euler parameters with p^T p = 1."""
        p = [Symbols(()).of(e) for e in self.source.coordinates.poses[body].parameters or ()]
        norm = sum((e**2 for e in p), sp.S.NegativeOne)
        return x.applyfunc(lambda y: sp.rem(y, norm, p[0]) if p and y.is_polynomial(*p) else y)

    # -- to read -------------------------------------------------------------------------------------------------------------

    @cached_property
    def _lines(self) -> tuple[tuple[Equation, ...], tuple[Equation, ...]]:
        allowed = tuple(Equation(tuple(self.J[r, :]), sp.S.Zero, self.variations) for r in range(self.J.rows))
        return (Equation(tuple(self.brackets), sp.S.Zero, self.variations),), allowed

    @property
    def admissible(self) -> list[Any]:
        """Phi_q δq = 0 as equalities."""
        return [x.sympy for x in self._lines[1]]

    @cached_property
    def sheet(self) -> Sheet:  # type: ignore[override]
        """Title and sections."""
        motion, allowed = self._lines
        words = "" if self.model.plane else "; $δπ$: virtual rotation, body axes"
        held = tuple(line(x, 0) for x in self.phi if x != 0)
        whole = " for all $δq$" + (" that the joints allow" if allowed else "")
        return Sheet(f"variational equation of motion of {self.model.name!r}", (
            Section("absolute coordinates", (), (f"$δq$: {named(x.name for x in self.variations)}{words}", *self.remarks)),
            *self._load_sections(),
            Section(f"$δq.(M q'' - Q) = 0${whole}", motion),
            Section("they allow $Phi_q δq = 0$" if self.model.plane else "they allow $Phi_r δr + Pi δπ = 0$", allowed),
            Section("constraints $Phi = 0$", held),
        ))  # fmt: skip


def _moved(measure: Measure) -> Any:
    """Virtual displacement of a measure under a law: δr_F_x, δπ_T_z, δS_length."""
    return variation(_LETTERS.get(measure.kind, "") + plain(measure.name))


def mechanism_variational(model: Mechanism, asked: str) -> MechanismVariational:
    """Variational equation of a mechanism."""
    made = mechanism_equations(model, ABSOLUTE, asked)
    return MechanismVariational(model, "variational", made.functions, made.remarks, made.source)
