"""What the page of a capture costs: bytes, seconds to make, and, in a real Chromium, the first view and a search.

    python bench/report.py [DIR ...]

Without directories, captures are made first, each in a process of its own with torch's caches left aside: the toy of
torch.compile, GPT-2 with breaks and T5, on inductor with backward. The first view is Chromium's first contentful paint;
`ready` is when every part answers. A search is timed from the key to the list; the first also unpacks everything.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import unjit

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "support")]
PROGRAMS = {
    "toy": """
import toys
compiled = torch.compile(toys.toy)
for sign in (1, -1): compiled(torch.randn(10), sign * torch.ones(10))
""",
    "gpt2 with breaks": """
import models
model, inputs = models.make("gpt2")
torch.compile(models.with_breaks(model))(**inputs)[0].sum().backward()
""",
    "t5": """
import models
model, inputs = models.make("t5")
sum(one.sum() for one in models.flatten(torch.compile(model)(**inputs)) if one.requires_grad).backward()
""",
}
WORDS = ("torch.ops.aten", "buf1", "primals", "self", "zzz")


def captured(name: str, program: str, top: Path) -> Path:
    """The directory of a capture of this program."""
    out = top / name.replace(" ", "_")
    path = [str(ROOT / "tests" / "support"), str(ROOT.parent / "shared" / "models")]
    script = f"import sys, time; sys.path[:0] = {path}\nimport torch, unjit\n"
    script += f"with unjit.capture({str(out)!r}, fresh=True):"
    script += "".join(f"\n    {line}" for line in program.strip().splitlines()) + "\nprint(time.process_time())"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    print(f"{name}: captured in {float(done.stdout.split()[-1]):.1f} s of CPU", flush=True)
    return out


def made(out: Path) -> str:
    """The page's size, and the CPU time of reading the capture and of making the page."""
    read, make = [], []
    for _ in range(3):
        began = time.process_time()
        session = unjit.load(out)
        read.append(time.process_time() - began)
        began = time.process_time()
        page = session.report(out / "report.html")
        make.append(time.process_time() - began)
    return f"{len(page.html.encode()) / 1e6:.2f} MB, read {min(read):.2f} s, made {min(make):.2f} s"


def seen(chromium: Any, path: Path) -> str:
    """What a reader waits for, in milliseconds, the best of three."""
    views = [view(chromium, path) for _ in range(3)]
    first, ready, search, again = (min(one[at] for one in views) for at in range(4))
    return f"first view {first:.0f} ms, ready {ready:.0f} ms, first search {search:.0f} ms, search {again:.0f} ms"


def view(chromium: Any, path: Path) -> tuple[float, float, float, float]:
    """First paint, ready, the first search, the slowest of some more."""
    page = chromium.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]")
    ready = page.evaluate("performance.now()")
    first = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    page.locator("#query").focus()
    took = [searched(page, word) for word in ("def", *WORDS)]
    page.close()
    return first, ready, took[0], max(took[1:])


def searched(page: Any, word: str) -> float:
    """From the input to the list, in milliseconds."""
    return page.evaluate(
        """word => new Promise(done => {
            const [input, list] = [document.querySelector("#query"), document.querySelector("#results")];
            const began = performance.now();
            new MutationObserver((_, one) => { one.disconnect(); done(performance.now() - began); })
                .observe(list, {childList: true});
            input.value = word;
            input.dispatchEvent(new Event("input"));
        })""",
        word,
    )


def main() -> None:
    from browser import browser

    with tempfile.TemporaryDirectory() as name, browser() as chromium:
        given = {path: Path(path).resolve() for path in sys.argv[1:]}
        for each, out in (given or {key: captured(key, of, Path(name)) for key, of in PROGRAMS.items()}).items():
            print(f"{each}: {made(out)}", flush=True)
            print(f"{each}: {seen(chromium, out / 'report.html')}", flush=True)


if __name__ == "__main__":
    main()
