"""Euler angles of rotation matrices: three turns about body axes, one after the other.

    A = A_i(a) A_j(b) A_k(c)      z-y-z and the like (first and last axis the same), or x-y-z and the like (all different)

With z-y-z as in LAGRANGE 1.5, A = A_z(phi) A_y(theta) A_z(psi), the angular velocity in space axes is
(-sin phi theta' + cos phi sin theta psi', cos phi theta' + sin phi sin theta psi', phi' + cos theta psi').
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MethodError, SingularError, shown

# sine (or cosine) of the middle angle below which the other two are not defined
SINGULAR = 1e-9
_AXES = {"x": 0, "y": 1, "z": 2}


def euler_angles(asked: str, rotation: Any, axes: Any, t: Any) -> np.ndarray:
    """Angles (time, 3) of matrices (time, 3, 3), without jumps of whole turns from one output to the next."""
    known = isinstance(axes, str) and len(axes) == 3 and set(axes) <= set(_AXES) and axes[0] != axes[1] != axes[2]
    if not known:
        raise MethodError(
            asked,
            f"axes = {shown(axes)}",
            "three letters x, y, z are needed, neighbours different",
            "give 'zyz', 'zxz' or 'xyz'",
        )
    i, j, k = (_AXES[a] for a in axes)
    a = np.asarray(rotation, dtype=float)
    third = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0  # of e_i x e_j = sign e_third
    if i == k:
        # a_ii = cos b; column i of A is A_i(a) A_j(b) e_i, row i is e_i^T A_j(b) A_i(c)
        first = np.arctan2(a[:, j, i], -sign * a[:, third, i])
        last = np.arctan2(a[:, i, j], sign * a[:, i, third])
        middle = np.arctan2(np.hypot(a[:, j, i], a[:, third, i]), a[:, i, i])
        lost = np.abs(np.sin(middle))
    else:
        # column k of A is A_i(a) A_j(b) e_k, row i is e_i^T A_j(b) A_k(c)
        first = np.arctan2(-sign * a[:, j, k], a[:, k, k])
        last = np.arctan2(-sign * a[:, i, j], a[:, i, i])
        middle = np.arctan2(sign * a[:, i, k], np.hypot(a[:, i, i], a[:, i, j]))
        lost = np.abs(np.cos(middle))
    bad = np.flatnonzero(~(lost > SINGULAR))
    if bad.size:
        raise SingularError(
            f"{asked} about {axes}", f"at t = {t[bad[0]]:.9g} s the middle angle is {middle[bad[0]]:.6g} rad",
            "there the first and the last turn are about the same axis, and only their sum or difference is defined",
            "choose other axes, for example 'xyz' in place of 'zyz', or use .rotation",
        )  # fmt: skip
    found = np.stack([first, middle, last], axis=1)
    return _without_flips(found, i == k)


def _without_flips(found: np.ndarray, proper: bool) -> np.ndarray:
    """Of the two triples of angles that are the same rotation, the one that goes on from the output before; whole turns added."""
    made = found.copy()
    for n in range(1, len(made)):
        a, b, c = made[n]
        other = (a + np.pi, -b if proper else np.pi - b, c + np.pi)
        near = [
            np.array(x) + 2.0 * np.pi * np.round((made[n - 1] - np.array(x)) / (2.0 * np.pi))
            for x in ((a, b, c), other)
        ]
        made[n] = min(near, key=lambda x: float(np.max(np.abs(x - made[n - 1]))))
    return made
