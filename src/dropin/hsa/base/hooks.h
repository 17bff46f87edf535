/* SPDX-License-Identifier: MIT */
/*
 * What `aqueduct exec` does to the device from inside the program: faults
 * (AQUEDUCT_EXEC_FAULTS) and the capture of packets (AQUEDUCT_CAPTURE).
 *
 * Thread rule: as device_hooks.h says; the rest on the thread that opens.
 */
#ifndef AQDROP_HOOKS_H
#define AQDROP_HOOKS_H

#include "common/transport.h"

typedef struct aqdrop_hooks aqdrop_hooks;

/* Reads the environment; *out is NULL when it asks for nothing. */
aq_status aqdrop_hooks_create(aqdrop_hooks **out, aq_diag *diag);
void aqdrop_hooks_destroy(aqdrop_hooks *hooks); /* NULL is fine */

/* The table for a transport, or NULL. */
const aq_device_hooks *aqdrop_hooks_table(const aqdrop_hooks *hooks);

/* The executor for a transport, once: `inner`, or one that captures what its
 * kernels find in memory. */
aq_status aqdrop_hooks_executor(aqdrop_hooks *hooks, const aq_executor *inner,
                                const aq_executor **out, aq_diag *diag);

/* The transport was opened, or is closed (NULL). */
void aqdrop_hooks_attach(aqdrop_hooks *hooks, aq_transport *transport);

/* The program closes HSA, or ends: the capture is whole. NULL is fine. */
void aqdrop_hooks_end(aqdrop_hooks *hooks, aq_transport *transport);

#endif
