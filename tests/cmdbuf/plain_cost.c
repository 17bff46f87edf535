/* SPDX-License-Identifier: MIT */
/*
 * Walks a program of so many dispatches once, with one of the walks, for
 * test_plain_cost.sh to count the instructions: plain_cost WALK DISPATCHES
 */
#include <stdlib.h>
#include <string.h>

#include "cmdbuf/block_processor.h"
#include "cmdbuf/builder.h"

enum { SLOTS = 64 };

typedef aq_walk fill_function(aq_processor *, aq_packet_span *);

static fill_function *fill_named(const char *name)
{
  if (strcmp(name, "stats") == 0)
    return aq_processor_fill_stats;
  return strcmp(name, "times") == 0 ? aq_processor_fill_times
                                    : aq_processor_fill;
}

static aq_status record(aq_builder *builder, uint32_t count)
{
  uint32_t kernel;
  const aq_ref refs[2] = {aq_ref_slot(0, 0), aq_ref_slot(1, 64)};
  const aq_dispatch d = {.grid = {64, 1, 1},
                         .workgroup = {64, 1, 1},
                         .bindings = refs,
                         .binding_count = 2};
  aq_status status = aq_builder_kernel(builder, "k", 1, &kernel, NULL);
  for (uint32_t i = 0; i < count && status == AQ_OK; i++) {
    status = aq_builder_dispatch(builder, &d, NULL);
    if (status == AQ_OK)
      status = aq_builder_marker(builder, AQ_MARKER_POINT, i, NULL);
  }
  return status;
}

static aq_walk walk(const aq_link *link, fill_function *fill)
{
  static aq_packet packets[SLOTS];
  static uint32_t headers[SLOTS];
  static _Alignas(64) unsigned char kernarg[SLOTS * AQ_KERNARG_ALIGN];
  static unsigned char buffer[64];
  const aq_binding slots[2] = {{buffer, 64}, {buffer, 64}};
  aq_signal signals[SLOTS] = {{1}};
  aq_walk_entry entries[SLOTS];
  aq_walk_marker markers[SLOTS];
  aq_walk_log log = {.signals = signals,
                     .entries = entries,
                     .capacity = SLOTS,
                     .markers = markers,
                     .marker_capacity = SLOTS};
  aq_ring ring = {.packets = packets, .size = SLOTS};
  aq_processor processor;
  aq_walk result;
  aq_processor_start(&processor, link, slots, 0, 0);
  do {
    aq_packet_span span = {.ring = &ring,
                           .slots = SLOTS,
                           .headers = headers,
                           .kernarg = kernarg,
                           .kernarg_size = sizeof kernarg,
                           .log = &log};
    result = fill(&processor, &span);
    log.used = log.marker_used = 0;
  } while (result == AQ_WALK_FULL);
  return result;
}

int main(int argc, char **argv)
{
  aq_builder *builder;
  aq_program program;
  aq_link link;
  if (argc != 3 || aq_builder_create(NULL, &builder, NULL) != AQ_OK)
    return 2;
  if (record(builder, (uint32_t)atoi(argv[2])) != AQ_OK ||
      aq_builder_end(builder, &program, NULL) != AQ_OK ||
      aq_link_init(&link, &program, NULL, NULL) != AQ_OK)
    return 1;
  const aq_walk result = walk(&link, fill_named(argv[1]));
  aq_builder_destroy(builder);
  return result == AQ_WALK_END ? 0 : 1;
}
