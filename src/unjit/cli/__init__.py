"""The command line: a thin shell over the API."""

from __future__ import annotations

from unjit.cli.main import main

__all__ = ["main"]
