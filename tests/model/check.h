/* SPDX-License-Identifier: MIT */
/* Runs programs against the model, and makes a failing one small. */
#ifndef AQ_TESTS_MODEL_CHECK_H
#define AQ_TESTS_MODEL_CHECK_H

#include "model/timeline.h"

/* Whether the program runs on the simulator as the rules allow and, where the
 * model is exact, to the picosecond; if not, `text` gets the difference. */
bool model_check(const model_program *program, char text[256]);

/* A check of a program: true if it holds, else `text` gets the difference. */
typedef bool model_checker(const model_program *program, char text[256]);

/* Removes the packets that a program does not need to fail a check. */
void model_shrink(model_program *program, model_checker *check, char text[256]);

/* Checks programs of `count` seeds. A failure is printed, shrunk, as TAP
 * comments; returns how many failed, and in *exact how many were compared to
 * the picosecond. */
uint64_t model_check_seeds(uint64_t first, uint64_t count, uint64_t *exact);

/* Runs programs of `count` seeds with fewer slots than queues, twice: they keep
 * the rules and end the same again. Returns how many did not; `later` is how
 * many the contention moved. The first that fails is printed, shrunk. */
uint64_t model_check_contended(uint64_t first, uint64_t count, uint64_t *later);

#endif
