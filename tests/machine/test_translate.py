"""Machine code of a kernel does what the kernel does as plain Python, construct by construct."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from dalembert.kernels.compiler import COMPILE, inlined, woven
from dalembert.machine.entry import Entry, Versions, kind_of, module_of
from dalembert.machine.translate import NotAKernelError

pytestmark = pytest.mark.skipif(not COMPILE, reason="nothing is compiled")


class Pair(NamedTuple):
    """A record."""

    scale: float
    count: int
    values: np.ndarray
    table: np.ndarray


def arithmetic(x: float, n):
    y = n * x + 3
    y -= x / n
    z = n // 3 + n % 5 - (n << 2) + (n & 6 | 1)
    return y**2 * x**3 + z + (n + 1) / 2 - -x + x**0.5 + 2**n


def conditions(x: float, n):
    total = 0.0
    if x > 1.0 and n != 3 or not x < 0.5:
        total += 1.0
    elif 0.2 <= x < 0.4:
        total += 2.0
    else:
        total += 4.0
    total += 10.0 if x != x else 20.0
    if n in (1, 2, 5):
        total += 100.0
    return total + (n if x > 0.7 else 0.25)


def loops(x: float, n):
    total, k = 0.0, 0
    for i in range(n):
        if i == 3:
            continue
        if i > 7:
            break
        for j in range(n, i, -2):
            total += i * j * x
    while True:
        k += 1
        if k * k > n:
            break
    for a, b in ((x, 1), (2.0 * x, 2)):
        total += a * b
    return total + k


def functions(x: float, n):
    total = abs(-x) + abs(-n) + min(x, 0.5) + max(n, 2, 1) + math.sqrt(x) + math.sin(x) * math.cos(x) + math.tan(x)
    total += (
        math.atan2(x, 2.0) + math.exp(-x) + math.log(1.0 + x) + math.hypot(x, 3.0) + math.floor(7.3 * x) + int(9.9 * x)
    )
    return total + (1.0 if math.isinf(x / 1e-320) else 0.0) + math.pi


@inlined
def swap(a, b):
    return b, a


@woven
def sized(w, x):
    if w == 3:
        return 1.0 * x
    return x.no_such_thing


def first_or(x, given=7.0, more=0.5):
    return x * given + more


def calls(x: float, n):
    a, b = swap(x, n)
    a, b = b, a + b
    return a - 2.0 * b + sized(3, x) + first_or(x, more=2) + first_or(x, 1)


def arrays(x: float, n):
    return x * n


def memory(values, table, out, n):
    part = values[1:n]
    part[0] = 5.0
    out[-1] = part.shape[0] + values.shape[0] + table.shape[1] + len(out)
    row = table[1]
    row[0], row[1] = row[1], row[0]
    table[0, 2] += values[2]
    square = out[0:4].reshape((2, 2))
    square[1, 1] = table[0, 2]
    for k in range(part.shape[0]):
        out[0] += part[k]


def record(pair, out):
    for k in range(pair.count):
        out[k] = pair.scale * pair.values[k] + pair.table[k, 1]
    return pair.count


NUMBERS = (arithmetic, conditions, loops, functions, calls, arrays)


@pytest.mark.parametrize("function", NUMBERS)
def test_numbers(function):
    entry = Entry(function, lambda: "test")
    for n in (1, 2, 3, 5, 9):
        for x in (0.1, 0.3, 0.8, 1.7):
            assert entry(x, n) == pytest.approx(function(x, n), rel=1e-14)


def test_memory():
    rng = np.random.default_rng(1)
    given = [rng.uniform(size=5), rng.uniform(size=(2, 3)), rng.uniform(size=7)]
    plain, compiled = [x.copy() for x in given], [x.copy() for x in given]
    memory(*plain, 4)
    Entry(memory, lambda: "test")(*compiled, 4)
    for x, y, before in zip(plain, compiled, given):
        assert np.allclose(x, y, rtol=1e-15) and not np.array_equal(x, before)


def test_records():
    pair, out, expected = Pair(2.5, 3, np.arange(4.0), np.arange(8.0).reshape(4, 2)), np.zeros(3), np.zeros(3)
    assert Entry(record, lambda: "test")(pair, out) == record(pair, expected) == 3
    assert np.array_equal(out, expected) and out.any()


def of_kind(pair, x: float):
    if pair.count == 0:
        return x
    if pair.count == 1:
        return pair.scale * x + sum_of(pair)
    return -x


def sum_of(pair):
    total = 0.0
    for k in range(pair.values.shape[0]):
        total += pair.values[k]
    return total


def test_versions_by_a_field_of_a_record():
    """A version each, made when it is needed; the branches of the others are not in it."""
    made = Versions(of_kind, lambda: "test", "pair", "count", 3, vectors=True)
    for count in (2, 0, 1):
        pair = Pair(2.0, count, np.array([1.0, 2.5]), np.zeros((1, 1), dtype=np.int64))
        assert made.versions[count]._call is None
        assert made(pair, 4.0) == of_kind(pair, 4.0)
    given = Pair(2.0, 0, np.zeros(1), np.zeros((1, 1), dtype=np.int64)), 4.0
    texts = [module_of(of_kind, version._types(given), version._decided) for version in made.versions]
    assert ["sum_of" in text for text in texts] == [False, True, False]


def wrong_loop(x: float):
    for y in [x]:
        x += y
    return x


def wrong_kind(x: float):
    y = x
    y = (x, x)
    return y[0]


def wrong_name(x: float):
    return x + no_such_name  # noqa: F821


@pytest.mark.parametrize(
    ("function", "error"), [(wrong_loop, NotAKernelError), (wrong_kind, NotAKernelError), (wrong_name, NotAKernelError)]
)
def test_what_is_not_a_kernel_is_refused(function, error):
    with pytest.raises(error):
        module_of(function, (kind_of(1.0),))
