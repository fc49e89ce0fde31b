"""What unjit raises to its callers: one clear sentence each.

All of it is here, is an UnjitError beside the error of Python's that it is like, and is named after what went wrong. An
error that no caller sees stands in the package that raises it; so do those of `bytecode`, which imports nothing, and
the one of `compat.depyf`, which is depyf's.
"""

from __future__ import annotations


class UnjitError(Exception):
    """Base of all errors that unjit raises on purpose."""


class BadTarget(UnjitError, TypeError):
    """What was passed cannot be looked at: it has no Python code."""


class Gone(UnjitError, ReferenceError):
    """The live object behind some data no longer exists."""


class Unsupported(UnjitError, NotImplementedError):
    """This torch has no way to do what was asked."""


class NoRoom(UnjitError, MemoryError):
    """There is no memory for what was asked."""


class BadCall(UnjitError, TypeError):
    """The arguments do not fit the function."""


class BadDirectory(UnjitError, ValueError):
    """What was to be read is no capture, or one that this unjit cannot read."""
