"""The model: plain data there and back, every string typed, nothing of torch."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import types
import typing

import pytest
import torch

import unjit
from unjit.model import Code, Expression, Generated, Message, Name, Report, TensorShape, Term, Text, Unknown
from unjit.model.plain.serialise import field_types, fields_of, from_plain, mapped, to_plain


def classes_below(kind):
    """Every dataclass of the model that a value of type `kind` can hold."""
    found, pending = [], [kind]
    while pending:
        one = pending.pop()
        if typing.get_args(one):
            pending.extend(typing.get_args(one))
        elif dataclasses.is_dataclass(one) and one not in found:
            found.append(one)
            pending.extend(field_types(one).values())
    return found


def members(hint):
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)


def test_every_string_says_what_it_is():
    for kind in classes_below(Report):
        for name, hint in field_types(kind).items():
            leaves = [leaf for member in members(hint) for leaf in (typing.get_args(member) or (member,))]
            assert str not in leaves, f"{kind.__name__}.{name}"


def test_plain_data_can_be_read_back_without_tags():
    for kind in classes_below(Report):
        for name, hint in field_types(kind).items():
            told_apart = [m for m in members(hint) if m not in (Unknown, type(None))]
            assert len(told_apart) == 1, f"{kind.__name__}.{name}: {hint}"


def test_everything_is_frozen_and_slotted():
    for kind in classes_below(Report):
        assert kind.__dataclass_params__.frozen, kind
        assert hasattr(kind, "__slots__"), kind


def test_large_parts_print_as_a_line_each():
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: x + 1, backend="eager")
    compiled(torch.ones(3))
    entry = unjit.explain(compiled).entries[0].data
    assert repr(entry).startswith("Entry(index=0, kind='cache entry', ")
    assert ", guards=<Guards>, code=<Code>, graphs=<1 of Graph>, " in repr(entry)
    code = Code(Name("f"), Generated("x = 1\n" * 100), "identical", None, 0, 200, Generated(""))
    assert repr(code).startswith(r"Code(name='f', source='x = 1\nx = 1\n")
    assert len(repr(code)) < 250


def test_a_real_report_survives_json():
    torch._dynamo.reset()

    def f(x, k):
        return x * k if x.sum() > 0 else x - k

    compiled = torch.compile(f, backend="eager")
    for k in (1, 2):
        compiled(torch.ones(3), k)
    report = unjit.explain(f).report
    again = Report.from_dict(json.loads(report.to_json()))
    assert again == report
    assert {type(text) for text in strings(again)} >= {Name, Term, Expression, Message}


def strings(value):
    if isinstance(value, str):
        yield value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from strings(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from strings(item)


def test_unknown_is_a_value_in_every_form():
    unknown = Unknown(Message("why"))
    shape = TensorShape((Expression("3"),), unknown, Term("float32"), Term("cpu"))
    assert to_plain(shape)["stride"] == {"unknown": "why"}
    assert from_plain(TensorShape, to_plain(shape)) == shape
    assert "why" in str(unknown)


def test_a_mapped_value_shares_what_stays_the_same():
    size, dtype = Expression("3"), Term("float32")
    shapes = tuple(TensorShape((size,), Unknown(Message(why)), dtype, Term("cpu")) for why in ("this", "that"))
    assert mapped(shapes, lambda text: text) is shapes
    first, second = mapped(shapes, lambda text: Message("other") if text == "that" else text)
    assert first is shapes[0]
    assert second == TensorShape((size,), Unknown(Message("other")), dtype, Term("cpu"))
    assert second.shape is shapes[1].shape


def test_one_level_is_what_plain_data_have_at_the_top():
    shape = TensorShape((Expression("3"),), Unknown(Message("why")), Term("float32"), Term("cpu"))
    levels = json.dumps(shape, default=fields_of)
    assert json.loads(levels) == to_plain(shape)
    with pytest.raises(TypeError, match="no place in the model"):
        fields_of(object())


@pytest.mark.parametrize("data", [{}, {"schema": 0}, {"schema": 3}, {"schema": 3, "reader": "live", "more": 1}])
def test_data_of_another_form_are_refused(data):
    with pytest.raises(ValueError, match=r"schema|expected"):
        Report.from_dict(data)


def test_what_has_no_place_in_the_model_is_refused():
    with pytest.raises(TypeError):
        to_plain(object())


def test_texts_are_strings():
    assert all(issubclass(kind, str) for kind in Text.__subclasses__())
    assert json.dumps(Name("x")) == '"x"'


def test_the_model_imports_no_torch():
    program = (
        "import sys, unjit, unjit.model, unjit.render, unjit.torch_private.probes.table; "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
