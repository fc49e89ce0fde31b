"""What can be wrong with a code object before anyone asks what it means."""

from __future__ import annotations


class BytecodeError(ValueError):
    """The bytes are not bytecode that this interpreter could run (unknown opcode, jump outside, bad table)."""


class UnsupportedPython(RuntimeError):
    """unjit has no tables for the running interpreter."""
