"""Build hook: the bundle of three.js goes into every wheel, archive and editable installation; where it cannot be made, one line says why."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ViewerBuildHook(BuildHookInterface):
    """Runs viewer/build.py before anything is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the bundle if it is not there yet."""
        spec = importlib.util.spec_from_file_location("viewer_build", Path(self.root) / "viewer" / "build.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        problem = module.build()
        if problem:
            self.app.display_warning(problem)
