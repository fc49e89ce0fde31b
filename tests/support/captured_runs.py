"""Programs under `unjit run --out`: the files that they leave, and what of torch's own trace is not among them."""

from __future__ import annotations

import functools
import os
import re
import subprocess

import unjit
from judge import PROGRAMS, UNJIT, trace_records
from unjit.model import Unknown


def run(out, program, *arguments, options=(), **environment):
    done = subprocess.run(
        [*UNJIT, "--out", str(out), *options, str(PROGRAMS / program), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done


def contents(top):
    found = {str(file.relative_to(top)): file.read_text() for file in sorted(top.rglob("*")) if file.is_file()}
    found.pop("run.json")
    found.pop("report.html")
    found.pop("trace.json")
    return found


@functools.cache
def plain(text):
    """A text without what differs from run to run, by rules of the test's own: letters and brackets alone."""
    volatile = ("graph id", "atency", "/", "DATA_PTR")
    text = re.sub(r"(__compiled_fn_\d+)\w*|0x(?:[0-9a-f]+|…)|<id>", r"\1", text)
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("# "))
    kept = [line for line in lines if not any(word in line for word in volatile)]
    return {"".join(letter for letter in line if letter.isalpha()) for line in kept}


def missing(top, trace):
    """Texts of torch's trace that are neither in a file of the compile that they belong to nor said to be left out."""
    captured = unjit.load(top)
    by_id = {str(one.compile_id): one.path for one in captured.data.run.compiles}
    told = " ".join(captured.data.left_out)
    for metadata, payload in trace_records(trace):
        kind = next(iter(metadata))
        name = metadata[kind]["name"] if kind == "artifact" else kind
        if not payload.strip() or name in told:
            continue
        compile_ = f"{metadata.get('frame_id')}/{metadata.get('frame_compile_id')}"
        folder = top / by_id.get(compile_, "outside_of_compiles")
        artifacts = [text for one in captured.compiles if str(folder).endswith(one.path) for text in one.artifacts]
        if any(text.origin == name and isinstance(text.text, Unknown) for text in artifacts):
            continue  # the index says why
        texts = [text.text for text in artifacts]
        files = [*folder.iterdir(), folder.parent / "bytecode.txt"] if folder.is_dir() else []
        texts += [file.read_text() for file in files if file.is_file()]
        known = (text for text in texts if not isinstance(text, Unknown))
        if not any(plain(payload) <= plain(text) | {"classlambdatorchnnModule"} for text in known):
            yield compile_, name, payload[:200]
