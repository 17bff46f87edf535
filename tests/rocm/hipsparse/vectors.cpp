// SPDX-License-Identifier: MIT
// Level 1: a sparse vector with a dense one.
#include "hipsparse.hpp"

#include "../sparse_common/vectors.hpp"

template <class T> void check_vectors()
{
  hipsparseSetPointerMode(handle, HIPSPARSE_POINTER_MODE_HOST);
  check_scalars<T>(false);
  hipsparseSetPointerMode(handle, HIPSPARSE_POINTER_MODE_DEVICE);
  check_scalars<T>(true);
  hipsparseSetPointerMode(handle, HIPSPARSE_POINTER_MODE_HOST);
  check_moves<T>();
}
FOR_TYPES(check_vectors)
