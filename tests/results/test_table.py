"""Tables in text: columns line up, numbers are those of the run, lines are not too long."""

import numpy as np
import pytest

import dalembert as da
from dalembert.demo import slider_crank
from dalembert.results import overview
from dalembert.results.table import WIDTH, table


@pytest.fixture(scope="module")
def run():
    return da.simulate(slider_crank(), until=1.0, output=0.1)


def test_numbers_and_layout(run):
    lines = run.table(3).splitlines()
    head, rule, *rows = lines
    assert len({len(line) for line in lines}) == 1 and len(head) <= WIDTH
    assert set(rule) == {"-", " "}
    names = [name.strip() for name in head.split("  ") if name.strip()]
    assert names[:2] == ["t [s]", "O.angle [rad]"] and "motor [N m]" in names and "|O| [N]" in names
    cells = [[float(x) for x in row.split()] for row in rows]
    assert [row[0] for row in cells] == [0.0, 0.5, 1.0]
    # five digits are shown
    assert np.allclose([row[1] for row in cells], run["O.angle"][[0, 5, 10]], atol=5e-4)
    assert np.allclose([row[names.index("motor [N m]")] for row in cells], run["motor"].effort[[0, 5, 10]], atol=5e-5)


def test_number_of_rows(run):
    assert len(run.table(1).splitlines()) == 3
    assert len(run.table().splitlines()) == 2 + 6
    assert len(run.table(1000).splitlines()) == 2 + len(run.t)
    for wrong in (0, -1, 2.5, "3", None, True, float("nan")):
        with pytest.raises(da.MethodError, match="rows"):
            run.table(wrong)


def test_round_off_is_zero():
    from dalembert.results.table import _numbers

    assert _numbers(np.array([1e-17, -3e-16]), np.array([1e-17, -3e-16])) == ["0", "0"]
    assert _numbers(np.array([-1e-9, 1.0]), np.array([-1e-9, 1.0])) == ["0.0000", "1.0000"]
    assert _numbers(np.array([3.0e12]), np.array([3.0e12])) == ["3.0000e+12"]


def test_what_is_shown_of_bodies_without_joints():
    m = da.Mechanism("free", plane=True)
    m.body("disk", da.disk(0.1, mass=1.0), velocity=(1, 2), spin=3.0)
    run = da.simulate(m, until=1.0, output=0.5)
    names = [s.name for s in overview.coordinates(run, 4)]
    assert names == ["disk.x", "disk.y", "disk.angle"]
    assert "disk.x [m]" in table(run)


def test_a_top_is_told_by_its_mass_centre():
    m = da.Mechanism("top", plane=False, gravity=(0, 0, -9.81))
    top = m.body("top", mass=1.0, inertia=(0.1, 0.1, 0.1), center=(0, 1, 0), velocity=(0, 0, 0), spin=(0, 1, 0))
    m.spherical("tip", m.ground, top, at=(0, 0, 0))
    run = da.simulate(m, until=0.1, output=0.05)
    assert [s.name for s in overview.coordinates(run, 4)][0] == "top.center.x"


def test_tables_show_themselves():
    """What is the last line of a cell of a notebook is shown by its repr: the text as it is printed, with its lines."""
    m = da.Mechanism("pendulum", gravity=(0, -9.81))
    mass = m.parameter("mass", 1.0)
    bar = m.body("bar", da.rod(length=1.0, mass=mass), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    bead = da.Lagrangian("x")
    bead.particle("p", 1.0, at=("x", 0))
    run, reactions, free = da.simulate(m, until=0.1), da.reactions(m), da.free_body(m, "bar")
    tables = [
        run.table(3),
        reactions.table(),
        free.table(),
        da.simulate(bead, until=0.1).table(3),
        da.sweep(m, {"mass": [1.0, 2.0]}, until=0.1).table(),
    ]
    for text in tables:
        assert repr(text) == str(text) and len(repr(text).splitlines()) > 2 and isinstance(text, str)
    for whole in (reactions, free, da.strike(m, {"bar": (1.0, 0.0)})):
        assert repr(whole) == str(whole) and len(repr(whole).splitlines()) > 2
