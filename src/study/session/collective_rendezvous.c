/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/memory_sink.h"
#include "common/text.h"
#include "study/session/collectives.h"
#include "study/session/replay.h"

enum {
  REPLAYS_MAX = 12,     /* until the ranks of collectives meet */
  SETTLED = 10 * AQ_NS, /* no wait changes by more */
};

typedef struct meeting {
  aq_session *session;
  aq_store *store;
  const aq_replay_ask *ask;
  aq_collectives collectives;
  aq_family_memo families;
  aq_replay_hooks hooks; /* the caller's, with durations */
  aq_diag *diag;
} meeting;

static aq_time duration_of(void *user, const aq_record *row, const char *name,
                           aq_time found)
{
  meeting *m = user;
  if (aq_family_recall(&m->families, row->name, name) != AQ_FAMILY_COLLECTIVE)
    return found;
  return aq_collectives_duration(&m->collectives, row->end - row->start, found,
                                 1, m->hooks.end);
}

/* Leaves the collectives alone where too few GPUs take part. */
static aq_status collectives_find(meeting *m)
{
  aq_run_info *origin;
  aq_run_reader *reader;
  aq_status status = aq_store_find(m->store, m->ask->origin, &origin, m->diag);
  if (status != AQ_OK)
    return status;
  status = aq_run_reader_open(m->store, origin->id, AQ_ORDER_START, &reader,
                              m->diag);
  if (status == AQ_OK) {
    const bool several = aq_run_reader_device_count(reader) > 1;
    aq_run_reader_close(reader);
    if (several)
      status =
          aq_collectives_read(m->store, origin->id, &m->collectives, m->diag);
  }
  aq_run_info_free(origin);
  return status;
}

/* A replay that nothing keeps; *moved: as of aq_collectives_settle. */
static aq_status trial_run(meeting *m, aq_time *moved)
{
  aq_memory_sink sink;
  aq_performed performed = {0};
  aq_run_info info = {.kind = AQ_RUN_SIMULATED};
  aq_record_sink *instead = m->session->instead;
  aq_memory_sink_init(&sink);
  m->session->instead = &sink.sink;
  aq_status status = aq_replay_once(m->session, m->store, m->ask, &m->hooks,
                                    &info, &performed, NULL, m->diag);
  m->session->instead = instead;
  for (size_t i = 0; i < sink.count && status == AQ_OK; i++)
    if (sink.rows[i].start != AQ_TIME_NONE)
      aq_collectives_began(&m->collectives, sink.rows[i].origin,
                           sink.rows[i].start);
  if (status == AQ_OK)
    status = aq_collectives_settle(&m->collectives, moved, m->diag);
  aq_performed_fini(&performed);
  aq_memory_sink_fini(&sink);
  return status;
}

static aq_status ranks_settle(meeting *m, const aq_notes *notes)
{
  aq_collectives *c = &m->collectives;
  aq_time moved = AQ_TIME_MAX;
  unsigned replays = 0;
  while (moved > SETTLED && replays < REPLAYS_MAX) {
    aq_collectives_begin(c, replays++ == 0 ? AQ_FROM_MEASURED : AQ_FROM_LAST);
    aq_status status = trial_run(m, &moved);
    if (status != AQ_OK)
      return status;
  }
  aq_collectives_begin(c, AQ_FROM_LAST);
  aq_note(notes,
          "%zu of %zu collective kernels wait for the last of %zu GPUs: "
          "settled to %.3f us after %u replay%s",
          c->met, c->count, c->ranks, (double)moved / (double)AQ_US, replays,
          aq_text_plural(replays));
  return AQ_OK;
}

aq_status aq_replay_perform(aq_session *session, aq_store *store,
                            const aq_replay_ask *ask,
                            const aq_replay_hooks *hooks, aq_run_info *info,
                            aq_performed *out, const aq_notes *notes,
                            aq_diag *diag)
{
  meeting m = {.session = session,
               .store = store,
               .ask = ask,
               .hooks = hooks ? *hooks : (aq_replay_hooks){0},
               .diag = diag};
  aq_status status = AQ_OK;
  const bool may_repeat = !session->hardware && !session->options.live;
  if (may_repeat && !ask->predict && !m.hooks.duration && !m.hooks.waited)
    status = collectives_find(&m);
  if (status == AQ_OK && m.collectives.met > 0) {
    m.hooks.duration = duration_of;
    m.hooks.user = &m;
    m.hooks.met = m.collectives.met;
    status = ranks_settle(&m, notes);
  }
  if (status == AQ_OK)
    status =
        aq_replay_once(session, store, ask, &m.hooks, info, out, notes, diag);
  aq_collectives_fini(&m.collectives);
  aq_family_memo_fini(&m.families);
  return status;
}
