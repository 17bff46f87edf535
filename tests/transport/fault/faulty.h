/* SPDX-License-Identifier: MIT */
/* Opening stacks of transports with fault schedules given as text. */
#ifndef AQ_TESTS_WRAP_FAULTY_H
#define AQ_TESTS_WRAP_FAULTY_H

#include "backend_sim/rig.h"
#include "transport/registry/device_models.h"

typedef struct faulty {
  rig rig;
  aq_transport *t; /* that of the rig */
  const aq_transport_ops *ops;
  aq_transport_stack *stack;
} faulty;

/* Opens a stack ("sim", "fault,seed=7+sim"); `schedule` is a document for the
 * fault wrapper around it, or NULL; hooks may be NULL. Fails the test when that
 * does not work. */
void faulty_open(faulty *f, const char *names, const char *schedule,
                 const aq_device_hooks *hooks);
void faulty_close(faulty *f);

#endif
