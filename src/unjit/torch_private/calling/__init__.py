"""Calls of what was compiled, and the frames that they run in.

Begin with `callers`, which says what a call brings along; `frames` walks the frames that run.
"""
