"""Small motions of a Lagrangian system about a state, on its constraints, from exact derivatives.

With r = M a + J^T lam - f and s = J a - gamma, changes of a state obey

    M da + J^T dlam = -r_q dq - r_v dv,     J da = -s_q dq - s_v dv
    phi_q dq = 0 (holonomic rows),          J dv = -w_q dq (all rows)

Some changes y of coordinates and u of rates are independent and determine the others: dq = Y y, dv = P y + Z u.  Since they are changes
of coordinates themselves, y' are the same entries of dv, and u' those of da:

    y' = G y + N u,     M_r u' + C u + K y = Z^T F,     M_r = Z^T M Z

Without rate rows G = 0, N = 1: the usual form.  G and N bring in coordinates that are not free to change at any rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import ModelError, SingularError
from ...results.coordinate_guard import judge
from .derivatives import Derivatives, Rows, Slopes, Values, sizes_of

# part of the fastest rate squared below which stiffness counts as zero
ZERO = 1e-12


@dataclass(frozen=True)
class Linear:
    """Linear equations at a state.

    Attributes
    ----------
    positions, speeds
        Coordinates whose changes are y, and those whose rates change by u.
    y_to_q, y_to_v, u_to_v
        Y, P and Z above.
    mass, damping, stiffness
        M_r, C, K.
    A
        Of x = (y, u).
    """

    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    values: Values
    rows: Rows
    slopes: Slopes
    positions: np.ndarray
    speeds: np.ndarray
    y_to_q: np.ndarray
    y_to_v: np.ndarray
    u_to_v: np.ndarray
    x_to_lam: np.ndarray
    mass: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray
    A: np.ndarray
    held: tuple[int, ...] = ()
    solved: tuple[
        np.ndarray, ...
    ] = ()  # rows, then columns f, b, a, lam of M a + J^T lam = f, J a = b: accelerations and their changes

    @property
    def square_stiffness(self) -> np.ndarray:
        """K for displacements that the rate rows allow as well."""
        made: np.ndarray = self.stiffness @ self.u_to_v[self.positions]
        return made

    @property
    def units(self) -> np.ndarray:
        """Sizes of x that make its parts comparable: those of the coordinates, and their changes in the shortest time."""
        size = self.rows.size
        y, u = size[self.positions], size[self.speeds]
        n = len(y)
        lower = self.A[n:, :n] / u[:, None] * y
        rate = max(
            float(np.sqrt(np.linalg.norm(lower, 2))) if lower.size else 0.0,
            float(np.linalg.norm(self.A[n:, n:] / u[:, None] * u, 2)) if len(u) else 0.0,
        )
        return np.concatenate([y, u * (rate or 1.0)])


def linear(
    functions: Derivatives,
    t: float,
    q: np.ndarray,
    v: np.ndarray,
    held: tuple[int, ...] = (),
    like: Linear | None = None,
) -> Linear:
    """Linear equations at a state; `held` coordinates do not change; `like`: the same independent changes as there."""
    asked = functions.asked
    x = functions.values(t, q, v)
    _check_finite(functions, x, t, q)
    size = sizes_of(x.mass)
    grip = np.eye(functions.n)[list(held)]
    jac = np.vstack([x.jac, grip])
    rows = Rows(jac, size)
    holonomic = Rows(np.vstack([x.jac[: functions.h], grip]), size)
    if rows.rank == functions.n:
        raise ModelError(
            asked,
            f"nothing can move: {rows.rank} independent rows for {functions.n} coordinates",
            "there are no small motions to describe",
            "take out a constraint or the time law of a driver",
        )
    # where coordinates fail (angles at a pole), inertia does so as well: also that of coordinates held
    _check_inertia(functions, x.mass, Rows(x.jac, size) if held else rows)
    none = np.zeros(len(held))
    a, lam = rows.solve(x.mass, x.force, np.concatenate([x.gamma, none]))
    slopes = functions.slopes(t, q, v, a, lam[: functions.m])
    if like is not None:
        positions, speeds = like.positions, like.speeds
    else:
        positions, speeds = _independent(rows, holonomic, jac, _preference(functions, t, q, v, x, a / size))
    z = _based(rows.motions, speeds)
    y_to_q = _based(holonomic.motions, positions)
    zero = np.zeros((len(held), y_to_q.shape[1]))
    p = rows.inverse(-np.vstack([slopes.w_q @ y_to_q, zero]))
    p = p - z @ p[speeds]
    n, d = len(positions), len(speeds)
    by_x = np.hstack([slopes.r_q @ y_to_q + slopes.r_v @ p, slopes.r_v @ z])
    turned = np.hstack([slopes.s_q @ y_to_q + slopes.s_v @ p, slopes.s_v @ z])
    rates = np.vstack([turned, np.zeros((len(held), n + d))])
    da, dlam = rows.solve(x.mass, -by_x, -rates)
    arrays = jac, np.column_stack([x.force, -by_x]), np.column_stack([np.concatenate([x.gamma, none]), -rates])
    solved = *arrays, np.column_stack([a, da]), np.column_stack([lam, dlam])
    mass = z.T @ x.mass @ z
    upper = np.hstack([p[positions], z[positions]])
    lower = da[speeds]
    made = Linear(
        t, q, v, a, lam[: functions.m], x, rows, slopes, positions, speeds, y_to_q, p, z, dlam[: functions.m], mass,
        -mass @ lower[:, n:], -mass @ lower[:, :n], np.vstack([upper, lower]),
        held, solved,
    )  # fmt: skip
    if not np.isfinite(made.A).all():
        raise SingularError(
            asked,
            "derivatives without a finite value",
            "an expression has no derivative at this state",
            "take another state, or guard the expression",
        )
    return made


def check_solved(functions: Derivatives, here: Linear) -> None:
    """Refuse accelerations, or changes of them with the state, that do not satisfy M a + J^T lam = f, J a = b."""
    jac, f, b, a, lam = here.solved
    x, count = here.values, a.shape[1]
    # rows that contradict each other by some part are all served a little by least squares, and off by some times that part
    size = np.max(np.abs(x.jac[: functions.h]), axis=1, initial=0.0)
    off = float(np.max(np.abs(x.phi) / np.where(size > 0.0, size, 1.0), initial=0.0))
    mass, rows = np.broadcast_to(x.mass, (count, *x.mass.shape)), np.broadcast_to(jac, (count, *jac.shape))
    every = [mass, rows, f.T, b.T]
    found = judge(functions.system, np.full(count, here.t), every, a.T, lam.T, blur=10.0 * off, together=True)
    found.refuse(functions.asked)


def _based(motions: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The same motions, one for a unit change of each chosen coordinate."""
    made: np.ndarray = np.linalg.solve(motions[chosen].T, motions.T).T
    return made


def _preference(functions: Derivatives, t: float, q: np.ndarray, v: np.ndarray, x: Values, a: np.ndarray) -> np.ndarray:
    """Which coordinates shall follow the others, so that a steady motion has constant coefficients where it can.

    First those that accelerate, then those whose columns in the rows stay the same along the motion: of a disk that rolls in a circle
    the place on the floor, not the roll angle.
    """
    moving = np.abs(a) > 1e-8 * max(float(np.max(np.abs(a), initial=0.0)), 1e-300)
    fast = float(np.max(np.abs(v), initial=0.0))
    dt = 1e-2 / fast if fast > 0.0 else 0.0
    change = np.max(np.abs(functions.values(t + dt, q + dt * v, v).jac - x.jac), axis=0, initial=0.0)
    same = change <= 1e-9 * max(float(np.max(np.abs(x.jac), initial=0.0)), 1e-300)
    return np.where(moving, 1e4, np.where(same, 1e2, 1.0))


def _independent(rows: Rows, holonomic: Rows, jac: np.ndarray, prefer: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates, and rates among theirs, that determine the others."""
    n, size = len(prefer), rows.size
    positions = np.setdiff1d(np.arange(n), _pivots(holonomic.row_space * prefer, holonomic.rank))
    more = rows.rank - holonomic.rank
    left = (rows.scale[:, None] * (jac @ _based(holonomic.motions, positions))) * (size * prefer)[positions]
    speeds = np.delete(positions, _pivots(left, more))
    return positions, speeds


def _pivots(matrix: np.ndarray, rank: int) -> np.ndarray:
    """Columns that carry the rank of a matrix."""
    from scipy.linalg import qr

    if rank == 0:
        return np.zeros(0, dtype=int)
    order: np.ndarray = qr(matrix, mode="r", pivoting=True)[1]
    return order[:rank]


def _check_finite(functions: Derivatives, x: Values, t: float, q: np.ndarray) -> None:
    if x.finite:
        return
    names = functions.q
    bad = [f"the inertia of {name!r}" for name, row in zip(names, x.mass) if not np.isfinite(row).all()]
    bad += [f"the force on {name!r}" for name, f in zip(names, x.force) if not np.isfinite(f)]
    every = zip(functions.system.row_names, np.hstack([x.jac, x.w[:, None], x.gamma[:, None]]))
    bad += [f"row {name!r}" for name, row in every if not np.isfinite(row).all()]
    where = ", ".join(f"{name} = {value:g}" for name, value in zip(names, q))
    raise SingularError(
        functions.asked,
        f"{', '.join(bad)} without a finite value at t = {t:g} s, {where}",
        "an expression has no value or no derivative there",
        "take another state, or guard the expression",
    )


def _check_inertia(functions: Derivatives, mass: np.ndarray, rows: Rows) -> None:
    z = rows.motions
    values, vectors = np.linalg.eigh(z.T @ mass @ z)
    if values[0] > 1e-13 * max(float(values[-1]), 1e-300):
        return
    motion = np.abs(z @ vectors[:, 0]) / rows.size
    names = [name for name, part in zip(functions.q, motion) if part > 0.1 * np.max(motion)]
    raise SingularError(
        functions.asked,
        f"{', '.join(map(repr, names))} can change without inertia",
        "the kinetic energy is not positive for all velocities that the constraints allow",
        "add the missing term to kinetic=, or a constraint that ties the coordinate; at a pole of angles choose other ones",
    )


def check_rank(functions: Derivatives, here: Linear) -> None:
    """Refuse a position in which rows are dependent that are independent nearby."""
    rank, grip = here.rows.rank, np.eye(functions.n)[list(here.held)]
    if rank == len(here.rows.scale):
        return
    near = here.rows.motions / np.max(np.abs(here.rows.motions / here.rows.size[:, None]), axis=0)
    for motion in near.T:
        x = functions.values(here.t, here.q + 1e-3 * motion, here.v)
        if x.finite and Rows(np.vstack([x.jac, grip]), here.rows.size).rank > rank:
            raise SingularError(
                functions.asked,
                f"a singular position: {len(here.speeds)} free motions here, fewer nearby",
                "the free motions change their number here, so that no linear equations describe them",
                "take a state away from the singular position",
            )


@dataclass(frozen=True)
class Eigen:
    """Eigenvalues, exact zeros first, with their vectors (columns) and the fastest rate of the system."""

    values: np.ndarray
    vectors: np.ndarray
    zeros: int
    rate: float


def eigen(matrix: np.ndarray, units: np.ndarray) -> Eigen:
    """Eigenvalues of A; zero ones are split off by ranks, so that rounding does not spread those of free motions (Jordan blocks)."""
    n = len(matrix)
    b = matrix / units[:, None] * units
    size = float(np.linalg.norm(b, 2)) if n else 0.0
    basis, zeros = np.eye(n), 0
    while zeros < n:
        rest = basis[:, zeros:]
        _, s, vt = np.linalg.svd(rest.T @ b @ rest)
        none = s <= ZERO * max(size, 1e-300)
        if not none.any():
            break
        basis[:, zeros:] = rest @ np.vstack([vt[none], vt[~none]]).T
        zeros += int(none.sum())
    inner = basis.T @ b @ basis
    values, vectors = np.linalg.eig(inner[zeros:, zeros:])
    # (s - B11) x1 = B12 x2 brings in the free motions that a mode carries along
    first = [
        np.linalg.solve(s * np.eye(zeros) - np.triu(inner[:zeros, :zeros], 1), inner[:zeros, zeros:] @ x)
        for s, x in zip(values, vectors.T)
    ]
    whole = np.vstack([np.array(first, dtype=complex).reshape(len(values), zeros).T, vectors])
    made = np.hstack([basis[:, :zeros].astype(complex), basis @ whole])
    return Eigen(np.concatenate([np.zeros(zeros, dtype=complex), values]), units[:, None] * made, zeros, size)
