"""Structured statements to source text.

`definitions` has what is printed for each kind of code, from `units` on; `lowering` makes plain `ast` of the nodes that
are ours, and names what has no name; `printing` makes text of that.
"""
