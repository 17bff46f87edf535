// SPDX-License-Identifier: MIT
// `hipsparse [verbose] [TYPES]`: runs the checks, of all types or of those
// whose letters (s, d, c, z) are given; prints a line a routine, and if verbose
// each check that it begins on standard error. Exit status 1 if a routine
// fails.
#include "hipsparse.hpp"

hipsparseHandle_t handle;
int base;

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
  check_triangles<T>();
}

int main(int argc, char **argv)
{
  arguments_take(argc, argv);
  if (hipsparseCreate(&handle) != HIPSPARSE_STATUS_SUCCESS) {
    printf("hipsparseCreate fails\n");
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
  hipsparseDestroy(handle);
  return outcomes_print() != 0;
}
