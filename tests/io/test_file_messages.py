"""What is told about wrong files: everything at once, each problem with its line and path."""

import json

import pytest

import dalembert as da
from dalembert.io import parse_text, to_data
from dalembert.io.lines import lines_of
from dalembert.io.text import write_json, write_toml
from tests.io.machines import SLIDER, cart, everything, in_space


def problems(text, suffix=".toml", file="slider.toml"):
    with pytest.raises(da.ModelFileError) as caught:
        parse_text(text, suffix, file)
    error = caught.value
    assert error.asked and error.found and error.why and error.do
    assert all(line in str(error) for line in error.lines)
    return list(error.lines)


def changed(old, new):
    assert SLIDER.count(old) == 1
    return SLIDER.replace(old, new)


def line(text, of):
    return text[: text.index(of)].count("\n") + 1


def test_the_file_itself_is_right():
    assert parse_text(SLIDER, ".toml").model.name == "slider-crank"


def test_unknown_joint_type():
    text = changed('type = "revolute"\nbetween = ["rod", "piston"]', 'type = "revolut"\nbetween = ["rod", "piston"]')
    (found,) = problems(text)
    at = line(text, '"revolut"')
    expected = f"slider.toml:{at}: joints.B.type: unknown joint type 'revolut'; did you mean 'revolute'?"
    assert found.startswith(expected)


@pytest.mark.parametrize(
    ("old", "new", "where", "words"),
    [
        ('mass = "500 g"', 'mass = "500 mm"', "bodies.piston.shape.rectangle.mass", "a length (m); a mass (kg) belongs"),
        ('mass = "500 g"', 'mass = "500 gg"', "bodies.piston.shape.rectangle.mass", "unknown unit 'gg'; did you mean"),
        ('mass = "500 g"', "mass = -1", "bodies.piston.shape.rectangle.mass", "must not be below zero"),
        ('mass = "500 g"', "mas = 1", "bodies.piston.shape.rectangle.mas", "did you mean 'mass'"),
        ('mass = "500 g"', 'mass = "r"', "bodies.piston.shape.rectangle.mass", "found 'r', a length (m); a mass (kg)"),
        ("rectangle", "rectangel", "bodies.piston.shape.rectangel", "did you mean 'rectangle'"),
        ('at = ["r + 0.6", 0]', 'at = ["r + ", 0]', "bodies.piston.at[0]", "the end of the text"),
        ('at = ["r + 0.6", 0]', 'at = ["q + 1", 0]', "bodies.piston.at[0]", "'q'"),
        ('at = ["r + 0.6", 0]', "at = [1, 2, 3]", "bodies.piston.at", "2 numbers"),
        ('at = ["r + 0.6", 0]', "angle = 30", "bodies.piston.angle", "'30 deg' or '30 rad'"),
        ('at = "rod.end"', 'at = "rod.ende"', "joints.B.at", "unknown point 'ende' of body 'rod'; did you mean 'end'"),
        ('["rod", "piston"]', '["rod", "pistn"]', "joints.B.between[1]", "did you mean 'piston'"),
        ('["rod", "piston"]', '["rod"]', "joints.B.between", "a list of two bodies"),
        ('along = "x"', "allong = [1, 0]", "joints.bore.allong", "did you mean 'along'"),
        ('along = "x"', "along = [0, 0]", "joints.bore.along", "no direction"),
        ('measure = "O.angle"', 'measure = "O.angel"', "drivers.motor.measure", "did you mean 'O.angle'"),
        ('value = "n*t"', "value = 30", "drivers.motor.value", "degrees"),
        ('value = "n*t"', 'value = "30 mm"', "drivers.motor.value", "an angle (rad) belongs here"),
        ('r = "200 mm"', 'r = "200 mmm"', "parameters.r", "unknown unit 'mmm'"),
        ('r = "200 mm"', 'r = "2*nn"', "parameters.r", "did you mean 'n'"),
        ("gravity = [0, -9.81]", 'gravity = [0, "9.81 m/s"]', "gravity[1]", "an acceleration (m/s^2) belongs here"),
        ("[simulate]", "[simulat]", "simulat", "did you mean 'simulate'"),
        ('name = "slider-crank"', "format = 7", "format", "reads format 1"),
        ('name = "slider-crank"', 'kind = "mecanism"', "kind", "did you mean 'mechanism'"),
        ('name = "slider-crank"', 'plane = "yes"', "plane", "true or false"),
    ],
)  # fmt: skip
def test_each_mistake_with_its_line(old, new, where, words):
    text = changed(old, new)
    found = problems(text)
    mine = [told for told in found if told.startswith(f"slider.toml:{line(text, new.splitlines()[0])}: {where}: ")]
    assert mine and words in mine[0], "\n".join(found)
    # parts that refer to the wrong one are passed over: one mistake, one message
    assert len(found) == 1


def test_all_at_once_in_order_of_lines():
    text = changed('mass = "500 g"', 'mass = "500 s"').replace('along = "x"', "along = 3").replace("until", "unti")
    text = text.replace('type = "revolute"\nbetween = ["ground"', 'type = "hinge"\nbetween = ["ground"')
    found = problems(text)
    assert [f.split(": ")[1] for f in found] == ["bodies.piston.shape.rectangle.mass", "joints.O.type", "simulate.unti"]
    numbers = [int(f.split(":")[1]) for f in found]
    assert numbers == sorted(numbers)


def test_all_at_once_in_lagrangian_systems():
    text = """
kind = "lagrangian"
q = ["x"]
kinetic = "rate(x)**2 +"
gravity = [0, "h"]
parameters.m = "2 kgg"
forces.y = 1
holonomic.tie = "rate(x)"
particles.p = { mass = "1 m", at = ["x", 0] }
loads.f = { type = "forc" }
start.x = { valu = 1 }
"""
    found = problems(text)
    assert [int(f.split(":")[1]) for f in found] == [4, 5, 6, 7, 8, 9, 10, 11]


def test_unknown_names_in_lagrangian_systems():
    text = """
kind = "lagrangian"
q = ["x", "phi"]
kinetic = "mm*rate(x)**2/2 + rate(phi)**2 + t"
potential = "sin(ph) + k*x"
parameters = { m = "1 kg", k = "1 N/q" }
forces.x = "-c*rate(x)"
holonomic.tie = "x - y"
particles.p = { mass = "m", at = ["x", "z"] }
bodies.b = { mass = "m", inertia = 1, at = ["x", 0, 0], turns = [["z", "phi"], ["x", "psi"]] }
"""
    found = [f.partition(" known:")[0].split(":", 1)[1].strip() for f in problems(text)]
    assert found[2].startswith("6: parameters.k: ")
    assert found[:2] + found[3:] == [
        "4: kinetic: unknown name 'mm'; did you mean 'm'?",
        "5: potential: unknown name 'ph'; did you mean 'phi'?",
        "7: forces.x: unknown name 'c';",
        "8: holonomic.tie: unknown name 'y';",
        "9: particles.p.at[1]: unknown name 'z';",
        "10: bodies.b.turns[1]: unknown name 'psi'; did you mean 'phi'?",
    ]


def test_all_mistakes_of_one_part_at_once():
    start = changed("[drivers.", '[start."O.angle"]\nvalue = 30\nrate = "2 m"\nrat = 1\n\n[drivers.')
    assert [f.split(": ")[1] for f in problems(start)] == [
        "start.O.angle.value", "start.O.angle.rate", "start.O.angle.rat",
    ]  # fmt: skip
    text = """
kind = "lagrangian"
q = ["x"]
[particles.p]
mass = "1 m"
at = ["x", "2 +"]
mas = 1
[start.x]
value = "1 +"
rat = 1
"""
    assert [int(f.split(":")[1]) for f in problems(text)] == [5, 6, 7, 9, 10]


def test_json_has_lines_too():
    data = {
        "bodies": {"b": {"mass": 1, "inertia": 1}},
        "joints": {"A": {"type": "revolut", "between": ["ground", "b"]}},
    }
    text = json.dumps(data, indent=1)
    (found,) = problems(text, ".json", "m.json")
    assert found.startswith(f"m.json:{line(text, 'revolut')}: joints.A.type: unknown joint type 'revolut'")


def test_lines_of_quoted_names_and_long_values():
    text = """
# a comment with [brackets] = "and quotes
[bodies."arm = 1"]
mass = 1  # kg ]
at = [
  1,  # a comment
  2,
]
inertia = '''
2*'''
velocity = "3 kg"
"""
    found = problems(text)
    assert [f.split(": ")[0] for f in found] == ["slider.toml:9", "slider.toml:11"]
    assert "bodies.arm = 1.velocity: found" in found[1]


@pytest.mark.parametrize(
    ("text", "suffix", "words"),
    [
        ("[a\n", ".toml", "not valid TOML"),
        ("a = 1\na = 2\n", ".toml", "not valid TOML"),
        ('{"a": 1,}', ".json", "not valid JSON"),
        ('{"name": "a", "name": "b"}', ".json", "'name' stands twice"),
        ('{"length": NaN}', ".json", "NaN"),
        ("[1, 2]", ".json", "a table"),
        ("length = nan", ".toml", "length"),
        ("length = 1979-05-27", ".toml", "length"),
        ("length = 1" + "0" * 400, ".toml", "1e308"),
        (b"name = \"\xff\"", ".toml", "not UTF-8"),
        ("kind = 'lagrangian'", ".toml", "coordinates"),
        ("kind = 'lagrangian'\nq = ['x']\nkinetic = 'rate(y)'", ".toml", "known: x"),
    ],
)  # fmt: skip
def test_texts_that_are_no_models(text, suffix, words):
    assert words in "\n".join(problems(text, suffix))


def test_angles_need_units_where_degrees_are_plausible():
    base = "bodies.b = { mass = 1, inertia = 1, angle = %s }"
    for given, expected in (
        ('"30 deg"', 30 * 3.141592653589793 / 180),
        ('"0.5 rad"', 0.5),
        ("0", 0.0),
        ('"pi/6"', None),
    ):
        body = parse_text(base % given, ".toml").model["b"]
        assert expected is None or body.drawn_angle == pytest.approx(expected, rel=1e-15)
    for given in ("30", "0.5", '"30"'):
        assert "degrees" in problems(base % given)[0]


def test_units_follow_the_measure():
    base = """
bodies.b = { mass = 1, inertia = 1 }
joints.pin = { type = "revolute", between = ["ground", "b"], at = [0, 0] }
forces.f = { type = "%s", %s }
"""
    good = [("spring", 'a = "pin", stiffness = "2 N m/rad"'), ("spring", 'a = "pin", stiffness = "2 N m"'),
            ("stop", 'on = "pin", upper = "30 deg", stiffness = "1 kNm/rad"'),
            ("spring", 'a = "ground", b = ["b", [1, 0]], stiffness = "2.5 kN/mm"')]  # fmt: skip
    for tag, rest in good:
        parse_text(base % (tag, rest), ".toml")
    bad = [("spring", 'a = "pin", stiffness = "2 N/m"'), ("stop", 'on = "pin", upper = 30, stiffness = 1'),
           ("spring", 'a = "ground", b = ["b", [1, 0]], stiffness = "2.5 mm"'),
           ("friction", 'on = "b.x", force = "1 N m"'), ("torque", 'body = "b", value = "3 N"')]  # fmt: skip
    for tag, rest in bad:
        assert "forces.f" in problems(base % (tag, rest))[0]


def test_screw_pitch_is_per_turn_and_takes_no_angle():
    text = """
plane = false
bodies.b = { mass = 1, inertia = [1, 1, 1] }
joints.s = { type = "screw", between = ["ground", "b"], at = [0, 0, 0], axis = "z", pitch = "%s" }
"""
    assert parse_text(text % "5 mm", ".toml").model["s"].pitch == 0.005
    assert "joints.s.pitch" in problems(text % "5 mm/rev")[0]


@pytest.mark.parametrize("make", [everything, in_space, cart])
def test_every_path_has_its_line(make):
    data = to_data(make())
    for write, is_json in ((write_toml, False), (write_json, True)):
        text = write(data)
        line_of, lines = lines_of(text, is_json), text.splitlines()
        for section, table in data.items():
            entries = table.items() if isinstance(table, dict) else ()
            keys = [(section, name, key) for name, inner in entries if isinstance(inner, dict) for key in inner]
            for path in [(section,), *((section, name) for name, _ in entries), *keys]:
                told = lines[line_of(path) - 1].strip()
                name = path[-1]
                start = (f'"{name}":',) if is_json else (f"{name} =", f"[{section}", f'"{name}" =')
                # parameters with a label and tables inside one line stand on the line of their name
                assert told.startswith(start) or str(name) in told, (path, told)


def test_mistakes_in_parts_that_refer_to_faulty_ones(tmp_path):
    """A wrong key, type or measure does not hide what else is wrong in it, and in those that mention it."""
    file = tmp_path / "many.toml"
    file.write_text(
        """format = 1
name = "many"
[parameters]
n = "60 rpm"
[bodies.crank]
shape = { rod = { length = "1 m", mass = "1 kg" } }
at = [0.5, 0]
[joints.O]
type = "revolute"
between = ["ground", "crank"]
at = [0, 0]
axsi = [0, 0, 1]
[forces.spring]
type = "torsion_spring"
on = "O.angle"
stiffness = "3 N/m"
[drivers.motor]
measure = "O.angel"
value = "n*tt"
[joints.P]
type = "revolut"
between = ["ground", "crank"]
[forces.other]
type = "torsion_spring"
on = "P.angle"
stiffness = "3 N m/rad"
dampnig = 3
""",
        encoding="utf-8",
    )
    with pytest.raises(da.ModelFileError) as caught:
        da.read_model(file)
    lines = [
        int(line.split(":")[1]) for line in str(caught.value).splitlines() if line.strip().startswith("many.toml:")
    ]
    assert lines == [12, 16, 18, 19, 21, 27]


BALL = """
[parameters]
hard = "2e5 N/m^1.5"
soft = "1e4 N/m"
n = 1
[bodies.ball]
shape = { disk = { radius = "0.1 m", mass = "1 kg" } }
at = [0, 0.1]
[forces.floor]
type = "contact"
between = ["ground", "ball"]
"""


@pytest.mark.parametrize(
    ("law", "number"),
    [
        ('stiffness = "1e4 N/m"\nexponent = 1', 1e4),
        ('stiffness = "10 N/mm"\nexponent = "n"', 1e4),
        ('stiffness = "soft"\nexponent = 1', 1e4),
        ('stiffness = "hard"', 2e5),
        ('stiffness = "1 N/mm^1.5"', 1000**1.5),
        ('exponent = 2.2\nstiffness = "3 N/m^2.2"', 3.0),
    ],
)
def test_the_stiffness_of_a_contact_has_the_unit_of_its_law(law, number):
    m = parse_text(BALL + law, ".toml").model
    assert m.value(m["floor"].stiffness) == pytest.approx(number, rel=1e-15)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ('stiffness = "1e4 N"\nexponent = 1', "a force (N); a stiffness (N/m) belongs here"),
        ('stiffness = "1e4 N/m"', "a stiffness (N/m); a quantity (N/m^1.5) belongs here"),
        ('stiffness = "hard"\nexponent = "n"', "a quantity (N/m^1.5); a stiffness (N/m) belongs here"),
        ('stiffness = "soft"\nexponent = 2', "a stiffness (N/m); a quantity (Pa) belongs here"),
        ('stiffness = "1 N/mm^1.5"\nexponent = 0.5', "below 1 the stiffness is infinite"),
        ('stiffness = "1 N/mm^1.5"\nexponent = 20', None),
    ],
)
def test_another_unit_of_a_contact_is_refused(law, words):
    if words is None:  # powers of units end at 9: nothing is checked beyond
        assert parse_text(BALL + law, ".toml").model
        return
    (found,) = problems(BALL + law)
    assert words in found


def test_ends_that_are_missing_are_told_in_the_words_of_a_file():
    (found,) = problems('[bodies.b]\nmass = 1\ninertia = 1\n[forces.k]\ntype = "spring"\nalong = "x"')
    assert "two ends are missing" in found and "between = [end, end]" in found and "None" not in found


def test_a_row_called_like_a_function_stands_between_backticks():
    text = """
kind = "lagrangian"
q = ["x", "y"]
kinetic = "(rate(x)**2 + rate(y)**2)/2"
potential = "9.81*y"
[holonomic]
floor = "y/2"
[frictions.rub]
what = "x"
mu = 0.3
normal = "ROW/2"
[start.x]
rate = 1
"""
    (found,) = problems(text.replace("ROW", "floor"))
    assert "it is a function" in found and "between backticks, `floor`" in found
    m = parse_text(text.replace("ROW", "`floor`"), ".toml").model
    # the multiplier of y/2 = 0 is 2 m g
    run = da.simulate(m, until=1.0)
    assert run.events[0].t == pytest.approx(1 / (0.3 * 9.81), rel=1e-12)
    assert to_data(parse_text(write_toml(to_data(m)), ".toml").model) == to_data(m)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('[forces.floor]\ntype = "contact"\nbetween = ["ground", "ball"]\nmu = "0.2 + 0.1*exp(-v/(10 mm))"', "is a quantity (1/s); a pure number"),
        ('[forces.floor]\ntype = "contact"\nmu = 0.2', "between is missing; it names two bodies"),
        ('[joints.A]\ntype = "revolute"\nat = [0, 0]', "between is missing; it names two bodies"),
        ('[forces.floor]\ntype = "contact"\nbetween = ["ground", "ball"]\nradii = [1]', "give radii = [a, b]"),
        ('[forces.rub]\ntype = "friction"\nmu = 0.2', "mu alone"),
        ('[events.e]\nwhat = "t"\nset = { soft = "3 kg" }', "events.e.set.soft: found '3 kg', a mass (kg); a stiffness (N/m) belongs"),
        ('[events.e]\nwhat = "t"\nstrike = { ball = ["1 N", 0] }', "a force (N); an impulse (N s) belongs"),
        ('[events.e]\nwhat = "t"\nrestitution = { "ball.y" = "1 m" }', "a length (m); a number without unit"),
        ('[events.e]\nwhat = "t"\nrelease = "A"', "there are none yet; add it to the model first"),
        ('[forces.p]\ntype = "force"\nbody = "ball"\nforc = 3\n[events.e]\nwhat = "t"\nrelease = "p"', "unknown key 'forc'"),
        (
            '[joints.c]\ntype = "cam"\na = "ball.angle"\nb = "ball.y"\nlift = "hard*(1 - cos(theta))"',
            "a quantity (N/m^1.5); a length (m) belongs here",
        ),
        ('[joints.c]\ntype = "cam"\na = "ball.angle"\nb = "ball.y"\nlift = "10 mm*sin(theta/(1 m))"', "a pure number belongs"),
    ],
)  # fmt: skip
def test_regimes_in_a_file(more, words):
    (found,) = problems(BALL.partition("[forces.floor]")[0] + more)
    assert words in found


@pytest.mark.parametrize(
    "more",
    [
        '[forces.floor]\ntype = "contact"\nbetween = ["ground", "ball"]\nmu = "0.2 + 0.1*exp(-v/(10 mm/s))"',
        '[forces.rub]\ntype = "friction"\nforce = "2 N + (1 N)*exp(-v/(10 mm/s))"\non = "ball.x"',
        '[events.e]\nwhat = "t"\nset = { soft = "3 N/mm" }\nstrike = { ball = ["1 N s", 0] }\ncouple = { ball = "2 N m s" }',
        '[events.e]\nwhat = "t"\nstrike = { ball = [["1 N s", 0], ["10 mm", 0]] }',
        '[joints.c]\ntype = "cam"\na = "ball.angle"\nb = "ball.y"\nlift = "10 mm*(1 - cos(theta))"',
        '[joints.c]\ntype = "cam"\na = "ball.angle"\nb = "ball.y"\nlift = [[0, 0], ["90 deg", "5 mm"], ["180 deg", "10 mm"], ["360 deg", 0]]',
    ],
)
def test_regimes_that_are_right(more):
    assert parse_text(BALL.partition("[forces.floor]")[0] + more, ".toml").model


@pytest.mark.parametrize(
    ("section", "words"),
    [("springs", '[forces.NAME] with type = "spring"'), ("contact", '[forces.NAME] with type = "contact"'), ("revolutes", '[joints.NAME] with type = "revolute"')],
)  # fmt: skip
def test_sections_called_like_parts(section, words):
    """Python has m.spring(...); a file has its springs among the forces."""
    (found,) = problems(BALL + f"[{section}.one]\nstiffness = 1\n")
    assert f"unknown section '{section}'" in found and words in found
