"""`unjit.capture`: what a session holds of real compiles, at once and when loaded, and that it leaves no trace."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import subprocess
import sys
import types

import pytest
import torch

import unjit
from needs import refused_before, since
from toys import branch
from unjit.model import Unknown

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def run(backend="eager"):
    compiled = torch.compile(branch, backend=backend)
    return [compiled(torch.ones(size)).tolist() for size in (3, 4)]


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """A directory with the toy of the module, on aot_eager."""
    torch._dynamo.reset()
    top = tmp_path_factory.mktemp("capture") / "out"
    with unjit.capture(top) as session:
        run("aot_eager")
    return session


@pytest.mark.smoke
def test_a_session_has_functions_compiles_and_texts(toy):
    line = branch.__code__.co_firstlineno
    assert [one.key for one in toy.functions] == ["branch", *(f"branch_resumes_at_{line + n}" for n in (4, 3))]
    first, second = toy.compiles_of("branch")
    assert (first.compile.outcome, second.compile.outcome) == ("compiled", "compiled")
    assert first.entered.code == "return [compiled(torch.ones(size)).tolist() for size in (3, 4)]"
    assert "torch.ops.aten.add" in toy.text("branch", 0, "inference")
    assert "def forward" in toy.text("branch", 1, "captured")
    assert toy.losses == ()
    (failed,) = second.compile.failed_guards
    assert failed.entry == "0/0"


def test_symbols_and_inputs_have_their_sources(toy):
    first, second = toy.compiles_of("branch")
    (given,) = first.inputs
    assert (given.source, given.shape, given.dtype, given.device) == ("L['a']", ("3",), "float32", "cpu")
    assert first.symbols == ()
    (symbol,) = second.symbols
    assert (symbol.source, symbol.example) == ("L['a'].size()[0]", "4")
    assert symbol.place.code == ("a = a + 1" if since("2.7") else Unknown("torch does not quote it"))


@pytest.mark.smoke
def test_loaded_is_the_same_data(toy):
    loaded = unjit.load(toy.directory)
    assert loaded.data == toy.data
    assert loaded.data.finished
    assert loaded.data.run.compiles[0].phases
    assert str(loaded) == str(toy)
    with pytest.raises(unjit.UnjitError, match="run the program again"):
        loaded.explain()


@pytest.mark.smoke
def test_the_page_at_the_end_is_the_one_that_the_files_give(toy):
    written = (toy.directory / "report.html").read_text()
    assert written == toy.report().html == unjit.load(toy.directory).report().html


def test_memory_holds_the_same_as_a_directory(toy):
    with unjit.capture() as session:
        run("aot_eager")
    assert session.directory is None
    assert [function.key for function in session.functions] == [function.key for function in toy.functions]
    assert [len(function.entries) for function in session.functions] == [2, 2, 0]
    for one, other in zip(session.compiles, toy.compiles, strict=True):
        assert [text.path for text in one.artifacts] == [text.path for text in other.artifacts]
        assert one.artifact("inference") == other.artifact("inference")


def test_every_python_file_compiles(toy):
    files = sorted(toy.directory.rglob("*.py"))
    assert len(files) > 10
    for file in files:
        compile(file.read_text(), str(file), "exec")


def test_graphs_are_programs(toy):
    graph = toy.directory / "functions" / "branch" / "compile_0" / "inference.py"
    scope = {}
    exec(compile(graph.read_text(), str(graph), "exec"), scope)
    (module,) = [value for name, value in scope.items() if isinstance(value, type) and name != "device"][-1:]
    outputs = [out.tolist() for out in module()(torch.ones(3))]
    assert sorted(outputs, key=str) == [False, [2.0, 2.0, 2.0]]


def test_nothing_is_left_behind(tmp_path):
    log = logging.getLogger("torch.__trace")
    hooks = torch._dynamo.convert_frame._bytecode_hooks
    before = (list(log.handlers), len(hooks), dict(os.environ))
    session = unjit.capture(tmp_path / "out")
    with pytest.raises(ZeroDivisionError), session:
        print(run(), 1 / 0)
    assert (list(log.handlers), len(hooks), dict(os.environ)) == before
    assert len(session.compiles) == 4
    torch.compile(lambda x: x - 1, backend="eager")(torch.ones(2))
    assert len(unjit.load(tmp_path / "out").compiles) == 4


def test_captures_nest_and_follow_each_other(tmp_path):
    with unjit.capture(tmp_path / "outer") as outer:
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
        with unjit.capture(tmp_path / "inner") as inner:
            run()
    with unjit.capture() as after:
        run()
    assert [function.key for function in outer.functions][:2] == ["lambda_", "branch"]
    assert inner.functions[0].key == "branch"
    assert after.compiles == ()


def test_captures_that_overlap_leave_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "before")
    outer, inner = unjit.capture(tmp_path / "a"), unjit.capture(tmp_path / "b")
    with contextlib.ExitStack() as stack:
        first = contextlib.ExitStack()
        first.enter_context(outer)
        stack.enter_context(inner)
        first.close()
        assert str(tmp_path / "b") in os.environ["UNJIT_RUN"]
        code = "import torch; torch.compile(lambda x: x + 1, backend='eager')(torch.ones(2))"
        subprocess.run([sys.executable, "-c", code], check=True)
    assert {name: value for name, value in os.environ.items() if "UNJIT" in name} == {}
    assert os.environ["PYTHONPATH"] == "before"
    assert (len(outer.processes), len(inner.processes)) == (0, 1)


def test_what_the_program_sets_in_a_block_is_its_own(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    with unjit.capture(tmp_path / "a"):
        os.environ["PYTHONPATH"] = f"mine{os.pathsep}{os.environ['PYTHONPATH']}"
    assert os.environ["PYTHONPATH"] == "mine"
    assert "UNJIT_RUN" not in os.environ


def test_a_session_can_be_asked_while_it_runs(tmp_path):
    with unjit.capture(tmp_path / "out") as session:
        run()
        assert not session.data.finished
        assert len(session.compiles) == 4
        assert "It has 2 cache entries" in str(session.explain())
    assert session.data.finished


def numbered(captured, key):
    """The ids of a function's entries, of its compiles, and of the entries that did not fit, as words."""
    compiles = [one.compile for one in captured.compiles_of(key)]
    failed = [one.entry for compile_ in compiles for one in compile_.failed_guards]
    entries = {str(entry.compile_id) for entry in captured.function(key).entries}
    return entries, [str(one.compile_id) for one in compiles], failed


def two_functions():
    """Functions that share no code with those of another test."""

    def first(x):
        return x * 2

    def second(x, text):
        y = x + len(text)
        torch._dynamo.graph_break()
        return y.shape, x * 2

    return torch.compile(first, backend="eager"), torch.compile(second, backend="eager")


def test_entries_from_before_the_capture_are_those_of_no_compile_in_it(tmp_path):
    first, second = two_functions()
    first(torch.ones(2))
    second(torch.ones(2), "a")
    with unjit.capture(tmp_path / "out") as session:
        second(torch.ones(2), "bc")
        first(torch.ones(3))
    for captured in session, unjit.load(tmp_path / "out"):
        assert numbered(captured, "first") == ({"0/0", "0/1"}, ["0/1"], ["0/0"])
        assert numbered(captured, "second") == ({"1/0", "1/1"}, ["1/1"], ["1/0"])
        assert [numbered(captured, one.key) for one in captured.functions if one.resume] == [({"2/0"}, [], [])]
    index = (tmp_path / "out" / "index.md").read_text("utf-8")
    assert re.findall(r"(\w+)  \[(\S+)]\n    (\S+) did not fit", index) == [
        ("second", "0/1", "0/0"),
        ("first", "1/1", "1/0"),
    ]
    for key in "first", "second":
        assert (tmp_path / "out" / "functions" / key / "older_entry_0" / "entry.json").exists()
        assert (tmp_path / "out" / "functions" / key / "compile_0" / "entry.json").exists()


def test_the_index_links_the_source_and_the_instructions_of_functions_that_have_them(tmp_path):
    _, second = two_functions()
    with unjit.capture(tmp_path / "out"):
        second(torch.ones(2), "a")
    out = tmp_path / "out"
    files = {str(path.relative_to(out)) for name in ("source.txt", "bytecode.txt") for path in out.rglob(name)}
    assert "functions/second/source.txt" in files
    assert len(files) == 3  # that of a resume function is its original's
    for text in ((out / "index.md").read_text("utf-8"), str(unjit.load(out))):
        assert set(re.findall(r"^- \[(?:source|bytecode)\.txt]\((\S+)\)", text, re.MULTILINE)) == files
    unjit.redact(out, tmp_path / "clean")
    clean = (tmp_path / "clean" / "index.md").read_text("utf-8")
    links = re.findall(r"^- \[\S+]\((\S+)\)", clean, re.MULTILINE)
    assert links
    assert [path for path in links if not (tmp_path / "clean" / path).exists()] == []


@refused_before("2.9", "does not say that a compile ended at the recompile limit")
def test_a_function_at_the_recompile_limit_is_said_to_be_there(tmp_path):
    compiled = torch.compile(lambda x, text: x + len(text), backend="eager")
    with torch._dynamo.config.patch(cache_size_limit=2), unjit.capture(tmp_path / "out"):
        for text in "a", "bc", "def":
            compiled(torch.ones(2), text)
    index = (tmp_path / "out" / "index.md").read_text("utf-8")
    assert "; 2 cache entries; recompile limit: Dynamo stopped compiling it at the recompile limit" in index


@refused_before("2.9", "drops the entries of a function that it gives up")
def test_the_compile_at_which_a_function_was_given_up_is_the_one_that_the_index_lists(tmp_path):
    def raising(x, number):
        x = x + 1
        if number == 2:
            raise KeyError("two")
        return x

    torch.compile(branch, backend="eager")(torch.ones(3))
    compiled = torch.compile(raising, backend="eager")
    with unjit.capture(tmp_path / "out") as session:
        compiled(torch.ones(2), 1)
        with pytest.raises(KeyError):
            compiled(torch.ones(2), 2)
    for captured in session, unjit.load(tmp_path / "out"):
        last = str(captured.compiles[-1].compile.compile_id)
        assert last == "2/1"
        assert f"gave it up (compile {last}, " in captured.function("raising").status.detail
    index = (tmp_path / "out" / "index.md").read_text("utf-8")
    assert "gave it up (compile 0/1, " in index
    assert "[0/1]" in index


@pytest.mark.parametrize("asked", [False, True])
def test_what_a_killed_process_left_has_dynamos_ids(asked, tmp_path):
    first, second = two_functions()
    with unjit.capture(tmp_path / "out") as session:
        second(torch.ones(2), "a")  # so that the names have another order than the compiles
        first(torch.ones(2))
        if asked:
            assert numbered(session, "second") == ({"0/0"}, ["0/0"], [])
            assert numbered(session, "first") == ({"2/0"}, ["2/0"], [])
        second(torch.ones(2), "bc")
        first(torch.ones(3))
        left = unjit.load(tmp_path / "out")
    assert not left.data.finished
    assert numbered(left, "second")[1:] == (["0/0", "0/1"], ["0/0"])
    assert numbered(left, "first")[1:] == (["2/0", "2/1"], ["2/0"])
    (rest,) = (one.key for one in left.functions if "resumes" in one.key)
    assert numbered(left, rest)[1:] == (["1/0"], [])


def test_functions_that_stand_at_one_place_have_their_own_rests():
    text = "def g(x):\n    y = x + {}\n    torch._dynamo.graph_break()\n    return y"
    made = []
    with unjit.capture() as session:
        for number in range(2):
            exec(text.format(number), names := {"torch": torch})
            made.append(torch.compile(names["g"], backend="eager"))
            made[-1](torch.ones(3))
    keys = [function.key for function in session.functions if function.key != "inner"]  # which torch 2.6 compiles too
    assert keys == ["g", "g_resumes_at_3", "g_2", "g_resumes_at_3_2"]
    assert {one.function for one in session.compiles} == {function.key for function in session.functions}


def test_a_reset_in_the_block_loses_nothing():
    with unjit.capture() as session:
        run()
        torch._dynamo.reset()
        run()
    assert [one.number for one in session.compiles_of("branch")] == [0, 1, 2, 3]
    ids = [str(one.compile.compile_id) for one in session.compiles_of("branch")]
    assert ids == ["0/0 (1 reset ago)", "0/1 (1 reset ago)", "0/0", "0/1"]
    assert all(isinstance(session.text("branch", number, "guards"), str) for number in range(4))


@refused_before("2.9", "lets the function itself go at a reset")
def test_of_a_resume_function_that_a_reset_made_torch_forget_no_part_of_torch_is_said_to_be_missing():
    with unjit.capture() as session:
        run()
        torch._dynamo.reset()
    (place,) = (one.resume.place for one in session.functions if one.resume)
    assert isinstance(place, Unknown)
    assert place.reason.startswith("torch keeps nothing about it any more, as after torch._dynamo.reset()")
    assert f"the function was left at line {branch.__code__.co_firstlineno + 2}" in place.reason


def test_failures_are_captured(tmp_path):
    def whole(x):
        torch._dynamo.graph_break()
        return x

    with unjit.capture(tmp_path / "out") as session, pytest.raises(Exception, match=r"graph.break"):
        torch.compile(whole, backend="eager", fullgraph=True)(torch.ones(2))
    (found,) = session.compiles
    assert found.compile.outcome == "failed"
    assert re.search(r"graph.break", session.text("whole", 0, "error").lower())


def test_a_session_that_has_not_begun_says_so():
    with pytest.raises(unjit.UnjitError, match="has not begun"):
        _ = unjit.capture().functions


def test_texts_of_an_earlier_attempt_are_kept_apart(tmp_path):
    def inner(x):
        torch._dynamo.graph_break()
        return x + 1

    def outer(x):
        return inner(x * 2)

    with unjit.capture(tmp_path / "out") as session:
        torch.compile(outer, backend="eager")(torch.ones(2))
    found = session.compiles_of("outer")[0]
    assert {text.attempt for text in found.artifacts} == {0, 1}
    assert "graph_break" in session.text("outer", 0, "break_0")
    assert found.artifact("break_0").path == "functions/outer/compile_0/attempt_0/break_0.txt"
    assert found.artifact("captured").path == "functions/outer/compile_0/captured.py"
    assert "attempt_0/break_0.txt" in str(session)
    assert all(not isinstance(text.text, Unknown) for text in found.artifacts)


def ids(session):
    """The entries, and of each compile its number with those of the entries that did not fit."""
    (function,) = session.data.report.functions
    entries = [(str(entry.compile_id), entry.index) for entry in function.entries]
    compiles = [one.compile for one in session.compiles]
    return entries, [(str(one.compile_id), [str(guard.entry) for guard in one.failed_guards]) for one in compiles]


def test_what_was_compiled_before_is_not_taken_for_what_the_capture_saw(tmp_path):
    torch._dynamo.reset()
    function = torch.compile(lambda x: x + 1, backend="eager")
    function(torch.ones(3))
    with unjit.capture(tmp_path / "out") as session:
        function(torch.ones(4))
    assert ids(session) == ([("0/1", 0), ("0/0", 1)], [("0/1", ["0/0"])])
    text = session.contents().inside()[0].text()
    assert "Cache entry 0/1 (1 of 2)" in text
    assert "shape (any,)" in text.partition("Cache entry 0/0 (2 of 2)")[0]
    assert "shape (3,)" in text.partition("Cache entry 0/0 (2 of 2)")[2]
    assert ids(unjit.load(tmp_path / "out")) == ids(session)


def test_a_reset_is_seen_where_the_first_compiles_were_not():
    torch._dynamo.reset()
    function = torch.compile(lambda x: x + 1, backend="eager")
    function(torch.ones(3))
    with unjit.capture() as session:
        function(torch.ones(4))
        torch._dynamo.reset()
        function(torch.ones(3))
        function(torch.ones(4))
    entries, reasons = ids(session)
    assert [name for name, _ in entries] == ["0/1", "0/0", "0/1 (1 reset ago)"]
    assert [name for name, _ in reasons] == ["0/1 (1 reset ago)", "0/0", "0/1"]
    assert reasons[0][1] == ["0/0"]  # of the same life of Dynamo as the compile that it did not fit
    assert reasons[2][1] == ["0/0"]


def test_code_without_lines_is_kept_whole(tmp_path):
    names = {"torch": torch}
    exec("def f(x):\n  torch._dynamo.graph_break()\n  return x + 1", names)
    without_lines = types.FunctionType(names["f"].__code__.replace(co_linetable=b""), names)
    torch._dynamo.reset()
    with unjit.capture(tmp_path / "out") as session:
        torch.compile(without_lines, backend="eager")(torch.ones(2))
    assert session.losses == ()
    for found in (session, unjit.load(tmp_path / "out")):
        seen = [one for one in found.functions if one.key.startswith("f")]  # older ones compile graph_break itself too
        assert [(len(one.entries), len(one.compiles)) for one in seen] == [(1, 1), (1, 1)]
