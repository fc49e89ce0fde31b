"""`unjit report`: the page about a capture, for a browser."""

from __future__ import annotations

import argparse
from pathlib import Path

from unjit.cli.arguments import add_directory
from unjit.cli.output import say, writing


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "report",
        help="make the page about a capture again, for a browser",
        description="Write report.html, the page about the capture in DIR, from what is there now. It needs no server "
        "and no network. A capture writes this page by itself when it ends. The exit status is 2 if there is no "
        "capture or no place to write.",
    )
    add_directory(parser)
    parser.add_argument("--out", metavar="FILE", help="the file to write (default: report.html in DIR)")
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Write the page, and say where it is."""
    from unjit.capturing.captured import load
    from unjit.directory import layout

    path = Path(arguments.out or Path(arguments.directory) / layout.PAGE)
    with writing(path):
        load(arguments.directory).report(path)
    say(str(path))
    return 0
