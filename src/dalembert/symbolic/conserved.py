"""conserved: constants of the motion of a Lagrangian system, found from the symmetries of L, of the forces and of the constraints.

Along a field of displacements w(q) that the rows allow (J w = 0),

    d/dt (p.w) = dL/dq.w + p.w' + (Q - dD/dq').w,          p = dL/dq'

so p.w is constant when the right side vanishes for all velocities that the rows allow.  Tried are all linear combinations of: single
coordinates, linear fields such as rotations (-y, x), and the admissible directions of the reduced equations.  The energy function
h = q'.p - L is constant when L does not contain t, forces have no power and the rows ask for no motion of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import qr

from ..errors import ModelError, nearest
from ..model.expression import Expr
from ..model.lagrangian import Lagrangian
from ..options.call import verb
from ..system.closed import curl, open_pair
from ..system.subspaces import null_space, rank
from . import checks, sp
from .derivation import Derivation, derive, random_states
from .eliminate import explicit
from .forms import read_model
from .friction import of_any_size
from .integrals import energy_of
from .partition import Partition, partition
from .printing import text
from .sheet import OnSheet, Section, Sheet, line
from .simplify import fourier, is_zero, tidied, tidy
from .symbols import slope

LARGEST = 8  # coordinates up to which linear fields such as rotations are tried


@dataclass(frozen=True, eq=False)
class ConservedQuantity:
    """A constant of the motion.

    Attributes
    ----------
    name
        Short name: "momentum of theta", "energy"; each is there once, a second one is "moment of momentum in x, y (2)".
    kind
        "ignorable coordinate", "translation", "rotation", "admissible direction", "energy" or "Jacobi integral".
    expression
        The constant as an expression of coordinates, rates, t and parameters.
    sympy
        The same as a SymPy object; rates are symbols x'.
    direction
        Displacement under which nothing changes, by coordinate, as SymPy objects; empty for the energy.
    why
        One sentence.
    """

    name: str
    kind: str
    expression: Expr
    sympy: Any
    direction: dict[str, Any]
    why: str
    parameters: dict[str, float]

    def evaluate(self, values: Mapping[str, float]) -> float:
        """Value at a state {"theta": 0.3, "rate(theta)": 1.0}; parameters are those of the system unless given."""
        return self.expression.evaluate({"t": 0.0, **self.parameters, **values})

    def __str__(self) -> str:
        return f"{self.name} = {text(self.sympy)}   ({self.why})"

    __repr__ = __str__


@dataclass(frozen=True, eq=False, repr=False)
class Conserved(OnSheet):
    """Constants of the motion of a system, and why the energy is not among them where it is not."""

    model: Lagrangian
    quantities: tuple[ConservedQuantity, ...]
    ignorable: tuple[str, ...]
    remarks: tuple[str, ...]

    def __iter__(self) -> Iterator[ConservedQuantity]:
        return iter(self.quantities)

    def __len__(self) -> int:
        return len(self.quantities)

    def __contains__(self, name: object) -> bool:
        return any(x.name == name for x in self.quantities)

    def __getitem__(self, name: str) -> ConservedQuantity:
        for x in self.quantities:
            if x.name == name:
                return x
        names = [x.name for x in self.quantities]
        raise ModelError(
            f"constant {name!r} of {self.model.name!r}", "no such constant", nearest(name, names), "use its name"
        )

    @property
    def sheet(self) -> Sheet:
        """Sheet to write."""
        sections = [
            Section(_typeset(f"{x.name}: {x.why}", self.model.q), (line(sp.Symbol(f"C_{k + 1}", real=True), x.sympy),))
            for k, x in enumerate(self.quantities)
        ]
        remarks = Section("remarks", (), (() if self.quantities else ("none found",)) + self.remarks)
        return Sheet(f"constants of the motion of {self.model.name!r}", (*sections, remarks))


def _typeset(words: str, names: Sequence[str]) -> str:
    """Words with names of coordinates, energies and the time as formulas; "a" may be an article."""
    known = "|".join(map(re.escape, [*names, "L", "T", "V", "t"]))
    return re.sub(rf"(?<!nor )\b({known})\b", r"$\1$", words)


@verb
def conserved(model: Lagrangian) -> Conserved:
    """Find constants of the motion: momenta of ignorable coordinates and of combinations, rotations, energy or Jacobi integral.

    Parameters
    ----------
    model
        The system.

    Returns
    -------
    Conserved
        The constants with name, expression, SymPy object and reason; `.ignorable` names the ignorable coordinates.  A constant not
        listed may still exist: only displacements that are linear in the coordinates, or admissible directions, are tried.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Lagrangian("r theta", kinetic="m*(rate(r)**2 + r**2*rate(theta)**2)/2", potential="-k/r",
    ...                   parameters={"m": 1.0, "k": 2.0}, name="planet")
    >>> print(da.conserved(m)["momentum of theta"].expression)
    m*r**2*rate(theta)
    """
    rubbing = read_model("conserved", model).frictions
    d = derive(of_any_size(model), f"conserved({model.name!r})")
    p = partition(d, f"conserved({model.name!r})")
    found = _momenta(d, p)
    energy, remarks = _energy(d, p)
    if rubbing and remarks:
        remarks = (f"{remarks[0]} (friction {', '.join(repr(one.name) for one in rubbing)} among them)",)
    ignorable = tuple(next(iter(x.direction)) for x in found if x.kind == "ignorable coordinate")
    return Conserved(model, tuple(found + energy), ignorable, remarks)


# ---- energy ----------------------------------------------------------------------------------------------------------


def _energy(d: Derivation, p: Partition) -> tuple[list[ConservedQuantity], tuple[str, ...]]:
    """Energy or Jacobi integral where it is constant; otherwise what speaks against it."""
    s = d.symbols
    v = sp.Matrix(s.v)
    against = []
    if not is_zero(slope(d.L, s.t)):
        against.append("L contains t")
    stored, given = sp.S.Zero, d.Q.xreplace({x: sp.S.Zero for x in d.Q.free_symbols if str(x) in d.model.sizes})
    if not is_zero(p.admissible(((d.Q - given).T * v)[0])):
        against.append(
            "forces have power"
        )  # friction: its size and side change with the motion, so that -F s is no potential
    elif not is_zero(p.admissible((given.T * v)[0])):
        still = not given.free_symbols & {s.t, *s.v}
        stored = potential_of(d, given) if still else None  # Q = -dV/dq: it belongs to the energy
        if stored is None and not (still and _have_potential(d, given)):
            against.append("forces have power")
    if not is_zero(p.admissible((d.dD.T * v)[0])):
        against.append("dissipation takes power")
    driven = [name for name, nu in zip(d.row_names, d.nu) if not is_zero(nu)]
    if driven:
        against.append(f"the row {driven[0]!r} drives the system")
    if against:
        return [], ("energy is not constant: " + ", ".join(against),)
    if stored is None:
        return [], ("the energy is constant, but no formula was found for the potential of the forces: da.potential_energy gives its value",)  # fmt: skip
    h = tidy((d.momenta.T * v)[0] - d.L + stored)
    natural = is_zero(h - d.T - d.V - stored)
    name, kind = ("energy", "energy") if natural else ("Jacobi integral", "Jacobi integral")
    why = "T + V; nothing contains t and no force takes or gives power" if natural else "q'.dL/dq' - L; L does not contain t, but it is not T + V"  # fmt: skip
    why += f"; of the forces V = {text(stored)}" if stored != 0 else ""
    return [ConservedQuantity(name, kind, s.back(h), h, {}, why, d.model.parameters)], ()


def potential_of(d: Derivation, forces: Any) -> Any | None:
    """V with Q = -dV/dq on the motions that rows on positions allow; None where there is none in closed form."""
    s = d.symbols
    found = energy_of(s.q, forces)
    if found is None and d.phi:
        given, _ = explicit(d)
        remain = [x for x, name in zip(s.q, d.names) if name not in given]
        places = sp.Matrix([given.get(name, x) for x, name in zip(s.q, d.names)])
        at = dict(zip(s.q, places))
        found = energy_of(remain, list(tidied(places.jacobian(remain).T * forces.xreplace(at)))) if given else None
    return found


def _have_potential(d: Derivation, forces: Any) -> bool:
    """Whether forces for which no V was found have one nevertheless."""
    s, n, h = d.symbols, len(d.names), len(d.phi)
    states = random_states(d, 4, 5)
    evaluate = d.numbers([*forces, *forces.jacobian(sp.Matrix(s.q)), *d.J[:h, :]])
    for x in (np.array(evaluate(state)) for state in states):
        Q, slopes, J = np.split(x, [n, n * (n + 1)])
        if open_pair(*curl(slopes.reshape(n, n), null_space(J.reshape(h, n)), Q)) is not None:
            return False
    return bool(states)


# ---- momenta ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Field:
    """A field of displacements, with what p.w changes by and what the rows say."""

    kind: str
    w: Any
    change: Any
    rows: tuple[Any, ...]


def _fields(d: Derivation, p: Partition) -> list[_Field]:
    """Fields that take part in a combination whose change vanishes at random states; the others need no symbols."""
    n, s = len(d.names), d.symbols
    force, unit = sp.Matrix([slope(d.L, q) for q in s.q]) + d.Q - d.dD, sp.eye(n)
    several = [k for k in range(len(p.u)) if sum(x != 0 for x in p.S[:, k]) > 1] if d.row_names else []
    S = p.S.extract(list(range(n)), several)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j] if n <= LARGEST else []
    displacements = [("coordinate", unit[:, i]) for i in range(n)]
    displacements += [("admissible", S[:, k]) for k in range(S.cols)]
    displacements += [("linear", unit[:, i] * s.q[j]) for i, j in pairs]
    made = []
    for keep, (kind, w) in zip(_promising(d, force, S, pairs), displacements):
        if keep:
            change = (force.T * w)[0] + (d.momenta.T * w.applyfunc(s.steady_rate))[0]
            made.append(_Field(kind, w, change, tuple((d.J[r, :] * w)[0] for r in range(len(d.row_names)))))
    return made


def _promising(d: Derivation, force: Any, S: Any, pairs: list[tuple[int, int]]) -> list[bool]:
    """Which of the fields can take part: null vectors of their changes at random states."""
    n, m, k = len(d.names), len(d.row_names), S.cols
    evaluate = d.numbers([*force, *d.momenta, *d.J, *S, *S.applyfunc(d.symbols.steady_rate)])
    blocks, constants = [], []
    for state in random_states(d, n + k + len(pairs) + 8, 11):
        numbers = np.array(evaluate(state))
        force, momenta, J, S, dS = np.split(numbers, np.cumsum([n, n, m * n, n * k]))
        J, S, dS = J.reshape(m, n), S.reshape(n, k), dS.reshape(n, k)
        q = np.array([state[x] for x in d.names])
        v = np.array([state[f"rate({x})"] for x in d.names])
        turns = [force[i] * q[j] + momenta[i] * v[j] for i, j in pairs]
        change = np.concatenate([force, force @ S + momenta @ dS, turns])
        rows = np.hstack([J, J @ S, np.array([J[:, i] * q[j] for i, j in pairs]).reshape(len(pairs), m).T])
        blocks.append(np.vstack([change, rows]))
        constants.append(np.concatenate([momenta, momenta @ S, [momenta[i] * q[j] for i, j in pairs]]))
    if not blocks:
        return [True] * (n + k + len(pairs))
    A = np.vstack(blocks)
    # a field whose change is only rounding stays small; the others are compared on one scale
    size = np.max(np.abs(A), axis=0)
    scale = np.where(size > 1e-12 * np.max(size), size, max(1.0, float(np.max(size))))
    null = null_space(A / scale, size=1.0).T
    # combinations that vanish on the constraints give the constant 0: no news
    parts = np.array(constants) / scale
    values = parts @ null.T / np.maximum(np.max(np.abs(parts) @ np.abs(null.T), axis=0), 1e-300)
    nothing = null_space(values, size=1.0)
    null = (np.eye(len(null)) - nothing @ nothing.T) @ null
    return [bool(x > 1e-7) for x in np.max(np.abs(null), axis=0, initial=0.0)]


def _momenta(d: Derivation, p: Partition) -> list[ConservedQuantity]:
    given, _ = explicit(d) if d.row_names else ({}, [])
    places = {d.q[x]: f for x, f in given.items()}
    fields = [
        _Field(f.kind, f.w, tidy(p.admissible(f.change).subs(places)), tuple(tidy(r.subs(places)) for r in f.rows))
        for f in _fields(d, p)
    ]
    single = [f for f in fields if f.kind != "linear" and all(is_zero(r) for r in f.rows) and is_zero(f.change)]
    candidates = [_quantity(d, p, {f.kind}, f.w) for f in single]
    rest = [f for f in fields if f not in single]
    for weights in _combinations(d, rest):
        parts = zip(*((f.change, *f.rows) for f in rest))
        if not all(is_zero(sum((c * x for c, x in zip(weights, part)), 0 * weights[0])) for part in parts):
            continue
        w = tidied(sum((c * f.w for c, f in zip(weights, rest)), rest[0].w * 0))
        kinds = {f.kind for c, f in zip(weights, rest) if c != 0}
        candidates.append(_quantity(d, p, kinds, w))
    return _independent(d, candidates)


def _combinations(d: Derivation, fields: list[_Field]) -> list[list[Any]]:
    """Weights, made of parameters, with which the changes of fields cancel: null vectors of their coefficients."""
    from sympy.polys.matrices import DomainMatrix

    if not fields:
        return []
    table: dict[tuple[int, Any], dict[int, Any]] = {}
    for k, f in enumerate(fields):
        for tag, x in enumerate((f.change, *f.rows)):
            for key, value in _coefficients(d, x).items():
                table.setdefault((tag, key), {})[k] = value
    if not table:
        return [[sp.S.One if i == k else sp.S.Zero for i in range(len(fields))] for k in range(len(fields))]
    A = sp.Matrix(len(table), len(fields), lambda r, c: list(table.values())[r].get(c, sp.S.Zero))
    # rows that are independent at some values of the parameters suffice; pivoted elimination finds them
    parameters = sorted(A.free_symbols, key=str)
    numbers = np.array(
        sp.lambdify([parameters], A, "numpy")([0.37 + 0.61 * k for k in range(len(parameters))]), dtype=float
    )
    work = numbers / np.maximum(np.max(np.abs(numbers), axis=1, keepdims=True), 1e-300)
    triangle, order = qr(work.T, mode="r", pivoting=True)
    chosen = sorted(map(int, order[: np.count_nonzero(np.abs(np.diag(triangle)) >= 1e-9)]))
    null = DomainMatrix.from_Matrix(A.extract(chosen, list(range(A.cols)))).to_field().nullspace().to_Matrix()
    return [_scaled(list(null[r, :])) for r in range(null.rows)]


def _coefficients(d: Derivation, x: Any) -> dict[Any, Any]:
    """Sum as {function of the state: factor made of parameters}; sines and cosines in their unique form."""
    flat = sp.expand(x)
    if flat.has(sp.sin, sp.cos):
        flat = fourier(flat)
    found: dict[Any, Any] = {}
    for term in sp.Add.make_args(flat):
        factor, function = term.as_independent(*d.symbols.state, as_Add=False)
        found[function] = tidy(found.get(function, sp.S.Zero) + factor)
    return {k: v for k, v in found.items() if v != 0}


def _scaled(weights: list[Any]) -> list[Any]:
    """Weights without denominators, the last one positive."""
    common = sp.lcm_list([sp.denom(sp.together(x)) for x in weights])
    scaled = [sp.cancel(x * common) for x in weights]
    divisor = sp.gcd_list([x for x in scaled if x != 0])
    scaled = [sp.cancel(x / divisor) for x in scaled]
    last = next(x for x in reversed(scaled) if x != 0)
    return [-x for x in scaled] if last.could_extract_minus_sign() else scaled


def _quantity(d: Derivation, p: Partition, kinds: set[str], w: Any) -> ConservedQuantity:
    value = (d.momenta.T * w)[0]
    value = tidy(p.admissible(value) if "admissible" in kinds else value)
    direction = {name: x for name, x in zip(d.names, w) if x != 0}
    name, kind, why = _described(d, kinds, direction)
    return ConservedQuantity(name, kind, d.symbols.back(value), value, direction, why, d.model.parameters)


def _described(d: Derivation, kinds: set[str], direction: dict[str, Any]) -> tuple[str, str, str]:
    names = list(direction)
    if kinds == {"coordinate"} and len(names) == 1:
        q = names[0]
        why = f"neither L nor a force changes with {q}" + (", and no row holds its rate" if d.row_names else "")
        return f"momentum of {q}", "ignorable coordinate", why
    if kinds == {"coordinate"}:
        signed = [(x.could_extract_minus_sign(), x, q) for q, x in direction.items()]
        along = " ".join(f"{'-' if minus else '+'} {_times(-x if minus else x, q)}" for minus, x, q in signed)
        along = along.removeprefix("+ ").replace("- ", "-", 1) if along.startswith("- ") else along.removeprefix("+ ")
        return f"momentum along {along}", "translation", f"neither L nor the work of forces changes when {', '.join(names)} move together"  # fmt: skip
    if "admissible" in kinds:
        free = [x for x in names if direction[x].is_number] or names
        return f"momentum along {free[0]}", "admissible direction", f"neither L nor the work of forces changes along the motion of {', '.join(names)} that the rows allow"  # fmt: skip
    return f"moment of momentum in {', '.join(names)}", "rotation", f"neither L nor the work of forces changes when {', '.join(names)} turn together"  # fmt: skip


def _times(factor: Any, name: str) -> str:
    return name if factor == 1 else f"{f'({text(factor)})' if factor.is_Add else text(factor)}*{name}"


def _independent(d: Derivation, candidates: list[ConservedQuantity]) -> list[ConservedQuantity]:
    """Constants that are not combinations of simpler ones, by their values at random states."""
    states = random_states(d, 3 * len(candidates) + 6, 7)
    anywhere = [checks.random_values(d.model, np.random.default_rng(k)) for k in range(3)]
    order = {"ignorable coordinate": 0, "admissible direction": 1, "translation": 2, "rotation": 3}
    chosen: list[ConservedQuantity] = []
    columns: list[np.ndarray] = []
    for x in sorted(candidates, key=lambda c: (order[c.kind], c.sympy.count_ops())):
        values = np.array([x.evaluate(state) for state in states])
        size = float(np.linalg.norm(values))
        if size <= 1e-9 * max(abs(x.evaluate(state)) for state in anywhere):
            continue  # zero on the constraints: no news
        tried = np.column_stack([*columns, values / size])
        if rank(tried, size=1.0) == len(columns) + 1:
            columns.append(values / size)
            chosen.append(x)
    # of two constants in the same coordinates the longer is number (2)
    same = [1 + sum(y.name == x.name for y in chosen[:k]) for k, x in enumerate(chosen)]
    return [x if k == 1 else replace(x, name=f"{x.name} ({k})") for k, x in zip(same, chosen)]
