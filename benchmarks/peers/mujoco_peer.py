"""MuJoCo: the spatial chain by `mj_forward`, with contacts and all constraints switched off."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

VERSION = f"MuJoCo {mujoco.__version__}"


def chain_model(n_bodies: int) -> mujoco.MjModel:
    """Rods of 1 m and 1 kg along x, hinges about z and y in turn, gravity along -y: `prototypes/chain.py`."""
    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, -9.81, 0.0]
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    parent = spec.worldbody
    for k in range(n_bodies):
        parent = parent.add_body(pos=[0.0 if k == 0 else 1.0, 0.0, 0.0])
        parent.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1] if k % 2 == 0 else [0, 1, 0])
        parent.mass = 1.0
        parent.ipos = [0.5, 0.0, 0.0]
        parent.inertia = [0.01, 1 / 12, 1 / 12]
        parent.explicitinertial = True
    return spec.compile()


def chain_accelerations(n_bodies: int) -> np.ndarray:
    """Joint accelerations of the drawn chain at rest, to check that it is the same chain."""
    model = chain_model(n_bodies)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return np.array(data.qacc)


def chain(n_bodies: int) -> Callable[[int], None]:
    """One forward dynamics, repeated; the call from Python is included."""
    model = chain_model(n_bodies)
    data = mujoco.MjData(model)
    forward = mujoco.mj_forward

    def repeat(times: int) -> None:
        for _ in range(times):
            forward(model, data)

    return repeat
