/* SPDX-License-Identifier: MIT */
/*
 * The objects on the stacks of functions, from .debug_info: variables that lie
 * at one place of the function's frame as long as it runs. Compilers give
 * variables places that move, or none: a frame that has one is not `plain`.
 *
 * The bytes may be anything: they are checked. Plain data until
 * aq_code_frames_fini.
 */
#ifndef AQ_GPU_CODEOBJ_FRAMES_H
#define AQ_GPU_CODEOBJ_FRAMES_H

#include "common/diag.h"
#include "common/map.h"

/* Variables that share bytes are one object. */
typedef struct aq_code_frame_object {
  uint32_t frame; /* index */
  uint32_t size;  /* bytes of a work-item */
  int64_t offset; /* from the frame's base */
  int64_t name;   /* in aq_code_frames.names; of such, of the first one */
} aq_code_frame_object;

enum { AQ_CODE_FRAME_KERNEL = UINT8_MAX /* base: none, it is a kernel's */ };

/* A function whose frame has objects. */
typedef struct aq_code_frame {
  uint64_t address, end;
  size_t first, count; /* objects, by offset; none overlap */
  uint8_t base;        /* scalar register of the frame's base in a function */
  /* Not optimized: each parameter and variable has such a place, and compilers
   * make an address from the variable that the source names. */
  bool plain;
} aq_code_frame;

typedef struct aq_code_frames {
  aq_names names;
  aq_code_frame *list; /* by address */
  size_t count, capacity;
  aq_code_frame_object *objects;
  size_t object_count, object_capacity;
} aq_code_frames;

/* Of an ELF file of AMD GPUs. One without debug information has none.
 * AQ_ERR_NO_MEMORY; else fails as aq_code_lines_read. */
aq_status aq_code_frames_read(const void *bytes, size_t size,
                              aq_code_frames *out, aq_diag *diag);
void aq_code_frames_fini(aq_code_frames *frames);

#endif
