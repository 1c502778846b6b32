"""dalembert studio: the live page of a model file."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(epilog="Example:  dalembert studio slider-crank.toml")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on (default: any free one).")
@click.option("--no-open", is_flag=True, help="Print the address instead of opening the browser.")
def command(file: Path, port: int, no_open: bool) -> None:
    """Open a local page for FILE: change numbers and watch the machine move.

    The page is served to this machine only, under an address with a random token.  Ctrl-C ends it.
    """
    from ..studio.studio import studio

    studio(file, port=port, open=not no_open)
