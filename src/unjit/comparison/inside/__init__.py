"""Where what was compiled parts from what was captured.

`comparing_backend` compares each graph with what a backend made of it (`side_by_side`); `lowering` finds the step of
Inductor's that is at fault, and `kernels` the kernel, by the values of the graph's nodes (`graph_values`).
"""
