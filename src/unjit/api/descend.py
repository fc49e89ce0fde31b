"""`unjit.descend`: walk through what torch.compile did, by keyboard."""

from __future__ import annotations

import os
from typing import Any

from unjit.browsing import browse, is_interactive
from unjit.capturing.captured import Captured, load
from unjit.contents import Node, described, of_report
from unjit.model import Function, Listing, Maybe, Message, Unknown
from unjit.observe.functions.sources import listing
from unjit.observe.live.report import read
from unjit.observe.targets.resolving import resolve
from unjit.render.forms.printable import on_one_line


def descend(target: Any, /) -> None:
    """Walk by keyboard: functions, then compiles or entries, then code, guards, graphs and kernels.

    If `target` is a session of `unjit.capture`, what `unjit.load` returned, or a directory, it shows all that was
    captured. If it is a function, or whatever else `unjit.explain` takes, it shows the live entries. The keys are on
    the screen; `t` changes between source, decompiled code and bytecode. After Julia's Cthulhu.

    Without a terminal, as in a notebook or a pipe, it prints what there is and how to see more. Raises
    UnjitError for a directory without a capture, and BadTarget for what has no Python code.
    """
    top = _top(target)
    if is_interactive():
        browse(top)
    else:
        print(described(top))


def _top(target: Any) -> Node:
    if isinstance(target, Captured):
        return target.contents()
    if isinstance(target, (str, os.PathLike)):
        return load(target).contents()
    found = read([resolve(target)])

    def source_of(function: Function) -> Maybe[str]:
        code = found.functions.get(function.key)
        text = Unknown(Message("the function is gone")) if code is None else listing(code)
        return f"# {on_one_line(text.file)}:{text.first_line}\n{text.text}" if isinstance(text, Listing) else text

    return of_report(found.report, source_of)
