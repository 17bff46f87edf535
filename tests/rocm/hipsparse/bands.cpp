// SPDX-License-Identifier: MIT
// Systems of three and five diagonals, by the layout of each routine.
#include "hipsparse.hpp"

template <class T> static void check_gtsv(int m)
{
  enum { RIGHTS = 7 };
  const systems s = systems_make<T>(m, 1, RIGHTS, 1, true);
  const device<T> dl(diagonal<T>(s, -1, 1, m)), d(diagonal<T>(s, 0, 1, m)),
      du(diagonal<T>(s, 1, 1, m));
  check_run("gtsv2", [&] {
    const device<T> b(narrow<T>(s.b[0].v));
    size_t size;
    TYPED(gtsv2_bufferSizeExt, handle, m, RIGHTS, dl, d, du, b, m, &size);
    const space buffer(size);
    TYPED(gtsv2, handle, m, RIGHTS, dl, d, du, b, m, buffer);
    verdict(ulps(b.host(), s.x[0].v));
  });
  check_run("gtsv2_nopivot", [&] {
    const device<T> b(narrow<T>(s.b[0].v));
    size_t size;
    TYPED(gtsv2_nopivot_bufferSizeExt, handle, m, RIGHTS, dl, d, du, b, m,
          &size);
    const space buffer(size);
    TYPED(gtsv2_nopivot, handle, m, RIGHTS, dl, d, du, b, m, buffer);
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
  check_run("gtsv2StridedBatch", [&] {
    const device<T> b(narrow<T>(sides(s, s.b, 1, stride)));
    size_t size;
    TYPED(gtsv2StridedBatch_bufferSizeExt, handle, m, dl, d, du, b, COUNT,
          stride, &size);
    const space buffer(size);
    TYPED(gtsv2StridedBatch, handle, m, dl, d, du, b, COUNT, stride, buffer);
    verdict(ulps(b.host(), sides(s, s.x, 1, stride)));
  });
}

template <class T> static void check_interleaved(int m, int alg)
{
  enum { COUNT = 37 };
  const systems s = systems_make<T>(m, COUNT, 1, 1, false);
  check_run("gtsvInterleavedBatch", [&] {
    const device<T> dl(diagonal<T>(s, -1, COUNT, 1)),
        d(diagonal<T>(s, 0, COUNT, 1)), du(diagonal<T>(s, 1, COUNT, 1));
    const device<T> b(narrow<T>(sides(s, s.b, COUNT, 1)));
    size_t size;
    TYPED(gtsvInterleavedBatch_bufferSizeExt, handle, alg, m, dl, d, du, b,
          COUNT, &size);
    const space buffer(size);
    TYPED(gtsvInterleavedBatch, handle, alg, m, dl, d, du, b, COUNT, buffer);
    verdict(ulps(b.host(), sides(s, s.x, COUNT, 1)));
  });
}

template <class T> static void check_gpsv(int m)
{
  enum { COUNT = 37 };
  const systems s = systems_make<T>(m, COUNT, 1, 2, false);
  check_run("gpsvInterleavedBatch", [&] {
    const device<T> ds(diagonal<T>(s, -2, COUNT, 1)),
        dl(diagonal<T>(s, -1, COUNT, 1)), d(diagonal<T>(s, 0, COUNT, 1)),
        du(diagonal<T>(s, 1, COUNT, 1)), dw(diagonal<T>(s, 2, COUNT, 1));
    const device<T> b(narrow<T>(sides(s, s.b, COUNT, 1)));
    size_t size;
    TYPED(gpsvInterleavedBatch_bufferSizeExt, handle, 0, m, ds, dl, d, du, dw,
          b, COUNT, &size);
    const space buffer(size);
    TYPED(gpsvInterleavedBatch, handle, 0, m, ds, dl, d, du, dw, b, COUNT,
          buffer);
    verdict(ulps(b.host(), sides(s, s.x, COUNT, 1)));
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
    for (int alg = 0; alg < 3; alg++)
      check_interleaved<T>(m, alg);
    check_gpsv<T>(m);
  }
}
FOR_TYPES(check_bands)
