"""How equations look: text with the user's names, LaTeX, pages that need nothing from elsewhere."""

import re
import xml.etree.ElementTree as ET
from importlib.resources import files

import pytest
import sympy as sp

import dalembert as da
from dalembert.symbolic.headings import as_latex
from dalembert.symbolic.printing import latex, mathml, text
from dalembert.symbolic.sheet import Equation, Section, Sheet
from dalembert.symbolic.wrapping import extent
from tests.symbolic import machines

FORMS = (
    "newton-euler",
    "dalembert",
    "virtual-work",
    "lagrange",
    "multipliers",
    "reduced",
    "hamilton",
    "hamilton-principle",
    "variational",
    "jourdain",
    "maggi",
    "kane",
    "gibbs-appell",
    "gauss",
    "udwadia-kalaba",
)


def test_text_of_the_pendulum():
    assert str(da.equations(machines.pendulum(), form="lagrange")) == (
        "Lagrange's equations of 'pendulum'\n"
        "  energies\n"
        "    T = l**2*m/2*theta'**2\n"
        "    V = -g*l*m*cos(theta)\n"
        "  d/dt dL/dq' - dL/dq = Q\n"
        "    l**2*m*theta'' + g*l*m*sin(theta) = 0"
    )


def test_decimals_stay_decimals():
    m = da.Lagrangian("x", kinetic="0.35*rate(x)**2", potential="9.81*x + x**2/8")
    shown = str(da.equations(m))
    assert "9.81" in shown and "0.7*x''" in shown and "x/4" in shown and "981/" not in shown


@pytest.mark.parametrize("form", FORMS)
def test_pages_are_self_contained(form, tmp_path):
    found = da.equations(machines.bar_on_string(), form=form)
    section = found.to_html(tmp_path / "deep" / "page.html")
    page = (tmp_path / "deep" / "page.html").read_text(encoding="utf-8")
    assert section in page and page.startswith("<!DOCTYPE html>")
    assert not re.search(r"https?://|src=|href=|@import", page)
    assert ET.fromstring(section).tag == "section", "well-formed"
    assert section.count('<div class="equation">') == sum(len(x.items) for x in found.sheet.sections)


def test_symbols_in_latex_and_mathml():
    x = sp.Symbol("theta_1''", real=True)
    assert latex(x) == r"\ddot\theta_{1}" and latex(sp.Symbol("lam_rod_1")) == r"\lambda_{rod,1}"
    assert "θ\u0308" in mathml(x) and text(x) == "theta_1''"


def test_comparison_page(tmp_path):
    found = da.equations(machines.pendulum(), form="all")
    page = found.to_html(tmp_path / "all.html")
    assert page.count("<section>") == 16 and "they agree" in page
    assert "they agree at 5 random states" in str(found)


def test_long_equations_are_broken():
    lines = str(da.equations(machines.rolling_disk(), form="multipliers")).splitlines()
    assert max(len(x) for x in lines) <= 125
    whole = "".join(x.strip() for x in lines)
    assert "lam_along_x (along x)" in whole


def test_text_reads_back():
    """Each side of every equation is text that SymPy's own parser reads as the same expression."""
    form = da.equations(machines.double_pendulum(), form="lagrange")
    names = {x.name.replace("'", "_d"): x for x in form.symbols.values()}
    for line in form.lines:
        left, right = line.text().replace("'", "_d").split(" = ")
        assert sp.expand(sp.sympify(left, locals=names) - line.left) == 0
        assert sp.expand(sp.sympify(right, locals=names) - line.right) == 0


def test_notebooks_show_latex_once():
    """MathML beside it would outrank it in Jupyter."""
    found = da.equations(machines.pendulum())
    assert found._repr_latex_() == f"$\\displaystyle {found.latex()}$" and not hasattr(found, "_repr_html_")
    assert not hasattr(da.equations(machines.pendulum(), form="all"), "_repr_html_")


def test_factors_stand_apart_in_mathml():
    """a cos(x) is not acos(x): what stands between the two has a width."""
    a, x = sp.symbols("a x", real=True)
    written = mathml(a * sp.cos(x)) + mathml(sp.Rational(981, 100) * sp.cos(x))
    assert written.count('<mo lspace="0.12em" rspace="0.06em">&#8290;</mo>') == 2 and not re.search(
        "<mo>(&#8290;|\u2062)", written
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lam_O_x", r"\lambda_{O,x}"),
        ("phi_bar''", r"\ddot\varphi_{bar}"),
        ("x'", r"\dot x"),
        ("p_theta1'", r"\dot p_{\theta_{1}}"),
        ("δy", r"\delta y"),
        ("δtheta'", r"\delta \dot\theta"),
        ("Phi", r"\Phi"),
        ("wx_bar", r"\omega_{x,bar}"),
        ("e0_bar", r"e_{0,bar}"),
        ("speed'", r"\dot{\mathit{speed}}"),
        ("crossbar", r"\mathit{crossbar}"),
        ("F*_psi", r"F^{*}_{\psi}"),
        ("p_theta_A", r"p_{\theta_{A}}"),
        ("lam_O_gap_x", r"\lambda_{O,x}"),
        ("Q_c_phi1", r"Q_{c,\varphi_{1}}"),
        ("ω_1'", r"\dot\omega_{1}"),
        ("δφ", r"\delta \varphi"),
    ],
)
def test_names_in_latex(name, expected):
    assert latex(sp.Symbol(name, real=True)) == expected


def test_numbers_in_latex_are_those_of_the_user():
    """9.81, not 981/100; a whole number of degrees is a part of pi; what is calculated has six digits."""
    m = da.Lagrangian("theta", gravity=(0, -9.81), parameters={"m": 1.0, "l": 0.5})
    m.particle("bob", "1.3*m", at=("l*cos(theta - 90 deg)", "l*sin(theta - 90 deg)"))
    form = da.equations(m)
    assert r"V = -12.753 l m \cos" in form.latex() and "V = -12.753*l*m*cos(theta)" in str(form)
    x = sp.Symbol("x", real=True)
    assert latex(sp.Rational(981, 100) * x) == "9.81 x" and latex(sp.Rational(981, 100) / x) == r"\frac{9.81}{x}"
    assert latex(sp.Rational(7331234567, 10**10)) == "0.7331234567"
    assert latex(sp.Rational("0.743144825477394") + x) == "x + 0.743145"
    assert latex(sp.Integer(210000000000) * x) == r"2.1 \cdot 10^{11} x"
    assert text((981 * x + 35) / 100) == "9.81*x + 0.35"
    assert latex(2 * x / 5) == r"\frac{2 x}{5}", "fractions stay where nothing suggests decimals"
    assert latex(x + sp.Rational(sp.cos(-sp.pi / 2))) == "x"


def test_headings_are_typeset():
    found = da.equations(machines.pendulum(), form="multipliers")
    heading = r"&\frac{d}{dt} \frac{\partial L}{\partial \dot q} - \frac{\partial L}{\partial q} + J^{T} \lambda = Q"
    assert heading in found.latex() and r"&\text{energies}" in found.latex()
    assert "<mfrac><mrow><mo>∂</mo><mi>L</mi></mrow>" in found.to_html() and "$" not in str(found) + found.to_html()


def test_every_form_is_latex_that_is_read(tmp_path):
    """A reader of TeX takes every line: braces and left/right come in pairs, no character is left that TeX would not print."""
    for form in FORMS:
        written = da.equations(machines.bar_on_string(), form=form).latex()
        depth = 0
        for token in re.findall(r"\\.|[{}]", written):
            depth += {"{": 1, "}": -1}.get(token, 0)
            assert depth >= 0
        assert depth == 0 and written.count(r"\left") == written.count(r"\right")
        outside = re.sub(r"\\text\{[^}]*\}", "", written)
        assert written.isascii() and not re.search(r"(?<!\\)[%#$~]", written) and "'" not in outside
        assert all("_" not in x for x in re.findall(r"\\text\{([^}]*)\}", written))


def test_long_equations_go_on_in_lines_of_latex():
    found = da.equations(machines.rolling_disk(), form="multipliers")
    assert "\\\\\n&\\qquad" in found.latex()


def test_stops_are_named_forces_on_one_side():
    """The force of a stop in all forms is a symbol; what it is stands below, with its number at a state."""
    m = da.Mechanism("buffered", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=0.4, mass=1.3), at=(0.2, 0))
    m.revolute("O", m.ground, bar, at=(0, 0))
    m.stop("buffer", m["O"].angle, lower=-1.0, upper=1.2, stiffness=1e4, damping=30)
    for form in ("absolute", "minimal", "lagrange", "kane"):
        written = da.equations(m, form=form)
        assert "Piecewise" not in str(written) and r"\begin{cases} \begin{cases}" not in written.latex()
        assert "F_buffer_lower" in str(written) and "F_{buffer,upper}" in written.latex()
        *_, stops = written.sheet.sections
        assert stops.title == "forces of stops"
        for line, sign in zip(sorted(stops.items, key=str), (-1, 1)):
            s, v = sorted((x for x in line.right.free_symbols), key=lambda x: len(x.name))
            angle, rate = (1.25, 2.0) if "upper" in str(line.left) else (-1.05, -2.0)
            expected = 1e4 * 0.05 + 30 * 2.0
            assert abs(float(line.right.subs({s: angle, v: rate})) - expected) < 1e-9, sign
            assert line.right.subs({s: 0.0, v: rate}) == 0
            assert line.right.subs({s: angle, v: -100 * rate}) == 0, "a stop pushes only"
    undamped = da.Mechanism("undamped", plane=True)
    bar = undamped.body("bar", da.rod(length=0.4, mass=1.3), at=(0.2, 0))
    undamped.revolute("O", undamped.ground, bar, at=(0, 0))
    undamped.stop("end", undamped["O"].angle, upper=1.2, stiffness=1e4)
    assert "F_end_upper = max(0, 10000*theta_O - 12000)\n" in f"{da.equations(undamped, form='minimal')}\n"


def test_long_terms_are_broken_inside_of_parentheses_and_fractions():
    """Every line fits on a page, has its parentheses in pairs, and nothing is lost; functions and short fractions stay whole."""
    x = sp.symbols("alpha1:40", real=True)
    a, b = sp.symbols("a b", real=True)
    long = sp.Add(*[y * sp.cos(y + a) for y in x[:16]])
    for term in (
        a * long,
        a * (b + long * (1 + long)),
        (a + long) / b,
        b / long,
        a * long / (1 + long),
        (long / b) ** 2,
    ):
        equation = Equation((term, b), a, (b, 1))
        lines = equation.latex().split("\\\\\n")
        assert len(lines) > 3
        for line in lines:
            assert extent(line) <= 90 and line.count(r"\left") == line.count(r"\right"), line
            assert line.count("{") == line.count("}") and line.count(r"\cos{\left(a + ") == line.count(r"\cos{")
        assert all(re.match(r"&\\qquad (\\left\. )*\{\} [+=-]", x) for x in lines[1:]), (
            "space on both sides of the sign"
        )
        text_lines = Sheet("", (Section("", (equation,)),)).text().splitlines()
        assert max(map(len, text_lines)) <= 125
        assert re.sub(r"\s", "", "".join(text_lines)) == re.sub(r"\s", "", equation.text())


def test_no_form_of_a_loop_is_wider_than_a_page():
    m = da.read_model(files("dalembert") / "machines" / "four-bar.toml")
    for form in ("maggi", "newton-euler", "noncentroidal", "variational"):
        written = da.equations(m, form=form)
        assert max(map(extent, written.latex().splitlines())) <= 92 and max(map(len, str(written).splitlines())) <= 125
        assert written.latex().isascii(), "δ is a command"


def test_angular_velocity_in_headings():
    """w in text, as the symbols there; ω elsewhere, beside a velocity that is called w."""
    written = da.equations(machines.rolling_disk(), form="kane")
    assert "w: body axes" in str(written) and r"\omega\text{: body axes" in written.latex()
    assert r"J \dot\omega + \omega \times J \omega" in written.latex() and "<mi>ω</mi>" in written.to_html()
    assert "@" not in str(written) + written.latex() + written.to_html()


def test_long_headings_are_broken_and_inverse_functions_have_their_names():
    m = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2", forces={"x": "asin(x)"}, holonomic={"c": "x - y"})
    form = da.equations(m, form="udwadia-kalaba")
    assert r"\arcsin" in form.latex() and r"Q_{c,x}" in form.latex()
    headings = as_latex("$Q_c = M^1/2 (A M^-1/2)^+ (b - A a)$: " + "words " * 30)
    assert len(headings) == 2 and r"\text{: words" in headings[0]


def test_names_in_headings_of_constants_are_typeset():
    found = da.conserved(da.Lagrangian("a theta", kinetic="rate(a)**2 + a**2*rate(theta)**2", potential="a"))
    assert r"\text{momentum of }\theta\text{: neither }L\text{ nor a force changes with }\theta" in found.latex()
    assert "momentum of theta: neither L nor a force changes with theta" in str(found)
