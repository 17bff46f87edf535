/* SPDX-License-Identifier: MIT */
/*
 * PM4: the commands of an indirect buffer that an AQL packet names
 * (conformance 7). The interpreter runs commands until one takes time, waits or
 * dispatches, and returns the reason; the driver lets that happen and calls it
 * again.
 * Memory is host memory: addresses are followed as they are, after a check that
 * they are aligned and mapped; commands never reach beyond their buffer. Stores
 * are release, loads acquire. One thread at a time.
 *
 * Encodings: Linux drivers/gpu/drm/amd/amdgpu/soc15d.h, nvd.h and the gfx12
 * packet header, of which only the fields below are read.
 */
#ifndef AQSIM_PM4_H
#define AQSIM_PM4_H

#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/engine/dependency_wait.h"
#include "common/executor.h"
#include "common/pm4.h"

enum {
  AQSIM_PM4_DEPTH = 4, /* nested indirect buffers */
  AQSIM_PM4_COMMANDS = 1 << 20,
  AQSIM_PM4_TEXT_MAX = 160,
};

typedef enum aqsim_pm4_result {
  AQSIM_PM4_DONE,
  AQSIM_PM4_ACQUIRE,  /* an acquire fence happens before it continues */
  AQSIM_PM4_RELEASE,  /* all dispatches so far end, then a release fence */
  AQSIM_PM4_FLUSH,    /* all dispatches so far end */
  AQSIM_PM4_WAIT,     /* `address` and `test` */
  AQSIM_PM4_DISPATCH, /* `dispatch` */
  AQSIM_PM4_FAULT,    /* `text` */
} aqsim_pm4_result;

typedef struct aqsim_pm4_span {
  const uint32_t *at, *end;
} aqsim_pm4_span;

typedef struct aqsim_pm4 {
  const struct aq_allocations *allocations; /* or NULL */
  unsigned generation; /* of the device; 0: read as gfx10's */
  uint32_t lds_granule;
  aqsim_pm4_span span, callers[AQSIM_PM4_DEPTH];
  uint32_t depth;
  uint32_t left;     /* commands it may still run: a chain may be endless */
  uint64_t ticks;    /* of the device clock, set before each run */
  uint64_t readable; /* a page that this run has asked for; 0: none */
  uint32_t sh[AQ_PM4_SH_COUNT];
  bool stored; /* memory was written since the driver cleared it */
  /* The value that a release will store after its fence: bytes, or 0. */
  uint32_t release_size;
  bool release_clock;
  void *release_to;
  uint64_t release_value;
  /* Results. */
  const void *address;
  uint64_t waited; /* the driver's: the address, once that has its value */
  aqsim_dep_wait_test test;
  aq_kernel_packet dispatch; /* its kernel object is the address of code */
  aq_execution_registers registers; /* of the dispatch */
  bool wave32;                      /* of the dispatch */
  char text[AQSIM_PM4_TEXT_MAX];
  bool missing;      /* with it: the error is unmapped memory */
  uint64_t unmapped; /* the first unmapped address */
} aqsim_pm4;

/* Points it at the buffer that the packet names; registers are 0. gfx: the
 * device's processor, or NULL. allocations: the map that says where memory is
 * reached, or NULL. False, with `text`, when it names none. */
bool aqsim_pm4_begin(aqsim_pm4 *pm4, const char *gfx,
                     const aq_pm4_ib_packet *packet,
                     const struct aq_allocations *allocations);

aqsim_pm4_result aqsim_pm4_run(aqsim_pm4 *pm4);

#endif
