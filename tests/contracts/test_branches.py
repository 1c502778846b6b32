"""Contract over the registry: rows that hold mean that the joint holds.

From random relative poses Newton's method finds poses with phi = 0.  Each must be one that the joint allows, told by geometry alone (points
and axes of both bodies in numpy, nothing of the rows), or one that assembly refuses as the wrong way round.
"""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.assembly.senses import check_senses
from dalembert.model.joints import JOINTS
from dalembert.model.reading import about_axis, quaternion_matrix

from .motion import at, flow
from .samples import case_id, generator, joint_cases, sample

# poses that Newton's method is started from
STARTS = 12
# accuracy of the poses found, and of geometry that follows from them
CLOSE = 1e-9


def placed(system, joint, q):
    """Rotation of marker j seen from marker i, and the way from i to j in axes of i."""
    i, j = system.builder.drawing.attach(joint.markers[0], joint.markers[-1])
    ends = []
    for end in (i, j):
        if end.body.is_ground:
            ends.append((end.axes, end.point))
            continue
        b = system.builder.body_index(end.body)
        if system.plane:
            x, y, phi = q[3 * b : 3 * b + 3]
            rotation, centre = about_axis(np.array([0.0, 0.0, 1.0]), phi), np.array([x, y, 0.0])
        else:
            rotation, centre = quaternion_matrix(q[7 * b + 3 : 7 * b + 7]), q[7 * b : 7 * b + 3]
        ends.append((rotation @ end.axes, centre + rotation @ end.point))
    (a, p), (b, r) = ends
    return a.T @ b, a.T @ (r - p)


def turn(R):
    """Angle about z that takes x of i to x of j."""
    return np.arctan2(R[1, 0], R[0, 0])


def upright(R):
    return R[2, 2] - 1.0


def whole(x):
    """Distance from a whole number of turns."""
    return (x + np.pi) % (2 * np.pi) - np.pi


# what each joint in space leaves zero: R the rotation from i to j, d the way, drawn R0, d0
SPACE = {
    "revolute": lambda p, R, d, R0, d0: [*d, upright(R)],
    "cylindrical": lambda p, R, d, R0, d0: [*d[:2], upright(R)],
    "screw": lambda p, R, d, R0, d0: [
        *d[:2],
        upright(R),
        whole((d[2] - 0.3 * turn(R) / (2 * np.pi)) * 2 * np.pi / 0.3),
    ],
    "prismatic": lambda p, R, d, R0, d0: [*d[:2], *(R - np.eye(3)).ravel()],
    "planar": lambda p, R, d, R0, d0: [d[2], upright(R)],
    "parallel_axes": lambda p, R, d, R0, d0: [upright(R)],
    "fixed": lambda p, R, d, R0, d0: [*d, *(R - np.eye(3)).ravel()],
    "spherical": lambda p, R, d, R0, d0: [*d],
    "universal": lambda p, R, d, R0, d0: [*d, R[2, 2]],
    "constant_velocity": lambda p, R, d, R0, d0: [*d, *(R - bent(R)).ravel()],
    "point_on_line": lambda p, R, d, R0, d0: [*d[:2]],
    "point_on_plane": lambda p, R, d, R0, d0: [d[2]],
    "distance": lambda p, R, d, R0, d0: [np.linalg.norm(d) - np.linalg.norm(d0)],
    "rolling_sphere": lambda p, R, d, R0, d0: [d[2] - d0[2]],
    "rolling_disk": lambda p, R, d, R0, d0: [
        d[2] - d0[2] - 0.4 * np.sqrt(1 - R[2, 2] ** 2) + 0.4 * np.sqrt(1 - R0[2, 2] ** 2)
    ],
    # the sample is a sphere of 0.4 m whose centre is 0.05 m along the axis from the point
    "rolling_surface": lambda p, R, d, R0, d0: [d[2] - d0[2] + 0.05 * (R[2, 2] - R0[2, 2])],
}
PLANE = {
    "revolute": lambda p, R, d, R0, d0: [*d[:2]],
    "prismatic": lambda p, R, d, R0, d0: [d[1], *(R - R0).ravel()],
    "fixed": lambda p, R, d, R0, d0: [*d[:2], *(R - R0).ravel()],
    "pin_in_slot": lambda p, R, d, R0, d0: [d[1]],
    "revolute_translational": lambda p, R, d, R0, d0: [d[1] - d0[1]],
    "distance": lambda p, R, d, R0, d0: [np.linalg.norm(d) - np.linalg.norm(d0)],
    "absolute_x": lambda p, R, d, R0, d0: [d[0] - d0[0]],
    "absolute_y": lambda p, R, d, R0, d0: [d[1] - d0[1]],
    "absolute_angle": lambda p, R, d, R0, d0: [*(R - R0).ravel()],
    "rolling_on_line": lambda p, R, d, R0, d0: [d[1] - d0[1]],
}
# couplings hold linear combinations of counted coordinates, which vanish for no other reason; conditions on velocities and
# expressions of the user have no pose of their own
LINEAR = ("gear", "belt", "rack", "differential")
FREE = ("constraint", "pfaffian", "knife_edge", "cam")


def bent(R):
    """The bend that takes z of i to z of j about an axis across both: no twist.  Opposite axes: every half turn across z is one."""
    z = R[:, 2]
    if z[2] < -1.0 + 1e-12:
        x = np.array([R[0, 0] + 1.0, R[1, 0], 0.0]) if R[0, 0] > 0 else np.array([R[0, 1], R[1, 1] + 1.0, 0.0])
        x /= np.linalg.norm(x)
        return 2.0 * np.outer(x, x) - np.eye(3)
    v = np.cross([0.0, 0.0, 1.0], z)
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + k + k @ k / (1.0 + z[2])


def test_every_joint_is_told():
    for tag, plane in joint_cases():
        assert tag in (PLANE if plane else SPACE) or tag in LINEAR or tag in FREE


def solved(system, q):
    """Pose with phi = 0 from a start, or None."""
    rest = np.zeros(system.nv)
    for _ in range(60):
        e = at(system, 0.0, q, rest)
        if np.max(np.abs(e.phi)) < 1e-13:
            return q
        step = -np.linalg.lstsq(e.jac, e.phi, rcond=1e-10)[0]
        q = flow(system.plane, q, step * min(1.0, 1.0 / np.max(np.abs(step))), 1.0)
    return None


@pytest.mark.parametrize(
    ("tag", "plane"), [c for c in joint_cases() if c[0] in (PLANE if c[1] else SPACE)], ids=case_id
)
def test_rows_that_hold_mean_that_the_joint_holds(tag, plane):
    s = sample(tag, plane, ground=True)
    system, rng = da.compile(s.model), generator("branches", tag, plane)
    held = (PLANE if plane else SPACE)[tag]
    R0, d0 = placed(system, s.part, system.q0)
    found = refused = 0
    for _ in range(STARTS):
        # any orientation, and some way off: three radians reach all rotations
        far = rng.uniform(-3.0, 3.0, system.nv)
        q = solved(system, flow(plane, system.q0, far, 1.0))
        if q is None:
            continue
        found += 1
        if np.max(np.abs(held(s.part, *placed(system, s.part, q), R0, d0))) > CLOSE:
            with pytest.raises(da.AssemblyError, match="wrong way round"):
                check_senses(system, q, "contract")
            refused += 1
        else:
            check_senses(system, q, "contract")
    assert found >= STARTS // 3, "Newton's method must find poses to look at"
    # only joints with parallel axes have poses the wrong way round
    assert refused == 0 or any(row.kind == "parallel" for row in s.part.rows()), JOINTS[tag]


# -- long motions ----------------------------------------------------------------------------------------------------------

# joints in space whose range has no end: everything that turns or slides freely
WIDE = [tag for tag in SPACE if tag not in ("fixed", "rolling_disk", "rolling_surface")]


@pytest.mark.parametrize("tag", WIDE)
def test_no_velocity_jumps_on_a_long_way(tag):
    """Fast turns through all the range of a joint: velocities change by what the accelerations say, and energy stays.

    Simpson's rule over outputs 1 ms apart is right to h^5 a'''' / 90, 1e-3 for the fastest whip among the samples; a jump of the spin is of
    the size of the spin.
    """
    s = sample(tag, False, ground=True)
    rng = generator("long way", tag)
    start = da.assemble(s.model).state
    system = da.compile(s.model)
    v = 3.0 * rng.normal(size=system.nv)
    e = at(system, 0.0, start.q, v)
    v = v - np.linalg.lstsq(e.jac, e.jac @ v - e.nu, rcond=1e-10)[0]
    state = da.State(0.0, start.q, v, start.angles)
    run = da.simulate(s.model, until=2.0, start=state, output=1e-3, audit=False)
    # a sphere may be held down on its plane here, which makes the run doubtful and nothing wrong with the joint
    assert run.audit.passed
    jump = run.v[2::2] - run.v[:-2:2] - 1e-3 / 3.0 * (run.a[:-2:2] + 4.0 * run.a[1:-1:2] + run.a[2::2])
    assert np.max(np.abs(jump)) < 1e-2 * np.max(np.abs(v))
    kinetic = float(np.max(run.energy.kinetic))
    assert np.ptp(run.energy.total) < 1e-5 * kinetic
