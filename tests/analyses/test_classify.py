"""classify: rows on rates that are, or are not, constraints on positions.

Growth vectors of wheeled vehicles are those of the literature: F. Jean, "The car with N trailers: characterisation of the singular
configurations", ESAIM COCV 1 (1996); A. M. Bloch, "Nonholonomic Mechanics and Control", 2nd ed., 2015 (knife edge, rolling disk).  All
others follow by hand from the brackets, which the tests say.
"""

import itertools
import sys

import numpy as np
import pytest

import dalembert as da
from dalembert.model.expression import parse
from dalembert.symbolic.nested import Program, times
from dalembert.symbolic.pfaffian import Numbers, Pfaffian, forms_of

KNIFE = ["sin(a)*rate(x) - cos(a)*rate(y)"]
UPRIGHT = ["rate(x) - r*cos(a)*rate(f)", "rate(y) - r*sin(a)*rate(f)"]
# theta tilt, phi heading, psi spin; the contact point rolls (LAGRANGE 2.2.2), the centre is at z = r cos(theta)
DISK = {
    "x": "rate(x) - r*cos(phi)*rate(psi) - r*(sin(theta)*cos(phi)*rate(phi) + cos(theta)*sin(phi)*rate(theta))",
    "y": "rate(y) - r*sin(phi)*rate(psi) - r*(sin(theta)*sin(phi)*rate(phi) - cos(theta)*cos(phi)*rate(theta))",
    "z": "rate(z) + r*sin(theta)*rate(theta)",
}
# two wheels (angles q3, q4) on one axle of length l with direction q5
AXLE = {
    "left": "cos(q5)*rate(x) + sin(q5)*rate(y) - l/2*rate(q5) - r*rate(q3)",
    "right": "cos(q5)*rate(x) + sin(q5)*rate(y) + l/2*rate(q5) - r*rate(q4)",
    "side": "sin(q5)*rate(x) - cos(q5)*rate(y)",
}
AXLE_Q = "x y q3 q4 q5"


def trailers(n):
    """Rows of a car that pulls n - 1 trailers, each hitched to the axle before it: n + 1 axles a0, a1, ..., the last at (x, y)."""
    q = ["x", "y", *(f"a{k}" for k in range(n + 1))]
    rows = []
    for k in range(n, -1, -1):
        dx = "rate(x)" + "".join(f" - sin(a{j})*rate(a{j})" for j in range(k + 1, n + 1))
        dy = "rate(y)" + "".join(f" + cos(a{j})*rate(a{j})" for j in range(k + 1, n + 1))
        rows.append(f"sin(a{k})*({dx}) - cos(a{k})*({dy})")
    return {"model": rows, "q": q}


def kinds(found):
    return [(row.exact, row.alone, row.integrable) for row in found.rows]


def spread(found):
    """Whether each integral stays constant along velocities that the rows allow, at a random position, by finite differences."""
    rng = np.random.default_rng(11)
    names = [*found.coordinates, "t"]
    parameters = {"r": 0.3, "l": 1.2}
    worst = 0.0
    for _ in range(3):
        point = dict(zip(names, rng.uniform(0.3, 0.9, len(names)))) | parameters
        rates = [f"rate({x})" for x in found.coordinates]
        rows = [row.expression for row in found.rows if not row.position]
        still = point | dict.fromkeys(rates, 0.0)
        a = np.array([[row.diff(x).evaluate(still) for x in rates] for row in rows])
        b = -np.array([row.evaluate(still) for row in rows])
        v = np.linalg.lstsq(a, b, rcond=None)[0]
        _, s, vt = np.linalg.svd(a)
        v = v + vt[np.sum(s > 1e-12) :].T @ rng.normal(size=len(v) - np.sum(s > 1e-12))
        for integral in found.integrals:
            h = 1e-5
            ends = [
                integral.expression.evaluate(
                    point | {x: point[x] + k * h * u for x, u in zip(found.coordinates, v)} | {"t": point["t"] + k * h}
                )
                for k in (-1, 1)
            ]
            worst = max(worst, abs(ends[1] - ends[0]) / (2 * h))
    return worst


# ---- the examples of the literature ------------------------------------------------------------------------------------


def test_a_row_that_needs_a_factor():
    found = da.classify(["y*rate(x) - x*rate(y)"], q="x y")
    assert found.verdict == "holonomic" and found.method == "symbolic and numeric"
    assert kinds(found) == [(False, True, True)]  # d(y/x) times x^2
    assert (found.n_coordinates, found.n_speeds, found.n_positions, found.degree) == (2, 1, 1, 1)
    assert found.growth == (1, 1)
    assert spread(found) < 1e-8


def test_rows_that_integrate_together_only():
    found = da.classify({"a": "rate(z) - y*rate(x)", "b": "rate(y)"}, q="x y z")
    assert found.verdict == "holonomic" and found.n_integrals == 2
    assert kinds(found) == [(False, False, True), (True, True, True)]
    assert {str(i) for i in found.integrals} == {"y = const", "z - x*y = const"}


def test_rotated_rows_integrate_together():
    # cos(z) dx + sin(z) dy and its normal: together dx = dy = 0, each alone a knife edge
    found = da.classify(["cos(z)*rate(x) + sin(z)*rate(y)", "cos(z)*rate(y) - sin(z)*rate(x)"], q="x y z")
    assert found.verdict == "holonomic" and kinds(found) == [(False, False, True)] * 2
    assert {str(i) for i in found.integrals} == {"x = const", "y = const"}


@pytest.mark.parametrize(
    ("rows", "q", "growth"),
    [
        (KNIFE, "x y a", (2, 3)),
        (UPRIGHT, "x y a f", (2, 3, 4)),
        ({k: DISK[k] for k in "xy"}, "theta phi psi x y", (3, 4, 5)),
    ],
    ids=["knife edge", "upright disk", "tilting disk"],
)
@pytest.mark.parametrize("method", ["symbolic", "numeric", "auto"])
def test_nonholonomic(rows, q, growth, method):
    parameters = {"r": 0.3} if "r*" in str(rows) else None
    found = da.classify(rows, q=q, parameters=parameters, method=method)
    assert found.verdict == "nonholonomic" and found.growth == growth
    assert found.n_positions == found.n_coordinates and not found.integrals
    assert found.degree == len(growth)
    assert kinds(found) == [(False, False, False)] * len(rows)


def test_axle():
    found = da.classify(AXLE, q=AXLE_Q, parameters={"l": 1.2, "r": 0.3})
    assert found.verdict == "partly integrable" and found.growth == (2, 3, 4, 4) and found.degree == 3
    assert (found.n_speeds, found.n_positions, found.n_integrals) == (2, 4, 1)
    # right - left: l q5' = r (q4' - q3'), though none of the rows is integrable
    assert [str(i) for i in found.integrals] == ["r*q3 - r*q4 + l*q5 = const"]
    assert kinds(found) == [(False, False, False)] * 3
    assert spread(found) < 1e-8


def test_l3_rolling_disk():
    found = da.classify(DISK, q="x y z theta phi psi", parameters={"r": 0.3})
    assert found.growth == (3, 4, 5, 5) and found.verdict == "partly integrable"
    assert kinds(found) == [(False, False, False), (False, False, False), (True, True, True)]
    assert [str(i) for i in found.integrals] == ["z - r*cos(theta) = const"]


def test_l2_differential_gear():
    # LAGRANGE 2.2.1: a t1' + b t3' = a t4', a t2' - b t3' = a t4'
    rows = ["a*rate(t1) + b*rate(t3) - a*rate(t4)", "a*rate(t2) - b*rate(t3) - a*rate(t4)"]
    found = da.classify(rows, q="t1 t2 t3 t4", parameters={"a": 0.2, "b": 0.07})
    assert found.verdict == "holonomic" and kinds(found) == [(True, True, True)] * 2
    assert found.n_integrals == len(found.integrals) == 2 and found.growth == (2, 2)


def test_car_and_trailer():
    car = ["sin(th)*rate(x) - cos(th)*rate(y)", "sin(th + ph)*rate(x) - cos(th + ph)*rate(y) - l*cos(ph)*rate(th)"]
    assert da.classify(car, q="x y th ph", parameters="l").growth == (2, 3, 4)
    pulled = [*car, "sin(b)*rate(x) - cos(b)*rate(y) + d*rate(b)"]
    found = da.classify(pulled, q="x y th ph b", parameters={"l": 1.3, "d": 0.8})
    assert found.method == "symbolic and numeric"
    assert found.verdict == "nonholonomic" and found.growth == (2, 3, 4, 5)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_trailers(n):
    # general position: every bracket adds one direction, degree n + 2 (Jean 1996)
    found = da.classify(**trailers(n), method="numeric")
    assert found.growth == tuple(range(2, n + 4)) and found.degree == n + 2
    assert found.verdict == "nonholonomic"


def test_trailers_by_formulas():
    assert da.classify(**trailers(3), method="symbolic").growth == (2, 3, 4, 5, 6)


def test_martinet_and_engel():
    # dz = y^2 dx (Martinet): (2, 3) at a general position, where y is not zero
    assert da.classify(["rate(z) - y**2*rate(x)"], q="x y z").growth == (2, 3)
    # chained form dc = b da, dd = c da (Engel)
    assert da.classify(["rate(c) - b*rate(a)", "rate(d) - c*rate(a)"], q="a b c d").growth == (2, 3, 4)


def test_five_variables():
    # Cartan's (2, 3, 5): fields d/dx and d/dy + x d/dz + z d/du + x^2 d/dv
    rows = ["rate(z) - x*rate(y)", "rate(u) - z*rate(y)", "rate(v) - x**2*rate(y)"]
    assert da.classify(rows, q="x y z u v").growth == (2, 3, 5)


def test_ball_on_plane():
    # sphere rolling on a plane, Euler angles z-x-z: three rotations and two contact rows, (3, 5)
    rows = [
        "rate(x) - r*(sin(p)*rate(th) - sin(th)*cos(p)*rate(s))",
        "rate(y) + r*(cos(p)*rate(th) + sin(th)*sin(p)*rate(s))",
    ]
    assert da.classify(rows, q="p th s x y", parameters={"r": 0.4}).growth == (3, 5)


def test_an_integral_with_a_parameter():
    # u' = k x y' + (1 - k) y x' and z' = x y': u - (2k - 1) z - (1 - k) x y stays constant
    rows = ["rate(z) - x*rate(y)", "rate(u) - k*x*rate(y) - (1 - k)*y*rate(x)"]
    one = da.classify(rows, q="x y z u", parameters={"k": 1.0})
    assert one.growth == (2, 3, 3) and one.n_integrals == 1 and one.verdict == "partly integrable"
    other = da.classify(rows, q="x y z u", parameters={"k": 0.25})
    assert other.growth == (2, 3, 3) and len(other.integrals) == 1
    value = other.integrals[0].expression
    at = {"x": 0.3, "y": 0.7, "z": 1.1, "u": 0.2, "k": 0.25}
    gradient = np.array([value.diff(x).evaluate(at) for x in "xyzu"])
    expected = np.array([-0.75 * 0.7, -0.75 * 0.3, 0.5, 1.0])
    assert np.allclose(gradient / gradient[3], expected, atol=1e-12)


# ---- time --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "exact", "verdict", "integral"),
    [
        ("rate(x) - t*rate(y) - y", True, "holonomic", "x - t*y = const"),  # d(x - t y)
        ("rate(x) - t*rate(y)", False, "nonholonomic", None),  # the same without its right side
        ("rate(x) - v*t", True, "holonomic", None),  # a moving guide
        ("rate(x) - sin(t)*y", False, "nonholonomic", None),
        ("x*rate(x) + y*rate(y) - t", True, "holonomic", None),  # a growing circle
    ],
)
def test_rows_with_time(row, exact, verdict, integral):
    found = da.classify([row], q="x y", parameters={"v": 2.0})
    assert found.rheonomic and found.verdict == verdict and found["row 1"].exact is exact
    assert found.n_integrals == (verdict == "holonomic") == len(found.integrals)
    if integral:
        assert str(found.integrals[0]) == integral


def test_a_row_that_is_holonomic_only_without_its_time_term():
    still = da.classify(["rate(x) - 2*rate(y)"], q="x y")
    moving = da.classify(["rate(x) - 2*rate(y) - k*y"], q="x y", parameters={"k": 0.5})
    assert still.verdict == "holonomic" and moving.verdict == "nonholonomic"
    # speeds 1; the bracket of the drift with the allowed velocity adds one: w ^ dw = -2k dx^dy^dt... does not vanish
    assert still.growth == (1, 1) and moving.growth == (1, 2)


def test_an_integrating_factor_of_time():
    # x' = x t: d(log x - t^2/2)
    found = da.classify(["rate(x) - x*t"], q="x")
    assert found.verdict == "holonomic" and kinds(found) == [(False, True, True)]
    assert found.n_speeds == 0 and found.n_positions == 0
    value = found.integrals[0].expression
    assert (
        abs(value.diff("x").evaluate({"x": 0.7, "t": 0.4}) * 0.28 + value.diff("t").evaluate({"x": 0.7, "t": 0.4}))
        < 1e-12
    )


def test_disk_on_a_turning_table():
    # a knife edge on a table that turns: the same velocities relative to the table, (2, 3)
    row = "sin(a)*(rate(x) + w*y) - cos(a)*(rate(y) - w*x)"
    found = da.classify([row], q="x y a", parameters={"w": 0.8})
    assert found.rheonomic and found.growth == (2, 3) and found.verdict == "nonholonomic"


# ---- invariances -------------------------------------------------------------------------------------------------------


def test_combinations_and_factors_of_rows_change_nothing():
    rows = list(AXLE.values())
    mixed = [f"(2 + x**2)*({rows[0]})", f"({rows[1]}) - sin(q3)*({rows[2]})", f"({rows[2]}) + 3*({rows[0]})"]
    found = da.classify(mixed, q=AXLE_Q, parameters={"l": 1.2, "r": 0.3})
    assert found.growth == (2, 3, 4, 4) and found.n_integrals == 1
    assert [str(i) for i in found.integrals] == ["r*q3 - r*q4 + l*q5 = const"]


def test_other_coordinates_change_nothing():
    # the knife edge in polar coordinates of its point: x = p cos b, y = p sin b
    row = "sin(a - b)*rate(p) - p*cos(a - b)*rate(b)"
    assert da.classify([row], q="p b a").growth == (2, 3)


def test_names_and_order_change_nothing():
    for order in itertools.islice(itertools.permutations(AXLE_Q.split()), 0, 120, 37):
        found = da.classify(AXLE, q=list(order), parameters={"l": 1.2, "r": 0.3}, method="numeric")
        assert found.growth == (2, 3, 4, 4)


@pytest.mark.parametrize("r", [1e-3, 1.0, 1e3])
def test_units_change_nothing(r):
    found = da.classify(AXLE, q=AXLE_Q, parameters={"l": 4 * r, "r": r})
    assert found.growth == (2, 3, 4, 4) and len(found.integrals) == 1


def test_free_coordinates_only_add():
    # a coordinate that no row knows
    assert da.classify(KNIFE, q="x y a free").growth == (3, 4)


def test_random_rows_agree_by_both_ways():
    # generic rows with polynomial coefficients: "auto" compares both ways and would raise; five coordinates, two rows: (3, 5)
    rng = np.random.default_rng(4)
    q = ["x", "y", "z", "u", "v"]
    for _ in range(4):
        rows = [
            " + ".join(
                f"({rng.integers(-3, 4)} + {rng.integers(1, 4)}*{a}*{b})*rate({c})"
                for a, b, c in zip(q, rng.permutation(q), q)
            )
            for _ in range(2)
        ]
        found = da.classify(rows, q=q)
        assert found.method == "symbolic and numeric" and found.growth == (3, 5)


def test_mixed_differentials_are_recognised():
    # differentials of two functions, mixed with coefficients that depend on the position: always holonomic
    f, g = parse("x*y + 3*sin(z) + u**2"), parse("z*u - 2*cos(x) + y")
    df, dg = (" + ".join(f"({h.diff(x)})*rate({x})" for x in "xyzu") for h in (f, g))
    found = da.classify([f"cos(y)*({df}) + x*({dg})", f"({dg})*cos(y) - x*({df})"], q="x y z u")
    assert found.verdict == "holonomic" and found.growth == (2, 2)
    assert kinds(found) == [(False, False, True)] * 2
    assert len(found.integrals) == 2 and spread(found) < 1e-8


@pytest.mark.parametrize(
    ("rows", "q"),
    [
        (["y*z*rate(x) + x*z*rate(y) + 2*x*y*rate(z)"], "x y z"),  # factor z: d(x y z^2)
        (["rate(y) + y*tan(x)*rate(x)"], "x y"),  # factor of one variable: y/cos(x)
        (["x*rate(y) - y*rate(x) - (x**2 + y**2)*rate(f)"], "x y f"),  # factor 1/(x^2 + y^2): an angle
        (["z*rate(x) - x*rate(z)", "rate(y) - y/x*rate(x)"], "x y z"),
        (["(1 + y**2)*(cos(x*u)*u*rate(x) + cos(x*u)*x*rate(u) + rate(y))"], "x y u"),  # sin(x u) + y
        (["rate(x) - x*cos(t)", "rate(y) - sqrt(x)*rate(x) - t*rate(z) - z"], "x y z"),
    ],
)
def test_integrals_are_found(rows, q):
    found = da.classify(rows, q=q)
    assert found.verdict == "holonomic" and len(found.integrals) == found.n_integrals == len(rows)
    assert spread(found) < 1e-8


def test_an_integral_without_formula_is_counted():
    # Riccati's equation y' = x^2 + y^2: Bessel functions, which expressions do not know
    found = da.classify(["rate(y) - (x**2 + y**2)*rate(x)"], q="x y")
    assert found.verdict == "holonomic" and found.n_integrals == 1 and found.integrals == ()
    assert "1 more, not found as a formula" in str(found)


# ---- Lagrangian --------------------------------------------------------------------------------------------------------


def test_lagrangian_with_both_kinds_of_rows():
    rows = {"x": DISK["x"], "y": DISK["y"]}
    m = da.Lagrangian(
        "x y z theta phi psi", kinetic="(rate(x)**2 + rate(y)**2 + rate(z)**2)/2", holonomic={"touch": "z - r*cos(theta)"},
        nonholonomic=rows, parameters={"r": 0.3}, name="disk",
    )  # fmt: skip
    m.start("theta", 0.3)
    found = da.classify(m)
    assert found.growth == (3, 4, 5, 5) and found.name == "disk"
    assert found["touch"].position and found["touch"].integrable and not found["x"].integrable
    assert [str(i) for i in found.integrals] == ["z - r*cos(theta) = 0"]


def test_rows_are_judged_where_the_holonomic_ones_hold():
    # on z = r cos(theta), 0 < theta < pi, the row z' + sqrt(r^2 - z^2) theta' = 0 says the same; elsewhere it does not
    m = da.Lagrangian(
        "z theta", holonomic={"touch": "z - r*cos(theta)"}, nonholonomic={"again": "rate(z) + sqrt(r**2 - z**2)*rate(theta)"},
        parameters={"r": 0.5},
    )  # fmt: skip
    m.start("theta", 1.2)
    m.start("z", 0.2)
    for method in ("numeric", "symbolic", "auto"):
        found = da.classify(m, method=method)
        assert found.n_speeds == 1 and found.n_integrals == 1, method
        assert len(found.dependent) == 1 and "'again'" in found.dependent[0]


@pytest.mark.parametrize(
    "row", ["rate(q1) - sin(q2 + q0)", "0.7*q1*rate(q0) + rate(q1) + exp(q1)*rate(q2) - sin(q2 + q0)"]
)
def test_a_position_row_stays_an_integral(row):
    # numbers such as 49/100 in brackets must have fifty digits like all others
    m = da.Lagrangian("q0 q1 q2", holonomic={"h": "q0**2 + q1 - 0.7*sin(q2) - 0.2"}, nonholonomic=[row])
    found = da.classify(m)
    assert found.method == "symbolic and numeric" and found.growth == (1, 2, 2) and found["h"].integrable


def test_free_system():
    found = da.classify(da.Lagrangian("x y", kinetic="rate(x)**2"))
    assert found.verdict == "free" and found.holonomic and found.growth == (2,) and found.n_positions == 2


def test_splines_by_numbers():
    cam = da.spline([0.0, 1.0, 2.0, 3.0], [0.0, 0.4, 0.1, 0.3], name="cam")
    m = da.Lagrangian("x y", nonholonomic={"cam": parse("rate(y)") - cam(parse("x")) * parse("rate(x)")})
    m.start("x", 1.5)
    found = da.classify(m)
    assert found.method == "numeric" and found.verdict == "holonomic" and found["cam"].exact
    assert "not found as a formula" in str(found)
    with pytest.raises(da.MethodError, match="splines"):
        da.classify(m, method="symbolic")


def test_sympy_rows():
    import sympy

    t = sympy.Symbol("t")
    x, y, a = (sympy.Function(n)(t) for n in "xya")
    found = da.classify([sympy.sin(a) * x.diff(t) - sympy.cos(a) * y.diff(t)], q=[x, y, a])
    assert found.growth == (2, 3) and found.coordinates == ("x", "y", "a")


def test_without_sympy(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    found = da.classify(AXLE, q=AXLE_Q, parameters={"l": 1.2, "r": 0.3})
    assert found.method == "numeric" and found.growth == (2, 3, 4, 4) and not found.integrals
    with pytest.raises(da.MethodError, match="SymPy is not installed"):
        da.classify(KNIFE, q="x y a", method="symbolic")


def test_numeric_does_not_import_sympy():
    import subprocess

    code = "import sys, dalembert as da\nda.classify(['sin(a)*rate(x) - cos(a)*rate(y)'], q='x y a', method='numeric')\nprint('sympy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_large_systems_by_numbers():
    # twelve knife edges side by side: 36 coordinates, 24 speeds, all positions reached in one bracket each
    q, rows = [], []
    for k in range(12):
        q += [f"x{k}", f"y{k}", f"a{k}"]
        rows.append(f"sin(a{k})*rate(x{k}) - cos(a{k})*rate(y{k})")
    found = da.classify(rows, q=q)
    assert found.method == "numeric" and found.growth == (24, 36)
    # their directions tied to each other, by rows with a factor: eleven integrals a_k - a_k+1
    rows += [f"(2 + x{k})*(rate(a{k}) - rate(a{k + 1}))" for k in range(11)]
    found = da.classify(rows, q=q)
    assert found.n_integrals == 11 and found.verdict == "partly integrable"
    assert [row.integrable for row in found.rows] == [k >= 12 for k in range(23)]


# ---- dependent and contradictory rows ----------------------------------------------------------------------------------


def test_dependent_rows_are_told():
    found = da.classify([*KNIFE, "2*sin(a)*rate(x) - 2*cos(a)*rate(y)"], q="x y a")
    assert found.growth == (2, 3) and found.dependent == ("'row 2' = 2 'row 1'",)
    found = da.classify({"a": "rate(x) + rate(y)", "b": "rate(y) - z*rate(z)", "c": "rate(x) + z*rate(z)"}, q="x y z")
    assert found.dependent == ("'c' = 'a' - 'b'",) and found.n_speeds == 1
    found = da.classify({"a": "rate(x)", "b": "rate(y)", "c": "y*rate(x) + x*rate(y)"}, q="x y z")
    assert found.dependent == ("'c' follows from 'a', 'b'",)
    found = da.classify({"a": "rate(x)", "nothing": "(sin(x)**2 + cos(x)**2 - 1)*rate(y)"}, q="x y")
    assert found.dependent == ("'nothing' says nothing: its coefficients vanish",) and found.n_speeds == 1


def test_third_wheel_on_an_axle():
    rows = AXLE | {"middle": "cos(q5)*rate(x) + sin(q5)*rate(y) - r/2*(rate(q3) + rate(q4))"}
    found = da.classify(rows, q=AXLE_Q, parameters={"l": 1.2, "r": 0.3})
    assert found.dependent == ("'middle' = 0.5 'left' + 0.5 'right'",) and found.growth == (2, 3, 4, 4)


@pytest.mark.parametrize("method", ["auto", "numeric", "symbolic"])
def test_contradictions_name_the_rows(method):
    with pytest.raises(da.ModelError) as caught:
        da.classify(
            {"p": "rate(x) - rate(y)", "q": "rate(z)", "r": "2*rate(x) - 2*rate(y) - 1"}, q="x y z", method=method
        )
    text = str(caught.value)
    assert "'p', 'r'" in text and "'q'" not in text and "1 = 0" in text
    # rates that agree where y = 1 only
    with pytest.raises(da.ModelError, match="contradict"):
        da.classify(["rate(x) - 1", "rate(x) - y"], q="x y", method=method)
    with pytest.raises(da.ModelError, match="without any rate"):
        da.classify(["(sin(x)**2 + cos(x)**2 - 1)*rate(x) - 2"], q="x", method=method)


def test_contradictory_positions():
    m = da.Lagrangian("x y", holonomic={"here": "x**2 + y**2 - 1", "there": "x - 3"})
    with pytest.raises(da.AssemblyError, match="here|there"):
        da.classify(m)


@pytest.mark.parametrize(
    ("model", "options", "text"),
    [
        (KNIFE, {}, "coordinates are not known"),
        (3, {"q": "x"}, "a Lagrangian or rows are needed"),
        (KNIFE, {"q": "x y"}, "neither a coordinate"),
        (["rate(x) - k"], {"q": "x"}, "'k'"),
        (["rate(x)**2"], {"q": "x"}, "not linear"),
        (["x*y"], {"q": "x y"}, "no rate"),
        (KNIFE, {"q": "x y a", "method": "symbolc"}, "did you mean 'symbolic'"),
        (KNIFE, {"q": "x y a", "depth": 0}, "depth"),
        (KNIFE, {"q": "x y a", "parameters": 3}, "names or values"),
        (["sqrt(-1 - x**2)*rate(x)"], {"q": "x"}, "no finite value"),
        (["rate(x)/0"], {"q": "x"}, "no finite value"),
        (KNIFE, {"q": "x y a", "depht": 3}, "depth"),
    ],
)
def test_bad_input(model, options, text):
    with pytest.raises(da.DalembertError) as caught:
        da.classify(model, **options)
    assert text in str(caught.value)


def test_lagrangian_has_its_own_coordinates():
    with pytest.raises(da.MethodError, match="its own"):
        da.classify(da.Lagrangian("x"), q="x")


def test_depth_is_told():
    with pytest.raises(da.MethodError, match="has not ended"):
        da.classify(**trailers(3), method="numeric", depth=3)


def test_unknown_row():
    with pytest.raises(da.MethodError, match="did you mean 'row 1'"):
        da.classify(KNIFE, q="x y a")["row1"]


# ---- the parts ---------------------------------------------------------------------------------------------------------


def test_report():
    assert str(da.classify(AXLE, q=AXLE_Q, parameters={"l": 1.2, "r": 0.3})) == (
        "constraints of 'rows': partly integrable, 1 integral\n"
        "  coordinates  5: x, y, q3, q4, q5\n"
        "  speeds       2 = 5 - 3 independent rows\n"
        "  positions    4 = 5 - 1 integral\n"
        "  growth       (2, 3, 4, 4), degree of nonholonomy 3\n"
        "\n"
        "  row    as written  alone         together\n"
        "  left   not exact   nonholonomic  nonholonomic\n"
        "  right  not exact   nonholonomic  nonholonomic\n"
        "  side   not exact   nonholonomic  nonholonomic\n"
        "\n"
        "  integral     r*q3 - r*q4 + l*q5 = const"
    )


@pytest.mark.parametrize(
    "text",
    ["sin(x)*exp(x)/(2 + cos(x))", "sqrt(1 + x**2)*log(2 + x)", "atan(x)*asin(x/3) + acos(x/4)", "atan2(x, 0.2)*tanh(x)",
     "(1.5 + x)**2.5 + x**3", "(2 + x)**x", "hypot(x, 1)*tan(x)", "sinh(x)*cosh(x)/(1 + x)**2", "max(x, 0.1)*abs(x - 3)", "log10(2 + x)"],
)  # fmt: skip
def test_nested_parts_are_derivatives(text):
    # the coefficient of e1 e2 e3 of f(x + e1 + e2 + e3) is f''', here against the derivatives of the tree
    f = parse(text)
    x = np.array([0.3, 1, 1, 0, 1, 0, 0, 0])
    (made,) = Program([f])({"x": x}, 8)
    for bits, order in ((0, 0), (1, 1), (3, 2), (7, 3)):
        expected = f
        for _ in range(order):
            expected = expected.diff("x")
        assert abs(made[bits] - expected.evaluate({"x": 0.3})) < 1e-11 * max(1, abs(made[bits]))


def test_products_of_many_parts():
    # by halves and by table give the same
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 128))
    made = times(x, y)
    for target in (0, 5, 77, 127):
        direct = sum(x[i] * y[target ^ i] for i in range(128) if not i & ~target)
        assert abs(made[target] - direct) < 1e-12 * 128


def test_brackets_by_hand():
    # knife edge with free coordinates: X_1 = d/da, X_2 = (cos a d/dx + sin a d/dy)/c, [X_1, X_2] is across
    q = ("x", "y", "a")
    rows = forms_of(q, {}, {"k": parse(KNIFE[0])})
    numbers = Numbers(Pfaffian("k", q, rows, {}, (0.0, 0.0, 0.0)))
    point = np.array([0.2, 0.1, 0.4, 0.0])
    # solved for y': y' = tan(a) x'; fields (1, tan a, 0) and (0, 0, 1); [X_a, X_x] = (0, 1/cos^2 a, 0)
    found = numbers.bracket([(0, 1)], (1, 0), point[:, None])[:, 0]
    assert np.allclose(found, [0, 1 / np.cos(0.4) ** 2, 0, 0], atol=1e-14)
    again = numbers.bracket([(0, 1)], (1, 1, 0), point[:, None])[:, 0]
    assert np.allclose(again, [0, 2 * np.tan(0.4) / np.cos(0.4) ** 2, 0, 0], atol=1e-14)


def test_disagreement_is_an_error(monkeypatch):
    from dataclasses import replace

    from dalembert.symbolic.pfaffian import numeric_flag as right

    monkeypatch.setattr("dalembert.analyses.classify.numeric_flag", lambda *a: replace(right(*a), growth=(2, 2)))
    with pytest.raises(da.MethodError, match="disagree"):
        da.classify(KNIFE, q="x y a")


def rolling_axle():
    """Two wheels on a shaft in space, L6."""
    m = da.Mechanism("axle", plane=False)
    wheels = [
        m.body(name, mass=1.0, inertia=(0.1, 0.2, 0.1), at=(0, y, 0.25)) for name, y in (("left", 0.4), ("right", -0.4))
    ]
    m.revolute("shaft", *wheels, at=(0, 0, 0.25), axis="y")
    for wheel in wheels:
        m.rolling_disk(f"{wheel.name}_floor", m.ground, wheel, radius=0.25, axis="y", through=(0, 0, 0))
    return m


def test_mechanisms():
    """Seven coordinates of the axle: two heights and the integral of L6 leave (2, 3, 4, 4); a sleigh in the plane has none."""
    found = da.classify(rolling_axle())
    assert found.growth == (2, 3, 4, 4) and found.n_integrals == 3 and found.n_speeds == 2
    m = da.Mechanism("sleigh")
    body = m.body("sleigh", mass=1.0, inertia=0.5)
    m.knife_edge("blade", m.ground, body, along=(1, 0))
    found = da.classify(m)
    assert found.growth == (2, 3) and found.n_integrals == 0


@pytest.mark.parametrize("seed", range(6))
def test_coordinates_that_rows_hold_are_no_units(seed):
    """The height of the axle moves by rounding only; at every random point the closure has four dimensions."""
    from dalembert.symbolic.pfaffian import Pfaffian, forms_of, numeric_flag

    m = da.lagrangian_of(rolling_axle())
    rows = forms_of(m.q, m.holonomic, m.nonholonomic)
    near = tuple(
        m.guesses.get(x, m.starts[x].value if x in m.starts and m.starts[x].value is not None else 0.0) for x in m.q
    )
    system = Pfaffian(m.name, m.q, rows, m.parameters, near)
    assert numeric_flag(system, 12, seed=seed).growth == (2, 3, 4, 4)
