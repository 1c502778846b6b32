"""Friction of joints and rows in a blow: impulses p along what slips, and those of what presses, found together.

    u+ = u + A p          lam = lam0 + L p

    |p| <= static N(lam);   where u+ is not 0:   p = -mu N(lam) u+/|u+|

N is the sum of the sizes of what presses, in either direction, so that its cone is open to both sides.  Of what sticks u+ = 0 gives p as a linear function of the sizes g of
what slips, for which g = mu N(lam(g)) is solved as for forces (`friction.py`).  At first all stick; what is beyond its limit is let go, what would slip against
its direction sticks again, and where that does not come to an end all choices are tried for a few elements.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .friction import Sliding, sizes

# what an impulse may exceed its limit by, and a rate may be off, as parts of themselves
ROUNDING = 1e-9
# rounds in which a direction of slipping is found, and what it changes by in the last
ROUNDS, SAME = 200, 1e-13
# elements for which all choices are tried: 3^6 of them
TRIED = 6


@dataclass(frozen=True)
class Rubbing(Sliding):
    """An element in a blow: `laws` are the places of its components among u, `law` is mu; `static` is what it holds with."""

    static: float = 0.0


@dataclass(frozen=True)
class _Tried:
    """Impulses of a choice; elements beyond their limit, with the direction in which they are let go, or None for those that stick again."""

    p: np.ndarray
    wrong: list[tuple[float, int, np.ndarray | None]]


def friction_impulses(
    u: np.ndarray, A: np.ndarray, lam: np.ndarray, L: np.ndarray, some: Sequence[Rubbing]
) -> np.ndarray | None:
    """Impulses of all elements; None where there are none, or no unique ones."""
    ways: list[np.ndarray | None] = [None] * len(some)
    for _ in range(4 * len(some) + 1):
        found = _tried(u, A, lam, L, some, ways)
        if found is None:
            break
        if not found.wrong:
            return found.p
        _, k, way = max(found.wrong, key=lambda x: x[0])
        ways[k] = way
    if len(some) > TRIED:
        return None
    options: list[tuple[np.ndarray | None, ...]] = [
        (None, np.ones(1), -np.ones(1)) if len(one.laws) == 1 else (None, *(x for x in (way,) if x is not None))
        for one, way in zip(some, ways)
    ]
    for choice in sorted(itertools.product(*options), key=lambda c: sum(x is not None for x in c)):
        found = _tried(u, A, lam, L, some, list(choice))
        if found is not None and not found.wrong:
            return found.p
    return None


def _tried(
    u: np.ndarray, A: np.ndarray, lam: np.ndarray, L: np.ndarray, some: Sequence[Rubbing], ways: list[np.ndarray | None]
) -> _Tried | None:
    """What a choice leads to: each element sticks (None), or slips in a direction, which is found where it has several components."""
    ways = list(ways)
    for _ in range(ROUNDS):
        p = _impulses(u, A, lam, L, some, ways)
        if p is None:
            return None
        turned, after = 0.0, u + A @ p
        for k, one in enumerate(some):
            way, rate = ways[k], after[list(one.laws)]
            if way is not None and len(way) > 1 and float(np.linalg.norm(rate)) > 0.0:
                made = rate / float(np.linalg.norm(rate))
                turned = max(turned, float(np.max(np.abs(made - way))))
                ways[k] = made
        if turned <= SAME:
            return _Tried(p, _wrong(u, A, lam, L, some, ways, p))
    return None


def _impulses(
    u: np.ndarray, A: np.ndarray, lam: np.ndarray, L: np.ndarray, some: Sequence[Rubbing], ways: list[np.ndarray | None]
) -> np.ndarray | None:
    slips = [one for one, way in zip(some, ways) if way is not None]
    directions = np.zeros((len(u), len(slips)))
    for n, (one, way) in enumerate((one, way) for one, way in zip(some, ways) if way is not None):
        directions[list(one.laws), n] = -way
    held = [place for one, way in zip(some, ways) if way is None for place in one.laws]
    back = np.linalg.pinv(A[np.ix_(held, held)], rcond=1e-12, hermitian=True)
    p0 = np.zeros(len(u))
    p0[held] = -back @ u[held]
    directions[held] = -back @ (A[held] @ directions)
    mu = np.array([one.law for one in slips])
    g, matrix = sizes(slips, lam + L @ p0, L @ directions, mu, np.zeros(len(slips)))
    return None if g is None or not np.linalg.det(matrix) > 0.0 else p0 + directions @ g


def _wrong(
    u: np.ndarray,
    A: np.ndarray,
    lam: np.ndarray,
    L: np.ndarray,
    some: Sequence[Rubbing],
    ways: list[np.ndarray | None],
    p: np.ndarray,
) -> list[tuple[float, int, np.ndarray | None]]:
    """Elements that do not do what they were chosen for: by how much, as a part, and what they do instead."""
    after, found = u + A @ p, list[tuple[float, int, np.ndarray | None]]()
    size = float(np.max(np.abs(u) + np.abs(A) @ np.abs(p), initial=1e-300))
    largest = float(np.max(np.abs(p), initial=1e-300))
    for k, one in enumerate(some):
        own, rate, way = p[list(one.laws)], after[list(one.laws)], ways[k]
        if way is not None:
            back = -float(way @ rate)
            found += [(back / size, k, None)] if back > ROUNDING * size else []
            continue
        speed, force = float(np.linalg.norm(rate)), float(np.linalg.norm(own))
        beyond = force - one.static * one.pressure(lam + L @ p)[0]
        if speed > ROUNDING * size:
            # no impulse along it changes its rate: others alone decide about it
            found.append((speed / size, k, rate / speed))
        elif beyond > ROUNDING * largest:
            found.append((beyond / largest, k, -own / force))
    return found
