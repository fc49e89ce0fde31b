"""The documentation: every code block of every page does what the page says, and the site can be built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from documented import Page, in_folder, matches, numbered_from_one

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
README = ROOT / "README.md"


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.stem)
def test_every_code_block_of_the_page_does_what_it_says(page, tmp_path, nothing_compiled, monkeypatch):
    torch = pytest.importorskip("torch")
    if not torch.__version__.startswith("2.13") or sys.version_info[:2] != (3, 11):
        pytest.skip("the pages show what torch 2.13 does on Python 3.11")
    if page == README:  # which is read at the top of the repository
        shutil.copytree(ROOT / "examples", tmp_path / "examples")
        monkeypatch.setattr(sys, "breakpointhook", lambda: None)  # nobody is there to go on
    with in_folder(tmp_path), numbered_from_one():
        Page(page).run()


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.stem)
def test_a_page_says_what_it_says_once(page):
    headings = re.findall(r"(?m)^#+ .*", re.sub(r"(?ms)^```.*?^```", "", page.read_text()))
    assert sorted(headings) == sorted(set(headings))


def test_printed_text_is_compared_in_what_matters():
    assert matches("in 3.0 s, at 0x7f001122, 4 breaks\n", "in 12.5 s, at 0x7fab3344, 4 breaks\n")
    assert not matches("in 3.0 s, 4 breaks\n", "in 3.0 s, 5 breaks\n")
    assert matches("first\n…\nlast …\n", "first\nsecond\nthird\nlast one\n")
    assert not matches("first …\n", "first one\nsecond\n")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('```python\nprint(1)\n```\n```text title="Output"\n2\n```\n', "shows"),
        ("```console\n$ echo 1\n2\n```\n", "shows"),
        ("```console\n$ exit 3\n```\n", "exit 3"),
        ("```python\n1 / 0\n```\n", "ZeroDivisionError"),
        ("```perl\n```\n", "no rule"),
    ],
)  # fmt: skip
def test_a_page_that_is_not_true_fails(text, complaint, tmp_path):
    (tmp_path / "page.md").write_text(text)
    with in_folder(tmp_path), pytest.raises(AssertionError, match=complaint):
        Page(tmp_path / "page.md").run()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site."""
    pytest.importorskip("material")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    return folder


def test_the_site_loads_nothing_from_the_network(site):
    loads = re.compile(r"<(?:(?:script|img|iframe|source)\b[^>]*\bsrc|link\b[^>]*\bhref)=\"?(?:https?:)?//")
    urls = re.compile(r"(?:url\(|@import )[\"']?(?:https?:)?//")
    assert [str(page) for page in site.rglob("*.html") if loads.search(page.read_text())] == []
    assert [str(sheet) for sheet in site.rglob("*.css") if urls.search(sheet.read_text())] == []


def test_every_page_is_in_the_menu(site):
    home = (site / "index.html").read_text()
    others = {page.stem for page in PAGES} - {"index"}
    assert {name for name in others if f'href="{name}.html"' not in home} == set()
