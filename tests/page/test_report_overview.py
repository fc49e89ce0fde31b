"""What the page says first, and of breaks: held against what became of the calls."""

from __future__ import annotations

import re

import pytest
import torch

import unjit
from needs import refused_before
from unjit.model import Unknown

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def page_of(program):
    with unjit.capture() as session:
        program()
    return session.report().html


def verdict(page):
    return re.search(r"(?:Yes[^:<]*|Partly): [^<]*", page)[0]


def test_a_compile_that_failed_is_no_function_left_to_plain_python():
    compiled = torch.compile(lambda x, y: x @ y, backend="eager")

    def program():
        with pytest.raises(RuntimeError):
            compiled(torch.ones(2, 3), torch.ones(2, 3))

    page = page_of(program)
    assert verdict(page) == "Partly: 1 compile that failed."
    assert "compile failed" in page


def test_a_compile_that_failed_before_another_is_told():
    compiled = torch.compile(lambda x, y: x @ y, backend="eager")

    def program():
        with pytest.raises(RuntimeError):
            compiled(torch.ones(2, 3), torch.ones(2, 3))
        compiled(torch.ones(2, 3), torch.ones(3, 2))

    assert verdict(page_of(program)) == "Partly: 1 compile that failed."


def test_a_function_compiled_twice_was_not_compiled_once():
    def function(x):
        return x + 1

    def program():
        torch.compile(function, backend="eager")(torch.ones(2))
        torch._dynamo.reset()
        torch.compile(function, backend="eager")(torch.ones(2))

    assert verdict(page_of(program)) == "Yes: 1 function, whole, in 2 compiles."
    torch._dynamo.reset()
    once = page_of(lambda: torch.compile(function, backend="eager")(torch.ones(2)))
    assert verdict(once) == "Yes: 1 function, whole, and each compiled once."


def test_where_a_function_was_given_up_at_a_break_no_resume_function_is_promised():
    def in_a_loop(x):
        for _ in range(2):
            x = x + 1
            torch._dynamo.graph_break()
        return x

    def between(x):
        x = x + 1
        torch._dynamo.graph_break()
        return x * 2

    said = 'label">Given up: '
    assert said in page_of(lambda: torch.compile(in_a_loop, backend="eager")(torch.ones(2)))
    assert said not in page_of(lambda: torch.compile(between, backend="eager")(torch.ones(2)))


@refused_before("2.13", "has other words for it")
def test_what_torch_advises_on_a_break_is_not_taken_for_what_helps():
    def printing(x):
        print(x.shape)
        return x + 1

    def breaking(x):
        torch._dynamo.graph_break()
        return x + 1

    pages = (page_of(lambda f=f: torch.compile(f, backend="eager")(torch.ones(2))) for f in (printing, breaking))
    torch_and_unjit, torch_alone = (page.partition('id="breaks"')[2].partition("</section>")[0] for page in pages)
    assert "What torch advises" in torch_and_unjit
    assert "What torch advises" in torch_alone
    assert "nothing in functions that it inlines" in torch_and_unjit
    assert "What to do" not in torch_alone


def test_what_torch_does_not_tell_of_an_export_is_not_taken_for_whole():
    class Net(torch.nn.Module):
        def forward(self, x):
            return x.sin() + 1

    with unjit.capture() as session:
        torch.export.export(Net(), (torch.ones(3),), strict=True)
    page = session.report().html
    (function,) = session.data.report.functions
    is_told = not isinstance(function.compiles[0].breaks, Unknown)  # as older torch does
    assert verdict(page).startswith("Yes: " if is_told else "Yes, as far as is known: ")
    assert ('<p class="unknown">For 1 of 1 compile this' in page) is not is_told
    assert ('<p class="says">Nothing: each' in page) is is_told


def test_entries_are_called_as_their_compiles_everywhere():
    """They stand in the order in which they are tried, which is not that of the compiles."""

    def program():
        compiled = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
        for size in (2, 3, 2):
            compiled(torch.ones(size))

    with unjit.capture() as session:
        program()
    named = re.findall(r'data-name="[^"]+? (entry [^"]+)"', session.report().html)
    assert named == [entry.name for entry in session.functions[0].entries]
    assert sorted(named) == ["entry 0/0", "entry 0/1"]


def test_entries_that_did_not_fit_for_the_same_reason_are_told_together():
    def program():
        compiled = torch.compile(lambda x, text: x + len(text), backend="eager")
        for text in "a", "bc", "def", "ghij", "klmno":
            compiled(torch.ones(2), text)

    story = page_of(program).partition('id="recompile-3"')[2].partition("</article>")[0]
    assert story.count("did not fit") == 2
    assert re.search(r"Entries \d/2 to \d/0 did not fit: the same with other values", story)
    assert story.count("<div>") == 1, "the line that needs it"


def test_that_torch_names_no_line_of_guards_is_said_once():
    def program():
        compiled = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
        for size in (3, 4, 5, 6):
            compiled(torch.ones(size))

    page = page_of(program)
    told = page[page.index('<section id="recompiles"') :].partition("</section>")[0]
    assert told.count("<article") == 3
    assert told.count("torch does not say which line needs it") == 1
