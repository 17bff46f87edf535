// SPDX-License-Identifier: MIT
// Dense matrices of the host, which say what a sparse form of them stores, and
// the mathematics that results are compared with.
#ifndef SPARSE_DENSE_HPP
#define SPARSE_DENSE_HPP

#include "values.hpp"

struct dense {
  int m, n;
  std::vector<wide> v;     // by columns
  std::vector<char> there; // stored in the sparse form

  dense(int rows, int columns)
      : m(rows), n(columns), v((size_t)rows * columns),
        there((size_t)rows * columns)
  {
  }
  wide &operator()(int i, int j)
  {
    return v[(size_t)j * m + i];
  }
  wide operator()(int i, int j) const
  {
    return v[(size_t)j * m + i];
  }
  bool has(int i, int j) const
  {
    return there[(size_t)j * m + i];
  }
  void put(int i, int j, wide value)
  {
    (*this)(i, j) = value;
    there[(size_t)j * m + i] = 1;
  }
};

// About `percent` of the entries, in blocks of rb × cb that are full.
template <class T>
dense random_matrix(int m, int n, int percent, int rb = 1, int cb = 1)
{
  dense out(m, n);
  for (int i = 0; i < m; i += rb)
    for (int j = 0; j < n; j += cb)
      if (random_below(100) < percent)
        for (int r = i; r < i + rb && r < m; r++)
          for (int c = j; c < j + cb && c < n; c++)
            out.put(r, c, random_value<T>());
  return out;
}
// Square, Hermitian in pattern, with a diagonal above the sum of its row.
template <class T> dense random_dominant(int m, int percent, int block = 1)
{
  dense out(m, m);
  for (int i = 0; i < m; i += block)
    for (int j = 0; j <= i; j += block)
      if (i == j || random_below(100) < percent)
        for (int r = i; r < i + block; r++)
          for (int c = j; c < j + block; c++)
            if (c <= r) {
              const wide v = random_value<T>();
              out.put(r, c, v);
              out.put(c, r, std::conj(v));
            }
  for (int i = 0; i < m; i++) {
    long double sum = 1;
    for (int j = 0; j < m; j++)
      sum += std::abs(out(i, j));
    out.put(i, i, std::ceil(sum));
  }
  return out;
}

dense transposed(const dense &a, bool conjugate);
// As it is, transposed, or conjugated as well: 0, 1, 2.
dense operated(const dense &a, int how);
dense product(const dense &a, const dense &b);
std::vector<wide> product(const dense &a, const std::vector<wide> &x);
// The lower triangle or the upper one, with the diagonal or ones for it.
dense triangle_of(const dense &a, bool upper, bool unit);
// Solves a·x = b by elimination with pivots.
dense solved(dense a, dense b);
dense column_of(const std::vector<wide> &v);

// Rows become columns in memory.
std::vector<wide> by_rows(const dense &a);

dense filled(int m, int n, const std::vector<wide> &values);
// α·a + β·c, of every value; and stored where one of them is.
std::vector<wide> combined(wide alpha, const dense &a, wide beta,
                           const dense &c);
dense sum_of(wide alpha, const dense &a, wide beta, const dense &b);

// LU in place of what is stored; a pivot up to `tolerance` becomes `boost`.
dense lu_of(dense a, long double tolerance = -1, wide boost = 0);
// Cholesky of the lower triangle; the upper one stays. Of complex values
// rocSPARSE 5.3 takes the conjugate of each product, but on the diagonal's
// blocks.
dense cholesky_of(dense a, int block = 1);
// Two small pivots, at 0 and at `block`.
template <class T> dense random_small_pivots(int m, int block)
{
  dense a = random_dominant<T>(m, 25, block);
  a(0, 0) = wide(1) / 4096.0L;
  a(block, block) = wide(1) / 4096.0L;
  for (int j = 1; j < a.n; j++) {
    a(0, j) = a(0, j) / 64.0L;
    a(block, j) = j == block ? a(block, j) : a(block, j) / 64.0L;
  }
  return a;
}
// A zero on the diagonal at `row`, which the last row needs.
template <class T> dense random_zero_pivot(int m, int row)
{
  dense a = random_dominant<T>(m, 10);
  for (int j = 0; j < m; j++) {
    a(row, j) = a(row, j) * wide(j == row ? 0 : 1);
    a.there[(size_t)j * m + row] = a.has(row, j) && j >= row;
  }
  a.put(m - 1, row, 1);
  return a;
}

// What is larger than the threshold stays.
dense pruned(const dense &a, long double threshold);
// The value below which `percent` of the magnitudes lie, of all values or of
// those that are stored.
long double magnitude_at(const dense &a, bool all, double percent);

// Whether a permutation says where each entry of `to` was in `from`.
bool permutes(const std::vector<int> &to, const std::vector<int> &p,
              const std::vector<int> &from);
// Whether neighbours of the graph have different colours of 0 to count − 1, and
// `order` is a permutation by them.
bool coloured(const dense &a, int count, const std::vector<int> &colours,
              const std::vector<int> &order);
// The lengths between offsets.
std::vector<int> counts(const std::vector<int> &ptr);

#endif
