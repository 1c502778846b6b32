"""Base of `Mechanism` that carries its joints and force elements for editors and type checkers: see methods.pyi.

At run time the methods come from the registries (`model/registry.py`), so that a joint is one file; the stub is written from them by
`python -m dalembert.model.stubs`, and a test compares the two.
"""

from __future__ import annotations


class Methods:
    """One method per joint and force element, attached by `mechanism.py`."""
