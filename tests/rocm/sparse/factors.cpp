// SPDX-License-Identifier: MIT
// Incomplete factors without fill: of rows, and of rows of blocks, which are
// the same for a pattern of full blocks.
#include "sparse.hpp"

// LU in place of what is stored; a pivot up to `tolerance` becomes `boost`.
static dense lu_of(dense a, long double tolerance = -1, wide boost = 0)
{
  for (int k = 0; k < a.n; k++) {
    if (std::abs(a(k, k)) <= tolerance)
      a(k, k) = boost;
    for (int i = k + 1; i < a.m; i++) {
      if (!a.has(i, k))
        continue;
      a(i, k) /= a(k, k);
      for (int j = k + 1; j < a.n; j++)
        if (a.has(i, j) && a.has(k, j))
          a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return a;
}

// Cholesky of the lower triangle; the upper one stays. Of complex values 5.3
// takes the conjugate of each product, but on the diagonal's blocks.
static dense cholesky_of(dense a, int block = 1)
{
  for (int j = 0; j < a.n; j++) {
    for (int k = 0; k < j; k++)
      if (a.has(j, k))
        a(j, j) -= std::norm(a(j, k));
    a(j, j) = std::sqrt(a(j, j));
    for (int i = j + 1; i < a.m; i++) {
      if (!a.has(i, j))
        continue;
      for (int k = 0; k < j; k++)
        if (a.has(i, k) && a.has(j, k))
          a(i, j) -= i / block == j / block ? a(i, k) * std::conj(a(j, k))
                                            : std::conj(a(i, k)) * a(j, k);
      a(i, j) /= a(j, j);
    }
  }
  return a;
}

// The blocks within which bsric0 conjugates the other factor: for waves of 32 lanes
// the library has one kernel, which does as csric0.
static int conjugating_block(int block)
{
  int device = 0;
  hipDeviceProp_t properties;
  return hipGetDevice(&device) == hipSuccess &&
                 hipGetDeviceProperties(&properties, device) == hipSuccess &&
                 properties.warpSize == 32
             ? 1
             : block;
}

static const rocsparse_analysis_policy reuse = rocsparse_analysis_policy_reuse;
static const rocsparse_solve_policy policy = rocsparse_solve_policy_auto;

// The largest difference of what is stored.
template <class T>
static double off(const stored<T> &s, const dense &expected,
                  rocsparse_direction dir, bool lower = false)
{
  const std::vector<T> got = s.val.host();
  const int rb = s.host.rb, cb = s.host.cb;
  std::vector<T> values;
  std::vector<wide> wanted;
  for (int i = 0; i < s.host.rows(); i++)
    for (int k = s.host.ptr[i] - base; k < s.host.ptr[i + 1] - base; k++)
      for (int e = 0; e < rb * cb; e++) {
        const bool by_row = dir == rocsparse_direction_row;
        const int r = i * rb + (by_row ? e / cb : e % rb);
        const int c = (s.host.ind[k] - base) * cb + (by_row ? e % cb : e / rb);
        if (lower && c > r)
          continue;
        values.push_back(got[(size_t)k * rb * cb + e]);
        wanted.push_back(expected(r, c));
      }
  return ulps(values, wanted);
}

template <class T> static void check_csrilu0()
{
  const dense a = random_dominant<T>(150, 10);
  const descr d;
  check_run("csrilu0", [&] {
    const stored<T> s(a);
    const info i;
    size_t size;
    int pivot = -5;
    TYPED(csrilu0_buffer_size, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i,
          &size);
    const space buffer(size);
    TYPED(csrilu0_analysis, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i,
          reuse, policy, buffer);
    TYPED(csrilu0, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i, policy,
          buffer);
    PLAIN(csrilu0_zero_pivot, handle, i, &pivot);
    PLAIN(csrilu0_clear, handle, i);
    verdict_equal(pivot == -1);
    verdict(off(s, lu_of(a), rocsparse_direction_row));
  });
}

template <class T> static void check_csric0()
{
  const dense a = random_dominant<T>(150, 10);
  const descr d;
  check_run("csric0", [&] {
    const stored<T> s(a);
    const info i;
    size_t size;
    int pivot = -5;
    TYPED(csric0_buffer_size, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i,
          &size);
    const space buffer(size);
    TYPED(csric0_analysis, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i, reuse,
          policy, buffer);
    TYPED(csric0, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i, policy,
          buffer);
    PLAIN(csric0_zero_pivot, handle, i, &pivot);
    PLAIN(csric0_clear, handle, i);
    verdict_equal(pivot == -1);
    verdict(off(s, cholesky_of(a), rocsparse_direction_row, true));
  });
}

// A zero on the diagonal is named by its row, when a later row needs it.
template <class T> static void check_pivot()
{
  dense a = random_dominant<T>(40, 10);
  for (int j = 0; j < a.n; j++) {
    a(17, j) = a(17, j) * wide(j == 17 ? 0 : 1);
    a.there[(size_t)j * a.m + 17] = a.has(17, j) && j >= 17;
  }
  a.put(39, 17, 1);
  const descr d;
  check_run("csrilu0, a zero pivot", [&] {
    const stored<T> s(a);
    const info i;
    size_t size;
    int pivot = -5;
    TYPED(csrilu0_buffer_size, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i,
          &size);
    const space buffer(size);
    TYPED(csrilu0_analysis, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i,
          reuse, policy, buffer);
    TYPED(csrilu0, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i, policy,
          buffer);
    verdict_equal(rocsparse_csrilu0_zero_pivot(handle, i, &pivot) ==
                      rocsparse_status_zero_pivot &&
                  pivot == 17 + base);
  });
}

template <class T> static void check_bsr(int block, rocsparse_direction dir)
{
  const dense a = random_dominant<T>(block * 12, 25, block);
  const descr d;
  check_run("bsrilu0", [&] {
    const stored<T> s(a, block, block, dir);
    const int mb = s.host.rows();
    const info i;
    size_t size;
    int pivot = -5;
    TYPED(bsrilu0_buffer_size, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind,
          block, i, &size);
    const space buffer(size);
    TYPED(bsrilu0_analysis, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind,
          block, i, reuse, policy, buffer);
    TYPED(bsrilu0, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind, block, i,
          policy, buffer);
    PLAIN(bsrilu0_zero_pivot, handle, i, &pivot);
    PLAIN(bsrilu0_clear, handle, i);
    verdict_equal(pivot == -1);
    verdict(off(s, lu_of(a), dir));
  });
  check_run("bsric0", [&] {
    const stored<T> s(a, block, block, dir);
    const int mb = s.host.rows();
    const info i;
    size_t size;
    int pivot = -5;
    TYPED(bsric0_buffer_size, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind,
          block, i, &size);
    const space buffer(size);
    TYPED(bsric0_analysis, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind,
          block, i, reuse, policy, buffer);
    TYPED(bsric0, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind, block, i,
          policy, buffer);
    PLAIN(bsric0_zero_pivot, handle, i, &pivot);
    PLAIN(bsric0_clear, handle, i);
    verdict_equal(pivot == -1);
    verdict(off(s, cholesky_of(a, conjugating_block(block)), dir, true));
  });
}

// Two small pivots, raised. The tolerance is of the type's own precision, or of
// double for single values.
template <class T> static void check_boost(bool wide_tolerance)
{
  typedef typename kind<T>::real real;
  enum { BLOCK = 4 };
  dense a = random_dominant<T>(BLOCK * 10, 25, BLOCK);
  a(0, 0) = wide(1) / 4096.0L;
  a(BLOCK, BLOCK) = wide(1) / 4096.0L;
  for (int j = 1; j < a.n; j++) {
    a(0, j) = a(0, j) / 64.0L;
    a(BLOCK, j) = j == BLOCK ? a(BLOCK, j) : a(BLOCK, j) / 64.0L;
  }
  const real tolerance = (real)0.03125;
  const double in_double = 0.03125;
  const T boost = (T)8;
  const dense expected = lu_of(a, tolerance, 8);
  const descr d;
  check_run("csrilu0, boosted", [&] {
    const stored<T> s(a);
    const info i;
    size_t size;
    TYPED(csrilu0_buffer_size, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i,
          &size);
    const space buffer(size);
    TYPED(csrilu0_analysis, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i,
          reuse, policy, buffer);
    if constexpr (kind<T>::letter == 's') {
      if (wide_tolerance)
        PLAIN(dscsrilu0_numeric_boost, handle, i, 1, &in_double, &boost);
    }
    if constexpr (kind<T>::letter == 'c') {
      if (wide_tolerance)
        PLAIN(dccsrilu0_numeric_boost, handle, i, 1, &in_double, &boost);
    }
    if (!wide_tolerance)
      TYPED(csrilu0_numeric_boost, handle, i, 1, &tolerance, &boost);
    TYPED(csrilu0, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i, policy,
          buffer);
    verdict(off(s, expected, rocsparse_direction_row));
  });
  check_run("bsrilu0, boosted", [&] {
    const rocsparse_direction dir = rocsparse_direction_row;
    const stored<T> s(a, BLOCK, BLOCK, dir);
    const int mb = s.host.rows();
    const info i;
    size_t size;
    TYPED(bsrilu0_buffer_size, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind,
          BLOCK, i, &size);
    const space buffer(size);
    TYPED(bsrilu0_analysis, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind,
          BLOCK, i, reuse, policy, buffer);
    if constexpr (kind<T>::letter == 's') {
      if (wide_tolerance)
        PLAIN(dsbsrilu0_numeric_boost, handle, i, 1, &in_double, &boost);
    }
    if constexpr (kind<T>::letter == 'c') {
      if (wide_tolerance)
        PLAIN(dcbsrilu0_numeric_boost, handle, i, 1, &in_double, &boost);
    }
    if (!wide_tolerance)
      TYPED(bsrilu0_numeric_boost, handle, i, 1, &tolerance, &boost);
    TYPED(bsrilu0, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind, BLOCK, i,
          policy, buffer);
    verdict(off(s, expected, dir));
  });
}

template <class T> void check_factors()
{
  check_csrilu0<T>();
  check_csric0<T>();
  check_pivot<T>();
  static const int blocks[] = {2, 3, 4, 8, 13, 20};
  for (int block : blocks) {
    check_bsr<T>(block, rocsparse_direction_row);
    check_bsr<T>(block, rocsparse_direction_column);
  }
  check_boost<T>(false);
  if (sizeof(typename kind<T>::real) == sizeof(float))
    check_boost<T>(true);
}
FOR_TYPES(check_factors)
