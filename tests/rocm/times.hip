// SPDX-License-Identifier: MIT
// The cost of three calls of ROCm's libraries, with their results checked:
//   times generate|product|sort [REPEATS]
// prints the best wall and processor time of a call, in milliseconds, and the
// most memory that the process had, in MiB, separated by tabs.
#include <hip/hip_fp16.h>

#include <rocprim/rocprim.hpp>
#include <rocrand/rocrand.h>
#include <rocsparse/rocsparse.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "check.hpp"

static const size_t NUMBERS = 10000000, KEYS = 1000000;
static const int ROWS = 100000, ENTRIES = 10;

static double processor_ms()
{
  rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3 +
         (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e3;
}

// The best of the calls of `work`, which ends when the device has.
template <class Work>
static void time_print(const char *name, int repeats, Work work)
{
  double best_wall = INFINITY, best_processor = INFINITY;
  rusage use;
  for (int i = 0; i < repeats; i++) {
    const auto begin = std::chrono::steady_clock::now();
    const double processor = processor_ms();
    work();
    MUST(hipDeviceSynchronize());
    const std::chrono::duration<double, std::milli> wall =
        std::chrono::steady_clock::now() - begin;
    best_wall = std::fmin(best_wall, wall.count());
    best_processor = std::fmin(best_processor, processor_ms() - processor);
  }
  getrusage(RUSAGE_SELF, &use);
  printf("%s\t%.1f\t%.1f\t%.0f\n", name, best_wall, best_processor,
         use.ru_maxrss / 1024.0);
}

static bool generate(int repeats)
{
  std::vector<float> numbers(NUMBERS);
  float *d = device_of(numbers);
  rocrand_generator generator;
  double sum = 0;
  MUST(rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10));
  time_print("generate", repeats,
             [&] { MUST(rocrand_generate_uniform(generator, d, NUMBERS)); });
  numbers = fetched(d, NUMBERS);
  for (float number : numbers) {
    if (!(number > 0 && number <= 1))
      return false;
    sum += number;
  }
  return std::fabs(sum / NUMBERS - 0.5) < 1e-3;
}

// A matrix of small numbers, whose sums are exact in any order.
static bool product(int repeats)
{
  std::vector<int> rows(ROWS + 1), columns(ROWS * ENTRIES);
  std::vector<float> values(ROWS * ENTRIES), x(ROWS), y(ROWS), expected(ROWS);
  const float one = 1, zero = 0;
  rocsparse_handle handle;
  rocsparse_mat_descr description;
  for (int i = 0; i < ROWS; i++)
    x[i] = (float)(i % 17);
  for (int i = 0; i < ROWS; i++) {
    for (int k = 0; k < ENTRIES; k++) {
      const int at = i * ENTRIES + k;
      columns[at] = (int)((i * 7919LL + k * (ROWS / ENTRIES)) % ROWS);
      values[at] = (float)(at % 13);
    }
    rows[i + 1] = (i + 1) * ENTRIES;
    for (int at = rows[i]; at < rows[i + 1]; at++)
      expected[i] += values[at] * x[columns[at]];
  }
  int *device_rows = device_of(rows), *device_columns = device_of(columns);
  float *device_values = device_of(values);
  float *device_x = device_of(x), *device_y = device_of(y);
  MUST(rocsparse_create_handle(&handle));
  MUST(rocsparse_create_mat_descr(&description));
  time_print("product", repeats, [&] {
    MUST(rocsparse_scsrmv(handle, rocsparse_operation_none, ROWS, ROWS,
                          ROWS * ENTRIES, &one, description, device_values,
                          device_rows, device_columns, nullptr, device_x, &zero,
                          device_y));
  });
  return fetched(device_y, ROWS) == expected;
}

static bool sort(int repeats)
{
  std::vector<unsigned> keys(KEYS);
  unsigned state = 1;
  for (unsigned &key : keys)
    key = state = state * 1664525u + 1013904223u;
  unsigned *in = device_of(keys), *out = device_of(keys);
  size_t size = 0;
  void *space;
  MUST(rocprim::radix_sort_keys(nullptr, size, in, out, KEYS));
  MUST(hipMalloc(&space, size));
  time_print("sort", repeats, [&] {
    MUST(rocprim::radix_sort_keys(space, size, in, out, KEYS));
  });
  std::sort(keys.begin(), keys.end());
  return fetched(out, KEYS) == keys;
}

int main(int count, char **arguments)
{
  const char *work = count > 1 ? arguments[1] : "";
  const int repeats = count > 2 ? atoi(arguments[2]) : 1;
  bool right = false;
  if (strcmp(work, "generate") == 0)
    right = generate(repeats);
  else if (strcmp(work, "product") == 0)
    right = product(repeats);
  else if (strcmp(work, "sort") == 0)
    right = sort(repeats);
  if (!right)
    printf("%s: the result is wrong\n", work);
  return right ? 0 : 1;
}
