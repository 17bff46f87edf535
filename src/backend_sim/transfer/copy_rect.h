/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a copy: rows of a box. A copy without one is a box of one row,
 * which may be longer than a box's.
 */
#ifndef AQSIM_COPY_RECT_H
#define AQSIM_COPY_RECT_H

#include "backend_sim/engine/page_probe.h"
#include "common/transport.h"

typedef struct aqsim_copy_rect {
  size_t width; /* bytes of a row, > 0 */
  uint32_t rows, slices;
  aq_copy_pitch to, from;
} aqsim_copy_rect;

/* Words a box that is not of the copy's size or that leaves the address
 * space. */
aq_status aqsim_copy_rect_check(const aq_copy_desc *desc, aq_diag *diag);

/* Of a copy that was checked and has bytes. */
aqsim_copy_rect aqsim_copy_rect_of(const aq_copy_desc *desc);

/* Rows move in their order. */
void aqsim_copy_rect_move(const aqsim_copy_rect *box, void *to,
                          const void *from);

/* Whether some byte of the rows at `at` cannot be accessed; *unmapped is the
 * first. Memory between the rows does not matter. */
bool aqsim_copy_rect_unmapped(const aqsim_copy_rect *box,
                              const aq_copy_pitch *pitch, aqsim_access access,
                              uint64_t at, uint64_t *unmapped);

/* Whether some byte of the rows at `at` is in [address, +size). */
bool aqsim_copy_rect_touches(const aqsim_copy_rect *box,
                             const aq_copy_pitch *pitch, uint64_t at,
                             uint64_t address, uint64_t size);

#endif
