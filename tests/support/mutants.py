"""Wrong answers on purpose: every way to spoil a piece of source at one place."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from spoilt_nodes import OF_KIND, calls, leaves

Mutant = tuple[str, str]  # what was done, the source
BODIES = ("body", "orelse", "finalbody")


def mutants(source: str) -> Iterator[Mutant]:
    """Each place at which the source can be spoiled, spoilt alone."""
    tree = ast.parse(source)
    for place, node in enumerate(ast.walk(tree)):
        for change in changes(node):
            spoilt = copy.deepcopy(tree)
            target = list(ast.walk(spoilt))[place]
            if change(target) is False:
                continue
            ast.fix_missing_locations(spoilt)
            try:
                text = ast.unparse(spoilt)
                compile(text, "mutant", "exec", dont_inherit=True)
            except (SyntaxError, ValueError):
                continue
            yield f"{change.__name__} at line {getattr(node, 'lineno', 0)}", text


def changes(node: ast.AST):
    """The ways to spoil this node in place."""
    yield from OF_KIND.get(type(node), ())
    for name in BODIES:
        body = getattr(node, name, None)
        if isinstance(body, list) and not isinstance(node, ast.Module):
            yield from of_body(name, body)


def of_body(name: str, body: list[ast.stmt]):
    for index, statement in enumerate(body):
        if is_worth_dropping(statement, body, index):
            yield dropping(name, index)
        if calls(statement):
            yield doubling(name, index)
        if index and calls(statement) and calls(body[index - 1]) and not leaves(body[index - 1]):
            yield swapping(name, index)
        if isinstance(statement, (ast.Try, ast.With, ast.For, ast.While, ast.If)):
            yield moving_out(name, index)
            if index and calls(body[index - 1]) and not leaves(body[index - 1]):
                yield moving_in(name, index)
        if isinstance(statement, (ast.Try, ast.With)):
            yield unwrapping(name, index)


def is_worth_dropping(statement: ast.stmt, body: list[ast.stmt], index: int) -> bool:
    if isinstance(statement, (ast.Pass, ast.Global, ast.Nonlocal)):
        return False
    if isinstance(statement, ast.Expr) and isinstance(statement.value, (ast.Constant, ast.Name)):
        return False
    return not isinstance(statement, ast.Return) or not (
        statement.value is None or (isinstance(statement.value, ast.Constant) and statement.value.value is None)
    )


def dropping(name: str, index: int):
    def drop_statement(node):
        body = getattr(node, name)
        del body[index]
        if not body and name == "body":
            body.append(ast.Pass())

    return drop_statement


def doubling(name: str, index: int):
    def double_statement(node):
        body = getattr(node, name)
        if leaves(body[index]):
            return False
        body.insert(index, copy.deepcopy(body[index]))

    return double_statement


def swapping(name: str, index: int):
    def swap_statements(node):
        body = getattr(node, name)
        if ast.dump(body[index]) == ast.dump(body[index - 1]):
            return False
        body[index - 1], body[index] = body[index], body[index - 1]

    return swap_statements


def moving_out(name: str, index: int):
    def move_last_out(node):
        body = getattr(node, name)
        inner = body[index].body
        if leaves(inner[-1]) or not calls(inner[-1]) or len(inner) < 2:
            return False
        body.insert(index + 1, inner.pop())

    return move_last_out


def moving_in(name: str, index: int):
    def move_former_in(node):
        body = getattr(node, name)
        body[index].body.insert(0, body.pop(index - 1))

    return move_former_in


def unwrapping(name: str, index: int):
    def unwrap(node):
        body = getattr(node, name)
        inner = body[index]
        body[index : index + 1] = inner.body + getattr(inner, "orelse", []) + getattr(inner, "finalbody", [])

    return unwrap
