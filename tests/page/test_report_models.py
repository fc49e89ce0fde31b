"""`report.html` of real models on inductor, with backward: every part of it opened and used."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")

from axe_playwright_python.sync_playwright import Axe

import unjit
from browser import browser, needs_chromium, opened
from corpus import NO_SHARED, models
from toys import needs_compiler, toy

torch = pytest.importorskip("torch")

pytestmark = [needs_chromium, needs_compiler]


def use_everything(chromium, path):
    """Open every part; what goes wrong in the browser fails in `opened`."""
    with opened(chromium, path, reduced_motion="reduce") as page:
        began = time.monotonic()
        page.wait_for_selector("html[data-ready]")
        ready = time.monotonic() - began
        for section in page.locator("main > section").all():
            section.scroll_into_view_if_needed()
            page.wait_for_timeout(50)
        for opener in ("details.file", "details.gap", "details.guarded"):
            some = "[...document.querySelectorAll(kind)].slice(0, 30)"
            page.evaluate(f"kind => {some}.forEach(one => {{ one.open = true; }})", opener)
        use_texts(page)
        page.evaluate("document.querySelectorAll('button.number').forEach((one, at) => at % 7 || one.click())")
        page.locator("#query").fill("torch.ops.aten")
        page.wait_for_selector("#results mark")
        page.keyboard.press("Enter")
        found = Axe().run(page, options={"rules": {"color-contrast": {"enabled": False}}})  # test_report_page has it
        assert found.violations_count == 0, found.generate_report()
    assert ready < 20


def use_texts(page):
    """Every text of every compile, and a row of each that can be chosen."""
    page.evaluate("""async () => {
        const [compiles, texts, pane] = ["compile", "text", "pane"].map(id => document.getElementById(id));
        const shows = async (select, value, key) => {
            select.value = value;
            select.dispatchEvent(new Event("change"));
            while (!pane.dataset.shown.startsWith(key)) await new Promise(done => setTimeout(done, 5));
        };
        for (const compile of [...compiles.options].map(one => one.value)) {
            await shows(compiles, compile, `${compile}/`);
            for (const text of [...texts.options].map(one => one.value)) await shows(texts, text, `${compile}/${text}`);
            pane.querySelector(".linked-row")?.click();
        }
    }""")


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        yield found


def captured(directory, run):
    torch._dynamo.reset()
    with unjit.capture(directory, fresh=True) as session:
        run()
    torch._dynamo.reset()
    assert session.losses == ()
    return directory / "report.html"


def chosen_lines(page):
    return [text.strip() for text in page.locator(".file .row.chosen .text").all_inner_texts()]


def test_kernels_and_lines_lead_to_each_other(chromium, tmp_path):
    def run():
        torch.compile(toy, backend="inductor")(torch.ones(10), torch.ones(10))

    page_file = captured(tmp_path / "out", run)
    with opened(chromium, page_file) as page:
        page.wait_for_selector("html[data-ready]")
        page.locator(".row", has_text="if b.sum() < 0:").get_by_role("button").click()
        page.locator("#stages").get_by_role("button", name="output code").click()
        kernel = page.locator("#pane .row.chosen").first
        assert kernel.inner_text().startswith("cpp_fused")
        page.keyboard.press("Escape")
        kernel = page.locator("#pane .row.linked-row", has_text="extern").first
        kernel.click()
        assert chosen_lines(page) == ["x = a / (torch.abs(a) + 1)", "if b.sum() < 0:"]
        page.locator("#stages").get_by_role("button", name="ir before fusion").click()
        page.locator("#pane .row", has_text="'sum'").first.click()
        assert chosen_lines(page) == ["if b.sum() < 0:"]


@pytest.mark.slow
@pytest.mark.skipif(models is None, reason=NO_SHARED)
@pytest.mark.parametrize("name", ["gpt2", "t5"])
def test_models(chromium, tmp_path, name):
    def run():
        model, inputs = models.make(name)
        outputs = torch.compile(models.with_breaks(model) if name == "gpt2" else model)(**inputs)
        sum(one.sum() for one in models.flatten(outputs) if one.requires_grad).backward()

    page_file = captured(tmp_path / "out", run)
    assert page_file.stat().st_size < 5_000_000
    use_everything(chromium, page_file)
