"""Bad input of rollers, knife edges and conditions on velocities: refused with the part named and a way out."""

import pytest

import dalembert as da


def flat():
    m = da.Mechanism("flat", plane=True)
    return m, m.body("b", mass=1.0, inertia=1.0)


def space():
    m = da.Mechanism("space", plane=False)
    return m, m.body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    "text",
    [
        "rate(b.x)**2 - 1", "rate(b.x)*rate(b.y)", "sin(rate(b.x))", "abs(rate(b.x))", "sign(rate(b.x)) + rate(b.x)",
        "rate(b.x)/rate(b.y)", "max(rate(b.x), 0)", "if_(rate(b.y) > 0, rate(b.x), 0)", "rate(b.x) + floor(rate(b.y))",
    ],
)  # fmt: skip
def test_not_linear_in_rates(text):
    m, _ = flat()
    with pytest.raises(da.ModelError, match="not linear in the rates") as error:
        m.pfaffian("p", text)
    assert "pfaffian 'p'" in error.value.asked and "rate(b.x)" in error.value.found
    assert "p" not in m


@pytest.mark.parametrize(
    "text, words",
    [
        ("b.x - 1", "needs rates"), (None, "missing"), (3.0, "needs rates"), ("rate(b.z)", "nothing has this name"),
        ("rate(b.x) +", "should follow"), ([1, 2], "expression"),
    ],
)  # fmt: skip
def test_no_condition_on_velocities(text, words):
    m, _ = flat()
    with pytest.raises(da.DalembertError, match="pfaffian 'p'") as error:
        m.pfaffian("p", text)
    assert words in str(error.value)


def test_linear_in_rates_with_factors_of_all_kinds():
    m, _ = flat()
    m.parameter("r", 0.3)
    for k, text in enumerate(
        ("r*rate(b.x)/cos(b.angle) - t", "if_(t < 1, rate(b.x), 2*rate(b.y))", "2*(rate(b.x) - b.y*rate(b.angle))")
    ):
        m.pfaffian(f"p{k}", text)


def test_rates_in_a_position_constraint_point_to_the_other_joint():
    m, _ = flat()
    with pytest.raises(da.ModelError, match="positions and time"):
        m.constraint("c", "rate(b.x) - 1")


@pytest.mark.parametrize(
    "options, words",
    [
        ({}, "along is missing"),
        ({"along": (1, 0), "normal": (0, 1)}, "normal"),
        ({"along": (0, 0)}, "along"),
    ],
)
def test_knife_edge(options, words):
    m, b = flat()
    with pytest.raises(da.ModelError, match=words):
        m.knife_edge("k", m.ground, b, **options)


def test_knife_edge_in_space_needs_a_normal():
    m, b = space()
    with pytest.raises(da.ModelError, match="normal is missing"):
        m.knife_edge("k", m.ground, b, along="x")


@pytest.mark.parametrize(
    "options, words",
    [
        ({"radius": 1.0}, "axis is missing"), ({"axis": "y"}, "radius is missing"), ({"radius": -1.0, "axis": "y"}, "above zero"),
        ({"radius": 1.0, "axis": "y", "tube": 2.0}, "tube"), ({"radius": 1.0, "axis": "y", "normal": (0, 0, 0)}, "normal"),
    ],
)  # fmt: skip
def test_disk(options, words):
    m, b = space()
    with pytest.raises(da.ModelError, match=words):
        m.rolling_disk("r", m.ground, b, **options)


def test_sphere():
    m, b = space()
    p = m.particle("p", mass=1.0)
    with pytest.raises(da.ModelError, match="no orientation"):
        m.rolling_sphere("r", m.ground, p, radius=1.0)
    with pytest.raises(da.ModelError, match="not on body 'ground'"):
        m.rolling_sphere("r", m.ground, b, radius=1.0, through=b.point(0, 0, 0))
    flat_model, flat_body = flat()
    with pytest.raises(da.ModelError, match="exists in space only"):
        flat_model.rolling_sphere("r", flat_model.ground, flat_body, radius=1.0)


@pytest.mark.parametrize(
    "options, words",
    [
        ({}, "neither meridian nor height"), ({"meridian": "1 - z**2", "height": "1"}, "meridian and height"), ({"height": "1 + d**4 - 3*d**2"}, "convex"), ({"height": "1 + x"}, "name 'x'"), ({"height": "sqrt(d)"}, "curvature"),
        ({"meridian": "1 + z**2", "span": (-1, 1)}, "convex"), ({"meridian": "1 - z", "span": (-1, 1)}, "convex"),
        ({"meridian": "1 - z**2"}, "span"), ({"meridian": "1 - z**2", "span": (1, -1)}, "two ends"),
        ({"meridian": "1 - z**2", "span": (-2, 2)}, "not negative"), ({"meridian": "1 - y**2", "span": (-1, 1)}, "name 'y'"),
        ({"meridian": [(0, 1)]}, "four points"), ({"meridian": "sqrt(z)", "span": (-1, 1)}, "finite"),
    ],
)  # fmt: skip
def test_surface(options, words):
    m, b = space()
    with pytest.raises(da.DalembertError, match="rolling_surface 'r'") as error:
        m.rolling_surface("r", m.ground, b, axis="y", **options)
    assert words in str(error.value)


def test_velocities_across_the_blade_are_refused():
    m = da.Mechanism("sleigh", plane=True)
    body = m.body("sleigh", mass=1.0, inertia=0.1, velocity=(1.0, 0.5))
    m.knife_edge("blade", m.ground, body, along=(1, 0))
    with pytest.raises(da.AssemblyError, match="'blade' by 0.5 m/s"):
        da.simulate(m, until=1.0)


def test_positions_that_follow_from_the_path_are_not_kinematics():
    # speed and steering are driven: all velocities follow, but positions depend on the way there
    m = da.Mechanism("cart", plane=True)
    cart = m.body("cart", mass=1.0, inertia=0.1)
    m.knife_edge("wheel", m.ground, cart, along=(1, 0))
    m.pfaffian("pull", "rate(wheel.speed) - 1", unit="m")
    m.drive("steer", cart.angle, "sin(t)")
    for verb in (da.kinematics, da.inverse_dynamics):
        with pytest.raises(da.ModelError, match="follow from velocities only") as error:
            verb(m, times=[0.0, 1.0])
        assert "'wheel'" in error.value.found and "simulate" in error.value.do
    # simulate follows the path, with the effort of the driver
    run = da.simulate(m, until=1.0, rtol=1e-11, atol=1e-12)
    assert run.status == "ok"
    # inertia times the angular acceleration -sin(t); the blade acts at the mass centre
    assert run["steer"].effort[-1] == pytest.approx(-0.1 * 0.8414709848, abs=1e-8)


def test_branches_of_equilibria_are_refused():
    m = da.Mechanism("cart", plane=True, gravity=(0, -1))
    m.parameter("k", 2.0)
    cart = m.body("cart", mass=1.0, inertia=0.1)
    m.knife_edge("wheel", m.ground, cart, along=(1, 0))
    m.spring("s", m.ground.point(0, 1), cart.point(0, 0), stiffness="k", free_length=0.0)
    with pytest.raises(da.MethodError, match="families"):
        da.equilibrium(m, along="k", between=(1.0, 3.0))


def test_disk_that_falls_flat_is_named():
    m = da.Mechanism("coin", plane=False, gravity=(0, 0, -9.81))
    c, s = 0.9950041652780258, 0.09983341664682815
    coin = m.body("coin", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0.3 * s, 0.3 * c), rotation=((1, 0, 0), -0.1))
    m.rolling_disk("table", m.ground, coin, radius=0.3, axis=coin.axis(0, 1, 0), through=(0, 0, 0))
    with pytest.raises(da.ConvergenceError, match="'table' has fallen flat") as error:
        da.simulate(m, until=3.0)  # outputs every 15 ms: the last one is far from the end
    assert "before it falls" in error.value.do
    # what was computed until then is there
    assert error.value.result.t[-1] > 0.5


@pytest.mark.parametrize("tube", [0.0, 0.05])
def test_disk_drawn_flat_has_no_contact_point(tube):
    m = da.Mechanism("coin", plane=False, gravity=(0, 0, -9.81))
    coin = m.body("coin", mass=1.0, inertia=(0.02, 0.02, 0.04), at=(0, 0, 0.3))
    m.rolling_disk("table", m.ground, coin, radius=0.3, tube=tube, axis="z")
    with pytest.raises(da.AssemblyError, match="'table' has no finite value in this pose") as error:
        da.simulate(m, until=1.0)
    assert "lies flat" in error.value.why and "nan" not in str(error.value)
