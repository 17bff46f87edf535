// SPDX-License-Identifier: MIT
// Triangular systems: op(A)·x = α·b, one right side (level 2) or several (level
// 3).
#include "sparse.hpp"

enum { RIGHTS = 5 };

enum { CASES = 12 };

template <class T> static void check_csrsv(int which)
{
  const system_case<T> c(150, 1, which, 1);
  const rocsparse_operation op = operations[c.op];
  const stored<T> s(c.a);
  const descr d(c.upper, c.unit);
  const info i;
  check_run("csrsv", [&] {
    const device<T> in(narrow<T>(c.b.v)), out(c.b.v.size());
    size_t size;
    int pivot = -5;
    TYPED(csrsv_buffer_size, handle, op, c.a.m, s.nnz, d, s.val, s.ptr, s.ind,
          i, &size);
    const space buffer(size);
    TYPED(csrsv_analysis, handle, op, c.a.m, s.nnz, d, s.val, s.ptr, s.ind, i,
          rocsparse_analysis_policy_reuse, rocsparse_solve_policy_auto, buffer);
    TYPED(csrsv_solve, handle, op, c.a.m, s.nnz, &c.alpha_t, d, s.val, s.ptr,
          s.ind, i, in, out, rocsparse_solve_policy_auto, buffer);
    PLAIN(csrsv_zero_pivot, handle, d, i, &pivot);
    PLAIN(csrsv_clear, handle, d, i);
    verdict_equal(pivot == -1);
    verdict(ulps(out.host(), c.x.v));
  });
}

template <class T> static void check_csrsm(int which)
{
  const system_case<T> c(150, RIGHTS, which, 1);
  const rocsparse_operation op = operations[c.op];
  const stored<T> s(c.a);
  const descr d(c.upper, c.unit);
  const rocsparse_operation none = rocsparse_operation_none;
  const info i;
  check_run("csrsm", [&] {
    const device<T> b(narrow<T>(c.b.v));
    size_t size;
    int pivot = -5;
    TYPED(csrsm_buffer_size, handle, op, none, c.a.m, RIGHTS, s.nnz, &c.alpha_t,
          d, s.val, s.ptr, s.ind, b, c.a.m, i, rocsparse_solve_policy_auto,
          &size);
    const space buffer(size);
    TYPED(csrsm_analysis, handle, op, none, c.a.m, RIGHTS, s.nnz, &c.alpha_t, d,
          s.val, s.ptr, s.ind, b, c.a.m, i, rocsparse_analysis_policy_reuse,
          rocsparse_solve_policy_auto, buffer);
    TYPED(csrsm_solve, handle, op, none, c.a.m, RIGHTS, s.nnz, &c.alpha_t, d,
          s.val, s.ptr, s.ind, b, c.a.m, i, rocsparse_solve_policy_auto,
          buffer);
    PLAIN(csrsm_zero_pivot, handle, i, &pivot);
    PLAIN(csrsm_clear, handle, i);
    verdict_equal(pivot == -1);
    verdict(ulps(b.host(), c.x.v));
  });
}

template <class T>
static void check_blocks_of(int which, int block, rocsparse_direction dir)
{
  const system_case<T> c(block * 12, RIGHTS, which, block);
  const rocsparse_operation op = operations[c.op];
  const stored<T> s(c.a, block, block, dir);
  const int mb = s.host.rows();
  const descr d(c.upper, c.unit);
  const rocsparse_operation none = rocsparse_operation_none;
  check_run("bsrsv", [&] {
    const info i;
    const std::vector<wide> b(c.b.v.begin(), c.b.v.begin() + c.a.m);
    const std::vector<wide> x(c.x.v.begin(), c.x.v.begin() + c.a.m);
    const device<T> in(narrow<T>(b)), out(b.size());
    size_t size;
    int pivot = -5;
    TYPED(bsrsv_buffer_size, handle, dir, op, mb, s.nnz, d, s.val, s.ptr, s.ind,
          block, i, &size);
    const space buffer(size);
    TYPED(bsrsv_analysis, handle, dir, op, mb, s.nnz, d, s.val, s.ptr, s.ind,
          block, i, rocsparse_analysis_policy_reuse,
          rocsparse_solve_policy_auto, buffer);
    TYPED(bsrsv_solve, handle, dir, op, mb, s.nnz, &c.alpha_t, d, s.val, s.ptr,
          s.ind, block, i, in, out, rocsparse_solve_policy_auto, buffer);
    PLAIN(bsrsv_zero_pivot, handle, i, &pivot);
    PLAIN(bsrsv_clear, handle, i);
    verdict_equal(pivot == -1);
    verdict(ulps(out.host(), x));
  });
  // 5.3 takes a conjugate transpose for none here.
  if (op == rocsparse_operation_conjugate_transpose)
    return;
  check_run("bsrsm", [&] {
    const info i;
    const device<T> in(narrow<T>(c.b.v)), out(c.b.v.size());
    size_t size;
    int pivot = -5;
    TYPED(bsrsm_buffer_size, handle, dir, op, none, mb, RIGHTS, s.nnz, d, s.val,
          s.ptr, s.ind, block, i, &size);
    const space buffer(size);
    TYPED(bsrsm_analysis, handle, dir, op, none, mb, RIGHTS, s.nnz, d, s.val,
          s.ptr, s.ind, block, i, rocsparse_analysis_policy_reuse,
          rocsparse_solve_policy_auto, buffer);
    TYPED(bsrsm_solve, handle, dir, op, none, mb, RIGHTS, s.nnz, &c.alpha_t, d,
          s.val, s.ptr, s.ind, block, i, in, c.a.m, out, c.a.m,
          rocsparse_solve_policy_auto, buffer);
    PLAIN(bsrsm_zero_pivot, handle, i, &pivot);
    PLAIN(bsrsm_clear, handle, i);
    verdict_equal(pivot == -1);
    verdict(ulps(out.host(), c.x.v));
  });
}

template <class T> void check_solvers()
{
  static const int blocks[] = {2, 4, 7, 16};
  for (int which = 0; which < CASES; which++) {
    check_csrsv<T>(which);
    check_csrsm<T>(which);
    for (int block : blocks) {
      check_blocks_of<T>(which, block, rocsparse_direction_row);
      check_blocks_of<T>(which, block, rocsparse_direction_column);
    }
  }
}
FOR_TYPES(check_solvers)
