"""The steps that a pattern is made of: questions about the subject and its parts, and taking them apart."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeGuard

from unjit.decompiler.ir.flow.graph import Block, Branch, Edge
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.nodes import Accumulate, Define, Helper, Temp
from unjit.decompiler.passes.patterns.parts.facts import Bound, Facts, Parts, value_pattern

Definitions = dict[Temp, ast.expr]


# ---------------------------------------------------------------- questions
@dataclass
class Asked:
    """A question that ends a block: what it is asked of, where it goes, and what passing it tells."""

    temp: Temp
    test: Temp
    passes: Edge
    fails: Edge | None  # None for an or-pattern whose last alternative asks nothing
    note: Callable[[Facts], None]
    pattern: ast.pattern | None = None  # for a comparison with a value, which others ask as well


def asked(block: Block, definitions: Definitions) -> Asked | None:
    """The question of a pattern that the branch at the end of `block` asks; None for any other."""
    branch = block.terminator
    if not isinstance(branch, Branch) or not isinstance(branch.test, Temp):
        return None
    test = definitions.get(branch.test)
    if isinstance(test, Helper) and test.name in ("MATCH_SEQUENCE", "MATCH_MAPPING"):
        return _kind_asked(branch, branch.test, test)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.left, Temp):
        return None
    of = definitions.get(test.left)
    if isinstance(of, Helper) and of.name == "GET_LEN":
        return _length_asked(branch, branch.test, of, test)
    if isinstance(of, Helper) and of.name in ("MATCH_KEYS", "MATCH_CLASS"):
        return _found_asked(branch, branch.test, test.left, of, test)
    return _value_asked(branch, branch.test, test, definitions)


def _kind_asked(branch: Branch, test: Temp, question: Helper) -> Asked | None:
    temp, is_sequence = question.args[0], question.name == "MATCH_SEQUENCE"
    if not isinstance(temp, Temp):
        return None
    return Asked(
        temp,
        test,
        branch.true,
        branch.false,
        lambda facts: (facts.sequences if is_sequence else facts.mappings).add(temp),
    )


def _length_asked(branch: Branch, test: Temp, question: Helper, compared: ast.Compare) -> Asked | None:
    temp, count, operator = question.args[0], compared.comparators[0], compared.ops[0]
    if not isinstance(temp, Temp) or not isinstance(count, ast.Constant) or type(count.value) is not int:
        return None
    if not isinstance(operator, ast.Eq | ast.GtE):
        return None
    said = isinstance(operator, ast.Eq), count.value
    return Asked(temp, test, branch.true, branch.false, lambda facts: facts.lengths.update({temp: said}))


def _found_asked(branch: Branch, test: Temp, found: Temp, question: Helper, compared: ast.Compare) -> Asked | None:
    temp, nothing = question.args[0], compared.comparators[0]
    if not isinstance(temp, Temp) or not is_none(nothing):
        return None
    passes, fails = (
        (branch.true, branch.false) if isinstance(compared.ops[0], ast.IsNot) else (branch.false, branch.true)
    )

    def note(facts: Facts) -> None:
        if question.name == "MATCH_KEYS":
            facts.keys[temp] = found, question.args[1]
        else:
            facts.classes[temp] = found, question

    return Asked(temp, test, passes, fails, note)


def _value_asked(branch: Branch, test: Temp, compared: ast.Compare, definitions: Definitions) -> Asked | None:
    temp, operator, value = compared.left, compared.ops[0], compared.comparators[0]
    assert isinstance(temp, Temp)
    pattern: ast.pattern | None = None
    passes, fails = branch.true, branch.false
    if isinstance(operator, ast.Eq):
        pattern = value_pattern(_written(value, definitions))
    elif isinstance(value, ast.Constant) and (value.value is None or type(value.value) is bool):
        pattern = ast.MatchSingleton(value.value)
        if isinstance(operator, ast.IsNot):
            passes, fails = fails, passes
        elif not isinstance(operator, ast.Is):
            pattern = None
    if pattern is None:
        return None
    noted = pattern
    return Asked(temp, test, passes, fails, lambda facts: facts.values.update({temp: noted}), pattern)


def _written(value: ast.expr, definitions: Definitions) -> ast.expr:
    """The dotted name, or the constant, that was loaded; anything else as it is."""
    if isinstance(value, Temp) and isinstance(definitions.get(value), ast.Attribute | ast.Name):
        value = definitions[value]
    if isinstance(value, ast.Attribute):
        return ast.Attribute(_written(value.value, definitions), value.attr, ast.Load())
    return value


# ---------------------------------------------------------------- taking apart
@dataclass
class Taken:
    """How far a block's statements are steps: up to `sure` for certain, up to `at` if a question follows."""

    at: int
    sure: int
    names: Bound


def take(statements: list[ast.stmt], at: int, facts: Facts, family: set[Temp]) -> Taken:
    """Note the steps on values of the family from statement `at` on, and what is bound after them."""
    taken = Taken(at, at, {})
    for k in range(at, len(statements)):
        statement = statements[k]
        if isinstance(statement, ast.Assign) and isinstance(statement.value, Temp) and statement.value in family:
            target = statement.targets[0]
            if isinstance(target, ast.Name):
                taken.names.setdefault(statement.value, []).append(target.id)
                taken.sure = taken.at = k + 1
                continue
        if taken.names:
            return taken
        if _is_step(statement, facts, family):
            taken.sure = taken.at = k + 1
        elif is_load(statement):
            taken.at = k + 1
        else:
            return taken
    return taken


def is_load(statement: ast.stmt) -> bool:
    """Whether a value is loaded, perhaps for the question that follows."""
    if not isinstance(statement, Define):
        return False
    value = statement.value
    return isinstance(value, ast.Name | ast.Attribute | ast.Constant | ast.Tuple) or (
        isinstance(value, ast.Dict) and not value.keys
    )


def only_steps(statements: list[ast.stmt]) -> bool:
    """Whether these may be steps of some pattern."""
    return all(
        isinstance(s, Accumulate | ast.Delete)
        or (isinstance(s, Define) and not isinstance(s.value, ast.Call))
        or unpacks(s)
        for s in statements
    )


def _is_step(statement: ast.stmt, facts: Facts, family: set[Temp]) -> bool:
    if isinstance(statement, Define):
        return _is_part(statement, facts, family)
    if isinstance(statement, ast.Assign):
        return _takes_apart(statement, facts, family)
    if isinstance(statement, Accumulate) and statement.kind == "DICT_UPDATE" and statement.value in family:
        mapping, rest = statement.value, statement.container
        return isinstance(mapping, Temp) and isinstance(rest, Temp) and _note_rest(facts, family, mapping, rest)
    if isinstance(statement, ast.Delete) and isinstance(statement.targets[0], ast.Subscript):
        return statement.targets[0].value in facts.rests.values()
    return False


def _is_part(statement: Define, facts: Facts, family: set[Temp]) -> bool:
    """A question, or one part of a value of the family, by its index."""
    value, temp = statement.value, statement.temp
    if isinstance(value, Helper) and value.args and value.args[0] in family:
        if value.name == "COPY_DICT_WITHOUT_KEYS" and isinstance(value.args[0], Temp):
            return _note_rest(facts, family, value.args[0], temp)
        if value.name in ("MATCH_KEYS", "MATCH_CLASS"):
            family.add(temp)
        return True
    if isinstance(value, ast.Compare):
        left = facts.definitions.get(value.left) if isinstance(value.left, Temp) else None
        return value.left in family or (isinstance(left, Helper) and left.name == "GET_LEN")
    if isinstance(value, ast.BinOp):
        return _index_from_end(value, facts) is not None
    if isinstance(value, ast.Subscript) and isinstance(value.value, Temp) and value.value in family:
        index = _index(value.slice, facts)
        if index is not None:
            facts.picked.setdefault(value.value, {})[index] = temp
            family.add(temp)
            return True
    return False


def _note_rest(facts: Facts, family: set[Temp], mapping: Temp, rest: Temp) -> bool:
    facts.rests[mapping] = rest
    family.add(rest)
    return True


def _index(key: ast.expr, facts: Facts) -> int | None:
    if isinstance(key, Temp) and isinstance(found := facts.definitions.get(key), ast.BinOp):
        return _index_from_end(found, facts)
    return key.value if isinstance(key, ast.Constant) and type(key.value) is int else None


def _index_from_end(value: ast.BinOp, facts: Facts) -> int | None:
    """`len(v) - k`, as an index."""
    length = facts.definitions.get(value.left) if isinstance(value.left, Temp) else None
    if not (isinstance(length, Helper) and length.name == "GET_LEN" and isinstance(value.op, ast.Sub)):
        return None
    back = value.right
    return -back.value if isinstance(back, ast.Constant) and type(back.value) is int else None


def unpacks(statement: ast.stmt) -> TypeGuard[ast.Assign]:
    """Whether a value is taken apart, into as many parts as it has to have."""
    return isinstance(statement, ast.Assign) and _unpacked(statement) is not None


def _unpacked(statement: ast.Assign) -> ast.Tuple | None:
    target = statement.targets[0]
    return target if isinstance(target, ast.Tuple) else None


def _takes_apart(statement: ast.Assign, facts: Facts, family: set[Temp]) -> bool:
    target, whole = _unpacked(statement), statement.value
    if target is None:
        return False
    places = [place.value if isinstance(place, ast.Starred) else place for place in target.elts]
    parts = [place for place in places if isinstance(place, Temp)]
    if len(parts) != len(places):
        return False
    if isinstance(whole, Temp) and whole in family:
        star = next((k for k, place in enumerate(target.elts) if isinstance(place, ast.Starred)), None)
        facts.parts[whole] = Parts(parts, star)
        family.update(parts)
        return True
    return any(whole is keys or _same_constant(whole, keys) for _, keys in facts.keys.values())


def _same_constant(one: ast.expr, other: ast.expr) -> bool:
    return isinstance(one, ast.Constant) and isinstance(other, ast.Constant) and one.value == other.value
