// SPDX-License-Identifier: MIT
// The kernels of small.hip (SMALL names it) on the host, by hip/, then
// elsewhere: how many of the results differ. Kernels whose result depends on
// the time only run; `pr` needs a listener, and test_matrix has those of
// matrices.
#include SMALL
#undef T

#include <cstdio>
#include <cstring>
#include <vector>

template <class T> static T *device_of(const std::vector<T> &from)
{
  static std::vector<std::vector<char>> all; // until the end
  all.emplace_back((const char *)from.data(),
                   (const char *)(from.data() + from.size()));
  return (T *)all.back().data();
}

// ---- results ----

static std::vector<char> expected; // of the host, in their order
static size_t next;
static unsigned differing;

// Distance of floats by their place among all floats of that width.
static int64_t place(const void *value, size_t size)
{
  uint64_t bits = 0;
  memcpy(&bits, value, size);
  const uint64_t sign = (uint64_t)1 << (8 * size - 1);
  return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

// `n` results of `size` bytes: equal in all bits, or within some ulps.
static void result(const char *name, const void *results, size_t n, size_t size,
                   uint64_t ulps)
{
  const char *got = (const char *)results;
  if (!elsewhere) {
    expected.insert(expected.end(), got, got + n * size);
    return;
  }
  uint64_t most = 0;
  for (size_t i = 0; i < n; i++, next += size) {
    const int64_t a = place(got + i * size, size),
                  b = place(&expected[next], size);
    const uint64_t far =
        a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
    most = far > most ? far : most;
  }
  differing += most > ulps;
  fprintf(stderr, "%s: %zu results, at most %llu ulps off, %llu allowed\n",
          name, n, (unsigned long long)most, (unsigned long long)ulps);
}

template <class T>
static void result(const char *name, const T *results, size_t n,
                   uint64_t ulps = 0)
{
  result(name, results, n, sizeof(T), ulps);
}

// ---- numbers ----

static uint64_t state = 1;
static uint32_t bits()
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 32);
}
template <class T>
static std::vector<T> numbers(size_t n, double low, double high)
{
  std::vector<T> out(n);
  for (T &x : out)
    x = (T)(low + (high - low) * (bits() / 4294967296.0));
  return out;
}
// Sums of a few thousands of them are exact in any order.
template <class T> static std::vector<T> whole_numbers(size_t n)
{
  std::vector<T> out(n);
  for (T &x : out)
    x = (T)(float)((int)(bits() % 15) - 7);
  return out;
}
template <class T> static std::vector<T> any_bits(size_t n)
{
  std::vector<T> out(n);
  for (T &x : out)
    x = (T)((uint64_t)bits() << 32 | bits());
  return out;
}

#define RUN(kernel, groups, items, ...)                                        \
  hipLaunchKernelGGL(kernel, dim3(groups), dim3(items), 0, 0, __VA_ARGS__)

// ---- kernels ----

static void arithmetic()
{
  float *a = device_of(numbers<float>(1000, -9, 9)),
        *b = device_of(numbers<float>(1000, -9, 9)),
        *c = device_of(std::vector<float>(1000));
  RUN(vadd, 4, 256, a, b, c, 1000);
  result("vadd", c, 1000);
  double *x = device_of(numbers<double>(1000, -9, 9)),
         *y = device_of(numbers<double>(1000, -9, 9));
  RUN(saxpy64, 4, 256, 1000l, 1.7, x, y);
  result("saxpy64", y, 1000);
  float *out = device_of(std::vector<float>(8));
  RUN(reduce, 4, 256, a, out, 1000);
  result("reduce", out, 4);
  float *whole = device_of(whole_numbers<float>(256));
  RUN(reduce_shfl, 1, 256, whole, out + 4, 250);
  result("reduce_shfl", out + 4, 1);
  float *m = device_of(numbers<float>(4096, -1, 1)),
        *n = device_of(numbers<float>(4096, -1, 1)),
        *p = device_of(std::vector<float>(4096));
  hipLaunchKernelGGL(sgemm, dim3(4, 4), dim3(16, 16), 0, 0, m, n, p, 64);
  result("sgemm", p, 4096);
}

static void integers()
{
  int *p = device_of(any_bits<int>(128));
  RUN(shfls, 1, 128, p);
  result("shfls", p, 128);
  int *q = device_of(any_bits<int>(68));
  unsigned *u = device_of(any_bits<unsigned>(5));
  float *f = device_of(std::vector<float>{3});
  double *d = device_of(std::vector<double>{5});
  unsigned long long *l = device_of(any_bits<unsigned long long>(1));
  RUN(atomics, 1, 64, q, u, f, d, l);
  result("atomics of int", q, 68);
  result("atomics of unsigned", u, 5);
  result("atomics of float", f, 1);
  result("atomics of double", d, 1);
  result("atomics of 64 bits", l, 1);
  long *x = device_of(any_bits<long>(64 * 2));
  int *y = device_of(any_bits<int>(64 * 10));
  short *s = device_of(any_bits<short>(64 * 2));
  unsigned char *c = device_of(any_bits<unsigned char>(64));
  for (int i = 0; i < 64; i++) { // its items read what others write
    RUN(ints, 1, 1, x + 2 * i, y + 10 * i, s + 2 * i, c + i);
  }
  result("ints of 64 bits", x, 128);
  result("ints of 32 bits", y, 640);
  result("ints of 16 bits", s, 128);
  result("ints of 8 bits", c, 64);
  int *v = device_of(any_bits<int>(256));
  RUN(sw, 1, 256, v, 50);
  result("sw", v, 256);
}

static void memory()
{
  float *p = device_of(numbers<float>(128, -1, 1));
  RUN(spill, 1, 1, p, 1000);
  result("spill", p, 128);
  float *q = device_of(numbers<float>(256, -9, 9));
  RUN(indirect, 1, 256, q, 1);
  RUN(indirect, 1, 256, q, 2);
  result("indirect", q, 256);
  float *a = device_of(numbers<float>(4 * 64, -9, 9)),
        *b = device_of(std::vector<float>(4 * 64)),
        *c = device_of(std::vector<float>(3 * 64));
  RUN(vec4, 1, 64, (const V4 *)a, (V4 *)b, (float3 *)c);
  result("vec4 of 4", b, 256);
  result("vec4 of 3", c, 192);
}

static void functions()
{
  __half *a = device_of(whole_numbers<__half>(64)),
         *b = device_of(whole_numbers<__half>(128)),
         *c = device_of(std::vector<__half>(128)),
         *d = device_of(std::vector<__half>(128));
  RUN(halfs, 1, 64, a, (const __half2 *)b, c, (__half2 *)d);
  result("halfs", c, 128, 1);
  result("halfs by two", d, 128);
  double *x = device_of(numbers<double>(256, 0.5, 3));
  float *y = device_of(numbers<float>(256, 0.5, 3));
  RUN(dmath, 1, 256, x, y);
  result("dmath of double", x, 256, 4);
  result("dmath of float", y, 256, 4);
}

static void others()
{
  unsigned long long *o = device_of(std::vector<unsigned long long>(64));
  RUN(clockk, 1, 64, o);
  int *p = device_of(std::vector<int>{76});
  RUN(asrt, 1, 64, p);
}

extern "C" unsigned small_run(host_elsewhere *launch)
{
  elsewhere = launch;
  state = 1;
  next = differing = 0;
  arithmetic();
  integers();
  memory();
  functions();
  others();
  return differing;
}
