"""Source that the compiler warns about is decompiled without a word, and without changing how the program is warned."""

from __future__ import annotations

import warnings

from codes import function_code
from unjit.decompiler import Verdict, decompile
from unjit.decompiler.recompiling import silently


def odd():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function_code("def f(x):\n    assert (x, 'always')\n    return x is 1, lambda: x is 2")


def test_warnings_are_no_errors_of_ours():
    code = odd()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = decompile(code)
    assert answer.verdict is Verdict.IDENTICAL
    nested = [const for const in answer.recompile().co_consts if hasattr(const, "co_code")]
    assert {code.co_filename for code in (answer.recompile(), *nested)} == {code.co_filename}


def test_what_was_shown_once_is_not_shown_again():
    code, shown = odd(), []
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("default")
        before = list(warnings.filters)
        warnings.showwarning = lambda *told, **_: shown.append(told)
        registry: dict[object, object] = {}
        for _ in range(3):
            warnings.warn_explicit("once", UserWarning, "user.py", 1, registry=registry)
            decompile(code)
        assert warnings.filters == before
    assert len(shown) == 1


def test_filters_that_another_thread_restores_meanwhile_are_its_own(monkeypatch):
    """It puts some in place while a text is compiled, and takes them away once that is over."""
    code, theirs = odd(), []

    def compiled(*arguments, **options):
        theirs.append(warnings.catch_warnings())
        theirs[-1].__enter__()
        return compile(*arguments, **options)

    before = list(warnings.filters)
    with monkeypatch.context() as patched:
        patched.setattr(silently, "compile", compiled, raising=False)
        assert decompile(code).verdict is Verdict.IDENTICAL
    for one in reversed(theirs):
        one.__exit__(None, None, None)
    assert theirs
    assert warnings.filters == before
