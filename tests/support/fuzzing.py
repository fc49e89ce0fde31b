"""Cases to fuzz the decompiler with: code by way and seed, what becomes of it, the smallest text that fails alike."""

from __future__ import annotations

import random
import re
import time
import warnings
from collections.abc import Callable, Iterator
from types import CodeType

from behaviour import assert_same
from generated_graphs import Graph
from generated_programs import Program
from generated_syntax import Syntax
from rerooted import rerooted
from shrink import shrunk
from unjit.bytecode import versions as v
from unjit.decompiler import Verdict, decompile

WAYS = ("programs", "syntax", "rerooted", "graphs") if v.PY311 else ("programs", "syntax", "graphs")
BAD = ("slow", "raised", "crashed", "wrong")
TURNS = 12  # in which two code objects must behave differently to be called so
TO_SHRINK = 40  # CPU seconds for one case


def text_of(way: str, seed: int) -> str:
    return Syntax(seed).text() if way == "syntax" else Program(seed, yields=seed % 4 == 0).text()


def code_in(text: str) -> CodeType | None:
    """The code of `f`; None for what does not compile."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = compile(text, "fuzz", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return None
    return next((c for c in module.co_consts if isinstance(c, CodeType) and c.co_name == "f"), None)


def codes_of(way: str, seed: int) -> Iterator[CodeType]:
    if way == "graphs":
        yield Graph(seed).code()
        return
    text = text_of(WAYS[seed % 2] if way == "rerooted" else way, seed)
    if (code := code_in(text)) is not None:
        entries = [made for _, made in rerooted(code)] if way == "rerooted" else [code]
        yield from random.Random(seed).sample(entries, min(4, len(entries)))


def verdict_on(code: CodeType) -> tuple[str, str]:
    """What became of a code object, and why."""
    try:
        answer = decompile(code)
        made = answer.recompile()
    except Exception as error:
        return "raised", f"{type(error).__name__}: {error}"
    if answer.verdict is Verdict.EQUIVALENT or answer.unrecovered:
        found = difference(code, made)
        if found is not None:
            return "wrong", found
    return str(answer.verdict), answer.reason or ""


def difference(one: CodeType, other: CodeType) -> str | None:
    """Where two code objects behave differently, how often a truth is asked in a row aside, as the verifier has it.

    Only what differs each time: a set of objects is walked in the order of their addresses, which differs by chance.
    """
    found, elsewhere = None, list[object]()
    for turn in range(TURNS):
        elsewhere += [(lambda: None, {turn}, (turn, turn), [turn]) for _ in range(11 * turn)]
        found = _difference_now(one, other)
        if found is None or _difference_now(one, one.replace()) is not None:
            return None
    return found


def _difference_now(one: CodeType, other: CodeType) -> str | None:
    found = None
    for counts_truths in (True, False):
        try:
            assert_same(one, other, range(2), counts_truths=counts_truths)
        except AssertionError as error:
            found = str(error).partition("\n")[0]
        else:
            return None
    return found


def kind_of(verdict: str, reason: str) -> str:
    """What two failures that are the same have in common."""
    return f"{verdict}: {re.sub('[0-9]+', 'N', reason.partition(chr(10))[0])}" if verdict != "wrong" else verdict


def smallest(text: str, fails: Callable[[CodeType], bool]) -> str:
    until = time.process_time() + TO_SHRINK

    def still(smaller: str) -> bool:
        code = code_in(smaller) if time.process_time() < until else None
        return code is not None and fails(code)

    return shrunk(text, still)
