"""The audit is independent of the steps that made the run: it sees what they missed."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.dynamics import motion
from dalembert.kernels.watch import nothing_watched
from dalembert.system.system import System


def double_pendulum():
    m = da.Mechanism("double pendulum", gravity=(0, -9.81))
    one = m.body("one", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    two = m.body("two", da.rod(length=1.0, mass=1.0), at=(1.5, 0))
    m.revolute("A", m.ground, one, at=(0, 0))
    m.revolute("B", one, two, at=(1, 0))
    return m


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-8])
@pytest.mark.parametrize("method", [5, 8])
def test_the_imbalance_told_is_the_drift_of_the_energy(rtol, method):
    """Without dissipation the first law is T + V = constant, and V is known exactly: nothing is understated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # at loose tolerances the audit may fail, and says so
        run = da.simulate(
            double_pendulum(), until=10.0, rtol=rtol, atol=rtol, method=method, output="steps", progress=False
        )
    total = np.asarray(run.energy.total)
    scale = max(np.max(np.asarray(run.energy.kinetic)), np.max(np.abs(run.energy.potential - run.energy.potential[0])))
    drift = float(np.max(np.abs(total - total[0]))) / scale
    assert run.audit.energy == pytest.approx(drift, rel=0.05, abs=1e-13)


def test_work_of_dampers_and_motors_is_integrated_on_its_own():
    """A damped, driven pendulum: T + V - W closes to what the tolerance lets expect at any tolerance."""
    for rtol, limit in ((1e-4, 1e-3), (1e-6, 1e-5), (1e-8, 1e-6)):
        m = double_pendulum()
        m.damper("brake", m["A"].angle, damping=0.3)
        m.torque("motor", m["two"], value="2*sin(3*t)")
        run = da.simulate(m, until=5.0, rtol=rtol, atol=1e-2 * rtol, progress=False)
        assert run.status == "ok" and run.audit.energy < limit


def blind(monkeypatch):
    """The time loop without its guards."""
    monkeypatch.setattr(System, "watch", lambda self: nothing_watched())
    told = motion.problem_of
    monkeypatch.setattr(motion, "problem_of", lambda *given: replace(told(*given), guard=False))


def test_a_pulse_that_the_steps_missed_is_seen(monkeypatch):
    """The accelerations at the outputs integrate to 1 m/s, and the velocity stays 0."""
    blind(monkeypatch)
    m = da.Mechanism("slider")
    block = m.body("block", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    m.prismatic("rail", m.ground, block, along=(1, 0))
    m.force("push", block, value=("if_(t > 5 and t < 6, 1, 0)", 0))
    with pytest.warns(UserWarning, match="without acceleration"):
        run = da.simulate(m, until=10.0, progress=False)
    assert run.v[-1, 0] == 0.0 and run.status == "audit failed"
    assert "block.x'" in str(run.audit)


def test_a_jump_of_the_spin_without_a_blow_is_seen():
    m = da.Mechanism("free", plane=False)
    m.body("top", mass=1.0, inertia=(1.0, 2.0, 3.0), at=(0, 0, 0), spin=(1.0, 2.0, 0.5))
    run = da.simulate(m, until=5.0, progress=False)
    assert run.status == "ok"
    run.v[100:, 4] -= 3.0
    run._audit = None
    assert run.status == "audit failed" and "top.spin_y" in str(run.audit)


def test_a_wrong_multiplier_is_seen():
    run = da.simulate(double_pendulum(), until=1.0, progress=False)
    run.basic_lam[:, 0] *= 1.001
    run._audit = None
    assert run.status == "audit failed"


def test_a_defect_inside_a_step_rejects_it(monkeypatch):
    """A Python law with a peak between the stages of the step: seen by the points inside, without switches to watch."""
    m = da.Mechanism("slider")
    block = m.body("block", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    m.prismatic("rail", m.ground, block, along=(1, 0))
    m.force("push", block, value=(lambda t: math.exp(-(((t - 5.0) / 0.05) ** 2)), 0))
    run = da.simulate(m, until=10.0, progress=False)
    assert run.status == "ok" and run.v[-1, 0] == pytest.approx(0.05 * math.sqrt(math.pi), rel=1e-6)


def test_outputs_too_far_apart_give_no_false_alarm():
    """A crank seen once a turn: the accelerations at the outputs are all the same, and the velocities too."""
    m = da.Mechanism("crank")
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.drive("motor", m["O"].angle, "2*pi*t")
    assert da.simulate(m, until=30.0, output=1.0, progress=False).status == "ok"


@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("stiffness", [1e2, 1e3, 1e4, 1e5])
def test_work_of_a_bounce_is_added_up_as_well_as_it_was_integrated(stiffness, speed):
    """Two steps through a half of a sine: states inside of them gave the work to 3e-6 only, and a bounce that is right to 1e-8 was no passed one."""
    m = da.Mechanism("rubber ball", plane=False)
    m.body("ball", da.sphere(0.1, mass=1.0), at=(0, 0, 0.6), velocity=(0.3, 0, -speed))
    m.contact("floor", m.ground, m["ball"], stiffness=stiffness, exponent=1.0)
    m.event("touches", "floor.gap", direction="down")
    m.event("turns", "rate(floor.gap)", direction="up")
    run = da.simulate(m, until=1.5 / speed)
    assert run.v[-1, 2] == pytest.approx(speed, rel=1e-7)
    assert run.status == "ok" and run.audit.energy < 3e-6
