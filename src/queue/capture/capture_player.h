/* SPDX-License-Identifier: MIT */
/*
 * Replaying captures: the same operations in the same order, with memory,
 * kernels and queues of another transport, and the memory that is left compared
 * with the digests of the capture.
 *
 * A player may run many times; each run starts with memory as captured.
 * Ownership: file and transport are borrowed. Thread rule: the thread that
 * drives the transport, or one at a time where it is live.
 */
#ifndef AQ_QUEUE_CAPTURE_CAPTURE_PLAYER_H
#define AQ_QUEUE_CAPTURE_CAPTURE_PLAYER_H

#include "common/kernel.h"
#include "queue/capture/capture_file.h"
#include "queue/operations.h"

AQ_BEGIN_DECLS

/* What stands for a host call with that name. */
typedef struct aq_cap_function {
  const char *name;
  aq_host_function *function;
  void *user;
} aq_cap_function;

typedef struct aq_cap_player_options {
  uint32_t size; /* sizeof(aq_cap_player_options) of the caller */
  aq_transport *transport;
  const aq_kernel_entry *kernels;   /* host functions; a NULL name ends them;
                                       NULL: none */
  const aq_cap_function *functions; /* the same */
  aq_time timeout;                  /* of each wait of the host; 0: none */
  aq_record_sink *records;          /* rows of the operations of each run, as
                                       aq_context_options says; NULL: none */
  aq_kernels_from from; /* on transports that run host functions; on others a
                           kernel's code is its only source */
  uint32_t execute;     /* aq_execution_flag bits of its command buffers */
} aq_cap_player_options;

typedef struct aq_cap_played {
  uint64_t operations;
  uint64_t idle_calls;   /* host calls that nothing stood for */
  uint64_t idle_kernels; /* dispatches whose code the program executed, and
                            which took their time here and computed nothing */
  uint64_t digests;      /* memory that was compared */
  uint64_t host_ns;      /* the submissions took of the host, wall clock */
  aq_time span;          /* from the first submission until all was complete, in
                            the transport's time */
  uint64_t plain_queues; /* without the priority or CU mask that they had: the
                            transport or the device has none */
} aq_cap_played;

typedef struct aq_cap_player aq_cap_player;

/* Makes the capture's memory, kernels and queues on the transport of the
 * options. AQ_ERR_NOT_FOUND: a kernel that neither a module nor `kernels` has.
 */
AQ_API aq_status aq_cap_player_create(const aq_cap_file *file,
                                      const aq_cap_player_options *options,
                                      aq_cap_player **out, aq_diag *diag);
/* Frees a player and the memory it made on the transport. NULL is allowed. */
AQ_API void aq_cap_player_destroy(aq_cap_player *player);

/* Submits the captured operations once and waits for all of them.
 * AQ_ERR_DIFFERENT: memory does not match its digest; the line says which;
 * AQ_ERR_TIMEOUT: a wait of the host took longer than the options allow. */
AQ_API aq_status aq_cap_player_run(aq_cap_player *player, aq_cap_played *out,
                                   aq_diag *diag);

AQ_END_DECLS

#endif
