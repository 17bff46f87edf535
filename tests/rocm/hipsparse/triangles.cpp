// SPDX-License-Identifier: MIT
// The generic routines of triangular systems, and of products of sparse
// matrices.
#include "generic.hpp"

#include <memory>

enum { M = 70, K = 53, RIGHTS = 4, CASES = 12 };

// ---- triangular systems ----

static void describe(hipsparseSpMatDescr_t s, bool upper, bool unit)
{
  const hipsparseFillMode_t fill = (hipsparseFillMode_t)upper;
  const hipsparseDiagType_t diag = (hipsparseDiagType_t)unit;
  hipsparseSpMatSetAttribute(s, HIPSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill);
  hipsparseSpMatSetAttribute(s, HIPSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag);
}

template <class T, class I, class J>
static void check_spsv(hipsparseFormat_t format, int which)
{
  const system_case<T> c(M, 1, which, 1);
  const hipsparseSpSVAlg_t alg = HIPSPARSE_SPSV_ALG_DEFAULT;
  check_run("SpSV", [&] {
    const spsv_descr d;
    const sparse_matrix<T, I, J> s(c.a, format);
    const dense_vector<T> xs(c.b.v), ys(c.b.v);
    size_t size;
    describe(s, c.upper, c.unit);
    PLAIN(SpSV_bufferSize, handle, c.op, &c.alpha_t, s, xs, ys, datatype<T>,
          alg, d, &size);
    const space buffer(size);
    PLAIN(SpSV_analysis, handle, c.op, &c.alpha_t, s, xs, ys, datatype<T>, alg,
          d, buffer);
    PLAIN(SpSV_solve, handle, c.op, &c.alpha_t, s, xs, ys, datatype<T>, alg, d,
          buffer);
    verdict(ulps(ys.val.host(), c.x.v));
  });
}

template <class T, class I, class J>
static void check_spsm(hipsparseFormat_t format, int which)
{
  const system_case<T> c(M, RIGHTS, which, 1);
  const hipsparseSpSMAlg_t alg = HIPSPARSE_SPSM_ALG_DEFAULT;
  check_run("SpSM", [&] {
    const spsm_descr d;
    const sparse_matrix<T, I, J> s(c.a, format);
    const dense_matrix<T> bs(c.b), cs(c.b);
    size_t size;
    describe(s, c.upper, c.unit);
    PLAIN(SpSM_bufferSize, handle, c.op, none, &c.alpha_t, s, bs, cs,
          datatype<T>, alg, d, &size);
    const space buffer(size);
    PLAIN(SpSM_analysis, handle, c.op, none, &c.alpha_t, s, bs, cs, datatype<T>,
          alg, d, buffer);
    PLAIN(SpSM_solve, handle, c.op, none, &c.alpha_t, s, bs, cs, datatype<T>,
          alg, d, buffer);
    verdict(ulps(cs.val.host(), c.x.v));
  });
}

// ---- C = α·A·B ----

// A, B, α and the expected C; C's own descriptor, with offsets alone.
template <class T, class I, class J> struct spgemm_case {
  const dense a, b;
  const wide alpha;
  const T alpha_t, beta_t;
  dense expected;
  const sparse_matrix<T, I, J> as, bs;
  const device<I> ptr;
  hipsparseSpMatDescr_t cs;
  std::unique_ptr<device<J>> ind;
  std::unique_ptr<device<T>> val;

  spgemm_case()
      : a(random_matrix<T>(M, K, 8)), b(random_matrix<T>(K, M, 8)),
        alpha(random_value<T>()), alpha_t(kind<T>::of(alpha)), beta_t(0),
        expected(product(a, b)), as(a, HIPSPARSE_FORMAT_CSR),
        bs(b, HIPSPARSE_FORMAT_CSR), ptr(std::vector<I>(M + 1, (I)base))
  {
    for (wide &v : expected.v)
      v *= alpha;
    hipsparseCreateCsr(&cs, M, M, 0, ptr.at, nullptr, nullptr, index_type<I>,
                       index_type<J>, index_base(), datatype<T>);
  }
  ~spgemm_case()
  {
    hipsparseDestroySpMat(cs);
  }
  // Memory for as many entries as C has got.
  void fill()
  {
    int64_t rows, columns, nnz;
    PLAIN(SpMatGetSize, cs, &rows, &columns, &nnz);
    ind.reset(new device<J>((size_t)nnz));
    val.reset(new device<T>((size_t)nnz));
    PLAIN(CsrSetPointers, cs, ptr, *ind, *val);
  }
  void judge() const
  {
    const layout_memory<T, I, J> wanted(expected, BY_ROWS);
    verdict_equal(ptr.host() == wanted.ptr.host() &&
                  ind->host() == wanted.ind.host());
    verdict(ulps(val->host(), values_of(expected, BY_ROWS)));
  }
};

template <class T, class I, class J> static void check_spgemm()
{
  spgemm_case<T, I, J> c;
  const hipsparseSpGEMMAlg_t alg = HIPSPARSE_SPGEMM_DEFAULT;
  check_run("SpGEMM", [&] {
    const spgemm_descr d;
    size_t first, second;
    void *no_buffer = nullptr;
    PLAIN(SpGEMM_workEstimation, handle, none, none, &c.alpha_t, c.as, c.bs,
          &c.beta_t, c.cs, datatype<T>, alg, d, &first, no_buffer);
    const space one(first);
    PLAIN(SpGEMM_workEstimation, handle, none, none, &c.alpha_t, c.as, c.bs,
          &c.beta_t, c.cs, datatype<T>, alg, d, &first, one);
    PLAIN(SpGEMM_compute, handle, none, none, &c.alpha_t, c.as, c.bs, &c.beta_t,
          c.cs, datatype<T>, alg, d, &second, no_buffer);
    const space two(second);
    PLAIN(SpGEMM_compute, handle, none, none, &c.alpha_t, c.as, c.bs, &c.beta_t,
          c.cs, datatype<T>, alg, d, &second, two);
    c.fill();
    PLAIN(SpGEMM_copy, handle, none, none, &c.alpha_t, c.as, c.bs, &c.beta_t,
          c.cs, datatype<T>, alg, d);
    c.judge();
  });
}

template <class T, class I, class J> static void check_spgemm_reuse()
{
  spgemm_case<T, I, J> c;
  const hipsparseSpGEMMAlg_t alg = HIPSPARSE_SPGEMM_DEFAULT;
  check_run("SpGEMMreuse", [&] {
    const spgemm_descr d;
    size_t sizes[5];
    void *no_buffer = nullptr;
    PLAIN(SpGEMMreuse_workEstimation, handle, none, none, c.as, c.bs, c.cs, alg,
          d, &sizes[0], no_buffer);
    const space one(sizes[0]);
    PLAIN(SpGEMMreuse_workEstimation, handle, none, none, c.as, c.bs, c.cs, alg,
          d, &sizes[0], one);
    PLAIN(SpGEMMreuse_nnz, handle, none, none, c.as, c.bs, c.cs, alg, d,
          &sizes[1], no_buffer, &sizes[2], no_buffer, &sizes[3], no_buffer);
    const space two(sizes[1]), three(sizes[2]), four(sizes[3]);
    PLAIN(SpGEMMreuse_nnz, handle, none, none, c.as, c.bs, c.cs, alg, d,
          &sizes[1], two, &sizes[2], three, &sizes[3], four);
    c.fill();
    PLAIN(SpGEMMreuse_copy, handle, none, none, c.as, c.bs, c.cs, alg, d,
          &sizes[4], no_buffer);
    const space five(sizes[4]);
    PLAIN(SpGEMMreuse_copy, handle, none, none, c.as, c.bs, c.cs, alg, d,
          &sizes[4], five);
    PLAIN(SpGEMMreuse_compute, handle, none, none, &c.alpha_t, c.as, c.bs,
          &c.beta_t, c.cs, datatype<T>, alg, d);
    c.judge();
  });
}

template <class T> void check_triangles()
{
  for (int which = 0; which < CASES; which++) {
    check_spsv<T, int32_t, int32_t>(HIPSPARSE_FORMAT_CSR, which);
    check_spsv<T, int32_t, int32_t>(HIPSPARSE_FORMAT_COO, which);
    check_spsm<T, int32_t, int32_t>(HIPSPARSE_FORMAT_CSR, which);
    check_spsm<T, int32_t, int32_t>(HIPSPARSE_FORMAT_COO, which);
  }
  // Each operation once with each of the other types of indices.
  for (int which = 0; which < CASES; which += 5) {
    check_spsv<T, int64_t, int32_t>(HIPSPARSE_FORMAT_CSR, which);
    check_spsv<T, int64_t, int64_t>(HIPSPARSE_FORMAT_COO, which);
    check_spsm<T, int64_t, int32_t>(HIPSPARSE_FORMAT_CSR, which);
    check_spsm<T, int64_t, int64_t>(HIPSPARSE_FORMAT_COO, which);
  }
  check_spgemm<T, int32_t, int32_t>();
  check_spgemm<T, int64_t, int32_t>();
  check_spgemm<T, int64_t, int64_t>();
  check_spgemm_reuse<T, int32_t, int32_t>();
  check_spgemm_reuse<T, int64_t, int32_t>();
  check_spgemm_reuse<T, int64_t, int64_t>();
}
FOR_TYPES(check_triangles)
