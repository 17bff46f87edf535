/* SPDX-License-Identifier: MIT */
/* The transports under test. */
#ifndef AQ_TESTS_CONTRACT_TRANSPORTS_H
#define AQ_TESTS_CONTRACT_TRANSPORTS_H

#include "common/transport.h"

typedef struct contract_transport {
  const char *label; /* what stands before each name */
  const aq_transport_ops *ops;
  const char *const *edits; /* of the device model, or NULL */
} contract_transport;

/* Those that AQ_TRANSPORT names, or all built-in ones; the caller frees the
 * array. Ends the program with a line on stderr for an unknown name. */
contract_transport *contract_transports(size_t *count);

#endif
