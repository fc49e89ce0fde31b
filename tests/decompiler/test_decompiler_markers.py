"""Source with names for constants, or in a function with its free variables, compiles to the very constants."""

from __future__ import annotations

import dis
from types import CellType, CodeType, FunctionType

import pytest

from unjit.decompiler import Verdict, decompile
from unjit.decompiler.recompiling.markers import marked_text


class Odd:
    """An object that has no literal, and by whose name the source calls it."""


def nested(code: CodeType, name: str) -> CodeType:
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


def strings(code: CodeType) -> list[object]:
    """Its docstring and what it loads. Python 3.14 keeps what it met first as well, also where that was folded."""
    closure = tuple(CellType() for _ in code.co_freevars)
    docstring = FunctionType(code, {}, closure=closure).__doc__
    loaded = [instr.argval for instr in dis.get_instructions(code) if instr.opcode in dis.hasconst]
    return [const for const in (docstring, *loaded) if isinstance(const, str)]


@pytest.mark.parametrize(
    "body",
    [
        "return g(Odd='here')",  # an argument of the constant's name, which is no variable of the code
        "return g(Odd, 'here')",  # a variable of that name: the constant gets another
        "return g('Odd', 'here')",
        "return g('# Odd', \"'\", 'here')  # Odd",
        "'''Odd\n\n    and 'Odd' again'''\n    return g('here')",
        "return f'{x}{\"here\"}'",
        "return [y for y in x if y is 'here'], 'here'",
    ],
)
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_constants_come_back_and_strings_stay(body):
    code = nested(compile(f"def f(x):\n    {body}", "<sample>", "exec", dont_inherit=True), "f")
    code = code.replace(co_consts=tuple(Odd if const == "here" else const for const in code.co_consts))
    answer = decompile(code)
    assert answer.verdict is Verdict.IDENTICAL, answer.reason
    made = answer.recompile()
    assert (Odd in made.co_consts) is (Odd in code.co_consts)
    assert strings(made) == strings(code)


def test_names_that_are_more_than_names():
    assert marked_text("x = Odd\n", ["Odd"]) == "x = ('unjit constant', 0)\n"
    assert marked_text("f'{Odd}'", ["Odd"]) is None
    assert marked_text("g(Odd=Odd)", ["Odd"]) is None


def test_a_text_of_several_lines_beside_free_variables():
    source = "def outer(a):\n    def f():\n        '''One.\n\n  'Two'\n        '''\n        return a\n    return f\n"
    code = nested(nested(compile(source, "<sample>", "exec", dont_inherit=True), "outer"), "f")
    answer = decompile(code)
    assert answer.verdict is Verdict.IDENTICAL, answer.reason
    assert strings(answer.recompile()) == strings(code)
