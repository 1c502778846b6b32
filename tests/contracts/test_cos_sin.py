"""Cosine and sine computed together, against decimal arithmetic with 60 digits.

Tolerance: two units in the last place (4.5e-16 relative), next to a zero of sine or cosine too.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from dalembert.kernels import scalar
from dalembert.kernels.compiler import entry

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620900")
LAST_PLACES = 4.5e-16


def exact(x: float) -> tuple[Decimal, Decimal]:
    """Cosine and sine by their series, after taking off multiples of pi/2; a float is an exact decimal."""
    with localcontext() as context:
        context.prec = 75
        k = (Decimal(x) / (PI / 2)).to_integral_value()
        y = Decimal(x) - k * PI / 2
        cosine, sine, term = Decimal(0), Decimal(0), Decimal(1)
        for n in range(60):
            part = (cosine, sine)[n % 2] + (term if n % 4 < 2 else -term)
            cosine, sine = (part, sine) if n % 2 == 0 else (cosine, part)
            term = term * y / (n + 1)
        for _ in range(int(k) % 4):
            cosine, sine = -sine, cosine
        return cosine, sine


def angles() -> list[float]:
    rng = np.random.default_rng(7)
    wide = [s * 10.0 ** rng.uniform(-9, 4.99) for s in (1, -1) for _ in range(150)]
    near_zero = [k * math.pi / 2 * (1 + e) for k in (*range(-9, 10), 63001, -40000) for e in (0.0, 2.2e-16, -1e-12)]
    return [0.0, -0.0, 1e-300, 99999.9, *wide, *near_zero]


@entry
def put(x: float, out):
    """As other kernels use it; they are compiled with reassociation, which must not reach it."""
    out[0], out[1] = scalar.cos_sin(x)


def compiled(x):
    out = np.zeros(2)
    put(x, out)
    return tuple(out)


@pytest.mark.parametrize("function", [scalar.cos_sin, compiled])
def test_two_last_places(function):
    for x in angles():
        for found, expected in zip(function(x), exact(x)):
            assert abs(Decimal(found) - expected) <= Decimal(LAST_PLACES) * abs(expected), x


def test_large_angles_and_no_numbers():
    assert compiled(1e5) == (math.cos(1e5), math.sin(1e5))
    assert compiled(-3e17) == (math.cos(-3e17), math.sin(-3e17))
    assert all(map(math.isnan, compiled(math.nan)))
