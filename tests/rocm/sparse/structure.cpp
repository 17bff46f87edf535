// SPDX-License-Identifier: MIT
// Checks of a matrix's structure, which name what is wrong, and colours of its
// graph.
#include "sparse.hpp"

enum { M = 60, N = 47, BLOCK_ROWS = 3, BLOCK_COLUMNS = 4 };

static const rocsparse_matrix_type general = rocsparse_matrix_type_general;
static const rocsparse_fill_mode lower = rocsparse_fill_mode_lower;
static const rocsparse_storage_mode sorted = rocsparse_storage_mode_sorted;

// Sound, out of range, twice the same, out of order, not a number, infinite.
enum { FLAWS = 6 };
static const rocsparse_data_status flaws[FLAWS] = {
    rocsparse_data_status_success,
    rocsparse_data_status_invalid_index,
    rocsparse_data_status_duplicate_entry,
    rocsparse_data_status_invalid_sorting,
    rocsparse_data_status_nan,
    rocsparse_data_status_inf};

// Puts flaw `which` into the entries of the fullest row.
template <class T> static compressed<T> flawed(compressed<T> a, int which)
{
  int row = 0;
  for (int i = 0; i < a.rows(); i++)
    if (a.ptr[i + 1] - a.ptr[i] > a.ptr[row + 1] - a.ptr[row])
      row = i;
  const int at = a.ptr[row] - base;
  if (which == 1)
    a.ind[a.ptr[row + 1] - base - 1] = a.columns() + base + 3;
  else if (which == 2)
    a.ind[at + 1] = a.ind[at];
  else if (which == 3)
    std::swap(a.ind[at], a.ind[at + 1]);
  else if (which == 4)
    a.val[at * a.rb * a.cb] = T(NAN);
  else if (which == 5)
    a.val[at * a.rb * a.cb] = T(INFINITY);
  return a;
}

template <class T> static void check_flaw(const dense &a, int which)
{
  const stored<T> rows(flawed(compressed_of<T>(a), which));
  const stored<T> columns(
      flawed(compressed_of<T>(transposed(a, false)), which));
  size_t size;
  rocsparse_data_status found;
  check_run("check_matrix_csr", [&] {
    TYPED(check_matrix_csr_buffer_size, handle, M, N, rows.nnz, rows.val,
          rows.ptr, rows.ind, base, general, lower, sorted, &size);
    const space buffer(size);
    TYPED(check_matrix_csr, handle, M, N, rows.nnz, rows.val, rows.ptr,
          rows.ind, base, general, lower, sorted, &found, buffer);
    verdict_equal(found == flaws[which]);
  });
  check_run("check_matrix_csc", [&] {
    TYPED(check_matrix_csc_buffer_size, handle, M, N, columns.nnz, columns.val,
          columns.ptr, columns.ind, base, general, lower, sorted, &size);
    const space buffer(size);
    TYPED(check_matrix_csc, handle, M, N, columns.nnz, columns.val, columns.ptr,
          columns.ind, base, general, lower, sorted, &found, buffer);
    verdict_equal(found == flaws[which]);
  });
  check_run("check_matrix_coo", [&] {
    const device<int> row(row_indices(rows.host));
    TYPED(check_matrix_coo_buffer_size, handle, M, N, rows.nnz, rows.val, row,
          rows.ind, base, general, lower, sorted, &size);
    const space buffer(size);
    TYPED(check_matrix_coo, handle, M, N, rows.nnz, rows.val, row, rows.ind,
          base, general, lower, sorted, &found, buffer);
    // 5.3 compares neighbours for order alone here.
    verdict_equal(found ==
                  (flaws[which] == rocsparse_data_status_duplicate_entry
                       ? rocsparse_data_status_success
                       : flaws[which]));
  });
}

template <class T> static void check_block_flaw(int which)
{
  const dense a = random_matrix<T>(BLOCK_ROWS * 15, BLOCK_COLUMNS * 12, 30,
                                   BLOCK_ROWS, BLOCK_COLUMNS);
  const stored<T> rows(
      flawed(compressed_of<T>(a, BLOCK_ROWS, BLOCK_COLUMNS), which));
  const stored<T> columns(
      flawed(compressed_of<T>(transposed(a, false), BLOCK_COLUMNS, BLOCK_ROWS),
             which));
  const rocsparse_direction dir = rocsparse_direction_row;
  size_t size;
  rocsparse_data_status found;
  check_run("check_matrix_gebsr", [&] {
    const int mb = rows.host.rows(), nb = rows.host.columns();
    TYPED(check_matrix_gebsr_buffer_size, handle, dir, mb, nb, rows.nnz,
          BLOCK_ROWS, BLOCK_COLUMNS, rows.val, rows.ptr, rows.ind, base,
          general, lower, sorted, &size);
    const space buffer(size);
    TYPED(check_matrix_gebsr, handle, dir, mb, nb, rows.nnz, BLOCK_ROWS,
          BLOCK_COLUMNS, rows.val, rows.ptr, rows.ind, base, general, lower,
          sorted, &found, buffer);
    verdict_equal(found == flaws[which]);
  });
  check_run("check_matrix_gebsc", [&] {
    const int mb = rows.host.rows(), nb = rows.host.columns();
    TYPED(check_matrix_gebsc_buffer_size, handle, dir, mb, nb, columns.nnz,
          BLOCK_ROWS, BLOCK_COLUMNS, columns.val, columns.ptr, columns.ind,
          base, general, lower, sorted, &size);
    const space buffer(size);
    TYPED(check_matrix_gebsc, handle, dir, mb, nb, columns.nnz, BLOCK_ROWS,
          BLOCK_COLUMNS, columns.val, columns.ptr, columns.ind, base, general,
          lower, sorted, &found, buffer);
    verdict_equal(found == flaws[which]);
  });
}

// Forms with padding: sound, and out of range. Of a hybrid matrix 5.3 reports
// what its last part says: the fullest row's last entry lies there.
template <class T> static void check_padded(const dense &a)
{
  ellpack<T> e = ellpack_of<T>(a);
  size_t size;
  rocsparse_data_status found;
  for (int which = 0; which < 2; which++)
    check_run("check_matrix_ell", [&] {
      if (which)
        e.ind[0] = N + base + 3;
      const device<int> ind(e.ind);
      const device<T> val(e.val);
      TYPED(check_matrix_ell_buffer_size, handle, M, N, e.width, val, ind, base,
            general, lower, sorted, &size);
      const space buffer(size);
      TYPED(check_matrix_ell, handle, M, N, e.width, val, ind, base, general,
            lower, sorted, &found, buffer);
      verdict_equal(found == flaws[which]);
    });
  for (int which = 0; which < 2; which++)
    check_run("check_matrix_hyb", [&] {
      const stored<T> s(flawed(compressed_of<T>(a), which));
      const descr d;
      rocsparse_hyb_mat hyb;
      rocsparse_create_hyb_mat(&hyb);
      TYPED(csr2hyb, handle, M, N, d, s.val, s.ptr, s.ind, hyb, 0,
            rocsparse_hyb_partition_auto);
      PLAIN(check_matrix_hyb_buffer_size, handle, hyb, base, general, lower,
            sorted, &size);
      const space buffer(size);
      PLAIN(check_matrix_hyb, handle, hyb, base, general, lower, sorted, &found,
            buffer);
      rocsparse_destroy_hyb_mat(hyb);
      verdict_equal(found == flaws[which]);
    });
}

// Neighbours differ, and the order is by colour.
template <class T> static void check_colours()
{
  enum { SIZE = 200 };
  const dense a = random_dominant<T>(SIZE, 4);
  const stored<T> s(a);
  const descr d;
  const info i;
  const typename kind<T>::real fraction = 1;
  check_run("csrcolor", [&] {
    const device<int> colours(SIZE), order(SIZE);
    int count = -5;
    TYPED(csrcolor, handle, SIZE, s.nnz, d, s.val, s.ptr, s.ind, &fraction,
          &count, colours, order, i);
    verdict_equal(coloured(a, count, colours.host(), order.host()));
  });
}

template <class T> void check_structure()
{
  const dense a = random_matrix<T>(M, N, 20);
  for (int which = 0; which < FLAWS; which++) {
    check_flaw<T>(a, which);
    check_block_flaw<T>(which);
  }
  check_padded<T>(a);
  check_colours<T>();
}
FOR_TYPES(check_structure)
