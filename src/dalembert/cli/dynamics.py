"""dalembert dynamics: motion in time."""

from __future__ import annotations

import click

from .shared.job import Job, about_a_model
from .shared.quantities import LENGTH_OF_TIME


@click.command(epilog="Example:  dalembert dynamics slider-crank.toml --until '2 s' --output '10 ms'")
@about_a_model
@click.option("--until", type=LENGTH_OF_TIME, help="End [s]; default: that of the file, else 1 s.")
@click.option("--output", type=LENGTH_OF_TIME, help="Step of the outputs [s].")
@click.option("--rtol", type=float, help="Relative tolerance.")
def command(job: Job, until: float | None, output: float | None, rtol: float | None) -> None:
    """Motion of the model in FILE, with reactions, energies and an audit.

    Options that are not given here are those of [simulate] in the file.
    """
    job.answer("simulate", until=until, output=output, rtol=rtol)
