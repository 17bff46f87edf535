/* SPDX-License-Identifier: MIT */
/* Events of the whole system, from the transport to the client's handler. */
#ifndef AQDROP_EVENTS_H
#define AQDROP_EVENTS_H

#include "dropin/hsa/base/runtime.h"

/* The transport's event function; its user is the runtime. */
void aqdrop_event_notify(const aq_system_event *event, void *user);

/* Reports an attempt to free memory of an agent that is in use. */
void aqdrop_event_in_use(aqdrop *runtime, const aqdrop_agent *agent,
                         const void *address);

#endif
