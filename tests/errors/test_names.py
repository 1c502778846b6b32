"""Names: unknown, duplicate, unusable; unknown methods and arguments.  The nearest known name is suggested."""

from __future__ import annotations

import copy

import pytest

import dalembert as da

from .checks import check_parts, pendulum, refused, space

pytestmark = pytest.mark.usefixtures("no_kernels")


def test_unknown_part_is_suggested():
    m = pendulum()
    with refused(da.ModelError, "'bra'", "did you mean 'bar'?", "pendulum"):
        m["bra"]
    with refused(da.ModelError, "'a'", "did you mean 'A'?"):
        m["a"]
    with refused(da.ModelError, "3"):
        m[3]  # type: ignore[index]
    assert "bar" in m and "bra" not in m
    assert [] not in m


@pytest.mark.parametrize("add", ["body", "particle", "parameter", "measure", "drive", "revolute", "spring"])
def test_duplicate_names(add):
    m = pendulum()
    calls = {
        "body": lambda: m.body("A", mass=1, inertia=1),
        "particle": lambda: m.particle("A", mass=1),
        "parameter": lambda: m.parameter("A", 1.0),
        "measure": lambda: m.measure("A", "bar.x"),
        "drive": lambda: m.drive("A", "bar.angle", "t"),
        "revolute": lambda: m.revolute("A", m.ground, "bar", at=(1, 0)),
        "spring": lambda: m.spring("A", (m.ground, (0, 0)), ("bar", (0, 0)), stiffness=1),
    }
    with refused(da.ModelError, "'A'", "taken", "<revolute 'A'", "'A2'"):
        calls[add]()


@pytest.mark.parametrize(
    "name", ["", " A", "A ", "A.x", "a'b", 'a"b', "f(x)", "\n", "x" * 81, None, 3, b"A", ["A"], float("nan")]
)
def test_unusable_names(name):
    m = pendulum()
    for call in (
        lambda: m.body(name, mass=1, inertia=1),
        lambda: m.revolute(name, m.ground, "bar", at=(0, 0)),
        lambda: m.parameter(name, 1.0),
        lambda: m.measure(name, "bar.x"),
        lambda: m.drive(name, "bar.x", "t"),
        lambda: m.force(name, "bar", (1, 0)),
        lambda: da.Mechanism(name),
    ):
        with refused(da.ModelError, "name"):
            call()


@pytest.mark.parametrize("name", ["t", "pi", "sin", "if_", "and"])
def test_words_with_a_meaning_in_expressions(name):
    m = pendulum()
    with refused(da.ModelError, repr(name)):
        m.parameter(name, 1.0)
    with refused(da.ModelError, repr(name)):
        m.measure(name, "bar.x")
    assert m.parameter_names == []


@pytest.mark.parametrize("name", ["crank pin", "Teil-1", "größe", "2nd"])
def test_names_that_are_no_identifiers_work(name):
    """Only text in expressions cannot refer to them: springs, gears and drivers made in Python can."""
    m = da.Mechanism("names")
    b = m.body("b", mass=1, inertia=1)
    c = m.body("c", mass=1, inertia=1, at=(1, 0))
    m.revolute(name, m.ground, b, at=(0, 0))
    m.revolute("other", m.ground, c, at=(1, 0))
    m.torsion_spring("k", m[name], stiffness=2.0, torque="0.1*omega*theta")
    m.gear("g", m[name], m["other"], ratio=-2)
    m.start(m[name], value=0.1)
    assert da.compile(m).n_rows == 5


def test_unknown_bodies_are_suggested():
    m = pendulum()
    with refused(da.ModelError, "revolute 'B'", "body = 'Bar'", "did you mean 'bar'?"):
        m.revolute("B", m.ground, "Bar", at=(0, 0))
    with refused(da.ModelError, "force 'F'", "body = None", "known: ground, bar"):
        m.force("F", None, (1, 0))
    with refused(da.ModelError, "measure 'phi'", "'baar'", "did you mean 'bar'?"):
        m.measure("phi", angle=("baar", m.ground))


def test_unknown_methods_are_attribute_errors_with_a_suggestion():
    m = pendulum()
    with refused(da.ModelError, "revolut", "did you mean 'revolute'?") as caught:
        m.revolut("B", m.ground, "bar", at=(0, 0))
    assert isinstance(caught[0], AttributeError)
    assert not hasattr(m, "springg")
    with refused(da.ModelError, "angel", "did you mean 'angle'?") as caught:
        m["A"].angel
    assert isinstance(caught[0], AttributeError)
    with refused(da.ModelError, "'bar'", "strat"):
        m["bar"].strat
    assert copy.copy(m).name == "pendulum"


def test_unknown_kind_of_parts():
    m = pendulum()
    with refused(da.ModelError, "'joints'", "did you mean 'joint'?"):
        m.parts("joints")
    assert [part.name for part in m.parts("joint")] == ["A"]


def test_unknown_and_missing_arguments():
    m = pendulum()
    with refused(da.ModelError, "'masss'", "did you mean 'mass'?"):
        m.body("b", masss=1)
    with refused(da.ModelError, "'axes'", "did you mean 'axis'?", "m.revolute"):
        m.revolute("B", m.ground, "bar", at=(0, 0), axes=(0, 0, 1))
    with refused(da.ModelError, "name"):
        m.revolute()
    with refused(da.ModelError, "value"):
        m.parameter("r")
    with refused(da.ModelError, "'gravty'", "did you mean 'gravity'?"):
        da.Mechanism("M", gravty=(0, -9.81))
    with refused(da.ModelError, "'betwen'", "did you mean 'between'?"):
        m.measure("d", betwen=(m.ground.point(0, 0), m["bar"].point(0, 0)))
    with refused(da.MethodError, "'untill'", "did you mean 'until'?"):
        da.simulate(m, untill=1.0)
    with refused(da.MethodError, "until"):
        da.simulate(m)


def test_unknown_parameter():
    m = pendulum()
    m.parameter("radius", 0.2)
    with refused(da.ModelError, "'raduis'", "did you mean 'radius'?"):
        m.set_parameter("raduis", 1.0)
    with refused(da.ModelError, "parameter 'bar'"):
        m.set_parameter("bar", 1.0)
    with refused(da.ModelError, "[]"):
        m.set_parameter([], 1.0)
    assert m.parameters == {"radius": 0.2}


def test_parts_of_other_mechanisms():
    m, other = pendulum(), space("other")
    stranger = other["b"]
    for call in (
        lambda: m.revolute("B", m.ground, stranger, at=(0, 0)),
        lambda: m.revolute("B", m.ground, "bar", at=stranger.point(0, 0, 0)),
        lambda: m.prismatic("B", m.ground, "bar", along=stranger.axis(1, 0, 0)),
        lambda: m.spring("B", (m.ground, (0, 0)), stranger.point(0, 0, 0), stiffness=1),
        lambda: m.drive("B", stranger.x, "t"),
        lambda: m.start(stranger.x, value=1.0),
        lambda: m.measure("B", stranger.x),
        lambda: m.constraint("B", stranger.x),
        lambda: m.force("B", stranger, (1, 0)),
    ):
        with refused(da.ModelError, "other"):
            call()
    other.revolute("R", other.ground, stranger, at=(0, 0, 0), axis="z")
    with refused(da.ModelError, "'R'", "another mechanism"):
        m.torsion_spring("B", other["R"], stiffness=1)


def test_wrong_types_of_parts():
    m = pendulum()
    with refused(da.ModelError, "'bar'", "bar.x"):
        m.drive("D", m["bar"], "t")
    with refused(da.ModelError, "no coordinate"):
        m.fixed("W", m.ground, "bar")
        m.drive("D", m["W"], "t")
    with refused(da.ModelError, "driver 'D'"):
        m.drive("D", object(), "t")


def test_errors_can_be_caught_by_their_base():
    for kind in (
        da.ModelError,
        da.ExpressionError,
        da.AssemblyError,
        da.SingularError,
        da.ConvergenceError,
        da.MethodError,
    ):
        assert issubclass(kind, da.DalembertError)
        check_parts(kind("asked", "found", "why", "do"))


def test_objects_whose_repr_fails_are_told_by_their_type():
    class Mute:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    m = pendulum()
    with refused(da.ModelError, "Mute"):
        m.revolute("B", m.ground, Mute(), at=(0, 0))
    with refused(da.ModelError, "Mute"):
        m.body("b", mass=Mute(), inertia=1)
    with refused(da.MethodError, "Mute"):
        da.simulate(m, until=Mute())  # type: ignore[arg-type]
