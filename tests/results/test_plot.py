"""Pictures: every kind is drawn, says what it shows, is written whole; drawings put bodies where they are."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

import dalembert as da
from dalembert.demo import slider_crank
from dalembert.pictures import panel
from dalembert.pictures.draw import ghost_outputs
from dalembert.pictures.drawing import read
from dalembert.viewer.drawn import hull_of
from dalembert.viewer.scene import gather

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def planar():
    return da.simulate(slider_crank(), until=1.0, output=0.02)


@pytest.fixture(scope="module")
def spatial():
    m = da.Mechanism("swing", plane=False, gravity=(0, 0, -9.81))
    bar = m.body("bar", da.rod(1.0, radius=0.02, mass=2.0), at=(0.5, 0, 0))
    ball = m.particle("ball", mass=0.5, at=(1.0, 0.3, 0))
    m.revolute("A", m.ground, bar, at=(0, 0, 0), axis=(0, 1, 0))
    m.spring("S", bar.end, (ball, (0, 0, 0)), stiffness=40.0, free_length=0.3)
    return da.simulate(m, until=0.5, output=0.05)


@pytest.fixture(autouse=True)
def closed():
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def titles(figure):
    return [
        axes.get_title() or axes.get_title("left") for axes in figure.axes if axes.get_title("left") or axes.get_title()
    ]


def labels(figure):
    return {
        text.get_text() for axes in figure.axes for text in (axes.get_legend().get_texts() if axes.get_legend() else ())
    }


def test_overview(planar, spatial):
    for run in (planar, spatial):
        figure = run.plot()
        assert figure.get_suptitle() == run.model.name
        assert titles(figure) == ["mechanism", "coordinates", "forces in joints", "energy"]
    assert {"O.angle", "bore.slide", "|A|", "kinetic", "total"} <= labels(planar.plot())


@pytest.mark.parametrize("what", ["mechanism", "motion", "reactions", "energy", "crank", "A", "motor", "O.angle"])
def test_single_panels(planar, what):
    figure = planar.plot(what)
    assert len(titles(figure)) == 1
    assert figure.axes[0].get_xlabel() or what == "mechanism"


def test_lines_are_the_numbers_of_the_run(planar):
    (line,) = planar.plot("O.angle").axes[0].get_lines()
    assert np.array_equal(line.get_xdata(), planar.t) and np.array_equal(line.get_ydata(), planar["O.angle"])
    x, y = planar.plot("A").axes[0].get_lines()
    assert np.array_equal(np.column_stack([x.get_ydata(), y.get_ydata()]), planar["A"].force)
    assert planar.plot("A").axes[0].get_ylabel() == "A.force [N]"


def test_measures_arrays_and_parts_can_be_given(planar):
    m = planar.model
    for what in (m["O"].angle, planar["A"].force, planar["bore.slide"].rate, m["crank"], m["A"]):
        assert len(planar.plot(what).axes) >= 1


def test_two_units_two_axes(planar):
    figure = planar.plot("motion")
    left, right = figure.axes
    assert left.get_ylabel() == "angle [rad]" and right.get_ylabel() == "bore.slide [m] (dashed)"


def test_long_names_do_not_squeeze_the_panels():
    m = da.Mechanism("long names", gravity=(0, -9.81))
    last = m.ground
    for k in range(5):
        link = m.body(f"link{k}", da.rod(1.0, mass=1.0), at=(k + 0.5, 0))
        m.revolute(f"bearing with a long name {k}", last, link, at=(k, 0))
        last = link
    figure = da.simulate(m, until=0.1, output=0.05).plot()
    figure.canvas.draw()
    wide = figure.bbox.width
    for axes in figure.axes:
        assert axes.get_window_extent().width > 0.35 * wide
        if axes.get_legend():
            box = axes.get_legend().get_window_extent()
            assert box.x0 >= 0.0 and box.x1 <= wide


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_files_are_whole_and_repeatable(planar, tmp_path, ending):
    for name in ("a", "b"):
        planar.plot("energy", path=tmp_path / f"{name}.{ending}")
    a, b = (tmp_path / f"{name}.{ending}" for name in ("a", "b"))
    assert a.stat().st_size > 2000
    if ending == "png":
        assert a.read_bytes() == b.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"a.{ending}", f"b.{ending}"]


def test_pictures_for_files_are_not_kept_in_memory(planar, tmp_path):
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    planar.plot("energy", path=tmp_path / "a.png")
    assert pyplot.get_fignums() == before


def test_wrong_requests(planar, tmp_path):
    with pytest.raises(da.MethodError, match="did you mean 'energy'"):
        planar.plot("enery")
    with pytest.raises(da.MethodError, match="no such picture format"):
        planar.plot("energy", path=tmp_path / "a.docx")
    assert list(tmp_path.iterdir()) == []
    for wrong in (3, None, ["energy"], "ground"):
        with pytest.raises(da.DalembertError):
            planar.plot(wrong)
    with pytest.raises(da.MethodError):
        da.plot("not a run")
    with pytest.raises(da.MethodError):
        planar.plot("energy", path=7)


def test_saved_results_can_be_drawn_except_their_shapes(planar, tmp_path):
    planar.save(tmp_path / "run.npz")
    back = da.load(tmp_path / "run.npz")
    assert titles(da.plot(back)) == ["coordinates", "forces in joints", "energy"]
    assert np.array_equal(da.plot(back, "O.angle").axes[0].get_lines()[0].get_ydata(), planar["O.angle"])
    with pytest.raises(da.MethodError, match="not shapes"):
        da.plot(back, "mechanism")


def test_without_matplotlib_one_sentence(planar, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(da.MethodError) as error:
        planar.plot()
    assert isinstance(error.value, ImportError)
    assert str(error.value) == "plot needs matplotlib, which is not installed: pip install dalembert[plot]"


def test_without_a_display(tmp_path):
    # a backend that needs a display, and none there: the picture is made all the same
    code = (
        "import dalembert as da\n"
        "m = da.Mechanism('p', gravity=(0, -9.81)); b = m.body('b', da.rod(1.0, mass=1.0), at=(0.5, 0))\n"
        "m.revolute('A', m.ground, b, at=(0, 0)); run = da.simulate(m, until=0.1, output=0.05)\n"
        "run.plot('energy', path='a.png'); run.plot('energy').savefig('b.png')\n"
    )
    hidden = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**hidden, "MPLBACKEND": "tkagg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {p.name for p in tmp_path.iterdir()} == {"a.png", "b.png"}


# -- drawings ----------------------------------------------------------------------------------------------------------


def test_bodies_are_drawn_where_they_are(planar):
    bodies = gather(planar)
    rod = next(b for b in bodies if b.name == "rod")
    ends = rod.at(7, np.array([[-0.3, 0, 0], [0.3, 0, 0]]))
    model = planar.model
    assert np.allclose(ends[1, :2], planar["rod"].point(model["rod"].end).position[7], atol=1e-14)
    # both bodies of a pin have it, at the same point
    crank = next(b for b in bodies if b.name == "crank")
    assert len(crank.joints) == len(rod.joints) == 2
    assert np.allclose(crank.at(7, crank.joints[1]), rod.at(7, rod.joints[0]), atol=1e-12)
    # the drawing has the first pose in its axes, as large as they are
    figure = planar.plot()
    figure.canvas.draw()
    axes = figure.axes[0]
    (line,) = [a for a in axes.lines if a.get_gid() == "body:rod"]
    assert np.allclose(line.get_xydata()[1], planar["rod"].point(model["rod"].end).position[0], atol=1e-14)
    wide, tall = axes.get_window_extent().size
    assert abs(np.ptp(axes.get_xlim()) / wide - np.ptp(axes.get_ylim()) / tall) < 1e-3 * np.ptp(axes.get_xlim()) / wide
    paper = axes.get_window_extent().expanded(1.01, 1.01)
    for text in axes.texts:
        box = text.get_window_extent()
        assert paper.contains(box.x0, box.y0) and paper.contains(box.x1, box.y1), text.get_text()


def test_drawn_poses_differ(planar):
    picks = ghost_outputs(read("plot", planar, "start"), panel.GHOSTS)
    assert 0 not in picks and len(set(picks)) == len(picks) > 2
    still = da.Mechanism("still")
    still.body("block", da.block(1.0, 1.0, mass=1.0))
    rest = read("plot", da.simulate(still, until=1.0, output=0.5), "start")
    assert ghost_outputs(rest, panel.GHOSTS) == [] and panel.worth_tracing(rest) == []


def test_paths_are_those_of_free_ends_and_moving_pins(planar, spatial):
    found = panel.worth_tracing(read("plot", planar, "start"))
    # the crank pin turns, the piston pin slides; the other pin and the guide are fixed
    assert [name for name, _, _ in found] == ["A", "B"]
    assert [name for name, _, _ in panel.worth_tracing(read("plot", spatial, "start"))] == ["bar", "ball"]
    (path,) = [a for a in planar.plot("mechanism").axes[0].lines if a.get_gid() == "trace"][:1]
    assert np.allclose(np.hypot(*path.get_xydata().T), 0.2, atol=1e-12)


def test_hull_of_a_square_with_points_inside():
    points = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5], [0.5, 0.0]], dtype=float)
    hull = points[hull_of(points)]
    assert np.array_equal(hull[0], hull[-1])
    assert {tuple(p) for p in hull} == {(0, 0), (1, 0), (1, 1), (0, 1)}
    assert len(hull) == 5, "points on an edge are no corners"


SHAPES = [
    da.rod(0.5, mass=1.0), da.rod(0.5, radius=0.02, mass=1.0), da.rod(0.5, section=(0.05, 0.05), mass=1.0), da.block(0.3, 0.2, mass=1.0),
    da.triangle(0.3, 0.2, mass=1.0), da.disk(0.2, mass=1.0), da.semicircle(0.2, mass=1.0), da.ring(0.2, mass=1.0),
    da.ring(0.2, width=0.05, mass=1.0), da.disk(0.3, density=1.0, thickness=0.1) - da.disk(0.1, density=1.0, thickness=0.1).at(0.1, 0),
    da.lump(1.0, inertia=0.1),
]  # fmt: skip
SOLIDS = [
    da.box(0.3, 0.2, 0.1, mass=1.0), da.sphere(0.2, mass=1.0), da.cylinder(0.1, 0.4, mass=1.0), da.tube(0.2, 0.1, 0.3, mass=1.0),
    da.cone(0.1, 0.3, mass=1.0), da.plate(0.3, 0.2, 0.02, mass=1.0), da.rod(0.5, radius=0.02, mass=1.0),
]  # fmt: skip


PAIRS = [*((shape, True) for shape in (*SHAPES, *SOLIDS)), *((shape, False) for shape in SOLIDS)]


@pytest.mark.parametrize(("shape", "plane"), PAIRS, ids=[f"{s.label}-{'plane' if p else 'space'}" for s, p in PAIRS])
def test_every_shape_can_be_drawn(shape, plane):
    m = da.Mechanism("shape", plane=plane)
    m.body("body", shape, spin=1.0 if plane else (0.1, 0.2, 1.0))
    figure = da.simulate(m, until=1.0, output=0.25).plot("mechanism")
    figure.canvas.draw()
    (axes,) = figure.axes
    ids = {a.get_gid() for a in axes.get_children()}
    assert ("body:body" if plane else "solids") in ids
    assert math.isfinite(sum(axes.get_xlim()))


def test_every_planar_joint_symbol_draws(tmp_path):
    m = da.Mechanism("symbols", plane=True, gravity=(0, -9.81))
    a = m.body("a", da.rod(1.0, mass=1.0), at=(0.5, 0))
    b = m.body("b", da.block(0.2, 0.1, mass=1.0), at=(1.0, 0))
    c = m.body("c", mass=1.0, inertia=0.1, at=(2.0, 0.0))
    m.revolute("A", m.ground, a, at=(0, 0))
    m.pin_in_slot("P", b, a, at=(1.0, 0), along=(1, 0))
    m.prismatic("B", m.ground, b, along=(0, 1))
    m.distance("L", b.point(0, 0), c.point(-0.5, 0))
    m.spring("S", (m.ground, (2.0, 1.0)), c.point(0, 0), stiffness=50.0)
    run = da.simulate(m, until=0.5, output=0.1)
    run.plot("mechanism", path=tmp_path / "a.png")
    ids = {a.get_gid() for a in run.plot("mechanism").axes[0].get_children()}
    assert {"pin:A", "slot:P", "link:L", "spring:S", "support:A"} <= ids
