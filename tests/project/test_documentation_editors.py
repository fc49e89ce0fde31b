"""The launch files of the documentation, started as VS Code starts them: by debugpy's adapter."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dap import Editor, free_port
from documented import Page, in_folder

PAGE = Path(__file__).resolve().parents[2] / "docs" / "editors.md"
pytest.importorskip("torch")
pytest.importorskip("debugpy")


@pytest.fixture
def workspace(tmp_path):
    with in_folder(tmp_path):
        Page(PAGE).run()
        yield tmp_path


def configurations(workspace):
    text = (workspace / ".vscode" / "launch.json").read_text().replace("${workspaceFolder}", str(workspace))
    return {one["name"]: one for one in json.loads(text)["configurations"]}


def test_vs_code_stops_in_generated_code_and_in_its_graph(workspace):
    subprocess.run([sys.executable, "train.py"], capture_output=True, check=True)  # as the page says: once before
    folder = workspace / "pages" / "functions" / "double" / "older_entry_0"
    files = [str(folder / "transformed.py"), str(folder / "captured.py")]
    editor = Editor.launching(configurations(workspace)["program with unjit.debug"], (files[0], 5), (files[1], 4))
    stops = [editor.stopped()[0][:2], editor.go("continue")[0][:2]]
    editor.close()
    assert stops == [(files[0], 5), (files[1], 4)]


def test_vs_code_attaches_to_unjit_run(workspace):
    configuration = configurations(workspace)["attach to unjit run"]
    configuration["connect"]["port"] = free_port()
    program = workspace / "plain.py"
    without_block = (workspace / "train.py").read_text().partition("with unjit.debug")[0]
    program.write_text(f"{without_block}double(torch.ones(2))\n")
    last = len(program.read_text().splitlines())
    debugpy = ["-m", "debugpy", "--listen", str(configuration["connect"]["port"]), "--wait-for-client", str(program)]
    running = subprocess.Popen(
        [sys.executable, "-m", "unjit", "run", "--debug", *debugpy], stderr=subprocess.PIPE, text=True
    )
    editor = Editor.attaching(configuration, running, (str(program), last))
    assert editor.stopped()[0][:2] == (str(program), last)
    told = next(found for line in running.stderr if (found := re.search(r"break (\S+transformed\.py):(\d+)", line)))
    file, line = told[1], int(told[2])
    assert editor.break_at(file, line) == [True]
    stop = editor.go("continue")[0][:2]
    editor.close()
    assert stop == (file, line)
