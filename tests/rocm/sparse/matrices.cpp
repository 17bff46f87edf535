// SPDX-License-Identifier: MIT
// Level 3 and the extra routines: a sparse matrix with a dense or a sparse one.
#include "sparse.hpp"

enum { M = 70, K = 53, N = 21 };

template <class T>
static void check_csrmm(rocsparse_operation op_a, rocsparse_operation op_b)
{
  const bool plain = op_a == rocsparse_operation_none;
  const dense a = random_matrix<T>(plain ? M : K, plain ? K : M, 15);
  const dense b = op_b == rocsparse_operation_none
                      ? filled(K, N, random_vector<T>(K * N))
                      : filled(N, K, random_vector<T>(K * N));
  const dense c = filled(M, N, random_vector<T>(M * N));
  const stored<T> s(a);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const descr d;
  check_run("csrmm", [&] {
    const device<T> bs(narrow<T>(b.v)), cs(narrow<T>(c.v));
    TYPED(csrmm, handle, op_a, op_b, a.m, N, a.n, s.nnz, &alpha_t, d, s.val,
          s.ptr, s.ind, bs, b.m, &beta_t, cs, M);
    verdict(ulps(cs.host(),
                 combined(alpha, product(operated(a, op_a), operated(b, op_b)),
                          beta, c)));
  });
}

template <class T>
static void check_block_mm(int rb, int cb, rocsparse_direction dir,
                           rocsparse_operation op_b)
{
  const int m = rb * 9, k = cb * 6;
  const dense a = random_matrix<T>(m, k, 40, rb, cb);
  const dense b = op_b == rocsparse_operation_none
                      ? filled(k, N, random_vector<T>((size_t)k * N))
                      : filled(N, k, random_vector<T>((size_t)k * N));
  const dense c = filled(m, N, random_vector<T>((size_t)m * N));
  const stored<T> s(a, rb, cb, dir);
  const rocsparse_operation none = rocsparse_operation_none;
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const std::vector<wide> expected =
      combined(alpha, product(a, operated(b, op_b)), beta, c);
  const descr d;
  if (rb == cb)
    check_run("bsrmm", [&] {
      const device<T> bs(narrow<T>(b.v)), cs(narrow<T>(c.v));
      TYPED(bsrmm, handle, dir, none, op_b, s.host.rows(), N, s.host.columns(),
            s.nnz, &alpha_t, d, s.val, s.ptr, s.ind, rb, bs, b.m, &beta_t, cs,
            m);
      verdict(ulps(cs.host(), expected));
    });
  check_run("gebsrmm", [&] {
    const device<T> bs(narrow<T>(b.v)), cs(narrow<T>(c.v));
    TYPED(gebsrmm, handle, dir, none, op_b, s.host.rows(), N, s.host.columns(),
          s.nnz, &alpha_t, d, s.val, s.ptr, s.ind, rb, cb, bs, b.m, &beta_t, cs,
          m);
    verdict(ulps(cs.host(), expected));
  });
}

// C = α·A·op(B) + β·C with B sparse.
template <class T> static void check_gemmi(rocsparse_operation op_b)
{
  const bool plain = op_b == rocsparse_operation_none;
  const dense a = filled(M, K, random_vector<T>(M * K));
  const dense b = random_matrix<T>(plain ? K : N, plain ? N : K, 20);
  const dense c = filled(M, N, random_vector<T>(M * N));
  const stored<T> s(b);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const descr d;
  check_run("gemmi", [&] {
    const device<T> as(narrow<T>(a.v)), cs(narrow<T>(c.v));
    TYPED(gemmi, handle, rocsparse_operation_none, op_b, M, N, K, s.nnz,
          &alpha_t, as, M, d, s.val, s.ptr, s.ind, &beta_t, cs, M);
    verdict(ulps(cs.host(),
                 combined(alpha, product(a, operated(b, op_b)), beta, c)));
  });
}

// ---- sparse results ----

template <class T> static void check_csrgeam()
{
  const dense a = random_matrix<T>(M, K, 12), b = random_matrix<T>(M, K, 8);
  const stored<T> as(a), bs(b);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const descr da, db, dc;
  check_run("csrgeam", [&] {
    const device<int> ptr(M + 1);
    int nnz;
    PLAIN(csrgeam_nnz, handle, M, K, da, as.nnz, as.ptr, as.ind, db, bs.nnz,
          bs.ptr, bs.ind, dc, ptr, &nnz);
    const device<int> ind(nnz);
    const device<T> val(nnz);
    TYPED(csrgeam, handle, M, K, &alpha_t, da, as.nnz, as.val, as.ptr, as.ind,
          &beta_t, db, bs.nnz, bs.val, bs.ptr, bs.ind, dc, val, ptr, ind);
    verdict(off_rows(sum_of(alpha, a, beta, b), ptr, ind, val));
  });
}

// C = α·A·B + β·D, without α, without β, with both.
template <class T> static void check_csrgemm(int terms, int percent, int width)
{
  const rocsparse_operation none = rocsparse_operation_none;
  const int m = M, k = K, n = width;
  const dense a = random_matrix<T>(m, k, percent);
  const dense b = random_matrix<T>(k, n, percent);
  const dense d = random_matrix<T>(m, n, percent);
  const stored<T> as(a), bs(b), ds(d);
  const wide alpha = terms & 1 ? random_value<T>() : 0;
  const wide beta = terms & 2 ? random_value<T>() : 0;
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const T *by_a = terms & 1 ? &alpha_t : nullptr;
  const T *by_d = terms & 2 ? &beta_t : nullptr;
  const descr da, db, dd, dc;
  const info i;
  const dense expected = sum_of(alpha, terms & 1 ? product(a, b) : dense(m, n),
                                beta, terms & 2 ? d : dense(m, n));
  check_run("csrgemm", [&] {
    size_t size;
    int nnz;
    const device<int> ptr(m + 1);
    TYPED(csrgemm_buffer_size, handle, none, none, m, n, k, by_a, da, as.nnz,
          as.ptr, as.ind, db, bs.nnz, bs.ptr, bs.ind, by_d, dd, ds.nnz, ds.ptr,
          ds.ind, i, &size);
    const space buffer(size);
    PLAIN(csrgemm_nnz, handle, none, none, m, n, k, da, as.nnz, as.ptr, as.ind,
          db, bs.nnz, bs.ptr, bs.ind, dd, ds.nnz, ds.ptr, ds.ind, dc, ptr, &nnz,
          i, buffer);
    const device<int> ind(nnz);
    const device<T> val(nnz);
    TYPED(csrgemm, handle, none, none, m, n, k, by_a, da, as.nnz, as.val,
          as.ptr, as.ind, db, bs.nnz, bs.val, bs.ptr, bs.ind, by_d, dd, ds.nnz,
          ds.val, ds.ptr, ds.ind, dc, val, ptr, ind, i, buffer);
    verdict(off_rows(expected, ptr, ind, val));
    const device<int> again(nnz);
    PLAIN(csrgemm_symbolic, handle, none, none, m, n, k, da, as.nnz, as.ptr,
          as.ind, db, bs.nnz, bs.ptr, bs.ind, dd, ds.nnz, ds.ptr, ds.ind, dc,
          nnz, ptr, again, i, buffer);
    const device<T> values(nnz);
    TYPED(csrgemm_numeric, handle, none, none, m, n, k, by_a, da, as.nnz,
          as.val, as.ptr, as.ind, db, bs.nnz, bs.val, bs.ptr, bs.ind, by_d, dd,
          ds.nnz, ds.val, ds.ptr, ds.ind, dc, nnz, values, ptr, again, i,
          buffer);
    verdict(off_rows(expected, ptr, again, values));
  });
}

template <class T> void check_matrices()
{
  for (rocsparse_operation op_a : operations)
    for (rocsparse_operation op_b : operations)
      check_csrmm<T>(op_a, op_b);
  static const int blocks[] = {1, 2, 3, 4, 6, 8, 12, 16, 20};
  for (int block : blocks)
    for (int dir = 0; dir < 2; dir++)
      for (int op = 0; op < 2; op++) {
        check_block_mm<T>(block, block, (rocsparse_direction)dir,
                          operations[op]);
        check_block_mm<T>(block, block + 1, (rocsparse_direction)dir,
                          operations[op]);
      }
  check_gemmi<T>(rocsparse_operation_none);
  check_gemmi<T>(rocsparse_operation_transpose);
  check_csrgeam<T>();
  for (int terms = 1; terms < 4; terms++) {
    check_csrgemm<T>(terms, 4, 60);
    check_csrgemm<T>(terms, 30, 300);
  }
}
FOR_TYPES(check_matrices)
