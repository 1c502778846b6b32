"""Ten thousand random models (a thousand with every change), most of them malformed: only errors of the package come out, each with four parts.

No traceback from numpy or numba, no warning except that of the audit, nothing half-written, no endless work.  Models that are
accepted are compiled; some of them run for a short time.  Every model is made from its number: `Fuzz(number)` shows a failure again.
"""

from __future__ import annotations

import inspect
import random
import signal
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import dalembert as da
from tests.soak import share

from .checks import check_parts
from .fuzz import STRANGER, Fuzz, nonsense

MODELS, CHUNK = share(10_000), 500
# share of the accepted models that are simulated as well
SIMULATED = 0.06


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """A stop request from the keyboard after some work: a stiff model may rightly take long, and then ends incomplete."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def simulate(fuzz: Fuzz, m: da.Mechanism) -> str:
    """Short run with now and then a bad argument; everything that the result offers is asked for."""
    options: dict[str, Any] = {"until": 0.01, "rtol": 1e-4, "atol": 1e-6, "output": 0.005, "progress": False}
    if fuzz.r.random() < 0.2:
        names = [
            "until",
            "rtol",
            "atol",
            "output",
            "method",
            "max_step",
            "start",
            "backward",
            "progress",
            "audit",
            "speed",
        ]
        options[fuzz.r.choice(names)] = nonsense(fuzz.r, m)
    with limited(2.0):
        run = da.simulate(m, **options)
    if len(run.t) == 0:
        return run.status
    repr(run)
    assert run.energy.total.shape == run.t.shape
    for part in m.parts():
        kind = getattr(part, "kind", "")
        if kind == "body" and part is not m.ground:
            assert run[part.name].position.shape[0] == len(run.t)
        elif kind in ("joint", "force"):
            assert run[part.name].force.shape[0] == len(run.t)
            assert run[part.name].power.shape == run.t.shape
        elif isinstance(part, type(m.ground.model["b0"].x)):
            assert run[part].shape == run.t.shape
    return run.status


def one(number: int) -> Counter[str]:
    """One model from its number; returns what happened."""
    fuzz = Fuzz(number)
    m = fuzz.build()
    seen: Counter[str] = Counter(added=fuzz.added, refused=len(fuzz.errors))
    for error in fuzz.errors:
        check_parts(error)
    assert not fuzz.half_written, fuzz.half_written
    if m is None:
        return seen
    repr(m)
    try:
        repr(da.compile(m))
        seen["compiled"] += 1
        if fuzz.r.random() < SIMULATED:
            seen[f"run {simulate(fuzz, m)}"] += 1
    except da.DalembertError as error:
        check_parts(error)
        seen[type(error).__name__] += 1
    return seen


@pytest.mark.parametrize("first", range(0, MODELS, CHUNK))
def test_random_models(first):
    seen: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", da.AuditWarning)
        for number in range(first, first + CHUNK):
            try:
                seen += one(number)
            except BaseException as error:
                raise AssertionError(f"Fuzz({number}): {type(error).__name__}: {error}") from error
    # the test would be worthless if everything were refused, or nothing
    assert seen["added"] > CHUNK / 2, seen
    assert seen["refused"] > CHUNK / 2, seen
    assert seen["compiled"] > CHUNK / 2, seen
    assert sum(n for what, n in seen.items() if what.startswith("run ")) > 5, seen


SHAPES = ("block", "box", "cone", "cylinder", "disk", "lump", "plate", "rectangle", "ring", "rod", "semicircle", "sphere", "triangle",
          "tube", "composite", "void", "reduce", "Wrench", "MassProperties", "spline", "State")  # fmt: skip


def test_random_arguments_of_everything_outside_the_mechanism():
    """Shapes, composites, wrenches, splines, states: 4000 random calls, 1000 with every change."""
    made = refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(share(4000, 1000)):
            r = random.Random(number)
            function = getattr(da, r.choice(SHAPES))
            parameters = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_POSITIONAL]
            options: dict[str, Any] = {}
            for p in parameters:
                chance = r.random()
                if chance < 0.1:
                    options[p.name] = nonsense(r, STRANGER)
                elif chance < 0.9 and (p.default is p.empty or p.name == "mass"):
                    options[p.name] = r.choice([1.0, 0.5, 2, 0.1])
            few = function in (da.composite, da.void)
            parts = [
                r.choice([da.rod(length=1, mass=1), nonsense(r, STRANGER)]) for _ in range(r.randrange(3) if few else 0)
            ]
            if few:
                options = {}
            if r.random() < 0.02:
                options["colour"] = 1
            try:
                shape = function(*parts, **options)
                repr(shape)
                made += 1
                if hasattr(shape, "mass_properties"):
                    shape.mass_properties()
                    shape.at(nonsense(r, STRANGER), 1.0).mass_properties()
            except da.DalembertError as error:
                check_parts(error)
                refused += 1
            except BaseException as error:
                raise AssertionError(f"call {number} of {function}: {type(error).__name__}: {error}") from error
    assert made > 150 and refused > 150, (made, refused)
