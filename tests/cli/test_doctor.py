"""The doctor's notes and causes, and hints that lead from other words to ours."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.analyses.dependence.cause import causes
from dalembert.io.files import parse_text
from dalembert.io.problems import in_file_syntax

from .conftest import PENDULUM, TWO_PINS

# three parallel cranks on one bar: all must be equally long
CRANKS = """
name = "cranks"
[parameters]
a = "1 m"
b = "2 m"
c = "{c}"
[bodies]
left = {{ shape = {{ rod = {{ length = "a", mass = 1 }} }}, angle = "90 deg", at = [0, "a/2"] }}
mid = {{ shape = {{ rod = {{ length = "a", mass = 1 }} }}, angle = "90 deg", at = [1, "a/2"] }}
right = {{ shape = {{ rod = {{ length = "c", mass = 1 }} }}, angle = "90 deg", at = ["b", "c/2"] }}
top = {{ shape = {{ rod = {{ length = "b", mass = 1 }} }}, at = [1, "a"] }}
[joints]
A = {{ type = "revolute", between = ["ground", "left"], at = [0, 0] }}
B = {{ type = "revolute", between = ["ground", "mid"], at = [1, 0] }}
C = {{ type = "revolute", between = ["ground", "right"], at = ["b", 0] }}
D = {{ type = "revolute", between = ["left", "top"], on = ["left.end", "top.start"] }}
E = {{ type = "revolute", between = ["mid", "top"], on = ["mid.end", "top.center"] }}
F = {{ type = "revolute", between = ["right", "top"], on = ["right.end", "top.end"] }}
"""


def _findings(call, file):
    return {f["topic"]: f for f in call("check", file, "--json").data["answers"]["check"]["findings"]}


RAM = """
plane = true
[bodies]
ram = { mass = 1, inertia = 0.1, at = [0, 0.5] }
[joints]
guide = { type = "prismatic", between = ["ground", "ram"], at = [0, 0], along = [0, 1] }
[drivers]
"""


@pytest.mark.parametrize(
    ("drivers", "verdict", "said"),
    [
        ('d1 = { on = "guide.slide", value = "0.1*t" }\nd2 = { on = "ram.y", value = "0.5 + 0.2*t" }', "wrong", "2 drivers, 1 freedom: 'd1', 'd2'"),
        ('d1 = { on = "guide.slide", value = "0.1*t" }\nd2 = { on = "ram.y", value = "0.5 + 0.1*t" }', "note", "2 drivers, 1 freedom: 'd1', 'd2'"),
        ('turn = { on = "ram.angle", value = "0.3*t" }', "wrong", "'guide' already holds ram.angle, which 'turn' drives"),
    ],
)  # fmt: skip
def test_too_many_drivers(call, folder, drivers, verdict, said):
    (folder / "ram.toml").write_text(RAM + drivers, encoding="utf-8")
    found = _findings(call, "ram.toml")["drivers"]
    assert found["verdict"] == verdict and said in found["text"]
    if verdict == "wrong":
        assert said in call("run", "ram.toml").err


def test_a_missing_joint(call, folder, crank, pendulum):
    assert "freedoms" not in _findings(call, crank)
    text = crank.read_text(encoding="utf-8")
    first = text.index("[joints.bore]")
    (folder / "loose.toml").write_text(text[:first] + text[text.index("\n[", first) :], encoding="utf-8")
    found = _findings(call, "loose.toml")["freedoms"]
    assert found["verdict"] == "note" and "is a joint" in found["text"] and "'A.angle', 'B.angle'" in found["text"]
    free = _findings(call, pendulum)["freedoms"]  # nothing is driven: a machine that moves by itself
    assert free["verdict"] == "good" and "'A.angle'" in free["text"]


def test_bare_number_beside_rpm(call, folder, crank):
    """60 where the file counts revolutions: 60 rad/s are 573 rpm."""
    text = crank.read_text(encoding="utf-8")
    (folder / "bare.toml").write_text(text.replace('n = "60 rpm"', 'n = 60\nm2 = "60 rpm"'), encoding="utf-8")
    found = _findings(call, "bare.toml")["units"]
    assert (
        found["verdict"] == "note"
        and "n = 60 has no unit: in 'motor' it counts radians per second, 573 rpm" in found["text"]
    )
    assert _findings(call, crank)["units"]["verdict"] == "good"
    # other commands say so beside their answer
    assert "note: n = 60 has no unit" in call("dynamics", "bare.toml").err
    assert "has no unit" not in call("dynamics", crank).err


def test_notes(call, folder, pendulum):
    text = pendulum.read_text(encoding="utf-8").replace("[parameters]", '[parameters]\nspare = "3 kg"')
    text += '[bodies.lost]\nmass = "1 kg"\ninertia = 1\nat = [2, 0]\n'
    pendulum.write_text(text.replace('at = ["l/2", 0]', 'at = ["3*l", 0]'), encoding="utf-8")
    found = _findings(call, pendulum)
    assert found["parameters"]["verdict"] == "note" and "never used: spare" in found["parameters"]["text"]
    assert "nothing holds 'lost'" in found["bodies"]["text"]
    # the bar reaches from 2.5 m to 3.5 m, its pin is at the origin
    assert found["pins"]["text"].startswith("'A' lies 2.5 m outside 'bar'")
    assert call("check", pendulum).code == 0  # notes are no errors


def test_nothing_to_note(call, pendulum, crank):
    for file in (pendulum, crank):
        assert not {"parameters", "bodies", "pins", "cause"} & set(_findings(call, file))


def test_the_cause_of_a_wrong_length(call, folder):
    (folder / "cranks.toml").write_text(CRANKS.format(c="1.01 m"), encoding="utf-8")
    done = call("check", "cranks.toml")
    assert done.code == 1 and "slot" not in done.out
    found = _findings(call, "cranks.toml")
    assert found["cause"]["text"].splitlines() == ["a = 1.01 m would fit, it is 1", "c = 1 m would fit, it is 1.01"]
    (folder / "cranks.toml").write_text(CRANKS.format(c="1 m"), encoding="utf-8")
    assert "cause" not in _findings(call, "cranks.toml")


def test_the_cause_of_two_pins(call, folder):
    (folder / "two.toml").write_text(PENDULUM + TWO_PINS, encoding="utf-8")
    done = call("check", "two.toml")
    assert done.code == 1 and "slot" not in done.out
    assert "'A' and 'B' are 3 m apart on 'ground', 1 m apart on 'bar'" in done.out


def test_a_chain_that_does_not_reach(call, folder):
    assert call("new", "four-bar").code == 0
    text = (folder / "four-bar.toml").read_text(encoding="utf-8").replace('a = "80 mm"', 'a = "800 mm"')
    model = parse_text(text, ".toml").model
    (one,) = [s for s in da.mobility(model).dependent if s.inconsistent]
    said = causes(model, one)
    # 800 mm is longer than 200 + 160 + 220 mm together
    assert said[0] == "a = at most 580 mm would fit, it is 800" and model.parameters["a"] == 0.8


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[bodies.bar]", "[body.bar]", "did you mean 'bodies'"),
        ('"revolute"', '"hinge"', "did you mean 'revolute'"),
        ('"revolute"', '"pin"', "did you mean 'revolute'"),
        ('"revolute"', '"slider"', "did you mean 'prismatic'"),
        ('"revolute"', '"ball"', "did you mean 'spherical'"),
        ('"revolute"', '"weld"', "did you mean 'fixed'"),
    ],
)
def test_words_of_others(call, pendulum, old, new, said):
    pendulum.write_text(PENDULUM.replace(old, new), encoding="utf-8")
    done = call("check", pendulum)
    assert done.code == 3 and said in done.err


def test_words_of_others_in_python():
    m = da.Mechanism("x")
    with pytest.raises(da.DalembertError, match="revolute"):
        m.hinge("A", m.ground, m.ground)


@pytest.mark.parametrize("text", ["th'**2/2", "th_dot**2/2", "thdot**2/2"])
def test_rates_as_others_write_them(text):
    for energy in ({"kinetic": text}, {"kinetic": "rate(th)**2/2", "potential": text}):
        with pytest.raises(da.DalembertError, match=r"rate\(th\)"):
            da.simulate(da.Lagrangian("th", **energy), until=0.1)
    file = f'kind = "lagrangian"\nq = ["th"]\nkinetic = "{text}"\n'
    with pytest.raises(da.DalembertError, match=r"rate\(th\)"):
        parse_text(file, ".toml")


def test_a_and_b_and_between_are_both_understood():
    plain = parse_text(
        PENDULUM + '[forces.s]\ntype = "spring"\na = ["ground", [2, 0]]\nb = "bar.end"\nstiffness = 3\n', ".toml"
    ).model
    text = PENDULUM.replace('between = ["ground", "bar"]', 'a = "ground"\nb = "bar"')
    other = parse_text(
        text + '[forces.s]\ntype = "spring"\nbetween = [["ground", [2, 0]], "bar.end"]\nstiffness = 3\n', ".toml"
    ).model
    assert da.io.to_data(plain) == da.io.to_data(other)
    with pytest.raises(da.DalembertError, match="'barr'"):
        parse_text(text.replace('b = "bar"', 'b = "barr"'), ".toml")


@pytest.mark.parametrize(
    ("python", "file"),
    [
        ("m.drive('motor', 'A.angle', '2*pi*t')", '[drivers.motor] with on = "A.angle" and value = "2*pi*t"'),
        ("m.parameter('k', 1.0)", "k = 1.0 in [parameters]"),
        ("add a body with m.body(...)", "add a body with [bodies]"),
        ("da.mobility(m) says which", "`dalembert check` says which"),
        ("use da.simulate", "use `dalembert dynamics`"),
        (
            "use the friction element (m.friction), which",
            'use the friction element (an element of type = "friction" in [forces]), which',
        ),
        ("stop before it (error.result holds the motion up to it)", "stop before it (the motion up to there is kept)"),
        ("2 m.s", "2 m.s"),
    ],
)
def test_messages_in_the_syntax_of_files(python, file):
    assert in_file_syntax(python) == file


def test_messages_of_commands_name_no_methods(call, pendulum):
    done = call("kinematics", pendulum)
    assert done.code == 3 and '[drivers.motor] with on = "A.angle"' in done.err
    assert "m.drive" not in done.err and "da." not in done.err
