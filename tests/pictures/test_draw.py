"""Drawings: what is drawn where, in which files, and what is refused."""

import math
import re
import sys

import numpy as np
import pytest
from viewer.machines import door, engine, symbols

import dalembert as da

R, L = 0.1, 0.3  # crank and rod of the engine


@pytest.fixture(scope="module")
def run():
    m = engine()
    return da.simulate(m, until=1.0)


def named(figure, start):
    """Artists of a figure whose id begins like this."""
    found = [a for axes in figure.axes for a in axes.get_children() if (a.get_gid() or "").startswith(start)]
    return {a.get_gid(): a for a in found}


def middle(circle):
    return np.array(circle.get_center())


# -- what is drawn where ---------------------------------------------------------------------------------------------------


def test_pins_lie_on_the_circle_of_the_crank_and_on_the_line_of_the_piston(run):
    pins = named(run.draw(at=0.37), "pin:")
    assert set(pins) == {"pin:O", "pin:A", "pin:B"}
    o, a, b = (middle(pins[f"pin:{name}"]) for name in "OAB")
    assert np.allclose(o, 0.0, atol=1e-12)
    assert math.hypot(*a) == pytest.approx(R, abs=1e-9)
    # closed form of the slider-crank
    assert b == pytest.approx([a[0] + math.sqrt(L**2 - a[1] ** 2), 0.0], abs=1e-9)


def test_a_time_between_outputs_is_computed_not_rounded(run):
    t = 0.5 * (run.t[40] + run.t[41])
    a = middle(named(run.draw(at=t), "pin:A")["pin:A"])
    exact = run.resample([t])["crank"].point(run.model["crank"].end).position[0]
    assert np.allclose(a, exact, atol=1e-9)


def test_start_end_and_default(run):
    at = lambda figure: middle(named(figure, "pin:A")["pin:A"])  # noqa: E731
    assert np.array_equal(at(run.draw()), at(run.draw(at="end")))
    assert np.allclose(at(run.draw(at="start")), [R, 0.0], atol=1e-12)


def test_the_paper_has_one_scale(run):
    axes = run.draw(size=6).axes[0]
    box, x, y = axes.get_window_extent(), np.ptp(axes.get_xlim()), np.ptp(axes.get_ylim())
    assert x / box.width == pytest.approx(y / box.height, rel=1e-6)


def test_every_symbol_of_a_textbook_is_there():
    figure = da.draw(symbols())
    for what in ("pin:P", "support:P", "spring:S", "damper:D", "slot:slot", "link:rope", "force:push", "body:lever"):
        assert what in named(figure, what), what
    assert len(named(figure, "gear:")) == 2


def test_teeth_mesh_where_the_pitch_circles_touch():
    from dalembert.pictures import drawing
    from dalembert.viewer import gears

    read = drawing.read("test", symbols(), None)
    small, large = sorted(gears.wheels(read.scene, read.output(0)), key=lambda w: w.radius)
    assert large.teeth == 3 * small.teeth
    # the point of contact lies at 0 on the small and at π on the large wheel: a tooth here, a gap there
    pitch = lambda w, angle: ((angle - w.phase) * w.teeth / (2 * np.pi)) % 1.0  # noqa: E731
    assert (pitch(small, 0.0) - pitch(large, np.pi)) % 1.0 == pytest.approx(0.5, abs=1e-9)


def test_a_rack_has_gaps_where_its_pinion_has_teeth():
    from dalembert.pictures import drawing
    from dalembert.viewer import gears

    m = da.Mechanism("rack", plane=True)
    pinion = m.body("pinion", da.disk(0.15, mass=1.0), at=(0, 0.5))
    bar = m.body("bar", da.block(1.0, 0.05, mass=1.0), at=(0, 0.32))
    m.revolute("P", m.ground, pinion, at=(0, 0.5))
    m.prismatic("R", m.ground, bar, along=(1, 0))
    m.rack("rack", m["P"], m["R"], radius=0.15)
    m.drive("motor", m["P"].angle, "t")
    run = da.kinematics(m, [0.0, 0.25, 0.5])
    read = drawing.read("test", run, "end")
    (wheel,) = gears.wheels(read.scene, read.output(0))
    (rack,) = gears.racks(read.scene, read.output(0), [wheel])
    for k in range(3):
        # turning to the left moves the bar to the right below the pinion; tips of one never reach the roots of the other
        pose = read.output(k)
        assert pose.origin[1, 0] == pytest.approx(0.15 * run.t[k], abs=1e-12)
        line = pose.put(rack["body"], rack["line"])
        tips = line[line[:, 1] > 0.35]
        a = np.arctan2(tips[:, 1] - 0.5, tips[:, 0]) - pose.angle(0) - wheel.phase
        near = np.abs(tips[:, 0]) < 0.035
        assert near.any()
        # measured in pitches from a tooth of the pinion, tips of the rack stay in its gaps
        off = (a[near] * wheel.teeth / (2 * np.pi) + 0.5) % 1.0 - 0.5
        assert np.all(np.abs(off) > 0.25)
    assert "rack:1" in named(run.draw(), "rack:")


@pytest.mark.parametrize("crossed", [False, True])
def test_a_belt_touches_both_pulleys_and_crosses_itself_only_where_it_is_crossed(crossed):
    m = da.Mechanism("drive", plane=True)
    a, b = m.body("a", da.disk(0.3, mass=1.0), at=(0, 0)), m.body("b", da.disk(0.1, mass=1.0), at=(1.0, 0))
    m.revolute("A", m.ground, a, at=(0, 0))
    m.revolute("B", m.ground, b, at=(1.0, 0))
    m.belt("belt", m["A"], m["B"], radii=(0.3, 0.1), crossed=crossed)
    lines = [x.get_xydata() for x in da.draw(m).axes[0].get_lines() if x.get_gid() == "belt:belt"]
    assert len(lines) == 2
    for (x0, y0), (x1, y1) in lines:
        length = math.hypot(x1 - x0, y1 - y0)
        for (x, y), r in (((0, 0), 0.3), ((1.0, 0), 0.1)):
            assert abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / length == pytest.approx(r, abs=1e-12)
        assert (y0 * y1 < 0.0) == crossed


def test_names_stand_on_the_paper_and_not_on_each_other(run):
    figure = run.draw(at=0.13)
    figure.canvas.draw()
    texts = [t for t in figure.axes[0].texts if (t.get_gid() or "").startswith("name:")]
    assert {t.get_text() for t in texts} == {"O", "A", "B", "guide", "motor", "crank", "rod", "piston"}
    boxes = [t.get_window_extent() for t in texts]
    paper = figure.bbox
    for k, box in enumerate(boxes):
        assert paper.x0 <= box.x0 and box.x1 <= paper.x1 and paper.y0 <= box.y0 and box.y1 <= paper.y1
        assert not any(box.overlaps(other) for other in boxes[k + 1 :])


def test_some_names_or_none(run):
    def texts(**options):
        return {t.get_text() for t in run.draw(**options).axes[0].texts if (t.get_gid() or "").startswith("name:")}  # noqa: E731

    assert texts(names=False) == set()
    assert texts(names=["A", "bodies"]) == {"A", "crank", "rod", "piston"}


def test_traces_are_paths(run):
    rod = run.model["rod"]
    figure = run.draw(traces=["A", rod.point(0.0, 0.05)], scale=False)
    lines = [a for a in figure.axes[0].lines if a.get_gid() == "trace"]
    assert np.allclose(lines[0].get_xydata(), run["crank"].point(run.model["crank"].end).position, atol=1e-12)
    assert np.allclose(lines[1].get_xydata(), run["rod"].point(0.0, 0.05).position, atol=1e-12)


def test_arrows_have_the_scale_that_the_legend_states(run):
    figure = run.draw(at=0.37, arrows={"reactions": ["A"]})
    arrow, sample = (named(figure, what) for what in ("arrow:reactions", "legend:reactions"))
    text = next(t.get_text() for t in figure.axes[0].texts if t.get_gid() == "legend-text:reactions")
    value = float(re.fullmatch(r"reaction ([\d.]+) N", text)[1])

    def length(found):
        # shafts end where heads begin: the tips are corners of the heads drawn next
        (line,) = found.values()
        children = figure.axes[0].get_children()
        head = children[children.index(line) + 1].get_xy()
        return math.hypot(*(head[0] - line.get_xydata()[0]))

    force = np.linalg.norm(run.resample([0.37])["A"].force[0])
    assert length(arrow) / length(sample) == pytest.approx(force / value, rel=1e-6)


def test_velocities_are_those_of_points(run):
    from dalembert.pictures import drawing, quantities

    read = drawing.read("test", run, 0.37)
    pose = read.panels[0].pose
    (found,) = quantities.gather("test", read, pose, {"velocities": {"A"}, "accelerations": {"A"}})[:1]
    exact = run.resample([0.37])["crank"].point(run.model["crank"].end)
    assert np.allclose(found.vectors[0], exact.velocity[0], atol=1e-9)
    found = quantities.gather("test", read, pose, {"accelerations": {"A"}})[0]
    assert np.allclose(found.vectors[0], exact.acceleration[0], atol=1e-9)


def test_several_times_several_drawings(run):
    figure = run.draw(at=[0.0, 0.1, 0.2])
    assert len(figure.axes) == 3
    titles = [axes.texts for axes in figure.axes]
    assert all(any(t.get_text() == f"t = {x:g} s" for t in some) for some, x in zip(titles, (0, 0.1, 0.2)))


def test_one_pose_of_a_run_says_its_time(run):
    clock = lambda figure: {gid: text.get_text() for gid, text in named(figure, "clock").items()}  # noqa: E731
    assert clock(run.draw(at=0.37)) == {"clock": "t = 0.37 s"} and clock(run.draw()) == {"clock": "t = 1 s"}
    assert clock(da.draw(run, at="start", units="ms")) == {"clock": "t = 0 ms"}
    # several say it in their titles; without scale, and where there is no run, there is none
    assert clock(run.draw(at=[0.1, 0.2])) == clock(run.draw(scale=False)) == clock(da.draw(run.model)) == {}
    # beside a legend that leaves no room it stands higher
    low = named(run.draw(), "clock")["clock"].get_position()[1]
    crowded = run.draw(size=2.2, arrows=["velocities", "accelerations", "reactions"])
    assert named(crowded, "clock")["clock"].get_position()[1] != pytest.approx(low)


def test_ghosts_differ_from_the_pose_and_each_other(run):
    from dalembert.pictures import draw, drawing

    read = drawing.read("test", run, None)
    picks = draw.ghost_outputs(read, 4)
    assert len(set(picks)) == 4 and len(run.t) - 1 not in picks
    more = len(run.draw(ghosts=4).axes[0].get_children())
    assert more > len(run.draw().axes[0].get_children())


# -- what can be drawn -----------------------------------------------------------------------------------------------------


def test_a_mechanism_is_drawn_as_assembled():
    m = da.Mechanism("triangle")
    left = m.body("left", da.rod(length=2.0, mass=1.0), at=(0, 0.3), angle=0.7)
    right = m.body("right", da.rod(length=2.0, mass=1.0), at=(3, 0), angle=2.0)
    m.revolute("A", m.ground, left, at=(0, 0), on=left.start)
    m.revolute("B", m.ground, right, at=(2, 0), on=right.start)
    m.revolute("C", left, right, on=[left.end, right.end])
    assert middle(named(da.draw(m), "pin:C")["pin:C"]) == pytest.approx([1.0, math.sqrt(3.0)], abs=1e-9)
    # the other way to put it together is a second drawing
    both = da.draw(da.assemble(m, branches=True))
    ends = [middle(next(a for a in axes.get_children() if a.get_gid() == "pin:C"))[1] for axes in both.axes]
    assert sorted(ends) == pytest.approx([-math.sqrt(3.0), math.sqrt(3.0)], abs=1e-9)


def pendulum():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    return m


def test_equilibria_and_modes():
    m = pendulum()
    found = da.equilibrium(m)
    figure = da.draw(found)
    assert [next(t.get_text() for t in axes.texts if t.get_text() in ("stable", "unstable")) for axes in figure.axes] == ["stable", "unstable"]  # fmt: skip
    # at rest the pin carries the weight
    down = da.draw(found[0], arrows="reactions")
    assert any("reaction" in t.get_text() for t in down.axes[0].texts)
    modes = da.draw(da.linearize(m, found[0]))
    f = math.sqrt(1.5 * 9.81) / (2 * math.pi)
    assert f"{f:.3g} Hz" in {t.get_text() for t in modes.axes[0].texts}
    dashed = [line for line in modes.axes[0].lines if line.get_linestyle() == "--"]
    assert len(dashed) == 2


def test_lagrangian_runs_show_their_parts():
    s = da.Lagrangian("th", gravity=(0, -9.81), name="pendulum")
    s.particle("bob", 1.0, at=("sin(th)", "-cos(th)"))
    s.start("th", 0.5)
    figure = da.draw(da.simulate(s, until=0.5), traces=True, arrows="velocities")
    assert named(figure, "body:bob") and named(figure, "arrow:velocities")
    s = da.Lagrangian("th ph", gravity=(0, 0, -9.81), name="spherical pendulum")
    s.particle("bob", 1.0, at=("sin(th)*cos(ph)", "sin(th)*sin(ph)", "-cos(th)"))
    s.start("th", 0.6)
    s.start("ph", 0.0, rate=2.0)
    figure = da.draw(da.simulate(s, until=0.5), traces=["bob"], arrows="velocities")
    assert named(figure, "solids") and named(figure, "arrow:velocities")


def test_velocities_of_points_of_a_lagrangian_system():
    """The free end of a bar on a pin moves faster than its mass centre: both by omega times their distance from the pin."""
    from dalembert.pictures import drawing, quantities

    s = da.Lagrangian("th", gravity=(0, -9.81), name="bar")
    s.body("bar", 2.0, 0.3, at=("0.5*cos(th)", "0.5*sin(th)"), angle="th")
    run = da.simulate(s, until=0.2)
    read = drawing.read("test", run, "end")
    (found,) = quantities.gather("test", read, read.panels[0].pose, {"velocities": None})
    speeds, arms = (np.linalg.norm(x, axis=1) for x in (found.vectors, found.at))
    assert len(arms) == 2 and arms[1] > 2.0 * arms[0]
    assert np.allclose(speeds, abs(run.rate("th")[-1]) * arms, rtol=1e-9)


def test_into_axes_of_ones_own(run):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3))
    left, right = figure.subplots(1, 2)
    assert run.draw(ax=left) is left
    right.plot(run.t, run["O.angle"])
    assert "pin:A" in named(figure, "pin:")


def test_space_is_painted_from_the_back():
    figure = da.draw(door())
    (solids,) = [a for a in figure.axes[0].collections if a.get_gid() == "solids"]
    assert len(solids.get_paths()) > 50
    assert {t.get_text() for t in figure.axes[0].texts} >= {"low", "high", "leaf", "x", "y", "z"}


def test_the_projection_is_parallel_and_keeps_lengths():
    from dalembert.pictures.space import View

    view = View(2, 30.0, 40.0)
    assert np.allclose(view.matrix @ view.matrix.T, np.eye(3), atol=1e-14) and np.linalg.det(view.matrix) > 0
    # what points to the eye has no extent on paper
    eye = view.matrix[2]
    assert np.allclose(view.flat(eye), 0.0, atol=1e-14)


SOLIDS = [
    (da.box(0.3, 0.2, 0.1, mass=1.0), 2 * (0.3 * 0.2 + 0.3 * 0.1 + 0.2 * 0.1)),
    (da.cylinder(0.1, 0.4, mass=1.0), 2 * math.pi * 0.1 * 0.4 + 2 * math.pi * 0.1**2),
    (da.tube(0.2, 0.1, 0.3, mass=1.0), 2 * math.pi * 0.3 * 0.3 + 2 * math.pi * (0.2**2 - 0.1**2)),
    (da.sphere(0.2, mass=1.0), 4 * math.pi * 0.2**2),
    (da.cone(0.1, 0.3, mass=1.0), math.pi * 0.1 * math.hypot(0.1, 0.3) + math.pi * 0.1**2),
    (da.plate(0.3, 0.2, 0.02, mass=1.0), 2 * (0.3 * 0.2 + 0.3 * 0.02 + 0.2 * 0.02)),
]


@pytest.mark.parametrize(("shape", "area"), SOLIDS, ids=[s.label for s, _ in SOLIDS])
def test_meshes_have_the_surface_of_their_solids_and_look_outwards(shape, area):
    from dalembert.pictures.solids import mesh_of
    from dalembert.viewer.drawn import Shown
    from dalembert.viewer.solids import solids_of

    (solid,) = solids_of(Shown("", np.zeros((1, 3)), np.eye(3)[None], shape.outline(float), np.zeros(3)), [], [])
    mesh = mesh_of(solid, 0.01, 0.05)
    facets = np.concatenate(mesh.facets)
    normals = 0.5 * np.cross(facets[:, 2] - facets[:, 0], facets[:, 3] - facets[:, 1])
    assert np.linalg.norm(normals, axis=1).sum() == pytest.approx(area, rel=0.03)
    # closed and outward: sum of n dA = 0, sum of x·n dA = 3 volume > 0
    assert np.allclose(normals.sum(axis=0), 0.0, atol=1e-12)
    assert np.einsum("ni,ni->", facets.mean(axis=1), normals) > 0.0


# -- files -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_files_are_whole_and_repeatable(run, tmp_path, ending):
    for name in ("a", "b"):
        run.draw(tmp_path / f"{name}.{ending}", at=0.1)
    a, b = (tmp_path / f"{name}.{ending}" for name in "ab")
    assert a.read_bytes() == b.read_bytes() and a.stat().st_size > 2000
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"a.{ending}", f"b.{ending}"]


def test_svg_is_small_and_its_names_are_text(run, tmp_path):
    run.draw(tmp_path / "a.svg", at=0.1)
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for name in ("A", "B", "guide", "crank", "piston"):
        assert re.search(rf"<text[^>]*>{name}</text>", text), name
    assert 'id="pin:A"' in text and "<dc:date>" not in text
    assert len(text) < 60_000


def test_paper_is_white_or_nothing(run, tmp_path):
    from PIL import Image

    run.draw(tmp_path / "white.png", dpi=50)
    run.draw(tmp_path / "clear.png", dpi=50, transparent=True)
    corner = lambda name: Image.open(tmp_path / name).convert("RGBA").getpixel((1, 1))  # noqa: E731
    assert corner("white.png") == (255, 255, 255, 255) and corner("clear.png")[3] == 0


def test_names_are_never_read_as_formulas(tmp_path):
    m = da.Mechanism("odd", plane=True)
    bar = m.body("a $x_1$ & <b>", da.rod(1.0, mass=1.0), at=(0.5, 0))
    m.revolute("Gelenk ä", m.ground, bar, at=(0, 0))
    da.draw(m, tmp_path / "a b ü.svg")
    text = (tmp_path / "a b ü.svg").read_text(encoding="utf-8")
    assert "a $x_1$ &amp; &lt;b&gt;" in text and "Gelenk ä" in text


# -- what is refused -------------------------------------------------------------------------------------------------------


def test_wrong_requests(run, tmp_path):
    for options in (
        {"at": 2.0}, {"at": "middle"}, {"at": []}, {"at": [0.1] * 13}, {"ghosts": -1}, {"ghosts": True}, {"traces": ["nobody"]}, {"traces": 3},
        {"arrows": "forces"}, {"arrows": {"reactions": ["Z"]}}, {"arrows": 7}, {"arrows": {"reactions": None}}, {"arrows": {"reactions": [3]}}, {"names": ["Z"]}, {"names": 3}, {"size": 0}, {"size": (1, 2, 3)},
        {"view": 3}, {"dpi": 0}, {"dpi": "x"}, {"title": 3}, {"scale": "no"}, {"transparent": 1.0}, {"ghost": 3},
    ):  # fmt: skip
        with pytest.raises(da.DalembertError) as error:
            run.draw(tmp_path / "a.png", **options)
        assert all(error.value.args), options
    for wrong in (3, "engine", None, [run]):
        with pytest.raises(da.MethodError):
            da.draw(wrong)
    with pytest.raises(da.MethodError, match="did you mean 'png'"):
        run.draw(tmp_path / "a.pnng")
    with pytest.raises(da.MethodError, match="nothing to draw"):
        da.draw(da.Mechanism("empty"))
    with pytest.raises(da.MethodError, match="file would hold"):
        run.draw(tmp_path / "a.png", ax=run.draw().axes[0])
    assert list(tmp_path.iterdir()) == []


def test_saved_results_have_no_shapes(run, tmp_path):
    run.save(tmp_path / "run.npz")
    with pytest.raises(da.MethodError, match="not shapes"):
        da.draw(da.load(tmp_path / "run.npz"))


def test_without_matplotlib_one_sentence(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(da.MethodError) as error:
        run.draw()
    assert str(error.value) == "draw needs matplotlib, which is not installed: pip install dalembert[plot]"


def test_many_bodies_are_few_artists():
    # every stroke on its own would take seconds
    n = 150
    m = da.Mechanism("chain", plane=True)
    last = m.ground
    for k in range(n):
        link = m.body(f"link{k}", da.rod(length=1 / n, mass=1 / n), at=((k + 0.5) / n, 0))
        m.revolute(f"pin{k}", last, link, at=(k / n, 0))
        last = link
    (axes,) = da.draw(m, names=False).axes
    assert len(axes.lines) + len(axes.patches) + len(axes.collections) < 10
    drawn = [a for a in axes.collections if a.get_gid() == "mechanism"]
    ends = np.vstack([path.vertices for a in drawn for path in a.get_paths()])
    # each link is there, with its own ends
    for k in range(n + 1):
        assert np.nanmin(np.hypot(*(ends - [k / n, 0.0]).T)) < 1e-12
    limits = axes.get_xlim()
    assert limits[0] < 0.0 and limits[1] > 1.0


def test_universal_joints_are_crosses():
    from dalembert.pictures.drawing import read
    from dalembert.pictures.space import Painter, Solids, View, marks

    m = da.Mechanism("shafts", plane=False)
    a = m.body("a", mass=1.0, inertia=(1, 1, 1), at=(-1, 0, 0))
    b = m.body("b", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0))
    m.universal("U", a, b, at=(0, 0, 0), axes=((0, 1, 0), (0, 0, 1)))
    subject = read("draw", m, None)
    solids = Solids(subject, 1e-3, 1.0)
    painter = Painter(View(2, 0.0, 0.0))  # along x: y to the right, z upwards
    marks(painter, solids, subject.panels[0].pose)
    points = np.vstack(painter.shapes)
    # arms along both axes, of equal length, and nothing in the corners
    reach = np.max(np.abs(points), axis=0)
    assert reach[0] > 3.0 * solids.thin and abs(reach[0] - reach[1]) < 0.1 * solids.thin
    assert np.all(np.min(np.abs(points), axis=1) < 1.05 * solids.thin)
