"""What each instruction does to the symbolic stack: a table for each family of them, and `table`, all of these."""
