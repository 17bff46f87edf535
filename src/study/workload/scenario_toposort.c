/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/workload/scenario_model.h"

enum { NO_STEP = -1 };

/* Edges between steps: `after`, and the one before in the same stream. */
typedef struct sorter {
  const aq_sc_request *request;
  int32_t *before; /* the previous step of the same stream, or NO_STEP */
  uint32_t *place; /* in the new order + 1, or 0 */
} sorter;

/* A step that has to come before this one and has no place yet. */
static int32_t step_blocker(const sorter *s, uint32_t step)
{
  const aq_sc_step *at = &s->request->steps[step];
  if (s->before[step] != NO_STEP && s->place[s->before[step]] == 0)
    return s->before[step];
  for (uint32_t i = 0; i < at->after_count; i++)
    if (s->place[at->after[i]] == 0)
      return (int32_t)at->after[i];
  return NO_STEP;
}

static size_t step_print(const sorter *s, uint32_t step, char *to, size_t size)
{
  const char *id = s->request->steps[step].id;
  int length = id ? snprintf(to, size, "%.40s", id)
                  : snprintf(to, size, "steps[%u]", step);
  return (size_t)length < size ? (size_t)length : size - 1;
}

/* Every step without a place has a blocker: following them ends in a cycle. */
static aq_status cycle_report(const sorter *s, uint32_t from,
                              const aq_json_node *node)
{
  char text[300];
  uint32_t step = from;
  for (uint32_t i = 0; i < s->request->step_count; i++)
    step = (uint32_t)step_blocker(s, step);
  const uint32_t first = step;
  size_t at = step_print(s, step, text, sizeof text);
  do {
    step = (uint32_t)step_blocker(s, step);
    at += (size_t)snprintf(text + at, sizeof text - at, " after ");
    if (at >= sizeof text - 1)
      break;
    at += step_print(s, step, text + at, sizeof text - at);
  } while (step != first && at < sizeof text - 60);
  return aq_json_error(node, "the steps wait for each other: %s%s", text,
                       step == first ? "" : " …");
}

/* Gives places to all steps, those first that were written first. */
static aq_status places_give(sorter *s, const aq_json_node *node)
{
  const uint32_t count = s->request->step_count;
  uint32_t placed = 0;
  while (placed < count) {
    const uint32_t before = placed;
    uint32_t stuck = 0;
    for (uint32_t i = 0; i < count; i++) {
      if (s->place[i] != 0)
        continue;
      if (step_blocker(s, i) == NO_STEP)
        s->place[i] = ++placed;
      else
        stuck = i;
    }
    if (placed == before)
      return cycle_report(s, stuck, node);
  }
  return AQ_OK;
}

static void steps_move(const sorter *s, aq_sc_step *copy)
{
  aq_sc_step *steps = s->request->steps;
  const uint32_t count = s->request->step_count;
  memcpy(copy, steps, count * sizeof *steps);
  for (uint32_t i = 0; i < count; i++) {
    aq_sc_step *to = &steps[s->place[i] - 1];
    *to = copy[i];
    for (uint32_t a = 0; a < to->after_count; a++)
      to->after[a] = s->place[to->after[a]] - 1;
  }
}

aq_status aq_scenario_sort(aq_sc_request *request, const aq_json_node *node)
{
  const uint32_t count = request->step_count;
  sorter s = {.request = request,
              .before = malloc(count * sizeof *s.before),
              .place = calloc(count, sizeof *s.place)};
  aq_sc_step *copy = malloc(count * sizeof *copy);
  aq_status status;
  if (s.before && s.place && copy) {
    for (uint32_t i = 0; i < s.request->step_count; i++) {
      s.before[i] = NO_STEP;
      for (uint32_t j = i; j-- > 0 && s.before[i] == NO_STEP;)
        if (s.request->steps[j].stream == s.request->steps[i].stream)
          s.before[i] = (int32_t)j;
    }
    status = places_give(&s, node);
    if (status == AQ_OK) {
      steps_move(&s, copy);
      aq_sc_step *steps = request->steps;
      for (uint32_t i = 0; i < count; i++) {
        steps[i].last = true;
        for (uint32_t j = i; j-- > 0;)
          if (steps[j].stream == steps[i].stream) {
            steps[j].last = false;
            break;
          }
        for (uint32_t a = 0; a < steps[i].after_count; a++)
          steps[steps[i].after[a]].last = false;
      }
    }
  } else {
    status = aq_json_no_memory(node);
  }
  free(copy);
  free(s.place);
  free(s.before);
  return status;
}
