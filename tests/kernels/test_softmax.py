"""What `softmax_fast` tells the compiler of its rows."""

from typing import Any

import pytest
import torch

from kernels import softmax


@pytest.mark.parametrize(
    ("columns", "stride", "dtype", "align"),
    [
        (64, 64, torch.float32, 1),  # of multiples of 16 Triton tells the compiler by itself
        (64, 68, torch.float32, 4),  # a part of a larger matrix: its columns alone do not make 16-byte loads
        (64, 72, torch.bfloat16, 8),
        (64, 65, torch.float32, 1),
        (60, 60, torch.float32, 4),
        (60, 64, torch.bfloat16, 4),
        (61, 61, torch.float32, 1),
    ],
)
def test_what_divides_the_columns_and_the_stride_is_said(
    columns: int, stride: int, dtype: torch.dtype, align: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: dict[str, Any] = {}

    class Kernel:
        def __getitem__(self, grid: tuple[int, ...]) -> "Kernel":
            return self

        def __call__(self, *arguments: object, **options: object) -> None:
            launched.update(options)

    monkeypatch.setattr(softmax, "softmax_fast_kernel", Kernel())
    monkeypatch.setattr(softmax, "require_tensor", lambda *_, **__: None)
    softmax.softmax_fast(torch.zeros(3, stride, dtype=dtype)[:, :columns])
    assert launched["ALIGN"] == align
