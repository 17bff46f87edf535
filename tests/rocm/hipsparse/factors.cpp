// SPDX-License-Identifier: MIT
// Incomplete factors without fill: of rows, and of rows of blocks, which are
// the same for a pattern of full blocks.
#include "hipsparse.hpp"

// ---- rows ----

// What the check of csrilu02 prepares; `boost` of pivots up to `tolerance`, if
// there is one.
template <class T>
static void csrilu02_run(const stored<T> &s, const csrilu02_info &i,
                         const double *tolerance, const T *boost)
{
  const descr d;
  const int m = s.host.m;
  int small;
  size_t size;
  TYPED(csrilu02_bufferSize, handle, m, s.nnz, d, s.val, s.ptr, s.ind, i,
        &small);
  TYPED(csrilu02_bufferSizeExt, handle, m, s.nnz, d, s.val, s.ptr, s.ind, i,
        &size);
  const space buffer(size);
  TYPED(csrilu02_analysis, handle, m, s.nnz, d, s.val, s.ptr, s.ind, i, policy,
        buffer);
  if (boost)
    TYPED(csrilu02_numericBoost, handle, i, 1, tolerance, boost);
  TYPED(csrilu02, handle, m, s.nnz, d, s.val, s.ptr, s.ind, i, policy, buffer);
  HIP(hipDeviceSynchronize());
  verdict_equal((size_t)small == size);
}

template <class T> static void check_csrilu02()
{
  const dense a = random_dominant<T>(150, 10);
  check_run("csrilu02", [&] {
    const csrilu02_info i;
    const stored<T> s(a);
    int pivot = -5;
    csrilu02_run<T>(s, i, nullptr, nullptr);
    PLAIN(Xcsrilu02_zeroPivot, handle, i, &pivot);
    verdict_equal(pivot == -1);
    verdict(off_stored(s, lu_of(a), false));
  });
  // A zero on the diagonal is named by its row.
  check_run("csrilu02, a zero pivot", [&] {
    const csrilu02_info i;
    const stored<T> s(random_zero_pivot<T>(40, 17));
    int pivot = -5;
    csrilu02_run<T>(s, i, nullptr, nullptr);
    verdict_equal(hipsparseXcsrilu02_zeroPivot(handle, i, &pivot) ==
                      HIPSPARSE_STATUS_ZERO_PIVOT &&
                  pivot == 17 + base);
  });
}

template <class T> static void check_csric02()
{
  const dense a = random_dominant<T>(150, 10);
  const descr d;
  check_run("csric02", [&] {
    const csric02_info i;
    const stored<T> s(a);
    int small, pivot = -5;
    size_t size;
    TYPED(csric02_bufferSize, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i,
          &small);
    TYPED(csric02_bufferSizeExt, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i,
          &size);
    const space buffer(size);
    TYPED(csric02_analysis, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i,
          policy, buffer);
    TYPED(csric02, handle, a.m, s.nnz, d, s.val, s.ptr, s.ind, i, policy,
          buffer);
    PLAIN(Xcsric02_zeroPivot, handle, i, &pivot);
    verdict_equal(pivot == -1 && (size_t)small == size);
    verdict(off_stored(s, cholesky_of(a), false, true));
  });
}

// ---- rows of blocks ----

template <class T>
static void bsrilu02_run(const stored<T> &s, int dir, const bsrilu02_info &i,
                         const double *tolerance, const T *boost)
{
  const descr d;
  const int mb = s.host.rows(), block = s.host.rb;
  int size;
  TYPED(bsrilu02_bufferSize, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind,
        block, i, &size);
  const space buffer(size);
  TYPED(bsrilu02_analysis, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind,
        block, i, policy, buffer);
  if (boost)
    TYPED(bsrilu02_numericBoost, handle, i, 1, tolerance, boost);
  TYPED(bsrilu02, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind, block, i,
        policy, buffer);
  HIP(hipDeviceSynchronize());
}

template <class T> static void check_bsr(int block, int dir)
{
  const dense a = random_dominant<T>(block * 12, 25, block);
  const descr d;
  check_run("bsrilu02", [&] {
    const bsrilu02_info i;
    const stored<T> s(a, block, block, dir);
    int pivot = -5;
    bsrilu02_run<T>(s, dir, i, nullptr, nullptr);
    PLAIN(Xbsrilu02_zeroPivot, handle, i, &pivot);
    verdict_equal(pivot == -1);
    verdict(off_stored(s, lu_of(a), dir));
  });
  check_run("bsric02", [&] {
    const bsric02_info i;
    const stored<T> s(a, block, block, dir);
    const int mb = s.host.rows();
    int size, pivot = -5;
    TYPED(bsric02_bufferSize, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind,
          block, i, &size);
    const space buffer(size);
    TYPED(bsric02_analysis, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind,
          block, i, policy, buffer);
    TYPED(bsric02, handle, dir, mb, s.nnz, d, s.val, s.ptr, s.ind, block, i,
          policy, buffer);
    PLAIN(Xbsric02_zeroPivot, handle, i, &pivot);
    verdict_equal(pivot == -1);
    verdict(off_stored(s, cholesky_of(a, conjugating_block(block)), dir, true));
  });
}

// Two small pivots, raised; the tolerance of every type is a double.
template <class T> static void check_boost()
{
  enum { BLOCK = 4 };
  const dense a = random_small_pivots<T>(BLOCK * 10, BLOCK);
  const double tolerance = 0.03125;
  const T boost = (T)8;
  const dense expected = lu_of(a, tolerance, 8);
  check_run("csrilu02, boosted", [&] {
    const csrilu02_info i;
    const stored<T> s(a);
    csrilu02_run(s, i, &tolerance, &boost);
    verdict(off_stored(s, expected, false));
  });
  check_run("bsrilu02, boosted", [&] {
    const bsrilu02_info i;
    const stored<T> s(a, BLOCK, BLOCK);
    bsrilu02_run(s, 0, i, &tolerance, &boost);
    verdict(off_stored(s, expected, false));
  });
}

template <class T> void check_factors()
{
  check_csrilu02<T>();
  check_csric02<T>();
  static const int blocks[] = {2, 3, 4, 8, 13, 20};
  for (int block : blocks)
    for (int dir = 0; dir < 2; dir++)
      check_bsr<T>(block, dir);
  check_boost<T>();
}
FOR_TYPES(check_factors)
