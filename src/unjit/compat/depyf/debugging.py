"""`prepare_debug` and `debug`: files of what torch made, and stepping through it."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import unjit
from unjit.capturing.api import Session, capture
from unjit.compat.depyf.explain.global_variables import data
from unjit.compat.depyf.named_graphs import NamedGraphs

_captured: list[Session] = []  # by the last `prepare_debug`


@contextlib.contextmanager
def prepare_debug(
    dump_src_dir: str, clean_wild_fx_code: bool = True, log_bytecode: bool = False, **later: Any
) -> Iterator[None]:
    """Record every compile in the block; at its end write what torch made, under depyf's names, into the directory.

    The program runs Dynamo's own code, unchanged; in the block torch has caches of its own, since what comes out of a
    cache has no graphs. Of entries that there were before the block, `full_code_for_…` alone tells: it has what a call
    goes through. `clean_wild_fx_code` and `log_bytecode` are accepted: no stray files
    are written that would need to be removed, and bytecode is in the captures that `unjit.capture` makes. Raises
    RuntimeError if the directory is not a string, as depyf does. What cannot be written is told in a warning.
    """
    del clean_wild_fx_code, log_bytecode, later
    if not isinstance(dump_src_dir, str):
        raise RuntimeError("prepare_debug takes the directory to write to, as a string")  # noqa: TRY004  (depyf's type)
    directory = Path(dump_src_dir)
    directory.mkdir(parents=True, exist_ok=True)
    before = dict(data)
    data.update(dump_src_dir=dump_src_dir, is_inside_prepare_debug=True)
    session = capture(fresh=True)  # what comes out of torch's caches has no graphs to write
    named = NamedGraphs()
    try:
        with session, named:
            yield
    finally:
        data.update(before)
        _write(session, named, directory)


@contextlib.contextmanager
def debug() -> Iterator[None]:
    """A block, begun with a breakpoint, in which what the last `prepare_debug` recorded can be stepped through.

    The files to open are printed on stderr. Raises RuntimeError inside `prepare_debug`, as depyf does.
    """
    if data["is_inside_prepare_debug"]:
        raise RuntimeError("debug is for after prepare_debug: leave that block first")
    with unjit.debug(*(code for session in _captured for code in session.live_codes())):
        breakpoint()  # noqa: T100  (what it is for: the user sets breakpoints here)
        yield


def _write(session: Session, named: NamedGraphs, directory: Path) -> None:
    """The user's program goes on, whatever happens here."""
    from unjit.compat.depyf.writer import write

    try:
        written = write(session.data, directory, named.names) + named.write(directory)
    except Exception as error:
        warnings.warn(f"nothing more could be written to {directory}: {error}", RuntimeWarning, stacklevel=4)
        return
    _captured[:] = [session]
    if not written:
        told = "; ".join(session.losses) or "nothing was compiled in the block: run the compiled function within it"
        warnings.warn(f"no file was written to {directory}: {told}", UserWarning, stacklevel=4)
