"""Notes on the nodes of a tree: attributes that `ast` does not have. These are all that there are.

On every node that was made from an instruction:

    at          its offset: the maps from offset to line and to stack expression come from it

On some:

    fast        a Name that is a plain local: to read it once more, or later, gives the same, and nobody sees in which
                order several are stored (`lift`)
    turned      a Compare that a jump asks: whether it is by now the opposite of what the bytecode asks
                (`lift/operations/values`)
    asked       a test that is the opposite of another: that other, so that the opposite of the opposite is it again
                (`ir/tree/negation`)
    written     a `return None` that somebody wrote, though the end of the function does as much (`mark_written`)
    says_none   a `return None`: whether `None` was written, if that is known (`note_returns`)
    passed      a `return None` that stands for a `pass` (`mark_passed`)
    unreached   a `return None` that control never comes to, as a finally suite before it leaves: the region of
                what that suite belongs to (`passes/cleanups/parts/finally_ends`)
    display     a constant frozenset that is searched or iterated over, where a set display of constants makes one
                (`ir/tree/literals`)
    is_divided  an `if` in a comprehension, or its clause there, whose test is on another line than what is added
                (`passes/tree/divide_tests`)
    ends        a loop after which control never comes (`structuring/statements`)
    together    an Assign that `folding` made of several
    temp        an ImportFrom that takes members of the module in this Temp (`folding/join_statements`)
    is_lazy     an import that is put off; from 3.15 on `ast` has this itself (`folding/join_statements`)
    code        a definition: the code object that it was made from (`render/functions`)

Functions here are for the notes that several packages use. Hot paths write and read the attributes themselves.
"""

from __future__ import annotations

import ast


def mark(node: ast.AST, offset: int) -> None:
    """Note that `node` was made from the instruction at `offset`."""
    node.at = offset  # type: ignore[attr-defined]


def offset_of(node: ast.AST) -> int | None:
    """The offset of the instruction that `node` was made from; None for what a pass invented."""
    return getattr(node, "at", None)


def copy_mark(old: ast.AST, new: ast.AST) -> None:
    """Note that `new` was made from the instruction that `old` was made from, if there is one."""
    offset = getattr(old, "at", None)
    if offset is not None:
        new.at = offset  # type: ignore[attr-defined]  # as `mark` does


def without_marks(node: ast.expr) -> ast.expr:
    """The same node, of which no part is said to come from an instruction."""
    for part in ast.walk(node):
        part.__dict__.pop("at", None)
    return node


def is_fast(node: ast.AST) -> bool:
    """Whether it is a plain local."""
    return getattr(node, "fast", False)


def is_plain(value: ast.expr) -> bool:
    """What can be written more than once: whoever loads a global or what is in a cell again may find something else."""
    return isinstance(value, ast.Constant) or (isinstance(value, ast.Name) and getattr(value, "fast", False))


def mark_written(returned: ast.stmt) -> None:
    """Note of a `return None` that somebody wrote it, though a function that comes to its end does as much."""
    returned.written = True  # type: ignore[attr-defined]


def is_written(returned: ast.stmt) -> bool:
    """Whether `mark_written` was called of it."""
    return getattr(returned, "written", False)


def mark_words(returned: ast.stmt, *, says_none: bool) -> None:
    """Note of a `return None` that somebody wrote whether that is what was written, or `return` alone."""
    mark_written(returned)
    returned.says_none = says_none  # type: ignore[attr-defined]


def says_none(returned: ast.stmt) -> bool | None:
    """Whether a return that gives nothing was written with `None`; None where that is not known."""
    return getattr(returned, "says_none", None)


def copy_words(old: ast.stmt, new: ast.Return) -> ast.Return:
    """A return of nothing that is written as the old one was, as far as that is known."""
    new.says_none = says_none(old)  # type: ignore[attr-defined]
    return new


def mark_passed(returned: ast.stmt) -> None:
    """Note of a `return None` that somebody wrote `pass` there: the function comes to its end."""
    returned.passed = True  # type: ignore[attr-defined]


def is_passed(returned: ast.stmt) -> bool:
    """Whether `mark_passed` was called of it."""
    return getattr(returned, "passed", False)
