"""Options of analyses in files: names, kinds, units, and that they are those of the verbs."""

from __future__ import annotations

import inspect

import pytest

import dalembert as da
from dalembert.io import parse_text, read_file
from dalembert.options.tables import TABLES, for_files

OPTIONS = {verb: for_files(verb) for verb in TABLES}

PENDULUM = """
gravity = [0, -10]
[parameters]
l = "1 m"
w = "60 rpm"
[bodies.bar]
shape = { rod = { length = "l", mass = 2 } }
at = ["l/2", 0]
[joints.A]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0]
"""


def options(text: str) -> dict:
    return parse_text(PENDULUM + text, ".toml", "p.toml").analyses


def problems(text: str) -> list[str]:
    with pytest.raises(da.ModelFileError) as caught:
        options(text)
    return list(caught.value.lines)


# what is no argument of the verb: other ways to say when and where, for a file
FOR_FILES = {"kinematics": {"until", "output"}, "inverse_dynamics": {"until", "output"}, "linearize": {"at"}, "simulate": {"at"}, "reactions": {"t"}, "free_body": {"t"}, "potential_energy": {"t"}}  # fmt: skip
# what a file cannot hold, or has no use for
NOT_FOR_FILES = {"model", "state", "start", "progress", "q", "parameters"}


@pytest.mark.parametrize("verb", OPTIONS)
def test_options_are_the_arguments_of_the_verb(verb):
    arguments = set(inspect.signature(getattr(da, verb)).parameters) - NOT_FOR_FILES
    assert set(OPTIONS[verb]) == arguments | FOR_FILES.get(verb, set())


def test_an_analysis_of_mechanisms_in_a_file_of_coordinates_is_refused():
    """Its options, which name bodies, are not looked at."""
    text = 'kind = "lagrangian"\nq = ["x"]\nkinetic = "rate(x)^2"\n[free_body]\nbody = "bob"\n'
    with pytest.raises(da.ModelFileError) as caught:
        parse_text(text, ".toml", "l.toml")
    assert list(caught.value.lines) == ["l.toml:4: free_body: this analysis is for mechanisms only"]


def test_every_choice_is_accepted_by_its_verb():
    from dalembert.solve.integrators import method

    for word in OPTIONS["simulate"]["method"].words:
        assert method(word).order in (1, 2, 3, 5, 8, 9)
    from dalembert.symbolic.forms import SINGLE

    assert set(OPTIONS["equations"]["form"].words) == {"minimal", "absolute", *SINGLE, "all"}


def test_points_by_body():
    """equations: coordinates with units, expressions, the name of a point or of a joint."""
    found = options('[equations]\nform = "noncentroidal"\nabout = { bar = ["250 mm", 0] }\n')["equations"]
    assert found["about"] == {"bar": [pytest.approx(0.25), 0]}
    assert options('[equations]\nabout = { bar = "end" }\n')["equations"]["about"] == {"bar": "end"}
    assert options('[equations]\nabout = "A"\nignore = ["theta_A"]\n')["equations"] == {
        "about": "A",
        "ignore": ["theta_A"],
    }
    assert any("a name, or a table of points by body" in line for line in problems("[equations]\nabout = 3\n"))


def test_numbers_units_and_expressions():
    found = options(
        """
        [simulate]
        until = "4*pi/w"
        output = "10 ms"
        max_step = 1
        keep = ["A.angle"]
        [kinematics]
        times = [0, "500 ms"]
        [mobility]
        tilt = "1 mrad"
        [assemble]
        fixed = { "A.angle" = "30 deg" }
        [equilibrium]
        along = "l"
        between = ["500 mm", 2]
        spinning = ["A.angle", "60 rpm"]
        [free_body]
        body = "bar"
        """
    )
    assert found["simulate"]["until"] == pytest.approx(2.0, rel=1e-14)  # two turns at one turn a second
    assert found["simulate"]["output"] == pytest.approx(0.01, rel=1e-15)
    assert found["kinematics"] == {"times": [0, 0.5]}
    assert found["mobility"]["tilt"] == pytest.approx(1e-3)
    assert found["assemble"]["fixed"]["A.angle"] == pytest.approx(0.5235987755982988)
    assert found["equilibrium"]["between"] == [0.5, 2]
    assert found["equilibrium"]["spinning"][1] == pytest.approx(6.283185307179586)
    assert list(found) == ["simulate", "kinematics", "mobility", "assemble", "equilibrium", "free_body"]


def test_mistakes_have_lines_and_the_nearest_name():
    text = """
[simulate]
untl = 2
until = "2 m"
output = "stepps"
audit = "yes"
method = 6
[free_body]
body = "bra"
[verify]
states = -1
[equilibrium]
along = "ll"
[mobility]
tilt = 0.5
[holding_load]
[conserved]
[kinematics]
times = [0]
until = 1
"""
    found = {line.split(": ")[1]: line for line in problems(text)}
    assert "did you mean 'until'?" in found["simulate.untl"]
    assert found["simulate.untl"].startswith("p.toml:15: ")
    assert "a length (m); a time (s) belongs here" in found["simulate.until"]
    assert "true or false" in found["simulate.audit"]
    assert "known: 8, 5" in found["simulate.method"]
    assert "did you mean 'bar'?" in found["free_body.body"]
    assert "whole number" in found["verify.states"]
    assert "did you mean 'l'?" in found["equilibrium.along"]
    assert "it may be degrees" in found["mobility.tilt"]
    assert "unknown is missing" in found["holding_load"]
    assert "Lagrangian systems only" in found["conserved"]
    assert "one or the other" in found["kinematics.times"]
    assert "simulate.output" in found


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_written_and_read_again(tmp_path, suffix):
    asked = {
        "simulate": {"until": 2.0, "output": "steps"},
        "mobility": {"tilt": 0.001},
        "assemble": {"fixed": {"A.angle": 0.3}, "branches": True},
        "linearize": {"at": "start", "turning": 1.5},
        "strike": {"impulse": {"bar.end": [0.0, 3.0]}},
    }
    model = parse_text(PENDULUM, ".toml", "p.toml").model
    da.write_model(model, tmp_path / f"p{suffix}", analyses=asked)
    again = read_file(tmp_path / f"p{suffix}")
    assert again.analyses == asked
    with pytest.raises(da.ModelError, match="untl"):
        da.write_model(model, tmp_path / "q.toml", analyses={"simulate": {"untl": 1.0}})
    assert not (tmp_path / "q.toml").exists()


def test_parameters_have_other_values(tmp_path):
    file = tmp_path / "p.toml"
    file.write_text(PENDULUM + '[simulate]\nuntil = "2*pi/w"\n', encoding="utf-8")
    found = read_file(file, {"l": "250 mm", "w": "120 rpm"})
    assert found.model.parameters["l"] == 0.25
    assert found.analyses["simulate"]["until"] == pytest.approx(0.5)
    assert da.read_model(file, {"w": 3.0}).parameters["w"] == 3.0
    for given, said in (
        ({"ll": 1}, "did you mean 'l'"),
        ({"l": "2 kg"}, "a length"),
        ({"w": "3"}, "3 rpm"),
        ({"l": "nonsense"}, "no number"),
        ({"l": "2 mmm"}, "did you mean 'mm'"),
        ({"l": True}, "bool"),
        ({"l": float("nan")}, "not finite"),
    ):
        with pytest.raises(da.MethodError, match=said):
            read_file(file, given)
