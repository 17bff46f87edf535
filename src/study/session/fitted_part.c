/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/fitted_part.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/text.h"
#include "report/stats/fit_part.h"

static double us(aq_time time)
{
  return (double)time / (double)AQ_US;
}

void aq_fitted_part_name(const aq_fitted_part *part, char name[AQ_FITTED_NAME])
{
  snprintf(name, AQ_FITTED_NAME, "%s%s", part->asked,
           part->extended_from ? AQ_FIT_EXTENDED : "");
}

void aq_fitted_part_note(const aq_fitted_part *part, const aq_notes *notes)
{
  char name[AQ_FITTED_NAME];
  aq_fitted_part_name(part, name);
  aq_note(notes,
          "%" PRId64 " of %" PRId64 " rows fit the constants (%s): not scored",
          part->rows, part->of, name);
  if (part->extended_from)
    aq_note(notes,
            "%s is only %" PRId64 " row%s: extended to launch %" PRId64
            " onto an idle queue",
            part->asked, part->extended_from,
            aq_text_plural(part->extended_from), part->launches);
  for (size_t i = 0; i < part->count; i++) {
    const aq_fitted_constant *c = &part->constants[i];
    if (c->why_not[0])
      aq_note(notes, "%s keeps %.3f us: %s", c->key, us(c->was), c->why_not);
    else if (c->samples == AQ_NONE)
      aq_note(notes, "%s: %.3f us, was %.3f us", c->key, us(c->value),
              us(c->was));
    else
      aq_note(notes, "%s: %.3f us, was %.3f us (n = %" PRId64 "%s)", c->key,
              us(c->value), us(c->was), c->samples,
              c->at_least ? AQ_FIT_AT_LEAST : "");
  }
}

void aq_fitted_part_json(const aq_fitted_part *part, aq_json_out *json)
{
  aq_json_out_map(json, "fit");
  aq_json_out_text(json, "to", part->asked);
  aq_json_out_int(json, "from_ps", part->from);
  aq_json_out_int(json, "until_ps", part->until);
  aq_json_out_int(json, "rows", part->rows);
  aq_json_out_int(json, "of", part->of);
  if (part->extended_from)
    aq_json_out_int(json, "extended_from", part->extended_from);
  aq_json_out_array(json, "constants");
  for (size_t i = 0; i < part->count; i++) {
    const aq_fitted_constant *c = &part->constants[i];
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "key", c->key);
    aq_json_out_int(json, "was_ps", c->was);
    aq_json_out_int(json, "value_ps", c->value);
    aq_json_out_int(json, "samples", c->samples);
    aq_json_out_bool(json, "at_least", c->at_least);
    aq_json_out_text(json, "kept_because", c->why_not[0] ? c->why_not : NULL);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}
