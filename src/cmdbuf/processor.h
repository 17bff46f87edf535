/* SPDX-License-Identifier: MIT */
/*
 * The block processor: walks a program and writes its packets into reserved
 * ring slots.
 *
 * It writes bodies and kernargs and leaves the header words to its caller, who
 * publishes them in order when everything is in place. It stops where the
 * reservation ends and goes on from there with the next one.
 *
 * Programs come from a builder of this process: what the builder promises is
 * asserted, not checked. Thread rule: one thread at a time per processor.
 */
#ifndef AQ_CMDBUF_PROCESSOR_H
#define AQ_CMDBUF_PROCESSOR_H

#include <stdbool.h>

#include "cmdbuf/program.h"
#include "common/ring.h"

/* Where a walk stands. */
typedef struct aq_processor {
  const aq_program *program;
  const aq_block *block;
  uint32_t offset; /* of the next record in the block */
  uint16_t carry;  /* header bits that a barrier left for the next packet */
} aq_processor;

/* A reservation, and what the walk used of it. */
typedef struct aq_packet_span {
  aq_ring *ring;
  uint64_t first; /* id of the first slot */
  uint32_t slots;
  uint32_t *headers;      /* `slots` header and setup words, written here */
  unsigned char *kernarg; /* aligned to AQ_KERNARG_ALIGN */
  uint32_t kernarg_size;  /* bytes */
  uint32_t packets;       /* used so far */
  uint32_t kernarg_used;  /* bytes used so far */
} aq_packet_span;

/* Starts a walk; `carry` are header bits to add to the first packet. */
void aq_processor_start(aq_processor *processor, const aq_program *program,
                        uint16_t carry);

/* Fills the span; true when the program has ended. */
bool aq_processor_fill(aq_processor *processor, aq_packet_span *span);

#endif
