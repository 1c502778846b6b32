"""Rules of quadrature over shapes: points with shares of the matter, exact for polynomials up to degree 2n − 1.

A rule is a list of nodes (point, share), the shares adding up to one.  Dimensions may be expressions: points are written with them, so that
a rule follows the parameters.  One Gauss point per direction gives the mass centre, two (degree 3) give mass, centre and inertia exactly: the
nodes are then an equimomental system of the body (PLANAR 6.1.20, 6.1.21; BASICS 8.24).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from ..expression import functions
from .reading import Array, Number, Point, is_plain, times, total

Node: TypeAlias = tuple[Point, Number]
Nodes: TypeAlias = list[Node]


@cache
def gauss(n: int) -> list[tuple[float, float]]:
    """Points in (−1, 1) and shares of Gauss and Legendre."""
    x, w = np.polynomial.legendre.leggauss(n)
    return [(float(a), float(b)) for a, b in zip(x, w / 2.0)]


def line(n: int, half: Number, middle: Number = 0.0) -> list[tuple[Number, float]]:
    """Points of a segment of half the length `half` about `middle`."""
    return [(total(middle, times(x, half)), w) for x, w in gauss(n)]


def root(x: Number) -> Number:
    """Square root of a number or an expression."""
    return math.sqrt(max(float(x), 0.0)) if is_plain(x) else functions.sqrt(x)  # type: ignore[arg-type]


def circle(n: int, outer: Number, inner: Number = 0.0) -> list[tuple[Number, Number, float]]:
    """Points (x, y) of a full disk or flat ring.

    Averages over the angle leave even powers of r: polynomials of u = r² of degree n − 1, with r dr = du/2.  Gauss in u, 2n equal angles.
    """
    found: list[tuple[Number, Number, float]] = []
    count = 2 * n if n > 1 else 1
    for u, w in gauss((n + 1) // 2):
        if is_plain(inner) and inner == 0.0:
            r = times(math.sqrt((1.0 + u) / 2.0), outer)
        else:
            r = root((1.0 + u) / 2.0 * outer**2 + (1.0 - u) / 2.0 * inner**2)
        if n == 1:
            return [(0.0, 0.0, 1.0)]
        for k in range(count):
            # half a step off the axes: points in pairs on both sides of them
            angle = 2.0 * math.pi * (k + 0.5) / count
            found.append((times(math.cos(angle), r), times(math.sin(angle), r), w / count))
    return found


@cache
def _half_chords(n: int) -> list[tuple[float, float]]:
    """Gauss rule on 0 … 1 with the weight √(1 − η²), the half chords of a half disk, from its own orthogonal polynomials.

    With η = sin φ the weight is cos² φ dφ, which Gauss and Legendre integrates to rounding; on these points the recurrence of the polynomials is
    found (Stieltjes), and its eigenvalues are the points of the rule (Golub and Welsch).
    """
    phi = np.array([math.pi / 4.0 * (1.0 + x) for x, _ in gauss(4 * n + 40)])
    w = np.array([v for _, v in gauss(4 * n + 40)]) * np.cos(phi) ** 2
    eta, w = np.sin(phi), w / w.sum()
    before, now = np.zeros(len(eta)), np.ones(len(eta))
    diagonal: list[float] = []
    beside: list[float] = []
    size = 1.0
    for k in range(n):
        middle = float(w @ (eta * now * now)) / size
        diagonal.append(middle)
        before, now = now, (eta - middle) * now - (beside[-1] if k else 0.0) * before
        larger = float(w @ (now * now))
        beside.append(larger / size)
        size = larger
    off = np.sqrt(beside[: n - 1])
    x, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(off, 1) + np.diag(off, -1))
    return [(float(a), float(b)) for a, b in zip(x, vectors[0] ** 2)]


def half_disk(n: int, radius: Number) -> list[tuple[Number, Number, float]]:
    """Points (x, y) of a half disk above the x axis: chords x = √(1 − η²) ξ at y = η, in units of the radius."""
    found: list[tuple[Number, Number, float]] = []
    for eta, v in _half_chords(n):
        half = math.sqrt(1.0 - eta * eta)
        found += [(times(half * xi, radius), times(eta, radius), v * w) for xi, w in gauss(n)]
    return found


def ball(n: int, radius: Number) -> Nodes:
    """Points of a solid sphere.

    Even powers of r are left, with weight r²: Gauss and Legendre over the whole diameter, of which one half is used; Gauss in the cosine of the
    polar angle, 2n equal angles about the axis.
    """
    if n == 1:
        return [((0.0, 0.0, 0.0), 1.0)]
    radii = [(x, w * x * x) for x, w in gauss(n + 1) if x > 1e-12]
    whole = sum(w for _, w in radii)
    nodes: Nodes = []
    for x, w in radii:
        for c, v in gauss(n):
            s = math.sqrt(1.0 - c * c)
            for k in range(2 * n):
                angle = math.pi * (k + 0.5) / n
                at = (s * math.cos(angle), s * math.sin(angle), c)
                nodes.append((tuple(times(x * e, radius) for e in at), w / whole * v / (2 * n)))
    return nodes


def triangle(n: int, a: Point, b: Point, c: Point) -> list[tuple[Number, Number, float]]:
    """Points of a triangle: r = a + u ((b − a) + v (c − b)) with the area 2A u du dv; the factor u asks for one degree more."""
    found: list[tuple[Number, Number, float]] = []
    for x, w in gauss(n if n == 1 else n + 1):
        u = (1.0 + x) / 2.0 if n > 1 else 2.0 / 3.0
        for y, v in gauss(n):
            s = (1.0 + y) / 2.0
            p = [total(times(1.0 - u, a[k]), times(u * (1.0 - s), b[k]), times(u * s, c[k])) for k in (0, 1)]
            found.append((p[0], p[1], (2.0 * u * w if n > 1 else w) * v))
    return found


def equimomental(mass: Number, inertia: Any, value: Callable[[Any], float] = float) -> Nodes:
    """Few points with the mass, the centre (the origin) and the inertia of a body that is known by these only.

    E = ∫ s sᵀ dm = ½ tr(J) 1 − J (BASICS 8.24) is split along its axes, E = m Σ σ_k² e_k e_kᵀ, and the points are Σ ± σ_k e_k with the signs of
    a tetrahedron (space), or a pair where only one σ is left.
    """
    entries = [[inertia[i][k] for k in range(3)] for i in range(3)]
    diagonal = all(is_plain(entries[i][k]) and entries[i][k] == 0.0 for i in range(3) for k in range(3) if i != k)
    axes: Any = np.eye(3)
    squares: Sequence[Number]
    if diagonal:
        half = total(entries[0][0], entries[1][1], entries[2][2]) / 2.0
        squares = [_over(half - entries[k][k], mass) for k in range(3)]
    else:
        # axes of a tensor with products of inertia are numbers: they follow parameters when the model is built anew
        J: Array = np.array([[x if is_plain(x) else value(x) for x in row] for row in entries], dtype=float)
        m = mass if is_plain(mass) else value(mass)
        moments, axes = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
        squares = [_over(float(x), m) for x in moments]
    largest = max((abs(float(x)) for x in squares if is_plain(x)), default=0.0)  # type: ignore[arg-type]
    used = [k for k in range(3) if not (is_plain(squares[k]) and float(squares[k]) <= 1e-15 * largest)]  # type: ignore[arg-type]
    if not used:
        return [((0.0, 0.0, 0.0), 1.0)]
    sizes = {k: root(squares[k]) for k in used}
    if len(used) == 1:
        signs: list[tuple[float, ...]] = [(1.0,), (-1.0,)]
    elif len(used) == 2:
        # corners of an equilateral triangle: Σ u uᵀ / 3 = 1
        turns = [2.0 * math.pi * k / 3.0 + math.pi / 2.0 for k in range(3)]
        signs = [(math.sqrt(2.0) * math.cos(a), math.sqrt(2.0) * math.sin(a)) for a in turns]
    else:
        signs = [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)]
    nodes: Nodes = []
    for sign in signs:
        arms = [times(s, sizes[k]) for s, k in zip(sign, used)]
        at = tuple(total(*(times(float(axes[i, k]), arm) for arm, k in zip(arms, used))) for i in range(3))
        nodes.append((at, 1.0 / len(signs)))
    return nodes


def _over(x: Number, mass: Number) -> Number:
    return 0.0 if is_plain(mass) and mass == 0.0 else x / mass


def merged(nodes: Nodes, flat: bool) -> Nodes:
    """Nodes at equal places as one; `flat` drops the third coordinate first."""
    found: dict[Any, Number] = {}
    for point, weight in nodes:
        at = (point[0], point[1], 0.0) if flat else (*point, 0.0)[:3]
        # +0.0 and −0.0, and what differs by rounding, are one place
        key = tuple(float(f"{x:.14g}") + 0.0 if is_plain(x) else x for x in at)
        found[key] = total(found.get(key, 0.0), weight)
    return list(found.items())
