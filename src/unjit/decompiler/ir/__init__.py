"""The intermediate representation: expressions and statements as `ast`, control flow as a graph of blocks."""
