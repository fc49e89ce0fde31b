"""Conditions on one value: what torch prints for a leaf guard, as a check in which `_` is the value.

One parser per kind. Each takes the whole text or nothing: what is left over, a source that is not the value's own, or a
value without a known form makes the check unknown, and the guard stays as torch prints it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from unjit.guards.leaf_text import LeafText, Parsed
from unjit.guards.runtime import MARKS
from unjit.guards.tensors import NO_MARKS, dimension_marks, tensor_match
from unjit.guards.torch_state import STATE_PARSERS
from unjit.guards.values import class_name, dotted_name, member_at, member_name, type_expression, value_expression

ADDRESS = " at 0x"  # after what has no text of its own, and is the one object that lies there
ABSENT = "no "  # before a key or member that must not be there
_HINT = re.compile(r"\s+\(HINT: .*\)$", re.DOTALL)
_LAMBDA_FIRST = re.compile(r"([\w.]+)\(")


def parse_leaf(leaf: LeafText) -> Parsed | None:
    """The check of one leaf guard; None if its text is not of the form that its kind has."""
    parser = _PARSERS.get(leaf.kind)
    if parser is None:
        return None
    return parser(leaf.with_parts(tuple(_HINT.sub("", part) for part in leaf.parts))) or parser(leaf)


def _text(parse: Callable[[str, LeafText], Parsed | None]) -> Callable[[LeafText], Parsed | None]:
    """A parser of guards that have one text."""
    return lambda leaf: parse(leaf.parts[0], leaf) if len(leaf.parts) == 1 else None


def _between(before: str, text: str, after: str) -> str | None:
    fits = text.startswith(before) and text.endswith(after) and len(text) >= len(before) + len(after)
    return text[len(before) : len(text) - len(after)] if fits else None


def _type_match(text: str, leaf: LeafText) -> Parsed | None:
    rest = _between(f"___check_type_id({leaf.source}, ", text, "")
    match = re.fullmatch(r"(\d+)\)(?:, type=(.*))?", rest or "", re.DOTALL)
    if match is None:
        return None
    address, kind = int(match[1]), leaf.kind_of_value
    known = dotted_name(kind) if kind is not None and id(kind) == address else "a class"  # older torch prints no name
    return type_check(address, known if match[2] is None else class_name(match[2]) or match[2])


def type_check(address: int, name: str) -> Parsed:
    """That the class is the one at this address; by its name alone where everybody knows the name."""
    written = type_expression(name, address)
    check = f"type(_) is {written}" if written else f"is_exactly(_, {name!r}, {address:#x})"
    return Parsed(check, name, class_name(name) or name)


def _id_match(text: str, leaf: LeafText) -> Parsed | None:
    rest = _between(f"___check_obj_id({leaf.source}, ", text, "") or _between(
        f"__check_obj_id({leaf.source}, ", text, ""
    )
    match = re.fullmatch(r"(\d+)\)(?:, type=(.*))?", rest or "", re.DOTALL)
    if match is None:
        return None
    address, kind = int(match[1]), leaf.kind_of_value
    member = member_at(kind, address)
    name = None if member is None else member_name(member)
    what = name or class_name(match[2] or "") or match[2] or ""
    described = f", {what!r}" if what else ""
    told = name or f"the {what or 'object'}"
    if what and kind is not None and issubclass(kind, type):  # of a class torch prints the class itself, not its own
        name, told = class_name(match[2] or ""), f"the class {what}"
    return Parsed(f"same_object(_, {address:#x}{described})", f"{told}{ADDRESS}{address:x}", name)


def _equals(text: str, leaf: LeafText) -> Parsed | None:
    value = _between(f"{leaf.source} == ", text, "")
    written = None if value is None else value_expression(value.strip(), leaf.kind_of_value)
    return None if value is None or written is None else Parsed(f"same_value(_, {written})", value.strip())


def _constant(suffix: str, check: str, expected: str) -> Callable[[LeafText], Parsed | None]:
    return _text(lambda text, leaf: Parsed(check, expected) if text == f"{leaf.source}{suffix}" else None)


def items(number: str) -> str:
    """A number of items in words."""
    return f"{number} item{'' if number == '1' else 's'}"


def _count(text: str, leaf: LeafText) -> str | None:
    if text == f"not {leaf.source}":
        return "0"
    number = _between(f"len({leaf.source}) == ", text, "")
    return number if number and number.isdecimal() else None


def _length(function: str) -> Callable[[str, LeafText], Parsed | None]:
    def parse(text: str, leaf: LeafText) -> Parsed | None:
        number = _count(text, leaf)
        return None if number is None else Parsed(f"{function}(_) == {number}", items(number))

    return parse


def _contains(function: str) -> Callable[[str, LeafText], Parsed | None]:
    def parse(text: str, leaf: LeafText) -> Parsed | None:
        negation, call = ("not ", text[4:]) if text.startswith("not ") else ("", text)
        if function == "has_key":
            member = _between("___dict_contains(", call, f", {leaf.source})")
        else:
            member = _between(f"set.__contains__({leaf.source}, ", call, ")")
        written = None if member is None else value_expression(member, None)
        return (
            None if written is None else Parsed(f"{negation}{function}(_, {written})", f"{negation and ABSENT}{member}")
        )

    return parse


def _no_attribute(text: str, leaf: LeafText) -> Parsed | None:
    name = _between(f"not hasattr({leaf.source}, ", text, ")") or _between(
        f"hasattr({leaf.source}, ", text, ") == False"
    )
    written = None if name is None else value_expression(name, str)
    if written is None:
        return None
    of_marks = written in map(repr, MARKS)  # before torch had a guard of its own for them
    return Parsed(f"not has_attribute(_, {written})", NO_MARKS if of_marks else "no such attribute")


def _dict_version(text: str, leaf: LeafText) -> Parsed | None:
    number = _between(f"___dict_version({leaf.source}) == ", text, "")
    told = number and number.isdecimal()
    return Parsed(f"dict_unchanged(_, {number})", "no change since the compile") if told else None


def _mapping_keys(text: str, leaf: LeafText) -> Parsed | None:
    keys = _between(f"list({leaf.source}.keys()) == ", text, "")
    written = None if keys is None else value_expression(keys, list)
    return None if written is None else Parsed(f"list(_.keys()) == {written}", str(keys))


def _tuple_iterator(text: str, leaf: LeafText) -> Parsed | None:
    number = _between(f"___tuple_iterator_len({leaf.source}) == ", text, "")
    check = f"type(_) is type(iter(())) and len(rest_of(_)) == {number}"
    return Parsed(check, f"{number} left") if number and number.isdecimal() else None


def _iterator(function: str, text: str, source: str) -> Parsed | None:
    prefix = {"range_left": "___normalize_range_iter", "count_left": "___normalize_count_iter"}[function]
    state = _between(f"{prefix}({source}) == ", text, "")
    written = None if state is None else value_expression(state, tuple)
    return None if written is None else Parsed(f"{function}(_) == {written}", str(state))


def _nan(name: str) -> Callable[[str, LeafText], Parsed | None]:
    def parse(text: str, leaf: LeafText) -> Parsed | None:
        test = "__math_isnan" if name == "float" else "__numpy_isnan"
        fits = text == f"(type({leaf.source}) is {name} and {test}({leaf.source}))"
        return Parsed(f"is_nan(_, {name})", "nan") if fits else None

    return parse


def _key_set(text: str, leaf: LeafText) -> Parsed | None:
    names = _between(f"{leaf.source}.raw_repr() == DispatchKeySet(", text, ").raw_repr()")
    return None if names is None else Parsed(f"dispatch_keys_are(_, {names!r})", names)


def _lambda(text: str, leaf: LeafText) -> Parsed | None:
    """Conditions that Dynamo writes in Python: an itertools.count, and a subclass of int, str and the like."""
    first = _LAMBDA_FIRST.match(text)
    if first and first[1] == "___normalize_count_iter":
        return _iterator("count_left", text, leaf.source)
    if first is None or first[1] not in ("int", "float", "str", "bytes", "complex"):
        return None
    value = _between(f"{first[1]}({leaf.source}) == ", text, "")
    written = None if value is None else value_expression(value, None)
    return None if written is None else Parsed(f"{first[1]}(_) == {written}", str(value))


def dict_check(kind: type, size: int) -> Parsed:
    """That a dict has exactly this class and size: what Dynamo's manager of ordered dicts checks by itself."""
    name = dotted_name(kind)
    if kind is dict:
        return Parsed(f"dict_of(_, {size})", f"dict of {size}")
    return Parsed(f"dict_of(_, {size}, {name!r}, {id(kind):#x})", f"{name} of {size}")


def there() -> Parsed:
    """That a value can be reached: what Dynamo checks where it asks nothing else of a value."""
    return Parsed("is_there(_)", "to be there")


_PARSERS: dict[str, Callable[[LeafText], Parsed | None]] = {
    "TYPE_MATCH": _text(_type_match),
    "ID_MATCH": _text(_id_match),
    "EQUALS_MATCH": _text(_equals),
    "TRUE_MATCH": _constant(" == True", "_ is True", "True"),
    "FALSE_MATCH": _constant(" == False", "_ is False", "False"),
    "NONE_MATCH": _constant(" is None", "_ is None", "None"),
    "NOT_NONE": _constant(" is not None", "_ is not None", "not None"),
    "LENGTH_CHECK": _text(_length("len")),
    "DICT_LENGTH": _text(_length("dict.__len__")),
    "DICT_CONTAINS": _text(_contains("has_key")),
    "SET_CONTAINS": _text(_contains("has_member")),
    "NO_HASATTR": _text(_no_attribute),
    "DICT_VERSION": _text(_dict_version),
    "MAPPING_KEYS_MATCH": _text(_mapping_keys),
    "TUPLE_ITERATOR_LEN": _text(_tuple_iterator),
    "RANGE_ITERATOR_MATCH": _text(lambda text, leaf: _iterator("range_left", text, leaf.source)),
    "FLOAT_IS_NAN": _text(_nan("float")),
    "COMPLEX_IS_NAN": _text(_nan("complex")),
    "DISPATCH_KEY_SET_MATCH": _text(_key_set),
    "LAMBDA_GUARD": _text(_lambda),
    "LAMBDA_GUARD_NO_FRAMELOCALS": _text(_lambda),
    "TENSOR_MATCH": tensor_match,
    "DIMENSION_DYNAMIC_MARKING_GUARD": dimension_marks,
    "DYNAMIC_INDICES": dimension_marks,
    **STATE_PARSERS,
}
