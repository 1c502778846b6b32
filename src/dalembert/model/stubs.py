"""Writes methods.pyi: the methods that a mechanism gets from the registries, with arguments and documentation, for editors.

    python -m dalembert.model.stubs

A new joint or force element is one file; after it, run this.
"""

from __future__ import annotations

import inspect
import textwrap
from pathlib import Path

from .forces import FORCES
from .joints import JOINTS

PATH = Path(__file__).with_name("methods.pyi")
HEADER = '''"""Methods that a mechanism gets from its joints and force elements; written by `python -m dalembert.model.stubs`."""

from typing import Any

'''


def text() -> str:
    """Contents of methods.pyi for the joints and force elements of the package."""
    parts = {
        tag: cls
        for tag, cls in sorted({**JOINTS, **FORCES}.items())
        if cls.__module__.startswith(f"{__package__}.")
    }  # fmt: skip
    imports = [
        f"from {cls.__module__.removeprefix(__package__)} import {cls.__name__} as {cls.__name__}"
        for cls in parts.values()
    ]
    methods = [_method(tag, cls) for tag, cls in parts.items()]
    return HEADER + "\n".join(sorted(imports)) + "\n\nclass Methods:\n" + "\n".join(methods)


def _method(tag: str, cls: type) -> str:
    arguments = ["self"]
    for p in list(inspect.signature(cls).parameters.values())[1:]:
        kind = "str" if p.name == "name" else "Any"
        arguments.append(f"{p.name}: {kind}" + ("" if p.default is p.empty else f" = {p.default!r}"))
    doc = inspect.cleandoc(cls.__doc__ or "")
    body = textwrap.indent(f'"""{doc}\n"""' if "\n" in doc else f'"""{doc}"""', " " * 8)
    return f"    def {tag}({', '.join(arguments)}) -> {cls.__name__}:\n{body}\n        ...\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
