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
from ..paths import no_such_file, read_path, whole_file
from .decode import decode
from .encode import encode
from .lines import lines_of
from .options import ANALYSES, written_options
from .overrides import overridden
from .problems import Problems
from .text import MAX_BYTES, read_text, write_json, write_toml

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
        found = error.strerror or str(error)
        raise MethodError(asked, found, "the file cannot be read", "check the path and its rights") from None
    return parse_text(raw, target.suffix.lower(), target.name, target.stem, parameters, target.parent)


def parse_text(
    raw: bytes | str,
    suffix: str,
    file: str = "model",
    name: str = "model",
    parameters: Mapping[str, Any] | None = None,
    folder: Path | None = None,
) -> ModelFile:
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
        return ModelFile(*decode(data, problems, _usable(name)), tuple(problems.read))


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
