// SPDX-License-Identifier: MIT
// `sparse [verbose] [TYPES]`: runs the checks, of all types or of those whose
// letters (s, d, c, z) are given; prints a line a routine, and if verbose each
// check that it begins on standard error. Exit status 1 if a routine fails.
#include "sparse.hpp"

rocsparse_handle handle;
int base;

// ---- descriptions ----

descr::descr()
{
  rocsparse_create_mat_descr(&at);
  rocsparse_set_mat_index_base(at, index_base());
}

descr::descr(int fill, int diag) : descr()
{
  rocsparse_set_mat_fill_mode(at, (rocsparse_fill_mode)fill);
  rocsparse_set_mat_diag_type(at, (rocsparse_diag_type)diag);
}

// ---- the passes ----

template <class T> static void type_pass()
{
  if (!type_wanted(kind<T>::letter))
    return;
  check_vectors<T>();
  check_products<T>();
  check_solvers<T>();
  check_matrices<T>();
  check_factors<T>();
  check_bands<T>();
  check_conversions<T>();
  check_blocks<T>();
  check_pruning<T>();
  check_generic<T>();
  check_structure<T>();
}

int main(int argc, char **argv)
{
  arguments_take(argc, argv);
  if (rocsparse_create_handle(&handle) != rocsparse_status_success) {
    printf("rocsparse_create_handle fails\n");
    return 2;
  }
  for (base = 0; base < 2; base++) {
    type_pass<float>();
    type_pass<double>();
    type_pass<std::complex<float>>();
    type_pass<std::complex<double>>();
    check_orders();
  }
  base = 0;
  check_auxiliary();
  rocsparse_destroy_handle(handle);
  return outcomes_print() != 0;
}
