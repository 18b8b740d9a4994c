// GeLU in CUDA C++, three times: with a slip that costs most of the speed, mended, and fast.
// y[i] = 0.5 x[i] (1 + tanh(a)), a = sqrt(2/pi) (x[i] + 0.044715 x[i]^3), for i = 0 .. N-1.
// CUDA asks what one thread does, where Triton asks what one block does.

// The slip: 0.5, 0.044715 and 1.0 are literals of type double, so x is widened, and tanh is the one for double. For sm_90
// that makes 40 double-precision instructions and 5 conversions an element, and the memory waits for them.
extern "C" __global__ void gelu_double_kernel(const float* x, float* y, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        y[i] = 0.5 * x[i] * (1.0 + tanh(0.7978845608028654 * (x[i] + 0.044715 * x[i] * x[i] * x[i])));
    }
}

// The mend: one letter. 0.5f is a float, so all stays in single precision, and so does tanhf.
extern "C" __global__ void gelu_kernel(const float* x, float* y, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // which thread of the whole grid am I?
    if (i < N) {                                    // the last block may reach beyond the end
        y[i] = 0.5f * x[i] * (1.0f + tanhf(0.7978845608028654f * (x[i] + 0.044715f * x[i] * x[i] * x[i])));
    }
}

// Fast: (1 + tanh(a)) / 2 = 1 / (1 + exp(-2a)) takes two special-function instructions, an exponential and a reciprocal.
__device__ float gelu_of(float x) {
    float a = 0.7978845608028654f * (x + 0.044715f * x * x * x);
    return __fdividef(x, 1.0f + __expf(-2.0f * a));
}

// Fast: a thread moves 16 bytes at a time, the widest access there is, and has all its reads under way before it computes.
// Each element is used once, so __ldcs and __stcs ask the caches to let it go first. N counts float4.
const int PER_THREAD = 2;

extern "C" __global__ void gelu_fast_kernel(const float4* x, float4* y, int N) {
    int start = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;
    float4 v[PER_THREAD];
    for (int j = 0; j < PER_THREAD; j++) {
        int i = start + j * blockDim.x;
        if (i < N) v[j] = __ldcs(x + i);
    }
    for (int j = 0; j < PER_THREAD; j++) {
        int i = start + j * blockDim.x;
        if (i < N) __stcs(y + i, make_float4(gelu_of(v[j].x), gelu_of(v[j].y), gelu_of(v[j].z), gelu_of(v[j].w)));
    }
}

// The launchers, which only a build through PyTorch needs; without them the kernels compile alone, with no header.
#ifdef TORCH_EXTENSION_NAME
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

const int THREADS = 256;  // a block

template <typename T>
void launch(void (*kernel)(const T*, T*, int), const float* x, float* y, int N, int per_thread) {
    int elements = THREADS * per_thread;  // a block
    int blocks = N / elements + (N % elements != 0);
    if (blocks == 0) return;
    kernel<<<blocks, THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const T*>(x), reinterpret_cast<T*>(y), N);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

void gelu_double(torch::Tensor x, torch::Tensor y) {
    c10::cuda::CUDAGuard guard(x.device());
    launch(gelu_double_kernel, x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), 1);
}

void gelu(torch::Tensor x, torch::Tensor y) {
    c10::cuda::CUDAGuard guard(x.device());
    launch(gelu_kernel, x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), 1);
}

// Vectors of four, then the one to three elements that are left
void gelu_fast(torch::Tensor x, torch::Tensor y) {
    c10::cuda::CUDAGuard guard(x.device());
    int vectors = x.numel() / 4, left = x.numel() % 4;
    launch(gelu_fast_kernel, x.data_ptr<float>(), y.data_ptr<float>(), vectors, PER_THREAD);
    launch(gelu_kernel, x.data_ptr<float>() + 4 * vectors, y.data_ptr<float>() + 4 * vectors, left, 1);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("gelu_double", &gelu_double);
    m.def("gelu", &gelu);
    m.def("gelu_fast", &gelu_fast);
}
#endif
