/* SPDX-License-Identifier: MIT */
/* Random programs of all opcodes and argument strategies, by a seed. */
#ifndef AQ_TESTS_CMDBUF_RANDOM_PROGRAM_H
#define AQ_TESTS_CMDBUF_RANDOM_PROGRAM_H

#include "cmdbuf/builder.h"

enum {
  RANDOM_KERNELS = 5,
  RANDOM_SLOTS = 4,
  RANDOM_BUFFER = 4096, /* bytes of each slot and static buffer */
};

/* Records a program with RANDOM_KERNELS kernels and RANDOM_SLOTS slots that
 * also uses `statics`, buffers of this process. The builder is the caller's to
 * destroy; so is the program then. */
aq_builder *random_program(uint64_t seed, const aq_binding statics[2],
                           aq_program *out);

/* The next number below `limit` of a sequence. */
uint64_t random_below(uint64_t *state, uint64_t limit);

#endif
