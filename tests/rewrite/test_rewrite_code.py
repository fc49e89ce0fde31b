"""Cache entries copied with other code, graphs and inputs of graphs."""

from __future__ import annotations

import re
import traceback

import pytest
import torch
import torch._dynamo

import unjit
from entries import ERRORS, X, closure, compiled, value
from needs import needs
from unjit.torch_private.probes import cache_probes

pytestmark = [pytest.mark.usefixtures("nothing_compiled"), needs(cache_probes.PRECOMPILE_ENTRIES), ERRORS]


def test_code_is_edited_as_source_and_by_an_editor(tmp_path, monkeypatch):
    _, entry = compiled(closure(), (X,))
    assert value(entry.edit(entry.code.source.replace("return ", "return -")).run(X)) == -6
    editor = tmp_path / "editor.sh"
    editor.write_text("#!/bin/sh\nsed -i 's/return /return 2 * /' \"$1\"\n")
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    new = entry.edit()
    assert value(new.run(X)) == 12
    assert "record_pregraph" not in new.code.source, "what serves the profiler alone is not for editing"
    monkeypatch.setenv("EDITOR", "no-such-editor")
    with pytest.raises(unjit.UnjitError, match="'no-such-editor', which EDITOR names, is not found: set EDITOR"):
        entry.edit()
    monkeypatch.delenv("EDITOR")
    with pytest.raises(unjit.UnjitError, match=r"^set EDITOR to the command"):
        entry.edit()


def test_tracebacks_show_the_edited_lines():
    _, entry = compiled(closure(), (X,))
    edited = entry.code.source.replace("return ", "[0 for _ in range(2) if 1 / 0]\n    return ")
    with pytest.raises(ZeroDivisionError) as raised:
        entry.edit(edited).run(X)
    shown = traceback.extract_tb(raised.value.__traceback__)
    lines = {place.line for place in shown if place.filename.startswith("<edited ")}
    assert lines == {"[0 for _ in range(2) if 1 / 0]"}, "of the comprehension too, which is code of its own before 3.12"


def test_code_that_is_not_changed_stays_the_same_object():
    """With what is nested in it: guards of resume functions ask for the identity of an inner function's code."""
    _, entry = compiled(closure(), (X,))
    code = entry.code_object
    assert entry.copy().code_object is code
    assert entry.copy(guards="k == 1", code=code).code_object is code


def test_code_is_a_function_and_names_that_it_needs_can_be_given():
    made, entry = compiled(lambda x, k=1: x * k, (X,))

    def other(x, k):
        return helper_of_this_test(x) + k  # noqa: F821

    with pytest.raises(unjit.UnjitError, match=r"pass names=\{'helper_of_this_test': …\}"):
        entry.copy(code=other)
    new = entry.copy(code=other, names={"helper_of_this_test": lambda x: x * 50})
    assert value(new.run(X, 2)) == 52
    with new.install():
        assert value(made(X)) == 51
    assert "helper_of_this_test" not in globals()


def test_names_that_edited_source_needs_can_be_given():
    _, entry = compiled(lambda x, k=1: x * k, (X,))
    source = entry.code.source.replace("return ", "return offset_of_this_test + ")
    with pytest.raises(unjit.UnjitError, match=r"pass names=\{'offset_of_this_test': …\}"):
        entry.edit(source)
    new = entry.edit(source, names={"offset_of_this_test": 100})
    again = new.edit(new.code.source.replace("100 + ", "offset_of_this_test + "), names={"offset_of_this_test": 200})
    assert (value(entry.run(X)), value(new.run(X)), value(again.run(X))) == (1, 101, 201)


def test_names_that_the_code_does_not_use_are_refused():
    _, entry = compiled(lambda x, k=1: x * k, (X,))
    for code in (None, entry.code.source):
        with pytest.raises(unjit.UnjitError, match="names has __compiled_fn_1, which the code does not use"):
            entry.copy(code=code, names={"__compiled_fn_1": print})
    with pytest.raises(unjit.UnjitError, match=r"names is a dict .*, not list"):
        entry.copy(names=["helper"])


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (lambda x: x, r"its arguments are \(x\) and must be \(x, k\)"),
        (lambda x, k: x, r"its free variables are none and must be \(c\)"),
        ("def f(x, k): return x", r"its free variables are none and must be \(c\)"),
        ("def f(", "does not parse"),
        ("3", "does not end in a definition"),
        (3, "not int"),
    ],
)
def test_code_that_does_not_fit_is_refused(code, message):
    _, entry = compiled(closure(), (X,))
    with pytest.raises(unjit.UnjitError, match=message):
        entry.copy(code=code)


def two_graph_outputs(x, k):
    a = x + k
    b = x * k
    return a, b


def test_graph_inputs_and_outputs_are_shown_and_changed():
    _, entry = compiled(two_graph_outputs, (X, torch.tensor(3.0)))
    k = torch.tensor(3.0)
    new = entry.copy()
    assert [(one.index, one.source) for one in new.graph_inputs] == [(0, "L['x']"), (1, "L['k']")]
    assert [one.index for one in new.graph_outputs] == [0, 1]
    assert list(map(value, new.with_graph_input(0, "_ * 10").run(X, k))) == [13, 30]
    assert list(map(value, new.with_graph_input(0, "k").run(X, k))) == [6, 9]
    assert list(map(value, new.with_graph_output(1, "_ + _ * x").run(X, k))) == [4, 6]
    with pytest.raises(unjit.UnjitError, match="there is no 2"):
        new.with_graph_input(2, "x")
    with pytest.raises(unjit.UnjitError, match="takes no output 5"):
        new.with_graph_output(5, "x")
    with pytest.raises(unjit.UnjitError, match="is not an expression"):
        new.with_graph_input(0, "x +")


def test_a_graph_is_replaced_by_any_callable():
    made, entry = compiled(two_graph_outputs, (X, torch.tensor(3.0)))
    seen = []

    def graph(x, k):
        seen.append((x, k))
        return x * 100, k

    new = entry.copy().with_graph(graph)
    with new.install():
        assert list(map(value, made(X, torch.tensor(3.0)))) == [100, 3]
    assert len(seen) == 1
    with pytest.raises(unjit.UnjitError, match="2 inputs"):
        entry.copy().with_graph(lambda x: x)
    with pytest.raises(unjit.UnjitError, match="say which graph"):
        entry.copy().with_graph(graph, graph="__compiled_fn_99")
    with pytest.raises(unjit.UnjitError, match="is a function, not int"):
        entry.copy().with_graph(3)
    with pytest.raises(unjit.UnjitError, match="gave a Tensor; it gives a tuple of the graph's outputs"):
        entry.copy().with_graph(torch.add).run(X, torch.tensor(3.0))
    with pytest.raises(unjit.UnjitError, match="gave 1 output; the code takes 2"):
        entry.copy().with_graph(lambda x, k: (x,)).run(X, torch.tensor(3.0))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda text: f"print('hello')\n{text}", r"`print\('hello'\)` stands outside of the function"),
        (lambda text: f"@torch.no_grad()\n{text}", r"`@torch.no_grad\(\)` would not run"),
        (lambda text: text.replace("(x, k)", "(x, k=5)"), "the default value `5` would not be taken"),
    ],
)
def test_what_an_edit_says_around_the_function_is_refused_as_it_would_not_happen(edit, message):
    _, entry = compiled(lambda x, k=1: x * k, (X,))
    with pytest.raises(unjit.UnjitError, match=message):
        entry.edit(edit(entry.code.source))


@pytest.mark.parametrize("lost", ["print('hello')", "n = 5"])
def test_what_an_edit_says_beside_a_function_with_free_variables_is_refused_too(lost):
    """It stands in the function that only declares them, and was left out in silence."""
    n = 1

    def f(x):
        nonlocal n
        n = 2
        return x + 1

    _, entry = compiled(f, (X,))
    lines = entry.code.source.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("def enclosing_function"))
    with pytest.raises(unjit.UnjitError, match=rf"`{re.escape(lost)}` stands outside of the function"):
        entry.edit("\n".join([*lines[: at + 1], f"    {lost}", *lines[at + 1 :]]))
    assert entry.edit(entry.code.source).run(X)[0] == 2


def test_a_name_that_the_code_sets_cannot_be_given():
    _, entry = compiled(lambda x, k=1: x * k, (X,))
    source = f"{entry.code.source.splitlines()[0]}\n    global given\n    given = 1\n    return x\n"
    with pytest.raises(unjit.UnjitError, match="it sets given, which names gives as a constant"):
        entry.edit(source, names={"given": 3})


def test_an_expression_for_an_output_is_text():
    _, entry = compiled(lambda x, k=1: x * k, (X,))
    with pytest.raises(unjit.UnjitError, match="is an expression as a string, not int"):
        entry.copy().with_graph_output(0, 5)
