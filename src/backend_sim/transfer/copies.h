/* SPDX-License-Identifier: MIT */
/*
 * Copies: each waits for its dependencies, then for its copy engine, then its
 * bytes share the links of its path (bandwidth.h; doc/topology.md). An engine
 * serves one copy at a time, in the order in which they became ready. The bytes
 * move when the copy ends.
 */
#ifndef AQSIM_COPIES_H
#define AQSIM_COPIES_H

#include "backend_sim/queue_state.h"
#include "backend_sim/transfer/copy_rect.h"

typedef enum aqsim_copy_state {
  AQSIM_COPY_WAITS,     /* for dependencies or its engine */
  AQSIM_COPY_SETS_UP,   /* the engine has it; bytes do not move so far */
  AQSIM_COPY_MOVES,     /* its bytes are on the links */
  AQSIM_COPY_COMPLETES, /* they have arrived */
} aqsim_copy_state;

/* A copy that no call ordered belongs to a ring (sdma/), which has its storage
 * and continues when it ends. Both are called from an event, when the engine
 * has let go of the copy. */
typedef struct aqsim_copy_owner {
  void (*moved)(aqsim_copy *copy);
  /* `what` could not be done at `unmapped`. */
  void (*failed)(aqsim_copy *copy, const char *what, uint64_t unmapped);
} aqsim_copy_owner;

/* A copy without a source: `unit` bytes, 1 or 4, become `value`. */
typedef struct aqsim_copy_fill {
  uint32_t unit; /* 0: it is no fill */
  uint32_t value;
} aqsim_copy_fill;

struct aqsim_copy {
  aqsim_event event;             /* first */
  const aqsim_copy_owner *owner; /* NULL: a call ordered it */
  aqsim_copy_fill fill;
  bool follows; /* the engine has read it ahead, behind the one before it */
  aqsim_dep_wait dep_wait;
  aqsim_transfer transfer;
  aqsim_device *device;
  uint32_t engine, to_device, from_device;
  aqsim_copy *next, *previous; /* all copies under way */
  aqsim_ready line;            /* while it waits for the engine; its number */
  aqsim_copy_state state;
  void *to;
  const void *from;
  size_t size; /* of all rows of the box */
  aqsim_copy_rect box;
  uint64_t lost; /* memory of it that was unmapped meanwhile, or 0 */
  aq_signal completion;
  aq_time submit, ready, start, end;
  aqsim_dep deps[];
};

/* Words dependencies and a count that disagree, devices that are not there,
 * and a box that is not of the copy's size. */
aq_status aqsim_copy_desc_check(const aq_copy_desc *desc, uint32_t devices,
                                aq_diag *diag);

/* Nothing happens for a size of 0. */
aq_status aqsim_copy_submit(aqsim *sim, const aq_copy_desc *desc,
                            aq_diag *diag);

/* Room in the calendar that a copy needs: of the caller, for an owner's. */
enum { AQSIM_COPY_EVENTS = 2 };

/* Starts an owner's copy on the engine that `desc` chooses, without
 * dependencies and signal; its memory was checked. Of a fill `desc` has no
 * source. The owner set `owner` and `follows`. */
void aqsim_copy_start(aqsim_copy *copy, aqsim *sim, const aq_copy_desc *desc,
                      const aqsim_copy_fill *fill);

/* Takes an owner's copy that is under way off its engine. */
void aqsim_copy_cancel(aqsim_copy *copy);

/* A bit for each engine that has nothing to do. */
uint32_t aqsim_copy_engines_idle(const aqsim_device *device);

/* A policy that had no copy for an engine is to be asked again. */
void aqsim_copies_ask(aqsim_device *device);

/* Bytes a second that copies read from and write to a device's memory now. */
int64_t aqsim_copies_bandwidth(const aqsim_device *device);

/* [address, +size) is about to be unmapped: copies under way that name some of
 * it end in a memory fault. */
void aqsim_copies_lose(aqsim *sim, uint64_t address, uint64_t size);

/* Frees all copies under way; nothing of them happens any more. */
void aqsim_copies_fini(aqsim *sim);

#endif
