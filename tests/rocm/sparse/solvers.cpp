// SPDX-License-Identifier: MIT
// Triangular systems: op(A)·x = α·b, one right side (level 2) or several (level
// 3).
#include "sparse.hpp"

enum { RIGHTS = 5 };

// A triangle, and what a solver shall find.
template <class T> struct system_case {
  rocsparse_operation op;
  rocsparse_fill_mode fill;
  rocsparse_diag_type diag;
  int block;
  dense a, b, x;
  wide alpha;
  T alpha_t;

  system_case(int m, int rights, int which, int size)
      : op((rocsparse_operation)(rocsparse_operation_none + which % 3)),
        fill((rocsparse_fill_mode)(which / 3 % 2)),
        diag((rocsparse_diag_type)(which / 6 % 2)), block(size),
        a(random_dominant<T>(m, 20, size)), b(m, rights), x(m, rights),
        alpha(random_value<T>()), alpha_t(kind<T>::of(alpha))
  {
    // A unit diagonal needs small entries beside it.
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        if (i != j)
          a(i, j) /= 64;
    b.v = random_vector<T>((size_t)m * rights);
    x = b;
    for (wide &v : x.v)
      v *= alpha;
    x = solved(operated(triangle_of(a, fill, diag), op), x);
  }
};

enum { CASES = 12 };

template <class T> static void check_csrsv(int which)
{
  const system_case<T> c(150, 1, which, 1);
  const stored<T> s(c.a);
  const descr d(c.fill, c.diag);
  const info i;
  check_run("csrsv", [&] {
    const device<T> in(narrow<T>(c.b.v)), out(c.b.v.size());
    size_t size;
    int pivot = -5;
    TYPED(csrsv_buffer_size, handle, c.op, c.a.m, s.nnz, d, s.val, s.ptr, s.ind,
          i, &size);
    const space buffer(size);
    TYPED(csrsv_analysis, handle, c.op, c.a.m, s.nnz, d, s.val, s.ptr, s.ind, i,
          rocsparse_analysis_policy_reuse, rocsparse_solve_policy_auto, buffer);
    TYPED(csrsv_solve, handle, c.op, c.a.m, s.nnz, &c.alpha_t, d, s.val, s.ptr,
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
  const stored<T> s(c.a);
  const descr d(c.fill, c.diag);
  const rocsparse_operation none = rocsparse_operation_none;
  const info i;
  check_run("csrsm", [&] {
    const device<T> b(narrow<T>(c.b.v));
    size_t size;
    int pivot = -5;
    TYPED(csrsm_buffer_size, handle, c.op, none, c.a.m, RIGHTS, s.nnz,
          &c.alpha_t, d, s.val, s.ptr, s.ind, b, c.a.m, i,
          rocsparse_solve_policy_auto, &size);
    const space buffer(size);
    TYPED(csrsm_analysis, handle, c.op, none, c.a.m, RIGHTS, s.nnz, &c.alpha_t,
          d, s.val, s.ptr, s.ind, b, c.a.m, i, rocsparse_analysis_policy_reuse,
          rocsparse_solve_policy_auto, buffer);
    TYPED(csrsm_solve, handle, c.op, none, c.a.m, RIGHTS, s.nnz, &c.alpha_t, d,
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
  const stored<T> s(c.a, block, block, dir);
  const int mb = s.host.rows();
  const descr d(c.fill, c.diag);
  const rocsparse_operation none = rocsparse_operation_none;
  check_run("bsrsv", [&] {
    const info i;
    const std::vector<wide> b(c.b.v.begin(), c.b.v.begin() + c.a.m);
    const std::vector<wide> x(c.x.v.begin(), c.x.v.begin() + c.a.m);
    const device<T> in(narrow<T>(b)), out(b.size());
    size_t size;
    int pivot = -5;
    TYPED(bsrsv_buffer_size, handle, dir, c.op, mb, s.nnz, d, s.val, s.ptr,
          s.ind, block, i, &size);
    const space buffer(size);
    TYPED(bsrsv_analysis, handle, dir, c.op, mb, s.nnz, d, s.val, s.ptr, s.ind,
          block, i, rocsparse_analysis_policy_reuse,
          rocsparse_solve_policy_auto, buffer);
    TYPED(bsrsv_solve, handle, dir, c.op, mb, s.nnz, &c.alpha_t, d, s.val,
          s.ptr, s.ind, block, i, in, out, rocsparse_solve_policy_auto, buffer);
    PLAIN(bsrsv_zero_pivot, handle, i, &pivot);
    PLAIN(bsrsv_clear, handle, i);
    verdict_equal(pivot == -1);
    verdict(ulps(out.host(), x));
  });
  // 5.3 takes a conjugate transpose for none here.
  if (c.op == rocsparse_operation_conjugate_transpose)
    return;
  check_run("bsrsm", [&] {
    const info i;
    const device<T> in(narrow<T>(c.b.v)), out(c.b.v.size());
    size_t size;
    int pivot = -5;
    TYPED(bsrsm_buffer_size, handle, dir, c.op, none, mb, RIGHTS, s.nnz, d,
          s.val, s.ptr, s.ind, block, i, &size);
    const space buffer(size);
    TYPED(bsrsm_analysis, handle, dir, c.op, none, mb, RIGHTS, s.nnz, d, s.val,
          s.ptr, s.ind, block, i, rocsparse_analysis_policy_reuse,
          rocsparse_solve_policy_auto, buffer);
    TYPED(bsrsm_solve, handle, dir, c.op, none, mb, RIGHTS, s.nnz, &c.alpha_t,
          d, s.val, s.ptr, s.ind, block, i, in, c.a.m, out, c.a.m,
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
