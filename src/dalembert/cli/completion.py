"""dalembert completion: the script that teaches a shell our commands and options."""

from __future__ import annotations

import click

_WHERE = {
    "bash": 'add to ~/.bashrc:   eval "$(dalembert completion bash)"',
    "zsh": 'add to ~/.zshrc:    eval "$(dalembert completion zsh)"',
    "fish": "once:               dalembert completion fish > ~/.config/fish/completions/dalembert.fish",
}


@click.command(epilog='Example:  eval "$(dalembert completion bash)"')
@click.argument("shell", required=False, type=click.Choice(list(_WHERE)))
def command(shell: str | None) -> None:
    """Print the completion script of SHELL (bash, zsh or fish); without it, say where it goes."""
    if shell is None:
        click.echo("Completion of commands, options and files in your shell:")
        for name, where in _WHERE.items():
            click.echo(f"  {name:5} {where}")
        return
    from click.shell_completion import get_completion_class

    from .main import dalembert

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(dalembert, {}, "dalembert", "_DALEMBERT_COMPLETE").source())
