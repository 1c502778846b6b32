"""dalembert new: a starter file."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from .shared.machine import dump


def _names(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    from .shared.machines import machines

    return [name for name in machines() if name.startswith(incomplete)]


@click.command(epilog="Example:  dalembert new slider-crank engine.toml")
@click.argument("machine", required=False, shell_complete=_names)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def command(machine: str | None, file: Path | None, as_json: bool) -> None:
    """Write a starter file of MACHINE; without it, print the menu.

    FILE is the name of the new file (default: that of the machine).  A file that is there already is left alone.
    """
    from .shared.machines import copy, described, machines, text_of

    if machine is None:
        if as_json:
            click.echo(dump({"status": "ok", "exit": 0, "machines": machines()}))
            return
        click.echo("Machines to begin with:\n")
        click.echo(described())
        click.echo("\nWrite one:  dalembert new slider-crank")
        return
    text = text_of(machine)
    written = copy(text, file or Path(machine).with_suffix(".toml"))
    if as_json:
        click.echo(dump({"status": "ok", "exit": 0, "file": str(written)}))
        return
    click.echo(f"written: {written}\nnext:    dalembert run {shlex.quote(str(written))}")
