"""Other versions of Triton to compile with: a folder for each, beside the one that PyTorch brought.

Run as a program it installs them, under `.venv/triton-X.Y.Z`: 3 GB in all.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("3.6.0", "3.7.0", "3.8.0", "3.9.0")


def folder(version: str) -> Path:
    """Where that version is, if it was installed."""
    return ROOT / ".venv" / f"triton-{version}"


def main() -> int:
    """Install those that are not there; those that cannot be had for this Python are named."""
    for version in VERSIONS:
        if not folder(version).is_dir():
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder(version)]
            if subprocess.run([*command, f"triton=={version}"], check=False).returncode:
                print(f"Triton {version} cannot be had here; it is not tried", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
