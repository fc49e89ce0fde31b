"""The page's scripts: their types, and how they are put together."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from unjit.report.blocks import block
from unjit.report.bundle import bundle, policy

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "src" / "unjit" / "report"
TSC = shutil.which("tsc") or shutil.which(str(ROOT / ".venv" / "typescript" / "node_modules" / ".bin" / "tsc"))


@pytest.mark.skipif(TSC is None, reason="no TypeScript here: npm install --global typescript")
def test_types_of_the_scripts():
    done = subprocess.run([TSC, "-p", str(REPORT / "tsconfig.json")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.smoke
@pytest.mark.parametrize("file", sorted(REPORT.glob("[sd]*/*.js")), ids=lambda file: file.name)
def test_every_script_is_checked_and_small(file):
    text = file.read_text()
    assert text.startswith("// @ts-check\n")
    assert len(text.splitlines()) <= 400
    assert not re.search(r"\beval\(|new Function|document\.write|insertAdjacentHTML|\bfetch\(|XMLHttpRequest", text)


@pytest.mark.smoke
def test_one_script_has_each_module_once_and_after_what_it_imports():
    script = bundle("script/main.js")
    modules = re.findall(r'^modules\["([\w/.]+)"\]', script, re.MULTILINE)
    assert len(modules) == len(set(modules))
    assert modules.index("vendored/highlight/core.js") < modules.index("script/highlight.js") < len(modules) - 1
    assert modules[-1] == "script/main.js"
    assert "</script" not in script
    assert "<!--" not in script


@pytest.mark.smoke
def test_the_policy_names_what_may_run_and_nothing_else():
    assert policy("x", "y").startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy("x", "y")


@pytest.mark.smoke
@pytest.mark.parametrize("value", ["</script><!-- & \u2028", "x" * 30_000, "\ud800"])
def test_no_data_can_end_their_block(value):
    text = str(block({"a": value}))
    assert text.count("<") == 2
    assert text.endswith("</script>")
