"""`unjit redact`: a copy of a capture's directory that is safe to share."""

from __future__ import annotations

import argparse
from pathlib import Path

from unjit.cli.output import say


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "redact",
        help="make a copy of a capture that is safe to share",
        description="Write a copy of a capture's directory without source, generated code, paths, host, environment, "
        "constants and messages, and without whatever may quote these. Names, line numbers, sizes, dtypes, devices, "
        "times and counts stay. The exit status is 2 if there is no capture or no place to write.",
    )
    parser.add_argument("directory", metavar="DIR", help="the directory of a capture")
    parser.add_argument("--out", metavar="NEW", required=True, help="the directory to write, new or empty")
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Write the copy, and say where to begin."""
    from unjit.api.redact import redact
    from unjit.directory import layout

    redact(arguments.directory, arguments.out)
    say(f"begin with {Path(arguments.out) / layout.INDEX_TEXT}")
    return 0
