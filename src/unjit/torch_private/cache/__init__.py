"""Dynamo's cache entries, what else it keeps of compiles, and how it is set.

Begin with `entries`; `reading` and `resets` are how it is read while other threads compile.
"""
