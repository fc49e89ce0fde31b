"""Nodes of ours to plain `ast`, and values that the compiler computed to what was written: begin with `lower`."""
