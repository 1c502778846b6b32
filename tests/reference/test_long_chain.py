"""Chains of 2000 bodies: one evaluation and a short run against a sparse direct solver; the chain of the benchmarks.

Source: SciPy's SuperLU on the whole matrix [M J^T; J 0]; for the benchmark chain the joint accelerations of `benchmarks/prototypes/chain.py`
(written by hand for this chain), which Pinocchio and MuJoCo reproduce in `benchmarks/run.py`.

Tolerance: two direct solvers with other orders of elimination; the conditioning of a chain grows like n^2, 4e6, times 1e-16.
"""

import importlib
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import bmat
from scipy.sparse.linalg import spsolve

import dalembert as da
from benchmarks import ours


def sparse_solution(eq):
    jac = eq.jacobian()
    full = bmat([[eq.mass_matrix(), jac.T], [jac, None]], format="csc")
    x = spsolve(full, np.concatenate([eq.Q, eq.gamma]))
    return x[: len(eq.a)], x[len(eq.a) :]


def test_spatial_chain_of_2000():
    m = ours.spatial_chain_model(2000)
    eq = da.equations(da.compile(m))
    assert len(eq.a) == 12_000
    assert len(eq.lam) == 10_000
    a, lam = sparse_solution(eq)
    assert np.abs(eq.a - a).max() < 1e-8 * np.abs(a).max()
    assert np.abs(eq.lam - lam).max() < 1e-8 * np.abs(lam).max()
    # residuals do not see the conditioning
    jac, mass = eq.jacobian(), eq.mass_matrix()
    assert np.abs(mass @ eq.a + jac.T @ eq.lam - eq.Q).max() < 1e-11 * np.abs(eq.lam).max()
    assert np.abs(jac @ eq.a - eq.gamma).max() < 1e-11 * np.abs(eq.a).max()


def test_mixed_chain_of_200():
    m = ours.mixed_chain_model(200)
    eq = da.equations(da.compile(m))
    a, lam = sparse_solution(eq)
    assert np.abs(eq.a - a).max() < 1e-9 * np.abs(a).max()
    assert np.abs(eq.lam - lam).max() < 1e-9 * np.abs(lam).max()
    kinds = {part.tag for part in m.parts("joint")}
    assert kinds == {"spherical", "universal", "prismatic", "fixed", "revolute", "gear", "distance"}


def test_planar_chain_of_2000_moves():
    n = 2000
    m = da.Mechanism("chain", gravity=(0, -9.81))
    before = m.ground
    for k in range(n):
        rod = m.body(f"rod {k}", mass=1.0 / n, inertia=1 / (12 * n**3), at=((k + 0.5) / n, 0))
        m.revolute(f"pin {k}", before, rod, at=(k / n, 0))
        before = rod
    run = da.simulate(m, until=2e-3, rtol=1e-6, atol=1e-8, output=[0.0, 2e-3], progress=False)
    assert run.status == "ok"
    # far from the pin nothing holds the rods yet: free fall
    assert run[f"rod {n - 1}"].position[-1, 1] == pytest.approx(-0.5 * 9.81 * 4e-6, rel=1e-6)


def test_chain_of_the_benchmarks(monkeypatch):
    """The prototype was written for this chain alone; here it runs as plain Python, without the compiler that it is measured with."""
    as_it_is = lambda *given, **_: given[0] if given and callable(given[0]) else lambda function: function  # noqa: E731
    monkeypatch.setitem(sys.modules, "numba", SimpleNamespace(njit=as_it_is))
    monkeypatch.delitem(sys.modules, "benchmarks.prototypes.chain", raising=False)
    joint_accelerations = importlib.import_module("benchmarks.prototypes.chain").joint_accelerations
    monkeypatch.delitem(sys.modules, "benchmarks.prototypes.chain")

    n = 8
    assert ours.chain_accelerations(n) == pytest.approx(joint_accelerations(n), abs=1e-10)
