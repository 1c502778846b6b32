"""The file in the page: mistakes at their lines, sliders, other numbers in its text, saving."""

import json
import math

import pytest
from viewer.machines import unpacked

import dalembert as da
from dalembert.errors import MethodError
from dalembert.io.lines import toml_comments
from dalembert.studio.parameters import sliders, with_values
from dalembert.studio.source import save
from dalembert.studio.studio import studio

from .conftest import TEXT, Client


def test_mistakes_have_their_lines(client):
    session = client.open()
    broken = TEXT.replace('type = "prismatic"', 'type = "prismatik"').replace('"1 kg"', '"1 mm"')
    error = client.ask("edit", session=session, text=broken)["error"]
    lines = broken.split("\n")
    assert ["prismatik" in lines[p["line"] - 1] or "1 mm" in lines[p["line"] - 1] for p in error["lines"]] == [
        True,
        True,
    ]
    assert "did you mean 'prismatic'?" in error["lines"][1]["text"] and error["why"] and error["do"]
    # and a text that is no TOML at all
    error = client.ask("edit", session=session, text="[bodies\n")["error"]
    assert error["lines"][0]["line"] == 1
    assert client.ask("edit", session=session, text=TEXT)["name"] == "slider-crank"
    client.ask("close", session=session)


def test_impossible_numbers_are_explained(client):
    session = client.open()
    # a rod shorter than the crank locks up where sin(angle) = l/r
    for analysis in ("simulate", "kinematics"):
        found = client.ask("run", session=session, analysis=analysis, values={"l": 0.1})
        error = found["error"]
        assert all(error[part] for part in ("asked", "found", "why", "do")) and "Traceback" not in str(error)
        # the motion up to there is shown: 30 degrees at 60 rpm are 1/12 s
        assert unpacked(found["data"]["t"])[-1] == pytest.approx(1 / 12, abs=0.011)
    error = client.ask("run", session=session, analysis="simulate", values={"radius": 0.1})["error"]
    assert "known: r, l, n" in error["why"]
    error = client.ask("run", session=session, analysis="simulated", values={})["error"]
    assert "did you mean 'simulate'?" in error["why"]
    client.ask("close", session=session)


@pytest.mark.parametrize(
    ("written", "low", "high"),
    [
        ('"200 mm"', 50, 400), ('"9.81 m/s^2"', 2.45, 20), ("0.3", 0.075, 0.6), ('"-3 N"', -6, -0.75), ("0", -1, 1), ('"30 deg"', -180, 180),
        ('"0.5 rad"', -math.pi, math.pi), ('"720 deg"', 180, 1450), ('{ number = 20, label = "teeth" }', 5, 40),
    ],
)  # fmt: skip
def test_ranges_are_round_and_hold_the_number(written, low, high):
    (found,) = sliders(f"[parameters]\nx = {written}\n", ".toml")
    assert (found["low"], found["high"]) == (pytest.approx(low), pytest.approx(high))
    assert found["low"] <= found["number"] <= found["high"]
    steps = (found["high"] - found["low"]) / found["step"]
    assert 100 <= steps <= 2500


def test_comments_of_the_file_say_what_a_slider_is_for():
    text = '[parameters]\na = "1 m"  # crank radius\nb = "#2"\nc = 3 # = length # of the rod\n# nothing\nd = 4\n[bodies]  # c\n'
    said = {item["name"]: item["about"] for item in sliders(text.replace('b = "#2"', "b = 2"), ".toml")}
    assert said == {"a": "crank radius", "b": "", "c": "= length # of the rod", "d": ""}
    assert toml_comments(text)["bodies",] == "c" and ("parameters", "b") not in toml_comments(text)
    # as with other ends of lines; JSON has no comments
    assert sliders(text.replace('b = "#2"', "b = 2").replace("\n", "\r\n"), ".toml")[0]["about"] == "crank radius"
    assert sliders('{"parameters": {"a": 1}}', ".json")[0]["about"] == ""


def test_derived_parameters_have_no_sliders_and_follow():
    text = '[parameters]\nb = "2*x"\nx = "1 m"\nc = "sqrt(b*x)"\n'
    assert [item["name"] for item in sliders(text, ".toml")] == ["x"]
    assert with_values(text, ".toml", "a.toml", {"x": 2.5}) == text.replace("1 m", "2.5 m")
    with pytest.raises(MethodError):
        with_values(text, ".toml", "a.toml", {"b": 2.5})


def test_numbers_go_into_the_text_and_nothing_else_changes():
    changed = with_values(TEXT, ".toml", "crank.toml", {"r": 0.25, "n": 2 * math.pi * 1.5})
    assert changed == TEXT.replace('r = "200 mm"', 'r = "250 mm"').replace('n = "60 rpm"', 'n = "90 rpm"')


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[parameters]\nx = 1 # x = 3\n", "[parameters]\nx = 2.5 # x = 3\n"),
        ("parameters.x = 1.0e0\n", "parameters.x = 2.5\n"),
        ("parameters = { y = 4, x = 1 }\n", "parameters = { y = 4, x = 2.5 }\n"),
        ("[parameters]\n'x'=-1\n", "[parameters]\n'x'=2.5\n"),
        (
            '[parameters]\nx = { number = 7, label = "x = 7" }\n',
            '[parameters]\nx = { number = 2.5, label = "x = 7" }\n',
        ),
        ("[parameters]\r\nxx = 1\r\nx = '1 m' # 1 m\r\n", "[parameters]\r\nxx = 1\r\nx = '2.5 m' # 1 m\r\n"),
    ],
)
def test_every_way_to_write_a_number(text, wanted):
    assert with_values(text, ".toml", "a.toml", {"x": 2.5}) == wanted


def test_numbers_in_json():
    text = json.dumps({"format": 1, "parameters": {"x": 1, "length": "200 mm"}}, indent=2)
    made = with_values(text, ".json", "a.json", {"x": 2.5, "length": 0.3})
    assert json.loads(made)["parameters"] == {"x": 2.5, "length": "300 mm"}


def test_a_number_that_is_not_found_is_said():
    with pytest.raises(MethodError) as error:
        with_values("[parameters]\nx = 1\n", ".toml", "a.toml", {"y": 2.5})
    assert "was not found" in str(error.value)


def test_saving_asks_before_it_replaces(tmp_path):
    file = tmp_path / "crank.toml"
    file.write_text(TEXT, encoding="utf-8")
    with studio(file, open=False, wait=False) as live:
        client = Client(live)
        session = client.open()
        given = {"session": session, "text": "# other\n", "opened": TEXT}
        assert client.ask("save", name="crank.toml", **given) == {"exists": "crank.toml", "changed": False}
        assert file.read_text(encoding="utf-8") == TEXT
        file.write_text("# by someone else\n", encoding="utf-8")
        assert client.ask("save", name="crank.toml", **given) == {"exists": "crank.toml", "changed": True}
        assert client.ask("save", name="new ü.toml", **given) == {"saved": str(tmp_path / "new ü.toml")}
        assert client.ask("save", name="crank.toml", overwrite=True, **given)["saved"] == str(file)
        assert file.read_text(encoding="utf-8") == "# other\n"
        assert sorted(p.name for p in tmp_path.iterdir()) == ["crank.toml", "new ü.toml"]


@pytest.mark.parametrize(
    "name",
    [
        "../x.toml",
        "/x.toml",
        "a/b.toml",
        "..",
        "",
        ".hidden.toml",
        "x.py",
        "x",
        "a\\b.toml",
        "x\0.toml",
        "C:x.toml",
        None,
        3,
        ["x.toml"],
    ],
)
def test_files_are_saved_beside_the_open_one_only(tmp_path, name):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(MethodError):
        save(folder, name, "text", True, None)
    assert [p.name for p in tmp_path.rglob("*")] == ["folder"]


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "x.toml").mkdir()
    with pytest.raises(MethodError):
        save(tmp_path, "x.toml", "text", True, None)


@pytest.mark.parametrize("bad", [3, None, "crank.txt", "missing.toml", ["crank.toml"]])
def test_what_is_no_model_file_is_refused(bad, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MethodError):
        studio(bad, open=False, wait=False)


@pytest.mark.parametrize(
    "bad", [{"port": -1}, {"port": 70000}, {"port": "80"}, {"port": True}, {"open": 1}, {"wait": None}]
)
def test_bad_options_are_refused(bad, tmp_path):
    file = tmp_path / "crank.toml"
    file.write_text(TEXT, encoding="utf-8")
    with pytest.raises(MethodError):
        studio(file, **{"open": False, "wait": False, **bad})


def test_a_port_in_use_is_told(live, tmp_path):
    file = tmp_path / "crank.toml"
    file.write_text(TEXT, encoding="utf-8")
    with pytest.raises(MethodError) as error:
        studio(file, port=Client(live).port, open=False, wait=False)
    assert "port=0" in str(error.value)


def test_models_built_in_python_are_opened_too():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    length = m.parameter("l", 1.0, "m")
    bar = m.body("bar", da.rod(length=length, mass=2.0), at=(0.5 * length, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    with da.studio(m, open=False, wait=False) as live:
        found = Client(live).ask("open")
        assert found["name"] == "pendulum" and [p["name"] for p in found["parameters"]] == ["l"]


def test_a_broken_file_is_opened_to_be_mended(tmp_path):
    file = tmp_path / "broken.toml"
    file.write_text(TEXT.replace("revolute", "revolut"), encoding="utf-8")
    with studio(file, open=False, wait=False) as live:
        client = Client(live)
        found = client.ask("open")
        assert found["session"] and len(found["error"]["lines"]) == 3
        assert client.ask("edit", session=found["session"], text=TEXT)["name"] == "slider-crank"


def test_the_studio_opens_the_browser_and_ends_by_ctrl_c(tmp_path, monkeypatch, capsys):
    file = tmp_path / "crank.toml"
    file.write_text(TEXT, encoding="utf-8")
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)

    def interrupted(self, timeout=None):
        raise KeyboardInterrupt

    monkeypatch.setattr("threading.Thread.join", interrupted)
    live = studio(file)
    assert opened == [live.url] and live.url in capsys.readouterr().err
    with pytest.raises(OSError):
        Client(live).raw("GET", "/")
