"""Energies of a run: kinetic, and the potential of gravity and of springs and stops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..system.rows import mass_matrix
from .balance import matter
from .record import is_whole

if TYPE_CHECKING:
    from .result import Result


def energies(run: Result) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic and potential energy at the output times; of a run through events with the numbers of its parts."""
    if is_whole(run):
        found = [energies(p) for p in run.pieces]
        return np.concatenate([x for x, _ in found]), np.concatenate([x for _, x in found])
    mass = mass_matrix(run.system)
    kinetic = 0.5 * np.einsum("ti,ti->t", run.v, (mass @ run.v.T).T)
    return kinetic, gravity_potential(run) + element_potential(run)


def gravity_potential(run: Result) -> np.ndarray:
    """-m g . r over all bodies."""
    builder = run.system.builder
    g = builder.gravity
    total = np.zeros(len(run.t))
    for body in builder.bodies:
        m = builder.drawing.matter(body).mass
        total -= m * (run.kinematics(body).position @ g)
    return total


def element_potential(run: Result) -> np.ndarray:
    """1/2 k (s - s0)^2 of linear laws and 1/2 k x^2 of stops; other laws have no potential here and are seen in the work audit."""
    total, builder = np.zeros(len(run.t)), run.system.builder
    for row in builder.laws:  # the rate of a state is no elastic one
        if row.law.elastic and row.numbers[0] != 0.0:
            total = total + row.law.stored(np.asarray(run.measure(row.measure)), row.numbers)
    return total


def energy_gained(run: Result) -> tuple[np.ndarray, float, float]:
    """T + V since the start at every accepted step, the size of what it is made of, and that of energies where nothing moves."""
    kept, system = run.trace.kept, run.system
    mass, tensor = matter(system)
    q, v, _ = system.parts_of(kept.y)
    linear = 2 if run.plane else 3
    v = v.reshape(len(v), len(mass), -1)
    kinetic = 0.5 * np.einsum("tbi,tbi,b->t", v[:, :, :linear], v[:, :, :linear], mass[:, 0])
    spin, turning = v[:, :, linear:], tensor[:, 2:, 2:] if run.plane else tensor
    kinetic += 0.5 * np.einsum("tbi,bij,tbj->t", spin, turning, spin)
    r = q.reshape(len(q), len(mass), -1)[:, :, :linear]
    gravity = ((r - r[0]) @ system.builder.gravity[:linear]) @ mass[:, 0]
    stored = kept.stored - kept.stored[0]
    size = max(_largest(x) for x in (kinetic, gravity, stored))
    return kinetic - kinetic[0] - gravity + stored, size, forces_times_length(run)


def forces_times_length(run: Result) -> float:
    """Weights and element forces times the model's length (torques times a radian): the size of energies here."""
    system, builder = run.system, run.system.builder
    g = builder.gravity
    weight = float(matter(system)[0].sum()) * float(np.sqrt(g @ g))
    elements = 0.0
    for k, law in enumerate(builder.laws):
        if k < len(builder.states):
            continue  # the rate of a state is no force
        arm = 1.0 if builder.free[law.row].row.unit.startswith("rad") else system.length
        elements += arm * _largest(run.forces[:, k])
    return weight * float(system.length) + elements


def typical_acceleration(run: Result) -> np.ndarray:
    """Square of the largest rate of the run [1/s], times the model's length for linear velocities."""
    unit = run.system.unit_of_velocity
    return np.asarray(_largest(run.v / unit) ** 2 * unit)


def _largest(x: Any) -> float:
    return float(np.abs(x).max(initial=0.0))
