"""Statements as a person writes them: what is left to do when the graph is a tree."""
