"""Equations come out as short as the textbook has them, and are those of the unsimplified system."""

import pytest
import sympy as sp

import dalembert as da
from dalembert.symbolic.simplify import fourier, tidy
from tests.symbolic import machines


def test_rows_are_printed_as_given():
    """A loop of four bars stays as it was written: no term moves, no square is multiplied out."""
    m = da.Lagrangian(
        "phi1 phi2 phi3", kinetic="J*(rate(phi1)**2 + rate(phi2)**2 + rate(phi3)**2)/2",
        parameters={"J": 1.0, "l1": 0.2, "l2": 0.6, "l3": 0.5, "l4": 0.5},
        holonomic={
            "x": "l1*cos(phi1) + l2*cos(phi2) - l3*cos(phi3) - l4",
            "y": "l1*sin(phi1) + l2*sin(phi2) - l3*sin(phi3)",
        },
    )  # fmt: skip
    for form in ("multipliers", "hamilton"):
        text = str(da.equations(m, form=form))
        assert "l1*cos(phi1) + l2*cos(phi2) - l3*cos(phi3) - l4 = 0" in text
        assert "l1*sin(phi1) + l2*sin(phi2) - l3*sin(phi3) = 0" in text
    latex = da.equations(m).latex()
    assert latex.index(r"l_{1} \cos{\left(\varphi_{1} \right)} + ") < latex.index("- l_{4} = 0")
    square = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", holonomic={"circle": "(x - 1)**2 + y**2 - 4"},
                           nonholonomic={"knife": "sin(x)*rate(x) - cos(x)*(rate(y) - 2)"})  # fmt: skip
    text = str(da.equations(square))
    assert "(x - 1)**2 + y**2 - 4 = 0" in text and "x'*sin(x) - (y' - 2)*cos(x) = 0" in text


def test_rows_of_a_mechanism_are_tidied():
    """Nobody wrote these: half lengths of bars that a conversion adds up are added up."""
    m = da.Mechanism("loop", plane=True)
    r, b = m.parameter("r", 0.2), m.parameter("b", 0.5)
    crank = m.body("crank", da.rod(length=r, mass=1.0), at=(r / 2, 0))
    rod = m.body("rod", da.rod(length=b, mass=2.0), at=(r + b / 2, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, m.ground, at=rod.end)
    assert "    b*(1 - cos(theta_B)) + r*(1 - cos(theta_O)) = 0\n    b*sin(theta_B) - r*sin(theta_O) = 0" in str(
        da.equations(m, form="multipliers")
    )


def test_what_folding_rounds_is_no_term():
    """9.81 times 0.1 is 0.981 in the potential energy, as 9.81 and 0.1 are in the work of the weight: nothing is left on the right."""
    m = da.Mechanism("two bars", plane=True, gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(m.parameter("r", 0.2), 0))
    text = str(da.equations(m, form="newton-euler"))
    assert "e-16" not in text and "belong to no part" not in text


def test_sums_begin_without_minus():
    m = da.Lagrangian(
        "r", kinetic="m*rate(r)**2/2", potential="k*(r - l)**2/2", parameters={"m": 1.0, "k": 2.0, "l": 0.5}
    )
    form = da.equations(m)
    assert "m*r'' + k*(r - l) = 0" in str(form)
    assert r"\left(r - l\right)" in form.latex()


def pendulum_on_a_cart():
    m = da.Lagrangian("x phi", gravity=(0, "-g"), parameters={"M": 2.0, "m": 1.0, "l": 0.5, "g": 9.81})
    m.particle("cart", "M", at=("x", 0))
    m.particle("bob", "m", at=("x + l*sin(phi)", "-l*cos(phi)"))
    return m


def double_pendulum():
    m = da.Lagrangian("a b", gravity=(0, "-g"), parameters={"m1": 1.0, "m2": 2.0, "l1": 1.0, "l2": 0.7, "g": 9.81})
    m.particle("upper", "m1", at=("l1*sin(a)", "-l1*cos(a)"))
    m.particle("lower", "m2", at=("l1*sin(a) + l2*sin(b)", "-l1*cos(a) - l2*cos(b)"))
    return m


def spherical_pendulum():
    m = da.Lagrangian("theta psi", gravity=(0, 0, "-g"), parameters={"m": 1.0, "l": 0.5, "g": 9.81})
    m.particle("bob", "m", at=("l*sin(theta)*cos(psi)", "l*sin(theta)*sin(psi)", "-l*cos(theta)"))
    return m


def elastic_pendulum():
    m = da.Lagrangian(
        "r phi", gravity=(0, "-g"), potential="k*(r - l)**2/2", parameters={"m": 1.0, "l": 0.5, "k": 90.0, "g": 9.81}
    )
    m.particle("bob", "m", at=("r*sin(phi)", "-r*cos(phi)"))
    return m


def planet():
    m = da.Lagrangian("r phi", potential="-mu*m/r", parameters={"m": 1.0, "mu": 1.0})
    m.particle("planet", "m", at=("r*cos(phi)", "r*sin(phi)"))
    return m


def bead_on_a_turning_hoop():
    m = da.Lagrangian("theta", gravity=(0, 0, "-g"), parameters={"m": 1.0, "R": 0.5, "w": 3.0, "g": 9.81})
    m.particle("bead", "m", at=("R*sin(theta)*cos(w*t)", "R*sin(theta)*sin(w*t)", "-R*cos(theta)"))
    return m


def atwood():
    m = da.Lagrangian("x", gravity=(0, "-g"), parameters={"m1": 1.0, "m2": 2.0, "g": 9.81})
    m.particle("left", "m1", at=(0, "-x"))
    m.particle("right", "m2", at=(1, "x"))
    return m


def turned_body(A, B, C, **given):
    m = da.Lagrangian("psi theta phi", **given)
    m.body(
        "body",
        given["parameters"].get("m", 1.0),
        (A, B, C),
        at=(0, 0, 0),
        turns=[("z", "psi"), ("x", "theta"), ("z", "phi")],
    )
    return m


def free_body():
    return turned_body("A", "B", "C", parameters={"A": 1.0, "B": 2.0, "C": 2.5})


def heavy_top():
    return turned_body(
        "A", "A", "C", potential="m*g*l*cos(theta)", parameters={"A": 0.01, "C": 0.005, "m": 1.0, "l": 0.1, "g": 9.81}
    )


def ball_in_a_cylinder():
    """A ball of radius r rolls inside of an upright cylinder; its centre is at the distance R from the axis."""
    m = da.Lagrangian(
        "alpha z psi theta phi", gravity=(0, 0, "-g"), parameters={"m": 1.0, "r": 0.1, "R": 0.5, "J": 0.004, "g": 9.81}
    )
    m.body(
        "ball",
        "m",
        ("J", "J", "J"),
        at=("R*cos(alpha)", "R*sin(alpha)", "z"),
        turns=[("z", "psi"), ("x", "theta"), ("z", "phi")],
    )
    m.pfaffian("around", "R*rate(alpha) + r*(rate(psi) + rate(phi)*cos(theta))")
    m.pfaffian("up", f"rate(z) + r*({_ACROSS})")
    return m


def sleigh():
    """Chaplygin's sleigh: its blade, at the distance a behind the mass centre, does not move sideways."""
    m = da.Lagrangian("x y phi", parameters={"m": 1.0, "a": 0.3, "J": 0.2})
    m.body("sleigh", "m", "J", at=("x", "y"), angle="phi")
    m.pfaffian("blade", "rate(y)*cos(phi) - rate(x)*sin(phi) - a*rate(phi)")
    return m


# components of the angular velocity of z-x-z turns: in body axes; about the radius and across it
_SPIN = {
    "w1": "rate(psi)*sin(theta)*sin(phi) + rate(theta)*cos(phi)",
    "w2": "rate(psi)*sin(theta)*cos(phi) - rate(theta)*sin(phi)",
    "w3": "rate(psi)*cos(theta) + rate(phi)",
}
_X, _Y = (
    "(rate(theta)*cos(psi) + rate(phi)*sin(theta)*sin(psi))",
    "(rate(theta)*sin(psi) - rate(phi)*sin(theta)*cos(psi))",
)
_ACROSS = f"{_X}*sin(alpha) - {_Y}*cos(alpha)"
_ROLLING = {"n": f"{_X}*cos(alpha) + {_Y}*sin(alpha)", "a": "rate(alpha)", "u": "rate(z)"}
_SLIDING = {"u": "rate(x)*cos(phi) + rate(y)*sin(phi)", "w": "rate(phi)"}

# system, form with its options, and the equations of motion as textbooks print them, of which each is zero
CLASSICS = {
    "pendulum on a cart": (pendulum_on_a_cart, {}, [
        "(M + m)*x'' + m*l*cos(phi)*phi'' - m*l*phi'**2*sin(phi)",
        "m*l*cos(phi)*x'' + m*l**2*phi'' + m*g*l*sin(phi)",
    ]),
    "double pendulum": (double_pendulum, {}, [
        "(m1 + m2)*l1**2*a'' + m2*l1*l2*cos(a - b)*b'' + m2*l1*l2*b'**2*sin(a - b) + (m1 + m2)*g*l1*sin(a)",
        "m2*l1*l2*cos(a - b)*a'' + m2*l2**2*b'' - m2*l1*l2*a'**2*sin(a - b) + m2*g*l2*sin(b)",
    ]),
    "spherical pendulum": (spherical_pendulum, {"form": "routh"}, [
        "m*l**2*theta'' - p_psi**2*cos(theta)/(m*l**2*sin(theta)**3) + m*g*l*sin(theta)",
    ]),
    "elastic pendulum": (elastic_pendulum, {}, [
        "m*r'' - m*r*phi'**2 + k*(r - l) - m*g*cos(phi)",
        "m*r**2*phi'' + 2*m*r*r'*phi' + m*g*r*sin(phi)",
    ]),
    "planet": (planet, {"form": "routh"}, ["m*r'' - p_phi**2/(m*r**3) + m*mu/r**2"]),
    "bead on a turning hoop": (bead_on_a_turning_hoop, {}, [
        "m*R**2*theta'' - m*R**2*w**2*sin(theta)*cos(theta) + m*g*R*sin(theta)",
    ]),
    "Atwood's machine": (atwood, {}, ["(m1 + m2)*x'' + (m2 - m1)*g"]),
    "Euler's equations": (free_body, {"form": "reduced", "quasi_velocities": _SPIN}, [
        "A*w1' - (B - C)*w2*w3", "B*w2' - (C - A)*w3*w1", "C*w3' - (A - B)*w1*w2",
    ]),
    "heavy top": (heavy_top, {"form": "routh"}, [
        "A*theta'' + (p_psi - p_phi*cos(theta))*(p_phi - p_psi*cos(theta))/(A*sin(theta)**3) - m*g*l*sin(theta)",
    ]),
    "ball in a cylinder": (ball_in_a_cylinder, {"form": "reduced", "quasi_velocities": _ROLLING}, [
        "J*n' - J*a*u/r", "R**2*(J/r**2 + m)*a'", "(J/r**2 + m)*u' + J*a*n/r + m*g",
    ]),
    "Chaplygin's sleigh": (sleigh, {"form": "reduced", "quasi_velocities": _SLIDING}, [
        "m*u' - m*a*w**2", "(J + m*a**2)*w' + m*a*u*w",
    ]),
    "upright disk": (machines.upright_disk, {"form": "reduced", "independent": ["theta", "phi"]}, [
        "A*theta''", "(C + m*r**2)*phi''",
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", CLASSICS)
def test_classics_are_as_short_as_in_books(name):
    """The same equations, up to a sign, with no more operations: those of the book are counted, not ours."""
    make, options, printed = CLASSICS[name]
    found = da.equations(make(), **options)
    assert len(found.residuals) >= len(printed)
    for residual, book in zip(found.residuals, printed):
        names = {x.name.replace("'", "_d"): x for x in residual.free_symbols}
        expected = sp.sympify(book.replace("'", "_d"), locals=names)
        assert not expected.free_symbols - residual.free_symbols
        assert any(sp.simplify(residual - sign * expected) == 0 for sign in (1, -1)), (residual, book)
        assert residual.count_ops() <= expected.count_ops() + 1, f"{residual} is longer than {book}"


@pytest.mark.parametrize("name", ["Euler's equations", "heavy top", "ball in a cylinder"])
def test_what_was_shortened_is_what_other_forms_say(name):
    """Accelerations at a state: those of Lagrange's equations with multipliers, which are not shortened in this way."""
    make, options, _ = CLASSICS[name]
    model = make()
    state = {"theta": 0.9, "psi": 0.4, "phi": -0.7, "rate(theta)": 0.8, "rate(psi)": -1.3, "rate(phi)": 2.1}
    if "alpha" in model.q:
        reduced = da.equations(model, **options)
        w = {
            "wx": 0.8 * sp.cos(0.4) + 2.1 * sp.sin(0.9) * sp.sin(0.4),
            "wy": 0.8 * sp.sin(0.4) - 2.1 * sp.sin(0.9) * sp.cos(0.4),
        }
        state |= {"alpha": 1.1, "rate(alpha)": float(-0.1 / 0.5 * (-1.3 + 2.1 * sp.cos(0.9)))}
        state["rate(z)"] = float(-0.1 * (w["wx"] * sp.sin(1.1) - w["wy"] * sp.cos(1.1)))
        assert reduced.model.q == model.q
    found = da.equations(model, **options).accelerations(state).accelerations
    expected = da.equations(model, form="multipliers").accelerations(state).accelerations
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_waves_have_one_form_as_sums():
    """Products of powers of sines and cosines are zero where they are: one pass of rewriting leaves products."""
    x, y = sp.symbols("x y", real=True)
    s, c = sp.sin, sp.cos
    hidden = c(y) * (s(x) ** 2 * c(x) ** 3 - s(x) ** 4 * c(x) - s(x) ** 2 * c(x) * c(2 * x))
    assert fourier(hidden) == 0 and tidy(hidden) == 0
    assert tidy((s(x) ** 2 + c(x) ** 2) * y + y) == 2 * y


def test_decimals_inside_of_products_and_lengths_that_meet_at_a_pin():
    """Numbers that nobody wrote: 1e-05*w**2*(6373*cos(b) + 12000)*sin(b) is w**2*(0.06373*cos(b) + 0.12)*sin(b); r/2 + r/2 is r."""
    from dalembert.symbolic.printing import text

    w, b = sp.symbols("w b", real=True)
    x = -sp.Rational(1, 100000) * w**2 * (6373 * sp.cos(b) + 12000) * sp.sin(b)
    assert text(x) == "-w**2*(0.06373*cos(b) + 0.12)*sin(b)"
    m = da.Lagrangian("x a", kinetic="rate(x)**2 + rate(a)**2", holonomic={"loop": "x - r*cos(a)/2 - 0.3 - r*cos(a)/2"}, parameters={"r": 0.2})  # fmt: skip
    assert "x - r*cos(a) - 3/10 = 0" in str(da.equations(m, form="multipliers"))


def test_function_of_gauss_has_no_long_numbers():
    """An inertia that varies: the square is not completed, as its middle would be a quotient of numbers with fifteen digits."""
    m = da.Lagrangian("a b", kinetic="(0.031865*cos(b)**2 + 0.12*cos(b) + 0.2337)*rate(a)**2/2 + 0.032135*rate(b)**2/2", forces={"a": 1.5})  # fmt: skip
    shown = str(da.equations(m, form="gauss"))
    assert "Z = (0.0159325*cos(b)**2 + 0.06*cos(b) + 0.11685)*a''**2" in shown and "00000" not in shown


def test_squares_of_rates_are_not_written_out():
    """Two bars in a row: the second turns by a' + b', and its mass centre is drawn inwards by the square of that."""
    m = da.Lagrangian("a b", parameters={"r": 0.2, "l": 0.5})
    m.particle("end", 1.0, at=("r*cos(a) + l*cos(a + b)", "r*sin(a) + l*sin(a + b)"))
    m.constraint("height", "r*sin(a) + l*sin(a + b)")
    text = str(da.equations(m, form="udwadia-kalaba"))
    assert "l*(a' + b')**2*sin(a + b)" in text and "2*a'*b'" not in text
    x, y = sp.symbols("x' y'", real=True)
    assert tidy(x**2 + 2 * x * y + y**2) == (x + y) ** 2 and tidy(x**2 + x * y + y**2 + 1) == x**2 + x * y + y**2 + 1
