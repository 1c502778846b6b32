"""dalembert sweep: the same question for many values of parameters."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from ..errors import MethodError
from ..model.output_units import read_units
from ..options.tables import MOTIONS, TABLES
from ..sweeps.checkpoint import Checkpoint
from .shared import exits
from .shared.flags import flag
from .shared.job import pairs, parameters_of
from .shared.machine import dump

if TYPE_CHECKING:
    from ..sweeps.result import Sweep

CASES, TABLE = "cases.jsonl", "sweep.csv"


@click.command(
    epilog="""\b
Examples:
  dalembert sweep slider-crank.toml --over r=0.1:0.3:21 --keep "max |A.force|"
  dalembert sweep slider-crank.toml --over "r=100 mm:300 mm:5" --over "n=500 rpm, 1500 rpm" --out study
  dalembert sweep slider-crank.toml --over "r=100 mm:300 mm:5" --over "n=500 rpm, 1500 rpm" --out study --resume"""
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--over", multiple=True, required=True, shell_complete=parameters_of, metavar="NAME=VALUES", help="Parameter and its values: first:last:how many, or values with commas; units allowed.  Several: all combinations.")  # fmt: skip
@click.option(
    "--set", "overrides", multiple=True, shell_complete=parameters_of, metavar="NAME=VALUE",
    help="Another parameter, the same in all cases.",
)  # fmt: skip
@click.option("--ask", metavar="QUESTION", help="dynamics, kinematics, inverse, equilibrium, modes, linearize or reactions; default: what the file asks for, else dynamics.")  # fmt: skip
@click.option("--keep", multiple=True, metavar="QUANTITY", help='What to keep: "max |A.force|", "final piston.position.x"; default: a summary.')  # fmt: skip
@flag("until", TABLES["kinematics"]["until"])
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help=f"New folder for {TABLE} and {CASES}.")
@click.option("--resume", is_flag=True, help="Go on with the sweep in the folder: finished cases are not run again.")
@click.option("--processes", type=click.IntRange(1), metavar="N", help="Processes; default: one, or all cores where it takes long.")  # fmt: skip
@click.option("--units", metavar="UNITS", help="Units of the table and of CSV: 'mm, kN, deg, rpm', or SI. Default: those of the file.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON, for programs.")
def command(
    file: Path, over: tuple[str, ...], overrides: tuple[str, ...], ask: str | None, keep: tuple[str, ...], until: float | None,
    out: Path | None, resume: bool, processes: int | None, units: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Answer the same question for many values of parameters.

    Each case is assembled anew.  A case that fails is recorded with its reason, and the others go on.  Ctrl-C and kills lose nothing that
    was finished: --out FOLDER --resume goes on from there.
    """
    from ..sweeps.sweep import sweep
    from .shared.failures import WrongUse

    try:
        chosen = None if units is None else read_units("--units", units)  # before the work
    except MethodError as error:
        raise WrongUse(*error.args) from None
    values, fixed = pairs("--over", over, "r=0.1:0.3:21"), pairs("--set", overrides, "r=0.25")
    end = _end(file, ask, until)
    options: dict[str, Any] = {} if end is None else {"until": end}
    if resume and out is None:
        raise click.UsageError("--resume goes on in a folder; give --out FOLDER")
    kept = list(keep) or None
    if out is not None:
        _check(out, resume)
    with contextlib.ExitStack() as stack:

        def claimed() -> Checkpoint:
            """File of finished cases; no other sweep writes into the folder until the table is there as well."""
            assert out is not None
            file = stack.enter_context(contextlib.closing(Checkpoint(out / CASES)))
            _check(out, resume)  # once more: another sweep may have ended in between
            return file

        found = sweep(
            file, values, ask=ask, keep=kept, fixed=fixed or None, processes=processes,
            checkpoint=None if out is None else claimed, **options,
        )  # fmt: skip
        if chosen is not None:
            found = dataclasses.replace(found, shown_in=chosen.texts)
        if out is not None:
            found.to_csv(out / TABLE)
    code = exits.DOUBTFUL if any(case.status != "ok" for case in found.cases) else exits.OK
    code = code if found.complete else exits.INTERRUPTED
    click.echo(_answer(found, file, code) if as_json else _text(found, out))
    return code


def _end(file: Path, ask: str | None, until: float | None) -> float | None:
    """End of a motion that the command line has to give: its own, or 1 s where the file has none."""
    from ..io import read_file
    from ..sweeps.sweep import question

    known = read_file(file).analyses
    verb = question(ask, known)
    has = any({"until", "times"} & set(known.get(name, {})) for name in {verb, "simulate"})
    return until if until is not None or verb not in MOTIONS or has else 1.0


def _check(out: Path, resume: bool) -> None:
    """Refuse a folder that holds other things, before anything is computed."""
    if out.exists() and not out.is_dir():
        why = "results go into a folder of their own"
        raise MethodError(f"--out {out}", "a file", why, "give another name") from FileExistsError(str(out))
    held = sorted(path.name for path in out.iterdir()) if out.exists() else []
    if not held or (held == [CASES] and (out / CASES).read_bytes().count(b"\n") <= 1):
        return  # nothing yet, or a sweep that ended before its first case
    if CASES not in held:
        why, do = "it may hold other things; nothing is written into it", "give another name"
        raise MethodError(f"--out {out}", "a folder that is no sweep", why, do) from FileExistsError(str(out))
    if not resume:
        why, do = "results are not overwritten", "give --resume to go on with it, or another name"
        raise MethodError(f"--out {out}", "a folder with a sweep", why, do) from FileExistsError(str(out))


def _text(found: Sweep, out: Path | None) -> str:
    kept = f": the cases that were finished are in {out}; --resume goes on" if out else ""
    written = "" if out is None else f"\nwritten: {out / TABLE}"
    return f"{found}{written}" + ("" if found.complete else f"\ninterrupted{kept}")


def _answer(found: Sweep, file: Path, code: int) -> str:
    def case(one: Any) -> dict[str, Any]:
        reason = None if one.failure is None else vars(one.failure)
        return {"values": one.values, "kept": one.kept, "status": one.status, "failure": reason, "seconds": one.seconds}

    status = exits.STATUS[code]
    return dump({
        "version": __version__, "command": "sweep", "file": str(file), "model": found.name, "status": status, "exit": code,
        "ask": found.ask, "units": found.units, "axes": found.axes, "total": found.total, "resumed": found.resumed,
        "failed": len(found.failures), "cases": [case(one) for one in found.cases],
    })  # fmt: skip
