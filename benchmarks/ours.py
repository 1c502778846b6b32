"""Our own side of every benchmark: thin, one function each, in the shapes that `timing` expects.

A function that returns a `Repeat` gives `repeat(times)`: one evaluation, so many times, *inside compiled code*;
what is compared is the evaluation, not the call.  A function that is not written yet raises NotImplementedError and
appears as "not measured" in the table.
"""

from __future__ import annotations

from benchmarks.timing import Repeat, Solve, child


def spatial_chain(n_bodies: int) -> Repeat:
    """One evaluation (accelerations and all multipliers) of the chain of `prototypes/chain.py`.

    Rods of 1 m and 1 kg along x, inertia diag(0.01, 1/12, 1/12), revolutes about z (even) and y (odd), the first at the
    origin, gravity (0, -9.81, 0).
    """
    raise NotImplementedError


def mixed_chain(n_bodies: int) -> tuple[Repeat, int]:
    """One evaluation of a chain of spherical, universal, prismatic, fixed and gear, a loop every tenth body.

    The second value is its number of constraint rows.
    """
    raise NotImplementedError


def planar_chain(n_bodies: int) -> Repeat:
    """One evaluation of a planar chain of revolutes."""
    raise NotImplementedError


def andrews(tolerance: float) -> Solve:
    """Compiled time loop of the Andrews squeezer: bodies and revolutes in absolute coordinates, no audit, no Result.

    Gives the seven angles of `andrews_reference` at its end time.
    """
    raise NotImplementedError


def andrews_simulate(tolerance: float) -> Solve:
    """Run the same with the whole `simulate()`, audit and Result included."""
    raise NotImplementedError


def import_time(rounds: int = 6) -> float:
    """CPU seconds of `import dalembert` in a new Python, bytecode cached, best of several."""
    code = "import dalembert"
    child(code)  # write the bytecode, fill the file cache
    return min(child(code).cpu for _ in range(rounds))


def first_simulation_time() -> float:
    """Wall seconds of a new Python that imports, builds and simulates a small model, kernels cached."""
    raise NotImplementedError


def compile_time() -> float:
    """Wall seconds of compiling all kernels into an empty cache (DALEMBERT_CACHE set to a new folder)."""
    raise NotImplementedError


def simulate_overhead() -> float:
    """Wall seconds of a whole `simulate()` call of a small model beyond its compiled loop."""
    raise NotImplementedError


def memory_chain(n_bodies: int) -> int:
    """Peak resident bytes of a new Python that compiles and evaluates a spatial chain."""
    raise NotImplementedError
