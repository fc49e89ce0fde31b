"""Cache entries run by hand, and copied with other guards and conditions."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch
import torch._dynamo

import unjit
from entries import ERRORS, X, Y, closure, compiled, value
from needs import needs
from unjit import rewrite
from unjit.errors import Gone
from unjit.model import Unknown
from unjit.torch_private.probes import cache_probes

pytestmark = [pytest.mark.usefixtures("nothing_compiled"), needs(cache_probes.PRECOMPILE_ENTRIES), ERRORS]


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


def test_of_what_was_frozen_it_is_not_said_that_it_is_gone():
    function = closure()
    torch.compile(function, backend="eager")(X)
    (entry,) = unjit.explain(function.__code__).entries
    gc.freeze()
    try:
        with pytest.raises(unjit.UnjitError, match=r"cannot be looked for, as the program called gc\.freeze\(\)"):
            entry.run(X)
    finally:
        gc.unfreeze()
    assert torch.equal(entry.run(X), function(X))


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
    with pytest.raises(unjit.UnjitError, match="no guard of the entry is on 'nothing'"):
        entry.copy(guards=rewrite.drop("nothing"))
    with pytest.raises(unjit.UnjitError, match=r"a function of a guard, .*; int is none of these"):
        rewrite.drop(3)


def test_one_of_the_entrys_guards_says_which_is_meant():
    _, entry = compiled(closure(), (X,), dynamic=False)
    on_k = next(guard for guard in entry.guards if guard.subject == "k" and "==" in guard.condition)
    with pytest.warns(UserWarning, match="what depends on k may be stale"):
        new = entry.copy(guards=rewrite.drop(on_k))
    assert (new.check(X, 5), entry.check(X, 5)) == (True, False)
    _, other = compiled(lambda q: q + 1, (X,))
    with pytest.raises(unjit.UnjitError, match="it is no guard of the entry: "):
        other.copy(guards=rewrite.drop(on_k))


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


def answers_too_late(k):
    yield k > 1


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("y > 3", r"names y, which is neither an argument nor a free variable of f \(x, k, c\)"),
        ("x >", "is not an expression"),
        (lambda q: q, r"takes q; its parameters must be named .*: x, k, c"),
        (3, "int is neither"),
        (lambda *x: x, "takes x"),
        ("k == 1, k == 2", "is a tuple, which always holds: join its parts with `and`"),
        ("k) and (k", "is not an expression"),
        ("", "is not an expression"),
        ("await x", "does not compile: 'await' outside"),
        ("(yield x)", "generator or coroutine, which answers too late"),
        (answers_too_late, "generator or coroutine, which answers too late"),
    ],
)
def test_a_condition_that_cannot_be_asked_is_refused(condition, message):
    _, entry = compiled(closure(), (X,))
    with pytest.raises(unjit.UnjitError, match=message):
        entry.copy(guards=condition)


def test_a_condition_says_what_was_written_over_several_lines_and_with_blanks_in_strings():
    _, entry = compiled(closure(), (X,))
    assert entry.copy(guards="'a  b' == f'a{chr(32)}{chr(32)}b'").check(X)
    new = entry.copy(guards="k == 1  # as it was\n  and x.shape[0] == 3")
    assert (new.check(X), new.conditions) == (True, ["k == 1 # as it was and x.shape[0] == 3"])


def test_a_condition_that_would_call_the_function_itself_is_refused_as_torch_would_wait_for_ever():
    made, entry = compiled(closure(), (X,))
    with pytest.raises(unjit.UnjitError, match="would call made, among whose entries Dynamo is choosing"):
        entry.copy(guards=lambda k: made(X) is k)


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
        for other in others.values():
            x = x + other
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
