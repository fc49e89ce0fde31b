"""A real Chromium, for pages: every request that would leave the page and every error of its scripts is noted."""

from __future__ import annotations

import contextlib
import os
import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def executable():
    """The system's Chromium, or the one that UNJIT_CHROMIUM names; None if there is none."""
    return os.environ.get("UNJIT_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


needs_chromium = pytest.mark.skipif(executable() is None, reason="no Chromium here: install the package chromium")


@contextlib.contextmanager
def browser():
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        yield started
        started.close()


@contextlib.contextmanager
def opened(chromium, path, others=(), **context):
    """The page in this file; on leaving it, no error was logged and nothing was asked for but the file and `others`."""
    found = chromium.new_context(**context)
    page = found.new_page()
    errors, requests = [], []
    page.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    url = path.resolve().as_uri()
    page.goto(url)
    yield page
    found.close()
    assert errors == []
    assert {request.partition("#")[0] for request in requests} <= {url, *others}
