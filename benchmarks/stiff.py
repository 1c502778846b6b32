"""Stiff machines at equal error: the governor A05 over ten seconds, and a slider-crank whose pins are bushings of 1e8 N/m over one.

Everybody is measured by the positions of all bodies at the end, against one reference: ours by the explicit method of order 8 at 1e-12, which for the
governor agrees with the published height of the slider.  The loosest setting that reaches the error, with the next one tighter, counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

import dalembert as da

# height of the slider of A05 at 10 s (IFToMM library, computed with a separate program)
HEIGHT = 0.619622917061
TARGET = 1e-5


@dataclass(frozen=True)
class Machine:
    """A model, its end time, and where its bodies are then."""

    name: str
    build: Callable[[], da.Mechanism]
    until: float
    share: float  # atol over rtol: errors of positions of bushings matter by their stiffness

    @cache  # noqa: B019
    def reference(self) -> np.ndarray:
        """Positions of all bodies at the end."""
        run = da.simulate(self.build(), until=self.until, method=8, rtol=1e-12, atol=1e-14, output=[self.until])
        return positions(run)

    def error(self, found: np.ndarray) -> float:
        """Largest distance of a body from where it should be [m]."""
        return float(np.linalg.norm(found - self.reference(), axis=1).max())


def positions(run: da.Result) -> np.ndarray:
    """Mass centres of all bodies at the last output."""
    plane = run.model.plane
    return np.asarray(run.q[-1].reshape(-1, 3 if plane else 7)[:, : 2 if plane else 3])


def governor() -> da.Mechanism:
    """A05: stiff flyball governor."""
    m = da.Mechanism("governor", plane=False, gravity=(0, 0, -9.81))
    shaft = m.body("shaft", da.box(0.01, 0.01, 1.0, density=3000), at=(0, 0, 0.5))
    slider = m.body("slider", da.box(0.1, 0.1, 0.1, density=3000), at=(0, 0, 0.5))
    m.revolute("bearing", m.ground, shaft, at=(0, 0, 0), axis=(0, 0, 1))
    m.prismatic("guide", shaft, slider, along=(0, 0, 1))
    bar = da.box(1.0, 0.01, 0.01, density=3000) + da.lump(mass=5.0).at(0.5, 0, 0)
    for name, side, turn in (("right", 1, math.pi / 6), ("left", -1, math.pi - math.pi / 6)):
        # the bar's x axis points outwards and 30 degrees down: a turn about +y takes x to -z
        hinge = (0.05 * side, 0.0, 1.0)
        middle = (hinge[0] + 0.5 * side * math.cos(math.pi / 6), 0.0, 1.0 - 0.5 * math.sin(math.pi / 6))
        rod = m.body(name, bar, at=middle, rotation=((0, 1, 0), turn))
        m.revolute(f"hinge {name}", shaft, rod, at=hinge, axis=(0, side, 0))
        spring = {"stiffness": 8e5, "damping": 4e4, "free_length": 0.5}
        m.spring(f"spring {name}", rod.point(0, 0, 0), slider.point(0.05 * side, 0, 0), **spring)
        m.start(m[f"hinge {name}"].angle, rate=0.0)
    m.start(m["bearing"].angle, rate=2 * math.pi)
    m.start(m["guide"].slide, rate=0.0)
    return m


def bushing_crank() -> da.Mechanism:
    """Slider-crank whose pins A and B are bushings."""
    m = da.Mechanism("slider-crank with bushings", gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.1, 0.1, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.bushing("A", crank, rod, at=(0.2, 0), stiffness=1e8, damping=1e4)
    m.bushing("B", rod, piston, at=(0.8, 0), stiffness=1e8, damping=1e4)
    m.prismatic("bore", m.ground, piston, at=(0.8, 0), along=(1, 0))
    m.start(m["O"].angle, rate=10.0)
    return m


MACHINES = {
    "governor": Machine("governor A05, 10 s", governor, 10.0, 1.0),
    "bushings": Machine("slider–crank with bushings, 1 s", bushing_crank, 1.0, 1e-2),
}
TOLERANCES = tuple(10.0 ** (-0.5 * k) for k in range(4, 21))


def ours(key: str, tolerance: float) -> Callable[[], np.ndarray]:
    """A whole simulate() by the default method, one output, with its audit."""
    machine = MACHINES[key]
    model = machine.build()

    def solve() -> np.ndarray:
        run = da.simulate(
            model,
            until=machine.until,
            rtol=tolerance,
            atol=tolerance * machine.share,
            output=[machine.until],
            progress=False,
        )
        return positions(run)

    return solve


@dataclass(frozen=True)
class Reached:
    """The loosest setting that reaches the error, and the next one too."""

    setting: float
    error: float
    solve: Callable[[], np.ndarray]

    def repeat(self, times: int) -> None:
        """Run it so many times."""
        for _ in range(times):
            self.solve()


def reach(
    key: str, prepare: Callable[[str, float], Callable[[], np.ndarray]], settings: Sequence[float] = TOLERANCES
) -> Reached:
    """Find it."""
    tried: list[Reached] = []
    for setting in settings:
        try:
            solve = prepare(key, setting)
            tried.append(Reached(setting, MACHINES[key].error(solve()), solve))
        except (ValueError, da.DalembertError, RuntimeError):
            continue  # a setting at which it fails
        if len(tried) >= 2 and all(one.error <= TARGET for one in tried[-2:]):
            return tried[-2]
    raise RuntimeError(
        f"no setting reaches {TARGET:g} m: " + ", ".join(f"{one.setting:.0e}: {one.error:.0e}" for one in tried)
    )
