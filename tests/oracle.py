"""What every verb answers, test by test, to compare one version of the package with another.

    python -m pytest -p tests.oracle --oracle before.json tests/contact tests/friction
    ... a change ...
    python -m pytest -p tests.oracle --oracle after.json tests/contact tests/friction
    python tests/oracle.py before.json after.json

Each call of a verb (`da.simulate(...)`) leaves a line: what came out, as the numbers and words of its report, with last values and events of a run, or the class and
the text of its error.  Two lines differ where words do, or numbers by more than a part of the largest number in the line.
"""

import functools
import inspect
import json
import re
import sys
from pathlib import Path

import numpy as np

NUMBER = re.compile(r"(?<![A-Za-z_])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# times that were measured, and counts of steps: nothing that an answer is
NOISE = re.compile(r"\d[\d.]* (?:ns|µs|ms) \(|, [\d.]+ m?s\b|0x[0-9a-f]+|\d+ (?:accepted|rejected|evaluations)")
# what a number may differ by, as a part of the largest of its line
CLOSE = 1e-6


def told(x):
    """An answer as words and numbers."""
    text = NOISE.sub("", x if isinstance(x, str) else str(x))
    numbers = [float(n) for n in NUMBER.findall(text)]
    found = {"kind": type(x).__name__, "words": NUMBER.sub("#", text)[:2000], "numbers": numbers[:200]}
    if hasattr(x, "t") and hasattr(x, "events") and len(x.t):
        found["last"] = [float(v) for name in ("q", "v") if hasattr(x, name) for v in np.asarray(getattr(x, name))[-1]]
        found["events"] = [[float(e.t), e.name, e.what] for e in x.events][:200]
    return found


class Oracle:
    """A plugin of pytest that listens to the verbs."""

    def __init__(self, file):
        self.file, self.test, self.lines = Path(file), "", {}
        import dalembert

        for name in dalembert.__all__:
            verb = getattr(dalembert, name)
            if inspect.isfunction(verb):
                setattr(dalembert, name, self.heard(name, verb))

    def heard(self, name, verb):
        """The verb, with a line for each of its answers."""

        @functools.wraps(verb)
        def call(*args, **options):
            try:
                answer = verb(*args, **options)
            except Exception as error:
                self.put(name, told(error) | {"kind": type(error).__name__})
                raise
            self.put(name, told(answer))
            return answer

        return call

    def put(self, name, line):
        self.lines.setdefault(self.test, []).append({"verb": name, **line})

    def pytest_runtest_setup(self, item):
        self.test = item.nodeid

    def pytest_sessionfinish(self):
        made = self.file.with_suffix(".part")
        made.write_text(json.dumps(self.lines, indent=0))
        made.replace(self.file)


def pytest_addoption(parser):
    parser.addoption("--oracle", help="file for what every verb answers (with -p tests.oracle, in one process)")


def pytest_configure(config):
    if file := config.getoption("--oracle"):
        config.pluginmanager.register(Oracle(file))


def off(a, b):
    """How far numbers are apart, as a part of the largest; inf where their counts differ."""
    if len(a) != len(b):
        return np.inf
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if not np.isfinite(a[~same]).all() or not np.isfinite(b[~same]).all():
        return np.inf
    size = max(float(np.max(np.abs(a[np.isfinite(a)]), initial=0.0)), 1e-300)
    return float(np.max(np.abs(a[~same] - b[~same]) / size, initial=0.0))


def differences(before, after):
    """Lines that differ: (test, verb, what)."""
    for test in before.keys() | after.keys():
        if test not in before or test not in after:
            yield test, "", "only before" if test in before else "only after"
            continue
        a, b = before[test], after[test]
        if len(a) != len(b):
            yield test, "", f"{len(a)} calls, then {len(b)}"
        for x, y in zip(a, b):
            if (x["verb"], x["kind"]) != (y["verb"], y["kind"]):
                yield test, x["verb"], f"{x['kind']}, then {y['kind']} of {y['verb']}"
                continue
            if [e[1:] for e in x.get("events", ())] != [e[1:] for e in y.get("events", ())]:
                yield test, x["verb"], f"{len(x['events'])} events, then {len(y['events'])}, or others"
            elif (far := off([e[0] for e in x.get("events", ())], [e[0] for e in y.get("events", ())])) > CLOSE:
                yield test, x["verb"], f"times of events differ by {far:.2g}"
            if (far := off(x.get("last", ()), y.get("last", ()))) > CLOSE:
                yield test, x["verb"], f"last values differ by {far:.2g}"
            elif x["words"] != y["words"]:
                yield test, x["verb"], f"{x['words'][:120]!r}, then {y['words'][:120]!r}"
            elif (far := off(x["numbers"], y["numbers"])) > CLOSE:
                yield test, x["verb"], f"numbers differ by {far:.2g}"


if __name__ == "__main__":
    found = sorted(differences(*(json.loads(Path(file).read_text()) for file in sys.argv[1:3])))
    for line in found:
        print(*line, sep="  ")
    print(f"{len(found)} differences")
