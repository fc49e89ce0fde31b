"""`unjit show` and `unjit.descend` by keyboard, at a pseudo terminal; and as text where there is none."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

import unjit
from screen import Terminal
from unjit.browsing.walk import Walk
from unjit.render.forms.printable import printable


@pytest.fixture
def walk(awkward):
    return Walk(awkward.contents())


def test_a_walk_down_and_up(walk):
    assert walk.shown.kind == "capture"
    assert not walk.ascend()
    walk.choose(-3)
    walk.choose(2)
    assert walk.here.chosen == 2
    assert walk.descend()
    assert walk.here.node.path == "branches"
    assert walk.descend(0)
    assert walk.here.node.path == "branches/compile_0"
    assert not walk.descend(99)
    assert walk.ascend()
    assert walk.ascend()
    assert walk.here.chosen == 2
    walk.choose(99)
    assert walk.here.chosen == len(walk.here.inside) - 1


def test_one_key_goes_from_source_to_transformed_code_to_bytecode(walk):
    assert not walk.toggle()
    walk.descend(2)
    assert [walk.toggle() and walk.shown.name for _ in range(4)] == ["source", "transformed", "bytecode", "branches"]
    walk.descend(0)
    assert [walk.toggle() and walk.shown.name for _ in range(3)] == ["source", "transformed", "bytecode"]
    walk.descend(1)
    assert walk.shown.path == "branches/compile_0/transformed"
    assert [walk.toggle() and walk.shown.name for _ in range(3)] == ["bytecode", "source", "transformed"]
    walk.ascend()
    walk.descend(3)
    assert walk.shown.kind == "guards"
    assert walk.toggle()
    assert walk.shown.name == "source"


def test_on_a_screen(awkward):
    terminal = Terminal("-m", "unjit", "show", str(awkward.directory))
    terminal.wait("q quit")
    assert "everything: 8 functions, 13 compiles" in terminal.text
    assert "> loops" in terminal.text
    assert "Graph breaks:" in terminal.text
    terminal.press("down", "j", until="> branches ")
    terminal.press("enter", until="branches: awkward_run.py")
    terminal.press("enter", until="> source")
    terminal.press("t", until="def branches(a):")
    terminal.press("t", until="# equivalent: this source is proved")
    terminal.press("tab", until="RESUME")
    terminal.press("down", "down", "down", "enter", until="nothing more")
    assert "branches/compile_0/guards: " in terminal.text
    assert "It runs only if" in terminal.text
    terminal.press("backspace", until="> guards")
    terminal.press("u", "u", until="everything: 8 functions")
    terminal.press("page down", until="1/1 did not fit")
    terminal.press("/", "Dynamo saw", "enter", until="unjit: Dynamo saw 8 functions")
    assert terminal.end() == 0


def test_on_a_terminal_that_only_prints(awkward):
    terminal = Terminal("-m", "unjit", "show", str(awkward.directory), kind="dumb", rows=200)
    terminal.wait("unjit>")
    assert "   3  branches  " in terminal.text
    terminal.press("3\r", until="   1  compile_0  ")
    terminal.press("t\r", until="def branches(a):")
    terminal.press("77\r", until="a number goes there")
    terminal.press("u\r", until="a number goes there")
    assert terminal.end("q\r") == 0


def test_descend_into_a_function_and_out_again(tmp_path):
    (tmp_path / "program.py").write_text(
        "import torch, unjit\n"
        "def double(x):\n"
        "    return x * 2\n"
        "torch.compile(double, backend='eager')(torch.ones(2))\n"
        "unjit.descend(double)\n"
        "print('goes on')\n"
    )
    terminal = Terminal("program.py", directory=tmp_path)
    terminal.wait("q quit")
    terminal.press("enter", "enter", until="double/entry_0: cache entry 0/0 (1 of 1)")
    terminal.press("t", until="program.py:2")
    assert "return x * 2" in terminal.text
    terminal.child.send("q")
    terminal.child.expect("goes on")
    terminal.child.close()


def test_without_a_terminal_it_is_text(awkward, capsys):
    command = [sys.executable, "-m", "unjit", "show", str(awkward.directory)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=True)
    unjit.descend(str(awkward.directory))
    assert capsys.readouterr().out == done.stdout
    unjit.descend(awkward)
    assert capsys.readouterr().out == done.stdout
    assert "\x1b" not in done.stdout
    torch.compile(len_of, backend="eager")(torch.ones(2))
    unjit.descend(len_of)
    assert "== all of it: 1 function\n" in capsys.readouterr().out
    with pytest.raises(unjit.UnjitError):
        unjit.descend(3)


def len_of(x):
    return x + len(x)


def test_texts_of_the_program_do_not_command_the_terminal():
    assert printable("a\tb\nc\x1b[2J\x9b\u202e") == "a\tb\nc\\x1b[2J\\x9b\\x202e"


def test_entries_have_the_numbers_that_the_text_gives_them(walk):
    walk.descend(2)
    for child in walk.here.inside:
        entry = child.value() and next((one for one in child.text().splitlines() if one.startswith("Cache entry ")), "")
        assert f", {entry[0].lower()}{entry[1:]}, " in child.title if entry else "cache entry" not in child.title


def test_a_page_further_begins_where_the_last_ended(awkward):
    terminal = Terminal("-m", "unjit", "show", str(awkward.directory), rows=20)
    terminal.wait("q quit")
    terminal.press("j", "j", "enter", until="> compile_0")  # the last that is drawn
    title, *lines = terminal.text.splitlines()
    last = lines[lines.index("inside:") - 1].removesuffix("v").rstrip()
    terminal.press(" ", until=lambda text: last in text.splitlines()[1:4])  # of a line that was broken, the whole
    terminal.press("b", until=f"{title}\nbranches is a function")
    assert terminal.end() == 0
