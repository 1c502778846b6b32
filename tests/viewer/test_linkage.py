"""Lagrangian systems are drawn with what holds their parts: pins, rods and guides, read off their equations."""

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.viewer.linkage import linkage
from dalembert.viewer.page import page_data, written
from dalembert.viewer.path_scene import flat_shape, space_shape
from viewer.machines import unpacked

L1, L2 = 0.8, 0.5


def system(q, gravity=(0, -9.81), **parameters):
    return da.Lagrangian(q, parameters={"l": L1, "k": L2, **parameters}, gravity=gravity, name="machine")


def beads():
    """Double pendulum of two particles."""
    m = system("a b")
    m.particle("one", 1.0, ("l*sin(a)", "-l*cos(a)"))
    m.particle("two", 1.0, ("l*sin(a) + k*sin(b)", "-l*cos(a) - k*cos(b)"))
    m.start("a", 1.0)
    m.start("b", 2.0)
    return m


def rods():
    """Double pendulum of two uniform rods."""
    m = system("a b")
    m.body("upper", 1.0, "l**2/12", ("l/2*sin(a)", "-l/2*cos(a)"), angle="a - pi/2")
    m.body("lower", 2.0, "2*k**2/12", ("l*sin(a) + k/2*sin(b)", "-l*cos(a) - k/2*cos(b)"), angle="b - pi/2")
    m.start("a", 1.0)
    m.start("b", 2.0)
    return m


def top():
    """A heavy top whose peak stays at the origin."""
    m = system("psi th phi", gravity=(0, 0, -9.81))
    m.body(
        "top", 1.0, (0.05, 0.05, 0.06), ("l*sin(th)*sin(psi)", "-l*sin(th)*cos(psi)", "l*cos(th)"),
        turns=[("z", "psi"), ("x", "th"), ("z", "phi")],
    )  # fmt: skip
    m.start("th", 0.5)
    m.start("phi", 0.0, rate=30.0)
    return m


def places(data, mark):
    """Both places of a mark at all outputs, from the numbers of the page alone."""
    found = []
    for number, point in mark["places"]:
        if number < 0:
            found.append(np.broadcast_to(point, (data["outputs"], 2)))
            continue
        motion = data["scene"]["bodies"][number]["motion"]
        column = lambda what, c=0, m=motion: unpacked(data["quantities"][m[what]]["values"][c]).astype(float)  # noqa: E731
        angle = column("angle") if "angle" in motion else np.zeros(data["outputs"])
        x, y = (column("position", c) for c in (0, 1))
        turned = (
            np.cos(angle) * point[0] - np.sin(angle) * point[1],
            np.sin(angle) * point[0] + np.cos(angle) * point[1],
        )
        found.append(np.column_stack([x + turned[0], y + turned[1]]))
    return found


def test_a_double_pendulum_has_rods():
    data = page_data(da.simulate(beads(), until=1.0))
    marks = data["scene"]["marks"]
    assert [(m["name"], m["glyph"]) for m in marks] == [("ground – one", "link"), ("one – two", "link")]
    for mark, length in zip(marks, (L1, L2)):
        a, b = places(data, mark)
        # positions of about 1 m in 32 bits
        assert np.allclose(np.linalg.norm(b - a, axis=1), length, atol=1e-6)
    assert np.allclose(marks[0]["places"][0][1], 0.0, atol=1e-9)


def test_bodies_are_pinned_where_their_equations_say():
    run = da.simulate(rods(), until=1.0)
    data = page_data(run)
    marks = data["scene"]["marks"]
    assert [m["name"] for m in marks] == ["ground – upper", "upper – lower"] and {m["glyph"] for m in marks} == {"pin"}
    for mark in marks:
        a, b = places(data, mark)
        assert np.allclose(a, b, atol=1e-6)
    a, b = np.asarray(run["a"]), np.asarray(run["b"])
    assert np.allclose(places(data, marks[1])[0], np.column_stack([L1 * np.sin(a), -L1 * np.cos(a)]), atol=1e-6)
    # the lower rod reaches from its pin to its free end, which is traced
    (bar,) = data["scene"]["bodies"][1]["items"]
    assert bar["kind"] == "bar" and np.linalg.norm(np.diff(bar["points"], axis=0)) == pytest.approx(L2)
    names = [data["scene"]["points"][k]["name"] for k in data["scene"]["traced"]]
    assert names == ["end of lower"]
    end = {"places": [data["scene"]["points"][data["scene"]["traced"][0]]["place"]]}
    tip = np.column_stack([L1 * np.sin(a) + L2 * np.sin(b), -L1 * np.cos(a) - L2 * np.cos(b)])
    assert np.allclose(places(data, end)[0], tip, atol=1e-6)
    # the page has what only the drawing needs, and does not offer it
    assert all(q["hidden"] for q in data["quantities"] if q["what"].startswith(" "))


def kinds(m, until=0.5):
    return [(x.kind, x.i, x.j) for x in linkage(da.simulate(m, until=until)).joints]


def test_guides_supports_and_parts_that_sit_on_bodies():
    m = system("x a")
    m.particle("cart", 2.0, ("x", 0.3))
    m.body("rod", 1.0, 0.1, ("x + l*sin(a)", "0.3 - l*cos(a)"), angle="a")
    m.start("a", 1.0)
    found = linkage(da.simulate(m, until=0.5)).joints
    # the cart sits at the end of the rod and runs along y = 0.3
    assert [(x.kind, x.i, x.j) for x in found] == [("fixed", 0, 1), ("guide", 0, -1)]
    assert np.allclose(found[0].w, [0, L1, 0], atol=1e-9)
    assert np.allclose(np.abs(found[1].axis), [1, 0, 0]) and np.allclose(found[1].w, [0, 0.3, 0], atol=1e-9)
    # a bead on a rod that turns: a slot
    m = system("a s")
    m.body("rod", 1.0, 0.1, ("l*sin(a)", "-l*cos(a)"), angle="a")
    m.particle("bead", 0.3, ("s*sin(a)", "-s*cos(a)"))
    m.start("s", 0.5)
    m.start("a", 1.0)
    assert kinds(m) == [("pin", 0, -1), ("guide", 1, 0)]
    assert [x["glyph"] for x in page_data(da.simulate(m, until=0.5))["scene"]["marks"]] == ["pin", "slot"]
    # a support that time moves
    m = system("a")
    m.particle("bob", 1.0, ("l*sin(a)", "0.3*cos(6*t) - l*cos(a)"))
    m.start("a", 1.0)
    run = da.simulate(m, until=1.0)
    (path,) = linkage(run).supports.values()
    assert np.allclose(path, np.column_stack([0 * run.t, 0.3 * np.cos(6 * run.t), 0 * run.t]), atol=1e-8)
    a, b = places(page_data(run), page_data(run)["scene"]["marks"][0])
    assert np.allclose(np.linalg.norm(b - a, axis=1), L1, atol=1e-6)


def test_constraints_count_as_well():
    m = system("x y")
    m.particle("bob", 1.0, ("x", "y"))
    m.constraint("rod", "(x - 1)**2 + y**2 - l**2")
    m.start("x", 1.0 + L1)
    m.start("y", 0.0)
    (rod,) = linkage(da.simulate(m, until=0.5)).joints
    assert rod.kind == "rod" and np.allclose(rod.w, [1.0, 0.0, 0.0], atol=1e-8)


def test_what_is_free_stays_free():
    """Nothing is drawn that does not hold everywhere: an elastic pendulum, two free particles, a body that only slides."""
    m = system("r a")
    m.particle("bob", 1.0, ("r*sin(a)", "-r*cos(a)"))
    m.start("r", 1.0)
    assert kinds(m) == []
    m = system("x y z w")
    m.particle("one", 1.0, ("x", "y"))
    m.particle("two", 1.0, ("z", "w"))
    m.start("z", 1.0)
    # both fall side by side, at one distance as long as the run lasts
    assert kinds(m) == []
    m = system("x y")
    m.body("plate", 1.0, 0.1, ("x", "y"), angle=0)
    assert kinds(m) == []
    # an energy alone has no parts and no drawing
    assert page_data(da.simulate(da.Lagrangian("x", "rate(x)**2/2"), until=0.1))["scene"] is None


def test_in_space():
    data = page_data(da.simulate(top(), until=0.2))
    (mark,) = data["scene"]["marks"]
    assert mark["glyph"] == "ball" and np.allclose(mark["places"][1][1], [0, 0, -L1], atol=1e-9)
    motion = data["scene"]["bodies"][0]["motion"]
    quaternion = np.column_stack([unpacked(v) for v in data["quantities"][motion["quaternion"]]["values"]])
    assert np.allclose(np.linalg.norm(quaternion, axis=1), 1.0, atol=1e-6)
    # a hinge about x, away from the mass centre
    m = system("a", gravity=(0, 0, -9.81))
    m.body("door", 1.0, (0.1, 0.2, 0.3), (0.4, "-l*sin(a)", "l*cos(a)"), turns=[("x", "a")])
    m.start("a", 1.0)
    run = da.simulate(m, until=0.2)
    (hinge,) = linkage(run).joints
    assert np.allclose(np.abs(hinge.axis), [1, 0, 0], atol=1e-9) and np.allclose(hinge.u, [0, 0, -L1], atol=1e-9)
    assert np.allclose(hinge.w, [0.4, 0, 0], atol=1e-9)
    assert page_data(run)["scene"]["marks"][0]["glyph"] == "pin"
    m = system("th ph", gravity=(0, 0, -9.81))
    m.particle("bob", 1.0, ("l*sin(th)*cos(ph)", "l*sin(th)*sin(ph)", "1 - l*cos(th)"))
    m.start("th", 1.0)
    (rod,) = linkage(da.simulate(m, until=0.2)).joints
    assert rod.kind == "rod" and np.allclose(rod.w, [0, 0, 1], atol=1e-8)


def test_shapes_have_the_inertia_that_was_given():
    """Half lengths and radii against the formulas of uniform bodies."""
    (rod,) = flat_shape(2.0, 2.0 * 1.2**2 / 12, [np.array([0.6, 0, 0])])
    assert np.linalg.norm(np.subtract(*rod["points"])) == pytest.approx(1.2)
    arm, bob = flat_shape(2.0, 2.0 * 0.1**2 / 2, [np.array([0.0, 1.0, 0])])
    assert arm["type"] == "line" and bob["radius"] == pytest.approx(0.1)
    (box,) = space_shape(12.0, np.diag([2**2 + 3**2, 1**2 + 3**2, 1**2 + 2**2]).astype(float), [])
    assert sorted(box["size"]) == pytest.approx([1.0, 2.0, 3.0])
    (ball,) = space_shape(1.0, 0.4 * np.eye(3), [])
    assert ball["radius"] == pytest.approx(1.0)
    r, h = 0.5, 2.0
    (drum,) = space_shape(1.0, np.diag([r**2 / 4 + h**2 / 12] * 2 + [r**2 / 2]), [])
    assert (drum["radius"], drum["length"]) == (pytest.approx(r), pytest.approx(h))
    (stick,) = space_shape(1.0, np.diag([h**2 / 12, 0.0, h**2 / 12]), [])
    assert np.allclose(np.abs(stick["points"]), [[0, 1, 0]] * 2)


def test_modes_and_equilibria_have_rods_too():
    m = rods()
    rest = da.equilibrium(m)
    for shown in (rest, da.linearize(m, rest[0])):
        data = page_data(shown)
        for mark in data["scene"]["marks"]:
            a, b = places(data, mark)
            assert np.allclose(a, b, atol=1e-6)
        assert len(data["scene"]["marks"]) == 2


def test_they_are_drawn(opened):
    """In a browser: the rods are in the drawing that is saved, and nothing else of it needs them."""
    data = page_data(da.simulate(beads(), until=0.5, output=0.05))
    drawn = []
    for shown in (data, {**data, "scene": {**data["scene"], "marks": []}}):
        tab = opened(written(shown))
        tab.check("#names")
        tab.check("#velocities")
        with tab.expect_download() as found:
            tab.click("#save-svg")
        drawn.append(Path(found.value.path()).read_text(encoding="utf-8"))
    assert drawn[0].count("<path") >= drawn[1].count("<path") + 2 * len(data["scene"]["marks"])
    # nobody gave them names
    assert "ground" not in drawn[0] and ">one</text>" in drawn[0]


def test_pictures_have_them_too(tmp_path):
    for make in (rods, top):
        run = da.simulate(make(), until=0.2)
        file = tmp_path / "picture.svg"
        da.draw(run, path=file)
        text = file.read_text(encoding="utf-8")
        # bars and pins beside the lines of the scale; in space facets of the solid
        assert text.count("<path") > 12 and "name:ground" not in text
        da.draw(run, at=0.1234, path=file)
        assert file.read_text(encoding="utf-8") != text
