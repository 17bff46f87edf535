/* SPDX-License-Identifier: MIT */
/*
 * The image that an instruction of a wave accesses, as its resource and sampler
 * describe it, for the handlers of image instructions.
 */
#ifndef AQ_GPU_WAVE_IMAGE_IMAGE_VIEW_H
#define AQ_GPU_WAVE_IMAGE_IMAGE_VIEW_H

#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/image/image_descriptor.h"

enum { AQ_WAVE_AXES = 3 };

typedef struct aq_wave_view {
  aq_wave_image image;
  aq_wave_format format;
  aq_wave_sampler sampler; /* of an instruction that samples */
  unsigned axes;           /* beside layers */
  bool layers;
} aq_wave_view;

/* NULL, or why the instruction cannot be executed. */
const char *aq_wave_view_read(const aq_wave *w, const aq_wave_op *o,
                              bool samples, aq_wave_view *out);

/* Elements along each axis; layers are the third. */
void aq_wave_view_sizes(const aq_wave_view *v, int64_t out[AQ_WAVE_AXES]);
bool aq_wave_view_has(const aq_wave_view *v, const int64_t at[AQ_WAVE_AXES]);
uint64_t aq_wave_view_address(const aq_wave_view *v,
                              const int64_t at[AQ_WAVE_AXES]);

/* The row of the i-th register of the instruction's address. */
unsigned aq_wave_view_row(const aq_wave_op *o, unsigned i);

/* Puts the components that the mask chooses into the rows of the result, one
 * after the other. */
void aq_wave_view_put(aq_wave *w, const aq_wave_op *o, const aq_wave_view *v,
                      const uint32_t x[AQ_WAVE_COMPONENTS], unsigned mask,
                      int l);

/* Stops the queue. */
const aq_wave_op *aq_wave_view_refuse(aq_wave *w, const aq_wave_op *o,
                                      const char *what);

/* Of an instruction that samples: its view, and the first element of a lane,
 * out of the image on the border. False: it does not, or will stop. */
bool aq_wave_sample_place(const aq_wave *w, const aq_wave_op *o, int lane,
                          aq_wave_view *view, int64_t at[AQ_WAVE_AXES]);

#endif
