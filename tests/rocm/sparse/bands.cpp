// SPDX-License-Identifier: MIT
// Systems of three and five diagonals, by the layout of each routine.
#include "sparse.hpp"

template <class T> static void check_gtsv(int m)
{
  enum { RIGHTS = 7 };
  const systems s = systems_make<T>(m, 1, RIGHTS, 1, true);
  const device<T> dl(diagonal<T>(s, -1, 1, m)), d(diagonal<T>(s, 0, 1, m)),
      du(diagonal<T>(s, 1, 1, m));
  check_run("gtsv", [&] {
    const device<T> b(narrow<T>(s.b[0].v));
    size_t size;
    TYPED(gtsv_buffer_size, handle, m, RIGHTS, dl, d, du, b, m, &size);
    const space buffer(size);
    TYPED(gtsv, handle, m, RIGHTS, dl, d, du, b, m, buffer);
    verdict(ulps(b.host(), s.x[0].v));
  });
  check_run("gtsv_no_pivot", [&] {
    const device<T> b(narrow<T>(s.b[0].v));
    size_t size;
    TYPED(gtsv_no_pivot_buffer_size, handle, m, RIGHTS, dl, d, du, b, m, &size);
    const space buffer(size);
    TYPED(gtsv_no_pivot, handle, m, RIGHTS, dl, d, du, b, m, buffer);
    verdict(ulps(b.host(), s.x[0].v));
  });
}

template <class T> static void check_strided(int m)
{
  enum { COUNT = 6 };
  const int stride = m + 3;
  const systems s = systems_make<T>(m, COUNT, 1, 1, false);
  const device<T> dl(diagonal<T>(s, -1, 1, stride)),
      d(diagonal<T>(s, 0, 1, stride)), du(diagonal<T>(s, 1, 1, stride));
  check_run("gtsv_no_pivot_strided_batch", [&] {
    const device<T> b(narrow<T>(sides(s, s.b, 1, stride)));
    size_t size;
    TYPED(gtsv_no_pivot_strided_batch_buffer_size, handle, m, dl, d, du, b,
          COUNT, stride, &size);
    const space buffer(size);
    TYPED(gtsv_no_pivot_strided_batch, handle, m, dl, d, du, b, COUNT, stride,
          buffer);
    verdict(ulps(b.host(), sides(s, s.x, 1, stride)));
  });
}

template <class T> static void check_interleaved(int m, int alg)
{
  enum { COUNT = 37, STRIDE = 40 };
  const systems s = systems_make<T>(m, COUNT, 1, 1, false);
  check_run("gtsv_interleaved_batch", [&] {
    const device<T> dl(diagonal<T>(s, -1, STRIDE, 1)),
        d(diagonal<T>(s, 0, STRIDE, 1)), du(diagonal<T>(s, 1, STRIDE, 1));
    const device<T> b(narrow<T>(sides(s, s.b, STRIDE, 1)));
    const rocsparse_gtsv_interleaved_alg how =
        (rocsparse_gtsv_interleaved_alg)alg;
    size_t size;
    TYPED(gtsv_interleaved_batch_buffer_size, handle, how, m, dl, d, du, b,
          COUNT, STRIDE, &size);
    const space buffer(size);
    TYPED(gtsv_interleaved_batch, handle, how, m, dl, d, du, b, COUNT, STRIDE,
          buffer);
    verdict(ulps(b.host(), sides(s, s.x, STRIDE, 1)));
  });
}

template <class T> static void check_gpsv(int m)
{
  enum { COUNT = 37, STRIDE = 40 };
  const systems s = systems_make<T>(m, COUNT, 1, 2, false);
  check_run("gpsv_interleaved_batch", [&] {
    const device<T> ds(diagonal<T>(s, -2, STRIDE, 1)),
        dl(diagonal<T>(s, -1, STRIDE, 1)), d(diagonal<T>(s, 0, STRIDE, 1)),
        du(diagonal<T>(s, 1, STRIDE, 1)), dw(diagonal<T>(s, 2, STRIDE, 1));
    const device<T> b(narrow<T>(sides(s, s.b, STRIDE, 1)));
    const rocsparse_gpsv_interleaved_alg how =
        rocsparse_gpsv_interleaved_alg_qr;
    size_t size;
    TYPED(gpsv_interleaved_batch_buffer_size, handle, how, m, ds, dl, d, du, dw,
          b, COUNT, STRIDE, &size);
    const space buffer(size);
    TYPED(gpsv_interleaved_batch, handle, how, m, ds, dl, d, du, dw, b, COUNT,
          STRIDE, buffer);
    verdict(ulps(b.host(), sides(s, s.x, STRIDE, 1)));
  });
}

template <class T> void check_bands()
{
  static const int sizes[] = {30, 129, 600};
  for (int m : sizes) {
    check_gtsv<T>(m);
    if (m > 200)
      break;
    check_strided<T>(m);
    for (int alg = 0; alg < 4; alg++)
      check_interleaved<T>(m, alg);
    check_gpsv<T>(m);
  }
}
FOR_TYPES(check_bands)
