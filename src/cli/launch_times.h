/* SPDX-License-Identifier: MIT */
/* The times of one dispatch, or of several dispatches of a kernel, told. */
#ifndef AQ_CLI_LAUNCH_TIMES_H
#define AQ_CLI_LAUNCH_TIMES_H

#include "common/json_out.h"
#include "launch/launch.h"

/* One: its time. More: least, middle and most. What is not known of all of
 * them is "-". False when out of memory. */
bool aq_cli_launch_times_print(const aq_launch_times *times, uint32_t count,
                               FILE *out);

/* Members of the map that is open: of one the time, of more the middle, and
 * with "_min" and "_max" the others; null where one is unknown. */
bool aq_cli_launch_times_json(const aq_launch_times *times, uint32_t count,
                              aq_json_out *json);

#endif
