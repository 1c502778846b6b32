"""The gallery: each machine is a script in examples/machines, a file in the package that says the same, and a picture.

The numbers that a script asserts are checked by running it.  Here: the results pass their audits, independent formulations agree, the
file gives the same equations, everything that it asks for is done, and its parameters can be changed.
"""

import runpy
from importlib import resources

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.shared.perform import perform
from tests.soak import SOAK
from tests.test_examples import FOLDER, check, results

FILES = {
    file.name.removesuffix(".toml"): file
    for file in resources.files("dalembert.machines").iterdir()
    if file.name.endswith(".toml")
}
SCRIPTS = {path.stem.replace("_", "-"): path for path in (FOLDER / "machines").glob("*.py")}
# with 3000 coordinates dense matrices take minutes; its compiled numbers are compared instead
TOO_LARGE = {"chain"}
# independent formulations of every other one with every change, without the one that takes half a minute; of all in a soak
# verify leaves contacts and cams that may open out
OPENS = {"braked-truck", "valve-train"}
VERIFIED = (set(FILES) if SOAK else set(sorted(FILES)[::2]) - {"stewart-platform"}) - TOO_LARGE - OPENS


def read(name):
    return da.io.parse_text(FILES[name].read_bytes(), ".toml", FILES[name].name, name)


def test_every_machine_has_script_and_file():
    assert set(SCRIPTS) == set(FILES)
    assert len(FILES) >= 25


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_script_and_file_agree(name, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.syspath_prepend(str(FOLDER / "machines"))
    script = SCRIPTS[name]
    names = runpy.run_path(str(script), run_name="__main__")
    said = capsys.readouterr().out
    assert "audit: passed" in said and len(said.splitlines()) < 60, "a few lines to read aloud"
    assert (tmp_path / "out" / f"{script.stem}.png").stat().st_size > 10_000, "a picture with something in it"
    if name in TOO_LARGE:
        assert names["run"].status == "ok"
        one, two = (da.compile(model).numbering for model in (names["run"].model, read(name).model))
        assert np.array_equal(one.I, two.I)
        np.testing.assert_allclose(one.P, two.P, atol=1e-12)
        return
    for run in results(names).values():
        check(run, script.stem)
    same_equations(names["run"].model, read(name).model)


def same_equations(one, two):
    """M, J, phi, Q of the two at their starts, by names of bodies and rows."""
    if isinstance(one, da.Lagrangian):
        assert da.io.to_data(one).keys() == da.io.to_data(two).keys()
    a, b = da.equations(one), da.equations(two)
    first, second = da.compile(one), da.compile(two)
    assert sorted(first.body_names) == sorted(second.body_names)
    assert sorted(a.row_names) == sorted(b.row_names)  # gaps that press among them
    rows = [b.row_names.index(row) for row in a.row_names]
    width = np.asarray(a.Q).size // len(first.body_names)
    columns = np.concatenate([np.arange(width) + width * second.body_names.index(body) for body in first.body_names])
    for what, left, right in (
        ("M", a.M, np.asarray(b.M)[np.ix_(columns, columns)]),
        ("J", a.jac, np.asarray(b.jac)[np.ix_(rows, columns)]),
        ("phi", a.phi, np.asarray(b.phi)[rows]),
        ("Q", a.Q, np.asarray(b.Q)[columns]),
    ):
        size = np.max(np.abs(np.asarray(left)), initial=1.0)
        np.testing.assert_allclose(np.asarray(left), right, atol=1e-12 * size, rtol=0, err_msg=what)


@pytest.mark.parametrize("name", sorted(FILES))
def test_file_does_what_it_asks_for(name):
    text = FILES[name].read_text(encoding="utf-8")
    assert text.startswith("# ") and len(text.splitlines()[0]) < 140, "the first line describes the machine"
    found = read(name)
    assert found.analyses, "a file asks for something"
    for verb, options in found.analyses.items():
        done = perform(verb, found.model, options)
        assert done.code == 0, done.text
        assert done.run is None or done.run.status == "ok"
    if name in VERIFIED:
        verified = da.verify(found.model)
        assert verified.agree, verified


@pytest.mark.parametrize("name", sorted(set(FILES) - TOO_LARGE))
def test_machine_assembles_with_other_parameters(name):
    found = read(name)
    assert found.model.parameters, "a machine has numbers to change"
    for k, (parameter, value) in enumerate(found.model.parameters.items()):
        # some larger, some smaller; in a soak both
        for factor in (0.97, 1.03) if SOAK else ((0.97, 1.03)[k % 2],):
            model = read(name).model
            model.set_parameter(parameter, value * factor)
            if isinstance(model, da.Mechanism):
                da.assemble(model)
            run = da.simulate(model, until=1e-3)
            assert run.status == "ok", (parameter, factor)
