"""Our own side of every benchmark: thin, one function each, in the shapes that `timing` expects.

A function that returns a `Repeat` gives `repeat(times)`: one evaluation, so many times, *inside compiled code*;
what is compared is the evaluation, not the call.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from benchmarks import andrews_reference as data
from benchmarks.timing import Repeat, Solve, child

ROOT = str(Path(__file__).parent.parent)


# Chains -------------------------------------------------------------------------------------------------------------


def machine_evaluation(model: da.Mechanism, everything: bool = False) -> Repeat:
    """One evaluation by machine code of its own: accelerations, or all that an evaluation leaves in memory."""
    from dalembert.kernels.operate import ACCELERATE, EVALUATE
    from dalembert.kernels.through import _FUNCTION
    from dalembert.system.machine.native import native_code

    system = da.compile(model)
    numbering, work = system.numbering, system.workspace()
    q, v, a = system.q0.copy(), np.zeros(system.nv), np.zeros(system.nv)
    function = _FUNCTION(native_code(numbering).make())
    mode = EVALUATE if everything else ACCELERATE
    arrays = numbering.I, numbering.P, work.F, q, v, a

    def repeat(times: int) -> None:
        words = [x for array in arrays for x in (array.ctypes.data, array.size)]
        function(mode, *words[:6], 0.0, *words[6:], 0.0, times)

    return repeat


def lanes(model: da.Mechanism, count: int, samples: int = 72) -> Repeat:
    """One evaluation of a sample, in vectors of `count` samples."""
    from dalembert.kernels.operate import ACCELERATE
    from dalembert.system.machine.entry import batch

    system = da.compile(model)
    n = system.numbering
    perform = batch(n, ACCELERATE, count)
    many = [np.repeat(x[:, None], samples, axis=1) for x in (n.P, system.workspace().F, system.q0, np.zeros(system.nv))]
    a, t = np.zeros((system.nv, samples)), np.zeros(samples)

    def repeat(times: int) -> None:
        perform(*many, a, t, max(1, times // samples))

    return repeat


def _evaluation(model: da.Mechanism) -> tuple[Repeat, da.System]:
    """One evaluation at the drawn configuration, at rest."""
    from dalembert.kernels.operate import EVALUATE, operate

    system = da.compile(model)
    numbering, work = system.numbering, system.workspace()
    q, v, a = system.q0.copy(), np.zeros(system.nv), np.zeros(system.nv)

    def repeat(times: int) -> None:
        operate(EVALUATE, numbering.I, numbering.P, work.F, 0.0, q, v, a, 0.0, times)

    return repeat, system


def spatial_chain_model(n_bodies: int) -> da.Mechanism:
    m = da.Mechanism("spatial chain", plane=False, gravity=(0, -9.81, 0))
    before = m.ground
    for k in range(n_bodies):
        rod = m.body(f"rod {k}", mass=1.0, inertia=(0.01, 1 / 12, 1 / 12), at=(k + 0.5, 0, 0))
        m.revolute(f"joint {k}", before, rod, at=(k, 0, 0), axis=(0, 0, 1) if k % 2 == 0 else (0, 1, 0))
        before = rod
    return m


def spatial_chain(n_bodies: int) -> Repeat:
    """One evaluation (accelerations and all multipliers) of the chain of `prototypes/chain.py`.

    Rods of 1 m and 1 kg along x, inertia diag(0.01, 1/12, 1/12), revolutes about z (even) and y (odd), the first at the
    origin, gravity (0, -9.81, 0).
    """
    return _evaluation(spatial_chain_model(n_bodies))[0]


def chain_accelerations(n_bodies: int) -> np.ndarray:
    """Joint accelerations of the drawn chain at rest, to check that it is the same chain."""
    eq = da.equations(da.compile(spatial_chain_model(n_bodies)))
    spin = eq.a.reshape(n_bodies, 6)[:, 3:]  # body axes are space axes as drawn
    relative = np.diff(spin, axis=0, prepend=np.zeros((1, 3)))
    return relative[np.arange(n_bodies), 2 - np.arange(n_bodies) % 2]


def mixed_chain_model(n_bodies: int) -> da.Mechanism:
    """Chain of ball, cross, slider, weld and two hinges geared to each other, in turn; loops of ten bodies, end to end.

    Every tenth body is tied by a link to the body ten before it (the first to the ground).
    """
    m = da.Mechanism("mixed chain", plane=False, gravity=(0, -9.81, 0))

    def node(k: int) -> tuple[float, float, float]:
        # a crooked line, so that nothing is aligned by chance
        return 0.8 * k, 0.3 * math.sin(1.3 * k), 0.3 * math.cos(0.7 * k)

    before = m.ground
    for k in range(n_bodies):
        at = node(k)
        middle = tuple(0.5 * (a + b) for a, b in zip(at, node(k + 1)))
        rod = m.body(f"rod {k}", mass=1.0, inertia=(0.05, 0.08, 0.1), at=middle)
        name = f"joint {k}"
        match k % 6:
            case 0:
                m.spherical(name, before, rod, at=at)
            case 1:
                m.universal(name, before, rod, at=at, axes=((0, 1, 0), (0, 0, 1)))
            case 2:
                m.prismatic(name, before, rod, at=at, along=(1, 0.2, 0.1))
            case 3:
                m.fixed(name, before, rod, at=at)
            case 4:
                m.revolute(name, before, rod, at=at, axis=(0, 0.3, 1))
            case _:
                m.revolute(name, before, rod, at=at, axis=(0, 0.3, 1))
                m.gear(f"gear {k}", m[f"joint {k - 1}"], m[name], ratio=-2.0)
        if k % 10 == 9:
            anchor = m.ground if k < 10 else m[f"rod {k - 10}"]
            offset = (0.0, 0.5, 0.0)
            m.distance(f"link {k}", anchor.point(*offset), rod.point(*offset))
        before = rod
    return m


def mixed_chain(n_bodies: int) -> tuple[Repeat, int]:
    """One evaluation of a chain of spherical, universal, prismatic, fixed and gear, a loop every tenth body.

    The second value is its number of constraint rows.
    """
    repeat, system = _evaluation(mixed_chain_model(n_bodies))
    return repeat, system.n_rows


def planar_chain(n_bodies: int) -> Repeat:
    """One evaluation of a planar chain of revolutes."""
    return _evaluation(planar_chain_model(n_bodies))[0]


def planar_chain_model(n_bodies: int) -> da.Mechanism:
    """A planar chain of revolutes."""
    m = da.Mechanism("planar chain", gravity=(0, -9.81))
    before = m.ground
    for k in range(n_bodies):
        rod = m.body(f"rod {k}", mass=1.0, inertia=1 / 12, at=(k + 0.5, 0))
        m.revolute(f"joint {k}", before, rod, at=(k, 0))
        before = rod
    return m


# Analyses -----------------------------------------------------------------------------------------------------------


def best_of(work: Callable[[], object], times: int = 5) -> float:
    """Least seconds of some calls."""
    best = math.inf
    for _ in range(times):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def closed_chain_model(n_bodies: int) -> da.Mechanism:
    """Bars on a circle with parallel hinges, closed over the ground: one loop, three dependent rows."""
    m = da.Mechanism("closed chain", plane=False, gravity=(0, -9.81, 0))
    radius = n_bodies / (2.0 * math.pi)

    def corner(k: int) -> tuple[float, float, float]:
        turn = 2.0 * math.pi * k / (n_bodies + 1)
        return radius * math.sin(turn), radius * (1.0 - math.cos(turn)), 0.0

    before = m.ground
    for k in range(n_bodies):
        middle = tuple(0.5 * (a + b) for a, b in zip(corner(k), corner(k + 1)))
        bar = m.body(f"bar {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=middle)
        m.revolute(f"joint {k}", before, bar, at=corner(k), axis=(0, 0, 1))
        before = bar
    m.revolute("last", before, m.ground, at=corner(n_bodies), axis=(0, 0, 1))
    return m


def springy_four_bar_model() -> da.Mechanism:
    """Four-bar of 1, 4 and 3 m on a ground of 4 m with a spring from the ground to the coupler and one on the crank."""
    pin = (48.0 + math.sqrt(128.0)) / 17.0, (5.0 + 4.0 * math.sqrt(128.0)) / 17.0
    m = da.Mechanism("four-bar with springs", plane=True, gravity=(0, -9.81))
    corners = ((0.0, 0.0), (0.0, 1.0), pin, (4.0, 0.0))
    bars = []
    for name, (x0, y0), (x1, y1), mass in (
        ("crank", corners[0], corners[1], 10.0),
        ("coupler", corners[1], corners[2], 40.0),
        ("rocker", corners[3], corners[2], 30.0),
    ):
        length, angle = math.hypot(x1 - x0, y1 - y0), math.atan2(y1 - y0, x1 - x0)
        at = 0.5 * (x0 + x1), 0.5 * (y0 + y1)
        bars.append(m.body(name, mass=mass, inertia=mass * (length**2 + 0.01) / 12.0, at=at, angle=angle))
    crank, coupler, rocker = bars
    for name, i, j, at in (
        ("A", m.ground, crank, corners[0]),
        ("B", crank, coupler, corners[1]),
        ("C", coupler, rocker, corners[2]),
        ("D", m.ground, rocker, corners[3]),
    ):
        m.revolute(name, i, j, at=at)
    m.spring("lift", (m.ground, (2.0, 4.0)), (coupler, (2.0, 2.0)), stiffness=200.0, free_length=1.0)
    m.torsion_spring("coil", m["A"], stiffness=50.0)
    return m


# Andrews ------------------------------------------------------------------------------------------------------------


def andrews_model() -> da.Mechanism:
    """Seven bodies with frames as in the source (origin at the pivot nearest to the ground) and ten revolutes."""
    g = data.GEOMETRY
    beta, theta, gamma, phi, delta, omega, epsilon = data.START_ANGLES
    O, A, B, C = (0.0, 0.0), (g.xa, g.ya), (g.xb, g.yb), (g.xc, g.yc)

    def along(origin: tuple[float, float], angle: float, x: float, y: float) -> tuple[float, float]:
        c, s = math.cos(angle), math.sin(angle)
        return origin[0] + c * x - s * y, origin[1] + s * x + c * y

    F, G, H = along(O, beta, g.rr, 0), along(A, delta, g.zt, 0), along(A, epsilon, 0, -g.u)
    placed = (
        (O, beta, (g.ra, 0)),
        (F, beta + theta, (-g.da, 0)),
        (B, gamma, (g.sb, -g.sa)),
        (G, phi + delta, (0, g.ea - g.e)),
        (A, delta, (g.ta, g.tb)),
        (H, omega + epsilon, (g.zf - g.fa, 0)),
        (A, epsilon, (-g.ub, -g.ua)),
    )
    m = da.Mechanism("Andrews squeezer")
    one, two, three, four, five, six, seven = (
        m.body(f"body {k + 1}", mass=data.MASS[k], inertia=data.INERTIA[k], at=at, angle=angle, center=center)
        for k, (at, angle, center) in enumerate(placed)
    )
    m.revolute("O", m.ground, one, at=O)
    m.revolute("F", one, two, at=F)
    m.revolute("B", m.ground, three, at=B)
    m.revolute("A5", m.ground, five, at=A)
    m.revolute("G", five, four, at=G)
    m.revolute("A7", m.ground, seven, at=A)
    m.revolute("H", seven, six, at=H)
    end = two.point(-g.d, 0)
    m.revolute("E3", two, three, at=(end, three.point(0, -g.ss)))
    m.revolute("E4", two, four, at=(end, four.point(0, -g.e)))
    m.revolute("E6", two, six, at=(end, six.point(g.zf, 0)))
    m.spring(
        "spring",
        (m.ground, C),
        three.point(g.sd, -g.sc),
        stiffness=data.SPRING_STIFFNESS,
        free_length=data.SPRING_FREE_LENGTH,
    )
    m.torque("drive", one, data.DRIVE_TORQUE)
    return m


def _published_angles(turn: np.ndarray) -> np.ndarray:
    """The seven published angles from the angles of the bodies."""
    return np.array([turn[0], turn[1] - turn[0], turn[2], turn[3] - turn[4], turn[4], turn[5] - turn[6], turn[6]])


def andrews(tolerance: float) -> Solve:
    """Compiled time loop of the Andrews squeezer: bodies and revolutes in absolute coordinates, no audit, no Result.

    Gives the seven angles of `andrews_reference` at its end time.
    """
    from dalembert.analyses.dynamics.start import prepare
    from dalembert.solve.integrators import method
    from dalembert.solve.run import Problem, integrate
    from dalembert.system.machine.native import native_code

    prepared = prepare(andrews_model(), 0.0, None)
    system, work, start = prepared.system, prepared.work, prepared.state
    numbering = system.numbering
    code = native_code(numbering)
    code.make()  # made before the clock runs, as the kernels are
    problem = Problem(
        numbering.I, numbering.P, work.F, system.length, method(8), tolerance, 0.01 * tolerance, arms=system.arms, watch=system.watch(),
        conservative=system.conservative(), guard=True, native=code,
    )  # fmt: skip
    none = np.zeros(0)

    def solve() -> np.ndarray:
        trace = integrate(problem, 0.0, start.q, start.v, data.END_TIME, none)
        if trace.status != 0:
            return np.full(7, np.nan)
        return _published_angles(trace.kept.y[-1, 2:21:3])

    return solve


def andrews_simulate(tolerance: float) -> Solve:
    """Run the same with the whole `simulate()`, audit and Result included."""
    model = andrews_model()

    def solve() -> np.ndarray:
        run = da.simulate(
            model, until=data.END_TIME, rtol=tolerance, atol=0.01 * tolerance, output=[data.END_TIME], progress=False
        )
        return _published_angles(run.q[-1, 2:21:3])

    return solve


# Start-up, overhead, memory -----------------------------------------------------------------------------------------

SMALL_MODEL = """
import dalembert as da
m = da.Mechanism("pendulum", gravity=(0, -9.81))
bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
m.revolute("A", m.ground, bar, at=(0, 0))
run = da.simulate(m, until=1.0)
assert run.status == "ok"
"""


def import_time(rounds: int = 6) -> float:
    """CPU seconds of `import dalembert` in a new Python, bytecode cached, best of several."""
    code = "import dalembert"
    child(code)  # write the bytecode, fill the file cache
    return min(child(code).cpu for _ in range(rounds))


def first_simulation_time(rounds: int = 4) -> float:
    """Wall seconds of a new Python that imports, builds and simulates a small model, kernels cached, best of several."""
    child(SMALL_MODEL)  # compile if need be
    return min(child(SMALL_MODEL).wall for _ in range(rounds))


def first_simulation_of_all() -> float:
    """The same with an empty cache: what a newcomer waits for."""
    with tempfile.TemporaryDirectory() as folder:
        return child(SMALL_MODEL, DALEMBERT_CACHE=folder).wall


def compile_time() -> float:
    """Wall seconds of compiling all kernels into an empty cache (DALEMBERT_CACHE set to a new folder)."""
    code = "from dalembert.compilation import ensure_compiled; assert ensure_compiled(quiet=True) > 0.0"
    with tempfile.TemporaryDirectory() as folder:
        return child(code, DALEMBERT_CACHE=folder).wall


def slider_crank() -> da.Mechanism:
    """A small model with a loop, a driver and a force: what "small" means in the requirement."""
    m = da.Mechanism("slider-crank", gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.1, 0.1, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(0.2, 0))
    m.revolute("B", rod, piston, at=(0.8, 0))
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    m.drive("motor", m["O"].angle, "2*pi*t")
    return m


def simulate_overhead(rounds: int = 20) -> float:
    """Wall seconds of a whole `simulate()` call of a small model beyond its compiled loop, best of several."""
    return beyond_loop(slider_crank(), rounds, until=1.0)


def large_overhead(rounds: int = 10) -> float:
    """The same of a planar chain of 1,000, at its end alone."""
    return beyond_loop(planar_chain_model(1000), rounds, until=0.01, output=[0.01])


def beyond_loop(model: da.Mechanism, rounds: int, **options: Any) -> float:
    """Wall seconds of `simulate()` of a model that was simulated before, audit included, beyond the compiled loop; best of several."""
    da.simulate(model, progress=False, **options)
    best = math.inf
    for _ in range(rounds):
        begin = time.perf_counter()
        run = da.simulate(model, progress=False, **options)
        best = min(best, time.perf_counter() - begin - run.trace.seconds)
    return best


def guard_share(rounds: int = 2000) -> float:
    """Part of `run.at` that the check of its answer takes: the same state with and without it, in turns, best of many."""
    run, best = da.simulate(slider_crank(), until=1.0, progress=False), [math.inf] * 3
    calls = (lambda: run._state(0.513, checked=False), lambda: run._state(0.513), lambda: run.at(0.513))
    for _ in range(rounds):
        for k, call in enumerate(calls):
            best[k] = min(best[k], best_of(call, 1))
    return max(0.0, best[1] - best[0]) / best[2]


def press() -> da.Mechanism:
    """The slider-crank with a spring whose stiffness is a parameter: what a study of a small press varies."""
    m = slider_crank()
    m.parameter("k", 1000.0)
    m.spring("work", (m.ground, (1.0, 0)), (m["piston"], (0, 0)), stiffness="k", free_length=0.2)
    return m


def sweep_times(cases: int = 500) -> tuple[float, float]:
    """Wall seconds of a sweep of the press, 201 outputs each, in this process and in two, their start included."""
    model, taken = press(), []
    for processes in (1, 2):
        begin = time.perf_counter()
        found = da.sweep(
            model, over={"k": [100.0 * (k + 1) for k in range(cases)]}, until=0.2, output=0.001, keep="max |A.force|",
            processes=processes, progress=False,
        )  # fmt: skip
        taken.append(time.perf_counter() - begin)
        assert not found.failures
    return taken[0], taken[1]


def pile_model(n_disks: int = 50) -> da.Mechanism:
    """Disks over a box with walls, every two of them a contact with friction."""
    random = np.random.default_rng(0)
    m = da.Mechanism("pile", plane=True, gravity=(0, -9.81))
    disks = [
        m.body(
            f"d{k}",
            da.disk(0.05, mass=1.0),
            at=(0.115 * (k % 6) - 0.33 + 0.01 * random.random(), 0.1 + 0.12 * (k // 6)),
        )
        for k in range(n_disks)
    ]
    surface = {"mu": 0.3, "restitution": 0.3}
    m.contact("pile", disks, **surface)
    m.contact("floor", m.ground, disks, **surface)
    m.contact("left", m.ground, disks, normal=(1, 0), through=(-0.4, 0), **surface)
    m.contact("right", m.ground, disks, normal=(-1, 0), through=(0.4, 0), **surface)
    return m


def pile_time() -> float:
    """Processor time of the pile: the model, 2 s of it in steps of 1 ms, and the audit; energy never rises, overlaps stay below 1e-6 m."""
    begin = time.process_time()
    run = da.simulate(pile_model(), until=2.0, method="moreau", step=1e-3)
    spent = time.process_time() - begin
    energy = np.asarray(run.energy.total)
    if run.status != "ok" or np.diff(energy).max() > 1e-9 * energy[0] or run.trace.contacts.deepest > 1e-6:
        raise AssertionError(f"the pile is wrong: {run.audit}")
    return spent


def memory_chain(n_bodies: int) -> int:
    """Peak resident bytes of a new Python that compiles and evaluates a spatial chain."""
    return peak_memory(f"from benchmarks.ours import spatial_chain; spatial_chain({n_bodies})(1)")


def peak_memory(code: str) -> int:
    """Peak resident bytes of a new Python that runs some code.

    Linux counts the memory of the parent before `exec` in the child's ru_maxrss; the mark in /proc/self/status begins at `exec`.
    """
    child(code, PYTHONPATH=ROOT)  # compile if need be: that takes memory of its own
    if not Path("/proc/self/status").exists():
        return child(code, PYTHONPATH=ROOT).peak_memory
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "status"
        child(f"{code}\nopen({str(copy)!r}, 'w').write(open('/proc/self/status').read())", PYTHONPATH=ROOT)
        line = next(line for line in copy.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024
