/* SPDX-License-Identifier: MIT */
/* Many seeded schedules: soak_faults [COUNT [FIRST]], by default 10000 from 0.
 */
#include "transport/fault/seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
  uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, ended;
  uint64_t failed = seeds_check(first, count, &ended);
  printf("%sok 1 - %" PRIu64 " seeded fault schedules, %" PRIu64
         " of them ended by a fault\n1..1\n",
         failed ? "not " : "", count, ended);
  return failed != 0;
}
