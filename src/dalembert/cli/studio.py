"""dalembert studio: the live page of a model file."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(epilog="Example:  dalembert studio slider-crank.toml")
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Open a local page for FILE: change numbers and watch the machine move."""
    from ..studio.studio import studio

    studio(file)
