// A kernel in CUDA C++ with what a PyTorch extension has around it.
#include <torch/extension.h>
#include "squares.cuh"

__global__ void other(float *x) {
    x[0] = 1.0f;
}

__global__ void __launch_bounds__(256) squares(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = square(x[i]);
}

torch::Tensor run(torch::Tensor x) {
    squares<<<1, 256>>>(x.data_ptr<float>(), x.data_ptr<float>(), x.numel());
    return x;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("run", &run);
}
