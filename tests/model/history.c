/* SPDX-License-Identifier: MIT */
#include "model/timeline.h"

static void change_insert(model_change *changes, unsigned count,
                          model_change change)
{
  unsigned i = count;
  for (; i > 0 && changes[i - 1].time > change.time; i--)
    changes[i] = changes[i - 1];
  changes[i] = change;
}

unsigned model_history(const model_program *p, const model_timeline *t,
                       int signal, model_change out[MODEL_PACKETS + 1])
{
  unsigned count = 0;
  int64_t value = p->signals[signal].initial;
  if (p->signals[signal].kind == MODEL_STORED) {
    out[0] = (model_change){t->stored[signal], 0, true};
    return 1;
  }
  for (unsigned i = 0; i < p->packet_count; i++)
    if (p->packets[i].completion == signal && !p->packets[i].removed &&
        t->records[i] > 0)
      change_insert(out, count++, (model_change){.time = t->rows[i].complete});
  for (unsigned i = 0; i < count; i++)
    out[i].value = --value;
  return count;
}
