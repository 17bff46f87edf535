// SPDX-License-Identifier: MIT
// The generic routines: descriptors say the form and the type.
#include "sparse.hpp"

#include "../sparse_common/layouts.hpp"

enum { M = 70, K = 53, N = 21, LENGTH = 500, ENTRIES = 101 };

// ---- descriptors with their memory ----

template <class T> struct dense_vector {
  device<T> val;
  rocsparse_dnvec_descr at;
  explicit dense_vector(const std::vector<wide> &v) : val(narrow<T>(v))
  {
    rocsparse_create_dnvec_descr(&at, (int64_t)v.size(), val.at, datatype<T>);
  }
  ~dense_vector()
  {
    rocsparse_destroy_dnvec_descr(at);
  }
  operator rocsparse_dnvec_descr() const
  {
    return at;
  }
};

template <class T> struct dense_matrix {
  device<T> val;
  rocsparse_dnmat_descr at;
  explicit dense_matrix(const dense &a,
                        rocsparse_order order = rocsparse_order_column)
      : val(narrow<T>(order == rocsparse_order_column ? a.v : by_rows(a)))
  {
    rocsparse_create_dnmat_descr(&at, a.m, a.n,
                                 order == rocsparse_order_column ? a.m : a.n,
                                 val.at, datatype<T>, order);
  }
  ~dense_matrix()
  {
    rocsparse_destroy_dnmat_descr(at);
  }
  operator rocsparse_dnmat_descr() const
  {
    return at;
  }
};

template <class I> struct index_kind;
template <> struct index_kind<int32_t> {
  static constexpr rocsparse_indextype type = rocsparse_indextype_i32;
};
template <> struct index_kind<int64_t> {
  static constexpr rocsparse_indextype type = rocsparse_indextype_i64;
};

static layout layout_of(rocsparse_format format)
{
  return format == rocsparse_format_csc       ? BY_COLUMNS
         : format == rocsparse_format_coo     ? PAIRS
         : format == rocsparse_format_coo_aos ? PAIRS_WOVEN
         : format == rocsparse_format_ell     ? ELLPACK
                                              : BY_ROWS;
}

template <class T, class I, class J> struct sparse_matrix {
  static constexpr rocsparse_indextype offsets = index_kind<I>::type,
                                       indices = index_kind<J>::type;
  layout_memory<T, I, J> in;
  rocsparse_spmat_descr at = nullptr;

  sparse_matrix(const dense &a, rocsparse_format format, int block = 1)
      : in(a, layout_of(format), block)
  {
    if (format == rocsparse_format_csr)
      rocsparse_create_csr_descr(&at, a.m, a.n, in.count, in.ptr.at, in.ind.at,
                                 in.val.at, offsets, indices, index_base(),
                                 datatype<T>);
    else if (format == rocsparse_format_csc)
      rocsparse_create_csc_descr(&at, a.m, a.n, in.count, in.ptr.at, in.ind.at,
                                 in.val.at, offsets, indices, index_base(),
                                 datatype<T>);
    else if (format == rocsparse_format_bsr)
      rocsparse_create_bsr_descr(&at, in.rows, in.columns, in.count,
                                 rocsparse_direction_row, block, in.ptr.at,
                                 in.ind.at, in.val.at, offsets, indices,
                                 index_base(), datatype<T>);
    else if (format == rocsparse_format_ell)
      rocsparse_create_ell_descr(&at, a.m, a.n, in.ind.at, in.val.at, in.count,
                                 indices, index_base(), datatype<T>);
    else if (format == rocsparse_format_coo)
      rocsparse_create_coo_descr(&at, a.m, a.n, in.count, in.row.at, in.ind.at,
                                 in.val.at, indices, index_base(), datatype<T>);
    else
      rocsparse_create_coo_aos_descr(&at, a.m, a.n, in.count, in.ind.at,
                                     in.val.at, indices, index_base(),
                                     datatype<T>);
  }
  ~sparse_matrix()
  {
    rocsparse_destroy_spmat_descr(at);
  }
  operator rocsparse_spmat_descr() const
  {
    return at;
  }
};

// ---- vectors ----

template <class T, class I> static void check_sparse_vector()
{
  std::vector<I> at;
  for (int i = 0; i < ENTRIES; i++)
    at.push_back((I)(i * 4 + random_below(4) + base));
  const std::vector<wide> x = random_vector<T>(ENTRIES);
  const std::vector<wide> y = random_vector<T>(LENGTH);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const device<I> ind(at);
  const device<T> val(narrow<T>(x));
  rocsparse_spvec_descr xs;
  rocsparse_create_spvec_descr(&xs, LENGTH, ENTRIES, ind.at, val.at,
                               index_kind<I>::type, index_base(), datatype<T>);

  std::vector<wide> sum = y, scattered = y, gathered;
  wide dots[2] = {0, 0};
  for (wide &v : sum)
    v *= beta;
  for (int i = 0; i < ENTRIES; i++) {
    const size_t to = (size_t)(at[i] - base);
    sum[to] += alpha * x[i];
    scattered[to] = x[i];
    gathered.push_back(y[to]);
    dots[0] += x[i] * y[to];
    dots[1] += std::conj(x[i]) * y[to];
  }
  check_run("axpby", [&] {
    const dense_vector<T> ys(y);
    PLAIN(axpby, handle, &alpha_t, xs, &beta_t, ys);
    verdict(ulps(ys.val.host(), sum));
  });
  check_run("scatter", [&] {
    const dense_vector<T> ys(y);
    PLAIN(scatter, handle, xs, ys);
    verdict_equal(ys.val.host() == narrow<T>(scattered));
  });
  for (int conjugate = 0; conjugate < 2; conjugate++)
    check_run("spvv", [&] {
      const dense_vector<T> ys(y);
      const rocsparse_operation op = operations[conjugate ? 2 : 0];
      size_t size;
      T dot;
      PLAIN(spvv, handle, op, xs, ys, &dot, datatype<T>, &size, nullptr);
      const space buffer(size);
      PLAIN(spvv, handle, op, xs, ys, &dot, datatype<T>, &size, buffer);
      verdict(ulps(std::vector<T>{dot}, std::vector<wide>{dots[conjugate]}));
    });
  check_run("rot", [&] {
    const T c = (T)0.6, s = (T)-0.8;
    std::vector<wide> to_x = x, to_y = y;
    for (int i = 0; i < ENTRIES; i++) {
      wide &other = to_y[(size_t)(at[i] - base)];
      to_x[i] = wide_of(c) * x[i] + wide_of(s) * other;
      other = wide_of(c) * other - wide_of(s) * x[i];
    }
    const dense_vector<T> ys(y);
    PLAIN(rot, handle, &c, &s, xs, ys);
    verdict(std::fmax(ulps(val.host(), to_x), ulps(ys.val.host(), to_y)));
  });
  check_run("gather", [&] {
    const dense_vector<T> ys(y);
    PLAIN(gather, handle, ys, xs);
    verdict_equal(val.host() == narrow<T>(gathered));
  });
  rocsparse_destroy_spvec_descr(xs);
}

// ---- products ----

template <class T, class I, class J>
static void check_spmv(rocsparse_format format, rocsparse_spmv_alg alg,
                       rocsparse_operation op)
{
  const int block = format == rocsparse_format_bsr ? 4 : 1;
  const dense a = random_matrix<T>(72, 52, 15, block, block);
  const dense how = operated(a, op);
  const std::vector<wide> x = random_vector<T>(how.n),
                          y = random_vector<T>(how.m);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  std::vector<wide> expected = product(how, x);
  for (int i = 0; i < how.m; i++)
    expected[i] = alpha * expected[i] + beta * y[i];
  const sparse_matrix<T, I, J> s(a, format, block);
  check_run("spmv", [&] {
    const dense_vector<T> xs(x), ys(y);
    size_t size;
    PLAIN(spmv, handle, op, &alpha_t, s, xs, &beta_t, ys, datatype<T>, alg,
          &size, nullptr);
    const space buffer(size);
    PLAIN(spmv, handle, op, &alpha_t, s, xs, &beta_t, ys, datatype<T>, alg,
          &size, buffer);
    verdict(ulps(ys.val.host(), expected));
  });
}

typedef rocsparse_status spmm_routine(rocsparse_handle, rocsparse_operation,
                                      rocsparse_operation, const void *,
                                      const rocsparse_spmat_descr,
                                      const rocsparse_dnmat_descr, const void *,
                                      const rocsparse_dnmat_descr,
                                      rocsparse_datatype, rocsparse_spmm_alg,
                                      rocsparse_spmm_stage, size_t *, void *);

template <class T, class I, class J>
static void check_spmm(const char *name, spmm_routine *routine,
                       rocsparse_format format, rocsparse_spmm_alg alg,
                       rocsparse_operation op, rocsparse_order order)
{
  const dense a = op == rocsparse_operation_none ? random_matrix<T>(M, K, 15)
                                                 : random_matrix<T>(K, M, 15);
  const dense b = filled(K, N, random_vector<T>(K * N));
  const dense c = filled(M, N, random_vector<T>(M * N));
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  dense expected = product(operated(a, op), b);
  for (size_t i = 0; i < expected.v.size(); i++)
    expected.v[i] = alpha * expected.v[i] + beta * c.v[i];
  const sparse_matrix<T, I, J> s(a, format);
  check_run(name, [&] {
    const dense_matrix<T> bs(b, order), cs(c, order);
    size_t size;
    const auto stage = [&](rocsparse_spmm_stage which, void *buffer) {
      routine_note(name, routine(handle, op, rocsparse_operation_none, &alpha_t,
                                 s, bs, &beta_t, cs, datatype<T>, alg, which,
                                 &size, buffer));
    };
    stage(rocsparse_spmm_stage_buffer_size, nullptr);
    const space buffer(size);
    stage(rocsparse_spmm_stage_preprocess, buffer.at);
    stage(rocsparse_spmm_stage_compute, buffer.at);
    verdict(ulps(cs.val.host(), order == rocsparse_order_column
                                    ? expected.v
                                    : by_rows(expected)));
  });
}

template <class T, class I, class J> static void check_spgemm()
{
  const rocsparse_operation none = rocsparse_operation_none;
  const dense a = random_matrix<T>(M, K, 8), b = random_matrix<T>(K, M, 8);
  const dense d = random_matrix<T>(M, M, 3);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  dense expected = product(a, b);
  std::vector<wide> values;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      if (expected.has(i, j) || d.has(i, j)) {
        expected.put(i, j, alpha * expected(i, j) + beta * d(i, j));
        values.push_back(expected(i, j));
      }
  const compressed<T> c = compressed_of<T>(expected);
  const sparse_matrix<T, I, J> as(a, rocsparse_format_csr),
      bs(b, rocsparse_format_csr), ds(d, rocsparse_format_csr);
  check_run("spgemm", [&] {
    const device<I> ptr(M + 1);
    rocsparse_spmat_descr cs;
    size_t size;
    int64_t rows, columns, nnz;
    rocsparse_create_csr_descr(&cs, M, M, 0, ptr.at, nullptr, nullptr,
                               index_kind<I>::type, index_kind<J>::type,
                               index_base(), datatype<T>);
    const auto stage = [&](rocsparse_spgemm_stage which, void *buffer) {
      PLAIN(spgemm, handle, none, none, &alpha_t, as, bs, &beta_t, ds, cs,
            datatype<T>, rocsparse_spgemm_alg_default, which, &size, buffer);
    };
    stage(rocsparse_spgemm_stage_buffer_size, nullptr);
    const space buffer(size);
    stage(rocsparse_spgemm_stage_nnz, buffer.at);
    PLAIN(spmat_get_size, cs, &rows, &columns, &nnz);
    const device<J> ind((size_t)nnz);
    const device<T> val((size_t)nnz);
    PLAIN(csr_set_pointers, cs, ptr, ind, val);
    stage(rocsparse_spgemm_stage_compute, buffer.at);
    const std::vector<I> p = ptr.host();
    const std::vector<J> n = ind.host();
    verdict_equal(nnz == c.count() &&
                  std::vector<int>(p.begin(), p.end()) == c.ptr &&
                  std::vector<int>(n.begin(), n.end()) == c.ind);
    verdict(ulps(val.host(), values));
    rocsparse_destroy_spmat_descr(cs);
  });
}

// C = α·(A·B) + β·C where C is stored.
template <class T, class I, class J>
static void check_sddmm(rocsparse_format format)
{
  const rocsparse_operation none = rocsparse_operation_none;
  const dense a = filled(M, K, random_vector<T>(M * K));
  const dense b = filled(K, N, random_vector<T>(K * N));
  const dense c = random_matrix<T>(M, N, 20);
  const wide alpha = random_value<T>(), beta = random_value<T>();
  const T alpha_t = kind<T>::of(alpha), beta_t = kind<T>::of(beta);
  const dense whole = product(a, b);
  dense expected(M, N);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      if (c.has(i, j))
        expected.put(i, j, alpha * whole(i, j) + beta * c(i, j));
  const sparse_matrix<T, I, J> cs(c, format);
  check_run("sddmm", [&] {
    const dense_matrix<T> as(a), bs(b);
    const rocsparse_sddmm_alg alg = rocsparse_sddmm_alg_default;
    size_t size;
    PLAIN(sddmm_buffer_size, handle, none, none, &alpha_t, as, bs, &beta_t, cs,
          datatype<T>, alg, &size);
    const space buffer(size);
    PLAIN(sddmm_preprocess, handle, none, none, &alpha_t, as, bs, &beta_t, cs,
          datatype<T>, alg, buffer);
    PLAIN(sddmm, handle, none, none, &alpha_t, as, bs, &beta_t, cs, datatype<T>,
          alg, buffer);
    std::vector<wide> values = values_of(expected, layout_of(format));
    std::vector<T> got = cs.in.val.host();
    if (format == rocsparse_format_ell) {
      const ellpack<T> e = ellpack_of<T>(expected);
      values.clear();
      for (size_t i = 0; i < got.size(); i++) {
        values.push_back(wide_of(e.val[i]));
        got[i] = e.ind[i] < 0 ? T(0) : got[i];
      }
    }
    verdict(ulps(got, values));
  });
}

// ---- triangular systems ----

template <class T, class I, class J>
static void check_triangles(rocsparse_format format, int which)
{
  const rocsparse_operation none = rocsparse_operation_none;
  enum { RIGHTS = 4 };
  const system_case<T> c(M, RIGHTS, which, 1);
  const rocsparse_operation op = operations[c.op];
  const rocsparse_fill_mode fill = (rocsparse_fill_mode)c.upper;
  const rocsparse_diag_type diag = (rocsparse_diag_type)c.unit;
  const auto describe = [&](rocsparse_spmat_descr s) {
    rocsparse_spmat_set_attribute(s, rocsparse_spmat_fill_mode, &fill,
                                  sizeof fill);
    rocsparse_spmat_set_attribute(s, rocsparse_spmat_diag_type, &diag,
                                  sizeof diag);
  };
  // A matrix that was analysed for one right side is none for several: 5.3 ends
  // in a segmentation fault.
  check_run("spsv", [&] {
    const sparse_matrix<T, I, J> s(c.a, format);
    describe(s);
    const std::vector<wide> side(c.b.v.begin(), c.b.v.begin() + M);
    const dense_vector<T> xs(side), ys(side);
    size_t size;
    const auto stage = [&](rocsparse_spsv_stage at, void *buffer) {
      PLAIN(spsv, handle, op, &c.alpha_t, s, xs, ys, datatype<T>,
            rocsparse_spsv_alg_default, at, &size, buffer);
    };
    stage(rocsparse_spsv_stage_buffer_size, nullptr);
    const space buffer(size);
    stage(rocsparse_spsv_stage_preprocess, buffer.at);
    stage(rocsparse_spsv_stage_compute, buffer.at);
    verdict(ulps(ys.val.host(),
                 std::vector<wide>(c.x.v.begin(), c.x.v.begin() + M)));
  });
  check_run("spsm", [&] {
    const sparse_matrix<T, I, J> s(c.a, format);
    describe(s);
    const dense_matrix<T> bs(c.b), cs(c.b);
    size_t size;
    const auto stage = [&](rocsparse_spsm_stage at, void *buffer) {
      PLAIN(spsm, handle, op, none, &c.alpha_t, s, bs, cs, datatype<T>,
            rocsparse_spsm_alg_default, at, &size, buffer);
    };
    stage(rocsparse_spsm_stage_buffer_size, nullptr);
    const space buffer(size);
    stage(rocsparse_spsm_stage_preprocess, buffer.at);
    stage(rocsparse_spsm_stage_compute, buffer.at);
    verdict(ulps(cs.val.host(), c.x.v));
  });
}

// ---- dense and sparse ----

template <class T> static void check_dense(rocsparse_format format)
{
  const dense a = random_matrix<T>(M, N, 20);
  const sparse_matrix<T, int32_t, int32_t> s(a, format);
  check_run("sparse_to_dense", [&] {
    const dense_matrix<T> out(filled(M, N, std::vector<wide>(M * N, -77)));
    const rocsparse_sparse_to_dense_alg alg =
        rocsparse_sparse_to_dense_alg_default;
    size_t size;
    PLAIN(sparse_to_dense, handle, s, out, alg, &size, nullptr);
    const space buffer(size);
    PLAIN(sparse_to_dense, handle, s, out, alg, &size, buffer);
    verdict_equal(out.val.host() == narrow<T>(a.v));
  });
  check_run("dense_to_sparse", [&] {
    const dense_matrix<T> in(a);
    const rocsparse_dense_to_sparse_alg alg =
        rocsparse_dense_to_sparse_alg_default;
    const bool coo = format == rocsparse_format_coo;
    const compressed<T> c = compressed_of<T>(
        format == rocsparse_format_csc ? transposed(a, false) : a);
    const device<int> ptr(coo ? (size_t)c.count() : c.ptr.size()),
        ind((size_t)c.count());
    const device<T> val((size_t)c.count());
    rocsparse_spmat_descr to;
    const rocsparse_indextype i32 = rocsparse_indextype_i32;
    if (coo)
      rocsparse_create_coo_descr(&to, M, N, 0, ptr.at, ind.at, val.at, i32,
                                 index_base(), datatype<T>);
    else
      (format == rocsparse_format_csr
           ? rocsparse_create_csr_descr
           : rocsparse_create_csc_descr)(&to, M, N, 0, ptr.at, ind.at, val.at,
                                         i32, i32, index_base(), datatype<T>);
    size_t size;
    PLAIN(dense_to_sparse, handle, in, to, alg, &size, nullptr);
    const space buffer(size);
    // The first call with a buffer counts, the second fills.
    PLAIN(dense_to_sparse, handle, in, to, alg, nullptr, buffer);
    int64_t rows, columns, nnz;
    PLAIN(spmat_get_size, to, &rows, &columns, &nnz);
    PLAIN(dense_to_sparse, handle, in, to, alg, &size, buffer);
    verdict_equal(nnz == c.count() &&
                  ptr.host() == (coo ? row_indices(c) : c.ptr) &&
                  ind.host() == c.ind && val.host() == c.val);
    rocsparse_destroy_spmat_descr(to);
  });
}

template <class T, class I, class J> static void check_types()
{
  for (rocsparse_operation op : operations) {
    for (int alg = rocsparse_spmv_alg_default;
         alg <= rocsparse_spmv_alg_csr_stream; alg++)
      if (alg != rocsparse_spmv_alg_coo)
        check_spmv<T, I, J>(rocsparse_format_csr, (rocsparse_spmv_alg)alg, op);
    check_spmv<T, I, J>(rocsparse_format_csc, rocsparse_spmv_alg_default, op);
    check_spmv<T, J, J>(rocsparse_format_coo, rocsparse_spmv_alg_coo, op);
    check_spmv<T, J, J>(rocsparse_format_coo, rocsparse_spmv_alg_coo_atomic,
                        op);
    check_spmv<T, J, J>(rocsparse_format_coo_aos, rocsparse_spmv_alg_coo, op);
    check_spmv<T, J, J>(rocsparse_format_ell, rocsparse_spmv_alg_ell, op);
  }
  check_spmv<T, I, J>(rocsparse_format_bsr, rocsparse_spmv_alg_bsr,
                      rocsparse_operation_none);
  for (int order = 0; order < 2; order++)
    for (rocsparse_operation op : operations) {
      static const struct {
        rocsparse_format format;
        rocsparse_spmm_alg alg;
      } ways[] = {
          {rocsparse_format_csr, rocsparse_spmm_alg_csr},
          {rocsparse_format_csr, rocsparse_spmm_alg_csr_row_split},
          {rocsparse_format_csr, rocsparse_spmm_alg_csr_merge},
          {rocsparse_format_coo, rocsparse_spmm_alg_coo_segmented},
          {rocsparse_format_coo, rocsparse_spmm_alg_coo_atomic},
          {rocsparse_format_coo, rocsparse_spmm_alg_coo_segmented_atomic},
      };
      for (const auto &way : ways) {
        check_spmm<T, I, J>("spmm", rocsparse_spmm, way.format, way.alg, op,
                            (rocsparse_order)order);
        check_spmm<T, I, J>("spmm_ex", rocsparse_spmm_ex, way.format, way.alg,
                            op, (rocsparse_order)order);
      }
    }
  check_spgemm<T, I, J>();
  check_sddmm<T, I, J>(rocsparse_format_csr);
  check_sddmm<T, I, J>(rocsparse_format_csc);
  check_sddmm<T, J, J>(rocsparse_format_coo);
  check_sddmm<T, J, J>(rocsparse_format_coo_aos);
  check_sddmm<T, J, J>(rocsparse_format_ell);
  for (int which = 0; which < 12; which++) {
    check_triangles<T, I, J>(rocsparse_format_csr, which);
    check_triangles<T, J, J>(rocsparse_format_coo, which);
  }
}

template <class T> void check_generic()
{
  check_sparse_vector<T, int32_t>();
  check_types<T, int32_t, int32_t>();
  check_dense<T>(rocsparse_format_csr);
  check_dense<T>(rocsparse_format_csc);
  check_dense<T>(rocsparse_format_coo);
  check_sparse_vector<T, int64_t>();
  check_types<T, int64_t, int32_t>();
  check_types<T, int64_t, int64_t>();
}
FOR_TYPES(check_generic)
