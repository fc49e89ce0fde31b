"""Captures from logs: what `TORCH_TRACE` made torch write, without unjit, into the directory of a capture."""
