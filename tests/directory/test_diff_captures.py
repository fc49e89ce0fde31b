"""`unjit diff` of two captures: what changed, what does not count as a change, and the exit status."""

from __future__ import annotations

import json
import linecache
import os
import re
import shutil
import subprocess
import sys

import pytest
import torch

import unjit
from needs import refused_before
from unjit.cli import main
from unjit.model import SCHEMA_VERSION, CaptureDifference, Change, FilePath, Generated, Message, Term
from unjit.report.differences import differences_page

PROGRAM = """
import torch

def helper(x, k):
    return x.sin() * k

def main(x):
    x = helper(x, 2)
    print("a break")
    return x + 1
"""


def capture(folder, name, text, sizes=(3,), **options):
    """The capture of a program that is always in the same file, as one that is edited is."""
    torch._dynamo.reset()
    file = folder / "program.py"
    file.write_text(text)
    linecache.checkcache(str(file))
    scope = {"__name__": "program"}
    exec(compile(text, str(file), "exec"), scope)
    with unjit.capture(folder / name) as session:
        compiled = torch.compile(scope["main"], backend="eager", **options)
        for size in sizes:
            compiled(torch.ones(size))
    return session


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Captures of a program and of what may become of it."""
    top = tmp_path_factory.mktemp("diff")
    capture(top, "before", PROGRAM)
    capture(top, "again", PROGRAM)
    capture(top, "moved", "# a remark\n\n# and another" + PROGRAM)
    capture(top, "whole", PROGRAM.replace('    print("a break")\n', ""))
    capture(top, "other", PROGRAM.replace("x.sin() * k", "x.cos() * k"))
    capture(top, "sizes", PROGRAM, sizes=(3, 4))
    torch._dynamo.reset()
    return top


def changes(folder, first, second):
    """The changes by topic: their paths."""
    found = unjit.diff(folder / first, folder / second).data
    return {topic: [str(one.path) for one in found.of_topic(topic)] for topic in {one.topic for one in found.changes}}


@pytest.mark.parametrize("name", ["before", "again", "moved"])
def test_another_run_and_moved_lines_are_no_difference(folder, name):
    found = unjit.diff(folder / "before", folder / name)
    assert found.data.changes == ()
    assert found.same
    assert str(found).endswith("The same.")
    assert "compile time: " in str(found)


def test_a_break_that_is_gone(folder):
    found = unjit.diff(unjit.load(folder / "before"), unjit.load(folder / "whole"))
    assert not found.same
    (broke,) = found.data.of_topic("breaks")
    assert broke.path == "main/compile_0"
    assert 'print("a break")' in broke.first
    assert broke.second == ""
    (gone,) = found.data.of_topic("functions")
    assert gone.path.startswith("main_resumes_at_")
    assert gone.second is None
    assert "only in the first: compiled, entries: 1" in str(found)


@refused_before("2.9", "prints guards on more of what a graph was made of")
def test_a_graph_that_changed_is_told_by_its_lines(folder):
    assert changes(folder, "before", "other") == {"graphs": ["main/compile_0/captured"]}
    text = str(unjit.diff(folder / "before", folder / "other"))
    assert ".sin()" in next(line for line in text.splitlines() if line.startswith("    -"))
    assert ".cos()" in next(line for line in text.splitlines() if line.startswith("    +"))
    assert text.endswith("1 difference: graphs (1).")


def test_a_function_under_another_name_is_noted(folder):
    renamed = PROGRAM.replace("def main(x)", "def mine(x)") + "\nmain = mine\n"
    capture(folder, "renamed", renamed)
    found = unjit.diff(folder / "before", folder / "renamed")
    assert {str(one.path) for one in found.data.of_topic("functions")} >= {"main", "mine"}
    said = "note: mine of the second looks like main of the first under another name: it has the same graphs and guards"
    assert said in str(found).splitlines()
    capture(folder, "renamed_other", renamed.replace("x.sin()", "x.cos()"))
    assert "looks like" not in str(unjit.diff(folder / "before", folder / "renamed_other"))


def test_a_recompile_is_a_difference(folder):
    found = changes(folder, "before", "sizes")
    assert {"compiles", "entries"} <= set(found)
    assert "main/compile_1" in found["compiles"]
    assert changes(folder, "sizes", "before")["compiles"] == found["compiles"]


def test_guards_that_changed(folder):
    text = PROGRAM.replace("def main(x):", "N = 5\ndef main(x):").replace("helper(x, 2)", "helper(x, N)")
    capture(folder, "guarded", text)
    capture(folder, "guarded_6", text.replace("N = 5", "N = 6"))
    (one,) = unjit.diff(folder / "guarded", folder / "guarded_6").data.of_topic("guards")
    assert (one.path, one.first, one.second) == ("main/compile_0/guards", "N (EQUALS_MATCH): 5", "N (EQUALS_MATCH): 6")


def test_both_sides_of_a_change_are_shown_where_it_is_cut(nothing_compiled):
    """As after a change of width, where each guard on a parameter is another: all of one side says nothing."""

    def captured(width):
        torch._dynamo.reset()
        with unjit.capture() as session:
            layers = torch.nn.Sequential(*(torch.nn.Linear(width, width) for _ in range(12)))
            torch.compile(layers, backend="eager")(torch.ones(1, width))
        return session

    text = str(unjit.diff(captured(44), captured(66)))
    _, _, guards = text.partition("/guards:")
    lines = [line.strip() for line in guards.partition("lines more: --json")[0].splitlines()]
    gone, new = ([line[1:] for line in lines if line.startswith(sign)] for sign in "-+")
    assert len(gone) > 10
    assert [line.replace("44", "66") for line in gone[: len(new)]] == new
    assert len(gone) - len(new) in (0, 1)


@pytest.mark.parametrize(("second", "status"), [("again", 0), ("whole", 1), ("nothing", 2)])
def test_the_exit_status_is_for_ci(folder, second, status, capsys):
    assert main(["diff", str(folder / "before"), str(folder / second)]) == status
    text, errors = capsys.readouterr()
    assert bool(errors) == (status == 2)
    assert text.rstrip().endswith({0: "The same.", 1: ".", 2: ""}[status])


def test_json(folder, capsys, tmp_path):
    assert main(["diff", str(folder / "before"), str(folder / "whole"), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["same"]) == (SCHEMA_VERSION, False)
    assert {one["topic"] for one in data["changes"]} >= {"breaks", "functions"}
    assert len(data["times"]) == 2
    assert main(["diff", str(folder / "before"), str(folder / "again"), "--json", str(tmp_path / "d.json")]) == 0
    assert json.loads((tmp_path / "d.json").read_text())["changes"] == []
    assert main(["diff", str(folder / "before"), str(folder / "again"), "--json", str(tmp_path)]) == 2


def test_a_page_has_the_changes_beside_each_other(folder, tmp_path, capsys):
    page = tmp_path / "diff.html"
    assert main(["diff", str(folder / "before"), str(folder / "other"), "--page", str(page)]) == 1
    html = page.read_text()
    assert 'id="graphs=main/compile_0/captured"' in html
    assert re.search(r"<del>[^<]*\.sin\(\)", html)
    assert re.search(r"<ins>[^<]*\.cos\(\)", html)
    assert "default-src &#39;none&#39;" in html
    assert "<script" not in html
    assert "http" not in html.replace("http-equiv", "")
    assert main(["diff", str(folder / "before"), str(folder / "again"), "--page", str(page)]) == 0
    assert "<del>" not in page.read_text()
    assert main(["diff", str(folder / "before"), str(folder / "again"), "--page", str(tmp_path)]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_what_a_program_says_does_not_become_a_part_of_the_page():
    nasty = "<script>alert(1)</script>\udcff"
    one = Change("graphs", Term(f"a/{nasty}"), Generated(nasty), Generated("\"'&"))
    html = differences_page(CaptureDifference(FilePath(nasty), FilePath("b"), (one,), (), (Message(nasty),)))
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_processes_are_compared_by_their_names(folder):
    for name, inside in (("one", "before"), ("two", "whole")):
        top = folder / name
        (top / "processes").mkdir(parents=True)
        for file in ("index.json", "run.json"):
            (top / file).write_text((folder / "before" / file).read_text())
        (top / "functions").symlink_to(folder / "before" / "functions")
        (top / "processes" / "rank_0").symlink_to(folder / inside)
    (top / "processes" / "rank_1").symlink_to(folder / "before")
    found = unjit.diff(folder / "one", folder / "two").data
    assert [str(one.path) for one in found.of_topic("breaks")] == ["processes/rank_0/main/compile_0"]
    assert "processes/rank_1" in [str(one.path) for one in found.of_topic("functions")]


def test_what_cannot_be_compared(folder):
    with pytest.raises(unjit.UnjitError, match="pass two of"):
        unjit.diff(folder / "before", 3)
    with pytest.raises(unjit.UnjitError, match="no capture"):
        unjit.diff(folder / "before", folder)


def test_what_one_of_two_does_not_know_is_no_difference(folder, tmp_path):
    """A capture of a program, and the log of it that torch wrote."""
    program = tmp_path / "program.py"
    program.write_text(
        PROGRAM + "\nimport contextlib, sys, unjit\n"
        "with unjit.capture(sys.argv[1]) if sys.argv[1:] else contextlib.nullcontext():\n"
        "    torch.compile(main, backend='eager')(torch.ones(3))\n"
    )
    for arguments, trace in (([tmp_path / "live"], {}), ([], {"TORCH_TRACE": str(tmp_path / "log")})):
        subprocess.run([sys.executable, program, *arguments], env={**os.environ, **trace}, check=True)
    unjit.ingest(tmp_path / "log", tmp_path / "logged")
    for names in (("live", "logged"), ("logged", "live")):
        found = unjit.diff(*(tmp_path / name for name in names))
        assert found.data.changes == ()
        which = "second" if names[1] == "logged" else "first"
        lacking = f"unknown (a log of torch's trace does not tell it) in the {which}"
        assert f"guards not compared: 2, {lacking}" in found.data.notes
        assert f"entries not compared: 2, {lacking}" in found.data.notes
        assert str(found).endswith("The same, as far as both are known.")
    entry, *_ = unjit.diff(folder / "sizes", tmp_path / "logged").data.of_topic("entries")
    assert (entry.path, entry.second) == ("main/compile_1", None)


def test_what_is_gone_from_a_directory_is_said_and_shifts_nothing(folder, tmp_path):
    shutil.copytree(folder / "sizes", tmp_path / "part")
    (tmp_path / "part" / "functions" / "main" / "compile_0" / "compile.json").unlink()
    lost = "functions/main/compile_0 is gone from the directory, or cannot be read"
    assert lost in unjit.load(tmp_path / "part").data.report.losses
    found = unjit.diff(folder / "sizes", tmp_path / "part").data
    assert {(str(one.path), one.second) for one in found.of_topic("compiles")} == {("main/compile_0", None)}
    assert f"the second lacks: {lost}" in found.notes
    (tmp_path / "part" / "run.json").unlink()
    assert ", 3 compiles, 1 graph break, 2 recompiles (" in str(unjit.load(tmp_path / "part").summary())


def test_times_that_are_gone_are_unknown_and_not_zero(folder, tmp_path):
    timeless = tmp_path / "timeless"
    shutil.copytree(folder / "before", timeless)
    (timeless / "run.json").unlink()
    assert re.search(r"compile time: \d+\.\d\d s → unknown", str(unjit.diff(folder / "before", timeless)))


def test_without_the_file_that_has_torchs_own_numbers_the_entries_are_the_same(folder, tmp_path):
    for gone_from in ("sizes", "again"):
        shutil.copytree(folder / gone_from, tmp_path / gone_from)
        (tmp_path / gone_from / "run.json").unlink()
        found = unjit.diff(folder / gone_from, tmp_path / gone_from)
        assert found.data.changes == ()
        assert "the second lacks: run.json is gone from the directory, or cannot be read" in found.data.notes
        assert unjit.diff(tmp_path / gone_from, tmp_path / gone_from).data.changes == ()


def test_code_that_is_gone_is_said(folder, tmp_path):
    shutil.copytree(folder / "sizes", tmp_path / "part")
    (tmp_path / "part" / "functions" / "main" / "compile_0" / "transformed.py").unlink()
    lost = "functions/main/compile_0/transformed.py is gone from the directory, or cannot be read"
    assert lost in unjit.load(tmp_path / "part").data.report.losses
    found = unjit.diff(folder / "sizes", tmp_path / "part")
    assert f"the second lacks: {lost}" in found.data.notes
    assert str(found).endswith("The same, as far as both are known.")


def test_an_entry_that_is_gone_is_said(folder, tmp_path):
    shutil.copytree(folder / "sizes", tmp_path / "part")
    (tmp_path / "part" / "functions" / "main" / "compile_0" / "entry.json").unlink()
    lost = "functions/main/compile_0/entry.json is gone from the directory, or cannot be read"
    assert lost in unjit.load(tmp_path / "part").data.report.losses
    assert f"the second lacks: {lost}" in unjit.diff(folder / "sizes", tmp_path / "part").data.notes


class Elsewhere:
    """A path of another library, which says where it lies as os.PathLike asks."""

    def __init__(self, path):
        self._path = path

    def __fspath__(self):
        return str(self._path)


def test_paths_of_other_libraries_are_paths(folder, capsys):
    before, again = Elsewhere(folder / "before"), Elsewhere(folder / "again")
    assert unjit.diff(before, again).same
    unjit.descend(before)
    assert "main" in capsys.readouterr().out


def test_one_function_more_changes_nothing_of_the_recompiles_of_those_after_it(tmp_path):
    def before(x):
        return x - 1

    def after(x):
        return x * 2

    for name, called in (("two", (after,)), ("three", (before, after))):
        torch._dynamo.reset()
        with unjit.capture(tmp_path / name):
            for function in called:
                for size in (3, 4, 1):
                    torch.compile(function, backend="eager")(torch.ones(size))
    found = changes(tmp_path, "two", "three")
    assert {topic: len(paths) for topic, paths in found.items()} == {"functions": 1}
