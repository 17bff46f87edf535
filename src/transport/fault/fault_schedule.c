/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "transport/fault/fault_schedule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/aql.h"
#include "common/json_in.h"
#include "common/rng.h"

enum {
  FAULTS_MAX = 4096,
  SIZE_MAX_BYTES = 1 << 20,
  TYPE_UNKNOWN = 255,        /* a type that no packet has */
  TYPE_FREE = 6,             /* the first that AQL gives no meaning */
  REASON_PACKET_FORMAT = 32, /* as ROCr reports a malformed packet */
};

#define CONCERNS_QUEUE  false
#define CONCERNS_DEVICE true

const aq_fault_text aq_fault_texts[AQ_FAULT_KINDS] = {
#define F(id, name, counted, concerns, parameters, effect)                     \
  {name, counted, CONCERNS_##concerns, parameters},
#include "transport/fault/fault_kinds.def"
#undef F
};

/* ---- documents ---- */

static aq_status kind_read(const aq_json_node *node, aq_fault_kind *out)
{
  aq_json_node member;
  const char *name;
  aq_status status = aq_json_need(node, "fault", &member);
  if (status == AQ_OK)
    status = aq_json_text(&member, &name);
  if (status != AQ_OK)
    return status;
  for (int i = 0; i < AQ_FAULT_KINDS; i++)
    if (strcmp(aq_fault_texts[i].name, name) == 0) {
      *out = (aq_fault_kind)i;
      return AQ_OK;
    }
  return aq_json_error(&member, "unknown fault \"%.40s\"", name);
}

static aq_status needed_read(const aq_json_node *node, const char *key,
                             int64_t max, int64_t *out)
{
  aq_json_node member;
  aq_status status = aq_json_need(node, key, &member);
  return status == AQ_OK ? aq_json_integer(&member, 0, max, out) : status;
}

static aq_status type_read(const aq_json_node *node, uint32_t *out)
{
  aq_json_node member;
  int64_t type = TYPE_UNKNOWN;
  if (aq_json_member(node, "type", &member)) {
    aq_status status = aq_json_integer(&member, 0, 255, &type);
    if (status != AQ_OK)
      return status;
    if (type != AQ_PACKET_INVALID && type < TYPE_FREE)
      return aq_json_error(&member, "%d: 1 (INVALID) or %d to 255 expected",
                           (int)type, TYPE_FREE);
  }
  *out = (uint32_t)type;
  return AQ_OK;
}

static aq_status parameters_read(const aq_json_node *node, unsigned parameters,
                                 aq_fault *out)
{
  aq_json_node member;
  aq_status status = AQ_OK;
  if (parameters & AQ_FAULT_DELAY) {
    status = aq_json_need(node, "delay", &member);
    if (status == AQ_OK)
      status = aq_json_time(&member, &out->delay);
  }
  if (status == AQ_OK && (parameters & AQ_FAULT_TYPE))
    status = type_read(node, &out->type);
  if (status == AQ_OK && (parameters & AQ_FAULT_REASON)) {
    int64_t reason = REASON_PACKET_FORMAT;
    if (aq_json_member(node, "reason", &member))
      status = aq_json_integer(&member, 1, UINT32_MAX, &reason);
    out->reason = (uint32_t)reason;
  }
  return status;
}

static aq_status fault_read(const aq_json_node *node, aq_fault *out)
{
  int64_t queue = 0, at = 0;
  *out = (aq_fault){.delay = 0};
  aq_status status = kind_read(node, &out->kind);
  const aq_fault_text *kind = &aq_fault_texts[out->kind];
  if (status == AQ_OK) {
    /* The keys of a kind, and no others. */
    const char *keys[8] = {"fault", kind->counted};
    size_t count = 2;
    if (!kind->device)
      keys[count++] = "queue";
    if (kind->parameters & AQ_FAULT_DELAY)
      keys[count++] = "delay";
    if (kind->parameters & AQ_FAULT_TYPE)
      keys[count++] = "type";
    if (kind->parameters & AQ_FAULT_REASON)
      keys[count++] = "reason";
    status = aq_json_object(node, keys);
  }
  if (status == AQ_OK && !kind->device)
    status = needed_read(node, "queue", UINT32_MAX, &queue);
  if (status == AQ_OK)
    status = needed_read(node, kind->counted, INT64_MAX, &at);
  out->queue = (uint32_t)queue;
  out->at = (uint64_t)at;
  return status == AQ_OK ? parameters_read(node, kind->parameters, out)
                         : status;
}

/* Two of a kind at one place would be one fault. */
static bool fault_is_twice(const aq_fault_schedule *schedule,
                           const aq_fault *fault)
{
  for (size_t i = 0; i < schedule->count; i++)
    if (schedule->faults[i].kind == fault->kind &&
        schedule->faults[i].queue == fault->queue &&
        schedule->faults[i].at == fault->at)
      return true;
  return false;
}

static aq_status document_read(const aq_json_node *root,
                               aq_fault_schedule *schedule, aq_diag *diag)
{
  static const char *const keys[] = {"faults", NULL};
  aq_json_node list;
  size_t count;
  aq_status status = aq_json_object(root, keys);
  if (status == AQ_OK)
    status = aq_json_need(root, "faults", &list);
  if (status == AQ_OK)
    status = aq_json_array(&list, 0, FAULTS_MAX, &count);
  if (status != AQ_OK)
    return status;
  schedule->faults = calloc(count ? count : 1, sizeof *schedule->faults);
  if (!schedule->faults)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < count; i++) {
    const aq_json_node node = aq_json_element(&list, i);
    aq_fault fault;
    status = fault_read(&node, &fault);
    if (status == AQ_OK && fault_is_twice(schedule, &fault))
      status = aq_json_error(&node, "the same fault a second time");
    if (status != AQ_OK)
      return status;
    schedule->faults[schedule->count++] = fault;
  }
  return AQ_OK;
}

aq_status aq_fault_schedule_parse(const char *text, size_t size,
                                  const char *file, aq_fault_schedule *out,
                                  aq_diag *diag)
{
  aq_fault_schedule schedule = {NULL, 0};
  aq_json_doc doc;
  if (size > SIZE_MAX_BYTES)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: larger than %d KiB", file,
                       SIZE_MAX_BYTES >> 10);
  aq_status status = aq_json_parse(&doc, text, size, file, diag);
  if (status != AQ_OK)
    return status;
  const aq_json_node root = aq_json_root(&doc);
  status = document_read(&root, &schedule, diag);
  aq_json_free(&doc);
  if (status == AQ_OK)
    *out = schedule;
  else
    aq_fault_schedule_fini(&schedule);
  return status;
}

aq_status aq_fault_schedule_read(const char *path, aq_fault_schedule *out,
                                 aq_diag *diag)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  char *text = malloc(SIZE_MAX_BYTES + 1);
  aq_status status = AQ_OK;
  if (!text) {
    status = aq_diag_no_memory(diag);
  } else {
    size_t size = fread(text, 1, SIZE_MAX_BYTES + 1, file);
    if (ferror(file))
      status = aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
    else
      status = aq_fault_schedule_parse(text, size, path, out, diag);
  }
  free(text);
  fclose(file);
  return status;
}

/* ---- seeds ---- */

enum { RANDOM_MAX = 4, QUEUES = 4, PLACES = 16, DELAYS = 18 };

static aq_fault fault_draw(aq_rng *rng, bool hooks)
{
  aq_fault fault = {.reason = REASON_PACKET_FORMAT};
  do
    fault.kind = (aq_fault_kind)(aq_rng_bits(rng) % AQ_FAULT_KINDS);
  while (aq_fault_texts[fault.kind].device && !hooks);
  const aq_fault_text *kind = &aq_fault_texts[fault.kind];
  /* Drawn whether used or not: each fault takes the same numbers. */
  uint32_t queue = (uint32_t)(aq_rng_bits(rng) % QUEUES);
  aq_time delay = AQ_NS << (aq_rng_bits(rng) % DELAYS);
  uint32_t type = aq_rng_bits(rng) % 2 ? TYPE_UNKNOWN : AQ_PACKET_INVALID;
  fault.at = aq_rng_bits(rng) % PLACES;
  if (!kind->device)
    fault.queue = queue;
  if (kind->parameters & AQ_FAULT_DELAY)
    fault.delay = delay;
  if (kind->parameters & AQ_FAULT_TYPE)
    fault.type = type;
  return fault;
}

aq_status aq_fault_schedule_random(uint64_t seed, bool hooks,
                                   aq_fault_schedule *out, aq_diag *diag)
{
  aq_fault_schedule schedule = {calloc(RANDOM_MAX, sizeof *schedule.faults), 0};
  if (!schedule.faults)
    return aq_diag_no_memory(diag);
  aq_rng rng;
  aq_rng_init(&rng, seed, 0);
  size_t count = 1 + aq_rng_bits(&rng) % RANDOM_MAX;
  for (size_t i = 0; i < count; i++) {
    aq_fault fault = fault_draw(&rng, hooks);
    if (!fault_is_twice(&schedule, &fault))
      schedule.faults[schedule.count++] = fault;
  }
  *out = schedule;
  return AQ_OK;
}

void aq_fault_schedule_fini(aq_fault_schedule *schedule)
{
  free(schedule->faults);
  *schedule = (aq_fault_schedule){NULL, 0};
}
