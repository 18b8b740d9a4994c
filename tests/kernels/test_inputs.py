"""What the launchers refuse, in Python and before a launch."""

from collections.abc import Callable

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from kernels import cuda, gelu, matmul_relu, row_sum, softmax
from kernels.inputs import MAX_OFFSET, require_power_of_two, require_small, require_tensor
from tests.kernels.processes import output

MOVE = "move it to a GPU, or to the CPU with TRITON_INTERPRET=1 set before triton is imported."
LARGER = "Use a larger BLOCK_N, or matmul_relu_fast."
DTYPES = "torch.float32, torch.float16, torch.bfloat16"

BAD = """
import torch
from kernels import gelu, matmul_relu, row_sum, softmax
ones = torch.ones
for call in (
    lambda: gelu.gelu(ones(3, dtype=torch.int32)),
    lambda: gelu.gelu_fast(ones(0, 3)),
    lambda: gelu.gelu(ones(3), block_size=1000),
    lambda: softmax.softmax(ones(3)),
    lambda: softmax.softmax(ones(1, 65537)),
    lambda: softmax.softmax_fast(ones(2, 3, dtype=torch.float64)),
    lambda: row_sum.row_sum(ones(2, 3, 4)),
    lambda: row_sum.row_sum_fast(ones(0, 0)),
    lambda: matmul_relu.matmul_relu(ones(2, 3), ones(4, 5)),
    lambda: matmul_relu.matmul_relu(ones(2, 3), ones(3, 5, dtype=torch.float16)),
    lambda: matmul_relu.matmul_relu_fast(ones(2, 3), ones(3, 5), precision="fp8"),
    lambda: matmul_relu.matmul_relu(ones(2, 3), ones(3, 5), block=(64, 64, 8)),
    lambda: gelu.gelu(ones(3), block_size=2**21),
    lambda: gelu.gelu(ones(3), block_size=256.0),
    lambda: gelu.gelu(ones(3).to_sparse()),
    lambda: softmax.softmax(ones(2, 3, device="meta")),
    lambda: softmax.softmax(ones(1, 2**16).expand(2**16, 2**16)),
    lambda: softmax.softmax_fast(ones(1, 1).expand(1, 2**31 - 100)),
    lambda: row_sum.row_sum_fast(ones(1, 1).expand(1, 2**31 - 100)),
    lambda: matmul_relu.matmul_relu(ones(2, 3), ones(3, 5), block=(64, 64)),
    lambda: matmul_relu.matmul_relu(ones(2, 3), ones(3, 5), block=64),
    lambda: matmul_relu.matmul_relu(ones(1, 1), ones(1, 1).expand(1, 5_000_000)),
    lambda: matmul_relu.matmul_relu(ones(1, 1).expand(2**16, 1), ones(1, 1).expand(1, 2**16)),
):
    try:
        call()
    except ValueError as error:
        print(error)
"""


def test_each_refusal_says_what_is_wrong_with_which_tensor() -> None:
    assert output("-c", BAD, interpret=True).splitlines() == [
        f"gelu: x has dtype torch.int32; it must be one of {DTYPES}.",
        "gelu_fast: x has shape (0, 3), no element; a launch needs at least one.",
        "gelu: block_size=1000; it must be a power of two from 1 to 1048576.",
        "softmax: x has shape (3,); it must have 2 dimensions.",
        "softmax: x has 65537 columns; a row must fit into one block of 65536. Use softmax_fast.",
        f"softmax_fast: x has dtype torch.float64; it must be one of {DTYPES}.",
        "row_sum: x has shape (2, 3, 4); it must have 2 dimensions.",
        "row_sum_fast: x has shape (0, 0), no element; a launch needs at least one.",
        "matmul_relu: a has shape (2, 3) and b (4, 5); a must have as many columns as b has rows.",
        "matmul_relu: a is torch.float32 on cpu and b torch.float16 on cpu; they must be alike.",
        "matmul_relu_fast: precision='fp8'; it must be one of ieee, tf32.",
        "matmul_relu: BLOCK_K=8; it must be a power of two from 16 to 1048576.",
        "gelu: block_size=2097152; it must be a power of two from 1 to 1048576.",
        "gelu: block_size=256.0; it must be a power of two from 1 to 1048576.",
        "gelu: x has the layout torch.sparse_coo; give a dense tensor: x.to_dense().",
        f"softmax: x is on meta; {MOVE}",
        "softmax: x spans 4294967296 elements; this kernel counts in 32 bits. Use softmax_fast.",
        "softmax_fast: x has 2147483548 columns; a row may have 2146435072.",
        "row_sum_fast: x has 2147483548 columns; a row may have 2146435072.",
        "matmul_relu: block=(64, 64); it must be (BLOCK_M, BLOCK_N, BLOCK_K).",
        "matmul_relu: block=64; it must be (BLOCK_M, BLOCK_N, BLOCK_K).",
        f"matmul_relu: b has 5000000 columns; a grid covers 4194240 with BLOCK_N=64. {LARGER}",
        "matmul_relu: c spans 4294967296 elements; this kernel counts in 32 bits. Use matmul_relu_fast.",
    ]


def test_without_the_interpreter_a_cpu_tensor_is_refused() -> None:
    program = "import torch; from kernels.softmax import softmax\ntry: softmax(torch.ones(2, 3))\n"
    program += "except ValueError as error: print(error)"
    assert output("-c", program) == f"softmax: x is on cpu; {MOVE}\n"


def test_a_tensor_of_another_gpu_than_the_current_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    with FakeTensorMode():
        there, elsewhere = torch.ones(2, device="cuda:0"), torch.ones(2, device="cuda:1")
    require_tensor("gelu", "x", there)
    with pytest.raises(ValueError, match=r"gelu: x is on cuda:1 and kernels are launched on cuda:0; launch within"):
        require_tensor("gelu", "x", elsewhere)


def test_what_is_no_tensor_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"gelu: x is a list; give a torch.Tensor."):
        require_tensor("gelu", "x", [1.0, 2.0])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"matmul_relu: a is a list; give a torch.Tensor."):
        matmul_relu.matmul_relu([1.0], [2.0])  # type: ignore[arg-type]


def test_a_tensor_too_large_for_32_bit_offsets_is_refused_by_the_kernels_that_count_so() -> None:
    wide = torch.empty_strided((2, 2), (MAX_OFFSET, 1), device="meta")
    with pytest.raises(ValueError, match=r"softmax: x spans 2146435074 elements; .* Use softmax_fast."):
        require_small("softmax", "x", wide)


@pytest.mark.parametrize("value", [1, 16, 1024])
def test_powers_of_two_pass(value: int) -> None:
    require_power_of_two("gelu", "block_size", value)


@pytest.mark.parametrize("value", [0, -4, 3, 1000, 2**21])
def test_other_numbers_do_not(value: int) -> None:
    with pytest.raises(ValueError, match=f"block_size={value}; it must be a power of two"):
        require_power_of_two("gelu", "block_size", value)


@pytest.mark.parametrize("launcher", [cuda.gelu_double, cuda.gelu, cuda.gelu_fast, cuda.softmax, cuda.softmax_fast])
def test_the_cuda_launchers_refuse_what_is_not_on_a_gpu(launcher: Callable[[torch.Tensor], torch.Tensor]) -> None:
    said = f"^{launcher.__name__}: x is torch.float32 on cpu; the CUDA kernels take torch.float32 on a GPU.$"
    with pytest.raises(ValueError, match=said):
        launcher(torch.ones(2, 4))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no NVIDIA GPU")
def test_the_cuda_launchers_refuse_other_dtypes_and_long_rows() -> None:
    half = torch.ones(2, 4, device="cuda", dtype=torch.float16)
    with pytest.raises(ValueError, match=r"gelu: x is torch.float16 on cuda:0; the CUDA kernels take torch.float32"):
        cuda.gelu(half)
    with pytest.raises(ValueError, match="softmax_fast: x has 6 columns; the CUDA version takes a multiple of 4"):
        cuda.softmax_fast(torch.ones(2, 6, device="cuda"))


@pytest.mark.parametrize("reference", [gelu.reference, softmax.reference, row_sum.reference])
def test_the_references_compute_in_float64(reference: object) -> None:
    assert reference(torch.ones(2, 3, dtype=torch.float16)).dtype == torch.float64  # type: ignore[operator]


def test_the_references_agree_with_pytorch_and_with_numbers_worked_out_by_hand() -> None:
    x = torch.tensor([[5.0, 5.0, 5.0], [0.0, 0.0, 100.0]], dtype=torch.float64)
    torch.testing.assert_close(gelu.reference(x), torch.nn.functional.gelu(x, approximate="tanh"))
    torch.testing.assert_close(softmax.reference(x), torch.softmax(x, dim=1))
    assert row_sum.reference(x).tolist() == [15, 100]
    a, b = torch.tensor([[1.0, 2.0], [3.0, -4.0]]), torch.tensor([[1.0], [1.0]])
    assert matmul_relu.reference(a, b).tolist() == [[3], [0]]
