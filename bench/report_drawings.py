"""What the drawings cost: the page of a graph of 10,000 nodes, in modules and without, in a real Chromium.

    python bench/report_drawings.py [--nodes 10000]

Prints for each the seconds of CPU to make the page and its size in kB; then the milliseconds from opening to the first
paint of the graph, of one search, of going to what was found, of unfolding once more, and of showing the code.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from unjit.report.page import report_page

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from big_graph import big_capture
from browser import browser, opened

STEP = """async (action) => {
  const section = document.querySelector("#graphs");
  const search = section.querySelector("input[type=search]");
  const actions = {
    search: () => { search.value = "relu_4242"; search.dispatchEvent(new Event("input")); },
    go: () => search.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" })),
    unfold: () => [...section.querySelectorAll("button")].find((one) => one.textContent === "Unfold").click(),
    code: () => [...section.querySelectorAll("button")].find((one) => one.textContent === "Code").click(),
  };
  const start = performance.now();
  actions[action]();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - start;
}"""


def measure(chromium: Any, count: int, per_block: int, folder: Path) -> str:
    """One line for one graph."""
    started = time.process_time()
    text = report_page(big_capture(count, per_block=per_block))
    made = time.process_time() - started
    path = folder / f"{per_block}.html"
    path.write_text(text)
    with opened(chromium, path, viewport={"width": 1400, "height": 1000}) as page:
        opening = time.perf_counter()
        page.reload()
        page.locator("#graphs").scroll_into_view_if_needed()
        page.locator("#graphs canvas").wait_for()
        steps = {"first paint": (time.perf_counter() - opening) * 1000}
        steps |= {action: page.evaluate(STEP, action) for action in ("search", "go", "unfold", "code")}
    told = ", ".join(f"{name} {milliseconds:.0f} ms" for name, milliseconds in steps.items())
    how = f"modules of {per_block}" if per_block else "no modules"
    return f"{count} nodes, {how}: page {made:.2f} s, {len(text) / 1000:.0f} kB; {told}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=10_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        for per_block in (0, 100):
            print(measure(chromium, asked.nodes, per_block, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
