/* SPDX-License-Identifier: MIT */
#include "backend_sim/rig.h"

const aq_signal rig_none = {0};

void rig_open(rig *r, const aq_transport_ops *ops, const char *const *edits)
{
  rig_open_with(r, ops, &(aq_transport_options){.edits = edits});
}

void rig_open_with(rig *r, const aq_transport_ops *ops,
                   const aq_transport_options *given)
{
  *r = (rig){.diag = AQ_DIAG_INIT};
  aq_memory_sink_init(&r->sink);
  aq_transport_options options = *given;
  options.size = sizeof options;
  options.records = &r->sink.sink;
  ck_assert_status(ops->open(&options, &r->t, &r->diag), AQ_OK, &r->diag);
}

void rig_close(rig *r)
{
  r->t->ops->close(r->t);
  aq_memory_sink_fini(&r->sink);
}

aq_ring *rig_queue(rig *r, uint32_t size)
{
  aq_ring *queue;
  aq_queue_desc desc = {.size = size};
  ck_assert_status(r->t->ops->queue_create(r->t, &desc, &queue, &r->diag),
                   AQ_OK, &r->diag);
  return queue;
}

aq_signal rig_signal(rig *r, int64_t value, uint32_t flags)
{
  aq_signal signal;
  aq_signal_desc desc = {.value = value, .flags = flags};
  ck_assert_status(r->t->ops->signal_create(r->t, &desc, &signal, &r->diag),
                   AQ_OK, &r->diag);
  return signal;
}

int64_t rig_load(rig *r, aq_signal signal)
{
  return r->t->ops->signal_load(r->t, signal, AQ_ACQUIRE);
}

uint64_t rig_kernel_with(rig *r, const aq_kernel_desc *desc)
{
  aq_kernel_info info;
  ck_assert_status(r->t->ops->kernel_register(r->t, desc, &info, &r->diag),
                   AQ_OK, &r->diag);
  return info.object;
}

uint64_t rig_kernel(rig *r, const char *name, aq_time duration)
{
  aq_kernel_desc desc = {.name = name,
                         .cost = {.kind = AQ_COST_FIXED, .base = duration}};
  return rig_kernel_with(r, &desc);
}

aq_packet rig_dispatch(uint64_t object, bool barrier, aq_signal completion)
{
  aq_packet packet = {0};
  packet.kernel = (aq_kernel_packet){
      .header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, barrier,
                                 AQ_SCOPE_AGENT, AQ_SCOPE_AGENT),
      .setup = 1,
      .workgroup_size = {1, 1, 1},
      .grid_size = {1, 1, 1},
      .kernel_object = object,
      .completion_signal = completion};
  return packet;
}

aq_packet rig_barrier(aq_packet_type type, const aq_signal *dependencies,
                      uint32_t count, aq_signal completion)
{
  aq_packet packet = {0};
  packet.barrier.header =
      aq_packet_header(type, 0, AQ_SCOPE_NONE, AQ_SCOPE_NONE);
  packet.barrier.completion_signal = completion;
  for (uint32_t i = 0; i < count; i++)
    packet.barrier.dependency[i] = dependencies[i];
  return packet;
}

uint64_t rig_put(aq_ring *queue, const aq_packet *packet)
{
  uint64_t id;
  ck_assert(aq_ring_try_reserve(queue, 1, &id));
  aq_packet *slot = aq_ring_slot(queue, id);
  for (int i = 1; i < 8; i++)
    slot->qword[i] = packet->qword[i];
  slot->kernel.workgroup_size[0] = packet->kernel.workgroup_size[0];
  slot->kernel.workgroup_size[1] = packet->kernel.workgroup_size[1];
  aq_packet_publish(slot, packet->header, packet->setup);
  return id;
}

void rig_ring(rig *r, aq_ring *queue, uint64_t id)
{
  r->t->ops->queue_doorbell(r->t, queue, id);
}

uint64_t rig_submit(rig *r, aq_ring *queue, const aq_packet *packet)
{
  uint64_t id = rig_put(queue, packet);
  rig_ring(r, queue, id);
  return id;
}

aq_status rig_wait(rig *r, const aq_wait_item *items, uint32_t count,
                   aq_wait_mode mode, aq_time deadline)
{
  aq_wait_request request = {
      .items = items, .count = count, .mode = mode, .deadline = deadline};
  return r->t->ops->wait(r->t, &request, &r->seen, &r->diag);
}

void rig_sleep(rig *r, aq_time until)
{
  ck_assert_status(r->t->ops->sleep_until(r->t, until, false, &r->diag), AQ_OK,
                   &r->diag);
}

void rig_run(rig *r)
{
  rig_sleep(r, AQ_TIME_MAX);
}

static const aq_record *record_find(rig *r, const aq_ring *queue, uint64_t id)
{
  for (size_t i = 0; i < r->sink.count; i++) {
    const aq_record *row = &r->sink.rows[i];
    if (row->packet == (int64_t)id && row->queue != AQ_NONE &&
        r->sink.queues[row->queue].source_id == queue->id)
      return row;
  }
  return NULL;
}

bool rig_has_record(rig *r, const aq_ring *queue, uint64_t id)
{
  return record_find(r, queue, id) != NULL;
}

const aq_record *rig_record(rig *r, const aq_ring *queue, uint64_t id)
{
  const aq_record *row = record_find(r, queue, id);
  ck_assert_msg(row != NULL, "no record of packet %llu",
                (unsigned long long)id);
  return row;
}
