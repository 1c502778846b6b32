"""The one contact problem: every line of it on random machines as numbers, and the same motion as all choices tried one by one."""

import itertools

import numpy as np
import pytest

import dalembert as da
from dalembert.solve.contact_problem import Contacts, Element, solve


def mobility(random, rows, freedoms):
    """A = R M^-1 R^T and second rates that some accelerations give."""
    R = random.normal(size=(rows, freedoms))
    return R @ np.diag(random.uniform(0.5, 2.0, freedoms)) @ R.T, R @ random.normal(size=freedoms)


def gaps(n, tangents, mu, static=None):
    """Contacts, rows of each together."""
    width = 1 + tangents
    return [
        Element(width * k, tuple(range(width * k + 1, width * (k + 1))), mu, mu if static is None else static)
        for k in range(n)
    ]


def follows(A, b, some, found, lam0=None, L=None, tolerance=1e-7):
    """Check every line, with what presses in joints added up anew."""
    p, w, size = found.p, A @ found.p + b, np.abs(b).max()
    assert w == pytest.approx(found.w, abs=tolerance * size)
    for one in some:
        T = list(one.T)
        if one.n is None:
            lam = lam0 + L @ p
            press = sum(float(np.linalg.norm(pad @ lam[list(one.felt)])) for pad in one.pads)
            slipping, holding = one.force + one.mu * press, one.holds + one.static * press
        else:
            assert p[one.n] >= one.least - 1e-9 and w[one.n] >= -tolerance * size
            assert abs((p[one.n] - one.least) * w[one.n]) <= tolerance * size
            slipping, holding = (mu * p[one.n] if T else 0.0 for mu in (one.mu, one.static))
        force, u = float(np.linalg.norm(p[T])), w[T]
        if np.linalg.norm(u) > tolerance * size:
            # slipping, with the kinetic size against u
            assert p[T] == pytest.approx(-slipping * u / np.linalg.norm(u), abs=1e-6 * max(1.0, slipping))
        elif T:
            assert force <= holding * (1 + 1e-8) + 1e-9


def every_choice(A, b, n, mu):
    """Rates of all solutions of contacts in the plane: each open, stuck, or slipping one way."""
    for modes in itertools.product("osud", repeat=n):
        E, rows = [], []
        for k, mode in enumerate(modes):
            if mode == "o":
                continue
            column = np.zeros(2 * n)
            column[2 * k] = 1.0
            column[2 * k + 1] = {"s": 0.0, "u": -mu, "d": mu}[mode]
            E.append(column)
            rows.append(2 * k)
            if mode == "s":
                E.append(np.eye(2 * n)[2 * k + 1])
                rows.append(2 * k + 1)
        p = np.zeros(2 * n)
        if rows:
            E = np.array(E).T
            p = E @ np.linalg.lstsq((A @ E)[rows], -b[rows], rcond=1e-12)[0]
        w = A @ p + b
        w[rows] = np.where(np.abs(w[rows]) < 1e-8, 0.0, w[rows])
        good = all(
            p[2 * k] >= -1e-9 and w[2 * k] >= -1e-9 and abs(p[2 * k + 1]) <= mu * p[2 * k] + 1e-9
            and (mode not in "ud" or w[2 * k + 1] * (1 if mode == "u" else -1) >= -1e-9)
            for k, mode in enumerate(modes)
        )  # fmt: skip
        if good and not np.any(np.abs(w[rows]) > 1e-8):
            yield w


@pytest.mark.parametrize("seed", range(30))
def test_smooth_gaps_have_the_only_solution(seed):
    """A is positive definite: the motion is one, which all active sets tried one by one find too."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 7))
    A, b = mobility(random, n, n + 1)
    found = solve(Contacts(A, b, [Element(k) for k in range(n)]))
    follows(A, b, [Element(k) for k in range(n)], found)
    others = []
    for size in range(n + 1):
        for some in map(list, itertools.combinations(range(n), size)):
            f = np.zeros(n)
            f[some] = np.linalg.solve(A[np.ix_(some, some)], -b[some]) if some else []
            if f.min() >= 0.0 and (A @ f + b)[[k for k in range(n) if k not in some]].min(initial=0.0) >= 0.0:
                others.append(f)
    assert len(others) == 1 and found.p == pytest.approx(others[0], abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_friction_in_the_plane_is_one_of_all_choices(seed):
    random = np.random.default_rng(seed)
    n, mu = int(random.integers(1, 4)), float(random.choice([0.1, 0.5, 1.0]))
    A, b = mobility(random, 2 * n, 2 * n + 1)
    found = solve(Contacts(A, b, gaps(n, 1, mu)))
    follows(A, b, gaps(n, 1, mu), found)
    assert any(found.w == pytest.approx(w, abs=1e-7) for w in every_choice(A, b, n, mu))


@pytest.mark.parametrize("static", [1.0, 1.4])
@pytest.mark.parametrize(
    ("n", "tangents", "freedoms"), [(4, 1, 4), (6, 1, 12), (3, 2, 5), (6, 2, 12), (4, 2, 4), (16, 1, 30)]
)
def test_cones_in_the_plane_and_in_space(n, tangents, freedoms, static):
    """Also more rows than freedoms, and more that holds than what slips."""
    for seed in range(12):
        random = np.random.default_rng(seed)
        mu = float(random.choice([0.1, 0.3, 0.6]))
        A, b = mobility(random, n * (1 + tangents), freedoms)
        some = gaps(n, tangents, mu, static * mu)
        found = solve(Contacts(A, b, some))
        assert found is not None, seed
        follows(A, b, some, found)


@pytest.mark.parametrize(("n", "freedoms", "components"), [(2, 3, 1), (6, 8, 1), (4, 3, 1), (8, 3, 1), (3, 6, 2)])
def test_friction_of_joints_that_feels_what_they_carry(n, freedoms, components):
    """Rows J that press and rows T that slip; also friction on more rows than are free."""
    for seed in range(12):
        random = np.random.default_rng(seed)
        nv = freedoms + 2 * n
        J, M = random.normal(size=(2 * n, nv)), np.diag(random.uniform(0.5, 2.0, nv))
        T = 0.3 * random.normal(size=(n * components, nv))
        back = np.linalg.inv(np.block([[M, J.T], [J, np.zeros((2 * n, 2 * n))]]))
        free, answer = back[:, :nv] @ random.normal(size=nv), back[:, :nv] @ T.T
        A, b, lam0, L = T @ answer[:nv], T @ free[:nv], free[nv:], answer[nv:]
        some = [
            Element(None, tuple(range(components * k, components * (k + 1))), 0.3, 0.36, pads=(np.eye(2),), felt=(2 * k, 2 * k + 1))
            for k in range(n)
        ]  # fmt: skip
        found = solve(Contacts(A, b, some, lam0, L))
        assert found is not None, seed
        follows(A, b, some, found, lam0, L)


def test_dependent_gaps_share():
    """Four feet of a stiff table: only three rows are independent, the smallest forces share the weight evenly."""
    rows = np.array([[1.0, x, y] for x in (-1, 1) for y in (-1, 1)])
    A, b = rows @ rows.T, rows @ np.array([-9.81, 0.0, 0.0])
    assert solve(Contacts(A, b, [Element(k) for k in range(4)])).p == pytest.approx([9.81 / 4] * 4)


def test_forces_that_the_smallest_are_not_among():
    """Two guides of one block: 1 N holds in one and 4 in the other, and 4.5 N pull; even shares would be beyond a limit."""
    A, b = np.ones((2, 2)), np.full(2, 4.5)
    some = [Element(None, (0,), force=1.0, holds=1.0), Element(None, (1,), force=4.0, holds=4.0)]
    found = solve(Contacts(A, b, some))
    follows(A, b, some, found, np.zeros(0), np.zeros((0, 2)))
    assert not found.w.any()


def test_a_gap_that_does_not_slip():
    A, b, rough = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([-1.0, 0.3]), [Element(0, (1,), np.inf, np.inf)]
    found = solve(Contacts(A, b, rough))
    assert found.w == pytest.approx([0.0, 0.0], abs=1e-14) and found.p[0] > 0.0
    found = solve(Contacts(A, np.array([1.0, 0.3]), rough))
    assert not found.p.any() and found.w[1] == 0.3


def test_no_solution_is_said():
    """Stuck it would have to pull, p = -A^-1 b = (-1.5, 0.8); open it closes; a rod that slides with 1 < mu cot gives none either."""
    A, b = np.array([[1.0, 2.0], [2.0, 5.0]]), np.array([-0.1, -1.0])
    assert solve(Contacts(A, b, [Element(0, (1,), np.inf, np.inf)])) is None
    painleve = Element(0, (1,), 1.0, 1.0, slides=np.ones(1))
    assert solve(Contacts(np.array([[1.0, 1.5], [1.5, 4.0]]), np.array([-1.0, 2.0]), [painleve])) is None


def test_bodies_that_do_not_touch_each_other_are_problems_of_their_own():
    """Twenty-four boxes with 96 rows, more than are solved exactly at once: each stops where it would alone, at v/(mu g)."""
    m = da.Mechanism("boxes", plane=True, gravity=(0, -9.81))
    speeds = [1.0 + 0.03 * k for k in range(24)]
    for k, v in enumerate(speeds):
        body = m.body(f"box{k}", da.block(0.1, 0.1, mass=1.0), at=(k, 0.05), velocity=(v, 0))
        m.contact(f"floor{k}", m.ground, body, mu=0.3)
    run = da.simulate(m, until=0.4)
    stops = [v / (0.3 * 9.81) for v in speeds if v / (0.3 * 9.81) < 0.4]
    assert run.status == "ok" and [e.t for e in run.events] == pytest.approx(stops, rel=1e-9)
