"""A captured graph and what was made of it, on copies of the same inputs and begun in the same state.

Of the parameters that a graph holds, as that of an optimizer's step does, there are no copies: what was made of it
holds the same. What a run writes into them is put back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from unjit.comparison.restoring.randomness import drew_alike
from unjit.comparison.restoring.state import State
from unjit.comparison.runs.copying import copied
from unjit.comparison.runs.outcome import Outcome, ran
from unjit.comparison.runs.ranks import TALKS, Talk
from unjit.comparison.runs.room import check_room_for_run
from unjit.comparison.values.differences import parted_beyond_rounding
from unjit.comparison.values.leaves import leaves, tensors
from unjit.errors import NoRoom
from unjit.model import Difference, Message, Unknown, headline
from unjit.model.words.sources import as_written
from unjit.model.words.wording import in_words
from unjit.torch_private.compiled_graphs.as_eager import plain_autograd
from unjit.torch_private.compiled_graphs.graphs import input_source


class SideBySide(NamedTuple):
    """One run of a graph, and one of what was made of it."""

    differences: list[Difference]
    found: Outcome  # what was made of it gave
    no_reference: Message | None  # why there is no run of the graph in float64, which tells what is rounding


def side_by_side(graph: Any, made: Any, inputs: Sequence[Any], *, may_raise: bool, narrowest: str | None) -> SideBySide:
    """How what was made differs from the graph, held against float64 where something does and that can be run.

    The tensors that they hold are as they were afterwards. Raises what copying the inputs raises, and what the graph
    raises unless it `may_raise` because the program does: what torch cannot run as captured is no measure. `narrowest`
    is the type that the graph computes in, if that is half as exact as usual.
    """
    state, words, talk = State.of([graph]), _words(graph), Talk()
    try:
        expected = _ran(graph, inputs, state, words)
        talks = talk.was_heard()
        if expected.error is not None and not may_raise:
            raise expected.error
        found = _ran(made, inputs, state, words)
        lacking = TALKS.reason if talks else None

        def reference() -> Mapping[str, Any]:
            nonlocal lacking
            if lacking is not None:
                return {}
            quiet = getattr(graph, "forward", graph)  # called as a module, a graph prints what it raises
            try:
                exact = _ran(quiet, inputs, state, words, exact=True)
            except NoRoom as error:
                lacking = Message(in_words(error))
                return {}
            lacking = _why_no_reference(state, expected, exact)
            return {} if lacking is not None else dict(exact.values)

        differences = parted_beyond_rounding(expected, found, reference, narrowest)
        return SideBySide(differences, found, lacking)
    finally:
        state.put_back_all()


def _why_no_reference(state: State, expected: Outcome, exact: Outcome) -> Message | None:
    if exact.error is not None and type(exact.error) is not type(expected.error):
        return Message(f"in float64 it raises {headline(in_words(exact.error))}")
    if not drew_alike(state.random, expected.random, exact.random):
        return Message("in float64 it draws other random numbers")
    return None


def _ran(function: Any, inputs: Sequence[Any], state: State, words: list[str], *, exact: bool = False) -> Outcome:
    import torch

    state.put_back()
    check_room_for_run([tensor for _, tensor in tensors(list(inputs), "")], in_float64=exact)
    given = copied(list(inputs), dtype=torch.float64 if exact else None)
    before = {**dict(_held(list(inputs), words, state)), **_plain_names(state.values)}
    held = _held(given, words, state)  # found before the run: a list that a graph takes may be emptied for its memory
    with plain_autograd():
        found = ran(lambda: function(*given), (), {}, held, before)
    # A compiler may give a list where the graph gives a tuple. What shares memory matters where it leaves the program's
    # call, which is compared as a whole: that a dropout in eval mode gives its input itself, most often nobody can see.
    return replace(found, classes={}, views={})


def _words(graph: Any) -> list[str]:
    """What the program calls each input of a graph; its number where Dynamo does not tell."""
    sources = (input_source(node) for node in graph.graph.nodes if node.op == "placeholder")
    return [
        f"args[{number}]" if isinstance(source, Unknown) else as_written(source)
        for number, source in enumerate(sources)
    ]


def _held(given: list[Any], words: list[str], state: State) -> list[tuple[str, Any]]:
    """What a run may change: the inputs and the graph's own tensors, by names of which no two are the same."""
    own = _named(state)
    if len(words) == len(given):
        told = [leaf for value, word in zip(given, words, strict=True) for leaf in leaves(value, word)]
        names = {name for name, _ in (*told, *own)}
        if len(names) == len(told) + len(own):
            return [*told, *own]
    return [*leaves(given, "args"), *own]


def _named(state: State) -> list[tuple[str, Any]]:
    """The tensors of the graph, by the names that it has for them."""
    return list(_plain_names(dict(state.named)).items())


def _plain_names(named: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix("module."): value for name, value in named.items()}
