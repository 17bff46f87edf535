// SPDX-License-Identifier: MIT
// From rows of entries to rows of blocks and back, and between blocks.
#include "sparse.hpp"

// A matrix that no block fits into: the last row and column are filled up.
template <class T>
static void check_from_rows(int rb, int cb, rocsparse_direction dir)
{
  enum { M = 91, N = 76 };
  const dense a = random_matrix<T>(M, N, 4);
  const stored<T> rows(a);
  const compressed<T> expected = compressed_of<T>(a, rb, cb, dir);
  const descr from, to;
  if (rb == cb)
    check_run("csr2bsr", [&] {
      const device<int> ptr(expected.ptr.size());
      int nnz = -5;
      PLAIN(csr2bsr_nnz, handle, dir, M, N, from, rows.ptr, rows.ind, rb, to,
            ptr, &nnz);
      const device<int> ind(nnz);
      const device<T> val((size_t)nnz * rb * cb);
      TYPED(csr2bsr, handle, dir, M, N, from, rows.val, rows.ptr, rows.ind, rb,
            to, val, ptr, ind);
      verdict_equal(same(expected, ptr, ind, val));
    });
  check_run("csr2gebsr", [&] {
    const device<int> ptr(expected.ptr.size());
    size_t size;
    int nnz = -5;
    TYPED(csr2gebsr_buffer_size, handle, dir, M, N, from, rows.val, rows.ptr,
          rows.ind, rb, cb, &size);
    const space buffer(size);
    PLAIN(csr2gebsr_nnz, handle, dir, M, N, from, rows.ptr, rows.ind, to, ptr,
          rb, cb, &nnz, buffer);
    const device<int> ind(nnz);
    const device<T> val((size_t)nnz * rb * cb);
    TYPED(csr2gebsr, handle, dir, M, N, from, rows.val, rows.ptr, rows.ind, to,
          val, ptr, ind, rb, cb, buffer);
    verdict_equal(same(expected, ptr, ind, val));
  });
}

template <class T>
static void check_to_rows(int rb, int cb, rocsparse_direction dir)
{
  const dense a = random_matrix<T>(rb * 13, cb * 9, 25, rb, cb);
  const stored<T> s(a, rb, cb, dir);
  const compressed<T> expected = compressed_of<T>(a);
  const descr from, to;
  const int mb = s.host.rows(), nb = s.host.columns();
  if (rb == cb)
    check_run("bsr2csr", [&] {
      const device<int> ptr(expected.ptr.size()), ind(expected.ind.size());
      const device<T> val(expected.val.size());
      TYPED(bsr2csr, handle, dir, mb, nb, from, s.val, s.ptr, s.ind, rb, to,
            val, ptr, ind);
      verdict_equal(same(expected, ptr, ind, val));
    });
  check_run("gebsr2csr", [&] {
    const device<int> ptr(expected.ptr.size()), ind(expected.ind.size());
    const device<T> val(expected.val.size());
    TYPED(gebsr2csr, handle, dir, mb, nb, from, s.val, s.ptr, s.ind, rb, cb, to,
          val, ptr, ind);
    verdict_equal(same(expected, ptr, ind, val));
  });
}

template <class T> static void check_columns(int rb, int cb)
{
  const dense a = random_matrix<T>(rb * 13, cb * 9, 25, rb, cb);
  const stored<T> s(a, rb, cb);
  const compressed<T> expected = columns_of_blocks<T>(a, rb, cb);
  check_run("gebsr2gebsc", [&] {
    const device<int> ptr(expected.ptr.size()), ind(expected.ind.size());
    const device<T> val(expected.val.size());
    size_t size;
    TYPED(gebsr2gebsc_buffer_size, handle, s.host.rows(), s.host.columns(),
          s.nnz, s.val, s.ptr, s.ind, rb, cb, &size);
    const space buffer(size);
    TYPED(gebsr2gebsc, handle, s.host.rows(), s.host.columns(), s.nnz, s.val,
          s.ptr, s.ind, rb, cb, val, ind, ptr, rocsparse_action_numeric, base,
          buffer);
    verdict_equal(same(expected, ptr, ind, val));
  });
}

template <class T>
static void check_between(int rb, int cb, int to_rb, int to_cb)
{
  const rocsparse_direction dir = rocsparse_direction_row;
  const dense a = random_matrix<T>(rb * 12, cb * 12, 20, rb, cb);
  const stored<T> s(a, rb, cb, dir);
  const compressed<T> expected = compressed_of<T>(a, to_rb, to_cb, dir);
  const descr from, to;
  const int mb = s.host.rows(), nb = s.host.columns();
  check_run("gebsr2gebsr", [&] {
    const device<int> ptr(expected.ptr.size());
    size_t size;
    int nnz = -5;
    TYPED(gebsr2gebsr_buffer_size, handle, dir, mb, nb, s.nnz, from, s.val,
          s.ptr, s.ind, rb, cb, to_rb, to_cb, &size);
    const space buffer(size);
    PLAIN(gebsr2gebsr_nnz, handle, dir, mb, nb, s.nnz, from, s.ptr, s.ind, rb,
          cb, to, ptr, to_rb, to_cb, &nnz, buffer);
    const device<int> ind(nnz);
    const device<T> val((size_t)nnz * to_rb * to_cb);
    TYPED(gebsr2gebsr, handle, dir, mb, nb, s.nnz, from, s.val, s.ptr, s.ind,
          rb, cb, to, val, ptr, ind, to_rb, to_cb, buffer);
    verdict_equal(same(expected, ptr, ind, val));
  });
}

// The diagonal beyond row m gets a value.
template <class T> static void check_padding(int block)
{
  const int m = block * 8 + 1;
  const T value = kind<T>::of(random_value<T>());
  dense a = random_matrix<T>(m, m, 10);
  for (int i = 0; i < m; i++)
    a.put(i, i, random_value<T>());
  const stored<T> s(a, block, block);
  compressed<T> expected = s.host;
  for (int i = 1; i < block; i++)
    expected.val[expected.val.size() - (size_t)block * block +
                 (size_t)i * block + i] = value;
  const descr d;
  check_run("bsrpad_value", [&] {
    TYPED(bsrpad_value, handle, m, s.host.rows(), s.nnz, block, value, d, s.val,
          s.ptr, s.ind);
    verdict_equal(same(expected, s.ptr, s.ind, s.val));
  });
}

template <class T> void check_blocks()
{
  static const int blocks[] = {1, 2, 3, 4, 7, 8, 16, 20};
  for (int block : blocks)
    for (int dir = 0; dir < 2; dir++) {
      const rocsparse_direction how = (rocsparse_direction)dir;
      check_from_rows<T>(block, block, how);
      check_from_rows<T>(block, block + 2, how);
      check_to_rows<T>(block, block, how);
      check_to_rows<T>(block + 1, block, how);
    }
  check_columns<T>(3, 5);
  check_columns<T>(4, 2);
  check_between<T>(2, 3, 4, 2);
  check_between<T>(4, 4, 2, 2);
  check_between<T>(3, 5, 6, 3);
  check_padding<T>(2);
  check_padding<T>(5);
}
FOR_TYPES(check_blocks)
