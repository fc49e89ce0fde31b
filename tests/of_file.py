"""What is explained of one file, out of all that is alive: what other tests made ahead of time may be."""

from __future__ import annotations


def of_file(explanation, file):
    """The functions that begin in a file."""
    return [function for function in explanation.functions if function.data.place.file == file]
