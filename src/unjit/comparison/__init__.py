"""Runs a function in eager and on each backend, on the same inputs, and finds where they differ: `unjit.compare`.

Begin with `runs.running`. `runs` is what is run, and how; `values` what a run gave, and what counts as a difference;
`restoring` puts back what a run changes; `inside` looks for the first graph, step of Inductor's and kernel that differ.
"""
