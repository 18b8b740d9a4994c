"""A lecture's file as a module with a `main()`; what is wrong with it is one sentence."""

import importlib.util
import inspect
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from engine.errors import UsageError
from engine.failures import describe


@contextmanager
def import_path(path: Path) -> Iterator[None]:
    """Import as the program at `path` would, and show it its own name in `sys.argv`."""
    before, arguments = list(sys.path), list(sys.argv)
    sys.path[:0] = [str(path.parent)]
    sys.argv = [str(path)]
    try:
        yield
    finally:
        sys.path[:], sys.argv = before, arguments


def check(path: Path, shown: Path) -> None:
    """Raise UsageError where `path` is no Python program that can be read; `shown` is what messages call it."""
    try:
        kind = path.stat().st_mode
        if not stat.S_ISREG(kind):
            what = "a folder" if stat.S_ISDIR(kind) else "no ordinary file"
            raise UsageError(f"{str(shown)!r} is {what}; name a Python file that defines main()")
        data = path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"there is no lecture {str(shown)!r}; name a Python file that defines main()") from None
    except OSError as error:
        raise UsageError(f"cannot read {str(shown)!r}: {error.strerror}") from error
    try:
        importlib.util.decode_source(data)  # `compile` passes over what is no text in a comment
        compile(data, str(shown), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UsageError(f"{shown}{line} is not valid Python: {message}; correct it and record again") from error


def _module_name(path: Path) -> str:
    """What the lecture's module is called: its file's name, where no other module has that."""
    name = path.stem
    ours = ("engine", "viewer", "kernels", "torch", "triton")
    if name in sys.modules or name in sys.stdlib_module_names or name in ours:
        return f"lecture_{name}"
    return name


def imported(path: Path, shown: Path) -> ModuleType:
    """The lecture's module. Raises UsageError where it does not import."""
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{str(shown)!r} is no Python file; name one that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        said = describe(error, path)
        raise UsageError(
            f"{shown} does not import: {said.type}: {said.message}{_place_in(error, path)}; "
            "correct it and record again (an earlier trace is unchanged)"
        ) from error
    return module


def _place_in(error: BaseException, path: Path) -> str:
    line, walk = 0, BaseException.__dict__["__traceback__"].__get__(error)
    while walk is not None:
        if walk.tb_frame.f_code.co_filename == str(path):
            line = walk.tb_lineno
        walk = walk.tb_next
    return f" (line {line})" if line else ""


def main_of(module: ModuleType, shown: Path) -> Callable[[], Any]:
    """The lecture's `main`. Raises UsageError where there is none that can be called."""
    main: Any = getattr(module, "main", None)
    if not callable(main):
        raise UsageError(f"{shown} defines no main(); add 'def main():' around what the lecture says")
    if inspect.isgeneratorfunction(main) or inspect.isasyncgenfunction(main):
        raise UsageError(f"{shown}: main() would not run when it is called; take its yield out")
    try:
        inspect.signature(main).bind()
    except TypeError as error:
        raise UsageError(f"{shown}: main() cannot be called without arguments ({error}); give them defaults") from error
    except ValueError:
        pass  # no signature to be had
    return cast("Callable[[], Any]", main)
