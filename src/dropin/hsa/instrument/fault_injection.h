/* SPDX-License-Identifier: MIT */
/*
 * Faults of a schedule (doc/formats/faults.md) that happen inside a device in
 * live mode. `exec` reads the document and hands on a list:
 * "NAME,QUEUE,AT,DELAY,TYPE,REASON;…", times in ps.
 *
 * Thread rule: the thread that drives the transport.
 */
#ifndef AQDROP_FAULT_INJECTION_H
#define AQDROP_FAULT_INJECTION_H

#include "common/transport.h"

enum { AQDROP_FAULT_QUEUES = 256 }; /* barriers are counted of so many */

typedef struct aqdrop_fault {
  int kind; /* of the table in fault_injection.c */
  uint32_t queue;
  uint64_t at;
  aq_time delay;
  uint32_t type, reason;
} aqdrop_fault;

typedef struct aqdrop_faults {
  aqdrop_fault *list; /* owned */
  size_t count;
  uint64_t copies, allocations;
  uint64_t barriers[AQDROP_FAULT_QUEUES];
  aq_signal never; /* nothing changes it; 0 until the transport is open */
} aqdrop_faults;

/* AQ_ERR_INVALID: a list that `exec` does not make, or a fault that cannot
 * happen in live mode. */
aq_status aqdrop_faults_read(const char *text, aqdrop_faults *out,
                             aq_diag *diag);
void aqdrop_faults_fini(aqdrop_faults *faults);

/* The fate of a packet that the device has read. */
aq_packet_fate aqdrop_faults_packet(aqdrop_faults *faults, uint32_t queue,
                                    uint64_t id, aq_packet *packet);
aq_time aqdrop_faults_copy(aqdrop_faults *faults);
bool aqdrop_faults_allocation(aqdrop_faults *faults);

#endif
