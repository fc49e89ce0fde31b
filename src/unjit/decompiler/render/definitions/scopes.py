"""Variables that the source would otherwise not mention, or take for globals.

A frame has exactly the free and cell variables that its code names. Bytecode can have some that nothing reachable
uses: a resume function keeps all those of the function that it resumes. A test that is never true mentions them: the
compiler drops the statement and keeps the variables.
"""

from __future__ import annotations

import ast
import inspect
from types import CodeType

from unjit.bytecode import decode, places_in, reachable_in
from unjit.bytecode import versions as v
from unjit.decompiler.render.definitions.mentions import Mentioned
from unjit.decompiler.render.lowering.names import Names


def kept_variables(code: CodeType, body: list[ast.stmt], names: Names, *, in_order: bool = False) -> list[ast.stmt]:
    """`if False: …` that keeps the free and cell variables which `body` does not mention as such.

    With `in_order`, locals are named in the order in which `locals()` lists them, which dead code may have set.
    """
    kept = _unmentioned(code, body, names) if code.co_freevars or code.co_cellvars else []
    mentions: list[ast.stmt] = [ast.Expr(_tuple(kept))] if kept else []
    unbound = [names.of_variable(n) for n in sorted(_never_stored(code) | _lent(code, body, names))]
    if unbound:
        bound = Mentioned(body).bound
        unbound = [n for n in unbound if n not in bound]
    if in_order:
        unbound = list(dict.fromkeys([*map(names.of_variable, code.co_varnames[_arguments(code) :]), *unbound]))
    if unbound:
        mentions.append(ast.Assign([ast.Name(n, ast.Store()) for n in unbound], ast.Constant(None)))
    mentions += [_loop_over(names.of_variable(n)) for n in _lent_in_dead_code(code)]
    return [ast.If(ast.Constant(False), mentions, [])] if mentions else []


def may_list_locals(code: CodeType) -> bool:
    """Whether a function may ask for its locals in their order, and has some that can be named ahead of all else.

    What inlined comprehensions alone bind cannot: named in the function it would be a local of that (3.12).
    """
    several = len(code.co_varnames) > _arguments(code) + 1
    return several and not _LISTS_LOCALS.isdisjoint(code.co_names) and _LENDS.isdisjoint(places_in(code))


def _unmentioned(code: CodeType, body: list[ast.stmt], names: Names) -> list[ast.expr]:
    """Mentions of the free and cell variables that `body` does not mention as such.

    The reachable instructions tell it in most code: the source mentions each free variable that they use, and each cell
    that goes into a function. In the rest the statements are searched.
    """
    named, closed_over = _named(code, _USES_CELL), _closed_over(code)
    unused = {*code.co_freevars} - named - closed_over
    if closed_over.issuperset(code.co_cellvars) and not _makes_others(code):
        if not unused:
            return []
        if "__class__" not in unused and unused.isdisjoint(_named(code, _CLOSES_OVER)):
            return [ast.Name(names.of_variable(n), ast.Load()) for n in code.co_freevars if n in unused]
    mentioned = Mentioned(body)
    used, captured = mentioned.used, mentioned.captured
    used |= {"__class__"} if "super" in used | captured else set()
    free = [names.of_variable(n) for n in code.co_freevars]
    kept: list[ast.expr] = [ast.Name(n, ast.Load()) for n in free if n not in used | captured]
    cells = [n for n in map(names.of_variable, code.co_cellvars) if n not in captured | mentioned.lent]
    if cells:
        no_arguments = ast.arguments([], [], None, [], [], None, [])
        kept.append(ast.Lambda(no_arguments, _tuple([ast.Name(n, ast.Load()) for n in cells])))
    return kept


def _makes_others(code: CodeType) -> bool:
    """Whether more cells are made than the code has cell variables: inlined comprehensions make their own."""
    return v.PY312 and len(places_in(code).get("MAKE_CELL", ())) > len(code.co_cellvars)


def _closed_over(code: CodeType) -> set[object]:
    """The cells that functions are made with: those in a tuple that a MAKE_FUNCTION just after it takes."""
    closed_over: set[object] = set()
    if "MAKE_FUNCTION" not in places_in(code):
        return closed_over
    instrs = reachable_in(code)
    for index, instr in enumerate(instrs):
        if instr.op == "BUILD_TUPLE" and any(after.op == "MAKE_FUNCTION" for after in instrs[index + 1 : index + 4]):
            closed_over.update(i.value for i in instrs[max(index - instr.arg, 0) : index] if i.op in _CLOSES_OVER)
    return closed_over


def _never_stored(code: CodeType) -> set[str]:
    """Locals that are read but stored by dead code alone, so that reading one raises; and such cells, read or not."""
    unbound_at_entry = _unbound_at_entry(code)
    if not unbound_at_entry:
        return unbound_at_entry
    cells = unbound_at_entry.intersection(code.co_cellvars)
    if cells:
        cells -= _named(code, _STORES_CELL)
    unbound_at_entry.difference_update(_named(code, _STORES), code.co_cellvars, code.co_freevars)
    return cells | (unbound_at_entry & _named(code, _READS) if unbound_at_entry else unbound_at_entry)


def _lent(code: CodeType, body: list[ast.stmt], names: Names) -> set[str]:
    """Locals that are read, but stored by inlined comprehensions alone, which then put back what was there before."""
    if not v.PY312:
        return set()
    lent = _named(code, _LENDS)
    if lent:  # but a free variable is read under such a name
        lent &= _unbound_at_entry(code) - {*code.co_freevars}
    if not lent:
        return lent
    seen = Mentioned(body)
    local = seen.used - seen.bound - {names.of_variable(n) for n in _named(code, _READS_GLOBAL)}
    return {n for n in lent if names.of_variable(n) in local}


def _lent_in_dead_code(code: CodeType) -> list[str]:
    """Cells that are plain locals as well, since inlined comprehensions in dead code have variables of these names.

    The locals are in the order in which the comprehensions were compiled: after the last dead one, none is needed.
    """
    if not v.PY312 or not code.co_cellvars:
        return []
    unbound_at_entry = _unbound_at_entry(code).intersection(code.co_cellvars)
    among_locals = [n for n in code.co_varnames if n in unbound_at_entry] if unbound_at_entry else []
    if not among_locals:
        return among_locals
    reached = _named(code, _LENDS)
    while among_locals and among_locals[-1] in reached:
        among_locals.pop()
    return among_locals


def _loop_over(name: str) -> ast.stmt:
    """`[name for name in ()]`, to be put where it never runs."""
    loop = ast.comprehension(ast.Name(name, ast.Store()), ast.Tuple([], ast.Load()), [], 0)
    return ast.Expr(ast.ListComp(ast.Name(name, ast.Load()), [loop]))


def _unbound_at_entry(code: CodeType) -> set[str]:
    """Variables of a function that have no value when it begins: all but its arguments."""
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return set()
    arguments = _arguments(code)
    return {*code.co_varnames[arguments:], *code.co_cellvars}.difference(code.co_varnames[:arguments])


def _arguments(code: CodeType) -> int:
    """How many of its locals are arguments: the first ones."""
    gathering = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + gathering


_STORES = frozenset({"STORE_FAST", "LOAD_FAST_AND_CLEAR"})
_STORES_CELL = frozenset({"STORE_DEREF"})
_CLOSES_OVER = frozenset({"LOAD_FAST" if v.PY313 else "LOAD_CLOSURE"})
_USES_CELL = frozenset({"LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF"})
_READS = frozenset({"LOAD_FAST", "LOAD_FAST_CHECK", "DELETE_FAST"})
_READS_GLOBAL = frozenset({"LOAD_GLOBAL"})
_LENDS = frozenset({"LOAD_FAST_AND_CLEAR"})
_LISTS_LOCALS = frozenset({"locals", "vars", "eval", "exec", "_getframe", "currentframe", "f_locals"})


def _named(code: CodeType, operations: frozenset[str]) -> set[str]:
    """The variables that reachable instructions with these operations name."""
    places = places_in(code)
    if operations.isdisjoint(places):
        return set()
    instrs, found = decode(code), reachable_in(code)
    if len(found) == len(instrs):
        return {instrs[k].value for op in operations & places.keys() for k in places[op]}  # type: ignore[misc]
    return {instr.value for instr in found if instr.op in operations}  # type: ignore[misc]  # names are text


def _tuple(values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.Tuple(values, ast.Load())
