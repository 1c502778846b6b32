"""Which of several one-sided contacts act: a small linear complementarity problem.

    w = A f + b,      f >= 0,   w >= 0,   f w = 0     for every contact

f are forces or impulses along the gaps, w what becomes of the gaps (rates or second rates), A their common mobility, symmetric and positive
semidefinite.  A contact may have partners: further rows, of either sign, that are at zero while it acts (a rough contact does not slip).

The active set is found by exchanging one contact at a time, always the first that is wrong (Murty's rule), which ends where A is positive definite;
where it does not, all sets are tried, for as many contacts as that is possible for.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

# parts of the largest term below which a number counts as zero
ROUNDING = 1e-11
# contacts for which all sets are tried: 2^12 small systems of equations
TRIED = 12


def complementary(
    A: np.ndarray, b: np.ndarray, partners: Sequence[Sequence[int]] = (), first: Iterable[int] = ()
) -> tuple[np.ndarray, np.ndarray, list[int]] | None:
    """Forces f, what becomes of the gaps w, and the contacts that act; None if there is no solution.

    A and b are the mobility, and what becomes of all rows without forces: first the contacts, then partners, whose numbers `partners` has for every contact.
    The search begins with the contacts `first`.
    """
    n = len(partners) or len(b)
    owned = [list(x) for x in partners] or [[] for _ in range(n)]
    size = float(np.max(np.abs(b), initial=0.0))
    if size == 0.0:
        return np.zeros(len(b)), np.zeros(len(b)), []

    def tried(active: Sequence[int]) -> tuple[np.ndarray, np.ndarray, list[int]]:
        rows = [*active, *(p for k in active for p in owned[k])]
        f = np.zeros(len(b))
        if rows:
            # dependent contacts share what they carry: the smallest forces that fit
            f[rows] = np.linalg.lstsq(A[np.ix_(rows, rows)], -b[rows], rcond=1e-12)[0]
        w = A @ f + b
        force = float(np.max(np.abs(f), initial=0.0))
        wrong = [k for k in range(n) if (f[k] < -ROUNDING * force if k in active else w[k] < -ROUNDING * size)]
        # dependent rows that contradict each other
        wrong += [k for k in active if abs(w[k]) > 1e-8 * size and k not in wrong]
        return f, w, wrong

    active = sorted(set(first))
    for _ in range(4 * n * n + 8):
        f, w, wrong = tried(active)
        if not wrong:
            return f, w, active
        active = sorted({*active} ^ {min(wrong)})
    if n <= TRIED:
        for count in range(n + 1):
            for some in itertools.combinations(range(n), count):
                f, w, wrong = tried(some)
                if not wrong:
                    return f, w, list(some)
    return None
