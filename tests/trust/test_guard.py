"""Every answer checks itself: a solver whose output is off by a ten-thousandth is refused, and sound answers are not.

The faults are put in where the solvers leave their results; the twin that checks them runs on its own.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from identities.random_mechanisms import build, draw
from identities.twin import start

import dalembert as da
from dalembert.analyses.driven import of_bodies, path
from dalembert.analyses.dynamics import dynamics
from dalembert.analyses.dynamics import shock as impulse
from dalembert.analyses.rest.bodies import Bodies as Statics
from dalembert.kernels import layout as at
from dalembert.kernels.operate import EVALUATE, operate
from dalembert.kernels.through import address_of
from dalembert.results import guard
from dalembert.system.system import System

MACHINES = Path(da.__file__).parent / "machines"
WRONG = 1.0 + 1e-4


# -- models ------------------------------------------------------------------------------------------------------------


def pendulum(plane=True):
    """A rod on a pin with a spring at its end."""
    m = da.Mechanism("pendulum", plane=plane, gravity=(0, -9.81) if plane else (0, 0, -9.81))
    bar = m.body("bar", da.box(1.0, 0.1, 0.2, mass=2.0), at=(0.5, 0) if plane else (0.5, 0, 0))
    if plane:
        m.revolute("A", m.ground, bar, at=(0, 0))
    else:
        m.revolute("A", m.ground, bar, at=(0, 0, 0), axis=(0, 1, 0))
    return m


def crank(driven=True, velocity=None):
    """A slider-crank."""
    m = da.Mechanism("slider-crank", plane=True, gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=1.0, mass=2.0), at=(0.3, 0.4), angle=np.arctan2(0.4, 0.3))
    end = np.array([0.6, 0.8])
    rod = m.body("rod", da.rod(length=2.0, mass=3.0), at=(end + [0.6 + np.sqrt(3.36), 0]) / 2, angle=-np.arcsin(0.4))
    block = m.body("block", mass=1.0, inertia=0.1, at=(0.6 + np.sqrt(3.36), 0), velocity=velocity)
    pin = m.revolute("A", m.ground, crank, at=(0, 0))
    m.revolute("B", crank, rod, at=end)
    m.revolute("C", rod, block, at=(0.6 + np.sqrt(3.36), 0))
    m.prismatic("D", m.ground, block, along=(1, 0))
    if driven:
        m.drive("motor", pin.angle, "0.9273 + 2*t + t**2")
    return m


def door():
    """A door with two hinges: five of its rows are redundant."""
    m = da.Mechanism("door", plane=False, gravity=(0, 0, -9.81))
    leaf = m.body("leaf", da.box(1.0, 0.04, 2.0, mass=20.0), at=(0.5, 0, 1))
    for name, z in (("low", 0.0), ("high", 2.0)):
        m.revolute(name, m.ground, leaf, at=(0, 0, z), axis=(0, 0, 1))
    m.torque("push", leaf, (0, 0, 3.0))
    return m


def bead(time=""):
    """A mass point on a circle, in two coordinates, held by its row; with time: moved along by another."""
    rows = {"circle": "sqrt(x**2 + y**2) - 1"} | ({"motor": f"y - ({time})"} if time else {})
    m = da.Lagrangian(
        "x y", kinetic="m*(rate(x)**2 + rate(y)**2)/2", potential="m*g*y", holonomic=rows,
        parameters={"m": 2.0, "g": 9.81}, name="bead",
    )  # fmt: skip
    m.start("y", 0.0 if time else 0.6)
    m.guess("x", 1.0)
    return m


# -- faults ------------------------------------------------------------------------------------------------------------


def wrong_solver(what):
    """The compiled operations with accelerations, all multipliers, or one of them off by a ten-thousandth."""

    def operate_wrong(mode, I, P, F, t, q, v, a, tolerance, times):  # noqa: E741
        made = operate(mode, I, P, F, t, q, v, a, tolerance, times)
        lam = F[I[at.LAM] : I[at.LAM] + I[at.N_ROWS]]
        if mode == EVALUATE and what == "a":
            a *= WRONG
        elif mode == EVALUATE and what == "lam":
            lam *= WRONG
        elif mode == EVALUATE:
            lam[int(np.argmax(np.abs(lam)))] *= -1.0
        return made

    return operate_wrong


@pytest.fixture(params=["a", "lam", "one multiplier"])
def wrong(request, monkeypatch):
    """Wrong results of the solver of mechanisms."""
    import dalembert.solve.problem

    monkeypatch.setattr("dalembert.system.system.operate", wrong_solver(request.param))
    monkeypatch.setattr(dalembert.solve.problem, "operate", wrong_solver(request.param))
    monkeypatch.setattr(dynamics, "address_of", lambda _, I: address_of(operate, I))  # projections stay right
    return request.param


def refused(call, *names):
    """The call is refused, with four parts, and names what is wrong."""
    with pytest.raises(da.ResidualError) as told:
        call()
    error = told.value
    assert all((error.asked, error.found, error.why, error.do))
    assert any(repr(name) in error.found for name in names), error.found
    assert isinstance(error, da.ConvergenceError)


@pytest.mark.parametrize("model", [pendulum, lambda: pendulum(False), crank, door])
def test_equations_reactions_and_sheets(model, wrong):
    m = model()
    names = [*(part.name for part in m.bodies), *(joint.name for joint in m.parts("joint")), "motor"]
    refused(lambda: da.equations(m), *names)
    refused(lambda: da.reactions(m), *names)
    refused(lambda: da.free_body(m, m.bodies[0]), *names)


@pytest.mark.filterwarnings("ignore::dalembert.results.record.AuditWarning")
def test_other_times_of_a_run(wrong):
    run = da.simulate(pendulum(), until=0.5, output=0.1)
    assert run.status == "audit failed"  # its first output is evaluated from Python
    refused(lambda: run.resample([0.123, 0.4]), "bar", "A")


def altered(change):
    """The time loop with one output changed."""
    from dalembert.solve.run import integrate

    def integrated(*arguments, **options):
        trace = integrate(*arguments, **options)
        change(trace.out)
        return trace

    return integrated


@pytest.mark.parametrize("what", ["a", "lam"])
@pytest.mark.parametrize("model", [pendulum, bead])
def test_one_output_of_a_run(model, what, monkeypatch):
    def change(out):
        k = len(out.t) // 3
        getattr(out, what)[k] *= WRONG

    m, good = model(), da.simulate(model(), until=1.0, output=0.01)
    assert good.status == "ok" and good.audit.residual < 1e-12
    for user in ("solve.run", "results.record"):
        monkeypatch.setattr(f"dalembert.{user}.integrate", altered(change))
    with pytest.warns(da.AuditWarning):
        run = da.simulate(m, until=1.0, output=0.01)
    assert run.status == "audit failed"
    (told,) = run.audit.failures
    assert "t = 0.33 s" in told and any(name in told for name in ("'bar'", "'A'", "'circle'", "'x'", "'y'")), told
    with pytest.raises(da.ResidualError):
        good.at(0.505)


def test_impulses(monkeypatch):
    m = crank(driven=False, velocity=(1.0, 0.0))
    respond = impulse.Shock.respond
    good = da.strike(crank(driven=False), {"block": (3.0, 0.0)})
    assert good.energy_change > 0.0
    for place in (0, 1):
        monkeypatch.setattr(
            impulse.Shock, "respond", lambda *x, k=place: tuple(y * (WRONG if j == k else 1.0) for j, y in enumerate(respond(*x)))
        )  # fmt: skip
        names = "crank", "rod", "block", "A", "B", "C", "D"
        refused(lambda: da.strike(crank(driven=False), {"block": (3.0, 0.0)}), *names)
        # the joints catch the block at an impulsive start
        refused(lambda: da.simulate(m, until=0.1, velocities="impulsive"), *names)


def test_rebound(monkeypatch):
    m = pendulum()
    m.start("A.angle", rate=-1.0)
    assert da.strike(m, restitution={"A.angle": 0.5}).after.v[2] == pytest.approx(0.5)
    answers = impulse.Shock.answers
    monkeypatch.setattr(impulse.Shock, "answers", lambda *x: (*answers(*x)[:2], answers(*x)[2] * WRONG))
    refused(lambda: da.strike(m, restitution={"A.angle": 0.5}), "A.angle")


def test_driven_motion(monkeypatch):
    m, times = crank(), np.linspace(0.0, 0.5, 6)
    point, carried = path.Path.point, of_bodies.carried
    da.inverse_dynamics(m, times)
    with monkeypatch.context() as patch:
        patch.setattr(
            path.Path, "point", lambda *x: dataclasses.replace(found := point(*x), a=found.a * WRONG)
        )  # fmt: skip
        for call in (da.kinematics, da.inverse_dynamics):
            refused(lambda call=call: call(m, times), "A", "B", "C", "D", "motor")

    def loads(model, D, W, I, P, F, points, lam, force, power, first):  # noqa: E741
        done = carried(model, D, W, I, P, F, points, lam, force, power, first)
        lam *= WRONG
        return done

    with monkeypatch.context() as patch:
        patch.setattr(of_bodies, "carried", loads)
        for call in (da.kinematics, da.inverse_dynamics):
            refused(lambda call=call: call(m, times), "crank", "rod", "block")


def test_three_ways_to_an_effort(monkeypatch):
    from dalembert.analyses.driven import efforts
    from dalembert.analyses.lagrangian.inverse import PartBalance

    virtual = efforts.virtual
    with monkeypatch.context() as patch:
        patch.setattr(efforts, "virtual", lambda run: ((k, need * WRONG, motions) for k, need, motions in virtual(run)))
        refused(lambda: da.inverse_dynamics(crank(), [0.0, 0.1]), "motor")
    m = da.Lagrangian("x", holonomic={"motor": "x - t**2"}, name="cart")
    m.particle("cart", 2.0, at=("x", "0"))
    assert float(da.inverse_dynamics(m, [1.0])["motor"].multiplier[0]) == pytest.approx(4.0)
    need = PartBalance.need
    monkeypatch.setattr(PartBalance, "need", lambda *x: need(*x) * WRONG)
    refused(lambda: da.inverse_dynamics(m, [1.0]), "motor")


def test_holding_load(monkeypatch):
    from dalembert.analyses.rest import balance

    m = crank(driven=False)
    null = balance.null_space

    def tilted(jac, *given):
        free = null(jac, *given)
        return free + 1e-4 * np.linspace(0.2, 1.0, free.size).reshape(free.shape)

    da.holding_load(m, "A.angle")
    monkeypatch.setattr(balance, "null_space", tilted)
    refused(lambda: da.holding_load(m, "A.angle"), "crank", "rod", "block")


def test_small_motions(monkeypatch):
    m = pendulum()
    hanging = da.equilibrium(m)[0]
    da.linearize(m, hanging)
    free = Statics.free_motions
    monkeypatch.setattr(
        Statics, "free_motions", lambda s: free(s) + 1e-4 * np.linspace(0.2, 1.0, free(s).size).reshape(free(s).shape)
    )  # fmt: skip
    refused(lambda: da.linearize(m), "A", "bar")


def test_equilibrium(monkeypatch):
    m = pendulum()
    multipliers = Statics.multipliers
    monkeypatch.setattr(Statics, "multipliers", lambda *x: multipliers(*x) * WRONG)
    refused(lambda: da.equilibrium(m), "bar")


def test_loads_of_a_sheet(monkeypatch):
    from dalembert.results import reactions

    load = reactions.unit_load
    monkeypatch.setattr(reactions, "unit_load", lambda *x: load(*x) * WRONG)
    monkeypatch.setattr("dalembert.analyses.reactions.unit_load", reactions.unit_load)
    refused(lambda: da.free_body(pendulum(), "bar"), "bar")


def test_shared_loads(monkeypatch):
    from dalembert.analyses.dependence import self_stress
    from dalembert.results import reactions

    m = door()
    run = da.simulate(m, until=0.1, output=0.05)
    shared = reactions.smallest
    for module in (self_stress, reactions):
        monkeypatch.setattr(module, "smallest", lambda *x: shared(*x) * WRONG)
    refused(lambda: run["low"].force, "leaf")
    refused(lambda: da.reactions(m), "leaf")


# -- the same for Lagrangian systems -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["a", "lam"])
def test_coordinates(what, monkeypatch):
    from dalembert.kernels.lagrange import operate as lagrange

    real, address = lagrange.operate, address_of(lagrange.operate, np.zeros(1, dtype=np.int64))

    def operate_wrong(mode, I, P, F, t, q, v, a, tolerance, times):  # noqa: E741
        made = real(mode, I, P, F, t, q, v, a, tolerance, times)
        if mode == EVALUATE:
            (a if what == "a" else F[I[at.LAM] : I[at.LAM] + I[at.N_ROWS]])[:] *= WRONG
        return made

    run = da.simulate(bead(), until=0.3, output=0.1)
    driven = bead("0.3*t**2")
    times = np.linspace(0.0, 1.0, 5)
    right = da.inverse_dynamics(driven, times).run.a
    monkeypatch.setattr(lagrange, "operate", operate_wrong)
    monkeypatch.setattr(dynamics, "address_of", lambda *_: address)  # projections stay right
    run.problem.operate = operate_wrong
    names = ("x", "y", "circle", "motor")
    refused(lambda: da.reactions(bead()), *names)
    refused(lambda: run.resample([0.123]), *names)
    if what == "a":
        # those of a driven motion are found from its rows: the equations are asked for loads only
        assert np.array_equal(da.kinematics(driven, times).a, right)
        return
    for call in (da.kinematics, da.inverse_dynamics):
        refused(lambda call=call: call(driven, times), *names)


def test_coordinates_struck(monkeypatch):
    m, respond = bead(), impulse.Shock.respond
    da.strike(m, {"x": 1.0})
    monkeypatch.setattr(impulse.Shock, "respond", lambda *x: tuple(y * WRONG for y in respond(*x)))
    refused(lambda: da.strike(m, {"x": 1.0}), "x", "y", "circle")


def test_small_motions_of_coordinates(monkeypatch):
    from dalembert.analyses.rest.coordinates import Coordinates as Rows

    m, solve = bead(), Rows.solve
    da.linearize(m)
    for k in (0, 1):
        monkeypatch.setattr(
            Rows, "solve", lambda *x, k=k: tuple(y * (WRONG if j == k else 1.0) for j, y in enumerate(solve(*x)))
        )  # fmt: skip
        refused(lambda: da.linearize(m), "x", "y", "circle")


# -- no false alarms ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def ratios(monkeypatch):
    """The worst residual of every check, in units of what is allowed."""
    found, refuse = [], guard.Residuals.refuse

    def kept(self, asked, when=False):
        found.append(self.worst)
        refuse(self, asked, when)

    monkeypatch.setattr(guard.Residuals, "refuse", kept)
    monkeypatch.setattr(guard.Guard, "sound", lambda *x: False)  # the quick look would leave nothing to see
    return found


# sound answers stay a hundred times below what is refused: they are rounded once per term, and the allowance is 4500 roundings
SOUND = 1e-2


def test_machines(ratios):
    for file in sorted(MACHINES.glob("*.toml")):
        m = da.read_model(file)
        da.reactions(m)
    assert len(ratios) >= 39 and max(ratios) < SOUND


def test_random_mechanisms(ratios):
    for seed in range(3, 500, 25):
        system = da.compile(build(draw(seed)))
        da.equations(system, start(system, np.random.default_rng([seed, 1])))
    assert max(ratios) < SOUND


def test_massless_bodies_particles_and_python_laws(ratios):
    m = da.Mechanism("mixed", plane=False, gravity=(0, 0, -9.81))
    bob = m.particle("bob", mass=3.0, at=(1, 0, 0))
    m.distance("rod", m.ground.point(0, 0, 0), bob)
    da.equations(m)
    lever = da.Mechanism("lever", plane=True, gravity=(0, -10))
    bar = lever.body("bar", mass=0.0, inertia=0.0)
    pin = lever.revolute("A", lever.ground, bar, at=(0, 0))
    load = lever.body("load", mass=3.0, inertia=0.1, at=(-1, 0))
    lever.revolute("B", bar, load, at=(-1, 0))
    lever.actuator("M", pin.angle, force=lambda s, rate, t: 7.0 * s - 2.0 + rate)
    da.equations(lever)
    da.reactions(lever)
    run = da.simulate(lever, until=0.05, output=0.02)
    assert run.status == "ok" and run.audit.residual < 1e-11
    assert max(ratios) < SOUND


@pytest.mark.parametrize("angle", [1e-2, 1e-4, 3e-5])
def test_close_to_a_singular_position(angle, ratios):
    # a parallelogram that is nearly flat: multipliers grow as 1 / angle, accelerations lose digits, residuals do not
    m = da.Mechanism("parallelogram", plane=True, gravity=(0, -9.81))
    c, s = np.cos(angle), np.sin(angle)
    left = m.body("left", da.rod(length=1.0, mass=1.0), at=(c / 2, s / 2), angle=angle)
    coupler = m.body("coupler", da.rod(length=2.0, mass=1.5), at=(c + 1.0, s))
    right = m.body("right", da.rod(length=1.0, mass=0.7), at=(2.0 + c / 2, s / 2), angle=angle)
    m.revolute("A", m.ground, left, at=(0, 0))
    m.revolute("B", left, coupler, at=(c, s))
    m.revolute("C", coupler, right, at=(2.0 + c, s))
    m.revolute("D", m.ground, right, at=(2, 0))
    m.start("A.angle", rate=3.0)
    da.equations(m)
    da.reactions(m)
    assert max(ratios) < SOUND


def test_mass_matrix_of_the_twin():
    # units of energy: the roots of the diagonal of M^-1, by dense algebra
    for seed in (1, 2, 4, 5, 9):
        system: System = da.compile(build(draw(seed)))
        mass = da.equations(system).M
        turning = np.diag(mass) > 0.0
        expected = np.sqrt(np.diag(np.linalg.inv(mass[np.ix_(turning, turning)])))
        assert guard.inverse_roots(system)[turning] == pytest.approx(expected, rel=1e-9)
