"""Builds kernels from text as a lecture may, and prints what a sink is told; the store is the folder named."""

import contextlib
import json
import sys
from pathlib import Path

from engine import launches

HERE = Path(__file__).parent
GENERATED = """\
async_compile = AsyncCompile()
cpp_fused_gelu_0 = async_compile.cpp_pybinding(['const float*', 'float*'], r'''
#include "x.h"
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0) {}
''')


triton_poi_fused_add_1 = async_compile.triton('triton_poi_fused_add_1', '''
@triton.jit
def triton_poi_fused_add_1(in_ptr0, xnumel, XBLOCK : tl.constexpr):
    pass
''', device_str='cuda')

async_compile.wait(globals())
"""


class Notes:
    lecture = HERE / "none.py"

    def __init__(self, store):
        self.store = store
        self.kernels = []
        self.launches = []

    def display_path(self, path):
        return Path(path).name

    def kernel(self, kernel):
        self.kernels.append([kernel.name, kernel.language, kernel.path, kernel.line, kernel.end_line])
        return len(self.kernels) - 1

    def launched(self, kernel, grid, interpreted):
        self.launches.append(kernel)

    def warn(self, message, path="", line=0):
        raise AssertionError(message)


def main():
    notes = Notes(Path(sys.argv[1]))
    with launches.watching(notes):
        import torch._inductor.graph as graph
        import torch.utils.cpp_extension as extension

        text = (HERE / "squares.cu").read_text()
        for build, sources in (
            (extension.load_inline, {"cpp_sources": "", "cuda_sources": [text]}),
            (extension.load_inline, {"cpp_sources": "", "cuda_sources": "__global__ void own(float *x) {\n}\n"}),
            (extension.load, {"sources": ["host.cpp", str(HERE / "squares.cu")]}),
        ):
            with contextlib.suppress(Exception):  # there is no GPU to build for
                build(name="my-ext", build_directory="/nowhere", **sources)
        graph.GraphLowering.save_output_code(GENERATED)
    assert graph.GraphLowering.save_output_code is None, "something still watches"
    assert extension.load.__module__ == "torch.utils.cpp_extension", "something still watches"
    print(json.dumps([notes.kernels, notes.launches]))


main()
