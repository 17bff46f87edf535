// SPDX-License-Identifier: MIT
// The memory of sparse matrices for generic routines, whose descriptors say the
// types of offsets and of indices.
#ifndef SPARSE_LAYOUTS_HPP
#define SPARSE_LAYOUTS_HPP

#include "forms.hpp"

enum layout {
  BY_ROWS,    // offsets of rows, of blocks if there are some
  BY_COLUMNS, // offsets of columns
  PAIRS,      // rows and columns of entries, apart
  PAIRS_WOVEN,
  ELLPACK
};

// Offsets of type I and indices of type J.
template <class T, class I, class J> struct layout_memory {
  int rows, columns, count; // in blocks; the width of ELLPACK
  device<I> ptr;
  device<J> ind, row;
  device<T> val;

  layout_memory(const dense &a, layout how, int block = 1)
      : layout_memory(
            compressed_of<T>(how == BY_COLUMNS ? transposed(a, false) : a,
                             block, block),
            how == ELLPACK ? ellpack_of<T>(a) : ellpack<T>{0, {}, {}}, how)
  {
  }

private:
  template <class X> static std::vector<X> as(const std::vector<int> &from)
  {
    return std::vector<X>(from.begin(), from.end());
  }
  static std::vector<int> woven(const compressed<T> &c)
  {
    const std::vector<int> rows = row_indices(c);
    std::vector<int> out;
    for (size_t i = 0; i < rows.size(); i++) {
      out.push_back(rows[i]);
      out.push_back(c.ind[i]);
    }
    return out;
  }
  layout_memory(const compressed<T> &c, const ellpack<T> &e, layout how)
      : rows(how == BY_COLUMNS ? c.columns() : c.rows()),
        columns(how == BY_COLUMNS ? c.rows() : c.columns()),
        count(how == ELLPACK ? e.width : c.count()), ptr(as<I>(c.ptr)),
        ind(as<J>(how == ELLPACK       ? e.ind
                  : how == PAIRS_WOVEN ? woven(c)
                                       : c.ind)),
        row(as<J>(row_indices(c))), val(how == ELLPACK ? e.val : c.val)
  {
  }
};

// As many blocks a row, padded with −1; blocks of a column follow each other,
// and values within a block lie by columns.
template <class T, class J> struct blocked_ellpack {
  int width; // in blocks
  std::vector<J> ind;
  std::vector<T> val;

  blocked_ellpack(const dense &a, int block) : width(0)
  {
    const compressed<T> c = compressed_of<T>(a, block, block, true);
    const size_t each = (size_t)block * block, mb = (size_t)c.rows();
    for (int n : counts(c.ptr))
      width = std::max(width, n);
    ind.assign((size_t)width * mb, -1);
    val.assign((size_t)width * mb * each, T(0));
    for (size_t i = 0; i < mb; i++)
      for (int k = c.ptr[i]; k < c.ptr[i + 1]; k++) {
        const size_t to = (size_t)(k - c.ptr[i]) * mb + i;
        ind[to] = (J)c.ind[k - base];
        std::copy_n(c.val.begin() + (long)((size_t)(k - base) * each), each,
                    val.begin() + (long)(to * each));
      }
  }
};

// The values of a matrix in the order of a layout, without padding.
static inline std::vector<wide> values_of(const dense &a, layout how)
{
  const dense m = how == BY_COLUMNS ? transposed(a, false) : a;
  std::vector<wide> out;
  for (int i = 0; i < m.m; i++)
    for (int j = 0; j < m.n; j++)
      if (m.has(i, j))
        out.push_back(m(i, j));
  return out;
}

#endif
