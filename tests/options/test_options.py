"""One table of options per verb: what follows from it, and that a new option is one line."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.shared.flags import _KINDS, question
from dalembert.io import parse_text
from dalembert.options import page
from dalembert.options.call import verb
from dalembert.options.option import NEEDED, Option, WrongValueError
from dalembert.options.tables import METHODS, OTHERS, TABLES, for_files
from dalembert.solve import integrators
from dalembert.studio.fields import fields, read_fields
from dalembert.studio.studio import studio

PENDULUM = """
gravity = [0, -10]
[bodies.bar]
shape = { rod = { length = 1, mass = 2 } }
at = [0.5, 0]
[joints.A]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0]
"""


@pytest.fixture
def shake(monkeypatch):
    """An option that no verb has, in the table of one."""
    option = Option("number", "How hard it is shaken.", 0.0, "m/s^2", "0 <= x <= 5", why="it would break")
    monkeypatch.setitem(TABLES["simulate"], "shake", option)


def test_a_line_in_the_table_is_checked_in_python(shake):
    @verb
    def simulate(model, until, *, shake=0.0):
        """Something that takes the new option."""
        return until, shake

    assert simulate("m", 1, shake=np.float64(2)) == (1.0, 2.0)
    with pytest.raises(da.MethodError) as caught:
        simulate("m", 1, shake=6)
    error = caught.value
    assert (error.asked, error.found, error.why) == ("simulate('m')", "shake = 6", "it would break")
    assert error.do == "give shake=0.0"


def test_in_a_model_file_with_units_and_lines(shake):
    found = parse_text(PENDULUM + '[simulate]\nshake = "200 cm/s^2"\n', ".toml", "p.toml")
    assert found.analyses["simulate"] == {"shake": 2.0}
    with pytest.raises(da.ModelFileError) as caught:
        parse_text(PENDULUM + '[simulate]\nshake = "600 cm/s^2"\n', ".toml", "p.toml")
    assert caught.value.lines == ("p.toml:11: simulate.shake: found 6.0; it would break",)
    with pytest.raises(da.ModelFileError, match="a length"):
        parse_text(PENDULUM + '[simulate]\nshake = "2 m"\n', ".toml", "p.toml")
    assert "How hard it is shaken." in str(da.io.schema())


def test_on_the_command_line_and_in_its_help(shake, tmp_path, monkeypatch):
    from click.testing import CliRunner

    file = tmp_path / "p.toml"
    file.write_text(PENDULUM, encoding="utf-8")
    asked = {}
    monkeypatch.setattr("dalembert.cli.shared.job.Job.answer", lambda _, verb, **given: asked.update(given, verb=verb))
    command, run = question("simulate", "Shake it.", "dynamics p.toml --shake 2"), CliRunner()
    assert run.invoke(command, [str(file), "--shake", "200 cm/s^2"]).exit_code == 0
    assert asked["shake"] == 2.0 and asked["verb"] == "simulate" and asked["until"] is None
    wrong = run.invoke(command, [str(file), "--shake", "6"])
    assert wrong.exit_code == 2 and "it would break" in wrong.output
    assert "a length" in run.invoke(command, [str(file), "--shake", "6 m"]).output
    told = " ".join(run.invoke(command, ["--help"]).output.split())
    assert "--shake NUMBER How hard it is shaken (number [m/s^2], 0 <= x <= 5; default: 0)." in told


def test_in_the_studio_and_in_the_documentation(shake):
    field = next(x for x in fields("simulate", {"shake": 1.0}) if x["name"] == "shake")
    assert (field["kind"], field["unit"], field["value"]) == ("number", "m/s^2", 1.0)
    assert read_fields("simulate", {"shake": 2, "method": "5"}) == {"shake": 2.0, "method": 5}
    with pytest.raises(da.MethodError, match="it would break"):
        read_fields("simulate", {"shake": 6})
    with pytest.raises(da.MethodError, match="did you mean 'shake'"):
        read_fields("simulate", {"shakes": 1})
    assert "| `shake` | number [m/s^2], 0 <= x <= 5 | 0 | How hard it is shaken. |" in page.text()


def test_the_page_of_the_documentation_is_that_of_the_tables():
    written = Path(__file__).parents[2] / "docs" / "options.md"
    assert written.read_text(encoding="utf-8") == page.text(), "run: python -m dalembert.options.page docs/options.md"


@pytest.mark.parametrize("name", [*TABLES, *OTHERS])
def test_defaults_are_those_of_the_verbs_and_right(name):
    function = studio if name == "studio" else getattr(da, name)  # a folder that can be called has that name, too
    arguments = inspect.signature(function).parameters
    for key, option in {**TABLES, **OTHERS}[name].items():
        assert option.help.endswith(".") and len(option.help.split(". ")) == 1
        if option.only == "files":
            assert key not in arguments or option.default is None
            continue
        default = arguments[key].default
        assert default == (inspect.Parameter.empty if option.default is NEEDED else option.default)
        if option.default is not NEEDED:
            assert option.read(key, default) == default


VALUES = {
    "number": ([0.5, 1, np.float64(0.25)], [True, None, "1", 2.0, np.nan, np.inf, [0.5], 1j]),
    "count": ([0, 1, np.int64(1)], [True, 0.0, None, "1", 2, -1, np.bool_(True), 10**400]),
    "flag": ([True, False, np.bool_(True)], [0, 1, None, "yes", np.ones(2, bool)]),
    "choice": (["a", 8], ["b", 8.0, True, None, ["a"], np.ones(2)]),
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_that_are_taken_and_refused(kind):
    option = Option(kind, "Something.", "a" if kind == "choice" else 1, range="0 <= x <= 1", words=("a", 8))
    right, wrong = VALUES[kind]
    for x in right:
        assert type(option.read("it", x)) in (float, int, bool, str) and option.read("it", x) == x
    for x in wrong:
        with pytest.raises(WrongValueError):
            option.read("it", x)
    assert Option(kind, "Something.").read("it", None) is None


def test_ends_of_ranges():
    def taken(text, *numbers):
        option = Option("number", "It.", NEEDED, range=text)
        made = []
        for x in numbers:
            try:
                made.append(option.read("it", x) == x)
            except WrongValueError:
                made.append(False)
        return made

    assert taken("0 < x < 1", 0.0, 1e-300, 1.0) == [False, True, False]
    assert taken("0 <= x <= 1", 0.0, 1.0, 1.0 + 1e-15) == [True, True, False]
    assert taken("0 < x", np.inf, 0.0) == [True, False]
    assert taken("", 1e99, -1e101, np.inf) == [True, False, False]


def test_commands_are_made_from_the_tables(monkeypatch):
    names = {p.name for p in question("simulate").params}
    assert {name for name, x in for_files("simulate").items() if x.kind in _KINDS} <= names and "shake" not in names
    assert {"until", "rtol", "method", "backward", "max_step", "audit", "velocities", "keep", "output"} <= names
    with monkeypatch.context() as patch:
        patch.setitem(TABLES["simulate"], "shake", Option("flag", "Whether it is shaken."))
        assert "shake" in {p.name for p in question("simulate").params}


def test_methods_are_those_that_there_are():
    """Names in the table are the methods of the solver, and each can be made."""
    named = [word for word in METHODS if isinstance(word, str)]
    assert sorted(named) == sorted([*integrators.METHODS, *integrators.DAMPED])
    assert {integrators.method(order).order for order in METHODS if isinstance(order, int)} == {5, 8}
    assert all(integrators.method(name).steps > 0 for name in named)
