"""Expressions and statements: what the IR adds to `ast`, and questions about them.

- What it is: `nodes`, `notes`, `helpers`.
- Parts of expressions and statements: `fields`, `order`, `slices`, `suites`, `suite_ends`, `endings`, `uses`.
- What expressions say: `compare`, `constants`, `literals`, `negation`.
"""
