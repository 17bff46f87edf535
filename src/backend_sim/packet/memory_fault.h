/* SPDX-License-Identifier: MIT */
/*
 * Memory that packets and copies name and that is not there (conformance 68).
 *
 * Pages are asked for through the kernel, which answers where touching them
 * would kill the process; nothing is read or changed by that. What another
 * thread unmaps between question and use is not noticed. A system that does
 * not allow the question counts as having all pages but page zero.
 */
#ifndef AQSIM_MEMORY_FAULT_H
#define AQSIM_MEMORY_FAULT_H

#include "backend_sim/packet/flight.h"

enum {
  AQSIM_PAGE = 4096, /* bytes; of the smallest kind */
  AQSIM_PAGES_AT_ONCE = 64,
};

typedef enum aqsim_access { AQSIM_READ, AQSIM_WRITE } aqsim_access;

/* Whether some of the bytes cannot be accessed; *hole is the first of them.
 * Costs a system call for 64 pages to read, for each page to write. */
bool aqsim_memory_hole(aqsim_access access, uint64_t address, uint64_t size,
                       uint64_t *hole);

/* How many of `count` pages, AQSIM_PAGES_AT_ONCE at most, can be read, from
 * the first on. One system call. */
size_t aqsim_pages_readable(uint64_t page, size_t count);

/* To options.event or, without it, as a line to the report. */
void aqsim_system_event_tell(const aqsim *sim, const aq_system_event *event);

/* The packet touched a hole: the queue stops, and the event is told instead of
 * the queue's error. An active packet (step RUN) releases before it goes. */
aqsim_flow aqsim_flight_memory_fault(aqsim_flight *flight, aqsim_step step,
                                     uint64_t hole, const char *text);

#endif
