"""Whether positions and velocities satisfy the rows of a model; where they do not, who breaks them, by name and number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...errors import AssemblyError
from ...system.subspaces import null_space

if TYPE_CHECKING:
    from ...system.lagrange import LagrangeSystem
    from ...system.system import System
    from .dynamics import Dynamics

# scaled residual that counts as satisfied; round-off of a model of unit size is about 1e-15
TOLERANCE = 1e-12
# largest disagreement of redundant dimensions that is accepted (and reported): a rounding of drawings, not a different machine
DISAGREEMENT = 1e-6
# rows up to which those who break velocities are told apart from those who suffer (dense linear algebra)
LARGEST = 3000

# how messages about positions off the constraints begin
BROKEN = "constraints not satisfied"


def check_positions(here: Dynamics, asked: str, allowed: float, text: tuple[str, str]) -> float:
    """Refuse positions off the rows; return the largest disagreement of rows that were left out as dependent, `allowed` at most.

    `text`: why that is wrong and what to do.
    """
    residual = np.abs(here.phi) * here.scale
    worst = float(np.max(residual, initial=0.0, where=~here.dropped))
    left = float(np.max(residual, initial=0.0, where=here.dropped))
    finite, rounding = bool(np.all(np.isfinite(residual))), 10.0 * here.rounding
    far = here.too_far()
    if far is not None:
        raise AssemblyError(asked, *far)
    if finite and worst <= here.tolerance + rounding and left <= allowed + rounding:
        return left
    if finite and max(worst, left) <= allowed and here.contradicting():
        return max(worst, left)
    off = np.abs(here.work.y)
    listed = worst_parts(here.system, off if finite else np.where(np.isfinite(off), off, math.inf))
    if finite and worst <= 1e-9 + rounding and left > allowed:
        raise AssemblyError(asked, *here.disagreeing(listed, int(np.argmax(residual))))
    raise AssemblyError(asked, f"{BROKEN}: {listed}", *text)


def worst_parts(system: System | LagrangeSystem, residual: np.ndarray, count: int = 3) -> str:
    """The parts with the largest residual, with numbers and units; parts that hardly contribute are left out."""
    found: dict[str, tuple[float, str]] = {}
    for r, part in enumerate(system.row_parts):
        size, unit = float(residual[r]), system.told_row(r)[1]
        if part not in found or size > found[part][0]:
            found[part] = (size, unit if unit in ("m", "rad") else "")
    ordered = sorted(found.items(), key=lambda x: -x[1][0])[:count]
    ordered = [x for x in ordered if x[1][0] > 1e-6 * ordered[0][1][0]] or ordered[:1]
    return ", ".join(f"{part!r} by {size:.6g} {unit}".rstrip() for part, (size, unit) in ordered)


def check_velocities(here: Dynamics, asked: str, solved: bool = False) -> None:
    """Refuse velocities that break rows or contradict each other; `solved`: what is not given was solved for."""
    scale, stated = here.scale, here.stated
    # dimensions of a loop that disagree by d make its dependent rows disagree by about d times the speed
    disagreement = float(np.max(np.abs(here.phi) * scale, initial=0.0))
    residual = np.abs(here.w) * scale
    lost = list(dict.fromkeys(part for part, x in zip(here.system.row_parts, residual) if not np.isfinite(x)))
    if lost:
        raise AssemblyError(
            asked, f"{', '.join(repr(x) for x in lost[:4])} has no finite value in this pose",
            "an expression has no value or no slope there, or a disk lies flat on its plane and touches in no single point",
            "start from another pose, or guard the expression",
        )  # fmt: skip
    size = max(1.0, *(float(np.max(np.abs(x), initial=0.0)) for x in (here.driven_rates * scale, here.v)))
    # rows that were left out as dependent may contradict the others by what is accepted of dimensions, also where the pose hides it
    loose = np.where(here.dropped & ~stated, DISAGREEMENT, 0.0)
    if np.all(residual <= (1e-9 + 10.0 * disagreement + loose) * size):
        return
    broken = _broken(here, solved)
    if np.all(broken * scale <= 1e-9 * size) and np.all(residual[~here.dropped] <= 1e-9 * size):
        # nothing contradicts: rows that count as dependent are not quite
        raise AssemblyError(
            asked, f"rows that depend on the others almost, but not quite: {_rates_text(here, np.abs(here.w))}{_given(here)}",
            "the pose is so near to a singular one that rounding decides about velocities there",
            "draw the bodies in the singular position itself, or start further away from it",
        )  # fmt: skip
    found = f"they contradict the constraints: {_rates_text(here, broken)}{_given(here)}"
    raise AssemblyError(asked, found, *here.against(solved))


def _given(here: Dynamics) -> str:
    names = here.given
    listed = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
    return f"; given: {listed}" if names else ""


def _broken(here: Dynamics, solved: bool) -> np.ndarray:
    """By how much the given velocities break rows when everything that is not given adapts as well as it can.

    Where nothing was given (`solved`), the drivers that the other rows break.
    """
    stated, w = here.stated, here.w
    if solved and not stated.any():
        stated = ~here.driven
    if not stated.any() or stated.all() or len(w) > LARGEST:
        return np.abs(w)
    jac, nu = here.dense_jac, here.nu
    given, *_ = np.linalg.lstsq(jac[stated], nu[stated], rcond=None)
    # directions that keep the given velocities
    free = null_space(jac[stated])
    rest = jac[~stated]
    moved = rest @ free
    moved[np.abs(moved) <= 1e-12 * np.linalg.norm(rest, axis=1, keepdims=True)] = (
        0.0  # rounding must not let held rows move
    )
    move = np.linalg.lstsq(moved, nu[~stated] - rest @ given, rcond=None)[0] if free.size else np.zeros(0)
    broken = np.zeros(len(w))
    broken[~stated] = np.abs(rest @ (given + free @ move) - nu[~stated])
    broken[stated] = np.abs(jac[stated] @ given - nu[stated])
    return broken


def _rates_text(here: Dynamics, residual: np.ndarray) -> str:
    text = worst_parts(here.system, residual)
    return ", ".join(f"{part}/s" if part.endswith((" m", " rad")) else f"{part} 1/s" for part in text.split(", "))


def least_energy(mass: np.ndarray, rows: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The v with rows v = right (as well as they can be met) and the smallest v.M v."""
    u, s, vt = np.linalg.svd(rows)
    rank = int(np.sum(s > 1e-10 * max(float(np.max(s, initial=0.0)), 1e-300)))
    v = vt[:rank].T @ ((u[:, :rank].T @ right) / s[:rank])
    free = vt[rank:].T
    if free.shape[1]:
        v = v - free @ np.linalg.lstsq(free.T @ mass @ free, free.T @ mass @ v, rcond=None)[0]
    return np.asarray(v)
