"""dalembert schema: JSON Schema of model files."""

from __future__ import annotations

from pathlib import Path

import click

from .shared.folder import new_file
from .shared.machine import dump


@click.command(epilog="Example:  dalembert schema model.schema.json")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--overwrite", is_flag=True, help="Replace the file if it is there already.")
def command(file: Path | None, overwrite: bool) -> None:
    """Write a JSON Schema of model files, for completion and checks in editors; without FILE, print it.

    In a TOML file the line `#:schema model.schema.json` tells an editor where it is, in a JSON file the key "$schema".
    """
    from ..io import schema

    text = dump(schema())
    if file is None:
        click.echo(text)
        return
    new_file(file, f"{text}\n", overwrite)
    click.echo(f"written: {file}")
