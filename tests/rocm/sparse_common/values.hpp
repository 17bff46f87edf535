// SPDX-License-Identifier: MIT
// Types of values: their precision, and the long double that the host computes
// with; random ones by a fixed seed.
#ifndef SPARSE_VALUES_HPP
#define SPARSE_VALUES_HPP

#include <complex>
#include <vector>

typedef std::complex<long double> wide;

template <class T> struct kind;
template <> struct kind<float> {
  typedef float real;
  static constexpr char letter = 's';
  static constexpr bool complex = false;
  static float of(wide v)
  {
    return (float)v.real();
  }
};
template <> struct kind<double> {
  typedef double real;
  static constexpr char letter = 'd';
  static constexpr bool complex = false;
  static double of(wide v)
  {
    return (double)v.real();
  }
};
template <> struct kind<std::complex<float>> {
  typedef float real;
  static constexpr char letter = 'c';
  static constexpr bool complex = true;
  static std::complex<float> of(wide v)
  {
    return std::complex<float>(v);
  }
};
template <> struct kind<std::complex<double>> {
  typedef double real;
  static constexpr char letter = 'z';
  static constexpr bool complex = true;
  static std::complex<double> of(wide v)
  {
    return std::complex<double>(v);
  }
};

static inline wide wide_of(float v)
{
  return wide(v, 0);
}
static inline wide wide_of(double v)
{
  return wide(v, 0);
}
template <class R> static inline wide wide_of(std::complex<R> v)
{
  return wide(v);
}

template <class T> std::vector<T> narrow(const std::vector<wide> &from)
{
  std::vector<T> out;
  for (const wide &v : from)
    out.push_back(kind<T>::of(v));
  return out;
}

int random_below(int n);
// A multiple of 1/64 in ±1, exact in every type, never 0.
template <class T> wide random_value()
{
  const long double re = (random_below(64) + 1) / 64.0L;
  const long double im = (random_below(64) + 1) / 64.0L;
  return wide(random_below(2) ? re : -re, !kind<T>::complex ? 0
                                          : random_below(2) ? im
                                                            : -im);
}
template <class T> std::vector<wide> random_vector(size_t n)
{
  std::vector<wide> out(n);
  for (wide &v : out)
    v = random_value<T>();
  return out;
}

#endif
