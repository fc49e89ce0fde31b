"""What one program does: instructions as steps on value numbers.

Begin with `program`, which makes steps of a code object, then `machine`, which runs them. `micro` lists the kinds of
steps, `actions` and the files beside it say what each does.
"""
