"""Directories that no capture is written into or read from: what is refused, what stays, and what to do is said."""

from __future__ import annotations

import contextlib
import json
from contextlib import ExitStack

import pytest
import torch

import unjit
from toys import branch
from unjit.model import SCHEMA_VERSION

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def double(x):
    return x * 2


def run():
    torch.compile(branch, backend="eager")(torch.ones(3))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("/dev/null", "/dev/null is not a directory: give one that is empty or does not exist yet"),
        ("/dev/null/out", "/dev/null is not a directory: give one that is empty or does not exist yet"),
        (len, r"a builtin_function_or_method is not a directory: .* as in unjit.capture\('out'\)"),
    ],
)
def test_what_is_no_directory_is_refused_with_what_to_do(given, says):
    with pytest.raises(unjit.UnjitError, match=says), unjit.capture(given):
        pass


@pytest.mark.parametrize("below", ["", "/out"])
def test_a_link_to_nothing_is_refused_before_the_run(below, tmp_path):
    (tmp_path / "link").symlink_to("gone")
    given = f"{tmp_path / 'link'}{below}"
    with pytest.raises(unjit.UnjitError, match="link is a link to gone, which does not exist"), unjit.capture(given):
        pass
    (tmp_path / "gone").mkdir()
    with unjit.capture(given) as session:
        torch.compile(double, backend="eager")(torch.ones(3))
    assert repr(session) == f"<capture in {given}: 1 function, 1 compile>"
    assert (tmp_path / "gone" / below.strip("/") / "index.md").exists()


def test_a_directory_that_holds_something_is_refused(tmp_path):
    with unjit.capture(tmp_path / "old"):
        run()
    with pytest.raises(unjit.UnjitError, match="not empty"), unjit.capture(tmp_path / "old"):
        pass
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "mine.txt").write_text("dear")
    with pytest.raises(unjit.UnjitError, match="holds no capture"), unjit.capture(tmp_path / "letters", overwrite=True):
        pass
    with pytest.raises(unjit.UnjitError, match="holds no capture"):
        unjit.load(tmp_path / "letters")
    with unjit.capture(tmp_path / "old", overwrite=True) as session:
        pass
    assert session.functions == ()


@pytest.mark.parametrize(
    ("top", "files"),
    [
        ("project", ["functions/mine.py", "main.py"]),
        ("project", ["functions/mine.py"]),
        ("functions", ["mine.py"]),
        ("sources", ["thesis.txt"]),
        ("out", ["run.json", "notes.txt"]),
        ("site", ["index.json", "sources/page.md"]),
        ("jobs", ["processes/mine/run.sh"]),
        ("out", ["functions/f/compile_0/captured.py", "functions/helpers.py"]),
    ],
)
@pytest.mark.parametrize("ranks", [1, 2])
def test_what_nobody_captured_is_never_overwritten(top, files, ranks, tmp_path, monkeypatch):
    if ranks > 1:
        monkeypatch.setenv("RANK", "0")
        monkeypatch.setenv("WORLD_SIZE", "2")
    for file in files:
        (tmp_path / top / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / top / file).write_text("dear")
    with contextlib.suppress(unjit.UnjitError), unjit.capture(tmp_path / top, overwrite=True):
        pass
    assert [(tmp_path / top / file).read_text() for file in files] == ["dear"] * len(files)


def test_a_rank_takes_an_empty_folder_of_its_name(tmp_path, monkeypatch):
    """It wrote into `rank_0_2`, which `unjit merge` takes for a process that the rank started."""
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    (tmp_path / "processes" / "rank_0").mkdir(parents=True)
    with unjit.capture(tmp_path):
        run()
    assert [folder.name for folder in (tmp_path / "processes").iterdir()] == ["rank_0"]
    assert (tmp_path / "processes" / "rank_0" / "index.md").exists()


@pytest.mark.parametrize("key", ["finished", "functions"])
def test_an_index_that_lacks_something_is_refused(key, tmp_path):
    with unjit.capture(tmp_path / "out"):
        run()
    index = json.loads((tmp_path / "out" / "index.json").read_text())
    del index[key]
    (tmp_path / "out" / "index.json").write_text(json.dumps(index))
    with pytest.raises(unjit.UnjitError, match="does not fit the schema"):
        unjit.load(tmp_path / "out")


OF_A_FUNCTION = ["functions/{}/function.json", "functions/{}/compile_0/compile.json"]


@pytest.mark.parametrize("name", ["index.json", "run.json", *OF_A_FUNCTION])
@pytest.mark.parametrize("text", ["", '{"schema', "[1]", f'{{"schema": {SCHEMA_VERSION}}}'])
def test_what_to_do_about_a_damaged_file_is_said_and_helps(name, text, tmp_path):
    def whole(x):
        return x + 1

    with unjit.capture(tmp_path / "out") as session:
        torch.compile(whole, backend="eager")(torch.ones(2))
    damaged = tmp_path / "out" / name.format(session.functions[0].key)
    damaged.write_text(text)
    with pytest.raises(unjit.UnjitError, match=r"if it was damaged, remove it, and the rest is read without it, or"):
        unjit.load(tmp_path / "out")
    damaged.unlink()
    assert unjit.load(tmp_path / "out").losses


@pytest.mark.parametrize("redact", [False, True])
def test_of_two_captures_that_begin_at_once_one_writes_and_the_other_says_so(redact, tmp_path):
    with ExitStack() as stack:
        sessions = [stack.enter_context(unjit.capture(tmp_path / "out", redact=redact)) for _ in range(2)]
        assert torch.compile(double, backend="eager")(torch.ones(2)).tolist() == [2, 2]
    told = "nothing could be written: another capture writes into this directory; give each its own"
    lost = [told in session.data.report.losses for session in sessions]
    assert sorted(lost) == [False, True]
    assert redact or sessions[lost.index(True)].data.report.losses == (told,)
    wrote = sessions[lost.index(False)]
    assert unjit.load(tmp_path / "out").data == wrote.data
    assert not (tmp_path / "out" / "order.txt").exists()


def test_what_another_capture_has_written_meanwhile_stays(tmp_path):
    with unjit.capture(tmp_path / "out") as late:
        with unjit.capture(tmp_path / "out"):
            pass
        before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == before
    assert "nothing could be written" in late.data.report.losses[0]
