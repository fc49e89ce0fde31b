"""Statements that together are one: the value of each was read more than once.

Called for each statement as it is appended; looks at the last one or two before it only.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from unjit.decompiler.folding.fill_displays import fill
from unjit.decompiler.folding.tuple_assignments import assigned_from_stack, assigned_together
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.nodes import Accumulate, Define, ImportMember, ImportModule, Inplace, Temp
from unjit.decompiler.ir.tree.notes import copy_mark, is_fast
from unjit.decompiler.ir.tree.order import Place, put
from unjit.decompiler.ir.tree.suites import Suite


def join(done: Suite, statement: ast.stmt) -> None:
    """Append `statement`, or merge it into what stands at the end."""
    if isinstance(statement, ast.Expr):
        statement = _named_expression_statement(statement)
    if type(statement) is ast.Assign:
        if type(statement.value) not in _JOINED:
            done.append(statement)
        elif not _joined(done, statement):
            done.append(_augmented(statement, done))
    elif not (isinstance(statement, Accumulate) and _filled(done, statement)):
        done.append(statement)


def _joined(done: Suite, statement: ast.Assign) -> bool:
    """Merge an assignment into what stands at the end, if together they are one statement."""
    value = statement.value
    if type(value) is not Temp:
        return assigned_from_stack(done, statement) or _imported(done, statement)
    if done:
        for attempt in ATTEMPTS:
            if attempt(done, statement, value):
                return True
    return False


def _named_expression_statement(statement: ast.Expr) -> ast.stmt:
    value = statement.value
    if not isinstance(value, ast.NamedExpr):
        return statement
    assigned = ast.Assign([value.target], value.value)
    copy_mark(statement, assigned)
    return assigned


# ---------------------------------------------------------------- one value, several targets
def _another_target(done: Suite, statement: ast.Assign, temp: Temp) -> bool:
    """`a.x = b = v`: the same value stored again."""
    last = done[-1]
    if not (isinstance(last, ast.Assign) and last.value is temp):
        return False
    last.targets += statement.targets
    before = done[-2] if len(done) > 1 else None
    if isinstance(before, Define) and before.temp is temp and temp.uses == len(last.targets):
        last.value = before.value
        del done[-2]
        _flatten_chain(last)
    return True


def _all_targets(done: Suite, statement: ast.Assign, temp: Temp) -> bool:
    """`a = b = v`, joined already while `v` was still unknown."""
    last = done[-1]
    if not (isinstance(last, Define) and last.temp is temp and 2 <= temp.uses == len(statement.targets)):
        return False
    done.pop()
    statement.value = last.value
    _flatten_chain(statement)
    done.append(statement)
    return True


def _walrus(done: Suite, statement: ast.Assign, temp: Temp) -> bool:
    """`(a := v)` within an expression: stored, and read again after."""
    last, target = done[-1], statement.targets[0]
    if not (isinstance(last, Define) and last.temp is temp and temp.uses > 1 and isinstance(target, ast.Name)):
        return False
    if len(statement.targets) > 1:
        return False
    last.value = ast.NamedExpr(target, last.value)
    copy_mark(statement, last.value)
    temp.uses -= 1
    return True


def _stored_after_deletions(done: Suite, statement: ast.Assign, temp: Temp) -> bool:
    """`x = v`, of which locals were deleted between its two halves, as Dynamo does once a graph has been called."""
    target = statement.targets[0]
    if len(statement.targets) > 1 or temp.uses != 1 or not is_fast(target):
        return False
    place = len(done) - 1
    while place > 0 and _deletes_another(done[place], target):
        place -= 1
    made = done[place]
    if not isinstance(made, Define) or made.temp is not temp or isinstance(made.value, Inplace):
        return False
    statement.value = made.value
    done[place] = statement
    return True


def _deletes_another(statement: ast.stmt, target: ast.expr) -> bool:
    """Whether it deletes a local, and not the one that `target` is."""
    deleted = statement.targets[0] if isinstance(statement, ast.Delete) else None
    return isinstance(deleted, ast.Name) and isinstance(target, ast.Name) and deleted.id != target.id


def _flatten_chain(statement: ast.Assign) -> None:
    """`b = (a := v)` is `a = b = v`."""
    while isinstance(statement.value, ast.NamedExpr):
        statement.targets.insert(0, statement.value.target)
        statement.value = statement.value.value


# ---------------------------------------------------------------- unpacking
def _unpacked_target(done: Suite, statement: ast.Assign, temp: Temp) -> bool:
    """A store of a value that the unpacking just before gave: the place to unpack to."""
    last = done[-1]
    unpacked = last.targets[-1] if isinstance(last, ast.Assign) else None
    if not isinstance(unpacked, ast.Tuple) or temp.uses != 1 or len(statement.targets) != 1:
        return False
    return _fill_first_place(unpacked, temp, statement.targets[0])


def _fill_first_place(target: ast.Tuple, wanted: Temp, replacement: ast.expr) -> bool:
    """Put `replacement` for `wanted` if that is the first place of `target`, in order, that has none yet.

    Values before it that nobody reads go to the same local: 3.13 leaves out all but the last store of `_, _, x = …`.
    """
    may_be_left_out = is_fast(replacement)
    places: list[Place] = []
    for place in _places(target):
        value = place[0]
        if isinstance(value, Temp):
            places.append(place)
            if value is wanted:
                for each in places:
                    put(each, replacement)
                return True
            if value.uses or not may_be_left_out:
                return False
    return False


def _places(target: ast.Tuple) -> Iterator[Place]:
    """What values are unpacked to, in order."""
    for k, part in enumerate(target.elts):
        if isinstance(part, ast.Tuple):
            yield from _places(part)
        elif isinstance(part, ast.Starred):
            yield part.value, part, "value", None
        else:
            yield part, target, "elts", k


# ---------------------------------------------------------------- augmented assignment
def _augmented(statement: ast.Assign, done: Suite) -> ast.stmt:
    _flatten_chain(statement)
    value = statement.value
    if not isinstance(value, Inplace) or len(statement.targets) != 1:
        return statement
    target = statement.targets[0]
    if not same_expression(target, value.left):
        return statement
    copy_mark(value.left, target)  # which tells that it was loaded before ways parted
    _fold_shared_parts(target, done)
    augmented = ast.AugAssign(target, value.op, value.right)  # type: ignore[arg-type]  # a target by construction
    copy_mark(statement, augmented)
    return augmented


def _fold_shared_parts(target: ast.expr, done: Suite) -> None:
    """Owner and key of the target were kept for load and store: put them back in the one place left."""
    places: list[tuple[ast.AST, str]] = []
    if isinstance(target, ast.Attribute):
        places = [(target, "value")]
    elif isinstance(target, ast.Subscript):
        places = [(target, "value")]
        if isinstance(target.slice, ast.Slice):
            places += [(target.slice, "lower"), (target.slice, "upper")]
        else:
            places.append((target, "slice"))
    for parent, field in reversed(places):
        part = getattr(parent, field)
        last = done[-1] if done else None
        if isinstance(part, Temp) and isinstance(last, Define) and last.temp is part and part.uses == 2:
            setattr(parent, field, last.value)
            done.pop()
        elif isinstance(part, Temp):
            part.uses -= 1  # what it is, such as a choice, may be known only later


# ---------------------------------------------------------------- displays and imports
def _filled(done: Suite, statement: Accumulate) -> bool:
    """An element for the display made just before."""
    last = done[-1] if done else None
    if not (isinstance(last, Define) and last.temp is statement.container):
        return False
    if not fill(last, statement):
        return False
    last.temp.uses -= 1
    return True


def _imported(done: Suite, statement: ast.Assign) -> bool:
    """`import a.b`, `import a.b as c`, `from a import b as c, d`."""
    target, value = statement.targets[0], statement.value
    if len(statement.targets) != 1 or not isinstance(target, ast.Name):
        return False
    if isinstance(value, ImportModule) and value.fromlist is None and value.level == 0:
        named = None if value.module.partition(".")[0] == target.id else target.id
        done.append(_import_statement(statement, value, named))
        return True
    if not isinstance(value, ImportMember):
        return False
    return _part_imported(done, statement, value, target.id) or _member_imported(done, statement, value, target.id)


def _import_statement(statement: ast.Assign, module: ImportModule, named: str | None) -> ast.Import:
    """`import module as named`."""
    imported = ast.Import([ast.alias(module.module, named)])
    imported.is_lazy = module.is_lazy  # type: ignore[attr-defined]  # 3.15
    copy_mark(statement, imported)
    return imported


def _part_imported(done: Suite, statement: ast.Assign, value: ImportMember, bound: str) -> bool:
    """`import a.b.c as d`: the last part, member by member."""
    members: list[str] = []
    module: ast.expr = value
    while isinstance(module, ImportMember):
        members.insert(0, module.member)
        module = module.module
    last = done[-1] if done else None
    made = last if isinstance(last, Define) and last.temp is module else None
    module = module if made is None else made.value
    if not isinstance(module, ImportModule) or module.fromlist is not None:
        return False
    if module.module.split(".")[1:] != members:
        return False
    if made is not None:
        done.pop()
    done.append(_import_statement(statement, module, bound))
    return True


def _member_imported(done: Suite, statement: ast.Assign, value: ImportMember, bound: str) -> bool:
    alias = ast.alias(value.member, None if bound == value.member else bound)
    last = done[-1] if done else None
    if isinstance(last, ast.ImportFrom) and getattr(last, "temp", None) is value.module:
        last.names.append(alias)
        return True
    module = value.module
    temp = module if isinstance(module, Temp) else None
    if isinstance(last, Define) and last.temp is temp and isinstance(last.value, ImportModule):
        done.pop()
        module = last.value
    if not isinstance(module, ImportModule) or module.fromlist is None:
        return False
    members = ast.ImportFrom(module.module or None, [alias], module.level)
    members.temp = temp  # type: ignore[attr-defined]  # a note of ours on the node
    members.is_lazy = module.is_lazy  # type: ignore[attr-defined]  # 3.15
    copy_mark(statement, members)
    done.append(members)
    return True


# What assignments have for a value that may be one statement with others.
_JOINED = frozenset({Temp, ast.Name, ast.Constant, ast.NamedExpr, ImportModule, ImportMember, Inplace})
# At assignments of what was computed before.
ATTEMPTS: tuple[Callable[[Suite, ast.Assign, Temp], bool], ...] = (
    _another_target,
    _all_targets,
    _unpacked_target,
    _walrus,
    _stored_after_deletions,
    assigned_together,
)
