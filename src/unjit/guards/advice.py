"""What to change so that a guard holds, or is not needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from unjit.guards.advice_on_tensors import (
    SPECIAL,
    Fixed,
    advice_on_tensor,
    made_for,
    of_a_small_size,
    subject_of,
    there_or_not,
)
from unjit.guards.distance import causes, is_of_a_member
from unjit.guards.evaluate import NO_VIEW, ONE_OBJECT, UNREAD, Finding
from unjit.guards.leaves import ABSENT
from unjit.guards.tensors import NO_MARKS
from unjit.model import Unknown
from unjit.model.words.sources import as_written
from unjit.model.words.wording import (
    NUMBERS_VARY,
    VARYING_INTS,
    a_view_or_none,
    instead_of_a_constant,
    marks_of,
    one_place_in_memory,
    other_arguments,
    other_parts,
    where_it_holds,
)
from unjit.torch_private.guard_trees.state import floats_are_constants

_NOT_SMALL = re.compile(r"[12] <= (.+)\.size\(\)\[\d+\]")  # as every entry asks of a size that may vary
_OFFSET = re.compile(r"([^\s()]+)\.storage_offset\(\)")
_NUMBER = re.compile(r"-?[\d.]+(e[-+]?\d+)?|nan|-?inf")
_FLOAT = r"-?\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+)"
_IS_FLOAT, _IS_INT = re.compile(_FLOAT), re.compile(r"-?\d+")
_NEEDED_FLOAT = re.compile(rf"(\S+) == {_FLOAT}")  # which varied until the code needed it as a number
_OF_LENGTH = {"DICT_MANAGER", "DICT_LENGTH", "LENGTH_CHECK", "MAPPING_KEYS_MATCH"}
_BUILTIN = "the builtin_function_or_method"  # as a value is shown that is one
_KEY = re.compile(r"list\(dict\.keys\((.*)\)\)\[\d+\]")


def advice_for(
    findings: Iterable[Finding], of_all: Iterable[Finding] = (), gathering: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """One sentence for each thing that can be done, the most promising first, each once.

    `of_all` are those of all entries of the function: several that are each for a size of their own tell of its code.
    `gathering` says what parameters gather other arguments: `{"args": "positional", "kwargs": "keyword"}`.
    """
    told, fixed = causes(list(findings)), made_for(of_all)
    return list(dict.fromkeys(sentence for finding in told for sentence in _advice(finding, fixed, gathering)))


def _advice(finding: Finding, fixed: Fixed, gathering: Mapping[str, str]) -> Iterator[str]:
    subject = subject_of(finding.guard)
    if subject in gathering and finding.guard.kind in _OF_LENGTH:
        yield other_arguments(gathering[subject])
    elif finding.expected == "to be there":
        yield _present(finding, subject)
    elif finding.guard.kind == "TENSOR_MATCH":
        yield from advice_on_tensor(finding, subject, fixed)
    elif _may_vary(finding, fixed.get((subject, None), [])):
        yield f"{_value(finding, subject)} {NUMBERS_VARY}"
    else:
        maker = _BY_KIND.get(str(finding.guard.kind))
        sentence = None if maker is None else maker(finding, subject)
        if sentence:
            yield sentence


def _value(finding: Finding, subject: str) -> str:
    topic = finding.guard.topic
    key = _KEY.match(subject)
    if key:
        return _dict(finding, key[1])
    if topic == "module" and subject.endswith(".training"):
        return "train() and eval() need an entry each: accept both, or switch only before the first call."
    if "None" in (finding.expected, finding.actual):
        return there_or_not(finding, subject)
    if not _NUMBER.fullmatch(finding.actual):  # which a tensor could hold
        return f"{subject} is a constant to Dynamo: keep it the same in all calls, or accept an entry for each value."
    if all(map(_IS_FLOAT.fullmatch, (finding.expected, finding.actual))) and floats_are_constants():
        return (
            f"{subject} is a constant to Dynamo: pass it as a tensor, or set torch._dynamo.config.specialize_float = "
            "False before the first call, which lets it vary unless the code needs it as a number."
        )
    return f"{subject} is a constant to Dynamo: {instead_of_a_constant(topic, finding.expected)}"


def _may_vary(finding: Finding, values: list[str]) -> bool:
    """Whether it is a number of which Dynamo has seen one value, as far as entries tell.

    Of what is an int in one call and a float in another, and of infinities and nan, it may let vary neither. An int
    that a module or a global keeps it does not let vary, as a float.
    """
    if finding.guard.kind != "EQUALS_MATCH" or len(set(values)) > 1:
        return False
    sides = finding.expected, finding.actual
    if all(map(_IS_INT.fullmatch, sides)):
        return finding.guard.topic in VARYING_INTS and not SPECIAL & set(sides)
    return all(map(_IS_FLOAT.fullmatch, sides)) and not floats_are_constants()


def _identity(finding: Finding, subject: str) -> str:
    function = subject.removesuffix(".__code__")
    if function != subject and finding.guard.topic == "closure":
        return (
            f"Closures of one def, such as a decorator makes, share their entries: each {function} needs one, and all "
            "count against Dynamo's limit. Compile the function and decorate what torch.compile returns, or accept it."
        )
    if function != subject:
        return _compiled_in(finding, function, "the same function, or one of the same def or lambda,")
    if finding.expected.startswith(_BUILTIN):
        return _compiled_in(finding, subject, "the same function")
    if is_of_a_member(finding):
        return f"{subject} is a constant to Dynamo: keep it the same in all calls, or accept an entry for each value."
    return f"{subject} must be the same object in all calls: make it once, outside, or move what uses it out."


def _compiled_in(finding: Finding, function: str, same: str) -> str:
    how = f"pass {same}" if finding.guard.topic == "arguments" else f"let {function} be {same}"
    return f"What {function} does is compiled in: {how} in all calls, or accept one entry for each function."


def _type(finding: Finding, subject: str) -> str:
    how = f"Pass {subject} with" if finding.guard.topic == "arguments" else f"Let {subject} be of"
    return f"{how} the same class in all calls, or accept one entry for each class."


def _dict(finding: Finding, subject: str) -> str:
    told = other_parts(subject) if finding.guard.topic == "module" else None
    if told is None and finding.guard.kind == "DICT_MANAGER" and _is_of_another_class(finding):
        return _type(finding, subject)
    return told or f"Give {subject} the same keys in the same order in all calls."


def _is_of_another_class(finding: Finding) -> bool:
    """Of a guard on a dict, of which both sides tell the class and the size."""
    expected, actual = (side.partition(" of ")[0] for side in (finding.expected, finding.actual))
    return expected != actual


def _contains(finding: Finding, subject: str) -> str:
    """Of one key: of what is kept in an object's own dict, that it is there or not. It may be another object by now."""
    owner, key = subject.removesuffix(".__dict__"), finding.expected.removeprefix(ABSENT)
    is_unwanted = key != finding.expected
    if owner == subject:
        return f"Put {key} into {subject} in all calls or in none, or accept an entry for each."
    has = f"{owner} has {key} set on itself" if is_unwanted else f"{owner} has no {key} set on itself"
    return f"{has}, unlike at the compile: do that in all calls or in none, or accept one more entry."


def _present(finding: Finding, subject: str) -> str:
    if subject.endswith(".__code__"):  # what is called is no function any more, which alone has code
        return _identity(finding, subject)
    return f"Make sure that {subject} is there in all calls."


def _length(finding: Finding, subject: str) -> str | None:
    """Nothing of what has no length: a guard on its class fails as well."""
    if not finding.actual.endswith((" item", " items")):
        return None
    return (
        f"Give {subject} the same length in all calls (add to it outside of what is compiled), or pass tensors of "
        "one shape stacked as one."
    )


def _relation(finding: Finding, _subject: str) -> str:
    condition = str(finding.guard.condition)
    if finding.actual.endswith(NO_VIEW):
        return a_view_or_none(as_written(finding.actual.removesuffix(f" {NO_VIEW}").rpartition(", ")[2]))
    small = _NOT_SMALL.fullmatch(condition)
    if small and UNREAD not in finding.actual:
        return of_a_small_size(small[1])
    if number := _NEEDED_FLOAT.fullmatch(condition):
        return (
            f"{number[1]} is a constant to Dynamo, as the code needs it as a number: pass it as a tensor, if what "
            "takes it can use one, or accept one entry for each value."
        )
    if offset := _OFFSET.search(condition):
        return one_place_in_memory(offset[1])
    return where_it_holds(condition)


def _aliasing(finding: Finding, _subject: str) -> str | None:
    if not finding.actual.endswith(ONE_OBJECT):
        return None
    return "Pass a tensor in two places in all calls or in none, as x.clone() would, or accept one more entry."


def _marks(_finding: Finding, subject: str) -> str:
    return marks_of(subject)


def _attribute(finding: Finding, subject: str) -> str | None:
    return _marks(finding, subject) if finding.expected == NO_MARKS else None


def _settings(finding: Finding, _subject: str) -> str:
    told = "" if isinstance(finding.guard.expected, Unknown) else f" ({finding.expected})"
    return f"Call it under the same settings of torch as at the compile{told}."


_BY_KIND: dict[str, Callable[[Finding, str], str | None]] = {
    "EQUALS_MATCH": _value,
    "TRUE_MATCH": _value,
    "FALSE_MATCH": _value,
    "NONE_MATCH": _value,
    "ID_MATCH": _identity,
    "TYPE_MATCH": _type,
    "DICT_MANAGER": _dict,
    "DICT_CONTAINS": _contains,
    "DICT_LENGTH": _dict,
    "MAPPING_KEYS_MATCH": _dict,
    "PRESENT": _present,
    "LENGTH_CHECK": _length,
    "LAMBDA": _relation,
    "SYMBOLIC_SHAPE": _relation,
    "OBJECT_ALIASING": _relation,
    "NO_TENSOR_ALIASING": _aliasing,
    "DIMENSION_DYNAMIC_MARKING": _marks,
    "NO_HASATTR": _attribute,
    "GLOBAL_STATE": _settings,
    "DEFAULT_DEVICE": _settings,
    "TORCH_FUNCTION_MODE_STACK": _settings,
}
