"""`unjit diff`: what changed between two captures."""

from __future__ import annotations

import argparse
import json

from unjit.cli.arguments import add_json
from unjit.cli.output import say, say_json, writing

SAME, DIFFERENT = 0, 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "diff",
        help="what changed between two captures",
        description="Say what changed between two captures, in functions, compiles, breaks, recompiles, entries, "
        "guards, code, graphs and kernels. Times are shown, but are no difference. The exit status is 0 if nothing "
        "changed, as far as both are known, 1 if something did, and 2 if one of them cannot be read.",
    )
    parser.add_argument("first", metavar="DIR_A", help="the directory of a capture")
    parser.add_argument("second", metavar="DIR_B", help="the directory of another capture")
    add_json(parser)
    parser.add_argument("--page", metavar="FILE", help="also write a page for a browser to FILE")
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Print what changed."""
    from unjit.api.diff import diff
    from unjit.render.forms.printable import printable

    found = diff(arguments.first, arguments.second)
    if arguments.json is not None:
        say_json(json.dumps(found.data.to_dict(), ensure_ascii=False) + "\n", arguments.json)
    if arguments.page is not None:
        with writing(arguments.page):
            found.report(arguments.page)
    if arguments.json != "-":
        say(printable(str(found)))
    return SAME if found.same else DIFFERENT
