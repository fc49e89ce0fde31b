"""Runs a function in eager and on each backend, on the same inputs, and finds where they differ: `unjit.compare`."""

from __future__ import annotations
