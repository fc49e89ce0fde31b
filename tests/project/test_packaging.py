"""What is built, and that it installs and works in an empty environment, without torch."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="the build backend; it is among the dev extras")
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
def f(x):
    return [y for y in x if y]

import importlib.util, unjit
assert importlib.util.find_spec("torch") is None
answer = unjit.decompile(f)
print(answer.verdict.value, "for y in x if y" in answer.source, unjit.__file__)
print("torch is not imported" in str(unjit.explain(f)))
"""


def build(kind, source, folder):
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def test_a_wheel_has_all_of_the_package_and_says_so_to_type_checkers(wheel):
    inside = set(zipfile.ZipFile(wheel).namelist())
    sources = {path for path in (ROOT / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert {str(path.relative_to(ROOT / "src")) for path in sources} <= inside
    assert "unjit/py.typed" in inside
    entry_points = next(name for name in inside if name.endswith("entry_points.txt"))
    text = zipfile.ZipFile(wheel).read(entry_points).decode()
    assert "unjit = unjit.cli:main" in text
    assert "unjit = unjit.plugins.for_pytest" in text


def test_a_wheel_works_in_an_empty_environment(wheel, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    install = ["install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", python, *install], check=True)
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def output(*command):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    verdict, found, file, explained = output(python, "program.py").split()
    assert (verdict, found) in (("identical", "True"), ("equivalent", "True"))
    assert Path(file).is_relative_to(tmp_path)
    assert explained == "True"
    assert "def f(x):" in output(tmp_path / "venv" / "bin" / "unjit", "decompile", "program.py")


def test_a_wheel_has_the_templates_of_the_page_as_python(wheel, tmp_path):
    script = (
        "from unjit.model import Capture, Report, Term\n"
        "from unjit.report.page import report_page\n"
        "empty = Capture(True, Report('events', Term('2.13'), Term('3.11'), (), (), ()), (), (), None, ())\n"
        "print(report_page(empty))"
    )

    def page(source):
        environment = {**os.environ, "PYTHONPATH": str(source)}
        command = [sys.executable, "-c", script]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout

    zipfile.ZipFile(wheel).extractall(tmp_path)
    for template in (tmp_path / "unjit" / "report" / "templates").iterdir():
        template.write_text("{% not one that jinja could compile")
    with_compiled = page(tmp_path)
    assert "What torch.compile did" in with_compiled
    assert with_compiled == page(ROOT / "src")


def test_the_source_distribution_has_what_it_takes_to_build_and_test(tmp_path):
    built = build("sdist", ROOT, tmp_path / "sdist")
    with tarfile.open(built) as archive:
        archive.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    (source,) = [path for path in tmp_path.iterdir() if path.name.startswith("unjit-")]
    for name in ("LICENSE", "README.md", "pyproject.toml", "docs/architecture.md", "tests/conftest.py", "Makefile"):
        assert (source / name).is_file()
    again = build("wheel", source, tmp_path / "again")
    sources = {str(path.relative_to(source / "src")) for path in (source / "src").rglob("*.py")}
    assert sources <= set(zipfile.ZipFile(again).namelist())
