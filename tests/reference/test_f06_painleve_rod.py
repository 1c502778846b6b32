"""BENCHMARKS F06: Painleve's rod; mu > (tan a + 4/tan a)/3, at least 4/3 at 63.43494882292201 degrees; closed form (X)."""

import math

import pytest

import dalembert as da

G = 9.81


def test_painleves_rod_is_told():
    """A uniform rod slides on a rough floor: beyond mu = (tan a + 4/tan a)/3 no motion of a rigid rod goes on (BENCHMARKS F06)."""
    angle = math.radians(63.43494882292201)

    def rod(mu):
        m = da.Mechanism("rod", plane=True, gravity=(0, -G))
        bar = m.body("rod", da.rod(length=2.0, mass=1.0), at=(-math.cos(angle), math.sin(angle)), angle=-angle)
        m.pin_in_slot("floor", m.ground, bar, at=(0, 0), along=(1, 0))
        m.friction("rub", "floor", mu=mu)
        m.start(m["floor"].slide, 0.0, rate=5.0)
        m.start(bar.measures()["angle"], None, rate=0.0)
        return m

    with pytest.raises(da.SingularError, match="Painleve"):
        da.simulate(rod(4.0 / 3.0 + 1e-3), until=0.01)
    assert da.simulate(rod(4.0 / 3.0 - 1e-2), until=0.001).status == "ok"
