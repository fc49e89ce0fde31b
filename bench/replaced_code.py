"""A plugin of pytest for `dynamo_tests`: what each test came to, with Dynamo's code replaced where asked for."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import CodeType

import pytest
from torch._dynamo.convert_frame import register_bytecode_hook

from dynamo_tests import REPLACE, REPORT
from unjit.decompiler import Verdict, decompile

_outcomes: dict[str, str] = {}
_verdicts: list[str] = []
_opaque: list[str] = []


def _replaced(original: CodeType, made: CodeType) -> CodeType:
    answer = decompile(made)
    _verdicts.append(str(answer.verdict))
    if answer.verdict is Verdict.OPAQUE:
        _opaque.append(f"{original.co_filename}:{original.co_firstlineno} {original.co_name}: {answer.reason}")
        return made
    return answer.recompile()


if os.environ[REPLACE]:
    register_bytecode_hook(_replaced)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish(exitstatus: int) -> None:
    if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        report = {"outcomes": _outcomes, "verdicts": _verdicts, "opaque": _opaque}
        Path(os.environ[REPORT]).write_text(json.dumps(report))
