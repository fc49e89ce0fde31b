"""What `import unjit` takes in a new process, without torch: the aim is under 100 ms.

    python bench/imports.py [--times 15]

Each time is that of a process of its own, from before the import to after it, with the files in the system's cache and
compiled. Machines are shared: the figures to trust are CPU time and the best of all.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys

AIM = 0.1  # seconds
STATEMENTS = {
    "import unjit": "import unjit",
    "unjit.decompile": "import unjit; unjit.decompile",
    "the command line": "import unjit.cli.main",
}
PROGRAM = """
import sys, time
wall, cpu = time.perf_counter(), time.process_time()
{statement}
print(time.perf_counter() - wall, time.process_time() - cpu, "torch" in sys.modules)
"""


def measure(statement: str, times: int) -> tuple[list[float], list[float]]:
    """Wall and CPU seconds of a statement, each in a process of its own."""
    walls, cpus = [], []
    for _ in range(times):
        command = [sys.executable, "-c", PROGRAM.format(statement=statement)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        wall, cpu, torch = done.stdout.split()
        assert torch == "False", f"{statement} imports torch"
        walls.append(float(wall))
        cpus.append(float(cpu))
    return walls, cpus


def main() -> int:
    """Print the figures; the exit status is 1 if `import unjit` misses its aim."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=15)
    chosen = parser.parse_args()
    measure("import unjit.cli.main", 1)  # compiles what is not compiled yet
    best = {}
    for name, statement in STATEMENTS.items():
        walls, cpus = measure(statement, chosen.times)
        best[name] = min(walls)
        print(
            f"{name:<18} best {min(walls) * 1e3:5.1f} ms, median {statistics.median(walls) * 1e3:5.1f} ms"
            f" (CPU: {min(cpus) * 1e3:5.1f} ms, {statistics.median(cpus) * 1e3:5.1f} ms)"
        )
    met = best["import unjit"] < AIM
    print(f"aim for import unjit: under {AIM * 1e3:.0f} ms: {'met' if met else 'missed'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
