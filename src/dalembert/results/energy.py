"""Energies of a run: kinetic, and the potential of gravity and of springs and stops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..analyses.equations import mass_matrix


def energies(run: Any) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic and potential energy at the output times."""
    mass = mass_matrix(run.system)
    kinetic = 0.5 * np.einsum("ti,ti->t", run.v, (mass @ run.v.T).T)
    return kinetic, gravity_potential(run) + element_potential(run)


def gravity_potential(run: Any) -> np.ndarray:
    """-m g . r over all bodies."""
    builder = run.system.builder
    g = builder.gravity
    total = np.zeros(len(run.t))
    for body in builder.bodies:
        m = builder.drawing.poses[id(body)].properties.mass
        total -= m * (run.kinematics(body).position @ g)
    return total


def element_potential(run: Any) -> np.ndarray:
    """1/2 k (s - s0)^2 of linear laws and 1/2 k x^2 of stops; other laws have no potential here and are seen in the work audit."""
    total = np.zeros(len(run.t))
    for force in run.parts("force"):
        for measure, law in force.elements():
            numbers = [run.system.builder.drawing.number(x) for x in law.numbers]
            if law.elastic and numbers[0] != 0.0:
                total = total + law.stored(np.asarray(run.measure(measure)), numbers)
    return total
