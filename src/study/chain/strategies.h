/* SPDX-License-Identifier: MIT */
/* Inside of chain.h: an open device with a chain on it, launched each way. */
#ifndef AQ_STUDY_CHAIN_STRATEGIES_H
#define AQ_STUDY_CHAIN_STRATEGIES_H

#include "cmdbuf/builder.h"
#include "common/transport.h"
#include "queue/queue.h"
#include "study/chain/chain.h"

/* Command buffers go through the host queue; the other strategies write their
 * packets into rings, of which only SIGNALS has two. */
typedef struct aq_chain_stage {
  const aq_chain *chain;
  aq_transport *t;
  aq_device_info device; /* its texts are the transport's */
  uint64_t object;       /* of the kernel */
  aq_ring *rings[2];     /* NULL: none */
  aq_signal *signals;    /* one a kernel, with rings */
  aq_context *context;
  aq_queue *queue; /* NULL: none */
  aq_builder *builder;
  aq_link *link; /* the chain as a command buffer */
} aq_chain_stage;

bool aq_chain_is_command_buffer(aq_chain_strategy strategy);

/* Submits the chain; the caller waits for it with finish. The host's part takes
 * no virtual time, except for GRAPH. AQ_ERR_UNSUPPORTED: the device cannot
 * launch so. */
aq_status aq_chain_submit(aq_chain_stage *stage, aq_chain_strategy strategy,
                          aq_diag *diag);
aq_status aq_chain_finish(aq_chain_stage *stage, aq_chain_strategy strategy,
                          aq_diag *diag);

/* The host's time as the device model has it, or AQ_TIME_NONE. */
aq_time aq_chain_host_model(const aq_chain_stage *stage,
                            aq_chain_strategy strategy);

#endif
