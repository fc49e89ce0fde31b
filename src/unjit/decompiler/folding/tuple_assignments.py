"""`a, b = x, y`: all values are computed before the first is stored.

*What the compiler did*: for two or three targets it makes no tuple; it turns the values on the stack round, or, from
3.12 on, stores them in the reverse order. *The shape*: definitions in a row, then assignments in a row that read them.
*What we produce*: one assignment of several targets. *What we refuse*: an assignment whose value depends on a target
assigned in the same row.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.tree.nodes import Define, Temp
from unjit.decompiler.ir.tree.notes import copy_mark, is_fast, offset_of
from unjit.decompiler.ir.tree.suites import Suite

_MOST = 3  # CPython makes a real tuple of more


def assigned_together(done: Suite, statement: ast.Assign, temp: Temp) -> bool:
    """Append `statement` by joining it to the assignments before it, if together they are one."""
    if len(statement.targets) != 1 or temp.uses != 1:
        return False
    return (
        _turned_round(done, statement)
        or _in_reverse(done, statement, temp)
        or _in_order(done, statement)
        or _after_two(done, statement, temp)
    )


def assigned_from_stack(done: Suite, statement: ast.Assign) -> bool:
    """The same for a local or constant that lay on the stack before the assignment in front stored its value."""
    value, last = statement.value, done[-1] if done else None
    if not (is_fast(value) or isinstance(value, ast.Constant)) or len(statement.targets) != 1:
        return False
    if not isinstance(last, ast.Assign):
        return False
    stored, (targets, values) = offset_of(last), _row(last)
    at = [offset_of(one) for one in (value, *values)]
    if stored is None or not targets or len(targets) >= _MOST or any(isinstance(one, Temp) for one in values):
        return False
    if any(isinstance(one, ast.Name) and one.id.startswith("__") for one in (*targets, *statement.targets)):
        return False  # generated code does its bookkeeping in what stands before a person's code
    loaded, *before = [-1 if one is None else one for one in at]
    if min(loaded, *before) < 0 or loaded >= stored:
        return False
    if loaded <= min(before) and all(map(is_fast, [*targets, statement.targets[0]])):  # two loads may be one (3.13)
        targets, values = [statement.targets[0], *targets], [value, *values]
    elif loaded >= max(before):
        targets, values = [*targets, statement.targets[0]], [*values, value]
    else:
        return False
    done[-1] = _joined(statement, targets, values)
    return True


def _turned_round(done: Suite, statement: ast.Assign) -> bool:
    """[t = y; b = x; u = b; …] and a = u: plain locals whose values all lay on the stack before the first was stored.

    The definitions stand in no order: a local on the stack is not taken before a store is about to change it.
    """
    row, defined = [statement], dict[ast.expr, ast.expr]()
    found: tuple[int, list[ast.Assign], dict[ast.expr, ast.expr]] | None = None
    for k in range(len(done) - 1, max(len(done) - 2 * _MOST, -1), -1):
        before = done[k]
        if isinstance(before, Define) and before.temp.uses == 1:
            defined[before.temp] = before.value
        elif isinstance(before, ast.Assign) and len(before.targets) == 1 and len(row) < _MOST:
            row.append(before)
        else:
            break
        if len(row) > 1 and _all_on_the_stack(row, defined):
            found = k, list(row), dict(defined)
    if found is None:
        return False
    start, row, defined = found
    row.sort(key=lambda assign: offset_of(defined.get(assign.value, assign.value)) or 0)
    values = [defined.get(assign.value, assign.value) for assign in row]
    done[start:] = [_joined(statement, [assign.targets[0] for assign in row], values)]
    return True


def _all_on_the_stack(row: list[ast.Assign], defined: dict[ast.expr, ast.expr]) -> bool:
    if {assign.value for assign in row if isinstance(assign.value, Temp)} != defined.keys():
        return False
    if len({assign.targets[0].id for assign in row if is_fast(assign.targets[0])}) < len(row):  # type: ignore[attr-defined]
        return False
    stored = min(offset_of(assign) or 0 for assign in row)
    at = [offset_of(defined.get(assign.value, assign.value)) for assign in row]
    return len(set(at)) == len(at) and all(offset is not None and offset < stored for offset in at)


def _in_reverse(done: Suite, statement: ast.Assign, temp: Temp) -> bool:
    """[t = x; b = y] and a = t: `a, b = x, y`, where the last target is stored first."""
    made = _made_before_last(done, temp)
    if made is None or not is_fast(statement.targets[0]):
        return False
    define, after = made
    targets, values = _row(after)
    if not targets or len(targets) >= _MOST or not all(map(is_fast, targets)):
        return False
    if any(isinstance(value, Temp) for value in values):  # computed before this one: the first target is stored first
        return False
    if max((offset_of(value) or 0 for value in values), default=0) < (offset_of(define.value) or 0):
        # 3.10: the first target is stored first
        targets, values = [*targets, statement.targets[0]], [*values, define.value]
    else:
        targets, values = [statement.targets[0], *targets], [define.value, *values]
    done[-2:] = [_joined(statement, targets, values)]
    temp.uses = 0
    return True


def _made_before_last(done: Suite, temp: Temp) -> tuple[Define, ast.Assign] | None:
    """[t = x; b = y]: the definition of `temp` and the assignment after it, if these are the last two statements."""
    define, after = done[-2:] if len(done) > 1 else (None, None)
    if isinstance(define, Define) and define.temp is temp and isinstance(after, ast.Assign):
        return define, after
    return None


def _row(statement: ast.Assign) -> tuple[list[ast.expr], list[ast.expr]]:
    """Targets and values of one assignment, or of one that was joined already."""
    if len(statement.targets) != 1:
        return [], []
    target, value = statement.targets[0], statement.value
    if getattr(statement, "together", False) and isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return target.elts, value.elts
    return [target], [value]


def _in_order(done: Suite, statement: ast.Assign) -> bool:
    """[t = x; u = y; a = t] and b = u: `a, b = x, y`, where the first target is stored first."""
    row = [statement]
    while len(row) < _MOST and _continues(done, len(row) - 1):
        before = done[-len(row)]
        assert isinstance(before, ast.Assign)
        row.insert(0, before)
        temps = [a.value for a in row if isinstance(a.value, Temp)]
        defines = done[-len(row) + 1 - len(temps) : len(done) - len(row) + 1]
        if _as_loaded(defines) == temps and _independent(row):
            known = {d.temp: d.value for d in defines if isinstance(d, Define)}
            values = [known.get(a.value, a.value) if isinstance(a.value, Temp) else a.value for a in row]
            done[-len(row) + 1 - len(temps) :] = [_joined(statement, [a.targets[0] for a in row], values)]
            return True
    return False


def _as_loaded(statements: Suite) -> list[Temp]:
    """What these statements define, in the order in which it was put on the stack; nothing if one is no definition.

    The statements themselves can be in another order: a local is taken when a store is about to change it.
    """
    defines = [one for one in statements if isinstance(one, Define)]
    if len(defines) < len(statements):
        return []
    return [define.temp for define in sorted(defines, key=lambda define: offset_of(define.value) or 0)]


def _after_two(done: Suite, statement: ast.Assign, temp: Temp) -> bool:
    """[t = z; a, b = x, y] and c = t: two that are joined already were loaded before `z` was computed."""
    made = _made_before_last(done, temp)
    if made is None:
        return False
    define, after = made
    targets, values = _row(after)
    computed, loaded = offset_of(define.value), [offset_of(value) for value in values]
    if len(targets) != _MOST - 1 or any(isinstance(value, Temp) for value in values):
        return False
    if computed is None or any(offset is None or offset >= computed for offset in loaded):
        return False
    done[-2:] = [_joined(statement, [*targets, statement.targets[0]], [*values, define.value])]
    return True


def _continues(done: Suite, after: int) -> bool:
    """Whether the statement before the last `after` ones assigns a value that was computed before it."""
    if len(done) <= after:
        return False
    before = done[-1 - after]
    if not (isinstance(before, ast.Assign) and len(before.targets) == 1):
        return False
    value = before.value
    return (isinstance(value, Temp) and value.uses == 1) or isinstance(value, ast.Constant) or is_fast(value)


def _independent(row: list[ast.Assign]) -> bool:
    stored: set[str] = set()
    for assign in row:
        if isinstance(assign.value, ast.Name) and assign.value.id in stored:
            return False
        stored |= {t.id for t in assign.targets if isinstance(t, ast.Name)}
    return True


def _joined(statement: ast.Assign, targets: list[ast.expr], values: list[ast.expr]) -> ast.Assign:
    together = ast.Assign([ast.Tuple(targets, ast.Store())], ast.Tuple(values, ast.Load()))
    together.together = True  # type: ignore[attr-defined]  # a note of ours on the node
    copy_mark(statement, together)
    return together
