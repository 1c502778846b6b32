"""Runs that start exactly where a law changes: it is the law that the motion goes on with, at every start and by every method.

The other tests of switches start at 0 and have them later, or say `t >= 0`: at t = 0 time has no last digit, and a switch there was looked for in ever shorter
steps down to 4.9e-324 s.  Answers are closed forms.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

import dalembert as da

METHODS = {
    "auto": {}, "dormand_prince": {"method": 5}, "radau": {"method": "radau"},
    "generalized_alpha": {"method": "generalized_alpha", "rtol": 1e-9, "atol": 1e-11},
    "variational": {"method": "variational", "step": 1e-3}, "partitioned": {"method": "partitioned"},
}  # fmt: skip
# expressions of T = t - t0 with their values and their double integrals from 0 to 1
OF_TIME = [
    ("max(0, T)", 1.0, 1 / 6),
    ("abs(T)", 1.0, 1 / 6),
    ("max(0, T)**3", 1.0, 1 / 20),
    ("sign(T)*T**3", 1.0, 1 / 20),
    ("if_(T > 0, T**3, 0)", 1.0, 1 / 20),
    ("abs(sin(2*pi*T))*T**2 + T**3", 1.0, None),
    ("step(T, 0, 0, 1, 1)", 1.0, 1 / 7),  # 10 T^3 - 15 T^4 + 6 T^5: 10/20 - 15/30 + 6/42
]
# of these the rates jump, the last one's at T = 0.5
CORNERS = ("max(0, T)", "abs(T)", "abs(sin(2*pi*T))*T**2 + T**3")
# force on a unit mass at s = 0 with a speed, and the same without a switch
OF_PLACES = [
    ("-max(0, s)", "-s", 1.0),
    ("-max(0, s)", "0", -1.0),
    ("-abs(s)", "s", -1.0),
    ("1 - max(0, s)", "1 - s", 0.0),
    ("-1 - max(0, v)", "-1", 0.0),
    ("1 - abs(v)", "1 - v", 0.0),
    ("1 - abs(s - t)", "1 - (s - t)", 1.0),
    ("floor(s) - s", "-s - 1", -0.3),
    ("max(0, s)", "0", 0.0),
]


def wheel(driver=None, force="0", plane=True):
    m = da.Mechanism("wheel", plane=plane)
    m.body("w", mass=1.0, inertia=1.0 if plane else (1.0, 1.0, 1.0))
    m.revolute("A", m.ground, "w", at=(0, 0) if plane else (0, 0, 0), **({} if plane else {"axis": "z"}))
    if driver is None:
        m.actuator("push", "A.angle", force=force)
    else:
        m.drive("motor", "A.angle", driver)
    return m


def coordinate(force, row=None, rate=None):
    """A unit mass x, and beside it y that a row moves as a driver does."""
    rows = {} if row is None else {"holonomic": {"motor": f"y - ({row})"}}
    m = da.Lagrangian("x y", "rate(x)^2/2 + rate(y)^2/2", forces={"x": force}, **rows)
    if rate is not None:
        m.start("x", 0.0, rate=rate)
    return m


def at(m, rest, t0):
    """State of a model at t0 that is at rest, taken from the same model without what switches."""
    return replace(da.simulate(rest, until=1e-3).at(0.0), t=t0)


@pytest.mark.parametrize("t0", [0.0, 1.0, 1e6])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["driver", "plane", "space", "coordinates"])
def test_switches_of_time(kind, method, t0):
    """What a tolerance of 1e-8 leaves, and of equal steps their order: h^2 times the largest fourth derivative."""
    for formula, value, twice in OF_TIME:
        law = formula.replace("T", f"(t - {t0!r})")
        if kind == "coordinates":
            m, rest = coordinate(law), coordinate("0*x")
        else:
            m = wheel(law) if kind == "driver" else wheel(None, law, kind == "plane")
            rest = wheel(plane=kind != "space")
        if kind == "driver" and formula in CORNERS and method in ("variational", "partitioned"):
            continue  # velocities jump, which steps that end nowhere do not see: their audit says so
        if kind != "driver" and twice is None:
            continue
        run = da.simulate(m, until=t0 + 1.0, start=at(m, rest, t0) if t0 else None, **METHODS[method])
        found = run.q[-1, 0] if kind == "coordinates" else run["A.angle"][-1]
        assert run.status == "ok"
        assert found == pytest.approx(value if kind == "driver" else twice, abs=1e-6), formula


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["plane", "coordinates"])
def test_switches_of_places_and_rates(kind, method):
    """The same motion as by the law without a switch that holds on the side that it goes to."""
    for law, smooth, speed in OF_PLACES:
        found = []
        for force, more in ((law, METHODS[method]), (smooth, {"rtol": 1e-10, "atol": 1e-12})):
            if kind == "plane":
                m = wheel(None, force)
                m.start("A.angle", 0.0, rate=speed)
            else:
                m = coordinate(force.replace("v", "rate(x)").replace("s", "x").replace("abx", "abs"), rate=speed)
            run = da.simulate(m, until=0.9, **more)
            assert run.status == "ok"
            found.append(run.q[-1, -1 if kind == "plane" else 0])
        # of steps of equal length h = 1e-3 one force of 1 that is half as large at the start moves the end by h/2
        assert found[0] == pytest.approx(found[1], abs=1e-3 if method == "variational" else 1e-6), law


@pytest.mark.parametrize("corner", [0.0, 0.3])
def test_a_row_and_a_force_share_a_switch(corner):
    """Velocities follow the row where it changes, also where the switch is that of a force: y = max(0, T), x'' = max(0, T)."""
    ramp = f"max(0, t - {corner})"
    run = da.simulate(coordinate(ramp, row=ramp), until=corner + 1.0)
    assert run.status == "ok"
    assert run.q[-1] == pytest.approx([1 / 6, 1.0], abs=1e-8)
    assert run.v[-1] == pytest.approx([1 / 2, 1.0], abs=1e-8)


def test_the_motor_of_the_page_on_expressions():
    """2 pi 50/60 step(t, 0, 0, 1, 1) rad/s, as speed: half of it in the mean over the first second, by symmetry of the step."""
    m = wheel()
    m.pfaffian("motor", "rate(A.angle) - 2*pi*50/60*step(t, 0, 0, 1, 1)")
    run = da.simulate(m, until=2.0)
    assert run["A.angle"][-1] == pytest.approx(1.5 * 2 * 3.141592653589793 * 50 / 60, abs=1e-7)


def test_the_end_at_a_time_without_digits_is_met_once():
    """A switch at a time between two numbers: the step to it is made twice, not as often as steps are cut at most (30)."""
    run = da.simulate(wheel(None, "if_(t > 2/3, 1, 0)"), until=1.0, output=[1.0])
    assert run["A.angle"][-1] == pytest.approx((1 / 3) ** 2 / 2, abs=1e-12)
    assert run.audit.evaluations < 25 * run.audit.steps
