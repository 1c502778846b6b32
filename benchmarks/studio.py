"""How often the studio follows a slider: `python -m benchmarks.studio [FILE]`.

A client asks as the page does, one position of the slider after the other, and counts complete answers: reading the text with the new value,
assembling, simulating, data of the page, JSON, HTTP.  Drawing in the browser comes on top.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
from importlib.resources import files
from typing import Any

import numpy as np

import dalembert as da


def main() -> None:
    """Print updates per second while dragging and of full runs, and the time of one drag of a body."""
    file = sys.argv[1] if len(sys.argv) > 1 else str(files("dalembert") / "machines" / "slider-crank.toml")
    with da.studio(file, open=False, wait=False) as live:
        host, _, path = live.url.removeprefix("http://").partition("/")
        wire = http.client.HTTPConnection(host)

        def ask(verb: str, **given: Any) -> dict[str, Any]:
            wire.request("POST", f"/{path}api/{verb}", json.dumps(given), {"Content-Type": "application/json"})
            found: dict[str, Any] = json.loads(wire.getresponse().read())
            return found

        about = ask("open")
        slider = about["parameters"][0]
        positions = slider["factor"] * slider["number"] * np.linspace(0.9, 1.1, 100)
        print(f"{about['name']}, slider {slider['name']!r}")
        for brief in (True, False):
            given = {"session": about["session"], "analysis": "simulate", "brief": brief}
            ask("run", values={}, **given)
            begun = time.perf_counter()
            done = sum("data" in ask("run", values={slider["name"]: x}, **given) for x in positions)
            rate = done / (time.perf_counter() - begun)
            print(f"  {'while dragging' if brief else 'full run'}: {done} updates, {rate:.0f} per second")


if __name__ == "__main__":
    main()
