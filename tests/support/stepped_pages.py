"""The files of programs/step_me.py, in which a debugger stops, looks around and takes a step."""

from __future__ import annotations

from pathlib import Path

STEP_ME = "functions/step_me/compile_0"


def line_of(file, text):
    return next(number for number, line in enumerate(file.read_text().splitlines(), 1) if text in line)


def step_through(pdb, parts):
    """Stop once in each of these files, look around, take a step and look at a variable; then let the program end."""
    stops = {(str(file), line_of(file, text)): rest for file, (text, *rest) in parts.items()}
    for file, line in stops:
        assert f"at {file}:{line}" in pdb.ask(f"b {file}:{line}")
    seen = set()
    for _ in stops:
        file, line, function = pdb.stop("c")
        variable, shown = stops[file, line]
        seen.add((file, line))
        source = Path(file).read_text().splitlines()
        assert source[line - 1] in pdb.ask("l .").split("->", 1)[1].splitlines()[0].expandtabs()
        assert f"> {file}({line}){function}()\n-> {source[line - 1].strip()}" in pdb.ask("w")
        following = pdb.stop("n")
        assert following[0] == file
        assert following[1] > line
        assert shown in pdb.ask(f"p {variable}")
    assert seen == set(stops)
    assert "the program goes on" in pdb.end()
