"""Text of syntax trees: it parses back to the same tree, with the brackets that a person would write."""

from __future__ import annotations

import ast
import inspect
import random
from pathlib import Path
from types import CodeType

import pytest

from unjit.bytecode import versions as v
from unjit.decompiler import decompile
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.render.printing.layout import WIDTH, wrapped
from unjit.decompiler.render.printing.printer import Printer, docstring_lines
from unjit.decompiler.render.printing.writer import Writer

LIBRARY = sorted(Path(ast.__file__).parent.glob("*.py"))


def printed(tree: ast.Module) -> str:
    printer = Printer([], Writer())
    printer.module(tree.body, [])
    return "\n".join(printer.lines) + "\n"


def same(one: ast.AST, other: ast.AST) -> bool:
    """Whether the trees are the same, but for how docstrings are indented, which the compiler undoes from 3.13 on."""
    return ast.dump(with_clean_docstrings(one)).replace(", kind='u'", "") == ast.dump(with_clean_docstrings(other))


def with_clean_docstrings(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        docstring = _docstring_of(node) if v.PY313 else None
        if docstring is not None:
            docstring.value = inspect.cleandoc(docstring.value)
    return tree


def _docstring_of(node: ast.AST) -> ast.Constant | None:
    is_documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    first = node.body[0] if is_documented and node.body else None
    value = first.value if isinstance(first, ast.Expr) else None
    return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


@pytest.mark.parametrize("path", random.Random(1).sample(LIBRARY, 25), ids=lambda path: path.name)
def test_library_parses_back_to_the_same_tree(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert same(tree, ast.parse(printed(tree)))


@pytest.mark.parametrize(
    "text",
    [
        "a and not b and c < d",
        "(a or b) and c",
        "not (a and b)",
        "(-x) ** 2 ** -y",
        "-x ** 2",
        "a - (b - c) - d",
        "(a, b) < (c,)",
        "(lambda: x)()",
        "lambda x, /, y=1, *z, k, **w: (x, y)",
        "(x if a else y) if b else z",
        "x if a else y if b else z",
        "[x async for x in (a if b else c) if (d if e else f)]",
        "sum(x for x in y)",
        "f((x for x in y), 1, *a, k=2, **b)",
        "3 .real",
        "a[b, c:d, ::e]",
        "a[(b := c)]",
        "{**a, b: c, **(d or e)}",
        "await (await a)",
        "(yield a, b)",
        "(await a)(b)[c].d",
        "f'{a!r:>{width}} it\\'s {{b}}'",
        "f\"{a['b']}'\"",
        "(1e309, -1e309, 2j, ..., b'\\x00')",
        "not a == b",
        "(not a) == b",
        "(a == b) == c",
        "a == b == c",
        "x @ y % z // w",
        "x << (y + 1) & ~z | w",
    ],
)
def test_expressions_have_only_the_brackets_they_need(text: str) -> None:
    tree = ast.parse(text, mode="eval").body
    shown = Writer().text(tree)
    assert same(tree, ast.parse(shown, mode="eval").body)
    assert shown.count("(") <= text.count("(")


@pytest.mark.parametrize(
    "text",
    [
        "x = yield",
        "return a, *b",
        "x = a, b",
        "for a, *b in (c, d):\n    pass\nelse:\n    pass",
        "while x := f():\n    pass",
        "if (yield x):\n    pass\nelif (yield):\n    pass\nelif (a, b):\n    pass",
        "with a as b, c as (d, e):\n    pass",
        "with ((a, b)):\n    pass",
        "del (a, b), c[d]",
        "x: int = 1",
        "(x): int",
        "from . import a as b, c",
        "@d(1)\nclass A(B, metaclass=C):\n    '''it's \"so\" \\\\'''\n    x = 1",
        "async def f(a: int = 1, *b: c, d, **e) -> g:\n    async with h:\n        await i",
        "match x, y:\n    case [1, *_] | {'a': -1, **r} if z:\n        pass\n    case A(b, c=d as e):\n        pass",
        "try:\n    pass\nexcept (A, B) as e:\n    raise C from e\nelse:\n    pass\nfinally:\n    pass",
    ],
)
def test_statements(text: str) -> None:
    tree = ast.parse(text)
    assert same(tree, ast.parse(printed(tree)))


def test_expressions_as_deep_as_lowering_follows_them_are_printed() -> None:
    tree: ast.expr = ast.Name("x")
    for _ in range(100):
        tree = ast.BinOp(ast.Call(ast.Attribute(tree, "y"), [], []), ast.Add(), ast.Constant(1))
    assert Writer().text(tree).startswith("((")


def test_sums_reach_no_recursion_limit() -> None:
    tree: ast.expr = ast.Name("x")
    for _ in range(20_000):
        tree = ast.BinOp(tree, ast.Add(), ast.Constant(1))
    assert Writer().text(tree).count("+") == 20_000


def test_a_node_without_syntax_is_refused() -> None:
    with pytest.raises(CannotExpress, match="Load has no source form"):
        Writer().text(ast.Load())


@pytest.mark.parametrize("text", ["", "a", 'says "so"', "it's", '"""', "a\n  b\\n\n", "\t", "\x00", 'x""', "é\u2028"])
def test_docstrings_give_back_the_text(text: str) -> None:
    assert ast.literal_eval("\n".join(docstring_lines(text, ""))) == text


def test_long_lines_break_at_brackets_but_not_in_strings() -> None:
    text = f"f({', '.join(repr('(, [' + 20 * c) for c in 'abcdef')}, x[1])"
    lines = wrapped(text, 0)
    assert len(lines) > 6
    assert all(len(line) <= WIDTH for line in lines)
    assert same(ast.parse(text), ast.parse("\n".join(lines)))


def test_brackets_that_hold_little_are_not_broken() -> None:
    text = f"{'a' * 120}[-1]"
    assert wrapped(text, 0) == [text]


def test_edited_source_may_lack_the_newline_at_its_end():
    module = compile("import os\ndef f(): return os.getcwd()", "edited", "exec", dont_inherit=True)
    code = next(const for const in module.co_consts if isinstance(const, CodeType))
    answer = decompile(code)
    assert answer.compile_edited(answer.source.rstrip("\n")).co_code == code.co_code
