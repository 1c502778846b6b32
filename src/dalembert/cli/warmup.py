"""dalembert warmup: compile the kernels now."""

from __future__ import annotations

import click

from ..compilation import FAMILIES, ensure_compiled, is_cached, target
from .shared.machine import answer


@click.command(epilog="Example:  dalembert warmup")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """Compile the kernels now, instead of at the first run (some ten seconds, once for each version)."""
    processor = target()
    if not as_json:
        click.echo(f"processor: {processor}")
    seconds: dict[str, float] = {}
    for family in FAMILIES:
        before = is_cached(family)
        seconds[family] = ensure_compiled(family, quiet=as_json)
        if not as_json:
            click.echo(f"{family}: {'compiled already' if before else f'compiled in {seconds[family]:.0f} s'}")
    if as_json:
        answer(True, "", processor=processor, seconds=seconds)
