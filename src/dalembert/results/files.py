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

import io
import json
import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..errors import MethodError, shown
from ..model.output_units import OutputUnits
from ..paths import read_path, whole_file
from .in_units import converted, units_of
from .saved import FORMAT, RAW, VERSION, SavedResult
from .series import Series
from .table import chosen, write_table

if TYPE_CHECKING:
    from .record import Record


# one fixed date, so that the same run gives the same file
_DATE = (1980, 1, 1, 0, 0, 0)


# -- what there is to store --------------------------------------------------------------------------------------------


def quantities(run: Record | SavedResult) -> Iterator[tuple[tuple[str, ...], Series]]:
    """Every labelled array of a run with its path: (part, quantity), (part, body, quantity), ("", measure), (ENERGY, kind)."""
    return run.quantities()  # type: ignore[union-attr]


def single_quantities(run: Record | SavedResult) -> Iterator[tuple[tuple[str, str], Series]]:
    """The same with the loads of a part on one body only, the one of `run["A"].force`: (part, quantity) for all of them."""
    for where, series in quantities(run):
        if len(where) < 3 or where[1] == getattr(run[where[0]].body, "name", run[where[0]].body):
            yield (where[0], where[-1]), series


# -- writing -----------------------------------------------------------------------------------------------------------


def save(run: Record, path: Any) -> None:
    """Write a result to one .npz file (see the head of this module); `load` reads it.

    The file is complete or not there: it is written under another name in the same folder and renamed at the end.  A path without
    ending gets ".npz".
    """
    target = with_ending(f"save({shown(path)})", path, ".npz")
    arrays: dict[str, np.ndarray] = {name: np.asarray(getattr(run, name)) for name in RAW}
    if getattr(run, "z", np.zeros(0)).size:
        arrays["states"] = run.z
    index = []
    for where, series in quantities(run):
        # the load on the last body of a part goes by the name of the part alone
        own = len(where) == 3 and where[1] == run[where[0]].body.name
        key = _free_key((where[0], where[2]) if own else where, arrays)
        arrays[key] = np.asarray(series)
        entry: dict[str, Any] = {"path": list(where), "key": key, "name": series.name, "unit": series.unit}
        entry["axes"] = list(series.axes)
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
    while key in taken or key in (*RAW, "states", "about"):
        key, k = f"{name}#{k}", k + 1
    return key


def _about(run: Record) -> dict[str, Any]:
    model, problem = run.model, run.problem
    return {
        "format": FORMAT,
        "version": VERSION,
        "written by": f"dalembert {__version__}",
        "model": model.name,
        "units": list(model.units),
        "rows": list(run.system.row_names),
        **run.about(),  # type: ignore[attr-defined]
        "status": run.status,
        "complete": bool(run.complete),
        "audit": str(run.audit),
        "method": None if problem is None else problem.method.name,
        "rtol": None if problem is None else problem.rtol,
        "atol": None if problem is None else problem.atol,
        "impulse": None if run.impulse is None else run.impulse.about(),
        "events": [x.about() for x in run.events],
    }


# -- other formats -----------------------------------------------------------------------------------------------------


def columns(run: Record, units: OutputUnits | None = None) -> Iterator[tuple[str, str, np.ndarray]]:
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


def to_csv(run: Record, path: Any, units: Any = None, names: Any = None, decimal: Any = ".", bom: Any = False) -> None:
    """Table over time as text: first line names with units, 17 digits, so that reading it gives the same numbers."""
    asked = f"to_csv({shown(path)})"
    target = with_ending(asked, path, ".csv")
    shown_in = units_of(asked, run, units)
    every = list(_unique(columns(run, shown_in)))
    found = [every[k] for k in chosen(asked, [name for name, *_ in every], names)]
    time, factor = shown_in.of("s")
    head = [f"t [{time}]", *(f"{name} [{unit}]" if unit else name for name, unit, _ in found)]
    rows = np.column_stack([run.t * factor, *(values for *_, values in found)]).astype(float).tolist()
    write_table(target, asked, head, rows, decimal, bom)


def _unique(found: Iterator[tuple[str, str, np.ndarray]]) -> Iterator[tuple[str, str, np.ndarray]]:
    seen = set()
    for name, unit, values in found:
        if name not in seen:
            seen.add(name)
            yield name, unit, values


def to_pandas(run: Record, units: Any = "SI") -> Any:
    """Table over time as a pandas DataFrame with the time as index; units are in `.attrs["units"]`."""
    pandas = optional("pandas", "to_pandas")
    shown_in = units_of("to_pandas", run, units)
    found = list(_unique(columns(run, shown_in)))
    index = pandas.Index(run.t * shown_in.factor("s"), name="t")
    frame = pandas.DataFrame({name: values for name, _, values in found}, index=index)
    frame.attrs["units"] = {name: unit for name, unit, _ in found}
    return frame


def to_xarray(run: Record) -> Any:
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
