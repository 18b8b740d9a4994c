"""Programs run by other Python processes: what triton does is settled when it is imported, so each needs its own."""

import os
import subprocess
import sys

from tests.recordings import ROOT


def run(*arguments: str, interpret: bool = False) -> subprocess.CompletedProcess[str]:
    """`python ARGUMENTS` in the repository's folder, with Triton's interpreter or without."""
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    if interpret:
        environment["TRITON_INTERPRET"] = "1"
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def output(*arguments: str, interpret: bool = False) -> str:
    """What `python ARGUMENTS` prints; it must succeed."""
    finished = run(*arguments, interpret=interpret)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout
