// SPDX-License-Identifier: MIT
// Level 2: y = α·op(A)·x + β·y in every form of A.
#include "sparse.hpp"

#include <climits>

static const rocsparse_direction directions[] = {rocsparse_direction_row,
                                                 rocsparse_direction_column};

template <class T>
static void check_rows(const dense &a, rocsparse_operation op)
{
  const stored<T> s(a);
  const descr d;
  check_run("csrmv", [&] {
    product_case<T> p(operated(a, op));
    TYPED(csrmv, handle, op, a.m, a.n, s.nnz, &p.alpha, d, s.val, s.ptr, s.ind,
          nullptr, p.x, &p.beta, p.y);
    verdict(p.off());
  });
  check_run("csrmv, analysed", [&] {
    const info i;
    product_case<T> p(operated(a, op));
    TYPED(csrmv_analysis, handle, op, a.m, a.n, s.nnz, d, s.val, s.ptr, s.ind,
          i);
    TYPED(csrmv, handle, op, a.m, a.n, s.nnz, &p.alpha, d, s.val, s.ptr, s.ind,
          i, p.x, &p.beta, p.y);
    PLAIN(csrmv_clear, handle, i);
    verdict(p.off());
  });
  check_run("coomv", [&] {
    const device<int> rows(row_indices(s.host));
    product_case<T> p(operated(a, op));
    TYPED(coomv, handle, op, a.m, a.n, s.nnz, &p.alpha, d, s.val, rows, s.ind,
          p.x, &p.beta, p.y);
    verdict(p.off());
  });
  check_run("ellmv", [&] {
    const ellpack<T> e = ellpack_of<T>(a);
    const device<int> ind(e.ind);
    const device<T> val(e.val);
    product_case<T> p(operated(a, op));
    TYPED(ellmv, handle, op, a.m, a.n, &p.alpha, d, val, ind, e.width, p.x,
          &p.beta, p.y);
    verdict(p.off());
  });
}

template <class T>
static void check_hybrid(const dense &a, rocsparse_hyb_partition partition)
{
  const rocsparse_operation none = rocsparse_operation_none;
  const stored<T> s(a);
  const descr d;
  rocsparse_hyb_mat hyb;
  rocsparse_create_hyb_mat(&hyb);
  check_run("hybmv", [&] {
    product_case<T> p(a);
    TYPED(csr2hyb, handle, a.m, a.n, d, s.val, s.ptr, s.ind, hyb,
          partition == rocsparse_hyb_partition_user ? 3 : 0, partition);
    TYPED(hybmv, handle, none, &p.alpha, d, hyb, p.x, &p.beta, p.y);
    verdict(p.off());
  });
  check_run("hyb2csr", [&] {
    size_t size;
    device<int> ptr(a.m + 1), ind(s.nnz);
    device<T> val(s.nnz);
    TYPED(csr2hyb, handle, a.m, a.n, d, s.val, s.ptr, s.ind, hyb,
          partition == rocsparse_hyb_partition_user ? 3 : 0, partition);
    PLAIN(hyb2csr_buffer_size, handle, d, hyb, ptr, &size);
    const space buffer(size);
    TYPED(hyb2csr, handle, d, hyb, val, ptr, ind, buffer);
    verdict_equal(ptr.host() == s.host.ptr && ind.host() == s.host.ind &&
                  val.host() == s.host.val);
  });
  rocsparse_destroy_hyb_mat(hyb);
}

template <class T>
static void check_block_rows(int rb, int cb, rocsparse_direction dir)
{
  const rocsparse_operation none = rocsparse_operation_none;
  const dense a = random_matrix<T>(rb * 11, cb * 7, 40, rb, cb);
  const stored<T> s(a, rb, cb, dir);
  const int mb = s.host.rows(), nb = s.host.columns();
  const descr d;
  if (rb == cb)
    check_run("bsrmv", [&] {
      product_case<T> p(a);
      TYPED(bsrmv, handle, dir, none, mb, nb, s.nnz, &p.alpha, d, s.val, s.ptr,
            s.ind, rb, p.x, &p.beta, p.y);
      verdict(p.off());
    });
  check_run("gebsrmv", [&] {
    product_case<T> p(a);
    TYPED(gebsrmv, handle, dir, none, mb, nb, s.nnz, &p.alpha, d, s.val, s.ptr,
          s.ind, rb, cb, p.x, &p.beta, p.y);
    verdict(p.off());
  });
}

// Every third row of blocks changes. The kernel for blocks of 5 reads the mask
// beyond its end, up to a multiple of 8, and takes rows within the matrix from
// there (rocSPARSE 5.3): what follows the mask is none.
template <class T> static void check_masked(int block, rocsparse_direction dir)
{
  const rocsparse_operation none = rocsparse_operation_none;
  const dense a = random_matrix<T>(block * 11, block * 7, 40, block, block);
  const stored<T> s(a, block, block, dir);
  const descr d;
  std::vector<int> mask;
  for (int i = 1; i < s.host.rows(); i += 3)
    mask.push_back(i + base);
  const int masks = (int)mask.size();
  mask.resize(32, INT_MAX);
  const device<int> masked(mask);
  check_run("bsrxmv", [&] {
    product_case<T> p(a);
    const std::vector<T> before = p.y.host();
    TYPED(bsrxmv, handle, dir, none, masks, s.host.rows(), s.host.columns(),
          s.nnz, &p.alpha, d, s.val, masked, s.ptr, s.ptr.at + 1, s.ind, block,
          p.x, &p.beta, p.y);
    for (int i = 0; i < a.m; i++)
      if (i / block % 3 != 1)
        p.expected[i] = wide_of(before[i]);
    verdict(p.off());
  });
}

// A dense matrix with a sparse vector. 5.3 takes indices as from 0 whatever
// their base is.
template <class T> static void check_gemvi()
{
  enum { M = 83, N = 120, LEADING = 90 };
  std::vector<wide> a = random_vector<T>((size_t)LEADING * N);
  std::vector<wide> x = random_vector<T>(N / 3), y = random_vector<T>(M);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  std::vector<int> at;
  for (int i = 0; i < N / 3; i++)
    at.push_back(3 * i + random_below(3));
  const device<T> as(narrow<T>(a)), xs(narrow<T>(x)), ys(narrow<T>(y));
  const device<int> ind(at);
  for (int i = 0; i < M; i++) {
    wide sum = 0;
    for (int k = 0; k < N / 3; k++)
      sum += a[(size_t)at[k] * LEADING + i] * x[k];
    y[i] = alpha * sum + beta * y[i];
  }
  check_run("gemvi", [&] {
    const rocsparse_operation op = rocsparse_operation_none;
    size_t size;
    TYPED(gemvi_buffer_size, handle, op, M, N, N / 3, &size);
    const space buffer(size);
    TYPED(gemvi, handle, op, M, N, &alpha_t, as, LEADING, N / 3, xs, ind,
          &beta_t, ys, rocsparse_index_base_zero, buffer);
    verdict(ulps(ys.host(), y));
  });
}

template <class T> void check_products()
{
  // Rows of few, some and many entries take different kernels.
  static const int percents[] = {2, 15, 60};
  for (int percent : percents)
    for (rocsparse_operation op : operations)
      check_rows<T>(random_matrix<T>(150, 133, percent), op);
  check_hybrid<T>(random_matrix<T>(150, 133, 5), rocsparse_hyb_partition_auto);
  check_hybrid<T>(random_matrix<T>(150, 133, 5), rocsparse_hyb_partition_user);
  // The longest row may have at most twice the mean.
  check_hybrid<T>(random_matrix<T>(150, 133, 50), rocsparse_hyb_partition_max);
  static const int blocks[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 20};
  for (int block : blocks)
    for (rocsparse_direction dir : directions) {
      check_block_rows<T>(block, block, dir);
      check_block_rows<T>(block, block + 1, dir);
      if (block > 1)
        check_masked<T>(block, dir);
    }
  check_gemvi<T>();
}
FOR_TYPES(check_products)
