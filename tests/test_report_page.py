"""`report.html` in a real browser."""

from __future__ import annotations

import pytest

from unjit.model import Capture, Report, Term
from unjit.report import report_page

pytest.importorskip("playwright", reason="playwright is not installed")

from browser import browser, needs_chromium, opened

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        yield found


def test_an_empty_capture_has_a_page(chromium, tmp_path):
    nothing = Capture(True, Report("events", Term("2.13"), Term("3.11"), (), (), ()), (), (), None, ())
    path = tmp_path / "report.html"
    path.write_text(report_page(nothing))
    with opened(chromium, path) as page:
        assert page.locator("h1").inner_text() == "What torch.compile did"
