"""Pages of other things than runs: modes, equilibria, branches, assemblies, mechanisms; free bodies and errors in pages of runs."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.viewer.page import page, page_data
from viewer.machines import unpacked

from .machines import door, engine, symbols
from .test_page import Reader, quantity


def double():
    """Two equal rods that hang on each other."""
    m = da.Mechanism("double", plane=True, gravity=(0, -9.81))
    a, b = m.body("a", da.rod(1.0, mass=1.0), at=(0.5, 0)), m.body("b", da.rod(1.0, mass=1.0), at=(1.5, 0))
    m.revolute("A", m.ground, a, at=(0, 0))
    m.revolute("B", a, b, at=(1, 0))
    return m


@pytest.fixture(scope="module")
def rests():
    return da.equilibrium(double())


@pytest.fixture(scope="module")
def modes(rests):
    return da.linearize(rests[0]._model, rests[0])


def test_modes_move_on_the_constraints(modes):
    data = page_data(modes)
    listing = data["listing"]
    assert (data["kind"], data["axis"]["name"], len(listing["rows"])) == ("modes", "part of the cycle", 2)
    # small oscillations of two rods of length l: s^2 = g/l (3 ∓ 6/√7)
    for row, sign in zip(listing["rows"], (-1, 1)):
        w = math.sqrt(9.81 * (3 + sign * 6 / math.sqrt(7)))
        assert float(row[2]) == pytest.approx(w / (2 * math.pi), rel=1e-4)
        assert float(row[3]) == pytest.approx(2 * math.pi / w, rel=1e-4)
    # every pose keeps the ends of the rods together: the pin is a rod length from the support
    for name, at, angle in (("a", (0.0, 0.0), "a.angle"), ("b", None, "b.angle")):
        position, _ = quantity(data, f"{name}.position")
        turn, _ = quantity(data, angle)
        start = position - 0.5 * np.column_stack([np.cos(turn), np.sin(turn)])
        if at is None:
            first, _ = quantity(data, "a.position")
            at = 2 * first
        assert np.allclose(start, at, atol=1e-6)
    # amplitude: the largest angle of a cycle from rest, in either rod, in both modes
    angles = np.column_stack([quantity(data, f"{name}.angle")[0] for name in "ab"]) + math.pi / 2
    for windows in listing["windows"]:
        for (first, last), level in zip(windows, listing["levels"]):
            assert last - first == 23
            assert np.max(np.abs(angles[first : last + 1])) == pytest.approx(level, rel=0.15)
    # no velocities, loads or energies are offered
    assert {q["what"] for q in data["quantities"]} <= {"position", "angle", "A.angle", "B.angle"}
    assert data["loads"] == [] and data["sheets"] == []


def test_equilibria_with_loads(rests):
    data = page_data(rests)
    assert [row[1] for row in data["listing"]["rows"]] == [e.verdict for e in rests]
    assert data["listing"]["windows"] == [[[k, k]] for k in range(4)]
    # both rods hang on the pins at rest, whichever way they point
    for name, weight in (("A", 2 * 9.81), ("B", 9.81)):
        force, _ = quantity(data, f"{name}.force")
        assert np.allclose(force, [0.0, weight], atol=1e-5)
    assert data["report"]["headline"] == ("4 equilibria, 1 stable", True)
    assert page_data(rests[0])["outputs"] == 1


def test_branches_along_a_parameter():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    k = m.parameter("k", 1.0)
    bar = m.body("bar", da.rod(1.0, mass=1.0), at=(0, 0.5), angle=math.pi / 2)
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.torsion_spring("S", m["A"], stiffness=k)
    found = da.equilibrium(m, along="k", between=(3.0, 7.0))
    data = page_data(found)
    assert data["kind"] == "branches" and data["axis"]["name"] == "k" and len(data["listing"]["rows"]) == len(found)
    t = unpacked(data["t"])
    for branch, [[first, last]] in zip(found, data["listing"]["windows"]):
        assert np.allclose(t[first : last + 1], branch.values, rtol=1e-6)


def test_assembly_and_its_alternatives():
    m = da.Mechanism("four-bar", plane=True)
    crank = m.body("crank", da.rod(1.0, mass=1.0), at=(0, 0.5), angle=math.pi / 2)
    coupler = m.body("coupler", da.rod(4.0, mass=1.0), at=(1.8, 1.9), angle=0.5)
    rocker = m.body("rocker", da.rod(3.0, mass=1.0), at=(3.8, 1.5), angle=1.7)
    m.revolute("A", m.ground, crank, at=(0, 0))
    m.revolute("B", crank, coupler, on=[crank.end, coupler.start])
    m.revolute("C", coupler, rocker, on=[coupler.end, rocker.end])
    m.revolute("D", m.ground, rocker, at=(4, 0), on=rocker.start)
    data = page_data(da.assemble(m, fixed=["crank"], branches=True))
    # open and crossed
    assert len(data["listing"]["rows"]) == 2 and data["outputs"] == 2
    y = quantity(data, "rocker.position")[0][:, 1]
    assert y[0] > 0 > y[1]


def test_mechanism_at_its_start():
    data = page_data(engine())
    assert (data["kind"], data["outputs"], data["listing"]) == ("mechanism", 1, None)
    assert data["report"]["mobility"].startswith("mobility of 'engine': 1 degree of freedom")
    assert [row["name"] for row in data["loads"]] == ["O", "A", "B", "guide"]
    m = engine()
    m.distance("bar", m.ground.point(0, 0), m["piston"].center, length=0.9)
    data = page_data(m)
    assert data["report"]["headline"] == ("drawn as given: it does not go together", False)
    assert "bar" in data["report"]["texts"][0][1]


@pytest.mark.parametrize("make", [engine, door, symbols])
def test_free_bodies_balance(make):
    """All loads of a sheet together are m a, as the page computes it: independent of how reactions were found."""
    run = da.simulate(make(), until=0.2, output=0.02)
    data = page_data(run)
    read = lambda k: np.stack([unpacked(v) for v in data["quantities"][k]["values"]], axis=1)  # noqa: E731
    n = 2 if run.plane else 3
    assert [s["name"] for s in data["sheets"]] == [*run.system.body_names, "ground"]
    for sheet in data["sheets"][:-1]:
        a = np.asarray(run[sheet["name"]].acceleration)
        loads = [read(load["force"])[:, :n] for load in sheet["loads"]]
        total = np.sum(loads, axis=0) + np.array(sheet["weight"])
        size = max(1.0, *(np.max(np.abs(x)) for x in loads))
        assert np.allclose(total, sheet["mass"] * a, atol=1e-5 * size), sheet["name"]
    # what acts on the foundation is the sum of its joints
    ground = data["sheets"][-1]
    found = da.free_body(run.model, "ground", run.at(float(run.t[4])))
    for load in ground["loads"]:
        assert np.allclose(read(load["force"])[4], found[load["name"]].force, atol=1e-4)


def test_moments_of_a_free_body():
    """The rate of angular momentum of a spinning box in space, as packed, is the torque on it."""
    m = da.Mechanism("box", plane=False)
    box = m.body("box", da.box(0.3, 0.2, 0.1, mass=2.0), at=(0, 0, 0), spin=(1.0, 5.0, 2.0))
    m.torque("push", box, (1.0, 2.0, 3.0))
    run = da.simulate(m, until=0.2, output=0.02)
    data = page_data(run)
    (sheet,) = [s for s in data["sheets"] if s["name"] == "box"]
    rate = np.stack([unpacked(v) for v in data["quantities"][sheet["momentum"]]["values"]], axis=1)
    assert np.allclose(rate, [1.0, 2.0, 3.0], atol=1e-5)


def test_errors_of_constraints_and_energy_are_those_of_the_audit():
    run = da.simulate(engine(), until=0.5, output=0.01)
    data = page_data(run)
    for name, largest in (
        ("constraints.position error", run.audit.position),
        ("constraints.velocity error", run.audit.velocity),
    ):
        values, _ = quantity(data, name)
        assert np.max(values) == pytest.approx(largest, rel=1e-5)
    values, _ = quantity(data, "imbalance")
    assert 0.0 < np.max(values) <= run.audit.energy * (1 + 1e-5)


def test_inverse_dynamics_adds_efforts_and_the_foundation():
    m = da.Mechanism("arm", plane=True, gravity=(0, -10))
    arm = m.body("arm", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.drive("motor", m.revolute("A", m.ground, arm, at=(0, 0)).angle, "3*t**2")
    data = page_data(da.inverse_dynamics(m, times=[0.0, 0.1]))
    for way in ("multiplier", "power", "newton euler"):
        values, about = quantity(data, f"effort of motor.{way}")
        # m g l/2 + (m l²/3) 6
        assert values[0, 0] == pytest.approx(14.0, rel=1e-6) and about["unit"] == "N m"
    # the page opens with the answer
    assert [data["quantities"][k]["name"] for k in data["first"][1]] == ["motor.effort"]
    force, _ = quantity(data, "foundation.shaking force")
    # m (a - g) with a = 3 upwards, on the ground downwards
    assert np.allclose(force[0], [0.0, -26.0], atol=1e-5)


def test_equations_are_typeset_or_the_page_says_why():
    sympy = pytest.importorskip("sympy")
    assert sympy
    m = da.Mechanism("pendulum", plane=True, gravity=(0, "-g"))
    m.parameter("g", 9.81)
    length, mass = m.parameter("l", 0.7), m.parameter("m", 2.0)
    bar = m.body("bar", da.rod(length=2 * length, mass=mass), at=(length, 0))
    m.revolute("O", m.ground, bar, at=(0, 0))
    data = page_data(m, equations=True)
    forms = data["report"]["equations"]["forms"]
    assert [form["title"].rpartition(" in ")[2] for form in forms] == ["joint coordinates", "absolute coordinates"]
    assert "<math" in forms[0]["markup"] and "<mi>&#952;</mi>" in forms[0]["markup"] or "θ" in forms[0]["markup"]
    assert page_data(m)["report"]["equations"] is None
    why = page_data(symbols(), equations=True)["report"]["equations"]
    assert why["forms"] == [] and "6 bodies" in why["why"]


@pytest.mark.parametrize("name", ["</script><b>x", "<img src=x onerror=alert(1)>"])
def test_hostile_names_in_lists(name):
    m = double()
    m.name = name
    made = page(da.equilibrium(m), equations=True)
    found = Reader(made)
    assert found.open == [] and len(found.scripts) == 2 and found.data["name"] == name


def test_notebooks_show_pages_of_all_kinds(rests, modes):
    for x in (rests, rests[0], modes, da.assemble(double())):
        found = x._repr_html_()
        assert found.startswith("<iframe srcdoc=") and found.count("<") == 2


def test_lagrangian_modes_and_equilibria(tmp_path):
    m = da.Lagrangian("a", gravity=(0, "-g", 0), parameters={"m": 1.0, "l": 1.0, "g": 9.81}, name="pendulum")
    m.particle("bob", "m", at=("l*sin(a)", "-l*cos(a)", 0))
    rests = da.equilibrium(m)
    data = page_data(rests)
    position, _ = quantity(data, "bob.position")
    # below and above the support
    assert np.allclose(np.sort(position[:, 1]), [-1.0, 1.0], atol=1e-6)
    data = page_data(da.linearize(m, rests[0]))
    assert float(data["listing"]["rows"][0][2]) == pytest.approx(math.sqrt(9.81) / (2 * math.pi), rel=1e-4)
    assert page_data(m)["outputs"] == 1


@pytest.mark.parametrize("bad", [(), da.rod(1.0, mass=1.0)])
def test_what_has_no_page(bad):
    with pytest.raises(da.MethodError):
        da.show(bad, open=False)
