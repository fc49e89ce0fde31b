"""The drawings of the page, used in a real browser as a person uses them."""

from __future__ import annotations

import pytest
import torch

import unjit
from big_graph import big_capture
from toys import toy
from unjit.report.page import report_page

pytest.importorskip("playwright", reason="playwright is not installed")

from browser import browser, needs_chromium, opened

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        yield found


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        return x + torch.relu(self.linear(x))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(), Block()

    def forward(self, x):
        return self.second(self.first(x))


def hostile(x):
    return x + len("</script><img src=x onerror=alert(1)>")


def long(a):
    """Breaks with so many values at hand that the code around the graph has more lines than a box shows."""
    parts = [a + k for k in range(12)]
    return parts[0] if a.sum() < 0 else sum(parts)


def often(x, word):
    """Compiled for each word, which makes a chart wider than the page."""
    return x * ord(word)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The page of the toy, called with two sizes and both ways, counted, of a net of two modules, and of three more."""
    torch._dynamo.reset()
    with unjit.capture() as session, unjit.count_calls():
        compiled = torch.compile(toy, backend="aot_eager")
        for size, sign in ((3, 1), (3, -1), (3, 1), (4, 1)):
            compiled(torch.ones(size), torch.ones(size) * sign)
        torch.compile(Net(), backend="aot_eager")(torch.ones(2, 4))
        torch.compile(hostile, backend="eager")(torch.ones(2))
        torch.compile(long, backend="eager")(torch.ones(2))
        for word in "abcdef":
            torch.compile(often, backend="eager")(torch.ones(2), word)
    page = report_page(session.data)
    found = tmp_path_factory.mktemp("page") / "report.html"
    found.write_text(page)
    return found


@pytest.fixture
def page(chromium, path):
    with opened(chromium, path, viewport={"width": 1300, "height": 900}) as page:
        yield page


def section(page, name):
    found = page.locator(f"#{name}")
    found.scroll_into_view_if_needed()
    found.locator(".drawing-tools").wait_for()
    return found


def test_the_flow_says_which_way_a_call_takes(page):
    flow = section(page, "flow")
    assert flow.locator(".flow-box.of-yours h3").inner_text() == "toy"
    labels = flow.locator(".flow-label").all_inner_texts()
    assert labels.count("if b.sum() < 0 is true") == 2
    assert labels.count("if b.sum() < 0 is false") == 2
    assert "all hold · 3 calls" in labels
    resumes = flow.locator(".flow-box.of-resume h3").all_inner_texts()
    assert [title.partition(" at line")[0] for title in resumes] == ["toy goes on", "toy goes on"]
    boxes = flow.locator(".flow-box").evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())")
    for at, one in enumerate(boxes):
        for other in boxes[at + 1 :]:
            apart = (
                one["right"] <= other["left"] + 1
                or other["right"] <= one["left"] + 1
                or one["bottom"] <= other["top"] + 1
                or other["bottom"] <= one["top"] + 1
            )
            assert apart, (one, other)


def test_the_flow_is_a_list_too_and_a_box_can_be_unfolded(page):
    flow = section(page, "flow")
    flow.get_by_text("The same as a list").click()
    assert "Dynamo compiles the function again" in flow.locator(".flow-list").inner_text()
    flow.get_by_label("Which function").select_option(index=3)
    more = flow.locator(".flow-more").first
    before = flow.locator(".flow-room").bounding_box()["height"]
    more.click()
    assert more.get_attribute("aria-expanded") == "true"
    assert flow.locator(".flow-room").bounding_box()["height"] > before
    flow.get_by_title("Smaller").click()
    assert flow.locator(".flow-room").bounding_box()["height"] < before * 1.2


def test_another_function_has_a_chart_of_its_own(page):
    flow = section(page, "flow")
    flow.get_by_label("Which function").select_option(index=1)
    assert flow.locator(".flow-box.of-yours h3").inner_text() == "Net.forward"
    assert flow.locator(".flow-box.of-graph").count() == 1


def test_a_wide_chart_begins_with_the_entry_that_is_tried_first(page):
    flow = section(page, "flow")
    flow.get_by_label("Which function").select_option(index=4)
    stage = flow.locator(".flow-stage").bounding_box()
    assert flow.locator(".flow-room").bounding_box()["width"] > stage["width"] * 1.2
    function, first = (flow.locator(one).first.bounding_box() for one in (".flow-box.of-yours", ".flow-box.of-guards"))
    for box in (function, first):
        assert stage["x"] <= box["x"]
        assert box["x"] + box["width"] <= stage["x"] + stage["width"]
    assert abs(function["x"] + function["width"] / 2 - first["x"] - first["width"] / 2) < 60


def test_text_of_the_program_is_only_text(page):
    flow = section(page, "flow")
    flow.get_by_label("Which function").select_option(index=2)
    assert "</script><img src=x onerror=alert(1)>" in flow.locator(".flow-box.of-yours").inner_text()
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_drawings_can_be_read_by_everybody(chromium, path, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    with opened(chromium, path, viewport={"width": 1300, "height": 900}, color_scheme=scheme) as page:
        for name in ("flow", "graphs", "time"):
            section(page, name)
        page.get_by_text("The same as a list").click()
        page.get_by_role("button", name="Code", exact=True).click()
        found = axe.Axe().run(page, "main")
        assert [violation["id"] for violation in found.response["violations"]] == []


def test_a_graph_is_searched_chosen_and_shown_as_code(page):
    graphs = section(page, "graphs")
    graphs.get_by_label("Which compile").select_option(label="Net.forward 3/0")
    search = graphs.get_by_role("searchbox")
    search.fill("second linear")
    assert "found" in graphs.locator("output").inner_text()
    search.press("Enter")
    facts = graphs.locator(".graph-facts")
    assert "self.second › linear" in facts.inner_text()  # noqa: RUF001
    graphs.get_by_role("button", name="Code", exact=True).click()
    chosen = graphs.locator(".graph-code .chosen")
    assert chosen.count() == 1
    graphs.get_by_role("button", name="forward", exact=True).click()
    assert "torch.ops.aten" in graphs.locator(".graph-code").text_content()


def test_the_outline_is_walked_by_keys_and_folds_the_graph(page):
    graphs = section(page, "graphs")
    graphs.get_by_label("Which compile").select_option(label="Net.forward 3/0")
    graphs.get_by_role("button", name="Fold", exact=True).click()
    rows = graphs.get_by_role("treeitem")
    folded = rows.count()
    rows.first.focus()
    group = graphs.locator('[role="treeitem"][aria-expanded="false"]').first
    name = group.inner_text()
    while name not in page.evaluate("document.activeElement.innerText"):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    assert rows.count() > folded
    page.keyboard.press("ArrowLeft")
    assert rows.count() == folded


def test_the_canvas_folds_by_click_zooms_by_wheel_and_moves_by_keys(page):
    graphs = section(page, "graphs")
    graphs.get_by_label("Which compile").select_option(label="Net.forward 3/0")
    graphs.get_by_role("button", name="Fold", exact=True).click()
    canvas = graphs.locator("canvas")
    before = canvas.screenshot()
    canvas.hover()
    page.mouse.wheel(0, -400)
    page.wait_for_timeout(100)
    assert canvas.screenshot() != before
    canvas.focus()
    moved = canvas.screenshot()
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(100)
    assert canvas.screenshot() != moved
    page.keyboard.press("0")
    rows, box = graphs.get_by_role("treeitem").count(), canvas.bounding_box()
    for height in range(40, int(box["height"]), 24):  # the modules stand below each other, in the middle
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + height)
        if graphs.get_by_role("treeitem").count() > rows:
            return
    raise AssertionError("no click unfolded anything")


def test_choosing_a_line_lights_its_nodes(page):
    section(page, "graphs")
    flow = section(page, "flow")
    flow.locator(".flow-box.of-yours button.flow-line").nth(1).click()
    graphs = section(page, "graphs")
    graphs.get_by_role("button", name="Code", exact=True).click()
    assert graphs.locator(".graph-code .lit").count() == 3  # abs, + and / of one line


def test_time_is_zoomed_walked_and_summed(page):
    time = section(page, "time")
    bars = time.locator(".flame-bar")
    time.locator("svg.flame").focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert "in the compile of toy 0/0" in time.locator(".flame-says").inner_text()
    zoomed = bars.count()
    page.keyboard.press("Escape")
    assert bars.count() > zoomed
    time.get_by_role("searchbox").fill("backend")
    assert time.locator(".flame-bar.found").count() > 0
    time.get_by_role("button", name="By phase").click()
    rows = time.get_by_role("row").all_inner_texts()
    assert any(row.startswith("backend_compile") for row in rows)
    time.get_by_role("button", name="By compile").click()
    assert time.get_by_role("button", name="toy 0/0").count() == 1


def test_ten_thousand_nodes_stay_usable(chromium, tmp_path):
    path = tmp_path / "big.html"
    path.write_text(report_page(big_capture(10_000, per_block=100)))
    assert path.stat().st_size < 20e6
    with opened(chromium, path) as page:
        graphs = section(page, "graphs")
        graphs.locator("canvas").wait_for()
        search = graphs.get_by_role("searchbox")
        search.fill("relu_4242")
        search.press("Enter")
        assert "self.layers › 42 › mlp" in graphs.locator(".graph-facts").inner_text()  # noqa: RUF001
        graphs.get_by_role("button", name="Unfold").click()
        assert graphs.get_by_role("treeitem").count() > 200
        graphs.get_by_role("button", name="Code", exact=True).click()
        assert graphs.locator(".graph-code .chosen").text_content().strip().startswith("relu_4242")
