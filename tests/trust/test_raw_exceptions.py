"""Nothing raw: whatever is given to a verb, a result or a file, the answer is one of our errors, in bounded time and memory."""

import inspect
import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.io import parse_text


class Hostile:
    """An object that fails in whatever is done with it."""

    def _fail(self, *_):
        raise RuntimeError("hostile")

    __repr__ = __str__ = __eq__ = __bool__ = __hash__ = __len__ = __iter__ = __float__ = _fail


def nested(depth):
    made = []
    for _ in range(depth):
        made = [made]
    return made


NASTY = {
    "array": np.array([1.0, 2.0]), "empty array": np.zeros(0), "objects": np.array([None, "x"], dtype=object), "nan": math.nan,
    "infinite": math.inf, "huge": 10**400, "-huge": -(10**400), "bytes": b"x", "empty": "", "long": "x" * 50_000, "deep": nested(2000),
    "hostile": Hostile(), "list of hostile": [Hostile()], "dict of hostile": {"bar": Hostile()}, "class": int, "set": {1, 2},
    "dict": {1: math.nan}, "complex": 1j, "negative": -1, "true": True, "nul": "a\0b", "surrogate": "\ud800",
}  # fmt: skip


def pendulum():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.parameter("k", 2.0)
    return m


def driven():
    m = pendulum()
    m.drive("motor", "A.angle", "t")
    return m


def oscillator():
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**2/2", parameters={"c": 1.0})
    m.start("x", 1.0)
    return m


@pytest.fixture(scope="module")
def given():
    """What the verbs are called with; made once."""
    m, d, x = pendulum(), driven(), oscillator()
    return {
        "m": m,
        "d": d,
        "x": x,
        "run": da.simulate(m, until=0.01, output=0.01),
        "lagrangian run": da.simulate(x, until=0.01, output=0.01),
    }


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# verb: what its first argument is, the others that it needs, and those that are not tried (slow, or open a browser)
VERBS = [
    ("simulate", "m", {"until": 0.01}, set()), ("simulate", "x", {"until": 0.01}, set()), ("assemble", "m", {}, set()),
    ("strike", "m", {}, set()), ("strike", "x", {}, set()), ("mobility", "m", {}, set()), ("reactions", "m", {}, set()),
    ("free_body", "m", {"body": "bar"}, set()), ("kinematics", "d", {"times": [0.0]}, set()), ("inverse_dynamics", "d", {"times": [0.0]}, set()),
    ("holding_load", "d", {}, set()), ("equilibrium", "x", {}, set()), ("linearize", "m", {}, set()), ("verify", "m", {"states": 1}, set()),
    ("classify", "x", {}, set()), ("equations", "m", {}, set()), ("equations", "x", {}, set()), ("lagrangian_of", "m", {}, set()),
    ("compare_equations", "m", {"states": 1}, {"model"}), ("export", "x", {}, set()), ("conserved", "x", {}, set()), ("expand", "x", {}, set()),
    ("small_oscillations", "x", {}, set()), ("compile", "m", {}, set()), ("load", None, {}, set()), ("read_model", None, {}, set()),
    ("write_model", "m", {"path": "m.toml"}, set()), ("plot", "run", {}, {"what", "run"}), ("spline", None, {"y": [0, 1, 0]}, set()),
    ("draw", "m", {}, {"x"}), ("film", "run", {"path": "f.bmp"}, set()), ("show", "m", {"path": "s.html", "open": False}, {"open", "equations"}),
    ("reduce", None, {}, set()), ("rod", None, {}, set()), ("composite", None, {}, set()), ("plate", None, {}, set()),
]  # fmt: skip


def attempt(label, call, failures):
    try:
        call()
    except da.DalembertError as error:
        str(error)
    except Exception as error:  # exactly what this test is about
        failures.append(f"{label}: {type(error).__name__}: {str(error)[:80]}")


@pytest.mark.parametrize(("verb", "first", "others", "leave"), VERBS, ids=[f"{v}-{f}" for v, f, *_ in VERBS])
@pytest.mark.filterwarnings("ignore")
def test_verbs(given, verb, first, others, leave):
    function, failures = getattr(da, verb), []
    for k, p in enumerate(inspect.signature(function).parameters.values()):
        if p.name in leave or p.kind is p.VAR_KEYWORD:
            continue
        for name, x in NASTY.items():
            before = [] if first is None or not k else [given[first]]
            if p.kind is p.VAR_POSITIONAL or not before:
                attempt(
                    f"{verb}({p.name} = {name})", lambda x=x, before=before: function(*before, x, **others), failures
                )
            else:
                options = {**others, p.name: x}
                attempt(f"{verb}({p.name} = {name})", lambda o=options, b=before: function(*b, **o), failures)
    assert not failures


METHODS = ["__getitem__", "at", "resample", "crossings", "table", "save", "to_csv", "measure", "effort", "power", "kinematics",
           "value", "rate", "acceleration", "reaction", "parts"]  # fmt: skip


@pytest.mark.parametrize(
    "which", ["run", "lagrangian run", "saved", "load", "equations", "form", "mechanism", "lagrangian"]
)
@pytest.mark.filterwarnings("ignore")
def test_methods(given, which):
    run = given["run"]
    objects = {
        "run": run,
        "lagrangian run": given["lagrangian run"],
        "load": run["A"],
        "mechanism": given["m"],
        "lagrangian": given["x"],
    }
    if which == "saved":
        run.save("run.npz")
    x = {
        "saved": lambda: da.load("run.npz"),
        "equations": lambda: da.equations(given["m"]),
        "form": lambda: da.equations(given["x"]),
    }
    it = objects[which] if which in objects else x[which]()
    names = {"load": ["on", "frame"], "equations": ["reaction"], "form": ["accelerations", "to_html"],
             "mechanism": ["__getitem__", "value", "find_measure", "given", "parts"], "lagrangian": ["given", "add"]}  # fmt: skip
    failures: list[str] = []
    for name in names.get(which, METHODS):
        method = getattr(it, name, None)
        if method is None:
            continue
        for label, nasty in NASTY.items():
            more = ("bar",) if name == "reaction" and which == "equations" else ()
            attempt(f"{which}.{name}({label})", lambda f=method, x=nasty, m=more: f(x, *m), failures)
    assert not failures


# -- arguments that were passed over -----------------------------------------------------------------------------------


def test_independent_is_used_or_refused():
    """equations(independent=anything) was the same as without it."""
    m = oscillator()
    assert str(da.equations(m, independent=["x"])) == str(da.equations(m))
    for wrong in (["y"], "zzz", [], 3, ["x", "x"], [None]):
        with pytest.raises(da.DalembertError, match="independent|coordinate"):
            da.equations(m, form="lagrange", independent=wrong)
    two = da.Lagrangian(("x", "y"), kinetic="(rate(x)**2 + rate(y)**2)/2", potential="9.81*y")
    two.constraint("slope", "y - 2*x")
    assert "y = 2*x" in str(da.equations(two, form="lagrange", independent="x"))
    assert "x = y/2" in str(da.equations(two, form="lagrange", independent="y"))
    for form in ("lagrange", "reduced", "dalembert", "virtual-work"):
        with pytest.raises(da.DalembertError):
            da.equations(two, form=form, independent="z")
    for form in ("multipliers", "hamilton", "newton-euler", "all"):
        with pytest.raises(da.MethodError, match="independent"):
            da.equations(two, form=form, independent="x")
    for form in (None, "absolute"):
        with pytest.raises(da.DalembertError, match="independent|coordinate"):
            da.equations(pendulum(), form=form, independent="nothing")


def test_options_without_effect_are_refused(given):
    """Times beside a start that has its own, the size of a search that is not made, the size of axes."""
    m, state = given["m"], given["run"].at(0.01)
    for verb in (da.assemble, da.equilibrium):
        with pytest.raises(da.MethodError, match="a start has its own time"):
            verb(m, start=state, t=0.5)
    for option in ({"tries": 3}, {"seed": 1}):
        with pytest.raises(da.MethodError, match="branches"):
            da.assemble(m, **option)
    plt = pytest.importorskip("matplotlib.pyplot")
    with pytest.raises(da.MethodError, match="ax and size"):
        da.draw(m, ax=plt.gca(), size=3)


# -- laws and numbers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [math.nan, 10**400, 1e309])
def test_verify_of_a_law_without_a_value(value):
    m = pendulum()
    m.actuator("push", m["A"], force=lambda s, v, t: value)
    with pytest.raises(da.ModelError, match="without a finite value: 'push'"):
        da.verify(m)


@pytest.mark.parametrize("rows", [10**400, 1e308, math.nan, 0, np.ones(3), "6"])
def test_rows_of_a_table(given, rows):
    for run in (given["run"], given["lagrangian run"]):
        with pytest.raises(da.MethodError, match="rows"):
            run.table(rows)
    assert given["run"].table(10**6).count("\n") == 3


def test_stiffness_that_no_step_can_follow(monkeypatch):
    """tan(pi/2) is 1.6e16: hours of steps.  The run says how many they would be, after a few thousand of them.

    A vibration of a pendulum on such a spring is rounding of its angle, over which implicit steps go if they can: then nothing is called ok.
    """
    monkeypatch.setattr("dalembert.solve.run.WATCHED", 3000)
    m = pendulum()
    m.torsion_spring("s", "A", stiffness="tan(pi/2)")
    x = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="tan(pi/2)*x**2/2")
    x.start("x", 1.0)
    with pytest.raises(da.ConvergenceError, match=r"at this pace the rest would take \S+ steps"):
        da.simulate(x, until=1.0)
    try:
        with pytest.warns(da.AuditWarning, match="failed"):
            run = da.simulate(m, until=1.0)
    except da.ConvergenceError as error:
        assert "at this pace the rest would take" in str(error)
    else:
        assert run.status == "audit failed" and np.max(np.abs(run["A"].angle)) < 1e-12


def test_picture_of_two_outputs():
    """Two ghosts of a drawing: a raw TypeError of Matplotlib, which read their two line styles as one."""
    pytest.importorskip("matplotlib")
    da.kinematics(driven(), [0.0, 0.1]).plot(path="two.png")


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["a." * 100_000 + "b = 1", "[" + "a." * 100_000 + "b]\nx = 1", '"a".' * 50_000 + "b = 1", "x = {" + "a . " * 50_000 + "b = 1}"],
    ids=["key", "header", "quoted", "inline"],
)  # fmt: skip
def test_keys_of_many_parts(text, monkeypatch):
    """A key of 200 kB took 100 s and all memory: the reader of TOML must not see it."""
    monkeypatch.setattr("tomllib.loads", lambda *_: pytest.fail("it was read"))
    with pytest.raises(da.ModelFileError, match="joined by dots"):
        parse_text(text, ".toml")


def test_dots_in_values_are_no_keys():
    text = 'name = "' + "a." * 30 + 'b"\n# ' + "x." * 50 + "\n[parameters]\nr = 1.5\n"
    with pytest.raises(da.ModelFileError, match="a name is a text"):
        parse_text(text, ".toml")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": ' * 100_000, '{"a": "' + "[" * 100_000])
def test_deep_json(text):
    with pytest.raises(da.ModelFileError):
        parse_text(text, ".json")


def test_damaged_results(given):
    """Bits turned over, files cut off, arrays and names exchanged: zlib.error, IndexError, KeyError."""
    da.kinematics(driven(), [0.0, 0.1, 0.2]).save("run.npz")
    raw = Path("run.npz").read_bytes()
    rng, failures = random.Random(1), []

    def use(name):
        saved = da.load(name)
        for part in saved.names():
            repr(saved[part])
        repr(saved), saved.table(), saved.energy.total
        if len(saved.t):
            saved.at(float(saved.t[0]))

    for k in range(60):
        changed = bytearray(raw[: rng.randrange(len(raw))] if k % 3 == 0 else raw)
        for _ in range(rng.randint(1, 8) if k % 3 else 0):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        Path("bad.npz").write_bytes(bytes(changed))
        attempt(f"bytes {k}", lambda: use("bad.npz"), failures)
    with np.load("run.npz") as file:
        arrays = {key: file[key] for key in file.files}
    about = json.loads(arrays["about"].item())
    others = [np.zeros(0), np.array("x"), np.array(1.0), np.zeros((2, 2, 2)), np.array(["a"] * 3), np.zeros(3) * 1j]
    cases = [{**arrays, key: x} for key in ("t", "q", "A.force", "A.angle") for x in [*others, arrays[key][:1]]]
    cases += [{k: x for k, x in arrays.items() if k != key} for key in ("t", "q", "A.force")]
    for key in about:
        for x in (None, 1, "x", [1], {"a": 1}):
            cases.append({**arrays, "about": np.array(json.dumps({**about, key: x}))})
    cases.append({**arrays, "about": np.array("[" * 100_000)})
    for k, case in enumerate(cases):
        np.savez("bad.npz", **case)
        attempt(f"arrays {k}", lambda: use("bad.npz"), failures)
    assert not failures


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such devices here")
@pytest.mark.parametrize("device", ["/dev/full", "/dev/zero", "/dev/null"])
def test_devices(device):
    """checkpoint="/dev/full" was read without end, until the process was killed."""
    with pytest.raises(da.MethodError, match="device"):
        da.sweep(pendulum(), {"k": [1.0]}, until=0.01, checkpoint=device)
    Path("model.toml").symlink_to(device)
    with pytest.raises(da.MethodError, match="device"):
        da.read_model("model.toml")
