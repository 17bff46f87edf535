// SPDX-License-Identifier: MIT
// Level 1, a sparse vector with a dense one: both libraries have these routines
// with the same arguments. Included after the header of a library.
#ifndef SPARSE_VECTORS_HPP
#define SPARSE_VECTORS_HPP

#include "cases.hpp"

enum { LENGTH = 1021, ENTRIES = 203 };

// Distinct, ascending.
static std::vector<int> places()
{
  std::vector<int> out;
  for (int i = 0; i < ENTRIES; i++)
    out.push_back(i * 5 + random_below(5) + base);
  return out;
}

template <class T> static void check_sums(bool on_device)
{
  const std::vector<int> at = places();
  const std::vector<wide> x = random_vector<T>(ENTRIES);
  const std::vector<wide> y = random_vector<T>(LENGTH);
  const wide alpha = random_value<T>();
  wide dot = 0, conjugate = 0;
  std::vector<wide> sum = y;
  for (int i = 0; i < ENTRIES; i++) {
    dot += x[i] * y[at[i] - base];
    conjugate += std::conj(x[i]) * y[at[i] - base];
    sum[at[i] - base] += alpha * x[i];
  }
  device<int> ind(at);
  device<T> xs(narrow<T>(x)), ys(narrow<T>(y));
  device<T> scalar(std::vector<T>{kind<T>::of(alpha)}), out(1);
  std::vector<T> host(1, kind<T>::of(alpha));
  T *from = on_device ? scalar.at : host.data();

  check_run("axpyi", [&] {
    TYPED(axpyi, handle, ENTRIES, from, xs, ind, ys, base);
    verdict(ulps(ys.host(), sum));
  });
  device<T> again(narrow<T>(y));
  T *to = on_device ? out.at : host.data();
  const auto dot_verdict = [&](wide expected) {
    verdict(ulps(on_device ? out.host() : host, std::vector<wide>{expected}));
  };
  check_run("doti", [&] {
    TYPED(doti, handle, ENTRIES, xs, ind, again, to, base);
    dot_verdict(dot);
  });
  if constexpr (kind<T>::complex)
    check_run("dotci", [&] {
      COMPLEX(dotci, handle, ENTRIES, xs, ind, again, to, base);
      dot_verdict(conjugate);
    });
}

template <class T> static void check_moves()
{
  const std::vector<int> at = places();
  const std::vector<wide> x = random_vector<T>(ENTRIES);
  const std::vector<wide> y = random_vector<T>(LENGTH);
  std::vector<wide> gathered, zeroed = y, scattered = y;
  for (int i = 0; i < ENTRIES; i++) {
    gathered.push_back(y[at[i] - base]);
    zeroed[at[i] - base] = 0;
    scattered[at[i] - base] = x[i];
  }
  device<int> ind(at);
  check_run("gthr", [&] {
    device<T> xs(ENTRIES), ys(narrow<T>(y));
    TYPED(gthr, handle, ENTRIES, ys, xs, ind, base);
    verdict_equal(xs.host() == narrow<T>(gathered));
  });
  check_run("gthrz", [&] {
    device<T> xs(ENTRIES), ys(narrow<T>(y));
    TYPED(gthrz, handle, ENTRIES, ys, xs, ind, base);
    verdict_equal(xs.host() == narrow<T>(gathered) &&
                  ys.host() == narrow<T>(zeroed));
  });
  check_run("sctr", [&] {
    device<T> xs(narrow<T>(x)), ys(narrow<T>(y));
    TYPED(sctr, handle, ENTRIES, xs, ind, ys, base);
    verdict_equal(ys.host() == narrow<T>(scattered));
  });
}

template <class T> static void check_rotation(bool on_device)
{
  const std::vector<int> at = places();
  const T c = (T)0.6, s = (T)-0.8;
  std::vector<wide> x = random_vector<T>(ENTRIES);
  std::vector<wide> y = random_vector<T>(LENGTH);
  device<int> ind(at);
  device<T> xs(narrow<T>(x)), ys(narrow<T>(y));
  device<T> cs(std::vector<T>{c}), ss(std::vector<T>{s});
  for (int i = 0; i < ENTRIES; i++) {
    wide &other = y[at[i] - base];
    const wide before = x[i];
    x[i] = wide_of(c) * before + wide_of(s) * other;
    other = wide_of(c) * other - wide_of(s) * before;
  }
  check_run("roti", [&] {
    const T *sine = on_device ? ss.at : &s, *cosine = on_device ? cs.at : &c;
    REAL(roti, handle, ENTRIES, xs, ind, ys, cosine, sine, base);
    verdict(std::fmax(ulps(xs.host(), x), ulps(ys.host(), y)));
  });
}

// Everything with scalars of the host, or of the device.
template <class T> static void check_scalars(bool on_device)
{
  check_sums<T>(on_device);
  if constexpr (!kind<T>::complex)
    check_rotation<T>(on_device);
}

#endif
