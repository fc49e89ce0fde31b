"""Instructions to blocks of three-address statements: a symbolic run of the stack machine.

Begin with `build_graph`, then `builder` and `machine`. `operations` are what the machine does at each instruction,
`shapes` what several instructions together are, `seen_through` lists, tuples and dicts that only move values around.
"""
