"""Looks at what is installed and tries it: what `unjit doctor` tells."""

from __future__ import annotations
