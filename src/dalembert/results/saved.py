"""Results read from files: checked, and asked by name as the run itself; see `files.py` for what is in them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MethodError, ModelError, checked_call, nearest, shown
from ..model.body import UnknownAttributeError
from ..paths import no_such_file, read_path, reason
from ..state import State
from .series import Series

FORMAT, VERSION = "dalembert results", 1
# no part has a dot in its name, so this is none
ENERGY = ".energy"
# arrays of the motion itself
RAW = ("t", "q", "v", "a", "lam", "angles")
LARGEST = 1e300  # number that is no mistake


@checked_call
def load(path: Any) -> SavedResult:
    """Read a result written by `run.save(path)`.

    Examples
    --------
    >>> import dalembert as da, tempfile, os
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> file = os.path.join(tempfile.mkdtemp(), "pendulum.npz")
    >>> da.simulate(m, until=1.0).save(file)
    >>> da.load(file)["A"].force.shape
    (201, 2)
    """
    asked = f"load({shown(path)})"
    target = read_path(asked, path)
    if target.suffix.lower() in (".toml", ".json"):
        raise MethodError(
            asked,
            f"a file that ends in {target.suffix!r}",
            "load reads results",
            "read models with da.read_model(path)",
        )
    if not target.suffix and not target.exists():
        target = target.with_name(target.name + ".npz")
    try:
        with np.load(target, allow_pickle=False) as file:
            if not isinstance(file, np.lib.npyio.NpzFile):
                raise ValueError("a single array")
            arrays = {key: file[key] for key in file.files}
        about = json.loads(arrays.pop("about").item())
        if about["format"] != FORMAT:
            raise ValueError(f"format {about['format']!r}")
        version = about["version"]
        if version == VERSION:
            _check_saved(arrays, about)
            return SavedResult(arrays, about)
    except FileNotFoundError:
        raise no_such_file(asked, target, (".npz",)) from None
    except OSError as error:
        raise MethodError(asked, reason(error), "the file cannot be read", "check the path and its rights") from error
    except MethodError:
        raise
    except Exception as error:  # whatever a damaged archive makes the readers of zip, zlib, numpy and json raise
        what, do = _foreign(target)
        found = f"it is {what}" if what else f"it is damaged ({type(error).__name__}: {shown(str(error), 200)})"
        why = "it is not a file of results: only files written by run.save can be read"
        raise MethodError(asked, found, why, do) from None
    raise MethodError(
        asked,
        f"a file of version {version}",
        f"this package reads version {VERSION}",
        "install a newer dalembert, or save the run again",
    )


# how files of others begin
_BEGINNINGS = {
    b"\x93NUMPY": "a single NumPy array (np.save)",
    b"\x80": "a pickle of Python, which is never run",
    b"\x89HDF": "an HDF5 file",
    b"MATLAB": "a MATLAB file",
    b"\x1f\x8b": "a gzip archive",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture",
}


def _foreign(target: Path) -> tuple[str, str]:
    """What a file is that is none of ours, and what to do; no text where it is an archive with our description."""
    do = "give the file that run.save(path) wrote; arrays of other programs are read by numpy, tables by m.table"
    with target.open("rb") as file:
        begin = file.read(200)
    if not begin:
        return "an empty file", "save the run again"
    for mark, what in _BEGINNINGS.items():
        if begin.startswith(mark):
            return what, do
    if begin.startswith(b"PK"):
        try:
            with zipfile.ZipFile(target) as archive:
                names = archive.namelist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            return "", "save the run again"
        if "about.npy" in names and "t.npy" in names:
            return "", "save the run again"
        arrays = all(name.endswith(".npy") for name in names)
        listed = ", ".join(shown(name.removesuffix(".npy"), 40) for name in names[:6]) + ", …" * (len(names) > 6)
        return f"{'a NumPy archive of the arrays' if arrays else 'a ZIP archive of'} {listed or 'nothing'}", do
    line = begin.splitlines()[0].decode("utf-8", "replace")
    if set(begin) & ({*range(32)} - {*b"\t\n\r"}):
        return f"a binary file that begins with the bytes {begin[:8].hex(' ')}", do
    return f"a text file that begins with {shown(line, 60)}", do


def _check_saved(arrays: dict[str, np.ndarray], about: dict[str, Any]) -> None:
    """Refuse arrays and names that do not belong together: nothing later on would say why it fails."""
    t = arrays["t"]
    if t.ndim != 1:
        raise ValueError(f"times of shape {t.shape}")
    for key, x in arrays.items():
        if x.dtype.kind not in "fiu" or x.ndim < 1 or len(x) != len(t):
            raise ValueError(f"the array {key!r} has type {x.dtype} and shape {x.shape} for {len(t)} times")
    for key in (*RAW[1:], *({"states"} & arrays.keys())):
        if arrays[key].ndim != 2:
            raise ValueError(f"the array {key!r} has shape {arrays[key].shape}")
    lists = ("bodies", "joints", "drivers", "forces", "arrays")
    kinds = dict.fromkeys(("model", "audit", "status"), str) | dict.fromkeys(("plane", "complete"), bool)
    for key, kind in {**kinds, **dict.fromkeys(("parameters", "parts"), dict), **dict.fromkeys(lists, list)}.items():
        if not isinstance(about[key], kind):
            raise ValueError(f"{key} = {shown(about[key], 40)}")
    names = [name for key in lists[:-1] for name in about[key]]
    if not all(isinstance(name, str) for name in [*names, *(b for part in about["parts"].values() for b in part)]):
        raise ValueError("names that are no texts")
    lost = [name for key in lists[1:-1] for name in about[key] if name not in about["parts"]]
    if lost:
        raise ValueError(f"{lost[0]!r} is not among the parts")
    for entry in about["arrays"]:
        x, axes = arrays[entry["key"]], entry["axes"]
        if axes and (x.ndim < 2 or x.shape[1] != len(axes)):
            raise ValueError(f"the array {entry['key']!r} has shape {x.shape} for the axes {', '.join(axes)}")


class SavedResult:
    """A result read from a file: the same access by name as the run had.

    `.t`, `["crank"].position`, `["A"].force`, `["A"].on("crank").force`, `["O.angle"]` and its `.rate`, `.energy.total`, `.audit` (text),
    `.status`, `.model` (name), `.at(t)` at the output times.  What needs the mechanism itself (other frames, other points, times between the
    outputs, crossings) is not in a file: simulate again for those.
    """

    def __init__(self, arrays: dict[str, np.ndarray], about: dict[str, Any]) -> None:
        self._arrays, self.about = arrays, about
        self.t, self.q, self.v, self.a, self.lam, self.angles = (arrays[name] for name in RAW)
        self.z = arrays.get("states", np.zeros((len(self.t), 0)))
        self.model: str = about["model"]
        self.plane: bool = about["plane"]
        self.parameters: dict[str, float] = about["parameters"]
        self.audit: str = about["audit"]
        self.status: str = about["status"]
        self.complete: bool = about["complete"]
        # account of an impulsive start, as plain numbers; None if there was none
        self.impulse: dict[str, Any] | None = about.get("impulse")
        # what happened during the run, as plain numbers: its time, name, what it was, text, energies
        self.events: list[dict[str, Any]] = about.get("events", [])
        self._parts: dict[str, dict[str, Series]] = {}
        self._loads: dict[str, dict[str, dict[str, Series]]] = {}
        self._measures: dict[str, Series] = {}
        self._stored: list[tuple[tuple[str, ...], Series]] = []
        for entry in about["arrays"]:
            self._place(entry)
        self.energy = SavedPart("energy", self._parts.pop(ENERGY))
        for name in about["bodies"]:
            self._add_coordinates(name)

    def _place(self, entry: dict[str, Any]) -> None:
        where, about = entry["path"], (entry["name"], entry["unit"], tuple(entry["axes"]))
        series = Series(self._arrays[entry["key"]], *about, self.t)
        if "rate" in entry:
            series.rate = Series(self._arrays[entry["rate"]], f"rate({entry['name']})", entry["rate_unit"], (), self.t)
        self._stored.append((tuple(where), series))
        if len(where) == 3:
            self._loads.setdefault(where[0], {}).setdefault(where[1], {})[where[2]] = series
        elif where[0] == "":
            self._measures[where[1]] = series
        else:
            self._parts.setdefault(where[0], {})[where[1]] = series

    def quantities(self) -> Iterator[tuple[tuple[str, ...], Series]]:
        """Arrays with their paths, as they were stored."""
        yield from self._stored

    def _add_coordinates(self, body: str) -> None:
        """Coordinates of a body as measures, as the mechanism has them."""
        motion = self._parts[body]
        places = enumerate(motion["position"].axes)
        found = [(x, "m", motion["position"][:, k], motion["velocity"][:, k]) for k, x in places]
        found += [("angle", "rad", motion["angle"], motion["spin"])] if "angle" in motion else []
        for what, unit, values, rates in found:
            name, rate = f"{body}.{what}", Series(rates, f"rate({body}.{what})", f"{unit}/s", (), self.t)
            self._measures[name] = Series(values, name, unit, (), self.t, rate=rate)

    @checked_call
    def __getitem__(self, name: Any) -> Any:
        name = getattr(name, "name", name)
        if not isinstance(name, str):
            raise ModelError(
                f"{shown(name)} in the results of {self.model!r}",
                "no name",
                "parts go by names",
                nearest("", self._parts),
            )
        if name in self._measures:
            return self._measures[name]
        own = {
            key.rpartition(".")[2]: series for key, series in self._measures.items() if key.rpartition(".")[0] == name
        }
        if name in self._loads:
            return SavedPart(name, {**own, **self._parts.get(name, {})}, self._loads[name])
        if name in self._parts:
            return SavedPart(name, {**own, **self._parts[name]})
        raise ModelError(
            f"{name!r} in the results of {self.model!r}",
            "no such part or measure",
            nearest(name, [*self._parts, *self._measures]),
            "use one of the known names",
        )

    @checked_call
    def at(self, t: float) -> State:
        """State at an output time, from which `simulate(model, start=...)` goes on.

        Times between outputs are refused: interpolated states would not satisfy the constraints.  `run.at(t)` of the run itself gives them.
        """
        asked = f"state at t = {shown(t)}"
        plain = isinstance(t, int | float | np.floating | np.integer) and not isinstance(t, bool)
        if not plain or not -LARGEST < t < LARGEST:
            raise MethodError(asked, f"t = {shown(t)}", "a time is a finite number", "give an output time")
        k = int(np.argmin(np.abs(self.t - t)))
        near = float(self.t[k])
        if abs(near - t) > 1e-12 * max(1.0, float(np.max(np.abs(self.t)))):
            raise MethodError(
                asked,
                f"the outputs nearest to it are at {', '.join(f'{x:.9g}' for x in sorted(self.t[max(0, k - 1) : k + 2]))} s",
                "a file holds the outputs only, and interpolated states would not satisfy the constraints",
                "use an output time, or run.at(t) of the run itself",
            )
        q, v, angles, z = (x[k].copy() for x in (self.q, self.v, self.angles, self.z))
        return State(near, q, v, angles, tuple(self.about["bodies"]), z)

    def names(self) -> list[str]:
        """Names that can be asked for: parts and measures."""
        return [*self._parts, *(name for name in self._measures if "." not in name)]

    @checked_call
    def table(self, rows: int = 6, units: Any = None) -> str:
        """Short text table of the motion; `units="mm, kN, deg"`, default those that the run had."""
        from .table import table

        return table(self, rows, units)

    def __repr__(self) -> str:
        span = f"{len(self.t)} outputs, t = {self.t[0]:g} … {self.t[-1]:g} s, " if len(self.t) else "no outputs, "
        return f"<saved result of {self.model!r}: {span}{self.status}>"


class SavedPart:
    """Arrays of one part by name; for loads also `.on(body)`."""

    def __init__(
        self,
        name: str,
        series: dict[str, Series],
        loads: dict[str, dict[str, Series]] | None = None,
        body: str | None = None,
    ) -> None:
        self.name, self._loads = name, loads or {}
        self.body = body if body is not None or not self._loads else list(self._loads)[-1]
        self._series = series if self.body is None else {**series, **self._loads[self.body]}

    @checked_call
    def on(self, body: Any) -> SavedPart:
        """The load on another of its bodies."""
        found = getattr(body, "name", body)
        if not isinstance(found, str) or found not in self._loads:
            raise ModelError(
                f"load of {self.name!r} on {shown(found)}",
                "it does not act on it",
                nearest(found, self._loads),
                "choose one of its bodies",
            )
        return SavedPart(self.name, self._series, self._loads, found)

    def __getattr__(self, name: str) -> Series:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._series:
            return self._series[name]
        raise UnknownAttributeError(
            f"{name!r} of {self.name!r}",
            f"not in the file: {nearest(name, self._series)}",
            "a file holds loads in space axes and the motion of origins",
            "use one of the names above, or simulate again",
        )

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._series]

    def __repr__(self) -> str:
        return f"<saved {self.name!r}: {', '.join(self._series)}>"
