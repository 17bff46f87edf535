/* SPDX-License-Identifier: MIT */
/*
 * What tests of programs share: a builder with one kernel, a link on the fake
 * transport, and a ring and kernarg memory of our own to walk into.
 */
#ifndef AQ_TESTS_CMDBUF_WALK_H
#define AQ_TESTS_CMDBUF_WALK_H

#include "support/aqtest.h"

#include "cmdbuf/block_processor.h"
#include "cmdbuf/builder.h"

enum { WALK_SLOTS = 64, WALK_BUFFER = 4096, WALK_OBJECT = 0x5000 };

typedef struct walk_rig {
  aq_packet packets[WALK_SLOTS];
  _Alignas(64) unsigned char kernarg[WALK_SLOTS * 128];
  _Alignas(64) unsigned char buffers[4][WALK_BUFFER];
  uint64_t write, read, doorbell;
  aq_ring ring;
  uint32_t headers[WALK_SLOTS];
  aq_transport *transport;
  aq_builder *builder;
  aq_program program;
  aq_link *link;
  aq_binding slots[4]; /* the buffers */
  aq_processor walk;
  aq_packet_span span;
  aq_packet drain;
  aq_diag diag;
} walk_rig;

walk_rig *walk_open(const aq_builder_options *options);
void walk_close(walk_rig *w);

/* A dispatch that its group size identifies. */
aq_dispatch walk_dispatch(uint32_t tag);
void walk_add(walk_rig *w, uint32_t tag);

/* Ends the recording, validates, links and starts a walk at slot `first`. */
void walk_start(walk_rig *w, uint64_t first);
/* The same of a recording that no file has: it is not validated. */
void walk_start_recorded(walk_rig *w, uint64_t first);

/* Continues with `slots` slots behind the used ones. */
aq_walk walk_fill(walk_rig *w, uint32_t slots);

/* "1 2 3": the group sizes of the packets that the last fill made; a drain is
 * "d". */
const char *walk_tags(const walk_rig *w);

#endif
