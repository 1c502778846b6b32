"""Reading and writing of model files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MethodError, ModelError, ModelFileError, checked_call, nearest, shown
from ..model.expression import Expr
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.reading import LONGEST_NAME
from ..model.registry import FORCES, JOINTS
from ..paths import no_such_file, read_path, whole_file
from .encode import encode
from .fields import GENERAL, KINDS, LAGRANGIAN, MECHANISM, VERSION
from .lagrangian_reader import LagrangianReader
from .lines import lines_of
from .mechanism_reader import MechanismReader
from .options import ANALYSES, read_options, written_options
from .parameters import is_formula, mentioned, overridden, words
from .problems import Problems, dotted
from .text import MAX_BYTES, MAX_PARTS, read_text, write_json, write_toml

SUFFIXES = (".toml", ".json")
FILES_ARE = "model files are TOML or JSON, known by their ending"
_ASKED = "write_model(model, path, analyses)"


@dataclass(frozen=True)
class ModelFile:
    """A model and the analyses that its file asks for: {"simulate": {"until": 2.0}}, in the order of the file.

    `derived` holds the derived parameters of the file as expressions of the others, `unchecked` the expressions whose dimensions units
    cannot tell, each as "drivers.motor.value: 'n*t' (n has no unit)", `unused` the parameters that nothing in the file mentions, `tables` the
    text files whose columns it takes.
    """

    model: Mechanism | Lagrangian
    analyses: dict[str, dict[str, Any]] = field(default_factory=dict)
    derived: dict[str, Expr] = field(default_factory=dict)
    unchecked: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()


@checked_call
def read_model(path: Any, parameters: Mapping[str, Any] | None = None) -> Mechanism | Lagrangian:
    """Read a mechanism or a Lagrangian system from a TOML or JSON file.

    Parameters
    ----------
    path
        A file that ends in .toml or .json; docs/model-files.md describes what it may hold.
    parameters
        Other values for parameters of the file: {"r": 0.25} in SI units, or {"r": "250 mm"}.  Derived parameters follow them.

    Returns
    -------
    Mechanism or Lagrangian
        The model, as if built in Python.

    Raises
    ------
    ModelFileError
        With all problems of the file at once, each as "file:line: path: what was found".

    Examples
    --------
    >>> import dalembert as da, tempfile, os
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> file = os.path.join(tempfile.mkdtemp(), "pendulum.toml")
    >>> da.write_model(m, file)
    >>> da.read_model(file)
    <Mechanism 'pendulum' in the plane: 1 bodies, 1 joint>
    """
    return read_file(path, parameters).model


@checked_call
def read_file(path: Any, parameters: Mapping[str, Any] | None = None) -> ModelFile:
    """Read a model file with the analyses it asks for; see `read_model`."""
    target, asked = _path("read_model", path), f"read_model({str(path)!r})"
    try:
        size = target.stat().st_size
        if size > MAX_BYTES:
            raise ModelFileError.of(target.name, [f"{target.name}:1: file: {size} bytes; at most {MAX_BYTES} are read"])
        if not target.is_file():
            raise OSError("a folder, device or pipe")
        with target.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise no_such_file(asked, target, SUFFIXES) from None
    except OSError as error:
        do = "check the path and its rights"
        raise MethodError(asked, error.strerror or str(error), "the file cannot be read", do) from None
    return parse_text(raw, target.suffix.lower(), target.name, target.stem, parameters, target.parent)


def parse_text(
    raw: bytes | str, suffix: str, file: str = "model", name: str = "model", parameters: Mapping[str, Any] | None = None,
    folder: Path | None = None,
) -> ModelFile:  # fmt: skip
    """Model of a text in memory; `suffix` is .toml or .json, `file` what messages call it, `folder` has the tables that it names."""
    problems = Problems(file, folder=folder)
    if len(raw) > MAX_BYTES:
        problems.add((), f"{len(raw)} bytes; at most {MAX_BYTES} are read")
        problems.check()
    try:
        text = raw if isinstance(raw, str) else raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        lines = [f"{file}:{line}: file: byte {error.start} is not UTF-8; save the file as UTF-8 text"]
        raise ModelFileError.of(file, lines) from None
    is_json = suffix == ".json"
    if not is_json:
        text = text.replace("\r\n", "\n")
    data = read_text(text, is_json, problems)
    problems.line_of = lines_of(text, is_json)
    if parameters is not None and not isinstance(parameters, Mapping):
        found = f"parameters = {shown(parameters)}"
        raise MethodError(f"reading {file}", found, "values by name are needed", "give parameters={'r': 0.25}")
    if parameters:
        data = overridden(data, parameters, file)
    # numbers that overflow on the way are refused by the model; numpy need not warn as well
    with np.errstate(all="ignore"):
        return decode(data, problems, _usable(name))


def decode(data: dict[str, Any], problems: Problems, name: str) -> ModelFile:
    """Plain data of a file to a model; raises one error with all problems.  A part that refers to a part with problems is passed over."""
    version, kind = data.get("format", VERSION), data.get("kind", "mechanism")
    if isinstance(version, bool) or not isinstance(version, int) or version != VERSION:
        problems.add(("format",), f"found {shown(version, 40)}; this version of dalembert reads format {VERSION}")
    if kind not in KINDS:
        problems.unknown(("kind",), "kind of model", kind, KINDS)
    problems.check()
    known = (*GENERAL, *(MECHANISM if kind == "mechanism" else LAGRANGIAN), *ANALYSES)
    for key in data:
        # parts are called by their types in Python: m.spring(...)
        tag = key if key in FORCES or key in JOINTS else key.removesuffix("s")
        section = "forces" if tag in FORCES else "joints" if tag in JOINTS else ""
        if key not in known and kind == "mechanism" and section:
            problems.add((key,), f'unknown section {key!r}; write [{section}.NAME] with type = "{tag}"')
        elif key not in known:
            problems.unknown((key,), "section", key, known)
    parts = sum(len(x) for x in data.values() if isinstance(x, dict))
    if parts > MAX_PARTS:
        problems.add((), f"{parts} parts; a file may hold {MAX_PARTS}")
        problems.check()
    reader = (MechanismReader if kind == "mechanism" else LagrangianReader)(data, problems, name)
    model = reader.model()
    if model is not None:
        reader.units(model)
    # names and expressions in options are judged by a model that is whole
    analyses = read_options(data, None if problems.found else model, reader.values, problems)
    problems.check()
    assert model is not None
    unchecked = tuple(f"{dotted(problems.as_written(path))}: {x}" for path, x in reader.values.unchecked.items())
    # parameters that no text of the file mentions besides their own
    section = data.get("parameters", {})
    used = mentioned([x for key, x in data.items() if key not in ("parameters", "name")])
    used |= {word for name, x in section.items() if is_formula(x) for word in words(x) - {name}}
    unused = tuple(name for name in section if name not in used)
    return ModelFile(model, analyses, reader.derived, unchecked, unused, tuple(problems.read))


def _usable(stem: str) -> str:
    """Name of a model whose file gives none: that of the file, without the characters that names may not have."""
    return "".join("_" if c in "'\".()" or not c.isprintable() else c for c in stem)[:LONGEST_NAME].strip() or "model"


@checked_call
def write_model(model: Any, path: Any, analyses: Mapping[str, Mapping[str, Any]] | None = None) -> None:
    """Write a mechanism or a Lagrangian system to a TOML or JSON file, whole or not at all.

    Parameters
    ----------
    model
        A `Mechanism` or `Lagrangian`.  Parts are written as they were asked for, in SI units.
    path
        A file that ends in .toml or .json; an existing file is replaced.
    analyses
        Analyses to ask for: {"simulate": {"until": 2.0}}.

    Raises
    ------
    ModelError
        Where a part has no form in a file, such as a law that is a Python function; the part is named.
    """
    target = _path("write_model", path)
    data = to_data(model, analyses)
    text = write_json(data) if target.suffix.lower() == ".json" else write_toml(data)
    _check_readable(model, text, target, data)
    with whole_file(target, f"write_model to {str(target)!r}", "w", folders=False) as file:
        file.write(text)


def _check_readable(model: Mechanism | Lagrangian, text: str, target: Path, data: dict[str, Any]) -> None:
    """Refuse to write what would not be read back as the same model: files are stricter than Python about units."""
    asked = f"writing {model.name!r} to {target.name!r}"
    try:
        again = parse_text(text, target.suffix.lower(), target.name, target.stem)
    except ModelFileError as error:
        found = "\n".join(error.lines)
        do = "correct the units of the parameters or the arguments named above"
        raise ModelError(asked, found, "the file could not be read back", do) from None
    if to_data(again.model, again.analyses) != data:
        differing = [key for key, x in to_data(again.model, again.analyses).items() if x != data.get(key)]
        found, why = f"{', '.join(differing)} read back differently", "a file must give the same model again"
        raise ModelError(asked, found, why, "state these parts with plain numbers and expressions")


def unchecked_dimensions(model: Mechanism | Lagrangian) -> tuple[str, ...]:
    """Expressions of a model whose dimensions units cannot tell; dimensions that contradict each other are a `ModelFileError`."""
    return parse_text(write_json(to_data(model)), ".json", model.name).unchecked


def to_data(model: Any, analyses: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """Plain data of a model, as a file holds it."""
    if not isinstance(model, Mechanism | Lagrangian):
        found = f"model = {shown(model)} of type {type(model).__name__}"
        do = "give a da.Mechanism or da.Lagrangian; results are saved by run.save(path)"
        raise ModelError("write_model(model, path)", found, "files hold mechanisms and Lagrangian systems", do)
    do = "give for example analyses={'simulate': {'until': 2.0}}"
    if analyses is not None and not isinstance(analyses, Mapping):
        raise ModelError(_ASKED, f"analyses = {shown(analyses)}", "tables of options by verb are needed", do)
    asked = dict(analyses or {})
    for name, options in asked.items():
        if name not in ANALYSES or not isinstance(options, Mapping):
            why = f"analyses are verbs with tables of options; {nearest(name, ANALYSES, 40)}"
            raise ModelError(_ASKED, f"analyses[{name!r}] = {shown(options)}", why, do)
    plain = {name: _plain_options(name, options) for name, options in asked.items()}
    return encode(model, {name: written_options(model, name, options) for name, options in plain.items()})


def _plain_options(where: str, x: Any) -> Any:
    if isinstance(x, Mapping):
        return {str(key): _plain_options(f"{where}.{key}", item) for key, item in x.items()}
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, tuple | list):
        return [_plain_options(f"{where}[{k}]", item) for k, item in enumerate(x)]
    if isinstance(x, bool | int | str) or (isinstance(x, float) and abs(x) < float("inf")):
        return x
    found = f"{where} = {shown(x)} of type {type(x).__name__}"
    raise ModelError(_ASKED, found, "a file holds numbers, texts, lists and tables", "give one of these")


def _path(verb: str, path: Any) -> Path:
    target = read_path(f"{verb}(...)", path, "model.toml")
    if target.suffix.lower() not in SUFFIXES:
        found = "a folder" if target.is_dir() else f"a file that ends in {target.suffix!r}"
        do = "name it like 'crank.toml' or 'crank.json'; results are read by da.load"
        raise MethodError(f"{verb}({shown(str(path))})", found, FILES_ARE, do)
    return target
