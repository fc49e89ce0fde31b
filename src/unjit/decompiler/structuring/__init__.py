"""The graph as nested statements.

Begin with `structure`, then `place_blocks`. `dispatch` is the way that takes every graph.
"""
