"""What to do about a graph break: torch's hint, but where it is of no help or about code that is not the reader's."""

from __future__ import annotations

import re

from unjit.findings.advice_by_kind import KINDS, advice_on_kind
from unjit.model import GraphBreak, Message, Unknown
from unjit.model.wording import LEFT_OUT

_OPTIMIZER = re.compile(r"\(reason: optimizer <class '(?:\w+\.)*(\w+)'> step not supported\)")
_REMOVE = re.compile(r"Remove the `?torch\.(?:_dynamo|compiler)\.")  # as a hint on a call that is there for that begins
_SUPPORTABLE = "It may be possible to write Dynamo tracing rules"  # torch's hint where it has none about the break
_SCHEDULED = re.compile(r"the function `(?P<step>\w+\.step)` in file `[^`]*[/\\]lr_scheduler\.py` should not be traced")
_BY_EXPLANATION = (
    (
        _OPTIMIZER,
        "torch does not compile the step of {0}: call it outside of what is compiled, or use another optimizer.",
    ),
    (
        _SCHEDULED,
        "A learning rate scheduler has wrapped {0}, and Dynamo compiles what is within by itself: accept the break.",
    ),
    (
        re.compile(r"how to trace builtin operator `print` with"),
        (
            "Print outside of what is compiled. Or let Dynamo print after the graph: first call "
            "torch._dynamo.config.reorderable_logging_functions.add(print). It then prints only tensors, constants and "
            "f-strings, without keywords, and nothing in functions that it inlines."
        ),
    ),
    (
        re.compile(r"^logging\.Logger methods are not supported"),
        (
            "Log outside of what is compiled. A method in torch._dynamo.config.ignore_logging_functions, such as "
            "logger.info, does not break the graph, but logs nothing there."
        ),
    ),
    (
        re.compile(r"`Tensor\.backward\(\)` when trace_autograd_ops is off"),  # torch's hint names no setting there is
        (
            "Set torch._dynamo.config.trace_autograd_ops = True before the first call, or call backward() outside of "
            "what is compiled."
        ),
    ),
    (
        re.compile(r"how to trace the Python builtin `_warnings\.warn`"),
        "Warn outside of what is compiled, or only `if not torch.compiler.is_compiling():`, which breaks nothing.",
    ),
    (
        re.compile(r"how to trace the builtin `(?:<unknown module>\.)?([\w.]+?)\.?` This function is either"),
        "Dynamo does not know {0}, which is not written in Python: call it outside, and pass its result.",
    ),
    (
        re.compile(r"^Dynamo found no exception handler at the top-level compiled function"),
        (
            "For an exception that leaves what is compiled Dynamo gives the function up, for all later calls, or "
            "raises with fullgraph=True: check before, outside of what is compiled, or catch it within."
        ),
    ),
    (
        re.compile(r"does not support next\(\) on generator\."),
        "Dynamo cannot follow a generator that was made outside of what is compiled: take the item there and pass it.",
    ),
)
_OF_SINGLEDISPATCH = ("dispatch", "_find_impl")  # functions of functools that look up an implementation


def advice_on(found: GraphBreak) -> Message | None:
    """One sentence; None where nothing is known that helps."""
    if known := by_explanation(found.explanation or ""):
        return known
    if _looks_up_an_implementation(found):
        return Message(
            "Dynamo does not follow how functools.singledispatch looks up an implementation: choose by isinstance in "
            "what is compiled, or look it up before, as by function.dispatch(type(argument))."
        )
    if _is_of_data_parallel(found):
        return Message(
            "DistributedDataParallel does there what Dynamo does not follow: accept the break. A module of your own "
            "that it holds is compiled by itself."
        )
    is_known = found.hint is not None and found.hint.startswith(_SUPPORTABLE) and found.reason in KINDS
    hint = advice_on_kind(found) if found.hint == LEFT_OUT or is_known else found.hint
    if hint is not None and _REMOVE.match(hint) and _is_in_a_library(found):
        return Message(
            "A library ends the graph there on purpose, as torch does in the step of an optimizer, which is then "
            "compiled by itself: accept the break, or call the library outside of what is compiled."
        )
    return hint


def by_explanation(text: str) -> Message | None:
    """What is known to help on what torch explains so, of a break or of the error that it is with fullgraph=True."""
    for explanation, advice in _BY_EXPLANATION:
        if explained := explanation.search(text):
            return Message(advice.format(*explained.groups()))
    return None


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


def _looks_up_an_implementation(found: GraphBreak) -> bool:
    calls = () if isinstance(found.stack, Unknown) else found.stack
    return any(one.function in _OF_SINGLEDISPATCH and re.search(r"[/\\]functools\.py$", one.file) for one in calls)
