/* SPDX-License-Identifier: MIT */
/*
 * Fault schedules: faults with their places, from a document
 * (doc/formats/faults.md) or from a seed. The caller frees the results.
 */
#ifndef AQ_TRANSPORT_FAULT_FAULT_SCHEDULE_H
#define AQ_TRANSPORT_FAULT_FAULT_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"
#include "common/time.h"

typedef enum aq_fault_kind {
#define F(id, name, counted, concerns, parameters, effect) AQ_FAULT_##id,
#include "transport/fault/fault_kinds.def"
#undef F
  AQ_FAULT_KINDS
} aq_fault_kind;

/* Parameters of a kind. */
enum {
  AQ_FAULT_DELAY = 1 << 0,
  AQ_FAULT_TYPE = 1 << 1,
  AQ_FAULT_REASON = 1 << 2,
  AQ_FAULT_INSIDE = 1 << 3, /* no key: it also happens to a program on the
                               drop-in, whose device makes it itself */
};

typedef struct aq_fault_text {
  const char *name;
  const char *counted; /* "doorbell", "packet", … */
  bool device;         /* it needs device hooks, and has no queue */
  unsigned parameters;
} aq_fault_text;

extern const aq_fault_text aq_fault_texts[AQ_FAULT_KINDS];

typedef struct aq_fault {
  aq_fault_kind kind;
  uint32_t queue; /* in the order of creation, from 0 */
  uint64_t at;    /* number of the doorbell, packet, … from 0 */
  aq_time delay;
  uint32_t type;   /* of a corrupted header: INVALID or 6 to 255 */
  uint32_t reason; /* bits of a queue error, not 0 */
} aq_fault;

typedef struct aq_fault_schedule {
  aq_fault *faults;
  size_t count;
} aq_fault_schedule;

/* Reads a document of `size` bytes; `file` is named in errors. */
aq_status aq_fault_schedule_parse(const char *text, size_t size,
                                  const char *file, aq_fault_schedule *out,
                                  aq_diag *diag);
aq_status aq_fault_schedule_read(const char *path, aq_fault_schedule *out,
                                 aq_diag *diag);

/* One to four faults that depend on nothing but the seed and on whether the
 * device has hooks. */
aq_status aq_fault_schedule_random(uint64_t seed, bool hooks,
                                   aq_fault_schedule *out, aq_diag *diag);

void aq_fault_schedule_fini(aq_fault_schedule *schedule);

#endif
