"""What is run, and how.

- One comparison: `running`, of a `program` that gives an `outcome`; `uncompiled` is what of it is run and compiled,
  `in_float64` the run that tells rounding from mistakes, `earlier` what calls have left in Dynamo's cache, and
  `ahead_of_time` what `aot_compile` made.
- Each run has inputs of its own (`copying`), if there is memory for them (`room`), and prints nothing (`silence`).
- `ranks` has several ranks make the same runs, `gpus` heeds CUDA graphs. `calls` compares the calls of a program.
"""
