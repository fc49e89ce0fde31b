"""The walk with commands, a line each: for terminals that only print, and where prompt_toolkit is not installed."""

from __future__ import annotations

from unjit.browsing.walk import Walk
from unjit.contents import Node
from unjit.render.forms.printable import printable

HELP = "a number goes there, u up, t the next view of the code, q quits"


def ask(top: Node) -> None:
    """Show a node, ask, and go on until the answer is `q` or there is none."""
    walk = Walk(top)
    _show(walk)
    while True:
        try:
            answer = input("unjit> ").strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return
        if answer == "q":
            return
        if not _obey(walk, answer):
            print(HELP)


def _obey(walk: Walk, answer: str) -> bool:
    """Do what was asked, and show where that leads; False if it was not understood, or cannot be done."""
    done = {"u": walk.ascend, "t": walk.toggle}.get(answer)
    moved = walk.descend(int(answer) - 1) if answer.isdecimal() else done is not None and done()
    if moved:
        _show(walk)
    return moved


def _show(walk: Walk) -> None:
    print(f"\n== {printable(walk.title)}\n{printable(walk.shown.text().rstrip())}\n")
    for number, child in enumerate(walk.here.inside, start=1):
        print(printable(f"{number:>4}  {child.name}  {child.title}"))
