/* SPDX-License-Identifier: MIT */
/*
 * Names of kernels for a reader: demangled, without the parts that kernels of
 * one library share. Stored names and documents keep the whole name. Pure
 * functions; any thread.
 */
#ifndef AQ_REPORT_STATS_SHORT_NAMES_H
#define AQ_REPORT_STATS_SHORT_NAMES_H

#include <stddef.h>

/* The demangled name without return type, namespaces and the parameters of a
 * template's instance; the name of a Tensile kernel without its prefix. The
 * caller frees it. NULL: out of memory. */
char *aq_name_short(const char *name);

/*
 * The same of each of `count` names (owned by the caller, from malloc, replaced
 * in place). Different names stay different: where a short form is that of
 * several names, they are demangled only, or whole. Returns 0, or -1 out of
 * memory with the names as they were.
 */
int aq_names_short(char **names, size_t count);

#endif
