"""B3: a crank with products of inertia on a hinge in space, BASICS 8.5 (conditions for planar motion).

Hinge along z, body axes with zeta along it, rotation phi: total moments on the body about its centroid, in body axes,

    n_xi = j_xz phi'' - j_yz phi'^2      n_eta = j_yz phi'' + j_xz phi'^2      n_zeta = j_zz phi''

(8.5 (a), (b) and 8.52; the source prints phi' for phi'' in (b)).  A free body would need j_xz = j_yz = 0 to stay in
the plane; a hinged one gets the bending moments from the hinge.  The total is that of the joint force F' at s' from
the centroid, the joint couple N' about the joint point, and the applied couple: total = N' + s' x F' + n_applied, so
N' follows after subtracting s' x F'.

Tolerance: 1e-10 N m at moments of 10 N m; constraints hold to 1e-12 and angular velocities reach 10 rad/s.
"""

import math

import numpy as np
import pytest

import dalembert as da

M = 2.5
J = np.array([[0.09, 0.004, -0.013], [0.004, 0.07, 0.021], [-0.013, 0.021, 0.05]])
JXZ, JYZ, JZZ = J[0, 2], J[1, 2], J[2, 2]
CENTER = np.array([0.12, -0.05, 0.08])  # centroid from the hinge point, in body axes
GRAVITY = np.array([1.0, -9.81, -2.0])
TOLERANCE = 1e-10


def crank(products=True, center=CENTER, drive=None, torque=None, rate=None, gravity=GRAVITY, plane=False):
    tensor = J if products else np.array([[0.09, 0.004, 0], [0.004, 0.07, 0], [0, 0, 0.05]])
    m = da.Mechanism("crank", plane=plane, gravity=tuple(gravity[:2]) if plane else tuple(gravity))
    if plane:
        body = m.body("crank", mass=M, inertia=JZZ, center=tuple(center[:2]))
        m.revolute("hinge", m.ground, body, at=(0, 0))
    else:
        body = m.body("crank", mass=M, inertia=tensor, center=tuple(center))
        m.revolute("hinge", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
    if drive is not None:
        m.drive("motor", m["hinge"].angle, drive)
    if torque is not None:
        m.torque("load", body, torque if plane else (0, 0, torque), **({} if plane else {"frame": "body"}))
    if rate is not None:
        m.start(m["hinge"].angle, value=0.0, rate=rate)
    return m


def joint_moments(run, center=CENTER):
    """Force and couple of the hinge on the body in body axes, and their total about the centroid."""
    load = run["hinge"].on("crank").frame("body")
    force, couple = np.asarray(load.force), np.asarray(load.torque)
    return force, couple, couple + np.cross(-np.asarray(center), force)


def expected_moments(spin, acceleration):
    xi = JXZ * acceleration - JYZ * spin**2
    eta = JYZ * acceleration + JXZ * spin**2
    return np.column_stack([xi, eta])


@pytest.mark.parametrize(
    ("drive", "angle", "spin", "acceleration"),
    [
        ("10*t", lambda t: 10 * t, lambda t: 10 + 0 * t, lambda t: 0 * t),
        ("4*t^2", lambda t: 4 * t**2, lambda t: 8 * t, lambda t: 8 + 0 * t),
        ("0.7*sin(9*t)", lambda t: 0.7 * np.sin(9 * t), lambda t: 6.3 * np.cos(9 * t), lambda t: -56.7 * np.sin(9 * t)),
    ],
)
def test_driven_crank(drive, angle, spin, acceleration):
    """Prescribed rotation: moments in closed form, from the tensor alone; the force from the path of the centroid."""
    run = da.simulate(crank(drive=drive), until=1.0, output=0.02)
    t = run.t
    phi, w, alpha = angle(t), spin(t), acceleration(t)
    assert run["hinge"].angle == pytest.approx(phi, abs=1e-11)
    force, couple, total = joint_moments(run)
    assert total[:, :2] == pytest.approx(expected_moments(w, alpha), abs=TOLERANCE)
    # the motor supplies the rest of n_zeta = j_zz phi'' about the centroid; the hinge has no couple about its axis
    motor = np.asarray(run["motor"].on("crank").frame("body").torque)
    assert couple[:, 2] == pytest.approx(np.zeros(len(t)), abs=TOLERANCE)
    assert total[:, 2] + motor[:, 2] == pytest.approx(JZZ * alpha, abs=TOLERANCE)
    assert motor[:, :2] == pytest.approx(np.zeros((len(t), 2)), abs=TOLERANCE)
    # joint force: m (a_G - g), a_G = alpha k x s + w^2 (k k^T - 1) s, g turned to body axes
    s = CENTER
    a = np.column_stack([-alpha * s[1] - w**2 * s[0], alpha * s[0] - w**2 * s[1], 0 * t])
    c, n = np.cos(phi), np.sin(phi)
    g = np.column_stack([c * GRAVITY[0] + n * GRAVITY[1], -n * GRAVITY[0] + c * GRAVITY[1], GRAVITY[2] + 0 * t])
    assert force == pytest.approx(M * (a - g), abs=10 * TOLERANCE)
    # so the couple of the hinge itself, which the bearing must carry, in closed form
    bending = expected_moments(w, alpha) - np.cross(-s, M * (a - g))[:, :2]
    assert couple[:, :2] == pytest.approx(bending, abs=10 * TOLERANCE)
    # and the torque of the motor: inertia about the axis times phi'' minus the moment of gravity
    about_axis = JZZ + M * (s[0] ** 2 + s[1] ** 2)
    moment_of_gravity = M * (s[0] * g[:, 1] - s[1] * g[:, 0])
    assert motor[:, 2] == pytest.approx(about_axis * alpha - moment_of_gravity, abs=10 * TOLERANCE)


def test_space_axes_and_opposite_body():
    """In space axes the bending moments turn with the crank; on the ground they are opposite, at the same point."""
    run = da.simulate(crank(drive="10*t", gravity=np.zeros(3), center=np.zeros(3)), until=0.5, output=0.02)
    phi = 10 * run.t
    n_xi, n_eta = -JYZ * 100, JXZ * 100
    c, s = np.cos(phi), np.sin(phi)
    expected = np.column_stack([c * n_xi - s * n_eta, s * n_xi + c * n_eta, 0 * phi])
    assert run["hinge"].torque == pytest.approx(expected, abs=TOLERANCE)
    assert run["hinge"].on("ground").torque == pytest.approx(-expected, abs=TOLERANCE)
    assert run["hinge"].force == pytest.approx(np.zeros((len(phi), 3)), abs=TOLERANCE)


def test_crank_under_a_torque():
    """Free rotation under a constant couple, centroid on the axis: phi'' = n / j_zz, moments with both terms."""
    n = 0.9
    m = crank(torque=n, rate=3.0, gravity=np.zeros(3), center=np.array([0, 0, 0.08]))
    run = da.simulate(m, until=0.5, output=0.02, rtol=1e-10, atol=1e-12)
    alpha, t = n / JZZ, run.t
    assert run["crank"].spin[:, 2] == pytest.approx(3 + alpha * t, abs=1e-9)
    assert run["hinge"].angle == pytest.approx(3 * t + alpha * t**2 / 2, abs=1e-9)
    _, couple, total = joint_moments(run, np.array([0, 0, 0.08]))
    # moments depend on the square of the spin, which is known to 1e-9
    assert total[:, :2] == pytest.approx(expected_moments(3 + alpha * t, alpha), abs=1e-8)
    assert total[:, 2] == pytest.approx(np.zeros(len(t)), abs=TOLERANCE)
    assert run["hinge"].force == pytest.approx(np.zeros((len(t), 3)), abs=TOLERANCE)
    assert np.abs(couple[:, :2]).max() > 1


def test_condition_2_without_products_there_is_no_bending():
    """j_xz = j_yz = 0 and the centroid in the plane of the hinge point, forces in the plane: the hinge carries none."""
    flat = np.array([0.12, -0.05, 0.0])
    gravity = np.array([1.0, -9.81, 0.0])
    run = da.simulate(crank(products=False, center=flat, gravity=gravity, rate=4.0), until=0.5, output=0.02)
    force, couple, total = joint_moments(run, flat)
    zero = np.zeros((len(run.t), 2))
    assert couple[:, :2] == pytest.approx(zero, abs=TOLERANCE) and total[:, :2] == pytest.approx(zero, abs=TOLERANCE)
    assert force[:, 2] == pytest.approx(zero[:, 0], abs=TOLERANCE)
    assert np.abs(force[:, :2]).max() > 10


def test_condition_1_forces_out_of_the_plane_are_carried():
    """Gravity along z: the hinge carries -m g_z, and with the centroid off the axis the couple -s x m g."""
    gravity = np.array([0.0, 0.0, -9.81])
    flat = np.array([0.12, -0.05, 0.0])
    run = da.simulate(crank(products=False, center=flat, gravity=gravity), until=0.1, output=0.02)
    weight = M * gravity
    assert run["hinge"].force == pytest.approx(np.tile(-weight, (len(run.t), 1)), abs=TOLERANCE)
    assert run["hinge"].torque == pytest.approx(np.tile(-np.cross(flat, weight), (len(run.t), 1)), abs=TOLERANCE)


def test_free_body_with_products_leaves_the_plane():
    """The same body without the hinge: a moment about zeta gives w' = J^-1 n, which has components across zeta."""
    m = da.Mechanism("free", plane=False)
    body = m.body("crank", mass=M, inertia=J)
    m.torque("load", body, (0, 0, 1.0))
    e = da.equations(m)
    expected = np.linalg.solve(J, [0, 0, 1.0])
    assert e.a[3:] == pytest.approx(expected, rel=1e-13)
    assert min(abs(expected[0]), abs(expected[1])) > 0.5


def test_in_plane_motion_and_reactions_are_those_of_the_planar_model():
    """Products of inertia change the bending moments only: motion and in-plane force are those of the planar model."""
    options = {"until": 0.6, "output": 0.03, "rtol": 1e-11, "atol": 1e-13}
    space = da.simulate(crank(rate=5.0), **options)
    plane = da.simulate(crank(rate=5.0, plane=True), **options)
    assert space["hinge"].angle == pytest.approx(np.asarray(plane["hinge"].angle), abs=1e-9)
    assert space["hinge"].force[:, :2] == pytest.approx(np.asarray(plane["hinge"].force), abs=1e-8)
    assert math.isclose(space["crank"].spin[0, 2], 5.0, rel_tol=1e-12)
