/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/record.h"

const aq_record_field aq_record_fields[AQ_RECORD_FIELD_COUNT] = {
#define F(field, unit, meaning) {#field, unit, meaning},
#include "common/record.def"
#undef F
};

const aq_counter aq_counters[AQ_COUNTER_COUNT] = {
#define C(name, unit, scope, kind, meaning)                                    \
  {#name, unit, meaning, AQ_COUNTER_OF_##scope, AQ_COUNTER_IS_##kind},
#include "common/counters.def"
#undef C
};

static const char *const kind_names[AQ_KIND_COUNT] = {
    [AQ_KIND_KERNEL] = "kernel",
    [AQ_KIND_COPY] = "copy",
    [AQ_KIND_FILL] = "fill",
    [AQ_KIND_BARRIER_AND] = "barrier-and",
    [AQ_KIND_BARRIER_OR] = "barrier-or",
    [AQ_KIND_AGENT] = "agent",
    [AQ_KIND_VENDOR] = "vendor",
    [AQ_KIND_WAIT] = "wait",
    [AQ_KIND_OPERATION] = "operation",
    [AQ_KIND_CALL] = "call",
    [AQ_KIND_RANGE] = "range",
};

static const char *const via_names[AQ_VIA_COUNT] = {
    [AQ_VIA_NONE] = "none",
    [AQ_VIA_DIRECT] = "direct",
    [AQ_VIA_GRAPH] = "graph",
};

void aq_record_init(aq_record *record)
{
  *record = (aq_record){
#define F(field, unit, meaning) .field = AQ_NONE,
#include "common/record.def"
#undef F
  };
}

const char *aq_record_kind_name(int64_t kind)
{
  return kind < 0 || kind >= AQ_KIND_COUNT ? NULL : kind_names[kind];
}

const char *aq_record_via_name(int64_t via)
{
  return via < 0 || via >= AQ_VIA_COUNT ? NULL : via_names[via];
}

const char *aq_edge_kind_name(int64_t kind)
{
  static const char *const names[AQ_EDGE_COUNT] = {
      [AQ_EDGE_CALL] = "call",
      [AQ_EDGE_INFERRED] = "inferred",
  };
  return kind < 0 || kind >= AQ_EDGE_COUNT ? NULL : names[kind];
}
