"""What decompiling answers: source and verdicts, maps from bytecode to it, and what is shown where there is none.

Begin with `result`; `verdicts` compares nested code objects, `maps` answers debuggers, `opaque` is the last resort.
"""
