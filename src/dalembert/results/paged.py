"""What has a page of its own: `show` writes it, notebooks show it."""

from __future__ import annotations

from typing import Any

from ..errors import DalembertError


class Paged:
    """Base of results that a page can show: modes, equilibria, branches, assemblies, efforts."""

    def show(self, path: Any = None, open: bool = True, units: Any = None) -> Any:  # noqa: A002
        """Page with the drawing, lists to choose from, and reports: see `dalembert.show`."""
        from ..viewer.show import show

        return show(self, path, open, units=units)

    def _repr_html_(self) -> str | None:
        """The page inside a notebook; None where there is nothing to draw, so that the text is shown."""
        from ..viewer.page import framed

        try:
            return framed(self)
        except DalembertError:
            return None
