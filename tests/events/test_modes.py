"""Modes as data: rows that are switched off, and changes of mode inside the time loop, against those that Python decides one by one."""

import math
import threading

import numpy as np
import pytest

import dalembert as da
from benchmarks import nonsmooth
from dalembert.analyses.events import course as courses
from dalembert.kernels.layout import OFF
from dalembert.kernels.operate import EVALUATE, operate
from dalembert.system.system import compile

G = 9.81


def chain(n, held):
    m = da.Mechanism("chain", plane=True, gravity=(0, -G))
    before = m.ground
    for k in range(n):
        link = m.body(f"r{k}", mass=1.0 + 0.1 * k, inertia=1 / 12, at=(k + 0.5, 0))
        m.revolute(f"j{k}", before, link, at=(k, 0))
        before = link
    for k in range(held):
        m.pin_in_slot(f"gap{k}", m.ground, m[f"r{k}"], at=(k + 1, 0), along=(1, 0))
    return m


def evaluated(m, off):
    system = compile(m)
    work, a = system.workspace(), np.zeros(system.nv)
    work.floor[:] = 1e-13
    work.floor[[r for r, name in enumerate(system.row_parts) if name in off]] = OFF
    q = system.q0 + 0.1 * np.sin(np.arange(system.nq))
    operate(EVALUATE, system.I, system.P, work.F, 0.0, q, np.cos(np.arange(system.nv)), a, 0.0, 1)
    return a, dict(zip(system.row_names, work.lam.copy()))


@pytest.mark.parametrize("n", [1, 3, 12])
def test_rows_that_are_off_leave_accelerations_the_same_to_the_last_bit(n):
    plain, _ = evaluated(chain(n, 0), ())
    made, lam = evaluated(chain(n, n), {f"gap{k}" for k in range(n)})
    assert np.array_equal(plain, made)
    assert all(x == 0.0 for name, x in lam.items() if name.startswith("gap"))


def test_a_row_that_was_held_leaves_nothing_behind():
    system = compile(chain(4, 4))
    work, a, v = system.workspace(), np.zeros(system.nv), np.zeros(system.nv)
    gaps = [r for r, name in enumerate(system.row_parts) if name.startswith("gap")]
    work.floor[:] = 1e-13
    work.floor[gaps[1:]] = OFF
    found = []
    for status in (OFF, 1e-13, OFF):
        work.floor[gaps[0]] = status
        operate(EVALUATE, system.I, system.P, work.F, 0.0, system.q0, v, a, 0.0, 1)
        found.append((a.copy(), work.lam.copy()))
    assert np.array_equal(found[0][0], found[2][0]) and np.array_equal(found[0][1], found[2][1])
    assert not np.array_equal(found[0][0], found[1][0])


def pendulum(n):
    m = da.Mechanism(f"pendulum of {n}", plane=True, gravity=(0, -G))
    before = m.ground
    for k in range(n):
        bar = m.body(f"bar{k}", da.rod(length=0.4, mass=1.0), at=(0.4 * k + 0.2, 0))
        m.revolute(f"A{k}", before, bar, at=(0.4 * k, 0))
        m.friction(f"rub{k}", f"A{k}", mu=0.3, radius=0.03)
        before = bar
    return m


def brake(static):
    m = da.Mechanism("block on a slope", plane=True, gravity=(-3.0, -G))
    block = m.body("block", da.block(0.2, 0.1, mass=2.0), at=(0, 0.05), velocity=(3.0, 0))
    m.contact("floor", m.ground, block, mu=0.2, static=static)
    m.force("push", "block", ("4*sin(5*t)", 0))
    return m


MACHINES = {
    "stick-slip": (nonsmooth.stick_slip, 6.0),
    "boxes": (lambda: nonsmooth.boxes(3), 1.0),
    "slider-crank": (nonsmooth.slider_crank, 3.0),
    "pendulum of 1": (lambda: pendulum(1), 3.0),
    "pendulum of 3": (lambda: pendulum(3), 2.0),
    "block": (lambda: brake(None), 5.0),
    "block with static friction": (lambda: brake(0.35), 5.0),
}


@pytest.mark.parametrize("name", MACHINES)
def test_the_loop_decides_as_python_does(name, monkeypatch):
    build, until = MACHINES[name]
    inside = da.simulate(build(), until=until, rtol=1e-9, atol=1e-11)
    monkeypatch.setattr(courses, "fits", lambda *_: False)
    outside = da.simulate(build(), until=until, rtol=1e-9, atol=1e-11)
    assert inside.status == outside.status == "ok"
    assert len(inside.pieces) < len(outside.pieces)
    assert [(e.name, e.what) for e in inside.events] == [(e.name, e.what) for e in outside.events]
    # errors of the two runs grow with the motion
    assert [e.t for e in inside.events] == pytest.approx([e.t for e in outside.events], abs=1e-6)
    assert np.max(np.abs(inside.q - outside.q)) < 1e-6
    assert inside.audit.degrees_of_freedom == outside.audit.degrees_of_freedom


def test_stick_slip_is_one_part_at_the_instants_of_its_closed_form():
    run = da.simulate(nonsmooth.stick_slip(), until=20.0, rtol=1e-10, atol=1e-12)
    assert len(run.pieces) == 1
    begins = [e.t for e in run.events if "slips" in e.text]
    # it is torn off where 8 |sin 3t| = 5
    assert [8.0 * abs(math.sin(3.0 * t)) for t in begins] == pytest.approx([5.0] * len(begins), rel=1e-9)
    # and slides with v = ((8/3)(cos 3a - cos 3t) - 5 (t - a)) until that is 0
    first, second = run.events[0], run.events[1]
    left = 8.0 / 3.0 * (math.cos(3.0 * first.t) - math.cos(3.0 * second.t)) - 5.0 * (second.t - first.t)
    assert abs(left) < 1e-9


def test_what_is_asked_of_a_run_has_the_mode_of_its_time():
    run = da.simulate(nonsmooth.stick_slip(), until=4.0)
    events = [e.t for e in run.events]
    for begin, end in zip(events[:-1], events[1:]):
        t = 0.5 * (begin + end)
        there = run.resample([t])
        sticks = abs(float(there.v[0, 0])) < 1e-12
        load = 8.0 * math.sin(3.0 * t)
        assert abs(float(there["rub"].effort[0])) == pytest.approx(abs(load) if sticks else 5.0, abs=1e-9)
        assert float(there.a[0, 0]) == pytest.approx(
            0.0 if sticks else load - math.copysign(5.0, there.v[0, 0]), abs=1e-9
        )


def test_saved_and_read_again(tmp_path):
    run = da.simulate(nonsmooth.boxes(2), until=1.0)
    run.save(tmp_path / "boxes.npz")
    again = da.load(tmp_path / "boxes.npz")
    assert np.array_equal(again.q, run.q) and [e["t"] for e in again.events] == [e.t for e in run.events]


def parallelogram(masses, angle):
    """Three cranks and a coupler: one row follows from the others."""
    m = da.Mechanism("parallelogram", plane=True, gravity=(0, -G))
    c, s = math.cos(angle), math.sin(angle)
    coupler = m.body("coupler", mass=1.0, inertia=1.0, at=(1 + c, s))
    for k, mass in enumerate(masses):
        crank = m.body(f"c{k}", da.rod(length=1.0, mass=mass), at=(k + 0.5 * c, 0.5 * s), angle=angle)
        m.revolute(f"O{k}", m.ground, crank, at=(k, 0))
        m.revolute(f"A{k}", crank, coupler, at=(k + c, s))
    return m


def test_loads_of_redundant_joints_beside_rows_that_are_off(monkeypatch):
    def build():
        m = parallelogram((1.0, 2.0, 3.0), 0.9)
        m.friction("f1", "O0.angle", force=0.8)
        m.friction("f2", "O2.angle", force=1.5)
        m.torque("T", "c0", "26*cos(2*t)")
        return m

    inside = da.simulate(build(), until=1.2, output=0.02)
    monkeypatch.setattr(courses, "fits", lambda *_: False)
    outside = da.simulate(build(), until=1.2, output=0.02)
    assert np.max(np.abs(inside["f1"].effort)) <= 0.8 + 1e-9 and np.max(np.abs(inside["f2"].effort)) <= 1.5 + 1e-9
    for name in ("O0", "O1", "O2", "A0", "A1", "A2"):
        assert np.asarray(inside[name].force) == pytest.approx(np.asarray(outside[name].force), abs=1e-3)
    assert not {"f1", "f2"} & set(inside.audit.not_unique)


def test_outputs_with_redundant_rows_have_the_mode_of_their_time():
    m = parallelogram((1.0, 1.0, 1.0), 0.3)
    m.drive("drive", "O0.angle", "0.3 + 3*t")
    box = m.body("box", da.block(0.1, 0.1, mass=1.0), at=(10, 0.05), velocity=(4.0, 0))
    m.contact("floor", m.ground, box, mu=0.3)
    run = da.simulate(m, until=2.2, output=[0.0, 0.423, 0.9, 2.0])
    assert run.status == "ok"
    v, a = run["box"].velocity[:, 0], run["box"].acceleration[:, 0]
    assert np.asarray(v) == pytest.approx([4.0, 4.0 - 0.3 * G * 0.423, 4.0 - 0.3 * G * 0.9, 0.0], abs=1e-9)
    assert np.asarray(a) == pytest.approx([-0.3 * G, -0.3 * G, -0.3 * G, 0.0], abs=1e-9)


def test_the_state_at_a_change_is_that_after_it():
    run = da.simulate(nonsmooth.stick_slip(), until=2.0)
    at = [e.t for e in run.events if e.what == "stick"][0]
    after = run.resample([at])
    assert float(after.a[0, 0]) == pytest.approx(0.0, abs=1e-9)
    assert float(after["rub"].effort[0]) == pytest.approx(-8.0 * math.sin(3.0 * at), abs=1e-9)
    steps = da.simulate(nonsmooth.stick_slip(), until=2.0, output="steps")
    first, second = np.flatnonzero(np.asarray(steps.t) == at)[-2:]
    assert abs(steps.a[first, 0]) > 1.0 and float(steps.a[second, 0]) == pytest.approx(0.0, abs=1e-9)


def test_two_threads_run_one_model():
    model, found = nonsmooth.stick_slip(), {}
    alone = {until: da.simulate(nonsmooth.stick_slip(), until=until) for until in (12.0, 15.0)}

    def go(until):
        found[until] = [da.simulate(model, until=until) for _ in range(3)]

    threads = [threading.Thread(target=go, args=(until,)) for until in alone]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for until, runs in found.items():
        for run in runs:
            assert run.status == "ok" and np.array_equal(run.q, alone[until].q)
            assert [e.t for e in run.events] == [e.t for e in alone[until].events]


def test_events_on_loads_are_recorded_once_where_the_method_changes():
    m = da.Mechanism("guides", plane=True)
    body = m.body("body", mass=1.0, inertia=1.0)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.force("push", "body", ("8*sin(3*t)", "-10 - 20*t"))
    m.friction("rub", "guide", force=5.0)
    light = m.body("light", mass=0.01, inertia=1.0, at=(1, 0))
    m.prismatic("other", m.ground, light, along=(1, 0))
    m.damper("damper", "other.slide", damping=300.0)
    m.spring("spring", "other.slide", stiffness=50.0)
    m.force("pull", "light", ("3*cos(2*t)", 0))
    for k in range(1, 12):
        m.event(f"load{k}", f"guide.force_y - {10 + 0.01 * k}")
    run = da.simulate(m, until=0.3)
    assert len(run.trace.methods) > 1, "it is stiff, or nothing is tested"
    loads = [(e.name, e.t) for e in run.events if e.what == "event"]
    assert [name for name, _ in loads] == [f"load{k}" for k in range(1, 12)]
    assert [t for _, t in loads] == pytest.approx([0.0005 * k for k in range(1, 12)], abs=1e-9)
