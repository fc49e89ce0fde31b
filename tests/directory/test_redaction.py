"""`--redact`: nothing that was planted leaves the machine, in no file and no form, and what stays can still be read."""

from __future__ import annotations

import ast
import functools
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import unjit
from needs import since
from programs import secrets_run
from secrets_found import found
from toys import needs_compiler
from unjit.cli import main
from unjit.model import LEFT_OUT_BY_REDACTION, Unknown, to_plain
from unjit.redaction.expressions import redacted_condition, redacted_expression

PROGRAM = Path(secrets_run.__file__)
SECRETS = [
    *("commentsecret", "globalkeysecret", "attributesecret", "docstringsecret", "reprsecret", "keysecret"),
    *("stringsecret", "argumentsecret", "otherwordsecret", "errorsecret", "pathsecret", "environsecret"),
    *("8675309", "6543217", "9753124", "7654321", "7654322", "7654323", "4815162342"),
]


def everything_secret():
    """What was planted, and what the machine is called."""
    return [*SECRETS, str(PROGRAM.parent), *([platform.node()] if len(platform.node()) > 5 else [])]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Runs of the program in processes of their own: its capture as it is, one that is redacted, and torch's log of it.

    All have the same variables: torch 2.6 guards each of them where a program reads one.
    """
    top = tmp_path_factory.mktemp("redaction")
    folder = top / "pathsecret"
    folder.mkdir()
    program = shutil.copy(PROGRAM, folder / "program_pathsecret.py")
    for name, options in (("plain", []), ("clean", ["--redact"])):
        logged = str(top / ("log" if options else "log_of_plain"))
        environment = {**os.environ, "TORCH_SECRET_VARIABLE": "environsecret", "TORCH_TRACE": logged}
        command = [sys.executable, "-m", "unjit", "run", "--out", str(top / name), *options]
        command += ["--json", str(top / f"{name}.json"), str(program), "eager"]
        subprocess.run(command, capture_output=True, env=environment, cwd=folder, timeout=300, check=True)
    return top


def test_the_search_finds_what_was_planted(plain):
    assert set(found(plain / "plain", SECRETS)) == set(SECRETS)
    assert len(unjit.load(plain / "plain").compiles) > 8


def test_a_redacted_run_has_none_of_it(plain):
    assert found(plain / "clean", everything_secret()) == {}
    one, other = unjit.load(plain / "plain"), unjit.load(plain / "clean")
    assert [compile_.path for compile_ in one.compiles] == [compile_.path for compile_ in other.compiles]
    assert other.data.finished


def test_the_json_of_a_redacted_run_has_none_of_it(plain, tmp_path):
    shutil.copy(plain / "clean.json", tmp_path)
    assert found(tmp_path, everything_secret()) == {}
    assert len(json.loads((tmp_path / "clean.json").read_text())["functions"]) > 5


def test_a_copy_is_the_same_as_a_redacted_run(plain, tmp_path, capsys):
    assert main(["redact", str(plain / "plain"), "--out", str(tmp_path / "copy")]) == 0
    assert "index.md" in capsys.readouterr().out
    assert found(tmp_path / "copy", everything_secret()) == {}
    assert unjit.diff(tmp_path / "copy", plain / "clean").data.changes == ()
    again = unjit.redact(tmp_path / "copy", tmp_path / "again")
    assert [one.path for one in again.compiles] == [one.path for one in unjit.load(plain / "clean").compiles]


def test_a_log_that_is_ingested(plain, tmp_path):
    assert main(["ingest", str(plain / "log"), "--out", str(tmp_path / "log"), "--redact"]) == 0
    assert found(tmp_path / "log", everything_secret()) == {}
    assert len(unjit.load(tmp_path / "log").compiles) > 8
    assert unjit.ingest(plain / "log", redact=True).compiles == unjit.load(tmp_path / "log").compiles


def test_what_stays_can_be_read(plain):
    clean = unjit.load(plain / "clean")
    assert [one.key for one in clean.functions][:2] == ["breaks", "breaks_resumes_at_30"]
    first = clean.compiles_of("breaks")[0]
    (broke,) = first.compile.breaks
    if since("2.9"):  # before, torch's reason has names and values in it
        assert broke.reason == unjit.load(plain / "plain").compiles_of("breaks")[0].compile.breaks[0].reason
    assert (broke.place.line, broke.place.function) == (30, "breaks")
    assert broke.place.code == Unknown(LEFT_OUT_BY_REDACTION)
    graph = clean.text("breaks", 0, "captured")
    assert "l_x_ * ..." in graph
    assert '"f32[3][1]cpu"' in graph
    assert "#" not in graph
    assert "KEPT_NAME" in str(to_plain(clean.function("breaks").entries[0].guards))
    (failed,) = clean.compiles_of("breaks")[1].compile.failed_guards
    assert failed.condition.endswith("size mismatch at index 0. expected 3, actual 4")
    assert "l_self_modules_layers_modules_kept_layer_parameters_weight_" in clean.text("Layer_forward", 0, "captured")
    for file in (plain / "clean").rglob("*.py"):
        ast.parse(file.read_text())
    assert "left out by redaction" in str(clean)
    assert "Worth acting on:" in clean.summary()


def test_the_time_of_day_is_gone(plain):
    moment = re.compile(r'_time(?:_us)?\\": \d{10}')  # since 1970, in seconds or microseconds
    assert moment.search((plain / "plain" / "run.json").read_text())
    assert not moment.search((plain / "clean" / "run.json").read_text())


def test_a_session_has_what_its_directory_has(tmp_path):
    os.environ.setdefault("TORCH_SECRET_VARIABLE", "environsecret")
    torch._dynamo.reset()
    with unjit.capture(tmp_path / "out", redact=True) as session:
        torch.compile(secrets_run.scaled, backend="eager")(torch.ones(3), 7654321)
        assert found(tmp_path / "out", everything_secret()) == {}
        assert (tmp_path / "out" / "functions" / "scaled" / "compile_0" / "captured.py").exists()
        assert not session.data.finished
    assert session.data == unjit.load(tmp_path / "out").data
    assert "..." in session.text("scaled", 0, "captured")
    with unjit.capture(redact=True) as in_memory:
        torch.compile(lambda x: x * 8675309.25, backend="eager")(torch.ones(3))
    assert "8675309" not in str(to_plain(in_memory.data))


def test_what_was_left_out_is_neither_named_nor_advised():
    def refuse(_graph, _inputs):
        raise RuntimeError("no")

    torch._dynamo.reset()
    with unjit.capture(redact=True) as session:
        torch.compile(functools.partial(lambda a, b: a @ b, torch.ones(3, 3)), backend="eager")(torch.ones(3, 3))
        with pytest.raises(torch._dynamo.exc.BackendCompilerFailed):
            torch.compile(lambda x: x + 1, backend=refuse)(torch.ones(3))
    text = session.summary()
    assert "failed: unknown (left out by redaction)" in text
    assert "error.txt" not in text
    assert "torch's wrapper around partial, 1 cache entry" in text


def test_a_break_is_advised_on_by_its_kind_and_by_the_page_that_torch_has_of_that():
    def breaks(x):
        torch._dynamo.graph_break()
        return x + 1

    torch._dynamo.reset()
    with unjit.capture(redact=True) as session:
        torch.compile(breaks, backend="eager")(torch.ones(3))
    text = session.summary()
    if since("2.9"):
        remove = "Remove the `torch._dynamo.graph_break()` call."
        assert f"to do: {remove} See what torch says of breaks of this kind: https://" in text
    assert "to do: <left out>" not in text


def test_a_recompile_of_a_resume_function_quotes_no_source(tmp_path):
    table = {"sesame": 8.5}

    def opens(x):
        y = x + table["sesame"]
        print(float(y.sum() + len("sesame")))
        return y * 2

    torch._dynamo.reset()
    with unjit.capture(tmp_path / "out"):
        for value in range(4):
            torch.compile(opens, backend="eager", dynamic=False)(torch.full((3,), float(value)))
    plain = unjit.load(tmp_path / "out")
    assert "sesame" in str([one.compile.failed_guards for one in plain.data.compiles])
    unjit.redact(tmp_path / "out", tmp_path / "clean")
    texts = [file.read_text() for file in (tmp_path / "clean").rglob("*") if file.is_file()]
    assert not any("sesame" in text or "len(...)" in text for text in texts)


@needs_compiler
def test_kernels_of_inductor(tmp_path):
    torch._dynamo.reset()
    with unjit.capture(tmp_path / "out", fresh=True):
        secrets_run.kernel()
    assert {"8675309", "keysecret", "commentsecret"} <= set(found(tmp_path / "out", SECRETS))
    clean = unjit.redact(tmp_path / "out", tmp_path / "clean")
    assert found(tmp_path / "clean", everything_secret()) == {}
    (one,) = clean.compiles
    (kernel,) = one.kernels
    assert "loadu(in_ptr0" in kernel.source or "in_ptr0[" in kernel.source
    before = unjit.load(tmp_path / "out").compiles[0].kernels[0].operations
    assert kernel.operations == before or isinstance(before, Unknown)  # torch 2.6 does not tell
    assert "empty_strided_cpu((3, ), (1, ), torch.float32)" in clean.text("one_graph", 0, "inference_output_code")


def test_children_and_processes_are_redacted(tmp_path):
    script = (
        "import multiprocessing, torch, unjit\n"
        "def work():\n"
        "    torch.compile(lambda x: x * 8675309, backend='eager')(torch.ones(2))\n"
        "if __name__ == '__main__':\n"
        "    with unjit.capture('out', redact=True):\n"
        "        child = multiprocessing.get_context('fork').Process(target=work, name='namesecret')\n"
        "        child.start()\n"
        "        child.join()\n"
    )
    (tmp_path / "program.py").write_text(script)
    subprocess.run([sys.executable, "program.py"], cwd=tmp_path, timeout=300, check=True, capture_output=True)
    assert found(tmp_path / "out", ["8675309", "namesecret", str(tmp_path)]) == {}
    (child,) = unjit.load(tmp_path / "out").processes.values()
    assert len(child.compiles) == 1


def test_names_of_processes_in_a_copy(plain, tmp_path):
    shutil.copytree(plain / "plain", tmp_path / "all")
    for name in ("rank_0", "Trainer_namesecret"):
        shutil.copytree(plain / "plain", tmp_path / "all" / "processes" / name)
    clean = unjit.redact(tmp_path / "all", tmp_path / "clean")
    assert sorted(clean.processes) == ["process_0", "rank_0"]
    assert found(tmp_path / "clean", [*everything_secret(), "namesecret"]) == {}


def test_bad_requests(plain, tmp_path, capsys):
    with pytest.raises(unjit.UnjitError, match="not empty"):
        unjit.redact(plain / "plain", plain / "clean")
    with pytest.raises(unjit.UnjitError, match=r"plain\.json is not a directory: give one that is empty"):
        unjit.redact(plain / "plain", plain / "plain.json")
    with pytest.raises(unjit.UnjitError, match="is inside"):
        unjit.redact(plain / "plain", plain / "plain" / "functions" / "clean")
    assert main(["redact", str(tmp_path), "--out", str(tmp_path.parent / "no")]) == 2
    assert "holds no capture" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["run", "--redact", "program.py"])
    assert "give one of them" in capsys.readouterr().err


def test_what_a_rank_calls_its_groups_is_left_out(tmp_path):
    fake_pg = pytest.importorskip("torch.testing._internal.distributed.fake_pg")
    job = torch.distributed
    job.init_process_group("fake", rank=0, world_size=2, store=fake_pg.FakeStore())
    try:
        job.new_group([0, 1], group_desc="the_secret group")
        for name, redact in (("plain", False), ("clean", True)):
            with unjit.capture(tmp_path / name, redact=redact):
                torch.compile(torch.sin, backend="eager")(torch.ones(2))
            torch._dynamo.reset()
    finally:
        job.destroy_process_group()
    unjit.redact(tmp_path / "plain", tmp_path / "copy")
    told = {name: group_words(tmp_path / name) for name in ("plain", "clean", "copy")}
    clean = ["default_pg", "<left out>"]
    assert told == {"plain": ["default_pg", "the_secret group"], "clean": clean, "copy": clean}


def group_words(directory):
    told = json.loads((directory / "processes" / "rank_0" / "distributed.json").read_text())
    return [group["description"] for group in told["groups"]]


def test_a_redacted_capture_that_goes_on_says_only_what_it_lacks(tmp_path):
    for name, redact in (("plain", False), ("clean", True)):
        with unjit.capture(tmp_path / name, redact=redact):
            for size in (2, 3):
                torch.compile(torch.sin, backend="eager")(torch.ones(size))
            torch._dynamo.reset()
            so_far = unjit.load(tmp_path / name)
        assert (so_far.data.finished, len(so_far.functions), len(so_far.compiles)) == (False, 1, 2)
        assert [loss for loss in so_far.losses if "without a word" not in loss] == []


class G(torch.nn.Module):
    def forward(self, x):
        return x + 1


def test_a_function_that_is_called_as_dynamo_calls_inputs_keeps_its_name(tmp_path):
    with unjit.capture(tmp_path / "out", redact=True) as session:
        torch.compile(G().forward, backend="eager")(torch.ones(2))
    for captured in (session, unjit.load(tmp_path / "out")):
        assert [(one.key, len(one.entries)) for one in captured.functions] == [("G_forward", 1)]
        assert [one.function for one in captured.compiles] == ["G_forward"]


def test_an_expression_that_is_too_deep_is_left_out():
    deep = "x" + "._modules['0']" * 400
    assert redacted_expression(deep) is None
    assert redacted_condition(f"{deep} == 3") is None
