"""Files are data: limits hold, nothing runs, and no mutation of a file gives anything but our own error."""

import contextlib
import copy
import json
import random

import pytest

import dalembert as da
from dalembert.io import MAX_BYTES, MAX_DEPTH, MAX_PARTS, parse_text, to_data
from dalembert.io.text import write_json, write_toml
from tests.io.machines import SLIDER, cart, everything, in_space
from tests.soak import share
from tests.work import calls

HOSTILE = [
    "__import__('os').system('false')", "open('/etc/passwd')", "9**9**9", "().__class__", "lambda: 1", "t" * 3000,
    "(" * 400, "1" + "+1" * 900, "factorial(10**8)", "x[0]", "", " ", "\n", "drawn", "1e999 mm", "1e-999 kg", "m^99", "2 m^99",
    "5 (((", "30 deg deg", "t", "rate(t)", "rate(", "ground", "ground.x", "nan", "inf", "1_000", "0x10", "🙂", "\u202e", "1e400",
]  # fmt: skip


def test_limits_are_enforced():
    for text, words in (
        ("a = " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested deeper"),
        ("a." * (MAX_DEPTH + 1) + "b = 1", "joined by dots"),
        ("[measures]\n" + "".join(f"m{k} = 'x'\n" for k in range(MAX_PARTS + 1)), "parts"),
        ("# " + "x" * MAX_BYTES, "bytes"),
        ("length = '" + "1+" * 1500 + "1'", "length"),
    ):
        with pytest.raises(da.ModelFileError, match=words):
            parse_text(text, ".toml")
    with pytest.raises(da.ModelFileError, match="nested deeper"):
        parse_text("[" * 100_000, ".json")


def test_large_files_are_not_read(tmp_path):
    file = tmp_path / "big.toml"
    with file.open("wb") as out:
        out.truncate(MAX_BYTES + 1)
    with pytest.raises(da.ModelFileError, match="bytes"):
        da.read_model(file)


def test_many_problems_are_cut():
    def read(many: int) -> None:
        text = "[joints]\n" + "".join(f"j{k} = {{ type = 'x{k}' }}\n" for k in range(many))
        with pytest.raises(da.ModelFileError) as caught:
            parse_text(text, ".toml")
        assert len(caught.value.lines) == 51

    # no search for names that goes over all the others
    assert calls(lambda: read(3000)) < 5 * calls(lambda: read(1000))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_in_every_field(text):
    quoted = write_toml({"x": text}).removeprefix("x = ").strip()
    for old in (
        '"r"',
        '"600 mm"',
        '"r/2"',
        '"crank.end"',
        '"n*t"',
        '"O.angle"',
        '"x"',
        '"revolute"\nbetween = ["rod"',
        '"200 mm"',
    ):
        assert old in SLIDER
        try:
            model = parse_text(SLIDER.replace(old, quoted, 1), ".toml").model
        except da.ModelFileError:
            continue
        to_data(model)


def same_again(model):
    """Whatever was read is saved and read again as the same model,"""
    data = to_data(model)
    for write, suffix in ((write_toml, ".toml"), (write_json, ".json")):
        assert to_data(parse_text(write(data), suffix).model) == data


def mutated(rng, text):
    """A text with one to four accidents: characters or lines lost, doubled, exchanged, replaced."""
    for _ in range(rng.randint(1, 4)):
        kind = rng.randrange(7)
        at = rng.randrange(len(text) + 1)
        lines = text.split("\n")
        k = rng.randrange(len(lines))
        if kind == 0:
            text = text[:at] + text[at + rng.randint(1, 5) :]
        elif kind == 1:
            text = text[:at] + rng.choice("[]{}\"'=.,#-0179eE ntx\n\\\0é") + text[at:]
        elif kind == 2:
            text = "\n".join(lines[:k] + lines[k + 1 :])
        elif kind == 3:
            text = "\n".join([*lines[:k], lines[rng.randrange(len(lines))], *lines[k:]])
        elif kind == 4:
            words = text.split(" ")
            words[rng.randrange(len(words))] = rng.choice(
                ["true", "[]", "{}", "-1", "1e308", "nan", '"30 deg"', '"t"', '""', "[1, 2]"]
            )
            text = " ".join(words)
        elif kind == 5:
            words = text.split('"')
            words[rng.randrange(len(words))] = rng.choice(HOSTILE)[:300]
            text = '"'.join(words)
        else:
            lines[k], lines[0] = lines[0], lines[k]
            text = "\n".join(lines)
    return text


SEEDS = [(SLIDER, ".toml")]
for _model in (everything(), in_space(), cart()):
    SEEDS += [(write_toml(to_data(_model)), ".toml"), (write_json(to_data(_model)), ".json")]


@pytest.mark.parametrize("block", range(share(5)))
def test_mutated_files_give_models_or_our_error(block):
    # 5 blocks of 1000 files, 400 of the first with every change; whatever a file holds, it is a model that can be saved, or one typed error with lines
    rng = random.Random(20261115 + block)
    read = 0
    for _ in range(share(1000, 400)):
        text, suffix = rng.choice(SEEDS)
        try:
            model = parse_text(mutated(rng, text), suffix).model
        except da.ModelFileError as error:
            assert error.lines and all(line.startswith("model:") or "more than" in line for line in error.lines)
            continue
        read += 1
        same_again(model)
    assert read > 10  # the accidents are mild enough that both ways out are tested


def test_mutated_bytes():
    rng = random.Random(7)
    raw = SLIDER.encode()
    for _ in range(500):
        data = bytearray(raw)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        with contextlib.suppress(da.ModelFileError):
            parse_text(bytes(data), ".toml")


VALUES = [*HOSTILE, 0, -1, 1e308, 10**400, True, [], {}, [[]], [0, 0], [1, 2, 3], [["x"], "y"], {"body": "b"}, {"body": "b", "point": [1]},
          {"body": "ground", "axis": [0, 0]}, {"rod": {}}, {"rod": {"length": "r", "mass": "cam(r)"}}, "b", "arm 1", "pin.angle", "cam(t)",
          "30 deg", "5 mm", "2 N m", [1e200, 1e200], ["b", [0, 0]], ["b"], "x", "body", "space", [[1, 0, 0], "t"], None]  # fmt: skip


def accident(rng, data):
    """Data with one leaf or table replaced, lost, renamed or moved."""
    holders = [data]
    for holder in holders:
        holders += [
            x for x in (holder.values() if isinstance(holder, dict) else holder) if isinstance(x, dict | list) and x
        ]
    holder = rng.choice(holders)
    key = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    kind = rng.randrange(4)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        holder[rng.choice(["type", "i", "at", "value", "ground", "b", "t", "mass", "", "x.y"])] = holder.pop(key)
    elif kind == 2:
        other = rng.choice(holders)
        holder[key] = (
            copy.deepcopy(rng.choice(list(other.values()) if isinstance(other, dict) else other)) if other else 0
        )
    else:
        holder[key] = copy.deepcopy(rng.choice(VALUES))


@pytest.mark.parametrize("block", range(share(5)))
def test_wrong_data_give_models_or_our_error(block):
    # 5 blocks of 500 files, 150 of the first with every change, that are valid JSON, so that every accident reaches the model
    rng = random.Random(4711 + block)
    seeds = [to_data(m) for m in (everything(), in_space(), cart())]
    read = 0
    for _ in range(share(500, 150)):
        data = copy.deepcopy(rng.choice(seeds))
        for _ in range(rng.randint(1, 2)):
            if data:
                accident(rng, data)
        try:
            model = parse_text(json.dumps(data), ".json").model
        except da.ModelFileError as error:
            assert error.lines and all("model:" in line for line in error.lines)
            continue
        read += 1
        same_again(model)
    assert read > 7
