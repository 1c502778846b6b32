"""Derivatives from the graph against differences of the kernels: every joint, force element and some random mechanisms."""

from dataclasses import replace

import numpy as np
import pytest
from contracts.motion import WEIGHTS, consistent, flow, random_velocity
from contracts.samples import case_id, force_cases, generator, joint_cases, sample
from identities.random_mechanisms import build, draw

import dalembert as da
from dalembert.analyses.pose.pose import Pose
from dalembert.analyses.rest.bodies import Bodies as Statics
from dalembert.kernels import layout as at
from dalembert.kernels import operate as modes
from dalembert.system.rows import mass_matrix, scaled_to_true, unscaled_jacobian
from dalembert.system.trace.derivatives import Tangents, tangents

WHAT = ("force", "value", "rate", "second")
H = 1e-3


def equations(system, work, t, q, v, a, lam):
    """The four vectors by the kernels."""
    n = system.numbering
    modes.operate(modes.FORCES, n.I, n.P, work.F, t, q, v, np.zeros(system.nv), 0.0, 1)
    rows, every = system.n_rows, len(lam)
    jac = unscaled_jacobian(system, work, 0, every).toarray()
    drive = np.zeros((every, 3))
    drive[:rows] = work.drive.reshape(-1, 3)
    offset = np.zeros(every)
    offset[:rows] = n.P[n.I[at.OFFSET] :][:rows]
    rate = jac @ v + work.partial[:every] - drive[:, 1]
    rate[rows:] = work.rate[rows:every]
    return {
        "force": jac.T @ lam - scaled_to_true(system, work.acc[: system.nv]),
        "value": work.value[:every] - offset - drive[:, 0],
        "rate": rate,
        "second": jac @ a + work.bias[:every] - drive[:, 2],
    }


def check(system, *key):
    rng, n = generator("derivatives", *key), system.numbering
    made = Tangents(n)
    if at.LAW_CALL in n.I[n.I[at.LAW] :][: at.LAW_RECORD * int(n.I[at.N_LAWS]) : at.LAW_RECORD]:
        assert "Python" in made.refused
        assert made([("force", "q")], n, system.workspace().F, {}) is None
        return
    pose = Pose(system, 0.2, flow(system.plane, system.q0, random_velocity(system, rng), 0.05))
    pose.follow()
    particle = np.repeat([body.particle for body in system.builder.bodies], system.builder.width)
    active = ~(particle & (np.arange(system.nv) % system.builder.width >= (2 if system.plane else 3)))
    for v in (random_velocity(system, rng), np.zeros(system.nv)):
        state = {
            "t": 0.2, "q": pose.q, "v": v, "a": rng.standard_normal(system.nv),
            "lam": rng.standard_normal(n.n_rows + int(n.I[at.N_FREE])),
        }  # fmt: skip
        here = equations(system, pose.work, *(state[x] for x in ("t", "q", "v", "a", "lam")))
        for by in ("q", "v", "t"):
            matrices = made([(what, by) for what in WHAT], n, pose.work.F, state)
            if matrices is None:
                assert system.nv >= 24, "small mechanisms have derivatives"
                continue
            along = np.ones(1) if by == "t" else random_velocity(system, rng)

            def near(h, by=by, along=along, state=state):
                x = dict(state)
                if by == "q":
                    x["q"] = flow(system.plane, x["q"], along, h)
                else:
                    x[by] = x[by] + h * (1.0 if by == "t" else along)
                return equations(system, pose.work, *(x[name] for name in ("t", "q", "v", "a", "lam")))

            ends = [(w, near(c * H), near(-c * H)) for c, w in WEIGHTS.items()]
            for what, matrix in zip(WHAT, matrices):
                right = sum(w * (x[what] - y[what]) for w, x, y in ends) / H
                found = matrix @ along
                size = 1.0 + np.max(np.abs(right), initial=0.0) + np.max(np.abs(here[what]), initial=0.0)
                keep = active if what == "force" else slice(None)
                assert np.max(np.abs(found - right)[keep], initial=0.0) <= 1e-9 * size, (by, what)


@pytest.mark.parametrize(("tag", "plane"), [*joint_cases(), *force_cases()], ids=case_id)
def test_every_element(tag, plane):
    """Moving and at rest, by displacements, velocities and time."""
    check(da.compile(sample(tag, plane).model), tag, plane)


@pytest.mark.parametrize("seed", range(0, 500, 47))
def test_random_mechanisms(seed):
    check(da.compile(build(draw(seed))), seed)


def four_bar():
    m = da.Mechanism("four-bar", plane=True, gravity=(0, -9.81))
    corners = ((0.0, 0.0), (0.0, 1.0), (3.2, 2.1), (4.0, 0.0))
    bars = []
    for k, (a, b) in enumerate(zip(corners, corners[1:])):
        rod = da.rod(length=float(np.hypot(b[0] - a[0], b[1] - a[1])), mass=1.0 + k)
        angle = float(np.arctan2(b[1] - a[1], b[0] - a[0]))
        bars.append(m.body(f"bar {k}", rod, at=(0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])), angle=angle))
    for k, at_ in enumerate(corners):
        m.revolute(f"pin {k}", m.ground if k == 0 else bars[k - 1], m.ground if k == 3 else bars[k], at=at_)
    m.spring("pull", (m.ground, (2.0, 4.0)), bars[1].point(0.3, 0.2), stiffness=50.0, free_length=0.4, damping=2.0)
    m.torsion_spring("coil", m["pin 0"], torque="3*sin(theta) + t*theta")
    return m


def top():
    m = da.Mechanism("top", plane=False, gravity=(0, 0, -9.81))
    body = m.body("top", mass=0.3, inertia=(0.02, 0.03, 0.01), at=(0, 0.1, 0.4))
    arm = m.body("arm", mass=0.5, inertia=(0.01, 0.02, 0.03), at=(0.5, 0.1, 0.6))
    m.spherical("tip", m.ground, body, at=(0, 0, 0))
    m.revolute("hinge", body, arm, at=(0.2, 0.1, 0.5), axis=(0, 1, 0.3))
    m.spring("pull", (m.ground, (1.0, 0.0, 0.0)), arm.point(0.1, 0, 0), stiffness=20.0, free_length=0.2, damping=0.5)
    return m


@pytest.mark.parametrize("make", [four_bar, top])
def test_accelerations_and_multipliers(make):
    """The solution of M a + J^T lam = Q, J a = gamma, by displacements, velocities, time; the factor is never differentiated."""
    system = da.compile(make())
    n, rng = system.numbering, generator("motion", system.model.name)
    q, v = consistent(system, rng, 0.3)
    pose = Pose(system, 0.3, q, v)
    pose.detect()
    pose.follow()

    def solved(h, by, along):
        pose.t, pose.q, pose.v = 0.3, q.copy(), v.copy()
        if by == "q":
            pose.q = flow(system.plane, q, along, h)
        elif by == "v":
            pose.v = v + h * along
        else:
            pose.t = 0.3 + h
        return np.concatenate(pose.solve())

    here = solved(0.0, "v", np.zeros(system.nv))
    state = {"t": 0.3, "q": q, "v": v, "a": here[: system.nv], "lam": np.zeros(n.n_rows + int(n.I[at.N_FREE]))}
    state["lam"][: n.n_rows] = here[system.nv :]
    for by in ("q", "v", "t"):
        along = np.ones(1) if by == "t" else random_velocity(system, rng)
        da_, dlam = tangents(n).motion(by, mass_matrix(system).toarray(), n, pose.work.F, state)
        right = sum(w * (solved(c * H, by, along) - solved(-c * H, by, along)) for c, w in WEIGHTS.items()) / H
        found = np.concatenate([da_ @ along, dlam @ along])
        assert found == pytest.approx(right, abs=1e-8 * (1.0 + np.max(np.abs(right)))), by


def test_by_numbers_of_the_model():
    """By the stiffness and the damping of a spring; other numbers use the same program."""
    system = da.compile(four_bar())
    n, rng = replace(system.numbering, P=system.numbering.P.copy()), generator("numbers")
    system = replace(system, numbering=n)  # with numbers that may be changed
    state = {
        "t": 0.0, "q": system.q0, "v": random_velocity(system, rng), "lam": np.zeros(n.n_rows + int(n.I[at.N_FREE])),
    }  # fmt: skip
    place = int(n.I[at.LAW_NUMBERS])
    (found,) = tangents(n)([("force", f"P {place} {place + 2}")], n, system.workspace().F, state)
    work = system.workspace()
    at_rest = [equations(system, work, 0.0, system.q0, state["v"], np.zeros(system.nv), state["lam"])["force"]]
    for k in (place, place + 2):
        n.P[k] += 1.0  # the force is linear in both
        at_rest.append(equations(system, work, 0.0, system.q0, state["v"], np.zeros(system.nv), state["lam"])["force"])
        n.P[k] -= 1.0
    assert found == pytest.approx(np.array(at_rest[1:]).T - at_rest[0][:, None], abs=1e-9)


@pytest.mark.parametrize("plane", [True, False])
def test_by_a_mass(plane):
    """Accelerations and multipliers of two bars by the mass of one of them: weight, inertia and gyroscopic moments."""

    def made(mass):
        zero = (0,) if plane else (0, 0)
        m = da.Mechanism("two bars", plane=plane, gravity=(0, -9.81, *zero[1:]))
        before = m.ground
        for k in range(2):
            inertia = 0.2 if plane else (0.2, 0.3, 0.1)
            bar = m.body(f"bar {k}", mass=mass if k else 1.0, inertia=inertia, at=(k + 0.5, *zero))
            m.revolute(f"pin {k}", before, bar, at=(k, *zero), **({} if plane else {"axis": (k, 1, 1)}))
            before = bar
        m.spring("pull", (m.ground, (0.3, 1.0, *zero[1:])), before, stiffness=30.0, free_length=0.2)
        return da.compile(m)

    def solved(mass):
        pose = Pose(made(mass), 0.0, system.q0, v)
        pose.detect()
        return np.concatenate(pose.solve())

    system = made(2.0)
    n, e = system.numbering, da.equations(system, da.State(0.0, system.q0, np.zeros(system.nv)))
    v = generator("mass", plane).standard_normal(system.nv)
    v -= np.linalg.pinv(e.jac) @ (e.jac @ v)
    here = solved(2.0)
    state = {"t": 0.0, "q": system.q0, "v": v, "a": here[: system.nv], "lam": np.zeros(n.n_rows + int(n.I[at.N_FREE]))}
    state["lam"][: n.n_rows] = here[system.nv :]
    place = int(n.I[at.MASS]) + (at.PLANE_MASS + 5 if plane else at.SPACE_MASS + 21)
    found = np.concatenate(tangents(n).motion(f"P {place}", e.M, n, system.workspace().F, state))[:, 0]
    right = sum(w * (solved(2.0 + c * H) - solved(2.0 - c * H)) for c, w in WEIGHTS.items()) / H
    assert found == pytest.approx(right, abs=1e-8 * np.max(np.abs(right)))


def test_no_derivative_where_there_is_none():
    """A distance of zero has no direction; a long program is not written."""
    m = da.Mechanism("dot", plane=True)
    dot = m.body("dot", mass=1.0, inertia=1.0)
    m.spring("pull", m.ground, dot, stiffness=3.0)
    system = da.compile(m)
    n = system.numbering
    state = {"t": 0.0, "v": np.zeros(3), "lam": np.zeros(int(n.I[at.N_FREE]))}
    wanted, work = [("force", "q")], system.workspace()
    assert tangents(n)(wanted, n, work.F, {**state, "q": np.zeros(3)}) is None
    (found,) = tangents(n)(wanted, n, work.F, {**state, "q": np.array([1e-9, 0.0, 0.0])})
    assert found == pytest.approx(np.diag([3.0, 3.0, 0.0]))
    # the equilibrium is there, and judged by differences
    (e,) = da.equilibrium(m, starts=1)
    assert e.K == pytest.approx(e.motions.T @ np.diag([3.0, 3.0, 0.0]) @ e.motions, abs=1e-6)


def test_large_models_have_exact_derivatives(monkeypatch):
    """A hanging chain of 60 with springs in space (360 velocities, 300 rows): exact, and the same as by differences."""
    m, last = da.Mechanism("chain", plane=False, gravity=(0, 0, -9.81)), None
    for k in range(60):
        body = m.body(f"link {k}", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.1 * k, 0, -k - 0.5))
        m.revolute(f"hinge {k}", last or m.ground, body, at=(0.1 * k, 0, -k), axis=(1, k % 3, 0))
        m.torsion_spring(f"coil {k}", m[f"hinge {k}"], stiffness=50.0 + k, damping=0.1)
        last = body
    exact = da.linearize(m, da.assemble(m).state)
    monkeypatch.setattr(Statics, "_tangents", None)
    other = da.linearize(m, da.assemble(m).state)
    assert exact._reduced.accuracy < other._reduced.accuracy
    for name in "MCK":
        x, y = getattr(exact, name), getattr(other, name)
        assert x == pytest.approx(y, abs=1e-8 * np.max(np.abs(y))), name


@pytest.mark.parametrize("make", [four_bar, top])
def test_small_motions_by_differences(make, monkeypatch):
    """About a motion: M, C, K of both ways, and the rate of a measure."""
    m = make()
    rng = generator("both ways", m.name)
    system = da.compile(m)
    q, v = consistent(system, rng, 0.0, 0.1)
    state = da.State(0.0, q, v, bodies=tuple(system.body_names))
    exact = da.linearize(m, state)
    rate = exact.state_space([], ["rate(pull.length)"]).C
    monkeypatch.setattr(Statics, "_tangents", None)
    other = da.linearize(m, state)
    # both choose the same free motions
    assert exact.motions == pytest.approx(other.motions, abs=1e-12)
    for name in "MCK":
        x, y = getattr(exact, name), getattr(other, name)
        assert x == pytest.approx(y, abs=1e-7 * np.max(np.abs(y))), name
    assert rate == pytest.approx(other.state_space([], ["rate(pull.length)"]).C, abs=1e-7 * np.max(np.abs(rate)))


def test_stiffness_of_a_steady_turn(monkeypatch):
    """With the force of its accelerations, in space: the same as by differences."""
    m = da.Mechanism("shaft", plane=False, gravity=(0, 0, -9.81))
    hub = m.body("hub", mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.revolute("bearing", m.ground, hub, at=(0, 0, 0), axis=(0, 0, 1))
    arm = m.body("arm", mass=1.0, inertia=(0.08, 0.07, 0.01), at=(0.1, 0.05, -0.5))
    m.universal("hinge", hub, arm, at=(0.1, 0, 0), axes=((0, 1, 0), (1, 0, 0)))
    ball = m.particle("ball", mass=0.4, at=(0.5, 0.2, -0.3))
    m.spring("string", ball, arm, stiffness=500.0, free_length=0.3)
    turn = {"spinning": (m["bearing"].angle, 3.0), "starts": 1}
    exact = da.equilibrium(m, **turn)[0]
    monkeypatch.setattr(Statics, "_tangents", None)
    other = da.equilibrium(m, **turn)[0]
    assert exact.state.q == pytest.approx(other.state.q, abs=1e-9)
    # free motions may be combined in another way; eigenvalues are what they are
    assert exact.eigenvalues == pytest.approx(other.eigenvalues, rel=1e-7)
