"""`unjit merge`: the ranks that wrote into one directory, together."""

from __future__ import annotations

import argparse
import sys

from unjit.cli.output import say


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "merge",
        help="compare the ranks that wrote into one directory",
        description="Say where the ranks of one job compiled different graphs, guards, breaks or kernels, recompiled "
        "at different steps, or issue collectives in another order. Writes ranks.md, ranks.json and report.html into "
        "DIR, and prints ranks.md. The exit status is 1 if collectives diverge, and 2 if there are no ranks in DIR.",
    )
    parser.add_argument("directory", metavar="DIR", help="--out of the unjit run that ran under torchrun")
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Compare, write and print."""
    from unjit.ranks.api import merge

    merged = merge(arguments.directory)
    say(str(merged), end="")
    for loss in merged.losses[len(merged.data.losses) :]:
        print(f"unjit merge: {loss}", file=sys.stderr)
    return int(bool(merged.partings))
