"""`unjit show`: what a capture holds, in the terminal or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from unjit.cli.arguments import add_directory, add_json
from unjit.cli.output import say, say_json

if TYPE_CHECKING:
    from unjit.contents import Node

NOTHING_SELECTED = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "show",
        help="look at a capture: functions, compiles, code, guards, graphs, kernels",
        description="Show what is in the directory of a capture. On a terminal, walk through it by keyboard; "
        "otherwise, or with one of the options, it is printed as text or as JSON. The exit status is 0 if something "
        "was shown, 1 if nothing there is called PATH, and 2 if there is no capture or the request makes no sense.",
    )
    add_directory(parser)
    parser.add_argument(
        "--select",
        metavar="PATH",
        default="",
        help="show one thing, as toy/compile_0/guards, or all that match a pattern, as '*/compile_0/captured'",
    )
    add_json(parser)
    parser.add_argument("--plain", action="store_true", help="print text, on a terminal too")
    parser.set_defaults(command=command, parser=parser)


def command(arguments: argparse.Namespace) -> int:
    """Show what was asked for."""
    from unjit.browsing import browse, is_interactive
    from unjit.capturing.captured import load
    from unjit.contents import described, select

    top = load(arguments.directory).contents()
    found = select(top, arguments.select)
    if not found:
        print(f"unjit show: {_nothing(arguments.select, top)}", file=sys.stderr)
        return NOTHING_SELECTED
    if arguments.json is not None:
        _write(found, arguments.json)
        return 0
    if is_interactive() and not arguments.select and not arguments.plain:
        browse(top)
        return 0
    say("\n\n".join(described(node) for node in found))
    return 0


def _nothing(path: str, top: Node) -> str:
    """What there is as far down as the path leads."""
    here, where = top, "at the top"
    for part in path.strip("/").removeprefix("functions/").split("/"):
        below = f"{here.path}/{part}".lstrip("/")
        found = next((node for node in here.inside() if node.path == below), None)
        if found is None:
            break
        here, where = found, f"in {found.path}"
    names = ", ".join(node.path.removeprefix(f"{here.path}/") for node in here.inside()) or "nothing"
    return f"nothing in it is called {path!r}; {where} there is: {names}"


def _write(found: list[Node], file: str) -> None:
    """Write the nodes' data, always in a list, under the number of the schema."""
    from unjit.model import SCHEMA_VERSION

    data: dict[str, Any] = {"schema": SCHEMA_VERSION, "selected": [node.data for node in found]}
    say_json(json.dumps(data, ensure_ascii=False) + "\n", file)
