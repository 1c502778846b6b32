"""A studio that runs, and a client that asks it as its page does."""

import http.client
import json
from importlib.resources import files

import pytest

from dalembert.studio.studio import studio

TEXT = (files("dalembert") / "machines" / "slider-crank.toml").read_text(encoding="utf-8")
PENDULUM = """
name = "pendulum"
gravity = [0, "-9.81 m/s^2"]

[parameters]
l = "1 m"

[bodies.bar]
shape = { rod = { length = "l", mass = "2 kg" } }
at = ["l/2", 0]

[joints.A]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0]

[simulate]
until = "1 s"
"""


class Client:
    """Requests to a studio, with or without what a page would send along."""

    def __init__(self, live):
        self.live = live
        self.host, _, path = live.url.removeprefix("http://").partition("/")
        self.base = f"/{path}"
        self.port = int(self.host.rpartition(":")[2])

    def raw(self, method, path, body=None, headers=None, host=None):
        """Status, headers and content of a request as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": self.host if host is None else host, **(headers or {})}.items():
                connection.putheader(name, value)
            if body is not None and "Content-Length" not in (headers or {}):
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            if body is not None:
                connection.send(body)
            reply = connection.getresponse()
            return reply.status, dict(reply.headers), reply.read()
        finally:
            connection.close()

    def ask(self, verb, status=200, **given):
        """Answer to a request of the page."""
        body = json.dumps(given).encode()
        found, _, content = self.raw("POST", f"{self.base}api/{verb}", body, {"Content-Type": "application/json"})
        assert found == status, content
        return json.loads(content)

    def open(self):
        """A new session."""
        return self.ask("open")["session"]

    def worker(self, session):
        """The process of a session."""
        return self.live._server.sessions.open[session].worker.process


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    file = tmp_path_factory.mktemp("a folder") / "Schubkurbel ü.toml"
    file.write_text(TEXT, encoding="utf-8")
    with studio(file, open=False, wait=False) as made:
        yield made


@pytest.fixture
def client(live):
    return Client(live)
