"""Blocks, the edges between them and the handlers around them.

- What it is: `graph`; as text: `dump`.
- What holds in a graph: `dominators`, `loops`, `cycles`, `regions`, `clauses`, `exits`, `copies`, `jumps`, `locals`,
  `unbinding`.
- Changes that several passes make to it: `split_block`, `number_ways`.
"""
