"""What cannot be rewritten, or would not do what was meant, is refused: what was wrong, and what to do."""

from __future__ import annotations

import re

import pytest
import torch
import torch._dynamo

import unjit
from needs import needs
from unjit import rewrite
from unjit.errors import BadCall, BadTarget, Unsupported
from unjit.torch_private.probes import install_probes

pytestmark = [
    pytest.mark.usefixtures("nothing_compiled"),
    pytest.mark.filterwarnings("ignore:without .* the entry also runs"),
    needs(install_probes.LOAD_FIRST, install_probes.CLONE),
]
X = torch.ones(3)


def scaled(x, k=1):
    return torch.relu(x) * k


def shifted(y, z):
    return y - z


def looped(x, table):
    for key in table:
        x = x + table[key]
    return x


def compiled_of(function, *arguments):
    compiled = torch.compile(function, backend="eager", dynamic=False)
    compiled(*arguments)
    return compiled, unjit.explain(function).entries[0]


@pytest.mark.parametrize("position", ["first", "cache"])
def test_an_entry_is_not_installed_where_dynamo_asks_none(position):
    """It was said to be installed at "first", and never ran."""
    compiled, entry = compiled_of(looped, X, {"a": 1})
    copy = entry.copy().with_graph_output(0, "_ * 100")
    compiled(X, {})  # there is nothing to compile: Dynamo gives the function up
    with pytest.raises(Unsupported, match=r"Dynamo gave looped up: calls run the original, .* after unjit\.reset"):
        copy.install(position)
    unjit.reset(compiled)
    with copy.install("first"):
        assert compiled(X, {"a": 1})[0] == 200
    assert compiled(X, {"a": 1})[0] == 2


def test_at_the_recompile_limit_none_is_put_among_the_ordinary_ones():
    compiled, entry = compiled_of(scaled, X)
    with torch._dynamo.config.patch(recompile_limit=2):
        for factor in (2, 3):
            compiled(X, factor)
        copy = entry.copy().with_graph_output(0, "_ * 100")
        with pytest.raises(Unsupported, match=r"the recompile limit of scaled is reached, .* install it at 'first'"):
            copy.install("cache")
        with copy.install():
            assert (compiled(X, 1)[0], compiled(X, 2)[0]) == (100, 2)


def test_a_copy_of_what_was_put_first_tells_no_backend():
    compiled, entry = compiled_of(scaled, X)
    with entry.copy().install():
        again = unjit.explain(compiled).entries[0].copy()
        assert repr(again) == "<copy of entry number 1 of scaled, not installed>"
        with pytest.raises(Unsupported, match="is none of Dynamo's ordinary entries, and tells no backend"):
            again.install("cache")


@pytest.mark.parametrize(
    ("guards", "message"),
    [
        (rewrite.keep("q"), "no guard of the entry is on 'q'"),
        (rewrite.keep("k == 1"), "no guard of the entry is on 'k == 1'"),
        ([rewrite.drop("k"), rewrite.drop("q")], "so there is none to drop"),
        ("lambda x: x.shape[0] > 5", "is a function, which always holds: give its body"),
        ("(one > 5 for one in x)", "is a generator, which always holds: put `any` or `all` around it"),
        ("(k == 1, x is None)", "is a tuple, which always holds"),
        ("k >", "the condition `k >` is not an expression: invalid syntax$"),
    ],
)
def test_what_would_drop_everything_or_hold_always_is_refused(guards, message):
    """A name misspelt in `keep` dropped every guard on the user's values."""
    _, entry = compiled_of(scaled, X)
    with pytest.raises(unjit.UnjitError, match=message):
        entry.copy(guards=guards)


def test_to_keep_everything_changes_nothing():
    _, entry = compiled_of(scaled, X)
    copy = entry.copy(guards=rewrite.keep(lambda guard: True))
    assert (copy.check(X), copy.check(X, 2), copy.conditions) == (True, False, [])


def test_what_is_no_entry_is_told_as_such():
    compiled, entry = compiled_of(scaled, X)
    installation = entry.copy().install()
    for given, kind in ((None, "a NoneType"), (entry.copy(), "an EntryCopy"), (installation, "an Installation")):
        for take in (rewrite.invalidate, rewrite.copied, lambda one: rewrite.edited(one, "", None)):
            with pytest.raises(unjit.UnjitError, match=re.escape(f"{kind} is not a cache entry: pass one of unjit")):
                take(given)
    assert installation.is_installed
    assert compiled(X)[0] == 1


def test_a_dispatcher_runs_no_entry_of_another_function():
    compiled, _ = compiled_of(scaled, X)
    _, other = compiled_of(shifted, X, X + 1)
    for chosen in (other, other.copy()):
        with pytest.raises(unjit.UnjitError, match=r"it answers one of \.entries"):
            rewrite.dispatch(compiled, lambda *_, chosen=chosen: chosen)(X, X)
    with pytest.raises(unjit.UnjitError, match="the chooser is a function of the call's arguments, not NoneType"):
        rewrite.dispatch(compiled, None)
    for take in (lambda code: rewrite.dispatch(code, lambda *_: 0), unjit.wrap):
        with pytest.raises(BadTarget, match="a code object is not what runs; pass the function"):
            take(scaled.__code__)


def test_what_is_given_for_code_and_graphs():
    compiled, entry = compiled_of(scaled, X)
    copy = entry.copy()
    for change, message in (
        (lambda: entry.copy(code=compiled), "not what torch.compile returned: pass the function itself"),
        (lambda: entry.copy(code=unjit.wrap(compiled)), "not what torch.compile returned: pass the function itself"),
        (lambda: entry.copy(names=[]), "names is a dict from names in the code to what they mean, not list"),
        (lambda: entry.copy(names={"x": 1}), "names has x, which the code does not use for a global"),
        (lambda: copy.with_graph_input("0", "_"), "the graph has 1 input, counted from 0; there is no '0'"),
        (lambda: copy.with_graph_output(0, "_ +"), "`_ \\+` is not an expression: invalid syntax$"),
        (lambda: copy.with_graph(lambda: ()), "is called with 1 input, which the function in its place cannot take"),
    ):
        with pytest.raises(unjit.UnjitError, match=message):
            change()
    assert repr(entry.edit("def other(x, k):\n    return x")) == "<copy of entry 0/0 of scaled, not installed>"


def test_guards_are_asked_of_locals_alone():
    """A call's own arguments in the place of its locals were answered with no."""
    _, entry = compiled_of(scaled, X)
    for ask in (entry.guards.predicate, entry.guards.check_frame):
        for given in (X, None, [X, 1]):
            with pytest.raises(BadCall, match="guards are asked of the locals of a frame by name"):
                ask(given)
        assert ask(entry.guards.frame(X)) is True


@pytest.mark.filterwarnings("ignore:the condition .* raised")
@pytest.mark.parametrize("ask", [lambda entry: unjit.why(scaled, X), lambda entry: entry.check(X)])
def test_a_condition_that_asks_for_guards_is_told_so_as_torch_would_wait_for_ever(ask):
    """torch locks the guards that it asks, and others would be told that no torch function may run."""
    compiled, entry = compiled_of(scaled, X)

    def asks():
        return ask(entry)

    with entry.copy(guards=asks).with_graph_output(0, "_ * 100").install() as installation:
        assert compiled(X)[0] == 1
    assert [str(error)[:48] for error in installation.errors] == ["a condition of an entry must not ask for guards:"]
