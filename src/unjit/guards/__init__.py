"""Guards as Python: what torch prints for them, parsed strictly, one parser per kind; source that runs; its runtime.

A check is an expression in which `_` is the value that it is about: `is_tensor_like(_, dtype=torch.float32)`. A value
is reached from the one above it by an expression of the same form: `_['x']`, `_.weight`.

Begin with `leaves`, which parses most kinds, then `source`, which writes the function. `evaluate` finds the guards that
fail, `actual` what is there instead, `advice` what to do.
"""
