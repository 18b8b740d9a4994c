"""Watches what a program instance reads and writes while the reader is to step through it in Triton's interpreter.

All its loads and stores, block pointers' and descriptors' included, come to `InterpreterBuilder.create_masked_load` and
`create_masked_store`, its atomics to `create_atomic_rmw` and `create_atomic_cas`. These get bare addresses. Which
argument an address was computed from is written on the pointer's handle when the launch makes it, and carried along by
the few functions that make one pointer of another; a pointer made in another way is told by its address alone.
Outside the instances that are stepped through nothing of this is in place, but for two functions called once a launch.
"""

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Protocol

from engine.patches import Patches
from engine.trace import Access, Tensor

_ORIGIN = "argument"
"Entry of a handle's `attr`: number of the tensor that a pointer was computed from."
POINTERS = (
    "create_addptr", "create_splat", "create_broadcast", "create_expand_dims", "create_reshape", "create_trans",
    "create_bitcast",
)  # fmt: skip
_BLOCKS = ("BlockPointerHandle", "TensorDescHandle")
"Classes of blocks of pointers; a Triton has one or both."


class MemoryWatch(Protocol):
    """What is told of accesses."""

    def accessed(self, tensor: int, access: Access) -> None:
        """The instance accessed the tensor of that number among the launch's, -1 for none."""

    def warn(self, message: str) -> None:
        """Tell the author."""


class MemoryHooks:
    """The replaced functions of Triton's interpreter, and the tensors of the launch under way."""

    def __init__(self, watch: MemoryWatch) -> None:
        self.watch = watch
        self.patches = Patches()
        "Those in place while an instance is stepped through."
        self.interpreter: ModuleType | None = None
        "None where this version of Triton cannot be watched."
        self.wanted = False
        "Whether instances of the launch under way are to be stepped through."
        self.memories: list[Any] = []
        "Where the tensors of the launch lie, as `lanes.Memory`."
        self.numbers: dict[int, int] = {}
        "Their numbers, by identity of the tensor in the interpreter's hands."

    def install(self, interpreter: ModuleType, patches: Patches) -> None:
        """Learn of the tensors of each launch. A Triton that lacks something runs unwatched, with a warning."""
        executor: Any = getattr(interpreter, "GridExecutor", None)
        builder: Any = getattr(interpreter, "InterpreterBuilder", None)
        needed = (*POINTERS, "create_masked_load", "create_masked_store", "create_atomic_rmw", "create_atomic_cas")
        convert = getattr(interpreter, "_implicit_cvt", None)
        if not (convert and hasattr(executor, "_init_args_hst") and all(hasattr(builder, name) for name in needed)):
            self.watch.warn("this version of Triton has another interpreter: what its kernels read and write is not "
                            "recorded")  # fmt: skip
            return
        self.interpreter = interpreter
        patches.replace(executor, "_init_args_hst", self._init_args_hst(executor._init_args_hst))
        patches.replace(interpreter, "_implicit_cvt", self._implicit_cvt(convert))

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """What the launch under way was given."""
        return tuple(memory.tensor for memory in self.memories)

    def launch(self, wanted: bool) -> None:
        """A launch begins, or one is over; of one whose instances are `wanted` the tensors are noted."""
        self.wanted = wanted and self.interpreter is not None
        self.memories, self.numbers = [], {}

    def listen(self) -> None:
        """From now on tell of accesses."""
        if self.interpreter is None or not self.wanted:
            return
        builder: Any = self.interpreter.InterpreterBuilder
        for name in POINTERS:
            self.patches.replace(builder, name, _carrying(getattr(builder, name)))
        for name in _BLOCKS:
            if blocks := getattr(self.interpreter, name, None):
                self.patches.replace(blocks, "materialize_pointers", _carrying_block(blocks.materialize_pointers))
        self.patches.replace(builder, "create_masked_load", self._masked_load(builder.create_masked_load))
        self.patches.replace(builder, "create_masked_store", self._masked_store(builder.create_masked_store))
        self.patches.replace(builder, "create_atomic_rmw", self._atomic_rmw(builder.create_atomic_rmw))
        self.patches.replace(builder, "create_atomic_cas", self._atomic_cas(builder.create_atomic_cas))

    def stop(self) -> None:
        """Tell of none any more."""
        self.patches.undo()

    # -- the tensors of a launch

    def _init_args_hst(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def init_args_hst(executor: Any, *args: Any, **kwargs: Any) -> Any:
            given, named = original(executor, *args, **kwargs)
            if self.wanted:
                self._attempt(lambda: self._take(inspect.getcallargs(executor.fn, *given, **named)))
            return given, named

        return init_args_hst

    def _take(self, arguments: dict[str, Any]) -> None:
        for name, argument in arguments.items():
            for path, tensor in _tensors(name, argument):
                self.numbers[id(tensor)] = len(self.memories)
                self.memories.append(_memory(path, tensor))

    def _implicit_cvt(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def implicit_cvt(argument: Any) -> Any:
            made = original(argument)
            if id(argument) in self.numbers and hasattr(getattr(made, "handle", None), "attr"):
                made.handle.attr[_ORIGIN] = self.numbers[id(argument)]
            return made

        return implicit_cvt

    # -- memory operations

    def _masked_load(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def create_masked_load(builder: Any, ptrs: Any, mask: Any, *args: Any, **kwargs: Any) -> Any:
            self._note("read", ptrs, mask)
            return original(builder, ptrs, mask, *args, **kwargs)

        return create_masked_load

    def _masked_store(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def create_masked_store(builder: Any, ptrs: Any, value: Any, mask: Any, *args: Any, **kwargs: Any) -> Any:
            self._note("write", ptrs, mask)
            return original(builder, ptrs, value, mask, *args, **kwargs)

        return create_masked_store

    def _atomic_rmw(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def create_atomic_rmw(builder: Any, operation: Any, ptr: Any, val: Any, mask: Any, *args: Any) -> Any:
            self._note("atomic", ptr, mask)
            return original(builder, operation, ptr, val, mask, *args)

        return create_atomic_rmw

    def _atomic_cas(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def create_atomic_cas(builder: Any, ptr: Any, *args: Any) -> Any:
            self._note("atomic", ptr, None)
            return original(builder, ptr, *args)

        return create_atomic_cas

    def _note(self, operation: Any, pointers: Any, mask: Any) -> None:
        self._attempt(lambda: self._tell(operation, pointers, mask))

    def _tell(self, operation: Any, pointers: Any, mask: Any) -> None:
        from engine.lanes import accesses

        on = mask.data if hasattr(mask, "dtype") and hasattr(mask, "attr") else mask  # a handle, or the array itself
        for number, access in accesses(operation, pointers.data, on, self.memories, pointers.attr.get(_ORIGIN)):
            self.watch.accessed(number, access)

    def _attempt(self, look: Callable[[], None]) -> None:
        """Whatever goes wrong with the looking is no concern of the kernel's."""
        try:
            look()
        except Exception as error:
            self.watch.warn(f"what the kernel reads and writes here could not be recorded: {type(error).__name__}: "
                            f"{error}")  # fmt: skip


def _tensors(name: str, argument: Any) -> Iterator[tuple[str, Any]]:
    """The tensors in an argument, those of tuples and under descriptors too, each with its name."""
    if isinstance(argument, tuple):
        fields = getattr(argument, "_fields", ())
        for number, part in enumerate(argument):
            yield from _tensors(f"{name}.{fields[number]}" if fields else f"{name}[{number}]", part)
    elif hasattr(argument, "block_shape") and hasattr(argument, "base"):
        yield from _tensors(name, argument.base)
    elif hasattr(argument, "data_ptr"):
        yield name, argument


def _memory(name: str, tensor: Any) -> Any:
    """Where a tensor lies."""
    from engine.lanes import Memory  # numpy is there once there is an interpreter

    described = Tensor(name, tuple(map(int, tensor.shape)), tuple(map(int, tensor.stride())), str(tensor.dtype))
    return Memory(described, int(tensor.data_ptr()), int(tensor.element_size()))


def _carrying(original: Callable[..., Any]) -> Callable[..., Any]:
    """A method that makes one pointer of another, and writes on it where that came from."""

    def carrying(builder: Any, *args: Any, **kwargs: Any) -> Any:
        made = original(builder, *args, **kwargs)
        for given in args:
            attributes = getattr(given, "attr", None)
            if isinstance(attributes, dict) and _ORIGIN in attributes:
                made.attr[_ORIGIN] = attributes[_ORIGIN]
        return made

    return carrying


def _carrying_block(original: Callable[..., Any]) -> Callable[..., Any]:
    def materialize_pointers(block: Any, *args: Any, **kwargs: Any) -> Any:
        pointers, mask = original(block, *args, **kwargs)
        if _ORIGIN in block.base.attr:
            pointers.attr[_ORIGIN] = block.base.attr[_ORIGIN]
        return pointers, mask

    return materialize_pointers
