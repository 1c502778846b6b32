"""Compile the kernels ahead of time: `python -m dalembert.warmup`."""

from __future__ import annotations

import sys

import numpy as np


def warm(which: str) -> None:
    """Compile one entry by a tiny call of it."""
    if which == "lagrangian operate":
        _warm_lagrangian()
        return
    from .kernels.hold import POSITION, project
    from .kernels.operate import EVALUATE, operate
    from .solve import run
    from .solve.integrators import method
    from .system.system import compile

    system = compile(_pendulum())
    n, work = system.numbering, system.workspace()
    q, v, a = system.q0.copy(), np.zeros(system.nv), np.zeros(system.nv)
    if which == "operate":
        operate(EVALUATE, n.I, n.P, work.F, 0.0, q, v, a, 0.0, 1)
        return
    if which == "project":
        # a projection without steps needs no equations
        project(0, POSITION, n.I, n.P, work.F, 0.0, q, v, a, 0.0, 0)
        return
    run.warm_loop(run.Problem(n.I, n.P, work.F, 1.0, work.floor, method(5), 1e-6, 1e-8), q, v)


def _warm_lagrangian() -> None:
    from .analyses.lagrangian.point import Point
    from .kernels.operate import EVALUATE
    from .model.lagrangian import Lagrangian
    from .system.lagrange import compile_lagrangian

    system = compile_lagrangian(Lagrangian("q", kinetic="rate(q)**2"))
    point = Point(system, 0.0, np.zeros(1))
    point.operate(EVALUATE)
    system.function([system.nodes.kinetic])(0.0, point.q, point.v)


def _pendulum():  # noqa: ANN202
    from .model.mechanism import Mechanism

    m = Mechanism("warm-up", plane=True, gravity=(0.0, -9.81))
    bar = m.body("bar", mass=1.0, inertia=0.1, at=(0.5, 0.0))
    m.revolute("A", m.ground, bar, at=(0.0, 0.0))
    return m


def main() -> None:
    """Compile everything, or the entry named on the command line."""
    from .compilation import FAMILIES, ensure_compiled, is_cached, rarely_collecting

    if len(sys.argv) > 1:
        from .kernels.whole import as_a_whole

        with rarely_collecting(), as_a_whole():
            warm(sys.argv[1])
        return

    for family in FAMILIES:
        done = "are compiled already" if is_cached(family) else f"compiled in {ensure_compiled(family):.0f} s"
        print(f"dalembert: kernels ({family}) {done}")


if __name__ == "__main__":
    main()
