/* SPDX-License-Identifier: MIT */
/*
 * The contract suite: the duties of every transport, in terms of
 * common/transport.h only.
 *
 * A case is a function that gets a freshly opened transport; the tables of
 * cases run on each transport under test. The suite skips cases whose
 * capability is missing in info.caps, with a line. Cases cite the numbers of
 * doc/tables/conformance.md that they check.
 */
#ifndef AQ_TESTS_CONTRACT_CONTRACT_H
#define AQ_TESTS_CONTRACT_CONTRACT_H

#include "backend_sim/rig.h"

enum { CONTRACT_LOG = 4096, CONTRACT_ERRORS = 8 };

/* The arguments of an error callback. */
typedef struct contract_error {
  uint32_t queue, reason;
  uint64_t packet_id;
  aq_packet packet;
  aq_time time; /* of the call */
  char text[256];
} contract_error;

/* The arguments of the handler of system events. */
typedef struct contract_event {
  aq_event_kind kind;
  uint32_t device, queue;
  uint64_t packet_id, address;
  char text[512];
} contract_event;

typedef struct contract {
  rig rig;
  aq_transport *t; /* that of the rig */
  const aq_transport_ops *ops;
  const aq_transport_layer *layer; /* that was opened */
  aq_time_mode mode;               /* in which it was */
  aq_transport_info info;
  const aq_device_info *device; /* the first */
  uint32_t size;                /* smallest ring */
  /* Tags of the kernels that ran, in that order: contract_kernel. */
  uint64_t ran[CONTRACT_LOG];
  uint32_t ran_count;
  contract_error errors[CONTRACT_ERRORS];
  uint32_t error_count;
  contract_event events[CONTRACT_ERRORS];
  uint32_t event_count;
} contract;

typedef struct contract_case {
  const char *name; /* a sentence; NULL ends a table */
  const char
      *numbers;  /* "49, 50": lines of doc/tables/conformance.md; or NULL */
  uint32_t caps; /* aq_transport_cap bits that it needs */
  void (*run)(contract *c);
} contract_case;

/* The tables, one a file. */
extern const contract_case contract_life[], contract_memory[],
    contract_signals[], contract_time[], contract_queues[], contract_rings[],
    contract_packets[], contract_barriers[], contract_order[],
    contract_errors[], contract_updates[], contract_vendor[], contract_agents[],
    contract_controls[], contract_devices[], contract_faults[],
    contract_programs[], contract_values[];

/* Opens another one of the same. */
aq_status contract_open(const contract *c, const aq_transport_options *options,
                        aq_transport **out, aq_diag *diag);

/* The error callback of queues: notes its arguments; its user is `c`. */
void contract_error_note(const aq_queue_error *error, void *user);

/* The handler of system events, the same. */
void contract_event_note(const aq_system_event *event, void *user);

/* A queue whose error callback notes its arguments. */
aq_ring *contract_queue_sized(contract *c, uint32_t size);
aq_ring *contract_queue(contract *c); /* of the smallest size */

aq_signal contract_signal(contract *c, int64_t value);
aq_signal contract_signal_with(contract *c, int64_t value, uint32_t flags);
aq_signal contract_signal_tagged(contract *c, int64_t value, uint32_t flags,
                                 uint64_t user);
void contract_store(contract *c, aq_signal signal, int64_t value);
int64_t contract_add(contract *c, aq_signal signal, int64_t value);
int64_t contract_value(contract *c, aq_signal signal);

/* A host kernel that takes `duration` where time is modelled and notes the tag
 * of the packet that ran it. */
uint64_t contract_kernel(contract *c, aq_time duration);

/* A dispatch of one workgroup of such a kernel, agent scope fences. */
aq_packet contract_dispatch(uint64_t kernel, uint64_t tag, bool barrier,
                            aq_signal completion);

/* Reserves, writes and publishes, and rings; returns the packet's id. */
uint64_t contract_put(aq_ring *queue, const aq_packet *packet);
uint64_t contract_submit(contract *c, aq_ring *queue, const aq_packet *packet);
void contract_ring(contract *c, aq_ring *queue, uint64_t id);

/* Lets everything happen that can happen. */
void contract_settle(contract *c);

/* The wait of the transport; `which` may be NULL. */
aq_status contract_wait(contract *c, const aq_wait_item *items, uint32_t count,
                        aq_wait_mode mode, aq_time deadline, uint32_t *which);

/* Waits until a signal is 0; fails when that never comes. */
void contract_wait_zero(contract *c, aq_signal signal);

/* Fails unless the tags of the kernels that ran are these: "0 1 2". */
void contract_check_ran(const contract *c, const char *expected);

static inline bool contract_can(const contract *c, uint32_t caps)
{
  return (c->info.caps & caps) == caps;
}

#endif
