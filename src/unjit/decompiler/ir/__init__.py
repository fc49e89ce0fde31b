"""The intermediate representation: expressions and statements as `ast`, control flow as a graph of blocks.

- What it is: `nodes`, `notes`, `graph`, `helpers`; as text: `dump`.
- Parts of expressions and statements: `fields`, `order`, `slices`, `suites`, `endings`, `uses`; where they stood in
  their lines: `places`, `indentation`.
- What expressions say: `compare`, `constants`, `literals`, `negation`, `asked_tests`.
- What holds in a graph: `cycles`, `dominators`, `loops`, `locals`, `regions`, `clauses`, `exits`,
  `jumps`, `jump_statements`, `copies`, `unbinding`.
- Changes that several passes make to it: `split_block`, `number_ways`.
"""
