"""The user's files in a capture: whole, as they were when the program ran, and nowhere but in their folder."""

from __future__ import annotations

import importlib.util
import os
import time

import pytest
import torch

import unjit
from unjit.directory.layout import source_file

TEXT = "import torch\n\n\ndef f(x):\n    return (x + 1).sin()  # </script> \N{SNOWMAN}\n"


@pytest.fixture(autouse=True)
def reset():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def module(path, text=TEXT):
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location("program_of_the_user", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def captured(out, function):
    with unjit.capture(out) as session:
        torch.compile(function, backend="eager")(torch.ones(3))
    assert session.losses == ()
    return session


def test_files_are_kept_whole_under_names_that_stay_in_their_folder(tmp_path):
    name = "..<img src=x onerror=alert(1)> 'a\".py"
    session = captured(tmp_path / "out", module(tmp_path / name).f)
    (source,) = unjit.load(tmp_path / "out").data.sources
    assert source.text == TEXT
    assert source.file == str(tmp_path / name)
    (kept,) = (tmp_path / "out" / "sources").iterdir()
    assert kept.read_text("utf-8") == TEXT
    assert kept.name.replace("_", "").replace(".", "").isalnum()
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "<img" not in page
    assert session.report().html.count("<script>") == 1


def test_a_file_that_was_changed_meanwhile_is_not_shown_as_what_ran(tmp_path):
    path = tmp_path / "program.py"
    function = module(path).f
    os.utime(path, (time.time() + 60, time.time() + 60))
    assert captured(tmp_path / "out", function).data.sources == ()


@pytest.mark.smoke
@pytest.mark.parametrize(
    "name", ["/a/b.py", "../../etc/passwd", "C:\\x\\..\\y.py", "<ipython-input-1>", "", ".", "..", "é\n"]
)
def test_names_of_copies(name):
    taken = [source_file(name, ())]
    taken.append(source_file(name, taken))
    assert len(set(taken)) == 2
    for path in taken:
        folder, _, base = path.partition("/")
        assert folder == "sources"
        assert base.strip(".")
        assert not set(base) & set("/\\\n<>")
