"""Files a lecture fetches or makes itself."""

import os
from pathlib import Path

from engine.assets import cached_name, downloads
from engine.trace import write_whole

__all__ = ["cached", "download_file", "ensure_directory_exists", "relativize"]

SIZE, SECONDS = 1024**3, 600.0
"The largest file a lecture may fetch, in bytes, and how long it may take."


def ensure_directory_exists(path: str) -> None:
    """Make the folder `path`, and those above it, unless it is there."""
    Path(path).mkdir(parents=True, exist_ok=True)


def download_file(url: str, filename: str) -> None:
    """Put the answer of `url` into `filename`, unless that is there. Raises DownloadError when it cannot be had."""
    if not Path(filename).exists():
        write_whole(downloads().get(url, SIZE, SECONDS), Path(filename))


def cached(url: str, prefix: str) -> str:
    """The path of the answer of `url` under var/files, fetched unless it is there. Raises DownloadError."""
    path = f"var/files/{cached_name(prefix, url)}"
    download_file(url, path)
    return path


def relativize(path: str) -> str:
    """`path` as seen from the working folder."""
    return os.path.relpath(path)
