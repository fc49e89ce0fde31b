"""Kernels of Triton by hand, for `bench/gpu_programs.py`: Triton reads their source, which must be in a file."""
# ruff: noqa: ANN001, ANN202, N803

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl


@triton.jit
def _scale_and_shift(source, target, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at, mask=at < count) * 3 + 1, mask=at < count)


def scale_and_shift(x: Any) -> Any:
    out = torch.empty_like(x)
    _scale_and_shift[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out


@triton.autotune(configs=[triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 512}, num_warps=8)], key=["count"])
@triton.jit
def _add(one, other, target, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(target + at, tl.load(one + at, mask=inside) + tl.load(other + at, mask=inside), mask=inside)


def autotuned_add(x: Any, y: Any) -> Any:
    out = torch.empty_like(x)
    _add[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel())
    return out
