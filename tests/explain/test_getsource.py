"""`unjit.getsource`: one question for everything that torch.compile makes."""

from __future__ import annotations

import functools
import linecache
import os
import sys
import textwrap

import pytest
import torch
import torch._dynamo

import unjit
from needs import needs, refused_before
from toys import needs_compiler
from unjit.errors import BadTarget
from unjit.model import Unknown
from unjit.observe.functions.sources import line_text
from unjit.torch_private.cache.entries import entries_of
from unjit.torch_private.cache.resumes import resume_codes_of
from unjit.torch_private.compiled_graphs.graphs import GLOBAL_PREFIX
from unjit.torch_private.probes.cache_probes import PRECOMPILE_ENTRIES


def adds(a, b):
    x = a.sin() + b
    torch._dynamo.graph_break()
    return x * 2


@pytest.fixture(params=["eager", "aot_eager"])
def compiled(request):
    torch._dynamo.reset()
    function = torch.compile(adds, backend=request.param)
    function(torch.ones(3, requires_grad=True), torch.ones(3)).sum().backward()
    return function


def graph_function():
    code = entries_of(adds.__code__)[0].code
    return adds.__globals__[next(name for name in code.co_names if name.startswith(GLOBAL_PREFIX))]


def test_generated_code_and_compiled_functions(compiled):
    of_code = unjit.getsource(entries_of(adds.__code__)[0].code)
    assert "equivalent: proved" in of_code
    assert "__compiled_fn" in of_code
    assert of_code.rstrip() in "# " + unjit.getsource(compiled).split("# ", 2)[2]


@refused_before("2.9", "cannot copy guards")
def test_what_an_explanation_holds(compiled):
    explanation = unjit.explain(compiled)
    (entry,) = explanation.entries
    assert unjit.getsource(entry) == unjit.getsource(entry.copy()) == unjit.getsource(explanation.functions[0])
    assert "def forward(self" in unjit.getsource(entry.graphs[0])
    with pytest.raises(AttributeError, match=r"entry.copy\(\).install"):
        entry.install()
    with pytest.raises(AttributeError, match="a cache entry has no 'nothing'"):
        entry.nothing  # noqa: B018


class Looping(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Breaking()

    def forward(self, x):
        for _ in range(2):
            x = self.inner(x)
        return x


class Breaking(torch.nn.Module):
    def forward(self, x):
        y = x.sin()
        torch._dynamo.graph_break()
        return y * 2


def test_parts_that_have_code_of_their_own():
    torch._dynamo.reset()
    module = torch.compile(Looping(), backend="eager")
    module(torch.ones(2))
    name = "Breaking.forward" if sys.version_info >= (3, 11) else "forward"  # before, code does not tell
    assert unjit.getsource(module).startswith(f"# entry 0 of {name}\n# equivalent: ")
    partial = torch.compile(functools.partial(adds, b=1), backend="eager")
    partial(torch.ones(2))
    assert "def inner(" in unjit.getsource(partial).split("# entry 0 of adds\n")[0]


def test_resume_functions(compiled):
    resume = resume_codes_of(adds.__code__)[0]
    assert "* 2" in unjit.getsource(resume)


def test_what_dynamo_calls_for_a_graph(compiled):
    source = unjit.getsource(graph_function())
    if "# captured" in source:
        assert "l_a_.sin()" in source
    else:
        assert "torch.ops.aten.sin.default" in source
        assert "# backward\n" in source
        assert "torch.ops.aten.cos.default" in source


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
def test_a_wrapper_of_inductors_whose_file_went_with_a_cache_is_decompiled(tmp_path):
    torch._dynamo.reset()
    plus_one = lambda x: x.sin() + 1  # noqa: E731
    compiled = torch.compile(plus_one)
    with unjit.capture(fresh=True):
        compiled(torch.ones(3))
    code = unjit.explain(compiled).entries[0].code_object
    name = next(name for name in code.co_names if name.startswith(GLOBAL_PREFIX))
    source = unjit.getsource(plus_one.__globals__[name])
    assert source.startswith("# inference\n# Inductor's own file ")
    assert "cpp_fused_add_sin_0" in source
    with unjit.debug(compiled, directory=tmp_path, quiet=True) as session:
        compiled(torch.ones(3))
    assert session.problems == []
    assert "cpp_fused_add_sin_0" in next(tmp_path.rglob("inference_output_code.py")).read_text()
    assert list(tmp_path.rglob("captured.py")) == []  # nothing would ever stop there


def test_graphs():
    found = []
    torch._dynamo.reset()
    torch.compile(adds, backend=lambda graph, _: found.append(graph) or graph.forward)(torch.ones(3), torch.ones(3))
    assert 'sin: "f32[3][1]cpu"' in unjit.getsource(found[0])
    assert unjit.getsource(found[0].forward) == unjit.getsource(found[0])


def test_other_functions_have_the_text_of_their_file_or_else_their_bytecode():
    assert unjit.getsource(textwrap.dedent).startswith("def dedent(text):")
    assert unjit.getsource(functools.partial(adds, 1)).startswith("def adds(a, b):")
    scope = {}
    exec("def made(x): return x + 1", scope)
    assert "return x + 1" in unjit.getsource(scope["made"])


MADE = """
import functools, sys
def function(): return 1
def generator(): yield 2
async def coroutine(): return 3
async def asynchronous(): yield 4
def frame(): return (5, sys._getframe())
class Thing:
    @property
    def one(self): return 6
    @functools.cached_property
    def other(self): return 7
    def __call__(self): return 8
"""


def test_what_decompile_takes_is_taken_and_called_what_it_is():
    scope = {}
    exec(MADE, scope)
    thing, coroutine = scope["Thing"], scope["coroutine"]()
    running = [scope["function"], scope["generator"](), coroutine, scope["asynchronous"](), scope["frame"]()[1]]
    for number, target in enumerate([*running, thing.one, vars(thing)["other"], thing()], 1):
        first, _, source = unjit.getsource(target).partition("\n")
        assert first == "# identical: decompiled from its bytecode; no source: many texts are called <string>"
        assert source == unjit.decompile(target).source
        assert str(number) in source
    coroutine.close()


def test_generators_and_properties_have_the_text_of_their_file():
    class Thing:
        @property
        def one(self):
            return 1

    def generates():
        yield 2

    assert "def one(self):\n" in unjit.getsource(Thing.one)
    assert "def generates():\n" in unjit.getsource(generates())
    alone = unjit.getsource(x for x in "ab")
    assert alone.startswith(
        "# identical: decompiled from its bytecode; which lines are those of <genexpr> alone is not"
    )
    of_file = compile("x = 1\n", __file__, "exec")  # not the text of that file
    assert unjit.getsource(of_file).endswith("<module> alone is not known\nx = 1\n")


def test_a_text_that_only_has_the_same_name_is_not_shown(monkeypatch):
    """Python 3.13 keeps the program of `-c` under the name that `exec` gives to every text."""
    scope = {}
    exec("def made(x): return x + 1", scope)
    monkeypatch.setitem(linecache.cache, "<string>", (9, None, ["made = 5\n"], "<string>"))
    assert "return x + 1" in unjit.getsource(scope["made"])
    assert isinstance(line_text("<string>", 1), Unknown)


def test_lines_of_modules_that_python_has_built_in():
    line = os.path.join.__code__.co_firstlineno
    assert line_text("<frozen posixpath>", line) == "def join(a, *p):"
    assert isinstance(line_text("<frozen no_such_module>", 1), Unknown)


def test_refusals():
    torch._dynamo.reset()
    with pytest.raises(BadTarget, match="no compiled code: call it first"):
        unjit.getsource(torch.compile(lambda x: x))
    for target, words in (
        (3, "an object of type int has no Python bytecode"),
        (len, "len, of type builtin_function_or_method, has no Python bytecode"),
        (functools, "the module functools has kept no bytecode"),
        (Unknown, "the class Unknown has no bytecode of its own"),
    ):
        with pytest.raises(BadTarget, match=words):
            unjit.getsource(target)


def test_a_modules_top_level_has_the_text_of_its_file(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("import sys\n\nframe = sys._getframe()\n")
    scope = {}
    exec(compile(file.read_text(), str(file), "exec", dont_inherit=True), scope)
    assert unjit.getsource(scope["frame"]) == file.read_text()
    file.write_text("other = 1\n")
    linecache.checkcache()
    assert "decompiled from its bytecode" in unjit.getsource(scope["frame"])


def test_a_partial_that_was_not_called_is_called_by_its_function():
    compiled = torch.compile(functools.partial(adds, b=2), backend="eager")
    with pytest.raises(BadTarget, match=r"^adds has no compiled code: call it first"):
        unjit.getsource(compiled)
    assert repr(unjit.wrap(functools.partial(adds, b=2), backend="eager")) == "<adds, compiled: no cache entries yet>"


@pytest.mark.parametrize("ask", [unjit.explain, unjit.why, unjit.step, unjit.debug])
def test_an_entry_is_no_function(ask):
    compiled = torch.compile(adds, backend="eager")
    compiled(torch.ones(2), 1)
    with pytest.raises(BadTarget, match="an EntryHandle tells of a function that is compiled: pass that function"):
        ask(unjit.explain(compiled).entries[0])
