/* SPDX-License-Identifier: MIT */
/* A right program for GCC's offload, whose threads are waves: teams, threads
 * and a sum. */
#include <stdio.h>

int main(void)
{
  int a[256];
  long sum = 0;
  for (int i = 0; i < 256; i++)
    a[i] = i;
#pragma omp target teams distribute parallel for map(tofrom : a, sum)          \
    reduction(+ : sum)
  for (int i = 0; i < 256; i++) {
    a[i] *= 2;
    sum += a[i];
  }
  printf("%ld\n", sum);
  return sum != 255 * 256;
}
