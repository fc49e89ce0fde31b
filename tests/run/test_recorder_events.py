"""The texts of torch's trace records: every form that torch writes, and forms that it does not, lose nothing."""

from __future__ import annotations

import json

import pytest

from unjit.model import Unknown
from unjit.observe.messages.trace_records import read_break, read_recompile

DESCRIPTION = """\
Data-dependent branching
  Explanation: Detected data-dependent branching.
  Hint: Use `torch.cond`.
  Hint: Rewrite it,
    with care.

  Developer debug context: attempted to jump with TensorVariable()

 For more details about this graph break, please visit: https://example.org/gb0170.html
"""
STACK = """\
User code traceback:
  File "/a/caller.py", line 8, in <module>
    toy(x)
    ~~~^^^
  File "/a/toy file.py", line 4, in toy
    if b.sum() < 0:
       ^^^^^^^^^^^
"""
BREAK = f"Graph break in user code at /a/toy file.py:4\nGraph Break Reason: {DESCRIPTION}\n{STACK}\nNoneType: None\n"


def test_the_usual_form():
    found = read_break(BREAK)
    assert found.reason == "Data-dependent branching"
    assert found.explanation == "Detected data-dependent branching."
    assert found.hints == ("Use `torch.cond`.", "Rewrite it, with care.")
    assert found.link == "https://example.org/gb0170.html"
    assert (found.place.file, found.place.line, found.place.function) == ("/a/toy file.py", 4, "toy")
    assert found.place.code == "if b.sum() < 0:"
    assert [place.line for place in found.stack] == [8, 4]


def test_with_an_introduction_and_an_internal_traceback():
    introduced = BREAK.replace("Reason: ", "Reason: Encountered graph break when attempting to trace CALL:\n\n")
    internal = 'Traceback (most recent call last):\n  File "/torch/x.py", line 1, in f\ntorch.Unsupported: Data'
    found = read_break(introduced.replace("NoneType: None", internal))
    assert found == read_break(BREAK)


def test_a_break_while_handling_a_break():
    second = "\n*** While handling this graph break, another graph break occurred: ***\n\n"
    second += "graph break in loop\n  Hint: Look up.\n"
    found = read_break(BREAK.replace("\nUser code", f"{second}\nUser code"))
    assert found.reason == "Data-dependent branching; while handling it: graph break in loop"
    assert found.hints[-1] == "Look up."


def test_the_headline_decides_where_it_was():
    found = read_break(BREAK.replace("file.py:4", "file.py:99"))
    assert found.place.line == 99
    assert isinstance(found.place.code, Unknown)


def test_the_form_of_older_releases():
    found = read_break(f"Graph break in user code at x.py:3\nReason: Unsupported: call_method\n{STACK}")
    assert (found.reason, found.place.line) == ("Unsupported: call_method", 3)


def test_a_frame_that_is_skipped_at_a_break():
    text = (
        "Graph break: torch.compile cannot properly resume from this graph break, which results in a skip.\n"
        "torch.compile will skip tracing the frame f (x.py line 3) and fall back to eager.\n"
        'The graph break occurred in the following user code:\n  File "x.py", line 5, in f\n    g(x)\n\n'
        'Traceback (most recent call last):\n  File "/torch/y.py", line 1, in z\n    raise\n'
        "torch._dynamo.exc.Unsupported: Something odd\n  Explanation: Because.\n  Hint: Do not.\n"
    )
    found = read_break(text)
    assert found.reason == "torch._dynamo.exc.Unsupported: Something odd"
    assert (found.place.file, found.place.line, found.explanation) == ("x.py", 5, "Because.")
    assert "cannot properly resume" in found.hints[0]
    assert found.hints[1] == "Do not."


@pytest.mark.parametrize("text", ["", "\n", "Something else entirely", "Graph break in user code at x.py:1\n"])
def test_what_is_not_recognised_is_kept(text):
    found = read_break(text)
    assert found.reason
    assert text.strip().splitlines()[:1] in ([], [str(found.reason)]) or "x.py" in text


def test_recompiles_one_and_many():
    one = "0/0: tensor 'a' size mismatch at index 0. expected 4, actual 6"
    two = "1/2: k == 'a # b'      # return x * k  # dir/file.py:7 in f\nUser stack trace:\n"
    two += '  File "/d/file.py", line 7, in f\n    return x * k'
    (failed,) = read_recompile(one)
    assert (failed.entry, failed.condition) == ("0/0", "tensor 'a' size mismatch at index 0. expected 4, actual 6")
    assert isinstance(failed.cause, Unknown)
    found = read_recompile("[\n" + ",\n".join(json.dumps(reason) for reason in (one, two)) + "\n]")
    assert [failed.entry for failed in found] == ["0/0", "1/2"]
    assert found[1].condition == "k == 'a # b'"
    assert (found[1].cause.file, found[1].cause.line, found[1].cause.code) == ("/d/file.py", 7, "return x * k")
    assert read_recompile("[]") == ()


@pytest.mark.parametrize("text", ["no entry named", "3", "null", '{"a": 1}', "!0/1/2: autograd"])
def test_recompile_reasons_of_another_form_are_kept(text):
    (failed,) = read_recompile(text)
    assert failed.condition
