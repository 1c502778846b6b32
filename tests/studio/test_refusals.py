"""Who may not ask, and what is not answered."""

import json
import socket

import pytest

from dalembert.studio.server import MAX_BODY

from .conftest import Client

JSON = {"Content-Type": "application/json"}


def test_page_with_its_token_only(client):
    status, headers, content = client.raw("GET", client.base)
    assert status == 200 and b"<!DOCTYPE html>" in content
    assert (
        "default-src 'none'" in headers["Content-Security-Policy"]
        and "connect-src 'self'" in headers["Content-Security-Policy"]
    )
    assert headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    [
        "/", "/index.html", "/favicon.ico", "/api/open", "//", "/../", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd", "/etc/passwd", "http://127.0.0.1/", "/wrong-token/", "/wrong-token/api/open", "/%00/", "*",
    ],
)  # fmt: skip
def test_nothing_without_the_token(client, path):
    for method in ("GET", "POST"):
        status, _, content = client.raw(method, path, b"{}" if method == "POST" else None, JSON)
        assert status == 403 and b"html" not in content and json.loads(content) == {"refused": "no token"}


@pytest.mark.parametrize(
    "rest",
    [
        "../", "..", "../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc/passwd", "//etc/passwd", "studio.js", "static/studio.js",
        "api/../api/run", "api/open/", "api/", "api/open?x=1", "?x", "#", "api/%6fpen", "api/open\\..", "api//open", "worker.py",
    ],
)  # fmt: skip
def test_no_paths_beside_the_known_ones(client, rest):
    for method in ("GET", "POST"):
        status, _, content = client.raw(method, client.base + rest, b"{}" if method == "POST" else None, JSON)
        assert status == 403 and b"root:" not in content


def test_almost_the_token_is_wrong(client):
    token = client.base.strip("/")
    for wrong in (token[:-1], token + "A", token.swapcase(), "A" * len(token), ""):
        assert client.raw("GET", f"/{wrong}/")[0] == 403
    assert client.raw("GET", f"/{token}")[0] == 403, "without its slash"


def test_unknown_requests_and_methods(client):
    assert client.raw("POST", f"{client.base}api/delete", b"{}", JSON)[0] == 404
    assert client.raw("GET", f"{client.base}api/open")[0] == 405
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT"):
        assert client.raw(method, client.base)[0] == 501


@pytest.mark.parametrize(
    "host", ["example.org", "example.org:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil.org:{port}", ""]
)
def test_foreign_names_of_this_machine(client, host):
    """A page elsewhere whose name was made to point here (DNS rebinding) comes with its own name."""
    status, _, content = client.raw("GET", client.base, host=host.format(port=client.port))
    assert status == 403 and b"html" not in content


def test_two_names_at_once_are_refused(client):
    with socket.create_connection(("127.0.0.1", client.port), timeout=600) as wire:
        wire.sendall(f"GET {client.base} HTTP/1.1\r\nHost: {client.host}\r\nHost: example.org\r\n\r\n".encode())
        assert b" 403 " in wire.recv(200)


def test_localhost_is_this_machine(client):
    assert client.raw("GET", client.base, host=f"localhost:{client.port}")[0] == 200


@pytest.mark.parametrize(
    "origin",
    ["http://example.org", "https://{host}", "http://127.0.0.1", "null", "http://{host}.example.org", "file://"],
)
def test_foreign_pages(client, origin):
    headers = {**JSON, "Origin": origin.format(host=client.host)}
    assert client.raw("POST", f"{client.base}api/open", b"{}", headers)[0] == 403
    assert client.raw("GET", client.base, headers=headers)[0] == 403


def test_pages_of_other_sites_say_so_themselves(client):
    for site in ("cross-site", "same-site"):
        assert client.raw("GET", client.base, headers={"Sec-Fetch-Site": site})[0] == 403
    own = {**JSON, "Origin": f"http://{client.host}", "Sec-Fetch-Site": "same-origin"}
    status, _, content = client.raw("POST", f"{client.base}api/open", b"{}", own)
    assert status == 200
    client.ask("close", session=json.loads(content)["session"])


def test_forms_of_other_pages(client):
    """What a page elsewhere can send without asking first: forms and plain text."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert client.raw("POST", f"{client.base}api/open", b"{}", {"Content-Type": kind})[0] == 415


def test_too_large(client):
    before = len(client.live._server.sessions.open)
    # refused by its announced length, before anything is read
    headers = {**JSON, "Content-Length": str(MAX_BODY + 1)}
    status, answer, _ = client.raw("POST", f"{client.base}api/open", b"{", headers)
    assert status == 413 and answer["Connection"] == "close"
    for length in ("", "-1", "1e3", "9" * 40, "+5"):
        assert client.raw("POST", f"{client.base}api/open", b"{}", {**JSON, "Content-Length": length})[0] == 411
    chunked = {**JSON, "Transfer-Encoding": "chunked", "Content-Length": "2"}
    assert client.raw("POST", f"{client.base}api/open", b"{}", chunked)[0] == 411
    assert len(client.live._server.sessions.open) == before


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000, b'"text"'])
def test_malformed_requests(client, body):
    status, _, content = client.raw("POST", f"{client.base}api/open", body, JSON)
    assert status == 400 and "refused" in json.loads(content)


@pytest.fixture(scope="module")
def session(live):
    return Client(live).open()


@pytest.mark.parametrize(
    "given",
    [
        {}, {"analysis": 3}, {"analysis": "simulate", "values": []}, {"analysis": "simulate", "values": {"r": "x"}},
        {"analysis": "simulate", "until": "long"}, {"analysis": "simulate", "brief": 1}, {"analysis": "simulate", "start": {}},
        {"analysis": "simulate", "start": [None]}, {"analysis": "simulate", "values": {"r": True}},
    ],
)  # fmt: skip
def test_requests_of_the_wrong_kind(client, session, given):
    assert "refused" in client.ask("run", 400, session=session, **given)


def test_sessions_that_there_are_not(client):
    for name in ("nobody", "", None, 3, [], {}, "../x"):
        assert client.ask("run", 410, session=name, analysis="simulate")["refused"] == "this session has ended"


def test_only_this_machine_can_reach_it(client):
    assert client.live._server.server_address[0] == "127.0.0.1"


def test_page_asks_nobody_else(client):
    import re

    _, _, content = client.raw("GET", client.base)
    # names of markup look like addresses, and are in three.js
    assert not re.search(rb"https?:(?!//www\.w3\.org/)|@import|url\(|WebSocket|sendBeacon|import\(", content)
