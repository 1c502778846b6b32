"""S1: Newton-Euler equations of bodies in space, SPATIAL (the whole document).

    m r'' + Phi_r^T lam = F
    J' w'' + Pi^T lam = n' - w' x J' w'                a linear system of 6 nb + nc unknowns
    Phi_r r'' + Pi w'' = gamma
    F_i = -Phi_r^T lam_alpha,  n_i' = -Pi^T lam_alpha   of every single constraint alpha

w' is the angular velocity in body axes, w'' its rate.  SPATIAL stacks all r and then all w'; we keep a body's six
together, so `stacked` below permutes.
Centroidal frames, J' any symmetric tensor (the source restricts itself to principal frames
for convenience).

Independent route: the constraints are written below as plain functions of (r, A) from the drawing alone; Phi_r and Pi
are their complex-step derivatives along r and along A (1 + i h w~'), exact to rounding; gamma is minus the time
derivative of [Phi_r Pi] v along r + v t, A exp(w~' t), by a central difference of order 6 with step 5e-3. The
forces come from virtual work in the same way.  The dense system is solved with
NumPy.

Tolerances: 1e-12 for M, Phi_r, Pi, Q (rounding); 1e-8 for gamma (the difference formula, measured 4e-10);
1e-9 relative for accelerations and multipliers, the condition number of the dense system being below 1e5.
"""

import math

import numpy as np
import pytest

import dalembert as da

G = np.array([0.3, -0.2, -9.81])
SPRING = {"k": 40.0, "l0": 0.5, "c": 3.0}


def rotation(axis, angle):
    axis = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    k = tilde(axis)
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def tilde(w):
    x, y, z = w
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def matrix(p):
    """A of a unit quaternion, by A = (2 e0^2 - 1) 1 + 2 (e e^T + e0 e~)."""
    e0, e = p[0], p[1:]
    return (2 * e0**2 - 1) * np.eye(3) + 2 * (np.outer(e, e) + e0 * tilde(e))


TENSORS = [
    np.array([[0.9, 0.08, -0.05], [0.08, 1.1, 0.12], [-0.05, 0.12, 0.7]]),
    np.array([[0.5, -0.04, 0.06], [-0.04, 0.6, 0.02], [0.06, 0.02, 0.4]]),
    np.diag([0.3, 0.35, 0.25]),
    np.array([[0.2, 0.01, 0.0], [0.01, 0.25, -0.02], [0.0, -0.02, 0.22]]),
]
MASSES = [3.0, 2.0, 1.5, 1.0]
ORIGINS = [(0.3, 0.1, 0.2), (0.9, 0.3, 0.1), (1.4, -0.1, 0.4), (1.6, 0.4, 0.9)]
TURNS = [rotation((1, 2, 3), 0.4), rotation((0, 1, -1), 1.1), rotation((2, -1, 1), -0.7), np.eye(3)]
CENTERS = [(0.05, -0.02, 0.03), (0.0, 0.04, 0.0), (0.0, 0.0, 0.0), (-0.03, 0.01, 0.02)]
NAMES = ["a", "b", "c", "d"]
HINGE, CROSS, GUIDE, BALL = (0.0, 0.0, 0.0), (0.6, 0.2, 0.1), (1.2, 0.1, 0.3), (1.5, 0.2, 0.7)
AXIS, ARMS, ALONG = np.array([1.0, 2.0, 2.0]) / 3, ((0.0, 1.0, 0.0), (0.6, 0.0, 0.8)), np.array([2.0, -1.0, 2.0]) / 3


def mechanism():
    """A driven hinge, a cross, a guide, a ball, a rod back to the ground; a spring, a force, a torque."""
    m = da.Mechanism("spatial system", plane=False, gravity=tuple(G))
    bodies = [
        m.body(n, mass=mass, inertia=J, center=c, at=at, rotation=A)
        for n, mass, J, c, at, A in zip(NAMES, MASSES, TENSORS, CENTERS, ORIGINS, TURNS)
    ]
    a, b, c, d = bodies
    m.revolute("hinge", m.ground, a, at=HINGE, axis=tuple(AXIS))
    m.universal("cross", a, b, at=CROSS, axes=ARMS)
    m.prismatic("guide", b, c, at=GUIDE, along=tuple(ALONG))
    m.spherical("ball", c, d, at=BALL)
    m.distance("rod", m.ground.point(1.0, 1.0, 1.0), d.point(0.1, 0.0, 0.2))
    m.drive("motor", m["hinge"].angle, "0.3*sin(2*t)")
    m.spring(
        "spring", a.point(0.1, 0.2, 0.0), d.point(0.0, -0.1, 0.1),
        stiffness=SPRING["k"], free_length=SPRING["l0"], damping=SPRING["c"],
    )  # fmt: skip
    m.force("thrust", c, (1.0, -2.0, 3.0), at=c.point(0.1, 0.1, 0.0), frame="body")
    m.torque("couple", b, (0.5, 0.25, -1.0))
    return m


ROWS = [
    *(f"hinge.gap_{x}" for x in "xyz"), "hinge.tilt_x", "hinge.tilt_y",
    *(f"cross.gap_{x}" for x in "xyz"), "cross.square",
    "guide.across_x", "guide.across_y", "guide.tilt_x", "guide.tilt_y", "guide.turn",
    *(f"ball.gap_{x}" for x in "xyz"), "rod.distance", "hinge.angle",
]  # fmt: skip


# -- the same constraints, from the drawing alone ----------------------------------------------------------------------


def body_point(k, space):
    """Vector from the mass centre to a drawn point, in body axes."""
    return TURNS[k].T @ (np.asarray(space) - ORIGINS[k]) - CENTERS[k]


def body_axis(k, axis):
    return TURNS[k].T @ np.asarray(axis)


def across(z):
    """Axes x, y that complete z: x is the space axis most inclined to z, made perpendicular."""
    e = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = e - (e @ z) * z
    x /= np.linalg.norm(x)
    return x, np.cross(z, x)


def phi(r, A, t):
    """All constraints as functions of positions and rotations; works with complex numbers."""
    point = lambda k, space: r[k] + A[k] @ body_point(k, space)  # noqa: E731
    axis = lambda k, v: A[k] @ body_axis(k, v)  # noqa: E731
    hx, hy = across(AXIS)
    gx, gy = across(ALONG)
    u, w = (np.array(arm) for arm in ARMS)
    gap = point(2, GUIDE) - point(1, GUIDE)
    end = r[3] + A[3] @ (np.array([0.1, 0.0, 0.2]) - CENTERS[3])
    link = end - np.array([1.0, 1.0, 1.0])
    drawn = np.array(ORIGINS[3]) + [0.1, 0.0, 0.2] - [1.0, 1.0, 1.0]
    sine, cosine = hy @ axis(0, hx), hx @ axis(0, hx)
    angle = np.arctan2(sine.real, cosine.real) + 1j * (cosine.real * sine.imag - sine.real * cosine.imag) / (
        cosine.real**2 + sine.real**2
    )
    return np.concatenate(
        [
            point(0, HINGE) - np.array(HINGE),
            [hx @ axis(0, AXIS), hy @ axis(0, AXIS)],
            point(1, CROSS) - point(0, CROSS),
            [axis(0, u) @ axis(1, w)],
            [axis(1, gx) @ gap, axis(1, gy) @ gap],
            [axis(1, gx) @ axis(2, ALONG), axis(1, gy) @ axis(2, ALONG), axis(1, gx) @ axis(2, gy)],
            point(3, BALL) - point(2, BALL),
            [np.sqrt(link @ link) - np.linalg.norm(drawn), angle - 0.3 * math.sin(2 * t)],
        ]
    )


def spring_length(r, A):
    d = r[3] + A[3] @ (np.array([0.0, -0.1, 0.1]) - CENTERS[3]) - r[0] - A[0] @ (np.array([0.1, 0.2, 0.0]) - CENTERS[0])
    return np.sqrt(d @ d)


def split(q):
    return [q[7 * k : 7 * k + 3] for k in range(4)], [matrix(q[7 * k + 3 : 7 * k + 7]) for k in range(4)]


def along(f, r, A, v, h=1e-30):
    """Complex-step derivative of f(r, A) along the velocity v = (r', w') of all bodies."""
    moved_r = [r[k] + 1j * h * v[6 * k : 6 * k + 3] for k in range(4)]
    moved_a = [A[k] @ (np.eye(3) + 1j * h * tilde(v[6 * k + 3 : 6 * k + 6])) for k in range(4)]
    return np.imag(f(moved_r, moved_a)) / h


def jacobian(f, r, A):
    return np.array([along(f, r, A, e) for e in np.eye(24)]).T


def exponential(w, t):
    size = np.linalg.norm(w)
    return rotation(w, size * t) if size > 0 else np.eye(3)


def bias(f, r, A, v, h=5e-3):
    """Second time derivative of f along r + v t, A exp(w~ t); the first derivative is by complex step."""
    total = 0.0
    for n, weight in ((1, 45.0), (2, -9.0), (3, 1.0)):
        for sign in (1, -1):
            t = sign * n * h
            moved_r = [r[k] + t * v[6 * k : 6 * k + 3] for k in range(4)]
            moved_a = [A[k] @ exponential(v[6 * k + 3 : 6 * k + 6], t) for k in range(4)]
            total = total + sign * weight * along(f, moved_r, moved_a, v)
    return total / (60 * h)


def applied(r, A, v):
    """F and n' - w' x J' w' of all bodies, by virtual work."""
    q = np.zeros(24)
    for k in range(4):
        w = v[6 * k + 3 : 6 * k + 6]
        q[6 * k : 6 * k + 3] = MASSES[k] * G
        q[6 * k + 3 : 6 * k + 6] = -np.cross(w, TENSORS[k] @ w)
    length = spring_length(r, A)
    tension = SPRING["k"] * (length - SPRING["l0"]) + SPRING["c"] * along(spring_length, r, A, v)
    q -= tension * jacobian(spring_length, r, A)
    thrust = np.array([1.0, -2.0, 3.0])
    q[12:15] += A[2] @ thrust
    q[15:18] += np.cross(np.array([0.1, 0.1, 0.0]) - CENTERS[2], thrust)
    q[9:12] += A[1].T @ np.array([0.5, 0.25, -1.0])
    return q


def random_state(seed):
    """Any state: the arrays are functions of q, v, t, on the constraints or off them."""
    rng = np.random.default_rng(seed)
    q = []
    for k in range(4):
        p = rng.normal(size=4)
        q += [*(np.array(ORIGINS[k]) + rng.normal(size=3) * 0.2), *(p / np.linalg.norm(p))]
    return da.State(0.37, np.array(q), rng.normal(size=24))


def in_order(e):
    assert sorted(e.row_names) == sorted(ROWS)
    return [e.row_names.index(name) for name in ROWS]


@pytest.fixture(scope="module")
def model():
    return mechanism()


@pytest.mark.parametrize("seed", range(4))
def test_arrays(model, seed):
    state = random_state(seed)
    e = da.equations(model, state)
    order = in_order(e)
    r, A = split(state.q)
    f = lambda r, A: phi(r, A, state.t)  # noqa: E731
    # M and J'
    mass = np.zeros((24, 24))
    for k in range(4):
        mass[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = MASSES[k] * np.eye(3)
        mass[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = TENSORS[k]
    assert e.M == pytest.approx(mass, abs=1e-15)
    # Phi_r and Pi, nu, gamma, Q; the angle is equal up to whole turns
    found = e.phi[order]
    found[-1] = (found[-1] - f(r, A).real[-1] + math.pi) % (2 * math.pi) - math.pi + f(r, A).real[-1]
    assert found == pytest.approx(f(r, A).real, abs=1e-12)
    assert e.jac[order] == pytest.approx(jacobian(f, r, A), abs=1e-12)
    expected_nu = np.zeros(19)
    expected_nu[-1] = 0.6 * math.cos(2 * state.t)
    assert e.nu[order] == pytest.approx(expected_nu, abs=1e-14)
    gamma = -bias(f, r, A, state.v)
    gamma[-1] += -1.2 * math.sin(2 * state.t)
    assert e.gamma[order] == pytest.approx(gamma, abs=1e-8, rel=1e-8)
    assert e.Q == pytest.approx(applied(r, A, state.v), abs=1e-11)
    # sparse matrices say the same
    assert (e.mass_matrix().toarray() == e.M).all() and (e.jacobian().toarray() == e.jac).all()


def stacked(nb=4):
    """Permutation from our order (six per body) to that of SPATIAL (all r, then all w')."""
    return [6 * k + c for k in range(nb) for c in range(3)] + [6 * k + 3 + c for k in range(nb) for c in range(3)]


@pytest.mark.parametrize("seed", range(4))
def test_linear_system(model, seed):
    """The 6 nb + nc system in the order of the source, assembled independently and solved densely."""
    state = random_state(10 + seed)
    e = da.equations(model, state)
    order, places = in_order(e), stacked()
    r, A = split(state.q)
    f = lambda r, A: phi(r, A, state.t)  # noqa: E731
    jac = jacobian(f, r, A)[:, places]
    phi_r, pi = jac[:, :12], jac[:, 12:]
    right = applied(r, A, state.v)[places]
    mass = np.kron(np.diag(MASSES), np.eye(3))
    inertia = np.zeros((12, 12))
    for k in range(4):
        inertia[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = TENSORS[k]
    zero = np.zeros((12, 12))
    system = np.block([[mass, zero, phi_r.T], [zero, inertia, pi.T], [phi_r, pi, np.zeros((19, 19))]])
    assert system.shape == (6 * 4 + 19, 6 * 4 + 19)
    # gamma from our kernel, compared in test_arrays: its difference formula would limit the accuracy here
    solution = np.linalg.solve(system, np.concatenate([right, e.gamma[order]]))
    size = np.abs(solution).max()
    assert np.linalg.cond(system) < 1e5
    assert e.a[places] == pytest.approx(solution[:24], abs=1e-9 * size)
    assert e.lam[order] == pytest.approx(solution[24:], abs=1e-9 * size)


# -- reactions of single constraints -----------------------------------------------------------------------------------


def test_force_and_torque_of_every_constraint(model):
    """F = -Phi_r^T lam, n' = -Pi^T lam of each row on each body; a row without r gives no force; sums balance."""
    state = random_state(20)
    e = da.equations(model, state)
    r, A = split(state.q)
    jac = jacobian(lambda r, A: phi(r, A, state.t), r, A)
    lam = e.lam[in_order(e)]
    total = np.zeros(24)
    for alpha, row in enumerate(ROWS):
        for k, name in enumerate(NAMES):
            force, torque = e.reaction(row, name)
            scale = 1e-11 * (1 + abs(lam[alpha]))
            assert force == pytest.approx(-jac[alpha, 6 * k : 6 * k + 3] * lam[alpha], abs=scale)
            assert torque == pytest.approx(-jac[alpha, 6 * k + 3 : 6 * k + 6] * lam[alpha], abs=scale)
            total[6 * k : 6 * k + 3] += force
            total[6 * k + 3 : 6 * k + 6] += torque
            if row.split(".")[1] in ("tilt_x", "tilt_y", "square", "turn", "angle"):
                assert np.all(force == 0.0)  # Phi does not depend on r
    assert total == pytest.approx(e.M @ e.a - e.Q, abs=1e-9 * np.abs(e.lam).max())


def test_unknown_rows_and_bodies(model):
    e = da.equations(model, random_state(21))
    with pytest.raises(da.ModelError, match=r"hinge\.gap_x"):
        e.reaction("hinge.gap_q", "a")
    with pytest.raises(da.ModelError, match="no equations|does not"):
        e.reaction("hinge.gap_x", "ground")


def test_reactions_along_a_motion():
    """Loads of the joints at their points are the sums over their rows, carried to the joint point.

    Tolerance: constraints hold to 1e-12, so the two routes agree to 1e-9 relative to the largest multiplier.
    """
    m = mechanism()
    run = da.simulate(m, until=0.4, output=0.1, rtol=1e-9)
    points = {"hinge": HINGE, "cross": CROSS, "guide": GUIDE, "ball": BALL}
    pairs = {"hinge": (None, 0), "cross": (0, 1), "guide": (1, 2), "ball": (2, 3)}
    scale = np.abs(run.lam).max()
    for n, t in enumerate(run.t):
        e = da.equations(m, run.at(float(t)))
        _, A = split(e.state.q)
        assert e.phi == pytest.approx(np.zeros(19), abs=1e-11)
        for joint, (i, j) in pairs.items():
            rows = [row for row in ROWS if row.startswith(joint + ".") and row != "hinge.angle"]
            for k in (i, j):
                if k is None:
                    continue
                loads = [e.reaction(row, NAMES[k]) for row in rows]
                force = sum(x[0] for x in loads)
                # moment in space axes about the mass centre, carried to the joint point
                moment = A[k] @ sum(x[1] for x in loads) - np.cross(A[k] @ body_point(k, points[joint]), force)
                found = run[joint].on(NAMES[k])
                assert found.force[n] == pytest.approx(force, abs=1e-9 * scale)
                assert found.torque[n] == pytest.approx(moment, abs=1e-9 * scale)
        # opposite on the other side, at the same point: the ball carries no torque, the hinge none about its axis
        assert run["ball"].torque[n] == pytest.approx(np.zeros(3), abs=1e-9 * scale)
        assert run["hinge"].torque[n] @ AXIS == pytest.approx(0, abs=1e-9 * scale)
        assert run["cross"].on("a").force[n] == pytest.approx(-run["cross"].on("b").force[n], abs=1e-9 * scale)
        assert run["motor"].torque[n] == pytest.approx(
            -e.lam[e.row_names.index("hinge.angle")] * AXIS, abs=1e-9 * scale
        )


def test_gravity_is_a_force_per_unit_mass():
    """F^m = m g at the mass centre, no torque, whatever the inertia tensor and the frame."""
    m = da.Mechanism("falling", plane=False, gravity=tuple(G))
    m.body("a", mass=3.0, inertia=TENSORS[0], center=CENTERS[0], at=ORIGINS[0], rotation=TURNS[0])
    e = da.equations(m)
    assert e.Q == pytest.approx([*(3.0 * G), 0, 0, 0], abs=1e-13)
    assert e.a == pytest.approx([*G, 0, 0, 0], abs=1e-14)
    w = np.array([1.0, -2.0, 0.5])
    spinning = da.equations(m, da.State(0.0, e.state.q, np.array([0.0, 0.0, 0.0, *w])))
    assert spinning.a[3:] == pytest.approx(-np.linalg.solve(TENSORS[0], np.cross(w, TENSORS[0] @ w)), abs=1e-14)


def test_states_that_do_not_fit(model):
    good = random_state(22)
    for q, v in ((good.q[:-1], good.v), (good.q, good.v[:-6]), (good.q * np.nan, good.v), (2 * good.q, good.v)):
        with pytest.raises(da.MethodError):
            da.equations(model, da.State(0.0, q, v))
    with pytest.raises(da.MethodError, match="State is needed"):
        da.equations(model, good.q)
    with pytest.raises(da.MethodError, match="a list of numbers"):
        da.State(0.0, "q", good.v)


def test_printing_says_what_there_is(model):
    text = str(da.equations(model, random_state(23)))
    assert "M a + J^T lam = Q" in text and ".row_names" in text and "form='absolute'" in text and "array(" not in text
