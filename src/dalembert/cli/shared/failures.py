"""Errors as people and programs read them: no traceback, one of the documented exit codes."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any

import click

from ... import __version__
from ...errors import DalembertError, MethodError, ModelFileError, shown
from ...io.problems import in_file_syntax
from . import exits
from .machine import dump

DEBUG = "DALEMBERT_TRACEBACK"  # environment variable that shows where an error came from, for us


class WrongUse(MethodError):  # noqa: N818  (told like the other errors)
    """A name or value on the command line that does not fit."""


def tell(error: BaseException, as_json: bool, command: str | None = None) -> int:
    """Tell an error of a command on the error stream, and as JSON on the other where that was asked for; return the exit code."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    code, _, text, _ = _read(error)
    try:
        print(text, file=sys.stderr)
        if as_json:
            told = {"status": "error", "exit": code, "answers": {}, "error": data_of(error)}
            print(dump({"version": __version__, "command": command, **told}), flush=True)
    except OSError:
        pass  # nobody is listening any more
    return code


def text_of(error: BaseException) -> str:
    """What people read."""
    return _read(error)[2]


def data_of(error: BaseException) -> dict[str, Any]:
    """What programs read."""
    _, kind, text, parts = _read(error)
    return {"kind": kind, "text": text, **parts}


def _read(error: BaseException) -> tuple[int, str, str, dict[str, Any]]:
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code, "exit", "", {}
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return exits.INTERRUPTED, "interrupted", "interrupted: nothing was computed that could be kept", {}
    if isinstance(error, click.ClickException):
        return exits.USAGE, "usage", _usage(error), {}
    if isinstance(error, ModelFileError):
        return exits.MODEL, "model file", "\n".join(error.lines) or str(error), {"lines": list(error.lines)}
    if isinstance(error, DalembertError):
        parts = {key: text if key == "asked" else in_file_syntax(text) for key, text in error.parts.items()}
        own = type(error).__str__ is not DalembertError.__str__
        text = f"error: {error if own else DalembertError(**parts)}"
        return exits.code_of(error), type(error).__name__, text, parts
    if isinstance(error, OSError):
        return exits.FILES, "files", f"error: {error.strerror or error}: {error.filename or ''}".rstrip(": "), {}
    if isinstance(error, MemoryError):
        return exits.FAILED, "memory", "error: the memory of this machine does not suffice", {}
    text = f"error: {type(error).__name__}: {shown(str(error), 400)[1:-1]}\n  why:   this is a mistake of dalembert, not of yours"
    return exits.BUG, "bug", f"{text}\n  do:    report it with the model file and what {DEBUG}=1 prints", {}


def _usage(error: click.ClickException) -> str:
    text = f"error: {error.format_message()}"
    if "extra argument" in text and "=" in text:
        text += "\n  do:    write --set before each NAME=VALUE, and quotes around a value with blanks"
    context = getattr(error, "ctx", None)
    return text if context is None else f"{text}\n  help:  {context.command_path} --help"
