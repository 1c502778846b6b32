"""Names with blanks: whoever takes a measure takes its name alone, with or without backticks, and between backticks inside an expression."""

import pytest

import dalembert as da


def pendulum(pin):
    m = da.Mechanism("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute(pin, m.ground, bar, at=(0, 0))
    m.actuator("oil", f"{pin}.angle", force="-0.1")
    return m


TAKEN = {
    "value": lambda run, what: run.instant(0.05)[what],
    "rate": lambda run, what: run.instant(0.05).rate(what),
    "second rate": lambda run, what: run.instant(0.05).second_rate(what),
    "crossings": lambda run, what: run.crossings(what, -0.05).tolist(),
    "stepper": lambda run, what: _stepped(run.model).get(what),
    "rate in a stepper": lambda run, what: _stepped(run.model).get(f"rate({what})"),
    "event": lambda run, what: da.simulate(_watched(run.model, what), until=0.1).events["zero"][0].t,
    "equilibrium": lambda run, what: da.equilibrium(run.model)[0][what],
}


def _stepped(model):
    live = da.Stepper(model, 0.01)
    live.step(3)
    return live


def _watched(model, what):
    (pin,) = (name for name in ("left pin", "pin") if name in model)
    made = pendulum(pin)
    made.event("zero", what, level=-0.01)
    return made


@pytest.mark.parametrize("use", TAKEN)
def test_everywhere_alike(use):
    blank, plain = (da.simulate(pendulum(pin), until=0.1) for pin in ("left pin", "pin"))
    expected = TAKEN[use](plain, "pin.angle")
    for text in ("left pin.angle", "`left pin.angle`"):
        assert TAKEN[use](blank, text) == expected, text
    if use != "equilibrium":
        assert TAKEN[use](blank, "1*`left pin.angle` + 0*t") == pytest.approx(expected, rel=1e-12)


def test_second_rate_of_the_pendulum():
    """a'' = -(g l/2 cos a)/(l^2/3) from the horizontal: -14.715 rad/s2 at the start, less the oil's 0.1/(1/3)."""
    run = da.simulate(pendulum("left pin"), until=0.1)
    assert run.instant(0.0).second_rate("left pin.angle") == pytest.approx(-1.5 * 9.81 - 0.3, rel=1e-12)


def test_what_reads_as_an_expression_stays_one():
    from dalembert.model.expression import parse

    assert str(parse("x + y", ["x", "y", "x + y"])) == "x + y"
    assert parse("x + y", ["x", "y", "x + y"]).names == {"x", "y"}
    assert parse(" left pin.angle ", ["left pin.angle"]).names == {"left pin.angle"}
    with pytest.raises(da.ExpressionError, match="'left'"):
        parse("left pin.angle", ["right pin.angle"])
