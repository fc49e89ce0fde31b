"""Within a block: three-address statements put together to expressions and assignments.

Begin with `fold`; `join_statements` merges each new statement into the one before where both are one.
"""
