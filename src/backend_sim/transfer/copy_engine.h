/* SPDX-License-Identifier: MIT */
/*
 * The state of a copy engine: copies.c owns it.
 */
#ifndef AQSIM_COPY_ENGINE_H
#define AQSIM_COPY_ENGINE_H

#include "backend_sim/types.h"
#include <stdint.h>

/* A place in the line of a copy engine, by the number of the copy. */
typedef struct aqsim_ready {
  struct aqsim_ready *next;
  uint64_t number;
} aqsim_ready;

/* A copy engine: its current copy, and the copies that wait, in order. */
typedef struct aqsim_engine {
  aqsim_copy *copying;
  aqsim_ready *first, *last;
} aqsim_engine;

enum { AQSIM_ENGINES_MAX = 32 };

#endif
