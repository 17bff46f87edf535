/* SPDX-License-Identifier: MIT */
/*
 * Names of two runs that differ in hashes alone, as PyTorch names a compiled
 * graph: "## Call CompiledFxGraph fjs75i4… ##". A hash is a word of at least 32
 * small letters and digits, with letters and a sixteenth of digits. Pure; any
 * thread.
 */
#ifndef AQ_REPORT_COMPARE_HASH_NAMES_H
#define AQ_REPORT_COMPARE_HASH_NAMES_H

#include "common/map.h"

/* The ids of the names of a run's rows, in the order of rows. */
typedef struct aq_hash_side {
  int64_t *keys;
  size_t count;
} aq_hash_side;

/*
 * Of names without their hashes that are equal, and each in one run only, the
 * nth of the first run and the nth of the second one, by first appearance, are
 * partners, where both runs have equally many of them. The second run's rows
 * get the first run's names; *now leads from these to the second run's. False:
 * no memory; the caller frees *now in any case.
 */
bool aq_hash_names_join(const aq_names *names, const aq_hash_side sides[2],
                        aq_map *now);

#endif
