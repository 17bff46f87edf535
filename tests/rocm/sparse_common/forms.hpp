// SPDX-License-Identifier: MIT
// Sparse forms of a dense matrix, on the host and on the device.
#ifndef SPARSE_FORMS_HPP
#define SPARSE_FORMS_HPP

#include "dense.hpp"
#include "device.hpp"
#include "report.hpp"

#include <algorithm>

extern int base; // of the indices of every matrix of the current pass

// Compressed rows of blocks; rb = cb = 1 is CSR. Values of a block lie by rows
// or by columns of it.
template <class T> struct compressed {
  int m, n, rb, cb; // of the matrix, of a block
  std::vector<int> ptr, ind;
  std::vector<T> val;

  int rows() const
  {
    return (m + rb - 1) / rb;
  }
  int columns() const
  {
    return (n + cb - 1) / cb;
  }
  int count() const
  {
    return (int)ind.size();
  }
};

template <class T>
compressed<T> compressed_of(const dense &a, int rb = 1, int cb = 1,
                            bool by_columns = false)
{
  compressed<T> out = {a.m, a.n, rb, cb, {base}, {}, {}};
  for (int i = 0; i < a.m; i += rb) {
    for (int j = 0; j < a.n; j += cb) {
      bool any = false;
      for (int k = 0; k < rb * cb; k++)
        any |= i + k / cb < a.m && j + k % cb < a.n &&
               a.has(i + k / cb, j + k % cb);
      if (!any)
        continue;
      out.ind.push_back(j / cb + base);
      for (int k = 0; k < rb * cb; k++) {
        const int r = i + (by_columns ? k % rb : k / cb);
        const int c = j + (by_columns ? k / rb : k % cb);
        out.val.push_back(
            r < a.m && c < a.n && a.has(r, c) ? kind<T>::of(a(r, c)) : T(0));
      }
    }
    out.ptr.push_back(out.count() + base);
  }
  return out;
}

// Columns of blocks; each block keeps its values as they lie by rows.
template <class T>
compressed<T> columns_of_blocks(const dense &a, int rb, int cb)
{
  const compressed<T> columns = compressed_of<T>(transposed(a, false), cb, rb);
  compressed<T> expected = columns;
  for (int k = 0; k < columns.count(); k++)
    for (int r = 0; r < rb; r++)
      for (int c = 0; c < cb; c++)
        expected.val[(size_t)k * rb * cb + r * cb + c] =
            columns.val[(size_t)k * rb * cb + c * rb + r];
  return expected;
}

// The row of each entry.
template <class T> std::vector<int> row_indices(const compressed<T> &a)
{
  std::vector<int> out;
  for (int i = 0; i < a.rows(); i++)
    out.insert(out.end(), a.ptr[i + 1] - a.ptr[i], i + base);
  return out;
}

// The same on the device.
template <class T> struct stored {
  compressed<T> host;
  device<int> ptr, ind;
  device<T> val;
  int nnz;

  explicit stored(const compressed<T> &h)
      : host(h), ptr(h.ptr), ind(h.ind), val(h.val), nnz(h.count())
  {
  }
  explicit stored(const dense &a, int rb = 1, int cb = 1,
                  bool by_columns = false)
      : stored(compressed_of<T>(a, rb, cb, by_columns))
  {
  }
};

// ELLPACK by columns: `width` entries a row, padded with −1.
template <class T> struct ellpack {
  int width;
  std::vector<int> ind;
  std::vector<T> val;
};
template <class T> ellpack<T> ellpack_of(const dense &a)
{
  const compressed<T> rows = compressed_of<T>(a);
  ellpack<T> out = {0, {}, {}};
  for (int i = 0; i < a.m; i++)
    out.width = std::max(out.width, rows.ptr[i + 1] - rows.ptr[i]);
  out.ind.assign((size_t)out.width * a.m, -1);
  out.val.assign((size_t)out.width * a.m, T(0));
  for (int i = 0; i < a.m; i++)
    for (int k = rows.ptr[i]; k < rows.ptr[i + 1]; k++) {
      const size_t to = (size_t)(k - rows.ptr[i]) * a.m + i;
      out.ind[to] = rows.ind[k - base];
      out.val[to] = rows.val[k - base];
    }
  return out;
}

// Whether a result has every bit of the expected one.
template <class T>
bool same(const compressed<T> &expected, const device<int> &ptr,
          const device<int> &ind, const device<T> &val)
{
  return ptr.host() == expected.ptr && ind.host() == expected.ind &&
         val.host() == expected.val;
}

// The same as a difference of values.
template <class T>
double off_rows(const dense &expected, const device<int> &ptr,
                const device<int> &ind, const device<T> &val)
{
  const compressed<T> e = compressed_of<T>(expected);
  std::vector<wide> values;
  for (int i = 0; i < expected.m; i++)
    for (int j = 0; j < expected.n; j++)
      if (expected.has(i, j))
        values.push_back(expected(i, j));
  return ptr.host() == e.ptr && ind.host() == e.ind ? ulps(val.host(), values)
                                                    : INFINITY;
}

// The largest difference of what is stored, or of its lower triangle.
template <class T>
double off_stored(const stored<T> &s, const dense &expected, bool by_columns,
                  bool lower = false)
{
  const std::vector<T> got = s.val.host();
  const int rb = s.host.rb, cb = s.host.cb;
  std::vector<T> values;
  std::vector<wide> wanted;
  for (int i = 0; i < s.host.rows(); i++)
    for (int k = s.host.ptr[i] - base; k < s.host.ptr[i + 1] - base; k++)
      for (int e = 0; e < rb * cb; e++) {
        const int r = i * rb + (by_columns ? e % rb : e / cb);
        const int c =
            (s.host.ind[k] - base) * cb + (by_columns ? e / rb : e % cb);
        if (lower && c > r)
          continue;
        values.push_back(got[(size_t)k * rb * cb + e]);
        wanted.push_back(expected(r, c));
      }
  return ulps(values, wanted);
}

#endif
