"""Graphs: found, run, and compiled once more.

Begin with `graphs`, then `running`, which finds what runs in a graph's place, and `stages`, which compiles one anew.
"""
