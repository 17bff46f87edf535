/* SPDX-License-Identifier: MIT */
/*
 * Programs: what validates is printed, linked, walked by all processors in
 * exactly the memory that its blocks state, and run on the null transport, by
 * the host and by the device. Every kernel has to be one that it was given.
 */
#include "fuzz/fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmdbuf/block_processor.h"
#include "cmdbuf/print.h"
#include "cmdbuf/program_file.h"
#include "queue/ring/aql_queue.h"
#include "transport/null/null.h"

enum { BUFFER_MAX = 1 << 16, VISITS = 200, PARTS = 100, LOG = 8, RING = 64 };

typedef struct rig {
  aq_program program;
  aq_transport *transport;
  aq_link *link;
  aq_binding *slots, *statics;
  uint64_t *kernels; /* all the same */
} rig;

static void *take(size_t size)
{
  void *memory = calloc(1, size ? size : 1);
  if (!memory)
    abort();
  return memory;
}

/* Buffers of exactly the stated sizes; false when they are too large for a
 * test. */
static bool buffers_make(const uint64_t *sizes, uint32_t count,
                         aq_binding **out)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (sizes[i] > BUFFER_MAX || (sum += sizes[i]) > 16 * BUFFER_MAX)
      return false;
  }
  *out = take(count * sizeof **out);
  for (uint32_t i = 0; i < count; i++) {
    (*out)[i] = (aq_binding){take(sizes[i]), sizes[i]};
    for (uint64_t k = 0; k < sizes[i]; k++)
      ((unsigned char *)(*out)[i].address)[k] = (unsigned char)(k % 3 ? 0 : 1);
  }
  return true;
}

static void buffers_free(aq_binding *buffers, uint32_t count)
{
  for (uint32_t i = 0; buffers && i < count; i++)
    free(buffers[i].address);
  free(buffers);
}

static void packet_check(const rig *r, const aq_packet *packet, uint32_t header)
{
  if (aq_header_type(header) != AQ_PACKET_KERNEL_DISPATCH)
    return;
  const uint64_t object = packet->kernel.kernel_object;
  bool known = r->program.kernel_count > 0 && object == r->kernels[0];
  for (int i = 0; i < AQ_BUILTIN_COUNT; i++)
    known |= object == r->link->builtins.objects[i];
  if (!known)
    abort();
}

typedef aq_walk fill_function(aq_processor *, aq_packet_span *);

/* One part, in memory of exactly its size; it uses all of it, unless the log
 * was full. */
static aq_walk part_walk(const rig *r, aq_processor *walk, fill_function *fill,
                         aq_walk_log *log)
{
  static const aq_packet drain = {.barrier = {.header = AQ_PACKET_BARRIER_AND}};
  uint64_t packets, kernarg;
  aq_processor_demand(walk, 64, &packets, &kernarg);
  if (packets > 1024 || kernarg > 1 << 20)
    return AQ_WALK_END; /* not tested here */
  const uint32_t slots = (uint32_t)packets;
  uint32_t size = 1;
  while (size < slots)
    size *= 2;
  aq_ring ring = {.packets = take(size * sizeof(aq_packet)), .size = size};
  aq_packet_span span = {.ring = &ring,
                         .slots = slots,
                         .headers = take(slots * sizeof(uint32_t)),
                         .kernarg = take(kernarg),
                         .kernarg_size = (uint32_t)kernarg,
                         .drain = &drain,
                         .log = log};
  const aq_walk result = fill(walk, &span);
  if (span.packets > slots || span.kernarg_used > kernarg)
    abort();
  if (log)
    log->used = log->marker_used = 0;
  else if (span.packets != slots && result != AQ_WALK_DRAIN)
    abort();
  for (uint32_t i = 0; i < span.packets; i++)
    packet_check(r, &ring.packets[i], span.headers[i]);
  free(span.kernarg);
  free(span.headers);
  free(ring.packets);
  return result;
}

static void program_walk(const rig *r, fill_function *fill, bool logged)
{
  aq_signal signals[LOG] = {{1}};
  aq_walk_entry entries[LOG];
  aq_walk_marker markers[LOG];
  aq_walk_log log = {.signals = signals,
                     .entries = entries,
                     .capacity = LOG,
                     .markers = markers,
                     .marker_capacity = LOG};
  aq_processor walk;
  aq_processor_start(&walk, r->link, r->slots, 0, VISITS);
  for (int i = 0; i < PARTS; i++) {
    aq_walk result = part_walk(r, &walk, fill, logged ? &log : NULL);
    if (result == AQ_WALK_END || result == AQ_WALK_BUDGET ||
        result == AQ_WALK_DEPTH)
      return;
  }
}

/* All of it; only the kernels that fill and copy do anything. */
static void program_run(const rig *r, bool on_device)
{
  aq_aql_queue *queue;
  aq_diag diag = AQ_DIAG_INIT;
  const aq_aql_queue_options options = {.transport = r->transport,
                                        .size = RING};
  if (aq_aql_queue_create(&options, &queue, &diag) != AQ_OK)
    abort();
  const aq_submission submission = {.link = r->link,
                                    .bindings = r->slots,
                                    .binding_count = r->program.slot_count,
                                    .visits = VISITS,
                                    .on_device = on_device};
  aq_aql_queue_submit(queue, &submission, NULL, &diag);
  aq_aql_queue_finish(queue, &diag);
  r->transport->ops->sleep_until(r->transport, AQ_TIME_MAX, false, &diag);
  aq_aql_queue_destroy(queue);
}

static void rig_walk(rig *r)
{
  aq_diag diag = AQ_DIAG_INIT;
  const aq_link_options options = {
      .transport = r->transport, .kernels = r->kernels, .statics = r->statics};
  if (aq_link_create(&r->program, &options, &r->link, &diag) != AQ_OK)
    abort();
  if (aq_link_check_slots(r->link, r->slots, r->program.slot_count, &diag) !=
      AQ_OK)
    abort();
  program_walk(r, aq_processor_fill, false);
  program_walk(r, aq_processor_fill_stats, true);
  program_walk(r, aq_processor_fill_times, true);
  program_run(r, false);
  program_run(r, true);
  /* Indirect grids read by the host. */
  r->link->builtins.objects[AQ_BUILTIN_PATCH] = 0;
  program_walk(r, aq_processor_fill, false);
  aq_link_destroy(r->link);
}

static void line_drop(const char *line, void *user)
{
  *(size_t *)user += strlen(line);
}

static void program_try(rig *r)
{
  size_t length = 0;
  aq_program_print(&r->program, line_drop, &length);
  r->kernels = take(r->program.kernel_count * sizeof *r->kernels);
  const aq_kernel_desc desc = {.name = "k"};
  aq_kernel_info kernel;
  if (r->transport->ops->kernel_register(r->transport, &desc, &kernel, NULL) !=
      AQ_OK)
    abort();
  for (uint32_t i = 0; i < r->program.kernel_count; i++)
    r->kernels[i] = kernel.object;
  if (buffers_make(r->program.slot_sizes, r->program.slot_count, &r->slots) &&
      buffers_make(r->program.static_sizes, r->program.static_count,
                   &r->statics))
    rig_walk(r);
  buffers_free(r->slots, r->program.slot_count);
  buffers_free(r->statics, r->program.static_count);
  free(r->kernels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  rig r = {.slots = NULL};
  aq_program_file *file;
  aq_diag diag = AQ_DIAG_INIT;
  aq_transport_options open = {.size = sizeof open};
  unsigned char *copy = aligned_alloc(64, size + 64 - size % 64);
  if (!copy)
    return 0;
  memcpy(copy, data, size);
  if (aq_program_parse("fuzz", copy, size, &file, &r.program, &diag) == AQ_OK) {
    if (aqsim_null_transport_ops.open(&open, &r.transport, &diag) != AQ_OK)
      abort();
    program_try(&r);
    r.transport->ops->close(r.transport);
    aq_program_close(file);
  }
  free(copy);
  return 0;
}
