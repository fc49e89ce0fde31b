"""Runs a function in eager and on each backend, on the same inputs, and finds where they differ: `unjit.compare`.

Begin with `running`. `program` is what is run, `outcome` what a run gives, `differences` what counts as a difference;
`graphs`, `lowering` and `kernels` look for the first graph, step and kernel that differ. `reached`, `state` and
`undoing` put back what a run changes; `ranks` has several ranks make the same runs. `calls` does this for the calls of
a program, as they come.
"""

from __future__ import annotations
