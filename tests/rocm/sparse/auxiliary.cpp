// SPDX-License-Identifier: MIT
// Handles and descriptors: what one call sets another one gets.
#include "sparse.hpp"

#define TEXT(macro)  TEXT_OF(macro)
#define TEXT_OF(...) #__VA_ARGS__

// Pointers that nothing follows.
static char place[8];

static void check_handle()
{
  check_run("handle", [] {
    rocsparse_handle own;
    hipStream_t stream, got;
    rocsparse_pointer_mode mode;
    int version = 0;
    char revision[64] = "-";
    HIP(hipStreamCreate(&stream));
    PLAIN(create_handle, &own);
    PLAIN(set_stream, own, stream);
    PLAIN(get_stream, own, &got);
    PLAIN(set_pointer_mode, own, rocsparse_pointer_mode_device);
    PLAIN(get_pointer_mode, own, &mode);
    PLAIN(get_version, own, &version);
    PLAIN(get_git_rev, own, revision);
    PLAIN(destroy_handle, own);
    HIP(hipStreamDestroy(stream));
    verdict_equal(got == stream && mode == rocsparse_pointer_mode_device &&
                  version == ROCSPARSE_VERSION_MAJOR * 100000 +
                                 ROCSPARSE_VERSION_MINOR * 100 +
                                 ROCSPARSE_VERSION_PATCH &&
                  !strcmp(revision, TEXT(ROCSPARSE_VERSION_TWEAK)));
  });
}

static void check_mat_descr()
{
  check_run("mat_descr", [] {
    rocsparse_mat_descr a, b;
    PLAIN(create_mat_descr, &a);
    PLAIN(create_mat_descr, &b);
    PLAIN(set_mat_index_base, a, rocsparse_index_base_one);
    PLAIN(set_mat_type, a, rocsparse_matrix_type_triangular);
    PLAIN(set_mat_fill_mode, a, rocsparse_fill_mode_upper);
    PLAIN(set_mat_diag_type, a, rocsparse_diag_type_unit);
    PLAIN(set_mat_storage_mode, a, rocsparse_storage_mode_unsorted);
    PLAIN(copy_mat_descr, b, a);
    // Not noted: these return no status.
    const bool same =
        rocsparse_get_mat_index_base(b) == rocsparse_index_base_one &&
        rocsparse_get_mat_type(b) == rocsparse_matrix_type_triangular &&
        rocsparse_get_mat_fill_mode(b) == rocsparse_fill_mode_upper &&
        rocsparse_get_mat_diag_type(b) == rocsparse_diag_type_unit &&
        rocsparse_get_mat_storage_mode(b) == rocsparse_storage_mode_unsorted;
    for (const char *getter :
         {"get_mat_index_base", "get_mat_type", "get_mat_fill_mode",
          "get_mat_diag_type", "get_mat_storage_mode"})
      routine_note(getter, rocsparse_status_success);
    PLAIN(destroy_mat_descr, a);
    PLAIN(destroy_mat_descr, b);
    verdict_equal(same);
  });
}

// What was analysed or converted is copied with its description.
static void check_copies()
{
  const dense a = random_matrix<float>(80, 80, 10);
  const stored<float> s(a);
  const descr d;
  const std::vector<wide> x = random_vector<float>(80);
  const device<float> in(narrow<float>(x));
  const float one = 1, zero = 0;
  check_run("copy_mat_info", [&] {
    const device<float> out(80);
    rocsparse_mat_info from, to;
    PLAIN(create_mat_info, &from);
    PLAIN(create_mat_info, &to);
    PLAIN(scsrmv_analysis, handle, rocsparse_operation_none, 80, 80, s.nnz, d,
          s.val, s.ptr, s.ind, from);
    PLAIN(copy_mat_info, to, from);
    PLAIN(scsrmv, handle, rocsparse_operation_none, 80, 80, s.nnz, &one, d,
          s.val, s.ptr, s.ind, to, in, &zero, out);
    PLAIN(destroy_mat_info, from);
    PLAIN(destroy_mat_info, to);
    verdict(ulps(out.host(), product(a, x)));
  });
  check_run("copy_hyb_mat", [&] {
    const device<float> out(80);
    rocsparse_hyb_mat from, to;
    PLAIN(create_hyb_mat, &from);
    PLAIN(create_hyb_mat, &to);
    PLAIN(scsr2hyb, handle, 80, 80, d, s.val, s.ptr, s.ind, from, 0,
          rocsparse_hyb_partition_auto);
    PLAIN(copy_hyb_mat, to, from);
    PLAIN(destroy_hyb_mat, from);
    PLAIN(shybmv, handle, rocsparse_operation_none, &one, d, to, in, &zero,
          out);
    PLAIN(destroy_hyb_mat, to);
    verdict(ulps(out.host(), product(a, x)));
  });
  check_run("copy_color_info", [] {
    rocsparse_color_info from, to;
    PLAIN(create_color_info, &from);
    PLAIN(create_color_info, &to);
    PLAIN(copy_color_info, to, from);
    PLAIN(destroy_color_info, from);
    PLAIN(destroy_color_info, to);
    verdict_equal(true);
  });
}

static const rocsparse_indextype i32 = rocsparse_indextype_i32,
                                 i64 = rocsparse_indextype_i64;
static const rocsparse_index_base one = rocsparse_index_base_one;
static const rocsparse_datatype f64 = rocsparse_datatype_f64_r;

static void check_vectors_set()
{
  int64_t size, nnz;
  void *indices, *values, *others;
  rocsparse_indextype type;
  rocsparse_index_base based, again;
  rocsparse_datatype data;
  check_run("spvec", [&] {
    rocsparse_spvec_descr v;
    PLAIN(create_spvec_descr, &v, 99, 7, place, place + 1, i64, one, f64);
    PLAIN(spvec_get, v, &size, &nnz, &indices, &values, &type, &based, &data);
    PLAIN(spvec_get_index_base, v, &again);
    PLAIN(spvec_set_values, v, place + 2);
    PLAIN(spvec_get_values, v, &others);
    PLAIN(destroy_spvec_descr, v);
    verdict_equal(size == 99 && nnz == 7 && indices == place &&
                  values == place + 1 && type == i64 && based == one &&
                  again == one && data == f64 && others == place + 2);
  });
  check_run("dnvec", [&] {
    rocsparse_dnvec_descr v;
    PLAIN(create_dnvec_descr, &v, 99, place, f64);
    PLAIN(dnvec_get, v, &size, &values, &data);
    PLAIN(dnvec_set_values, v, place + 2);
    PLAIN(dnvec_get_values, v, &others);
    PLAIN(destroy_dnvec_descr, v);
    verdict_equal(size == 99 && values == place && data == f64 &&
                  others == place + 2);
  });
  check_run("dnmat", [&] {
    rocsparse_dnmat_descr m;
    int64_t rows, columns, leading, stride;
    rocsparse_order order;
    int count;
    PLAIN(create_dnmat_descr, &m, 9, 8, 10, place, f64, rocsparse_order_column);
    PLAIN(dnmat_get, m, &rows, &columns, &leading, &values, &data, &order);
    PLAIN(dnmat_set_values, m, place + 2);
    PLAIN(dnmat_get_values, m, &others);
    PLAIN(dnmat_set_strided_batch, m, 3, 100);
    PLAIN(dnmat_get_strided_batch, m, &count, &stride);
    PLAIN(destroy_dnmat_descr, m);
    verdict_equal(rows == 9 && columns == 8 && leading == 10 &&
                  values == place && data == f64 &&
                  order == rocsparse_order_column && others == place + 2 &&
                  count == 3 && stride == 100);
  });
}

// What every sparse descriptor has: its size, form, base, values and
// attributes.
static void check_common(rocsparse_spmat_descr m, rocsparse_format format,
                         int64_t rows, int64_t columns)
{
  int64_t r, c, nnz;
  rocsparse_format form;
  rocsparse_index_base based;
  void *values;
  rocsparse_fill_mode fill = rocsparse_fill_mode_upper, got;
  PLAIN(spmat_get_size, m, &r, &c, &nnz);
  PLAIN(spmat_get_format, m, &form);
  PLAIN(spmat_get_index_base, m, &based);
  PLAIN(spmat_set_values, m, place + 7);
  PLAIN(spmat_get_values, m, &values);
  PLAIN(spmat_set_attribute, m, rocsparse_spmat_fill_mode, &fill, sizeof fill);
  PLAIN(spmat_get_attribute, m, rocsparse_spmat_fill_mode, &got, sizeof got);
  PLAIN(destroy_spmat_descr, m);
  verdict_equal(r == rows && c == columns && form == format && based == one &&
                values == place + 7 && got == fill);
}

static void check_matrices_set()
{
  rocsparse_spmat_descr m;
  int64_t rows, columns, nnz, width;
  void *a, *b, *c;
  rocsparse_indextype first, second;
  rocsparse_index_base based;
  rocsparse_datatype data;
  rocsparse_direction dir;
  int64_t block;
  int count;
  check_run("coo", [&] {
    PLAIN(create_coo_descr, &m, 9, 8, 7, place, place, place, i64, one, f64);
    PLAIN(coo_set_pointers, m, place + 1, place + 2, place + 3);
    PLAIN(coo_get, m, &rows, &columns, &nnz, &a, &b, &c, &first, &based, &data);
    PLAIN(coo_set_strided_batch, m, 3, 100);
    PLAIN(spmat_get_strided_batch, m, &count);
    verdict_equal(rows == 9 && columns == 8 && nnz == 7 && a == place + 1 &&
                  b == place + 2 && c == place + 3 && first == i64 &&
                  based == one && data == f64 && count == 3);
    PLAIN(spmat_set_strided_batch, m, 5);
    PLAIN(spmat_get_strided_batch, m, &count);
    verdict_equal(count == 5);
    check_common(m, rocsparse_format_coo, 9, 8);
  });
  check_run("coo_aos", [&] {
    PLAIN(create_coo_aos_descr, &m, 9, 8, 7, place, place, i64, one, f64);
    PLAIN(coo_aos_set_pointers, m, place + 1, place + 2);
    PLAIN(coo_aos_get, m, &rows, &columns, &nnz, &a, &b, &first, &based, &data);
    verdict_equal(rows == 9 && columns == 8 && nnz == 7 && a == place + 1 &&
                  b == place + 2 && first == i64 && based == one &&
                  data == f64);
    check_common(m, rocsparse_format_coo_aos, 9, 8);
  });
  check_run("csr", [&] {
    PLAIN(create_csr_descr, &m, 9, 8, 7, place, place, place, i64, i32, one,
          f64);
    PLAIN(csr_set_pointers, m, place + 1, place + 2, place + 3);
    PLAIN(csr_get, m, &rows, &columns, &nnz, &a, &b, &c, &first, &second,
          &based, &data);
    PLAIN(csr_set_strided_batch, m, 3, 10, 100);
    PLAIN(spmat_get_strided_batch, m, &count);
    verdict_equal(rows == 9 && columns == 8 && nnz == 7 && a == place + 1 &&
                  b == place + 2 && c == place + 3 && first == i64 &&
                  second == i32 && based == one && data == f64 && count == 3);
    check_common(m, rocsparse_format_csr, 9, 8);
  });
  check_run("csc", [&] {
    PLAIN(create_csc_descr, &m, 9, 8, 7, place, place, place, i64, i32, one,
          f64);
    PLAIN(csc_set_pointers, m, place + 1, place + 2, place + 3);
    PLAIN(csc_set_strided_batch, m, 3, 10, 100);
    PLAIN(spmat_get_strided_batch, m, &count);
    verdict_equal(count == 3);
    check_common(m, rocsparse_format_csc, 9, 8);
  });
  check_run("ell", [&] {
    PLAIN(create_ell_descr, &m, 9, 8, place, place, 4, i64, one, f64);
    PLAIN(ell_set_pointers, m, place + 1, place + 2);
    PLAIN(ell_get, m, &rows, &columns, &a, &b, &width, &first, &based, &data);
    verdict_equal(rows == 9 && columns == 8 && a == place + 1 &&
                  b == place + 2 && width == 4 && first == i64 &&
                  based == one && data == f64);
    check_common(m, rocsparse_format_ell, 9, 8);
  });
  check_run("bell", [&] {
    PLAIN(create_bell_descr, &m, 12, 8, rocsparse_direction_column, 4, 8, place,
          place + 1, i64, one, f64);
    PLAIN(bell_get, m, &rows, &columns, &dir, &block, &width, &a, &b, &first,
          &based, &data);
    verdict_equal(rows == 12 && columns == 8 &&
                  dir == rocsparse_direction_column && block == 4 &&
                  width == 8 && a == place && b == place + 1 && first == i64 &&
                  based == one && data == f64);
    check_common(m, rocsparse_format_bell, 12, 8);
  });
  check_run("bsr", [&] {
    PLAIN(create_bsr_descr, &m, 9, 8, 7, rocsparse_direction_row, 4, place,
          place, place, i64, i32, one, f64);
    check_common(m, rocsparse_format_bsr, 9, 8);
  });
}

void check_auxiliary()
{
  check_handle();
  check_mat_descr();
  check_copies();
  check_vectors_set();
  check_matrices_set();
}
