"""Entries of ours in Dynamo's cache.

Begin with `installation`, then `registration` and `removal`; `asking` and `looking` say when its lists may be changed.
"""
