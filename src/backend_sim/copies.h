/* SPDX-License-Identifier: MIT */
/*
 * Copies: each waits for its dependencies, then for the copy engine of its
 * device. The engine serves one copy at a time, in the order in which they
 * became ready. The bytes move when the copy ends.
 */
#ifndef AQSIM_COPIES_H
#define AQSIM_COPIES_H

#include "backend_sim/core.h"

struct aqsim_copy {
  aqsim_event event; /* first */
  aqsim_gate gate;
  aqsim_device *device;
  aqsim_copy *next, *previous; /* all copies under way */
  aqsim_copy *next_ready;      /* waiting for the engine */
  uint64_t number;
  bool moved;
  void *to;
  const void *from;
  size_t size;
  aq_signal completion;
  aq_time submit, ready, start, end;
  aqsim_gate_leg legs[];
};

/* Words dependencies and a count that disagree. */
aq_status aqsim_copy_check(const aq_signal *dependencies, uint32_t count,
                           aq_diag *diag);

/* Nothing happens for a size of 0. */
aq_status aqsim_copy_submit(aqsim_device *device, void *to, const void *from,
                            size_t size, const aq_signal *dependencies,
                            uint32_t count, aq_signal completion,
                            aq_diag *diag);

/* Frees all copies under way; nothing of them happens any more. */
void aqsim_copies_fini(aqsim *sim);

#endif
