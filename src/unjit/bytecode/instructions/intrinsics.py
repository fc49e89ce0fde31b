"""The numbers by which CALL_INTRINSIC_1 and CALL_INTRINSIC_2 call the interpreter's intrinsic functions (3.12 on)."""

from __future__ import annotations

# Of one operand.
PRINT = 1
IMPORT_STAR = 2
STOPITERATION_ERROR = 3  # makes a RuntimeError of a StopIteration that a generator lets out
ASYNC_GEN_WRAP = 4
UNARY_POSITIVE = 5
LIST_TO_TUPLE = 6
# Of two.
PREP_RERAISE_STAR = 1
