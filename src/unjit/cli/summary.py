"""`unjit summary`: what in a capture is worth acting on, short enough for a coding assistant."""

from __future__ import annotations

import argparse

from unjit.cli.arguments import add_directory
from unjit.cli.output import say


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "summary",
        help="what in a capture is worth acting on, short enough for a coding assistant",
        description="Print what in a capture is worth acting on, most important first, with file and line; then "
        "functions, times, and what was left out to be brief. The number of tokens is a high estimate: one "
        "for every three letters of a word, and one for each other character. The exit status is 2 if there is no "
        "capture.",
    )
    add_directory(parser)
    parser.add_argument(
        "--max-tokens", type=int, default=2000, metavar="N", help="the most tokens to print (default: 2000)"
    )
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Print the text."""
    from unjit.capturing.captured import load
    from unjit.render.forms.printable import printable

    say(printable(load(arguments.directory).summary(max_tokens=arguments.max_tokens)), end="")
    return 0
