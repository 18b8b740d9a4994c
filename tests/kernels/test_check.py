"""`python -m kernels check`, and that it finds what is wrong."""

import math

import pytest
import torch

from kernels import inputs
from kernels.__main__ import main
from kernels.catalog import OPERATIONS, Operation, Version
from kernels.check import CASES, Case, check_version, compare, draw, poisoned
from kernels.check import run as run_version
from tests.kernels.processes import run


def double(x: torch.Tensor) -> torch.Tensor:
    return x.double() * 2


def doubling(version: Version) -> str | None:
    """What the check says about a version of an operation that doubles its input."""
    operation = Operation("double", ("x",), "y", double, (version,), scales=(1.0,), interpreted=(2000, 40000))
    return check_version(operation, version, "cpu").mismatch


@pytest.mark.skipif(torch.cuda.is_available(), reason="with a GPU the check runs there, in a test of its own")
def test_without_a_gpu_triton_versions_are_checked_in_the_interpreter_and_the_others_said_unchecked() -> None:
    finished = run("-m", "kernels", "check")
    assert (finished.returncode, finished.stderr) == (0, ""), finished.stdout
    lines = finished.stdout.splitlines()
    assert lines[0] == "No GPU; Triton interpreter, on smaller shapes"
    versions = [version for operation in OPERATIONS.values() for version in operation.versions]
    for line, version in zip(lines[1:], versions, strict=True):
        said = "right in" if version.language == "triton" else "not checked: PyTorch sees no NVIDIA GPU"
        assert line.startswith(f"{version.name:<22} {version.language:<7} {said}")


def test_a_numpy_that_tritons_interpreter_cannot_loop_with_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "")  # to be put back
    monkeypatch.setattr(inputs, "INTERPRETED", True)
    for of_triton, of_numpy in (("3.6.0", "2.3.5"), ("3.7.1", "2.4.6"), ("3.6.0", "2.4.6")):
        monkeypatch.setattr(inputs.triton, "__version__", of_triton)
        monkeypatch.setattr(inputs.numpy, "__version__", of_numpy)
        assert (inputs.interpreter_problem() is None) == ((of_triton, of_numpy) != ("3.6.0", "2.4.6"))
    assert main(["check", "gelu"]) == 2
    said = "The interpreter of Triton 3.6.0 cannot loop with NumPy 2.4.6; pip install 'numpy<2.4', or a newer PyTorch."
    assert capsys.readouterr() == ("", f"kernels check: {said}\n")


def test_an_unknown_operation_is_one_sentence_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "gelu", "tanh"]) == 2
    said = "kernels check: no operation 'tanh'; there are gelu, softmax, row_sum, matmul_relu.\n"
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("action", ["check", "bench", "ptx"])
def test_without_torch_it_is_one_sentence_and_exit_2(
    action: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kernels.__main__.find_spec", lambda name: None)
    assert main([action, "gelu"]) == 2
    assert capsys.readouterr() == ("", f"kernels {action}: needs torch and triton; pip install torch triton\n")


def test_a_right_version_is_right_on_every_dtype_and_case() -> None:
    assert doubling(Version("right", "triton", lambda x: x * 2)) is None


def test_one_wrong_element_is_named_with_both_values() -> None:
    def wrong(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        if y.shape[0] > 30:
            y[30, 0] = 7
        return y

    version = Version("wrong", "triton", wrong, (torch.float32,))
    mismatch = doubling(version)
    assert mismatch is not None
    assert mismatch.startswith("torch.float32 [31, 1] scaled by 1: y[30, 0] is 7 and must be ")
    assert mismatch.endswith("(1 of 31 elements are off by more than 3e-05 of their size)")


def test_an_element_that_nobody_wrote_is_seen() -> None:
    def lazy(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        y[:1] = x[:1] * 2
        return y

    mismatch = doubling(Version("lazy", "triton", lazy, (torch.float32,)))
    assert mismatch is not None and "y[1, 0] is nan and must be " in mismatch


def test_a_changed_input_and_a_wrong_shape_are_seen() -> None:
    assert doubling(Version("in place", "triton", lambda x: x.mul_(2))) == (
        "torch.float32 [1, 1] scaled by 1: the input x was changed"
    )
    assert doubling(Version("flat", "triton", lambda x: (x * 2).flatten())) == (
        "torch.float32 [1, 1] scaled by 1: y has shape (1,) and must have (1, 1)"
    )


def test_a_result_of_another_dtype_is_seen() -> None:
    mismatch = doubling(Version("wide", "triton", lambda x: x.float() * 2))
    assert mismatch == "torch.float16 [1, 1] scaled by 1: y has torch.float32 and must have torch.float16"


def test_inputs_are_drawn_anew() -> None:
    first, second = (draw(OPERATIONS["gelu"], Case(3, 5), torch.float32, "cpu")[0] for _ in range(2))
    assert not torch.equal(first, second)


def test_new_tensors_are_nan_while_poisoned_and_pytorch_is_as_before_afterwards() -> None:
    before = torch.are_deterministic_algorithms_enabled()
    with poisoned():
        assert torch.empty(1000).isnan().all() and torch.empty_like(torch.ones(7, dtype=torch.bfloat16)).isnan().all()
    assert torch.are_deterministic_algorithms_enabled() == before


def test_nan_never_passes_but_infinite_error_does_not_hide_the_element() -> None:
    result = compare("y", torch.tensor([1.0, math.nan]), torch.tensor([1.0, 2.0], dtype=torch.float64), 1e-5)
    assert result.mismatch == "y[1] is nan and must be 2 (1 of 2 elements are off by more than 1e-05 of their size)"


def test_the_smallest_numbers_of_float16_are_as_close_as_they_lie() -> None:
    expected = torch.tensor([-2.84738834e-06], dtype=torch.float64)  # GeLU of -4.4; float16 goes in steps of 6e-8 there
    assert compare("y", expected.half(), expected, 2e-3).mismatch is None
    assert compare("y", (expected - 1e-7).half(), expected, 2e-3).mismatch is not None


def test_where_terms_cancel_float32_is_what_they_were_added_in() -> None:
    def in_float32(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.gelu(x, approximate="tanh")

    gelu = OPERATIONS["gelu"]
    for x in torch.linspace(-6, 6, 500).reshape(-1, 1, 1):
        assert run_version(gelu, Version("gelu", "triton", in_float32), (x,)).mismatch is None
    nothing = run_version(gelu, Version("gelu", "triton", torch.zeros_like), (torch.full((1, 1), -4.0),))
    assert nothing.mismatch is not None and "y[0, 0] is 0 and must be -7.02" in nothing.mismatch


@pytest.mark.parametrize("case", [case for case in CASES if case.label], ids=str)
def test_the_strided_cases_are_strided(case: Case) -> None:
    (x,) = draw(OPERATIONS["gelu"], case, torch.float32, "cpu")
    assert x.shape == (case.M, case.N) and not x.is_contiguous()


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no NVIDIA GPU")
@pytest.mark.parametrize("name", OPERATIONS)
def test_on_a_gpu_every_version_is_right(name: str) -> None:
    for version in OPERATIONS[name].versions:
        report = check_version(OPERATIONS[name], version, "cuda")
        assert report.mismatch is None and report.skipped is None and report.cases > 10, str(report)
