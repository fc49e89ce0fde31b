"""The debug adapter protocol, as VS Code speaks it, to debugpy."""

from __future__ import annotations

import io
import itertools
import json
import os
import socket
import subprocess
import sys
import time

PATIENCE = 90


def free_port():
    """A port of this machine that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Adapter:
    """A program under debugpy, from its first line."""

    def __init__(self, *arguments, just_my_code=False, exceptions=()):
        port = free_port()
        command = [sys.executable, "-X", "frozen_modules=off", "-m", "debugpy", "--listen", str(port)]
        command += ["--configure-subProcess", "False"]  # Inductor compiles in processes of its own
        self.program = subprocess.Popen(
            [*command, "--wait-for-client", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
        )  # fmt: skip
        self.stream = self._connected(port).makefile("rwb")
        self.numbers = itertools.count(1)
        self.events = []
        self._ask("initialize", adapterID="unjit", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
        attach = self._send("attach", justMyCode=just_my_code)
        self._event("initialized")
        self._ask("setExceptionBreakpoints", filters=exceptions)
        self._ask("configurationDone")
        self._reply(attach)

    def _connected(self, port):
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def _send(self, command, **arguments):
        number = next(self.numbers)
        body = json.dumps({"seq": number, "type": "request", "command": command, "arguments": arguments}).encode()
        self.stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.stream.flush()
        return number

    def _message(self):
        length = 0
        while (line := self.stream.readline().strip()) or not length:
            assert line or length, "the program ended"
            length = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else length
        return json.loads(self.stream.read(length))

    def _reply(self, number):
        while True:
            message = self._message()
            if message["type"] == "event":
                self.events.append(message)
            elif message.get("request_seq") == number:
                assert message["success"], message
                return message.get("body") or {}

    def _event(self, name):
        while True:
            found = next((event for event in self.events if event["event"] == name), None)
            if found is not None:
                self.events.remove(found)
                return found.get("body") or {}
            message = self._message()
            if message["type"] == "event":
                self.events.append(message)

    def _ask(self, command, **arguments):
        return self._reply(self._send(command, **arguments))

    def stopped(self):
        """Wait until the program stops; where: file, line, function of each frame, innermost first."""
        self.thread = self._event("stopped")["threadId"]
        frames = self._ask("stackTrace", threadId=self.thread)["stackFrames"]
        self.frame = frames[0]["id"]
        return [(frame["source"].get("path"), frame["line"], frame["name"]) for frame in frames]

    def break_at(self, file, *lines):
        """Set breakpoints in a file; whether the debugger took each."""
        found = self._ask("setBreakpoints", source={"path": file}, breakpoints=[{"line": line} for line in lines])
        return [taken["verified"] for taken in found["breakpoints"]]

    def go(self, how):
        """`continue`, `next`, `stepIn` or `stepOut`, to the next stop."""
        self._ask(how, threadId=self.thread)
        return self.stopped()

    def variables(self):
        """The locals of the innermost frame, as the debugger shows them."""
        scopes = self._ask("scopes", frameId=self.frame)["scopes"]
        found = self._ask("variables", variablesReference=scopes[0]["variablesReference"])["variables"]
        return {variable["name"]: variable["value"] for variable in found}

    def end(self):
        """Let the program run to its end; its output."""
        self._ask("disconnect", terminateDebuggee=False)
        output, _ = self.program.communicate(timeout=PATIENCE)
        return output


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
