"""Compiles as they happen: torch's trace and logs.

Begin with `trace`; `records` is the table of what torch writes there, `being_compiled` what is compiled at the moment.
"""
