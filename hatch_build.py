"""The page's templates as Python, in each wheel: a process that writes one page does not compile them first."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledTemplates(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling for a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add what jinja makes of the templates, in a folder named by the jinja that can read it."""
        if version != "standard":  # an editable install has templates that are still being written
            return
        sys.path.insert(0, str(Path(self.root) / "src"))
        from unjit.report.rendering import TEMPLATES, compiled_folder, environment

        self._made = tempfile.mkdtemp()
        templates = environment().overlay(loader=TEMPLATES)
        templates.compile_templates(self._made, zip=None, extensions=["html"], ignore_errors=False)
        build_data["force_include"][self._made] = f"unjit/report/{compiled_folder()}"

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact: str) -> None:
        """The wheel has them now."""
        if version == "standard":
            shutil.rmtree(self._made)
