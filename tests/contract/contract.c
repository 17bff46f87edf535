/* SPDX-License-Identifier: MIT */
#include "contract/contract.h"

#include <stdio.h>
#include <string.h>

void contract_error_note(const aq_queue_error *error, void *user)
{
  contract *c = user;
  if (c->error_count == CONTRACT_ERRORS)
    return;
  contract_error *note = &c->errors[c->error_count++];
  *note = (contract_error){.queue = error->queue,
                           .reason = error->reason,
                           .packet_id = error->packet_id,
                           .packet = *error->packet,
                           .time = c->ops->now(c->t)};
  snprintf(note->text, sizeof note->text, "%s", error->text);
}

void contract_event_note(const aq_system_event *event, void *user)
{
  contract *c = user;
  if (c->event_count == CONTRACT_ERRORS)
    return;
  contract_event *note = &c->events[c->event_count++];
  *note = (contract_event){.kind = event->kind,
                           .device = event->device,
                           .queue = event->queue,
                           .packet_id = event->packet_id,
                           .address = event->address};
  snprintf(note->text, sizeof note->text, "%s", event->text);
}

aq_status contract_open(const contract *c, const aq_transport_options *options,
                        aq_transport **out, aq_diag *diag)
{
  aq_transport_options own = *options;
  own.layer = c->layer;
  own.mode = c->mode;
  return c->ops->open(&own, out, diag);
}

aq_ring *contract_queue_sized(contract *c, uint32_t size)
{
  aq_ring *queue;
  aq_queue_desc desc = {.size = size, .error = contract_error_note, .user = c};
  ck_assert_status(c->ops->queue_create(c->t, &desc, &queue, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  return queue;
}

aq_ring *contract_queue(contract *c)
{
  return contract_queue_sized(c, c->size);
}

aq_signal contract_signal_tagged(contract *c, int64_t value, uint32_t flags,
                                 uint64_t user)
{
  aq_signal signal;
  ck_assert_status(
      c->ops->signal_create(
          c->t, &(aq_signal_desc){.value = value, .flags = flags, .user = user},
          &signal, &c->rig.diag),
      AQ_OK, &c->rig.diag);
  return signal;
}

aq_signal contract_signal_with(contract *c, int64_t value, uint32_t flags)
{
  return contract_signal_tagged(c, value, flags, 0);
}

aq_signal contract_signal(contract *c, int64_t value)
{
  return contract_signal_tagged(c, value, 0, 0);
}

void contract_store(contract *c, aq_signal signal, int64_t value)
{
  c->ops->signal_store(c->t, signal, value, AQ_RELEASE);
}

int64_t contract_add(contract *c, aq_signal signal, int64_t value)
{
  return c->ops->signal_update(c->t, signal, AQ_UPDATE_ADD, value, 0,
                               AQ_ACQ_REL);
}

int64_t contract_value(contract *c, aq_signal signal)
{
  return c->ops->signal_load(c->t, signal, AQ_ACQUIRE);
}

static void kernel_note(const aq_kernel_call *call)
{
  contract *c = call->user;
  if (c->ran_count < CONTRACT_LOG)
    c->ran[c->ran_count++] = call->packet->kernarg_address;
}

uint64_t contract_kernel(contract *c, aq_time duration)
{
  aq_kernel_desc desc = {.name = "note",
                         .function = kernel_note,
                         .user = c,
                         .cost = {.kind = AQ_COST_FIXED, .base = duration}};
  return rig_kernel_with(&c->rig, &desc);
}

aq_packet contract_dispatch(uint64_t kernel, uint64_t tag, bool barrier,
                            aq_signal completion)
{
  aq_packet packet = rig_dispatch(kernel, barrier, completion);
  packet.kernel.kernarg_address = tag;
  return packet;
}

uint64_t contract_put(aq_ring *queue, const aq_packet *packet)
{
  return rig_put(queue, packet);
}

void contract_ring(contract *c, aq_ring *queue, uint64_t id)
{
  c->ops->queue_doorbell(c->t, queue, id);
}

uint64_t contract_submit(contract *c, aq_ring *queue, const aq_packet *packet)
{
  return rig_submit(&c->rig, queue, packet);
}

void contract_settle(contract *c)
{
  /* On hardware nothing says that nothing is left to happen. */
  aq_time until = contract_can(c, AQ_CAP_VIRTUAL_TIME) || c->device->model
                      ? AQ_TIME_MAX
                      : c->ops->now(c->t) + 5 * AQ_MS;
  rig_sleep(&c->rig, until);
}

aq_status contract_wait(contract *c, const aq_wait_item *items, uint32_t count,
                        aq_wait_mode mode, aq_time deadline, uint32_t *which)
{
  aq_status status = rig_wait(&c->rig, items, count, mode, deadline);
  if (status == AQ_OK && which)
    *which = c->rig.seen.index;
  return status;
}

void contract_wait_zero(contract *c, aq_signal signal)
{
  aq_wait_item item = {signal, AQ_EQ, 0};
  aq_time deadline = contract_can(c, AQ_CAP_VIRTUAL_TIME)
                         ? AQ_TIME_MAX
                         : c->ops->now(c->t) + 5 * AQ_S;
  ck_assert_status(contract_wait(c, &item, 1, AQ_WAIT_ALL, deadline, NULL),
                   AQ_OK, &c->rig.diag);
}

void contract_check_ran(const contract *c, const char *expected)
{
  char got[1024] = "";
  for (uint32_t i = 0; i < c->ran_count && strlen(got) < 1000; i++)
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%llu",
             i ? " " : "", (unsigned long long)c->ran[i]);
  ck_assert_str_eq(got, expected);
}
