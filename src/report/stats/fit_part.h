/* SPDX-License-Identifier: MIT */
/* The words for a fit that a replay prints and compare repeats. */
#ifndef AQ_REPORT_STATS_FIT_PART_H
#define AQ_REPORT_STATS_FIT_PART_H

/* Behind the part that was asked for, where it has grown. */
#define AQ_FIT_EXTENDED " and on to the tenth idle launch"
/* Behind the number of rows, where a constant would be below 0 and is 0. */
#define AQ_FIT_AT_LEAST ", which take less than the other constants"

#endif
