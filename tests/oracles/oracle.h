/* SPDX-License-Identifier: MIT */
/*
 * What policies and theory are compared with: `make check` runs a part of the
 * cases, AQ_ORACLES=all ten times as many jobs and every case. Means have to
 * lie within 4 standard errors of the formula, with fixed seeds; identities
 * hold exactly, in picoseconds.
 *
 * With AQ_ORACLES_TABLE=FILE each comparison adds a line to it, from which
 * table.sh makes doc/tables/oracles.md: TEST, CASE, THEORY, SIMULATED, STANDARD
 * ERROR (empty: exact) and JOBS, between tabs.
 */
#ifndef AQ_TESTS_ORACLES_ORACLE_H
#define AQ_TESTS_ORACLES_ORACLE_H

#include "common/diag.h"
#include "oracles/station.h"

bool oracle_runs_all(void);
uint64_t oracle_jobs(uint64_t quick);

/* How many of the cases of a test run; the first ones. */
int oracle_cases(int all, int quick);

/* Runs it and checks what each run has to fulfil: Little's law, utilisation,
 * and that each job went through ring, doorbell and packet processor. */
station_result oracle_run(const station_spec *spec);

/* One class, mean service 1; `jobs`: of `make check`. */
station_spec oracle_station(const char *policy, double load, station_law law,
                            uint64_t jobs);
/* The same where kernels are stopped. */
station_spec oracle_preemptive(const char *policy, double load, station_law law,
                               uint64_t jobs);
/* Three classes of load .8 together, the more urgent first. */
station_spec oracle_classes(const char *policy);

const char *oracle_law_name(station_law law);

/* `what` names the case, for the table and for messages. */
#define oracle_mean(mean, theory, ...)                                         \
  oracle_mean_check(__func__, mean, theory, __VA_ARGS__)
#define oracle_exact(got, expected, ...)                                       \
  oracle_exact_check(__func__, got, expected, __VA_ARGS__)

void oracle_mean_check(const char *test, station_mean mean, double theory,
                       const char *what, ...) AQ_PRINTF(4, 5);
/* Both in picoseconds; the table has units. */
void oracle_exact_check(const char *test, aq_time got, aq_time expected,
                        const char *what, ...) AQ_PRINTF(4, 5);

#endif
