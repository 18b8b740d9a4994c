"""Which device a lecture computes on, and how much of its memory an operation takes."""

from collections.abc import Callable

import torch

__all__ = ["cuda_if_available", "get_max_memory_usage"]


def cuda_if_available(index: int = 0) -> torch.device:
    """The GPU of that number where there is one, else the CPU."""
    return torch.device("cuda", index) if torch.cuda.is_available() else torch.device("cpu")


def get_max_memory_usage(func: Callable[[], object]) -> int:
    """The most bytes of GPU memory in use while `func()` ran; 0 without a GPU."""
    if not torch.cuda.is_available():
        return 0
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    func()
    return int(torch.cuda.max_memory_allocated())
