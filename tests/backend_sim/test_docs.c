/* SPDX-License-Identifier: MIT */
/* The pages that repeat tables of the simulator equal the tables. */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/model/device_model.h"
#include "backend_sim/packet/processor.h"

static char *page(const char *name)
{
  static char text[65536];
  FILE *file = fopen(aqtest_source(name), "rb");
  ck_assert_msg(file != NULL, "%s is missing", name);
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  return text;
}

START_TEST(the_page_on_device_models_lists_every_key)
{
  aqsim_model *model;
  aq_diag diag = AQ_DIAG_INIT;
  const char *text = page("../doc/tables/device-keys.md");
  ck_assert_status(aqsim_model_load("mi300x", NULL, &model, &diag), AQ_OK,
                   &diag);
  for (size_t i = 0; i < AQSIM_KEY_COUNT; i++) {
    aqsim_constant c;
    char key[100], rest[300];
    aqsim_model_constant(model, i, &c);
    snprintf(key, sizeof key, "\n| `%s` | ", c.key);
    snprintf(rest, sizeof rest, " | %s | %s |\n", c.group, c.meaning);
    const char *row = strstr(text, key);
    ck_assert_msg(row != NULL, "no row for %s", c.key);
    const char *found = strstr(row, rest);
    ck_assert_msg(found && found < strchr(row + 1, '\n'), "%s: expected%s",
                  c.key, rest);
  }
  aqsim_model_destroy(model);
}
END_TEST

START_TEST(the_page_on_the_life_cycle_draws_the_step_table)
{
  const char *text = page("../doc/lifecycle.md");
  char diagram[2000] = "```mermaid\nstateDiagram-v2\n  [*] --> TURN\n";
  for (int i = 0; i < AQSIM_STEP_COUNT; i++) {
    char next[100];
    snprintf(next, sizeof next, "%s", aqsim_step_texts[i].next);
    char *rest = next;
    for (char *to; (to = strtok_r(rest, " ", &rest));)
      snprintf(diagram + strlen(diagram), sizeof diagram - strlen(diagram),
               "  %s --> %s\n", aqsim_step_texts[i].name, to);
  }
  strcat(diagram, "  DONE --> [*]\n  ERROR --> [*]\n```\n");
  ck_assert_msg(strstr(text, diagram) != NULL, "expected:\n%s", diagram);
}
END_TEST

START_TEST(the_page_on_the_life_cycle_lists_every_step)
{
  const char *text = page("../doc/lifecycle.md");
  for (int i = 0; i < AQSIM_STEP_COUNT; i++) {
    const aqsim_step_text *step = &aqsim_step_texts[i];
    char row[600];
    snprintf(row, sizeof row, "\n| %s | %s | %s |\n", step->name, step->waits,
             step->then);
    ck_assert_msg(strstr(text, row) != NULL, "expected%s", row);
  }
}
END_TEST

AQ_TEST_MAIN("backend_sim/docs", the_page_on_device_models_lists_every_key,
             the_page_on_the_life_cycle_draws_the_step_table,
             the_page_on_the_life_cycle_lists_every_step)
