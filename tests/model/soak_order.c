/* SPDX-License-Identifier: MIT */
/* Many random programs: soak_order [COUNT [FIRST]], by default 100000 from 0.
 * A failing seed is printed with its program made small. */
#include "model/check.h"

#include <inttypes.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
  uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, exact;
  uint64_t failed = model_check_seeds(first, count, &exact);
  printf("%sok 1 - %" PRIu64 " random programs keep the rules, %" PRIu64
         " of them to the picosecond\n",
         failed ? "not " : "", count, exact);
  uint64_t later;
  uint64_t contended = model_check_contended(first, count / 10, &later);
  printf("%sok 2 - %" PRIu64 " of them do on few slots, %" PRIu64
         " of them later\n1..2\n",
         contended ? "not " : "", count / 10, later);
  return failed != 0 || contended != 0;
}
