"""Instructions to blocks of three-address statements: a symbolic run of the stack machine.

Begin with `build_graph`, then `machine`. `operations` is the table of all liftings; `values`, `stores`, `calls`,
`displays`, `functions`, `exceptions` and others each have a family of them.
"""
