/* SPDX-License-Identifier: MIT */
/*
 * Signals of clients and the runtime's state beside them. A handle is the
 * address of an amd_signal_t of the transport. Doorbells are signals too:
 * storing to one rings.
 */
#ifndef AQDROP_SIGNALS_H
#define AQDROP_SIGNALS_H

#include "dropin/hsa/base/runtime.h"

/* The object behind a handle that a client hands to a function of signals. */
typedef enum aqdrop_signal_kind {
  AQDROP_NO_SIGNAL, /* 0, or before hsa_init: nothing is done */
  AQDROP_STRANGER,  /* destroyed, or never one: the same, with a line */
  AQDROP_SIGNAL,
  AQDROP_DOORBELL,
} aqdrop_signal_kind;

/* Lock-free but for strangers and for signals that processes share. */
aqdrop_signal_kind aqdrop_signal_kind_of(aqdrop *runtime, hsa_signal_t signal);

/* Whether a client made this signal and has not destroyed it. */
bool aqdrop_signal_is_live(aqdrop *runtime, hsa_signal_t signal);

/* Makes a signal that the client destroys. */
hsa_status_t aqdrop_signal_open(aqdrop *runtime, const aq_signal_desc *desc,
                                hsa_signal_t *out);

/* Makes one in memory that other processes can map; its place is set. Closing
 * does nothing for other signals, and comes when the transport has destroyed
 * it. */
hsa_status_t aqdrop_shared_signal_create(aqdrop *runtime, aq_signal_desc *desc,
                                         hsa_signal_t *out);
void aqdrop_shared_signal_close(aqdrop *runtime, hsa_signal_t signal);
void aqdrop_shared_signals_fini(aqdrop *runtime);

/* Keeps the memory of one while a thread waits for it, also when it is
 * destroyed meanwhile; false: it is no such signal, or no longer. Each hold
 * that was true needs its release. The release of a signal that is not shared
 * does nothing. */
bool aqdrop_shared_signal_hold(aqdrop *runtime, hsa_signal_t signal);
void aqdrop_shared_signal_release(aqdrop *runtime, hsa_signal_t signal);

/* Frees the attributes of ranges (svm.c). */
void aqdrop_ranges_fini(aqdrop *runtime);

/* Frees the groups that are left. */
void aqdrop_groups_fini(aqdrop *runtime);

/* Frees the remaining signals after the transport is closed. */
void aqdrop_signals_fini(aqdrop *runtime);

#endif
