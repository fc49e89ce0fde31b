"""`pytest --unjit`: what torch.compile did in each test that fails, in that test's report.

pytest imports this module in every project that has unjit installed: without an option it imports nothing more.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from unjit.plugins.failing_tests import Watch

PLUGIN = "unjit reports"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--unjit` and `--unjit-out`."""
    group = parser.getgroup("unjit", "what torch.compile did in tests that fail (unjit)")
    group.addoption("--unjit", action="store_true", help="say it in the report of each failing test")
    group.addoption(
        "--unjit-out", metavar="DIR", help="also keep everything that torch made, in DIR/TEST; means --unjit"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Watch the tests, if that was asked for."""
    out = config.getoption("--unjit-out")
    if out is None and not config.getoption("--unjit"):
        return
    from unjit.plugins.failing_tests import destination

    try:
        folder = None if out is None else destination(out, config.invocation_params.dir, alone=is_alone(config))
    except ValueError as error:
        raise pytest.UsageError(f"--unjit-out: {error}") from None
    config.pluginmanager.register(Reports(folder), PLUGIN)


def is_alone(config: pytest.Config) -> bool:
    """Whether this process is not one of several that pytest-xdist started for the same tests."""
    return not hasattr(config, "workerinput")


class Reports:
    """A recording around each test, read if the test fails."""

    def __init__(self, folder: object) -> None:
        self._folder = folder
        self._watch: Watch | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Record a test, from before its first fixture until after its last."""
        from unjit.plugins.failing_tests import Watch

        self._watch = Watch(item.nodeid, self._folder)
        self._watch.begin()
        try:
            return (yield)
        finally:
            self._watch.end()
            self._watch = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add to the report of a failing setup, call or teardown what torch.compile did so far."""
        report = yield
        if report.failed and self._watch is not None:
            title = f"unjit: torch.compile in this test, until the end of its {report.when}"
            add = getattr(report.longrepr, "addsection", None)  # shown with the traceback, whatever --show-capture says
            text = self._watch.read()
            report.sections.append((title, text)) if add is None else add(title, text)
        return report
