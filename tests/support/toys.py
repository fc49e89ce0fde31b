"""Small functions that break on data, and which backends they can run on here."""

from __future__ import annotations

import shutil

import pytest
import torch

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="inductor needs g++ on the CPU")
BACKENDS = ["eager", "aot_eager", pytest.param("inductor", marks=needs_compiler)]


def toy(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def branch(a):
    a = a + 1
    if a.sum() < 0:
        a = -a
    return a * 2
