"""Machines that come with the package: model files whose first line describes them."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from ...errors import nearest
from ...io.files import SUFFIXES
from .failures import WrongUse
from .folder import new_file


def _folder() -> Traversable:
    return files("dalembert") / "machines"


def machines() -> dict[str, str]:
    """One-line descriptions by name."""
    found = {}
    for file in sorted(_folder().iterdir(), key=lambda item: item.name):
        if file.name.endswith(".toml"):
            first = file.read_text(encoding="utf-8").partition("\n")[0]
            found[file.name.removesuffix(".toml")] = first.lstrip("# ").strip()
    return found


def described() -> str:
    """Menu: names and descriptions."""
    found = machines()
    width = max((len(name) for name in found), default=0)
    return "\n".join(f"  {name:{width}}  {text}" for name, text in found.items())


def text_of(machine: str) -> str:
    """File of a machine."""
    known = machines()
    name = machine.removesuffix(".toml")
    if name not in known:
        why = f"there is no such file in the package; {nearest(machine, known, 40)}"
        raise WrongUse(f"machine {machine!r}", "an unknown name", why, "dalembert new prints the menu")
    return (_folder() / f"{name}.toml").read_text(encoding="utf-8")


def copy(text: str, target: Path) -> Path:
    """Write a new file, whole or not at all, as TOML or, without its comments, as JSON; an existing one is refused."""
    target = target if target.suffix else target.with_suffix(".toml")
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise WrongUse(
            f"file {str(target)!r}",
            f"a file that ends in {target.suffix!r}",
            "model files are TOML or JSON, known by their ending",
            f"name it like {target.with_suffix('.toml').name!r}",
        )
    new_file(
        target, json.dumps(tomllib.loads(text), indent=2, ensure_ascii=False) + "\n" if suffix == ".json" else text
    )
    return target
