/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/window.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/time_text.h"

/* One end of --time; nothing: `none`. */
static bool time_end(const char *text, size_t length, aq_time none,
                     aq_time *out)
{
  char one[32];
  *out = none;
  if (length == 0)
    return true;
  if (length >= sizeof one)
    return false;
  memcpy(one, text, length);
  one[length] = 0;
  return aq_time_read(one, out) == AQ_TIME_READ;
}

aq_status aq_cli_window(aq_cli *cli, aq_run_window *window, bool *given)
{
  const char *time = cli->values[AQ_CLI_OPT_TIME];
  *window = (aq_run_window){.range = cli->values[AQ_CLI_OPT_BETWEEN],
                            .to = AQ_TIME_NONE,
                            .step = AQ_NONE};
  *given = time || window->range || cli->given[AQ_CLI_OPT_STEP];
  if (cli->given[AQ_CLI_OPT_STEP]) {
    const aq_status status =
        aq_cli_number(cli, AQ_CLI_OPT_STEP, 0, INT64_MAX, &window->step);
    if (status != AQ_OK)
      return status;
  }
  if (!time)
    return AQ_OK;
  const char *dots = strstr(time, "..");
  if (!dots || !time_end(time, (size_t)(dots - time), 0, &window->from) ||
      !time_end(dots + 2, strlen(dots + 2), AQ_TIME_NONE, &window->to) ||
      (window->to != AQ_TIME_NONE && window->to <= window->from))
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--time %s: expected A..B with units and A before B, as "
                       "2ms..5ms, 2ms.. or ..5ms",
                       time);
  return AQ_OK;
}

void aq_cli_window_json(aq_json_out *json, const char *key,
                        const aq_run_window *window,
                        const aq_window_counts *counts)
{
  aq_json_out_map(json, key);
  aq_json_out_text(json, "range", window->range);
  aq_json_out_ns(json, "from_ns", window->from);
  aq_json_out_ns(json, "to_ns", window->to);
  aq_json_out_int(json, "step", window->step);
  aq_json_out_int(json, "kernels_of_step",
                  counts->period ? (int64_t)counts->period : AQ_NONE);
  aq_json_out_bool(json, "parts_of_range", counts->parts);
  aq_json_out_int(json, "dispatches", (int64_t)counts->rows);
  aq_json_out_int(json, "of", (int64_t)counts->all);
  aq_json_out_int(json, "ranges", (int64_t)counts->ranges);
  aq_json_out_int(json, "launching_ranges", (int64_t)counts->launching);
  aq_json_out_int(json, "unplaced", (int64_t)counts->unplaced);
  aq_json_out_close_map(json);
}

static void window_put(FILE *to, const aq_run_window *window,
                       const aq_window_counts *counts)
{
  fprintf(to, "%zu of %zu dispatch%s", counts->rows, counts->all,
          aq_text_plural_es(counts->all));
  if (window->range) {
    fprintf(to, ", launched in %zu ", counts->launching);
    if (counts->launching < counts->ranges)
      fprintf(to, "of %zu ", counts->ranges);
    fprintf(to, "range%s %s", aq_text_plural(counts->ranges), window->range);
  }
  if (window->step != AQ_NONE)
    fprintf(to, ", launched in step %" PRId64, window->step);
  if (counts->period > 0)
    fprintf(to, " (a repeated sequence of %zu kernel%s%s)", counts->period,
            aq_text_plural(counts->period),
            counts->parts ? ", all within one range" : "");
  if (counts->unplaced > 0)
    fprintf(to, "; %zu without a recorded launch", counts->unplaced);
}

void aq_cli_window_put(FILE *to, const aq_run_window *window,
                       const aq_window_counts *counts)
{
  window_put(to, window, counts);
  fputc('\n', to);
}

void aq_cli_parts_json(aq_json_out *json, const aq_cli_parts *parts)
{
  if (!parts)
    return;
  aq_cli_window_json(json, "window", parts->window, parts->current);
  aq_cli_window_json(json, "baseline_window", parts->window, parts->baseline);
}

void aq_cli_parts_put(FILE *to, const aq_cli_parts *parts)
{
  if (!parts)
    return;
  fputs("current: ", to);
  aq_cli_window_put(to, parts->window, parts->current);
  fputs("baseline: ", to);
  aq_cli_window_put(to, parts->window, parts->baseline);
}

char *aq_cli_selection_text(const aq_run_window *window,
                            const aq_selection *part)
{
  const struct {
    const char *noun;
    size_t count;
  } tracks[] = {{"edge", part->edges},
                {"sample", part->samples},
                {"request", part->requests},
                {"preemption", part->preemptions}};
  char *text = NULL;
  size_t size;
  FILE *memory = open_memstream(&text, &size);
  if (!memory)
    return NULL;
  window_put(memory, window, &part->counts);
  fprintf(memory, ", %zu other row%s of that time", part->others,
          aq_text_plural(part->others));
  if (part->untimed)
    fprintf(memory, "; skipped %zu row%s without a time", part->untimed,
            aq_text_plural(part->untimed));
  const char *between = "; outside: ";
  for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++) {
    if (tracks[i].count == 0)
      continue;
    fprintf(memory, "%s%zu %s%s", between, tracks[i].count, tracks[i].noun,
            aq_text_plural(tracks[i].count));
    between = ", ";
  }
  const bool wrote = !ferror(memory);
  if (fclose(memory) == 0 && wrote)
    return text;
  free(text);
  return NULL;
}

aq_status aq_cli_selection_note(aq_cli *cli, const aq_run_window *window,
                                const aq_selection *part)
{
  char *text = aq_cli_selection_text(window, part);
  if (!text)
    return aq_diag_no_memory(&cli->diag);
  aq_cli_note(cli, "%s", text);
  free(text);
  return AQ_OK;
}
