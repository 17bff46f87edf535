/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/instrument/fault_injection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 32, TYPE_MASK = 0xff };

typedef enum kind {
  HEADER_LATE,
  HEADER_CORRUPTED,
  DEPENDENCY_MISSING,
  QUEUE_ERROR,
  COPY_SLOW,
  OUT_OF_MEMORY,
  KINDS
} kind;

static const char *const names[KINDS] = {
    [HEADER_LATE] = "header-late",
    [HEADER_CORRUPTED] = "header-corrupted",
    [DEPENDENCY_MISSING] = "dependency-missing",
    [QUEUE_ERROR] = "queue-error",
    [COPY_SLOW] = "copy-slow",
    [OUT_OF_MEMORY] = "out-of-memory",
};

/* ---- reading ---- */

static int kind_find(const char *name)
{
  int i = 0;
  while (i < KINDS && strcmp(names[i], name) != 0)
    i++;
  return i;
}

static aq_status fault_read(const char *text, aqdrop_fault *out, aq_diag *diag)
{
  char name[NAME];
  int64_t delay;
  if (sscanf(text,
             "%31[^,],%" SCNu32 ",%" SCNu64 ",%" SCNd64 ",%" SCNu32 ",%" SCNu32,
             name, &out->queue, &out->at, &delay, &out->type,
             &out->reason) != 6)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "AQUEDUCT_EXEC_FAULTS: malformed fault '%s'", text);
  out->delay = delay;
  out->kind = kind_find(name);
  if (out->kind == KINDS ||
      (out->kind == HEADER_CORRUPTED && out->type == AQ_PACKET_INVALID))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "fault %s%s cannot happen to a program on the drop-in",
                       name, out->kind == KINDS ? "" : " with type 1");
  return AQ_OK;
}

aq_status aqdrop_faults_read(const char *text, aqdrop_faults *out,
                             aq_diag *diag)
{
  *out = (aqdrop_faults){.count = 0};
  char *own = strdup(text);
  size_t most = 1;
  for (const char *at = text; *at; at++)
    most += *at == ';';
  out->list = calloc(most, sizeof *out->list);
  aq_status status = AQ_OK;
  if (!own || !out->list)
    status = aq_diag_no_memory(diag);
  for (char *at = NULL,
            *part = status == AQ_OK ? strtok_r(own, ";", &at) : NULL;
       part && status == AQ_OK; part = strtok_r(NULL, ";", &at))
    status = fault_read(part, &out->list[out->count++], diag);
  free(own);
  if (status != AQ_OK)
    aqdrop_faults_fini(out);
  return status;
}

void aqdrop_faults_fini(aqdrop_faults *faults)
{
  free(faults->list);
  *faults = (aqdrop_faults){.count = 0};
}

/* ---- happening ---- */

static const aqdrop_fault *fault_find(const aqdrop_faults *faults, kind of,
                                      uint32_t queue, uint64_t at)
{
  for (size_t i = 0; i < faults->count; i++)
    if (faults->list[i].kind == (int)of && faults->list[i].queue == queue &&
        faults->list[i].at == at)
      return &faults->list[i];
  return NULL;
}

static bool is_barrier(const aq_packet *packet)
{
  unsigned type = aq_header_type(packet->header);
  return type == AQ_PACKET_BARRIER_AND || type == AQ_PACKET_BARRIER_OR;
}

aq_packet_fate aqdrop_faults_packet(aqdrop_faults *faults, uint32_t queue,
                                    uint64_t id, aq_packet *packet)
{
  aq_packet_fate fate = {0, 0};
  if (faults->count == 0)
    return fate;
  if (is_barrier(packet)) {
    uint64_t number = faults->barriers[queue % AQDROP_FAULT_QUEUES]++;
    if (faults->never.handle &&
        fault_find(faults, DEPENDENCY_MISSING, queue, number)) {
      /* A barrier-AND waits for one more signal, a barrier-OR for that one
       * only. */
      aq_signal *dependency = packet->barrier.dependency;
      if (aq_header_type(packet->header) == AQ_PACKET_BARRIER_OR)
        memset(dependency, 0, sizeof packet->barrier.dependency);
      size_t free_place = 0;
      while (free_place + 1 < AQ_BARRIER_DEPENDENCIES &&
             dependency[free_place].handle)
        free_place++;
      dependency[free_place] = faults->never;
    }
  }
  const aqdrop_fault *late = fault_find(faults, HEADER_LATE, queue, id);
  const aqdrop_fault *corrupt = fault_find(faults, HEADER_CORRUPTED, queue, id);
  const aqdrop_fault *stop = fault_find(faults, QUEUE_ERROR, queue, id);
  if (late)
    fate.delay = late->delay;
  if (corrupt)
    packet->header =
        (uint16_t)((packet->header & ~TYPE_MASK) | (corrupt->type & TYPE_MASK));
  if (stop)
    fate.reason = stop->reason;
  return fate;
}

aq_time aqdrop_faults_copy(aqdrop_faults *faults)
{
  const aqdrop_fault *slow = fault_find(faults, COPY_SLOW, 0, faults->copies++);
  return slow ? slow->delay : 0;
}

bool aqdrop_faults_allocation(aqdrop_faults *faults)
{
  return !fault_find(faults, OUT_OF_MEMORY, 0, faults->allocations++);
}
