"""Each private name of torch, and what is lost without it.

Begin with `probe`; `table` has those of all files, each of which has the names that one kind of work needs.
"""
