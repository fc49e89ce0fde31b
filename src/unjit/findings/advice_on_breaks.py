"""What to do about a graph break: what is known to help, and torch's hint where nothing better is known."""

from __future__ import annotations

import re
from typing import NamedTuple

from unjit.findings.advice_by_explanation import LOGGED, by_explanation
from unjit.findings.advice_by_kind import BACKWARD_HOOKS, KINDS, advice_on_kind
from unjit.model import GraphBreak, Maybe, Message, Place, Unknown
from unjit.model.words.context_text import A_NUMBER
from unjit.model.words.wording import LEFT_OUT

_REMOVE = re.compile(r"Remove the `?torch\.(?:_dynamo|compiler)\.")  # as a hint on a call that is there for that begins
_SUPPORTABLE = "It may be possible to write Dynamo tracing rules"  # torch's hint where it has none about the break
_WARNING = "how to trace the Python builtin `_warnings.warn`"
BRANCHING = "Data-dependent branching"
NOT_GUARDED = "Could not guard on data-dependent expression"  # so torch says of a number that no guard can ask for
ON_A_NUMBER = Message(
    "A number that only the data tell, as those of item(), nonzero() and mark_unbacked are, decides there: say by "
    "torch._check before what holds of it, write the branch as torch.cond, or test outside of what is compiled."
)
_ARGUMENT = re.compile(r"(?P<call>\w+\(\)): argument '(?P<name>\w+)'.* must be (?P<wanted>.+), not (?P<given>\w+)$")
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_NO_ITEMS = re.compile(r"does not support next\(\) on |how to iterate over `")  # as torch says of another's iterator


class _Library(NamedTuple):
    """What helps where Dynamo breaks in a function of Python's own library, which the program calls by another name."""

    file: re.Pattern[str]
    functions: tuple[str, ...]  # none: whichever
    advice: Message
    code: str = ""  # which the line that broke has in it


_FUNCTOOLS = re.compile(r"[/\\]functools\.py$")
_LOGGING = re.compile(r"[/\\]logging[/\\]__init__\.py$")
_LIBRARIES = (
    _Library(
        _FUNCTOOLS,
        ("dispatch", "_find_impl"),
        Message(
            "Dynamo does not follow how functools.singledispatch looks up an implementation: choose by isinstance in "
            "what is compiled, or look it up before, as by function.dispatch(type(argument))."
        ),
    ),
    _Library(
        _FUNCTOOLS,
        ("__get__",),
        Message("Dynamo does not follow functools.partialmethod: define a method that makes the call."),
        "_make_unbound_method",
    ),
    _Library(
        _LOGGING,
        ("getLogger",),
        Message("Get the logger outside of what is compiled, and log there: a call of it ends the graph, too."),
    ),
    _Library(_LOGGING, (), Message(LOGGED)),
)


def advice_on(found: GraphBreak) -> Message | None:
    """What to do in a sentence or two; None where nothing is known that helps."""
    if (known := _in_pythons_library(found)) is not None:
        return known
    if _is_of_data_parallel(found):
        return Message(
            "DistributedDataParallel does there what Dynamo does not follow: accept the break. A module of your own "
            "that it holds is compiled by itself."
        )
    if _is_of_a_comprehension(found):
        return Message(
            "What is around the comprehension runs uncompiled, so that Dynamo compiles the comprehension by itself, "
            "and cannot follow the iterator that it gets: mend the break around it."
        )
    if found.kind == BRANCHING:
        return on_a_branch(found.place, found.subject)
    if NOT_GUARDED in found.kind:
        return ON_A_NUMBER
    if found.kind == BACKWARD_HOOKS:  # torch's hint leaves out what else that setting needs
        return Message(KINDS[BACKWARD_HOOKS])
    if _WARNING in (found.explanation or "") and _is_in_a_library(found):
        return Message("A library warns there: do what the warning asks for, or accept the break.")
    if argument := on_an_argument(found.subject):
        return argument
    return by_explanation(found.explanation or "", found.subject) or _by_hint(found)


def on_an_argument(subject: str | None) -> Message | None:
    """What to do where an operator refuses the type of an argument; torch's hint does not tell of which.

    A test of a size is a symbol once that size varies, where the program itself has a plain bool.
    """
    refused = _ARGUMENT.match(subject or "")
    if refused is None:
        return None
    if refused["wanted"] == "bool" and refused["given"] == "SymBool":
        return Message(
            f"{refused['call']} wants a plain bool as {refused['name']}, and gets a test of a size that Dynamo lets "
            "vary: write `True if … else False` around it, by which Dynamo makes an entry for either answer."
        )
    return Message(
        f"torch raises there that the argument {refused['name']} of {refused['call']} must be {refused['wanted']}, "
        f"not {refused['given']}: correct it, if the program raises that uncompiled, too; else pass what torch "
        "asks for."
    )


def on_a_branch(place: Maybe[Place], subject: str | None = None) -> Message:
    """What to do about a test of a tensor's values, or of a number that they tell, by the statement that it is in."""
    code = "" if isinstance(place, Unknown) or isinstance(place.code, Unknown) else place.code
    if code.startswith("while "):
        return Message(
            "Each turn of a loop that a tensor's values end breaks the graph: loop outside, and compile one turn."
        )
    if code.startswith("assert "):
        return Message(
            "Let the assertion test one tensor, without `not`, `and`, `or` or a chain of comparisons, and give it a "
            "constant message: it then stays in the graph, and raises RuntimeError."
        )
    if subject == A_NUMBER:
        return ON_A_NUMBER
    return Message(KINDS[BRANCHING])


def _by_hint(found: GraphBreak) -> Message | None:
    """Torch's own hint, but where it is of no help or about code that is not the reader's."""
    is_known = found.hint is not None and found.hint.startswith(_SUPPORTABLE) and found.kind in KINDS
    hint = advice_on_kind(found) if found.hint == LEFT_OUT or is_known else found.hint
    if hint is not None and _REMOVE.match(hint) and _is_in_a_library(found):
        return Message(
            "A library ends the graph there on purpose, as torch does in the step of an optimizer, which is then "
            "compiled by itself: accept the break, or call the library outside of what is compiled."
        )
    return hint


def _is_in_a_library(found: GraphBreak) -> bool:
    return not isinstance(found.place, Unknown) and not found.place.is_of_the_program


def _is_of_data_parallel(found: GraphBreak) -> bool:
    """Whether it is in what torch does around a module of several ranks, and in nothing of the program's within."""
    for one in () if isinstance(found.stack, Unknown) else reversed(found.stack):
        if one.is_of_the_program:
            return False
        if re.search(r"[/\\]nn[/\\]parallel[/\\]distributed\.py$", one.file):
            return True
    return False


def _is_of_a_comprehension(found: GraphBreak) -> bool:
    """Whether it is at the iterator that a comprehension gets, where Dynamo compiles that as a function of its own."""
    place = found.place
    return (
        not isinstance(place, Unknown)
        and place.function in _COMPREHENSIONS
        and _NO_ITEMS.search(found.explanation or "") is not None
    )


def _in_pythons_library(found: GraphBreak) -> Message | None:
    calls = () if isinstance(found.stack, Unknown) else found.stack
    return next((one.advice for one in _LIBRARIES if any(_is_in(one, place) for place in calls)), None)


def _is_in(library: _Library, place: Place) -> bool:
    code = "" if isinstance(place.code, Unknown) else place.code
    is_one = place.function in library.functions or not (library.functions or place.is_of_the_program)
    return is_one and bool(library.file.search(place.file)) and library.code in code
