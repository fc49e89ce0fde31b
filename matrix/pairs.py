"""Which torch runs on which Python, and how to make an environment with both."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
MAKER = ROOT.parent / "shared" / "pythons" / "torch_venv.sh"  # installs a release without its CUDA packages
# As they exist together, of four releases; of the releases between them one Python, since what they lack lies in torch.
# torch 2.9.1 can be installed for 3.14, but its torch.compile says that it is not supported.
PYTHONS = {
    "2.6.0": ("3.10", "3.11", "3.12", "3.13"),
    "2.7.1": ("3.12",),
    "2.8.0": ("3.12",),
    "2.9.1": ("3.10", "3.11", "3.12", "3.13"),
    "2.10.0": ("3.12",),
    "2.11.0": ("3.12",),
    "2.12.1": ("3.12",),
    "2.13.0": ("3.10", "3.11", "3.12", "3.13", "3.14"),
    "2.14.1": ("3.12",),
    "2.15.0": ("3.11", "3.12", "3.13", "3.14", "3.15"),
}
TESTS_NEED = (
    "pytest>=8", "pytest-xdist>=3.6", "pytest-cov>=5", "hypothesis>=6.100", "pexpect>=4.9", "jsonschema>=4.18",
    "prompt_toolkit>=3.0.36", "pyte>=0.8.2", "sybil>=9",
)  # fmt: skip


class Pair(NamedTuple):
    """A release of torch, or `nightly`, and a version of Python."""

    torch: str
    python: str

    def __str__(self) -> str:
        return f"{self.torch}-{self.python}"


PAIRS = tuple(Pair(torch, python) for torch, pythons in PYTHONS.items() for python in pythons)


def find(text: str) -> Pair:
    """The pair that `2.15-3.13`, `2.15.0-3.13` or `nightly-3.13` names; ValueError says which there are."""
    torch, _, python = text.partition("-")
    if torch == "nightly" and python:
        return Pair(torch, python)
    for pair in PAIRS:
        if pair.python == python and torch in (pair.torch, pair.torch.rpartition(".")[0]):
            return pair
    raise ValueError(f"{text!r} is no pair; there are nightly-3.N and {', '.join(map(str, PAIRS))}")


def make_environment(pair: Pair, interpreter: Path, directory: Path) -> Path:
    """A virtual environment with the pair, unjit and what its tests need; its Python.

    A nightly comes from where pip is told to look (PIP_INDEX_URL). CalledProcessError if a step fails.
    """
    python = directory / "bin" / "python"
    if pair.torch != "nightly" and MAKER.exists():
        run(["bash", str(MAKER), pair.torch, str(interpreter), str(directory)])
    else:
        run([str(interpreter), "-m", "venv", str(directory)])
        which = ["--pre", "torch"] if pair.torch == "nightly" else [f"torch=={pair.torch}"]
        run([str(python), "-m", "pip", "install", "--quiet", "numpy", *which])
    run([str(python), "-m", "pip", "install", "--quiet", *TESTS_NEED])
    run([str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--editable", str(ROOT)])
    return python


def run(command: list[str]) -> None:
    """Run a step; CalledProcessError if it fails."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
