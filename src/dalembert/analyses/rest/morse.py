"""How many equilibria there must be: Morse's inequalities for an energy on a torus.

On the torus of n angles a function without degenerate points has c_i stationary points of index i (number of negative eigenvalues), with

    sum_{j<=i} (-1)^(i-j) c_j >= sum_{j<=i} (-1)^(i-j) binomial(n, j),     equal for i = n: sum (-1)^i c_i = 0

so at least binomial(n, i) of index i, and 2^n in all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..equilibrium import Equilibrium

# rounds of further random starts while Morse's inequalities ask for more, and up to how many angles: 2^n grows
ROUNDS, FEW = 3, 6


def most_turned(dof: int) -> int:
    """How many places are tried with parts of equilibria turned over: enough for 2^n of a chain of few angles."""
    return 512 if dof <= FEW else 2 * dof


@dataclass(frozen=True)
class SearchReport:
    """How complete a list of equilibria is; prints as a sentence.

    Attributes
    ----------
    complete
        True: the whole closed path of one free motion was looked through; False: more must exist; None: not known.
    missing
        How many more must exist at least.
    free_motions
        Of the system.
    starts
        Places at which the search began, or places of the path.
    found
        Equilibria found.
    morse
        Equilibria that must exist at least, 2^n on the torus of n angles; 0 where no such number is known.
    words
        The same in words.
    """

    complete: bool | None
    missing: int
    free_motions: int
    starts: int
    found: int
    morse: int
    words: str

    def __str__(self) -> str:
        return self.words


def missing(n: int, known: Sequence[int]) -> int:
    """How many stationary points at least are missing on the torus of n angles, if those with these indices were found."""
    counts = [list(known).count(i) for i in range(n + 1)]
    lack = [math.comb(n, i) - c for i, c in enumerate(counts)]
    sums, last = [], 0
    for x in lack:
        last = x - last
        sums.append(last)
    # each index for itself; each inequality; the sum over all, which must be zero
    return max(sum(max(x, 0) for x in lack), *(max(x, 0) for x in sums), abs(last))


def indices(found: Sequence[Equilibrium]) -> list[int] | None:
    """Numbers of negative eigenvalues; None if some eigenvalue is zero or complex."""
    if any(np.iscomplexobj(e.eigenvalues) or np.min(np.abs(e.eigenvalues)) <= e._zero for e in found):
        return None
    return [int(np.sum(e.eigenvalues < 0.0)) for e in found]


def lacking(n: int, found: Sequence[Equilibrium]) -> int:
    """How many equilibria at least are missing on the torus of n angles; zero where they cannot be counted."""
    known = indices(found)
    return 0 if known is None else missing(n, known)


def report(dof: int, starts: int, turned: int, found: int, torus: bool, known: Sequence[int] | None) -> SearchReport:
    """What a search from many starts can say; `known`: the indices of what was found, None if some of them are degenerate."""
    begun = f"search: {starts} start{'s' * (starts != 1)}"
    if turned:
        begun += f" and {turned} with parts of equilibria turned over"
    open_end = "more may exist"
    if not torus:
        return SearchReport(None, 0, dof, starts + turned, found, 0, f"{begun}; {open_end}")
    least = 2**dof
    if known is None:
        why = f"Morse's inequalities do not count where a stiffness is zero; {open_end}"
        return SearchReport(None, 0, dof, starts + turned, found, 0, f"{begun}; {why}")
    lack = missing(dof, known)
    if lack:
        words = f"{begun}; incomplete: at least {lack} more exist (Morse's inequalities on the torus of {dof} angles); give more starts="
        return SearchReport(False, lack, dof, starts + turned, found, least, words)
    number = f"{least} is the least" if found == least else f"at least {least} exist"
    words = f"{begun}; Morse's inequalities hold ({number} on the torus of {dof} angles); {open_end}"
    return SearchReport(None, 0, dof, starts + turned, found, least, words)
