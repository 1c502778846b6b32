"""Springs on a line have a length with a sign (PLANAR 6.2.7), so that their points may pass each other."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


def on_a_rail(**options):
    m = da.Mechanism("rail", plane=options.pop("plane", True))
    at = (0.5, 0) if m.plane else (0.5, 0, 0)
    cart = m.body("cart", da.block(0.1, 0.1, mass=2.0) if m.plane else da.box(0.1, 0.1, 0.1, mass=2.0), at=at)
    axis = (1, 0) if m.plane else (1, 0, 0)
    m.prismatic("rail", m.ground, cart, along=axis)
    along = options.pop("along", axis)
    along = cart.axis(*axis) if along == "cart" else m.ground.axis(*axis) if along == "ground" else along
    origin = m.ground.point(*(0,) * len(axis))
    m.spring("s", origin, cart.center, stiffness=8.0, free_length=0.2, along=along, **options)
    return m


@pytest.mark.parametrize(
    "options",
    [{}, {"along": "cart"}, {"along": "ground"}, {"plane": False}],
    ids=["space", "cart", "ground", "three axes"],
)
def test_through_zero(options):
    """k = 8 N/m, m = 2 kg: x = 0.2 + 0.3 cos 2t passes the fixed end, and the spring goes on pushing back from 0.2 m."""
    run = da.simulate(on_a_rail(**options), until=4.0, rtol=1e-11, atol=1e-12)
    length = 0.2 + 0.3 * np.cos(2 * run.t)
    assert run["cart.x"] == pytest.approx(length, abs=1e-9)
    assert run["s"].length == pytest.approx(length, abs=1e-9) and run["s"].length.min() < -0.09
    assert run["s"].force[:, 0] == pytest.approx(-8.0 * (length - 0.2), abs=1e-8)
    assert run.energy.total == pytest.approx(np.full(len(run.t), 0.36), abs=1e-9)


def test_without_a_sign_the_spring_turns_over():
    """The distance of two points is never negative: beyond the fixed end the same spring pushes the other way."""
    run = da.simulate(on_a_rail(along=None), until=2.0)
    assert np.max(np.abs(run["cart.x"] - (0.2 + 0.3 * np.cos(2 * run.t)))) > 0.01


def test_dampers_and_actuators():
    """x'' = -x'/2 for the damper; a constant force 3 N for the actuator: the sign of the direction, not of the distance."""
    for kind, options, found in (
        ("damper", {"damping": 1.0}, lambda t: -0.5 + 2 * (1 - np.exp(-t / 2))),
        ("actuator", {"force": 3.0}, lambda t: -0.5 + t + 0.75 * t**2),
    ):
        m = da.Mechanism("rail")
        cart = m.body("cart", da.block(0.1, 0.1, mass=2.0), at=(-0.5, 0), velocity=(1, 0))
        m.prismatic("rail", m.ground, cart, along=(1, 0))
        getattr(m, kind)("e", m.ground.point(0, 0), cart.center, along=(1, 0), **options)
        run = da.simulate(m, until=1.0)
        assert run["cart.x"] == pytest.approx(found(run.t), abs=1e-8)


def test_files_and_free_lengths(tmp_path):
    m = on_a_rail()
    da.write_model(m, tmp_path / "rail.toml")
    assert "along = [1, 0]" in (tmp_path / "rail.toml").read_text()
    again = da.read_model(tmp_path / "rail.toml")
    assert da.simulate(again, until=1.0)["cart.x"][-1] == da.simulate(m, until=1.0)["cart.x"][-1]
    m.spring("back", m.ground.point(1, 0), m["cart"].center, stiffness=1.0, free_length=-0.4, along=(1, 0))
    assert da.equilibrium(m)[0]["cart.x"] == pytest.approx((8 * 0.2 + 0.6) / 9)


def test_refusals():
    m = on_a_rail()
    with pytest.raises(da.ModelError, match="free_length"):
        m.spring("t", m.ground.point(0, 0), m["cart"].center, stiffness=1.0, free_length=-0.4)
    with pytest.raises(da.ModelError, match="a measure has its own direction"):
        m.spring("t", m["rail"].slide, stiffness=1.0, along=(1, 0))
    with pytest.raises(da.ModelError, match="zero length"):
        m.spring("t", m.ground.point(0, 0), m["cart"].center, stiffness=1.0, along=(0, 0))
