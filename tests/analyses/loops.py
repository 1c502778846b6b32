"""Closed loops of bars in space that the constraint doctor and others are tried on, at any place, in any unit, under any names."""

from __future__ import annotations

import math

import numpy as np

import dalembert as da

from .machines import PIN

BODIES, JOINTS = ("crank", "coupler", "rocker"), ("A", "B", "C", "D")
FB4_POINTS = [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (*PIN, 0.0), (4.0, 0.0, 0.0)]
UNTURNED = np.eye(3)
UPRIGHT = [(0.0, 0.0, 1.0)] * 4


def rotation(seed):
    """Random rotation matrix."""
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.sign(np.linalg.det(q))


def parallelogram(angle, crank=1.0, ground=2.0):
    """Joints of a parallelogram in the plane z = 0; flat for an angle of zero."""
    x, y = crank * math.cos(angle), crank * math.sin(angle)
    return [(0.0, 0.0, 0.0), (x, y, 0.0), (ground + x, y, 0.0), (ground, 0.0, 0.0)]


def bennett(alpha=0.9, beta=0.6, a=1.0, u=1.0):
    """Joints and axes of a Bennett linkage: opposite links alike, a / sin(alpha) = b / sin(beta).

    Its angles obey tan(u/2) tan(v/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2) (Bennett 1903; Hunt, Kinematic Geometry of
    Mechanisms, 1978); that the chain of frames closes is checked here.
    """
    b = a * math.sin(beta) / math.sin(alpha)
    v = 2.0 * math.atan(math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2) / math.tan(u / 2))
    p, r = np.zeros(3), np.eye(3)
    points, axes = [p], [r[:, 2]]
    for angle, length, twist in ((u, a, alpha), (v, b, beta), (-u, a, alpha), (-v, b, beta)):
        c, s = math.cos(angle), math.sin(angle)
        r = r @ [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        p = p + length * r[:, 0]
        c, s = math.cos(twist), math.sin(twist)
        r = r @ [[1, 0, 0], [0, c, -s], [0, s, c]]
        points.append(p)
        axes.append(r[:, 2])
    assert np.allclose(points[4], points[0], atol=1e-12) and np.allclose(axes[4], axes[0], atol=1e-12)
    return points[:4], axes[:4]


def loop(
    points,
    axes=UPRIGHT,
    turn=UNTURNED,
    unit=1.0,
    bodies=BODIES,
    joints=JOINTS,
    kinds=("revolute",) * 4,
    off=(0.0, 0.0, 0.0),
    tilt=0.0,
    down=(0.0, -9.81, 0.0),
):
    """Three bars and the ground, joined at four points about four axes.

    `turn` rotates everything, `unit` is how many units make a metre.  The last joint sits `off` (in axes of the last bar) where it
    should be on that bar, and its axis is tilted there by `tilt`.
    """
    points = [unit * turn @ np.asarray(p, dtype=float) for p in points]
    axes = [turn @ np.asarray(a, dtype=float) for a in axes]
    m = da.Mechanism("loop", plane=False, gravity=tuple(unit * turn @ np.array(down)))
    bars = [m.ground]
    for name, p, r, axis in zip(bodies, points[:3], points[1:], axes):
        length = np.linalg.norm(r - p)
        x = (r - p) / length
        z = axis - (axis @ x) * x
        z /= np.linalg.norm(z)
        mass, metres = 10.0 * length / unit, length / unit
        across, along = mass * (metres**2 + 0.01) / 12.0, mass * 0.02 / 12.0
        bars.append(
            m.body(
                name,
                mass=mass,
                inertia=tuple(unit**2 * i for i in (along, across, across)),
                at=tuple(0.5 * (p + r)),
                rotation=np.column_stack([x, np.cross(z, x), z]),
            )
        )
    for k, (name, kind) in enumerate(zip(joints, kinds)):
        pair = (bars[k], bars[(k + 1) % 4])
        options = {"at": tuple(points[k])}
        word = {"spherical": None, "point_on_line": "along"}.get(kind, "axis")
        if word:
            options[word] = tuple(axes[k])
        if k == 3 and (any(off) or tilt):
            half = 0.5 * np.linalg.norm(points[3] - points[2])
            options["on"] = bars[3].point(*(np.array([half, 0.0, 0.0]) + unit * np.array(off)))
            if tilt:
                x = points[3] - points[2]
                x /= np.linalg.norm(x)
                bent = math.cos(tilt) * axes[3] + math.sin(tilt) * np.cross(x, axes[3])
                options["axis"] = (tuple(axes[3]), tuple(bent))
                # the first body of the last joint is the bar
                options["axis"] = options["axis"][::-1]
        getattr(m, kind)(name, *pair, **options)
    return m
