"""Ten thousand broken model files (a thousand with every change): whatever stands in a file, what comes out is a model or our own error with file and line.

Seeds are the machines that come with the package and the models of the other tests.  What can be read is assembled and its mobility is
found (a part of the files only: reading costs 2 ms, assembly ten times that), where only our own errors may come out, too.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import signal
from importlib.resources import files

import pytest

import dalembert as da
from dalembert.io import to_data
from dalembert.io.text import write_json, write_toml
from tests.io.machines import SLIDER, cart, everything, in_space
from tests.soak import share

FILES, CHUNKS = 500, share(20)  # files of a chunk
ASSEMBLED = 4  # files of a chunk that go on to assembly and mobility, at most
LONGEST = 30  # seconds of work, not of waiting, for one file; most take some milliseconds

TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|[A-Za-z_][\w.-]*|[-+]?\d[\w.+-]*|\n|[ \t]+|.', re.DOTALL)
UNITS = [
    "mm",
    "kg",
    "N/m",
    "deg",
    "rad",
    "rpm",
    "1/s",
    "N m",
    "kN/mm",
    "furlong",
    "m^2",
    "m^99",
    "°",
    "%",
    "µm",
    "m/",
    "(m",
    "s s",
    "",
]
VALUES = ["0", "-1", "1e308", "1e-320", "nan", "-inf", "9" * 400, "0x1F", "1_000", "true", "[]", "{}", "[[]]", "[1, 2]", "[1, 2, 3]", "[0, 0, 0]", '""', '"t"',
          '"ground"', '"x"', '"1/0"', '"sqrt(-1)"', '"log(0)"', '"9**9**9"', '"r"', '"drawn"', '"30 deg"', '"5 mm"', '"rate(O.angle)"', '"O.angle"', "{ rod = {} }",
          "{ body = 'b', point = [0, 0] }", "1979-05-27", "07:32:00", "'''\n'''", '"""x"""', '["b", [0, 0]]', "null", '"__import__(\'os\')"', '"' + "(" * 70 + '"',
          '"\\ud800"', '"\\u0000"', '"exp(1e9)"', '"1e400"', "[1e200, 1e200]", '"crank.end"', '"a.b.c"', '"if"', '"lambda: 0"']  # fmt: skip
KEYS = ["type", "at", "between", "i", "j", "mass", "shape", "axis", "along", "value", "measure", "name", "gravity", "plane", "format", "kind", "q", "start",
        "parameters", "bodies", "joints", "t", "pi", "ground", '""', '"a b"', '"é"', '"x.y"', "-", "1", "simulate", "rate", "length", "point"]  # fmt: skip
LETTERS = "[]{}\"'=.,#-+*/()019eE \n\t\\\0\x7fé°µ²🙂\u202e\ufeff\u2028\ud7ff½٣ａ"


def seeds() -> list[tuple[str, str]]:
    texts = [(SLIDER, ".toml")]
    for path in sorted(files("dalembert.machines").iterdir(), key=lambda p: p.name):
        if path.name.endswith(".toml"):
            texts.append((path.read_text(encoding="utf-8"), ".toml"))
    for model in (everything(), in_space(), cart()):
        texts += [(write_toml(to_data(model)), ".toml"), (write_json(to_data(model)), ".json")]
    return texts


def accident(rng: random.Random, text: str, other: str) -> str:
    """The text with one accident."""
    text = text or "\n"
    tokens = TOKEN.findall(text)
    lines = text.split("\n")
    k = rng.randrange(len(lines))
    words = [n for n, token in enumerate(tokens) if token.strip() and token[0] not in "#[]{}=,"]
    w = rng.choice(words or [0])
    at = rng.randrange(len(text) + 1)
    kind = rng.choice(("letter", "lose", "value", "key", "unit", "swap", "lose line", "double line", "move line", "nest", "type", "foreign", "cut", "number", "operator"))  # fmt: skip
    if kind == "letter":
        return text[:at] + rng.choice(LETTERS) + text[at + rng.randint(0, 1) :]
    if kind == "lose":
        return text[:at] + text[at + rng.randint(1, 12) :]
    if kind == "value":
        # what stands after a sign of equality, or one item of a list
        line = lines[k]
        head, sign, _ = line.partition("=")
        lines[k] = f"{head}{sign} {rng.choice(VALUES)}" if sign else line + rng.choice(VALUES)
        return "\n".join(lines)
    if kind == "key":
        tokens[w] = rng.choice(KEYS)
    elif kind == "unit" and tokens:
        strings = [n for n, token in enumerate(tokens) if token[0] == '"' and any(c.isdigit() for c in token)]
        if strings:
            n = rng.choice(strings)
            tokens[n] = f'"{rng.choice(("1", "-2.5", "1e3", "0", "1e400"))} {rng.choice(UNITS)}"'
    elif kind == "swap" and len(words) > 1:
        v = rng.choice(words)
        tokens[v], tokens[w] = tokens[w], tokens[v]
    elif kind == "lose line":
        del lines[k : k + rng.randint(1, 3)]
        return "\n".join(lines)
    elif kind == "double line":
        return "\n".join([*lines[:k], lines[rng.randrange(len(lines))], *lines[k:]])
    elif kind == "move line":
        lines.insert(rng.randrange(len(lines)), lines.pop(k))
        return "\n".join(lines)
    elif kind == "nest":
        deep = rng.choice((1, 2, 5, 19, 25, 400))
        tokens[w] = (
            "[" * deep + tokens[w] + "]" * deep if rng.random() < 0.5 else "{ a = " * deep + tokens[w] + " }" * deep
        )
    elif kind == "type":
        tokens[w] = rng.choice(VALUES)
    elif kind == "foreign":
        # a line of another model
        return "\n".join([*lines[:k], rng.choice(other.split("\n")), *lines[k:]])
    elif kind == "cut":
        return text[:at]
    elif kind == "number":
        numbers = [n for n, token in enumerate(tokens) if token[0].isdigit() or token[0] in "-+"]
        if numbers:
            tokens[rng.choice(numbers)] = rng.choice(VALUES[:12])
    elif kind == "operator":
        strings = [n for n, token in enumerate(tokens) if len(token) > 2 and token[0] == '"']
        if strings:
            n = rng.choice(strings)
            cut = rng.randrange(1, len(tokens[n]) - 1)
            tokens[n] = (
                tokens[n][:cut]
                + rng.choice(["*", "/0", "**", "(", ")", " ", ".", "'", "t", "-", "^2", ",", "rate(", "e9", "§"])
                + tokens[n][cut:]
            )
    return "".join(tokens)


def broken(rng: random.Random, texts: list[tuple[str, str]]) -> tuple[bytes, str]:
    """Bytes of a file with one to three accidents, some of them in the bytes themselves."""
    # long files cost more and teach no more
    ((text, suffix),) = rng.choices(texts, [1 / len(text) for text, _ in texts])
    for _ in range(rng.choice((1, 1, 2, 3))):
        text = accident(rng, text, rng.choice(texts)[0][:5000])
    raw = bytearray(text.encode("utf-8", "surrogatepass"))
    if rng.random() < 0.05 and raw:
        for _ in range(rng.randint(1, 4)):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
    if rng.random() < 0.02:
        raw = bytearray(b"\xef\xbb\xbf" + raw) if rng.random() < 0.5 else bytearray(bytes(raw).replace(b"\n", b"\r\n"))
    return bytes(raw), suffix


@contextlib.contextmanager
def in_time(what: str):
    """No file may take for ever."""

    def late(number, frame):
        raise TimeoutError(f"{what} took longer than {LONGEST} s")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.filterwarnings("error")
def test_broken_files(chunk, tmp_path):
    rng = random.Random(5_000_000 + chunk)
    texts, read, assembled = seeds(), 0, 0
    for number in range(FILES):
        raw, suffix = broken(rng, texts)
        file = tmp_path / f"file{suffix}"
        file.write_bytes(raw)
        try:
            with in_time("reading"):
                model = da.read_model(file)
        except da.ModelFileError as error:
            assert error.lines
            for line in error.lines:
                assert re.match(rf"file\{suffix}:[1-9]\d*: \S|file\{suffix}: more than 50 problems", line), line
                assert "\n" not in line and len(line) < 3000
            numbers = [int(line.split(":")[1]) for line in error.lines if "more than 50" not in line]
            assert max(numbers, default=1) <= raw.count(b"\n") + raw.count(b"\r") + 1
            continue
        except Exception as error:  # noqa: BLE001
            pytest.fail(f"file {number} of chunk {chunk}: {error!r}\n{raw!r}")
        read += 1
        json.dumps(to_data(model), allow_nan=False)
        # a few files of each chunk, spread over it
        if isinstance(model, da.Mechanism) and assembled < ASSEMBLED and rng.random() < 0.06:
            assembled += 1
            for verb in (da.assemble, da.mobility):
                with in_time(verb.__name__), contextlib.suppress(da.DalembertError):
                    verb(model)
    # accidents are mild enough that both ways out are tested
    assert 20 < read < FILES - 20
