"""Keeps names that a recording gives within the folder they are names in, since a recording is not trusted."""

from pathlib import Path, PurePosixPath

from viewer.errors import NotListed


def inside(folder: Path, name: str) -> Path:
    """The file `name` in `folder`, with neither a step nor a link that leads out of it. Raises NotListed."""
    path = (folder / stays(name)).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise NotListed(f"{name!r} is not there any more; record the lecture again")
    return path


def stays(name: str) -> str:
    """`name` itself. Raises NotListed when it could lead out of any folder."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name or "\\" in name:
        raise NotListed(f"{name!r} is no name of a file of a recording")
    return name
