// SPDX-License-Identifier: MIT
// Objects on the stack of HIP's kernels, whose pointers are flat.
#include "sites.hpp"

__device__ __attribute__((noinline)) void fill(int *to, int count)
{
  for (int *at = to; at < to + count; at++)
    *at = count; // by_flat_pointer: the pointer is not followed
}

__global__ void flat(int *out, int count)
{
  int other[8], first[8], second[8];
  fill(other, 8);
  fill(second, 8);
  fill(first, count);
  out[threadIdx.x] = first[threadIdx.x & 7] + second[0] + other[1];
}

static void by_flat_pointer(bool fixed)
{
  int *out = make<int>(64);
  flat<<<1, 64>>>(out, fixed ? 8 : 9);
  OK(hipDeviceSynchronize());
  OK(hipFree(out));
}

struct point {
  int x[3], y[3];
};

__global__ void indexed(int *out, int at)
{
  int before[8];
  point one = {}, two = {};
  for (int i = 0; i < 8; i++)
    before[i] = i;
  one.y[at] = 7; // FINDS past_struct: out of bounds
  out[threadIdx.x] = one.y[threadIdx.x % 3] + two.x[0] + before[at];
}

static void past_struct(bool fixed)
{
  int *out = make<int>(64);
  indexed<<<1, 64>>>(out, fixed ? 2 : 3);
  OK(hipDeviceSynchronize());
  OK(hipFree(out));
}

// Right: each call has a frame of its own, and pointers into those above.
__device__ __attribute__((noinline)) int depth_sum(const int *above, int depth)
{
  int own[6];
  for (int i = 0; i < 6; i++)
    own[i] = above[(i + 1) % 6] + depth;
  return depth == 0 ? own[3] : own[2] + depth_sum(own, depth - 1);
}

// Right: bindings and captures are parts of one object; either of two.
__global__ void parts(int *out, int depth)
{
  int pair[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, begin[6] = {1, 2, 3, 4, 5, 6};
  auto [low, high] = point{{1, 2, 3}, {4, 5, 6}};
  int sum = 0, scale = depth;
  auto add = [&, copy = begin[depth % 6]](int i) { sum += copy * scale + i; };
  for (int i = 0; i < 8; i++)
    add(pair[i / 4][i % 4] + low[i % 3] + high[(i + 1) % 3]);
  int *either = threadIdx.x & 1 ? pair[1] : begin;
  either[depth % 4] += 1;
  out[threadIdx.x] = sum + depth_sum(begin, depth) + pair[1][2];
}

static void parts_right(bool fixed)
{
  int *out = make<int>(64);
  (void)fixed;
  parts<<<1, 64>>>(out, 3);
  OK(hipDeviceSynchronize());
  OK(hipFree(out));
}

const std::map<std::string, std::function<void(bool)>> cases = {
    CASE(by_flat_pointer),
    CASE(past_struct),
    CASE(parts_right),
};
