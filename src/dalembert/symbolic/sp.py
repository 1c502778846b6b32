"""SymPy, imported when something of it is used first: that takes half a second, and most of the package does without it.

`sp.Symbol` is `sympy.Symbol`.  Where SymPy is missing it is an ImportError; `need_sympy` says so beforehand, with a way out.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    import sympy

    found = globals()[name] = getattr(sympy, name)
    return found
