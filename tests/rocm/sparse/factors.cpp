// SPDX-License-Identifier: MIT
// Incomplete factors without fill: of rows, and of rows of blocks, which are
// the same for a pattern of full blocks.
#include "sparse.hpp"

static const rocsparse_analysis_policy reuse = rocsparse_analysis_policy_reuse;
static const rocsparse_solve_policy policy = rocsparse_solve_policy_auto;

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
    verdict(off_stored(s, lu_of(a), false));
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
    verdict(off_stored(s, cholesky_of(a), false, true));
  });
}

// A zero on the diagonal is named by its row, when a later row needs it.
template <class T> static void check_pivot()
{
  const dense a = random_zero_pivot<T>(40, 17);
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
    verdict(off_stored(s, lu_of(a), dir));
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
    verdict(off_stored(s, cholesky_of(a, conjugating_block(block)), dir, true));
  });
}

// Two small pivots, raised. The tolerance is of the type's own precision, or of
// double for single values.
template <class T> static void check_boost(bool wide_tolerance)
{
  typedef typename kind<T>::real real;
  enum { BLOCK = 4 };
  const dense a = random_small_pivots<T>(BLOCK * 10, BLOCK);
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
    verdict(off_stored(s, expected, false));
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
    verdict(off_stored(s, expected, dir));
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
