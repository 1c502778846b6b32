"""Writes `docs/memory.md`: what a compiled mechanism has in memory, from the table of `kernels/layout.py`."""

from __future__ import annotations

from pathlib import Path

from dalembert.kernels import layout as at

INTRODUCTION = """# Memory of a compiled mechanism

Made of `kernels/layout.py` by `python docs/memory.py`; a test compares.

Kernels work on three flat arrays: `I` (integers: a header, then tables) and `P` (numbers of the model) are constant after `compile`; `F` is
scratch, one for each thread. Outside `system/` and the kernels everything is asked for by name: parts of `F` are views of a workspace
(`work.lam`), rows and masses come from `system/rows.py`, the rest are attributes of the `System`.
"""


def page() -> str:
    """The text."""
    names = [name for name, x in vars(at).items() if name.isupper() and isinstance(x, int)][: at.HEADER]
    lines = [INTRODUCTION, "## Parts of F", "", "| view | header | size | holds |", "|---|---|---|---|"]
    for part in at.PARTS:
        size = " × ".join(map(str, part.size))
        lines.append(f"| `{part.name}` | `{names[part.entry]}` | {size} | {at.ENTRIES[part.entry]} |")
    lines += ["", "## Counts", "", "| count | header | what is counted |", "|---|---|---|"]
    inside = {count: f"`{names[entry]}`" for count, entry in at.COUNTED.items()}
    lines += [f"| {count} | {inside.get(count, '')} | {text} |" for count, text in at.COUNTS.items()]
    lines += ["", "## Tables of I and numbers of P", "", "| header | holds |", "|---|---|"]
    lines += [f"| `{names[entry]}` | {at.ENTRIES[entry]} |" for entry in range(at.ITEM0, at.BODY)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page(), encoding="utf-8")
