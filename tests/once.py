"""What takes long to make and many tests look at is made once in a run, by whichever of its processes asks first."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

FOLDER = "LECTURE_TRACE_TESTS"
"The environment variable that tells the processes of a run their common folder."


def open_folder(config: "pytest.Config") -> None:
    """Make the common folder, in the process that starts the others, and have it removed at the run's end."""
    if not hasattr(config, "workerinput"):
        folder = os.environ[FOLDER] = tempfile.mkdtemp(prefix="lecture-trace-tests-")
        config.add_cleanup(lambda: shutil.rmtree(folder))


def once(name: str, make: Callable[[Path], object]) -> Path:
    """The folder called `name`, empty until `make` has been called with it; the others wait meanwhile."""
    run = Path(os.environ[FOLDER])
    with (run / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (run / name).exists():
            being_made = Path(tempfile.mkdtemp(dir=run))
            make(being_made)
            being_made.rename(run / name)
    return run / name
