/* SPDX-License-Identifier: MIT */
/*
 * A chain of kernels of one workgroup, each of which needs the one before it:
 * its time on a device model, by the way in which it is launched.
 *
 * The times are virtual: the device's alone, equal on every machine. The
 * processor time of the host that submits is measured, on this machine, and
 * only where it is asked for. One thread.
 */
#ifndef AQ_STUDY_CHAIN_CHAIN_H
#define AQ_STUDY_CHAIN_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/diag.h"
#include "common/time.h"

typedef enum aq_chain_strategy {
#define S(ID, name, meaning) AQ_CHAIN_##ID,
#include "study/chain/strategies.def"
#undef S
  AQ_CHAIN_STRATEGIES
} aq_chain_strategy;

/* "barrier", and its meaning. Static text. */
const char *aq_chain_strategy_name(aq_chain_strategy strategy);
const char *aq_chain_strategy_meaning(aq_chain_strategy strategy);

enum { AQ_CHAIN_LENGTH_MAX = 65536 };

typedef struct aq_chain {
  const char *device;       /* one device model */
  const char *const *edits; /* of its constants, ended by NULL; or NULL */
  uint32_t length;          /* kernels, 1 to AQ_CHAIN_LENGTH_MAX */
  aq_time kernel;           /* how long each runs */
  uint32_t host_repeats;    /* submissions timed on this host; 0: none */
} aq_chain;

typedef struct aq_chain_result {
  char gfx[32], verdict[16]; /* of the device model */
  /* Why the device cannot launch so; "": it can. Nothing below is set then. */
  char refused[AQ_DIAG_TEXT_MAX];
  aq_time
      time; /* the host begins to submit until the last kernel is complete */
  uint64_t packets;      /* in the rings */
  uint64_t host_packets; /* of them written by the host */
  aq_time host_model; /* host's time as the device model has it; AQ_TIME_NONE:
                         it has none for this way */
  double host_ns;     /* median processor time of a submission on this host;
                         NaN: not measured */
} aq_chain_result;

/* Launches the chain twice on a simulated device, and reports of the second
 * time. AQ_ERR_INPUT: no such device model. */
aq_status aq_chain_run(const aq_chain *chain, aq_chain_strategy strategy,
                       aq_chain_result *out, aq_diag *diag);

#endif
