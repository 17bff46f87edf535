// SPDX-License-Identifier: MIT
#include "dense.hpp"

#include <algorithm>
#include <cmath>
#include <set>

int random_below(int n)
{
  static unsigned long long state = 20221;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (unsigned)n);
}

dense transposed(const dense &a, bool conjugate)
{
  dense out(a.n, a.m);
  for (int i = 0; i < a.m; i++)
    for (int j = 0; j < a.n; j++) {
      out(j, i) = conjugate ? std::conj(a(i, j)) : a(i, j);
      out.there[(size_t)i * a.n + j] = a.has(i, j);
    }
  return out;
}

dense operated(const dense &a, int how)
{
  return how == 0 ? a : transposed(a, how == 2);
}

dense product(const dense &a, const dense &b)
{
  dense out(a.m, b.n);
  for (int j = 0; j < b.n; j++)
    for (int k = 0; k < a.n; k++)
      for (int i = 0; i < a.m; i++) {
        out(i, j) += a(i, k) * b(k, j);
        if (a.has(i, k) && b.has(k, j))
          out.there[(size_t)j * a.m + i] = 1;
      }
  return out;
}

dense column_of(const std::vector<wide> &v)
{
  dense out((int)v.size(), 1);
  out.v = v;
  return out;
}

std::vector<wide> product(const dense &a, const std::vector<wide> &x)
{
  return product(a, column_of(x)).v;
}

std::vector<wide> by_rows(const dense &a)
{
  return transposed(a, false).v;
}

dense triangle_of(const dense &a, bool upper, bool unit)
{
  dense out(a.m, a.n);
  for (int i = 0; i < a.m; i++)
    for (int j = 0; j < a.n; j++)
      if (i == j)
        out.put(i, j, unit ? 1 : a(i, j));
      else if (a.has(i, j) && upper == (j > i))
        out.put(i, j, a(i, j));
  return out;
}

dense solved(dense a, dense b)
{
  for (int k = 0; k < a.n; k++) {
    int best = k;
    for (int i = k + 1; i < a.m; i++)
      if (std::abs(a(i, k)) > std::abs(a(best, k)))
        best = i;
    for (int j = 0; j < a.n; j++)
      std::swap(a(k, j), a(best, j));
    for (int j = 0; j < b.n; j++)
      std::swap(b(k, j), b(best, j));
    for (int i = 0; i < a.m; i++) {
      const wide by = i == k ? 0 : a(i, k) / a(k, k);
      if (by == wide(0))
        continue;
      for (int j = k; j < a.n; j++)
        a(i, j) -= by * a(k, j);
      for (int j = 0; j < b.n; j++)
        b(i, j) -= by * b(k, j);
    }
  }
  for (int i = 0; i < a.n; i++)
    for (int j = 0; j < b.n; j++)
      b(i, j) /= a(i, i);
  return b;
}

dense filled(int m, int n, const std::vector<wide> &values)
{
  dense out(m, n);
  out.v = values;
  return out;
}

std::vector<wide> combined(wide alpha, const dense &a, wide beta,
                           const dense &c)
{
  std::vector<wide> out;
  for (size_t i = 0; i < c.v.size(); i++)
    out.push_back(alpha * a.v[i] + beta * c.v[i]);
  return out;
}

dense sum_of(wide alpha, const dense &a, wide beta, const dense &b)
{
  dense out(a.m, a.n);
  for (int i = 0; i < a.m; i++)
    for (int j = 0; j < a.n; j++)
      if (a.has(i, j) || b.has(i, j))
        out.put(i, j, alpha * a(i, j) + beta * b(i, j));
  return out;
}

dense lu_of(dense a, long double tolerance, wide boost)
{
  for (int k = 0; k < a.n; k++) {
    if (std::abs(a(k, k)) <= tolerance)
      a(k, k) = boost;
    for (int i = k + 1; i < a.m; i++) {
      if (!a.has(i, k))
        continue;
      a(i, k) /= a(k, k);
      for (int j = k + 1; j < a.n; j++)
        if (a.has(i, j) && a.has(k, j))
          a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return a;
}

dense cholesky_of(dense a, int block)
{
  for (int j = 0; j < a.n; j++) {
    for (int k = 0; k < j; k++)
      if (a.has(j, k))
        a(j, j) -= std::norm(a(j, k));
    a(j, j) = std::sqrt(a(j, j));
    for (int i = j + 1; i < a.m; i++) {
      if (!a.has(i, j))
        continue;
      for (int k = 0; k < j; k++)
        if (a.has(i, k) && a.has(j, k))
          a(i, j) -= i / block == j / block ? a(i, k) * std::conj(a(j, k))
                                            : std::conj(a(i, k)) * a(j, k);
      a(i, j) /= a(j, j);
    }
  }
  return a;
}

dense pruned(const dense &a, long double threshold)
{
  dense out(a.m, a.n);
  for (int i = 0; i < a.m; i++)
    for (int j = 0; j < a.n; j++)
      if (a.has(i, j) && std::abs(a(i, j)) > threshold)
        out.put(i, j, a(i, j));
  return out;
}

long double magnitude_at(const dense &a, bool all, double percent)
{
  std::vector<long double> out;
  for (size_t i = 0; i < a.v.size(); i++)
    if (all || a.there[i])
      out.push_back(std::abs(a.v[i]));
  std::sort(out.begin(), out.end());
  const long at = (long)std::ceil((double)out.size() * (percent / 100)) - 1;
  return out[std::min(std::max(at, 0L), (long)out.size() - 1)];
}

std::vector<int> counts(const std::vector<int> &ptr)
{
  std::vector<int> out;
  for (size_t i = 1; i < ptr.size(); i++)
    out.push_back(ptr[i] - ptr[i - 1]);
  return out;
}

bool permutes(const std::vector<int> &to, const std::vector<int> &p,
              const std::vector<int> &from)
{
  bool right = p.size() == from.size();
  for (size_t i = 0; right && i < p.size(); i++)
    right = p[i] >= 0 && p[i] < (int)from.size() && to[i] == from[p[i]];
  return right;
}

bool coloured(const dense &a, int count, const std::vector<int> &colours,
              const std::vector<int> &order)
{
  bool right = true;
  for (int r = 0; r < a.m; r++)
    for (int t = 0; t < a.n; t++)
      right &= r == t || !a.has(r, t) || colours[r] != colours[t];
  for (int k = 1; k < a.m; k++)
    right &= order[k] >= 0 && order[k] < a.m && order[k - 1] >= 0 &&
             order[k - 1] < a.m && colours[order[k - 1]] <= colours[order[k]];
  return right &&
         std::set<int>(order.begin(), order.end()).size() == (size_t)a.m &&
         *std::min_element(colours.begin(), colours.end()) == 0 &&
         *std::max_element(colours.begin(), colours.end()) == count - 1;
}
