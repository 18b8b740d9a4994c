"""Binaries that were launched on a GPU, as Triton or torch.compile holds them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STAGES = ("ttir", "ttgir", "llir", "ptx")
"What comes before the binary, in order."


@dataclass(frozen=True)
class Binary:
    """One compiled kernel."""

    hash: str
    arch: int
    "Compute capability, 90 for sm_90."
    stages: dict[str, str]
    cubin: bytes
    metadata: Mapping[str, Any]
    "What Triton says of it: `num_warps`, `shared`, .."
    registers: int | None
    spills: int | None
    signature: Mapping[str, str]
    "Type of each argument, `*fp32`, compile-time constants left out."
    constants: Mapping[str, str]
    "Values of the compile-time constants, in words."


def of_triton(compiled: Any) -> Binary:
    """The binary of a `triton.compiler.CompiledKernel`."""
    types = dict(getattr(compiled.src, "signature", {}))
    names, constants = list(types), getattr(compiled.src, "constants", {})
    return Binary(
        hash=str(compiled.hash),
        arch=int(compiled.metadata.target.arch),
        stages={name: str(compiled.asm[name]) for name in STAGES if name in compiled.asm},
        cubin=compiled.asm["cubin"],
        metadata=compiled.metadata._asdict(),
        registers=getattr(compiled, "n_regs", None),
        spills=getattr(compiled, "n_spills", None),
        signature={name: str(type_) for name, type_ in types.items() if type_ != "constexpr"},
        constants={names[path[0]]: _word(value) for path, value in constants.items()},
    )


def _word(value: Any) -> str:
    return repr(value) if isinstance(value, str) else str(getattr(value, "__name__", value))


def kernel_of(tuner: Any) -> Any:
    """The Triton kernel, with its Python function, that torch.compile has in `tuner`, a `CachingAutotuner`.

    One that another process compiled, or an earlier run, comes without the function; its file is then loaded, as
    torch.compile itself does where it needs the function. Raises what that raises.
    """
    return tuner.fn if tuner.fn.fn is not None else tuner._reload_kernel().fn


def of_inductor(tuner: Any) -> Binary:
    """The binary that torch.compile chose for a kernel, from the folder where Triton keeps it.

    `tuner` is a `CachingAutotuner` that has been run. Raises what is missing: OSError, AttributeError, LookupError.
    """
    from torch._inductor.runtime.runtime_utils import triton_cache_dir, triton_hash_to_path_key

    launcher = tuner.launchers[0]
    folder = Path(triton_cache_dir(tuner.triton_meta["device"]), triton_hash_to_path_key(launcher.cache_hash))
    name = tuner.fn.__name__
    metadata = json.loads((folder / f"{name}.json").read_text())
    return Binary(
        hash=launcher.cache_hash,
        arch=int(metadata["target"]["arch"]),
        stages={stage: path.read_text() for stage in STAGES if (path := folder / f"{name}.{stage}").is_file()},
        cubin=(folder / f"{name}.cubin").read_bytes(),
        metadata=metadata,
        registers=launcher.n_regs,
        spills=launcher.n_spills,
        signature={},
        constants={},
    )
