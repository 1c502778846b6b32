"""Sweeps against closed forms; failures, what is kept, files."""

import csv
import math
import time

import numpy as np
import pytest

import dalembert as da
from tests.sweeps.machines import CRANK, ROD, build, length_squared, pendulum


@pytest.fixture
def crank(tmp_path):
    file = tmp_path / "crank.toml"
    file.write_text(CRANK, encoding="utf-8")
    return file


def piston(r, angle):
    return r * math.cos(angle) + math.sqrt(ROD**2 - (r * math.sin(angle)) ** 2)


def test_closed_loops_follow_the_lengths(crank):
    s = da.sweep(
        crank,
        {"r": "100 mm:500 mm:3", "n": ["15 rpm", "30 rpm"]},
        keep=["final piston.position.x", "span bore.slide"],
        processes=1,
    )
    assert s.shape == (3, 2) and len(s) == 6 and s.complete and not s.failures
    for i, r in enumerate((0.1, 0.3, 0.5)):
        for k, angle in enumerate((math.pi / 2, math.pi)):
            assert s["final piston.position.x"][i, k] == pytest.approx(piston(r, angle), abs=1e-7)
            assert s["r"][i, k] == pytest.approx(r)
    assert s["span bore.slide"][:, 1] == pytest.approx([0.2, 0.6, 1.0], abs=1e-7)
    assert s.units["r"] == "m" and s.units["n"] == "rad/s" and s.units["span bore.slide"] == "m"


def test_a_sweep_is_the_same_as_single_runs(crank):
    s = da.sweep(crank, {"r": [0.15, 0.25]}, fixed={"n": "90 rpm"}, processes=1)
    for r, case in zip((0.15, 0.25), s.cases):
        run = da.simulate(da.read_model(crank, {"r": r, "n": "90 rpm"}), until=1.0)
        assert case["max |A.force|"] == np.linalg.norm(run["A"].force, axis=1).max()
        assert case["largest motor.effort"] == np.abs(run["motor"].effort).max()
        assert case["min bore.slide"] == run["bore.slide"].min()


def test_the_model_of_the_user_stays_as_it_is():
    m = pendulum()
    da.sweep(m, {"l": [0.5, 2.0]}, ask="reactions")
    assert m.parameters == {"l": 1.0}


def test_a_failing_case_in_the_middle_is_told_and_the_rest_goes_on(crank):
    s = da.sweep(crank, {"r": [0.1, 0.7, 0.3]}, keep="span bore.slide", processes=1)
    assert [case.status for case in s.cases] == ["ok", "failed", "ok"]
    (case,) = s.failures
    assert case.values == {"r": 0.7} and case.label == "r = 0.7"
    failure = case.failure
    assert failure.kind.endswith("Error") and all((failure.asked, failure.found, failure.why, failure.do))
    assert "found:" in str(failure) and "do:" in str(failure)
    assert np.isnan(s["span bore.slide"][1]) and s["span bore.slide"][2] == pytest.approx(0.6)
    text = str(s)
    assert "3 cases, 1 failed" in text and failure.kind in text and "failed: r = 700 mm: " in text


@pytest.mark.parametrize("length", [0.5, 2.0])
def test_modes_equilibria_and_reactions(length):
    m, over = pendulum(), {"l": [length]}
    omega = math.sqrt(1.5 * 9.81 / length)
    assert da.sweep(m, over, ask="modes", keep="frequency[0]")["frequency[0]"] == pytest.approx(omega / 2 / math.pi)
    s = da.sweep(m, over, ask="equilibrium", keep=["count", "stable", "verdict", "A.angle", "max energy"])
    assert s["count"] == 2 and s["stable"] == 1 and s["verdict"].tolist() == ["stable"]
    assert math.cos(s["A.angle"][0] + math.pi / 2) == pytest.approx(1.0)
    assert s["max energy"] == pytest.approx(2.0 * 9.81 * length / 2)
    # a bar let go from the horizontal: its pin carries a quarter of the weight
    assert da.sweep(m, over, ask="reactions", keep="A.force.y")["A.force.y"] == pytest.approx(2.0 * 9.81 / 4)
    damping = da.sweep(m, over, ask="linearize", keep=["growth", "steady"])
    assert damping["steady"].tolist() == [0.0]


def test_driven_motions(crank):
    s = da.sweep(crank, {"r": [0.1, 0.2]}, ask="kinematics", keep=["t", "piston.position.x", "first rate(bore.slide)"])
    assert s["t"].shape == (2, 201) and s["t"][0, -1] == 1.0
    assert s["piston.position.x"][1, 50] == pytest.approx(piston(0.2, math.pi / 2))
    efforts = da.sweep(
        crank, {"r": [0.2]}, ask="inverse", keep=["first motor.effort", "max |shaking_force|"], times=[0.0, 0.1]
    )
    # at rest in the dead centre the piston needs no torque; the crank and half of the rod hang on the pin
    assert efforts["first motor.effort"][0] == pytest.approx((1.0 * 0.1 + 2.0 / 2 * 0.2) * 9.81)


def test_lagrangian_systems():
    m = da.Lagrangian("x", kinetic="m*rate(x)**2/2", potential="k*x**2/2", parameters={"m": 2.0, "k": 8.0})
    m.start("x", 1.0)
    s = da.sweep(m, {"k": [8.0, 18.0]}, until=1.0, keep=["final x", "span energy.total", "max rate(x)", "max x + 1"])
    assert s["final x"] == pytest.approx([math.cos(2.0), math.cos(3.0)], abs=1e-6)
    assert s["max x + 1"] == pytest.approx([2.0, 2.0])
    assert list(da.sweep(m, {"k": [8.0]}, until=1.0).names) == ["min x", "max x", "final x"]


def test_functions_as_model_question_and_keep():
    s = da.sweep(build, {"l": [1.0, 2.0], "kind": ["a", "b"]}, ask=length_squared, factor=3.0)
    assert s["square"].tolist() == [[3.0, 3.0], [12.0, 12.0]] and s.ask == "length_squared"
    s = da.sweep(build, {"l": [1.0, 13.0]}, ask=length_squared)
    (case,) = s.failures
    assert "thirteen" in case.failure.found and case.failure.do == "correct the function"
    s = da.sweep(pendulum(), [{"l": 1.0}, {"l": 2.0}], until=0.1, keep={"outputs": lambda run: len(run.t)})
    assert s["outputs"].tolist() == [201, 201] and s.axes is None
    s = da.sweep(pendulum(), {"l": [4.0]}, ask=lambda model: da.simulate(model, until=0.1), keep="final t")
    assert s["final t"].tolist() == [0.1]
    assert da.sweep(pendulum(), {"l": [4.0]}, ask=lambda model: 7)["value"].tolist() == [7.0]


def test_files_and_tables(crank, tmp_path):
    s = da.sweep(crank, {"r": [0.1, 0.7]}, ask="reactions", keep=["|A.force|", "A.force"])
    s.to_csv(tmp_path / "s.csv")
    with (tmp_path / "s.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    # the file is in mm and rpm
    assert rows[0] == ["r [mm]", "|A.force| [N]", "A.force[0] [N]", "A.force[1] [N]", "status", "reason"]
    assert float(rows[1][0]) == pytest.approx(100.0, rel=1e-15) and s["r"][0] == 0.1
    assert float(rows[1][1]) == s.cases[0]["|A.force|"] and rows[1][4:] == ["ok", ""]
    assert s["A.force"].shape == (2, 2)
    with pytest.raises(da.MethodError, match="known: r"):
        s["q"]
    with pytest.raises(da.MethodError, match="rows"):
        s.table(0)
    with pytest.raises(AttributeError):
        s.complete = False
    assert "2 cases, 0 failed" in repr(s)
    long = da.sweep(pendulum(), {"l": "1:2:100"}, ask=length_squared)
    assert "24 of 100 cases shown" in str(long) and len(long.table(5).splitlines()) == 9


def test_units(crank, tmp_path):
    s = da.sweep(crank, {"r": [0.1, 0.2]}, ask="reactions", keep={"A": "A.force", "text": lambda found: "mm"})
    plain = s.table(units="SI").splitlines()
    assert plain[1].split() == ["[m]", "[N]"] and plain[3].split()[0] == "0.1"
    shown = s.table(units="cm, kN").splitlines()
    assert shown[1].split() == ["[cm]", "[kN]"] and [line.split()[0] for line in shown[3:]] == ["10", "20"]
    assert float(shown[3].split()[1]) == pytest.approx(s["A"][0, 0] / 1000, rel=1e-5)
    s.to_csv(tmp_path / "s.csv", units="cm, kN")
    with (tmp_path / "s.csv").open(newline="") as file:
        head, row, _ = csv.reader(file)
    assert head[:3] == ["r [cm]", "A[0] [kN]", "A[1] [kN]"] and row[3] == "mm"
    assert [float(x) for x in row[1:3]] == pytest.approx(s["A"][0] / 1000, rel=1e-15)
    # arrays, frames and files for programs stay in SI units
    assert s.units["r"] == "m" and s["r"].tolist() == [0.1, 0.2] and s.rows()[0][0] == "r [m]"
    model = da.read_model(crank)
    model.units = "SI"
    assert "[m]" in str(da.sweep(model, {"r": [0.1]}, ask="reactions", keep="A.force"))
    with pytest.raises(da.MethodError, match="unknown unit 'foo'"):
        s.table(units="foo")


def test_units_of_equilibria():
    m = pendulum()
    m.units = "deg"
    s = da.sweep(m, {"l": [1.0]}, ask="equilibrium", keep=["A.angle", "energy", "count"])
    assert s.units["A.angle"] == "rad" and s.units["energy"] == "J" and not s.units["count"]
    assert "[deg]" in str(s) and f"{np.degrees(s['A.angle'][0]):.6g}" in str(s)


def test_pandas_and_xarray(crank):
    s = da.sweep(crank, {"r": [0.1, 0.2], "n": [1.0, 2.0, 3.0]}, ask="reactions", keep=["|A.force|", "A.force"])
    pandas = pytest.importorskip("pandas")
    assert isinstance(s.to_pandas(), pandas.DataFrame) and s.to_pandas().shape == (6, 7)
    pytest.importorskip("xarray")
    data = s.to_xarray()
    assert data["|A.force|"].sel(r=0.2, n=3.0) == s["|A.force|"][1, 2]
    assert data["A.force"].shape == (2, 3, 2) and data["A.force"].attrs["units"] == "N"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ask": "simulat"}, "did you mean 'simulate'"), ({"keep": "max foo"}, "no part is called 'foo'"), ({"keep": "mox A.angle"}, "did you mean 'max'"),
        ({"keep": "max A"}, "several quantities"), ({"keep": "max A.forze"}, "did you mean 'force'"), ({"keep": "A.force.q"}, "known: x, y"),
        ({"keep": {}}, "what to keep"), ({"keep": 7}, "what to keep"), ({"keep": [""]}, "what to keep"), ({"until": None}, "no end time"), ({"untill": 1.0}, "did you mean 'until'"),
        ({"processes": 0}, "1 or more"), ({"executor": 3}, "submit"), ({"executor": da, "processes": 2}, "submit"), ({"fixed": {"l": 2.0}}, "swept as well"),
        ({"ask": "modes", "keep": "freqency"}, "did you mean 'frequency'"), ({"keep": {"x": lambda run: run}}, "can be kept"), ({"keep": len}, "TypeError"),
    ],
)  # fmt: skip
def test_wrong_calls_are_told_at_once(options, words):
    options = {"until": 0.1, **options} if options.get("ask") is None else options
    with pytest.raises(da.DalembertError) as caught:
        da.sweep(pendulum(), {"l": [1.0, 2.0]}, **options)
    assert words in str(caught.value)


def test_wrong_models():
    for model, words in (
        (7, "of type int"),
        ("nowhere.toml", "no such file"),
        (da.Mechanism("m"), "without parameters"),
    ):
        with pytest.raises(da.DalembertError) as caught:
            da.sweep(model, {"l": [1.0]}, until=1.0)
        assert words in str(caught.value)
    m = pendulum()
    m.actuator("load", "A.angle", force=lambda s, v, t: 1.0)
    with pytest.raises(da.ModelError, match="function that builds"):
        da.sweep(m, {"l": [1.0]}, until=1.0)
    with pytest.raises(da.MethodError, match="no end time"):
        da.sweep(pendulum(), {"l": [1.0]})
    with pytest.raises(da.MethodError, match="no times"):
        da.sweep(pendulum(), {"l": [1.0]}, ask="kinematics")


def test_progress_with_time_left_and_quiet_when_piped(capfd):
    slow = {"ask": lambda model: time.sleep(0.4) or 1, "processes": 1}
    da.sweep(pendulum(), {"l": [1.0, 2.0, 3.0, 4.0]}, progress=True, **slow)
    shown = capfd.readouterr().err
    assert shown.startswith("\rsweep [#") and "75 %" in shown and "s left" in shown and shown.endswith("\n")
    da.sweep(pendulum(), {"l": [1.0, 2.0, 3.0, 4.0]}, **slow)
    assert capfd.readouterr().err == ""


def asking(folder, text):
    """The crank in a file that asks for something else."""
    path = folder / "crank.toml"
    path.write_text(CRANK.replace('[simulate]\nuntil = "1 s"\n', text), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "ask", "keep"),
    [
        ('[kinematics]\nuntil = "0.5 s"\noutput = "0.1 s"\n', "kinematics", "t"),
        ('[mobility]\n[inverse_dynamics]\ntimes = [0, "0.1 s"]\n', "inverse_dynamics", "max |shaking_force|"),
        ('[reactions]\nt = "0.1 s"\n', "reactions", "|A.force|"),
        ('[simulate]\nuntil = "0.2 s"\n', "simulate", "final t"),
        ("[mobility]\n", "simulate", "final t"),
    ],
)
def test_a_sweep_asks_what_the_file_asks(tmp_path, text, ask, keep):
    options = {"until": 1.0} if text == "[mobility]\n" else {}
    s = da.sweep(asking(tmp_path, text), {"r": [0.1, 0.2]}, keep=keep, processes=1, **options)
    assert s.ask == ask and not s.failures
    if ask == "kinematics":
        assert s["t"][0] == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])
    if ask == "reactions":  # at the time that the file gives
        model = da.read_model(asking(tmp_path, text), {"r": 0.2})
        force = da.simulate(model, until=0.1, output=[0.1])["A"].force
        assert s[keep][1] == pytest.approx(math.hypot(*force[0]), rel=1e-9)


def test_what_rests_is_asked_where_it_rests(tmp_path):
    path = tmp_path / "pendulum.toml"
    stable = math.sqrt(1.5 * 9.81) / 2 / math.pi  # [Hz]
    for table, ask, kept, value in (
        ("[equilibrium]", "equilibrium", "count", 2),
        ("[linearize]", "modes", "frequency[0]", stable),  # of the two positions of rest, about the stable one
        ('[linearize]\nat = "start"', "linearize", "steady", 0.0),
    ):
        da.write_model(pendulum(), path)
        path.write_text(f"{path.read_text(encoding='utf-8')}\n{table}\n", encoding="utf-8")
        s = da.sweep(path, {"l": [1.0]}, keep=kept)
        assert s.ask == ask and s[kept][0] == pytest.approx(value)


def test_a_file_with_several_questions_is_asked_for_one(tmp_path):
    path = asking(tmp_path, "[kinematics]\n[inverse_dynamics]\n")
    with pytest.raises(da.MethodError, match=r"asks for \[kinematics\], \[inverse_dynamics\]"):
        da.sweep(path, {"r": [0.1]})
    assert da.sweep(path, {"r": [0.1]}, ask="kinematics", keep="final t", until=0.1)["final t"] == pytest.approx(0.1)
