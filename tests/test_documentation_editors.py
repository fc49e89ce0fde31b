"""The launch files of the documentation, started as VS Code starts them: by debugpy's adapter."""

from __future__ import annotations

import io
import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from dap import Adapter
from documented import Page, in_folder

PAGE = Path(__file__).resolve().parents[1] / "docs" / "editors.md"
pytest.importorskip("torch")
pytest.importorskip("debugpy")


class Editor(Adapter):
    """An editor with the settings of one configuration, and breakpoints from the start."""

    def __init__(self, configuration, *breakpoints):
        self.program = subprocess.Popen(
            [sys.executable, "-m", "debugpy.adapter"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self.stream = io.BufferedRWPair(self.program.stdout, self.program.stdin)
        self.numbers = itertools.count(1)
        self.events = []
        self._ask("initialize", adapterID="debugpy", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
        begun = self._send(configuration["request"], python=[sys.executable], **configuration)
        self._event("initialized")
        for file, line in breakpoints:
            self.break_at(file, line)
        self._ask("configurationDone")
        self._reply(begun)

    def close(self):
        """End the program and the adapter."""
        self._ask("disconnect", terminateDebuggee=True)
        self.program.stdin.close()
        self.program.wait(60)


@pytest.fixture
def workspace(tmp_path):
    with in_folder(tmp_path):
        Page(PAGE).run()
        yield tmp_path


def configurations(workspace):
    text = (workspace / ".vscode" / "launch.json").read_text().replace("${workspaceFolder}", str(workspace))
    return {one["name"]: one for one in json.loads(text)["configurations"]}


def test_vs_code_stops_in_generated_code_and_in_its_graph(workspace):
    folder = workspace / "pages" / "functions" / "double" / "older_entry_0"
    files = [str(folder / "transformed.py"), str(folder / "captured.py")]
    editor = Editor(configurations(workspace)["program with unjit.debug"], (files[0], 5), (files[1], 4))
    stops = [editor.stopped()[0][:2], editor.go("continue")[0][:2]]
    assert stops == [(files[0], 5), (files[1], 4)]
    editor.close()
