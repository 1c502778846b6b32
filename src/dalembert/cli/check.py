"""dalembert check: the doctor."""

from __future__ import annotations

import click

from .shared.job import Job, about_a_model


@click.command(epilog="Example:  dalembert check slider-crank.toml")
@about_a_model
def command(job: Job) -> None:
    """Examine the model in FILE: mobility, redundancy, units, inertia, consistency.

    Exit code 0: nothing is wrong.  1: something is; the report says what, and what would cure it.
    """
    from .shared.doctor import examine

    job.finish([examine(job.model, job.file.unused)])
