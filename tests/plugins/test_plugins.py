"""pytest and IPython, as their users run them."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import textwrap

import pytest

import unjit

pytest_plugins = ["pytester"]
PLUGIN = "unjit.plugins.for_pytest"
INSTALLED = any(found.value == PLUGIN for found in importlib.metadata.entry_points(group="pytest11"))
TESTS = """
    import pytest, torch

    def good(x):
        return x + 1

    def bad(x):
        torch._dynamo.graph_break()
        return x * 2

    def test_passes():
        assert torch.compile(good, backend="eager")(torch.ones(2))[0] == 2

    @pytest.mark.parametrize("size", [3])
    def test_fails(size):
        assert torch.compile(bad, backend="eager")(torch.ones(size))[0] == 3

    def test_compiles_nothing():
        assert False

    @pytest.fixture
    def prepared():
        torch.compile(good, backend="eager")(torch.ones(2, 2))
        raise ValueError("in the fixture")

    def test_has_no_fixture(prepared):
        pass
"""


def run(pytester, *options):
    named = () if INSTALLED else ("-p", PLUGIN)
    return pytester.runpytest_subprocess(*named, "-p", "no:cacheprovider", *options)


def test_reports_of_failing_tests(pytester):
    pytester.makepyfile(test_it=TESTS)
    found = run(pytester, "--unjit-out", "out", "--show-capture=no")
    found.assert_outcomes(passed=1, failed=2, errors=1)
    assert found.ret == 1
    found.stdout.fnmatch_lines(
        [
            "*ERROR at setup of test_has_no_fixture*",
            "*unjit: torch.compile in this test, until the end of its setup*",
            "unjit: Dynamo saw 1 function, 1 compile *",
            "*test_fails?3?*",
            "*unjit: torch.compile in this test, until the end of its call*",
            "unjit: Dynamo saw 2 functions, 2 compiles *1 graph break*",
            "everything that torch made: *out/test_it.test_fails_3_/index.md",
            "*test_compiles_nothing*",
            "nothing was compiled",
        ]
    )
    captures = {path.name for path in (pytester.path / "out").iterdir()}
    assert captures == {"test_it.test_fails_3_", "test_it.test_has_no_fixture"}
    captured = unjit.load(pytester.path / "out" / "test_it.test_fails_3_")
    assert captured.data.finished
    assert captured.function("bad").entries[0].code.verdict == "equivalent"
    again = run(pytester, "--unjit-out", "out", "--collect-only")
    assert again.ret == pytest.ExitCode.USAGE_ERROR
    again.stderr.fnmatch_lines(["*--unjit-out: *out is not empty: give another directory*"])


def test_without_the_option_nothing_is_loaded(pytester):
    pytester.makepyfile(
        test_it=f"""
        import sys

        def test_modules():
            assert "torch" not in sys.modules
            loaded = [name for name in sys.modules if name.startswith("unjit.")]
            assert set(loaded) <= {{"unjit.lazily", "unjit.plugins", "{PLUGIN}"}}
        """
    )
    run(pytester).assert_outcomes(passed=1)


def test_a_fault_of_ours_is_said_and_the_tests_run(pytester):
    pytester.makeconftest(
        """
        from unjit.capturing.session import Recording

        def fail(*_, **__):
            raise RuntimeError("ours")

        Recording.begin = Recording.stop = Recording.finish = fail
        """
    )
    pytester.makepyfile("def test_passes(): pass\ndef test_fails(): assert False")
    found = run(pytester, "--unjit")
    found.assert_outcomes(passed=1, failed=1)
    found.stdout.fnmatch_lines(["unjit failed: RuntimeError: ours"])


def ipython(tmp_path, script):
    pytest.importorskip("IPython")
    file = tmp_path / "script.ipy"
    file.write_text(textwrap.dedent(script))
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "--quick", file],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, "IPYTHONDIR": str(tmp_path / "home"), "PYTHONUNBUFFERED": "1"},
    )
    return done.stdout


def test_the_magics(tmp_path):
    said = ipython(
        tmp_path,
        """
        %load_ext unjit
        import torch
        def f(x):
            return x + 1
        g = torch.compile(f, backend="eager")
        run = get_ipython().run_cell
        result = run("%%explain\\nprint('in the cell')\\ng(torch.ones(2)).tolist()")
        print("it succeeded:", result.success)
        found = run("%explain g").result
        print(sorted(get_ipython().display_formatter.format(found)[0]))
        print("an entry of", found.entries[0].backend)
        print("nothing:", run("%%explain\\n1 + 1").success)
        print("failed:", run("%%explain\\ng(torch.ones(2, 2)); 1 / 0").success)
        run("%%explain g\\nprint('not run')")
        run("%explain 3")
        run("%unload_ext unjit")
        run("%explain g")
        """,
    )
    parts = [
        "in the cell",
        "[2.0, 2.0]",
        "Dynamo saw 1 function, 1 compile",
        "def forward(self",
        "it succeeded: True",
        "['text/html', 'text/plain']",
        "an entry of eager",
        "unjit: the cell compiled nothing with torch.compile",
        "nothing: True",
        "ZeroDivisionError",
        "UsageError: the cell raised ZeroDivisionError",
        "failed: False",
        "UsageError: %%explain takes nothing",
        "UsageError: an int is not callable",
        "`%explain` not found",
    ]
    at = 0
    for part in parts:
        assert part in said[at:], (part, said)
        at = said.index(part, at)
    assert "not run" not in said
