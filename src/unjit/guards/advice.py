"""What to change so that a guard holds, or is not needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from unjit.guards.evaluate import ONE_OBJECT, UNREAD, Finding
from unjit.guards.leaves import ABSENT, ADDRESS
from unjit.guards.tensors import NO_MARKS, is_parameter
from unjit.model import Guard, Unknown
from unjit.model.wording import (
    NUMBERS_VARY,
    SIZES_VARY,
    an_entry_for_each_size,
    one_place_in_memory,
    sizes_of_a_parameter,
)
from unjit.torch_private.guard_trees.state import floats_are_constants

_SHAPE = re.compile(r"\bshape \(([^)]*)\)")
_DTYPE, _STRIDE, _GRADIENT = map(re.compile, (r"\bdtype ", r"\bstride \(", r"\brequires_grad "))
_PROPERTY = re.compile(r"\b(?:dtype|shape|(?<!\), )stride|requires_grad|device) ")
_SETTING = re.compile(r"\w+=")
_SIZE = re.compile(r"\w+")  # a number, or `any`
_SPECIAL = {"0", "1"}  # sizes that torch never lets vary
_ARRAY = re.compile(r"torch\.from_numpy\((.*)\)")  # of which Dynamo itself makes a tensor, that nobody can mark
_NOT_SMALL = re.compile(r"[12] <= (.+)\.size\(\)\[\d+\]")  # as every entry asks of a size that may vary
_OFFSET = re.compile(r"([^\s()]+)\.storage_offset\(\)")
_NUMBER = re.compile(r"-?[\d.]+(e[-+]?\d+)?|nan|-?inf")
_FLOAT = r"-?\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+)"
_IS_FLOAT, _IS_INT = re.compile(_FLOAT), re.compile(r"-?\d+")
_NEEDED_FLOAT = re.compile(rf"(\S+) == {_FLOAT}")  # which varied until the code needed it as a number
_KEY = re.compile(r"list\(dict\.keys\((.*)\)\)\[\d+\]")


_Fixed: TypeAlias = dict[tuple[str, int | None], list[str]]  # sizes by tensor and dimension, and values by subject


def advice_for(findings: Iterable[Finding], of_all: Iterable[Finding] = ()) -> list[str]:
    """One sentence for each thing that can be done, the most promising first, each once.

    `of_all` are those of all entries of the function: several that are each for a size of their own tell of its code.
    """
    told, fixed = _causes(list(findings)), _made_for(of_all)
    return list(dict.fromkeys(sentence for finding in told for sentence in _advice(finding, fixed)))


def distance(findings: Sequence[Finding]) -> tuple[int, int, int]:
    """How far a call is from an entry: all that differs, the tensors with other numbers of dimensions, and strides.

    Of such tensors nothing else is told, whatever else would fail with them.
    """
    causes = _causes(findings)
    strides = sum(bool(_STRIDE.search(finding.expected)) for finding in causes)
    return sum(map(_differences, causes)), sum(map(_has_other_dimensions, causes)), strides


def _causes(findings: Sequence[Finding]) -> list[Finding]:
    """Without the dispatch keys of tensors where settings of torch differ, which they follow."""
    settled = any(finding.guard.kind == "GLOBAL_STATE" for finding in findings)
    return [finding for finding in findings if not (settled and finding.actual.startswith("dispatch keys"))]


def _differences(finding: Finding) -> int:
    """How many settings, or properties of a tensor, differ: strides go with the shape. Of any other guard one."""
    if finding.guard.kind == "GLOBAL_STATE":
        return len(_SETTING.findall(finding.expected))
    if finding.guard.kind != "TENSOR_MATCH":
        return 1
    return max(1, len(_PROPERTY.findall(finding.expected)))


def _has_other_dimensions(finding: Finding) -> bool:
    wanted, given = _shape(finding.expected), _shape(finding.actual)
    return wanted is not None and given is not None and len(wanted) != len(given)


def _shape(text: str) -> list[str] | None:
    """The sizes in what is said of a tensor, `any` for each that may vary; None where none are told."""
    found = _SHAPE.search(text)
    return None if found is None else _SIZE.findall(found[1].lower())


def _made_for(findings: Iterable[Finding]) -> _Fixed:
    """The sizes and values that entries are made for, where they are not let vary."""
    fixed: _Fixed = {}
    for finding in findings:
        subject = _subject(finding.guard)
        shape = _shape(finding.expected) if finding.guard.kind == "TENSOR_MATCH" else None
        for dimension, size in enumerate(shape or ()):
            known = fixed.setdefault((subject, dimension), [])
            known += [size] if size not in (*known, *_SPECIAL, "any") else []
        if finding.guard.kind == "EQUALS_MATCH":
            fixed.setdefault((subject, None), []).append(finding.expected)
    return fixed


def _advice(finding: Finding, fixed: _Fixed) -> Iterator[str]:
    subject = _subject(finding.guard)
    if finding.expected == "to be there":
        yield _present(finding, subject)
    elif finding.guard.kind == "TENSOR_MATCH":
        yield from _tensor(finding, subject, fixed)
    elif _may_vary(finding, fixed.get((subject, None), [])):
        yield f"{_value(finding, subject)} {NUMBERS_VARY}"
    else:
        maker = _BY_KIND.get(str(finding.guard.kind))
        sentence = None if maker is None else maker(finding, subject)
        if sentence:
            yield sentence


def _subject(guard: Guard) -> str:
    return "it" if isinstance(guard.subject, Unknown) else str(guard.subject)


def _tensor(finding: Finding, subject: str, made_for: _Fixed) -> Iterator[str]:
    """One sentence for each property that differs, but for strides that follow from the shape."""
    array = _ARRAY.fullmatch(subject)
    fixed = {at: known for (of, at), known in made_for.items() if of == subject and at is not None}
    subject = array[1] if array else subject
    if finding.guard.topic == "module":
        yield f"Leave {subject} of the module as it is between calls, or accept one entry for each kind of it."
        return
    told = list(_by_property(finding, subject, fixed, is_array=array is not None))
    if finding.actual.startswith("dispatch keys"):
        told = [
            f"Make {subject} under the same settings in all calls: what torch.inference_mode() makes is of its own."
        ]
    yield from told or [f"Pass {subject} with the expected properties, or accept one entry for each kind of {subject}."]


def _by_property(finding: Finding, subject: str, fixed: dict[int, list[str]], *, is_array: bool) -> Iterator[str]:
    """Of what is no tensor nothing is told: then the value has none of the properties."""
    actual = finding.actual
    if _DTYPE.search(actual):
        yield f"Convert {subject} to one dtype before the call, or accept one entry for each dtype."
    wanted, given = _shape(finding.expected), _shape(actual)
    if wanted is not None and given is not None:
        if len(wanted) == len(given) and is_parameter(finding.guard):
            yield sizes_of_a_parameter(subject)
        else:
            yield _each_its_own(subject, wanted, given, fixed) or _sizes(subject, wanted, given, may_mark=not is_array)
    elif _STRIDE.search(actual):
        example = f"numpy.ascontiguousarray({subject})" if is_array else f"{subject}.contiguous()"
        yield f"Give {subject} the same layout in all calls, for example by {example}."
    if _GRADIENT.search(actual):
        how = f"{subject}.detach() will do where it needs no gradient"
        yield f"Let {subject} have the same requires_grad in all calls: {how}."


def _each_its_own(subject: str, wanted: list[str], given: list[str], fixed: dict[int, list[str]]) -> str | None:
    """Of a size that varied before and was not let vary: Dynamo does so by itself from its second value on."""
    if len(wanted) != len(given):
        return None
    own = [k for k, size in enumerate(wanted) if size not in ("any", given[k]) and len(fixed.get(k, ())) > 1]
    if not own or given[own[0]] in _SPECIAL:
        return None
    return an_entry_for_each_size(subject, own[0], fixed[own[0]])


def _sizes(subject: str, wanted: list[str], given: list[str], *, may_mark: bool) -> str:
    if len(wanted) != len(given):
        return f"Give {subject} the same number of dimensions in all calls, or accept one entry for each number."
    if not may_mark:
        return f"To let one entry serve several sizes of {subject}, compile with dynamic=True, or pass a tensor."
    others = [k for k, (one, other) in enumerate(zip(wanted, given, strict=True)) if one not in (other, "any")]
    if any({wanted[k], given[k]} & _SPECIAL for k in others):
        return f"torch makes an entry of its own for a size of 0 or 1: pad {subject}, or accept one more entry."
    dimension = others[0] if len(others) == 1 else others or "dim"
    return (
        f"To let one entry serve several sizes of {subject}, compile with dynamic=True, or mark what varies before the "
        f"first call: torch._dynamo.mark_dynamic({subject}, {dimension}), and the same in every argument whose size "
        f"goes with it, or torch raises. {SIZES_VARY}"
    )


def _value(finding: Finding, subject: str) -> str:
    topic = finding.guard.topic
    key = _KEY.match(subject)
    if key:
        return _dict(finding, key[1])
    if topic == "module" and subject.endswith(".training"):
        return "train() and eval() need an entry each: accept both, or switch before the first call alone."
    if "None" in (finding.expected, finding.actual):
        return f"None and anything else need an entry each: always pass {subject}, or never, or accept both."
    if not _NUMBER.fullmatch(finding.actual):  # which a tensor could hold
        return f"{subject} is a constant to Dynamo: keep it the same in all calls, or accept an entry for each value."
    if all(map(_IS_FLOAT.fullmatch, (finding.expected, finding.actual))) and floats_are_constants():
        return (
            f"{subject} is a constant to Dynamo: pass it as a tensor, or set torch._dynamo.config.specialize_float = "
            "False before the first call, which lets it vary unless the code needs it as a number."
        )
    if topic == "arguments":
        return f"{subject} is a constant to Dynamo: pass it as a tensor, or always pass the same value."
    if topic == "module":
        return f"{subject} is a constant to Dynamo: set it once, before the first call, or make it a buffer."
    return f"{subject} is a constant to Dynamo: do not change it between calls, or pass it as a tensor argument."


def _may_vary(finding: Finding, values: list[str]) -> bool:
    """Whether it is a number of which Dynamo has seen one value, as far as entries tell.

    Of what is an int in one call and a float in another, and of infinities and nan, it may let vary neither.
    """
    if finding.guard.kind != "EQUALS_MATCH" or finding.guard.topic != "arguments" or len(set(values)) > 1:
        return False
    sides = finding.expected, finding.actual
    if all(map(_IS_INT.fullmatch, sides)):
        return not _SPECIAL & set(sides)
    return all(map(_IS_FLOAT.fullmatch, sides)) and not floats_are_constants()


def _identity(finding: Finding, subject: str) -> str:
    function = subject.removesuffix(".__code__")
    if function != subject and finding.guard.topic == "closure":
        return (
            f"Closures of one def, such as a decorator makes, share their entries: each {function} needs one, and all "
            "count against Dynamo's limit. Compile the function and decorate what torch.compile returns, or accept it."
        )
    if ADDRESS not in finding.actual:  # told by its name, as members of an enum are
        return f"{subject} is a constant to Dynamo: keep it the same in all calls, or accept an entry for each value."
    return f"{subject} must be the same object in all calls: make it once, outside, or move what uses it out."


def _type(finding: Finding, subject: str) -> str:
    how = f"Pass {subject} with" if finding.guard.topic == "arguments" else f"Let {subject} be of"
    return f"{how} the same class in all calls, or accept one entry for each class."


def _dict(_finding: Finding, subject: str) -> str:
    return f"Give {subject} the same keys in the same order in all calls."


def _contains(finding: Finding, subject: str) -> str:
    """Of one key: of what is kept in an object's own dict, that it is there or not. It may be another object by now."""
    owner, key = subject.removesuffix(".__dict__"), finding.expected.removeprefix(ABSENT)
    is_unwanted = key != finding.expected
    if owner == subject:
        return f"Have {key} in {subject} in all calls or in none, or accept an entry for each."
    has = f"{owner} has {key} set on itself" if is_unwanted else f"{owner} has no {key} set on itself"
    return f"{has}, unlike at the compile: have it so in all calls or in none, or accept one more entry."


def _present(_finding: Finding, subject: str) -> str:
    return f"See to it that {subject} is there in all calls."


def _length(_finding: Finding, subject: str) -> str:
    return f"Give {subject} the same length in all calls, or stack its items, if tensors, into one."


def _relation(finding: Finding, _subject: str) -> str:
    condition = str(finding.guard.condition)
    small = _NOT_SMALL.fullmatch(condition)
    if small and UNREAD not in finding.actual:
        return f"torch makes an entry of its own for a size of 0 or 1: pad {small[1]}, or accept one more entry."
    if number := _NEEDED_FLOAT.fullmatch(condition):
        return (
            f"{number[1]} is a constant to Dynamo, as the code needs it as a number: pass it as a tensor, if what "
            "takes it can use one, or accept one entry for each value."
        )
    if offset := _OFFSET.search(condition):
        return one_place_in_memory(offset[1])
    return f"The code is made for calls in which `{condition}` holds: make only such calls, or accept one more entry."


def _aliasing(finding: Finding, _subject: str) -> str | None:
    if not finding.actual.endswith(ONE_OBJECT):
        return None
    return "Pass a tensor in two places in all calls or in none, as x.clone() would, or accept one more entry."


def _marks(_finding: Finding, subject: str) -> str:
    return f"Mark the same dimensions of {subject} in all calls, beginning with the first: a mark makes another entry."


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
