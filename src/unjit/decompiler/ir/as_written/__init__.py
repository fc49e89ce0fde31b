"""What lines and columns tell about the text that the code was made from.

Where its parts stood, `places`, and how far statements were indented, `indentation`; what is left of a `break`,
`continue` or `return`, `jump_statements`, in which words it stood, `jump_words`, and where, `jump_places`; in which
words a test was asked, `asked_tests`.
"""
