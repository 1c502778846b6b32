"""How equations look: text with the user's names, LaTeX, pages that need nothing from elsewhere."""

import re
import xml.etree.ElementTree as ET

import pytest
import sympy as sp

import dalembert as da
from dalembert.symbolic.printing import latex, mathml, text
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
    assert "9.81" in shown and "7/10*x''" in shown and "x/4" in shown and "981/" not in shown


@pytest.mark.parametrize("form", FORMS)
def test_pages_are_self_contained(form, tmp_path):
    found = da.equations(machines.bar_on_string(), form=form)
    section = found.to_html(tmp_path / "deep" / "page.html")
    page = (tmp_path / "deep" / "page.html").read_text(encoding="utf-8")
    assert section in page and page.startswith("<!DOCTYPE html>")
    assert not re.search(r"https?://|src=|href=|@import", page)
    assert ET.fromstring(section).tag == "section", "well-formed"
    assert section.count("<math") == sum(len(x.items) for x in found.sheet.sections)
    assert found._repr_html_() == section
    assert found._repr_latex_().startswith("$\\displaystyle \\begin{aligned}")
    assert found.latex().count("&=") == sum(len(x.items) for x in found.sheet.sections)


def test_symbols_in_latex_and_mathml():
    x = sp.Symbol("theta_1''", real=True)
    assert latex(x) == "\\ddot{\\theta_{1}}" and latex(sp.Symbol("lam_rod_1")) == "\\lambda_{rod 1}"
    assert "¨" in mathml(x) and "θ" in mathml(x) and text(x) == "theta_1''"


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
