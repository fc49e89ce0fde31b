"""What is explained of one file, out of all that is alive.

What other tests made ahead of time may be: pytest holds the modules of the documentation's examples.
"""

from __future__ import annotations


def of_file(explanation, file):
    """The functions that begin in a file."""
    return [function for function in explanation.functions if function.data.place.file == file]
