"""Walking through what there is to look at, by keyboard, in the manner of Julia's Cthulhu.

Begin with `walk`, which knows no terminal; `screen` and `prompt` each show it on one.
"""

from __future__ import annotations

import importlib.util
import os
import sys

from unjit.contents import Node


def is_interactive() -> bool:
    """Whether a person sits at a terminal, with keyboard and screen."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()


def browse(top: Node) -> None:
    """Walk through a tree until the person has seen enough.

    With prompt_toolkit on a terminal that can do more than print, on a screen; else with commands, line by line.
    """
    if os.environ.get("TERM", "dumb") == "dumb" or importlib.util.find_spec("prompt_toolkit") is None:
        from unjit.browsing.prompt import ask

        ask(top)
        return
    from unjit.browsing.screen import run

    run(top)
