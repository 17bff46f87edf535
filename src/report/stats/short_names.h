/* SPDX-License-Identifier: MIT */
/*
 * Names of kernels for a reader: demangled, without the parts that kernels of
 * one library share, and cut in the middle where a column is narrow. Stored
 * names and documents keep the whole name. Pure functions; any thread.
 */
#ifndef AQ_REPORT_STATS_SHORT_NAMES_H
#define AQ_REPORT_STATS_SHORT_NAMES_H

#include <stddef.h>

/* The demangled name without return type, namespaces and the parameters of a
 * template's instance; the name of a Tensile kernel without its prefix. The
 * caller frees it. NULL: out of memory. */
char *aq_name_short(const char *name);

/* Code points that a terminal shows side by side. */
size_t aq_name_width(const char *name);

/*
 * Cuts each of `count` names (owned by the caller, from malloc, replaced in
 * place) to at most `width` code points, at least 16. The mark ".." stands for
 * the part left out, chosen so that what two similar names do not share stays.
 * Names that are equal stay equal. Returns 0, or -1 out of memory with the
 * names valid and some uncut.
 */
int aq_names_fit(char **names, size_t count, size_t width);

#endif
