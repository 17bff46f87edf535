/* SPDX-License-Identifier: MIT */
#include "cmdbuf/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmdbuf/validate.h"
#include "support/fake_transport.h"

walk_rig *walk_open(const aq_builder_options *options)
{
  walk_rig *w = aligned_alloc(64, (sizeof *w + 63) & ~(size_t)63);
  uint32_t kernel;
  memset(w, 0xee, sizeof *w);
  w->diag = (aq_diag)AQ_DIAG_INIT;
  w->link = NULL;
  w->ring = (aq_ring){.packets = w->packets,
                      .size = WALK_SLOTS,
                      .write_index = &w->write,
                      .read_index = &w->read,
                      .doorbell = &w->doorbell};
  w->drain = (aq_packet){
      .barrier = {.header = aq_packet_header(AQ_PACKET_BARRIER_AND, 1,
                                             AQ_SCOPE_NONE, AQ_SCOPE_SYSTEM),
                  .completion_signal = {0xd4a1}}};
  for (int i = 0; i < 4; i++)
    w->slots[i] = (aq_binding){w->buffers[i], WALK_BUFFER};
  memset(w->buffers, 0, sizeof w->buffers);
  aq_transport_options open = {.size = sizeof open};
  fake_reset();
  fake_transport.open(&open, &w->transport, &w->diag);
  ck_assert_status(aq_builder_create(options, &w->builder, &w->diag), AQ_OK,
                   &w->diag);
  ck_assert_status(
      aq_builder_kernel(w->builder, "k", WALK_OBJECT, &kernel, &w->diag), AQ_OK,
      &w->diag);
  return w;
}

void walk_close(walk_rig *w)
{
  aq_link_destroy(w->link);
  aq_builder_destroy(w->builder);
  fake_transport.close(w->transport);
  free(w);
}

aq_dispatch walk_dispatch(uint32_t tag)
{
  return (aq_dispatch){
      .grid = {1024, 1, 1}, .workgroup = {256, 1, 1}, .group_size = tag};
}

void walk_add(walk_rig *w, uint32_t tag)
{
  aq_dispatch d = walk_dispatch(tag);
  ck_assert_status(aq_builder_dispatch(w->builder, &d, &w->diag), AQ_OK,
                   &w->diag);
}

void walk_start(walk_rig *w, uint64_t first)
{
  walk_start_recorded(w, first);
  ck_assert_status(aq_program_validate(&w->program, &w->diag), AQ_OK, &w->diag);
}

void walk_start_recorded(walk_rig *w, uint64_t first)
{
  ck_assert_status(aq_builder_end(w->builder, &w->program, &w->diag), AQ_OK,
                   &w->diag);
  aq_link_destroy(w->link);
  ck_assert_status(aq_link_create(&w->program,
                                  &(aq_link_options){.transport = w->transport},
                                  &w->link, &w->diag),
                   AQ_OK, &w->diag);
  ck_assert_status(aq_link_check_slots(w->link, w->slots, 4, &w->diag), AQ_OK,
                   &w->diag);
  w->span = (aq_packet_span){.first = first};
  aq_processor_start(&w->walk, w->link, w->slots, 0, 0);
}

aq_walk walk_fill(walk_rig *w, uint32_t slots)
{
  w->span = (aq_packet_span){.ring = &w->ring,
                             .first = w->span.first + w->span.packets,
                             .slots = slots,
                             .headers = w->headers,
                             .kernarg = w->kernarg,
                             .kernarg_size = sizeof w->kernarg,
                             .drain = &w->drain};
  return aq_processor_fill(&w->walk, &w->span);
}

const char *walk_tags(const walk_rig *w)
{
  static char text[1024];
  text[0] = 0;
  for (uint32_t i = 0; i < w->span.packets; i++) {
    const aq_packet *packet = aq_ring_slot(&w->ring, w->span.first + i);
    const size_t at = strlen(text);
    if (aq_header_type(w->headers[i]) == AQ_PACKET_BARRIER_AND)
      snprintf(text + at, sizeof text - at, "%sd", i ? " " : "");
    else
      snprintf(text + at, sizeof text - at, "%s%u", i ? " " : "",
               packet->kernel.group_segment_size);
  }
  return text;
}
