"""Lagrangian systems as plain Python: the same numbers as compiled, and formulas of one system as straight code."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.kernels.compiler import COMPILE

pytestmark = pytest.mark.skipif(COMPILE, reason="runs with DALEMBERT_COMPILE=0")


def crank():
    m = da.Lagrangian(
        "th ph x", kinetic="rate(th)**2/2 + rate(ph)**2/6 + rate(x)**2", potential="sin(th) + 0.3*sin(ph) + max(x, 0)**2",
        holonomic={"closure x": "x - 0.2*cos(th) - 0.6*cos(ph)", "closure y": "0.2*sin(th) + 0.6*sin(ph)"},
        dissipation="if_(x > 0, 0.1, 0.2)*rate(th)**2/2",
    )  # fmt: skip
    m.start("th", 0.3, rate=2.0)
    m.guess("x", 0.8)
    return m


def test_run():
    run = da.simulate(crank(), until=0.2, output=0.05)
    assert run.audit.passed
    th = np.asarray(run["th"])
    assert run["x"] == pytest.approx(0.2 * np.cos(th) + np.sqrt(0.36 - 0.04 * np.sin(th) ** 2), abs=1e-12)


def test_pendulum():
    m = da.Lagrangian("a", kinetic="rate(a)**2/2", potential="-cos(a)")
    m.start("a", 0.1)
    assert da.simulate(m, until=0.5, output=0.5)["a"][-1] == pytest.approx(0.1 * math.cos(0.5), abs=1e-4)


def held():
    m = da.Lagrangian("a", kinetic="0.6*rate(a)**2", potential="9.81*cos(a)", forces={"a": "-60*a + 40*z - 9*rate(a)"})
    m.state("z", rate="-a")
    m.start("a", 0.2)
    return m


@pytest.mark.filterwarnings("error")
def test_auxiliary_state():
    # the state has no kinetic energy: the mass matrix is singular before the rows join it, and 1/0 is infinite here as it is compiled
    run = da.simulate(held(), until=0.1, output=0.01)
    assert run.status == "ok"
    assert run["a"] == pytest.approx(-np.gradient(run["z"], run.t, edge_order=2), abs=2e-3)
    assert run.a[0, 0] == pytest.approx((9.81 * math.sin(0.2) - 60 * 0.2) / 1.2, rel=1e-12)


@pytest.mark.filterwarnings("error")
def test_no_inertia_is_told():
    m = da.Lagrangian("a b", kinetic="rate(a)**2/2", potential="-cos(a) + b**2")
    with pytest.raises(da.DalembertError, match="b"):
        da.simulate(m, until=0.1)
