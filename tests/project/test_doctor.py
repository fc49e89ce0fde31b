"""`unjit doctor`: right where all is well, and plain about what is missing."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from types import SimpleNamespace

import pytest

import unjit
from needs import lacking
from unjit.cli import main
from unjit.diagnosis import decompiling, installed, toy, trial
from unjit.model import Unknown
from unjit.render.checkup import checkup_text
from unjit.torch_private.probes import cache_probes
from unjit.torch_private.probes.probe import Probe


def lost(checkup):
    """The private names that are not there, or not imported."""
    return {hook.name for hook in checkup.hooks if hook.loss}


def state_of(findings, name):
    return next(found.state for found in findings if found.name.startswith(name))


def test_a_trial_on_a_real_backend():
    checkup = unjit.doctor(backends=["eager", "no_such_backend"])
    eager, unheard_of = checkup.trials
    assert eager.state == ("works" if not lacking(cache_probes.ENTRY_BACKEND) else "partly")
    assert "6 cache entries, 6 of them proved" in eager.says
    assert unheard_of.state == "missing"
    assert "no_such_backend" in unheard_of.says
    assert not checkup.well
    assert "no  no_such_backend" in checkup_text(checkup)


def test_a_missing_private_name_is_told_with_what_is_lost(monkeypatch):
    get = Probe.get
    gone = "torch._dynamo.utils.graph_break_reasons"
    before = lost(unjit.doctor(backends=()))
    monkeypatch.setattr(Probe, "get", lambda self: self.missing() if self.name == gone else get(self))
    checkup = unjit.doctor(backends=())
    assert state_of(checkup.features, "explain: what happened before") == "partly"
    assert state_of(checkup.features, "explain: cache") == "works"
    assert lost(checkup) - before == {gone}
    assert f"{gone}: breaks are known by the graphs" in checkup_text(checkup)


def test_what_this_python_compiles_comes_back():
    proved, everything = decompiling.proved_and_all()
    assert proved == everything > 400
    (python,) = (one for one in unjit.doctor(backends=()).parts if one.name.startswith("CPython"))
    assert (python.state, python.name) == ("works", f"CPython {platform.python_version()}")
    assert f"asyncio.tasks ({everything} functions" in python.says


@pytest.mark.parametrize(
    ("gave", "state", "says"),
    [
        ((431, 438), "partly", "7 of 438 functions, classes and modules of collections, contextlib, dataclasses and"),
        ((0, 0), "works", "no source is here"),
        (OSError("gone"), "partly", "could not be decompiled: OSError: gone"),
    ],
)
def test_a_python_whose_code_does_not_come_back_is_told(gave, state, says, monkeypatch):
    """As that of 3.13.1 did not, whose compiler makes other code of comprehensions than that of 3.13.0."""

    def proved_and_all():
        if isinstance(gave, Exception):
            raise gave
        return gave

    monkeypatch.setattr(installed, "proved_and_all", proved_and_all)
    checkup = unjit.doctor(backends=())
    assert state_of(checkup.parts, "CPython") == state
    assert says in checkup_text(checkup)


def test_code_that_is_not_proved_counts_as_lost(monkeypatch):
    _, everything = decompiling.proved_and_all()
    monkeypatch.setattr(decompiling, "decompile", lambda code: SimpleNamespace(unrecovered=("a function",)))
    assert decompiling.proved_and_all() == (everything - len(decompiling.MODULES), everything)


def test_what_the_environment_switches_off(monkeypatch):
    monkeypatch.setenv("TORCH_COMPILE_DISABLE", "1")
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setenv("PATH", "")
    checkup = unjit.doctor(backends=())
    assert state_of(checkup.parts, "TORCH_COMPILE_DISABLE") == "partly"
    assert state_of(checkup.parts, "C++") == "missing"


def test_a_backend_that_ends_the_process_does_not_take_the_answer_with_it(monkeypatch):
    monkeypatch.setattr(trial.sys, "executable", "/no/such/python")
    (found,) = trial.trials(["eager"])
    assert found.state == "missing"
    assert "FileNotFoundError" in found.says


def test_lines_of_others_are_no_answers():
    line = json.dumps({"backend": "eager", "state": "works", "says": "fine"})
    assert trial.answers_in(f"a warning\n[]\n3\n{line}\n{{}}") == {"eager": ("works", "fine")}


def test_a_file_that_cannot_be_written_is_told_before_the_work(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("unjit.api.doctor.doctor", lambda **_: pytest.fail("it began"))
    (tmp_path / "a_file").write_text("")
    for path, why in (
        (tmp_path, "Is a directory"),
        (tmp_path / "none" / "x.json", "No such file or directory"),
        (tmp_path / "a_file" / "x.json", "Not a directory"),
    ):
        assert main(["doctor", "--json", str(path)]) == 2
        assert f"cannot write {path}: {why}" in capsys.readouterr().err
    assert sorted(found.name for found in tmp_path.iterdir()) == ["a_file"]


def test_json_on_stdout_and_in_a_file(capsys, tmp_path):
    assert main(["doctor", "--no-trial", "--json"]) in (0, 1)
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == 1
    assert {"parts", "features", "trials", "hooks", "well"} <= data.keys()
    assert main(["doctor", "--no-trial", "--json", str(tmp_path / "x.json")]) == int(not data["well"])
    assert json.loads((tmp_path / "x.json").read_text()) == data
    assert "Installed:" in capsys.readouterr().out
    assert main(["doctor", "--no-trial", "--json", str(tmp_path)]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_modules_that_torch_imports_when_they_are_needed_are_looked_into():
    script = "import unjit; print(*(hook.name for hook in unjit.doctor(backends=()).hooks if hook.loss))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "torch._inductor.compile_fx.compile_fx" not in done.stdout.split()


@pytest.mark.smoke
def test_without_torch():
    script = """
import sys
sys.modules["torch"] = None
import unjit
found = unjit.doctor()
print(found.parts[1].state, found.parts[1].advice, found.trials, found.torch_version)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("missing pip install torch")
    assert done.stdout.rstrip().endswith(str(Unknown("torch cannot be imported")))


def test_what_a_backend_raises_is_told_in_words(capsys, monkeypatch):
    def refuse(_backend):
        raise RuntimeError("no compiler:\nall were tried")

    monkeypatch.setattr(toy, "attempt", refuse)
    toy.main(["eager"])
    assert json.loads(capsys.readouterr().out)["says"] == "RuntimeError: no compiler: all were tried"
