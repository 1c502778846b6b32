"""The page of a result: one well-formed file that asks nothing of the network and holds the numbers of the run."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import dalembert as da
from dalembert.viewer.page import MOST, framed, page, page_data
from viewer.machines import unpacked

from .machines import door, engine, symbols

EMPTY = {"meta", "input", "br", "link", "img", "hr"}


class Reader(HTMLParser):
    """Tags that are not closed, texts of scripts, and everything that could make a request."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.scripts, self.outside, self.ids, self.title = [], [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in EMPTY:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append([dict(attrs), ""])
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "action", "data", "poster", "srcset"):
                self.outside.append((tag, name, value))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += data
        if self.open and self.open[-1] == "title":
            self.title += data

    @property
    def data(self):
        (text,) = [text for attrs, text in self.scripts if attrs.get("id") == "data"]
        return json.loads(text)


@pytest.fixture(scope="module")
def run():
    return da.simulate(engine(), until=0.5, output=0.01)


@pytest.fixture(scope="module")
def text(run):
    return page(run)


def quantity(data, name):
    (found,) = [q for q in data["quantities"] if q["name"] == name]
    return np.stack([unpacked(v) for v in found["values"]], axis=1), found


def test_page_is_well_formed(text):
    found = Reader(text)
    assert found.open == [] and text.startswith("<!DOCTYPE html>")
    assert len(found.ids) == len(set(found.ids)) > 20
    assert found.title == "engine" and len(found.scripts) == 2


def test_page_asks_nothing_of_the_network(text):
    assert Reader(text).outside == []
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\(|fetch\(|XMLHttpRequest|WebSocket|import\(|sendBeacon", text)
    # and the browser is told to refuse any request
    assert "default-src 'none'" in text


def test_page_is_small(text, run):
    data = len(Reader(text).scripts[0][1])
    assert len(text) - data < 130_000, "template, style and scripts"
    numbers = sum(len(q["values"]) for q in page_data(run)["quantities"]) * len(run.t)
    # 16/3 characters a number, and names and outlines
    assert data < 5.4 * numbers + 30_000


def test_numbers_are_those_of_the_run(text, run):
    data = Reader(text).data
    assert np.allclose(unpacked(data["t"]), run.t, rtol=1e-7)
    for name, unit, series in (
        ("crank.position", "m", run["crank"].position),
        ("A.force", "N", run["A"].force),
        ("total", "J", run.energy.total),
    ):
        values, about = quantity(data, name)
        size = float(np.max(np.abs(series)))
        assert about["unit"] == unit
        assert np.allclose(values, np.asarray(series).reshape(len(run.t), -1), rtol=1e-6, atol=1e-7 * size)
    angle, about = quantity(data, "O.angle")
    assert np.allclose(angle[:, 0], run["O.angle"], rtol=1e-6) and about["rate_unit"] == "rad/s"
    assert np.allclose(angle[:, 1], run["O.angle"].rate, rtol=1e-6)


def test_scene_puts_both_sides_of_a_pin_at_one_point(text, run):
    """Independent of how places were found: a pin holds its two bodies together at every output."""
    data = Reader(text).data
    scene = data["scene"]

    def where(place, k):
        number, point = place
        if number < 0:
            return np.array(point)
        body = scene["bodies"][number]
        x, y = (unpacked(v)[k] for v in data["quantities"][body["motion"]["position"]]["values"])
        a = unpacked(data["quantities"][body["motion"]["angle"]]["values"][0])[k]
        return np.array([x, y]) + np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) @ point

    pins = [m for m in scene["marks"] if m["glyph"] == "pin"]
    assert [m["name"] for m in pins] == ["O", "A", "B"]
    for m in pins:
        for k in (0, 17, len(run.t) - 1):
            a, b = (where(place, k) for place in m["places"])
            # coordinates of about 0.4 m in 32 bits
            assert np.allclose(a, b, atol=1e-6)


def test_report_has_audit_mobility_reactions_parameters(text, run):
    report = Reader(text).data["report"]
    assert report["audit"] == str(run.audit) and report["status"] == "ok"
    assert report["mobility"].startswith("mobility of 'engine': 1 degree of freedom")
    assert report["unique"]["A"] == [True] * 3
    assert report["parameters"] == [["r", 0.1]] and report["units"] == {"r": "m"}
    assert ["method", "dop853"] in report["facts"]


@pytest.mark.parametrize("name", ["</script><b>x", "<!--<script>", "@script@", "&amp;<i>", "曲柄 Ω"])
def test_hostile_names_stay_names(name):
    m = engine(piston=name)
    m.name = name
    made = page(da.simulate(m, until=0.1))
    found = Reader(made)
    assert found.open == [] and len(found.scripts) == 2
    assert [b["name"] for b in found.data["scene"]["bodies"]] == ["crank", "rod", name]
    assert found.data["name"] == name and found.title == name


def test_every_symbol_has_its_place():
    scene = page_data(da.simulate(symbols(), until=0.2))["scene"]
    marks = {m["name"]: m for m in scene["marks"]}
    assert {name: m["glyph"] for name, m in marks.items()} == {
        "P": "pin", "C": "pin", "L": "pin", "G1": "pin", "G2": "pin",
        "slot": "slot", "gears": "gear", "rope": "link", "S": "spring", "D": "damper", "push": "arrow",
    }  # fmt: skip
    # angle_b = -angle_a / 3 with centres 0.4 m apart: r_a + r_b = 0.4, r_b = 3 r_a
    assert np.allclose(marks["gears"]["radii"], [0.1, 0.3])
    assert marks["S"]["places"][0] == [-1, [0.0, 0.8]]
    # what is fixed to the ground is inside the picture
    assert scene["box"][0][1] <= -1.0 and scene["box"][1][1] >= 0.8


def test_guide_reaches_as_far_as_the_slider_goes(run):
    (guide,) = [m for m in page_data(run)["scene"]["marks"] if m["name"] == "guide"]
    x = np.asarray(run["piston"].position)[:, 0] - 0.4
    # half of the length 0.06 beyond the travel, half of the width 0.04 to each side
    assert np.allclose(guide["reach"], [x.min() - 0.03, x.max() + 0.03])
    assert guide["half"] == pytest.approx(0.02) and guide["axis"] == [1.0, 0.0]


def test_space_and_reactions_that_are_not_unique():
    data = page_data(da.simulate(door(), until=0.2))
    assert not data["scene"]["plane"] and data["scene"]["up"] == 2
    assert data["report"]["unique"]["low"] == [True, True, False, True, True, True]


def test_kinematics_inverse_dynamics_and_saved_results(tmp_path):
    m = da.Mechanism("driven", plane=True)
    bar = m.body("bar", da.rod(1.0, mass=1.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.drive("motor", m["A"].angle, "t")
    times = np.linspace(0, 1, 11)
    assert page_data(da.kinematics(m, times))["outputs"] == 11
    file = da.show(da.inverse_dynamics(m, times), tmp_path / "inverse", open=False)
    assert Reader(file.read_text(encoding="utf-8")).data["name"] == "driven"
    run = da.simulate(m, until=1.0)
    run.save(tmp_path / "run.npz")
    data = page_data(da.load(tmp_path / "run.npz"))
    assert data["scene"] is None and data["report"]["audit"] == str(run.audit)
    values, _ = quantity(data, "A.force")
    assert np.allclose(values, run["A"].force, atol=1e-6)


def test_lagrangian_shows_paths_of_parts():
    m = da.Lagrangian("a", gravity=(0, "-g", 0), parameters={"m": 1.0, "l": 1.0, "g": 9.81}, name="pendulum")
    m.particle("bob", "m", at=("l*sin(a)", "-l*cos(a)", 0))
    m.start("a", 1.0)
    run = da.simulate(m, until=1.0)
    data = page_data(run)
    assert data["scene"]["plane"] and data["scene"]["bodies"][0]["name"] == "bob"
    # the bob hangs on the circle of radius 1
    values, _ = quantity(data, "bob.position")
    assert np.allclose(np.hypot(values[:, 0], values[:, 1]), 1.0, atol=1e-6)
    plain = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**2/2", name="spring")
    plain.start("x", 1.0)
    assert page_data(da.simulate(plain, until=1.0))["scene"] is None


def test_rack_has_teeth_on_the_pitch_circle():
    m = da.Mechanism("rack", plane=True)
    pinion, rack = (
        m.body("pinion", da.disk(0.1, mass=1.0), at=(0, 0)),
        m.body("rack", da.block(0.4, 0.02, mass=1.0), at=(0, -0.11)),
    )
    m.revolute("O", m.ground, pinion, at=(0, 0))
    m.prismatic("guide", m.ground, rack, along=(1, 0), at=(0, -0.11))
    m.rack("teeth", m["O"], m["guide"], radius=0.1)
    m.torque("motor", pinion, 1.0)
    data = page_data(da.simulate(m, until=0.1))
    assert [row["name"] for row in data["loads"]] == ["O", "guide", "teeth"]
    (mark,) = [mark for mark in data["scene"]["marks"] if mark["name"] == "teeth"]
    # the rack lies below the pinion, on its pitch circle: y = -0.1 in space, 0.01 above the middle of the rack, as a slide to the right
    # goes with a turn against the clock only there
    assert mark["radius"] == pytest.approx(0.1) and mark["teeth"][0] == 1
    assert [point[1] for point in mark["teeth"][1:]] == pytest.approx([0.01, 0.01])


@pytest.mark.parametrize("plane", [True, False])
def test_particles_and_single_outputs(plane):
    m = da.Mechanism("drop", plane=plane, gravity=(0, -9.81) if plane else (0, 0, -9.81))
    m.particle("drop", mass=1.0, at=(0, 1) if plane else (0, 0, 1))
    run = da.simulate(m, until=1.0, output=0.1)
    assert page_data(run)["scene"]["traced"] == [0]
    one = page_data(run.resample([0.5]))
    assert one["outputs"] == 1 and len(unpacked(one["t"])) == 1


def test_saved_lagrangian(tmp_path):
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**2/2", name="spring")
    m.start("x", 1.0)
    run = da.simulate(m, until=1.0)
    run.save(tmp_path / "run.npz")
    values, _ = quantity(page_data(da.load(tmp_path / "run.npz")), "x")
    # x = cos t, x' = -sin t
    assert np.allclose(values, np.column_stack([np.cos(run.t), -np.sin(run.t)]), atol=1e-6)


def test_long_runs_are_thinned_and_say_so(run, monkeypatch):
    monkeypatch.setattr("dalembert.viewer.page.MOST", 1000)
    data = page_data(run)
    shown = len(unpacked(data["t"]))
    assert data["stride"] > 1 and shown < len(run.t) == data["outputs"]
    assert unpacked(data["t"])[-1] == pytest.approx(run.t[-1])
    assert MOST > 1000


def test_show_writes_whole_files_and_opens_them(run, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    file = da.show(run, tmp_path / "new folder" / "página")
    assert file.name == "página.html" and opened == [file.resolve().as_uri()]
    assert [p.name for p in file.parent.iterdir()] == ["página.html"]
    file = da.show(run, open=False)
    assert file.name == "engine.html" and len(opened) == 1
    file.unlink()
    file.parent.rmdir()
    assert run.show(tmp_path / "b.html", open=False) == tmp_path / "b.html"


def test_failure_leaves_the_old_file(run, tmp_path, monkeypatch):
    file = tmp_path / "page.html"
    file.write_text("old")
    monkeypatch.setattr(
        "dalembert.viewer.page.page", lambda run, **options: (_ for _ in ()).throw(da.ModelError("a", "b", "c", "d"))
    )
    with pytest.raises(da.ModelError):
        da.show(run, file, open=False)
    assert file.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("bad", [None, 3, "run", [1.0, 2.0]])
def test_only_results_are_shown(bad):
    with pytest.raises(da.MethodError) as error:
        da.show(bad, open=False)
    assert "a page shows a result over time" in str(error.value)


@pytest.mark.parametrize("bad", [{"path": 3}, {"path": ""}, {"open": "yes"}])
def test_bad_arguments_are_refused(run, bad):
    with pytest.raises(da.MethodError):
        da.show(run, **{"open": False, **bad})


def test_folder_is_no_file(run, tmp_path):
    with pytest.raises(da.MethodError) as error:
        da.show(run, tmp_path, open=False)
    assert "folder" in str(error.value)


def test_notebooks_get_the_page_in_a_frame(run):
    found = run._repr_html_()
    assert found.startswith("<iframe srcdoc=") and 'sandbox="allow-scripts allow-downloads"' in found
    inner = Reader(found)
    assert inner.open == []
    assert framed(run) == found and found.count("<") == 2, "everything inside is escaped"


def test_mass_centre_is_inside_the_picture():
    """A top that is given by numbers alone has no outline: its joint and its mass centre are all there is to see."""
    m = da.Mechanism("top", plane=False, gravity=(0, 0, -9.81))
    top = m.body("top", mass=1.0, inertia=(0.02, 0.02, 0.01), center=(0, 0, 0.5), at=(0, 0, 0))
    m.spherical("foot", m.ground, top, at=(0, 0, 0))
    low, high = page_data(da.simulate(m, until=0.01))["scene"]["box"]
    assert high[2] - low[2] == pytest.approx(0.5, rel=1e-3)


def test_symbol_of_a_spring_follows_its_numbers():
    m = da.Mechanism("three", plane=True)
    k = m.parameter("k", 0.0)
    block = m.body("block", da.block(0.1, 0.1, mass=1.0), at=(1, 0))
    m.spring("spring", m.ground.point(0, 0), block.center, stiffness=5.0, damping=1.0)
    m.spring("damper", m.ground.point(0, 0), block.center, stiffness=k, damping=1.0)
    m.spring("actuator", m.ground.point(0, 0), block.center, force=2.0)
    marks = page_data(da.simulate(m, until=0.01))["scene"]["marks"]
    assert [(mark["name"], mark["glyph"]) for mark in marks] == [(x, x) for x in ("spring", "damper", "actuator")]
