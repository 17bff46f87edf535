/* SPDX-License-Identifier: MIT */
/*
 * Other orders of resident waves, by a seed: which wave of a workgroup runs
 * next, for how many instructions, and which workgroups have a turn. Every such
 * order is legal on a device. Workgroups start in the order of their numbers
 * unless `start_order` says otherwise; no device promises that order, but
 * programs rely on it.
 *
 * A dispatch draws from the seed, its id and its kernel's name, so that runs of
 * a program repeat. Pure functions; any thread.
 */
#ifndef AQ_GPU_WAVE_GRID_SCHEDULE_H
#define AQ_GPU_WAVE_GRID_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/diag.h"

typedef struct aq_wave_schedule {
  bool on, start_order;
  uint64_t seed;
} aq_wave_schedule;

/* Reads "seed=N" and "seed=N,start-order". AQ_ERR_INPUT quotes the text. */
aq_status aq_wave_schedule_read(const char *text, aq_wave_schedule *out,
                                aq_diag *diag);

struct aq_wave_machine;

/* Before the first execution. */
void aq_wave_machine_schedule(struct aq_wave_machine *machine,
                              const aq_wave_schedule *schedule);

/* The state that a dispatch draws from; not 0. */
uint64_t aq_wave_schedule_begin(const aq_wave_schedule *schedule,
                                uint64_t dispatch, const char *kernel);

/* A number below `n`, which is not 0. */
uint32_t aq_wave_schedule_draw(uint64_t *state, uint32_t n);

/* The numbers 0 to count - 1 in an order. */
enum { AQ_WAVE_SCHEDULE_MAX = 64 };
void aq_wave_schedule_order(uint64_t *state, uint32_t count,
                            uint8_t out[AQ_WAVE_SCHEDULE_MAX]);

/* The workgroup that starts as number `at` of `count`: each one does once. */
uint64_t aq_wave_schedule_place(uint64_t seed, uint64_t at, uint64_t count);

#endif
