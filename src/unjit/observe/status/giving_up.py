"""After which compiles Dynamo looks at a function no more: it then runs the original, and asks no entry either."""

from __future__ import annotations

from unjit.model import Maybe, Message, Unknown, headline
from unjit.model.explained.compiles import hits_limit
from unjit.observe.messages.breaks import gave_up
from unjit.torch_private.cache.history import INTERRUPTED, RawCompile

ALLOWED = ("Unsupported", "UserError")  # what makes Dynamo give up where breaks are allowed, and raise elsewhere
AT_A_BREAK = (
    "Dynamo gave it up at a graph break; the original runs.",
    (
        "See its graph breaks. Some end all of a function, such as those in a loop, a try, or a with of the program's "
        "own: put what computes there into a function, which is then compiled by itself."
    ),
)
RAISED_AT_LIMIT = "FailOnRecompileLimitHit"  # the error of a call with fullgraph=True
_BY_FULLGRAPH = Unknown(Message("whether that compile was of a call with fullgraph=True, which raises and goes on"))


def gives_up(compile_: RawCompile) -> Maybe[bool]:
    """Whether Dynamo gave the function up at this compile, which left no entry.

    Any other error comes out of the call, and the next call compiles again; a limit leaves the entries as they are.
    """
    error = compile_.error
    if error is None:
        return not compile_.has_guards
    if hits_limit(error) or error.partition(":")[0] == INTERRUPTED:
        return False
    if gave_up(error) or compile_.suppressed:
        return True
    return _BY_FULLGRAPH if error.partition(":")[0] in ALLOWED else False


def ends_at_a_break(compile_: RawCompile, is_given_up: Maybe[bool]) -> bool:
    """Whether it ended at a graph break from which Dynamo cannot go on, as in a loop, and the original ran.

    Not always does the error itself say so: a call with fullgraph=True may raise the same, and nothing is given up.
    """
    error = compile_.error or ""
    return gave_up(error) or (is_given_up is True and error.startswith("Unsupported:"))


def failure(compile_: RawCompile) -> str | None:
    """`compile 0/1, Unsupported: …`; None if it did not fail."""
    return None if compile_.error is None else why_given_up(compile_)


def why_given_up(compile_: RawCompile) -> str:
    """`compile 0/1, Unsupported: …`."""
    error = "there was nothing to compile" if compile_.error is None else headline(compile_.error)
    return f"compile {compile_.compile_id}, {error}"
