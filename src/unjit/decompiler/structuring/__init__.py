"""The graph as nested statements.

`structure` writes them, from where `place_blocks` found that each block goes: in the suite of a statement, or after it.
Where the shape of the graph leaves that open, it asks where the compiler laid code out: `loop_exits` and `loop_layout`
for what leaves a loop, `else_suites` for a `try`, `skipped_parts` for what an arm jumps over. `multi_level_exits` are
those that leave several loops at once. `statements` and `try_statements` put statements together; `dispatch` is the way
that takes every graph.
"""
