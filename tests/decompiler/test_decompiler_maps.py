"""Every instruction that can be reached has a line of the source and a stack of expressions."""

from __future__ import annotations

import ast
import dis
import inspect
import json.decoder
import re
import textwrap
from collections import Counter
from itertools import groupby, pairwise
from types import CodeType

import pytest

from catalogue_states import FILES, codes_of, runs_here
from codes import function_code
from unjit.bytecode import Instr, decode, reachable_in
from unjit.bytecode import versions as v
from unjit.decompiler import Decompiled, Verdict, decompile

CASES = [(file.stem, codes_of(file)) for file in FILES if runs_here(file)]
CASES += [("standard library", {c.__name__: c.__code__ for c in (
    textwrap.wrap, textwrap.dedent, json.decoder.py_scanstring, ast.literal_eval, inspect.getmodule, dis.findlinestarts,
    Counter.most_common, textwrap.TextWrapper._wrap_chunks, json.decoder.JSONObject, inspect.getfullargspec,
)})]  # fmt: skip
MOST_WITHOUT_LINE = 0.12  # only ever lowered
by_file = pytest.mark.parametrize("codes", [codes for _, codes in CASES], ids=[name for name, _ in CASES])


def recovered(codes: dict[str, CodeType]) -> list[tuple[CodeType, Decompiled]]:
    answers = [(code, decompile(code)) for code in codes.values()]
    return [(code, answer) for code, answer in answers if answer.verdict is not Verdict.OPAQUE]


def offsets_reached(code: CodeType) -> list[int]:
    return [instr.offset for instr in reachable_in(code)]


@by_file
def test_lines_lie_within_the_source(codes):
    for code, answer in recovered(codes):
        last = answer.source.count("\n")
        for offset in range(-2, len(code.co_code) + 4):
            line = answer.line_of(offset)
            assert line is None or 1 <= line <= last, f"{code.co_name} at {offset}"


# What the compiler adds for control alone: nobody wrote it, and it may have no line.
UNWRITTEN = re.compile(
    r"RESUME|MAKE_CELL|COPY_FREE_VARS|RETURN_GENERATOR|GEN_START|NOP|POP_TOP|POP_BLOCK|POP_EXCEPT|PUSH_EXC_INFO|RERAISE|"
    r"COPY|SWAP|ROT_|DUP_TOP|JUMP|RETURN_|LOAD_CONST|STORE_FAST|DELETE_FAST|END_|STOPITERATION|CALL_INTRINSIC|CLEANUP_THROW"
)


def test_nearly_every_instruction_that_someone_wrote_has_a_line():
    total, missing = 0, Counter()
    for _, codes in CASES:
        for code, answer in recovered(codes):
            ops = {instr.offset: instr.op for instr in decode(code)}
            written = [o for o in offsets_reached(code) if not UNWRITTEN.match(ops[o])]
            total += len(written)
            missing.update(ops[o] for o in written if answer.line_of(o) is None)
    assert missing.total() <= MOST_WITHOUT_LINE * total, f"{missing.total()} of {total}: {missing}"


@pytest.mark.parametrize(
    "body",
    [
        "with a:\n        g(a)",
        "while g(a):\n        h(a)",
        "yield from a",
        "if a:\n        g(a)",
        "for x in a:\n        g(x)",
        "try:\n        g(a)\n    except KeyError:\n        h(a)",
    ],
)
def test_every_reachable_instruction_has_a_line(body):
    code = function_code(f"def f(a):\n    {body}")
    answer = decompile(code)
    first = next(i.offset for i in decode(code) if i.op == "RESUME" or not v.PY311)
    assert [o for o in offsets_reached(code) if o > first and answer.line_of(o) is None] == []


@by_file
def test_names_stand_on_the_line_of_their_instruction(codes):
    """A global that is loaded, an attribute, a local that is stored: its name is in the statement on that line."""
    wanted = {"LOAD_GLOBAL", "LOAD_ATTR", "LOAD_METHOD", "STORE_GLOBAL", "STORE_ATTR", "IMPORT_NAME"}
    wrong: list[str] = []
    total = 0
    for code, answer in recovered({name: code for name, code in codes.items() if not COPIES.search(name)}):
        lines = answer.source.splitlines()
        spans = statements_by_line(answer.source)
        for instr in dis.get_instructions(code):
            line = answer.line_of(instr.offset)
            if instr.opname in wanted and line is not None:
                total += 1
                start, end = spans.get(line, (line, line))
                shown = "\n".join(lines[start - 1 : end])
                if str(instr.argval).split(".", maxsplit=1)[0] not in shown and instr.argval != "AssertionError":
                    wrong.append(f"{code.co_name} at {instr.offset}: {instr.opname} {instr.argval} on {shown!r}")
    assert len(wrong) <= total // 50, "\n".join(wrong)


COPIES = re.compile(r"finally|while|for_target|with_attribute|return_in_loop_in_try")


@pytest.mark.parametrize(
    ("source", "op", "name", "line"),
    [
        ("def f(a, b):\n    try:\n        return g(a)\n    finally:\n        h(b)", "LOAD_GLOBAL", "h", 5),
        ("def f(a, b):\n    while g(a):\n        h(b)", "LOAD_GLOBAL", "g", 2),
        ("def f(a, b):\n    for b.x in a:\n        g(b)", "STORE_ATTR", "x", 2),
    ],
    ids=["finally", "while", "for target"],
)
def test_copies_stand_on_the_line_that_they_are_copies_of(source, op, name, line):
    code = function_code(source)
    answer = decompile(code)
    assert answer.verdict is Verdict.IDENTICAL
    copies = [i.offset for i in dis.get_instructions(code) if i.opname == op and i.argval == name]
    assert [answer.line_of(offset) for offset in copies] == [line] * len(copies)


def statements_by_line(source: str) -> dict[int, tuple[int, int]]:
    """Line to the first and last line of the innermost statement there; of a compound one, its head."""
    spans: dict[int, tuple[int, int]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if body else node.end_lineno
            spans.update(dict.fromkeys(range(node.lineno, max(node.lineno, end or 0) + 1), (node.lineno, end or 0)))
    return spans


@by_file
def test_stacks_are_as_deep_as_the_instructions_say(codes):
    """Along a straight line, each instruction changes the depth by what dis says it does."""
    for code, answer in recovered(codes):
        instrs = decode(code)
        here = {
            offset: len(stack) for offset in offsets_reached(code) if (stack := stack_of(answer, offset)) is not None
        }
        whole = [list(halves) for _, halves in groupby(instrs, lambda i: i.offset)]
        for (first, *rest), (second, *_) in pairwise(whole):
            plain = first.target is None and first.op not in FLOW
            if plain and first.offset in here and second.offset in here and second.op != "END_SEND":
                effect = sum(map(effect_of, (first, *rest)))
                assert here[first.offset] + effect == here[second.offset], (
                    f"{code.co_name} at {first.offset}: {first.op}"
                )


def effect_of(instr: Instr) -> int:
    opcode = dis.opmap[instr.op]
    return dis.stack_effect(opcode, instr.arg if opcode >= dis.HAVE_ARGUMENT else None)


FLOW = {
    "GEN_START",  # takes what a generator is first sent, which nothing put there before
    *("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "KW_NAMES", "PRECALL", "CALL", "RETURN_GENERATOR"),
    *(
        "LOAD_METHOD",
        "CALL_METHOD",
        "POP_EXCEPT",
        "WITH_EXCEPT_START",
        "CLEANUP_THROW",
        "END_ASYNC_FOR",
        "LOAD_FAST_AND_CLEAR",
    ),
}


def stack_of(answer: Decompiled, offset: int) -> tuple[str, ...] | None:
    """The stack, or None where there is none."""
    try:
        return answer.stack_at(offset)
    except KeyError:
        return None


@by_file
def test_no_stack_where_no_instruction_is_reached(codes):
    for code, answer in recovered(codes):
        reached = set(offsets_reached(code))
        for offset in range(-2, len(code.co_code) + 4):
            stack = stack_of(answer, offset)
            assert stack is None or (offset in reached and all(isinstance(slot, str) for slot in stack))


@pytest.mark.parametrize(
    "body", ["try:\n        g(a)\n    except KeyError:\n        h(a)", "with a:\n        g(a)", "yield from a"]
)
def test_every_reachable_instruction_has_a_stack(body):
    code = function_code(f"def f(a):\n    {body}")
    answer = decompile(code)
    assert [offset for offset in offsets_reached(code) if stack_of(answer, offset) is None] == []


@pytest.mark.parametrize(
    "body",
    ["return [x for x in g(a)]", "def h():\n        pass\n    return g(h)", "import x\n    g(x)", "assert a"],
)
def test_every_value_on_the_stack_has_text(body):
    code = function_code(f"def f(a):\n    {body}")
    answer = decompile(code)
    assert all(slot for offset in offsets_reached(code) for slot in stack_of(answer, offset) or ())


def test_stack_slots_are_the_expressions_of_the_source():
    code = function_code("def f(a, b):\n    return g(a.x, [b, 1], -a, k=h(b))")
    answer = decompile(code)
    made = next(i for i in dis.get_instructions(code) if i.opname in ("KW_NAMES", "CALL_FUNCTION_KW", "CALL_KW"))
    shown = answer.stack_at(made.offset)
    expected = ["g", "a.x", "[b, 1]", "-a", "h(b)"]
    assert [slot for slot in shown if slot != "NULL"][: len(expected)] == expected


def test_a_temporary_is_shown_by_its_name_or_value():
    code = function_code("def f(a, b):\n    for x in a:\n        with b:\n            g(x)")
    answer = decompile(code)
    loads = [i.offset for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL" and i.argval == "g"]
    shown = answer.stack_at(loads[0])
    slots_of_with = 2 if v.PY314 else 1
    assert len(shown) == v.SLOTS_OF_ITERATOR + slots_of_with
    assert all(slot.isprintable() for slot in shown)


def test_an_exit_function_on_the_stack_is_called_that():
    code = function_code("def f(a, b):\n    with a.lock(), b:\n        g(b)")
    load = next(i.offset for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL" and i.argval == "g")
    told = [slot for slot in decompile(code).stack_at(load) if slot not in ("NULL", "<value>")]
    assert told == ["<exit of a.lock()>", "<exit of b>"]


def test_a_code_object_on_the_stack_is_called_that():
    code = function_code("def f(a):\n    def inner():\n        return a\n    return inner")
    answer = decompile(code)
    made = next(i for i in dis.get_instructions(code) if i.opname == "MAKE_FUNCTION")
    assert "<code inner>" in answer.stack_at(made.offset)


def test_an_opaque_answer_has_no_lines():
    code = function_code("def f(a):\n    return a")
    load = "LOAD_FAST_BORROW" if v.PY314 else "LOAD_FAST"
    broken = decompile(
        code.replace(co_code=code.co_code.replace(bytes((dis.opmap[load], 0)), bytes((dis.opmap["POP_TOP"], 0))))
    )
    assert broken.verdict is Verdict.OPAQUE
    assert broken.line_of(0) is None
    with pytest.raises(KeyError):
        broken.stack_at(0)
