// SPDX-License-Identifier: MIT
// From rows of entries to rows of blocks and back, and between blocks.
#include "hipsparse.hpp"

// A matrix that no block fits into: the last row and column are filled up.
template <class T> static void check_from_rows(int rb, int cb, int dir)
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
      PLAIN(Xcsr2bsrNnz, handle, dir, M, N, from, rows.ptr, rows.ind, rb, to,
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
    TYPED(csr2gebsr_bufferSize, handle, dir, M, N, from, rows.val, rows.ptr,
          rows.ind, rb, cb, &size);
    const space buffer(size);
    PLAIN(Xcsr2gebsrNnz, handle, dir, M, N, from, rows.ptr, rows.ind, to, ptr,
          rb, cb, &nnz, buffer);
    const device<int> ind(nnz);
    const device<T> val((size_t)nnz * rb * cb);
    TYPED(csr2gebsr, handle, dir, M, N, from, rows.val, rows.ptr, rows.ind, to,
          val, ptr, ind, rb, cb, buffer);
    verdict_equal(same(expected, ptr, ind, val));
  });
}

template <class T> static void check_to_rows(int rb, int cb, int dir)
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
    TYPED(gebsr2gebsc_bufferSize, handle, s.host.rows(), s.host.columns(),
          s.nnz, s.val, s.ptr, s.ind, rb, cb, &size);
    const space buffer(size);
    TYPED(gebsr2gebsc, handle, s.host.rows(), s.host.columns(), s.nnz, s.val,
          s.ptr, s.ind, rb, cb, val, ind, ptr, HIPSPARSE_ACTION_NUMERIC, base,
          buffer);
    verdict_equal(same(expected, ptr, ind, val));
  });
}

template <class T>
static void check_between(int rb, int cb, int to_rb, int to_cb)
{
  const int dir = HIPSPARSE_DIRECTION_ROW;
  const dense a = random_matrix<T>(rb * 12, cb * 12, 20, rb, cb);
  const stored<T> s(a, rb, cb, dir);
  const compressed<T> expected = compressed_of<T>(a, to_rb, to_cb, dir);
  const descr from, to;
  const int mb = s.host.rows(), nb = s.host.columns();
  check_run("gebsr2gebsr", [&] {
    const device<int> ptr(expected.ptr.size());
    int size, nnz = -5;
    TYPED(gebsr2gebsr_bufferSize, handle, dir, mb, nb, s.nnz, from, s.val,
          s.ptr, s.ind, rb, cb, to_rb, to_cb, &size);
    const space buffer(size);
    PLAIN(Xgebsr2gebsrNnz, handle, dir, mb, nb, s.nnz, from, s.ptr, s.ind, rb,
          cb, to, ptr, to_rb, to_cb, &nnz, buffer);
    const device<int> ind(nnz);
    const device<T> val((size_t)nnz * to_rb * to_cb);
    TYPED(gebsr2gebsr, handle, dir, mb, nb, s.nnz, from, s.val, s.ptr, s.ind,
          rb, cb, to, val, ptr, ind, to_rb, to_cb, buffer);
    verdict_equal(same(expected, ptr, ind, val));
  });
}

template <class T> void check_blocks()
{
  static const int blocks[] = {1, 2, 7, 16};
  for (int block : blocks)
    for (int dir = 0; dir < 2; dir++) {
      check_from_rows<T>(block, block, dir);
      check_from_rows<T>(block, block + 2, dir);
      check_to_rows<T>(block, block, dir);
      check_to_rows<T>(block + 1, block, dir);
    }
  check_columns<T>(3, 5);
  check_columns<T>(4, 2);
  check_between<T>(2, 3, 4, 2);
  check_between<T>(4, 4, 2, 2);
  check_between<T>(3, 5, 6, 3);
}
FOR_TYPES(check_blocks)
