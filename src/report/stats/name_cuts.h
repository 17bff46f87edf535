/* SPDX-License-Identifier: MIT */
/*
 * Names cut to the width of a column so that different ones stay different. The
 * mark ".." stands for each part left out. Pure functions; any thread.
 */
#ifndef AQ_REPORT_STATS_NAME_CUTS_H
#define AQ_REPORT_STATS_NAME_CUTS_H

#include <stddef.h>

typedef struct aq_name_cell {
  char *name;   /* owned by the caller, from malloc; replaced where it is cut */
  size_t width; /* code points that it may have, at least 16 */
  size_t row;   /* names of a row show the first place where they differ */
} aq_name_cell;

/* Code points that a terminal shows side by side. */
size_t aq_name_width(const char *name);

/*
 * Cuts each of `count` names, ordered by row. A name keeps its beginning (a
 * call stack its innermost frame), the tile of a GEMM of Tensile, and a part in
 * which it differs from names that would look alike; where there is no room for
 * that, it gets a number: "(2)". Names that are equal stay equal. Returns 0, or
 * -1 out of memory with the names valid and some uncut.
 */
int aq_names_fit(aq_name_cell *cells, size_t count);

#endif
