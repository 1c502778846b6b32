"""Finds and starts commands; tells errors without a traceback."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import Any, NoReturn

import click

from ..options.verbs import VERBS
from .table import COMMANDS, MODULES, QUESTIONS

_WIDTH = 100


class Commands(click.Group):
    """Group whose commands are imported when they are called; its help is printed from the table."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all commands."""
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Command of a name; None where there is none."""
        if cmd_name not in MODULES:
            return None
        if cmd_name in QUESTIONS:
            from .shared.flags import question

            return question(QUESTIONS[cmd_name])
        module, _, name = MODULES[cmd_name].partition(":")
        command = getattr(import_module(f".{module}", __package__), name or "command")
        assert isinstance(command, click.Command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Name, command and the rest of the arguments; a name that is not known is told with the nearest one."""
        if args and not args[0].startswith("-") and args[0] not in MODULES:
            from ..errors import nearest

            # verbs of Python are known here by the names of their commands
            verb = VERBS.get(args[0].replace("-", "_"))
            told = f"its command is {verb.command!r}" if verb and verb.command else nearest(args[0], MODULES, 30)
            raise click.UsageError(f"no command {args[0]!r}; {told}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands by group, from the table."""
        for title, group in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl([(name, help) for name, (_, help) in group.items()], col_max=14)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Names that begin like this, again from the table."""
        from click.shell_completion import CompletionItem

        listed = {name: help for group in COMMANDS.values() for name, (_, help) in group.items()}
        found = [CompletionItem(name, help=help) for name, help in listed.items() if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]


def _version(ctx: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from .. import __version__

        click.echo(f"dalembert {__version__}")
        ctx.exit()


@click.command(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": _WIDTH},
    epilog="Begin with `dalembert new slider-crank`, then `dalembert run slider-crank.toml`.",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Print the version."
)
@click.pass_context
def dalembert(ctx: click.Context) -> None:
    """Mechanisms from a file to a moving, checked, explained machine.

    `dalembert COMMAND --help` explains a command and gives an example.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and leave with its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # a terminal that cannot show a letter is no reason to stop
            stream.reconfigure(errors="replace")
    with warnings.catch_warnings():
        warnings.showwarning = _warn
        code = _run(given)
    sys.exit(code if isinstance(code, int) else 0)


def _run(given: list[str]) -> Any:
    try:
        code = dalembert.main(given, prog_name="dalembert", standalone_mode=False)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):
        # the reader, `head` for example, has seen enough; click makes a SystemExit of that, with the code of a doubtful answer
        _give_up_output()
        return 0
    except (Exception, KeyboardInterrupt) as error:
        from .shared.failures import tell

        code = tell(error, "--json" in given, next((word for word in given if word in MODULES), None))
    try:
        sys.stdout.flush()
    except OSError:
        # the text could not be written, to a full disk for example; that was told already
        _give_up_output()
    return code


def _give_up_output() -> None:
    """Send what is left of the output nowhere, so that Python does not try to write it again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _warn(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Warnings without the line of source that gave them; a failed audit is in the report already."""
    if category.__name__ != "AuditWarning":
        print(f"warning: {message}", file=sys.stderr)
