/* SPDX-License-Identifier: MIT */
/*
 * Signals of a transport: how to make one, how to change it and how to wait for
 * it. Plain data; included by transport.h.
 */
#ifndef AQ_COMMON_SIGNAL_DESC_H
#define AQ_COMMON_SIGNAL_DESC_H

#include <stdbool.h>
#include <stdint.h>

#include "export.h"
#include "hsa_abi.h"
#include "time.h"

AQ_BEGIN_DECLS

/* Numbered as hsa_signal_condition_t. */
typedef enum aq_condition {
  AQ_EQ = 0,
  AQ_NE = 1,
  AQ_LT = 2,
  AQ_GE = 3,
} aq_condition;

static inline bool aq_condition_holds(aq_condition condition, int64_t value,
                                      int64_t against)
{
  switch (condition) {
  case AQ_EQ:
    return value == against;
  case AQ_NE:
    return value != against;
  case AQ_LT:
    return value < against;
  case AQ_GE:
    return value >= against;
  }
  return false;
}

/* Memory orders of signal operations; a stronger one may be used. */
typedef enum aq_order {
  AQ_RELAXED,
  AQ_ACQUIRE,
  AQ_RELEASE,
  AQ_ACQ_REL,
} aq_order;

enum { AQ_SIGNAL_PLACE_SIZE = 1024 };

enum aq_signal_flag {
  AQ_SIGNAL_DRAIN = 1 << 0,    /* each decrement is reported by drain() */
  AQ_SIGNAL_PROFILE = 1 << 1,  /* start and end are kept for dispatch_times() */
  AQ_SIGNAL_IPC = 1 << 2,      /* shared: the host polls, no interrupt */
  AQ_SIGNAL_GPU_ONLY = 1 << 3, /* the same */
};

typedef struct aq_signal_desc {
  int64_t value;
  uint32_t flags; /* aq_signal_flag bits */
  uint64_t user;  /* comes back with each completion */
  /* The consumers that may wait on it: device ordinals and AQ_DEVICE_HOST, none
   * twice. NULL: all. Without the host among them it is polled, as GPU_ONLY is.
   * */
  const uint32_t *consumers;
  uint32_t consumer_count;
  /* IPC: where to make it, AQ_SIGNAL_PLACE_SIZE bytes of the caller's, aligned
   * to 64 and not moved while it lives. The aq_amd_signal at their begin may
   * lie in memory that processes share; an existing one is kept, with
   * its value, also when the signal is destroyed. NULL: the transport chooses.
   */
  void *place;
} aq_signal_desc;

/* Read-modify-write operations. */
typedef enum aq_signal_op {
  AQ_UPDATE_ADD,
  AQ_UPDATE_SUB,
  AQ_UPDATE_AND,
  AQ_UPDATE_OR,
  AQ_UPDATE_XOR,
  AQ_UPDATE_EXCHANGE,
  AQ_UPDATE_CAS,          /* to operand, if the value is `expected` */
  AQ_UPDATE_STORE_SILENT, /* need not wake waiters */
} aq_signal_op;

typedef struct aq_wait_item {
  aq_signal signal;
  aq_condition condition;
  int64_t value;
} aq_wait_item;

typedef enum aq_wait_mode { AQ_WAIT_ANY, AQ_WAIT_ALL } aq_wait_mode;

typedef enum aq_wait_hint {
  AQ_WAIT_BLOCKED, /* sleep until interrupted */
  AQ_WAIT_ACTIVE,  /* poll: no interrupt lies between change and return */
} aq_wait_hint;

typedef struct aq_wait_request {
  const aq_wait_item *items;
  uint32_t count; /* at least one */
  aq_wait_mode mode;
  aq_wait_hint hint;
  aq_time deadline; /* AQ_TIME_MAX: none */
} aq_wait_request;

/* The result of a wait. */
typedef struct aq_wait_result {
  uint32_t index; /* the item that held (any); 0 (all) */
  int64_t value;  /* of that item's signal */
} aq_wait_result;

/* Called when a condition holds; true: it stays armed. */
typedef bool aq_signal_function(int64_t value, void *user);

/* One decrement of a signal made with AQ_SIGNAL_DRAIN. */
typedef struct aq_completion {
  aq_signal signal;
  uint64_t user; /* as given to signal_create */
  aq_time time;
} aq_completion;

AQ_END_DECLS

#endif
