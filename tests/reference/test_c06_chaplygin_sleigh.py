"""C06: the Chaplygin sleigh (A. M. Bloch 2015, section 1.7), in closed form.

m = 1, I = 0.1, mass centre a = 0.1 ahead of the blade.  With ve^2 = v0^2 + (I + m a^2) w0^2 / m and s = s0 + ve m a t / (I + m a^2):
v = ve tanh s, w = ve sqrt(m / (I + m a^2)) / cosh s.  The place follows by quadrature of a separate program.

Tolerances: local error 1e-12 over 10 s: 1e-10.
"""

import numpy as np
import pytest

import dalembert as da

MASS, INERTIA, AHEAD = 1.0, 0.1, 0.1
ABOUT = INERTIA + MASS * AHEAD**2
# time: speed of the blade, spin, heading, place of the blade
STATES = {
    1: (1.0455026997898, 0.3922441810483, 0.6515561691666, 0.9400604382631, 0.3738804278353),
    2: (1.0523742001978, 0.1510130264738, 0.9044077390667, 1.67120429458, 1.1236109720366),
    5: (1.0535615694366, 0.0085383659357, 1.0532212355802, 3.3495925749838, 3.7980835177598),
    10: (1.0535653750217, 7.10506646e-05, 1.0620617483059, 5.923546464308, 8.3942346004175),
}


def by_knife_edge(m, body):
    m.knife_edge("blade", m.ground, body, at=(0, 0), along=(1, 0))


def by_expression(m, body):
    m.pfaffian("blade", "cos(sleigh.angle)*rate(sleigh.y) - sin(sleigh.angle)*rate(sleigh.x)", unit="m")


def sleigh(hold):
    m = da.Mechanism("sleigh", plane=True)
    body = m.body("sleigh", mass=MASS, inertia=INERTIA, center=(AHEAD, 0), velocity=(1, 0), spin=1.0)
    hold(m, body)
    return m


def in_space():
    m = da.Mechanism("sleigh in space", plane=False, gravity=(0, 0, -9.81))
    tensor = (0.05, 0.08, INERTIA)
    body = m.body("sleigh", mass=MASS, inertia=tensor, center=(AHEAD, 0, 0), velocity=(1, 0, 0), spin=(0, 0, 1))
    m.planar("ice", m.ground, body, at=(0, 0, 0), axis="z")
    m.knife_edge("blade", m.ground, body, at=(0, 0, 0), along="x", normal="z")
    return m


@pytest.mark.parametrize("hold", [by_knife_edge, by_expression])
def test_motion(hold):
    run = da.simulate(sleigh(hold), until=10.0, output=[0.0, *STATES], rtol=1e-12, atol=1e-13)
    assert run.status == "ok", run.audit
    ahead = np.column_stack([np.cos(run["sleigh"].angle), np.sin(run["sleigh"].angle)])
    for k, (v, w, heading, x, y) in enumerate(STATES.values(), start=1):
        assert run["sleigh"].velocity[k] @ ahead[k] == pytest.approx(v, abs=1e-10)
        assert run["sleigh"].spin[k] == pytest.approx(w, abs=1e-10)
        assert run["sleigh"].angle[k] == pytest.approx(heading, abs=1e-10)
        assert run["sleigh"].position[k] == pytest.approx([x, y], abs=1e-10)


def test_closed_form_and_side_force():
    run = da.simulate(sleigh(by_knife_edge), until=4.0, output=0.1, rtol=1e-12, atol=1e-13)
    end = np.sqrt(1.0 + ABOUT / MASS)
    s = np.arctanh(1.0 / end) + end * MASS * AHEAD / ABOUT * run.t
    v, w = end * np.tanh(s), end * np.sqrt(MASS / ABOUT) / np.cosh(s)
    assert run["blade"].speed == pytest.approx(v, abs=1e-10)
    assert run["sleigh"].spin == pytest.approx(w, abs=1e-10)
    # moments about the mass centre: the side force N of the blade acts at the distance a, I w' = -a N ... and I w' + m a (a w' + v w) = 0
    slope = -w * np.tanh(s) * end * MASS * AHEAD / ABOUT
    side = run["blade"].frame("joint").force
    assert side[:, 1] == pytest.approx(-INERTIA * slope / AHEAD, abs=1e-9)
    assert side[:, 0] == pytest.approx(0.0 * v, abs=1e-12)
    # it does no work
    assert np.ptp(run.energy.total) < 1e-12


def test_space_and_plane_agree():
    flat = da.simulate(sleigh(by_knife_edge), until=3.0, output=0.5, rtol=1e-12, atol=1e-13)
    run = da.simulate(in_space(), until=3.0, output=0.5, rtol=1e-12, atol=1e-13)
    assert run["sleigh"].position[:, :2] == pytest.approx(np.asarray(flat["sleigh"].position), abs=1e-10)
    assert run["blade"].force[:, :2] == pytest.approx(np.asarray(flat["blade"].force), abs=1e-9)
    assert run["ice"].force[:, 2] == pytest.approx(np.full(7, 9.81), abs=1e-10)
