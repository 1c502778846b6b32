"""Rotations given as matrix, quaternion, axis and angle, or SciPy Rotation describe the same body."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da

AXIS, ANGLE = np.array([0.3, -0.5, 0.8]), 1.1
SCIPY = Rotation.from_rotvec(AXIS / np.linalg.norm(AXIS) * ANGLE)
QUATERNION = np.roll(SCIPY.as_quat(), 1)  # SciPy puts the scalar last, we put it first


def body(rotation, parameters=()):
    m = da.Mechanism("one", plane=False, gravity=(0, 0, -9.81))
    for name, value in parameters:
        m.parameter(name, value)
    b = m.body(
        "b",
        mass=1.0,
        inertia=(0.1, 0.2, 0.25),
        at=(0.1, 0.2, 0.3),
        rotation=rotation,
        center=(0.05, 0, 0),
        spin=(1, 2, 3),
    )
    m.spherical("A", m.ground, b, at=(0, 0, 0))
    return m


FORMS = {
    "scipy": SCIPY,
    "matrix": SCIPY.as_matrix(),
    "nested list": SCIPY.as_matrix().tolist(),
    "quaternion": tuple(QUATERNION),
    "quaternion of length 2": 2 * QUATERNION,
    "opposite quaternion": -QUATERNION,
    "axis and angle": (AXIS, ANGLE),
    "long axis": ((3.0, -5.0, 8.0), ANGLE),
    "opposite axis": (tuple(-AXIS), -ANGLE),
    "a turn more": [AXIS.tolist(), ANGLE + 2 * math.pi],
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_draw_the_same_pose(form):
    q = da.compile(body(FORMS[form])).q0
    expected = np.concatenate([np.array([0.1, 0.2, 0.3]) + SCIPY.apply([0.05, 0, 0]), QUATERNION])
    assert np.abs(q - expected).max() < 1e-15 * 10  # a few roundings


def test_all_forms_move_alike():
    runs = [da.simulate(body(rotation), until=0.5) for rotation in FORMS.values()]
    for run in runs[1:]:
        # the poses agree to 1e-15; half a second of smooth motion multiplies that by less than 1e3
        assert np.abs(run["b"].position - runs[0]["b"].position).max() < 1e-12


@pytest.mark.parametrize("letter", ["x", "y", "z"])
def test_axes_by_letter(letter):
    q = da.compile(body((letter, 0.7))).q0
    assert np.abs(q[3:] - np.roll(Rotation.from_euler(letter, 0.7).as_quat(), 1)).max() < 1e-15


def test_a_turn_of_half_a_revolution():
    for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)):
        e = np.array(axis) / np.linalg.norm(axis)
        q = da.compile(body((axis, math.pi))).q0
        assert abs(abs(q[4:] @ e) - 1.0) < 1e-15 and abs(q[3]) < 1e-15


def test_rotations_may_use_parameters():
    """Angle, quaternion and matrix as expressions; the pose follows the parameter."""
    given = [("a", 0.4), ("c", math.cos(0.2)), ("s", math.sin(0.2))]
    forms = {
        "axis": ((0, 0, 1), "a"),
        "letter": ("z", "2*a - 0.4"),
        "quaternion": ("c", 0, 0, "s"),
        "matrix": (("cos(a)", "-sin(a)", 0), ("sin(a)", "cos(a)", 0), (0, 0, 1)),
    }
    for rotation in forms.values():
        m = body(rotation, given)
        assert np.abs(da.compile(m).q0[3:] - [math.cos(0.2), 0, 0, math.sin(0.2)]).max() < 1e-15 * 4
    m = body(forms["axis"], given)
    m.set_parameter("a", 1.0)
    assert np.abs(da.compile(m).q0[3:] - [math.cos(0.5), 0, 0, math.sin(0.5)]).max() < 1e-15 * 4
