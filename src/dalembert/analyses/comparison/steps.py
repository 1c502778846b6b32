"""A run through events against steps of one length: two computations of the same motion that share bodies, joints and forces, and nothing of contact and friction.

Steps of length h meet every event up to h early or late, so that coordinates are off by some (n + 1) v h after n events at speeds up to v, and by half of it with
half the step: the runs agree where the difference is below that, or falls with the step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model.mechanism import Mechanism

OUTPUTS = 50
# ratio of the differences with half the step and with the whole from which on they do not fall
FALLS = 0.75


@dataclass(frozen=True)
class Stepped:
    """Largest differences of coordinates from the run through events, in lengths of the model or radians, by steps of two lengths.

    Attributes
    ----------
    steps, apart
        Lengths of the steps [s], and the differences.
    allowed
        What the shorter steps may be off by.
    where
        The body that differs most, and when [s].
    events
        Events of the run.
    """

    steps: tuple[float, float]
    apart: tuple[float, float]
    allowed: float
    where: tuple[str, float]
    events: int

    @property
    def agree(self) -> bool:
        """Whether the difference is small, or falls with the step."""
        return self.apart[1] <= self.allowed or self.apart[1] <= FALLS * self.apart[0]

    def __str__(self) -> str:
        body, t = self.where
        long, short = (f"{x:.1e} with steps of {h:g} s" for h, x in zip(self.steps, self.apart))
        told = f"{long}, {short} (allowed {self.allowed:.1e}, or falling)"
        return f"run through {self.events} events against method='moreau': coordinates {told}, most {body!r} at t = {t:.6g} s"


def compare_steps(model: Mechanism, until: float, step: float) -> Stepped:
    """Both runs to `until`, the second with steps of this length and of half of it."""
    from ..simulate import simulate

    output = until / OUTPUTS
    run = simulate(model, until, output=output)
    system, events = run.system, len(run.events)
    # mass centres in lengths, angles in radians, which are twice the numbers of quaternions
    length = float(system.length)
    unit = np.array([length, length, 1.0] if system.plane else [length, length, length, 0.5, 0.5, 0.5, 0.5])
    apart, where = [], ("", 0.0)
    for h in (step, 0.5 * step):
        other = simulate(model, until, output=output, method="moreau", step=h)
        off = np.abs(other.q - run.q).reshape(len(run.t), -1, 3 if system.plane else 7) / unit
        worst = np.unravel_index(int(np.argmax(off)), off.shape)
        apart.append(float(off[worst]))
        where = system.body_names[int(worst[1])], float(run.t[worst[0]])
    speed = float(np.max(np.abs(run.v) / system.unit_of_velocity, initial=0.0))
    return Stepped((step, 0.5 * step), (apart[0], apart[1]), 0.5 * (events + 1) * speed * step, where, events)
