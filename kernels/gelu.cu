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

// Fast: each thread takes four elements, which it reads and writes in one access of 16 bytes, the widest up to an
// H100; with 4 bytes a thread, too little is under way to keep the memory busy. N counts vectors of four.
extern "C" __global__ void gelu_fast_kernel(const float4* x, float4* y, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float4 v = x[i];
        y[i] = make_float4(gelu_of(v.x), gelu_of(v.y), gelu_of(v.z), gelu_of(v.w));
    }
}

// The launchers that kernels/cuda.py calls, with addresses on the GPU; NVRTC, which compiles kernels alone, skips them.
// Each returns the error of its launch, 0 if there is none.
#ifndef __CUDACC_RTC__
const int THREADS = 256;  // a block

int blocks_for(int N) { return N / THREADS + (N % THREADS != 0); }

extern "C" int gelu_double(const float* x, float* y, int N, cudaStream_t stream) {
    gelu_double_kernel<<<blocks_for(N), THREADS, 0, stream>>>(x, y, N);
    return cudaGetLastError();
}

extern "C" int gelu(const float* x, float* y, int N, cudaStream_t stream) {
    gelu_kernel<<<blocks_for(N), THREADS, 0, stream>>>(x, y, N);
    return cudaGetLastError();
}

// Vectors of four, then the one to three elements that are left. x and y begin at a 16-byte boundary.
extern "C" int gelu_fast(const float* x, float* y, int N, cudaStream_t stream) {
    int vectors = N / 4, left = N % 4;
    if (vectors > 0) gelu_fast_kernel<<<blocks_for(vectors), THREADS, 0, stream>>>((const float4*)x, (float4*)y, vectors);
    if (left > 0) gelu_kernel<<<1, left, 0, stream>>>(x + 4 * vectors, y + 4 * vectors, left);
    return cudaGetLastError();
}
#endif
