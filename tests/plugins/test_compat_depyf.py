"""depyf's interface, called as its users call it."""

from __future__ import annotations

import ast
import io
import logging
import re
import subprocess
import sys
import warnings

import pytest
import torch
import torch._dynamo
from torch._dynamo.utils import lazy_format_graph_code as format_graph

from needs import lacking, needs
from toys import needs_compiler, toy
from unjit.compat import depyf
from unjit.compat.depyf.decompiler import indented
from unjit.compat.depyf.explain import dump_src
from unjit.compat.depyf.explain.enable_debugging import enable_bytecode_hook
from unjit.compat.depyf.explain.global_variables import data
from unjit.compat.depyf.explain.utils import remove_indentation, write_code_to_file_template
from unjit.compat.depyf.optimization import TorchCompileWrapperWithCustomDispatcher
from unjit.errors import UnjitError
from unjit.torch_private.probes.cache_probes import PRECOMPILE_ENTRIES
from unjit.torch_private.probes.trace_probes import FORMATTED_GRAPH

pytestmark = pytest.mark.usefixtures("nothing_compiled")


class Forward(torch.nn.Module):
    def forward(self, x):
        return (x * 2).relu()


def monitored_as_vllm_does(directory, call):
    """vLLM enters the context by hand before it compiles, and leaves it by hand later."""
    context_manager = depyf.prepare_debug(directory.as_posix())
    context_manager.__enter__()
    call()
    context_manager.__exit__(None, None, None)


@needs_compiler
def test_the_files_that_vllms_tests_look_for(tmp_path):
    net = torch.compile(Forward(), backend="inductor")
    with torch.no_grad():
        monitored_as_vllm_does(tmp_path, lambda: net(torch.ones(3)))
    transformed = sorted(tmp_path.glob("__transformed_code*for_forward.py"))
    graphs = sorted(tmp_path.glob("__compiled_fn*Forward_graph*.py"))
    assert len(transformed) == len(graphs) == 1
    assert re.search(r"\d+", graphs[0].name)
    assert list(tmp_path.glob("__compiled_fn_*.Captured_Graph.0.py"))
    assert list(tmp_path.glob("__compiled_fn_*.AFTER_POST_GRAD.0.py"))
    assert list(tmp_path.glob("__compiled_fn_*.kernel_0.py"))
    assert list(tmp_path.glob("full_code_for_forward_0.py"))


def a_backend_with_passes(graph, inputs):
    """As vLLM's: it names its graphs to a function whose answer it throws away."""
    format_graph("before split", graph)
    format_graph("post_grad.0.Pass.after: of a layer", graph, 3)
    return graph.forward


@needs(FORMATTED_GRAPH)
def test_graphs_that_a_backend_names_are_written_as_depyf_does(tmp_path):
    own = format_graph.__code__
    compiled = torch.compile(lambda x: x.sin() + 1, backend=a_backend_with_passes)
    with depyf.prepare_debug(str(tmp_path)), depyf.prepare_debug(str(tmp_path / "inner")):
        compiled(torch.ones(3))
    assert format_graph.__code__ is own
    for folder in (tmp_path, tmp_path / "inner"):
        (captured,) = folder.glob("__compiled_fn_*.Captured_Graph.0.py")
        name = captured.name.partition(".")[0]
        (before,) = folder.glob("*before*")
        assert before.name == f"{name}.before_split.0.py"
        assert list(folder.glob("*Pass*")) == [folder / f"{name}.post_grad.0.Pass.after.0.py"]
        assert ".sin()" in before.read_text()
        compile(before.read_text(), str(before), "exec")


@needs(FORMATTED_GRAPH)
def test_who_formats_a_graph_gets_what_torch_gives(tmp_path):
    graph = torch.fx.symbolic_trace(lambda x: x.sin())
    expected = str(format_graph("name", graph, 1))
    with depyf.prepare_debug(str(tmp_path)):
        assert str(format_graph("name", graph, 1)) == expected
    assert (tmp_path / "__compiled_fn.name.0.py").exists()


@needs(FORMATTED_GRAPH)
def test_what_goes_wrong_with_a_name_stays_out_of_the_compile(tmp_path):
    graph = torch.fx.symbolic_trace(lambda x: x.sin())
    with depyf.prepare_debug(str(tmp_path)):
        assert "sin" in str(format_graph(7, graph))
    assert "was not read" in (tmp_path / "__compiled_fn.not_read.0.py").read_text()


@needs(FORMATTED_GRAPH)
def test_who_exchanged_the_function_meanwhile_keeps_it(tmp_path):
    own, other = format_graph.__code__, (lambda name, gm, maybe_id=None, **kwargs: "other").__code__
    try:
        with depyf.prepare_debug(str(tmp_path)):
            format_graph.__code__ = other
        assert format_graph.__code__ is other
    finally:
        format_graph.__code__ = own


@needs(FORMATTED_GRAPH)
def test_a_graph_that_cannot_be_printed_costs_its_file_alone(tmp_path):
    class Unprintable(torch.fx.GraphModule):
        def print_readable(self, **_settings):
            raise ValueError("not today")

    graph = torch.fx.symbolic_trace(lambda x: x.sin())
    with depyf.prepare_debug(str(tmp_path)):
        format_graph("odd", Unprintable(graph, graph.graph))
    assert "not today" in (tmp_path / "__compiled_fn.odd.0.py").read_text()


def test_every_file_is_valid_python_and_resume_functions_have_depyfs_names(tmp_path):
    compiled = torch.compile(toy, backend="aot_eager")
    with depyf.prepare_debug(str(tmp_path)):
        assert data["dump_src_dir"] == str(tmp_path)
        assert data["is_inside_prepare_debug"]
        for sign in (1, -1):
            compiled(torch.ones(3, requires_grad=True), sign * torch.ones(3)).sum().backward()
    assert not data["is_inside_prepare_debug"]
    files = sorted(tmp_path.iterdir())
    for file in files:
        ast.parse(file.read_text())
    names = [file.name for file in files]
    resumes = re.compile(r"__transformed_code_\d_for_torch_dynamo_resume_in_toy_at_\d+\.py")
    assert [name for name in names if resumes.match(name)]
    assert [name for name in names if "Backward_graph" in name]
    full = (tmp_path / "full_code_for_toy_0.py").read_text()
    assert "def __guard_0_for_toy(L, G=None, **___kwargs_ignored):" in full
    assert "def transformed_toy(" in full


def test_what_was_compiled_before_the_block_has_no_file_of_its_own(tmp_path):
    def twice(x):
        return x * 2

    compiled = torch.compile(twice, backend="eager", dynamic=False)
    compiled(torch.ones(2))
    with depyf.prepare_debug(str(tmp_path)):
        compiled(torch.ones(3))
    assert len(list(tmp_path.glob("__transformed_code_*_for_twice.py"))) == 1
    (whole,) = tmp_path.glob("full_code_for_twice_*.py")
    assert whole.read_text().count("def __guard_") == 2


def test_functions_in_which_both_arms_of_a_line_go_on_have_names_of_their_own(tmp_path):
    def choice(x):
        return (x + 1).cos() if x.sum() > 0 else (x - 1).sin()

    compiled = torch.compile(choice, backend="eager")
    with depyf.prepare_debug(str(tmp_path)):
        for sign in (1, -1):
            compiled(sign * torch.ones(3))
    full = ast.parse((tmp_path / "full_code_for_choice_0.py").read_text())
    names = [part.name for part in full.body if isinstance(part, ast.FunctionDef)]
    assert sum(name.startswith("transformed_torch_dynamo_resume_in_choice_at_") for name in names) == 2
    assert len(set(names)) == len(names)


def test_debug_begins_with_a_breakpoint_and_says_where_the_files_are(tmp_path, monkeypatch, capsys):
    compiled = torch.compile(toy, backend="eager")
    with depyf.prepare_debug(str(tmp_path)):
        compiled(torch.ones(3), torch.ones(3))
        with pytest.raises(RuntimeError, match="leave that block first"), depyf.debug():
            pass
    stops = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: stops.append("here"))
    with depyf.debug():
        assert stops == ["here"]
        compiled(torch.ones(3), torch.ones(3))
    told = "toy, older entry 0" if not lacking(PRECOMPILE_ENTRIES) else "cannot be stepped"
    assert told in capsys.readouterr().err


def test_the_programs_own_errors_pass(tmp_path):
    with pytest.raises(ZeroDivisionError), depyf.prepare_debug(str(tmp_path)):
        1 / 0  # noqa: B018


def test_nothing_compiled_is_said(tmp_path):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with depyf.prepare_debug(str(tmp_path)):
            toy(torch.ones(2), torch.ones(2))
    assert any("nothing was compiled" in str(one.message) for one in told)


def test_the_directory_must_be_a_string():
    with pytest.raises(RuntimeError, match="as a string"), depyf.prepare_debug(toy):
        pass


def test_decompile_takes_what_depyf_takes():
    assert depyf.decompile(toy).startswith("def toy(a, b):")
    assert depyf.decompile(toy.__code__) == depyf.Decompiler(toy).decompile()
    assert "def other(a, b):" in depyf.Decompiler(toy).decompile(overwite_fn_name="other")
    assert "\n  x = " in depyf.Decompiler(toy).decompile(indentation=2)
    assert "LOAD_FAST" in depyf.Decompiler.supported_opnames()
    with pytest.raises(depyf.DecompilationError, match="not written in Python"):
        depyf.decompile(len)


def test_indentation_leaves_strings_alone():
    source = 'def f():\n    return """\n    text\n    """\n'
    assert indented(source, 2) == 'def f():\n  return """\n    text\n    """\n'


def test_decompiled_and_compiled_back(tmp_path):
    code = depyf.Decompiler.decompile_and_compile_like(
        toy.__code__, toy.__code__, filepath_template=str(tmp_path / "file_%s.py")
    )
    assert code.co_filename == str(tmp_path / "file_0.py")
    made = type(toy)(code, toy.__globals__)
    assert torch.equal(made(torch.ones(2), torch.ones(2)), toy(torch.ones(2), torch.ones(2)))
    with pytest.raises(depyf.DecompilationError, match="other arguments"):
        depyf.Decompiler.decompile_and_compile_like(toy.__code__, indented.__code__.replace(co_argcount=1))


def test_dump_src_of_a_compiled_function():
    compiled = torch.compile(toy, backend="eager")
    compiled(torch.ones(2), torch.ones(2))
    text = dump_src(toy.__code__)
    ast.parse(text)
    assert dump_src(compiled) == dump_src(toy) == text
    assert "def __transformed_code_0_for_toy(" in text


def test_files_are_counted(tmp_path):
    template = str(tmp_path / "x_%s.py")
    names = [write_code_to_file_template(text, template) for text in ("a", "b", "a")]
    assert [name[-6:] for name in names] == ["x_0.py", "x_1.py", "x_0.py"]
    assert remove_indentation("    a\n        b\n") == "a\n    b\n"


class Dispatched(TorchCompileWrapperWithCustomDispatcher):
    def __init__(self):
        super().__init__(torch.compile(self.forward, backend="eager"))

    def forward(self, x, k):
        return x * k

    def __call__(self, x, k):
        if not self.compiled_codes:
            return self.compiled_callable(x, k)
        with self.dispatch_to_code(0):
            return self.forward(x, k)


def test_the_custom_dispatcher():
    run = Dispatched()
    assert run(torch.ones(2), 3).tolist() == [3, 3]
    assert len(run.compiled_codes) == 1
    assert run(torch.ones(2), 5).tolist() == [3, 3]  # the code for k = 3, its guards not asked
    assert run.forward(torch.ones(2), 5).tolist() == [5, 5]


def test_code_whose_call_is_not_found_is_said_to_be_lost(monkeypatch):
    monkeypatch.setattr("unjit.compat.depyf.optimization.locals_being_compiled", lambda: None)
    run = Dispatched()
    with pytest.warns(RuntimeWarning, match="code made of forward was not kept: the call"):
        assert run(torch.ones(2), 3).tolist() == [3, 3]
    assert run.compiled_codes == []
    with pytest.raises(UnjitError, match="there is no code 0: code made of forward"), run.dispatch_to_code(0):
        pass
    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(torch.ones(2), 3).tolist() == [3, 3]


class Scaled(Dispatched):
    def __init__(self, scale):
        self.scale = scale
        super().__init__()

    def forward(self, x, k):
        return x * self.scale + k


def test_each_dispatcher_has_the_code_that_was_made_for_it():
    double, triple = Scaled(2), Scaled(3)
    for _ in range(2):
        assert double(torch.ones(2), 1).tolist() == [3, 3]
        assert triple(torch.ones(2), 1).tolist() == [4, 4]
    assert len(double.compiled_codes) == len(triple.compiled_codes) == 1


def test_a_hook_on_bytecode_is_there_for_a_block():
    made = []
    compiled = torch.compile(toy, backend="eager")
    with enable_bytecode_hook(lambda old, new: made.append((old, new))):
        compiled(torch.ones(2), torch.ones(2))
    before = len(made)
    assert toy.__code__ in [old for old, _ in made]
    compiled(torch.ones(3), torch.ones(3))
    assert len(made) == before


def test_the_dispatcher_in_full_code_asks_guards_of_the_variables_that_they_read(tmp_path):
    def outer(bias):
        return lambda x, *rest, k=2, **more: (x * k + bias).relu()

    compiled = torch.compile(outer(torch.ones(2)), backend="eager")
    with depyf.prepare_debug(str(tmp_path)):
        compiled(torch.ones(2))
    text = next(tmp_path.glob("full_code_for__lambda__*.py")).read_text()
    made = {part.name: ast.unparse(part) for part in ast.parse(text).body if isinstance(part, ast.FunctionDef)}
    told = made["transformed__lambda_"]
    assert told.startswith("def transformed__lambda_(x, *rest, k, **more):")
    assert "{'x': x, 'k': k, 'rest': rest, 'more': more, 'bias': bias}" in told
    assert "return __transformed_code_0_for__lambda_(x, *rest, k=k, **more)" in told
    assert "__transformed_code_0_for__lambda_" in made


def test_resume_functions_in_full_code_have_the_names_that_code_calls_them_by(tmp_path):
    compiled = torch.compile(toy, backend="eager")
    with depyf.prepare_debug(str(tmp_path)):
        compiled(torch.ones(3), torch.ones(3))
    text = (tmp_path / "full_code_for_toy_0.py").read_text()
    called = set(re.findall(r"return (__resume_at_\w+)\(", text))
    named = dict(re.findall(r"^(__resume_at_\w+) = (\w+)$", text, re.MULTILINE))
    assert named
    assert named.keys() <= called
    assert all(f"def {function}(" in text for function in named.values())


def test_install_shows_source_in_torchs_logs():
    depyf.install()
    try:
        torch._logging.set_logs(bytecode=True)
        told = io.StringIO()
        handler = logging.StreamHandler(told)
        logging.getLogger("torch._dynamo.convert_frame.__bytecode").addHandler(handler)
        torch.compile(toy, backend="eager")(torch.ones(2), torch.ones(2))
    finally:
        torch._logging.set_logs()
        depyf.uninstall()
        logging.getLogger("torch._dynamo.convert_frame.__bytecode").removeHandler(handler)
    assert "def toy(a, b):" in told.getvalue()


def test_import_depyf_finds_it():
    script = """
import unjit.compat.depyf
unjit.compat.depyf.activate()
import depyf
from depyf.explain.utils import get_current_compiled_fn_name, write_code_to_file_template
from depyf.explain.enable_debugging import patched_load_by_key_path
import depyf.explain.global_variables, depyf.decompiler, depyf.optimization, depyf.utils, inspect
assert "later" in inspect.signature(patched_load_by_key_path).parameters
print(depyf.__version__, depyf.decompiler.decompile(lambda x: x + 1).strip())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("0.20.0 ")
    assert "x + 1" in done.stdout
