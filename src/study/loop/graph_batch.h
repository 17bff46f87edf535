/* SPDX-License-Identifier: MIT */
/* How HIP announces the packets of a graph launch. A pure function. */
#ifndef AQ_STUDY_LOOP_GRAPH_BATCH_H
#define AQ_STUDY_LOOP_GRAPH_BATCH_H

#include <stdint.h>

/* The nodes of the next doorbell, behind one of `last` and `done` in all. HIP
 * rings for few at first (`head`), not to let the device wait; the count is let
 * grow to `batch` at once where that is behind. 0: as many as there are. */
static inline uint32_t aq_graph_batch(uint32_t head, uint32_t batch,
                                      uint32_t last, uint32_t done)
{
  enum { BEHIND = 16 };
  const uint32_t most = batch ? batch : UINT32_MAX;
  uint64_t size = done >= BEHIND ? most : (uint64_t)last * 2;
  if (done == 0)
    size = head ? head : most;
  return size < most ? (uint32_t)size : most;
}

#endif
