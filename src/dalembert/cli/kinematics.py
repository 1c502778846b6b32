"""dalembert kinematics: motion that the drivers prescribe."""

from __future__ import annotations

import click

from .shared.job import Job, about_a_model
from .shared.quantities import LENGTH_OF_TIME


@click.command(epilog="Example:  dalembert kinematics slider-crank.toml --until '1 s'")
@about_a_model
@click.option("--until", type=LENGTH_OF_TIME, help="End [s]; default: that of the file, else 1 s.")
@click.option("--output", type=LENGTH_OF_TIME, help="Step of the outputs [s].")
def command(job: Job, until: float | None, output: float | None) -> None:
    """Motion of a fully driven machine, without integrating; lock-up and branching are located.

    Every degree of freedom needs a driver.
    """
    job.answer("kinematics", **job.times("kinematics", until, output))
