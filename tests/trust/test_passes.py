"""Outputs looked at in one compiled pass against the same sums done one by one; models that are known against models that are new."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.kernels import layout as at
from dalembert.kernels.operate import RATES, ROWS, operate
from dalembert.results.audit import constraint_errors, speeds
from dalembert.results.balance import sampled
from dalembert.results.guard import look, of_run, residuals


def crank(plane: bool = True) -> da.Mechanism:
    """Slider-crank with a driver, a spring that a parameter makes stiff, a switching force and a damper."""
    m = da.Mechanism("crank", plane=plane, gravity=(0, -9.81) if plane else (0, -9.81, 0))
    k = m.parameter("k", 1000.0)
    r = m.parameter("r", 0.2)
    bar = m.body("bar", da.rod(length=r, mass=1.0), at=("r/2", 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=("r + 0.3", 0))
    piston = m.body("piston", da.block(0.1, 0.1, mass=0.5), at=("r + 0.6", 0))
    m.revolute("O", m.ground, bar, at=(0, 0))
    m.revolute("A", bar, rod, at=("r", 0))
    m.revolute("B", rod, piston, at=("r + 0.6", 0))
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    m.drive("motor", m["O"].angle, "2*pi*t")
    m.spring("work", (m.ground, (1.0, 0)), (piston, (0, 0)), stiffness=k, free_length=0.2)
    m.force("push", piston, value=("if_(t > 0.05, 3, 0)", 0))
    return m


def door() -> da.Mechanism:
    """Two hinges on one axis: five rows are left out."""
    m = da.Mechanism("door", plane=False, gravity=(0, 0, -9.81))
    leaf = m.body("leaf", mass=10.0, inertia=(1.0, 2.0, 3.0), at=(0.5, 0, 0))
    m.revolute("upper", m.ground, leaf, at=(0, 0, 0.5), axis=(0, 0, 1))
    m.revolute("lower", m.ground, leaf, at=(0, 0, -0.5), axis=(0, 0, 1))
    m.start("upper.angle", value=0.0, rate=1.0)
    m.actuator("closer", "upper", force=lambda s, v, t: -0.5 * v - s)
    return m


def gears() -> da.Mechanism:
    """Counted angles and an auxiliary state, in space."""
    m = da.Mechanism("gears", plane=False)
    one = m.body("one", mass=1.0, inertia=(0.1, 0.1, 0.2))
    two = m.body("two", mass=1.0, inertia=(0.1, 0.1, 0.2), at=(0.3, 0, 0))
    m.revolute("A", m.ground, one, at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute("B", m.ground, two, at=(0.3, 0, 0), axis=(0, 0, 1))
    m.gear("teeth", "A.angle", "B.angle", ratio=-2.0)
    m.state("z", rate="1 - A.angle")
    m.actuator("motor", "A", force="5*(1 - s) + 2*z - v")
    return m


MODELS = {"crank": crank, "door": door, "gears": gears}


@pytest.fixture(params=MODELS)
def run(request: Any) -> Any:
    return da.simulate(MODELS[request.param](), until=0.3, output=0.01, progress=False)


def test_the_pass_finds_what_single_evaluations_find(run: Any) -> None:
    system = run.system
    n, work = system.numbering, system.workspace()
    left = sorted(run.prepared.ever_dropped)
    work.floor[left] = np.inf
    scale = n.P[n.I[at.SCALE] :][: system.n_rows]
    found, a = look(run), np.zeros(system.nv)
    for k, t in enumerate(run.t):
        run._set_angles(work, k)
        for column, mode in ((0, ROWS), (2, RATES)):
            kept = operate(mode, n.I, n.P, work.F, float(t), run.q[k], run.v[k], a, 0.0, 1)
            off = float(np.max(np.abs(work.y[left]) * scale[left], initial=0.0))
            assert found[k, column] == pytest.approx(kept, rel=1e-9, abs=1e-18)
            assert found[k, column + 1] == pytest.approx(off, rel=1e-9, abs=1e-18)
    position, velocity = constraint_errors(run)
    assert np.all(position >= found[:, 0])
    assert np.all(velocity * speeds(run) >= (1.0 - 1e-12) * found[:, 2])


def test_the_pass_judges_as_the_twin_does(run: Any) -> None:
    rng = np.random.default_rng(1)
    for size in (0.0, 1e-7, 1e-3):
        wrong = copy.copy(run)
        wrong.basic_lam = run.basic_lam * (1.0 + size * rng.standard_normal(run.basic_lam.shape))
        wrong.a = run.a + size * rng.standard_normal(run.a.shape)
        fast, slow = of_run(wrong), residuals(wrong)
        assert fast.worst == pytest.approx(slow.worst, rel=1e-6, abs=1e-9)
        assert fast.relative == pytest.approx(slow.relative, rel=1e-6, abs=1e-18)
        assert (fast.worst > 1.0) == (size > 0.0)
        if size:
            assert fast.told(when=True) == slow.told(when=True)


@pytest.mark.parametrize("column", ["basic_lam", "a", "q", "v"])
def test_one_number_that_is_none_is_seen(run: Any, column: str) -> None:
    wrong = copy.copy(run)
    spoiled = getattr(run, column).copy()
    spoiled[7, 0] = math.nan
    setattr(wrong, column, spoiled)
    found = look(wrong)
    assert not np.max(found[7]) <= 1.0
    assert np.max(np.delete(found, 7, axis=0)) <= 1.0
    wrong._audit = None
    assert not wrong.audit.passed
    if column in ("basic_lam", "a"):
        with pytest.raises(da.ResidualError):
            of_run(wrong).refuse("run", when=True)


def test_states_between_outputs_are_refused_if_they_are_wrong(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    t = 0.1234
    assert run.at(t).t == t
    step = type(run)._one_step

    def spoiled(self: Any, *given: Any) -> Any:
        out = step(self, *given)
        out.lam[0, 0] += 1e-3 * (1.0 + abs(out.lam[0, 0]))
        return out

    monkeypatch.setattr(type(run), "_one_step", spoiled)
    with pytest.raises(da.ResidualError, match="state of") as error:
        run.at(t)
    assert "is missed by" in error.value.found


def test_balance_sees_a_load_that_is_missing(run: Any) -> None:
    assert sampled(run) < 1e-7
    wrong = copy.copy(run)
    wrong.basic_lam = run.basic_lam.copy()
    wrong.basic_lam[:, 0] += 1e-3 * np.max(np.abs(run.basic_lam))
    assert sampled(wrong) > 1e-7


# -- models that are known -----------------------------------------------------------------------------------------------------


def same(one: Any, two: Any) -> bool:
    return all(np.array_equal(getattr(one, x), getattr(two, x)) for x in ("t", "q", "v", "a", "basic_lam", "forces"))


@pytest.mark.parametrize("name", MODELS)
def test_a_second_run_is_the_first(name: str) -> None:
    m = MODELS[name]()
    first = da.simulate(m, until=0.2, progress=False)
    state = first.at(0.1)
    second = da.simulate(m, until=0.2, progress=False)
    assert second.system is first.system
    assert second.prepared.work.F is not first.prepared.work.F
    assert same(first, second)
    assert same(first, da.simulate(MODELS[name](), until=0.2, progress=False))
    assert second.status == first.status == "ok"
    # the first run has kept its memory
    assert np.array_equal(first.at(0.1).q, state.q)


def four_bar() -> da.Mechanism:
    """A four-bar in space: three rows are redundant, and others of them as it turns."""
    m = da.Mechanism("four-bar", plane=False, gravity=(0, -9.81, 0))
    crank = m.body("crank", mass=1.0, inertia=(0.01, 0.1, 0.1), at=(0, 0.5, 0))
    coupler = m.body("coupler", mass=1.0, inertia=(0.01, 0.1, 0.1), at=(1, 1, 0))
    rocker = m.body("rocker", mass=1.0, inertia=(0.01, 0.1, 0.1), at=(2, 0.5, 0))
    for name, i, j, at_point in (
        ("A", m.ground, crank, (0, 0, 0)), ("B", crank, coupler, (0, 1, 0)), ("C", coupler, rocker, (2, 1, 0)),
        ("D", m.ground, rocker, (2, 0, 0)),
    ):  # fmt: skip
        m.revolute(name, i, j, at=at_point, axis=(0, 0, 1))
    m.start("A.angle", rate=4.0)
    return m


def test_rows_left_out_on_the_way_belong_to_one_run() -> None:
    m = four_bar()
    first = da.simulate(m, until=1.0, progress=False)
    assert first.trace.redetected > 0
    second = da.simulate(m, until=1.0, progress=False)
    assert same(first, second)
    assert second.prepared.dropped == first.prepared.dropped
    assert second.prepared.dropped is not first.prepared.dropped
    assert second.prepared.ever_dropped == first.prepared.ever_dropped


def changes(m: da.Mechanism) -> dict[str, Any]:
    return {
        "stiffness": lambda: m.set_parameter("k", 500.0),
        "length": lambda: m.set_parameter("r", 0.15),
        "gravity": lambda: setattr(m, "gravity", (0, -1.62)),
        "typical length": lambda: setattr(m, "length", 2.0),
        "force": lambda: m.force("more", m["piston"], value=(5.0, 0)),
        "body": lambda: m.body("other", mass=1.0, inertia=1.0),
    }


@pytest.mark.parametrize("what", changes(crank()))
def test_whatever_changes_is_seen(what: str) -> None:
    m, fresh = crank(), crank()
    before = da.simulate(m, until=0.2, progress=False)
    changes(m)[what]()
    changes(fresh)[what]()
    after = da.simulate(m, until=0.2, progress=False)
    assert after.system is not before.system
    assert same(after, da.simulate(fresh, until=0.2, progress=False))
    assert before.q.shape != after.q.shape or not same(before, after)


def test_conditions_at_the_start_are_seen() -> None:
    m = door()
    before = da.simulate(m, until=0.1, progress=False)
    bare = da.Mechanism("pendulum", gravity=(0, -9.81))
    bar = bare.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    bare.revolute("A", bare.ground, bar, at=(0, 0))
    rest = da.simulate(bare, until=0.1, progress=False)
    bare.start("A.angle", rate=2.0)
    assert da.simulate(bare, until=0.1, progress=False).v[0, 2] == pytest.approx(2.0)
    assert rest.v[0, 2] == 0.0
    # another time of the start, another pose
    assert da.simulate(m, until=0.3, start=before.at(0.1), progress=False).q[0] == pytest.approx(before.q[-1])


def test_copies_begin_anew() -> None:
    m = crank()
    run = da.simulate(m, until=0.1, progress=False)
    for twin in (copy.copy(m), copy.deepcopy(m)):
        again = da.simulate(twin, until=0.1, progress=False)
        assert again.system is not run.system
        assert again.model is twin
        assert same(run, again)
    assert da.simulate(m, until=0.1, progress=False).system is run.system


def test_a_model_is_let_go_with_what_is_known_of_it() -> None:
    import gc
    import weakref

    m = crank()
    da.simulate(m, until=0.05, progress=False)
    gone = weakref.ref(m)
    del m
    gc.collect()
    assert gone() is None


def test_a_driver_is_checked_at_every_start() -> None:
    m = da.Mechanism("late", gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.drive("motor", m["A"].angle, "1/(t - 0.5)**2")
    run = da.simulate(m, until=0.1, progress=False)
    state = da.State(0.5, run.q[0], run.v[0])
    with pytest.raises(da.ModelError, match="motor"):
        da.simulate(m, until=1.0, start=state, progress=False)


# -- numbers of forces renewed ----------------------------------------------------------------------------------------------------


def sprung(k: float = 100.0, c: float = 2.0, l0: float = 0.4, r: float = 0.5, mu: float = 0.3) -> da.Mechanism:
    """Parameters that only forces use (k, c, mu, l0), and one (r) that bodies and a spring use."""
    m = da.Mechanism("sprung", gravity=(0, -9.81))
    for name, x in (("k", k), ("c", c), ("l0", l0), ("r", r), ("mu", mu), ("unused", 1.0)):
        m.parameter(name, x)
    own = m.parameter("own", 1.0)
    bar = m.body("bar", da.rod(length=own, mass=1.0), at=("r", 0))
    m.revolute("A", m.ground, bar, at=("r - own/2", 0))
    m.spring("both", (m.ground, (0, 1.0)), (bar, (0, 0)), stiffness="10*r", free_length=0.2)
    m.spring("soft", (m.ground, (1.0, 1.0)), (bar, (0.2, 0)), stiffness="2*k", free_length="l0")
    m.damper("slow", (m.ground, (0, -1.0)), (bar, (0, 0)), damping="c")
    m.torsion_spring("turn", "A", stiffness="k/10", damping="c/10")
    m.friction("rub", "A", force="mu", speed=0.01)
    m.stop("edge", "A.angle", lower=-1.0, stiffness="1000*c", damping=1.0)
    return m


VALUES = {"k": 40.0, "c": 1.5, "l0": 0.7, "mu": 0.05, "r": 0.6, "unused": 3.0}


@pytest.mark.parametrize("name", VALUES)
def test_other_values_are_those_of_a_new_model(name: str) -> None:
    m = sprung()
    before = da.simulate(m, until=0.3, progress=False)
    kept = before.q.copy(), before.system.numbering.P.copy()
    m.set_parameter(name, VALUES[name])
    after = da.simulate(m, until=0.3, progress=False)
    fresh = sprung(**{name: VALUES[name]}) if name != "unused" else sprung()
    new = da.simulate(fresh, until=0.3, progress=False)
    assert same(after, new) and after.status == new.status == "ok"
    assert np.array_equal(after.energy.total, new.energy.total)
    assert np.array_equal(after.work.total, new.work.total)
    assert str(after.audit).split("steps")[0] == str(new.audit).split("steps")[0]
    # a stop and the bodies decide about more than numbers of laws
    assert (after.system.numbering.I is before.system.numbering.I) == (name not in ("c", "r"))
    # the run that was there before has its own numbers still
    assert np.array_equal(before.q, kept[0]) and np.array_equal(before.system.numbering.P, kept[1])
    assert before.at(0.1234).q == pytest.approx(
        da.simulate(sprung(), until=0.3, progress=False).at(0.1234).q, abs=1e-14
    )


def test_a_value_that_breaks_a_rule_is_refused_again() -> None:
    m = sprung()
    da.simulate(m, until=0.1, progress=False)
    m.set_parameter("k", -1.0)
    with pytest.raises(da.ModelError, match="stiffness"):
        da.simulate(m, until=0.1, progress=False)
    m.set_parameter("k", 100.0)
    assert same(da.simulate(m, until=0.1, progress=False), da.simulate(sprung(), until=0.1, progress=False))


def test_expressions_and_drivers_are_compiled_anew() -> None:
    def driven(w: float) -> da.Mechanism:
        m = crank()
        m.parameter("w", w)
        m.parameter("f", w)
        m.force("swing", m["piston"], value=("f*sin(w*t)", 0))
        return m

    m = driven(3.0)
    before = da.simulate(m, until=0.1, progress=False)
    for name in ("w", "f"):
        m.set_parameter(name, 5.0)
    after = da.simulate(m, until=0.1, progress=False)
    assert after.system.numbering.I is not before.system.numbering.I
    assert same(after, da.simulate(driven(5.0), until=0.1, progress=False))


@pytest.mark.parametrize("backwards", [False, True])
def test_other_times_have_the_rows_of_their_time(backwards: bool) -> None:
    """Which of the redundant rows carry the load across the plane changes as the four-bar turns; at one time it is always the same ones.

    Which of several equally good ones are taken at the start is decided by rounding; in three seconds, more than a turn, none serve all the way back.
    """
    m = four_bar()
    m.force("push", m["coupler"], value=(0, 0, 10.0))
    given = (
        {"start": da.simulate(m, until=3.0).at(3.0), "until": 0.0, "backward": True} if backwards else {"until": 1.0}
    )
    run = da.simulate(m, output=0.05, progress=False, **given)
    assert run.trace.redetected > 1
    again = run.resample(run.t)
    assert np.max(np.abs(again.basic_lam - run.basic_lam)) < 1e-5 * np.max(np.abs(run.basic_lam))
    for time, lam in zip(run.t, run.basic_lam):
        assert run.resample(time).basic_lam[0] == pytest.approx(lam, abs=1e-5 * np.max(np.abs(run.basic_lam)))
    # rows that are active at the last step are not those of the first ones
    first, last = run.trace.segments[0], run.trace.segments[-1]
    assert not np.array_equal(np.isinf(first.floor), np.isinf(last.floor))
    assert np.array_equal(run.problem.floor, last.floor)
