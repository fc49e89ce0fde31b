"""The same code gives the same answer, wherever its blocks and values lie in memory."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from types import CodeType

import pytest

from fuzzing import WAYS, code_in, codes_of
from nested_statements import functions
from unjit.decompiler import decompile
from unjit.decompiler.answer.opaque import opaque_source
from unjit.decompiler.ir.flow.graph import Block
from unjit.decompiler.ir.tree.nodes import Temp

CLAUSES_THAT_MEET = """
def f(a, b, c):
    try:
        x = a
    except a as e:
        try:
            x += a
        except KeyError:
            assert a, a
        except KeyError as e:
            if a:
                return a
    except KeyError as e:
        x = a
    finally:
        assert a, a
"""
FAR_FROM_ITS_READ = """
def f(a, b, c):
    for x in a:
        try:
            x = a
        except OSError:
            x = k(c < c < y) + (y if x < c <= c else a)
        except OSError as e:
            x += [g(c), b and a]
        x[h(b if c and (c or c) else y, a[b])] = a
"""
FEW = (1, 7, 12345, 1234567)


def answers(code: CodeType, monkeypatch: pytest.MonkeyPatch, salts: Iterable[int] = FEW) -> set[tuple[str, str]]:
    """What the code comes back as, with sets of blocks and of values in several orders."""
    found = set()
    for salt in salts:
        for kind in (Block, Temp):
            monkeypatch.setattr(kind, "__hash__", lambda self, salt=salt: (id(self) >> 4) * salt * 2654435761 % 2**32)
        answer = decompile(code)
        found.add((str(answer.verdict), answer.source))
    return found


@pytest.mark.parametrize("text", [CLAUSES_THAT_MEET, FAR_FROM_ITS_READ])
def test_found_to_depend_on_it(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code = code_in(text)
    assert code is not None
    assert len(answers(code, monkeypatch, range(1, 20))) == 1


@pytest.mark.parametrize("way", WAYS)
def test_generated_code(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(70, 90):
        for code in codes_of(way, seed):
            assert len(answers(code, monkeypatch)) == 1, f"{way}, seed {seed}"


def drawn_statements() -> Iterator[CodeType]:
    for text in random.Random(11).sample([text for _, text in functions(2)], 80):
        if (code := code_in(text)) is not None:
            yield code


def test_nested_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    for code in drawn_statements():
        assert len(answers(code, monkeypatch)) == 1


def test_no_address_is_told() -> None:
    code = code_in("def f():\n    return lambda: 0\n")
    assert code is not None
    text = opaque_source(code, "a reason")
    assert "<code object <lambda>, file" in text
    assert " at 0x" not in text
