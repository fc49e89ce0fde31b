"""Lines of a program in a text, as tracebacks name them."""

from __future__ import annotations

from dataclasses import replace

from unjit.model import Message, Unknown
from unjit.model.words.stack_text import places_in
from unjit.render.forms.places import where


def test_each_line_with_its_code():
    text = '  File "a b.py", line 3, in f\n    x = 1\n    ~~^~~\n  File "c.py", line 5, in <lambda>\n    y\n'
    assert [(one.file, one.line, one.function, one.code) for one in places_in(text)] == [
        ("a b.py", 3, "f", "x = 1"),
        ("c.py", 5, "<lambda>", "y"),
    ]


def test_code_beside_the_line_and_names_of_several_words():
    text = 'File "a.py", line 3, in f, code: x = 1\n\nFile "b.py", line 4, in <generic parameters of g>\n'
    beside, generic = places_in(text)
    assert (beside.function, beside.code) == ("f", "x = 1")
    assert (generic.function, generic.line) == ("<generic parameters of g>", 4)


def test_a_line_that_cannot_be_read_does_not_take_the_next_for_its_code():
    gone, last = places_in('  File "gone.py", line 3, in f\n  File "here.py", line 5, in g\n    y = 2\n')
    assert isinstance(gone.code, Unknown)
    assert (last.file, last.line, last.code) == ("here.py", 5, "y = 2")
    (only,) = places_in('File "gone.py", line 3, in f')
    assert isinstance(only.code, Unknown)


def test_a_line_where_a_function_goes_on_is_one_of_that_function():
    (resumed,) = places_in('File "a.py", line 3, in torch_dynamo_resume_in_step_at_12')
    assert resumed.written_in == "step"
    (plain,) = places_in('File "a.py", line 3, in step')
    assert plain.written_in == "step"
    assert where(replace(resumed, code=Unknown(Message("not asked for")))) == "a.py:3 in step"
