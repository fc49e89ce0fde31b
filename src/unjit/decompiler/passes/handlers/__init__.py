"""The clauses of a `try`, and the ways out of them."""
