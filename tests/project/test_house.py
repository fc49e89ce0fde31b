"""The house: the package's face, the commands that build and check it, and what README promises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import unjit

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.smoke
def test_every_public_name_exists_and_is_listed():
    assert [name for name in unjit.__all__ if not hasattr(unjit, name)] == []
    assert set(unjit.__all__) <= set(dir(unjit))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = unjit.nothing


@pytest.mark.parametrize("first", ["wrap", "Explanation", "explain", "count_calls", "decompile"])
def test_public_functions_are_functions_whatever_is_asked_for_first(first):
    script = (
        f"import unjit; unjit.{first}; print([callable(getattr(unjit, n)) for n in ('explain', 'wrap', 'decompile')])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[True, True, True]\n"


def test_importing_unjit_is_light():
    script = "import sys; before = set(sys.modules); import unjit; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert [name for name in done.stdout.split() if name.startswith("unjit")] == ["unjit", "unjit.lazily"]
    assert "torch" not in done.stdout.split()


def test_a_capture_begins_without_what_only_its_end_needs():
    script = "import sys, unjit.capturing.api; print(*(name for name in sys.modules if name.startswith('unjit.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[1] for name in done.stdout.split()}
    assert loaded.isdisjoint({"contents", "decompiler", "findings", "guards", "redaction", "report", "verifier"})
    assert {"unjit.model.answers.comparisons", "unjit.model.captured.ranks"}.isdisjoint(done.stdout.split())


@pytest.mark.smoke
def test_ci_runs_make_test_from_a_clean_checkout():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "make test" in script.read_text()


@pytest.mark.smoke
def test_readme_names_commands_that_exist():
    readme = (ROOT / "README.md").read_text()
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {name for name in re.findall(r"\bmake (\w+)", readme) if name in targets or name in ("demo", "test")}
    assert {"demo", "test"} <= targets
    assert named <= targets
    for path in re.findall(r"\]\(([\w./]+)\)", readme):
        assert (ROOT / path).exists(), path


@pytest.mark.smoke
def test_nothing_tracked_names_a_machine():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    home = str(ROOT.parent) + "/"
    texts = {name: (ROOT / name).read_text(errors="replace") for name in listed if (ROOT / name).is_file()}
    assert [name for name, text in texts.items() if home in text] == []


def test_the_demo_runs_with_the_backend_that_the_machine_allows(tmp_path):
    """With a PATH on which there is no compiler, as on a bare machine."""
    for tool in ("sh", "cat"):
        (tmp_path / tool).symlink_to(Path("/bin") / tool)
    done = subprocess.run(
        ["sh", "examples/demo.sh", str(Path(sys.executable).parent)],
        cwd=ROOT,
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "aot_eager instead of inductor, because there is no C++ compiler (g++)" in done.stdout
    assert "step 4: batch of 7" in done.stdout
    assert "unjit: Dynamo saw 4 functions" in done.stderr
    assert "Next, try:" in done.stdout


@pytest.mark.smoke
@pytest.mark.parametrize("folder", ["tests", "bench"])
def test_what_tests_share_is_in_no_test(folder):
    """Whoever imports a test also gets its marks and skips, and cannot tell what of it others need."""
    texts = {file.name: file.read_text() for file in (ROOT / folder).glob("**/*.py") if "samples" not in file.parts}
    assert [name for name, text in texts.items() if re.search(r"^ *(?:from|import) test_", text, re.MULTILINE)] == []


@pytest.mark.smoke
@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page):
    """Those of this repository; in decompiler.md also modules of the decompiler, by their folders there."""
    text = page.read_text()
    named = [ROOT / path for path in re.findall(r"`((?:src/unjit|tests|bench|matrix|examples)/[\w/.]+\.\w+)`", text)]
    if page.name == "decompiler.md":
        decompiler = ROOT / "src" / "unjit" / "decompiler"
        folders = "|".join(folder.name for folder in decompiler.iterdir() if (folder / "__init__.py").exists())
        named += [decompiler / f"{path}.py" for path in re.findall(rf"`((?:{folders})/[\w/]*\w)(?:\.py)?`", text)]
        assert len(named) > 20
    assert [str(path) for path in named if not path.exists()] == []
