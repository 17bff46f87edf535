/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/summary.h"

#include <inttypes.h>
#include <math.h>

bool aq_kept_has(const aq_json_node *summary)
{
  aq_json_node list;
  return aq_json_member(summary, "figures", &list);
}

aq_status aq_kept_check(int64_t run, const aq_study_options *options,
                        aq_diag *diag)
{
  return options->warmup == AQ_WARMUP_MSER5
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_INVALID,
                           "run %" PRId64 " keeps figures instead of requests: "
                           "only warm-up mser5 expected",
                           run);
}

static double value_of(const aq_json_node *node, const char *key)
{
  aq_json_node member;
  double value = NAN;
  if (!aq_json_member(node, key, &member) ||
      aq_json_number(&member, -INFINITY, INFINITY, &value) != AQ_OK)
    return NAN;
  return value;
}

void aq_kept_read(const aq_json_node *summary, int entry, aq_study_replica *out)
{
  const size_t at = entry < 0 ? 0 : (size_t)entry + 1;
  aq_json_node list;
  size_t count = 0;
  for (size_t i = 0; i < AQ_FIGURE_COUNT; i++)
    out->figures[i] = NAN;
  out->response = (aq_estimate){.mean = NAN, .half = NAN};
  if (!aq_json_member(summary, "figures", &list) ||
      aq_json_array(&list, 0, SIZE_MAX, &count) != AQ_OK || at >= count)
    return;
  const aq_json_node of = aq_json_element(&list, at);
  for (size_t i = 0; i < AQ_FIGURE_COUNT; i++)
    out->figures[i] = value_of(&of, aq_figure_name(i));
  out->response.mean = out->figures[AQ_FIGURE_mean];
  out->response.half = value_of(&of, "half");
  out->response.count = (size_t)value_of(&of, "batches");
}
