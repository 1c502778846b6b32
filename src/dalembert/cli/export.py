"""dalembert export: the equations of motion as source code."""

from __future__ import annotations

from pathlib import Path

import click

from .shared.folder import new_file
from .shared.job import Job, parameters_of


@click.command(epilog="Example:  dalembert export slider-crank.toml slider_crank.c")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("code", required=False, type=click.Path(path_type=Path))
@click.option(
    "--set", "given", metavar="NAME=VALUE", multiple=True, shell_complete=parameters_of, help="Another value for a parameter of the file."
)  # fmt: skip
@click.option("--language", type=click.Choice(["c", "numpy"]), help="Default: c where CODE ends in .c, else numpy.")
@click.option("--form", metavar="NAME", help="Of a mechanism: absolute (default) or minimal, in joint coordinates.")
@click.option("--what", metavar="NAMES", help="Which of M, f, phi, J, nu, gamma, separated by commas. Default: all.")
@click.option("--overwrite", is_flag=True, help="Replace CODE if it is there already.")
def command(
    file: Path, code: Path | None, given: tuple[str, ...], language: str | None, form: str | None, what: str | None, overwrite: bool
) -> None:  # fmt: skip
    """Write M, f, phi, J, nu and gamma of the model in FILE as C or Python into CODE; without CODE, print them.

    M a + J^T lam = f, J v = nu, J a = gamma, phi = 0 as functions of t, q, v and the parameters p.
    """
    from ..symbolic.export.export import export

    model = Job(file, given, None, False, False, False).model
    usual = "c" if code is not None and code.suffix == ".c" else "numpy"
    names = None if what is None else [name.strip() for name in what.split(",")]
    text = export(model, language=language or usual, what=names, form=form)
    if code is None:
        click.echo(text)
        return
    new_file(code, text, overwrite)
    click.echo(f"written: {code}")
