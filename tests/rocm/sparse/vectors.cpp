// SPDX-License-Identifier: MIT
// Level 1: a sparse vector with a dense one.
#include "sparse.hpp"

#include "../sparse_common/vectors.hpp"

// Integers move by a routine of their own.
static void check_integers()
{
  const std::vector<int> at = places();
  std::vector<int> x, y(LENGTH, -7);
  for (int i = 0; i < ENTRIES; i++)
    x.push_back(random_below(1000));
  device<int> ind(at), xs(x), ys(y);
  for (int i = 0; i < ENTRIES; i++)
    y[at[i] - base] = x[i];
  check_run("isctr", [&] {
    PLAIN(isctr, handle, ENTRIES, xs, ind, ys, base);
    verdict_equal(ys.host() == y);
  });
}

template <class T> void check_vectors()
{
  rocsparse_set_pointer_mode(handle, rocsparse_pointer_mode_host);
  check_scalars<T>(false);
  rocsparse_set_pointer_mode(handle, rocsparse_pointer_mode_device);
  check_scalars<T>(true);
  rocsparse_set_pointer_mode(handle, rocsparse_pointer_mode_host);
  check_moves<T>();
  check_integers();
}
FOR_TYPES(check_vectors)
