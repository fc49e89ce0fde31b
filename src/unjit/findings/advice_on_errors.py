"""What to do about the error that ended a compile: what is known to help, and torch's hint where nothing better is."""

from __future__ import annotations

import re

from unjit.findings.advice_by_explanation import by_explanation
from unjit.findings.advice_on_breaks import BRANCHING, NOT_GUARDED, ON_A_NUMBER, on_a_branch, on_an_argument
from unjit.model import Compile, Message, Unknown, went_wrong
from unjit.model.words.context_text import subject_of
from unjit.model.words.sources import as_written

_HINT = re.compile(r"\n\s*Hint:\s*(.*?)(?=\n\s*Hint:|\n\s*\n|\Z)", re.DOTALL)
_EXPLANATION = re.compile(r"\n\s*Explanation:[^\S\n]*(.*?)(?=\n\s*Hint:|\n\s*\n|\Z)", re.DOTALL)
_FIXED = re.compile(r"You marked (?P<size>\S+) as dynamic but your code specialized it")
_OF_A_RANGE = re.compile(  # of torch.export, both sides have other names
    r"Not all values of (?P<size>L\[\S+) = (?P=size) in the specified range .* "
    r"satisfy the generated guard (?P<guard>.+)\."
)
_OF_AN_EXPORT = re.compile(r"AssertionError(?:\('|: )Guard failed: (?P<condition>.+?)(?:'\)|$)", re.MULTILINE)
_NO_PLACE = Unknown(Message("torch does not say where"))
_KNOWN = {  # by torch's words, which it may say among much else
    "Unsupported functorch tracing attempt": (
        "It was called under a transform of torch.func that ran uncompiled, which its backend does not accept: compile "
        "the transform too, as in torch.compile(torch.func.vmap(function)). Where that is compiled, a graph break "
        "within is the cause: mend it."
    ),
    "vmap: called random operation while in randomness error mode": (
        "torch.func.vmap raises at random numbers, also uncompiled, unless it is told which to draw: with "
        "randomness='different' others for each item, with 'same' the same for all."
    ),
    "Cannot generate resume function for generator, coroutine": (
        "In a generator or coroutine Dynamo cannot go on after a graph break, and an await is one: compile the "
        "functions that it calls."
    ),
    "There was no fake impl registered": (
        "The operator that is called there has no fake implementation, from which torch learns the shape and dtype of "
        "its result: give it one with register_fake."
    ),
    "checkpoint not implemented for <class 'torch._dynamo.variables": (
        "Dynamo takes as context_fn of a checkpoint what was made outside of what is compiled, or a functools.partial, "
        "as of create_selective_checkpoint_contexts: not a function that is made there, such as a lambda."
    ),
    NOT_GUARDED: ON_A_NUMBER,
}
_RAISED_ON_RECOMPILE = (
    "torch was told to raise where it would compile again, by torch._dynamo.config.error_on_recompile: remove the "
    "cause, listed here too."
)


def advice_on_error(failed: Compile) -> tuple[str, str] | None:
    """A sentence or two, after the word for them: `to do`, or `hint` of torch's own; None where none helps."""
    error = failed.error
    if isinstance(error, Unknown) or error is None:
        return None
    if known := _known(error, failed):
        return "to do", known
    hint = _HINT.search(error)
    return ("hint", " ".join(hint[1].split())) if hint else None


def _known(error: str, failed: Compile) -> str | None:
    for said, advice in _KNOWN.items():
        if said in error:
            return advice
    if error.startswith("RecompileError"):
        return _RAISED_ON_RECOMPILE
    if exported := _OF_AN_EXPORT.search(error):
        return _on_an_export(exported["condition"])
    if BRANCHING in went_wrong(error):
        return on_a_branch(failed.failed_at[-1] if failed.failed_at else _NO_PLACE, subject_of(error))
    if fixed := _FIXED.search(error):
        return _on_a_fixed_size(as_written(fixed["size"]), known_line=bool(failed.failed_at))
    if of_a_range := _OF_A_RANGE.search(error):
        return _on_a_range(as_written(of_a_range["size"]), as_written(of_a_range["guard"]))
    if argument := on_an_argument(subject_of(error)):
        return argument
    explanation = _EXPLANATION.search(error)
    return by_explanation(explanation[1], subject_of(error)) if explanation else None


def _on_an_export(condition: str) -> str:
    """What to do about a condition that torch.export put into what it made."""
    return (
        f"The exported program takes only inputs for which `{condition}` holds: pass such, or export it again with "
        "other inputs or dynamic_shapes."
    )


def _on_a_range(size: str, guard: str) -> str:
    """What to do about a size that is marked dynamic from one number to another, not all of which one entry serves."""
    return (
        f"{size} is marked dynamic with a range, and the code is made for calls in which `{guard}` holds, which is not "
        "so of all sizes in it: mark it with other limits, or without min and max, which compiles once more where that "
        "does not hold."
    )


def _on_a_fixed_size(size: str, *, known_line: bool) -> str:
    """What to do about a size that is marked dynamic, and that the program makes one number."""
    line = "that line" if known_line else "a line of the program"
    return (
        f"{size} is marked dynamic, and {line} needs it as one number: change the line, or mark the size by "
        "torch._dynamo.maybe_mark_dynamic, which accepts an entry for each."
    )
