// SPDX-License-Identifier: MIT
// Tests of rocSPARSE's routines against dense mathematics on the host in long
// double. A check calls routines by the macros below, which note their names,
// and ends with a verdict on the result; the report has a line a routine with
// the worst verdict of the checks that called it:
//
//   NAME equal          every result has the bits that the host computes
//   NAME ulps N         the largest difference, in units of the last place at
//                       the size of the value, or at 1
//   NAME failing WHY    a status, or a difference above the check's limit
//
// One thread. Matrices are small, so that a check costs little, and random by a
// fixed seed.
#ifndef SPARSE_HPP
#define SPARSE_HPP

#include <hip/hip_runtime_api.h>
#include <rocsparse/rocsparse.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

typedef std::complex<long double> wide;

// ---- types of values ----

template <class T> struct kind;
template <> struct kind<float> {
  typedef float real;
  static constexpr char letter = 's';
  static constexpr rocsparse_datatype datatype = rocsparse_datatype_f32_r;
  static constexpr bool complex = false;
  static float of(wide v)
  {
    return (float)v.real();
  }
};
template <> struct kind<double> {
  typedef double real;
  static constexpr char letter = 'd';
  static constexpr rocsparse_datatype datatype = rocsparse_datatype_f64_r;
  static constexpr bool complex = false;
  static double of(wide v)
  {
    return (double)v.real();
  }
};
template <> struct kind<std::complex<float>> {
  typedef float real;
  static constexpr char letter = 'c';
  static constexpr rocsparse_datatype datatype = rocsparse_datatype_f32_c;
  static constexpr bool complex = true;
  static std::complex<float> of(wide v)
  {
    return std::complex<float>(v);
  }
};
template <> struct kind<std::complex<double>> {
  typedef double real;
  static constexpr char letter = 'z';
  static constexpr rocsparse_datatype datatype = rocsparse_datatype_f64_c;
  static constexpr bool complex = true;
  static std::complex<double> of(wide v)
  {
    return std::complex<double>(v);
  }
};

static inline wide wide_of(float v)
{
  return wide(v, 0);
}
static inline wide wide_of(double v)
{
  return wide(v, 0);
}
template <class R> static inline wide wide_of(std::complex<R> v)
{
  return wide(v);
}

// ---- device memory, freed with its scope ----

static inline void hip_must(hipError_t error, const char *call)
{
  if (error != hipSuccess) {
    printf("%s: %s\n", call, hipGetErrorName(error));
    exit(2);
  }
}
#define HIP(call) hip_must(call, #call)

template <class T> struct device {
  T *at = nullptr;
  size_t count = 0;

  explicit device(size_t n) : count(n)
  {
    allocate();
  }
  explicit device(const std::vector<T> &from) : count(from.size())
  {
    allocate();
    if (count)
      HIP(hipMemcpy(at, from.data(), count * sizeof(T), hipMemcpyHostToDevice));
  }
  device(const device &) = delete;
  device &operator=(const device &) = delete;
  ~device()
  {
    (void)hipFree(at);
  }
  std::vector<T> host() const
  {
    std::vector<T> out(count);
    if (count)
      HIP(hipMemcpy(out.data(), at, count * sizeof(T), hipMemcpyDeviceToHost));
    return out;
  }

private:
  void allocate()
  {
    HIP(hipMalloc((void **)&at, (count ? count : 1) * sizeof(T)));
    HIP(hipMemset(at, 0xa5, (count ? count : 1) * sizeof(T)));
  }
};
typedef device<char> space;

// ---- calls ----

struct refused {
}; // a status that ends the check

// Notes that the check calls a routine, and its status.
void routine_note(const std::string &name, rocsparse_status status);

template <class P, class A> static P argument(const A &from)
{
  if constexpr (std::is_convertible<A, P>::value) {
    return (P)from;
  } else {
    P out;
    static_assert(sizeof(P) == sizeof(A), "an argument of another type");
    memcpy((void *)&out, (const void *)&from, sizeof out);
    return out;
  }
}
template <class P, class T> static P argument(const device<T> &from)
{
  if constexpr (!std::is_same<P, void *>::value &&
                !std::is_same<P, const void *>::value)
    static_assert(sizeof(typename std::remove_pointer<P>::type) == sizeof(T),
                  "memory of another type");
  return (P)(void *)from.at;
}

template <class... P, class... A>
static void invoke(const std::string &name, rocsparse_status (*f)(P...),
                   const A &...args)
{
  routine_note(name, f(argument<P>(args)...));
}

template <class T, class S, class D, class C, class Z>
static constexpr auto pick(S s, D d, C c, Z z)
{
  if constexpr (kind<T>::letter == 's')
    return s;
  else if constexpr (kind<T>::letter == 'd')
    return d;
  else if constexpr (kind<T>::letter == 'c')
    return c;
  else
    return z;
}

// A routine of every type; of real types; of complex ones; of none.
#define TYPED(name, ...)                                                       \
  invoke(std::string(1, kind<T>::letter) + #name,                              \
         pick<T>(rocsparse_s##name, rocsparse_d##name, rocsparse_c##name,      \
                 rocsparse_z##name),                                           \
         __VA_ARGS__)
#define REAL(name, ...)                                                        \
  invoke(std::string(1, kind<T>::letter) + #name,                              \
         pick<T>(rocsparse_s##name, rocsparse_d##name, 0, 0), __VA_ARGS__)
#define COMPLEX(name, ...)                                                     \
  invoke(std::string(1, kind<T>::letter) + #name,                              \
         pick<T>(0, 0, rocsparse_c##name, rocsparse_z##name), __VA_ARGS__)
#define PLAIN(name, ...) invoke(#name, rocsparse_##name, __VA_ARGS__)

// ---- the session, and matrix descriptions ----

extern rocsparse_handle handle;
extern rocsparse_index_base base; // of every matrix of the current pass

struct descr {
  rocsparse_mat_descr at;
  descr();
  descr(rocsparse_fill_mode fill, rocsparse_diag_type diag);
  descr(const descr &) = delete;
  ~descr()
  {
    rocsparse_destroy_mat_descr(at);
  }
  operator rocsparse_mat_descr() const
  {
    return at;
  }
};

struct info {
  rocsparse_mat_info at;
  info()
  {
    rocsparse_create_mat_info(&at);
  }
  info(const info &) = delete;
  ~info()
  {
    rocsparse_destroy_mat_info(at);
  }
  operator rocsparse_mat_info() const
  {
    return at;
  }
};

// ---- verdicts ----

// Runs a check: nothing that it called counts unless it reaches its verdicts.
void check_run(const char *name, const std::function<void()> &check);
// A result with its difference; more than `limit` ulps fail.
void verdict(double ulps, double limit = 64);
static inline void verdict_equal(bool equal)
{
  verdict(equal ? 0 : INFINITY);
}

template <class T>
static double ulps(const std::vector<T> &got, const std::vector<wide> &expected)
{
  const long double epsilon =
      std::numeric_limits<typename kind<T>::real>::epsilon();
  long double most = got.size() == expected.size() ? 0 : INFINITY;
  for (size_t i = 0; i < got.size() && i < expected.size(); i++) {
    const long double off = std::abs(wide_of(got[i]) - expected[i]) /
                            (epsilon * std::fmax(1.0L, std::abs(expected[i])));
    most = off <= most ? most : off; // not a number stays
  }
  return (double)most;
}

// ---- dense matrices of the host, which say what is stored ----

struct dense {
  int m, n;
  std::vector<wide> v;     // by columns
  std::vector<char> there; // stored in the sparse form

  dense(int rows, int columns)
      : m(rows), n(columns), v((size_t)rows * columns),
        there((size_t)rows * columns)
  {
  }
  wide &operator()(int i, int j)
  {
    return v[(size_t)j * m + i];
  }
  wide operator()(int i, int j) const
  {
    return v[(size_t)j * m + i];
  }
  bool has(int i, int j) const
  {
    return there[(size_t)j * m + i];
  }
  void put(int i, int j, wide value)
  {
    (*this)(i, j) = value;
    there[(size_t)j * m + i] = 1;
  }
};

int random_below(int n);
// A multiple of 1/64 in ±1, exact in every type, never 0.
template <class T> wide random_value()
{
  const long double re = (random_below(64) + 1) / 64.0L;
  const long double im = (random_below(64) + 1) / 64.0L;
  return wide(random_below(2) ? re : -re, !kind<T>::complex ? 0
                                          : random_below(2) ? im
                                                            : -im);
}
template <class T> std::vector<wide> random_vector(size_t n)
{
  std::vector<wide> out(n);
  for (wide &v : out)
    v = random_value<T>();
  return out;
}
// About `percent` of the entries, in blocks of rb × cb that are full.
template <class T>
dense random_matrix(int m, int n, int percent, int rb = 1, int cb = 1)
{
  dense out(m, n);
  for (int i = 0; i < m; i += rb)
    for (int j = 0; j < n; j += cb)
      if (random_below(100) < percent)
        for (int r = i; r < i + rb && r < m; r++)
          for (int c = j; c < j + cb && c < n; c++)
            out.put(r, c, random_value<T>());
  return out;
}
// Square, Hermitian in pattern, with a diagonal above the sum of its row.
template <class T> dense random_dominant(int m, int percent, int block = 1)
{
  dense out(m, m);
  for (int i = 0; i < m; i += block)
    for (int j = 0; j <= i; j += block)
      if (i == j || random_below(100) < percent)
        for (int r = i; r < i + block; r++)
          for (int c = j; c < j + block; c++)
            if (c <= r) {
              const wide v = random_value<T>();
              out.put(r, c, v);
              out.put(c, r, std::conj(v));
            }
  for (int i = 0; i < m; i++) {
    long double sum = 1;
    for (int j = 0; j < m; j++)
      sum += std::abs(out(i, j));
    out.put(i, i, std::ceil(sum));
  }
  return out;
}

dense transposed(const dense &a, bool conjugate);
dense operated(const dense &a, rocsparse_operation op);
dense product(const dense &a, const dense &b);
std::vector<wide> product(const dense &a, const std::vector<wide> &x);
// The triangle that a fill mode and a diagonal type read.
dense triangle_of(const dense &a, rocsparse_fill_mode fill,
                  rocsparse_diag_type diag);
// Solves a·x = b by elimination with pivots.
dense solved(dense a, dense b);
dense column_of(const std::vector<wide> &v);

template <class T> std::vector<T> narrow(const std::vector<wide> &from)
{
  std::vector<T> out;
  for (const wide &v : from)
    out.push_back(kind<T>::of(v));
  return out;
}
// Rows become columns in memory.
std::vector<wide> by_rows(const dense &a);

// ---- sparse forms of the host ----

// Compressed rows of blocks; rb = cb = 1 is CSR. Values of a block lie by rows
// or by columns of it.
template <class T> struct compressed {
  int m, n, rb, cb; // of the matrix, of a block
  std::vector<int> ptr, ind;
  std::vector<T> val;

  int rows() const
  {
    return (m + rb - 1) / rb;
  }
  int columns() const
  {
    return (n + cb - 1) / cb;
  }
  int count() const
  {
    return (int)ind.size();
  }
};

template <class T>
compressed<T> compressed_of(const dense &a, int rb = 1, int cb = 1,
                            rocsparse_direction dir = rocsparse_direction_row)
{
  compressed<T> out = {a.m, a.n, rb, cb, {base}, {}, {}};
  for (int i = 0; i < a.m; i += rb) {
    for (int j = 0; j < a.n; j += cb) {
      bool any = false;
      for (int k = 0; k < rb * cb; k++)
        any |= i + k / cb < a.m && j + k % cb < a.n &&
               a.has(i + k / cb, j + k % cb);
      if (!any)
        continue;
      out.ind.push_back(j / cb + base);
      for (int k = 0; k < rb * cb; k++) {
        const int r = i + (dir == rocsparse_direction_row ? k / cb : k % rb);
        const int c = j + (dir == rocsparse_direction_row ? k % cb : k / rb);
        out.val.push_back(
            r < a.m && c < a.n && a.has(r, c) ? kind<T>::of(a(r, c)) : T(0));
      }
    }
    out.ptr.push_back(out.count() + base);
  }
  return out;
}

// The row of each entry.
template <class T> std::vector<int> row_indices(const compressed<T> &a)
{
  std::vector<int> out;
  for (int i = 0; i < a.rows(); i++)
    out.insert(out.end(), a.ptr[i + 1] - a.ptr[i], i + base);
  return out;
}

// The same on the device.
template <class T> struct stored {
  compressed<T> host;
  device<int> ptr, ind;
  device<T> val;
  int nnz;

  explicit stored(const compressed<T> &h)
      : host(h), ptr(h.ptr), ind(h.ind), val(h.val), nnz(h.count())
  {
  }
  explicit stored(const dense &a, int rb = 1, int cb = 1,
                  rocsparse_direction dir = rocsparse_direction_row)
      : stored(compressed_of<T>(a, rb, cb, dir))
  {
  }
};

// ELLPACK by columns: `width` entries a row, padded with −1.
template <class T> struct ellpack {
  int width;
  std::vector<int> ind;
  std::vector<T> val;
};
template <class T> ellpack<T> ellpack_of(const dense &a)
{
  const compressed<T> rows = compressed_of<T>(a);
  ellpack<T> out = {0, {}, {}};
  for (int i = 0; i < a.m; i++)
    out.width = std::max(out.width, rows.ptr[i + 1] - rows.ptr[i]);
  out.ind.assign((size_t)out.width * a.m, -1);
  out.val.assign((size_t)out.width * a.m, T(0));
  for (int i = 0; i < a.m; i++)
    for (int k = rows.ptr[i]; k < rows.ptr[i + 1]; k++) {
      const size_t to = (size_t)(k - rows.ptr[i]) * a.m + i;
      out.ind[to] = rows.ind[k - base];
      out.val[to] = rows.val[k - base];
    }
  return out;
}

// ---- the checks, a function a file and type ----

template <class T> void check_vectors();
template <class T> void check_products();
template <class T> void check_solvers();
template <class T> void check_matrices();
template <class T> void check_factors();
template <class T> void check_bands();
template <class T> void check_conversions();
template <class T> void check_blocks();
template <class T> void check_pruning();
template <class T> void check_descriptors();
template <class T> void check_generic();
template <class T> void check_structure();
void check_auxiliary();
void check_orders();

#define FOR_TYPES(function)                                                    \
  template void function<float>();                                             \
  template void function<double>();                                            \
  template void function<std::complex<float>>();                               \
  template void function<std::complex<double>>();

#endif
