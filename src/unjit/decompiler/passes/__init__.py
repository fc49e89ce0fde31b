"""Rewrites of the graph, and in `tree` of the statements made of it; their order is in `unjit.decompiler.pipeline`.

There is a folder, a family, for each thing that they are about. Each module in it is a pass that the pipeline names.
What these passes are made of beyond their own files is in the family's `parts`, for the family alone; what several
families need is in `ir`, or in `folding`.
"""
