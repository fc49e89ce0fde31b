"""Structured statements to source text.

Begin with `units`, which prints each kind of code, then `functions`. `names` names what has no name, `lower` makes
plain `ast` of the nodes that are ours, `printer` and `writer` make text of that, `layout` breaks long lines.
"""
