/* SPDX-License-Identifier: MIT */
/*
 * Random programs under random fault schedules: queues, all packets that wait,
 * batches of doorbells rung or stored, copies, waits with deadlines, sleeps,
 * completions by drain. A program depends on its seed only, and without faults
 * it always comes to its end.
 */
#ifndef AQ_TESTS_WRAP_SEEDS_H
#define AQ_TESTS_WRAP_SEEDS_H

#include "common/diag.h"
#include "common/record.h"

enum { SEED_PACKETS = 160 };

/* What became of one: everything that has to be the same again. */
typedef struct seed_outcome {
  aq_status status;
  aq_diag diag; /* of the error that ended it */
  aq_time end;
  size_t records;
  uint64_t digest;  /* of all records */
  char broken[200]; /* the invariant that does not hold, or "" */
} seed_outcome;

/* Runs the program of a seed on a stack of transports. */
void seed_run(uint64_t seed, const char *names, seed_outcome *out);

/* Runs the programs of `count` seeds without faults, with the faults of the
 * same seed, and again. Returns how many broke an invariant, ended without a
 * named reason or differed the second time; each prints a TAP comment. *ended
 * counts the programs that faults kept from their end. */
uint64_t seeds_check(uint64_t first, uint64_t count, uint64_t *ended);

#endif
