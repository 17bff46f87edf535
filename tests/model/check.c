/* SPDX-License-Identifier: MIT */
#include "model/check.h"

#include <inttypes.h>

#include "backend_sim/sim.h"

bool model_check(const model_program *program, char text[256])
{
  model_timeline got, expected;
  model_drive(program, &aqsim_transport_ops, &got);
  if (!model_rules_check(program, &got, text))
    return false;
  if (!model_is_exact(program))
    return true;
  model_expect(program, &expected);
  return model_timeline_same(program, &got, &expected, text);
}

/* Whether a program that has fewer slots than queues keeps the rules, and ends
 * the same again. */
static bool contended_check(const model_program *program, char text[256])
{
  model_timeline one, two;
  model_drive(program, &aqsim_transport_ops, &one);
  model_drive(program, &aqsim_transport_ops, &two);
  return model_rules_check(program, &one, text) &&
         model_timeline_same(program, &two, &one, text);
}

void model_shrink(model_program *program, model_checker *check, char text[256])
{
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (unsigned i = 0; i < program->packet_count; i++) {
      char now[256];
      model_program without = *program;
      if (without.packets[i].removed)
        continue;
      without.packets[i].removed = true;
      model_program_settle(&without);
      if (check(&without, now))
        continue;
      *program = without;
      snprintf(text, 256, "%s", now);
      smaller = true;
    }
  }
}

uint64_t model_check_seeds(uint64_t first, uint64_t count, uint64_t *exact)
{
  uint64_t failed = 0;
  *exact = 0;
  for (uint64_t seed = first; seed < first + count; seed++) {
    char text[256];
    model_program program;
    model_program_make(&program, seed);
    *exact += model_is_exact(&program);
    if (model_check(&program, text) || failed++ > 0)
      continue;
    printf("# seed %" PRIu64 ": %s\n", seed, text);
    model_shrink(&program, model_check, text);
    printf("# shrunk: %s\n", text);
    model_program_print(&program, stdout);
  }
  return failed;
}

uint64_t model_check_contended(uint64_t first, uint64_t count, uint64_t *later)
{
  uint64_t failed = 0;
  *later = 0;
  for (uint64_t seed = first; seed < first + count; seed++) {
    char text[256], ignored[256];
    model_program p;
    model_timeline alone, contended;
    model_program_make(&p, seed);
    model_drive(&p, &aqsim_transport_ops, &alone);
    model_program_contend(&p);
    model_drive(&p, &aqsim_transport_ops, &contended);
    *later += !model_timeline_same(&p, &contended, &alone, ignored);
    if (contended_check(&p, text) || failed++ > 0)
      continue;
    printf("# seed %" PRIu64 ": %s\n", seed, text);
    model_shrink(&p, contended_check, text);
    printf("# shrunk: %s\n", text);
    model_program_print(&p, stdout);
    fflush(stdout);
  }
  return failed;
}
