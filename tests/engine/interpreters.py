"""Other Python versions to record with: an environment for each that is there, with what the engine needs.

Run as a program it makes them, under `.venv/pythonX.Y`.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("3.11", "3.12", "3.13")


def interpreter(version: str) -> Path | None:
    """The interpreter of that version that can run the engine, if it was set up."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return Path(sys.executable)
    python = ROOT / ".venv" / f"python{version}" / "bin" / "python"
    return python if python.exists() else None


def main() -> int:
    """Make the environments of the versions that are installed; those that are not are named."""
    for version in VERSIONS:
        if interpreter(version) is None and not _make(version):
            print(f"Python {version} is not here; what it records is not compared", file=sys.stderr)
    return 0


def _candidates(version: str) -> Iterator[str]:
    """Where an interpreter of that version may be: on the path, or among pyenv's."""
    yield f"python{version}"
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    yield from map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python")))


def _works(python: str) -> bool:
    try:
        return not subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode
    except OSError:
        return False


def _make(version: str) -> bool:
    base = next(filter(_works, _candidates(version)), None)
    if base is None:
        return False
    folder = ROOT / ".venv" / f"python{version}"
    subprocess.run([base, "-m", "venv", "--clear", folder], check=True)
    install = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*install, "-c", ROOT / "constraints.txt", "msgspec"], check=False).returncode:
        shutil.rmtree(folder)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
