"""dalembert run: what a model file asks for."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import DalembertError
from .shared.folder import check_place, free_name
from .shared.job import Job, about_a_model


@click.command(epilog="Example:  dalembert run slider-crank.toml --set r='150 mm' --page")
@about_a_model
@click.option("--no-files", is_flag=True, help="Print only, write nothing.")
def command(job: Job, no_files: bool) -> None:
    """Do the analyses that FILE asks for; without any: check, assemble, simulate one second.

    Results go to a new folder named after the file, or to --out.  Ctrl-C ends the work and keeps what was computed.
    """
    from ..model.lagrangian import Lagrangian
    from .shared.doctor import examine
    from .shared.perform import perform

    model, asked = job.model, job.file.analyses
    if not asked:
        asked = {"simulate": {}} if isinstance(model, Lagrangian) else {"assemble": {}, "simulate": {}}
    given = job.out is not None
    if not given and not no_files:
        job.out = free_name(Path(f"{job.path.stem}-results"))
        check_place(job.out)
    outcomes = []
    try:
        if not job.file.analyses:
            outcomes.append(examine(model, job.file.unused))
        for verb, options in asked.items():
            outcomes.append(perform(verb, model, options))
            if outcomes[-1].code == 130:
                break
    except (DalembertError, KeyboardInterrupt) as error:
        if not outcomes:
            raise
        if not given and not any(one.verb != "check" for one in outcomes):
            job.out = None  # nobody asked for a folder, and the report is on the screen
        job.finish(outcomes, error)
    job.finish(outcomes)
