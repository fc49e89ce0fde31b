"""Captures from logs: what `TORCH_TRACE` made torch write, without unjit, into the directory of a capture.

Begin with `api`, then `ingest`, which takes one log from its `records` to the files.
"""
