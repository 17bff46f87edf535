/* SPDX-License-Identifier: MIT */
/* Defects of OpenMP target regions, one a case, each with a fixed twin:
 * `offload CASE bad|fixed`. Comments "FINDS CASE: KIND" are as in sites.hpp. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 512 };

static int a[N + 64], b[N + 64];

static void map_too_short(bool fixed)
{
  const int mapped = fixed ? N + 1 : N;
#pragma omp target teams distribute parallel for map(to                        \
                                                     : a [0:mapped])           \
    map(from                                                                   \
        : b [0:N])
  for (int i = 0; i < N; i++)
    b[i] = a[i + 1]; // FINDS map_too_short: out of bounds
}

static void sum_of_all(bool fixed)
{
  int sum = 0;
#pragma omp target teams distribute parallel for map(to                        \
                                                     : a [0:N]) map(tofrom     \
                                                                    : sum)
  for (int i = 0; i < N; i++) {
    if (fixed) {
#pragma omp atomic
      sum += a[i];
    } else {
      sum += a[i]; // FINDS sum_of_all: race between workgroups
    }
  }
}

static void shift_in_place(bool fixed)
{
  const int by = fixed ? 0 : 1;
#pragma omp target teams distribute parallel for map(tofrom : a [0:N + 1])
  for (int i = 0; i < N; i++)
    a[i] = a[i + by] + 1; // FINDS shift_in_place: race between workgroups
}

static void alloc_not_filled(bool fixed)
{
  int hits = 0;
#pragma omp target data map(alloc : b [0:N])
  {
    if (fixed) {
#pragma omp target update to(b [0:N])
    }
#pragma omp target teams distribute parallel for map(tofrom : hits)
    for (int i = 0; i < N; i++)
      if (b[i] == 7) { // FINDS alloc_not_filled: uninitialised branch
#pragma omp atomic
        hits++;
      }
  }
}

static const struct {
  const char *name;
  void (*run)(bool fixed);
} cases[] = {
    {"map_too_short", map_too_short},
    {"sum_of_all", sum_of_all},
    {"shift_in_place", shift_in_place},
    {"alloc_not_filled", alloc_not_filled},
};

int main(int argc, char **argv)
{
  const size_t count = sizeof cases / sizeof *cases;
  for (size_t i = 0; argc == 1 && i < count; i++)
    printf("%s\n", cases[i].name);
  if (argc != 3)
    return argc == 1 ? 0 : 2;
  for (size_t i = 0; i < count; i++)
    if (strcmp(argv[1], cases[i].name) == 0)
      cases[i].run(strcmp(argv[2], "fixed") == 0);
  printf("done\n");
  return 0;
}
