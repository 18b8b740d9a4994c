__device__ float square(float x) {
    return x * x;
}
