"""Requests: who may ask, what is known, what is answered.

The server listens on the loopback address only.  Every request needs the token of the address; the names under which the server is
called (Host) and the page that asks (Origin) must be its own, so that no other page in the same browser can use it, under whatever name
it reaches this machine.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
import selectors
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..errors import DalembertError
from ..io.text import MAX_BYTES
from ..viewer.packing import packed
from .sessions import Session, Sessions
from .source import Source, save

# a text of the largest size as JSON, with room for what is escaped
MAX_BODY = 2 * MAX_BYTES + 100_000
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADERS = {
    "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
}  # fmt: skip
# seconds between looks whether a page that waits is still there
WATCH = 0.3
_ADDRESS = re.compile(r"/([A-Za-z0-9_-]{1,100})/((?:api/[a-z]{1,20})?)")


class RefusedError(Exception):
    """A request that is not answered: status and reason."""

    def __init__(self, status: int, reason: str) -> None:
        self.status, self.reason = status, reason


class Server(ThreadingHTTPServer):
    """The studio of one file."""

    daemon_threads = True

    def __init__(self, source: Source, port: int = 0) -> None:
        self.source, self.file, self.folder = source, source.name, source.folder
        self.token = secrets.token_urlsafe(24)
        super().__init__(("127.0.0.1", port), Handler)
        self.sessions = Sessions()

    @property
    def port(self) -> int:
        """Port that it listens on."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """Address with the token: whoever has it may use the studio."""
        return f"http://127.0.0.1:{self.port}/{self.token}/"

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """Names under which it may be called."""
        return (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    @cached_property
    def page(self) -> bytes:
        """The page, before its first result."""
        from ..viewer.page import written

        style, script = (
            (files(__package__) / "static" / f"studio.{x}").read_text(encoding="utf-8") for x in ("css", "js")
        )
        policy = "; connect-src 'self'"
        text = written(empty(self.file), kind="studio", style=style, script=script, connect=policy, live=True)
        return text.encode("utf-8")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that went away before its answer came is no event."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "dalembert", ""
    # seconds for a request to arrive whole
    timeout = 60
    # an answer leaves at once and in one piece: small packets that wait for each other cost 40 ms
    disable_nagle_algorithm = True
    wbufsize = 65536

    def do_GET(self) -> None:
        """The page."""
        self._guarded(self._page)

    def do_POST(self) -> None:
        """A request of the page."""
        self._guarded(self._api)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing in the terminal."""

    def _guarded(self, answer: Callable[[str], None]) -> None:
        try:
            answer(self._route())
        except RefusedError as refusal:
            # what was not read of the request must not be taken for the next one
            self.close_connection = True
            self._json({"refused": refusal.reason}, refusal.status)

    def _route(self) -> str:
        server = self.server
        if self.headers.get_all("Host") not in [[name] for name in server.hosts]:
            raise RefusedError(403, "called under a foreign name")
        for origin in self.headers.get_all("Origin") or []:
            if origin not in [f"http://{name}" for name in server.hosts]:
                raise RefusedError(403, "asked by a foreign page")
        if (self.headers.get("Sec-Fetch-Site") or "none") not in ("none", "same-origin"):
            raise RefusedError(403, "asked by a foreign page")
        match = _ADDRESS.fullmatch(self.path)
        if match is None or not hmac.compare_digest(match[1], server.token):
            raise RefusedError(403, "no token")
        return match[2]

    def _page(self, route: str) -> None:
        if route:
            raise RefusedError(405, "this is asked by POST")
        self._send(200, "text/html; charset=utf-8", self.server.page)

    def _api(self, route: str) -> None:
        verb = _VERBS.get(route)
        if verb is None:
            raise RefusedError(404, "no such request")
        given = self._body()
        try:
            answer = verb(self, given)
        except DalembertError as error:
            from .tasks import told

            answer = {"error": told(error)}
        self._json(answer)

    def _body(self) -> dict[str, Any]:
        kind = (self.headers.get("Content-Type") or "").split(";")[0].strip().lower()
        if kind != "application/json":
            raise RefusedError(415, "requests are JSON")
        length = self.headers.get("Content-Length") or ""
        if self.headers.get("Transfer-Encoding") is not None or not re.fullmatch(r"\d{1,12}", length):
            raise RefusedError(411, "the length of a request must be given")
        if int(length) > MAX_BODY:
            raise RefusedError(413, f"a request has at most {MAX_BODY} bytes")
        raw = self.rfile.read(int(length))
        try:
            given = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise RefusedError(400, "not valid JSON") from None
        if not isinstance(given, dict):
            raise RefusedError(400, "a request is an object")
        return given

    # -- what can be asked -----------------------------------------------------------------------------------------------

    def _open(self, given: dict[str, Any]) -> dict[str, Any]:
        """A session for a page; one that was away too long brings its text along."""
        # what is written between the two is noticed at the next ping
        stamp = self.server.source.stamp()
        text = _checked(given, "text", str, "") or self.server.source.read()
        suffix, folder = Path(self.server.file).suffix.lower(), str(self.server.folder)
        session = self.server.sessions.new(text, suffix, self.server.file, folder)
        if session is None:
            raise RefusedError(503, "too many pages of this studio are open; close some")
        about = {"session": session.id, "file": self.server.file, "folder": str(self.server.folder), "text": text}
        return {**about, "stamp": stamp, **session.edit(text)}

    def _session(self, given: dict[str, Any]) -> Session:
        found = self.server.sessions.find(given.get("session"))
        if found is None:
            raise RefusedError(410, "this session has ended")
        return found

    def _ping(self, given: dict[str, Any]) -> dict[str, Any]:
        """A word from the page; the answer says whether the file was changed since the page knew it."""
        self._session(given)
        known, stamp = _checked(given, "stamp", str, None), self.server.source.stamp()
        if known is None or known == stamp:
            return {}
        if not stamp:
            return {"stamp": stamp, "missing": True}
        return {"stamp": stamp, "text": self.server.source.read()}

    def _close(self, given: dict[str, Any]) -> dict[str, Any]:
        self.server.sessions.end(self._session(given).id)
        return {}

    def _edit(self, given: dict[str, Any]) -> dict[str, Any]:
        return self._session(given).edit(_checked(given, "text", str))

    def _run(self, given: dict[str, Any]) -> dict[str, Any]:
        request = _request("run", given)
        session, ticket = self._session(given), _checked(given, "ticket", float, 0.0)
        with self._page_watched(session):
            return session.ask(request, newest_wins=True, ticket=ticket)

    @contextmanager
    def _page_watched(self, session: Session) -> Iterator[None]:
        """A page that goes away while it waits takes its session along: nobody is left who wants the answer."""
        answered = threading.Event()
        watch = threading.Thread(target=self._watch, args=(session, answered), daemon=True)
        watch.start()
        try:
            yield
        finally:
            answered.set()
            # nothing of this request is left when the next one of the connection is read
            watch.join()

    def _watch(self, session: Session, answered: threading.Event) -> None:
        with selectors.DefaultSelector() as ends:
            ends.register(self.connection, selectors.EVENT_READ)
            while not answered.wait(WATCH):
                if not ends.select(0):
                    continue
                try:
                    gone = not self.connection.recv(1, socket.MSG_PEEK)
                except OSError:
                    gone = True
                if gone:
                    self.server.sessions.end(session.id)
                return

    def _drag(self, given: dict[str, Any]) -> dict[str, Any]:
        request = _request("drag", given)
        return self._session(given).ask(request, newest_wins=True)

    def _stop(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"stopping": self._session(given).stop(_checked(given, "ticket", float, None))}

    def _put(self, given: dict[str, Any]) -> dict[str, Any]:
        return self._session(given).ask(_request("put", given))

    def _download(self, given: dict[str, Any]) -> dict[str, Any]:
        return self._session(given).ask(_request("download", given))

    def _save(self, given: dict[str, Any]) -> dict[str, Any]:
        self._session(given)
        text, opened = _checked(given, "text", str), _checked(given, "opened", str, None)
        return save(self.server.folder, given.get("name"), text, _checked(given, "overwrite", bool, False), opened)

    # -- answers -----------------------------------------------------------------------------------------------------------

    def _json(self, answer: dict[str, Any], status: int = 200) -> None:
        raw = json.dumps(answer).encode("utf-8")
        self._send(status, "application/json; charset=utf-8", raw)

    def _send(self, status: int, kind: str, raw: bytes) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(raw))}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(raw)


_MISSING = object()


def _checked(given: dict[str, Any], name: str, kind: type, default: Any = _MISSING) -> Any:
    x = given.get(name, default)
    if x is default and x is not _MISSING:
        return x
    if kind is float and isinstance(x, int) and not isinstance(x, bool) and abs(x) < 1e300:
        x = float(x)
    if not isinstance(x, kind):
        raise RefusedError(400, f"{name} is missing or of the wrong kind")
    return x


def _values(given: dict[str, Any], name: str) -> dict[str, float]:
    values = _checked(given, name, dict, {})
    return {str(one): _checked(values, one, float) for one in values}


def _numbers(given: dict[str, Any], name: str) -> list[float]:
    return [_checked({name: x}, name, float) for x in _checked(given, name, list)]


def _of(kind: type, *default: Any) -> Callable[[dict[str, Any], str], Any]:
    return lambda given, name: _checked(given, name, kind, *default)


# what requests to a worker take, each read by its kind
_TAKES: dict[str, dict[str, Callable[[dict[str, Any], str], Any]]] = {
    "run": {
        "analysis": _of(str), "values": _values, "until": _of(float, None), "given": _of(dict, {}), "brief": _of(bool, False),
        "start": lambda given, name: None if given.get(name) is None else _numbers(given, name),
    },
    "drag": {
        "values": _values, "body": lambda given, name: int(_checked(given, name, float)),
        **dict.fromkeys(("q", "point", "target"), _numbers),
    },
    "put": {"values": _values},
    "download": {"what": _of(str)},
}  # fmt: skip


def _request(verb: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"verb": verb, **{name: kind(given, name) for name, kind in _TAKES[verb].items()}}


_VERBS: dict[str, Callable[[Handler, dict[str, Any]], dict[str, Any]]] = {
    f"api/{name}": getattr(Handler, f"_{name}")
    for name in ("open", "ping", "close", "edit", "run", "drag", "stop", "put", "download", "save")
}


def _no_constant(text: str) -> Any:
    raise ValueError(text)


def empty(file: str) -> dict[str, Any]:
    """Data of a page before its first result."""
    report: dict[str, Any] = {
        "status": "none", "headline": ["starting", True], "audit": "", "facts": [], "parameters": [], "mobility": None,
        "unique": None,
    }  # fmt: skip
    return {
        "name": file, "kind": "mechanism", "t": packed([0.0]), "stride": 1, "outputs": 1, "quantities": [], "first": [],
        "scene": None, "loads": [], "report": report,
    }  # fmt: skip
