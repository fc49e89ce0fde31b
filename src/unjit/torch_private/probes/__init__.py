"""Each private name of torch, and what is lost without it.

Begin with `probe`; `probes` is the table, with those of the other files in it.
"""
