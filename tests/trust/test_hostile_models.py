"""Every argument of every way to declare a part of a model, and of a stepper, gets what it cannot use: one of our errors, or a model that runs.

Methods and their arguments are read from the signatures, so that a new one is tried as well.  Python's own TypeError for a call that does not fit the signature cannot
come up here: every argument is called by a name that the signature has.  What is accepted is assembled and run for a step, and may fail there, typed.
"""

import inspect
import math
import warnings

import numpy as np
import pytest

import dalembert as da
from tests.trust.test_raw_exceptions import NASTY, attempt

NASTIES = {
    **{name: x for name, x in NASTY.items() if name not in ("long", "deep")}, "none": None, "list": [], "table": {}, "time": "t", "number": 3.0, "text": "x.y", "code": "1/0",
    "long": "x" * 5000, "deep": "(" * 500 + "1" + ")" * 500, "matrix": np.eye(3), "row of texts": ["A", "b"], "tuple": (1.0, "t"), "table of arrays": {"A.angle": np.ones(2)},
    "table of lists": {"A.angle": [1, [2]]}, "table by array": {"b": {"x": None}}, "array of 0": np.array(1.0), "generator": iter([1.0]), "function": lambda *a: None,
    "nested": [[1, [2]], None],
}  # fmt: skip

# what is given where nothing hostile is, by the name of the argument
USUAL = {
    "name": "new", "i": "a", "j": "b", "a": "a", "b": "b", "body": "b", "on": "A", "what": "A.angle", "measure": "A.angle", "expression": "A.angle - t", "stiffness": 1.0, "damping": 1.0,
    "force": "1", "value": 1.0, "gap": "b.y + 2", "rate": "-new", "vector": ("1", "0"), "mass": 1.0, "coordinate": "x", "x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 0.0],
}  # fmt: skip
OF = {
    "event": {"what": "A.angle + 1e-6"}, "contact": {"i": "ground", "j": "b", "radius": 0.1}, "cam": {"a": "A.angle", "b": "S.slide", "lift": "0.1*sin(u)", "base": 0.2},
    "stop": {"on": "A.angle", "lower": -1.0}, "friction": {"on": "A", "force": 1.0}, "torsion_spring": {"on": "A.angle"}, "actuator": {"a": "A.angle", "b": None}, "torque": {"value": "1"},
    "force": {"value": ("1", "0")}, "field": {"value": ("1", "0")}, "start": {"measure": "A.angle", "rate": 1.0}, "drive": {"expression": "t"}, "gear": {"a": "A.angle", "b": "B.angle", "ratio": 2.0},
    "rack": {"pinion": "A.angle", "rack": "S.slide", "radius": 0.1}, "belt": {"a": "A.angle", "b": "B.angle", "radii": (0.1, 0.2)}, "set_parameter": {"name": "k"}, "pfaffian": {"expression": "rate(A.angle) - rate(B.angle)"},
    "differential": {"left": "A.angle", "right": "B.angle", "carrier": "S.slide"}, "distance": {"a": "a", "b": "b"}, "spring": {"a": "a", "b": "b"}, "damper": {"a": "a", "b": "b"}, "measure": {"what": "A.angle"},
}  # fmt: skip
OF_COORDINATES = {
    "event": {"what": "x - 0.9999999"}, "friction": {"what": "x", "force": 1.0}, "start": {"rate": 1.0}, "constraint": {"expression": "x - y"}, "pfaffian": {"expression": "rate(x) - rate(y)"},
    "impact": {"gap": "x + 2"}, "body": {"at": ("x", "y"), "inertia": 1.0, "angle": "0"}, "particle": {"at": ("x", "y")}, "force": {"on": ("x", "y")}, "couple": {"on": "disk", "vector": "1"}, "field": {"on": "disk"},
    "set_parameter": {"name": "k"},
}  # fmt: skip
# who reads for others, and who only looks
INTERNAL = {
    "own",
    "varied",
    "given",
    "find_measure",
    "base_measures",
    "owner_of_rows",
    "check_numbers",
    "no_states",
    "refuse_particle",
    "add",
    "is_of",
    "is_body",
    "is_coordinate",
}


def machine():
    m = da.Mechanism("machine", plane=True, gravity=(0, -9.81))
    m.parameter("k", 2.0)
    a = m.body("a", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    b = m.body("b", da.rod(length=1.0, mass=1.0), at=(1.5, 0))
    slider = m.body("slider", da.block(0.1, 0.1, mass=1.0), at=(0, 3))
    m.revolute("A", m.ground, a, at=(0, 0))
    m.revolute("B", a, b, at=(1, 0))
    m.prismatic("S", m.ground, slider, at=(0, 3), along=(1, 0))
    return m


def coordinates():
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential="k*x**2/2", parameters={"k": 1.0})
    m.body("disk", 1.0, 1.0, at=("x", "y"), angle="0")
    m.start("x", 1.0)
    return m


def ways(model):
    """Public methods that declare something, with the names of their arguments."""
    for name in sorted(n for n in dir(model) if not n.startswith(("_", "read_", "is_")) and n not in INTERNAL):
        method = getattr(model, name)
        if callable(method):
            given = [
                p.name
                for p in inspect.signature(method).parameters.values()
                if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
            ]
            if given:
                yield name, given


def use(model):
    """A model that was accepted: a run as short as can be, and what it tells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = da.simulate(model, until=1e-3, output=1e-3, progress=False)
    assert np.isfinite(run.q).all()


BUILD = {"machine": (machine, OF), "coordinates": (coordinates, OF_COORDINATES)}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, (build, _) in BUILD.items() for name, _ in ways(build())]
)
def test_declarations(kind, name):
    build, of = BUILD[kind]
    arguments = dict(ways(build()))[name]
    usual = {key: x for key, x in USUAL.items() if key in arguments} | of.get(name, {})
    failures = []
    for argument in arguments:
        for label, x in NASTIES.items():
            model = build()

            def declare(model=model, argument=argument, x=x):
                getattr(model, name)(**{**usual, argument: x})
                use(model)

            attempt(f"{kind}.{name}({argument} = {label})", declare, failures)
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("kind", BUILD)
def test_stepper(kind):
    model, failures = BUILD[kind][0](), []
    model.input("u")
    live = da.Stepper(model, 1e-3)
    measure = "A.angle" if kind == "machine" else "x"
    for label, x in NASTIES.items():
        attempt(f"get({label})", lambda x=x: live.get(x), failures)
        attempt(f"step({label})", lambda x=x: live.step(x), failures) if label != "number" else None
        attempt(f"set(u = {label})", lambda x=x: live.set("u", x), failures)
        attempt(f"set({label})", lambda x=x: live.set(x, 1.0), failures)
        attempt(f"set({measure} = {label})", lambda x=x: live.set(measure, x), failures)
        attempt(f"state = {label}", lambda x=x: setattr(live, "state", x), failures)
        for argument in ("model", "step", "method", "start"):
            given = {"model": model, "step": 1e-3, argument: x}
            attempt(f"Stepper({argument} = {label})", lambda g=given: da.Stepper(**g), failures)
    for label, call in {
        "set()": live.set,
        "set(u)": lambda: live.set("u"),
        "get()": live.get,
        "resume(1)": lambda: live.resume(1),
    }.items():
        with pytest.raises(da.MethodError, match="found:"):
            call()
            pytest.fail(label)
    assert math.isfinite(live.t)
    assert not failures, "\n".join(failures)
