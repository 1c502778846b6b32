"""Work against precision of the methods: `python -m benchmarks.work_precision` measures and draws docs/images/work_precision.svg (some minutes).

Work is processor time of a whole simulate() with its audit, best of several; the error is the largest of all coordinates at ten times of the run,
against the explicit method of order 8 at 1e-12.  All by the generic kernels: machine code of a structure comes after many runs, and would favour the last.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from benchmarks.ours import andrews_model
from benchmarks.stiff import governor, stiff_chain

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "work_precision.svg"
METHODS = {
    "8 (explicit)": 8,
    "5 (explicit)": 5,
    "radau": "radau",
    "radau3": "radau3",
    "generalized_alpha": "generalized_alpha",
    "auto": "auto",
}
LONGEST, ROUNDS = 0.6, 4  # seconds of a run beyond which no tighter one is tried; runs of which the best counts


@dataclass(frozen=True)
class Problem:
    """A machine, how long it runs, and how it may be run: label, model, method."""

    name: str
    until: float
    exact: Callable[[], da.Mechanism]
    ways: dict[str, tuple[Callable[[], da.Mechanism], Any]]
    share: float = 1.0  # atol over rtol


def top() -> da.Mechanism:
    """D02: heavy top at 150 rad/s."""
    m = da.Mechanism("heavy top", plane=False, gravity=(0, 0, -9.81))
    body = m.body(
        "top", mass=15.0, inertia=(0.234375, 0.46875, 0.234375), center=(0, 1, 0), spin=(0.0, 150.0, -4.61538)
    )
    m.spherical("pivot", m.ground, body, at=(0, 0, 0))
    return m


def stick_slip(**law: float) -> da.Mechanism:
    """A block that a spring pulls over a rough floor at 0.1 m/s: it sticks at 8 N and slips at 5 N, eight times in a second."""
    m = da.Mechanism("stick-slip")
    block = m.body("block", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    m.prismatic("P", m.ground, block, at=(0, 0), along=(1, 0))
    m.actuator("pull", m["P"].slide, force="1000*(0.1*t - s) - 2*v")
    m.friction("floor", m["P"].slide, force=5.0, **(law or {"static_force": 8.0}))
    return m


def problems() -> list[Problem]:
    """What is drawn."""

    def all_of(build: Callable[[], da.Mechanism]) -> dict[str, tuple[Callable[[], da.Mechanism], Any]]:
        return {label: (build, method) for label, method in METHODS.items()}

    return [
        Problem("Andrews' squeezer, 0.03 s", 0.03, andrews_model, all_of(andrews_model)),
        Problem("heavy top D02, 1 s", 1.0, top, all_of(top)),
        Problem("stiff governor A05, 2 s", 2.0, governor, all_of(governor)),
        Problem("stiff chain of 50, 0.1 s", 0.1, lambda: stiff_chain(50), all_of(lambda: stiff_chain(50))),
        Problem("stick–slip, 1 s", 1.0, stick_slip, {label: (stick_slip, METHODS[label]) for label in ("8 (explicit)", "5 (explicit)", "auto")}, 1e-2),
    ]  # fmt: skip


def curve(
    problem: Problem, build: Callable[[], da.Mechanism], method: Any, reference: np.ndarray
) -> tuple[list[float], list[float]]:
    """Errors and seconds of one way, from loose to tight."""
    errors, spent = [], []
    model, times = build(), np.linspace(0.0, problem.until, 11)
    for tolerance in 10.0 ** np.arange(-3.0, -9.6, -0.5):
        best = np.inf
        try:
            for k in range(ROUNDS):
                begin = time.process_time()
                run = da.simulate(
                    model, until=problem.until, method=method, rtol=tolerance, atol=problem.share * tolerance, output=times, progress=False
                )  # fmt: skip
                best = min(best, time.process_time() - begin)
                if best > LONGEST and k > 0:
                    break  # the first one may have compiled a kernel
        except da.DalembertError:
            continue  # a tolerance at which it fails
        errors.append(max(float(np.abs(run.q - reference).max()), 1e-13))
        spent.append(best)
        if best > LONGEST:
            break
    return errors, spent


def draw() -> None:
    """Measure all and draw."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.fonttype"], mpl.rcParams["svg.hashsalt"] = "none", "work and precision"
    import matplotlib.pyplot as plt

    marks = dict(zip(METHODS, ("o", "s", "^", "v", "D", "x")))
    figure, axes = plt.subplots(2, 3, figsize=(12, 7.5), layout="constrained")
    for problem, ax in zip(problems(), axes.flat):
        times = np.linspace(0.0, problem.until, 11)
        reference = da.simulate(
            problem.exact(), until=problem.until, method=8, rtol=1e-12, atol=1e-14, output=times, progress=False
        ).q
        for k, label in enumerate(METHODS):
            if label in problem.ways:
                errors, spent = curve(problem, *problem.ways[label], reference)
                # the default last and thin, over the method that it takes
                ax.loglog(
                    errors,
                    1e3 * np.array(spent),
                    marker=marks[label],
                    ms=5,
                    lw=1.2,
                    color=f"C{k}",
                    ls=":" if label == "auto" else "-",
                    label=label,
                )
                print(
                    f"{problem.name}, {label}: "
                    + ", ".join(f"{e:.0e}: {1e3 * s:.2g} ms" for e, s in zip(errors, spent)),
                    flush=True,
                )
        ax.invert_xaxis()
        low, high = ax.get_ylim()
        middle = float(np.sqrt(low * high))
        ax.set_ylim(min(low, middle / 6), max(high, middle * 6))  # small differences stay small
        ax.set_title(problem.name, fontsize=11)
        ax.grid(which="major", color="0.88")
        ax.set_xlabel("largest error [m, rad]")
        ax.set_ylabel("processor time [ms]")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    axes.flat[-1].axis("off")
    axes.flat[-1].legend(handles, labels, loc="center", title="method", frameon=False, fontsize=11)
    figure.savefig(PICTURE, metadata={"Date": None})
    print(f"written to {PICTURE}")


if __name__ == "__main__":
    os.environ["DALEMBERT_NATIVE"] = "0"
    warnings.simplefilter("ignore", da.AuditWarning)  # loose runs may fail their audit: their errors are what is drawn
    draw()
