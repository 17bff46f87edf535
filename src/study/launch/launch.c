/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/launch/launch.h"

#include <stdio.h>
#include <string.h>

#include "study/loop/run.h"
#include "study/loop/signal_timestamps.h"

enum { RING = 64, WORDS = 400 };

typedef struct dispatch {
  aq_transport *t;
  const aq_transport_ops *ops;
  aq_ring *queue;
  aq_signal done;
  bool failed;
  char words[WORDS]; /* of the queue's error */
} dispatch;

/* The packet will not complete: the wait has to end all the same. */
static void error_take(const aq_queue_error *error, void *user)
{
  dispatch *d = user;
  snprintf(d->words, sizeof d->words, "%s", error->text);
  __atomic_store_n(&d->failed, true, __ATOMIC_RELEASE);
  d->ops->signal_store(d->t, d->done, -1, AQ_RELEASE);
}

static aq_status dispatch_open(dispatch *d, uint32_t device, aq_diag *diag)
{
  aq_status status = d->ops->signal_create(
      d->t, &(aq_signal_desc){.value = 1, .flags = AQ_SIGNAL_PROFILE}, &d->done,
      diag);
  if (status != AQ_OK)
    return status;
  return d->ops->queue_create(
      d->t,
      &(aq_queue_desc){.device = device,
                       .size = RING,
                       .error = error_take,
                       .user = d,
                       .private_segment_hint = AQ_SEGMENT_NO_HINT,
                       .group_segment_hint = AQ_SEGMENT_NO_HINT},
      &d->queue, diag);
}

static void dispatch_close(dispatch *d)
{
  if (d->queue)
    d->ops->queue_destroy(d->t, d->queue);
  if (d->done.handle)
    d->ops->signal_destroy(d->t, d->done);
}

static void packet_put(dispatch *d, const aq_launch *launch)
{
  const aq_packet packet = {
      .kernel = {
          .header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                     AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM),
          .setup = launch->grid[2] > 1   ? 3
                   : launch->grid[1] > 1 ? 2
                                         : 1,
          .workgroup_size = {launch->workgroup[0], launch->workgroup[1],
                             launch->workgroup[2]},
          .grid_size = {launch->grid[0], launch->grid[1], launch->grid[2]},
          .private_segment_size = launch->kernel.private_size,
          .group_segment_size = launch->kernel.group_size + launch->lds,
          .kernel_object = launch->kernel.object,
          .kernarg_address = (uintptr_t)launch->kernarg,
          .completion_signal = d->done}};
  uint64_t id = 0;
  aq_ring_try_reserve(d->queue, 1, &id); /* one at a time: there is room */
  aq_packet *slot = aq_ring_slot(d->queue, id);
  memcpy((char *)slot + sizeof slot->header_setup,
         (const char *)&packet + sizeof slot->header_setup,
         sizeof *slot - sizeof slot->header_setup);
  aq_packet_publish(slot, packet.header, packet.setup);
  d->ops->queue_doorbell(d->t, d->queue, id);
}

void aq_launch_fault_read(const aq_system_event *event, void *user)
{
  aq_launch_faults *faults = user;
  pthread_mutex_lock(&faults->lock);
  if (!*faults->text)
    snprintf(faults->text, sizeof faults->text, "%s", event->text);
  if (faults->t)
    faults->t->ops->signal_store(faults->t, faults->done, -1, AQ_RELEASE);
  pthread_mutex_unlock(&faults->lock);
}

/* Faults end the wait for this dispatch, or for none. */
static void faults_aim(aq_launch_faults *faults, const dispatch *d)
{
  if (!faults)
    return;
  pthread_mutex_lock(&faults->lock);
  faults->t = d ? d->t : NULL;
  if (d)
    faults->done = d->done;
  pthread_mutex_unlock(&faults->lock);
}

static aq_status faults_report(aq_launch_faults *faults, aq_status status,
                               aq_diag *diag)
{
  if (!faults)
    return status;
  pthread_mutex_lock(&faults->lock);
  if (*faults->text)
    status = aq_diag_set(diag, AQ_ERR_QUEUE, "%s", faults->text);
  pthread_mutex_unlock(&faults->lock);
  return status;
}

static aq_status dispatch_await(dispatch *d, aq_diag *diag)
{
  const aq_wait_item item = {d->done, AQ_LT, 1};
  const aq_wait_request request = {
      .items = &item, .count = 1, .deadline = AQ_TIME_MAX};
  aq_status status = d->ops->wait(d->t, &request, NULL, diag);
  if (__atomic_load_n(&d->failed, __ATOMIC_ACQUIRE))
    return aq_diag_set(diag, AQ_ERR_QUEUE, "%s", d->words);
  return status;
}

/* The records that the transport itself would have made. */
static aq_status records_put(const dispatch *d, const aq_launch *launch,
                             const aq_launch_times *times, uint32_t count,
                             aq_record_sink *sink, aq_diag *diag)
{
  aq_transport_info info;
  aq_record row;
  d->ops->info(d->t, &info);
  if (!sink || !aq_run_measures(info.caps))
    return AQ_OK;
  aq_record_init(&row);
  row.kind = AQ_KIND_KERNEL;
  row.via = AQ_VIA_DIRECT;
  aq_status status = aq_signal_timestamps_queue(
      sink, &info.devices[launch->device], launch->device, d->queue,
      &row.device, &row.queue, diag);
  if (status == AQ_OK)
    status =
        sink->name(sink, launch->name, strlen(launch->name), &row.name, diag);
  for (uint32_t i = 0; i < count && status == AQ_OK; i++) {
    row.packet = i;
    row.submit = times[i].submit;
    row.start = times[i].start;
    row.end = times[i].end;
    row.observe = times[i].observed;
    status = sink->put(sink, &row, 1, diag);
  }
  return status;
}

aq_status aq_launch_run(aq_transport *t, const aq_launch *launch,
                        uint32_t count, aq_record_sink *sink,
                        aq_launch_times *out, uint32_t *ended, aq_diag *diag)
{
  dispatch d = {.t = t, .ops = t->ops};
  aq_status status = dispatch_open(&d, launch->device, diag);
  if (status == AQ_OK)
    faults_aim(launch->faults, &d);
  for (uint32_t i = 0; i < count && status == AQ_OK; i++) {
    if (i > 0)
      d.ops->signal_store(t, d.done, 1, AQ_RELEASE);
    out[i].submit = d.ops->now(d.t);
    packet_put(&d, launch);
    status = faults_report(launch->faults, dispatch_await(&d, diag), diag);
    out[i].observed = d.ops->now(d.t);
    if (status != AQ_OK ||
        d.ops->dispatch_times(d.t, d.done, &out[i].start, &out[i].end) != AQ_OK)
      out[i].start = out[i].end = AQ_TIME_NONE;
    if (ended)
      __atomic_store_n(ended, i + (status == AQ_OK), __ATOMIC_RELEASE);
  }
  if (status == AQ_OK)
    status = records_put(&d, launch, out, count, sink, diag);
  faults_aim(launch->faults, NULL);
  dispatch_close(&d);
  return status;
}
