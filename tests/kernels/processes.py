"""Programs run by other Python processes: what triton does is settled when it is imported, so each needs its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*arguments: str, interpret: bool = False) -> subprocess.CompletedProcess[str]:
    """`python ARGUMENTS` in the repository's folder, with Triton's interpreter or without."""
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    if interpret:
        environment["TRITON_INTERPRET"] = "1"
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=280)


def output(*arguments: str, interpret: bool = False) -> str:
    """What `python ARGUMENTS` prints; it must succeed."""
    finished = run(*arguments, interpret=interpret)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def gpu_is_missing() -> str | None:
    """Why tests that need a GPU are skipped; None where there is one."""
    import torch

    return None if torch.cuda.is_available() else "PyTorch sees no NVIDIA GPU"
