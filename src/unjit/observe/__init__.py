"""Readers that make the model: live state now, and the events of a run."""

from __future__ import annotations
