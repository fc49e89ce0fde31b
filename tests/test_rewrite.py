"""Cache entries run by hand, copied with other guards and code, installed, and taken out again."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
import traceback
import warnings
import weakref

import pytest
import torch
import torch._dynamo

import unjit
from needs import needs
from unjit import rewrite
from unjit.errors import Gone, Unsupported
from unjit.model import Unknown
from unjit.torch_private.probes import install_probes, probes
from unjit.torch_private.probes.probe import Probe

ERRORS = pytest.mark.filterwarnings(
    "error",
    "ignore:Guards may run slower:RuntimeWarning",  # torch on 3.13.0
    # torch on 3.15 lets a reference fall due that it has forgotten
    "ignore:Exception ignored while calling weakref callback <function Tracker:pytest.PytestUnraisableExceptionWarning",
)
pytestmark = [pytest.mark.usefixtures("nothing_compiled"), needs(probes.PRECOMPILE_ENTRIES), ERRORS]
POSITIONS = ["first", pytest.param("cache", marks=needs(install_probes.SET_REGION))]
X, Y = torch.ones(3), torch.ones(7)


def closure():
    c = torch.tensor(5.0)

    def f(x, k=1):
        return x * c + k

    return f


def compiled(function, *calls, **options):
    made = torch.compile(function, backend="eager", **options)
    for arguments in calls:
        made(*arguments)
    return made, unjit.explain(made).entries[0]


def value(result):
    return result.flatten()[0].item()


# ---------------------------------------------------------------- by hand
class Module(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((3,), 2.0))

    def forward(self, x, *more, scale=1, **others):
        return x * self.weight * scale + len(more) + len(others)


def targets():
    import functools

    module = Module()

    def plain(x, k=1, *rest, last=2, **named):
        return x * k + last + len(rest) + len(named)

    class Caller:
        def __call__(self, x, k=3):
            return x * k

        def method(self, x, k=4):
            return x * k

        __hash__ = None

    caller = Caller()
    return {
        "function": (plain, (X, 2, 3, 4), {"other": 5}),
        "defaults": (plain, (X,), {}),
        "module": (module, (X, 1), {"scale": 3, "other": 1}),
        "method": (caller.method, (X,), {}),
        "callable": (caller, (X,), {"k": 2}),
        "closure": (closure(), (X,), {"k": 2}),
        "partial": (functools.partial(plain, k=7), (X,), {"last": 1}),
    }


@pytest.mark.parametrize("name", list(targets()))
def test_run_and_check_take_the_arguments_of_a_call(name):
    target, args, kwargs = targets()[name]
    made = torch.compile(target, backend="eager")
    wanted = made(*args, **kwargs)
    wrapped = name in ("callable", "partial")  # torch puts a function that takes anything around these
    for asked in (made,) if wrapped else (made, target):
        entry = unjit.explain(asked).entries[0]
        assert torch.equal(entry.run(*args, **kwargs), wanted)
        assert entry.check(*args, **kwargs)
        assert not entry.check(args[0].double(), *args[1:], **kwargs)
        if not wrapped:
            with pytest.raises(TypeError):
                entry.check(*args, x=1)


def test_check_asks_about_torch_s_state_too():
    _, entry = compiled(closure(), (X,))
    with torch.no_grad():
        assert not entry.check(X)


def test_a_resume_function_takes_what_its_caller_passes():
    def f(x, k):
        x = x + k
        torch._dynamo.graph_break()
        return x * 2

    _, entry = compiled(f, (X, 1))
    assert value(entry.run(X, 1)) == 4
    (resume,) = entry.resume_functions
    code = resume.entries[0].owner.code()
    names = code.co_varnames[: code.co_argcount]
    arguments = [X if name == "x" else [] for name in names]
    assert value(resume.entries[0].run(*arguments)) == 2
    assert resume.entries[0].check(*arguments)


def test_a_resume_function_that_a_copy_goes_on_in_too_has_its_name_once():
    def f(x):
        x = x + 1
        torch._dynamo.graph_break()
        return x * 2

    made, entry = compiled(f, (X,))
    with entry.copy().install():
        _, resume = unjit.explain(made).report.functions
    assert len(resume.resume.global_names) == 1


def test_several_functions_with_one_code_are_told_apart():
    first, second = closure(), closure()
    assert value(torch.compile(first, backend="eager")(X)) == 6
    assert value(unjit.explain(second).entries[0].run(X)) == 6
    with pytest.raises(unjit.UnjitError, match="pass the one that is meant"):
        unjit.explain(first.__code__).entries[0].run(X)


def test_nothing_is_kept_alive():
    function = closure()
    made, entry = compiled(function, (X,))
    gone = weakref.ref(function)
    del function, made
    torch._dynamo.reset()
    gc.collect()
    assert gone() is None
    for ask in (entry.run, entry.check):
        with pytest.raises(Gone):
            ask(X)
    with pytest.raises(Gone):
        entry.copy()


# ---------------------------------------------------------------- guards
def test_guards_are_dropped_and_conditions_added_and_the_staleness_is_told():
    _, entry = compiled(closure(), (X,), (Y,))
    with pytest.warns(UserWarning, match=r"what depends on k may be stale") as told:
        new = entry.copy(guards=[rewrite.drop("k"), "x.shape[0] >= 5"])
    assert told[0].filename == __file__
    assert (new.check(Y, k=9), new.check(X, k=9), new.conditions) == (True, False, ["x.shape[0] >= 5"])


def test_keep_takes_a_predicate_over_guards():
    _, entry = compiled(closure(), (X,), dynamic=False)
    with pytest.warns(UserWarning, match="without"):
        new = entry.copy(guards=rewrite.keep(lambda guard: guard.topic != "arguments"))
    assert new.check(Y, 5)
    with pytest.raises(unjit.UnjitError, match="no guard of the entry is meant"):
        entry.copy(guards=rewrite.drop("nothing"))
    with pytest.raises(unjit.UnjitError, match=r"a function of a guard, .*; Guard is neither"):
        rewrite.drop(next(iter(entry.guards)))


def test_one_guard_of_several_on_a_value_is_dropped_and_the_others_are_asked_in_python():
    made, entry = compiled(closure(), (X,), dynamic=False)
    with pytest.warns(UserWarning, match="depends on x may be stale"):
        new = entry.copy(guards=[rewrite.drop(lambda guard: (guard.kind, guard.subject) == ("TENSOR_MATCH", "x"))])
    assert [new.check(x, k) for x in (X, Y, X.double()) for k in (1, 2)] == [True, False] * 3
    with new.install():
        assert value(made(Y.double())) == 6
        with torch.no_grad():
            assert not new.check(Y)


def test_a_guard_is_replaced_and_a_whole_new_set_given():
    _, entry = compiled(closure(), (X,), dynamic=False)
    with pytest.warns(UserWarning, match="depends on k"):
        new = entry.copy(guards=rewrite.replace("k", lambda k: k in (1, 2)))
    assert [new.check(X, k) for k in (1, 2, 3)] == [True, True, False]
    with pytest.warns(UserWarning, match="nothing that Dynamo asks is kept"):
        new = entry.copy(guards=rewrite.only("k == 7", lambda x, c: x.dtype == c.dtype))
    assert [new.check(Y, k=7), new.check(Y), new.check(Y.double(), k=7)] == [True, False, False]


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("y > 3", r"names y, which is neither an argument nor a free variable of f \(x, k, c\)"),
        ("x >", "is not an expression"),
        (lambda q: q, r"takes q; its parameters must be named .*: x, k, c"),
        (3, "int is neither"),
        (lambda *x: x, "takes x"),
    ],
)
def test_a_condition_that_cannot_be_asked_is_refused(condition, message):
    _, entry = compiled(closure(), (X,))
    with pytest.raises(unjit.UnjitError, match=message):
        entry.copy(guards=condition)


def test_a_condition_that_raises_counts_as_no_and_is_told():
    made, entry = compiled(closure(), (X,))
    with entry.copy(guards="x.nothing", code=entry.code).install() as handle:
        with pytest.warns(RuntimeWarning, match=r"the condition `x.nothing` .* raised AttributeError") as told:
            assert value(made(X)) == 6
        assert [type(error) for error in handle.errors] == [AttributeError]
    assert told[0].filename == __file__


def test_what_a_condition_raises_is_told_at_its_own_line():
    def asked(x):
        return x.nothing

    made, entry = compiled(closure(), (X,))
    with (
        entry.copy(guards=asked, code=entry.code).install(),
        pytest.warns(RuntimeWarning, match="raised AttributeError") as told,
    ):
        made(X)
    assert (told[0].filename, told[0].lineno) == (__file__, asked.__code__.co_firstlineno + 1)


class Summing(torch.nn.Module):
    def forward(self, x, **others):
        for value in others.values():
            x = x + value
        return x * 2


def test_explaining_asks_no_condition_and_counts_no_guard_as_failed(nothing_compiled):
    """Which items a guarded dict has is found out with frames that are made up: these are none of the condition's."""
    asked = []
    module = Summing()
    made, entry = compiled(module, (X,))
    with entry.copy(guards=lambda x: asked.append(x) or True).install() as handle:
        for _ in range(2):
            text = str(unjit.explain(module).entries[0])
        assert not asked
        assert not handle.errors
        assert "Failed so far" not in text
        made(X)
        assert asked
        assert unjit.explain(module).entries[0].data.guards.tree.failures == Unknown(
            "torch counts what unjit asks to see whether Dynamo still looks at the function"
        )


# ---------------------------------------------------------------- code
def test_code_is_edited_as_source_and_by_an_editor(tmp_path, monkeypatch):
    _, entry = compiled(closure(), (X,))
    assert value(entry.edit(entry.code.source.replace("return ", "return -")).run(X)) == -6
    editor = tmp_path / "editor.sh"
    editor.write_text("#!/bin/sh\nsed -i 's/return /return 2 * /' \"$1\"\n")
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    new = entry.edit()
    assert value(new.run(X)) == 12
    assert "record_pregraph" not in new.code.source, "what serves the profiler alone is not for editing"
    monkeypatch.setenv("EDITOR", "no-such-editor")
    with pytest.raises(unjit.UnjitError, match="set EDITOR"):
        entry.edit()


def test_tracebacks_show_the_edited_lines():
    _, entry = compiled(closure(), (X,))
    edited = entry.code.source.replace("return ", "[0 for _ in range(2) if 1 / 0]\n    return ")
    with pytest.raises(ZeroDivisionError) as raised:
        entry.edit(edited).run(X)
    shown = traceback.extract_tb(raised.value.__traceback__)
    lines = {place.line for place in shown if place.filename.startswith("<edited ")}
    assert lines == {"[0 for _ in range(2) if 1 / 0]"}, "of the comprehension too, which is code of its own before 3.12"


def test_code_that_is_not_changed_stays_the_same_object():
    """With what is nested in it: guards of resume functions ask for the identity of an inner function's code."""
    _, entry = compiled(closure(), (X,))
    code = entry.code_object
    assert entry.copy().code_object is code
    assert entry.copy(guards="k == 1", code=code).code_object is code


def test_code_is_a_function_and_names_that_it_needs_can_be_given():
    made, entry = compiled(lambda x, k=1: x * k, (X,))

    def other(x, k):
        return helper_of_this_test(x) + k  # noqa: F821

    with pytest.raises(unjit.UnjitError, match=r"pass names=\{'helper_of_this_test': …\}"):
        entry.copy(code=other)
    new = entry.copy(code=other, names={"helper_of_this_test": lambda x: x * 50})
    assert value(new.run(X, 2)) == 52
    with new.install():
        assert value(made(X)) == 51
    assert "helper_of_this_test" not in globals()


def test_names_that_edited_source_needs_can_be_given():
    _, entry = compiled(lambda x, k=1: x * k, (X,))
    source = entry.code.source.replace("return ", "return offset_of_this_test + ")
    with pytest.raises(unjit.UnjitError, match=r"pass names=\{'offset_of_this_test': …\}"):
        entry.edit(source)
    new = entry.edit(source, names={"offset_of_this_test": 100})
    again = new.edit(new.code.source.replace("100 + ", "offset_of_this_test + "), names={"offset_of_this_test": 200})
    assert (value(entry.run(X)), value(new.run(X)), value(again.run(X))) == (1, 101, 201)


def test_names_that_the_code_does_not_use_are_refused():
    _, entry = compiled(lambda x, k=1: x * k, (X,))
    for code in (None, entry.code.source):
        with pytest.raises(unjit.UnjitError, match="names has __compiled_fn_1, which the code does not use"):
            entry.copy(code=code, names={"__compiled_fn_1": print})
    with pytest.raises(unjit.UnjitError, match=r"names is a dict .*, not list"):
        entry.copy(names=["helper"])


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (lambda x: x, r"its arguments are \(x\) and must be \(x, k\)"),
        (lambda x, k: x, r"its free variables are none and must be \(c\)"),
        ("def f(x, k): return x", r"its free variables are none and must be \(c\)"),
        ("def f(", "does not parse"),
        ("3", "does not end in a definition"),
        (3, "not int"),
    ],
)
def test_code_that_does_not_fit_is_refused(code, message):
    _, entry = compiled(closure(), (X,))
    with pytest.raises(unjit.UnjitError, match=message):
        entry.copy(code=code)


def two_graph_outputs(x, k):
    a = x + k
    b = x * k
    return a, b


def test_graph_inputs_and_outputs_are_shown_and_changed():
    _, entry = compiled(two_graph_outputs, (X, torch.tensor(3.0)))
    k = torch.tensor(3.0)
    new = entry.copy()
    assert [(one.index, one.source) for one in new.graph_inputs] == [(0, "L['x']"), (1, "L['k']")]
    assert [one.index for one in new.graph_outputs] == [0, 1]
    assert list(map(value, new.with_graph_input(0, "_ * 10").run(X, k))) == [13, 30]
    assert list(map(value, new.with_graph_input(0, "k").run(X, k))) == [6, 9]
    assert list(map(value, new.with_graph_output(1, "_ + _ * x").run(X, k))) == [4, 6]
    with pytest.raises(unjit.UnjitError, match="there is no 2"):
        new.with_graph_input(2, "x")
    with pytest.raises(unjit.UnjitError, match="takes no output 5"):
        new.with_graph_output(5, "x")
    with pytest.raises(unjit.UnjitError, match="is not an expression"):
        new.with_graph_input(0, "x +")


def test_a_graph_is_replaced_by_any_callable():
    made, entry = compiled(two_graph_outputs, (X, torch.tensor(3.0)))
    seen = []

    def graph(x, k):
        seen.append((x, k))
        return x * 100, k

    new = entry.copy().with_graph(graph)
    with new.install():
        assert list(map(value, made(X, torch.tensor(3.0)))) == [100, 3]
    assert len(seen) == 1
    with pytest.raises(unjit.UnjitError, match="2 inputs"):
        entry.copy().with_graph(lambda x: x)
    with pytest.raises(unjit.UnjitError, match="say which graph"):
        entry.copy().with_graph(graph, graph="__compiled_fn_99")
    with pytest.raises(unjit.UnjitError, match="is a function, not int"):
        entry.copy().with_graph(3)
    with pytest.raises(unjit.UnjitError, match="gave a Tensor; it gives a tuple of the graph's outputs"):
        entry.copy().with_graph(torch.add).run(X, torch.tensor(3.0))


# ---------------------------------------------------------------- in the cache
@pytest.mark.parametrize("position", POSITIONS)
def test_what_is_installed_is_listed_explained_and_removed(position):
    made, entry = compiled(closure(), (X,), dynamic=False)
    new = entry.copy(code=entry.code.source.replace("return _t", "return -_t"))
    with new.install(position) as handle:
        assert value(made(X)) == -6
        assert (unjit.installed(made), unjit.installed()) == ([handle], [handle])
        assert handle.is_installed
        (shown,) = [e for e in unjit.explain(made).entries if e.data.kind == "installed"]
        assert shown.data.code.verdict in ("equivalent", "identical")
        assert value(shown.run(X)) == -6
        assert "installed, compile unknown (it was installed, not compiled)" in str(unjit.explain(made))
    assert value(made(X)) == 6
    assert unjit.installed(made) == []
    assert (handle.reason, handle.is_installed) == ("it was removed", False)


@needs(probes.SET_CALL_HOOK)
def test_call_counts_tell_which_entry_ran():
    made, entry = compiled(closure(), (X,), (Y,))
    with unjit.count_calls(), entry.copy(guards="x.shape[0] == 7", code=entry.code.recompile()).install():
        for x in (X, Y, X):
            made(x)
        hits = {e.data.kind: e.hits for e in unjit.explain(made).entries if e.hits}
    assert hits == {"installed": 1, "cache entry": 2}


def test_what_torch_resets_says_so():
    _, entry = compiled(closure(), (X,))
    handle = entry.copy().install()
    torch._dynamo.reset()
    assert "torch._dynamo.reset()" in repr(handle)
    handle.remove()


def test_what_is_installed_behind_a_reset_is_listed_though_dynamo_saw_nothing_since():
    made, entry = compiled(closure(), (X,))
    new = entry.copy()
    torch._dynamo.reset()
    with new.install() as handle:
        assert value(made(X)) == 6
        assert unjit.installed() == [handle]
    assert unjit.installed() == []


@pytest.mark.parametrize("position", POSITIONS)
def test_invalidate_takes_out_what_was_installed(position):
    made, entry = compiled(closure(), (X,))
    handle = entry.copy().install(position)
    ours = unjit.explain(made).entries[0]
    ours.invalidate()
    assert not handle.is_installed
    assert handle.reason == "it was invalidated by unjit"
    with pytest.raises(Gone):
        ours.check(X)
    assert [e.compile_id for e in unjit.explain(made).entries if e.data.invalid is None] == [entry.compile_id]


def test_invalidate_takes_out_one_entry_and_reset_all_of_a_function():
    def f(x, k):
        x = x + k
        torch._dynamo.graph_break()
        return x * 2

    other, _ = compiled(closure(), (X,))
    made, entry = compiled(f, (X, 1), (X, 2.5))
    kept = unjit.explain(made).entries[1]
    entry.invalidate()
    assert [e.data.invalid is None for e in unjit.explain(made).entries] == [True, False]
    assert kept.check(X, 1)
    with pytest.raises(Gone, match="invalidated or removed"):
        entry.invalidate()
    handle = kept.copy().install()
    unjit.reset(made)
    assert "unjit.reset" in str(handle.reason)
    assert unjit.explain(made).entries == []
    assert all(not function.entries for function in unjit.explain(made).functions)
    assert len(unjit.explain(other).entries) == 1
    assert value(made(X, 1)) == 4


def test_dispatch_runs_the_entry_that_the_rule_chooses():
    made, _ = compiled(closure(), (X,), (X, 2), dynamic=False)
    by_k = {2: 0, 1: 1}
    routed = unjit.dispatch(made, lambda x, k=1: by_k.get(k))
    assert [value(routed(X, k)) for k in (1, 2, 3)] == [6, 7, 8]
    assert value(unjit.dispatch(made, lambda x: routed.entries[0])(X)) in (6, 7)
    with pytest.raises(unjit.UnjitError, match="the chooser answered 9"):
        unjit.dispatch(made, lambda x: 9)(X)
    with pytest.raises(unjit.UnjitError, match="no cache entries yet"):
        unjit.dispatch(lambda x: x, lambda x: None)
    unjit.reset(made)
    with pytest.raises(Gone):
        routed(X)


def test_an_older_torch_is_refused_plainly(monkeypatch):
    _, entry = compiled(closure(), (X,))
    get = Probe.get
    monkeypatch.setattr(Probe, "get", lambda self: self.missing() if "precompile" in self.name else get(self))
    with pytest.raises(Unsupported, match=r"has no .*_load_precompile_entry: .* \(torch 2.9 and newer can\)"):
        entry.copy().install()
    with pytest.raises(unjit.UnjitError, match="position is 'first' or 'cache'"):
        entry.copy().install("last")


def test_a_copy_outlives_its_entry():
    made, entry = compiled(closure(), (X,))
    new = entry.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        entry.invalidate()
    with new.install():
        assert unjit.installed(made)
        assert value(made(X)) == 6
        assert [e.data.invalid is None for e in unjit.explain(made).entries] == [True, False]


def test_a_copy_that_lives_to_the_end_of_the_process_says_nothing_there(tmp_path):
    program = """
        import torch, unjit
        def f(x):
            y = x + 1
            torch._dynamo.graph_break()
            return y
        compiled = torch.compile(f, backend="eager")
        compiled(torch.ones(3))
        copy = unjit.explain(compiled).entries[0].copy()
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(program))
    done = subprocess.run([sys.executable, tmp_path / "program.py"], check=True, capture_output=True, text=True)
    assert [line for line in done.stderr.splitlines() if "triton not found" not in line] == []  # torch 2.15 says that
