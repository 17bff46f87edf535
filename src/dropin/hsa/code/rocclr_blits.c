/* SPDX-License-Identifier: MIT */
/*
 * The kernels that HIP's runtime (ROCclr) fills and copies memory with, as host
 * functions. Each reads the arguments of its OpenCL kernel.
 */
#include "config.h"

#include <string.h>

#include "dropin/hsa/base/kernels.h"

enum { WIDE = 16 /* bytes of a uint4 */ };

typedef struct vector4 {
  uint64_t x, y, z, w;
} vector4;

/* ---- fills ---- */

/* One of the four addresses is given; it says how wide an element is. */
typedef struct fill_target {
  unsigned char *by_1, *by_2, *by_4, *by_8;
} fill_target;

static unsigned char *target_open(const fill_target *target, size_t *width)
{
  *width = target->by_8 ? 8 : target->by_4 ? 4 : target->by_2 ? 2 : 1;
  return target->by_8   ? target->by_8
         : target->by_4 ? target->by_4
         : target->by_2 ? target->by_2
                        : target->by_1;
}

static void fill_aligned(const aq_kernel_call *call)
{
  const struct {
    fill_target target;
    const unsigned char *pattern;
    uint32_t elements; /* of the pattern */
    uint64_t offset;   /* elements */
    uint64_t count;    /* patterns */
  } *args = call->kernarg;
  size_t width;
  unsigned char *to = target_open(&args->target, &width);
  size_t bytes = args->elements * width;
  to += args->offset * width;
  for (uint64_t i = 0; i < args->count; i++)
    memcpy(to + i * bytes, args->pattern, bytes);
}

static void fill_aligned_2d(const aq_kernel_call *call)
{
  const struct {
    fill_target target;
    const unsigned char *pattern;
    uint32_t elements;
    uint64_t origin, columns, rows, pitch; /* elements */
  } *args = call->kernarg;
  size_t width;
  unsigned char *to = target_open(&args->target, &width);
  for (uint64_t y = 0; y < args->rows; y++)
    for (uint64_t x = 0; x < args->columns; x++)
      memcpy(to + (args->origin + y * args->pitch + x) * width, args->pattern,
             args->elements * width);
}

/* ---- copies ---- */

static void copy_buffer(const aq_kernel_call *call)
{
  const struct {
    const unsigned char *from;
    unsigned char *to;
    uint64_t from_offset, to_offset; /* bytes */
    uint64_t count;
    uint32_t remain; /* 8: of bytes; else bytes of the last word */
  } *args = call->kernarg;
  uint64_t bytes = args->count;
  if (args->remain != 8 && args->count > 0)
    bytes = (args->count - 1) * 4 + args->remain;
  memmove(args->to + args->to_offset, args->from + args->from_offset, bytes);
}

static void copy_buffer_aligned(const aq_kernel_call *call)
{
  const struct {
    const unsigned char *from;
    unsigned char *to;
    uint64_t from_offset, to_offset, count; /* words */
    uint32_t alignment;
  } *args = call->kernarg;
  size_t width = args->alignment == WIDE ? WIDE : 4;
  memmove(args->to + args->to_offset * width,
          args->from + args->from_offset * width, args->count * width);
}

/* Rectangles: x and y of a rect are the row and the slice pitch, z is where it
 * begins. */
typedef struct rect_args {
  const unsigned char *from;
  unsigned char *to;
  uint8_t pad[16]; /* vectors of four are aligned to 32 bytes */
  vector4 from_rect, to_rect, size;
} rect_args;

static void copy_rect(const rect_args *args, size_t width)
{
  for (uint64_t z = 0; z < args->size.z; z++)
    for (uint64_t y = 0; y < args->size.y; y++) {
      uint64_t from =
          args->from_rect.z + y * args->from_rect.x + z * args->from_rect.y;
      uint64_t to = args->to_rect.z + y * args->to_rect.x + z * args->to_rect.y;
      memmove(args->to + to * width, args->from + from * width,
              args->size.x * width);
    }
}

static void copy_buffer_rect(const aq_kernel_call *call)
{
  copy_rect(call->kernarg, 1);
}

static void copy_buffer_rect_aligned(const aq_kernel_call *call)
{
  const rect_args *args = call->kernarg;
  copy_rect(args, args->size.w == WIDE ? WIDE : 4);
}

static void stream_write(const aq_kernel_call *call)
{
  const struct {
    uint32_t *narrow;
    uint64_t *wide;
    uint64_t value;
  } *args = call->kernarg;
  /* Release: a poller of it sees all earlier stores. */
  if (args->narrow)
    __atomic_store_n(args->narrow, (uint32_t)args->value, __ATOMIC_RELEASE);
  else
    __atomic_store_n(args->wide, args->value, __ATOMIC_RELEASE);
}

/* Sets a barrier of the hardware up, which changes no memory; host functions
 * run a grid as a whole and need none. */
static void gws_init(const aq_kernel_call *call)
{
  (void)call;
}

/* Name, function, and the bytes of each argument up to HIP 6.0; later ones have
 * other arguments by the same names. */
#define BLITS(B)                                                               \
  B("fillBufferAligned", fill_aligned, 8, 8, 8, 8, 8, 4, 8, 8)                 \
  B("fillBufferAligned2D", fill_aligned_2d, 8, 8, 8, 8, 8, 4, 8, 8, 8, 8)      \
  B("copyBuffer", copy_buffer, 8, 8, 8, 8, 8, 4)                               \
  B("copyBufferAligned", copy_buffer_aligned, 8, 8, 8, 8, 8, 4)                \
  B("copyBufferRect", copy_buffer_rect, 8, 8, 32, 32, 32)                      \
  B("copyBufferRectAligned", copy_buffer_rect_aligned, 8, 8, 32, 32, 32)       \
  B("streamOpsWrite", stream_write, 8, 8, 8, 8)                                \
  B("gwsInit", gws_init, 4)

#define ENTRY(text, run, ...) {.name = "__amd_rocclr_" text, .function = (run)},
const aq_kernel_entry aqdrop_blits[] = {BLITS(ENTRY){.name = NULL}};

enum { ARGUMENTS = 12 };
#define SIZES(text, run, ...) {__VA_ARGS__},
static const uint8_t sizes[][ARGUMENTS + 1] = {BLITS(SIZES)};

bool aqdrop_blit_fits(const aq_kernel_entry *entry, const aq_code_arg *args,
                      size_t count)
{
  const uint8_t *size = sizes[entry - aqdrop_blits];
  if (count == 0) /* they are not told */
    return true;
  for (size_t i = 0; i < count; i++)
    if (!args[i].hidden && (*size == 0 || *size++ != args[i].size))
      return false;
  return *size == 0;
}
