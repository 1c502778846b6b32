"""Equations come out as short as the textbook has them, and are those of the unsimplified system."""

import dalembert as da


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
    assert "r*cos(theta_O)" in str(da.equations(m, form="multipliers")).split("constraints")[1]


def test_sums_begin_without_minus():
    m = da.Lagrangian(
        "r", kinetic="m*rate(r)**2/2", potential="k*(r - l)**2/2", parameters={"m": 1.0, "k": 2.0, "l": 0.5}
    )
    form = da.equations(m)
    assert "m*r'' + k*(r - l) = 0" in str(form)
    assert r"\left(r - l\right)" in form.latex()
