"""What `unjit ingest` costs, in time and memory, and how that grows with the log.

    python bench/ingest.py [--times 1 10]

Makes the log of GPT-2 with breaks on inductor, with its backward, and prints for the log that many times over (each
time as after a torch._dynamo.reset()): its size, seconds of CPU of the whole command, its peak memory, and the number
and size of the files.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared" / "models"
PROGRAM = """
import models, torch
model, inputs = models.make("gpt2")
torch.compile(models.with_breaks(model), backend="inductor")(**inputs)[0].sum().backward()
"""


def make_log(folder: Path) -> bytes:
    """The log of the model, from a process of its own."""
    environment = {**os.environ, "TORCH_TRACE": str(folder), "PYTHONPATH": str(SHARED)}
    environment["TORCHINDUCTOR_CACHE_DIR"] = f"{folder}_cache"
    subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True)
    (log,) = folder.iterdir()
    return log.read_bytes()


def measure(log: bytes, times: int, folder: Path) -> str:
    """One line, from a child of a child, so that its peak is its own."""
    many, out = folder / f"{times}.log", folder / f"out_{times}"
    with many.open("wb") as file:
        for _ in range(times):
            file.write(log)
    command = [sys.executable, "-m", "unjit", "ingest", str(many), "--out", str(out)]
    child = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=2);"
    child += "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime, used.ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", child, *command], check=True, stdout=subprocess.PIPE, text=True)
    seconds, kilobytes = done.stdout.split()
    sizes = [path.stat().st_size for path in out.rglob("*") if path.is_file()]
    size = f"{many.stat().st_size / 1e6:.1f} MB of log"
    memory = int(kilobytes) / 1e3
    return f"{size}: {float(seconds):.2f} s, {memory:.0f} MB peak, {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10])
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "log").mkdir()
        log = make_log(folder / "log")
        for each in times:
            print(measure(log, each, folder), flush=True)


if __name__ == "__main__":
    main()
