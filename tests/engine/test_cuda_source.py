"""engine.cuda_source: what of a CUDA file runs on the GPU, at the lines it has in the file."""

import pytest

from engine.cuda_source import device_part, included, instances, kernel_name, near_headers, without_includes

EXTENSION = """\
#include <torch/extension.h>  // { in a comment

__device__ float twice(float x) {
    return 2 * x;  /* } */
}

__global__ void first(float *x) {
    const char *brace = "}";
    x[0] = twice(x[0]);
}

#ifdef LAUNCHERS
inline int cdiv(int a, int b) {
    return (a + b - 1) / b;
}
const int THREADS = 256;
constexpr int half(int x) { return x / 2; }

namespace inner {
struct Pair { int a, b; };
template <int N> __global__ __launch_bounds__(256, 2) void second(Pair p, float *x) {
    x[0] = N;
}
}  // namespace inner

torch::Tensor run(torch::Tensor x) {
    first<<<1, THREADS>>>(x.data_ptr<float>());
    return x;
}
torch::Tensor declared(torch::Tensor x);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("run", &run);
}
#endif
"""


def kept(kernel: str) -> list[tuple[int, str]]:
    lines = device_part(EXTENSION, kernel).split("\n")
    assert len(lines) == len(EXTENSION.split("\n"))
    return [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]


DEVICE = [
    (1, "#include <torch/extension.h>  // { in a comment"),
    (3, "__device__ float twice(float x) {"),
    (4, "return 2 * x;  /* } */"),
    (5, "}"),
]


def test_host_functions_and_other_kernels_are_blanked():
    assert kept("first") == [
        *DEVICE,
        (7, "__global__ void first(float *x) {"),
        (8, 'const char *brace = "}";'),
        (9, "x[0] = twice(x[0]);"),
        (10, "}"),
        (12, "#ifdef LAUNCHERS"),
        (16, "const int THREADS = 256;"),
        (17, "constexpr int half(int x) { return x / 2; }"),
        (19, "namespace inner {"),
        (20, "struct Pair { int a, b; };"),
        (24, "}"),
        (34, "#endif"),
    ]


def test_a_kernel_in_a_namespace():
    assert [(number, line) for number, line in kept("second") if 5 < number < 25] == [
        (12, "#ifdef LAUNCHERS"),
        (16, "const int THREADS = 256;"),
        (17, "constexpr int half(int x) { return x / 2; }"),
        (19, "namespace inner {"),
        (20, "struct Pair { int a, b; };"),
        (21, "template <int N> __global__ __launch_bounds__(256, 2) void second(Pair p, float *x) {"),
        (22, "x[0] = N;"),
        (23, "}"),
        (24, "}"),
    ]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("__global__ void gelu(const float* x)", "gelu"),
        ('extern "C" __global__ void __launch_bounds__(128) gelu (float *x)', "gelu"),
        ("template <typename T, int N> __global__ void gelu(T *x)", "gelu"),
        ("template __global__ void a::gelu<3>(float *)", "gelu"),
        ("__device__ float gelu(float x)", None),
        ("void gelu(float x)", None),
    ],
)
def test_kernel_name(head, name):
    assert kernel_name(head) == name


def test_includes():
    assert included(EXTENSION) == {"torch/extension.h"}
    assert without_includes('#include <a.h>\n#include "b.h"\nint x;', {"b.h"}) == '\n#include "b.h"\nint x;'


def test_headers_beside_the_file(tmp_path):
    (tmp_path / "a.cuh").write_text('#include "b.cuh"\n#include "a.cuh"\n')
    (tmp_path / "b.cuh").write_text("int b;\n")
    found = near_headers(tmp_path / "k.cu", '#include "a.cuh"\n#include "missing.h"\n#include <b.cuh>\n')
    assert found == {"a.cuh": '#include "b.cuh"\n#include "a.cuh"\n', "b.cuh": "int b;\n"}


def test_instances_that_the_file_makes_are_compiled_one_at_a_time():
    source = """\
template <typename T> __global__ void first(T *x) {}
template __global__ void first<float>(float *);
template __global__ void __launch_bounds__(64) first<half>(half *);
void run(float *x) { first<float><<<1, 32>>>(x); }
"""
    assert instances(source, "first") == ("first<float>", "first<half>")
    assert device_part(source, "first").rstrip() == source.partition("\n")[0]


def test_instances_of_a_template_that_are_launched():
    source = """\
namespace outer { namespace { namespace inner {
template <typename T, int N> __global__ void first(T *x) {}
__global__ void plain(float *x) {}
}  // namespace outer::{
} }
template <typename U> void any(U *x) { outer::inner::first<U, 32><<<1, 32>>>(x); }
void run(float *x) {
    // first<never, 1><<<1, 1>>>(x);
    outer::inner::first<float,
        (1 < 2)><<<1, 64>>>(x), outer::inner::first<half, N><<<dim3(1), 64>>>(x), first<half, N><<<1, 64>>>(x);
    plain<<<1, 1>>>(x);
}
"""
    assert instances(source, "first") == ("outer::inner::first<float, (1 < 2)>", "outer::inner::first<half, N>")
    assert instances(source, "plain") == ()
