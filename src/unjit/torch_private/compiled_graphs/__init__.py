"""Graphs: found, run, and compiled once more."""
