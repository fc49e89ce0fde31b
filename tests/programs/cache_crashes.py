"""What crashed the interpreter, or could, while Dynamo's cache is changed: each case runs in a process of its own.

    python cache_crashes.py        prints {case: how its process ended} as JSON
"""
import gc
import json
import os
import sys
import threading
import time
import warnings

import torch
import torch._dynamo

from unjit.errors import UnjitError
from unjit.model import Unknown
from unjit.torch_private.installing import asking
from unjit.torch_private.cache.entries import entries_of
from unjit.torch_private.guard_trees.guard_copies import copy_guards
from unjit.torch_private.installing.installation import Installed, install_first, installed_first
from unjit.torch_private.installing.registration import install_in_cache, like_entry_of
from unjit.torch_private.installing.removal import invalidate, remove, reset

eval_frame = torch._C._dynamo.eval_frame
X = torch.ones(3)
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def f(x, k=1):
    return x * k


def times(factor):
    names = {}
    exec(f"def f(x, k=1):\n    return x * {factor}", names)
    return names["f"].__code__


def compiled():
    made = torch.compile(f, backend="eager", dynamic=False)
    made(X)
    return made, entries_of(f.__code__)[0].guard_manager


def first(owner, code, guards):
    return install_first(Installed(owner, code, guards))


def in_cache(owner, code, guards, like):
    return install_in_cache(Installed(owner, code, guards, "cache"), like)


def churn(guards):
    """Use the memory that was freed."""
    gc.collect()
    return [copy_guards(guards) for _ in range(50)], [times(n) for n in range(50)]


def calls_beside(call, change, seconds=2):
    """What threads that call got while entries were changed again and again."""
    stop = time.monotonic() + seconds
    got = set()

    def caller():
        while time.monotonic() < stop:
            got.add(call(X)[0].item())

    threads = [threading.Thread(target=caller) for _ in range(3)]
    sys.setswitchinterval(1e-5)
    for thread in threads:
        thread.start()
    while time.monotonic() < stop and len(eval_frame._debug_get_precompile_entries(f.__code__)) < 300:
        change()
    for thread in threads:
        thread.join()
    return got


@case
def an_entry_is_removed_by_its_own_condition():
    call, guards = compiled()

    def decide(_frame):
        remove(made, "by itself")
        churn(guards)
        return True

    made = first(f.__code__, times(100), copy_guards(guards, conditions=[(decide, "decide")]))
    first(f.__code__, times(10), copy_guards(guards, conditions=[(decide, "decide")]))
    call(X)
    assert call(X)[0] == 10
    assert not made.switch.is_on


@case
def all_entries_are_asked_to_go_by_a_condition():
    call, guards = compiled()
    answers = []

    def decide(_frame):
        answers.append((reset(f.__code__), invalidate(guards, "no")))
        return False

    first(f.__code__, times(100), copy_guards(guards, conditions=[(decide, "decide")]))
    assert call(X)[0] == 1
    assert all(isinstance(answer, Unknown) for answer in answers[0])


@case
def dynamo_is_reset_by_a_condition():
    call, guards = compiled()
    kept = call, guards, copy_guards(guards)
    resets = [torch._dynamo.reset, torch.compiler.reset, lambda: torch._dynamo.eval_frame.remove_from_cache(f)]

    def decide(_frame):
        try:
            resets[0]()
        finally:
            churn(guards)

    def entries():
        made = [first(f.__code__, times(9), copy_guards(guards, conditions=[(decide, "decide")])) for _ in range(2)]
        if hasattr(eval_frame, "set_bytecode_debugger_callback"):
            again = copy_guards(guards, conditions=[(decide, "decide")])
            made.append(in_cache(f.__code__, times(9), again, like_entry_of(guards)))
        return made

    while resets:
        made = entries()
        with warnings.catch_warnings(record=True):
            assert call(X)[0] == 1
        told = [str(one.guards.conditions[0].error) for one in made]
        assert all("must not reset Dynamo" in one for one in told), told
        for one in made:
            remove(one, "done")
        resets.pop(0)
    torch._dynamo.reset()  # outside of a condition it works as ever
    assert len(entries_of(f.__code__)) == 0
    assert call(X)[0] == 1
    assert kept


@case
def another_thread_resets_dynamo_while_a_condition_is_asked():
    call, guards = compiled()
    resetting, told = [], []

    def reset_dynamo():
        try:
            torch._dynamo.reset()
        except UnjitError as error:
            told.append(str(error))

    def decide(_frame):
        resetting.append(threading.Thread(target=reset_dynamo))
        resetting[-1].start()
        time.sleep(0.2)
        churn(guards)
        return False

    for _ in range(2):
        first(f.__code__, times(9), copy_guards(guards, conditions=[(decide, "decide")]))
    assert call(X)[0] == 1
    for thread in resetting:
        thread.join()
    assert (told, len(resetting), len(entries_of(f.__code__))) == ([], 2, 0)

    asking._PATIENCE = 0.01
    assert call(X)[0] == 1
    first(f.__code__, times(9), copy_guards(entries_of(f.__code__)[0].guard_manager, conditions=[(decide, "decide")]))
    assert call(X)[0] == 1
    resetting[-1].join()
    assert "Dynamo was not reset" in told[0], told


@case
def entries_are_added_by_a_condition():
    call, guards = compiled()

    def decide(_frame):
        first(f.__code__, times(len(installed_first(f.__code__))), copy_guards(guards))
        if hasattr(eval_frame, "set_bytecode_debugger_callback"):
            assert isinstance(
                in_cache(f.__code__, times(9), copy_guards(guards), like_entry_of(guards)), Unknown
            )
        return False

    first(f.__code__, times(100), copy_guards(guards, conditions=[(decide, "decide")]))
    assert call(X)[0] == 1


@case
def an_entry_is_removed_between_its_choice_and_its_run():
    if not hasattr(eval_frame, "set_bytecode_debugger_callback"):
        return
    call, guards = compiled()
    made = [first(f.__code__, times(100), copy_guards(guards))]

    @torch._dynamo.disable
    def before_run(_code):
        if made:
            remove(made.pop(), "just before it runs")
            del _code
            churn(guards)

    eval_frame.set_bytecode_debugger_callback(before_run)
    assert call(X)[0] == 100
    assert call(X)[0] == 1


@case
def an_entry_is_removed_while_it_runs():
    def g(x):
        x = x + 1
        hook()
        return x * 2

    hook = torch._dynamo.disable(lambda: [step() for step in steps])
    steps = []
    call = torch.compile(g, backend="eager")
    call(X)
    entry = entries_of(g.__code__)[0]
    made = [first(g.__code__, entry.code, copy_guards(entry.guard_manager))]
    steps += [lambda: remove(made.pop(), "while it runs"), lambda: reset(g.__code__), gc.collect]
    assert call(X)[0] == 4
    steps.clear()
    assert call(X)[0] == 4


@case
def a_condition_raises():
    call, guards = compiled()

    class NoTruth:
        def __bool__(self):
            raise ValueError("neither")

    conditions = [(lambda _frame: {}["x"], "key"), (lambda _frame: NoTruth(), "truth"), (lambda _frame: X, "tensor")]
    made = [first(f.__code__, times(100), copy_guards(guards, conditions=[one])) for one in conditions]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert call(X)[0] == 1
        call(X)
    assert sum("it counts as no" in str(one.message) for one in told) == 3, told
    assert [type(one.guards.conditions[0].error).__name__ for one in made] == ["KeyError", "ValueError", "RuntimeError"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first(f.__code__, times(100), copy_guards(guards, conditions=conditions[:1]))
        assert call(X)[0] == 1


@case
def control_c_arrives_in_a_condition():
    call, guards = compiled()

    def decide(_frame):
        raise KeyboardInterrupt

    first(f.__code__, times(100), copy_guards(guards, conditions=[(decide, "decide")]))
    try:
        call(X)
        time.sleep(1)
    except KeyboardInterrupt:
        return
    raise AssertionError("it was lost")


@case
def code_of_another_frame_is_installed():
    call, guards = compiled()
    sources = {
        "def f(x):\n    return x": "its arguments are (x) and must be (x, k)",
        "def f(x, k, a, b, c, d):\n    return x": "its arguments are (x, k, a, b, c, d)",
        "def f(x, k):\n    return lambda: x": "its cell variables are (x) and must be none",
        "def f(x, k):\n    yield x": "a generator",
        "async def f(x, k):\n    return x": "a coroutine",
        "s = 1\nclass C:\n    x = k = s": "not the code of a function",
        "def o():\n    s = 1\n    def f(x, k):\n        return x * s\n    return f\nf = o()": "its free variables are (s)",
    }
    for source, reason in sources.items():
        names = {}
        exec(source, names)
        code = names["f"].__code__ if "f" in names else compile(source, "m", "exec")
        try:
            first(f.__code__, code, copy_guards(guards))
        except AssertionError as error:
            assert reason in str(error), (source, error)
        else:
            raise AssertionError(f"installed: {source}")
    assert call(X)[0] == 1


@case
def threads_call_while_entries_come_and_go():
    call, guards = compiled()

    def change():
        made = first(f.__code__, times(100), copy_guards(guards, conditions=[(lambda _frame: True, "yes")]))
        remove(made, "done")

    assert calls_beside(call, change) <= {1, 100}
    remove(first(f.__code__, times(100), copy_guards(guards)), "done")
    assert len(eval_frame._debug_get_precompile_entries(f.__code__)) == 0


@case
def threads_call_while_ordinary_entries_come_and_go():
    if not hasattr(eval_frame, "set_bytecode_debugger_callback"):
        return
    call, guards = compiled()
    like = like_entry_of(guards)

    def change():
        made = in_cache(f.__code__, times(100), copy_guards(guards, conditions=[(lambda _frame: True, "yes")]), like)
        if not isinstance(made, Unknown):
            remove(made, "done")

    assert calls_beside(call, change) <= {1, 100}


@case
def threads_call_while_a_function_is_reset():
    call, _guards = compiled()
    assert calls_beside(call, lambda: reset(f.__code__)) == {1}


@case
def everything_is_reset_and_handles_are_used_again():
    call, guards = compiled()
    made = first(f.__code__, times(100), copy_guards(guards))
    others = []
    if hasattr(eval_frame, "set_bytecode_debugger_callback"):
        others.append(in_cache(f.__code__, times(10), copy_guards(guards), like_entry_of(guards)))
    torch._dynamo.reset()
    gc.collect()
    junk = [bytearray(256) for _ in range(2000)]
    for one in (made, *others):
        remove(one, "after a reset")
    assert isinstance(invalidate(guards, "after a reset"), Unknown)
    assert call(X)[0] == 1
    assert junk


@case
def a_copy_outlives_what_it_was_copied_from():
    call, guards = compiled()
    copied = copy_guards(copy_guards(guards).manager)
    assert len(copied.origins) == 2  # leaves of a clone read the state of the root that they were made for
    first(f.__code__, times(5), copied)
    invalidate(guards, "gone")
    del guards
    torch._dynamo.convert_frame.output_codes.seen.clear()
    churn(copied.manager)
    for _ in range(20):
        assert call(X).tolist() == [5, 5, 5]
    assert call(torch.ones(2, 2)).shape == (2, 2)


@case
def many_are_registered_and_dropped():
    if not hasattr(eval_frame, "set_bytecode_debugger_callback"):
        return
    call, guards = compiled()
    like = like_entry_of(guards)
    for number in range(200):
        made = in_cache(f.__code__, times(number), copy_guards(guards), like)
        assert call(X)[0] == number
        remove(made, "done")
    assert call(X)[0] == 1


def run(name):
    """How a process that runs the case ends: 0, or the number of the signal that killed it, negative."""
    pid = os.fork()
    if pid == 0:
        try:
            CASES[name]()
        except BaseException:  # noqa: BLE001
            import traceback

            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


if __name__ == "__main__":
    torch.set_num_threads(1)
    names = sys.argv[1:] or list(CASES)
    print(json.dumps({name: run(name) for name in names}))
