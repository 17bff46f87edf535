/* SPDX-License-Identifier: MIT */
/*
 * Benchmarks: each figure beside a floor measured in the same run.
 *
 * A benchmark program measures its floor and its subject alternately, several
 * times, and prints one JSON object a line:
 * {"bench","value","unit","floor","ratio"}. Medians, since machines are noisy.
 */
#ifndef AQ_TESTS_BENCH_H
#define AQ_TESTS_BENCH_H

/* Measures once and returns the figure, in the unit that is reported. */
typedef double aqbench_measure(void *context);

/* Seconds on the monotonic clock. */
double aqbench_now(void);

/* Runs floor and subject alternately `rounds` times (odd), and prints the
 * median of each and their ratio: subject / floor. floor NULL: no floor, the
 * two fields are null. */
void aqbench_compare(const char *bench, const char *unit, int rounds,
                     aqbench_measure *floor, aqbench_measure *subject,
                     void *context);

#endif
