// SPDX-License-Identifier: MIT
// HIP on the host, as much of it as small.hip needs: a work-item is a context
// of its own, the work-items of a workgroup take turns at barriers.
#ifndef HOST_HIP_RUNTIME_H
#define HOST_HIP_RUNTIME_H

#include <ucontext.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(...)
#undef __noinline__
#define __noinline__ __attribute__((noinline))

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct float3 {
  float x, y, z;
};
static inline float3 make_float3(float x, float y, float z)
{
  return {x, y, z};
}

static dim3 threadIdx, blockIdx, blockDim, gridDim;
enum { warpSize = 64 };

// ---- workgroups ----

struct host_item {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(1 << 16);
  dim3 id;
  bool ended = false;
};
static std::vector<host_item> host_items;
static unsigned host_now; // the item that runs
static ucontext_t host_scheduler;
static const std::function<void()> *host_kernel;

static void host_begin()
{
  (*host_kernel)();
  host_items[host_now].ended = true;
}

// To the other items, until all are here.
static void host_meet()
{
  const unsigned own = host_now;
  swapcontext(&host_items[own].context, &host_scheduler);
}

static void host_group_run(dim3 block)
{
  host_items = std::vector<host_item>(block.x * block.y * block.z);
  for (unsigned i = 0; i < host_items.size(); i++) {
    host_item &item = host_items[i];
    item.id = dim3(i % block.x, i / block.x % block.y, i / block.x / block.y);
    getcontext(&item.context);
    item.context.uc_stack.ss_sp = item.stack.data();
    item.context.uc_stack.ss_size = item.stack.size();
    item.context.uc_link = &host_scheduler;
    makecontext(&item.context, host_begin, 0);
  }
  for (bool more = true; more;) {
    more = false;
    for (host_now = 0; host_now < host_items.size(); host_now++) {
      if (host_items[host_now].ended)
        continue;
      threadIdx = host_items[host_now].id;
      swapcontext(&host_scheduler, &host_items[host_now].context);
      more |= !host_items[host_now].ended;
    }
  }
}

static void host_launch(dim3 grid, dim3 block, const std::function<void()> &run)
{
  host_kernel = &run;
  gridDim = grid;
  blockDim = block;
  for (unsigned z = 0; z < grid.z; z++)
    for (unsigned y = 0; y < grid.y; y++)
      for (unsigned x = 0; x < grid.x; x++) {
        blockIdx = dim3(x, y, z);
        host_group_run(block);
      }
}

// Executes a kernel elsewhere: grid in work-items, arguments as in a kernarg
// segment. NULL: kernels run here.
typedef void host_elsewhere(const char *kernel, const uint32_t grid[3],
                            const uint16_t group[3], const void *args,
                            size_t size);
static host_elsewhere *elsewhere;

template <class T> static void host_pack(std::vector<char> &to, T value)
{
  to.resize((to.size() + alignof(T) - 1) / alignof(T) * alignof(T));
  to.insert(to.end(), (char *)&value, (char *)(&value + 1));
}

template <class... P>
static void host_run(const char *name, void (*kernel)(P...), dim3 groups,
                     dim3 group, std::common_type_t<P>... values)
{
  if (!elsewhere) {
    host_launch(groups, group, [=] { kernel(values...); });
    return;
  }
  const uint32_t grid[] = {groups.x * group.x, groups.y * group.y,
                           groups.z * group.z};
  const uint16_t size[] = {(uint16_t)group.x, (uint16_t)group.y,
                           (uint16_t)group.z};
  std::vector<char> args;
  (host_pack<P>(args, values), ...);
  elsewhere(name, grid, size, args.data(), args.size());
}

#define hipLaunchKernelGGL(kernel, grid, block, bytes, stream, ...)            \
  host_run(#kernel, kernel, grid, block, __VA_ARGS__)
#define __syncthreads() host_meet()

// ---- lanes ----

static unsigned host_lane()
{
  return host_now % warpSize;
}

// The value of another item of the wave; all items of the workgroup call it.
template <class T> static T host_value(T own, unsigned lane)
{
  static std::vector<T> values;
  values.resize(host_items.size());
  values[host_now] = own;
  host_meet();
  const T other = values[host_now / warpSize * warpSize + lane];
  host_meet();
  return other;
}
template <class T> static T __shfl(T v, int lane)
{
  return host_value(v, (unsigned)lane % warpSize);
}
template <class T> static T __shfl_xor(T v, int mask)
{
  return host_value(v, host_lane() ^ (unsigned)mask);
}
template <class T> static T __shfl_down(T v, unsigned by)
{
  const unsigned lane = host_lane() + by;
  return host_value(v, lane < warpSize ? lane : host_lane());
}
template <class T> static T __shfl_up(T v, unsigned by)
{
  return host_value(v, host_lane() < by ? host_lane() : host_lane() - by);
}
static unsigned long long __ballot(int set)
{
  unsigned long long bits = 0;
  for (unsigned l = 0; l < warpSize; l++)
    bits |= (unsigned long long)(host_value(set, l) != 0) << l;
  return bits;
}
static int __any(int set)
{
  return __ballot(set) != 0;
}
static int __all(int set)
{
  return __ballot(set) == ~0ull;
}

// ---- integers and memory ----

static inline int __popcll(unsigned long long x)
{
  return __builtin_popcountll(x);
}
static inline int __clz(int x)
{
  return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __ffs(int x)
{
  return __builtin_ffs(x);
}
static inline unsigned __brev(unsigned x)
{
  unsigned r = 0;
  for (int i = 0; i < 32; i++)
    r |= (x >> i & 1) << (31 - i);
  return r;
}
static inline int __mul24(int a, int b)
{
  return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8));
}
static inline unsigned __umulhi(unsigned a, unsigned b)
{
  return (unsigned)((uint64_t)a * b >> 32);
}
static inline unsigned __sad(int a, int b, unsigned c)
{
  return (unsigned)std::abs((long)a - b) + c;
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selectors)
{
  const uint64_t both = x | (uint64_t)y << 32;
  unsigned r = 0;
  for (int i = 0; i < 4; i++)
    r |= (unsigned)(both >> 8 * (selectors >> 4 * i & 7) & 255) << 8 * i;
  return r;
}

template <class T, class F> static T host_change(T *p, F f)
{
  const T old = *p;
  *p = f(old);
  return old;
}
#define HOST_ATOMIC(name, result)                                              \
  template <class T, class U> static T name(T *p, U b)                         \
  {                                                                            \
    const T v = (T)b;                                                          \
    return host_change(p, [=](T old) -> T { return result; });                 \
  }
HOST_ATOMIC(atomicAdd, old + v)
HOST_ATOMIC(atomicMax, old > v ? old : v)
HOST_ATOMIC(atomicMin, old < v ? old : v)
HOST_ATOMIC(atomicOr, old | v)
HOST_ATOMIC(atomicXor, old ^ v)
HOST_ATOMIC(atomicExch, v)
HOST_ATOMIC(atomicInc, old >= v ? 0 : old + 1)
HOST_ATOMIC(atomicDec, old == 0 || old > v ? v : old - 1)
static inline int atomicCAS(int *p, int expected, int v)
{
  return host_change(p, [=](int old) { return old == expected ? v : old; });
}

static inline long clock64()
{
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
#define wall_clock64               clock64
#define __builtin_readcyclecounter clock64
#define __threadfence()            ((void)0)
#define __threadfence_system()     ((void)0)
static inline float rsqrtf(float x)
{
  return (float)(1 / std::sqrt((double)x));
}

#endif
