"""The intermediate representation: expressions and statements as `ast`, control flow as a graph of blocks.

- What it is: `nodes`, `notes`, `graph`, `helpers`; as text: `dump`.
- Parts of expressions and statements: `fields`, `order`, `slices`, `suites`, `suite_ends`, `endings`, `uses`.
- Where these stood in their lines: `places`, `indentation`.
- What expressions say: `compare`, `constants`, `literals`, `negation`, `asked_tests`.
- What holds in a graph: `cycles`, `dominators`, `loops`, `locals`, `regions`, `clauses`, `exits`,
  `copies`, `unbinding`.
- Jumps: where they lead, `jumps`; what is left of a `break`, `continue` or `return`, `jump_statements`; in which
  words it stood, `jump_words`, and where, `jump_places`.
- Changes that several passes make to it: `split_block`, `number_ways`.
"""
