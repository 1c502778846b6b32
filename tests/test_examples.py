"""Every example runs as a script, from an empty folder, and its results pass their audits.

The numbers asserted inside the examples are checked by running them.  Here: constraints at every output to 1e-12 (scaled; the
accuracy promised for all examples), and constant energy where nothing drives and nothing dissipates.
"""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.results.pieces import part_at
from dalembert.solve.segments import segment_at

FOLDER = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(FOLDER.glob("*.py"))
# these are run by test_machines.py
MACHINES = sorted((FOLDER / "machines").glob("*.py"))
CONSERVATIVE = {
    "01_pendulum",
    "03_four_bar",
    "04_double_pendulum",
    "05_spatial_four_bar",
    "bicycle",
    "furuta_pendulum",
    "gyroscope",
    "heavy_top",
    "rolling_coin",
    "spherical_pendulum",
    "tennis_racket",
}


def results(names):
    return {name: x for name, x in names.items() if isinstance(x, da.Result)}


def mechanisms(names):
    """All mechanisms of an example: by name, in lists and tables, behind results."""
    values = list(names.values())
    values += [x for many in values if isinstance(many, list | tuple) for x in many]
    values += [x for many in values if isinstance(many, dict) for x in many.values()]
    models = [x.model if isinstance(x, da.Result) else x for x in values if isinstance(x, da.Result | da.Mechanism)]
    return list({id(m): m for m in models}.values())


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_example(script, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(FOLDER))
    names = runpy.run_path(str(script), run_name="__main__")
    found = results(names)
    assert "run" in found, "an example leaves its result in `run`"
    assert "audit: passed" in capsys.readouterr().out
    assert (tmp_path / "out" / f"{script.stem}.png").stat().st_size > 10_000, "a picture with something in it"
    for run in found.values():
        check(run, script.stem)
    # its mechanisms through independent formulations: 0.1 s each, without another run
    assert mechanisms(names)
    for model in mechanisms(names):
        if model.parts("state") or model.frictions:
            continue  # the other formulations know no states, no inputs and no friction that sticks
        verified = da.verify(model)
        assert verified.agree, verified


def check(run, name):
    assert run.status == "ok"
    assert len(run.t) < 800, "the audit looks at every output up to here"
    assert run.audit.position <= 1e-12 and run.audit.velocity <= 1e-12
    # rows that were left out as redundant hold as well: positions, to the same accuracy
    for k in np.linspace(0, len(run.t) - 1, 7).astype(int):
        state = da.State(float(run.t[k]), run.q[k], run.v[k], run.angles[k])
        # a run through events has the rows of its parts and modes: gaps that are open are not among them
        part = part_at(run, state.t) if run.pieces else run
        allowed = 1e-11 * max(1.0, run.system.length)
        if part._has_modes:
            here = part.prepared.at(state.t, state.q, state.v, part.system.workspace())
            here.work.floor[:] = segment_at(part.trace.segments, state.t).floor
            here.work.angle[:] = state.angles
            assert np.max(np.abs(here.phi), initial=0.0) <= allowed
        else:
            assert np.max(np.abs(da.equations(part.system, state).phi), initial=0.0) <= allowed
    if name in CONSERVATIVE:
        total, moved = np.asarray(run.energy.total), np.max(run.energy.kinetic)
        # the error of a run grows at most in proportion to its steps
        assert np.ptp(total) <= run.audit.steps * run.problem.rtol * moved


def test_conservative_examples_are_known():
    names = {script.stem for script in [*SCRIPTS, *MACHINES]}
    assert names >= CONSERVATIVE and len(names) >= 12


@pytest.mark.parametrize("script", [*SCRIPTS, *MACHINES], ids=lambda p: p.stem)
def test_example_asserts_something_and_is_plain(script):
    text = script.read_text(encoding="utf-8")
    assert re.search(r"^assert ", text, re.MULTILINE), "each example asserts a number"
    assert "import *" not in text
    assert text.index('__name__ == "__main__"') > text.rindex("\nassert "), "pictures come last"
