"""engine.binaries: what is known of a binary that Triton launched."""

from collections import namedtuple
from types import SimpleNamespace

import pytest

from engine.binaries import of_triton
from engine.captured import Captured
from engine.compile import compile_all

pytest.importorskip("triton", reason="its own source object is what is read")


def launched(kernel) -> SimpleNamespace:
    """As `CompiledKernel` of a launch on an H100, with Triton's own source object."""
    from triton.compiler import ASTSource

    signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "N": "i32", "BLOCK_SIZE": "constexpr"}
    metadata = {"target": SimpleNamespace(arch=90), "num_warps": 4, "shared": 0}
    return SimpleNamespace(
        hash="h", asm={"ptx": "", "cubin": b""}, src=ASTSource(kernel, signature, {"BLOCK_SIZE": 1024}),
        metadata=namedtuple("Metadata", metadata)(**metadata), n_regs=22, n_spills=0,
    )  # fmt: skip


def test_its_types_and_constants_are_known_as_those_of_what_is_compiled(tmp_path):
    from kernels.gelu import gelu_kernel

    binary = of_triton(launched(gelu_kernel))
    assert binary.signature == {"x_ptr": "*fp32", "y_ptr": "*fp32", "N": "i32"}
    assert binary.constants == {"BLOCK_SIZE": "1024"}
    captured = Captured(lambda path: "gelu.py")
    captured.add_binary(0, gelu_kernel, lambda: binary)
    [variant] = compile_all({0: list(captured.wanted[0].values())}, [], tmp_path)[0]
    assert (variant.target, variant.origin, variant.constants) == ("sm_90", "launched", {"BLOCK_SIZE": "1024"})
    assert variant.signature == binary.signature
