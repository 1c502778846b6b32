"""Registries of joints and force elements: a class with a tag becomes the method `m.<tag>(...)` of every mechanism."""

from __future__ import annotations

from typing import Any

from ..errors import ModelError

JOINTS: dict[str, type] = {}
FORCES: dict[str, type] = {}


def register(registry: dict[str, type], tag: str, cls: type) -> None:
    """Enter a class under its tag.  The same class defined again (in a notebook) replaces itself; another one is refused."""
    asked = f"class {cls.__qualname__} with tag={tag!r}"
    if not isinstance(tag, str) or not tag.isidentifier() or tag.startswith("_"):
        raise ModelError(asked, f"tag = {tag!r}", "the tag is the name of a method", "choose a name such as 'hook'")
    for known in (JOINTS, FORCES):
        old = known.get(tag)
        if old is not None and (old.__module__, old.__qualname__) != (cls.__module__, cls.__qualname__):
            raise ModelError(
                asked, f"the tag belongs to {old.__module__}.{old.__qualname__}",
                "every joint and force element has a tag of its own", f"choose another tag, for example {tag + '2'!r}",
            )  # fmt: skip
    registry[tag] = cls


def registered(tag: str) -> Any:
    """Class behind a tag; None if there is none."""
    return JOINTS.get(tag) or FORCES.get(tag)
