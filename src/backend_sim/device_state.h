/* SPDX-License-Identifier: MIT */
/*
 * A device: its model, its hardware queues, its engines, its dispatcher.
 *
 * Thread rule: core.h.
 */
#ifndef AQSIM_DEVICE_STATE_H
#define AQSIM_DEVICE_STATE_H

#include "backend_sim/dispatch/dispatcher.h"
#include "backend_sim/hwqueue/mapping.h"
#include "backend_sim/model/device_model.h"
#include "backend_sim/packet/packet_validate.h"
#include "backend_sim/policy/policy_state.h"
#include "backend_sim/transfer/copy_engine.h"
#include "common/aql.h"

enum {
  AQSIM_SCOPES = AQ_HEADER_SCOPE_MASK + 1,
  AQSIM_UUID_SIZE = 21, /* "GPU-", 16 digits, the end */
};

struct aqsim_device {
  aqsim *sim;
  const aqsim_model *model; /* of the simulator's set */
  char hash[AQSIM_HASH_SIZE];
  char uuid[AQSIM_UUID_SIZE];
  uint32_t ordinal;
  int64_t record; /* ordinal in the record sink, or AQ_NONE */
  aq_time acquire[AQSIM_SCOPES], release[AQSIM_SCOPES];
  aq_time finish[AQSIM_SCOPES]; /* end of a kernel until its decrement */
  aqsim_packet_limits limits;
  aqsim_slots slots;
  aq_time idle_since; /* when a packet of its queues completed last */
  uint32_t orphaned;  /* active packets of queues that stopped, and are there */
  uint32_t queue_count;
  aqsim_queue *cooperative;                /* the one of this device, or NULL */
  aqsim_engine engines[AQSIM_ENGINES_MAX]; /* as the model counts them */
  aqsim_dispatcher *dispatcher;            /* owned */
  aqsim_roofline_load *loads;              /* to be used again */
  aqsim_policy *policy;     /* decides in its place: device_policy.h */
  uint8_t decides;          /* AQSIM_DECIDES_… */
  uint32_t queues_numbered; /* queues that it ever had */
};

/* The device's own scopes: the reserved value counts as system. */
static inline aq_time aqsim_acquire(const aqsim_device *device, uint32_t header)
{
  return device->acquire[aq_header_acquire(header)];
}

static inline aq_time aqsim_release(const aqsim_device *device, uint32_t header)
{
  return device->release[aq_header_release(header)];
}

#endif
