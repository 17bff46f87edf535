/* SPDX-License-Identifier: MIT */
/*
 * The basis of a row of the what-if table, as text. One thread.
 */
#ifndef AQ_STUDY_WHATIF_PROVENANCE_H
#define AQ_STUDY_WHATIF_PROVENANCE_H

#include "study/whatif/variant.h"

/* The basis of `v` after its last replay, for the caller to free; NULL: no
 * memory. */
char *aq_whatif_basis(const aq_whatif_variant *v, const aq_change *changes,
                      size_t count);

#endif
