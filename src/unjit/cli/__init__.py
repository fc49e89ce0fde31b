"""The command line: a thin shell over the API, a file for each command.

Begin with `main`. `in_program` is what runs within the user's program, `decompiling` finds what is to be decompiled.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """`unjit …`: see `cli.main`, which a recorded program, of which this package has a part too, never imports."""
    from unjit.cli.main import main as answer

    return answer(argv)


__all__ = ["main"]
