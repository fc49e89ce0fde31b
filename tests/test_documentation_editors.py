"""The launch files of the documentation, started as VS Code starts them: by debugpy's adapter."""

from __future__ import annotations

import io
import itertools
import json
import re
import socket
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

    def __init__(self, configuration, program, stream, *breakpoints):
        self.program, self.stream = program, stream
        self.numbers = itertools.count(1)
        self.events = []
        self._ask("initialize", adapterID="debugpy", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
        begun = self._send(configuration["request"], **configuration)
        self._event("initialized")
        for file, line in breakpoints:
            self.break_at(file, line)
        self._ask("configurationDone")
        self._reply(begun)

    @classmethod
    def launching(cls, configuration, *breakpoints):
        """Debugpy's adapter starts the program."""
        command = [sys.executable, "-m", "debugpy.adapter"]
        adapter = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        stream = io.BufferedRWPair(adapter.stdout, adapter.stdin)
        return cls({"python": [sys.executable], **configuration}, adapter, stream, *breakpoints)

    @classmethod
    def attaching(cls, configuration, program, *breakpoints):
        """The program waits at the port."""
        connected = cls._connected(cls, configuration["connect"]["port"])
        return cls(configuration, program, connected.makefile("rwb"), *breakpoints)

    def close(self):
        """End the program and the adapter."""
        self._ask("disconnect", terminateDebuggee=True)
        if self.program.stdin is not None:
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
    subprocess.run([sys.executable, "train.py"], capture_output=True, check=True)  # as the page says: once before
    folder = workspace / "pages" / "functions" / "double" / "older_entry_0"
    files = [str(folder / "transformed.py"), str(folder / "captured.py")]
    editor = Editor.launching(configurations(workspace)["program with unjit.debug"], (files[0], 5), (files[1], 4))
    stops = [editor.stopped()[0][:2], editor.go("continue")[0][:2]]
    editor.close()
    assert stops == [(files[0], 5), (files[1], 4)]


def test_vs_code_attaches_to_unjit_run(workspace):
    configuration = configurations(workspace)["attach to unjit run"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        configuration["connect"]["port"] = probe.getsockname()[1]
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
