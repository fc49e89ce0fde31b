"""`make matrix`: which tests judge a feature, how reports are read, and what the table says of them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import pytest

@pytest.mark.parametrize("n", range(3))
def test_passes(n): pass

def test_fails(): assert not "as it should"

@pytest.mark.skipif(True, reason="refused: torch 2.6.0 has no such hook: nothing can be said")
def test_refused(): pass

@pytest.mark.skipif(True, reason="no g++")
def test_skipped(): pass

@pytest.mark.xfail(strict=True)
def test_known(): assert False
"""


@pytest.fixture(scope="module")
def matrix():
    """Imports a module of matrix/, which is a folder of scripts."""
    sys.path.insert(0, str(ROOT / "matrix"))
    yield import_module
    sys.path.remove(str(ROOT / "matrix"))


@pytest.fixture(scope="module")
def outcomes(matrix, tmp_path_factory):
    folder = tmp_path_factory.mktemp("matrix")
    (folder / "test_explain.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--junitxml=junit.xml", "test_explain.py"]
    subprocess.run(command, cwd=folder, check=False, capture_output=True)
    return matrix("results").read_junit(folder / "junit.xml")


def result(matrix, pair, outcomes, **facts):
    found = matrix("results").Result(
        pair, "abc", pair.partition("-")[0], pair.partition("-")[2], False, 1,
        outcomes.tests, outcomes.failures, outcomes.reasons, ["torch._dynamo.no_such"],
    )  # fmt: skip
    return replace(found, **facts)


def test_every_selected_test_file_exists_and_judges_one_feature(matrix):
    selected = matrix("features").selected()
    assert set(selected) <= {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    assert len(set(selected)) == len(selected)


def test_outcomes_are_told_apart(outcomes):
    assert outcomes.tests == {
        "test_explain.py": {"failed": 1, "known fault": 1, "passed": 3, "refused": 1, "skipped": 1}
    }
    assert outcomes.failures == ["test_explain.py::test_fails"]
    reasons = outcomes.reasons["test_explain.py"]
    assert reasons == {
        "refused": {"torch 2.6.0 has no such hook: nothing can be said": 1},
        "skipped": {"no g++": 1},
    }


@pytest.mark.parametrize(
    ("counts", "word"),
    [
        ({"passed": 3, "skipped": 2, "known fault": 1}, "works"),
        ({"passed": 3, "refused": 1}, "in part"),
        ({"passed": 3, "failed": 1}, "in part"),
        ({"refused": 1, "skipped": 1}, "refused"),
        ({"failed": 1, "refused": 1}, "fails"),
        ({"skipped": 1}, "not tried"),
        ({}, ""),
    ],
)
def test_a_word_comes_from_counts(matrix, counts, word):
    assert matrix("support").word(matrix("support").Counter(counts)) == word


def test_the_page_says_what_failed_and_why_the_rest_did_not_run(matrix, outcomes):
    good = {"test_explain.py": {"passed": 7}}
    here = result(matrix, "2.6.0-3.11", outcomes)
    there = replace(here, pair="2.6.0-3.10", python="3.10", tests=good, failures=[], reasons={})
    text = "\n".join(matrix("support").page([here, there]))
    assert "| explain | works on 3.10; in part on 3.11 |" in text
    assert "| explain | works, 7 | in part, 3 of 5 |" in text
    assert "- `test_explain.py::test_fails` (3.11)" in text
    assert "- explain: torch 2.6.0 has no such hook: nothing can be said (1 on 3.11)" in text
    assert "| 2.6.0 | 3.11 | selected | 3 | 1 | 1 | 1 | 1 | abc |" in text


def test_failures_run_again_take_the_place_of_what_was(matrix, outcomes):
    before = result(matrix, "2.6.0-3.11", outcomes)
    before = replace(before, tests={**before.tests, "test_run.py": {"passed": 2}})
    later = replace(before, commit="def", tests={"test_explain.py": {"passed": 5}}, failures=[], reasons={})
    found = before.mended_by(later)
    assert found.tests == {"test_explain.py": {"passed": 5}, "test_run.py": {"passed": 2}}
    assert (found.failures, found.reasons, found.commit) == ([], {}, "abc, failures again on def")
    assert not found.holds


def test_a_name_is_missing_in_a_release_or_on_some_of_its_pythons(matrix, outcomes):
    old = result(matrix, "2.6.0-3.11", outcomes)
    new = [replace(old, pair=f"2.9.1-{python}", missing=missing) for python, missing in (("3.10", ["a"]), ("3.11", []))]
    assert matrix("write").missing_in("torch._dynamo.no_such", [old, *new]) == "2.6.0"
    assert matrix("write").missing_in("a", [old, *new]) == "2.9.1 on 3.10"


def test_pairs_are_found_by_what_people_write(matrix):
    find = matrix("pairs").find
    assert str(find("2.13-3.11")) == str(find("2.13.0-3.11")) == "2.13.0-3.11"
    assert find("nightly-3.13").torch == "nightly"
    with pytest.raises(ValueError, match=r"'2.13-2.7' is no pair; there are nightly-3.N and 2.6.0-3.10"):
        find("2.13-2.7")


def test_a_python_is_looked_for_where_one_says(matrix, tmp_path, monkeypatch):
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    broken, right = (tmp_path / f"{version}.{minor}" / "bin" / f"python{version}" for minor in (10, 9))
    for file, text in ((broken, "exit 127"), (right, f'exec {sys.executable} "$@"')):
        file.parent.mkdir(parents=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
    monkeypatch.setenv("MATRIX_PYTHONS", str(tmp_path))
    assert matrix("interpreters").interpreter(version) == right
    assert matrix("interpreters").interpreter("3.4") is None
