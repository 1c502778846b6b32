"""The studio follows: the file that others write, durations that depend on parameters, newer wishes, pages that are gone."""

import json
import math
import socket
import threading
import time

import pytest
from viewer.machines import unpacked

from dalembert.errors import MethodError
from dalembert.studio.source import Source, source_of

from .conftest import PENDULUM, TEXT, Client
from .test_sessions import _busy, _long


@pytest.fixture(scope="module")
def session(live):
    """One session for all tests that do not end it: its process takes a second to start."""
    client = Client(live)
    made = client.open()
    yield made
    client.ask("close", session=made)


def test_a_file_that_another_editor_writes(tmp_path):
    file = tmp_path / "crank.toml"
    file.write_text(TEXT, encoding="utf-8")
    source = source_of("studio", file)
    first = source.stamp()
    assert source.stamp() == first != "" and source.read() == TEXT
    changed = TEXT.replace("200 mm", "250 mm") + "# by someone else\n"
    file.write_bytes(changed.replace("\n", "\r\n").encode())
    assert source.stamp() not in ("", first) and source.read() == changed
    # editors that write beside the file and rename
    other, before = tmp_path / "other.toml", source.stamp()
    other.write_text(TEXT, encoding="utf-8")
    other.replace(file)
    assert source.stamp() != before and source.read() == TEXT
    # a file that is gone, and one that cannot be read
    file.unlink()
    assert source.stamp() == ""
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(MethodError, match="UTF-8"):
        source.read()
    # a model of the program stays as it is
    model = Source("studio", "m.toml", tmp_path, text="x")
    assert model.stamp() == model.stamp() != "" and model.read() == "x"


def test_a_page_asks_whether_its_file_was_changed(client, session):
    assert client.ask("ping", session=session) == {}
    found = client.ask("ping", session=session, stamp="an older one")
    assert found["text"] == TEXT
    assert client.ask("ping", session=session, stamp=found["stamp"]) == {}


def test_a_duration_that_depends_on_a_parameter_follows_it(client, session):
    """until = two turns at n: 4 pi / n."""
    about = client.ask("edit", session=session, text=TEXT.replace('until = "2 s"', 'until = "4*pi/n"'))
    assert about["until"] == pytest.approx(2.0)
    for n in (2 * math.pi, 4 * math.pi):
        for brief in (True, False):
            found = client.ask("run", session=session, analysis="simulate", values={"n": n}, brief=brief)
            assert found["until"] == pytest.approx(4 * math.pi / n)
            assert unpacked(found["data"]["t"])[-1] == pytest.approx(4 * math.pi / n)
    # also through a derived parameter, and kinematics with a list of times
    text = TEXT.replace("[parameters]", '[parameters]\nturn = "2*pi/n"').replace('until = "2 s"', 'until = "turn"')
    client.ask("edit", session=session, text=text)
    for brief in (True, False):
        found = client.ask("run", session=session, analysis="simulate", values={"n": math.pi}, brief=brief)
        assert found["until"] == pytest.approx(2.0)
    # a duration that was asked for stays
    found = client.ask("run", session=session, analysis="simulate", values={"n": math.pi}, until=0.5)
    assert found["until"] == 0.5 and unpacked(found["data"]["t"])[-1] == pytest.approx(0.5)


def test_a_run_that_nobody_wants_any_more_is_dropped(client, session):
    answers = []
    given = {**_long(client, session), "ticket": 7}
    process = client.worker(session)
    thread = threading.Thread(target=lambda: answers.append(client.ask("run", **given)))
    thread.start()
    _busy(client, session)
    assert client.ask("stop", session=session, ticket=6) == {"stopping": False}, "an older run is over already"
    assert client.ask("stop", session=session, ticket=7) == {"stopping": True}
    # the next wish waits for it, and is answered
    found = client.ask("run", session=session, analysis="simulate", values={"r": 0.25}, until=0.25, ticket=8)
    thread.join(600)
    assert answers[0].get("stopped") or not answers[0]["data"]["complete"]
    piston = next(q for q in found["data"]["quantities"] if q["name"] == "piston.position")
    assert unpacked(piston["values"][0])[-1] == pytest.approx(math.sqrt(0.6**2 - 0.25**2), rel=1e-6)
    assert found["data"]["complete"]
    # by asking, not by ending its process, unless the machine was very busy
    assert client.worker(session).pid == process.pid or answers[0].get("stopped")


def test_a_page_that_goes_away_takes_its_run_along(client):
    """No word from the page: its connection ends, as that of a browser that crashed."""
    session = client.open()
    given = _long(client, session)
    process = client.worker(session)
    body = json.dumps(given).encode()
    with socket.create_connection(("127.0.0.1", client.port), timeout=600) as wire:
        head = f"POST {client.base}api/run HTTP/1.1\r\nHost: {client.host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        wire.sendall(head.encode() + body)
        _busy(client, session)
        assert process.poll() is None
    assert process.wait(600) is not None
    while session in client.live._server.sessions.open:
        time.sleep(0.05)
    client.ask("ping", 410, session=session)


def test_equations_are_typeset(client, session):
    client.ask("edit", session=session, text=PENDULUM)
    found = client.ask("run", session=session, analysis="equations", values={})
    (form,) = found["data"]["report"]["equations"]["forms"]
    assert "<math" in form["markup"] and found["text"] == ""
    # the form that the file asks for
    client.ask("edit", session=session, text=PENDULUM + '[equations]\nform = "newton-euler"\n')
    (other,) = client.ask("run", session=session, analysis="equations", values={})["data"]["report"]["equations"][
        "forms"
    ]
    assert "<math" in other["markup"] and other["title"] != form["title"]
    client.ask("edit", session=session, text=PENDULUM + '[equations]\nform = "all"\n')
    found = client.ask("run", session=session, analysis="equations", values={})
    assert len(found["data"]["report"]["equations"]["forms"]) > 2 and "agree" in found["text"]
