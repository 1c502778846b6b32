"""Pinocchio (the package `pin`): the spatial chain by `aba`, Andrews by `constraintDynamics` and DOP853."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from benchmarks import andrews_reference as andrews_data

VERSION = f"Pinocchio {pin.__version__}"

# `Data` of Pinocchio 4 grows with the cube of the number of bodies: 0.5 GB at 200, 3 GB at 400; 1000 would take some
# 48 GB.
MOST_BODIES = 200


def chain_model(n_bodies: int) -> pin.Model:
    """Rods of 1 m and 1 kg along x, revolutes about z and y in turn, gravity along -y: `prototypes/chain.py`."""
    model = pin.Model()
    model.gravity.linear = np.array([0.0, -9.81, 0.0])
    rod = pin.Inertia(1.0, np.array([0.5, 0.0, 0.0]), np.diag([0.01, 1 / 12, 1 / 12]))
    parent = 0
    for k in range(n_bodies):
        joint = pin.JointModelRZ() if k % 2 == 0 else pin.JointModelRY()
        place = pin.SE3(np.eye(3), np.array([0.0 if k == 0 else 1.0, 0.0, 0.0]))
        parent = model.addJoint(parent, joint, place, f"joint {k}")
        model.appendBodyToJoint(parent, rod, pin.SE3.Identity())
    return model


def chain_accelerations(n_bodies: int) -> np.ndarray:
    """Joint accelerations of the drawn chain at rest, to check that it is the same chain."""
    model = chain_model(n_bodies)
    zero = np.zeros(n_bodies)
    return np.array(pin.aba(model, model.createData(), zero, zero, zero))


def chain(n_bodies: int) -> Callable[[int], None]:
    """One forward dynamics, repeated; the call from Python is included."""
    if n_bodies > MOST_BODIES:
        raise MemoryError(f"Pinocchio's Data for {n_bodies} bodies needs about {48e-9 * n_bodies**3:.2g} GB")
    model = chain_model(n_bodies)
    data = model.createData()
    q, v, tau = np.zeros(n_bodies), np.zeros(n_bodies), np.zeros(n_bodies)
    aba = pin.aba

    def repeat(times: int) -> None:
        for _ in range(times):
            aba(model, data, q, v, tau)

    return repeat


# Joint coordinates of the tree in terms of the published angles: beta, Theta, gamma, delta, Phi, epsilon, Omega.
TREE_ORDER = np.array([0, 1, 2, 4, 3, 6, 5])


def andrews_model() -> tuple[pin.Model, list[pin.RigidConstraintModel]]:
    """Seven bodies as four branches from the ground; the pins at E of body 2 with 3, 4 and 6 close three loops."""
    g = andrews_data.GEOMETRY
    model = pin.Model()
    model.gravity.linear = np.zeros(3)

    def point(x: float, y: float) -> pin.SE3:
        return pin.SE3(np.eye(3), np.array([x, y, 0.0]))

    def body(number: int, parent: int, pivot: tuple[float, float], center: tuple[float, float]) -> int:
        joint = model.addJoint(parent, pin.JointModelRZ(), point(*pivot), f"body {number}")
        inertia = np.diag([1.0, 1.0, 1.0]) * andrews_data.INERTIA[number - 1]  # only the zz entry matters in the plane
        mass = andrews_data.MASS[number - 1]
        model.appendBodyToJoint(joint, pin.Inertia(mass, np.array([*center, 0.0]), inertia), pin.SE3.Identity())
        return joint

    crank = body(1, 0, (0.0, 0.0), (g.ra, 0.0))
    body2 = body(2, crank, (g.rr, 0.0), (-g.da, 0.0))
    body3 = body(3, 0, (g.xb, g.yb), (g.sb, -g.sa))
    body5 = body(5, 0, (g.xa, g.ya), (g.ta, g.tb))
    body4 = body(4, body5, (g.zt, 0.0), (0.0, g.ea - g.e))
    body7 = body(7, 0, (g.xa, g.ya), (-g.ub, -g.ua))
    body6 = body(6, body7, (0.0, -g.u), (g.zf - g.fa, 0.0))
    end2 = point(-g.d, 0.0)
    ends = [(body3, point(0.0, -g.ss)), (body4, point(0.0, -g.e)), (body6, point(g.zf, 0.0))]
    loops = [
        pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, body2, end2, joint, end, pin.ReferenceFrame.LOCAL)
        for joint, end in ends
    ]
    return model, loops


def andrews_acceleration() -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Accelerations of the seven tree coordinates.

    The z rows of the loops vanish in the plane, so the plain Cholesky factor would divide by zero: the proximal
    regularisation is needed, small beside the smallest entry of J M⁻¹ Jᵀ so that two iterations reach round-off.
    """
    g = andrews_data.GEOMETRY
    model, loops = andrews_model()
    data = model.createData()
    loop_data = [loop.createData() for loop in loops]
    pin.initConstraintDynamics(model, data, loops, loop_data)
    settings = pin.ProximalSettings(1e-12, 1e-12, 1e-7, 2)
    tau = np.zeros(7)
    tau[0] = andrews_data.DRIVE_TORQUE
    cx, cy = g.xc - g.xb, g.yc - g.yb

    def acceleration(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        # the spring pulls D of body 3 towards C; its moment about the pivot B is the force on gamma
        cosine, sine = math.cos(q[2]), math.sin(q[2])
        x, y = g.sd * cosine + g.sc * sine, g.sd * sine - g.sc * cosine
        length = math.hypot(cx - x, cy - y)
        tension = andrews_data.SPRING_STIFFNESS * (length - andrews_data.SPRING_FREE_LENGTH)
        tau[2] = tension * (x * cy - y * cx) / length
        return pin.constraintDynamics(model, data, q, v, tau, loops, loop_data, settings)

    return acceleration


def andrews(tolerance: float) -> Callable[[], np.ndarray]:
    """Whole run by DOP853 of SciPy; gives the seven angles at the end."""
    acceleration = andrews_acceleration()
    start = np.concatenate([andrews_data.START_ANGLES[TREE_ORDER], np.zeros(7)])

    def rhs(_t: float, y: np.ndarray) -> np.ndarray:
        v = y[7:]
        return np.concatenate((v, acceleration(y[:7], v)))

    def solve() -> np.ndarray:
        span = (0.0, andrews_data.END_TIME)
        run = solve_ivp(rhs, span, start, method="DOP853", rtol=tolerance, atol=1e-2 * tolerance)
        angles = np.full(7, np.nan)
        if run.success:
            angles[TREE_ORDER] = run.y[:7, -1]
        return angles

    return solve
