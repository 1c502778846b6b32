"""Random motions with a closed form: every crossing is found once, none is invented, and each is where it belongs.

Free oscillators x_k = a_k cos(w_k t + p_k); what is watched are random polynomials of the coordinates and their rates.  The closed form is searched for sign
changes on a grid that is far finer than anything it does, and polished.
"""

import numpy as np
import pytest
from scipy.optimize import brentq

import dalembert as da
from tests.soak import share

UNTIL = 6.0


@pytest.mark.parametrize("seed", range(share(200)))
def test_crossings_of_random_expressions(seed):
    random = np.random.default_rng(seed)
    a, w, p = random.uniform(0.5, 1.5, 3), random.uniform(0.5, 8.0, 3), random.uniform(0.0, 6.0, 3)
    c = random.normal(size=8)
    text = f"{c[0]} + {c[1]}*x + {c[2]}*y + {c[3]}*z + {c[4]}*x*y + {c[5]}*z**2 + {c[6]}*rate(x)/8 + {c[7]}*sin(3*z)*y"

    def watched(t):
        x, y, z = (a[k] * np.cos(w[k] * t + p[k]) for k in range(3))
        rate = -a[0] * w[0] * np.sin(w[0] * t + p[0])
        return (
            c[0]
            + c[1] * x
            + c[2] * y
            + c[3] * z
            + c[4] * x * y
            + c[5] * z**2
            + c[6] * rate / 8
            + c[7] * np.sin(3 * z) * y
        )

    m = da.Lagrangian(
        "x y z",
        kinetic="(rate(x)**2 + rate(y)**2 + rate(z)**2)/2",
        potential=" + ".join(f"{w[k] ** 2}*{q}**2/2" for k, q in enumerate("xyz")),
    )
    for k, q in enumerate("xyz"):
        m.start(q, float(a[k] * np.cos(p[k])), rate=float(-a[k] * w[k] * np.sin(p[k])))
    direction = ("up", "down", "both")[seed % 3]
    m.event("e", text, direction=direction)
    found = da.simulate(m, until=UNTIL, rtol=1e-11, atol=1e-12).events.times
    t = np.linspace(0.0, UNTIL, 60_001)
    g = watched(t)
    cross = np.flatnonzero(g[:-1] * g[1:] < 0.0)
    up = g[cross + 1] > 0.0
    kept = cross if direction == "both" else cross[up] if direction == "up" else cross[~up]
    expected = [brentq(watched, t[k], t[k + 1], xtol=1e-14) for k in kept]
    assert found == pytest.approx(
        expected, abs=1e-8
    )  # rtol times the phases over the run, by the slope of what is watched
