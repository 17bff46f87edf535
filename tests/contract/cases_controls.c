/* SPDX-License-Identifier: MIT */
/* CU masks, profiling, semantics and the report of errors without a callback.
 * */
#include "contract/contract.h"

#include <stdio.h>
#include <string.h>

static aq_status cu_mask(contract *c, aq_ring *queue, uint32_t count,
                         const uint32_t *mask)
{
  aq_queue_control_args args = {.count = count, .mask = mask};
  return c->ops->queue_control(c->t, queue, AQ_CONTROL_CU_MASK, &args,
                               &c->rig.diag);
}

static void cu_masks_count_bits(contract *c)
{
  const uint32_t all[] = {UINT32_MAX, UINT32_MAX};
  aq_ring *queue = contract_queue(c);
  ck_assert_status(cu_mask(c, queue, 32, all), AQ_OK, &c->rig.diag);
  ck_assert_status(cu_mask(c, queue, 64, all), AQ_OK, &c->rig.diag);
  ck_assert_status(cu_mask(c, queue, 31, all), AQ_ERR_INVALID, &c->rig.diag);
  ck_assert_status(cu_mask(c, queue, 0, NULL), AQ_OK, &c->rig.diag);
}

static void cu_masks_are_clipped(contract *c)
{
  uint32_t mask[64];
  uint32_t words = c->device->cus / 32 + 1;
  ck_assert_uint_le(words, 64);
  memset(mask, 0xff, sizeof mask);
  aq_ring *queue = contract_queue(c);
  aq_status status = cu_mask(c, queue, words * 32, mask);
  ck_assert_msg(status == AQ_OK || status == AQ_REDUCED, "%s",
                c->rig.diag.text);
}

/* ---- profiling ---- */

static void profiling_is_a_property_of_the_queue(contract *c)
{
  uint64_t kernel = contract_kernel(c, 40 * AQ_US);
  aq_ring *queue = contract_queue(c);
  aq_time start, end, step = c->device->timestamp_step;
  for (int on = 0; on < 2; on++) {
    aq_queue_control_args args = {.value = on};
    aq_signal done = contract_signal(c, 1);
    ck_assert_status(c->ops->queue_control(c->t, queue, AQ_CONTROL_PROFILE,
                                           &args, &c->rig.diag),
                     AQ_OK, &c->rig.diag);
    aq_packet packet = contract_dispatch(kernel, 0, true, done);
    contract_submit(c, queue, &packet);
    contract_wait_zero(c, done);
    ck_assert_int_eq(c->ops->dispatch_times(c->t, done, &start, &end),
                     on ? AQ_OK : AQ_ERR_INVALID);
  }
  ck_assert_int_ge(end - start, 40 * AQ_US - step);
  ck_assert_int_le(end, c->ops->now(c->t));
}

static void ticks_translate_to_time(contract *c)
{
  uint64_t kernel = contract_kernel(c, 40 * AQ_US);
  aq_signal done = contract_signal_with(c, 1, AQ_SIGNAL_PROFILE);
  rig_sleep(&c->rig, c->ops->now(c->t) + AQ_MS);
  aq_packet packet = contract_dispatch(kernel, 0, true, done);
  contract_submit(c, contract_queue(c), &packet);
  contract_wait_zero(c, done);
  aq_time start, end;
  ck_assert_int_eq(c->ops->dispatch_times(c->t, done, &start, &end), AQ_OK);
  const aq_amd_signal *abi = (const aq_amd_signal *)(uintptr_t)done.handle;
  aq_time tick = AQ_S / (aq_time)c->device->timestamp_hz;
  aq_clock_pair pair;
  c->ops->clock_correlate(c->t, 0, &pair);
  aq_time raw = (aq_time)(abi->end_ts - abi->start_ts) * tick;
  ck_assert_int_le(raw, end - start + tick);
  ck_assert_int_ge(raw, end - start - tick);
  ck_assert_int_lt(end, pair.host);
}

/* ---- semantics ---- */

/* The same transport, open with other options. */
static void reopen(contract *c, contract *other, aq_transport_options options)
{
  *other = (contract){.size = c->size, .layer = c->layer, .mode = c->mode};
  options.size = sizeof options;
  ck_assert_status(contract_open(c, &options, &other->t, &c->rig.diag), AQ_OK,
                   &c->rig.diag);
  other->rig.t = other->t;
  other->ops = other->t->ops;
  other->info = c->info;
  other->device = c->device;
}

static void foundation(contract *c, contract *other)
{
  reopen(c, other,
         (aq_transport_options){.semantics = AQ_SEMANTICS_FOUNDATION});
}

static void foundation_raises_small_sizes(contract *c)
{
  static contract f;
  foundation(c, &f);
  aq_ring *queue = contract_queue_sized(&f, 2);
  ck_assert_uint_eq(queue->size, f.size);
  aq_packet packet = rig_barrier(AQ_PACKET_BARRIER_AND, NULL, 0, rig_none);
  for (uint32_t i = 0; i < f.size; i++)
    contract_submit(&f, queue, &packet);
  contract_settle(&f);
  ck_assert_uint_eq(aq_ring_read_index(queue), f.size);
  aq_queue_desc bad = {.size = 3};
  ck_assert_status(f.ops->queue_create(f.t, &bad, &queue, &f.rig.diag),
                   AQ_ERR_INVALID, &f.rig.diag);
  f.ops->close(f.t);
}

static void foundation_ends_negative_barriers(contract *c)
{
  static const aq_packet_type types[] = {AQ_PACKET_BARRIER_AND,
                                         AQ_PACKET_BARRIER_OR};
  static contract f;
  foundation(c, &f);
  for (int i = 0; i < 2; i++) {
    aq_signal bad = contract_signal(&f, -1), one = contract_signal(&f, 1);
    aq_signal two = contract_signal(&f, 1);
    aq_packet first = rig_barrier(types[i], &bad, 1, one);
    aq_packet second = rig_barrier(types[i], &one, 1, two);
    contract_submit(&f, contract_queue(&f), &first);
    contract_submit(&f, contract_queue(&f), &second);
    contract_settle(&f);
    ck_assert_int_lt(contract_value(&f, one), 0);
    ck_assert_int_lt(contract_value(&f, two), 0);
  }
  f.ops->close(f.t);
}

static void foundation_names_large_workgroups_otherwise(contract *c)
{
  static contract f;
  foundation(c, &f);
  aq_packet bad = contract_dispatch(contract_kernel(&f, 0), 9, false, rig_none);
  bad.kernel.workgroup_size[0] = 2048;
  contract_submit(&f, contract_queue(&f), &bad);
  contract_settle(&f);
  ck_assert_uint_eq(f.error_count, 1);
  ck_assert_uint_eq(f.errors[0].reason, 2);
  f.ops->close(f.t);
}

/* ---- devices for SINGLE queues only ---- */

static void single_only_devices_refuse_other_types(contract *c)
{
  static const struct {
    aq_queue_type type;
    aq_status status;
  } types[] = {{AQ_QUEUE_SINGLE, AQ_OK},
               {AQ_QUEUE_MULTI, AQ_ERR_UNSUPPORTED},
               {AQ_QUEUE_COOPERATIVE, AQ_ERR_UNSUPPORTED}};
  static const char *const edits[] = {"multi_producer_queues=no", NULL};
  static contract other;
  reopen(c, &other, (aq_transport_options){.edits = edits});
  for (int i = 0; i < 3; i++) {
    aq_queue_desc desc = {.size = other.size, .type = types[i].type};
    aq_ring *queue;
    ck_assert_status(
        other.ops->queue_create(other.t, &desc, &queue, &other.rig.diag),
        types[i].status, &other.rig.diag);
  }
  other.ops->close(other.t);
}

/* ---- the default handler ---- */

static void report_keep(const char *line, void *user)
{
  char *kept = user;
  strncat(kept, line, 400);
}

/* Of a device of its own nothing says when it reports: up to two seconds. */
static void settle_until(contract *c, const char *line, const char *part)
{
  enum { TIMES = 400 };
  for (int i = 0; i < TIMES && !strstr(line, part); i++)
    contract_settle(c);
  ck_assert_msg(strstr(line, part) != NULL, "reported: '%s'", line);
}

static void errors_without_callback_are_reported(contract *c)
{
  static contract other;
  char line[512] = "";
  reopen(c, &other,
         (aq_transport_options){.report = report_keep, .report_user = line});
  aq_queue_desc desc = {.size = other.size};
  aq_ring *queue;
  ck_assert_status(
      other.ops->queue_create(other.t, &desc, &queue, &other.rig.diag), AQ_OK,
      &other.rig.diag);
  aq_packet bad = {.header = 99};
  contract_submit(&other, queue, &bad);
  settle_until(&other, line, "packet 0");
  other.ops->close(other.t);
}

static void events_without_handler_are_reported(contract *c)
{
  static contract other;
  char line[512] = "";
  reopen(c, &other,
         (aq_transport_options){.report = report_keep, .report_user = line});
  aq_signal done = contract_signal(&other, 1);
  ck_assert_status(other.ops->copy_async(other.t, 0, line, (void *)16, 8, NULL,
                                         0, done, &other.rig.diag),
                   AQ_OK, &other.rig.diag);
  settle_until(&other, line, "memory fault");
  ck_assert_int_eq(contract_value(&other, done), 1);
  other.ops->close(other.t);
}

/* ---- inspection ---- */

static void lines_keep(const char *line, void *user)
{
  char *kept = user;
  strncat(kept, line, 500);
  strcat(kept, "\n");
}

static void inspection_shows_what_is_waited_for(contract *c)
{
  static char text[16384];
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_signal held = contract_signal(c, 12345);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &held, 1, rig_none);
  aq_packet packet = contract_dispatch(kernel, 0, false, rig_none);
  contract_submit(c, queue, &barrier);
  contract_submit(c, queue, &packet);
  contract_settle(c);
  c->ops->inspect(c->t, lines_keep, text);
  ck_assert_msg(strstr(text, "barrier-AND") && strstr(text, "12345") &&
                    strstr(text, "kernel"),
                "%s", text);
}

enum { DEVICE_MODEL = AQ_CAP_TIMING | AQ_CAP_VIRTUAL_TIME };

const contract_case contract_controls[] = {
    {"a CU mask counts in bits, and 0 resets it", "77", AQ_CAP_CU_MASK,
     cu_masks_count_bits},
    {"bits of a CU mask for units that are not there are dropped", "77",
     AQ_CAP_CU_MASK, cu_masks_are_clipped},
    {"profiling is switched on and off for a queue", "76",
     AQ_CAP_PROFILING | AQ_CAP_HOST_KERNELS,
     profiling_is_a_property_of_the_queue},
    {"raw ticks translate to the transport's time", "76",
     AQ_CAP_PROFILING | AQ_CAP_HOST_KERNELS, ticks_translate_to_time},
    {"foundation semantics raise a size that is too small", "13", DEVICE_MODEL,
     foundation_raises_small_sizes},
    {"foundation semantics end a barrier of a negative signal, negatively",
     "57", DEVICE_MODEL, foundation_ends_negative_barriers},
    {"foundation semantics report a large workgroup as incompatible", "63",
     DEVICE_MODEL | AQ_CAP_HOST_KERNELS,
     foundation_names_large_workgroups_otherwise},
    {"a device for SINGLE queues only refuses other types", "17", DEVICE_MODEL,
     single_only_devices_refuse_other_types},
    {"an error that no callback takes is reported in a line", "19",
     AQ_CAP_TIMING, errors_without_callback_are_reported},
    {"a memory fault that no handler takes is reported in a line", "68",
     AQ_CAP_EVENTS | AQ_CAP_COPY, events_without_handler_are_reported},
    {"inspection shows each packet and the cause of its wait", NULL,
     AQ_CAP_INSPECT | AQ_CAP_HOST_KERNELS, inspection_shows_what_is_waited_for},
    {NULL}};
