// SPDX-License-Identifier: MIT
// A HIP program with a kernel of its own before and behind a product of BLAS, all in
// one stream: without an order between them the result is wrong.
#include <cstdio>

#include <hip/hip_runtime.h>
#include <hipblas/hipblas.h>

#define MUST(call)                                                             \
  do {                                                                         \
    const int status_ = static_cast<int>(call);                                \
    if (status_ != 0) {                                                        \
      std::printf("%s: %d\n", #call, status_);                                 \
      return 1;                                                                \
    }                                                                          \
  } while (0)

__global__ void fill(float *at, int count, float value)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    at[i] = value;
}

__global__ void add(float *at, int count, float value)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    at[i] += value;
}

int main()
{
  enum { N = 70, COUNT = N * N, BLOCK = 64, GRID = (COUNT + BLOCK - 1) / BLOCK };
  static float host[COUNT];
  float *a, *b, *c;
  const float alpha = 2, beta = 0;
  hipStream_t stream;
  hipblasHandle_t handle;
  MUST(hipMalloc(reinterpret_cast<void **>(&a), sizeof host));
  MUST(hipMalloc(reinterpret_cast<void **>(&b), sizeof host));
  MUST(hipMalloc(reinterpret_cast<void **>(&c), sizeof host));
  MUST(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  MUST(hipblasCreate(&handle));
  MUST(hipblasSetStream(handle, stream));
  fill<<<GRID, BLOCK, 0, stream>>>(a, COUNT, 3);
  fill<<<GRID, BLOCK, 0, stream>>>(b, COUNT, 0.5f);
  MUST(hipblasSgemm(handle, HIPBLAS_OP_N, HIPBLAS_OP_T, N, N, N, &alpha, a, N,
                    b, N, &beta, c, N));
  add<<<GRID, BLOCK, 0, stream>>>(c, COUNT, 1);
  MUST(hipStreamSynchronize(stream));
  MUST(hipMemcpy(host, c, sizeof host, hipMemcpyDeviceToHost));
  for (int i = 0; i < COUNT; i++)
    if (host[i] != 2 * 1.5f * N + 1) {
      std::printf("element %d is %g\n", i, host[i]);
      return 1;
    }
  MUST(hipblasDestroy(handle));
  return 0;
}
