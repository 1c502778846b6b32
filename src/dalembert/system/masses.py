"""Masses of the bodies as the kernels read them, and which solver they ask for."""

from __future__ import annotations

import math

import numpy as np

from .build import Builder

# masses of bodies may differ by this factor in the range space (moments of inertia by its square, for lengths differ too), where 1/m of
# the lightest body is added to that of the heaviest: so many digits of the heavy ones are lost, and the test of dependent rows sees the sum
_UNEVEN = 1e4


def singular_bodies(builder: Builder) -> list[int]:
    """Bodies whose mass matrix is singular: no mass, or an axis without inertia (particles excepted)."""
    return list(_kinds(builder)[0])


def uneven(builder: Builder) -> bool:
    """Whether masses differ too much for the range space."""
    return _kinds(builder)[1] > _UNEVEN


def refinements(builder: Builder) -> int:
    """How often a solution of the saddle-point system is refined: each time it gains the digits that the factor has right."""
    singular, ratio = _kinds(builder)
    return 3 if ratio > 1e9 else 2 if ratio > 1e6 else 1 if singular or ratio > _UNEVEN else 0


def _kinds(builder: Builder) -> tuple[list[int], float]:
    """Singular bodies; and the largest mass over the smallest, or the root of this ratio of moments of inertia, of bodies that have them."""
    if builder.mass_kinds is None:
        singular, masses, inertias = [], [], []
        for k, body in enumerate(builder.bodies):
            p = builder.drawing.matter(body)
            masses.append(p.mass)
            moments: list[float] = []
            if not body.particle:
                moments = [float(p.inertia[2, 2])] if builder.plane else np.linalg.eigvalsh(p.inertia).tolist()
                inertias.append(max(moments))
            # a small part of its own largest moment, or of that of its mass at the length of the model
            small = 1e-12 * max(*moments, p.mass * builder.drawing.extent**2 * 1e-9) if moments else 0.0
            if p.mass <= 0.0 or (moments and min(moments) <= small):
                singular.append(k)
        ratios = [max(x) / min(x) for x in ([y for y in z if y > 0.0] for z in (masses, inertias)) if x] + [1.0, 1.0]
        builder.mass_kinds = singular, max(ratios[0], math.sqrt(ratios[1]))
    return builder.mass_kinds


def mass_table(builder: Builder, saddle: bool) -> list[float]:
    """Mass records; unscaled (G = 1) for the saddle-point solver."""
    records: list[float] = []
    for body in builder.bodies:
        p = builder.drawing.matter(body)
        m, inertia = p.mass, np.asarray(p.inertia)
        root = math.sqrt(m)
        if builder.plane:
            polar = 0.0 if body.particle else float(inertia[2, 2])
            if saddle:
                records += [m, 1.0, 1.0, 0.0 if body.particle else 1.0, 1.0, m, polar]
            else:
                spin = math.sqrt(polar)
                records += [root, 1.0 / root, root, 0.0 if body.particle else 1.0 / spin, spin, m, polar]
            continue
        j = inertia
        upper = [j[0, 0], j[0, 1], j[0, 2], j[1, 1], j[1, 2], j[2, 2]]
        one = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]
        if body.particle:
            upper, inverse, lower_part = [0.0] * 6, [0.0] * 6, [0.0] * 6
        elif saddle:
            inverse, lower_part = one, one
        else:
            # J' = L L^T; the inverse of a triangular 3x3 matrix is short
            factor = np.linalg.cholesky(j)
            back = np.linalg.inv(factor)
            inverse = [back[0, 0], back[1, 0], back[1, 1], back[2, 0], back[2, 1], back[2, 2]]
            lower_part = [factor[0, 0], factor[1, 0], factor[1, 1], factor[2, 0], factor[2, 1], factor[2, 2]]
        scale = [m, 1.0, 1.0] if saddle else [root, 1.0 / root, root]
        records += [*scale, *map(float, upper), *map(float, inverse), *map(float, lower_part), m]
    return records


def weight_table(builder: Builder, row_bodies: list[list[int]], units: list[str]) -> list[float]:
    """Weights w of the rows in M + J^T w J: of those that touch a singular body."""
    singular = set(singular_bodies(builder))
    if not singular:
        return [0.0] * len(units)
    masses = (p.properties.mass for p in builder.drawing.poses.values() if p.properties is not None)
    scale = max((m for m in masses if m > 0.0), default=1.0)
    turning = scale * builder.drawing.extent**2
    return [
        (scale if unit == "m" else turning) if singular.intersection(bodies) else 0.0
        for bodies, unit in zip(row_bodies, units)
    ]
