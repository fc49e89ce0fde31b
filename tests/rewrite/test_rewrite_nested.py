"""Editing the code of an entry leaves the identity of nested code that was not changed, on which others have guards."""

from __future__ import annotations

import pytest
import torch
import torch._dynamo

import unjit
from needs import needs
from unjit.bytecode import with_nested
from unjit.rewrite.placing import in_its_own_file
from unjit.torch_private.probes import cache_probes

X = torch.ones(3)


def inner_functions(code):
    return {one.co_name: one for one in with_nested(code)[1:]}


def compiled_from(text):
    scope = {}
    exec(compile(text, "program.py", "exec"), scope)
    return scope["f"].__code__


@pytest.mark.usefixtures("nothing_compiled")
@needs(cache_probes.PRECOMPILE_ENTRIES)
def test_an_edit_has_no_resume_function_compiled_once_more():
    def f(x, k):
        inner = lambda y: y * k + 1  # noqa: E731 (the function after the break has a guard on its code)
        x = x + 1
        torch._dynamo.graph_break()
        return inner(x)

    made = torch.compile(f, backend="eager")
    made(X, 2)
    entry = unjit.explain(made).entries[0]
    before = [len(one.entries) for one in unjit.explain(made).functions]
    for change, expected in (("", 5), (" + 1", 7)):
        source = entry.code.source.replace("graph_out_0[0]", f"graph_out_0[0]{change}")
        with entry.edit(source).install():
            assert made(X, 2)[0].item() == expected
    assert before == [1, 1]
    assert [len(one.entries) for one in unjit.explain(made).functions] == before


ORIGINAL = """
def f(x):
    def kept(y):
        return [lambda: y, 1]
    def changed(y):
        def deep():
            return y
        return deep() + 1
    return kept(x), changed(x)
"""


def test_what_is_nested_keeps_its_identity_where_it_is_not_changed():
    text = ORIGINAL.replace("deep() + 1", "deep() + 1.0").replace("def f(x):", "def f(x):\n    x = -x")
    original, new = compiled_from(ORIGINAL), compiled_from(text)
    before, after = inner_functions(original), inner_functions(in_its_own_file(new, text, original))
    assert after["kept"] is before["kept"]
    assert after["deep"] is before["deep"]
    assert after["changed"].co_filename.startswith("<edited f ")
    assert 1.0 in after["changed"].co_consts


def test_each_of_two_that_are_alike_is_kept():
    text = "def f(x):\n    return [lambda y: y + 1,\n            lambda y: y + 1]\n"
    original = compiled_from(text)
    code = in_its_own_file(compiled_from(text), text, original)
    ones, others = (with_nested(each)[1:] for each in (original, code))
    assert len({id(one) for one in others}) == 2
    assert {id(one) for one in ones} == {id(one) for one in others}


def test_code_with_a_constant_of_another_type_is_other_code():
    original = compiled_from("def f(x):\n    return lambda y: y + 1\n")
    text = "def f(x):\n    return lambda y: y + True\n"
    (inner,) = with_nested(in_its_own_file(compiled_from(text), text, original))[1:]
    assert any(const is True for const in inner.co_consts)
