"""Protected regions: what may not leave a `try`."""
