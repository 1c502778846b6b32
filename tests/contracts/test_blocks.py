"""Unrolled block routines against the readable ones of `kernels/blocks.py`, for all sizes, on random memory.

Both are called by the names of their arguments with places in one random array, so that a test follows when arguments change.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from dalembert.kernels import blocks, unroll
from dalembert.kernels.compiler import COMPILE, sources
from dalembert.machine.entry import Entry

WIDTHS = (3, 6)
ROUTINES = ("form", "eliminate", "factor", "forward_off", "forward", "back", "back_off")
OF_TWO = ("eliminate", "forward_off", "back_off")  # routines of a pair of blocks
SIZES = [(name, n, m, w) for name in ROUTINES for w in WIDTHS for n in range(1, w + 1) for m in range(1, w + 1)]
SIZES = [(name, n, m, w) for name, n, m, w in SIZES if name in OF_TWO or m == 1]
# the same sums in another order: round-off of some dozen terms of size 1
ROUND = 1e-12


class Memory:
    """Random places in F, and tables in I, for one call of a routine with blocks of n and m rows."""

    def __init__(self, n: int, m: int, w: int) -> None:
        rng = np.random.default_rng([n, m, w])
        self.size, self.ints = 0, []
        bodies, earlier = 3, (2, 1)  # bodies of block k; rows of earlier columns that fill the off-diagonal block
        places = {
            "acc": self.take(w * (bodies + 2)), "jo": self.take(bodies * n * w), "do": self.take(n * (n + 1) // 2),
            "dl": self.take(m * (m + 1) // 2), "lo": self.take(n * m), "xo": self.take(n * m), "yo": self.take(n),
            "yl": self.take(m), "lam": self.take(n), "lam_k": self.take(n), "lam_l": self.take(m), "floor": self.take(n),
            "bias": self.take(n), "drive": self.take(3 * n),
        }  # fmt: skip
        places["s0"] = len(self.ints)
        self.ints += [w * b for b in rng.permutation(bodies + 2)[:bodies]]
        places["s1"] = len(self.ints)
        places["p0"] = len(self.ints)
        for _ in range(2):
            self.ints += [self.take(n * w), self.take(m * w)]
        places["p1"] = len(self.ints)
        places["u0"] = len(self.ints)
        for h in earlier:
            self.ints += [self.take(n * h), self.take(m * h), h, self.take(h * (h + 1) // 2)]
        places["u1"] = len(self.ints)
        self.I = np.array(self.ints, dtype=np.int64)
        self.F = rng.uniform(-1, 1, self.size)
        # a diagonal block with pivots away from zero, and a floor that leaves one row out
        for a in range(n):
            self.F[places["do"] + a * (a + 1) // 2 + a] += 5.0
        self.F[places["floor"] : places["floor"] + n] = 0.0
        self.F[places["floor"] + n // 2] = np.inf if n > 1 else 0.0
        self.arguments = {**places, "n": n, "m": m, "w": w, "I": self.I, "F": self.F}

    def take(self, count: int) -> int:
        self.size += count
        return self.size - count

    def call(self, function) -> np.ndarray:
        """Memory after a call."""
        arguments = dict(self.arguments, F=self.F.copy())
        function(*(arguments[name] for name in inspect.signature(function).parameters))
        return arguments["F"]


def written_out(name: str, n: int, m: int, w: int, compiled: bool = False):
    """The unrolled routines for these sizes: by the size of the column block, and by both sizes."""
    found = [unroll.unrolled(name, m if name in OF_TWO else n, w, compiled=compiled)]
    if name == "eliminate":
        found.append(unroll.unrolled(name, m, w, rows=n, compiled=compiled))
    return found


@pytest.mark.parametrize(("name", "n", "m", "w"), SIZES)
def test_unrolled_is_readable(name, n, m, w):
    memory = Memory(n, m, w)
    expected = memory.call(getattr(blocks, name))
    assert not np.array_equal(expected, memory.F), "the routine does nothing: nothing is tested"
    for routine in written_out(name, n, m, w):
        assert memory.call(routine) == pytest.approx(expected, rel=ROUND, abs=ROUND)


@pytest.mark.skipif(not COMPILE, reason="nothing is compiled")
@pytest.mark.parametrize(("name", "n", "m", "w"), SIZES)
def test_machine_code_of_the_unrolled(name, n, m, w):
    memory = Memory(n, m, w)
    expected = memory.call(getattr(blocks, name))
    for k, routine in enumerate(written_out(name, n, m, w, compiled=True)):
        # sizes are not in the text of a routine
        entry = Entry(routine, lambda k=k: f"{sources()} {name} {n} {m} {w} {k}")
        assert memory.call(entry) == pytest.approx(expected, rel=ROUND, abs=ROUND)


def test_pairs_that_are_written_out_exist():
    for w, pairs in unroll.PAIRS.items():
        assert w in WIDTHS and all(1 <= n <= w and 1 <= m <= w for n, m in pairs)


@pytest.mark.parametrize("w", WIDTHS)
def test_readable_routines_solve(w):
    # three blocks in a row, each coupled to the one before by a shared body: the block solve is the dense solve
    rng = np.random.default_rng(w)
    sizes = (2, w, 1)
    bodies = [(0, 1), (1, 2), (2, 3)]
    nb = 4
    jac = [[rng.uniform(-1, 1, (n, w)) for _ in pair] for n, pair in zip(sizes, bodies)]
    dense = np.zeros((sum(sizes), nb * w))
    first = np.cumsum([0, *sizes])
    for k, pair in enumerate(bodies):
        for s, b in enumerate(pair):
            dense[first[k] : first[k + 1], w * b : w * (b + 1)] = jac[k][s]
    rank = np.linalg.matrix_rank(dense)
    assert rank == len(dense)
    a0, gamma = rng.uniform(-1, 1, nb * w), rng.uniform(-1, 1, len(dense))
    lam = np.linalg.solve(dense @ dense.T, dense @ a0 - gamma)
    # memory: acc, y, lam, floor, wrenches, diagonal and off-diagonal blocks
    place, size = {}, 0
    for key, count in [
        ("acc", nb * w), ("y", len(dense)), ("lam", len(dense)), ("floor", len(dense)),
        ("bias", len(dense)), ("drive", 3 * len(dense)), *((("j", k), 2 * n * w) for k, n in enumerate(sizes)), *((("d", k), n * (n + 1) // 2) for k, n in enumerate(sizes)),
        *((("l", k), sizes[k] * sizes[k - 1]) for k in (1, 2)),
    ]:  # fmt: skip
        place[key] = size
        size += count
    F = np.zeros(size)
    F[place["acc"] : place["acc"] + nb * w] = a0
    # gamma = c'' - bias
    F[place["bias"] : place["bias"] + len(dense)] = -0.25 * gamma
    F[place["drive"] + 2 : place["drive"] + 3 * len(dense) : 3] = 0.75 * gamma
    for k, pair in enumerate(jac):
        F[place["j", k] : place["j", k] + 2 * sizes[k] * w] = np.concatenate([x.ravel() for x in pair])
    slots = [w * b for pair in bodies for b in pair]
    pairs = [x for k in (1, 2) for x in (place["j", k], place["j", k - 1] + sizes[k - 1] * w)]
    I = np.array([*slots, *pairs])
    for k, n in enumerate(sizes):
        y, lam_k, do = place["y"] + first[k], place["lam"] + first[k], place["d", k]
        bias, drive = place["bias"] + first[k], place["drive"] + 3 * first[k]
        blocks.form(n, w, I, F, 2 * k, 2 * k + 2, place["acc"], place["j", k], do, y, bias, drive)
        if k:
            p = len(slots) + 2 * (k - 1)
            places = {
                "n": n, "m": sizes[k - 1], "w": w, "I": I, "F": F, "p0": p, "p1": p + 2, "u0": 0, "u1": 0, "lo": place["l", k],
                "do": do, "dl": place["d", k - 1], "yo": y, "lam_l": place["lam"] + first[k - 1], "yl": place["y"] + first[k - 1],
            }  # fmt: skip
            blocks.eliminate(**{name: places[name] for name in inspect.signature(blocks.eliminate).parameters})
        blocks.factor(n, F, do, place["floor"] + first[k], y, lam_k)
    for k in (2, 1, 0):
        lam_k = place["lam"] + first[k]
        blocks.back(sizes[k], w, I, F, 2 * k, 2 * k + 2, place["acc"], place["j", k], place["d", k], lam_k)
        if k:
            places = {
                "n": sizes[k],
                "m": sizes[k - 1],
                "F": F,
                "lo": place["l", k],
                "dl": place["d", k - 1],
                "lam_k": lam_k,
                "lam_l": place["lam"] + first[k - 1],
            }
            blocks.back_off(**{name: places[name] for name in inspect.signature(blocks.back_off).parameters})
    assert F[place["lam"] : place["lam"] + len(dense)] == pytest.approx(lam, rel=1e-9)
    assert F[place["acc"] : place["acc"] + nb * w] == pytest.approx(a0 - dense.T @ lam, rel=1e-9, abs=1e-9)
