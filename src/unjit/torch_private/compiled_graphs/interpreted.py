"""Graphs that are interpreted node by node: up to 2.9 those that aot_eager runs, and some that are inside of others.

No debugger stops in a graph's code there, as it never runs. What interprets a graph for aot_eager is a function that
holds the graph and nothing else; with code of ours it runs the graph's own code, which does the same. What interprets a
graph inside of another is the operator that takes it, as that of a checkpoint, and what a backend like `eager_debug`
makes interprets a whole one: those stay as they are.
"""

from __future__ import annotations

import inspect
from types import CodeType, FunctionType
from typing import Any

from unjit.bytecode import free_variables, with_nested
from unjit.torch_private.compiled_graphs.graphs import reachable
from unjit.torch_private.probes import graph_probes as probes

_INTERPRETER = "Interpreter"  # of torch.fx, by which the function runs its graph


def interpreter_of(graph: Any, start: Any) -> FunctionType | None:
    """The function, reachable from `start`, that interprets the graph; None where the graph's code runs."""
    code = _interpreting_code()
    if code is None:
        return None
    functions = reachable(start, lambda value: isinstance(value, FunctionType) and value.__code__ is code)
    return next((function for function in functions if free_variables(function).get("fx_g") is graph), None)


def who_interprets(graph: Any, start: Any) -> str | None:
    """The name of a function of a backend, reachable from `start`, that holds the graph and names what interprets."""

    def interprets(value: Any) -> bool:
        holds = isinstance(value, FunctionType) and any(one is graph for one in free_variables(value).values())
        return holds and any(_INTERPRETER in code.co_names for code in with_nested(value.__code__))

    found = next(reachable(start, interprets), None)
    return None if found is None else str(found.__qualname__)


def code_that_runs_code() -> CodeType:
    """What the function gets in place of its own code; it is called with a list of inputs, which it empties."""
    return _runner(None).__code__


def operators_that_interpret(graph: Any) -> dict[str, str]:
    """The graphs inside of a graph module that all operators that take them interpret: attributes, and an operator."""
    takers: dict[str, list[Any]] = {}
    for node in graph.graph.nodes:
        if node.op == "get_attr":
            takers.setdefault(node.target, []).extend(user.target for user in node.users)
    return {name: str(taking[0]) for name, taking in takers.items() if taking and all(map(_interprets, taking))}


def _interprets(operator: Any) -> bool:
    """Whether what calls an operator names what interprets: it itself, or a function beside it that it calls."""
    call = inspect.getattr_static(type(operator), "__call__", None)
    if not isinstance(call, FunctionType):
        return False
    beside = (call.__globals__.get(name) for name in call.__code__.co_names)
    codes = [function.__code__ for function in (call, *beside) if isinstance(function, FunctionType)]
    return any(_INTERPRETER in code.co_names for outer in codes for code in with_nested(outer))


def _runner(fx_g: Any) -> FunctionType:
    def run(args: list[Any]) -> Any:
        given = tuple(args)
        args.clear()  # as torch's does: whoever calls counts on it
        return fx_g.forward(*given)

    assert isinstance(run, FunctionType)
    return run


def _interpreting_code() -> CodeType | None:
    """The code of the functions by which aot_eager interprets graphs; None in a torch that runs their code."""
    maker = probes.INTERPRETED.get()
    consts = maker.__code__.co_consts if isinstance(maker, FunctionType) else ()  # else it is `Unknown`
    made = (const for const in consts if isinstance(const, CodeType))
    return next((code for code in made if _INTERPRETER in code.co_names and code.co_freevars == ("fx_g",)), None)
