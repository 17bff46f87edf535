/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/capture/packet_summary.h"

#include <stdlib.h>
#include <string.h>

const char *aq_packet_type_name(size_t type)
{
  static const char *const names[AQ_PACKET_TYPES] = {
      [AQ_PACKET_VENDOR] = "vendor",
      [AQ_PACKET_INVALID] = "invalid",
      [AQ_PACKET_KERNEL_DISPATCH] = "kernel",
      [AQ_PACKET_BARRIER_AND] = "barrier-and",
      [AQ_PACKET_AGENT_DISPATCH] = "agent",
      [AQ_PACKET_BARRIER_OR] = "barrier-or",
      [AQ_PACKET_TYPES - 1] = "unknown"};
  return names[type];
}

static int by_number(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

/* ---- processes ---- */

static int by_pid(const void *a, const void *b)
{
  return by_number(*(const int64_t *)a, *(const int64_t *)b);
}

static aq_status processes_count(const aq_packet_file *file,
                                 aq_packet_summary *out, aq_diag *diag)
{
  int64_t *pids = calloc(file->count, sizeof *pids);
  if (!pids)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < file->count; i++)
    pids[i] = file->events[i].pid;
  qsort(pids, file->count, sizeof *pids, by_pid);
  for (size_t i = 0; i < file->count; i++)
    out->processes += i == 0 || pids[i] != pids[i - 1];
  free(pids);
  return AQ_OK;
}

/* ---- kernels ---- */

static int by_object(const void *a, const void *b)
{
  const aq_packet_event *x = *(const aq_packet_event *const *)a;
  const aq_packet_event *y = *(const aq_packet_event *const *)b;
  const int pid = by_number(x->pid, y->pid);
  const int object =
      by_number(x->n[AQ_PACKET_N_OBJECT], y->n[AQ_PACKET_N_OBJECT]);
  return pid ? pid : object ? object : by_number(x->line, y->line);
}

/* The name that the object had when the packet was recorded: an object may be
 * another kernel's later. */
static const char *name_of(const aq_packet_event *packet,
                           const aq_packet_event **made, size_t count)
{
  aq_packet_event wanted = {.pid = packet->pid, .line = packet->line};
  const aq_packet_event *key = &wanted;
  size_t least = 0, most = count; /* the first that comes after it */
  wanted.n[AQ_PACKET_N_OBJECT] = (int64_t)packet->packet.kernel.kernel_object;
  while (least < most) {
    const size_t middle = least + (most - least) / 2;
    if (by_object(&made[middle], &key) < 0)
      least = middle + 1;
    else
      most = middle;
  }
  const aq_packet_event *found = least > 0 ? made[least - 1] : NULL;
  return found && found->pid == wanted.pid &&
                 found->n[AQ_PACKET_N_OBJECT] == wanted.n[AQ_PACKET_N_OBJECT]
             ? found->name
             : "?";
}

static int by_name(const void *a, const void *b)
{
  return strcmp(((const aq_packet_dispatched *)a)->name,
                ((const aq_packet_dispatched *)b)->name);
}

/* One of each name, in place. */
static void dispatches_join(aq_packet_summary *out)
{
  size_t kept = 0;
  qsort(out->kernels, out->kernel_count, sizeof *out->kernels, by_name);
  for (size_t i = 0; i < out->kernel_count; i++)
    if (kept > 0 && by_name(&out->kernels[kept - 1], &out->kernels[i]) == 0)
      out->kernels[kept - 1].dispatches++;
    else
      out->kernels[kept++] = out->kernels[i];
  out->kernel_count = kept;
}

static bool is_dispatch(const aq_packet_event *event)
{
  return event->kind == AQ_PACKET_E_PACKET &&
         aq_header_type(event->packet.header_setup) ==
             AQ_PACKET_KERNEL_DISPATCH;
}

static aq_status dispatches_count(const aq_packet_file *file,
                                  aq_packet_summary *out, aq_diag *diag)
{
  const size_t most = (size_t)out->packets[AQ_PACKET_KERNEL_DISPATCH];
  const aq_packet_event **made =
      calloc((size_t)out->events[AQ_PACKET_E_KERNEL] + 1, sizeof *made);
  size_t count = 0;
  out->kernels = calloc(most + 1, sizeof *out->kernels);
  if (!made || !out->kernels) {
    free(made);
    return aq_diag_no_memory(diag);
  }
  for (size_t i = 0; i < file->count; i++)
    if (file->events[i].kind == AQ_PACKET_E_KERNEL)
      made[count++] = &file->events[i];
  qsort(made, count, sizeof *made, by_object);
  for (size_t i = 0; i < file->count; i++)
    if (is_dispatch(&file->events[i]))
      out->kernels[out->kernel_count++] =
          (aq_packet_dispatched){name_of(&file->events[i], made, count), 1};
  free(made);
  dispatches_join(out);
  return AQ_OK;
}

/* ---- all of it ---- */

static void event_count(const aq_packet_event *event, aq_packet_summary *out)
{
  const unsigned type = aq_header_type(event->packet.header_setup);
  out->events[event->kind]++;
  if (event->kind == AQ_PACKET_E_PACKET)
    out->packets[type < AQ_PACKET_TYPES ? type : AQ_PACKET_TYPES - 1]++;
  if (event->kind == AQ_PACKET_E_COPY)
    out->copied += (uint64_t)event->n[AQ_PACKET_N_SIZE];
}

aq_status aq_packet_summary_make(const aq_packet_file *file,
                                 aq_packet_summary *out, aq_diag *diag)
{
  aq_packet_summary summary = {.first = AQ_TIME_MAX};
  for (size_t i = 0; i < file->count; i++) {
    const aq_time end = aq_packet_event_time(&file->events[i]);
    event_count(&file->events[i], &summary);
    summary.first = aq_time_min(summary.first, file->events[i].time);
    summary.last = aq_time_max(summary.last, end);
  }
  aq_status status = processes_count(file, &summary, diag);
  if (status == AQ_OK)
    status = dispatches_count(file, &summary, diag);
  if (status == AQ_OK)
    *out = summary;
  else
    aq_packet_summary_fini(&summary);
  return status;
}

void aq_packet_summary_fini(aq_packet_summary *summary)
{
  free(summary->kernels);
}
