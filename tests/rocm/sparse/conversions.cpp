// SPDX-License-Identifier: MIT
// From one sparse form, or a dense matrix, into another: every bit is known.
#include "sparse.hpp"

enum { M = 90, N = 75, LEADING = 100 };

template <class T> static void check_dense(const dense &a)
{
  const stored<T> rows(a), columns(transposed(a, false));
  const device<T> full(leading<T>(a, LEADING));
  const descr d;
  const device<int> per_row(M), per_column(N);
  int nnz = -5;
  check_run("nnz", [&] {
    TYPED(nnz, handle, rocsparse_direction_row, M, N, d, full, LEADING, per_row,
          &nnz);
    verdict_equal(nnz == rows.nnz && per_row.host() == counts(rows.host.ptr));
    TYPED(nnz, handle, rocsparse_direction_column, M, N, d, full, LEADING,
          per_column, &nnz);
    verdict_equal(nnz == rows.nnz &&
                  per_column.host() == counts(columns.host.ptr));
  });
  check_run("dense2csr", [&] {
    const device<int> ptr(M + 1), ind(rows.nnz);
    const device<T> val(rows.nnz);
    TYPED(dense2csr, handle, M, N, d, full, LEADING, per_row, val, ptr, ind);
    verdict_equal(ptr.host() == rows.host.ptr && ind.host() == rows.host.ind &&
                  val.host() == rows.host.val);
  });
  check_run("dense2csc", [&] {
    const device<int> ptr(N + 1), ind(rows.nnz);
    const device<T> val(rows.nnz);
    TYPED(dense2csc, handle, M, N, d, full, LEADING, per_column, val, ptr, ind);
    verdict_equal(ptr.host() == columns.host.ptr &&
                  ind.host() == columns.host.ind &&
                  val.host() == columns.host.val);
  });
  check_run("dense2coo", [&] {
    const device<int> row(rows.nnz), column(rows.nnz);
    const device<T> val(rows.nnz);
    TYPED(dense2coo, handle, M, N, d, full, LEADING, per_row, val, row, column);
    verdict_equal(row.host() == row_indices(rows.host) &&
                  column.host() == rows.host.ind &&
                  val.host() == rows.host.val);
  });
  const std::vector<T> empty((size_t)LEADING * N, T(-77));
  check_run("csr2dense", [&] {
    const device<T> out(empty);
    TYPED(csr2dense, handle, M, N, d, rows.val, rows.ptr, rows.ind, out,
          LEADING);
    verdict_equal(out.host() == leading<T>(a, LEADING));
  });
  check_run("csc2dense", [&] {
    const device<T> out(empty);
    TYPED(csc2dense, handle, M, N, d, columns.val, columns.ptr, columns.ind,
          out, LEADING);
    verdict_equal(out.host() == leading<T>(a, LEADING));
  });
  check_run("coo2dense", [&] {
    const device<T> out(empty);
    const device<int> row(row_indices(rows.host));
    TYPED(coo2dense, handle, M, N, rows.nnz, d, rows.val, row, rows.ind, out,
          LEADING);
    verdict_equal(out.host() == leading<T>(a, LEADING));
  });
}

template <class T> static void check_csr2csc(const dense &a)
{
  const stored<T> rows(a);
  const compressed<T> columns = compressed_of<T>(transposed(a, false));
  for (int action = 0; action < 2; action++)
    check_run("csr2csc", [&] {
      const device<int> ptr(N + 1), ind(rows.nnz);
      const device<T> val(rows.nnz);
      size_t size;
      PLAIN(csr2csc_buffer_size, handle, M, N, rows.nnz, rows.ptr, rows.ind,
            (rocsparse_action)action, &size);
      const space buffer(size);
      TYPED(csr2csc, handle, M, N, rows.nnz, rows.val, rows.ptr, rows.ind, val,
            ind, ptr, (rocsparse_action)action, base, buffer);
      verdict_equal(ptr.host() == columns.ptr && ind.host() == columns.ind &&
                    (!action || val.host() == columns.val));
    });
}

template <class T> static void check_ell(const dense &a)
{
  const stored<T> rows(a);
  const ellpack<T> e = ellpack_of<T>(a);
  const descr from, to;
  check_run("csr2ell", [&] {
    int width = -5;
    PLAIN(csr2ell_width, handle, M, from, rows.ptr, to, &width);
    const device<int> ind(e.ind.size());
    const device<T> val(e.val.size());
    TYPED(csr2ell, handle, M, from, rows.val, rows.ptr, rows.ind, to, width,
          val, ind);
    // Padding has no value that anyone may read.
    std::vector<T> got = val.host();
    for (size_t i = 0; i < got.size() && i < e.ind.size(); i++)
      if (e.ind[i] < 0)
        got[i] = T(0);
    verdict_equal(width == e.width && ind.host() == e.ind && got == e.val);
  });
  check_run("ell2csr", [&] {
    const device<int> ell_ind(e.ind), ptr(M + 1);
    const device<T> ell_val(e.val);
    int nnz = -5;
    PLAIN(ell2csr_nnz, handle, M, N, from, e.width, ell_ind, to, ptr, &nnz);
    const device<int> ind(nnz);
    const device<T> val(nnz);
    TYPED(ell2csr, handle, M, N, from, e.width, ell_val, ell_ind, to, val, ptr,
          ind);
    verdict_equal(ptr.host() == rows.host.ptr && ind.host() == rows.host.ind &&
                  val.host() == rows.host.val);
  });
}

// Rows and rows of entries, and the sorts, know no values.
void check_orders()
{
  const dense a = random_matrix<float>(M, N, 15);
  const compressed<float> rows = compressed_of<float>(a);
  const compressed<float> columns = compressed_of<float>(transposed(a, false));
  const std::vector<int> row = row_indices(rows);
  const int nnz = rows.count();
  const device<int> ptr(rows.ptr), row_ind(row);
  check_run("csr2coo", [&] {
    const device<int> out(nnz);
    PLAIN(csr2coo, handle, ptr, nnz, M, out, base);
    verdict_equal(out.host() == row);
  });
  check_run("coo2csr", [&] {
    const device<int> out(M + 1);
    PLAIN(coo2csr, handle, row_ind, nnz, M, out, base);
    verdict_equal(out.host() == rows.ptr);
  });
  std::vector<int> identity(nnz);
  for (int i = 0; i < nnz; i++)
    identity[i] = i;
  check_run("create_identity_permutation", [&] {
    const device<int> out(nnz);
    PLAIN(create_identity_permutation, handle, nnz, out);
    verdict_equal(out.host() == identity);
  });

  // Entries of each row, and all entries, in disorder.
  std::vector<int> shuffled = rows.ind, turned = columns.ind, all = identity;
  for (int i = 0; i < M; i++)
    for (int k = rows.ptr[i] - base; k < rows.ptr[i + 1] - base; k++)
      std::swap(shuffled[k],
                shuffled[rows.ptr[i] - base +
                         random_below(rows.ptr[i + 1] - rows.ptr[i])]);
  for (int i = 0; i < N; i++)
    for (int k = columns.ptr[i] - base; k < columns.ptr[i + 1] - base; k++)
      std::swap(turned[k],
                turned[columns.ptr[i] - base +
                       random_below(columns.ptr[i + 1] - columns.ptr[i])]);
  for (int i = 0; i < nnz; i++)
    std::swap(all[i], all[random_below(nnz)]);
  const descr d;
  check_run("csrsort", [&] {
    const device<int> ind(shuffled), p(identity);
    size_t size;
    PLAIN(csrsort_buffer_size, handle, M, N, nnz, ptr, ind, &size);
    const space buffer(size);
    PLAIN(csrsort, handle, M, N, nnz, d, ptr, ind, p, buffer);
    verdict_equal(ind.host() == rows.ind &&
                  permutes(rows.ind, p.host(), shuffled));
  });
  check_run("cscsort", [&] {
    const device<int> starts(columns.ptr), ind(turned), p(identity);
    size_t size;
    PLAIN(cscsort_buffer_size, handle, M, N, nnz, starts, ind, &size);
    const space buffer(size);
    PLAIN(cscsort, handle, M, N, nnz, d, starts, ind, p, buffer);
    verdict_equal(ind.host() == columns.ind &&
                  permutes(columns.ind, p.host(), turned));
  });
  std::vector<int> mixed_rows, mixed_columns;
  for (int i = 0; i < nnz; i++) {
    mixed_rows.push_back(row[all[i]]);
    mixed_columns.push_back(rows.ind[all[i]]);
  }
  for (int by_column = 0; by_column < 2; by_column++)
    check_run("coosort", [&] {
      const device<int> r(mixed_rows), c(mixed_columns), p(identity);
      size_t size;
      PLAIN(coosort_buffer_size, handle, M, N, nnz, r, c, &size);
      const space buffer(size);
      if (by_column)
        PLAIN(coosort_by_column, handle, M, N, nnz, r, c, p, buffer);
      else
        PLAIN(coosort_by_row, handle, M, N, nnz, r, c, p, buffer);
      verdict_equal(r.host() == (by_column ? columns.ind : row) &&
                    c.host() == (by_column ? row_indices(columns) : rows.ind) &&
                    permutes(r.host(), p.host(), mixed_rows) &&
                    permutes(c.host(), p.host(), mixed_columns));
    });
}

template <class T> void check_conversions()
{
  static const int percents[] = {3, 40};
  for (int percent : percents) {
    const dense a = random_matrix<T>(M, N, percent);
    check_dense<T>(a);
    check_csr2csc<T>(a);
    check_ell<T>(a);
  }
}
FOR_TYPES(check_conversions)
