"""`unjit.step` on plain functions: what runs is what runs without, in generators, threads and under other tracers."""

from __future__ import annotations

import contextlib
import io
import pdb  # noqa: T100
import sys
import threading
import weakref

import pytest

from stepped import adds, session, twice
from traced import traced_by
from unjit.stepping.session import Stepper


def test_the_call_gives_what_it_gives_without():
    for commands in ([], ["c"], ["q"], ["s"] * 500, ["n"] * 500, ["until"] * 50, ["r"]):
        assert session(adds, 3, commands=commands)[0] == adds(3)
    with pytest.raises(TypeError):
        session(adds, "3", commands=["c"])


def test_each_instruction_is_stopped_at_once():
    _, printed = session(twice, 3, commands=["s"] * 20)
    offsets = [int(line.split()[1]) for line in printed.splitlines() if line.startswith(("->", "(unjit) ->"))]
    assert offsets == sorted(set(offsets))
    assert "-- twice returns 6" in printed


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("it has no words")


def raises_wordless():
    raise Wordless


def catches_wordless():
    try:
        raises_wordless()
    except Wordless:
        return "caught"


def test_an_exception_that_cannot_say_what_it_is_stays_the_programs():
    result, printed = session(catches_wordless, commands=["exc", "c"])
    assert result == "caught"
    assert "-- Wordless in catches_wordless" in printed


def yields(count):
    yield from range(count)
    for i in range(count):
        yield twice(i)


def test_a_generator_that_yields_does_not_return():
    def uses(count):
        return [*yields(count)]

    result, printed = session(uses, 2, commands=["n"] * 200, own=yields)
    assert result == [0, 1, 0, 2]
    assert printed.count("-- yields returns") == 1
    assert session(uses, 2, commands=["r", "c"], own=yields)[1].count("-- yields returns None") == 1


def test_a_generator_that_something_is_thrown_into_is_left():
    def uses(count):
        generator = yields(count)
        next(generator)
        with pytest.raises(KeyError):
            generator.throw(KeyError(count))

    _, printed = session(uses, 2, commands=["exc", "r"], own=yields)
    assert "-- KeyError in yields: 2\n" in printed
    assert printed.endswith("-- yields is left by KeyError\n")


def handles(x):
    try:
        yield x
    except KeyError:
        yield -x


def test_each_exception_that_is_thrown_into_a_generator_is_told_once_and_the_last_one_leaves_it():
    def uses(x):
        generator = handles(x)
        next(generator)
        generator.throw(KeyError(x))
        generator.close()

    assert session(uses, 2, commands=["r"], own=handles)[1].endswith("-- handles is left by GeneratorExit\n")
    _, printed = session(uses, 2, commands=["exc"] * 9, own=handles)
    assert printed.count("-- KeyError in handles: 2\n") == 1
    assert printed.count("-- GeneratorExit in handles\n") == 1


def at_last(x):
    try:
        return x // 0
    finally:
        x = 5


def once_more(x):
    try:
        return x // 0
    except ZeroDivisionError:
        try:
            [][x]
        except IndexError:
            raise ZeroDivisionError from None


@pytest.mark.parametrize("function", [at_last, once_more])
def test_a_function_that_raises_once_more_does_not_return(function):
    def uses(x):
        with pytest.raises(ZeroDivisionError):
            function(x)

    for commands in (["r"], ["s"] * 100):
        printed = session(uses, 1, commands=commands, own=function)[1]
        assert f"-- {function.__name__} is left by " in printed
        assert printed.endswith(("ZeroDivisionError\n", "an exception\n"))  # before 3.12 nobody tells which of two
        assert "returns" not in printed


def test_a_tracer_that_is_there_goes_on_seeing_everything():
    seen = []

    def tracer(frame, event, _argument):
        if frame.f_code is twice.__code__:
            seen.append(event)
        return tracer

    with traced_by(tracer):
        session(twice, 2, commands=["c"])
        assert sys.gettrace() is tracer
    assert seen == ["call", "line", "return"]


def test_who_quits_is_asked_no_more_where_a_tracer_goes_on():
    with traced_by(lambda *_event: None):
        printed = session(adds, 2, commands=["n", "q", *["n"] * 99])[1]
    assert printed.count("(unjit) ") == 2


@pytest.mark.parametrize("typed", ["c", "n\nc", "n\nq", "r\nc", "until 9999"])
def test_what_a_frame_held_goes_with_it(typed):
    with Stepper(twice.__code__, io.StringIO(f"{typed}\n"), io.StringIO()):
        value = Number(3)
        held = weakref.ref(value)
        assert twice(value) == 6
        del value
        assert held() is None


class Number(float):
    """One that can be referred to weakly, as no int can."""


def test_a_debugger_that_begins_is_told_of_nothing_that_it_does_not_know():
    typed = io.StringIO()

    def stops(x):
        pdb.Pdb(stdin=io.StringIO("n\nc\n"), stdout=typed, nosigint=True).set_trace()
        return x + 1

    with traced_by(sys.gettrace()), contextlib.redirect_stdout(io.StringIO()) as complaints:
        _, printed = session(stops, 2, commands=["c"])
    assert "-> return x + 1" in typed.getvalue()
    assert complaints.getvalue() == ""
    if sys.version_info < (3, 12):  # since then both have events of their own
        assert "-- a debugger has begun: " in printed


def test_other_threads_run_on():
    done = []

    def runs(_x):
        worker = threading.Thread(target=lambda: done.append(adds(3)))
        worker.start()
        worker.join()
        return adds(2)

    assert session(runs, 0, commands=["c"], own=adds)[0] == adds(2)
    assert done == [adds(3)]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python has no monitoring")
def test_a_free_tool_is_taken_and_given_back():
    taken = []

    def looks(x):
        taken.append([sys.monitoring.get_tool(number) for number in range(6)])
        return twice(x)

    sys.monitoring.use_tool_id(3, "somebody else")
    try:
        session(looks, 1, commands=["c"])
        assert sys.monitoring.get_tool(3) == "somebody else"
    finally:
        sys.monitoring.free_tool_id(3)
    assert taken[0].count("unjit.step") == 1
    assert sys.monitoring.get_tool(taken[0].index("unjit.step")) is None

