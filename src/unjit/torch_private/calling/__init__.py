"""Calls of what was compiled, and the frames that they run in."""
