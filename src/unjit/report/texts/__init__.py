"""The texts of compiles, row by row: what a row is, and what rows of other texts and of the program belong to it."""
