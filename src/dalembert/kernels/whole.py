"""Compile an entry and all that it calls in one go.

numba optimises every function together with all that it calls, and makes machine code of that, before its callers do the same once more: a
function ten calls deep is optimised and generated ten times.  Entries are all that Python calls, so here the functions that they call are
only handed on, and optimisation and machine code are made once, of the whole: half the time, and the code is a little faster.

Functions that are not entries have no machine code of their own afterwards and cannot be called from Python: this belongs into processes
that compile, write to disk and end (`python -m dalembert.warmup`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

# names of the functions that Python calls
entries: set[str] = set()


@contextlib.contextmanager
def as_a_whole() -> Iterator[None]:
    """Make machine code of entries only, while this lasts; another numba, with other insides, goes its own way."""
    from numba.core.codegen import JITCodeLibrary
    from numba.core.cpu import CPUContext

    changed = [
        (JITCodeLibrary, "_optimize_final_module"), (JITCodeLibrary, "_finalize_final_module"), (CPUContext, "get_executable"),
        (CPUContext, "create_cpython_wrapper"), (JITCodeLibrary, "_optimize_functions"),
    ]  # fmt: skip
    inside = (*changed, (JITCodeLibrary, "_finalize_dynamic_globals"), (JITCodeLibrary, "_verify_declare_only_symbols"))
    if not all(hasattr(place, name) for place, name in inside):
        yield
        return
    optimize, finalize, executable, wrap, optimize_each = (getattr(place, name) for place, name in changed)

    def optimize_entry(library: Any) -> None:
        if library.name in entries:
            optimize(library)

    def finalize_entry(library: Any) -> None:
        if library.name in entries:
            finalize(library)
        else:
            library._finalize_dynamic_globals()
            library._verify_declare_only_symbols()
            library._finalized = True

    def executable_entry(context: Any, library: Any, description: Any, environment: Any) -> Any:
        if library.name in entries:
            return executable(context, library, description, environment)
        # numba knows a compiled function by this object, one for each: it is never called
        return [].append

    def wrap_entry(context: Any, library: Any, *given: Any, **options: Any) -> Any:
        # what Python never calls needs no conversion of its arguments
        return wrap(context, library, *given, **options) if library.name in entries else None

    def optimize_alone(library: Any, module: Any) -> None:
        if library.name in entries:
            optimize_each(library, module)

    replaced = (optimize_entry, finalize_entry, executable_entry, wrap_entry, optimize_alone)
    try:
        for (place, name), new in zip(changed, replaced):
            setattr(place, name, new)
        yield
    finally:
        for (place, name), old in zip(changed, (optimize, finalize, executable, wrap, optimize_each)):
            setattr(place, name, old)
