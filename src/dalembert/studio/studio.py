"""studio: the live page of a model file."""

from __future__ import annotations

import sys
import threading
import webbrowser
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import MethodError, shown
from ..options.call import verb
from .server import Server
from .source import source_of


class Studio:
    """A running studio; closed by `close()`, at the end of a `with` block, or with the program.

    Attributes
    ----------
    url
        Address of the page on this machine; whoever has it may use the studio.
    """

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url: str = server.url
        self._thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<studio of {self._server.file!r} at {self.url}>"

    def __enter__(self) -> Studio:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def wait(self) -> None:
        """Stay until Ctrl-C, then close."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.5)
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Stop answering and end all runs."""
        self._server.shutdown()
        self._server.server_close()
        self._server.sessions.close()


@verb
def studio(file: Any, port: int = 0, open: bool = True, wait: bool = True) -> Studio:  # noqa: A002
    """Open a model file as a live page: sliders for its parameters, analyses to choose, the text to edit.

    The page is served to this machine only, under an address with a random token, and asks nothing of the network.

    Parameters
    ----------
    file
        A model file (.toml or .json; one with mistakes too: they are shown in the page), or a `Mechanism` or `Lagrangian`.
    port
        Port to listen on; 0: any free one.
    open
        Whether to open the page in the browser.
    wait
        Whether to stay until Ctrl-C.  With False the studio runs beside the program, until it is closed.

    Returns
    -------
    Studio
        `.url`, `.close()`; a context manager.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> l = m.parameter("l", 1.0, "m")
    >>> bar = m.body("bar", da.rod(length=l, mass=2.0), at=(0.5 * l, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> with da.studio(m, open=False, wait=False) as live:
    ...     print(live.url.startswith("http://127.0.0.1:"))
    True
    """
    asked = f"studio({shown(str(file) if isinstance(file, Path) else file, 60)})"
    source = source_of(asked, file)
    try:
        server = Server(source, port)
    except OSError as error:
        found = f"port {port}: {error.strerror or error}"
        raise MethodError(asked, found, "the port cannot be used", "give port=0 for any free one") from None
    made = Studio(server)
    if wait:
        print(f"studio of {source.name} at {made.url}\nCtrl-C ends it", file=sys.stderr, flush=True)
    if open:
        webbrowser.open(made.url)
    if wait:
        made.wait()
    return made
