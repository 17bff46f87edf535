/* SPDX-License-Identifier: MIT */
/* Observed submissions: each packet has a signal of the queue's page, which is
 * waited for, told and used again. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "queue/ring/aql_queue_priv.h"

static aq_status page_make(aq_aql_queue *queue, uint32_t flags, aq_diag *diag)
{
  aq_transport *t = queue->options.transport;
  aq_page *page = calloc(1, sizeof *page);
  if (!page)
    return aq_diag_no_memory(diag);
  queue->page = page;
  page->log = (aq_walk_log){.signals = page->signals,
                            .entries = page->entries,
                            .markers = page->markers,
                            .capacity = AQ_PAGE,
                            .marker_capacity = AQ_PAGE};
  aq_status status = AQ_OK;
  for (int i = 0; i < AQ_PAGE && status == AQ_OK; i++)
    status = queue->ops->signal_create(
        t, &(aq_signal_desc){.value = 1, .flags = flags}, &page->signals[i],
        diag);
  if (status != AQ_OK)
    aq_page_close(queue);
  return status;
}

void aq_page_close(aq_aql_queue *queue)
{
  aq_page *page = queue->page;
  if (!page)
    return;
  for (int i = 0; i < AQ_PAGE; i++)
    if (page->signals[i].handle)
      queue->ops->signal_destroy(queue->options.transport, page->signals[i]);
  free(page);
  queue->page = NULL;
}

aq_status aq_page_open(aq_aql_queue *queue, const aq_observer *observer,
                       aq_diag *diag)
{
  aq_transport_info info;
  queue->ops->info(queue->options.transport, &info);
  const bool profiling = info.caps & AQ_CAP_PROFILING;
  if (observer->what == AQ_OBSERVE_TIMES && !profiling)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "%s: it has no timestamps",
                       queue->ops->name);
  aq_status status = AQ_OK;
  if (!queue->page)
    status = page_make(queue, profiling ? AQ_SIGNAL_PROFILE : 0, diag);
  if (status == AQ_OK) {
    aq_walk_log *log = &queue->page->log;
    log->dispatches = log->transfers = log->drains = log->marked = 0;
  }
  return status;
}

static aq_status entries_await(aq_aql_queue *queue, aq_diag *diag)
{
  const aq_walk_log *log = &queue->page->log;
  aq_wait_item items[AQ_PAGE];
  for (uint32_t i = 0; i < log->used; i++)
    items[i] = (aq_wait_item){log->signals[i], AQ_EQ, 0};
  const aq_wait_request request = {.items = items,
                                   .count = log->used,
                                   .mode = AQ_WAIT_ALL,
                                   .deadline = AQ_TIME_MAX};
  return log->used == 0
             ? AQ_OK
             : queue->ops->wait(queue->options.transport, &request, NULL, diag);
}

aq_status aq_page_turn(aq_aql_queue *queue, const aq_observer *observer,
                       aq_diag *diag)
{
  aq_walk_log *log = &queue->page->log;
  aq_status status = entries_await(queue, diag);
  for (uint32_t i = 0; i < log->marker_used && status == AQ_OK; i++)
    if (observer->marker)
      observer->marker(&log->markers[i], observer->user);
  for (uint32_t i = 0; i < log->used && status == AQ_OK; i++) {
    const aq_signal signal = queue->page->signals[log->entries[i].signal];
    aq_observed row = {log->entries[i].command, log->entries[i].packet,
                       AQ_TIME_NONE, AQ_TIME_NONE};
    status = AQ_OK;
    if (observer->what == AQ_OBSERVE_TIMES)
      status = queue->ops->dispatch_times(queue->options.transport, signal,
                                          &row.start, &row.end);
    if (status == AQ_OK && observer->packet)
      observer->packet(&row, observer->user);
    queue->ops->signal_store(queue->options.transport, signal, 1, AQ_RELEASE);
    if (status != AQ_OK)
      aq_diag_set(diag, status, "packet %llu has no timestamps",
                  (unsigned long long)log->entries[i].packet);
  }
  log->marked += log->marker_used;
  log->used = log->marker_used = 0;
  return status;
}

void aq_page_total(const aq_aql_queue *queue, const aq_observer *observer,
                   const aq_submitted *result)
{
  const aq_walk_log *log = &queue->page->log;
  if (!observer->totals)
    return;
  observer->totals(&(aq_observed_totals){.first = result->first,
                                         .packets = result->packets,
                                         .dispatches = log->dispatches,
                                         .transfers = log->transfers,
                                         .drains = log->drains,
                                         .markers = log->marked},
                   observer->user);
}
