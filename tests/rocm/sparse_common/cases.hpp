// SPDX-License-Identifier: MIT
// Problems with their solutions, which the checks of a library hand to it.
#ifndef SPARSE_CASES_HPP
#define SPARSE_CASES_HPP

#include "forms.hpp"

// y = α·A·x + β·y of an operated matrix.
template <class T> struct product_case {
  wide wide_alpha, wide_beta;
  T alpha, beta;
  std::vector<wide> expected;
  device<T> x, y;

  explicit product_case(const dense &a)
      : wide_alpha(random_value<T>()), wide_beta(random_value<T>()),
        alpha(kind<T>::of(wide_alpha)), beta(kind<T>::of(wide_beta)),
        x((size_t)a.n), y((size_t)a.m)
  {
    const std::vector<wide> from = random_vector<T>(a.n),
                            to = random_vector<T>(a.m);
    expected = product(a, from);
    for (int i = 0; i < a.m; i++)
      expected[i] = wide_alpha * expected[i] + wide_beta * to[i];
    const std::vector<T> xs = narrow<T>(from), ys = narrow<T>(to);
    HIP(hipMemcpy(x.at, xs.data(), xs.size() * sizeof(T), hipMemcpyDefault));
    HIP(hipMemcpy(y.at, ys.data(), ys.size() * sizeof(T), hipMemcpyDefault));
  }
  double off() const
  {
    return ulps(y.host(), expected);
  }
};

// A triangle, and what a solver shall find.
template <class T> struct system_case {
  int op; // of operated()
  bool upper, unit;
  dense a, b, x;
  wide alpha;
  T alpha_t;

  // Every combination of the three, for `which` from 0 to 11.
  system_case(int m, int rights, int which, int block)
      : op(which % 3), upper(which / 3 % 2), unit(which / 6 % 2),
        a(random_dominant<T>(m, 20, block)), b(m, rights), x(m, rights),
        alpha(random_value<T>()), alpha_t(kind<T>::of(alpha))
  {
    // A unit diagonal needs small entries beside it.
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        if (i != j)
          a(i, j) /= 64;
    b.v = random_vector<T>((size_t)m * rights);
    x = b;
    for (wide &v : x.v)
      v *= alpha;
    x = solved(operated(triangle_of(a, upper, unit), op), x);
  }
};

// The dense matrix by columns, with rows beyond m that nothing may touch.
template <class T> std::vector<T> leading(const dense &a, int rows)
{
  std::vector<T> out((size_t)rows * a.n, T(-77));
  for (int i = 0; i < a.m; i++)
    for (int j = 0; j < a.n; j++)
      out[(size_t)j * rows + i] = kind<T>::of(a(i, j));
  return out;
}

// `count` systems of m unknowns.
struct systems {
  int m, count;
  std::vector<dense> a, x, b; // x and b: m × rights
};

template <class T>
systems systems_make(int m, int count, int rights, int reach, bool same)
{
  systems out = {m, count, {}, {}, {}};
  for (int s = 0; s < count; s++) {
    dense a(m, m), b(m, rights);
    for (int i = 0; i < m; i++)
      for (int j = std::max(0, i - reach); j <= i + reach && j < m; j++)
        a.put(i, j, i == j ? random_value<T>() + wide(6) : random_value<T>());
    if (same && s)
      a = out.a[0];
    b.v = random_vector<T>((size_t)m * rights);
    out.a.push_back(a);
    out.b.push_back(b);
    out.x.push_back(solved(a, b));
  }
  return out;
}

// Diagonal `at` of every system; entry i of system s at i·step + s·stride.
template <class T>
std::vector<T> diagonal(const systems &s, int at, int step, int stride)
{
  std::vector<T> out((size_t)std::max(step * s.m, stride * s.count), T(0));
  for (int k = 0; k < s.count; k++)
    for (int i = 0; i < s.m; i++)
      if (i + at >= 0 && i + at < s.m)
        out[(size_t)i * step + (size_t)k * stride] =
            kind<T>::of(s.a[k](i, i + at));
  return out;
}

static inline std::vector<wide>
sides(const systems &s, const std::vector<dense> &from, int step, int stride)
{
  std::vector<wide> out((size_t)std::max(step * s.m, stride * s.count));
  for (int k = 0; k < s.count; k++)
    for (int i = 0; i < s.m; i++)
      out[(size_t)i * step + (size_t)k * stride] = from[k](i, 0);
  return out;
}

// The blocks within which rocSPARSE's bsric0 conjugates the other factor: for
// waves of 32 lanes the library has one kernel, which does as csric0.
static inline int conjugating_block(int block)
{
  int device = 0;
  hipDeviceProp_t properties;
  return hipGetDevice(&device) == hipSuccess &&
                 hipGetDeviceProperties(&properties, device) == hipSuccess &&
                 properties.warpSize == 32
             ? 1
             : block;
}

#endif
