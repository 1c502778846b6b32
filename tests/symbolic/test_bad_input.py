"""What cannot be written: four-part errors that name coordinate and term."""

import pytest

import dalembert as da
from dalembert.symbolic import checks
from tests.symbolic import machines

FORMS = ("lagrange", "multipliers", "reduced", "hamilton")


def message(call):
    with pytest.raises(da.DalembertError) as caught:
        call()
    error = caught.value
    assert all(part and part == part.strip() for part in error.args), "four parts"
    return str(error)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("term", "name"),
    [
        ("rate(x)**3", "x"), ("rate(x)**2*rate(y)", "y"), ("sqrt(1 + rate(x)**2)", "x"), ("abs(rate(y))", "y"),
        ("sqrt(rate(x)**4 + rate(y)**4)", "x"), ("x*cos(rate(y))", "y"), ("if_(rate(x) > 0, 2, 1)*rate(x)**2", "x"),
    ],
)  # fmt: skip
def test_kinetic_energy_not_quadratic(form, term, name):
    m = da.Lagrangian("x y", kinetic=f"rate(x)**2/2 + rate(y)**2 + {term}", name="odd")
    text = message(lambda: da.equations(m, form=form))
    assert "not quadratic in the rate of" in text and f"'{name}'" in text
    assert str(da.model.expression.parse(term)) in text


def test_degree_one_and_zero_are_fine():
    m = da.Lagrangian("x", kinetic="a*rate(x)**2/2 + b*x*rate(x) + c*x**2", parameters={"a": 1.0, "b": 2.0, "c": 3.0})
    checks.check_quadratic(m)


@pytest.mark.parametrize("form", FORMS)
def test_coordinate_without_inertia(form):
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2", potential="(x - y)**2", name="light")
    text = message(lambda: da.equations(m, form=form))
    assert "rate(y) does not occur in the kinetic energy" in text and "'y'" in text


def test_combination_without_inertia():
    m = da.Lagrangian("x y", kinetic="(rate(x) + 2*rate(y))**2/2", name="light")
    text = message(lambda: da.equations(m))
    assert "x +1, y -0.5" in text and "'x' and 'y'" in text


def test_constraint_lends_inertia():
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2", holonomic=["y - sin(x)"])
    assert da.equations(m, form="multipliers").M[1, 1] == 0
    # but momenta of all coordinates do not determine the rates
    assert "rate(y) does not occur" in message(lambda: da.equations(m, form="hamilton"))


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"kinetic": "m*rate(x)**2/2"}, "kinetic"), ({"potential": "k*x"}, "potential"), ({"dissipation": "c*rate(x)**2"}, "dissipation"),
        ({"forces": {"x": "tau"}}, "force on 'x'"), ({"holonomic": {"rail": "x - h"}}, "constraint 'rail'"),
        ({"nonholonomic": {"belt": "rate(x) - w"}}, "rate row 'belt'"),
    ],
)  # fmt: skip
def test_unknown_symbols(options, where):
    m = da.Lagrangian("x", **({"kinetic": "rate(x)**2/2"} | options), name="open")
    text = message(lambda: da.equations(m))
    assert where in text and "neither a coordinate nor t nor a parameter" in text


def test_misspelt_symbol_is_suggested():
    m = da.Lagrangian("theta", kinetic="mass*rate(theta)**2/2", potential="mas*theta", parameters={"mass": 1.0})
    assert "did you mean 'mass'?" in message(lambda: da.equations(m))


def test_duplicated_row():
    """SymPy's own solver answers NaN here."""
    m = da.Lagrangian(
        "x y", kinetic="rate(x)**2 + rate(y)**2", holonomic={"a": "x - y", "b": "2*x - 2*y"}, name="twice"
    )
    for form in FORMS:
        text = message(lambda form=form: da.equations(m, form=form))
        assert "'a', 'b' depend on each other" in text and "they say the same" in text


def test_contradicting_rows():
    m = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2", holonomic={"a": "x - y", "b": "x - y - 1"}, name="torn")
    text = message(lambda: da.equations(m, form="multipliers"))
    assert "contradict each other" in text
    m = da.Lagrangian(
        "x y",
        kinetic="rate(x)**2 + rate(y)**2",
        nonholonomic={"a": "rate(x) - y*rate(y)", "b": "2*rate(x) - 2*y*rate(y) - 3"},
    )
    assert "contradict each other" in message(lambda: da.equations(m, form="reduced"))


def test_row_among_three():
    m = da.Lagrangian(
        "x y z", kinetic="rate(x)**2 + rate(y)**2 + rate(z)**2",
        nonholonomic={"a": "rate(x) - sin(z)*rate(y)", "b": "rate(z) - rate(x)", "c": "rate(z) - sin(z)*rate(y)"},
    )  # fmt: skip
    text = message(lambda: da.equations(m, form="reduced"))
    assert "'a', 'b', 'c' depend on each other" in text
    # one of many is not blamed when it is innocent
    m = da.Lagrangian(
        "x y z", kinetic="rate(x)**2 + rate(y)**2 + rate(z)**2", holonomic={"a": "x - y", "b": "z - 1", "c": "y - x"}
    )
    text = message(lambda: da.equations(m, form="reduced"))
    assert "'a', 'c' depend" in text and "'b'" not in text


@pytest.mark.parametrize(
    ("potential", "at", "part"),
    [
        ("abs(x)", {"x": 0.0}, "abs has a kink at 0"),
        ("sqrt(x**2 + y**2)", {"x": 0.0, "y": 0.0}, "infinite at 0"),
        ("hypot(x, y)", {"x": 0.0, "y": 0.0}, "tip at (0, 0)"),
        ("max(x, 2*y)", {"x": 1.0, "y": 0.5}, "two arguments of max are equal"),
        ("if_(x > 1, x, 1)", {"x": 1.0}, "switches exactly here"),
        ("floor(x)", {"x": 2.0}, "jumps at whole numbers"),
        ("x**0.5", {"x": 0.0}, "infinite at 0"),
    ],
)
def test_not_differentiable_there(potential, at, part):
    m = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2", potential=potential, name="rough")
    values = dict.fromkeys(["x", "y", "rate(x)", "rate(y)", "t"], 0.3) | at
    text = message(lambda: checks.check_smooth(m, values))
    assert part in text and "by 'x'" in text and "potential" in text
    checks.check_smooth(m, values | {"x": 0.31, "y": 0.12})


@pytest.mark.parametrize("smooth", ["max(x, 0)**2", "if_(x > 0, x**3, 0)", "x*abs(x)", "abs(x)**3", "sqrt(1 + x**2)"])
def test_smooth_although_its_parts_are_not(smooth):
    m = da.Lagrangian("x", kinetic="rate(x)**2", potential=smooth)
    checks.check_smooth(m, {"x": 0.0, "rate(x)": 0.0, "t": 0.0})


def test_dry_friction_may_jump():
    m = da.Lagrangian("x", kinetic="rate(x)**2", forces={"x": "-sign(rate(x))"}, dissipation="abs(rate(x))")
    checks.check_smooth(m, {"x": 0.0, "rate(x)": 0.0, "t": 0.0})


def test_wrong_forms_and_models():
    m = machines.pendulum()
    assert "did you mean 'lagrange'?" in message(lambda: da.equations(m, form="lagrang"))
    assert "no such argument" in message(lambda: da.equations(m, from_="lagrange"))
    assert "written for all states" in message(lambda: da.equations(m, da.State(0.0, [0.0], [0.0])))
    assert "leave it out, or name one form" in message(lambda: da.equations(m, form="all", independent=["theta"]))
    for verb in (da.compare, da.conserved, da.small_oscillations):
        assert "give a da.Lagrangian" in message(lambda verb=verb: verb("theta"))
    assert "forms are for mechanisms and for systems" in message(lambda: da.equations("bar", form="lagrange"))


def test_states_are_read():
    form = da.equations(machines.pendulum())
    assert "no coordinate, rate or parameter" in message(lambda: form.accelerations({"phi": 1.0}))
    assert "holds no accelerations" in message(
        lambda: da.equations(machines.pendulum(), form="virtual-work").accelerations()
    )


def test_singular_state_is_told():
    """At phi = 0 the angle theta of the bar on its shaft has no meaning."""
    form = da.equations(machines.bar_on_shaft())
    assert "loses its meaning" in message(lambda: form.accelerations({"phi": 0.0}))


@pytest.mark.parametrize(
    ("position", "rate", "word"),
    [
        ("x - y", "rate(x) - rate(y) - 1", "contradict"),
        ("x - y", "rate(x) - rate(y) - (x - y)", "say the same"),
        ("x - y - t**2", "rate(x) - rate(y) - 2*t", "say the same"),
        ("x - y - t**2", "rate(x) - rate(y) - t", "contradict"),
        ("x - y**2", "3*rate(x) - 6*y*rate(y)", "say the same"),
    ],
)
def test_rows_on_rates_against_rows_on_positions(position, rate, word):
    """Whether a row on rates repeats or contradicts the rate of a row on positions."""
    m = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2", holonomic=[position], nonholonomic=[rate])
    assert word in message(lambda: da.equations(m))


def test_accelerations_of_sympy_are_no_rates():
    import sympy as sp

    t = sp.Symbol("t")
    x = sp.Function("x")(t)
    text = message(lambda: da.Lagrangian("x", kinetic=x.diff(t) ** 2 + x.diff(t, 2)))
    assert "only first derivatives" in text and "Tuple" not in text


def test_a_row_without_coordinates():
    m = da.Lagrangian("x", kinetic="rate(x)**2", holonomic={"odd": "k - 3"}, parameters={"k": 2.0})
    text = message(lambda: da.equations(m))
    assert "'odd': k - 3 = 0" in text and "ties no rate" in text
