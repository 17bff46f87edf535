/* SPDX-License-Identifier: MIT */
/*
 * The device below a station: the simulator with every cost set to 0, and its
 * doorbells counted on their way through the table of operations.
 */
#ifndef AQ_TESTS_ORACLES_DEVICE_H
#define AQ_TESTS_ORACLES_DEVICE_H

#include "common/transport.h"
#include "oracles/station.h"

/* Edits of mi300x, ended by NULL; the caller frees them and the list. */
char **device_edits(const station_spec *spec);

/* The table to open it by; counts anew. */
const aq_transport_ops *device_begin(void);
/* What passed since: published, rung. */
void device_end(station_result *out);

#endif
