"""Machine code = kernels: every function of expressions, every kind of row, scalar and in lanes; kept on disk by structure."""

import ctypes
import math

import mpmath
import numpy as np
import pytest
from contracts.motion import random_velocity
from contracts.samples import generator
from identities.random_mechanisms import build, draw

import dalembert as da
from dalembert.analyses.assembly.turns import guess_angles
from dalembert.analyses.pose.rank import THRESHOLD
from dalembert.kernels import layout as at
from dalembert.kernels import operate as modes
from dalembert.kernels.through import _FUNCTION
from dalembert.machine.llvm import load, machine_code
from dalembert.model.expression import parse
from dalembert.system.graph import Graph
from dalembert.system.machine import native
from dalembert.system.machine.entry import batch, module_of
from dalembert.system.machine.writer import Writer
from dalembert.system.trace.mechanism import TracedMechanism, fixed_numbers
from traced.programs import differs


def formulas():
    """A spring whose force calls every function."""
    m = da.Mechanism("functions", gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.table("curve", [-3.0, -1.0, 0.0, 1.0, 3.0], [0.0, 2.0, 1.0, -1.0, 4.0])
    m.torque(
        "all",
        bar,
        "sin(A.angle) + cos(t)*tan(A.angle/3) + asin(A.angle/9) + acos(A.angle/9) + atan(A.angle) + atan2(A.angle, 2 + t)"
        " + sinh(A.angle/4) + cosh(t) + tanh(A.angle) + exp(-A.angle**2) + log(3 + A.angle) + log10(4 + A.angle) + sqrt(5 + A.angle)"
        " + abs(A.angle) + sign(A.angle) + floor(3*A.angle) + A.angle**3 + (4 + A.angle)**2.7 + hypot(A.angle, 1)"
        " + min(A.angle, 0.1) + max(A.angle, 0.1) + if_(A.angle > 0.2, A.angle, 0) + if_((A.angle < 0.1) and (t > 0.2), 1, 0)"
        " + if_((A.angle < 0.1) or not (t > 0.2), 1, 0) + curve(A.angle) + step(t, 0, 0, 1, 1) + rate(A.angle)*0.1",
    )
    m.drive(
        "turn",
        m.prismatic("s", bar, m.body("ram", mass=1.0, inertia=0.1, at=(1, 0)), at=(1, 0), along=(1, 0)).slide,
        "sin(t)**2 + curve(t)",
    )
    return m


def called(numbering, address):
    """The machine code as a Python function with the arguments of `operate`."""
    function = _FUNCTION(address)

    def words(*arrays):
        return [x for array in arrays for x in (array.ctypes.data, array.size)]

    def operate(mode, F, t, q, v, a):
        return function(mode, *words(numbering.I, numbering.P, F), t, *words(q, v, a), 0.0, 1)

    return operate


def models():
    from benchmarks.ours import andrews_model, spatial_chain_model

    yield formulas()
    yield andrews_model()
    yield spatial_chain_model(2)
    for seed in (3, 11, 40, 77):
        yield build(draw(seed))


@pytest.mark.parametrize("model", list(models()), ids=lambda m: m.name)
def test_operations(model):
    """Modes of the time loop, one after the other, on kernels and on machine code."""
    system = da.compile(model)
    n, rng = system.numbering, generator("machine", 1)
    (address,) = load(machine_code(module_of(TracedMechanism(n)), straight=True), "operate")
    machine = called(n, address)
    work, t = system.workspace(), 0.3
    q, v = system.q0 + 1e-3 * rng.standard_normal(system.nq), random_velocity(system, rng)
    guess_angles(system, work, t, None, q)
    modes.operate(modes.DETECT, n.I, n.P, work.F, t, q, v, np.zeros(system.nv), THRESHOLD, 1)
    theirs, ours = (
        (work.F.copy(), q.copy(), v.copy(), np.zeros(system.nv)),
        (work.F.copy(), q.copy(), v.copy(), np.zeros(system.nv)),
    )
    for name in (
        "EVALUATE",
        "ROWS",
        "STEP_POSITION",
        "ROWS",
        "RATES_NOW",
        "STEP_VELOCITY",
        "RATES",
        "POWERS",
        "WATCH",
        "EVALUATE",
        "ACCELERATE",
    ):
        mode = getattr(modes, name)
        F, *rest = theirs
        back = modes.operate(mode, n.I, n.P, F, t, *rest, 0.0, 1)
        found = machine(mode, ours[0], t, *ours[1:])
        size = float(max(1.0, np.max(np.abs(v), initial=0.0)))
        pivot = modes.operate(modes.PIVOT, n.I, n.P, theirs[0].copy(), t, *rest, 0.0, 1)
        bound = 1e-12 + 1e-12 / pivot  # fused operations round otherwise, and solutions magnify that by the condition
        assert bound < 1e-8  # it says something
        assert differs([back], [found], size) <= bound, name
        for x, y in zip(theirs[1:], ours[1:]):
            assert differs(x, y) <= bound, name
        lam = slice(*n.places["lam"])
        assert differs(theirs[0][lam], ours[0][lam]) <= bound, name
        ours = tuple(x.copy() for x in theirs)


@pytest.mark.parametrize("lanes", [4, 8])
@pytest.mark.parametrize("model", list(models())[:3], ids=lambda m: m.name)
def test_lanes(model, lanes):
    """Samples in vectors, each with parameters of its own, give what the kernels give one by one."""
    system = da.compile(model)
    n, rng, samples = system.numbering, generator("lanes", 2), 2 * lanes
    perform = batch(n, modes.ACCELERATE, lanes)
    q = system.q0[:, None] + 0.05 * rng.standard_normal((system.nq, samples))
    v, t, a = rng.standard_normal((system.nv, samples)), rng.uniform(0.0, 1.0, samples), np.zeros((system.nv, samples))
    fixed = (n.P == 0.0) | (np.abs(n.P) == 1.0) | fixed_numbers(n)
    P = np.where(fixed[:, None], n.P[:, None], n.P[:, None] * (1.0 + 0.01 * rng.uniform(size=(1, samples))))
    P[n.I[at.SPLINE_KNOTS] :] = n.P[n.I[at.SPLINE_KNOTS] :, None]
    F = np.repeat(system.workspace().F[:, None], samples, axis=1)
    perform(np.ascontiguousarray(P), np.ascontiguousarray(F), np.ascontiguousarray(q), np.ascontiguousarray(v), a, t)
    for k in range(samples):
        one = np.zeros(system.nv)
        modes.operate(
            modes.EVALUATE, n.I, P[:, k].copy(), system.workspace().F, t[k], q[:, k].copy(), v[:, k].copy(), one, 0.0, 1
        )
        assert differs(one, a[:, k]) <= 1e-11


def test_cosine_and_sine_to_the_last_digits():
    graph = Graph()
    x = graph.named(("q", 0))
    from dalembert.kernels import functions as op

    stores = [("a", k, graph.one_argument(code, x)) for k, code in enumerate((op.COS, op.SIN))]
    writer = Writer(graph)
    writer.function("f", stores, linkage="")
    (address,) = load(machine_code(writer.text(), straight=True), "f")
    call = ctypes.CFUNCTYPE(ctypes.c_double, *(ctypes.c_void_p,) * 5, ctypes.c_double, ctypes.c_double)(address)
    rng, q, a = np.random.default_rng(1), np.zeros(1), np.zeros(2)
    trials = [
        *rng.uniform(-10, 10, 500),
        *rng.uniform(-1e6, 1e6, 200),
        *(k * math.pi / 2 for k in range(-40, 40)),
        0.0,
        1e9,
    ]
    with mpmath.workdps(50):
        for value in trials:
            q[0] = value
            call(0, 0, q.ctypes.data, 0, a.ctypes.data, 0.0, 0.0)
            exact = mpmath.cos(mpmath.mpf(float(value))), mpmath.sin(mpmath.mpf(float(value)))
            for got, right in zip(a, exact):
                assert abs(got - right) <= 3e-16 * abs(right) + 1e-300, value
    q[0] = math.nan
    call(0, 0, q.ctypes.data, 0, a.ctypes.data, 0.0, 0.0)
    assert np.isnan(a).all()


def spring(stiffness, offset=0.0):
    m = da.Mechanism("spring")
    block = m.body("block", mass=2.0, inertia=0.1, at=(1.0, offset))
    m.prismatic("guide", m.ground, block, at=(1.0, offset), along=(1, 0))
    m.spring("S", (m.ground, (0, offset)), block.point(0, 0), stiffness=stiffness, free_length=0.7)
    return m


def test_structure_is_the_key():
    """Other numbers use the same code; another structure does not."""
    one, other = (da.compile(spring(k)).numbering for k in (100.0, 250.0))
    assert native.native_code(one) is native.native_code(other)
    assert native.native_code(one) is not native.native_code(da.compile(spring(100.0, 0.5)).numbering)
    # numbers of expressions neither, zeros and ones included: in a law, in a driver and its derivatives, in a composite
    m = da.Mechanism("cam", gravity=(0, -9.81))
    arm = m.body("arm", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    angle = m.revolute("A", m.ground, arm, at=(0, 0)).angle
    ram = m.body("ram", mass=1.0, inertia=0.1, at=(0.5, 0))
    slide = m.prismatic("s", arm, ram, at=(0.5, 0), along=(1, 0)).slide
    w, k = m.parameter("w", 3.0), m.parameter("k", 5.0)
    m.torque("spring", arm, "k*A.angle - w*A.angle**3")
    m.drive("cam", m.measure("lift", slide - k * angle**2), da.functions.sin(w * parse("t") + k))
    codes = set()
    for values in ((3.0, 5.0), (0.0, 7.0), (1.0, 0.0), (-1.0, 6.0)):
        for name, x in zip("wk", values):
            m.set_parameter(name, x)
        codes.add(native.native_code(da.compile(m).numbering))
    assert len(codes) == 1


def loaded_pendulum():
    """A Lagrangian with a parameter, a table, a condition and a constraint."""
    table = da.spline([-4, -1, 0, 1, 4], [0, 2, 0.1, 1, 0])
    m = da.Lagrangian(
        ["x", "y"],
        kinetic="m*(rate(x)**2 + rate(y)**2)/2",
        potential="m*9.81*y + 0.1*abs(x)",
        holonomic={"rod": "x**2 + y**2 - 1"},
        forces={"x": table(da.Lagrangian("x").coordinates[0])},
    )
    m.parameter("m", 2.0)
    m.start("x", 0.6)
    m.guess("y", -0.8)
    return m


def test_both_ways_agree_for_a_lagrangian(monkeypatch):
    results = []
    for wish in "01":
        monkeypatch.setenv("DALEMBERT_NATIVE", wish)
        monkeypatch.setattr(native, "_known", {})
        run = da.simulate(loaded_pendulum(), until=3.0)
        assert run.status == "ok"
        assert (native.native_code(run.system)._address is not None) == (wish == "1")
        results.append(run.q[-1])
    assert np.allclose(*results, rtol=0.0, atol=1e-9)


def test_both_ways_agree(monkeypatch):
    results = []
    for wish in "01":
        monkeypatch.setenv("DALEMBERT_NATIVE", wish)
        monkeypatch.setattr(native, "_known", {})
        run = da.simulate(spring(123.0), until=3.0)
        results.append(run.q[-1])
        assert (native.native_code(run.system.numbering)._address is not None) == (wish == "1")
    assert np.allclose(*results, rtol=0.0, atol=1e-11)


def test_a_long_run_is_compiled_on_the_way(monkeypatch):
    """After enough steps; the state goes on where it was."""
    monkeypatch.setattr(native, "LOOKED_AT", 50)
    monkeypatch.setattr(native, "PAYS", 0)
    monkeypatch.setattr(native, "_known", {})
    monkeypatch.delenv("DALEMBERT_NATIVE", raising=False)
    monkeypatch.setattr(native.Native, "_read", lambda self: None)
    run = da.simulate(spring(77.0), until=40.0, rtol=1e-10)
    code = native.native_code(run.system.numbering)
    assert code._address is not None
    assert 50 <= code.steps < run.trace.step.steps
    assert run.status == "ok"


def test_without_a_compiler_the_kernels_serve(monkeypatch, capsys):
    """Whatever LLVM says: a run goes on, and it is told once."""

    def broken(text, straight):
        raise RuntimeError("no such target")

    monkeypatch.setattr(native, "machine_code", broken)
    monkeypatch.setattr(native, "LOOKED_AT", 20)
    monkeypatch.setattr(native, "PAYS", 0)
    monkeypatch.setattr(native, "_known", {})
    monkeypatch.delenv("DALEMBERT_NATIVE", raising=False)
    monkeypatch.setattr(native.Native, "_read", lambda self: None)
    run = da.simulate(spring(55.0), until=20.0)
    assert run.status == "ok" and "could not be made" in run.system.code
    assert "no such target" in capsys.readouterr().err


def test_a_damaged_file_is_made_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DALEMBERT_NATIVE", "1")
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    for damage in (None, b"", b"rubbish", "cut"):
        monkeypatch.setattr(native, "_known", {})
        code = native.native_code(da.compile(spring(100.0)).numbering)
        assert code.address is not None
        (path,) = tmp_path.rglob("*.code")
        assert path.stat().st_size > 1000
        if damage is not None:
            path.write_bytes(path.read_bytes()[:-7] if damage == "cut" else damage)
    assert "damaged" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.part"))


def test_large_models_keep_the_kernels(monkeypatch):
    from benchmarks.ours import spatial_chain_model

    monkeypatch.setenv("DALEMBERT_NATIVE", "1")
    code = native.native_code(da.compile(spatial_chain_model(100)).numbering)
    assert code.address is None
    assert "long" in code.why
