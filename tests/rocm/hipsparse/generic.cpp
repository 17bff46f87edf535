// SPDX-License-Identifier: MIT
// The generic routines that fill vectors and dense matrices, or the values of a
// sparse one.
#include "generic.hpp"

enum { M = 70, K = 53, N = 21, LENGTH = 500, ENTRIES = 101 };

// ---- vectors ----

template <class T, class I> struct vector_case {
  std::vector<I> at; // the places of x's entries, without the index base
  std::vector<wide> x, y;
  device<I> ind;
  device<T> val;
  hipsparseSpVecDescr_t xs;

  vector_case()
      : at(places()), x(random_vector<T>(ENTRIES)), y(random_vector<T>(LENGTH)),
        ind(based()), val(narrow<T>(x))
  {
    hipsparseCreateSpVec(&xs, LENGTH, ENTRIES, ind.at, val.at, index_type<I>,
                         index_base(), datatype<T>);
  }
  ~vector_case()
  {
    hipsparseDestroySpVec(xs);
  }

private:
  static std::vector<I> places()
  {
    std::vector<I> out;
    for (int i = 0; i < ENTRIES; i++)
      out.push_back((I)(i * 4 + random_below(4)));
    return out;
  }
  std::vector<I> based() const
  {
    std::vector<I> out = at;
    for (I &i : out)
      i += (I)base;
    return out;
  }
};

template <class T, class I> static void check_sums()
{
  const vector_case<T, I> c;
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  std::vector<wide> sum = c.y;
  wide dots[2] = {0, 0};
  for (wide &v : sum)
    v *= beta;
  for (int i = 0; i < ENTRIES; i++) {
    sum[c.at[i]] += alpha * c.x[i];
    dots[0] += c.x[i] * c.y[c.at[i]];
    dots[1] += std::conj(c.x[i]) * c.y[c.at[i]];
  }
  check_run("Axpby", [&] {
    const dense_vector<T> ys(c.y);
    PLAIN(Axpby, handle, &alpha_t, c.xs, &beta_t, ys);
    verdict(ulps(ys.val.host(), sum));
  });
  for (int conjugate = 0; conjugate < 2; conjugate++)
    check_run("SpVV", [&] {
      const dense_vector<T> ys(c.y);
      const int op = conjugate ? HIPSPARSE_OPERATION_CONJUGATE_TRANSPOSE : none;
      size_t size;
      T dot;
      PLAIN(SpVV_bufferSize, handle, op, c.xs, ys, &dot, datatype<T>, &size);
      const space buffer(size);
      PLAIN(SpVV, handle, op, c.xs, ys, &dot, datatype<T>, buffer);
      verdict(ulps(std::vector<T>{dot}, std::vector<wide>{dots[conjugate]}));
    });
}

template <class T, class I> static void check_moves()
{
  const vector_case<T, I> c;
  std::vector<wide> scattered = c.y, gathered, to_x = c.x, to_y = c.y;
  const T cosine = (T)0.6, sine = (T)-0.8;
  for (int i = 0; i < ENTRIES; i++) {
    const size_t to = (size_t)c.at[i];
    scattered[to] = c.x[i];
    gathered.push_back(c.y[to]);
    to_x[i] = wide_of(cosine) * c.x[i] + wide_of(sine) * c.y[to];
    to_y[to] = wide_of(cosine) * c.y[to] - wide_of(sine) * c.x[i];
  }
  check_run("Scatter", [&] {
    const dense_vector<T> ys(c.y);
    PLAIN(Scatter, handle, c.xs, ys);
    verdict_equal(ys.val.host() == narrow<T>(scattered));
  });
  check_run("Rot", [&] {
    const dense_vector<T> ys(c.y);
    PLAIN(Rot, handle, &cosine, &sine, c.xs, ys);
    verdict(std::fmax(ulps(c.val.host(), to_x), ulps(ys.val.host(), to_y)));
  });
  check_run("Gather", [&] {
    const dense_vector<T> ys(c.y);
    PLAIN(Gather, handle, ys, c.xs);
    verdict_equal(c.val.host() == narrow<T>(gathered));
  });
}

// ---- products ----

template <class T, class I, class J>
static void check_spmv(hipsparseFormat_t format, hipsparseSpMVAlg_t alg, int op)
{
  const dense a = random_matrix<T>(72, 52, 15);
  const dense how = operated(a, op);
  const std::vector<wide> x = random_vector<T>(how.n),
                          y = random_vector<T>(how.m);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const sparse_matrix<T, I, J> s(a, format);
  check_run("SpMV", [&] {
    const dense_vector<T> xs(x), ys(y);
    size_t size;
    PLAIN(SpMV_bufferSize, handle, op, &alpha_t, s, xs, &beta_t, ys,
          datatype<T>, alg, &size);
    const space buffer(size);
    PLAIN(SpMV_preprocess, handle, op, &alpha_t, s, xs, &beta_t, ys,
          datatype<T>, alg, buffer);
    PLAIN(SpMV, handle, op, &alpha_t, s, xs, &beta_t, ys, datatype<T>, alg,
          buffer);
    verdict(ulps(ys.val.host(), combined(alpha, product(how, column_of(x)),
                                         beta, column_of(y))));
  });
}

template <class T, class I, class J>
static void check_spmm(hipsparseFormat_t format, hipsparseSpMMAlg_t alg, int op,
                       int op_b, hipsparseOrder_t order)
{
  const dense a = random_matrix<T>(op ? K : M, op ? M : K, 15);
  const dense b = filled(op_b ? N : K, op_b ? K : N, random_vector<T>(K * N));
  dense c = filled(M, N, random_vector<T>(M * N));
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const sparse_matrix<T, I, J> s(a, format);
  const dense_matrix<T> bs(b, order), cs(c, order);
  c.v = combined(alpha, product(operated(a, op), operated(b, op_b)), beta, c);
  check_run("SpMM", [&] {
    size_t size;
    PLAIN(SpMM_bufferSize, handle, op, op_b, &alpha_t, s, bs, &beta_t, cs,
          datatype<T>, alg, &size);
    const space buffer(size);
    PLAIN(SpMM_preprocess, handle, op, op_b, &alpha_t, s, bs, &beta_t, cs,
          datatype<T>, alg, buffer);
    PLAIN(SpMM, handle, op, op_b, &alpha_t, s, bs, &beta_t, cs, datatype<T>,
          alg, buffer);
    verdict(ulps(cs.val.host(),
                 order == HIPSPARSE_ORDER_COLUMN ? c.v : by_rows(c)));
  });
}

template <class T, class J> static void check_spmm_blocks(int block, int op_b)
{
  const int m = block * 5, k = block * 4;
  const dense a = random_matrix<T>(m, k, 50, block, block);
  const dense b =
      filled(op_b ? N : k, op_b ? k : N, random_vector<T>((size_t)k * N));
  const dense c = filled(m, N, random_vector<T>((size_t)m * N));
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const hipsparseSpMMAlg_t alg = HIPSPARSE_SPMM_BLOCKED_ELL_ALG1;
  const blocked_ellpack<T, J> e(a, block);
  check_run("SpMM of blocks", [&] {
    const device<J> ind(e.ind);
    const device<T> val(e.val);
    const dense_matrix<T> bs(b), cs(c);
    hipsparseSpMatDescr_t s;
    size_t size;
    PLAIN(CreateBlockedEll, &s, m, k, block, e.width * block, ind, val,
          index_type<J>, base, datatype<T>);
    PLAIN(SpMM_bufferSize, handle, none, op_b, &alpha_t, s, bs, &beta_t, cs,
          datatype<T>, alg, &size);
    const space buffer(size);
    PLAIN(SpMM_preprocess, handle, none, op_b, &alpha_t, s, bs, &beta_t, cs,
          datatype<T>, alg, buffer);
    PLAIN(SpMM, handle, none, op_b, &alpha_t, s, bs, &beta_t, cs, datatype<T>,
          alg, buffer);
    PLAIN(DestroySpMat, s);
    verdict(ulps(cs.val.host(),
                 combined(alpha, product(a, operated(b, op_b)), beta, c)));
  });
}

// Two matrices B and C with one A.
template <class T> static void check_spmm_batch(hipsparseFormat_t format)
{
  const dense a = random_matrix<T>(M, K, 15);
  const dense b = filled(K, 2 * N, random_vector<T>(2 * K * N));
  const dense c = filled(M, 2 * N, random_vector<T>(2 * M * N));
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const hipsparseSpMMAlg_t alg = HIPSPARSE_SPMM_ALG_DEFAULT;
  const sparse_matrix<T, int32_t, int32_t> s(a, format);
  check_run("SpMM of a batch", [&] {
    const device<T> bs(narrow<T>(b.v)), cs(narrow<T>(c.v));
    hipsparseDnMatDescr_t in, out;
    size_t size;
    PLAIN(CreateDnMat, &in, K, N, K, bs, datatype<T>, HIPSPARSE_ORDER_COLUMN);
    PLAIN(CreateDnMat, &out, M, N, M, cs, datatype<T>, HIPSPARSE_ORDER_COLUMN);
    PLAIN(DnMatSetStridedBatch, in, 2, K * N);
    PLAIN(DnMatSetStridedBatch, out, 2, M * N);
    PLAIN(SpMM_bufferSize, handle, none, none, &alpha_t, s, in, &beta_t, out,
          datatype<T>, alg, &size);
    const space buffer(size);
    PLAIN(SpMM, handle, none, none, &alpha_t, s, in, &beta_t, out, datatype<T>,
          alg, buffer);
    PLAIN(DestroyDnMat, in);
    PLAIN(DestroyDnMat, out);
    verdict(ulps(cs.host(), combined(alpha, product(a, b), beta, c)));
  });
}

// C = α·(A·B) + β·C where C is stored.
template <class T, class I, class J>
static void check_sddmm(hipsparseFormat_t format)
{
  const dense a = filled(M, K, random_vector<T>(M * K));
  const dense b = filled(K, N, random_vector<T>(K * N));
  const dense c = random_matrix<T>(M, N, 20);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const hipsparseSDDMMAlg_t alg = HIPSPARSE_SDDMM_ALG_DEFAULT;
  dense expected = c;
  expected.v = combined(alpha, product(a, b), beta, c);
  const sparse_matrix<T, I, J> cs(c, format);
  check_run("SDDMM", [&] {
    const dense_matrix<T> as(a), bs(b);
    size_t size;
    PLAIN(SDDMM_bufferSize, handle, none, none, &alpha_t, as, bs, &beta_t, cs,
          datatype<T>, alg, &size);
    const space buffer(size);
    PLAIN(SDDMM_preprocess, handle, none, none, &alpha_t, as, bs, &beta_t, cs,
          datatype<T>, alg, buffer);
    PLAIN(SDDMM, handle, none, none, &alpha_t, as, bs, &beta_t, cs, datatype<T>,
          alg, buffer);
    verdict(ulps(cs.in.val.host(), values_of(expected, layout_of(format))));
  });
}

// ---- dense and sparse ----

template <class T> static void check_to_dense(hipsparseFormat_t format)
{
  const dense a = random_matrix<T>(M, N, 20);
  const sparse_matrix<T, int32_t, int32_t> s(a, format);
  const hipsparseSparseToDenseAlg_t alg = HIPSPARSE_SPARSETODENSE_ALG_DEFAULT;
  check_run("SparseToDense", [&] {
    const dense_matrix<T> out(filled(M, N, std::vector<wide>(M * N, -77)));
    size_t size;
    PLAIN(SparseToDense_bufferSize, handle, s, out, alg, &size);
    const space buffer(size);
    PLAIN(SparseToDense, handle, s, out, alg, buffer);
    verdict_equal(out.val.host() == narrow<T>(a.v));
  });
}

template <class T> static void check_from_dense(hipsparseFormat_t format)
{
  const dense a = random_matrix<T>(M, N, 20);
  // A matrix of the same pattern, whose values and indices shall change.
  const sparse_matrix<T, int32_t, int32_t> s(a, format);
  const auto &expected = s.in;
  const size_t nnz = (size_t)expected.count;
  const hipsparseDenseToSparseAlg_t alg = HIPSPARSE_DENSETOSPARSE_ALG_DEFAULT;
  const bool pairs = format == HIPSPARSE_FORMAT_COO;
  check_run("DenseToSparse", [&] {
    const dense_matrix<T> in(a);
    const device<int> ptr(pairs ? nnz : expected.ptr.count), ind(nnz);
    const device<T> val(nnz);
    hipsparseSpMatDescr_t to;
    if (pairs)
      PLAIN(CreateCoo, &to, M, N, 0, ptr, ind, val, HIPSPARSE_INDEX_32I, base,
            datatype<T>);
    else if (format == HIPSPARSE_FORMAT_CSR)
      PLAIN(CreateCsr, &to, M, N, 0, ptr, ind, val, HIPSPARSE_INDEX_32I,
            HIPSPARSE_INDEX_32I, base, datatype<T>);
    else
      PLAIN(CreateCsc, &to, M, N, 0, ptr, ind, val, HIPSPARSE_INDEX_32I,
            HIPSPARSE_INDEX_32I, base, datatype<T>);
    size_t size;
    int64_t rows, columns, found;
    PLAIN(DenseToSparse_bufferSize, handle, in, to, alg, &size);
    const space buffer(size);
    PLAIN(DenseToSparse_analysis, handle, in, to, alg, buffer);
    PLAIN(SpMatGetSize, to, &rows, &columns, &found);
    PLAIN(DenseToSparse_convert, handle, in, to, alg, buffer);
    verdict_equal(
        (size_t)found == nnz &&
        ptr.host() == (pairs ? expected.row.host() : expected.ptr.host()) &&
        ind.host() == expected.ind.host() && val.host() == expected.val.host());
    PLAIN(DestroySpMat, to);
  });
}

// Every algorithm.
template <class T> static void check_algorithms(int op)
{
  typedef int32_t I;
  for (hipsparseSpMVAlg_t alg :
       {HIPSPARSE_MV_ALG_DEFAULT, HIPSPARSE_SPMV_CSR_ALG1,
        HIPSPARSE_SPMV_CSR_ALG2, HIPSPARSE_CSRMV_ALG1, HIPSPARSE_CSRMV_ALG2})
    check_spmv<T, I, I>(HIPSPARSE_FORMAT_CSR, alg, op);
  check_spmv<T, I, I>(HIPSPARSE_FORMAT_CSC, HIPSPARSE_SPMV_ALG_DEFAULT, op);
  for (hipsparseSpMVAlg_t alg : {HIPSPARSE_COOMV_ALG, HIPSPARSE_SPMV_COO_ALG1,
                                 HIPSPARSE_SPMV_COO_ALG2}) {
    check_spmv<T, I, I>(HIPSPARSE_FORMAT_COO, alg, op);
    check_spmv<T, I, I>(HIPSPARSE_FORMAT_COO_AOS, alg, op);
  }
  for (hipsparseOrder_t order : {HIPSPARSE_ORDER_ROW, HIPSPARSE_ORDER_COLUMN}) {
    for (hipsparseSpMMAlg_t alg :
         {HIPSPARSE_SPMM_ALG_DEFAULT, HIPSPARSE_SPMM_CSR_ALG1,
          HIPSPARSE_SPMM_CSR_ALG2, HIPSPARSE_SPMM_CSR_ALG3})
      check_spmm<T, I, I>(HIPSPARSE_FORMAT_CSR, alg, op, none, order);
    for (hipsparseSpMMAlg_t alg :
         {HIPSPARSE_SPMM_COO_ALG1, HIPSPARSE_SPMM_COO_ALG2,
          HIPSPARSE_SPMM_COO_ALG3, HIPSPARSE_SPMM_COO_ALG4})
      check_spmm<T, I, I>(HIPSPARSE_FORMAT_COO, alg, op, none, order);
  }
}

// One algorithm, with other types of indices.
template <class T, class I, class J> static void check_indices()
{
  const hipsparseSpMVAlg_t mv = HIPSPARSE_SPMV_ALG_DEFAULT;
  const hipsparseSpMMAlg_t mm = HIPSPARSE_SPMM_ALG_DEFAULT;
  for (int op = 0; op < 3; op++) {
    check_spmv<T, I, J>(HIPSPARSE_FORMAT_CSR, mv, op);
    check_spmv<T, I, J>(HIPSPARSE_FORMAT_CSC, mv, op);
    check_spmv<T, J, J>(HIPSPARSE_FORMAT_COO, mv, op);
    check_spmm<T, I, J>(HIPSPARSE_FORMAT_CSR, mm, op, none,
                        HIPSPARSE_ORDER_COLUMN);
    check_spmm<T, J, J>(HIPSPARSE_FORMAT_COO, mm, op, none,
                        HIPSPARSE_ORDER_COLUMN);
  }
  check_sddmm<T, I, J>(HIPSPARSE_FORMAT_CSR);
  check_sddmm<T, I, J>(HIPSPARSE_FORMAT_CSC);
  check_sddmm<T, J, J>(HIPSPARSE_FORMAT_COO);
  check_sddmm<T, J, J>(HIPSPARSE_FORMAT_COO_AOS);
}

template <class T> void check_generic()
{
  check_sums<T, int32_t>();
  check_sums<T, int64_t>();
  check_moves<T, int32_t>();
  check_moves<T, int64_t>();
  for (int op = 0; op < 3; op++)
    check_algorithms<T>(op);
  for (int op_b = 1; op_b < 3; op_b++)
    for (hipsparseOrder_t order : {HIPSPARSE_ORDER_ROW, HIPSPARSE_ORDER_COLUMN})
      for (hipsparseFormat_t format :
           {HIPSPARSE_FORMAT_CSR, HIPSPARSE_FORMAT_COO})
        check_spmm<T, int32_t, int32_t>(format, HIPSPARSE_SPMM_ALG_DEFAULT,
                                        none, op_b, order);
  for (int block : {2, 7, 16, 32})
    for (int op_b = 0; op_b < 3; op_b++)
      check_spmm_blocks<T, int32_t>(block, op_b);
  check_spmm_blocks<T, int64_t>(4, none);
  check_spmm_batch<T>(HIPSPARSE_FORMAT_CSR);
  check_spmm_batch<T>(HIPSPARSE_FORMAT_COO);
  check_indices<T, int32_t, int32_t>();
  check_indices<T, int64_t, int32_t>();
  check_indices<T, int64_t, int64_t>();
  for (hipsparseFormat_t format :
       {HIPSPARSE_FORMAT_CSR, HIPSPARSE_FORMAT_CSC, HIPSPARSE_FORMAT_COO}) {
    check_to_dense<T>(format);
    check_from_dense<T>(format);
  }
}
FOR_TYPES(check_generic)
