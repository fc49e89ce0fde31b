"""Readers that make the model: live state now, and the events of a run."""
