/* SPDX-License-Identifier: MIT */
/*
 * Formats of elements of buffers and images: their bits in memory become
 * components in registers, and back. Pure functions; the host rounds to the
 * nearest while they compute (mode.h).
 */
#ifndef AQ_GPU_WAVE_CORE_FORMAT_H
#define AQ_GPU_WAVE_CORE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum { AQ_WAVE_COMPONENTS = 4, AQ_WAVE_ELEMENT_MAX = 16 /* bytes */ };

/* How an instruction gets a component, by the selection of a resource: 0, 1, or
 * the n-th component in memory from AQ_WAVE_SELECT_FIRST on. */
enum { AQ_WAVE_SELECT_0, AQ_WAVE_SELECT_1, AQ_WAVE_SELECT_FIRST = 4 };

/* How the bits of a component are a number, as gfx9 numbers it. */
typedef enum aq_wave_number {
  AQ_WAVE_UNORM,
  AQ_WAVE_SNORM,
  AQ_WAVE_USCALED,
  AQ_WAVE_SSCALED,
  AQ_WAVE_UINT,
  AQ_WAVE_SINT,
  AQ_WAVE_FLOAT = 7,
  AQ_WAVE_SRGB = 9, /* images: bytes, the fourth one is linear */
} aq_wave_number;

/* gfx9's numbers of images' layouts of components that buffers lack. */
enum { AQ_WAVE_LAYOUT_565 = 16, AQ_WAVE_LAYOUT_1555 = 17 };

/* The number of both with two bits of opacity above three of ten. */
enum { AQ_WAVE_LAYOUT_2101010 = 9 };

typedef struct aq_wave_format {
  const uint8_t *bits; /* of components, from the lowest on; 0 ends them */
  aq_wave_number number;
  uint8_t select[AQ_WAVE_COMPONENTS]; /* what x, y, z and w are */
  unsigned bytes;                     /* of an element */
} aq_wave_format;

/* Sets all but `select`; false: the layout has no such number. */
bool aq_wave_format_find(unsigned layout, unsigned number, aq_wave_format *out);

static inline bool aq_wave_format_is_integer(const aq_wave_format *f)
{
  return f->number == AQ_WAVE_UINT || f->number == AQ_WAVE_SINT;
}

/* gfx9's number of a layout of `components` of `size` bytes in all, of the same
 * size each; 0: there is none. */
unsigned aq_wave_format_layout(unsigned components, unsigned size);

/* x, y, z and w of an element: f32 or integers. */
void aq_wave_format_read(const aq_wave_format *f, const uint8_t *from,
                         uint32_t out[AQ_WAVE_COMPONENTS]);

/* The element of components in the order of memory. False: one of them does not
 * fit, which is not documented. */
bool aq_wave_format_write(const aq_wave_format *f,
                          const uint32_t in[AQ_WAVE_COMPONENTS], uint8_t *to);

#endif
