"""Functions of models as code: C compiled and called, NumPy imported by itself, SymPy objects; all against the compiled system.

Tolerance 1e-12 relative to the largest entry: the same formulas in the same order, but compilers may fuse products and sums.
"""

from __future__ import annotations

import ctypes
import importlib.util
import math
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from analyses.machines import fb4
from errors.checks import refused

import dalembert as da
from dalembert.analyses.pose.pose import Pose
from dalembert.model.expression import Call, parse
from dalembert.symbolic.functions import WHAT

from .test_mechanism_symbols import double_pendulum, slider_crank

GCC = shutil.which("gcc")
needs_gcc = pytest.mark.skipif(GCC is None, reason="no C compiler here")
needs_sympy = pytest.mark.skipif(importlib.util.find_spec("sympy") is None, reason="no SymPy here")

# every operation of expressions, at arguments where it has a value
LAW = (
    "sin(x) + cos(x) - tan(x/3) + asin(x/4)*acos(x/5) + atan(x) + atan2(x, 1 + x**2) + sinh(x) - cosh(x/2) + tanh(x) + exp(-x)"
    " + log(2 + x) + log10(3 + x) + sqrt(1 + x**2) + hypot(x, 2) + abs(x - 1)**3 + sign(x) + floor(3*x) + min(x, 0.2) + max(x, 0.1, 0.4)"
    " + if_(x > 0.5, x**2, -x) + if_(x >= 1 and not (x == 2), 1, 2) + if_(x < 0 or x != 3, rate(x)**3, 0) + ramp(x, 0, 1)"
    " + step(x, 0, 0, 1, 2) + (2 + x)**1.5 + (3 + x)**x + x**-2 + if_(x > 0, sqrt(abs(x)), 5) - k*x + t + if_(x <= 0.3, 1, 4)"
)


def everything():
    """A Lagrangian system whose force uses every operation and a table."""
    cam = da.spline([-1.0, 0.0, 0.5, 2.0], [0.3, 1.0, -0.4, 0.7], name="cam")
    force = parse(LAW) + cam(parse("x + 0.1*rate(x)"))
    return da.Lagrangian(
        "x y", kinetic="m*(2 + cos(y))*rate(x)**2/2 + rate(y)**2/2 + rate(x)*t", potential="k*y**4", forces={"x": force},
        holonomic={"tie": "x - sin(y) - 0.1*t**2"}, nonholonomic={"skate": "rate(x)*cos(y) - rate(y)*x - t"},
        parameters={"m": 1.3, "k": 2.2}, name="every thing",
    )  # fmt: skip


MODELS = [everything, fb4, lambda: slider_crank(True), double_pendulum, lambda: fb4(plane=False)]
NAMES = ["everything", "FB4", "P4", "double pendulum", "FB4 in space"]


def compiled(model, rng):
    """Arrays of the compiled system at a random state, with q and v as the exported functions take them."""
    if isinstance(model, da.Lagrangian):
        from dalembert.analyses.lagrangian.point import Point
        from dalembert.system.lagrange import compile_lagrangian

        q, v, t = rng.uniform(0.3, 0.9, len(model.q)), rng.uniform(-1, 1, len(model.q)), 0.4
        p = Point(compile_lagrangian(model), t, q, v)
        nu = p.jac @ v - p.w
        return t, q, v, {"M": p.mass, "f": p.force, "phi": p.phi, "J": p.jac, "nu": nu, "gamma": p.gamma}
    pose = Pose.of(model, asked="test")
    pose.q = pose.shifted(0.2 * rng.uniform(-1, 1, pose.system.nv))
    pose.v = rng.uniform(-1, 1, pose.system.nv)
    space = load_numpy_text(da.export(model))
    names = [row.name for row in pose.rows]
    order = [names.index(name) for name in space["ROWS"]]
    arrays = {
        "M": pose.mass.toarray(), "f": pose.force, "phi": pose.phi[order], "J": pose.jac.toarray()[order],
        "nu": pose.nu[order], "gamma": pose.gamma[order],
    }  # fmt: skip
    return pose.t, pose.q, pose.v, arrays


def load_numpy_text(text):
    space = {}
    exec(compile(text, "exported", "exec"), space)
    return space


def close(found, expected):
    return np.max(np.abs(found - expected), initial=0.0) <= 1e-12 * max(1.0, np.max(np.abs(expected), initial=0.0))


# -- NumPy -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", MODELS, ids=NAMES)
def test_numpy(make):
    model = make()
    t, q, v, arrays = compiled(model, np.random.default_rng(3))
    space = load_numpy_text(da.export(model, language="numpy"))
    for name, expected in arrays.items():
        found = space[name](t, q, v)
        assert found.shape == expected.shape and close(found, expected), name


def test_numpy_module_needs_nothing_else(tmp_path):
    path = da.export(everything(), tmp_path / "deep" / "model.py")
    code = (
        "import sys, numpy as np, model; assert 'dalembert' not in sys.modules\n"
        "print(model.M(0.0, np.array([0.1, 0.2]), np.zeros(2)).tolist(), model.COORDINATES, model.ROWS)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=path.parent, capture_output=True, text=True, check=True, timeout=600
    )
    assert f"[[{1.3 * (2 + math.cos(0.2))}, 0.0], [0.0, 1.0]]" in done.stdout and "('tie', 'skate')" in done.stdout


def test_numpy_parameters_and_many_states():
    space = load_numpy_text(da.export(everything()))
    q, v = np.random.default_rng(5).uniform(0.3, 0.9, (2, 2, 7))
    for name in WHAT:
        many = space[name](0.3, q, v)
        assert many.shape[-1] == 7
        for k in range(7):
            assert many[..., k] == pytest.approx(space[name](0.3, q[:, k], v[:, k]), rel=1e-14, abs=1e-14)
    one, zero = np.array([0.4, 0.5]), np.zeros(2)
    assert space["M"](0.0, one, zero, {"m": 2.6})[0, 0] == pytest.approx(2 * space["M"](0.0, one, zero)[0, 0])
    assert space["M"](0.0, one, zero, [2.6, 2.2])[0, 0] == pytest.approx(2 * space["M"](0.0, one, zero)[0, 0])


def test_every_operation_is_in_the_test():
    from dalembert.model.expression import postorder
    from dalembert.model.expression.catalogue import ALL

    used = {node.function for node in postorder(parse(LAW)) if isinstance(node, Call)}
    # division of x by a number and minus signs are there as products and differences
    assert set(ALL) - used <= {"neg", "/"}


# -- C -----------------------------------------------------------------------------------------------------------------------------


@needs_gcc
@pytest.mark.parametrize("make", MODELS, ids=NAMES)
def test_c(make, tmp_path):
    model = make()
    source = da.export(model, tmp_path / "model.c", language="c")
    library = tmp_path / "model.so"
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC", "-ffp-contract=off"]
    done = subprocess.run(
        [GCC, *flags, str(source), "-o", str(library), "-lm"], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[:2000]
    loaded = ctypes.CDLL(str(library))
    t, q, v, arrays = compiled(model, np.random.default_rng(4))
    prefix = {"every thing": "every_thing", "slider-crank": "slider_crank", "double pendulum": "double_pendulum"}.get(model.name, model.name)  # fmt: skip
    p = np.array([*model.parameters.values(), 0.0])
    pointer = ctypes.POINTER(ctypes.c_double)
    for name, expected in arrays.items():
        out = np.full(expected.size + 1, 77.0)
        call = getattr(loaded, f"{prefix}_{name}")
        given = [np.ascontiguousarray(x, dtype=float) for x in (q, v, p)]
        call(ctypes.c_double(t), *(x.ctypes.data_as(pointer) for x in (*given, out)))
        assert out[-1] == 77.0 and close(out[:-1].reshape(expected.shape), expected), name


def test_c_text():
    text = da.export(fb4(), language="c", what=["M", "gamma"])
    assert "void FB4_M(double t, const double *q" in text and "FB4_gamma" in text and "FB4_phi" not in text
    assert "J a = gamma" in text and "enum { FB4_N_Q = 9 };" in text


# -- SymPy -------------------------------------------------------------------------------------------------------------------------


@needs_sympy
def test_sympy_objects_and_module(tmp_path):
    import sympy as sp

    m = slider_crank()
    found = da.export(m, language="sympy", what=["M", "J"])
    assert list(found) == ["M", "J"] and found["M"].shape == (6, 6) and found["J"].shape == (5, 6)
    assert found["M"][0, 0] == sp.Symbol("m1", real=True)
    path = da.export(m, tmp_path / "model.py", language="sympy")
    space = {}
    exec(compile(path.read_text(encoding="utf-8"), "model.py", "exec"), space)
    full = da.export(m, language="sympy")
    for name in WHAT:
        assert sp.simplify(space[name]() - full[name]) == sp.zeros(*full[name].shape)


@needs_sympy
def test_sympy_of_every_operation():
    import sympy as sp

    model = everything()
    t, q, v, arrays = compiled(model, np.random.default_rng(8))
    found = da.export(model, language="sympy")
    values = {sp.Symbol(n, real=True): x for n, x in (("t", t), ("x", q[0]), ("y", q[1]), ("x'", v[0]), ("y'", v[1]), ("m", 1.3), ("k", 2.2))}  # fmt: skip
    cam = next(iter(model.forces["x"].tables.values()))
    for name, expected in arrays.items():
        for entry, number in zip(found[name], np.ravel(expected)):
            made = entry.replace(
                lambda e: isinstance(e, sp.Function) and type(e).__name__.startswith("cam"),
                lambda e: sp.Float(cam.value(float(e.args[0].subs(values)), type(e).__name__.count("_d"))),
            )
            assert float(made.subs(values)) == pytest.approx(number, rel=1e-10, abs=1e-10), name


# -- joint coordinates, files, errors ------------------------------------------------------------------------------------------------


def test_minimal_form():
    m = fb4()
    system = da.lagrangian_of(m)
    t, q, v, arrays = compiled(system, np.random.default_rng(9))
    space = load_numpy_text(da.export(m, form="minimal"))
    assert space["COORDINATES"] == system.q
    for name, expected in arrays.items():
        assert close(space[name](t, q, v), expected), name


def test_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "model.py"
    path.write_text("old", encoding="utf-8")
    with refused(da.MethodError, "cannot be written"):
        da.export(fb4(), tmp_path)  # a folder
    assert path.read_text(encoding="utf-8") == "old"

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", broken)
    with refused(da.MethodError, "disk full"):
        da.export(fb4(), path)
    assert path.read_text(encoding="utf-8") == "old" and [x.name for x in tmp_path.iterdir()] == ["model.py"]


def test_a_file_that_ends_in_c_is_c(tmp_path):
    assert "#include" in da.export(fb4(), tmp_path / "p.c").read_text()
    assert "import numpy" in da.export(fb4(), tmp_path / "p.py").read_text()
    assert "import numpy" in da.export(fb4(), tmp_path / "n.c", language="numpy").read_text()


def test_bad_arguments():
    with refused(da.MethodError, "language = 'fortran'"):
        da.export(fb4(), language="fortran")
    with refused(da.MethodError, "what = 'K'", "gamma"):
        da.export(fb4(), what=["M", "K"])
    with refused(da.MethodError, "form = 'joint'"):
        da.export(fb4(), form="joint")
    with refused(da.MethodError, "own coordinates"):
        da.export(everything(), form="absolute")
    with refused(da.MethodError, "Mechanism"):
        da.export(42)
    with refused(da.ExpressionError, "omega"):
        da.export(da.Lagrangian("x", kinetic="omega*rate(x)**2"))


def test_without_sympy():
    """Joint coordinates, code and verify need no SymPy; what needs it says so."""
    code = """
import sys
sys.modules["sympy"] = None
import dalembert as da

m = da.Mechanism("pendulum", plane=True, gravity=(0, "-g"))
m.parameter("g", 9.81)
l = m.parameter("l", 0.5)
a = m.parameter("a", 0.3)
f = da.functions
bar = m.body("bar", da.rod(length=2 * l, mass=1.0), at=(l * f.cos(a), l * f.sin(a)), angle=a)
m.revolute("O", m.ground, bar, at=(m.ground.point(0, 0), bar.start))
assert da.simulate(da.lagrangian_of(m), until=0.1).status == "ok"
assert "def gamma" in da.export(m) and "pendulum_J" in da.export(m, language="c")
found = da.verify(m)
assert found.agree and "joint coordinates" in found.ways and "symbols" not in found.ways
assert found.notes == ("symbols left out: SymPy is not installed",), found.notes
for ask in (lambda: da.equations(m, form="absolute"), lambda: da.export(m, language="sympy")):
    try:
        ask()
    except da.MethodError as error:
        assert "pip install dalembert[symbolic]" in str(error)
    else:
        raise AssertionError("nothing was refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr[-3000:]
