"""Events everywhere else: model files, the command line, results on disk, works, other times, the page."""

import json
import math
import re

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.main import main
from dalembert.viewer.page import page_data

G = 9.81

FILE = """
name = "ball"
gravity = [0, -9.81]
[parameters]
bounce = 0.5
[bodies.ball]
particle = true
mass = 1
at = [0, 1]
[measures]
height = "ball.y"
[events.half]
what = "height"
level = "500 mm"
direction = "down"
[events.end]
what = "t"
level = 1.25
stop = true
[impacts.floor]
gap = "height"
restitution = "bounce"
[simulate]
until = 3.0
"""


def eventful():
    m = da.Mechanism("pendulum", gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.impact("wall", m.measure("tip", point=bar.end, along=(1, 0)), restitution=0.6)
    m.event("cut", "t", level=1.2, release="A")
    return m


@pytest.fixture(scope="module")
def run():
    return da.simulate(eventful(), until=1.5, rtol=1e-10, atol=1e-11)


def test_a_file(tmp_path):
    path = tmp_path / "ball.toml"
    path.write_text(FILE)
    m = da.read_model(path)
    run = da.simulate(m, until=3.0)
    assert [x.name for x in run.events][:2] == ["half", "floor"] and run.events[-1].name == "end"
    assert run.events["floor"][0].t == pytest.approx(math.sqrt(2 / G), abs=1e-13)
    again = tmp_path / "again.toml"
    da.write_model(m, again)
    assert da.simulate(da.read_model(again), until=3.0).events.times == run.events.times


def test_everything_of_an_event_comes_back_from_a_file(tmp_path):
    m = eventful()
    m.parameter("k", 2.0)
    m.pfaffian("brake", "rate(A.angle)")
    m.open("brake")
    m.event("all", m["A"].angle.rate + 0.1, level="k", direction="up", set={"k": "2*k"}, release=["A"], add="brake", lock="A", unlock="bar.x",
            strike={"bar": (0, 1.0)}, couple={"bar": 0.5}, once=True)  # fmt: skip
    da.write_model(m, tmp_path / "m.toml")
    back = da.read_model(tmp_path / "m.toml")
    one, two = m.events["all"], back.events["all"]
    assert str(one.expression) == str(two.expression) and (one.direction, one.once) == (two.direction, two.once)
    for key in ("release", "add", "lock", "unlock"):
        assert getattr(one.changes, key) == getattr(two.changes, key)
    assert back.situation == m.situation and back.impacts["wall"].restitution == 0.6


def test_an_action_is_no_data(tmp_path):
    m = eventful()
    m.event("e", "t", level=0.5, action=lambda now: None)
    with pytest.raises(da.ModelError, match="files are data"):
        da.write_model(m, tmp_path / "m.toml")


def test_a_file_of_coordinates(tmp_path):
    m = da.Lagrangian("y", kinetic="rate(y)**2/2", potential="g*y", parameters={"g": G})
    m.start("y", 1.0)
    m.impact("floor", "y", restitution=0.5, hypothesis="poisson")
    m.event("kick", "y", level=0.5, direction="down", strike={"y": 1.0}, once=True)
    da.write_model(m, tmp_path / "m.json")
    back = da.read_model(tmp_path / "m.json")
    assert da.simulate(back, until=1.0).events.times == da.simulate(m, until=1.0).events.times


@pytest.mark.parametrize(
    ("wrong", "told"),
    [('what = "nothing"', "nothing"), ('what = "t"\ndirection = "left"', "left"), ('what = "t"\nrelease = 3', "release"), ("stop = true", "on is missing"),
     ('what = "t"\nstop = 1', "stop"), ('what = "t"\nset = { nix = 1 }', "nix"), ('what = "t"\nexplode = 1', "explode")],
)  # fmt: skip
def test_mistakes_in_files_have_their_line(tmp_path, wrong, told):
    path = tmp_path / "ball.toml"
    path.write_text(FILE.split("[events.half]")[0] + f"[events.bad]\n{wrong}\n")
    with pytest.raises(da.ModelError, match=told) as refused:
        da.read_model(path)
    assert re.search(r"ball\.toml:\d+: events\.bad", str(refused.value))


def test_the_command_line_prints_them(tmp_path, capsys):
    path = tmp_path / "ball.toml"
    path.write_text(FILE)
    for flags in ([], ["--json"]):
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(["run", str(path), "--no-files", *flags])
        assert left.value.code == 0
        shown = capsys.readouterr().out
        if flags:
            assert "0.4515236409857" in json.dumps(json.loads(shown))
        else:
            assert "t = 0.451523641 s  floor: impact" in shown and "end: stop" in shown


def test_results_on_disk(run, tmp_path):
    run.save(tmp_path / "run.npz")
    back = da.load(tmp_path / "run.npz")
    assert [x["name"] for x in back.events] == [x.name for x in run.events]
    assert back.events[0]["energy_before"] == run.events[0].energy_before
    assert np.array_equal(back["wall"].force, run["wall"].force) and np.array_equal(back["A"].force, run["A"].force)


def test_works_add_up_over_impacts(run):
    assert run.work["blows"][-1] == pytest.approx(-sum(x.energy_lost for x in run.events), abs=1e-9)
    assert run.work.error < 1e-7


def test_the_audit_counts_and_books(run):
    assert run.audit.passed and run.audit.impacts == len(run.events.of("impact")) == 2
    assert run.audit.lost == pytest.approx(-run.energy.total[-1], abs=1e-7)
    assert "2 impacts that took" in str(run.audit)


def test_the_audit_refuses_energy_from_nowhere(run):
    from dataclasses import replace

    from dalembert.results.pieces import booked

    first = run.events[0]
    forged = replace(first, energy_after=first.energy_before + 1.0, dissipated=-1.0)
    copy = type(run)(
        **{
            name: getattr(run, name)
            for name in ("system", "t", "q", "v", "a", "basic_lam", "forces", "powers", "angles")
        }
    )
    copy.pieces, copy.happened = run.pieces, [forged, *run.events[1:]]
    assert any("creates" in text for text in booked(copy)) and any("accounted for" in text for text in booked(copy))
    assert not booked(run)


def test_other_times(run):
    first = run.events[0]
    just_before, just_after = run.at(first.t - 1e-9), run.at(first.t)
    assert just_before.v[2] == pytest.approx(first.before.v[2], abs=1e-6)
    assert just_after.v == pytest.approx(first.after.v, abs=1e-14)
    some = run.resample([1.4, 0.2, first.t])
    assert some.q[1] == pytest.approx(run.at(0.2).q, abs=1e-12) and not np.any(some["A"].force[0])
    later = da.simulate(run.model, until=1.5, start=run.at(0.9), rtol=1e-10, atol=1e-11)
    assert later.q[-1] == pytest.approx(run.q[-1], abs=1e-7)


def test_every_step_has_two_states_where_something_jumped():
    run = da.simulate(eventful(), until=1.5, output="steps")
    t = run.events[0].t
    before, after = run.v[run.t == t]
    assert run.status == "ok"
    assert after[2] == pytest.approx(-0.6 * before[2], rel=1e-12)


def test_marks_on_the_page(run):
    marks = page_data(run)["marks"]
    assert [m["t"] for m in marks] == run.events.times and marks[0]["text"].startswith("wall: impact")


def test_a_sweep_runs_through_events():
    m = da.Mechanism("ball", gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, 1.0))
    m.parameter("bounce", 0.5)
    m.impact("floor", "ball.y", restitution="bounce")
    for e in (0.0, 0.25, 1.0):
        m.set_parameter("bounce", e)
        hit = da.simulate(m, until=0.6).events[0]
        assert hit.after.v[1] == pytest.approx(-e * hit.before.v[1], abs=1e-12)
    m.set_parameter("bounce", 1.5)
    with pytest.raises(da.ModelError, match="between 0"):
        da.simulate(m, until=0.6)


def test_other_analyses_see_the_joints_at_work():
    m = eventful()
    assert da.mobility(m).dof == 1
    assert "all ways agree" in str(da.verify(m))


def test_unknown_arguments_are_told_under_the_name_of_the_call():
    with pytest.raises(da.ModelError, match=r"^m\.event\('hit', 'ball\.y'\)\n.*unknown argument 'then'"):
        da.Mechanism("ball").event("hit", "ball.y", then="stop")


def test_the_audit_books_an_impact_followed_by_a_release_at_the_same_instant():
    """A crate that hits the wall of a braking truck: corners close and open at one instant, and the blow is booked once."""
    m = da.Mechanism("truck", plane=True, gravity=(0, -9.81))
    truck = m.body("truck", mass=4500.0, inertia=1.0, at=(0, 1.2))
    crate = m.body("crate", da.block(1.6, 0.8, mass=800.0), at=(1.2, 1.6), velocity=(10.0, 0))
    road = m.prismatic("road", m.ground, truck, along=(1, 0))
    m.actuator("brake", road, force=-45e3)
    m.contact("bed", truck, crate, mu=0.3)
    m.contact("wall", truck, crate, normal=(-1, 0), through=(3.0, 1.2))
    m.start(road.slide, 0.0, rate=10.0)
    run = da.simulate(m, until=1.0)
    begins = [piece.trace.kept.t[0] for piece in run.pieces]
    assert len(set(begins)) < len(begins), "two parts begin at one instant"
    assert run.audit.passed, run.audit
    # closing speed v^2 = 2 gap a with a = (F - mu m g)/M - mu g, and a reduced mass
    a = (45e3 - 0.3 * 800 * 9.81) / 4500 - 0.3 * 9.81
    assert run.audit.lost == pytest.approx(4500 * 800 / 5300 * a * 1.0, rel=1e-9)


@pytest.mark.parametrize(
    "changes",
    [
        {"release": "motor", "add": "motor"},
        {"release": "motor", "change": {"motor": {"force": 2.0}}},
        {"lock": "guide.slide", "unlock": "guide.slide"},
    ],
)
def test_an_event_that_contradicts_itself_is_refused(changes):
    m = da.Mechanism("slider", plane=True)
    guide = m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=0.1), along=(1, 0))
    m.actuator("motor", guide, force=1.0)
    (one, name), (other, _) = changes.items()
    with pytest.raises(da.ModelError, match=f"{one} and {other} of '{name}'"):
        m.event("both", "t", level=1.0, **changes)


@pytest.mark.parametrize(("what", "level", "found"), [("ball.y", "1 kg", "a mass"), ("rate(ball.y)", "2 m", "a length"), ("t", "1 mm", "a length")])  # fmt: skip
def test_the_level_of_an_event_has_the_unit_of_what_it_watches(tmp_path, what, level, found):
    file = tmp_path / "ball.toml"
    text = 'name = "ball"\n[bodies.ball]\nmass = 1\ninertia = 1\n[events.e]\nwhat = "{}"\nlevel = "{}"\n'
    file.write_text(text.format(what, level))
    with pytest.raises(da.DalembertError, match=rf"events.e.level: found '{level}', {found}.* belongs here"):
        da.read_model(file)
    for what, level in (
        ("ball.y", "1 mm"),
        ("ball.angle", "-90 deg"),
        ("rate(ball.y)", "2 km/h"),
        ("ball.y**2", "3"),
        ("t", "5 ms"),
    ):
        file.write_text(text.format(what, level))
        da.read_model(file)


def test_what_happened_by_the_name_of_a_contact():
    m = da.Mechanism("crate", plane=True, gravity=(0, -9.81))
    crate = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.5), angle=0.3, velocity=(1.0, 0))
    m.contact("floor", m.ground, crate, mu=0.3)
    m.event("far", "crate.x", level=10.0)
    run = da.simulate(m, until=1.0)
    gaps, rubs = run.events["floor"], run.events["floor.friction"]
    assert len(gaps) == len(run.events.of("impact", "contact", "release", "rest")) > 1
    assert len(rubs) == len(run.events.of("stick", "slip")) > 0 and len(gaps) + len(rubs) == len(run.events)
    assert run.events["floor.bottom_left"] and not run.events["far"]
    for wrong in ("flor", "floor.bottom", "floor.friction.top"):
        with pytest.raises(da.ModelError, match="nothing of that name can happen"):
            run.events[wrong]
    with pytest.raises(da.ModelError, match="did you mean 'impact'"):
        run.events.of("impacts")


@pytest.mark.parametrize("what", ["3", "2*k"])
def test_an_event_that_cannot_happen_is_refused(what):
    m = da.Mechanism("none", plane=True)
    m.parameter("k", 1.0)
    with pytest.raises(da.ModelError, match="never crosses"):
        m.event("never", what, level=2.0)


def test_a_driver_that_runs_into_a_stop_is_told():
    m = da.Mechanism("ram", plane=True)
    m.prismatic("guide", m.ground, m.body("ram", mass=1.0, inertia=1.0), along=(1, 0))
    m.drive("motor", "guide", "t")
    m.impact("wall", "0.5 - guide.slide")
    with pytest.raises(da.ConvergenceError, match="joints and drivers push gaps together") as caught:
        da.simulate(m, until=1.0)
    assert caught.value.result.t[-1] == pytest.approx(0.5, abs=1e-9)
