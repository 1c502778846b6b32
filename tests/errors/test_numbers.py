"""Numbers: NaN and infinity anywhere, also inside arrays, parameters and expressions; numbers that are none; numbers too large."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest

import dalembert as da

from .checks import pendulum, refused, space

pytestmark = pytest.mark.usefixtures("no_kernels")

BAD = [math.nan, math.inf, -math.inf, np.float64("nan"), np.float32("inf"), np.array(math.nan), 10**400, 1e300]
NOT_NUMBERS = [
    None,
    True,
    "",
    "abc",
    1j,
    Decimal("1"),
    object(),
    [1.0],
    {"a": 1},
    np.array([1.0]),
    np.array("a"),
    lambda: 1.0,
]


def planar_places(m, x):
    """Every place of a planar model that takes a number, by name."""
    bar, ground = m["bar"], m.ground
    return {
        "body mass": lambda: m.body("new", mass=x, inertia=1.0),
        "body inertia": lambda: m.body("new", mass=1.0, inertia=x),
        "body at": lambda: m.body("new", mass=1, inertia=1, at=(0, x)),
        "body angle": lambda: m.body("new", mass=1, inertia=1, angle=x),
        "body center": lambda: m.body("new", mass=1, inertia=1, center=(x, 0)),
        "body velocity": lambda: m.body("new", mass=1, inertia=1, velocity=(x, 0)),
        "body spin": lambda: m.body("new", mass=1, inertia=1, spin=x),
        "particle mass": lambda: m.particle("new", mass=x),
        "particle at": lambda: m.particle("new", mass=1, at=(x, 0)),
        "revolute at": lambda: m.revolute("new", ground, bar, at=(x, 0)),
        "revolute zero": lambda: m.revolute("new", ground, bar, at=(0, 0), zero=x),
        "point": lambda: m.revolute("new", ground, bar, at=bar.point(x, 0)),
        "axis": lambda: m.prismatic("new", ground, bar, along=bar.axis(x, 1)),
        "prismatic along": lambda: m.prismatic("new", ground, bar, along=(1, x)),
        "distance length": lambda: m.distance("new", (ground, (0, 0)), (bar, (0, 0)), length=x),
        "absolute_x value": lambda: m.absolute_x("new", bar, value=x),
        "revolute_translational offset": lambda: m.revolute_translational("new", ground, bar, along=(1, 0), offset=x),
        "gear ratio": lambda: m.gear("new", "A", "bar.angle", ratio=x),
        "gear teeth": lambda: m.gear("new", "A", "bar.angle", teeth=(20, x)),
        "belt radii": lambda: m.belt("new", "A", "bar.angle", radii=(x, 1)),
        "rack radius": lambda: m.rack("new", "A", "bar.x", radius=x),
        "constraint value": lambda: m.constraint("new", "bar.x", value=x),
        "spring stiffness": lambda: m.spring("new", (ground, (0, 0)), (bar, (0, 0)), stiffness=x),
        "spring damping": lambda: m.spring("new", (ground, (0, 0)), (bar, (0, 0)), damping=x),
        "spring free_length": lambda: m.spring("new", (ground, (0, 0)), (bar, (0, 0)), free_length=x),
        "spring force": lambda: m.spring("new", (ground, (0, 0)), (bar, (0, 0)), force=x),
        "torsion_spring stiffness": lambda: m.torsion_spring("new", "A", stiffness=x),
        "torsion_spring free_angle": lambda: m.torsion_spring("new", "A", free_angle=x),
        "torsion_spring torque": lambda: m.torsion_spring("new", "A", torque=x),
        "damper damping": lambda: m.damper("new", "A", damping=x),
        "friction force": lambda: m.friction("new", "A", force=x),
        "friction speed": lambda: m.friction("new", "A", force=1.0, speed=x),
        "stop lower": lambda: m.stop("new", "A", lower=x, upper=1.0, stiffness=1.0),
        "stop stiffness": lambda: m.stop("new", "A", lower=0.0, stiffness=x),
        "bushing stiffness": lambda: m.bushing("new", ground, bar, at=(0, 0), stiffness=(1.0, x)),
        "bushing torsion": lambda: m.bushing("new", ground, bar, at=(0, 0), torsion=x),
        "actuator force": lambda: m.actuator("new", "A", force=x),
        "force value": lambda: m.force("new", bar, (0, x)),
        "force at": lambda: m.force("new", bar, (0, 1), at=(x, 0)),
        "torque value": lambda: m.torque("new", bar, x),
        "drive": lambda: m.drive("new", "A", x),
        "start value": lambda: m.start("A.angle", value=x),
        "start rate": lambda: m.start("A.angle", rate=x),
        "measure point": lambda: m.measure("new", point=(bar, (x, 0)), along=(1, 0)),
        "measure along": lambda: m.measure("new", point=(bar, (0, 0)), along=(1, x)),
        "parameter": lambda: m.parameter("new", x),
    }


def spatial_places(m, x):
    """Every place of a spatial model that takes a number and that the plane does not have."""
    ground, b = m.ground, m["b"]
    return {
        "inertia tensor": lambda: m.body("new", mass=1, inertia=((1, 0, 0), (0, 1, 0), (0, 0, x))),
        "inertia moments": lambda: m.body("new", mass=1, inertia=(1, x, 1)),
        "inertia array": lambda: m.body(
            "new", mass=1, inertia=np.array([1, x if isinstance(x, float) else math.nan, 1])
        ),
        "rotation angle": lambda: m.body("new", mass=1, inertia=(1, 1, 1), rotation=((0, 0, 1), x)),
        "rotation axis": lambda: m.body("new", mass=1, inertia=(1, 1, 1), rotation=((0, x, 1), 0.5)),
        "quaternion": lambda: m.body("new", mass=1, inertia=(1, 1, 1), rotation=(1, 0, x, 0)),
        "matrix": lambda: m.body("new", mass=1, inertia=(1, 1, 1), rotation=((1, 0, 0), (0, 1, x), (0, 0, 1))),
        "spin": lambda: m.body("new", mass=1, inertia=(1, 1, 1), spin=(0, 0, x)),
        "revolute axis": lambda: m.revolute("new", ground, b, at=(0, 0, 0), axis=(0, x, 1)),
        "screw pitch": lambda: m.screw("new", ground, b, at=(0, 0, 0), axis="z", pitch=x),
        "universal axes": lambda: m.universal("new", ground, b, at=(0, 0, 0), axes=((x, 0, 0), (0, 1, 0))),
        "point_on_plane normal": lambda: m.point_on_plane("new", ground, b, at=(0, 0, 0), normal=(0, 0, x)),
        "torque": lambda: m.torque("new", b, (0, 0, x)),
    }


PLANAR, SPATIAL = sorted(planar_places(pendulum(), 1.0)), sorted(spatial_places(space(), 1.0))


@pytest.mark.parametrize("place", PLANAR)
def test_not_finite_in_the_plane(place):
    for x in BAD:
        m = pendulum()
        with refused(da.ModelError, "bar" if place in ("point", "axis") else "A.angle" if "start" in place else "new"):
            planar_places(m, x)[place]()


@pytest.mark.parametrize("place", SPATIAL)
def test_not_finite_in_space(place):
    for x in BAD:
        with refused(da.ModelError, "new"):
            spatial_places(space(), x)[place]()


@pytest.mark.parametrize("place", [*PLANAR, *SPATIAL])
def test_things_that_are_no_numbers(place):
    for x in NOT_NUMBERS:
        m = pendulum() if place in PLANAR else space()
        call = (planar_places if place in PLANAR else spatial_places)(m, x)[place]
        # None leaves most arguments out, a law may be a function, a bushing takes a list
        optional = x is None and place not in ("drive", "parameter")
        function = callable(x) and place.endswith(("force", "torque", "value"))
        listed = isinstance(x, list | np.ndarray) and place == "bushing torsion"
        if optional or function or listed:
            continue
        with refused(da.ModelError):
            call()


@pytest.mark.parametrize(
    "text", ["1/0", "nan", "log(-1)", "r/(r - r)", "sqrt(-r)", "exp(1000)*r", "1e999", "1e200", "1/(r-r)"]
)
@pytest.mark.parametrize(
    "place", ["body mass", "body at", "revolute at", "spring stiffness", "force value", "start rate", "gear ratio"]
)
def test_expressions_without_a_finite_value(place, text):
    m = pendulum()
    m.parameter("r", 0.5)
    with refused(da.ModelError):
        planar_places(m, text)[place]()


def test_the_message_names_part_number_and_value():
    m = pendulum()
    m.parameter("r", 0.5)
    with refused(da.ModelError, "spring 'S'", "stiffness = nan", "finite"):
        m.spring("S", (m.ground, (0, 0)), ("bar", (0, 0)), stiffness=math.nan)
    with refused(da.ModelError, "spring 'S'", "stiffness = -3.0", "below zero"):
        m.spring("S", (m.ground, (0, 0)), ("bar", (0, 0)), stiffness=-3.0)
    with refused(da.ModelError, "revolute 'B'", "at[1] = inf"):
        m.revolute("B", m.ground, "bar", at=(0, math.inf))
    with refused(da.ModelError, "body 'b'", "mass", "r - 1", "-0.5"):
        m.body("b", mass="r - 1", inertia=1.0)
    with refused(da.ExpressionError, "body 'b': at[0] = r/(r - r)", "r = 0.5"):
        m.body("b", mass=1, inertia=1, at=("r/(r - r)", 0))
    with refused(da.ModelError, "body 'b'", "1e+300", "1e+100"):
        m.body("b", mass=1e300, inertia=1)


def test_arrays_hide_nothing():
    m = space()
    tensor = np.eye(3)
    tensor[1, 2] = math.nan
    with refused(da.ModelError, "body 'new'", "inertia[1][2] = nan"):
        m.body("new", mass=1, inertia=tensor)
    with refused(da.ModelError, "body 'new'", "at[2] = -inf"):
        m.body("new", mass=1, inertia=np.eye(3), at=np.array([0, 0, -math.inf]))
    with refused(da.ModelError, "body 'new'", "at[0]"):
        m.body("new", mass=1, inertia=np.eye(3), at=np.array([None, 1, 2], dtype=object))
    with refused(da.ModelError, "body 'new'"):
        m.body("new", mass=1, inertia=np.eye(3), at=np.zeros((3, 1)))
    with refused(da.ModelError, "body 'new'"):
        m.body("new", mass=1, inertia=np.eye(3) * (1 + 0j))


@pytest.mark.parametrize("value", [math.nan, math.inf, "0.2", None, 1j, [0.2], 1e200, True])
def test_parameters_are_finite_numbers(value):
    m = pendulum()
    m.parameter("r", 0.5, "m")
    with refused(da.ModelError, "parameter 's'"):
        m.parameter("s", value)
    with refused(da.ModelError, "parameter 'r'"):
        m.set_parameter("r", value)
    with refused(da.ModelError, "unit"):
        m.parameter("s", 1.0, 3)
    assert m.parameters == {"r": 0.5}


def test_a_parameter_changed_later_is_checked_when_it_is_used():
    m = pendulum()
    r = m.parameter("r", 0.5)
    m.spring("S", (m.ground, (0, 0)), ("bar", (0, 0)), stiffness=r - 0.2)
    m.particle("p", mass=1.0, at=(1 / r, 0))
    da.compile(m)
    m.set_parameter("r", 0.1)
    with refused(da.ModelError, "spring 'S'", "stiffness = r - 0.2", "-0.1", "below zero"):
        da.compile(m)
    m.set_parameter("r", 0.0)
    with refused(da.ModelError, "'S'"):
        da.compile(m)
    m.set_parameter("r", 0.3)
    assert da.compile(m).n_rows == 2
    m2 = pendulum()
    q = m2.parameter("q", 1.0)
    m2.particle("p", mass=1.0, at=(1 / q, 0))
    m2.set_parameter("q", 0.0)
    with refused(da.ExpressionError, "particle 'p'", "1/q", "q = 0"):
        da.compile(m2)


def test_shape_dimensions_that_depend_on_parameters():
    m = pendulum()
    r = m.parameter("r", 0.5)
    m.body("rod", da.rod(length=r, mass=1.0))
    with refused(da.ModelError, "body 'disk'", "radius"):
        m.body("disk", da.disk(r - 1.0, mass=1.0))
    with refused(da.ModelError, "body 'odd'", "nothing"):
        from dalembert.model.expression import Name

        m.body("odd", da.rod(length=Name("nothing"), mass=1.0))
    m.set_parameter("r", -0.5)
    with refused(da.ModelError, "body 'rod'", "length", "-0.5"):
        da.compile(m)


def test_gravity_and_length():
    for gravity in ((0, math.nan), (0, 0, -9.81), -9.81, "down", (0,), [[0, -9.81]]):
        with refused(da.ModelError, "gravity", "'M'"):
            da.Mechanism("M", plane=True, gravity=gravity)
    with refused(da.ModelError, "gravity", "3 numbers"):
        da.Mechanism("M", plane=False, gravity=(0, -9.81))
    for length in (0, -1, math.nan, "x+", ()):
        with refused(da.ModelError, "length"):
            da.Mechanism("M", length=length)
    m = pendulum()
    with refused(da.ModelError, "gravity", "nan"):
        m.gravity = (0, math.nan)
    assert m.gravity == (0.0, -9.81, 0.0)
    with refused(da.ModelError, "length"):
        m.length = -1
    with pytest.raises(AttributeError):
        m.plane = False  # type: ignore[misc]
    m.gravity = (0, "-g")
    with refused(da.ModelError, "gravity", "'g'"):
        da.compile(m)
    m.parameter("g", 9.81)
    assert da.compile(m).n_rows == 2


def test_masses_too_small_to_divide_by():
    m = da.Mechanism("tiny")
    m.body("b", mass=1e-200, inertia=1.0)
    with refused(da.ModelError, "body 'b'", "1e-200"):
        da.compile(m)


@pytest.mark.parametrize("plane", [0, 1, None, "yes", "plane", 2.0])
def test_flags_are_true_or_false(plane):
    with refused(da.ModelError, "plane"):
        da.Mechanism("M", plane=plane)
    with refused(da.ModelError, "internal"):
        m = pendulum()
        m.gear("g", "A", "bar.angle", teeth=(1, 2), internal=plane)
