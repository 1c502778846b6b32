"""What a Lagrangian system must satisfy before equations are made of it: names, T quadratic in rates, inertia, rows, smoothness.

All checks are numerical, at seeded random points, so that they cost the same for one link and for a hundred.  None needs SymPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..errors import ExpressionError, ModelError, SingularError
from ..model.expression import Call, Expr, postorder
from ..model.expression.printing import shortened
from ..model.lagrangian import Lagrangian
from ..system.lagrange import terms_of
from ..system.subspaces import null_space

Values = dict[str, float]

_POINTS = 4  # random points of a check; a wrong term that vanishes at all of them has measure zero
_TRIES = 60  # points tried where expressions may have no value
_ROUND = 1e-7  # relative; differences of third order lose eight digits at most


def random_values(model: Lagrangian, rng: np.random.Generator) -> Values:
    """Random coordinates, rates and time with the parameters of the system."""
    values = dict(model.parameters)
    values["t"] = float(rng.uniform(0.1, 1.0))
    for name in model.q:
        # coordinates may be lengths under a root or a fraction: half of the points are positive
        values[name] = float(rng.uniform(0.2, 1.2) * rng.choice([1.0, 1.0, -1.0]))
        values[f"rate({name})"] = float(rng.uniform(-1.0, 1.0))
    return values


def points(model: Lagrangian, exprs: Sequence[Expr]) -> list[Values]:
    """Random points at which all expressions have values."""
    rng = np.random.default_rng(20)
    found: list[Values] = []
    failure: ExpressionError | None = None
    for _ in range(_TRIES):
        values = random_values(model, rng)
        try:
            for expr in exprs:
                expr.evaluate(values)
        except ExpressionError as error:
            failure = error
            continue
        found.append(values)
        if len(found) == _POINTS:
            return found
    if found or failure is None:
        return found
    raise ExpressionError(
        f"expressions of {model.name!r} at random positions", failure.found, failure.why,
        "guard the expression with if_, or choose coordinates for which it has a value",
    )  # fmt: skip


# ---- kinetic energy --------------------------------------------------------------------------------------------------


def check_quadratic(model: Lagrangian) -> None:
    """T is a polynomial of degree two in the rates: third differences along straight lines vanish."""
    kinetic = model.kinetic
    rng = np.random.default_rng(4)
    for values in points(model, [kinetic]):
        if _quadratic(kinetic, model.q, values, rng):
            continue
        guilty = next((x for x, _ in summands(kinetic) if not _quadratic(x, model.q, values, rng)), kinetic)
        rates = [name for name in model.q if f"rate({name})" in guilty.names]
        raise ModelError(
            f"kinetic energy of {model.name!r}", f"the term {shortened(guilty)}",
            f"it is not quadratic in the rate of {' and '.join(repr(x) for x in rates[:3]) or 'any coordinate'}",
            "T has terms of degree 0, 1 and 2 in the rates only; state other velocity terms as forces= or dissipation=",
        )  # fmt: skip


def summands(expr: Expr) -> list[tuple[Expr, int]]:
    """Terms of a sum with their signs, in the order in which they are written."""
    made, waiting = [], [(expr, 1)]
    while waiting:
        x, sign = waiting.pop()
        if isinstance(x, Call) and x.function in ("+", "-"):
            waiting += [(x.args[1], sign if x.function == "+" else -sign), (x.args[0], sign)]
        elif isinstance(x, Call) and x.function == "neg":
            waiting.append((x.args[0], -sign))
        else:
            made.append((x, sign))
    return made


def _quadratic(expr: Expr, q: Sequence[str], values: Values, rng: np.random.Generator) -> bool:
    """Whether the third difference of an expression along a random line of rates vanishes."""
    # lines that miss the origin: along lines through it sqrt(x'^4 + y'^4) would pass for quadratic; and lines along which every rate
    # changes its sign, as abs(x') is linear on either side
    across = {f"rate({name})": rng.uniform(0.5, 1.0) * rng.choice([-1.0, 1.0]) for name in q}
    samples = []
    for s in (-1.0, 0.0, 1.0, 2.0):
        moved = dict(values) | {name: 0.3 * values[name] + s * step for name, step in across.items()}
        try:
            samples.append(expr.evaluate(moved))
        except ExpressionError:
            return False  # a polynomial would have a value
    difference = samples[3] - 3.0 * samples[2] + 3.0 * samples[1] - samples[0]
    return abs(difference) <= _ROUND * max(abs(x) for x in samples)


def mass_matrix(model: Lagrangian, values: Values) -> np.ndarray:
    """Mass matrix at one point from values of T, exact for quadratic T: M_ij = T(i + j) - T(i) - T(j) + T(0)."""
    kinetic, n = model.kinetic, len(model.q)
    rest = dict(values) | {f"rate({name})": 0.0 for name in model.q}

    def at(*moving: int) -> float:
        moved = dict(rest)
        for k in moving:
            moved[f"rate({model.q[k]})"] += 1.0
        return kinetic.evaluate(moved)

    zero, single = at(), [at(k) for k in range(n)]
    M = np.zeros((n, n))
    for i in range(n):
        for j in range(i, n):
            M[i, j] = M[j, i] = at(i, j) - single[i] - single[j] + zero
    return M


def row_matrix(model: Lagrangian, values: Values) -> np.ndarray:
    """Jacobian of all rows at one point, holonomic ones first."""
    rows = [[row.diff(name) for name in model.q] for row in model.holonomic.values()]
    rows += [[row.diff(f"rate({name})") for name in model.q] for row in model.nonholonomic.values()]
    return np.array([[x.evaluate(values) for x in row] for row in rows]).reshape(len(rows), len(model.q))


def check_inertia(model: Lagrangian, constrained: bool = True) -> None:
    """Every motion that the rows allow has kinetic energy; `constrained` False: every motion."""
    slopes = [row.diff(name) for row in model.holonomic.values() for name in model.q] if constrained else []
    motion = None
    for values in points(model, [model.kinetic, *slopes]):
        J = row_matrix(model, values) if constrained else np.zeros((0, len(model.q)))
        motion = motion_without_inertia(mass_matrix(model, values), J)
        if motion is None:
            return  # regular somewhere is regular almost everywhere
    if motion is not None:
        raise inertia_error(model, motion, bool(constrained and slopes))


def motion_without_inertia(M: np.ndarray, J: np.ndarray) -> np.ndarray | None:
    """A velocity that the rows allow and that has no kinetic energy; None when there is none."""
    scale = np.sqrt(np.where(np.diag(M) > 0.0, np.diag(M), 1.0))
    free = null_space(J / scale) if len(J) else np.eye(len(M))
    if free.shape[1] == 0:
        return None
    w, vectors = np.linalg.eigh(free.T @ (M / np.outer(scale, scale)) @ free)
    if w[0] > 1e-9 * max(float(w[-1]), 1e-300):
        return None
    return np.asarray(free @ vectors[:, 0] / scale)


def inertia_error(model: Lagrangian, motion: np.ndarray | None, constrained: bool = False) -> SingularError:
    """Message that names the coordinates of a motion without kinetic energy."""
    motion = np.zeros(len(model.q)) if motion is None else motion
    large = [k for k in np.argsort(-np.abs(motion)) if abs(motion[k]) > 1e-6 * np.max(np.abs(motion))]
    names = [model.q[k] for k in sorted(large)]
    one = len(names) == 1
    negative = model.kinetic.names.isdisjoint({f"rate({x})" for x in names})
    found = f"rate({names[0]}) does not occur in the kinetic energy" if one and negative else (
        f"a motion of {names[0]!r} alone has no kinetic energy" if one else
        "a motion without kinetic energy: rates " + ", ".join(f"{model.q[k]} {motion[k] / motion[large[0]]:+.4g}" for k in sorted(large))
    )  # fmt: skip
    return SingularError(
        f"inertia of {model.name!r}",
        found + (", and the constraints allow it" if constrained else ""),
        f"the acceleration of {' and '.join(repr(x) for x in names)} is not determined without inertia",
        "add a mass or inertia that moves with it, remove the coordinate, or tie it by a constraint",
    )


def check_rotations(model: Lagrangian, state: Values | None = None) -> None:
    """Matrices given as rotations are that: at a state, and everywhere if no row restricts positions (Euler parameters have one)."""
    for part in model.parts.values():
        if not getattr(part, "stated", False):
            continue
        entries = [x for row in part.rotation for x in row]  # type: ignore[attr-defined]
        tried = ([] if state is None else [state]) + ([] if model.holonomic else points(model, entries))
        for values in tried:
            A = np.array([x.evaluate(values) for x in entries]).reshape(3, 3)
            off = float(np.max(np.abs(A.T @ A - np.eye(3))))
            if off > 1e-6 or np.linalg.det(A) < 0.0:
                names = [name for name in model.q if any(name in x.names for x in entries)]
                at = ", ".join(f"{name} = {values[name]:.4g}" for name in names)
                raise ModelError(
                    f"body {part.name!r} of {model.name!r}: rotation",
                    f"AᵀA off the identity by {off:.3g} and determinant {np.linalg.det(A):.3g}"
                    + (f" at {at}" if at else ""),
                    "a rotation has orthonormal columns and determinant +1; this matrix scales, shears or mirrors",
                    "correct the matrix, or give the orientation by turns=",
                )


# ---- constraints -----------------------------------------------------------------------------------------------------


def check_rows(model: Lagrangian) -> None:
    """Rows are independent of each other at general positions; a set that is not is named, and whether it contradicts itself."""
    names = [*model.holonomic, *model.nonholonomic]
    if not names:
        return
    exprs = [*model.holonomic.values(), *model.nonholonomic.values()]
    c = None
    for values in points(model, exprs):
        c = dependence(row_matrix(model, values))
        if c is None:
            return  # independent somewhere is independent almost everywhere
    if c is None:
        return
    guilty = [k for k in range(len(names)) if abs(c[k]) > 1e-7]
    if len(guilty) == 1:
        row = exprs[guilty[0]]
        raise SingularError(
            f"constraints of {model.name!r}", f"{names[guilty[0]]!r}: {shortened(row)} = 0",
            "it ties no rate of a coordinate: it always holds, or never", "remove it, or write what it should tie",
        )  # fmt: skip
    shown = ", ".join(f"{c[k] / c[guilty[0]]:+.4g} × {names[k]!r}" for k in guilty)
    verdict = _verdict(model, exprs, guilty, c)
    raise SingularError(
        f"constraints of {model.name!r}",
        f"{len(names)} rows, of which {', '.join(repr(names[k]) for k in guilty)} depend on each other: {shown} holds no rate",
        verdict,
        "remove one of them" if "contradict" not in verdict else "correct one of them",
    )


def _verdict(model: Lagrangian, exprs: list[Expr], guilty: list[int], c: np.ndarray) -> str:
    """Whether rows that depend on each other can hold together: their combination must be zero itself."""
    n_positions = len(model.holonomic)
    kinds = {k < n_positions for k in guilty}
    # rows on positions and on rates together: what their rates leave over counts, where the positions satisfy their rows
    mixed = len(kinds) == 2
    terms = [x.diff("t") if mixed and k < n_positions else x for k, x in enumerate(exprs)]
    rest = []
    for general in points(model, exprs):
        values = _onto(model, general) if mixed else general
        if values is None:
            continue
        combined = dependence(row_matrix(model, values))
        if combined is None or all(k < n_positions for k in guilty) and not np.allclose(combined * c[guilty[0]], c * combined[guilty[0]]):  # fmt: skip
            return "their multipliers cannot be told apart"
        still = dict(values) | {f"rate({name})": 0.0 for name in model.q}
        size = max(abs(terms[k].evaluate(still)) for k in guilty)
        rest.append((sum(combined[k] * terms[k].evaluate(still) for k in guilty), max(size, 1.0)))
    if any(abs(x) > 1e-9 * size for x, size in rest):
        return f"they contradict each other: the same combination of the rows is {rest[0][0] / c[guilty[0]]:.4g}, not 0"
    return "they say the same; their multipliers cannot be told apart"


def _onto(model: Lagrangian, values: Values) -> Values | None:
    """A position near this one that satisfies the holonomic rows; None where Newton's method finds none."""
    rows, found = list(model.holonomic.values()), dict(values)
    for _ in range(30):
        try:
            phi, J = np.array([row.evaluate(found) for row in rows]), row_matrix(model, found)[: len(rows)]
        except ExpressionError:
            return None
        if np.max(np.abs(phi), initial=0.0) < 1e-12:
            return found
        step = np.linalg.lstsq(J, phi, rcond=1e-9)[0]
        found |= {name: found[name] - float(x) for name, x in zip(model.q, step)}
    return None


def dependence(J: np.ndarray) -> np.ndarray | None:
    """Coefficients of a combination of rows that vanishes; None when the rows are independent."""
    if not len(J):
        return None
    size = np.linalg.norm(J, axis=1)
    if np.any(size == 0.0):
        return np.where(np.arange(len(J)) == int(np.argmin(size)), 1.0, 0.0)
    u, s, _ = np.linalg.svd(J / size[:, None])
    if len(J) <= J.shape[1] and s[-1] > 1e-9:
        return None
    c = u[:, -1] / size
    return np.asarray(np.where(np.abs(c) > 1e-9 * np.max(np.abs(c)), c, 0.0))


# ---- smoothness ------------------------------------------------------------------------------------------------------


ROWS = ("constraint", "rate row")  # beginnings of the words for constraints in `terms_of`


def check_smooth(model: Lagrangian, values: Mapping[str, float], only: tuple[str, ...] | None = None) -> None:
    """T, V and the rows have derivatives at a state; the sub-expression and coordinate that have none are named.

    Dissipation and forces may jump: dry friction is -F sign(v) with sign(0) = 0.  With `only`, terms whose words begin so.
    """
    for what, expr in terms_of(model).items():
        if what.startswith("force") or what == "dissipation" or only is not None and not what.startswith(only):
            continue
        kink = first_kink(expr, values)
        if kink is None:
            continue
        node, why = kink
        names = sorted(node.names & {*model.q, *(f"rate({x})" for x in model.q)})
        if not names:
            continue  # a function of parameters and time is not differentiated by coordinates
        facts = ", ".join(f"{name} = {values[name]:.6g}" for name in names if name in values)
        raise ExpressionError(
            f"derivative of the {what} of {model.name!r} by {names[0]!r}", f"{shortened(node)} at {facts}", why,
            "start elsewhere, or smooth the term: sqrt(x**2 + eps**2) for abs(x), step(…) for a jump",
        )  # fmt: skip


def first_kink(expr: Expr, values: Mapping[str, float]) -> tuple[Expr, str] | None:
    """First sub-expression that spoils the derivative at a state, with the reason; None when the expression has one."""
    for node in postorder(expr):
        if not isinstance(node, Call) or node.function not in _KINKS or not node.children:
            continue
        try:
            arguments = [a.evaluate(values) for a in node.children]
        except ExpressionError:
            continue
        why = _KINKS[node.function](*arguments)
        # max(x, 0)**2 is smooth at 0 although max is not: the whole expression decides
        if why is not None and any(_bent(expr, name, values) for name in node.names):
            return node, why
    return None


def _bent(expr: Expr, name: str, values: Mapping[str, float]) -> bool:
    """Whether slopes to the left and to the right, or the values themselves, stay apart as the step shrinks."""
    if name not in values:
        return False
    apart, jump = [], []
    for step in (1e-4, 1e-6):
        try:
            left, here, right = (expr.evaluate({**values, name: values[name] + s * step}) for s in (-1, 0, 1))
        except ExpressionError:
            return True
        noise = 50.0 * np.finfo(float).eps * max(abs(left), abs(here), abs(right)) / step
        apart.append(max(abs(right - 2.0 * here + left) / step - noise, 0.0))
        jump.append(max(abs(right - left) - noise * step, 0.0))
    return apart[1] > 0.5 * apart[0] or jump[1] > 0.5 * jump[0]


def _compared(a: float, b: float) -> str | None:
    return "a condition switches exactly here" if a == b else None


_KINKS: dict[str, Callable[..., str | None]] = {
    "abs": lambda x: "abs has a kink at 0" if x == 0.0 else None,
    "sign": lambda x: "sign jumps at 0" if x == 0.0 else None,
    "floor": lambda x: "floor jumps at whole numbers" if x == math.floor(x) else None,
    "sqrt": lambda x: "the slope of sqrt is infinite at 0" if x == 0.0 else None,
    "asin": lambda x: "the slope of asin is infinite at -1 and 1" if abs(x) == 1.0 else None,
    "acos": lambda x: "the slope of acos is infinite at -1 and 1" if abs(x) == 1.0 else None,
    "hypot": lambda a, b: "hypot has a tip at (0, 0)" if a == b == 0.0 else None,
    "atan2": lambda a, b: "the angle of the point (0, 0) is not defined" if a == b == 0.0 else None,
    "min": lambda *a: "two arguments of min are equal" if len(set(a)) < len(a) else None,
    "max": lambda *a: "two arguments of max are equal" if len(set(a)) < len(a) else None,
    "**": lambda a, b: "the slope of this power is infinite at 0" if a == 0.0 and 0.0 < b < 1.0 else None,
    "<": _compared, "<=": _compared, ">": _compared, ">=": _compared,
}  # fmt: skip
