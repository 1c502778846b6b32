"""Stiff machines at equal error: the governor A05 over ten seconds, slider-cranks with bushings and stops of 1e8 N/m, a wheel in a bushing of 1e9 N/m.

Everybody is measured by the positions of all bodies at the end, against one reference: ours by the explicit method of order 8 at 1e-12, which for the
governor agrees with the published height of the slider.  The loosest setting that reaches the error, with the next one tighter, counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import dalembert as da
from benchmarks.timing import Repeat

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
    peers: tuple[str, ...] = ()  # who else runs it
    faster: float | None = None  # how many times, if that is asked for

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


def bushing_crank(stiffness: float = 1e8, damping: float = 1e4) -> da.Mechanism:
    """Slider-crank whose pins A and B are bushings, 10 rad/s at the start; the fastest rates are some 2e4/s."""
    m = da.Mechanism("slider-crank with bushings", gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.1, 0.1, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.bushing("A", crank, rod, at=(0.2, 0), stiffness=stiffness, damping=damping)
    m.bushing("B", rod, piston, at=(0.8, 0), stiffness=stiffness, damping=damping)
    m.prismatic("bore", m.ground, piston, at=(0.8, 0), along=(1, 0))
    m.start(m["O"].angle, rate=10.0)
    return m


def stop_crank(stiffness: float = 1e8, damping: float = 2e3) -> da.Mechanism:
    """Slider-crank whose piston runs into a stop."""
    m = da.Mechanism("slider-crank with a stop", gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.1, 0.1, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(0.2, 0))
    m.revolute("B", rod, piston, at=(0.8, 0))
    m.prismatic("bore", m.ground, piston, at=(0.8, 0), along=(1, 0))
    m.stop("end", m["bore"].slide, lower=-0.2, stiffness=stiffness, damping=damping)
    m.start(m["O"].angle, rate=10.0)
    return m


def wheel(stiffness: float = 1e9, damping: float = 1e5) -> da.Mechanism:
    """A spinning wheel in a stiff bushing on a hub that a soft spring carries; in space."""
    m = da.Mechanism("wheel", plane=False, gravity=(0, 0, -9.81))
    hub = m.body("hub", da.box(0.1, 0.1, 0.1, mass=5.0), at=(0, 0, 1))
    disk = m.body("wheel", mass=10.0, inertia=(0.25, 0.25, 0.45), at=(0, 0, 1), spin=(0, 0, 20.0))
    m.prismatic("guide", m.ground, hub, at=(0, 0, 1), along=(0, 0, 1))
    turn, lose = 0.01 * stiffness, 0.01 * damping
    m.bushing(
        "mount",
        hub,
        disk,
        at=(0, 0, 1),
        stiffness=stiffness,
        damping=damping,
        torsion=(turn, turn, 0),
        torsion_damping=(lose, lose, 1.0),
    )
    m.spring("suspension", m.ground.point(0, 0, 0), hub.point(0, 0, 0), stiffness=2e4, damping=300.0, free_length=1.0)
    return m


MACHINES = {
    "governor": Machine("governor A05, 10 s", governor, 10.0, 1.0, ("stiff_ida", "exudyn"), 10.0),
    "bushings": Machine("slider–crank with bushings, 1 s", bushing_crank, 1.0, 1e-2, ("stiff_ida", "exudyn"), 10.0),
    "wheel": Machine("wheel in a bushing of 1e9 N/m, 0.5 s", wheel, 0.5, 1e-2, ("stiff_ida",)),
    "stops": Machine("slider–crank with stops of 1e8 N/m, 1 s", stop_crank, 1.0, 1e-2),
}
TOLERANCES = tuple(10.0 ** (-0.5 * k) for k in range(4, 21))


def ours(key: str, tolerance: float, method: Any = "auto") -> Callable[[], np.ndarray]:
    """A whole simulate(), by the default method if not by another, one output, with its audit."""
    machine = MACHINES[key]
    model = machine.build()

    def solve() -> np.ndarray:
        run = da.simulate(
            model,
            until=machine.until,
            rtol=tolerance,
            atol=tolerance * machine.share,
            output=[machine.until],
            method=method,
            progress=False,
        )
        return positions(run)

    return solve


def explicitly(key: str, tolerance: float) -> Callable[[], np.ndarray]:
    """The same by the explicit method of order 8."""
    return ours(key, tolerance, 8)


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


def stiff_chain(n: int) -> da.Mechanism:
    """A planar chain with a spring and a damper in each joint."""
    m, length = da.Mechanism("chain", gravity=(0, -9.81)), 1.0 / n
    last = m.ground
    for k in range(n):
        link = m.body(f"link{k}", da.rod(length=length, mass=1.0 / n), at=((k + 0.5) * length, 0))
        joint = m.revolute(f"joint{k}", last, link, at=(k * length, 0))
        m.torsion_spring(f"spring{k}", joint.angle, stiffness=10.0, damping=0.1)
        last = link
    return m


def correction(n: int) -> tuple[Repeat, Repeat]:
    """One correction of Newton's method on a chain of n (three stages placed and evaluated, their systems solved), and one evaluation."""
    from dalembert.analyses.dynamics.motion import problem_of
    from dalembert.analyses.dynamics.start import prepare
    from dalembert.kernels.compiler import entry
    from dalembert.kernels.operate import ACCELERATE
    from dalembert.solve.integrators import method
    from dalembert.solve.run import _Run
    from dalembert.solve.stepping.collocation import correct, find_residuals, size_of_change
    from dalembert.solve.stepping.equations import evaluate

    def corrections(e, method, now, mem, s, g, h: float, times):  # type: ignore[no-untyped-def]
        size = 0.0
        for _ in range(times):
            find_residuals(e, method, now, mem, s, h)
            correct(e, method, now, mem, s, g, h)
            size = size_of_change(now, mem, s, h, method.steps)
        return size

    def evaluations(e, now, mem, times):  # type: ignore[no-untyped-def]
        for _ in range(times):
            evaluate(e, ACCELERATE, now.t, mem.q, mem.v, mem.z, mem.a)

    prepared = prepare(stiff_chain(n), 0.0, None)
    start = prepared.state
    problem = problem_of(prepared, (method("radau5"), 1e-4, 1e-4, 1.0))
    run = _Run(problem, 0.0, start.q, start.v, 1.0, np.zeros(0), None, np.zeros(0))
    run.budget = 3
    run.go_on()  # derivatives and factors are those of its last step
    again, once = entry(corrections), entry(evaluations)
    return (
        lambda times: again(run.equations, run.method, run.now, run.mem, *run.solver, run.now.h_factored, times),
        lambda times: once(run.equations, run.now, run.mem, times),
    )  # fmt: skip


def stepping() -> tuple[Repeat, Repeat]:
    """Steps of `da.Stepper` of a small model one by one, and the same steps in one call."""
    one, all_at_once = (da.Stepper(bushing_crank(1e5, 1e2), step=1e-5) for _ in range(2))

    def singly(times: int) -> None:
        for _ in range(times):
            one.step()

    return singly, all_at_once.step
