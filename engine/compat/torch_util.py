"""Which device a lecture computes on."""

import torch

__all__ = ["get_device"]


def get_device(index: int = 0) -> torch.device:
    """The GPU of that number where there is one, else the CPU."""
    return torch.device("cuda", index) if torch.cuda.is_available() else torch.device("cpu")
