"""Parameters that are formulas of others: values, order, dimensions, limits, refusals."""

import json
import math

import pytest

import dalembert as da
from dalembert.io import parse_text, to_data
from dalembert.io.parameters import ordered, sources
from dalembert.io.text import write_toml
from dalembert.model.registry import FORCES, JOINTS
from tests.contracts.samples import sample
from tests.io.test_file_messages import problems

# a ladder against a wall: its height follows from its length and its foot, whichever stands first
LADDER = """
[parameters]
middle = "height/2"
height = "sqrt(l**2 - foot**2)"
l = "5 m"
foot = "3000 mm"

[bodies.ladder]
shape = { rod = { length = "l", mass = "2*l" } }
at = ["foot/2", "middle"]
angle = "atan2(height, -foot)"

[joints.A]
type = "revolute"
between = ["ground", "ladder"]
at = ["foot", 0]

[simulate]
until = "height/2"
"""


def place(file):
    return [file.model.value(x) for x in file.model["ladder"].at[:2]]


def test_formulas_are_put_in_whatever_the_order():
    file = parse_text(LADDER, ".toml")
    assert file.model.parameters == {"l": 5.0, "foot": 3.0}
    assert {name: x.evaluate(file.model.parameters) for name, x in file.derived.items()} == {
        "height": 4.0,
        "middle": 2.0,
    }
    assert place(file) == [1.5, 2.0]
    assert file.analyses == {"simulate": {"until": 2.0}}


def test_derived_follow_other_values():
    assert place(parse_text(LADDER, ".toml", parameters={"foot": "4 m"})) == [2.0, 1.5]
    file = parse_text(LADDER, ".toml")
    file.model.set_parameter("foot", 4.0)
    assert place(file) == [2.0, 1.5]


def test_other_values_of_derived_ones_are_refused():
    with pytest.raises(da.MethodError) as caught:
        parse_text(LADDER, ".toml", "ladder.toml", parameters={"middle": 1.0})
    assert "middle = 'height/2'" in caught.value.found
    assert "ladder.toml" in caught.value.why and caught.value.do.startswith("change l or foot,")


def test_same_model_as_with_the_formulas_written_out():
    height = "sqrt(l**2 - foot**2)"
    lines = [x for x in LADDER.splitlines() if not x.startswith(("middle =", "height ="))]
    plain = "\n".join(lines).replace('"middle"', f'"{height}/2"').replace("height", height)
    one, two = (parse_text(text, ".toml") for text in (LADDER, plain))
    assert to_data(one.model, one.analyses) == to_data(two.model, two.analyses)


def test_load_save_load(tmp_path):
    one = parse_text(LADDER, ".toml", name="ladder")
    for name in ("ladder.toml", "ladder.json"):
        da.write_model(one.model, tmp_path / name, one.analyses)
        two = da.io.read_file(tmp_path / name)
        assert to_data(two.model, two.analyses) == to_data(one.model, one.analyses)


def test_lagrangian_systems():
    text = """
kind = "lagrangian"
q = ["theta"]
kinetic = "inertia*rate(theta)**2/2"
potential = "-m*g*l*cos(theta)"
start.theta = { value = "tilt" }
holonomic = {}
[parameters]
inertia = "m*l**2"
tilt = "atan(l)"
m = 2
l = 0.5
g = 9.81
"""
    file = parse_text(text, ".toml")
    assert str(file.model.given_energies["kinetic"]) == "m*l**2*rate(theta)**2/2"
    assert file.model.starts["theta"].value == math.atan(0.5)
    again = parse_text(write_toml(to_data(file.model)), ".toml")
    assert to_data(again.model) == to_data(file.model)
    (found,) = problems(text + 'theta = "m"\n')
    assert "parameters.theta" in found and "the name of a coordinate" in found


def test_tables_laws_measures_and_options():
    text = """
[tables.cam]
x = [0, 1, 2]
y = [0, 3, 4]
[parameters]
lift = "2*cam(r)"
k = 5.0
k2 = "2*k"
r = "1 m"
[bodies.b]
shape = { rod = { length = "r", mass = 1 } }
[joints.rail]
type = "prismatic"
between = ["ground", "b"]
along = ["lift", 0]
[joints.skate]
type = "pfaffian"
expression = "k2*rate(b.x) - rate(b.y)"
[measures]
way = "k2*rail.slide"
[forces.pull]
type = "actuator"
a = "rail.slide"
force = "-k2*s"
[equations]
quasi_velocities = { u = "k2*rate(rail.slide)" }
"""
    file = parse_text(text, ".toml")
    data = to_data(file.model, file.analyses)
    assert data["joints"]["rail"]["along"] == ["2*cam(r)", 0]
    assert data["joints"]["skate"]["expression"] == "2*k*rate(b.x) - rate(b.y)"
    assert data["measures"]["way"]["expression"] == "2*k*rail.slide"
    assert data["forces"]["pull"]["force"] == "-(2*k)*s"
    assert file.analyses["equations"]["quasi_velocities"] == {"u": "2*k*rate(rail.slide)"}
    assert to_data(*_pair(parse_text(json.dumps(data), ".json"))) == data


def _pair(file):
    return file.model, file.analyses


def bodies(parameters, rest=""):
    return f'[parameters]\nr = "1 m"\n{parameters}\n[bodies.bar]\nshape = {{ rod = {{ length = "r", mass = 1 }} }}\n{rest}\n'


@pytest.mark.parametrize(
    ("parameters", "rest", "expected"),
    [
        ('b = "c + r"\nc = "2*b"\nd = "b"', 'at = ["d", 0]', ["3: parameters.b: the formulas go in a circle: b -> c -> b;"]),
        ('b = "b*2"', "", ["3: parameters.b: the formulas go in a circle: b -> b;"]),
        (
            'd = "c"\nb = "e_"\nc = "b"\ne_ = "c + f"\nf = "g"\ng = "f + b"',
            "",
            ["4: parameters.b: the formulas go in a circle: b -> e_ -> c -> b;", "7: parameters.f: the formulas go in a circle: f -> g -> f;"],
        ),
        ('radius = "r"\nb = "radios/2"\nc = "b"', 'at = ["c", 0]', ["4: parameters.b: the name 'radios' at character 1; nothing has this name here; did you mean 'radius'"]),
        ('b = "2*t"', "", ["3: parameters.b: the name 't' at character 3; this value is a constant"]),
        ('b = "bar.x"', "", ["3: parameters.b: the name 'bar.x'"]),
        ('b = "rate(r)"', "", ["3: parameters.b: no value for 'rate(r)'"]),
        ('b = "r + 20 kg"', "", ["3: parameters.b: found 'r + 20 kg'; in 'r + 20 kg', r is a length (m), 20 kg is a mass (kg); they must be alike"]),
        ('b = "sqrt(r - 2)"', 'at = ["b", 0]', ["3: parameters.b: sqrt(r - 2) has no value"]),
        ('b = "r +"', 'at = ["b", 0]\n[start."bar.x"]\nvalue = "b"', ["3: parameters.b: the end of the text"]),
        ('sin = "r"', "", ["3: parameters.sin: 'sin'; this word has a meaning of its own"]),
        ('ground = "r"', "", ["3: parameters.ground: the name is taken"]),
        ('bar = "r"', "", ["4: bodies.bar: the name is taken by the derived parameter 'bar'"]),
        ('s = "r"', '[measures]\ns = "bar.x"', ["7: measures.s: the name is taken by the derived parameter 's'"]),
        ('z = { number = "2*r", label = "teeth" }', "", ["3: parameters.z.number: found '2*r'; a formula has no label"]),
        ('b = "r"', 'mass = "b"', ["6: bodies.bar.mass: found 'b', a length (m); a mass (kg) belongs here"]),
        ('b = "sqrt(r**2 + 1)"', 'mass = "b"', ["6: bodies.bar.mass: found 'b', a length (m)"]),
        ('b = "max(2, r)*r"\nc = "sqrt(hypot(b, 1))"', 'mass = "abs(c)"', ["7: bodies.bar.mass: found 'abs(c)', a length (m)"]),
        ('b = "r**2"', 'gravity = 1\nat = ["b", 0]', ["gravity: unknown key", "bodies.bar.at[0]: found 'b', an area (m^2); a length (m) belongs here"]),
        ('n = "60 rpm"\nb = "n"', 'angle = "b"', ["7: bodies.bar.angle: found 'b', an angular velocity (rad/s); an angle (rad)"]),
        ('b = "r/2"', '[equilibrium]\nalong = "b"', ["7: equilibrium.along: found 'b'; it is derived from others"]),
    ],
)  # fmt: skip
def test_mistakes_have_their_lines(parameters, rest, expected):
    found = problems(bodies(parameters, rest), file="a.toml")
    assert len(found) == len(expected), found
    for line, words in zip(found, expected):
        assert words in line


def test_gravity_and_length_take_derived_ones():
    text = bodies('g = "9.81 m/s^2"\nside = "g/sqrt(2)"\nlong = "3*r"')
    model = parse_text('gravity = ["side", "-side"]\nlength = "long"\n' + text, ".toml").model
    assert [model.value(x) for x in model.gravity[:2]] == pytest.approx([9.81 / math.sqrt(2), -9.81 / math.sqrt(2)])
    assert model.value(model.length) == 3.0


@pytest.mark.parametrize(
    ("tag", "field", "own"),
    [
        ("spring", "force", ("l", "v")),
        ("torsion_spring", "torque", ("theta", "omega")),
        ("actuator", "force", ("s", "v")),
        ("rolling_surface", "height", ("d",)),
    ],
)
def test_names_of_laws_stay_their_own(tag, field, own):
    """A law that calls its own quantity l never gets a parameter l instead, nor one that is hidden in a formula."""
    data = to_data(sample(tag, tag != "rolling_surface").model)
    section = "forces" if tag in FORCES else "joints"
    assert tag in FORCES or tag in JOINTS
    ((name, part),) = [(n, x) for n, x in data[section].items() if x["type"] == tag]
    for word in own:
        for formulas, law in (({word: "2*given"}, f"3*{word}"), ({"b": f"2*{word}", word: 1.0}, "3*b")):
            changed = {**data, "parameters": {"given": 1.0, **formulas}}
            changed[section] = {**data[section], name: {**part, field: law}}
            found = problems(json.dumps(changed), ".json")
            assert any(f"{section}.{name}.{field}: the law uses" in line for line in found), found


def test_what_grows_is_refused_before_it_is_built():
    # each squares the one before: 2**60 nodes if it were written out
    text = bodies("\n".join(['p0 = "r + 1"', *(f'p{k} = "p{k - 1}*p{k - 1}"' for k in range(1, 60))]))
    (found,) = problems(text)
    assert "511 nodes with the formulas of derived parameters put in" in found and "at most 500" in found
    # a chain that is nested deeper than a file may write it
    deep = bodies("\n".join(['p0 = "r/r"', *(f'p{k} = "sin(p{k - 1})"' for k in range(1, 100))]))
    (found,) = problems(deep)
    assert "levels of nesting" in found
    # many that use each other in turn
    many = bodies("\n".join(f'p{k} = "p{(k + 1) % 3000}"' for k in range(3000)))
    (found,) = problems(many)
    assert "p0 -> p1 -> p2" in found and len(found) < 400


def test_order_and_cycles():
    order, cycles = ordered({"a": {"b", "c"}, "b": {"c"}, "c": set(), "d": {"e"}, "e": {"d", "a"}, "f": {"d"}})
    assert order == ["c", "b", "a", "f"] and cycles == [["d", "e", "d"]]
    section = {"a": "b + c", "b": "2*x", "c": 3.0, "x": "1 m", "y": 1.0}
    assert sources("a", section) == ["c", "x"]
    assert sources("a", {"a": "b", "b": "a"}) == []


def test_schema_says_so():
    parameters = da.io.schema()["else"]["properties"]["parameters"]["additionalProperties"]
    assert "formula of other parameters" in parameters["description"]
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(da.io.schema())
    assert not list(check.iter_errors({"parameters": {"r": "200 mm", "b": "2*r"}}))
    assert list(check.iter_errors({"parameters": {"b": ["2*r"]}}))


def test_sweeps_name_what_can_be_swept(tmp_path):
    path = tmp_path / "ladder.toml"
    path.write_text(LADDER, encoding="utf-8")
    for given in (
        {"over": {"middle": [1.0, 2.0]}},
        {"over": [{"middle": 1.0}]},
        {"over": {"l": [5]}, "fixed": {"middle": 1.0}},
    ):
        with pytest.raises(da.MethodError) as caught:
            da.sweep(path, **given)
        assert "a derived parameter: middle = sqrt(l**2 - foot**2)/2" in caught.value.found
        assert caught.value.do == "name foot or l"
