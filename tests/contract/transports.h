/* SPDX-License-Identifier: MIT */
/* The transports under test. */
#ifndef AQ_TESTS_CONTRACT_TRANSPORTS_H
#define AQ_TESTS_CONTRACT_TRANSPORTS_H

#include "transport/registry/device_models.h"

typedef struct contract_transport {
  char *label;               /* what stands before each name */
  aq_transport_stack *stack; /* owned */
  const char *const *edits;  /* of the device model, or NULL */
  aq_time_mode mode;
  bool strict; /* the host cannot touch memory of devices: of the drop-in */
  char devices[32]; /* as a device option, or empty */
} contract_transport;

/* The transports that AQ_TRANSPORT names, or all built-in ones; "NAME,live" is
 * one in live mode, "hsa,strict" the drop-in with strict memory, "NAME*4" one
 * that has four devices of the model mi300x. Ends the program with a line on
 * stderr for an unknown one. */
contract_transport *contract_transports(size_t *count);
void contract_transports_free(contract_transport *on, size_t count);

/* The options that open one, but for the records. */
aq_transport_options contract_options(const contract_transport *on);

#endif
