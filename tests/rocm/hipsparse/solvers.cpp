// SPDX-License-Identifier: MIT
// Triangular systems: op(A)·x = α·b, one right side (level 2) or several (level
// 3).
#include "hipsparse.hpp"

enum { RIGHTS = 5, CASES = 12 };

template <class T> static void check_csrsv(int which)
{
  const system_case<T> c(150, 1, which, 1);
  const stored<T> s(c.a);
  const descr d(c.upper, c.unit);
  check_run("csrsv2", [&] {
    const csrsv2_info i;
    const device<T> in(narrow<T>(c.b.v)), out(c.b.v.size());
    int small, pivot = -5;
    size_t size;
    TYPED(csrsv2_bufferSize, handle, c.op, c.a.m, s.nnz, d, s.val, s.ptr, s.ind,
          i, &small);
    TYPED(csrsv2_bufferSizeExt, handle, c.op, c.a.m, s.nnz, d, s.val, s.ptr,
          s.ind, i, &size);
    const space buffer(size);
    TYPED(csrsv2_analysis, handle, c.op, c.a.m, s.nnz, d, s.val, s.ptr, s.ind,
          i, policy, buffer);
    TYPED(csrsv2_solve, handle, c.op, c.a.m, s.nnz, &c.alpha_t, d, s.val, s.ptr,
          s.ind, i, in, out, policy, buffer);
    PLAIN(Xcsrsv2_zeroPivot, handle, i, &pivot);
    verdict_equal(pivot == -1 && (size_t)small == size);
    verdict(ulps(out.host(), c.x.v));
  });
}

template <class T> static void check_csrsm(int which)
{
  const system_case<T> c(150, RIGHTS, which, 1);
  const stored<T> s(c.a);
  const descr d(c.upper, c.unit);
  check_run("csrsm2", [&] {
    const csrsm2_info i;
    const device<T> b(narrow<T>(c.b.v));
    size_t size;
    int pivot = -5;
    TYPED(csrsm2_bufferSizeExt, handle, 0, c.op, none, c.a.m, RIGHTS, s.nnz,
          &c.alpha_t, d, s.val, s.ptr, s.ind, b, c.a.m, i, policy, &size);
    const space buffer(size);
    TYPED(csrsm2_analysis, handle, 0, c.op, none, c.a.m, RIGHTS, s.nnz,
          &c.alpha_t, d, s.val, s.ptr, s.ind, b, c.a.m, i, policy, buffer);
    TYPED(csrsm2_solve, handle, 0, c.op, none, c.a.m, RIGHTS, s.nnz, &c.alpha_t,
          d, s.val, s.ptr, s.ind, b, c.a.m, i, policy, buffer);
    PLAIN(Xcsrsm2_zeroPivot, handle, i, &pivot);
    verdict_equal(pivot == -1);
    verdict(ulps(b.host(), c.x.v));
  });
}

template <class T> static void check_bsrsv(int which, int block, int dir)
{
  const system_case<T> c(block * 12, 1, which, block);
  const stored<T> s(c.a, block, block, dir);
  const int mb = s.host.rows();
  const descr d(c.upper, c.unit);
  check_run("bsrsv2", [&] {
    const bsrsv2_info i;
    const device<T> in(narrow<T>(c.b.v)), out(c.b.v.size());
    int small, pivot = -5;
    size_t size;
    TYPED(bsrsv2_bufferSize, handle, dir, c.op, mb, s.nnz, d, s.val, s.ptr,
          s.ind, block, i, &small);
    TYPED(bsrsv2_bufferSizeExt, handle, dir, c.op, mb, s.nnz, d, s.val, s.ptr,
          s.ind, block, i, &size);
    const space buffer(size);
    TYPED(bsrsv2_analysis, handle, dir, c.op, mb, s.nnz, d, s.val, s.ptr, s.ind,
          block, i, policy, buffer);
    TYPED(bsrsv2_solve, handle, dir, c.op, mb, s.nnz, &c.alpha_t, d, s.val,
          s.ptr, s.ind, block, i, in, out, policy, buffer);
    PLAIN(Xbsrsv2_zeroPivot, handle, i, &pivot);
    verdict_equal(pivot == -1 && (size_t)small == size);
    verdict(ulps(out.host(), c.x.v));
  });
}

template <class T> static void check_bsrsm(int which, int block, int dir)
{
  const system_case<T> c(block * 12, RIGHTS, which, block);
  // rocSPARSE 5.3 takes a conjugate transpose for none here.
  if (c.op == HIPSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
    return;
  const stored<T> s(c.a, block, block, dir);
  const int mb = s.host.rows();
  const descr d(c.upper, c.unit);
  check_run("bsrsm2", [&] {
    const bsrsm2_info i;
    const device<T> in(narrow<T>(c.b.v)), out(c.b.v.size());
    int size, pivot = -5;
    TYPED(bsrsm2_bufferSize, handle, dir, c.op, none, mb, RIGHTS, s.nnz, d,
          s.val, s.ptr, s.ind, block, i, &size);
    const space buffer(size);
    TYPED(bsrsm2_analysis, handle, dir, c.op, none, mb, RIGHTS, s.nnz, d, s.val,
          s.ptr, s.ind, block, i, policy, buffer);
    TYPED(bsrsm2_solve, handle, dir, c.op, none, mb, RIGHTS, s.nnz, &c.alpha_t,
          d, s.val, s.ptr, s.ind, block, i, in, c.a.m, out, c.a.m, policy,
          buffer);
    PLAIN(Xbsrsm2_zeroPivot, handle, i, &pivot);
    verdict_equal(pivot == -1);
    verdict(ulps(out.host(), c.x.v));
  });
}

template <class T> void check_solvers()
{
  static const int blocks[] = {3, 16};
  for (int which = 0; which < CASES; which++) {
    check_csrsv<T>(which);
    check_csrsm<T>(which);
    for (int block : blocks)
      for (int dir = 0; dir < 2; dir++) {
        check_bsrsv<T>(which, block, dir);
        check_bsrsm<T>(which, block, dir);
      }
  }
}
FOR_TYPES(check_solvers)
