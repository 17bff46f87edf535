/* SPDX-License-Identifier: MIT */
/*
 * The basis of a row of the what-if table, as text. One thread.
 */
#ifndef AQ_WHATIF_BASIS_H
#define AQ_WHATIF_BASIS_H

#include "whatif/variant.h"

/* Appends to `basis`, a text of `size` bytes, the basis of `v` after its last
 * replay; a text that is too long is cut. */
void aq_whatif_basis(const aq_whatif_variant *v, const aq_change *changes,
                     size_t count, char *basis, size_t size);

#endif
