"""Run all benchmarks on one core, print the table and write RESULTS.md beside this file.

    python -m benchmarks.run                 everything
    python -m benchmarks.run andrews chain   only benchmarks whose names contain one of the words; writes nothing

A requirement is a ratio in this run wherever there is somebody to compare with.  A peer that is not installed and a
part of ours that is not written are rows without a verdict, never an error.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

import numpy as np

import dalembert as da
from benchmarks import lagrangian as own
from benchmarks import nonsmooth as rough
from benchmarks import ours
from benchmarks import stiff as machines
from benchmarks.andrews_reference import angle_error
from benchmarks.prototypes import andrews as andrews_prototype
from benchmarks.prototypes import chain as chain_prototype
from benchmarks.timing import Reached, Repeat, race, reach

RESULTS = Path(__file__).parent / "RESULTS.md"
PACKAGES = ("dalembert", "numpy", "scipy", "numba", "sympy", "pin", "mujoco", "scikit-sundae", "exudyn")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    work: str
    ours: str = "–"
    peer: str = "–"
    ratio: str = "–"
    must_reach: str = "–"
    verdict: str = ""


class NotInstalled(Exception):  # noqa: N818
    """A peer is missing."""


# How numbers are written and judged ---------------------------------------------------------------------------------


def seconds(value: float) -> str:
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def judge(reached: bool) -> str:
    return "reached" if reached else "**missed**"


def at_most(work: str, value: float, limit: float, show: Callable[[float], str] = seconds) -> Row:
    """Absolute requirement."""
    return Row(work, show(value), "–", "–", f"≤ {show(limit)}", judge(value <= limit))


def against(
    work: str,
    mine: float,
    peer: float,
    name: str,
    share: float | None = None,
    faster: float | None = None,
    show: Callable[[float], str] = seconds,
) -> Row:
    """Ratio to somebody else: at most a share of his time, or so many times faster; neither is for orientation."""
    peer_text = f"{name}: {show(peer)}"
    if share is not None:
        return Row(
            work, show(mine), peer_text, f"{mine / peer:.2f} of its time", f"≤ {share:g}", judge(mine <= share * peer)
        )
    ratio = f"{peer / mine:.1f}× faster"
    if faster is None:
        return Row(work, show(mine), peer_text, ratio, "for orientation", "")
    return Row(work, show(mine), peer_text, ratio, f"≥ {faster:g}×", judge(peer >= faster * mine))


def peer_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"benchmarks.peers.{name}_peer")
    except ImportError as error:
        raise NotInstalled(f"{name}: not installed") from error


# Benchmarks: each gives its rows ------------------------------------------------------------------------------------


def start_up() -> Iterator[Row]:
    yield at_most("import dalembert (CPU time)", ours.import_time(), 0.35)
    yield from attempt("first simulation, kernels cached", lambda: ours.first_simulation_time(), limit=0.5)
    yield from attempt("first simulation, empty caches", lambda: ours.first_simulation_of_all(), limit=15.0)
    yield from attempt("compiling all kernels once", lambda: ours.compile_time(), limit=90.0)
    yield from attempt(
        "`simulate()` beyond the compiled loop, small model", lambda: ours.simulate_overhead(), limit=0.001
    )
    yield from attempt(
        "`simulate()` beyond the compiled loop, planar chain of 1,000", lambda: ours.large_overhead(), limit=0.04
    )
    yield from attempt(
        "check of an answer, part of `run.at`",
        lambda: ours.guard_share(),
        limit=0.05,
        show=lambda value: f"{100 * value:.1f} %",
    )
    cases = 500
    one, two = ours.sweep_times(cases)
    yield at_most(f"sweep of a small press, {cases} cases, per case", one / cases, 0.008)
    yield against(f"sweep of a small press, {cases} cases, in two processes", two, one, "in one")


def memory() -> Iterator[Row]:
    yield from attempt(
        "peak memory, spatial chain of 10,000",
        lambda: ours.memory_chain(10_000),
        limit=500e6,
        show=lambda value: f"{value / 1e6:.0f} MB",
    )


def attempt(
    work: str, measure: Callable[[], float], limit: float, show: Callable[[float], str] = seconds
) -> Iterator[Row]:
    """Row of an absolute requirement, whose measurement may not be written yet."""
    try:
        yield at_most(work, measure(), limit, show)
    except NotImplementedError:
        yield Row(work, "not written", must_reach=f"≤ {show(limit)}", verdict="not measured")


# Required share of the yardstick's time, and times faster than each peer, by number of bodies.
CHAIN_PEERS: dict[str, dict[int, float | None]] = {
    "pinocchio": {1: None, 10: None, 100: 1.0},
    "mujoco": {10: None, 100: 1.5, 1000: 80.0},
}
# Simbody and Drake are not measured here: the figures for 1000 bodies are those quoted in the requirement.
CHAIN_RECORDED = {"Simbody (recorded)": 0.91e-3, "Drake (recorded)": 1.04e-3}


def spatial_chain() -> Iterator[Row]:
    peers, missing = {}, []
    for name in CHAIN_PEERS:
        try:
            peers[name] = peer_module(name)
            check_same_chain(peers[name])
        except NotInstalled as error:
            missing.append(Row("spatial chain, one evaluation", peer=str(error), verdict="not measured"))
    for n_bodies in (1, 10, 100, 1000, 10_000):
        work = f"spatial chain of {n_bodies:,}, one evaluation"
        contenders: dict[str, Repeat] = {"yardstick": chain_prototype.evaluation(n_bodies)}
        for name, module in peers.items():
            if n_bodies in CHAIN_PEERS[name]:
                contenders[name] = module.chain(n_bodies)
        try:
            contenders["ours"] = ours.spatial_chain(n_bodies)
        except NotImplementedError:
            best = race(contenders)
            names = {"yardstick": "chain.py"} | {name: module.VERSION for name, module in peers.items()}
            for name, value in best.items():
                yield Row(work, "not written", f"{names[name]}: {seconds(value)}", verdict="not measured")
            continue
        best = race(contenders)
        yield against(work, best["ours"], best["yardstick"], "chain.py", share=2.0)
        for name, module in peers.items():
            if name in best:
                yield against(work, best["ours"], best[name], module.VERSION, faster=CHAIN_PEERS[name][n_bodies])
        if n_bodies == 1000:
            for name, recorded in CHAIN_RECORDED.items():
                yield against(work, best["ours"], recorded, name, faster=2.5)
    yield from missing


def check_same_chain(module: ModuleType, n_bodies: int = 8) -> None:
    """A ratio means nothing unless both compute the same thing."""
    difference = np.max(np.abs(module.chain_accelerations(n_bodies) - chain_prototype.joint_accelerations(n_bodies)))
    if difference > 1e-9:
        raise RuntimeError(f"{module.__name__} computes another chain: joint accelerations differ by {difference:.1e}")


def mixed_chain() -> Iterator[Row]:
    n_bodies = 100
    work = f"mixed chain of {n_bodies} with loops, per constraint row"
    try:
        mixed, n_rows = ours.mixed_chain(n_bodies)
        best = race({"mixed": mixed, "revolutes": ours.spatial_chain(n_bodies)})
    except NotImplementedError:
        yield Row(work, "not written", must_reach="≤ 1.5", verdict="not measured")
        return
    yield against(work, best["mixed"] / n_rows, best["revolutes"] / (5 * n_bodies), "our revolute chain", share=1.5)


def planar_chain() -> Iterator[Row]:
    n_bodies = 10
    work = f"planar chain of {n_bodies}, one evaluation, per body"
    yield from attempt(work, lambda: race({"ours": ours.planar_chain(n_bodies)})["ours"] / n_bodies, limit=0.10e-6)


def machine_code() -> Iterator[Row]:
    """Machine code of one structure, traced from the kernels: one evaluation, and in vectors of samples."""
    chains = ("planar chain", ours.planar_chain_model, ((10, 35e-9),)), (
        "spatial chain", ours.spatial_chain_model, ((2, 120e-9), (10, 165e-9))
    )  # fmt: skip
    for name, model, sizes in chains:
        for n_bodies, limit in sizes:
            best = race(
                {"a": ours.machine_evaluation(model(n_bodies)), "all": ours.machine_evaluation(model(n_bodies), True)}
            )
            work = f"{name} of {n_bodies}, machine code, per body"
            yield at_most(f"{work}: accelerations", best["a"] / n_bodies, limit)
            yield Row(f"{work}: all results in memory", seconds(best["all"] / n_bodies), must_reach="for orientation")
    model = ours.andrews_model()
    best = race({"scalar": ours.machine_evaluation(model), "4": ours.lanes(model, 4), "8": ours.lanes(model, 8)})
    yield Row("Andrews squeezer, machine code: accelerations", seconds(best["scalar"]), must_reach="for orientation")
    for count in ("4", "8"):
        work = f"Andrews squeezer, {count} samples in a vector, per sample"
        yield against(
            work, best[count], best["scalar"], "scalar machine code", **({"faster": 4.0} if count == "8" else {})
        )


def analyses() -> Iterator[Row]:
    """A second and a hundred evaluations for a chain of 1,000, the translation of the model included."""
    open_chain, closed = ours.spatial_chain_model(1000), ours.closed_chain_model(1000)
    limit = 1.0 + 100.0 * race({"ours": ours.spatial_chain(1000)})["ours"]
    for name, model, required in (("spatial chain", open_chain, True), ("closed chain", closed, False)):
        for verb in (da.mobility, da.reactions):
            work = f"`{verb.__name__}` of a {name} of 1,000"
            spent = ours.best_of(lambda verb=verb, model=model: str(verb(model))[:1], 3)
            yield at_most(work, spent, limit) if required else Row(work, seconds(spent), must_reach="for orientation")
    springy = ours.springy_four_bar_model()
    rest = da.equilibrium(springy)
    yield at_most(
        "`equilibrium` of a four-bar with springs, all of them", ours.best_of(lambda: da.equilibrium(springy)), 0.01
    )
    yield at_most("`linearize` of it at the first", ours.best_of(lambda: da.linearize(springy, rest[0])), 0.01)
    yield Row(
        "`verify` of a mixed chain of 10 in space",
        seconds(ours.best_of(lambda: da.verify(ours.mixed_chain_model(10)))),
        must_reach="for orientation",
    )


def andrews() -> Iterator[Row]:
    """Ours goes to 2e-8 against everybody, also where the peer is let off with less.

    The yardstick happens to come just below 2e-8 at rtol 1e-7 and above it again at 3e-8.  The requirement was set with
    that run (2.7 ms), so the verdict is against it; the row after it has the yardstick under the rule of the others.
    """
    contenders: dict[str, Reached] = {}
    labels: dict[str, str] = {}

    def enter(key: str, label: str, prepare: Callable[[float], Callable[[], np.ndarray]], target: float) -> None:
        contenders[key] = reached = reach(prepare, target)
        labels[key] = f"{label} to {target:.0e} (error {reached.error:.0e})"

    missing = []
    quoted = andrews_prototype.solution(1e-7)
    contenders["yardstick"] = Reached(1e-7, angle_error(quoted()), quoted)
    labels["yardstick"] = f"andrews.py at rtol 1e-7 (error {contenders['yardstick'].error:.0e})"
    enter("yardstick, same rule", "andrews.py", andrews_prototype.solution, 2e-8)
    try:
        pinocchio = peer_module("pinocchio")
        enter("pinocchio", f"{pinocchio.VERSION} + SciPy DOP853", pinocchio.andrews, 1e-7)
    except NotInstalled as error:
        missing.append(Row("Andrews squeezer", peer=str(error), must_reach="≥ 5×", verdict="not measured"))
    try:
        ida = peer_module("ida")
        enter("ida", ida.VERSION, ida.andrews, 1e-5)
        enter(
            "ida, angles only",
            f"{ida.VERSION}, multipliers not error-tested,",
            lambda tolerance: ida.andrews(tolerance, multipliers_controlled=False),
            1e-5,
        )
    except NotInstalled as error:
        missing.append(Row("Andrews squeezer", peer=str(error), must_reach="≥ 10×", verdict="not measured"))

    work = "Andrews squeezer to 2e-8, compiled loop"
    try:
        enter("ours", "ours", ours.andrews, 2e-8)
    except NotImplementedError:
        best = race({key: reached.repeat for key, reached in contenders.items()})
        for key, value in best.items():
            yield Row(work, "not written", f"{labels[key]}: {seconds(value)}", verdict="not measured")
        yield from missing
        return
    try:
        enter("simulate", "whole simulate()", ours.andrews_simulate, 2e-8)
    except NotImplementedError:
        missing.append(Row("Andrews squeezer to 2e-8, whole `simulate()`", "not written", verdict="not measured"))
    best = race({key: reached.repeat for key, reached in contenders.items()})
    requirements = {"yardstick": {"share": 0.22}, "pinocchio": {"faster": 35.0}, "ida": {"faster": 35.0}}
    for key, value in best.items():
        if key not in ("ours", "simulate"):
            yield against(work, best["ours"], value, labels[key], **requirements.get(key, {}))
    if "simulate" in best:
        yield against(
            "Andrews squeezer to 2e-8, whole `simulate()`", best["simulate"], best["ours"], "our compiled loop"
        )
    yield from missing


def many_contacts() -> Iterator[Row]:
    work = "50 disks in a box (1,375 contacts), 2 s, `moreau` h = 1 ms, model and run (CPU time)"
    yield from attempt(work, lambda: min(ours.pile_time() for _ in range(3)), limit=4.0)


def nonsmooth() -> Iterator[Row]:
    """Impacts, stick-slip and events: processor time of one whole call."""
    work = "bouncing ball, 1,000 impacts, per impact"
    yield at_most(work, rough.per_event(rough.ball, 1000.2 * rough.FLIGHT, ("impact",)), 30e-6)
    mine = rough.per_event(rough.oscillator, 2327.0, ("impact",))
    yield at_most("impact oscillator, 1,000 impacts, per impact", mine, 40e-6)
    peer = rough.scipy_per_impact(300.0)
    yield against("impact oscillator, per impact", mine, peer, "SciPy's events in a loop", faster=25.0)
    work = "stick-slip under 8 sin 3t, 1,000 transitions, per transition"
    yield at_most(work, rough.per_event(rough.stick_slip, 520.0, ("stick", "slip")), 40e-6)
    yield at_most("32 boxes that slide to rest", rough.whole(rough.boxes, 1.0), 0.05)
    work = "slider–crank with friction in all joints, 10 s, to 1e-6"
    yield at_most(work, rough.whole(rough.slider_crank, 10.0, rtol=1e-6), 0.02)
    yield at_most("`da.Stepper`, a step with an event that acts", rough.step_with_event(), 30e-6)


def lagrangian() -> Iterator[Row]:
    """n pendulums on a cart from the description to callable accelerations, and one evaluation."""
    limits = {8: (0.5, 5e-6), 32: (5.0, None), 100: (None, None)}
    mine = {}
    own.pendulum(2)  # kernels are loaded before the clock runs
    for n, (ready, call) in limits.items():
        work = f"pendulum of {n} on a cart, joint angles"
        spent = ours.best_of(lambda n=n: own.pendulum(n), 3)
        repeat, mine[n] = own.pendulum(n)
        each = race({"ours": repeat})["ours"]
        for what, value, limit in (("ready to call", spent, ready), ("one evaluation", each, call)):
            name = f"{work}, {what}"
            yield at_most(name, value, limit) if limit else Row(name, seconds(value), must_reach="for orientation")
    megabytes = lambda value: f"{value / 1e6:.0f} MB"  # noqa: E731
    yield from attempt("peak memory, pendulum of 100 on a cart", lambda: own.memory(100), 2e9, megabytes)
    try:
        peer = peer_module("sympy")
    except NotInstalled as error:
        yield Row("pendulum of 8 on a cart", peer=str(error), verdict="not measured")
        return
    for joint_angles in (False, True):
        begun = time.perf_counter()
        theirs, found = peer.pendulum(8, joint_angles)
        spent = time.perf_counter() - begun
        repeat, expected = own.pendulum(8, joint_angles)
        if np.max(np.abs(found - expected)) > 1e-9:
            raise RuntimeError("SymPy computes another pendulum")
        best = race({"ours": repeat, "sympy": theirs})
        work = f"pendulum of 8 on a cart, {'joint' if joint_angles else 'absolute'} angles"
        label = f"{peer.VERSION}, Kane"
        yield against(
            f"{work}, ready to call", ours.best_of(lambda j=joint_angles: own.pendulum(8, j), 3), spent, label
        )
        yield against(f"{work}, one evaluation", best["ours"], best["sympy"], f"{label}, lambdify")


def stiff() -> Iterator[Row]:
    """Whole simulate() with its audit at equal error, against others on the same machine and against our explicit method."""
    for key, machine in machines.MACHINES.items():
        mine = machines.reach(key, machines.ours)
        work = f"{machine.name}, to {machines.TARGET:.0e} m (error {mine.error:.0e}), whole simulate()"
        asked = {} if machine.faster is None else {"must_reach": f"≥ {machine.faster:g}×"}
        for name in machine.peers:
            try:
                peer = peer_module(name)
                his = machines.reach(key, peer.solver, peer.SETTINGS[key])
            except NotInstalled as error:
                yield Row(work, peer=str(error), verdict="not measured", **asked)
                continue
            except RuntimeError as error:
                yield Row(work, peer=f"{peer.VERSION}: {error}", verdict="not measured", **asked)
                continue
            best = race({"ours": mine.repeat, "peer": his.repeat}, rounds=3)
            label = f"{peer.VERSION} ({peer.SETTING} {his.setting:.0e}, error {his.error:.0e})"
            yield against(work, best["ours"], best["peer"], label, faster=machine.faster)
        if not machine.peers:
            other = machines.reach(key, machines.explicitly)
            best = race({"ours": mine.repeat, "explicit": other.repeat}, rounds=3)
            yield against(work, best["ours"], best["explicit"], f"ours, explicit (error {other.error:.0e})")
    repeat, evaluation = machines.correction(1000)
    best = race({"correction": repeat, "evaluation": evaluation})
    work = "stiff planar chain of 1,000, one correction of Newton's method (Radau 5)"
    yield against(work, best["correction"], best["evaluation"], "one evaluation", share=10.0)
    singly, at_once = machines.stepping()
    best = race({"singly": singly, "at once": at_once})
    yield at_most("`da.Stepper`, one step beyond what is compiled", best["singly"] - best["at once"], 5e-6)


BENCHMARKS: tuple[Callable[[], Iterator[Row]], ...] = (
    start_up,
    andrews,
    stiff,
    spatial_chain,
    mixed_chain,
    planar_chain,
    machine_code,
    analyses,
    lagrangian,
    many_contacts,
    nonsmooth,
    memory,
)


# The report ---------------------------------------------------------------------------------------------------------


def machine() -> str:
    """Cores, processor, system and package versions, one item a line."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = names[0] if names else cpu
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"{package} not installed")
    return "\n".join(
        (
            f"- {os.cpu_count()} cores, {cpu}, one used; {platform.system()} {platform.machine()}",
            f"- Python {platform.python_version()}; {', '.join(versions)}",
        )
    )


def table(rows: list[Row]) -> str:
    """Markdown, with columns aligned so that it also reads as text."""
    cells = [tuple(field.name.replace("_", " ") for field in fields(Row)), *(astuple(row) for row in rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(cells[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def write_results(text: str) -> None:
    """Write beside the target and rename, so that an interrupted run leaves the old results."""
    with tempfile.NamedTemporaryFile("w", dir=RESULTS.parent, suffix=".tmp", encoding="utf-8", delete=False) as file:
        file.write(text)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(RESULTS)


def main(words: list[str]) -> int:
    """Run the chosen benchmarks and report; a missed requirement is a line of the report, not a failure of the run."""
    chosen = [each for each in BENCHMARKS if not words or any(word in each.__name__ for word in words)]
    if not chosen:
        print(f"no benchmark is called {' or '.join(words)}: {', '.join(each.__name__ for each in BENCHMARKS)}")
        return 2
    rows = []
    for each in chosen:
        print(f"{each.__name__} ...", file=sys.stderr, flush=True)
        rows += each()
    text = f"{machine()}\n\n{table(rows)}\n"
    print(text)
    if not words:
        write_results(
            f"# Benchmark results\n\nWritten by `make bench`; contenders take turns, best round counts.\n\n{text}"
        )
        print(f"written to {RESULTS.relative_to(Path.cwd()) if RESULTS.is_relative_to(Path.cwd()) else RESULTS}")
    print(f"{sum(row.verdict == judge(False) for row in rows)} requirements missed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
