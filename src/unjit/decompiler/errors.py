"""Why a code object cannot be expressed by some tier of the decompiler."""

from __future__ import annotations


class CannotExpress(Exception):
    """This tier has no source for the code; the message says which construct, for the reader of the answer."""
