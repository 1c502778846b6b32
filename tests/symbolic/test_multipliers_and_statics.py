"""K8 by seven coordinates and six rows with its pin forces; statics by virtual work: K2, K4, P7; reactions beside them."""

import math

import pytest
import sympy as sp

import dalembert as da
from tests.symbolic.machines import ENGINE, parameters, piston_engine, same, symbols


def test_k8_equations():
    form = da.equations(piston_engine(), form="multipliers")
    s = symbols(form, "x1", "theta", "phi", "s")
    ddx1, th, ddth, ph, ddph, dds = s[2], s[3], s[5], s[6], s[8], s[11]
    m1, m3, J1, J2, r, l, a, c, P, MT = parameters(form, "m1", "m3", "J1", "J2", "r", "l", "a", "c", "P", "MT")
    f1, f2, f3, f4, f5, f6 = (-x for x in form.lam)  # the source's multipliers have the other sign
    by = dict(zip(form.derivation.names, form.residuals))
    assert same(by["x1"], m1 * ddx1 - f3)
    assert same(by["s"], m3 * dds - f1 + P)
    crank = -MT + (f1 + f5) * r * sp.sin(th) - f2 * r * sp.cos(th) + c * (f3 * sp.sin(th) - f4 * sp.cos(th))
    assert same(by["theta"], J1 * ddth - crank)
    rod = l * (f1 * sp.sin(ph) + f2 * sp.cos(ph)) + f5 * a * sp.sin(ph) - f6 * (l - a) * sp.cos(ph)
    assert same(by["phi"], J2 * ddph - rod)


def engine_state(theta, rate):
    """A state that satisfies the rows, by geometry alone."""
    p = ENGINE
    phi = math.asin((p["r"] * math.sin(theta) - p["ecc"]) / p["l"])
    dphi = p["r"] * math.cos(theta) / (p["l"] * math.cos(phi)) * rate
    b = p["l"] - p["a"]
    return {
        "theta": theta, "phi": phi, "s": p["r"] * math.cos(theta) + p["l"] * math.cos(phi),
        "x1": p["c"] * math.cos(theta), "y1": p["c"] * math.sin(theta),
        "x2": p["r"] * math.cos(theta) + p["a"] * math.cos(phi), "y2": b * math.sin(phi) + p["ecc"],
        "rate(theta)": rate, "rate(phi)": dphi, "rate(s)": -p["r"] * math.sin(theta) * rate - p["l"] * math.sin(phi) * dphi,
        "rate(x1)": -p["c"] * math.sin(theta) * rate, "rate(y1)": p["c"] * math.cos(theta) * rate,
        "rate(x2)": -p["r"] * math.sin(theta) * rate - p["a"] * math.sin(phi) * dphi, "rate(y2)": b * math.cos(phi) * dphi,
    }  # fmt: skip


@pytest.mark.parametrize("theta", [0.3, 1.9, 4.0])
def test_k8_pin_and_wall_forces(theta):
    """Pin forces by Newton's equations of crank, rod and piston, against the combinations of multipliers of the source."""
    p = ENGINE
    state = engine_state(theta, 20.0)
    found = da.equations(piston_engine(), form="multipliers").accelerations(state)
    a = found.accelerations
    lam = {k: -x for k, x in found.multipliers.items()}  # as the source has them
    X12, Y12 = -(lam["f1"] + lam["f5"]), -lam["f2"]
    X01, Y01 = lam["f1"] + lam["f3"] + lam["f5"], lam["f2"] + lam["f4"]
    wall = lam["f6"] - lam["f2"]
    scale = max(abs(x) for x in lam.values())
    # crank: pins O and A; rod: -pin A and pin B; piston: -pin B, wall and P
    assert p["m1"] * a["x1"] == pytest.approx(X01 + X12, abs=1e-10 * scale)
    assert p["m1"] * a["y1"] == pytest.approx(Y01 + Y12, abs=1e-10 * scale)
    X23, Y23 = p["m2"] * a["x2"] + X12, p["m2"] * a["y2"] + Y12
    assert p["m3"] * a["s"] == pytest.approx(-X23 - p["P"], abs=1e-10 * scale)
    assert wall - Y23 == pytest.approx(0.0, abs=1e-10 * scale)
    # moments about the mass centres; pin A at r - c along the crank, the rod's pins at a and l - a along the rod
    s, c = math.sin(theta), math.cos(theta)
    crank = -p["MT"] + X01 * p["c"] * s - Y01 * p["c"] * c - X12 * (p["r"] - p["c"]) * s + Y12 * (p["r"] - p["c"]) * c
    assert p["J1"] * a["theta"] == pytest.approx(crank, abs=1e-10 * scale)
    # phi turns clockwise: the rod points along (cos phi, -sin phi) from A to B
    arm = math.cos(state["phi"]), -math.sin(state["phi"])
    moment = p["a"] * (arm[0] * Y12 - arm[1] * X12) + (p["l"] - p["a"]) * (arm[0] * Y23 - arm[1] * X23)
    assert p["J2"] * -a["phi"] == pytest.approx(moment, abs=1e-10 * scale)


def test_k8_inertia_by_the_reduced_form():
    """M of the one independent coordinate is I(theta), and I theta'' + I' theta'^2/2 = -P k_s - M_T."""
    form = da.equations(piston_engine(), form="reduced", independent=["theta"])
    p = ENGINE
    mA, mB = p["m2"] * (p["l"] - p["a"]) / p["l"], p["m2"] * p["a"] / p["l"]
    JAB = p["J2"] - p["m2"] * p["a"] * (p["l"] - p["a"])

    def k(theta):
        phi = math.asin((p["r"] * math.sin(theta) - p["ecc"]) / p["l"])
        return -p["r"] * (math.sin(theta) + math.cos(theta) * math.tan(phi)), p["r"] * math.cos(theta) / (
            p["l"] * math.cos(phi)
        )

    def inertia(theta):
        ks, kphi = k(theta)
        return p["J1"] + p["m1"] * p["c"] ** 2 + mA * p["r"] ** 2 + (p["m3"] + mB) * ks**2 + JAB * kphi**2

    theta, rate = 1.1, 7.0
    state = engine_state(theta, rate)
    values = form.read_state(state)
    assert form.derivation.numbers([form.M[0]])(values)[0] == pytest.approx(inertia(theta), rel=1e-12)
    h = 1e-5
    slope = (inertia(theta + h) - inertia(theta - h)) / (2 * h)
    expected = (-p["P"] * k(theta)[0] - p["MT"] - slope * rate**2 / 2) / inertia(theta)
    # central difference: h^2 relative to a smooth function, 1e-9
    assert form.accelerations(state).accelerations["theta"] == pytest.approx(expected, rel=1e-7)


# -- statics -----------------------------------------------------------------------------------------------------------


def test_k2_bar_held_against_wall_and_floor():
    """P = M g tan(theta)/2 with theta from the wall; with redundant coordinates the reactions are multipliers."""
    m = da.Lagrangian(
        "theta", gravity=(0, "-g"), parameters={"M": 2.0, "l": 1.0, "g": 9.81, "P": 1.0}, name="ladder",
    )  # fmt: skip
    m.body("bar", "M", "M*l**2/12", at=("l/2*sin(theta)", "l/2*cos(theta)"), angle="theta")
    m.force("P", ("l*sin(theta)", 0), ("-P", 0))
    form = da.equations(m, form="virtual-work", unknown="P")
    (th,) = symbols(form, "theta")[:1]
    M, g = parameters(form, "M", "g")
    assert same(form.solution, M * g * sp.tan(th) / 2)
    free = da.Lagrangian(
        "x y theta", gravity=(0, "-g"), parameters={"M": 2.0, "l": 1.0, "g": 9.81, "P": 1.0}, name="ladder",
        holonomic={"wall": "x - l/2*sin(theta)", "floor": "y - l/2*cos(theta)"},
    )  # fmt: skip
    bar = free.body("bar", "M", "M*l**2/12", at=("x", "y"), angle="theta")
    free.force("P", bar, ("-P", 0), at=(0, "-l/2"))
    held = da.equations(free, form="virtual-work", unknown="P", independent=["theta"])
    assert same(held.solution, M * g * sp.tan(th) / 2)
    solved = sp.solve([x.subs(sp.Symbol("P", real=True), held.solution) for x in held.balance], held.lam, dict=True)[0]
    wall, floor = held.lam
    # wall pushes along +x with P, floor along +y with M g; reactions are -J^T lam
    assert same(-solved[wall], M * g * sp.tan(th) / 2) and same(-solved[floor], M * g)


def test_k4_slider_crank_held():
    """Two equal bars (half-length l, mass m), phi = 30 degrees: Z = -sqrt(3)/2 m g."""
    m = da.Lagrangian(
        "phi", gravity=(0, "-g"), parameters={"m": 1.0, "l": 0.5, "g": 9.81, "Z": 0.0}, name="slider-crank"
    )
    m.body("crank", "m", "m*l**2/3", at=("l*cos(phi)", "l*sin(phi)"), angle="phi")
    m.body("rod", "m", "m*l**2/3", at=("3*l*cos(phi)", "l*sin(phi)"), angle="-phi")
    m.force("Z", ("4*l*cos(phi)", 0), ("Z", 0))
    form = da.equations(m, form="virtual-work", unknown="Z")
    mass, g = parameters(form, "m", "g")
    assert same(form.solution.subs(form.symbols["phi"], sp.pi / 6), -sp.sqrt(3) / 2 * mass * g)


def test_p7_torsion_spring():
    m = da.Lagrangian(
        "phi",
        potential="k*(phi - phi0)**2/2 + m*g*l*sin(phi)",
        parameters={"k": 1.0, "phi0": 0.2, "m": 1.0, "g": 9.81, "l": 0.3},
    )
    form = da.equations(m, form="virtual-work")
    phi = form.symbols["phi"]
    k, phi0, mass, g, l = parameters(form, "k", "phi0", "m", "g", "l")
    assert same(form.residuals[0], k * (phi - phi0) + mass * g * l * sp.cos(phi))


def test_forces_at_rest_have_no_rates():
    m = da.Lagrangian(
        "x", potential="k*x**2/2", dissipation="c*rate(x)**2/2", forces={"x": "f - d*rate(x)"},
        parameters={"k": 1.0, "c": 0.2, "f": 3.0, "d": 0.1},
    )  # fmt: skip
    form = da.equations(m, form="virtual-work", unknown="f")  # no inertia is needed for rest
    assert same(form.solution, form.symbols["k"] * form.symbols["x"])


def test_unknown_load_that_does_no_work():
    m = da.Lagrangian("x", potential="k*x**2/2 + p", parameters={"k": 1.0, "p": 1.0})
    with pytest.raises(da.ModelError, match="does no virtual work"):
        da.equations(m, form="virtual-work", unknown="p")
    with pytest.raises(da.ModelError, match="no parameter"):
        da.equations(m, form="virtual-work", unknown="q")
