"""Results in the units of their reader: the same numbers times a factor, in tables, text files, plots, pages and reactions."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

import dalembert as da
from dalembert.model.output_units import read_units, units_in
from dalembert.viewer.page import page_data

UNITS = "mm, kN, deg, rpm, N mm"


def crank(units=None) -> da.Mechanism:
    m = da.Mechanism("crank", plane=True, gravity=(0, -9.81))
    r = m.parameter("r", 0.2, "m")
    bar = m.body("bar", da.rod(length=r, mass=1.0), at=(0.1, 0))
    block = m.body("block", da.block(0.1, 0.1, mass=300.0), at=(0.8, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    m.revolute("O", m.ground, bar, at=(0, 0))
    m.revolute("A", bar, rod, at=bar.end)
    m.revolute("B", rod, block, at=rod.end)
    m.prismatic("bore", m.ground, block, along=(1, 0))
    m.drive("motor", m["O"].angle, "2*pi*t")
    if units is not None:
        m.units = units
    return m


@pytest.fixture(scope="module")
def run():
    return da.simulate(crank(), until=0.25, output=0.05)


@pytest.mark.parametrize(
    ("si", "shown", "factor"),
    [
        ("m", "mm", 1e3), ("m/s", "mm/s", 1e3), ("m/s²", "mm/s²", 1e3), ("N", "kN", 1e-3), ("rad", "deg", 180 / math.pi),
        ("rad/s", "rpm", 30 / math.pi), ("rad/s²", "deg/s²", 180 / math.pi), ("N m", "N mm", 1e3), ("J", "J", 1.0), ("1/s", "1/s", 1.0),
        ("", "", 1.0), ("Hz", "Hz", 1.0), ("kg", "kg", 1.0), ("teeth", "teeth", 1.0),
    ],
)  # fmt: skip
def test_units_that_follow(si, shown, factor):
    unit, found = read_units("test", UNITS).of(si)
    assert unit == shown and found == pytest.approx(factor, rel=1e-15)
    assert read_units("test", None).of(si) == (si, 1.0) and read_units("test", "SI").of(si) == (si, 1.0)


@pytest.mark.parametrize("given", ["mm, cm", "foo", 3, ["mm", 3], "%", "mm, kJ, J"])
def test_units_that_are_refused(given):
    with pytest.raises(da.DalembertError, match="units"):
        read_units("test", given)
    with pytest.raises(da.DalembertError, match="units"):
        crank().units = given


def test_units_that_a_file_uses():
    assert units_in({"a": "20 mm", "b": ["30 mm", "1 m"], "c": {"d": "60 rpm", "e": "3 kg"}}) == ("mm", "rpm")
    assert units_in({"a": "2 m", "b": "0.5 rad"}) == ()  # SI units only
    assert units_in({"a": "40 mm + r", "b": "2*x"}) == ("mm",)


def _table(text: str) -> tuple[list[str], np.ndarray]:
    head, _, *lines = text.splitlines()
    return head.split("  "), np.array([[float(x) for x in line.split()] for line in lines])


def test_table(run):
    plain, shown = run.table(), run.table(units=UNITS + ", ms")
    assert "bore.slide [m]" in plain and "motor [N m]" in plain
    for column in ("t [ms]", "bore.slide [mm]", "O.angle [deg]", "motor [N mm]", "|O| [kN]"):
        assert column in shown
    names = [x for x in shown.splitlines()[0].split("  ") if x]
    last = shown.splitlines()[-1].split()
    assert float(last[0]) == 250.0
    assert float(last[[n.strip() for n in names].index("O.angle [deg]")]) == pytest.approx(90.0)
    # at a quarter turn the piston is at sqrt(l² - r²), it was at l + r
    slide = float(last[[n.strip() for n in names].index("bore.slide [mm]")])
    assert slide == pytest.approx(1000 * (math.sqrt(0.36 - 0.04) - 0.8), abs=0.01)


def test_csv_and_pandas(run, tmp_path):
    run.to_csv(tmp_path / "si")
    run.to_csv(tmp_path / "mm", units=UNITS)
    with (tmp_path / "si.csv").open() as a, (tmp_path / "mm.csv").open() as b:
        one, two = list(csv.reader(a)), list(csv.reader(b))
    for c, (name, other) in enumerate(zip(one[0], two[0])):
        unit = name.rpartition(" [")[2].rstrip("]") if " [" in name else ""
        shown, factor = read_units("test", UNITS).of(unit)
        assert other == name.replace(f" [{unit}]", f" [{shown}]")
        assert [float(row[c]) for row in two[1:]] == pytest.approx(
            [factor * float(row[c]) for row in one[1:]], rel=1e-15
        )
    assert "O.angle [deg]" in two[0] and "rate(O.angle) [rpm]" in two[0] and "O.force[x] [kN]" in two[0]
    k = two[0].index("rate(O.angle) [rpm]")
    assert [float(row[k]) for row in two[1:]] == pytest.approx([60.0] * 6)


def test_the_model_says_the_units_and_arrays_stay_si(run, tmp_path):
    own = da.simulate(crank(UNITS), until=0.25, output=0.05)
    assert own.table() == run.table(units=UNITS)
    assert np.array_equal(own["A"].force, run["A"].force) and own["A"].force.unit == "N"
    assert own.table(units="SI") == run.table()
    own.save(tmp_path / "own")
    saved = da.load(tmp_path / "own.npz")
    assert saved.table() == own.table() and saved["A"].force.unit == "N"
    assert str(da.reactions(own.model)) == da.reactions(run.model).table(units=UNITS)


def test_reactions_and_free_bodies(run):
    found = da.reactions(run.model)
    text = found.table(units=UNITS)
    assert "Fx [kN]" in text and "T [N mm]" in text
    line = next(x.split() for x in text.splitlines() if x.startswith("bore"))
    assert float(line[3]) == pytest.approx(found["bore"].force[1] / 1000, rel=1e-5)
    own = da.reactions(crank(UNITS))
    assert "kN" in str(own["O"]) and "mm" in str(own["O"])
    sheet = da.free_body(run.model, "rod")
    head = sheet.table(units=UNITS).splitlines()[1]
    assert all(word in head for word in ("x [mm]", "Fx [kN]", "T [N mm]", "M [N mm]"))
    assert "[m]" in sheet.table() and "[kN]" not in sheet.table()
    weight = next(x.split() for x in sheet.table(units=UNITS).splitlines() if x.startswith("weight"))
    assert float(weight[2]) == pytest.approx(500.0) and float(weight[5]) == pytest.approx(-2 * 9.81e-3)


def test_plot(run, tmp_path):
    pytest.importorskip("matplotlib")
    figure = run.plot("O", run["block"].velocity, "motor", path=tmp_path / "x.png", units=UNITS + ", ms")
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["O.force [kN]", "block.velocity [mm/s]", "motor.effort [N mm]"]
    assert figure.axes[0].get_xlabel() == "t [ms]"
    line = figure.axes[1].get_lines()[0]
    assert line.get_ydata() == pytest.approx(1000 * np.asarray(run["block"].velocity)[:, 0])
    assert line.get_xdata()[-1] == pytest.approx(250.0)
    assert {axes.get_ylabel() for axes in run.plot(path=tmp_path / "y.png", units="kJ").axes} >= {"energy [kJ]"}


def test_page(run):
    own = da.simulate(crank(UNITS), until=0.25, output=0.05)
    data, plain = page_data(own), page_data(run)
    by_name = {q["name"]: q for q in data["quantities"]}
    slide, spin = by_name["bore.slide"], by_name["O.angle"]
    assert (slide["unit"], slide["factor"]) == ("mm", 1000.0)
    assert (spin["unit"], spin["rate_unit"]) == ("deg", "rpm") and spin["rate_factor"] == pytest.approx(30 / math.pi)
    # numbers stay in SI units: the drawing needs them
    assert slide["values"] == next(q for q in plain["quantities"] if q["name"] == "bore.slide")["values"]
    assert data["units"]["N"] == ("kN", 1e-3) and plain["units"] == {}
    assert data["report"]["parameters"] == [["r", 200.0]] and data["report"]["units"] == {"r": "mm"}


def test_equilibria_and_other_reports():
    m = da.Mechanism("swing", plane=True, gravity=(0, -10))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.units = "deg, mm, kJ"
    found = da.equilibrium(m)
    assert "A.angle [deg]" in str(found) and "-90.0000" in str(found) and "energy [kJ]" in str(found)
    assert found[0].coordinates["A.angle"][0] == pytest.approx(-math.pi / 2)
    assert page_data(found)["listing"]["head"][-1] == "A.angle [deg]"
    assert "moved [mm]" in str(da.assemble(m))
    m.units = "N mm"
    assert "10000" in str(da.holding_load(m, "A.angle")) and "N mm" in str(da.holding_load(m, "A.angle"))
    driven = crank("kN, N mm")
    assert "N mm" in str(da.inverse_dynamics(driven, [0.0, 0.1])) and " kN" in str(
        da.inverse_dynamics(driven, [0.0, 0.1])
    )


def test_lagrangian(tmp_path):
    m = da.Lagrangian("theta", kinetic="0", potential="0", gravity=(0, -9.81), parameters={"l": 0.5}, name="swing")
    m.particle("bob", mass=1.0, at=("l*sin(theta)", "-l*cos(theta)"))
    m.start("theta", 0.3)
    m.units = "mm, ms"
    run = da.simulate(m, until=0.1, output=0.05)
    assert run.table().split()[:2] == ["t", "[ms]"]
    run.to_csv(tmp_path / "x")
    with (tmp_path / "x.csv").open() as file:
        head, first, *_ = csv.reader(file)
    assert head[0] == "t [ms]" and "bob.position[y] [mm]" in head and "bob.velocity[y] [mm/s]" in head
    assert float(first[head.index("bob.position[y] [mm]")]) == pytest.approx(-500 * math.cos(0.3))


def test_files_keep_their_units(tmp_path):
    da.write_model(crank(UNITS), tmp_path / "crank.toml")
    assert da.read_model(tmp_path / "crank.toml").units == ("mm", "kN", "deg", "rpm", "N mm")
    da.write_model(crank(), tmp_path / "plain.toml")
    assert "units" not in (tmp_path / "plain.toml").read_text() and da.read_model(tmp_path / "plain.toml").units == ()
    text = (tmp_path / "crank.toml").read_text()
    (tmp_path / "si.toml").write_text(text.replace('units = ["mm", "kN", "deg", "rpm", "N mm"]', 'units = "SI"'))
    assert da.read_model(tmp_path / "si.toml").units == ()
    (tmp_path / "bad.toml").write_text(text.replace('"kN"', '"kNN"'))
    with pytest.raises(da.DalembertError, match="units.*unknown unit 'kNN'"):
        da.read_model(tmp_path / "bad.toml")


def _texts(axes) -> dict[str, str]:
    return {text.get_gid(): text.get_text() for text in axes.texts if text.get_gid()}


def test_drawings(run, tmp_path):
    pytest.importorskip("matplotlib")
    plain = _texts(da.draw(run, at=0.05, arrows=["reactions", "velocities"]).axes[0])
    assert plain["scale-text"].endswith(" m") and plain["legend-text:reactions"].endswith(" N")
    for figure in (
        da.draw(run, at=0.05, arrows=["reactions", "velocities"], units=UNITS),
        da.draw(da.simulate(crank(UNITS), until=0.25, output=0.05), at=0.05, arrows=["reactions", "velocities"]),
    ):
        texts = _texts(figure.axes[0])
        # round numbers in the units chosen: here those of SI times a power of ten
        for name, si, unit, factor in (
            ("scale-text", "m", "mm", 1000.0),
            ("legend-text:reactions", "N", "kN", 0.001),
            ("legend-text:velocities", "m/s", "mm/s", 1000.0),
        ):
            *words, number, end = texts[name].rsplit(" ", 2)
            assert end == unit and words == plain[name].rsplit(" ", 2)[:-2]
            assert float(number) == pytest.approx(factor * float(plain[name].split()[-2]))
            assert plain[name].split()[-1] == si
    titles = {t.get_text() for a in da.draw(run, at=[0.0, 0.1], units="ms").axes for t in a.texts}
    assert {"t = 0 ms", "t = 100 ms"} <= titles
    inches = _texts(da.draw(run, units="in").axes[0])["scale-text"].split()
    assert inches[1] == "in" and float(inches[0]) in (1.0, 2.0, 5.0, 10.0, 20.0)
    with pytest.raises(da.MethodError, match="unknown unit"):
        da.draw(run, units="foo")
    space = da.Mechanism("ball", plane=False, gravity=(0, 0, -9.81))
    space.body("ball", da.sphere(0.1, mass=1.0))
    space.units = "mm"
    words = [t.get_text() for t in da.draw(space).axes[0].texts]
    assert any(w.startswith("grid ") and w.endswith(" mm") for w in words), words


def test_picture_of_a_free_body(run):
    pytest.importorskip("matplotlib")
    figure = da.free_body(run.model, "rod").plot(units=UNITS)
    axes = figure.axes[0]
    assert axes.get_xlabel() == "x [mm]"
    labels = [t.get_text() for t in axes.texts]
    assert "weight\n0.01962 kN" in labels
    figure.canvas.draw()
    ticks = {t.get_text(): t.get_position()[0] for t in axes.get_xticklabels()}
    assert ticks and all(float(text) == pytest.approx(1000 * x, abs=1e-3) for text, x in ticks.items())


def test_film(run, tmp_path, monkeypatch):
    pytest.importorskip("PIL")
    from dalembert.pictures import film

    made = []
    monkeypatch.setattr(film, "_gif", lambda asked, frames, *rest: made.append(frames))
    da.film(run, tmp_path / "x", fps=10, quantities=["O.angle", "A"], units=UNITS + ", ms")
    (frames,) = made
    frames.draw(1)
    angle, force = frames.figure.axes[1:]
    assert angle.get_ylabel() == "O.angle [deg]" and force.get_ylabel() == "|A.force| [kN]"
    assert angle.get_xlabel() == "t [ms]" and angle.get_xlim() == pytest.approx((0.0, 250.0))
    _, past, dot = angle.get_lines()
    assert dot.get_xdata()[0] == pytest.approx(100.0) and dot.get_ydata()[0] == pytest.approx(36.0)
    assert past.get_xdata()[-1] == pytest.approx(100.0)
    assert _texts(frames.axes)["scale-text"].endswith(" mm")


def test_times_of_the_page(run):
    data, plain = page_data(da.simulate(crank("mm, ms"), until=0.25, output=0.05)), page_data(run)
    assert plain["axis"] == {"name": "t", "unit": "s"}
    assert data["axis"] == {"name": "t", "unit": "ms", "factor": pytest.approx(1000.0)}
    assert data["t"] == plain["t"]  # seconds: the player needs them


def test_blows():
    m = da.Mechanism("bar", plane=True)
    bar = m.body("bar", da.rod(length=0.4, mass=3.0), at=(0.2, 0))
    m.revolute("O", m.ground, bar, at=(0, 0))
    # 3 N s at the end: 3*0.4 = (3*0.4²/3) w, so w = 7.5 rad/s, v = 1.5 m/s, and O takes 1.5 N s
    text = str(da.strike(m, {bar.end: (0, 3.0)}))
    assert "(0, 1.5) 7.5" in text and "[m/s] and spin [rad/s]" in text and "J" in text
    m.units = "mm, rpm, kJ, N mm s"
    text = str(da.strike(m, {bar.end: (0, 3.0)}))
    assert "[mm/s] and spin [rpm]" in text and f"(0, 1500) {7.5 * 30 / math.pi:.6g}" in text
    assert "0 -> 0.0045 kJ" in text and "angular impulse [N mm s]" in text


def test_mobility():
    m = da.Mechanism("door", plane=False)
    leaf = m.body("leaf", mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.revolute("low", m.ground, leaf, at=(0, 0, 0), axis="z")
    m.revolute("high", m.ground, leaf, at=(0, 0, 1), axis="z")
    m.units = "mm, deg"
    found = da.mobility(m, tilt=1e-2)
    assert "tilts by 0.572958 deg" in str(found) and found.tilt == 1e-2
    off = da.Mechanism("too short")
    crank = off.body("crank", mass=1, inertia=1, at=(0, 0.5))
    rocker = off.body("rocker", mass=1, inertia=1, at=(2, 0.5))
    off.revolute("A", off.ground, crank, at=(0, 0))
    off.revolute("B", crank, rocker, at=(crank.point(0, 0.5), rocker.point(0, 0.5)))
    off.revolute("C", off.ground, rocker, at=(2.5, 0), on=rocker.point(0, -0.5))
    (open_by,) = [float(x.residual) for x in da.mobility(off).dependent]
    assert open_by == pytest.approx(0.5, rel=1e-3)  # two bars of 1 m between pins 2.5 m apart
    assert f"stays open by {open_by:.6g} m\n" in str(da.mobility(off))
    off.units = "mm"
    assert f"stays open by {1000 * open_by:.6g} mm\n" in str(da.mobility(off))
