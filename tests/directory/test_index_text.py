"""index.md as Markdown: what a program calls its files and functions reads as it is, and every text is linked."""

from __future__ import annotations

import importlib.util
import re

import pytest
import torch

import unjit
from unjit.render.forms import markdown

PROGRAM = """
def __call_me__(x):
    return x * 2
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("of a_b, x * 2", "of a_b, x * 2"),
        ("f32[4] in __init__", r"f32[4] in \_\_init\_\_"),
        ("a *bold* `word`", r"a \*bold\* \`word\`"),
        ("<module> & [a](b)", r"&lt;module> &amp; [a\](b)"),
        ("two\nlines", r"two\\nlines"),
    ],
)
def test_words_read_as_they_are(text, told):
    assert markdown.words(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a*b <c>", "`a*b <c>`"),
        ("a`b", "``a`b``"),
        ("`a``", "``` `a`` ```"),
        ("two\nlines", r"`two\nlines`"),
    ],
)
def test_code_stands_between_as_many_ticks_as_it_takes(text, told):
    assert markdown.code(text) == told


@pytest.fixture
def function_of_an_odd_file(tmp_path):
    path = tmp_path / "a*b_[c]\nd.py"
    path.write_text(PROGRAM)
    spec = importlib.util.spec_from_file_location("odd", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.__call_me__


def test_the_name_of_a_file_is_no_markup_and_breaks_no_line(function_of_an_odd_file, nothing_compiled):
    with unjit.capture() as session:
        torch.compile(function_of_an_odd_file, backend="eager")(torch.ones(3))
    (heading,) = re.findall(r"^a function, .*$", str(session), re.MULTILINE)
    assert re.fullmatch(r"a function, defined in `.*/a\*b_\[c]\\nd\.py:2`; 1 cache entry", heading)
    told = str(unjit.explain(function_of_an_odd_file))
    assert re.search(r"^  defined in .*/a\*b_\[c]\\nd\.py:2$", told, re.MULTILINE)


def test_the_index_links_all_texts_of_a_compile(tmp_path, nothing_compiled):
    with unjit.capture(tmp_path / "out"):
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
    out = tmp_path / "out"
    folder = out / "functions/lambda_/compile_0"
    texts = {str(path.relative_to(out)) for path in folder.iterdir() if path.suffix in (".py", ".txt")}
    assert "functions/lambda_/compile_0/transformed_bytecode.txt" in texts
    for text in ((out / "index.md").read_text("utf-8"), str(unjit.load(out))):
        assert texts <= set(re.findall(r"]\((\S+)\)", text))
