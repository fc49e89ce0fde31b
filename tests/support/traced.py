"""A tracing function for the length of a block; the one before, which is that of coverage, is put back after it."""

from __future__ import annotations

import sys
from contextlib import contextmanager


@contextmanager
def traced_by(tracer):
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        yield
    finally:
        sys.settrace(before)


def instructions_of(call):
    """How many instructions of Python's a call takes: a measure of work that no other load on the machine changes."""
    count = 0

    def tracer(frame, event, _argument):
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return tracer

    with traced_by(tracer):
        call()
    return count
