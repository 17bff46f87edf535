/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/transfer/copy_rect.h"

#include <inttypes.h>
#include <string.h>

/* Where a box ends that begins at `at`; false: beyond the last address. */
static bool side_end(const aq_copy_box *box, const aq_copy_pitch *pitch,
                     uint64_t at, uint64_t *end)
{
  uint64_t rows, slices;
  return !__builtin_mul_overflow(pitch->row, box->rows - 1, &rows) &&
         !__builtin_mul_overflow(pitch->slice, box->slices - 1, &slices) &&
         !__builtin_add_overflow(rows, slices, end) &&
         !__builtin_add_overflow(*end, box->width, end) &&
         !__builtin_add_overflow(*end, at, end);
}

aq_status aqsim_copy_rect_check(const aq_copy_desc *desc, aq_diag *diag)
{
  const aq_copy_box *box = desc->box;
  uint64_t size, end;
  if (!box)
    return AQ_OK;
  if (__builtin_mul_overflow((uint64_t)box->width * box->rows, box->slices,
                             &size) ||
      size != desc->size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "copy_submit: %zu bytes in %" PRIu32
                       " slices of %" PRIu32 " rows of %" PRIu32
                       " bytes; expected their product",
                       desc->size, box->slices, box->rows, box->width);
  if (size > 0 && (!side_end(box, &box->to, (uintptr_t)desc->to, &end) ||
                   !side_end(box, &box->from, (uintptr_t)desc->from, &end)))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "copy_submit: rows from %p to %p end beyond the last "
                       "address; expected smaller pitches",
                       desc->from, desc->to);
  return AQ_OK;
}

aqsim_copy_rect aqsim_copy_rect_of(const aq_copy_desc *desc)
{
  const aq_copy_box *box = desc->box;
  return box ? (aqsim_copy_rect){box->width, box->rows, box->slices, box->to,
                                 box->from}
             : (aqsim_copy_rect){.width = desc->size, .rows = 1, .slices = 1};
}

static uint64_t row_offset(const aq_copy_pitch *pitch, uint32_t y, uint32_t z)
{
  return (uint64_t)z * pitch->slice + (uint64_t)y * pitch->row;
}

void aqsim_copy_rect_move(const aqsim_copy_rect *box, void *to,
                          const void *from)
{
  for (uint32_t z = 0; z < box->slices; z++)
    for (uint32_t y = 0; y < box->rows; y++)
      memmove((char *)to + row_offset(&box->to, y, z),
              (const char *)from + row_offset(&box->from, y, z), box->width);
}

/* The end of the page that the last byte before `end` is on. */
static uint64_t page_end(uint64_t end)
{
  return ((end - 1) | (AQSIM_PAGE - 1)) + 1;
}

/* Rows whose pages follow one another are asked for at once: a question costs a
 * system call. */
bool aqsim_copy_rect_unmapped(const aqsim_copy_rect *box,
                              const aq_copy_pitch *pitch, aqsim_access access,
                              uint64_t at, uint64_t *unmapped)
{
  uint64_t begin = at, end = at + box->width;
  for (uint32_t z = 0; z < box->slices; z++)
    for (uint32_t y = 0; y < box->rows; y++) {
      const uint64_t row = at + row_offset(pitch, y, z);
      if (row < begin || row > page_end(end)) {
        if (aqsim_memory_unmapped(access, begin, end - begin, unmapped))
          return true;
        begin = row;
        end = row + box->width;
      } else if (row + box->width > end) {
        end = row + box->width;
      }
    }
  return aqsim_memory_unmapped(access, begin, end - begin, unmapped);
}

bool aqsim_copy_rect_touches(const aqsim_copy_rect *box,
                             const aq_copy_pitch *pitch, uint64_t at,
                             uint64_t address, uint64_t size)
{
  const uint64_t last = at + row_offset(pitch, box->rows - 1, box->slices - 1);
  if (at >= address + size || address >= last + box->width)
    return false;
  for (uint32_t z = 0; z < box->slices; z++)
    for (uint32_t y = 0; y < box->rows; y++) {
      const uint64_t row = at + row_offset(pitch, y, z);
      if (row < address + size && address < row + box->width)
        return true;
    }
  return false;
}
