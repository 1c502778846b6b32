"""Results on disk: one .npz file of plain arrays, and a JSON text that says what they are.  No pickle, no code.

    t, q, v, a, lam, angles     times, states, accelerations and multipliers
    states                      auxiliary states (`m.state`), where there are any
    crank.position, A.force     what `run["crank"].position` and `run["A"].force` give; loads on every body of a part
    O.angle, rate(O.angle)      values and rates of every measure
    energy.total                energies
    about                       JSON: format, version, names, units, labels, parameters, audit, tolerances

Any tool that reads NumPy files reads these; `load` gives the same access by name as the run itself.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..errors import MethodError, ModelError, checked_call, nearest, shown
from ..model.body import UnknownAttributeError
from ..model.joints._rolling import Rolling
from ..model.output_units import OutputUnits
from ..paths import read_path, reason, whole_file
from ..state import State
from .in_units import converted, units_of
from .lagrangian import LagrangianResult
from .series import Series

FORMAT, VERSION = "dalembert results", 1
# no part has a dot in its name, so this is none
ENERGY = ".energy"
KINDS = ("joint", "impact", "driver", "force")

# what is stored of bodies and of loads; a planar body has an angle, a body in space a rotation
_MOTION = ("position", "velocity", "acceleration", "spin", "spin_rate")
_PLANE, _SPACE = ("angle",), ("rotation", "quaternion")
_LOAD = ("force", "torque")
_RAW = ("t", "q", "v", "a", "lam", "angles")
# one fixed date, so that the same run gives the same file
_DATE = (1980, 1, 1, 0, 0, 0)


# -- what there is to store --------------------------------------------------------------------------------------------


def quantities(run: Any) -> Iterator[tuple[tuple[str, ...], Series]]:
    """Every labelled array of a run with its path: (part, quantity), (part, body, quantity), ("", measure), (ENERGY, kind)."""
    if isinstance(run, LagrangianResult | SavedResult):
        yield from run.quantities()
        return
    # coordinates of bodies are their position and angle under another name
    bodies = set(run.system.body_names)
    measures = {name: m for name, m in run.measures().items() if name.rpartition(".")[0] not in bodies}
    run.observe(measures.values())
    for body in run.system.builder.bodies:
        for what in _MOTION + (_PLANE if run.plane else _SPACE):
            yield (body.name, what), getattr(run[body.name], what)
    for part in (part for kind in KINDS for part in run.parts(kind)):
        load = run[part.name]
        rolls = isinstance(part, Rolling)
        for body in run.bodies_of(part):
            for what in (*_LOAD, "friction") if rolls else _LOAD:
                yield (part.name, body.name, what), getattr(load.on(body), what)
        for what in ("contact", "normal") if rolls else ():
            yield (part.name, what), getattr(load, what)
        for what, measure in part.coordinates().items():
            if measure.is_rate and part.kind in ("joint", "impact"):
                yield (part.name, what), getattr(load, what)
        yield (part.name, "power"), load.power
        if run.system.rows_of(part.name):
            yield (part.name, "multipliers"), load.multipliers
        if part.kind not in ("joint", "impact"):
            yield (part.name, "effort"), load.effort
    for name in measures:
        yield ("", name), run[name]
    for what in ("kinetic", "potential", "total"):
        yield (ENERGY, what), getattr(run.energy, what)


def single_quantities(run: Any) -> Iterator[tuple[tuple[str, str], Series]]:
    """The same with the loads of a part on one body only, the one of `run["A"].force`: (part, quantity) for all of them."""
    for where, series in quantities(run):
        if len(where) < 3 or where[1] == getattr(run[where[0]].body, "name", run[where[0]].body):
            yield (where[0], where[-1]), series


LARGEST = 1e300  # number that is no mistake


# -- writing -----------------------------------------------------------------------------------------------------------


def save(run: Any, path: Any) -> None:
    """Write a result to one .npz file (see the head of this module); `load` reads it.

    The file is complete or not there: it is written under another name in the same folder and renamed at the end.  A path without
    ending gets ".npz".
    """
    target = with_ending(f"save({shown(path)})", path, ".npz")
    arrays: dict[str, np.ndarray] = {name: np.asarray(getattr(run, name)) for name in _RAW}
    if getattr(run, "z", np.zeros(0)).size:
        arrays["states"] = run.z
    index = []
    for where, series in quantities(run):
        # the load on the last body of a part goes by the name of the part alone
        own = len(where) == 3 and where[1] == run[where[0]].body.name
        key = _free_key((where[0], where[2]) if own else where, arrays)
        arrays[key] = np.asarray(series)
        entry: dict[str, Any] = {
            "path": list(where),
            "key": key,
            "name": series.name,
            "unit": series.unit,
            "axes": list(series.axes),
        }
        if series.rate is not None:
            entry["rate"] = _free_key(("", f"rate({where[-1]})"), arrays)
            arrays[entry["rate"]] = np.asarray(series.rate)
            entry["rate_unit"] = series.rate.unit
        index.append(entry)
    arrays["about"] = np.array(json.dumps({**_about(run), "arrays": index}, ensure_ascii=False))
    with (
        whole_file(target, f"save({shown(path)})") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        for key, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array, order="C"), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{key}.npy", _DATE), buffer.getvalue(), zipfile.ZIP_DEFLATED, 1)


def with_ending(asked: str, path: Any, ending: str) -> Path:
    """Path with an ending where it has none."""
    target = read_path(asked, path)
    return target if target.suffix or target.is_dir() else target.with_name(target.name + ending)


def _free_key(where: tuple[str, ...], taken: dict[str, Any]) -> str:
    """Name of an array in the file: readable, and not used yet."""
    name = f"{where[0]}.on({where[1]}).{where[2]}" if len(where) == 3 else ".".join(part for part in where if part)
    name = name.lstrip(".").replace("/", "_").replace("\\", "_")
    key, k = name, 2
    while key in taken or key in (*_RAW, "states", "about"):
        key, k = f"{name}#{k}", k + 1
    return key


def _about(run: Any) -> dict[str, Any]:
    model, problem = run.model, run.problem
    return {
        "format": FORMAT,
        "version": VERSION,
        "written by": f"dalembert {__version__}",
        "model": model.name,
        "units": list(model.units),
        "rows": list(run.system.row_names),
        **(run.about() if isinstance(run, LagrangianResult) else _about_mechanism(run)),
        "status": run.status,
        "complete": bool(run.complete),
        "audit": str(run.audit),
        "method": None if problem is None else problem.method.name,
        "rtol": None if problem is None else problem.rtol,
        "atol": None if problem is None else problem.atol,
        "impulse": None if run.impulse is None else run.impulse.about(),
        "events": [x.about() for x in getattr(run, "happened", ())],
    }


def _about_mechanism(run: Any) -> dict[str, Any]:
    drawing = run.system.builder.drawing
    return {
        "plane": run.model.plane,
        "bodies": list(run.system.body_names),
        "parts": {part.name: [body.name for body in run.bodies_of(part)] for kind in KINDS for part in run.parts(kind)},
        **{f"{kind}s": [part.name for part in run.parts(kind)] for kind in KINDS},
        "parameters": dict(drawing.values),
        "gravity": [float(x) for x in run.system.builder.gravity],
        "length": float(run.system.length),
    }


# -- reading -----------------------------------------------------------------------------------------------------------


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
        near = sorted(p.name for p in target.parent.glob("*.npz")) if target.parent.is_dir() else []
        raise MethodError(
            asked, "no such file", f"in its folder, {nearest(target.name, near)}", "check the path"
        ) from None
    except OSError as error:
        raise MethodError(asked, reason(error), "the file cannot be read", "check the path and its rights") from error
    except MethodError:
        raise
    except Exception as error:  # whatever a damaged archive makes the readers of zip, zlib, numpy and json raise
        raise MethodError(
            asked,
            f"it is not a file of results ({type(error).__name__}: {shown(str(error), 200)})",
            "only files written by run.save can be read",
            "save the run again",
        ) from None
    raise MethodError(
        asked,
        f"a file of version {version}",
        f"this package reads version {VERSION}",
        "install a newer dalembert, or save the run again",
    )


def _check_saved(arrays: dict[str, np.ndarray], about: dict[str, Any]) -> None:
    """Refuse arrays and names that do not belong together: nothing later on would say why it fails."""
    t = arrays["t"]
    if t.ndim != 1:
        raise ValueError(f"times of shape {t.shape}")
    for key, x in arrays.items():
        if x.dtype.kind not in "fiu" or x.ndim < 1 or len(x) != len(t):
            raise ValueError(f"the array {key!r} has type {x.dtype} and shape {x.shape} for {len(t)} times")
    for key in (*_RAW[1:], *({"states"} & arrays.keys())):
        if arrays[key].ndim != 2:
            raise ValueError(f"the array {key!r} has shape {arrays[key].shape}")
    kinds = {
        "model": str,
        "plane": bool,
        "parameters": dict,
        "audit": str,
        "status": str,
        "complete": bool,
        "parts": dict,
    }
    for key, kind in {**kinds, **dict.fromkeys(("bodies", "joints", "drivers", "forces", "arrays"), list)}.items():
        if not isinstance(about[key], kind):
            raise ValueError(f"{key} = {shown(about[key], 40)}")
    names = [name for key in ("bodies", "joints", "drivers", "forces") for name in about[key]]
    if not all(isinstance(name, str) for name in [*names, *(b for part in about["parts"].values() for b in part)]):
        raise ValueError("names that are no texts")
    lost = [name for key in ("joints", "drivers", "forces") for name in about[key] if name not in about["parts"]]
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
        self.t, self.q, self.v, self.a, self.lam, self.angles = (arrays[name] for name in _RAW)
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
        where, series = (
            entry["path"],
            Series(self._arrays[entry["key"]], entry["name"], entry["unit"], tuple(entry["axes"]), self.t),
        )
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
        for k, axis in enumerate(motion["position"].axes):
            rate = Series(motion["velocity"][:, k], f"rate({body}.{axis})", "m/s", (), self.t)
            self._measures[f"{body}.{axis}"] = Series(
                motion["position"][:, k], f"{body}.{axis}", "m", (), self.t, rate=rate
            )
        if "angle" in motion:
            rate = Series(motion["spin"], f"rate({body}.angle)", "rad/s", (), self.t)
            self._measures[f"{body}.angle"] = Series(motion["angle"], f"{body}.angle", "rad", (), self.t, rate=rate)

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


# -- other formats -----------------------------------------------------------------------------------------------------


def columns(run: Any, units: OutputUnits | None = None) -> Iterator[tuple[str, str, np.ndarray]]:
    """Name, unit and values of every column of a table over time: vectors spread out, loads on the second body, rotations left out."""
    for (part, what), series in single_quantities(run):
        if units is not None:
            series = converted(series, units)
        if series.ndim > 2:
            continue
        name = f"{part}.{what}".lstrip(".")
        values = np.asarray(series)
        if values.ndim == 1:
            yield name, series.unit, values
        else:
            for k in range(values.shape[1]):
                label = series.axes[k] if k < len(series.axes) else str(k)
                yield f"{name}[{label}]", series.unit, values[:, k]
        if series.rate is not None:
            yield f"rate({name})", series.rate.unit, np.asarray(series.rate)


def to_csv(run: Any, path: Any, units: Any = None) -> None:
    """Table over time as text: first line names with units, 17 digits, so that reading it gives the same numbers."""
    target = with_ending(f"to_csv({shown(path)})", path, ".csv")
    shown_in = units_of(f"to_csv({shown(path)})", run, units)
    found = list(_unique(columns(run, shown_in)))
    time, factor = shown_in.of("s")
    with whole_file(target, f"to_csv({shown(path)})", "w") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([f"t [{time}]", *(f"{name} [{unit}]" if unit else name for name, unit, _ in found)])
        for k, t in enumerate(run.t * factor):
            writer.writerow([repr(float(t)), *(repr(float(values[k])) for *_, values in found)])


def _unique(found: Iterator[tuple[str, str, np.ndarray]]) -> Iterator[tuple[str, str, np.ndarray]]:
    """Each name once."""
    seen = set()
    for name, unit, values in found:
        if name not in seen:
            seen.add(name)
            yield name, unit, values


def to_pandas(run: Any, units: Any = "SI") -> Any:
    """Table over time as a pandas DataFrame with the time as index; units are in `.attrs["units"]`."""
    pandas = optional("pandas", "to_pandas")
    shown_in = units_of("to_pandas", run, units)
    found = list(_unique(columns(run, shown_in)))
    index = pandas.Index(run.t * shown_in.factor("s"), name="t")
    frame = pandas.DataFrame({name: values for name, _, values in found}, index=index)
    frame.attrs["units"] = {name: unit for name, unit, _ in found}
    return frame


def to_xarray(run: Any) -> Any:
    """All arrays as an xarray Dataset over `t`; vectors have a dimension of labels, units are attributes."""
    xarray = optional("xarray", "to_xarray")
    data: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"t": ("t", run.t, {"units": "s"})}
    for (part, what), series in single_quantities(run):
        name = f"{part}.{what}".lstrip(".")
        if name in data:
            continue
        dims = ["t"]
        for k, size in enumerate(series.shape[1:]):
            labels = series.axes if k == series.ndim - 2 and len(series.axes) == size else tuple(range(size))
            dim = "axis" if labels in (("x", "y"), ("x", "y", "z")) else f"{name}_{k}"
            dims.append(dim)
            coordinates.setdefault(dim, (dim, list(labels)))
        data[name] = (dims, np.asarray(series), {"units": series.unit})
        if series.rate is not None:
            data[f"rate({name})"] = (["t"], np.asarray(series.rate), {"units": series.rate.unit})
    return xarray.Dataset(data, coords=coordinates, attrs={"model": run.model.name, "audit": str(run.audit)})


def optional(package: str, what: str, extra: str | None = None) -> Any:
    """Import a package that is needed for one thing only."""
    try:
        return import_module(package)
    except ImportError:
        name = package.partition(".")[0]
        install = f"dalembert[{extra}]" if extra else name
        raise MissingPackageError(
            what, f"{name} is not installed", f"{what} needs it", f"pip install {install}"
        ) from None


class MissingPackageError(MethodError, ImportError):
    """An optional package is not installed."""

    def __str__(self) -> str:
        return f"{self.asked} needs {self.found.split()[0]}, which is not installed: {self.do}"
