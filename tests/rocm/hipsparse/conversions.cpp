// SPDX-License-Identifier: MIT
// From one sparse form, or a dense matrix, into another: every bit is known.
#include "hipsparse.hpp"

enum { M = 90, N = 75, LEADING = 100 };

template <class T> static void check_counts(const dense &a)
{
  const compressed<T> rows = compressed_of<T>(a),
                      columns = compressed_of<T>(transposed(a, false));
  const device<T> full(leading<T>(a, LEADING));
  const descr d;
  int nnz = -5;
  check_run("nnz", [&] {
    const device<int> per_row(M), per_column(N);
    TYPED(nnz, handle, HIPSPARSE_DIRECTION_ROW, M, N, d, full, LEADING, per_row,
          &nnz);
    verdict_equal(nnz == rows.count() && per_row.host() == counts(rows.ptr));
    TYPED(nnz, handle, HIPSPARSE_DIRECTION_COLUMN, M, N, d, full, LEADING,
          per_column, &nnz);
    verdict_equal(nnz == rows.count() &&
                  per_column.host() == counts(columns.ptr));
  });
}

template <class T> static void check_dense(const dense &a)
{
  const stored<T> rows(a), columns(transposed(a, false));
  const device<T> full(leading<T>(a, LEADING));
  const device<int> per_row(counts(rows.host.ptr)),
      per_column(counts(columns.host.ptr));
  const descr d;
  check_run("dense2csr", [&] {
    const device<int> ptr(M + 1), ind(rows.nnz);
    const device<T> val(rows.nnz);
    TYPED(dense2csr, handle, M, N, d, full, LEADING, per_row, val, ptr, ind);
    verdict_equal(same(rows.host, ptr, ind, val));
  });
  check_run("dense2csc", [&] {
    const device<int> ptr(N + 1), ind(rows.nnz);
    const device<T> val(rows.nnz);
    TYPED(dense2csc, handle, M, N, d, full, LEADING, per_column, val, ind, ptr);
    verdict_equal(same(columns.host, ptr, ind, val));
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
    TYPED(csc2dense, handle, M, N, d, columns.val, columns.ind, columns.ptr,
          out, LEADING);
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
      TYPED(csr2csc, handle, M, N, rows.nnz, rows.val, rows.ptr, rows.ind, val,
            ind, ptr, action, base);
      verdict_equal(ptr.host() == columns.ptr && ind.host() == columns.ind &&
                    (!action || val.host() == columns.val));
    });
}

// Entries of each row, of offsets `ptr`, in disorder.
template <class X>
static void rows_shuffle(const std::vector<int> &ptr, std::vector<int> &ind,
                         std::vector<X> &val)
{
  for (size_t i = 0; i + 1 < ptr.size(); i++)
    for (int k = ptr[i] - base; k < ptr[i + 1] - base; k++) {
      const int other = ptr[i] - base + random_below(ptr[i + 1] - ptr[i]);
      std::swap(ind[k], ind[other]);
      std::swap(val[k], val[other]);
    }
}

// Sorted with its values, and back.
template <class T> static void check_unsorted(const dense &a)
{
  const compressed<T> sorted = compressed_of<T>(a);
  compressed<T> mixed = sorted;
  rows_shuffle(mixed.ptr, mixed.ind, mixed.val);
  const descr d;
  check_run("csru2csr", [&] {
    const csru2csr_info i;
    const stored<T> s(mixed);
    size_t size;
    TYPED(csru2csr_bufferSizeExt, handle, M, N, s.nnz, s.val, s.ptr, s.ind, i,
          &size);
    const space buffer(size);
    TYPED(csru2csr, handle, M, N, s.nnz, d, s.val, s.ptr, s.ind, i, buffer);
    verdict_equal(same(sorted, s.ptr, s.ind, s.val));
    TYPED(csr2csru, handle, M, N, s.nnz, d, s.val, s.ptr, s.ind, i, buffer);
    verdict_equal(same(mixed, s.ptr, s.ind, s.val));
  });
}

// Neighbours differ, and the order is by colour.
template <class T> static void check_colours()
{
  enum { SIZE = 200 };
  const dense a = random_dominant<T>(SIZE, 4);
  const stored<T> s(a);
  const descr d;
  const typename kind<T>::real fraction = 1;
  check_run("csrcolor", [&] {
    const color_info i;
    const device<int> colours(SIZE), order(SIZE);
    int count = -5;
    TYPED(csrcolor, handle, SIZE, s.nnz, d, s.val, s.ptr, s.ind, &fraction,
          &count, colours, order, i);
    verdict_equal(coloured(a, count, colours.host(), order.host()));
  });
}

template <class T> void check_conversions()
{
  static const int percents[] = {3, 40};
  for (int percent : percents) {
    const dense a = random_matrix<T>(M, N, percent);
    check_counts<T>(a);
    check_dense<T>(a);
    check_csr2csc<T>(a);
    check_unsorted<T>(a);
  }
  check_colours<T>();
}
FOR_TYPES(check_conversions)

// ---- indices alone ----

static void check_offsets(const compressed<float> &rows)
{
  const std::vector<int> row = row_indices(rows);
  const int nnz = rows.count();
  const device<int> ptr(rows.ptr), row_ind(row);
  check_run("csr2coo", [&] {
    const device<int> out(nnz);
    PLAIN(Xcsr2coo, handle, ptr, nnz, M, out, base);
    verdict_equal(out.host() == row);
  });
  check_run("coo2csr", [&] {
    const device<int> out(M + 1);
    PLAIN(Xcoo2csr, handle, row_ind, nnz, M, out, base);
    verdict_equal(out.host() == rows.ptr);
  });
}

static std::vector<int> identity_of(int n)
{
  std::vector<int> out(n);
  for (int i = 0; i < n; i++)
    out[i] = i;
  return out;
}

static void check_sorts(const compressed<float> &rows,
                        const compressed<float> &columns)
{
  const int nnz = rows.count();
  const std::vector<int> identity = identity_of(nnz);
  check_run("identity", [&] {
    const device<int> out(nnz);
    PLAIN(CreateIdentityPermutation, handle, nnz, out);
    verdict_equal(out.host() == identity);
  });
  std::vector<int> shuffled = rows.ind, turned = columns.ind, ignored(nnz);
  rows_shuffle(rows.ptr, shuffled, ignored);
  rows_shuffle(columns.ptr, turned, ignored);
  const descr d;
  size_t size;
  check_run("csrsort", [&] {
    const device<int> ptr(rows.ptr), ind(shuffled), p(identity);
    PLAIN(Xcsrsort_bufferSizeExt, handle, M, N, nnz, ptr, ind, &size);
    const space buffer(size);
    PLAIN(Xcsrsort, handle, M, N, nnz, d, ptr, ind, p, buffer);
    verdict_equal(ind.host() == rows.ind &&
                  permutes(rows.ind, p.host(), shuffled));
  });
  check_run("cscsort", [&] {
    const device<int> ptr(columns.ptr), ind(turned), p(identity);
    PLAIN(Xcscsort_bufferSizeExt, handle, M, N, nnz, ptr, ind, &size);
    const space buffer(size);
    PLAIN(Xcscsort, handle, M, N, nnz, d, ptr, ind, p, buffer);
    verdict_equal(ind.host() == columns.ind &&
                  permutes(columns.ind, p.host(), turned));
  });
}

static void check_coo_sorts(const compressed<float> &rows,
                            const compressed<float> &columns)
{
  const int nnz = rows.count();
  const std::vector<int> row = row_indices(rows), identity = identity_of(nnz);
  std::vector<int> all = identity, mixed_rows, mixed_columns;
  for (int i = 0; i < nnz; i++)
    std::swap(all[i], all[random_below(nnz)]);
  for (int i = 0; i < nnz; i++) {
    mixed_rows.push_back(row[all[i]]);
    mixed_columns.push_back(rows.ind[all[i]]);
  }
  for (int by_column = 0; by_column < 2; by_column++)
    check_run("coosort", [&] {
      const device<int> r(mixed_rows), c(mixed_columns), p(identity);
      size_t size;
      PLAIN(Xcoosort_bufferSizeExt, handle, M, N, nnz, r, c, &size);
      const space buffer(size);
      if (by_column)
        PLAIN(XcoosortByColumn, handle, M, N, nnz, r, c, p, buffer);
      else
        PLAIN(XcoosortByRow, handle, M, N, nnz, r, c, p, buffer);
      verdict_equal(r.host() == (by_column ? columns.ind : row) &&
                    c.host() == (by_column ? row_indices(columns) : rows.ind) &&
                    permutes(r.host(), p.host(), mixed_rows) &&
                    permutes(c.host(), p.host(), mixed_columns));
    });
}

void check_orders()
{
  const dense a = random_matrix<float>(M, N, 20);
  const compressed<float> rows = compressed_of<float>(a),
                          columns = compressed_of<float>(transposed(a, false));
  check_offsets(rows);
  check_sorts(rows, columns);
  check_coo_sorts(rows, columns);
}
