"""Pages do not disturb each other; crashes and long runs are the matter of one page; a page follows a slider."""

import math
import threading
import time

import numpy as np
import pytest
from viewer.machines import unpacked

import dalembert as da
from dalembert.studio.sessions import Sessions
from dalembert.studio.studio import studio

from .conftest import PENDULUM, TEXT, Client


def series(answer, name):
    (found,) = [q for q in answer["data"]["quantities"] if q["name"] == name]
    return np.stack([unpacked(v) for v in found["values"]], axis=1)


def test_a_page_learns_what_it_can_change(client):
    found = client.ask("open")
    assert found["text"] == TEXT and found["file"] == "Schubkurbel ü.toml" and found["name"] == "slider-crank"
    assert [(p["name"], p["number"], p["unit"]) for p in found["parameters"]] == [
        ("r", 200, "mm"),
        ("l", 600, "mm"),
        ("n", 60, "rpm"),
    ]
    assert all(p["low"] < p["number"] < p["high"] for p in found["parameters"])
    assert found["asked"] == "simulate" and found["until"] == 2.0
    client.ask("close", session=found["session"])


@pytest.fixture(scope="module")
def session(live):
    """One session for the tests that only ask: a process takes a second to start."""
    return Client(live).open()


def test_numbers_are_those_of_the_changed_machine(client, session):
    found = client.ask("run", session=session, analysis="simulate", values={"r": 0.25}, until=0.25)
    # a quarter turn at 60 rpm: the piston at sqrt(l² - r²)
    assert series(found, "piston.position")[-1, 0] == pytest.approx(math.sqrt(0.6**2 - 0.25**2), rel=1e-6)
    assert (
        found["data"]["report"]["status"] == "ok" and dict(found["data"]["report"]["parameters"])["r"] == 250.0
    )  # mm, as in the file


def test_while_a_slider_moves_outputs_are_few_and_end_at_the_same_time(client, session):
    brief, full = (client.ask("run", session=session, analysis="simulate", values={}, brief=b) for b in (True, False))
    assert len(unpacked(brief["data"]["t"])) == 61 < len(unpacked(full["data"]["t"])) == 201
    assert brief["data"]["report"] is None and full["data"]["report"]["audit"]
    assert np.allclose(series(brief, "A.force")[-1], series(full, "A.force")[-1], rtol=1e-5)


def test_values_in_place_are_those_of_a_file_read_again(client, session):
    """While a slider moves the model is not read again; the numbers must not know."""
    for values in ({"r": 0.25}, {"l": 0.7}, {}):
        brief, full = (
            client.ask("run", session=session, analysis="simulate", values=values, brief=b, until=0.25)
            for b in (True, False)
        )
        for name in ("piston.position", "A.force", "crank.position"):
            assert np.allclose(series(brief, name)[-1], series(full, name)[-1], rtol=1e-5, atol=1e-6)


def test_every_analysis_answers(client, session):
    client.ask("edit", session=session, text=PENDULUM)
    for analysis in (
        "simulate",
        "equilibrium",
        "linearize",
        "reactions",
        "mobility",
        "assemble",
        "equations",
        "verify",
    ):
        found = client.ask("run", session=session, analysis=analysis, values={})
        assert "error" not in found, found
        report = found["data"]["report"]
        shown = [found["text"], *(text for _, text in report["texts"]), found["data"]["listing"], report["equations"]]
        assert any(shown) or analysis == "simulate", analysis
    # the pendulum hangs down; its frequency there is sqrt(3 g / (2 l)) / 2 pi
    client.ask(
        "edit", session=session, text=PENDULUM.replace('at = ["l/2", 0]\n', 'at = [0, "-l/2"]\nangle = "-90 deg"\n')
    )
    modes = client.ask("run", session=session, analysis="linearize", values={})["data"]
    assert modes["kind"] == "modes" and f"{math.sqrt(1.5 * 9.81) / (2 * math.pi):.4f}"[:5] in str(modes["listing"])
    for analysis in ("kinematics", "inverse_dynamics"):
        error = client.ask("run", session=session, analysis=analysis, values={})["error"]
        assert error["asked"] and error["found"] and error["why"] and error["do"]
    client.ask("edit", session=session, text=TEXT)
    for analysis in ("kinematics", "inverse_dynamics"):
        found = client.ask("run", session=session, analysis=analysis, values={}, until=0.25)
        assert series(found, "piston.position")[-1, 0] == pytest.approx(math.sqrt(0.6**2 - 0.2**2), rel=1e-6)


def test_lagrangian_systems_have_sliders_too(client, session):
    text = 'kind = "lagrangian"\nq = ["x"]\nkinetic = "m*rate(x)**2/2"\npotential = "k*x**2/2"\n[parameters]\nm = 1\nk = 4\n[start.x]\nvalue = 1\n'
    about = client.ask("edit", session=session, text=text)
    assert [p["name"] for p in about["parameters"]] == ["m", "k"]
    found = client.ask("run", session=session, analysis="simulate", values={"k": 9.0}, until=1.0)
    # x = cos(sqrt(k/m) t)
    assert series(found, "x")[-1, 0] == pytest.approx(math.cos(3.0), abs=1e-5)


def test_two_pages_are_independent(client):
    one, two = client.open(), client.open()
    assert one != two
    client.ask("edit", session=one, text=PENDULUM)
    answers = {}

    def go(session, values, **options):
        answers[session] = client.ask("run", session=session, analysis="simulate", values=values, **options)

    threads = [
        threading.Thread(target=go, args=(one, {"l": 2.0})),
        threading.Thread(target=go, args=(two, {"r": 0.1}), kwargs={"until": 0.25}),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers[one]["data"]["name"] == "pendulum" and answers[two]["data"]["name"] == "slider-crank"
    assert series(answers[two], "piston.position")[-1, 0] == pytest.approx(math.sqrt(0.6**2 - 0.1**2), rel=1e-6)
    # mistakes of one are not those of the other
    assert client.ask("edit", session=one, text="nonsense")["error"]["lines"]
    assert "data" in client.ask("run", session=two, analysis="simulate", values={})
    assert client.worker(one).pid != client.worker(two).pid
    client.ask("close", session=one)
    assert "data" in client.ask("run", session=two, analysis="simulate", values={})
    client.ask("close", session=two)


def test_a_crash_is_told_and_the_next_request_works(client):
    one, two = client.open(), client.open()
    client.ask("edit", session=one, text=PENDULUM)
    for session in (one, two):
        client.ask("run", session=session, analysis="simulate", values={})
    first = client.worker(one)
    first.kill()
    first.wait()
    error = client.ask("run", session=one, analysis="simulate", values={})["error"]
    assert "ended without an answer" in error["found"] and error["why"] and error["do"]
    # the other page did not notice, and this one goes on with its own text
    assert client.ask("run", session=two, analysis="simulate", values={})["data"]["name"] == "slider-crank"
    assert client.ask("run", session=one, analysis="simulate", values={"l": 2.0})["data"]["name"] == "pendulum"
    assert client.worker(one).pid != first.pid
    for session in (one, two):
        client.ask("close", session=session)


def test_a_crash_in_the_middle_of_a_run(client):
    session = client.open()
    answers = []
    given = _long(client, session)
    thread = threading.Thread(target=lambda: answers.append(client.ask("run", **given)))
    thread.start()
    _busy(client, session)
    client.worker(session).kill()
    thread.join(600)
    assert "error" in answers[0]
    assert "data" in client.ask("run", session=session, analysis="simulate", values={})
    client.ask("close", session=session)


def _long(client, session):
    """A run of minutes, with few outputs."""
    client.ask("edit", session=session, text=TEXT.replace('output = "10 ms"', ""))
    return {"session": session, "analysis": "simulate", "values": {}, "until": 1e6}


def _busy(client, session):
    held = client.live._server.sessions.open[session]
    while not (held._turn.locked() and held.runs > 2):
        time.sleep(0.05)
    time.sleep(0.5)


def test_a_long_run_can_be_stopped(client):
    session = client.open()
    process = client.worker(session)
    answers = []
    given = _long(client, session)
    thread = threading.Thread(target=lambda: answers.append(client.ask("run", **given)))
    thread.start()
    _busy(client, session)
    assert thread.is_alive() and client.ask("stop", session=session) == {"stopping": True}
    thread.join(600)
    assert not thread.is_alive()
    # what was computed so far is shown, or the run was ended by force
    found = answers[0]
    assert found.get("stopped") or found["data"]["report"]["status"] == "incomplete"
    assert "data" in client.ask("run", session=session, analysis="simulate", values={})
    if not found.get("stopped"):
        assert client.worker(session).pid == process.pid
    assert client.ask("stop", session=session) == {"stopping": False}, "there is nothing to stop"
    client.ask("close", session=session)


def test_the_newest_wish_is_answered_and_older_ones_that_wait_are_dropped(client):
    session = client.open()
    client.ask("run", session=session, analysis="simulate", values={})
    held = client.live._server.sessions.open[session]
    answers = {}

    def go(k):
        answers[k] = client.ask("run", session=session, analysis="simulate", values={"r": 0.1 + 0.01 * k}, brief=True)

    # the worker is kept busy, so that all of them wait
    with held._turn:
        threads = []
        for k in range(8):
            threads.append(threading.Thread(target=go, args=(k,)))
            threads[-1].start()
            while held._newest < k + 2:
                time.sleep(0.005)
    for thread in threads:
        thread.join()
    assert [k for k in range(8) if "data" in answers[k]] == [7]
    assert all(answers[k] == {"stale": True} for k in range(7))
    client.ask("close", session=session)


def test_a_slider_is_followed(client):
    """As many updates as positions of the slider, one after the other; how fast is measured by benchmarks/studio.py."""
    session = client.open()
    found = [
        client.ask("run", session=session, analysis="simulate", values={"r": 0.15 + 0.005 * k}, brief=True)
        for k in range(20)
    ]
    # the stroke of the piston is 2 r
    for k, answer in enumerate(found):
        x = series(answer, "piston.position")[:, 0]
        assert np.ptp(x) == pytest.approx(2 * (0.15 + 0.005 * k), rel=0.01)
    client.ask("close", session=session)


def test_sessions_end_when_their_page_is_gone(tmp_path):
    file = tmp_path / "crank.toml"
    file.write_text(TEXT, encoding="utf-8")
    with studio(file, open=False, wait=False) as live:
        client, pool = Client(live), live._server.sessions
        session = client.open()
        process = client.worker(session)
        pool.open[session].seen -= pool.idle + 1.0
        while session in pool.open:
            time.sleep(0.1)
        assert process.wait(600) is not None
        client.ask("ping", 410, session=session)
        # a page that comes back brings its text along
        again = client.ask("open", text=PENDULUM)
        assert again["name"] == "pendulum" and again["text"] == PENDULUM
        process = client.worker(again["session"])
    assert process.wait(600) is not None, "closing ends all processes"


def test_too_many_pages():
    pool = Sessions(most=2)
    try:
        one, two = pool.new("", ".toml", "a"), pool.new("", ".toml", "a")
        assert one and two and pool.new("", ".toml", "a") is None
        # one that was not heard of for a while makes room
        one.seen -= 100.0
        assert pool.new("", ".toml", "a") is not None and one.id not in pool.open and two.id in pool.open
    finally:
        pool.close()


def test_results_are_downloaded_whole(client, tmp_path):
    import base64

    session = client.open()
    assert client.ask("download", session=session, what="page")["error"]["found"] == "no result yet"
    client.ask("run", session=session, analysis="simulate", values={"r": 0.25}, until=0.5)
    client.ask("run", session=session, analysis="simulate", values={"r": 0.3}, until=0.5, brief=True)
    raw = {
        what: base64.b64decode(client.ask("download", session=session, what=what)["content"])
        for what in ("page", "npz", "csv")
    }
    (tmp_path / "run.npz").write_bytes(raw["npz"])
    # the last full result, not the one on the way
    assert da.load(tmp_path / "run.npz").parameters["r"] == 0.25
    assert raw["page"].startswith(b"<!DOCTYPE html>") and b"fetch(" not in raw["page"]
    assert raw["csv"].count(b"\n") == 52
    assert client.ask("download", session=session, what="../x")["error"]
    client.ask("close", session=session)
