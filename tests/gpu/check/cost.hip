// SPDX-License-Identifier: MIT
// Kernels whose execution is timed with each check (cost.sh): `cost NAME
// TIMES`.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hip/hip_runtime.h>

#define OK(call)                                                               \
  do {                                                                         \
    if ((call) != hipSuccess) {                                                \
      fprintf(stderr, "%s failed\n", #call);                                   \
      exit(3);                                                                 \
    }                                                                          \
  } while (0)

static const int N = 1 << 18;

__global__ void stream(const float *a, float *b, float f)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = f * a[i] + b[i];
}

__global__ void product(const float *a, const float *b, float *c, int n)
{
  __shared__ float left[16][16], right[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    left[y][x] = a[row * n + k + x];
    right[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; i++)
      sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void reduce(const float *a, float *out)
{
  __shared__ float box[256];
  int i = threadIdx.x;
  box[i] = a[blockIdx.x * 256 + i];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (i < half)
      box[i] += box[i + half];
    __syncthreads();
  }
  if (i == 0)
    atomicAdd(out, box[0]);
}

__global__ void orbit(float *a, int steps)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i] + i * 1e-6f, y = 0.25f;
  for (int k = 0; k < steps && x * x + y * y < 4; k++) {
    float t = x * x - y * y + 0.3f;
    y = 2 * x * y + 0.1f;
    x = t;
  }
  a[i] = x + y;
}

__global__ void blocks(float *a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float *block = (float *)malloc(16 * sizeof(float));
  for (int k = 0; k < 16; k++)
    block[k] = a[i] + k;
  a[i] = block[i % 16];
  free(block);
}

int main(int argc, char **argv)
{
  if (argc != 3)
    return 2;
  const char *name = argv[1];
  float *a, *b, *c;
  OK(hipMalloc(&a, N * sizeof(float)));
  OK(hipMalloc(&b, N * sizeof(float)));
  OK(hipMalloc(&c, N * sizeof(float)));
  OK(hipMemset(a, 0, N * sizeof(float)));
  OK(hipMemset(b, 0, N * sizeof(float)));
  OK(hipMemset(c, 0, N * sizeof(float)));
  for (int k = 0; k < atoi(argv[2]); k++)
    if (strcmp(name, "blocks") == 0)
      blocks<<<16, 256>>>(a);
    else if (strcmp(name, "stream") == 0)
      stream<<<N / 256, 256>>>(a, b, 2);
    else if (strcmp(name, "product") == 0)
      product<<<dim3(8, 8), dim3(16, 16)>>>(a, b, c, 128);
    else if (strcmp(name, "reduce") == 0)
      reduce<<<N / 256, 256>>>(a, c);
    else if (strcmp(name, "orbit") == 0)
      orbit<<<64, 256>>>(a, 256);
    else
      return 2;
  OK(hipDeviceSynchronize());
  return 0;
}
