"""Exudyn's generalized-alpha (index 3, spectral radius 0.9, modified Newton) on the stiff machines, with steps of one length.

Masses, inertias and the state at the start are those of our model; joints, springs and bushings are Exudyn's own.  The setting is the length of a
step: its adaptive steps follow Newton's method, not an error.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

sys.exudynFast = True  # type: ignore[attr-defined]  # its build without checks of ranges
import exudyn as exu  # noqa: E402
import exudyn.itemInterface as item  # noqa: E402, N813
from exudyn.utilities import RigidBodyInertia  # noqa: E402

import dalembert as da  # noqa: E402
from benchmarks.stiff import MACHINES  # noqa: E402
from dalembert.model.reading import quaternion_matrix  # noqa: E402
from dalembert.results.balance import matter  # noqa: E402
from dalembert.system.known import known_system  # noqa: E402

VERSION = f"Exudyn {version('exudyn')}, generalized-α"
# from where Newton's method converges, or an error of some 1e-4 m, on
SETTING = "step"
SETTINGS = {key: tuple(h * 2.0 ** (-0.5 * k) for k in range(12)) for key, h in (("governor", 6e-4), ("bushings", 3e-3))}
exu.SetWriteToConsole(False)


class Copy:
    """Bodies of one of our models at its start, in an Exudyn system."""

    def __init__(self, model: da.Mechanism) -> None:
        start = da.simulate(model, until=1e-9, method=8, output=[0.0], audit=False, progress=False)
        mass, inertia = matter(known_system(model))
        self.mbs = exu.SystemContainer().AddSystem()
        self.ground, self.bodies = self.mbs.CreateGround(), []
        self.places: list[tuple[np.ndarray, np.ndarray]] = []
        g = (*model.gravity, 0.0)[:3]
        for b, (q, v) in enumerate(zip(*(x[0].reshape(len(mass), -1) for x in (start.q, start.v)))):
            plane = len(v) == 3
            r, rate = (np.array([q[0], q[1], 0.0]), [v[0], v[1], 0.0]) if plane else (q[:3], v[:3])
            c, s = (math.cos(q[2]), math.sin(q[2])) if plane else (1.0, 0.0)
            turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) if plane else quaternion_matrix(q[3:])
            spin = [0.0, 0.0, v[2]] if plane else turn @ v[3:]
            self.places.append((r, turn))
            self.bodies.append(
                self.mbs.CreateRigidBody(
                    referencePosition=r, referenceRotationMatrix=turn, initialVelocity=rate, initialAngularVelocity=spin, gravity=g,
                    inertia=RigidBodyInertia(mass=float(mass[b, 0]), inertiaTensor=inertia[b]), create2D=plane,
                )
            )  # fmt: skip

    def local(self, b: int, point: Any) -> np.ndarray:
        """A point of space in the axes of a body."""
        r, turn = self.places[b]
        return np.asarray(turn.T @ (np.asarray(point, dtype=float) - r))

    def marker(self, b: int | None, point: Any) -> Any:
        """A point of a body, or of the ground."""
        at = list(point) if b is None else list(self.local(b, point))
        return self.mbs.AddMarker(
            item.MarkerBodyRigid(bodyNumber=self.ground if b is None else self.bodies[b], localPosition=at)
        )

    def solver(self, until: float, step: float) -> Callable[[], np.ndarray]:
        """One run, giving the mass centres at its end."""
        self.mbs.Assemble()
        wanted = exu.SimulationSettings()
        time = wanted.timeIntegration
        time.numberOfSteps, time.endTime = max(1, round(until / step)), until
        time.generalizedAlpha.spectralRadius = 0.9
        time.adaptiveStep = time.automaticStepSize = False
        wanted.solutionSettings.writeSolutionToFile = False
        wanted.parallel.numberOfThreads = 1

        def solve() -> np.ndarray:
            try:
                # from the start each time: what is current at the end is not kept
                self.mbs.SolveDynamic(
                    wanted, solverType=exu.DynamicSolverType.GeneralizedAlpha, updateInitialValues=False
                )
            except ValueError as error:
                raise RuntimeError(str(error)) from error
            ends = [self.mbs.GetObjectOutputBody(b, exu.OutputVariableType.Position, [0, 0, 0]) for b in self.bodies]
            return np.array(ends)

        return solve


def governor(copy: Copy) -> None:
    """Joints and springs of A05; bodies are shaft, slider, right, left."""
    mbs, bodies = copy.mbs, copy.bodies
    mbs.CreateRevoluteJoint(bodyNumbers=[copy.ground, bodies[0]], position=[0, 0, 0], axis=[0, 0, 1])
    mbs.CreatePrismaticJoint(bodyNumbers=[bodies[0], bodies[1]], position=[0, 0, 0.5], axis=[0, 0, 1])
    for b, side in ((2, 1), (3, -1)):
        hinge = np.array([0.05 * side, 0.0, 1.0])
        middle = hinge + [0.5 * side * math.cos(math.pi / 6), 0.0, -0.5 * math.sin(math.pi / 6)]
        mbs.CreateRevoluteJoint(bodyNumbers=[bodies[0], bodies[b]], position=hinge, axis=[0, side, 0])
        mbs.CreateSpringDamper(
            bodyNumbers=[bodies[b], bodies[1]], localPosition0=copy.local(b, middle), localPosition1=[0.05 * side, 0, 0], referenceLength=0.5,
            stiffness=8e5, damping=4e4,
        )  # fmt: skip


def bushings(copy: Copy) -> None:
    """Joints and bushings of the slider-crank; bodies are crank, rod, piston."""
    mbs = copy.mbs
    mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=[copy.marker(None, (0, 0, 0)), copy.marker(0, (0, 0, 0))]))
    mbs.AddObject(
        item.ObjectJointPrismatic2D(
            markerNumbers=[copy.marker(None, (0.8, 0, 0)), copy.marker(2, (0.8, 0, 0))], axisMarker0=[1, 0, 0], normalMarker1=[0, 1, 0]
        )
    )  # fmt: skip
    for i, j, x in ((0, 1, 0.2), (1, 2, 0.8)):
        mbs.AddObject(
            item.ObjectConnectorCartesianSpringDamper(
                markerNumbers=[copy.marker(i, (x, 0, 0)), copy.marker(j, (x, 0, 0))], stiffness=[1e8, 1e8, 0], damping=[1e4, 1e4, 0]
            )
        )  # fmt: skip


def solver(key: str, step: float) -> Callable[[], np.ndarray]:
    """One run of a machine with steps of about one length."""
    machine = MACHINES[key]
    copy = Copy(machine.build())
    {"governor": governor, "bushings": bushings}[key](copy)
    solve = copy.solver(machine.until, step)
    plane = machine.build().plane
    return lambda: solve()[:, : 2 if plane else 3]
