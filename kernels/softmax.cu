// Softmax of each row of a matrix in CUDA C++, twice: plain, and fast.
// y[m, n] = exp(x[m, n] - max over n) / sum over n of exp(x[m, n] - max), M rows of N columns.
// A row belongs to one block of threads, which must agree on the row's largest value and on its sum: the block's threads
// meet in shared memory. Triton writes that part by itself.

const int WARP = 32;
const unsigned ALL = 0xffffffff;  // all threads of the warp take part

__device__ float larger(float a, float b) { return fmaxf(a, b); }
__device__ float sum(float a, float b) { return a + b; }

// Combine one value of each thread into one for the whole block: halve the number of values until one is left.
template <float (*combine)(float, float)>
__device__ float across_block(float value) {
    extern __shared__ float values[];
    values[threadIdx.x] = value;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  // all values of the round before are written
        if (threadIdx.x < half) values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + half]);
    }
    __syncthreads();
    float result = values[0];
    __syncthreads();  // all have read it before the next use writes
    return result;
}

// Plain: three sweeps over the row, one for the maximum, one for the sum, one to write. blockDim.x is a power of two.
extern "C" __global__ void softmax_kernel(const float* x, float* y, int N) {
    x += (long long)blockIdx.x * N;
    y += (long long)blockIdx.x * N;

    float max = -INFINITY;
    for (int n = threadIdx.x; n < N; n += blockDim.x) max = fmaxf(max, x[n]);
    max = across_block<larger>(max);

    float denominator = 0.0f;
    for (int n = threadIdx.x; n < N; n += blockDim.x) denominator += expf(x[n] - max);
    denominator = across_block<sum>(denominator);

    for (int n = threadIdx.x; n < N; n += blockDim.x) y[n] = expf(x[n] - max) / denominator;
}

// Fast: one sweep reads the row from memory, 16 bytes a thread, and keeps it in shared memory; the threads of a warp meet
// through registers (shuffles), so only one value a warp goes through shared memory.
__device__ float4 exp4(float4 v, float max) {
    return make_float4(__expf(v.x - max), __expf(v.y - max), __expf(v.z - max), __expf(v.w - max));
}

template <float (*combine)(float, float)>
__device__ float across_warps(float value, float* of_warp) {
    for (int apart = WARP / 2; apart > 0; apart /= 2) value = combine(value, __shfl_xor_sync(ALL, value, apart));
    if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP] = value;
    __syncthreads();
    int warps = blockDim.x / WARP;  // a power of two: the lanes beyond it read a value twice, in another group
    value = of_warp[threadIdx.x % warps];
    for (int apart = warps / 2; apart > 0; apart /= 2) value = combine(value, __shfl_xor_sync(ALL, value, apart));
    return value;
}

extern "C" __global__ void softmax_fast_kernel(const float4* x, float4* y, int N) {
    extern __shared__ float4 row[];  // N / 4 vectors
    __shared__ float max_of_warp[WARP], sum_of_warp[WARP];
    x += (long long)blockIdx.x * N / 4;
    y += (long long)blockIdx.x * N / 4;

    float max = -INFINITY;
    #pragma unroll 4
    for (int n = threadIdx.x; n < N / 4; n += blockDim.x) {
        float4 v = __ldcs(x + n);
        row[n] = v;
        max = fmaxf(max, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    max = across_warps<larger>(max, max_of_warp);

    float denominator = 0.0f;
    for (int n = threadIdx.x; n < N / 4; n += blockDim.x) {
        float4 e = exp4(row[n], max);
        row[n] = e;
        denominator += (e.x + e.y) + (e.z + e.w);
    }
    float scale = 1.0f / across_warps<sum>(denominator, sum_of_warp);

    for (int n = threadIdx.x; n < N / 4; n += blockDim.x) {
        float4 e = row[n];
        __stcs(y + n, make_float4(e.x * scale, e.y * scale, e.z * scale, e.w * scale));
    }
}

// The launchers, which only a build through PyTorch needs; without them the kernels compile alone, with no header.
#ifdef TORCH_EXTENSION_NAME
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

void softmax(torch::Tensor x, torch::Tensor y) {
    c10::cuda::CUDAGuard guard(x.device());
    const int THREADS = 256;
    softmax_kernel<<<x.size(0), THREADS, THREADS * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

void softmax_fast(torch::Tensor x, torch::Tensor y) {
    c10::cuda::CUDAGuard guard(x.device());
    const int THREADS = 512;
    int bytes = x.size(1) * sizeof(float);  // of shared memory a block: more than 48 KB must be asked for
    C10_CUDA_CHECK(cudaFuncSetAttribute(softmax_fast_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    softmax_fast_kernel<<<x.size(0), THREADS, bytes, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const float4*>(x.data_ptr<float>()), reinterpret_cast<float4*>(y.data_ptr<float>()),
        x.size(1));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("softmax", &softmax);
    m.def("softmax_fast", &softmax_fast);
}
#endif
