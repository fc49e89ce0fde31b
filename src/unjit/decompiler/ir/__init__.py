"""The intermediate representation: expressions and statements as `ast`, control flow as a graph of blocks.

`tree` has what stands in a block, `flow` the graph of blocks and what holds in it, `as_written` what lines and columns
tell about the text that the code was made from.
"""
