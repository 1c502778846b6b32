"""Every command on small machines, with numbers from closed forms."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.machines import machines
from tests.soak import SOAK

from .conftest import PENDULUM, TWO_PINS

R, L = 0.2, 0.6  # crank and rod of the slider-crank


def test_new_writes_and_never_overwrites(call, folder):
    menu = call("new")
    assert menu.code == 0 and "slider-crank" in menu.out
    assert call("new", "slider-crank").code == 0
    before = (folder / "slider-crank.toml").read_bytes()
    again = call("new", "slider-crank")
    assert again.code == 5 and "there already" in again.err
    assert call("new", "slider-crank", "other").code == 0
    assert (folder / "other.toml").read_bytes() == before
    assert call("new", "slider-crank", "other.json").code == 0
    written = call("check", "other.json", "--json").data
    assert written["status"] == "ok" and written["model"] == "slider-crank"
    odd = call("new", "slider-crank", "other.txt")
    assert odd.code == 2 and "TOML or JSON" in odd.err
    wrong = call("new", "slider-krank")
    assert wrong.code == 2 and "did you mean 'slider-crank'" in wrong.err
    assert sorted(p.name for p in folder.iterdir()) == ["other.json", "other.toml", "slider-crank.toml"]


def test_examples(call, folder):
    listed = call("examples", "list", "--json").data["machines"]
    assert "slider-crank" in listed and listed["slider-crank"]
    assert all(name in call("examples").out for name in listed)
    assert call("examples", "copy", "machines").code == 0
    assert {p.stem for p in (folder / "machines").iterdir()} == set(listed)
    assert call("examples", "copy", "machines", "slider-crank").code == 5


def test_run_writes_report_and_files(call, crank, folder):
    done = call("run", crank.name, "--page")
    assert done.code == 0, done.err
    assert "audit: passed" in done.out and "dalembert show slider-crank-results" in done.out
    results = folder / "slider-crank-results"
    names = {p.name for p in results.iterdir()}
    assert names == {"simulate.npz", "simulate.csv", "report.txt", "summary.json", "model.toml", "page.html"}
    run = da.load(results / "simulate.npz")
    # two turns: the piston comes back, and half way it is twice the crank nearer
    x = np.asarray(run["piston"].position)[:, 0]
    assert x[0] == pytest.approx(R + L, abs=1e-9) and x.min() == pytest.approx(L - R, abs=1e-6)
    assert (results / "model.toml").read_bytes() == crank.read_bytes()
    summary = json.loads((results / "summary.json").read_text(encoding="utf-8"))
    assert summary["format"] == "dalembert output" and set(summary["files"]) == names
    assert "<html" in (results / "page.html").read_text(encoding="utf-8")
    # the next one goes beside it
    assert call("run", crank.name).code == 0
    assert (folder / "slider-crank-results-2").is_dir()


def test_set_changes_parameters(call, crank, folder):
    for given in ("r=0.1", "r=100 mm"):
        done = call("run", crank, "--set", given, "--no-files", "--json")
        assert done.code == 0, done.err
        data = done.data
        assert data["parameters"]["r"] == pytest.approx(0.1, abs=1e-16)
        x = data["answers"]["simulate"]["quantities"]["piston.position[x]"]
        assert x["unit"] == "m" and x["least"] == pytest.approx(L - 0.1, abs=1e-6)
    assert [p.name for p in folder.iterdir()] == ["slider-crank.toml"]
    assert call("run", crank, "--set", "r=100 mm", "--set", "n=120 rpm", "--out", "x").code == 0
    again = da.io.read_file(folder / "x" / "model.toml")
    assert again.model.parameters["r"] == 0.1 and again.model.parameters["n"] == pytest.approx(4 * math.pi)
    assert again.analyses["simulate"]["until"] == 2.0


@pytest.mark.parametrize(
    ("given", "said"), [("rr=1", "did you mean 'r'"), ("r=2 kg", "a length"), ("n=90", "90 rpm"), ("r=x", "no number")]
)
def test_set_refuses(call, crank, given, said):
    done = call("run", crank, "--set", given)
    assert done.code == 2 and said in done.err and not done.out


def test_units_of_the_file_or_as_asked(call, crank, folder):
    assert "bore.slide [mm]" in call("dynamics", crank).out
    done = call("dynamics", crank, "--units", "cm, kN, deg", "--out", "x")
    assert all(column in done.out for column in ("bore.slide [cm]", "O.angle [deg]", "|O| [kN]"))
    head = (folder / "x" / "simulate.csv").read_text(encoding="utf-8").splitlines()[0]
    assert "piston.position[x] [cm]" in head and "piston.velocity[x] [cm/s]" in head
    assert da.read_model(folder / "x" / "model.toml").units == ("cm", "kN", "deg")
    # files of numbers and JSON are in SI units
    assert da.load(folder / "x" / "simulate.npz")["bore.slide"].unit == "m"
    assert (
        call("dynamics", crank, "--units", "cm", "--json").data["answers"]["simulate"]["quantities"]["bore.slide"][
            "unit"
        ]
        == "m"
    )
    assert "Fx [kN]" in call("reactions", crank, "--units", "kN").out
    assert "bore.slide [m]" in call("dynamics", crank, "--units", "SI").out
    wrong = call("dynamics", crank, "--units", "mm, cm")
    assert wrong.code == 2 and "units of the same quantity" in wrong.err


def test_set_of_derived_parameters(call, pendulum):
    text = pendulum.read_text(encoding="utf-8")
    text = text.replace('l = "1 m"', 'l = "2*half"\nhalf = "500 mm"').replace('"l/2"', '"half"')
    pendulum.write_text(text, encoding="utf-8")
    # a uniform rod on a pin, g = 10: omega² = 3 g / (2 l)
    for given, length in (("half=500 mm", 1.0), ("half=0.3", 0.6)):
        data = call("modes", pendulum, "--set", given, "--json").data
        found = data["answers"]["linearize"]["points"][0]["modes"][0]["frequency"]
        assert 2 * math.pi * found == pytest.approx(math.sqrt(15 / length), rel=1e-9)
    done = call("run", pendulum, "--set", "l=2 m")
    assert done.code == 2 and "l = '2*half'" in done.err and "change half" in done.err and not done.out


def test_run_without_analyses_checks_assembles_simulates(call, pendulum):
    done = call("run", pendulum, "--json")
    assert done.code == 0 and list(done.data["answers"]) == ["check", "assemble", "simulate"]
    text = call("run", pendulum, "--no-files").out
    assert "1 degree of freedom" in text and "fits as drawn" in text and "audit: passed" in text


def test_run_does_what_the_file_asks(call, pendulum):
    with pendulum.open("a", encoding="utf-8") as file:
        file.write('[equilibrium]\n[linearize]\nat = "equilibrium"\n[reactions]\n[free_body]\nbody = "bar"\n')
        file.write(
            '[holding_load]\nunknown = "A.angle"\n[strike]\nimpulse = { "bar.end" = [0, 3] }\n[classify]\n[mobility]\n'
        )
    data = call("run", pendulum, "--no-files", "--json").data["answers"]
    assert list(data) == [
        "equilibrium",
        "linearize",
        "reactions",
        "free_body",
        "holding_load",
        "strike",
        "classify",
        "mobility",
    ]
    # a uniform rod of 1 m and 2 kg on a pin, g = 10: omega² = 3 g / (2 l), torque m g l / 2, spin 3 P / (m l) after the blow
    point = data["linearize"]["points"][0]
    assert point["modes"][0]["frequency"] == pytest.approx(math.sqrt(15.0) / (2 * math.pi), rel=1e-9)
    assert [e["verdict"] for e in data["equilibrium"]["equilibria"]] == ["stable", "unstable"]
    assert data["reactions"]["reactions"]["A"]["force"][1] == pytest.approx(5.0)  # a quarter of the weight
    assert abs(data["holding_load"]["loads"]["A.angle"]["value"]) == pytest.approx(10.0)
    assert data["strike"]["after"][2] == pytest.approx(4.5)
    assert data["mobility"]["dof"] == 1


def test_check(call, crank, pendulum):
    assert call("check", crank).code == 0
    text = call("check", pendulum).out
    for topic in ("mobility", "redundancy", "units", "inertia", "assembly", "start"):
        assert topic in text
    # a second pin at the end of the bar: still consistent in the plane, and nothing moves
    held = (
        pendulum.read_text(encoding="utf-8")
        + '[joints.B]\ntype = "revolute"\nbetween = ["ground", "bar"]\nat = [1, 0]\n'
    )
    pendulum.write_text(held, encoding="utf-8")
    found = {f["topic"]: f for f in call("check", pendulum, "--json").data["answers"]["check"]["findings"]}
    assert found["redundancy"]["verdict"] == "note" and "A, B" in found["redundancy"]["text"]


def test_check_finds_forgotten_units_and_impossible_dimensions(call, folder, crank):
    text = crank.read_text(encoding="utf-8")
    (folder / "big.toml").write_text(text.replace('"200 mm"', "200").replace('"600 mm"', "600"), encoding="utf-8")
    big = call("check", "big.toml", "--json")
    assert "is a unit missing?" in str(big.data["answers"]["check"]["findings"])
    # two pins of a bar that are 0.5 m apart on the bar and 3 m on the ground
    (folder / "two.toml").write_text(PENDULUM + TWO_PINS, encoding="utf-8")
    found = call("check", "two.toml")
    assert found.code == 1 and "'B' by 2 m" in found.out and "inconsistent" in found.out


def test_one_question_each(call, crank, pendulum):
    motion = call("kinematics", crank, "--until", "0.25 s", "--json").data["answers"]["kinematics"]
    assert motion["quantities"]["piston.position[x]"]["last"] == pytest.approx(math.sqrt(L**2 - R**2), abs=1e-9)
    effort = call("inverse", crank, "--json").data["answers"]["inverse_dynamics"]["drivers"]["motor"]
    # crank and rod lie along x: half the weight of crank and rod at the crank pin, g (1/2 + 1) r
    assert effort["values"][0] == pytest.approx(9.81 * 1.5 * R, rel=1e-9)
    swing = call("dynamics", pendulum, "--until", "0.5", "--output", "100 ms", "--json").data["answers"]["simulate"]
    assert swing["outputs"] == 6 and swing["status"] == "ok"
    rest = call("equilibrium", pendulum)
    assert rest.code == 0 and "stable" in rest.out
    assert "0.616" in call("modes", pendulum).out
    # at 60 rpm a quarter turn takes 0.25 s
    force = call("reactions", crank, "--at", "250 ms", "--json").data["answers"]["reactions"]
    assert force["t"] == 0.25 and set(force["reactions"]) == {"O", "A", "B", "bore", "motor"}
    assert call("verify", pendulum, "--states", "2", "--json").data["answers"]["verify"]["agree"] is True


def test_equations(call, pendulum, folder):
    pytest.importorskip("sympy")
    assert "theta_A''" in call("equations", pendulum).out
    assert call("equations", pendulum, "--latex").out.startswith("\\begin{aligned}")
    assert call("equations", pendulum, "--form", "lagrange", "--out", "x").code == 0
    assert "ddot" in (folder / "x" / "equations.tex").read_text(encoding="utf-8")
    assert "δtheta_A'" in call("equations", pendulum, "--form", "hamilton-principle").out
    assert "F_theta_A = " in call("equations", pendulum, "--form", "kane").out
    assert "about joint 'A'" in call("equations", pendulum, "--form", "noncentroidal", "--about", "A").out
    refused = call("equations", pendulum, "--form", "routh", "--ignore", "theta_A")
    assert refused.code != 0 and "'theta_A' is not ignorable: L contains it" in refused.err


LAMP = """
gravity = [0, -9.81]
plane = true
[parameters]
k = "60 N/m"
[bodies]
arm = { shape = { rod = { length = 1, mass = 2 } }, at = [0.5, 0] }
[joints]
A = { type = "revolute", between = ["ground", "arm"], at = [0, 0] }
[forces]
s = { type = "spring", between = [["ground", [0, 0.8]], ["arm", [0, 0]]], stiffness = "k", free_length = 0.3 }
"""


def test_motion_from_an_equilibrium(call, folder):
    """A lamp rests at 0.911922 rad and, mirrored, at pi minus that; it begins at the one that is near, and stays there."""
    (folder / "lamp.toml").write_text(LAMP, encoding="utf-8")
    (folder / "still.toml").write_text(LAMP + '[simulate]\nat = "equilibrium"\nuntil = 1\n', encoding="utf-8")
    for asked in (["still.toml"], ["lamp.toml", "--at", "equilibrium", "--until", "1"]):
        assert call("dynamics", *asked, "--out", "x", "--overwrite").code == 0
        run = da.load("x/simulate.npz")
        assert np.ptp(run["A.angle"]) < 1e-9 and run["A.angle"][0] == pytest.approx(0.911922, abs=1e-6)
    swept = da.sweep("still.toml", {"k": [50.0, 60.0]}, keep={"moved": lambda run: np.ptp(run["A.angle"])})
    assert np.max(swept["moved"]) < 1e-9
    free = LAMP.replace("[forces]", "").replace("s = {", "# {").replace("gravity = [0, -9.81]", "gravity = [0, 0]")
    (folder / "free.toml").write_text(free, encoding="utf-8")
    assert "no stable equilibrium" in call("dynamics", "free.toml", "--at", "equilibrium").err


def test_export(call, pendulum, folder):
    done = call("export", pendulum, "swing.c", "--form", "minimal", "--what", "M, f")
    text = (folder / "swing.c").read_text(encoding="utf-8")
    assert done.code == 0 and "written: swing.c" in done.out and "_M(double t" in text and "_J(" not in text
    assert "already" in call("export", pendulum, "swing.c").err
    assert call("export", pendulum, "swing.c", "--overwrite").code == 0
    space: dict = {}
    exec(call("export", pendulum).out, space)
    assert space["ROWS"] == ("A.gap_x", "A.gap_y")
    assert "what = 'K'" in call("export", pendulum, "--what", "K").err


def test_lagrangian_files(call, folder):
    m = da.Lagrangian("theta", kinetic="rate(theta)**2/2", potential="-9*cos(theta)", name="swing")
    m.start("theta", 0.1)
    da.write_model(m, "swing.toml")
    done = call("run", "swing.toml", "--json")
    assert done.code == 0 and done.data["kind"] == "lagrangian" and list(done.data["answers"]) == ["check", "simulate"]
    assert call("modes", "swing.toml", "--json").data["answers"]["linearize"]["points"][0]["modes"][0][
        "frequency"
    ] == pytest.approx(3.0 / (2 * math.pi))
    assert call("show", "swing-results", "--no-open").code == 0
    with (folder / "swing.toml").open("a") as file:
        file.write('[holding_load]\nunknown = "theta"\n')
    held = call("run", "swing.toml", "--json").data["answers"]["holding_load"]["loads"]["theta"]
    assert held["value"] == pytest.approx(9 * math.sin(0.1))


def test_a_motion_that_locks_is_kept_until_there(call, crank, folder):
    # a crank longer than the rod cannot turn round
    # sin(angle) = 600/700 at the end, one turn a second
    limit = math.asin(6.0 / 7.0) / (2 * math.pi)
    for verb, name in (("kinematics", "kinematics"), ("dynamics", "simulate"), ("inverse", "inverse_dynamics"), ("run", "simulate")):  # fmt: skip
        done = call(verb, crank, "--set", "r=700 mm", "--page", "--out", verb)
        assert done.code == 4 and "incomplete: lock-up at t = 0.163881 s" in done.out and "lock-up" in done.err, verb
        run = da.load(folder / verb / f"{name}.npz")
        assert run.status == "incomplete" and len(run.t) == 17 and run.t[-1] < limit
        assert len((folder / verb / f"{name}.csv").read_text(encoding="utf-8").splitlines()) == 18
        assert "incomplete: lock-up" in (folder / verb / "page.html").read_text(encoding="utf-8")
        assert "cannot follow it" in (folder / verb / "report.txt").read_text(encoding="utf-8")
        summary = json.loads((folder / verb / "summary.json").read_text(encoding="utf-8"))
        assert summary["exit"] == 4 and "error" in summary and summary["answers"][name]["complete"] is False
        assert summary["answers"][name]["stopped"]["t"] == pytest.approx(limit, abs=1e-8)


def test_a_lagrangian_motion_that_stops_is_kept(call, folder):
    """x'' = x³ from x = 1 at the rate 1/sqrt 2: x = sqrt 2/(sqrt 2 - t), which has no value from t = sqrt 2 on."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="-x**4/4", name="runaway")
    m.start("x", 1.0, rate=1 / math.sqrt(2.0))
    da.write_model(m, "runaway.toml", {"simulate": {"until": 2.0, "output": 0.1}})
    done = call("run", "runaway.toml", "--page", "--out", "x")
    assert done.code == 4 and "incomplete: stopped at t = 1.414" in done.out
    run = da.load(folder / "x" / "simulate.npz")
    assert run.status == "incomplete" and np.abs(run["x"] * (math.sqrt(2.0) - run.t) / math.sqrt(2.0) - 1).max() < 1e-6
    assert (folder / "x" / "page.html").exists()


@pytest.mark.parametrize("kind", ["mechanism", "lagrangian"])
@pytest.mark.parametrize("verb", ["check", "equilibrium", "modes", "reactions", "verify", "equations"])
def test_every_command_writes_its_page(call, folder, pendulum, kind, verb):
    if kind == "lagrangian":
        m = da.Lagrangian("theta", kinetic="rate(theta)**2/2", potential="-9*cos(theta)", name="swing")
        da.write_model(m, pendulum)
    done = call(verb, pendulum, "--page")
    assert done.code == 0 and "page.html" in done.out and "see it: dalembert show pendulum-results" in done.out
    text = (folder / "pendulum-results" / "page.html").read_text(encoding="utf-8")
    said = {"check": "✓ start", "equilibrium": "unstable", "modes": "frequency", "reactions": "reactions of", "verify": "agree", "equations": "theta"}  # fmt: skip
    assert said[verb] in text
    assert call("show", "pendulum-results", "--no-open").code == 0


def test_modes_about_several_equilibria_have_a_page_each(call, folder):
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="(x**2 - 1)**2/4", name="two wells")
    da.write_model(m, "wells.toml")
    assert call("modes", "wells.toml", "--page").code == 0
    assert {"page.html", "page-2.html"} <= {path.name for path in (folder / "wells-results").iterdir()}


def test_a_page_of_what_does_not_go_together(call, folder, pendulum):
    pendulum.write_text(PENDULUM + TWO_PINS, encoding="utf-8")
    assert call("check", pendulum, "--page").code == 1
    text = (folder / "pendulum-results" / "page.html").read_text(encoding="utf-8")
    assert "it does not go together" in text and "✗ assembly" in text


def test_show(call, crank, folder, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert call("run", crank, "--page").code == 0
    done = call("show", "slider-crank-results")
    assert done.code == 0 and opened[-1].endswith("slider-crank-results/page.html")
    assert call("show", crank, "--page", "mine", "--no-open").code == 0
    assert (folder / "mine.html").exists() and len(opened) == 1
    again = call("show", crank, "--page", "mine.html", "--no-open")
    assert again.code == 5 and "--overwrite" in again.err
    assert call("show", "slider-crank-results/simulate.npz", "--page", "plots", "--no-open").code == 0
    assert call("show", "slider-crank-results", "--page", "inches", "--no-open", "--units", "in, lbf").code == 0
    text = (folder / "inches.html").read_text(encoding="utf-8")
    assert '"unit":"in"' in text.replace(": ", ":") and '"unit":"lbf"' in text.replace(": ", ":")
    assert call("show", "nothing.npz").code == 5
    (folder / "empty").mkdir()
    assert call("show", "empty").code == 5
    assert call("show", "missing").code == 5


def test_schema_and_warmup(call, folder):
    assert json.loads(call("schema").out) == da.io.schema()
    assert call("schema", "s.json").code == 0
    assert call("schema", "s.json").code == 5
    assert call("schema", "s.json", "--overwrite").code == 0
    compiled = call("warmup", "--json").data
    assert set(compiled["seconds"]) == {"mechanisms", "lagrangian"} and compiled["processor"]


def test_what_people_mean(call, crank, folder):
    """The ending of a file may be left out, a folder of results stands for its model, and a forgotten --set is told."""
    assert call("run", "slider-crank", "--set", "r=100 mm").code == 0
    again = call("run", "slider-crank-results", "--no-files", "--json")
    assert again.code == 0 and again.data["parameters"]["r"] == 0.1
    forgotten = call("run", crank, "--set", "r=0.1", "n=90 rpm")
    assert forgotten.code == 2 and "--set before each" in forgotten.err
    assert call("new", "--json").data["machines"] and call("new", "slider-crank.toml", "--json").code == 5


def test_show_of_another_question(call, crank, folder):
    """The copy of the model asks for what was asked for on the command line."""
    assert call("kinematics", crank, "--until", "0.5 s", "--out", "half").code == 0
    assert da.io.read_file(folder / "half" / "model.toml").analyses["kinematics"]["until"] == 0.5
    shown = call("show", "half", "--no-open", "--page", "half", "--json")
    assert shown.code == 0 and shown.data["page"] == "half.html"


# a third of them with every change
@pytest.mark.parametrize("machine", list(machines())[:: 1 if SOAK else 3])
def test_machines_are_healthy(call, folder, machine):
    """Every file of the menu describes itself in its first line, is read without a word, and the doctor finds nothing wrong."""
    assert len(machines()[machine]) > 10
    assert call("new", machine).code == 0
    found = call("check", f"{machine}.toml", "--json")
    assert found.code == 0, found.err
    assert da.io.read_file(folder / f"{machine}.toml").analyses


def test_states_of_controllers_in_files(call, folder):
    text = PENDULUM + '[states]\nz = "0.5 - A.angle"\n'
    text += '[forces.motor]\ntype = "torque"\nbody = "bar"\nvalue = "40*(0.5 - A.angle) + 30*z - 9*rate(A.angle)"\n'
    (folder / "controlled.toml").write_text(text)
    done = call("dynamics", "controlled.toml", "--until", "30")
    assert done.code == 0 and "z [1]" in done.out and "audit: passed" in done.out
    # the integral carries the weight in the end: 30 z = m g l/2 cos(0.5)
    last = done.out.split("\n\n")[1].splitlines()[-1].split()
    assert float(last[1]) == pytest.approx(10.0 * math.cos(0.5) / 30.0, abs=1e-4)
    rest = call("equilibrium", "controlled.toml", "--json")
    (found,) = rest.data["answers"]["equilibrium"]["equilibria"]
    assert rest.code == 0 and found["verdict"] == "stable"
    assert found["coordinates"]["z"]["value"] == pytest.approx(10.0 * math.cos(0.5) / 30.0, rel=1e-9)
    assert call("modes", "controlled.toml").code == 0
    refused = call("verify", "controlled.toml")
    assert refused.code != 0 and "the model has the state 'z'" in refused.err


def test_potential_energy(call, folder):
    """Q = 1 - 3 x: V = 3 x^2/2 - x, 4 J at x = 2; two forces that whirl are named."""
    pytest.importorskip("sympy")
    (folder / "field.toml").write_text(
        'kind = "lagrangian"\nq = ["x"]\nkinetic = "rate(x)**2/2"\n[forces]\nx = "1 - 3*x"\n[start]\nx = { value = 2 }\n'
    )
    done = call("potential", "field.toml")
    assert done.code == 0 and "V = 3/2*x**2 - x = 4 J" in done.out
    assert call("potential", "field.toml", "--json").data["answers"]["potential_energy"]["value"] == pytest.approx(4.0)
    (folder / "whirl.toml").write_text(
        'kind = "lagrangian"\nq = ["x", "y"]\nkinetic = "rate(x)**2/2 + rate(y)**2/2"\n[forces]\nx = "-y"\ny = "x"\n'
    )
    assert "force on 'x'" in call("potential", "whirl.toml").err
