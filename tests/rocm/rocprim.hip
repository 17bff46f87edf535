// SPDX-License-Identifier: MIT
// Algorithms of Debian's rocPRIM on the device against those of the host's
// standard library.
#include <hip/hip_fp16.h>

#include <rocprim/rocprim.hpp>

#include <algorithm>
#include <numeric>

#include "check.hpp"

// rocPRIM is asked for the size of its workspace first.
#define RUN(call)                                                              \
  do {                                                                         \
    size_t size = 0;                                                           \
    void *space = nullptr;                                                     \
    MUST(call);                                                                \
    MUST(hipMalloc(&space, size));                                             \
    MUST(call);                                                                \
    MUST(hipFree(space));                                                      \
  } while (0)

typedef std::vector<unsigned> words;

static words random_words(size_t n, unsigned below)
{
  words out(n);
  for (unsigned &x : out)
    x = (unsigned)(rand() * 2u + rand() % 2) % below;
  return out;
}

static void sums_check(const words &from)
{
  const size_t n = from.size();
  unsigned *in = device_of(from), *out = device_of(from);
  words expected(n);
  RUN(rocprim::reduce(space, size, in, out, n));
  report("reduce",
         fetched(out, 1)[0] == std::accumulate(from.begin(), from.end(), 0u));
  RUN(rocprim::inclusive_scan(space, size, in, out, n,
                              rocprim::plus<unsigned>()));
  std::partial_sum(from.begin(), from.end(), expected.begin());
  report("inclusive_scan", fetched(out, n) == expected);
}

static void sorts_check(const words &from)
{
  const size_t n = from.size();
  words order(n);
  std::iota(order.begin(), order.end(), 0u);
  unsigned *in = device_of(from), *out = device_of(from);
  unsigned *values = device_of(order), *places = device_of(order);
  RUN(rocprim::radix_sort_pairs(space, size, in, out, values, places, n));
  std::stable_sort(order.begin(), order.end(), [&](unsigned x, unsigned y) {
    return from[x] < from[y];
  });
  words sorted = from;
  std::sort(sorted.begin(), sorted.end());
  report("radix_sort_pairs",
         fetched(out, n) == sorted && fetched(places, n) == order);
  RUN(rocprim::merge_sort(space, size, in, out, n));
  report("merge_sort", fetched(out, n) == sorted);
}

static void selection_check(const words &from)
{
  const size_t n = from.size();
  unsigned *in = device_of(from), *out = device_of(from);
  unsigned *count = device_of(words(1));
  const auto is_wanted = [] __device__(unsigned x) { return x % 4 == 1; };
  words expected;
  for (unsigned x : from)
    if (x % 4 == 1)
      expected.push_back(x);
  RUN(rocprim::select(space, size, in, out, count, n, is_wanted));
  report("select", fetched(count, 1)[0] == expected.size() &&
                       fetched(out, expected.size()) == expected);
}

static void runs_check(const words &from)
{
  const size_t n = from.size();
  unsigned *in = device_of(from), *firsts = device_of(from);
  unsigned *lengths = device_of(from), *count = device_of(words(1));
  words values, counts;
  for (size_t i = 0; i < n; i++)
    if (i > 0 && from[i] == from[i - 1]) {
      counts.back()++;
    } else {
      values.push_back(from[i]);
      counts.push_back(1);
    }
  RUN(rocprim::run_length_encode(space, size, in, (unsigned)n, firsts, lengths,
                                 count));
  report("run_length_encode", fetched(count, 1)[0] == values.size() &&
                                  fetched(firsts, values.size()) == values &&
                                  fetched(lengths, counts.size()) == counts);
}

static void histogram_check(size_t n)
{
  enum { BINS = 50 };
  std::vector<float> from(n);
  words expected(BINS);
  for (float &x : from) {
    x = (float)(rand() % 1000) / 10;
    expected[(size_t)(x / 2)]++;
  }
  float *in = device_of(from);
  unsigned *bins = device_of(words(BINS));
  RUN(rocprim::histogram_even(space, size, in, (unsigned)n, bins, BINS + 1u,
                              0.0f, 100.0f));
  report("histogram_even", fetched(bins, BINS) == expected);
}

static void merge_check(words a, words b)
{
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  words expected(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
  unsigned *left = device_of(a), *right = device_of(b);
  unsigned *out = device_of(expected);
  MUST(hipMemset(out, 0, expected.size() * sizeof *out));
  RUN(rocprim::merge(space, size, left, right, out, a.size(), b.size()));
  report("merge", fetched(out, expected.size()) == expected);
}

int main()
{
  const size_t n = 100000;
  const words from = random_words(n, 1u << 31);
  sums_check(from);
  sorts_check(from);
  selection_check(from);
  runs_check(random_words(n, 2));
  histogram_check(n);
  merge_check(from, random_words(n, 1000));
  kept_free();
  return 0;
}
