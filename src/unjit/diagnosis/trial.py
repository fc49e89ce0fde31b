"""Runs the toy example on each backend, in a child process: a backend that crashes must not take the answer with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from unjit.model import Finding, Message, Standing, Term
from unjit.model.words.wording import in_words
from unjit.torch_private.cache.backends import BACKENDS

Answer: TypeAlias = tuple[Standing, Message]
_SECONDS: Final = 300.0  # a cold inductor compile takes some ten seconds, on a busy machine minutes


def trials(backends: Sequence[str] = BACKENDS) -> Iterator[Finding]:
    """What was seen on each backend."""
    answers, ended = run(backends)
    for backend in backends:
        if backend in answers:
            yield Finding(Term(backend), *answers[backend], None)
        else:
            yield Finding(Term(backend), "missing", Message(f"no answer: {ended}"), None)


def run(backends: Sequence[str]) -> tuple[dict[str, Answer], str]:
    """The answers by backend, and how the child ended."""
    command = [sys.executable, "-m", "unjit.diagnosis.toy", *backends]
    environment = {name: value for name, value in os.environ.items() if name != "TORCH_LOGS"}
    try:
        done = subprocess.run(  # noqa: S603 (it is this Python)
            command, capture_output=True, text=True, timeout=_SECONDS, check=False, env=environment
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        output = getattr(error, "stdout", None) or b""
        return answers_in(output.decode(errors="replace")), in_words(error)
    last = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
    return answers_in(done.stdout), f"the trial ended with status {done.returncode}: {last[0]}"


def answers_in(output: str) -> dict[str, Answer]:
    """The answers among what was printed; a backend may print too."""
    found: dict[str, Answer] = {}
    for line in output.splitlines():
        try:
            answer = json.loads(line)
            found[answer["backend"]] = answer["state"], Message(answer["says"])
        except (ValueError, KeyError, TypeError):  # a line of somebody else's
            continue
    return found
