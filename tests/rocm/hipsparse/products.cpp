// SPDX-License-Identifier: MIT
// Level 2: y = α·op(A)·x + β·y in every form of A.
#include "hipsparse.hpp"

#include <climits>

template <class T> static void check_rows(const dense &a, int op)
{
  const stored<T> s(a);
  const descr d;
  check_run("csrmv", [&] {
    const product_case<T> p(operated(a, op));
    TYPED(csrmv, handle, op, a.m, a.n, s.nnz, &p.alpha, d, s.val, s.ptr, s.ind,
          p.x, &p.beta, p.y);
    verdict(p.off());
  });
}

template <class T>
static void check_hybrid(const dense &a, hipsparseHybPartition_t partition)
{
  const stored<T> s(a);
  const descr d;
  const int width = partition == HIPSPARSE_HYB_PARTITION_USER ? 3 : 0;
  check_run("hybmv", [&] {
    const hybrid hyb;
    const product_case<T> p(a);
    TYPED(csr2hyb, handle, a.m, a.n, d, s.val, s.ptr, s.ind, hyb, width,
          partition);
    TYPED(hybmv, handle, none, &p.alpha, d, hyb, p.x, &p.beta, p.y);
    verdict(p.off());
  });
  check_run("hyb2csr", [&] {
    const hybrid hyb;
    const device<int> ptr(a.m + 1), ind(s.nnz);
    const device<T> val(s.nnz);
    TYPED(csr2hyb, handle, a.m, a.n, d, s.val, s.ptr, s.ind, hyb, width,
          partition);
    TYPED(hyb2csr, handle, d, hyb, val, ptr, ind);
    verdict_equal(same(s.host, ptr, ind, val));
  });
}

template <class T> static void check_block_rows(int block, int dir)
{
  const dense a = random_matrix<T>(block * 11, block * 7, 40, block, block);
  const stored<T> s(a, block, block, dir);
  const descr d;
  check_run("bsrmv", [&] {
    const product_case<T> p(a);
    TYPED(bsrmv, handle, dir, none, s.host.rows(), s.host.columns(), s.nnz,
          &p.alpha, d, s.val, s.ptr, s.ind, block, p.x, &p.beta, p.y);
    verdict(p.off());
  });
}

// Every third row of blocks changes. What follows the mask is none: rocSPARSE's
// kernel for blocks of 5 reads beyond its end.
template <class T> static void check_masked(int block, int dir)
{
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

// A dense matrix with a sparse vector, whose indices rocSPARSE 5.3 takes as
// from 0 whatever their base is.
template <class T> static void check_gemvi()
{
  enum { M = 83, N = 120, LEADING = 90 };
  const dense a = filled(M, N, random_vector<T>(M * N));
  const std::vector<wide> x = random_vector<T>(N / 3), y = random_vector<T>(M);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  std::vector<int> at;
  std::vector<wide> full(N);
  for (int i = 0; i < N / 3; i++) {
    at.push_back(3 * i + random_below(3));
    full[at[i]] = x[i];
  }
  const device<T> as(leading<T>(a, LEADING)), xs(narrow<T>(x)),
      ys(narrow<T>(y));
  const device<int> ind(at);
  check_run("gemvi", [&] {
    int size;
    TYPED(gemvi_bufferSize, handle, none, M, N, N / 3, &size);
    const space buffer(size);
    TYPED(gemvi, handle, none, M, N, &alpha_t, as, LEADING, N / 3, xs, ind,
          &beta_t, ys, HIPSPARSE_INDEX_BASE_ZERO, buffer);
    verdict(ulps(ys.host(), combined(alpha, product(a, column_of(full)), beta,
                                     column_of(y))));
  });
}

template <class T> void check_products()
{
  // Rows of few, some and many entries take different kernels.
  static const int percents[] = {2, 15, 60};
  for (int percent : percents)
    for (int op = 0; op < 3; op++)
      check_rows<T>(random_matrix<T>(150, 133, percent), op);
  check_hybrid<T>(random_matrix<T>(150, 133, 5), HIPSPARSE_HYB_PARTITION_AUTO);
  check_hybrid<T>(random_matrix<T>(150, 133, 5), HIPSPARSE_HYB_PARTITION_USER);
  // The longest row may have at most twice the mean.
  check_hybrid<T>(random_matrix<T>(150, 133, 50), HIPSPARSE_HYB_PARTITION_MAX);
  static const int blocks[] = {1, 2, 3, 5, 8, 16, 17};
  for (int block : blocks)
    for (int dir = 0; dir < 2; dir++) {
      check_block_rows<T>(block, dir);
      if (block > 1)
        check_masked<T>(block, dir);
    }
  check_gemvi<T>();
}
FOR_TYPES(check_products)
