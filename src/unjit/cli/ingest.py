"""`unjit ingest`: the directory of a capture from a log that torch wrote without unjit."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from unjit.cli.output import say


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "ingest",
        help="make the directory of a capture from a TORCH_TRACE log",
        description="Make the directory of a capture from a log that torch wrote because TORCH_TRACE was set. It says "
        "what the log does not hold. The exit status is 2 if there is no log or no place to write, and 1 if a file "
        "could not be written.",
    )
    parser.add_argument("log", metavar="TORCH_TRACE_DIR", help="the folder that TORCH_TRACE named, or one log in it")
    parser.add_argument("--out", metavar="DIR", required=True, help="the directory to write, new or empty")
    parser.add_argument(
        "--redact", action="store_true", help="make it safe to share: without source, paths, constants, …"
    )
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Write the directory, and say where to begin."""
    from unjit.directory import layout
    from unjit.ingesting.api import write
    from unjit.ingesting.logs import find

    out = Path(arguments.out)
    files = write(find(Path(arguments.log)), Path.cwd() / out, redact=arguments.redact)
    losses = [loss for one in files.values() for loss in one.losses]
    for loss in losses:
        print(f"unjit ingest: {loss}", file=sys.stderr)
    say(f"begin with {out / layout.INDEX_TEXT}")
    return int(bool(losses))
