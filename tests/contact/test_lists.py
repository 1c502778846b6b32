"""Lists of bodies in the place of one: several contacts at once, in Python and in files."""

import pytest

import dalembert as da
from dalembert.errors import ModelError


def bodies(n=3, plane=True):
    m = da.Mechanism("pile", plane=plane, gravity=(0, -9.81) if plane else (0, 0, -9.81))
    shape = da.disk(0.05, mass=1.0) if plane else da.sphere(0.05, mass=1.0)
    up = (0, 1) if plane else (0, 0, 1)
    return m, [m.body("abcdef"[k], shape, at=tuple((0.1 + 0.12 * k) * x for x in up)) for k in range(n)]


@pytest.mark.parametrize("plane", [True, False])
def test_names_and_pairs(plane):
    m, some = bodies(3, plane)
    pile = m.contact("pile", some, mu=0.3, restitution=0.5)
    floor = m.contact("floor", m.ground, some, mu=0.2)
    across = m.contact("across", some[:1], some[1:])
    assert [(x.name, x.i.name, x.j.name) for x in pile] == [
        ("pile_a_b", "a", "b"),
        ("pile_a_c", "a", "c"),
        ("pile_b_c", "b", "c"),
    ]
    assert [(x.name, x.j.name) for x in floor] == [("floor_a", "a"), ("floor_b", "b"), ("floor_c", "c")]
    assert [x.name for x in across] == ["across_a_b", "across_a_c"]
    assert all(x.mu == 0.3 and x.restitution == 0.5 for x in pile) and {*m.impacts} >= {"pile_a_b", "floor_c"}


def test_the_same_as_one_by_one():
    m, some = bodies()
    m.contact("pile", some, restitution=0.3)
    m.contact("floor", m.ground, some, restitution=0.3)
    other, them = bodies()
    for k, body in enumerate(them):
        other.contact(f"floor{k}", other.ground, body, restitution=0.3)
        for j in range(k):
            other.contact(f"c{j}{k}", them[j], body, restitution=0.3)
    one, two = (da.simulate(x, until=0.2) for x in (m, other))
    assert (one.q == two.q).all() and len(one.events) == len(two.events) > 0


def test_files(tmp_path):
    m, some = bodies()
    m.contact("pile", some, mu=0.3)
    m.contact("floor", m.ground, some, mu=0.3)
    da.write_model(m, tmp_path / "written.toml")
    text = """name = "pile"
plane = true
gravity = [0, -9.81]
"""
    for k, name in enumerate("abc"):
        text += f"[bodies.{name}]\nshape = {{ disk = {{ radius = 0.05, mass = 1.0 }} }}\nat = [0, {0.1 + 0.12 * k}]\n"
    text += '[forces.pile]\ntype = "contact"\nbetween = ["a", "b", "c"]\nmu = 0.3\n'
    text += '[forces.floor]\ntype = "contact"\nbetween = ["ground", ["a", "b", "c"]]\nmu = 0.3\n'
    (tmp_path / "lists.toml").write_text(text)
    runs = [
        da.simulate(x, until=0.3, method="moreau", step=1e-3)
        for x in (m, *(da.read_model(tmp_path / f) for f in ("written.toml", "lists.toml")))
    ]
    assert all((run.q == runs[0].q).all() for run in runs)


@pytest.mark.parametrize(
    ("given", "found"),
    [(lambda m, x: (x[:1],), "fewer than two"), (lambda m, x: ([x[0], x[0]],), "'a' twice"), (lambda m, x: (m.ground, []), "fewer than two"),
     (lambda m, x: ([m.body("box", da.block(0.1, 0.1, mass=1.0)), x[0]],), "'box' in a list"), (lambda m, x: (x[:2], x[1:]), "'b' twice")],
)  # fmt: skip
def test_refused(given, found):
    m, some = bodies()
    with pytest.raises(ModelError, match=found):
        m.contact("x", *given(m, some))
    assert not m.impacts
