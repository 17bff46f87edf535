// SPDX-License-Identifier: MIT
// Level 3 and the extra routines: a sparse matrix with a dense or a sparse one.
#include "hipsparse.hpp"

enum { M = 70, K = 53, N = 21 };

// A matrix whose operated form is m × n.
template <class T> static dense random_filled(int op, int m, int n)
{
  const std::vector<wide> values = random_vector<T>((size_t)m * n);
  return op ? filled(n, m, values) : filled(m, n, values);
}

template <class T> static void check_csrmm(int op_a, int op_b)
{
  const dense a = random_matrix<T>(op_a ? K : M, op_a ? M : K, 15);
  const dense b = random_filled<T>(op_b, K, N);
  const dense c = random_filled<T>(0, M, N);
  const stored<T> s(a);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const std::vector<wide> expected =
      combined(alpha, product(operated(a, op_a), operated(b, op_b)), beta, c);
  const descr d;
  if (!op_b)
    check_run("csrmm", [&] {
      const device<T> bs(narrow<T>(b.v)), cs(narrow<T>(c.v));
      TYPED(csrmm, handle, op_a, a.m, N, a.n, s.nnz, &alpha_t, d, s.val, s.ptr,
            s.ind, bs, b.m, &beta_t, cs, M);
      verdict(ulps(cs.host(), expected));
    });
  check_run("csrmm2", [&] {
    const device<T> bs(narrow<T>(b.v)), cs(narrow<T>(c.v));
    TYPED(csrmm2, handle, op_a, op_b, a.m, N, a.n, s.nnz, &alpha_t, d, s.val,
          s.ptr, s.ind, bs, b.m, &beta_t, cs, M);
    verdict(ulps(cs.host(), expected));
  });
}

template <class T> static void check_bsrmm(int block, int dir, int op_b)
{
  const int m = block * 9, k = block * 6;
  const dense a = random_matrix<T>(m, k, 40, block, block);
  const dense b = random_filled<T>(op_b, k, N);
  const dense c = random_filled<T>(0, m, N);
  const stored<T> s(a, block, block, dir);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const descr d;
  check_run("bsrmm", [&] {
    const device<T> bs(narrow<T>(b.v)), cs(narrow<T>(c.v));
    TYPED(bsrmm, handle, dir, none, op_b, s.host.rows(), N, s.host.columns(),
          s.nnz, &alpha_t, d, s.val, s.ptr, s.ind, block, bs, b.m, &beta_t, cs,
          m);
    verdict(ulps(cs.host(),
                 combined(alpha, product(a, operated(b, op_b)), beta, c)));
  });
}

// C = α·A·B + β·C with the columns of B, whose indices are from 0.
template <class T> static void check_gemmi()
{
  if (base)
    return;
  const dense a = random_filled<T>(0, M, K), c = random_filled<T>(0, M, N);
  const dense b = random_matrix<T>(K, N, 20);
  const stored<T> columns(transposed(b, false));
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  check_run("gemmi", [&] {
    const device<T> as(narrow<T>(a.v)), cs(narrow<T>(c.v));
    TYPED(gemmi, handle, M, N, K, columns.nnz, &alpha_t, as, M, columns.val,
          columns.ptr, columns.ind, &beta_t, cs, M);
    verdict(ulps(cs.host(), combined(alpha, product(a, b), beta, c)));
  });
}

// ---- sparse results ----

template <class T> static void check_csrgeam()
{
  const dense a = random_matrix<T>(M, K, 12), b = random_matrix<T>(M, K, 8);
  const stored<T> as(a), bs(b);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const dense expected = sum_of(alpha, a, beta, b);
  const descr da, db, dc;
  check_run("csrgeam", [&] {
    const device<int> ptr(M + 1);
    int nnz;
    PLAIN(XcsrgeamNnz, handle, M, K, da, as.nnz, as.ptr, as.ind, db, bs.nnz,
          bs.ptr, bs.ind, dc, ptr, &nnz);
    const device<int> ind(nnz);
    const device<T> val(nnz);
    TYPED(csrgeam, handle, M, K, &alpha_t, da, as.nnz, as.val, as.ptr, as.ind,
          &beta_t, db, bs.nnz, bs.val, bs.ptr, bs.ind, dc, val, ptr, ind);
    verdict(off_rows(expected, ptr, ind, val));
  });
  check_run("csrgeam2", [&] {
    const device<int> ptr(M + 1);
    const T *no_val = nullptr;
    const int *no_ind = nullptr;
    size_t size;
    int nnz;
    TYPED(csrgeam2_bufferSizeExt, handle, M, K, &alpha_t, da, as.nnz, as.val,
          as.ptr, as.ind, &beta_t, db, bs.nnz, bs.val, bs.ptr, bs.ind, dc,
          no_val, ptr, no_ind, &size);
    const space buffer(size);
    PLAIN(Xcsrgeam2Nnz, handle, M, K, da, as.nnz, as.ptr, as.ind, db, bs.nnz,
          bs.ptr, bs.ind, dc, ptr, &nnz, buffer);
    const device<int> ind(nnz);
    const device<T> val(nnz);
    TYPED(csrgeam2, handle, M, K, &alpha_t, da, as.nnz, as.val, as.ptr, as.ind,
          &beta_t, db, bs.nnz, bs.val, bs.ptr, bs.ind, dc, val, ptr, ind,
          buffer);
    verdict(off_rows(expected, ptr, ind, val));
  });
}

// C = A·B.
template <class T> static void check_csrgemm(int percent, int n)
{
  const dense a = random_matrix<T>(M, K, percent);
  const dense b = random_matrix<T>(K, n, percent);
  const stored<T> as(a), bs(b);
  const descr da, db, dc;
  check_run("csrgemm", [&] {
    const device<int> ptr(M + 1);
    int nnz;
    PLAIN(XcsrgemmNnz, handle, none, none, M, n, K, da, as.nnz, as.ptr, as.ind,
          db, bs.nnz, bs.ptr, bs.ind, dc, ptr, &nnz);
    const device<int> ind(nnz);
    const device<T> val(nnz);
    TYPED(csrgemm, handle, none, none, M, n, K, da, as.nnz, as.val, as.ptr,
          as.ind, db, bs.nnz, bs.val, bs.ptr, bs.ind, dc, val, ptr, ind);
    verdict(off_rows(product(a, b), ptr, ind, val));
  });
}

// C = α·A·B + β·D, without α, without β, with both.
template <class T> static void check_csrgemm2(int terms, int percent, int n)
{
  const dense a = random_matrix<T>(M, K, percent);
  const dense b = random_matrix<T>(K, n, percent);
  const dense d = random_matrix<T>(M, n, percent);
  const stored<T> as(a), bs(b), ds(d);
  const wide alpha = terms & 1 ? random_value<T>() : 0;
  const wide beta = terms & 2 ? random_value<T>() : 0;
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const T *by_a = terms & 1 ? &alpha_t : nullptr;
  const T *by_d = terms & 2 ? &beta_t : nullptr;
  const descr da, db, dd, dc;
  const dense expected = sum_of(alpha, terms & 1 ? product(a, b) : dense(M, n),
                                beta, terms & 2 ? d : dense(M, n));
  check_run("csrgemm2", [&] {
    const csrgemm2_info i;
    size_t size;
    int nnz;
    const device<int> ptr(M + 1);
    TYPED(csrgemm2_bufferSizeExt, handle, M, n, K, by_a, da, as.nnz, as.ptr,
          as.ind, db, bs.nnz, bs.ptr, bs.ind, by_d, dd, ds.nnz, ds.ptr, ds.ind,
          i, &size);
    const space buffer(size);
    PLAIN(Xcsrgemm2Nnz, handle, M, n, K, da, as.nnz, as.ptr, as.ind, db, bs.nnz,
          bs.ptr, bs.ind, dd, ds.nnz, ds.ptr, ds.ind, dc, ptr, &nnz, i, buffer);
    const device<int> ind(nnz);
    const device<T> val(nnz);
    TYPED(csrgemm2, handle, M, n, K, by_a, da, as.nnz, as.val, as.ptr, as.ind,
          db, bs.nnz, bs.val, bs.ptr, bs.ind, by_d, dd, ds.nnz, ds.val, ds.ptr,
          ds.ind, dc, val, ptr, ind, i, buffer);
    verdict(off_rows(expected, ptr, ind, val));
  });
}

template <class T> void check_matrices()
{
  for (int op_a = 0; op_a < 3; op_a++)
    for (int op_b = 0; op_b < 3; op_b++)
      check_csrmm<T>(op_a, op_b);
  static const int blocks[] = {1, 2, 3, 8, 16};
  for (int block : blocks)
    for (int dir = 0; dir < 2; dir++)
      for (int op = 0; op < 2; op++)
        check_bsrmm<T>(block, dir, op);
  check_gemmi<T>();
  check_csrgeam<T>();
  check_csrgemm<T>(4, 60);
  check_csrgemm<T>(30, 300);
  for (int terms = 1; terms < 4; terms++) {
    check_csrgemm2<T>(terms, 4, 60);
    check_csrgemm2<T>(terms, 30, 300);
  }
}
FOR_TYPES(check_matrices)
