/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dropin/mlir/core.h"

/* ---- options ---- */

/* "A;B" as a list ended by NULL, in one block with the text; NULL: out of
 * memory. */
static const char **edits_split(const char *text)
{
  size_t count = 1;
  for (const char *at = text; *at; at++)
    count += *at == ';';
  const size_t size = strlen(text) + 1;
  const char **list = malloc((count + 1) * sizeof *list + size);
  if (!list)
    return NULL;
  char *at = memcpy(list + count + 1, text, size);
  char *rest = at;
  size_t used = 0;
  while ((at = strsep(&rest, ";")))
    if (*at)
      list[used++] = at;
  list[used] = NULL;
  return list;
}

static void event_pass(const aq_system_event *event, void *user)
{
  aq_mlir *m = user;
  pthread_mutex_lock(&m->event_lock);
  if (m->context)
    aq_context_event(m->context, event);
  pthread_mutex_unlock(&m->event_lock);
}

/* After it no event is on its way to the context. */
static void context_close(aq_mlir *m)
{
  pthread_mutex_lock(&m->event_lock);
  aq_context *context = m->context;
  m->context = NULL;
  pthread_mutex_unlock(&m->event_lock);
  aq_context_destroy(context);
}

static aq_record_sink *sink_of(const aq_mlir *m)
{
  return m->spool ? aq_spool_sink(m->spool) : NULL;
}

aq_record_sink *aq_mlir_rows(const aq_mlir *m)
{
  return m->info.caps & AQ_CAP_RECORDS ? NULL : sink_of(m);
}

static aq_status transport_open(aq_mlir *m, const aq_mlir_options *options,
                                aq_diag *diag)
{
  const char **edits = options->edits ? edits_split(options->edits) : NULL;
  if (options->edits && !edits)
    return aq_diag_no_memory(diag);
  const aq_transport_options open = {.size = sizeof open,
                                     .device = options->device,
                                     .edits = edits,
                                     .seed = options->seed,
                                     .records = sink_of(m),
                                     .event = event_pass,
                                     .event_user = m,
                                     .executor =
                                         aq_hostcall_executor(m->hostcall)};
  aq_status status = aq_transport_stack_open(m->stack, &open, &m->t, diag);
  free(edits);
  if (status != AQ_OK) {
    m->t = NULL;
    return status;
  }
  m->t->ops->info(m->t, &m->info);
  m->live = m->info.caps & AQ_CAP_LIVE;
  m->hardware = !(m->info.caps & AQ_CAP_HOST_KERNELS) || m->live;
  return m->info.device_count > 0
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                           "transport %s has no device", m->t->ops->name);
}

/* ---- life ---- */

static aq_status parts_open(aq_mlir *m, const aq_mlir_options *options,
                            aq_diag *diag)
{
  aq_record_filter rows;
  aq_status status =
      aq_record_filter_read(options->rows, options->rows_limit, &rows, diag);
  if (status == AQ_OK && options->spool)
    status = aq_spool_create(options->spool, &rows, &m->spool, diag);
  if (status == AQ_OK)
    status =
        aq_transport_stack_create(options->transport, NULL, &m->stack, diag);
  if (status == AQ_OK && options->profile_isa)
    status = aq_transport_stack_profile(m->stack, diag);
  if (status != AQ_OK)
    return status;
  m->hostcall =
      aq_hostcall_create(aq_transport_stack_executor(m->stack), options->out);
  if (!m->hostcall)
    return aq_diag_no_memory(diag);
  status = transport_open(m, options, diag);
  if (status != AQ_OK)
    return status;
  /* Facts for the run of the store; rows come from the transport, else from the
   * context's operations. */
  const aq_device_info *device = &m->info.devices[0];
  const struct {
    const char *key, *value;
  } facts[] = {
      {"transport", aq_transport_stack_name(m->stack)},
      {"time", m->info.caps & AQ_CAP_VIRTUAL_TIME ? "virtual" : "live"},
      {"kind", m->info.caps & AQ_CAP_RECORDS ? "simulated" : "measured"},
      {"device_model", device->model},
      {"model_hash", device->model_hash},
      {"model_verdict", device->verdict},
  };
  for (size_t i = 0; m->spool && i < sizeof facts / sizeof *facts; i++)
    if (facts[i].value)
      aq_spool_text_put(m->spool, facts[i].key, facts[i].value);
  m->devices = calloc(m->info.device_count, sizeof *m->devices);
  if (!m->devices)
    return aq_diag_no_memory(diag);
  const aq_context_options context = {.size = sizeof context,
                                      .transport = m->t};
  return aq_context_create(&context, &m->context, diag);
}

aq_status aq_mlir_open(const aq_mlir_options *options, aq_mlir **out,
                       aq_diag *diag)
{
  aq_mlir *m = calloc(1, sizeof *m);
  if (!m)
    return aq_diag_no_memory(diag);
  pthread_mutex_init(&m->lock, NULL);
  pthread_mutex_init(&m->event_lock, NULL);
  m->profile_isa = options->profile_isa;
  aq_status status = parts_open(m, options, diag);
  if (status == AQ_OK)
    *out = m;
  else
    aq_mlir_close(m, NULL);
  return status;
}

/* The rows that come when everything has ended. */
static aq_status spool_finish(aq_mlir *m, bool reproducible, aq_diag *diag)
{
  aq_status status = AQ_OK;
  if (!m->spool)
    return AQ_OK;
  if (m->profile_isa)
    status = aq_transport_stack_profile_put(m->stack, sink_of(m), diag);
  aq_spool_reproducible(m->spool, reproducible);
  aq_spool_ended(m->spool, status == AQ_OK);
  aq_spool_destroy(m->spool);
  return status;
}

aq_status aq_mlir_close(aq_mlir *m, aq_diag *diag)
{
  aq_status status = AQ_OK;
  if (m->context) {
    aq_mlir_lock(m);
    status = aq_mlir_all_wait(m, diag);
    aq_mlir_unlock(m);
    aq_status ended = aq_mlir_streams_fini(m, status == AQ_OK ? diag : NULL);
    if (status == AQ_OK)
      status = ended;
    context_close(m);
  }
  if (m->t) {
    m->t->ops->info(m->t, &m->info);
    aq_hostcall_stop(m->hostcall);
    aq_mlir_modules_fini(m);
    aq_mlir_memory_fini(m);
    m->t->ops->close(m->t);
  }
  aq_hostcall_destroy(m->hostcall);
  aq_status finished =
      spool_finish(m, m->info.reproducible, status == AQ_OK ? diag : NULL);
  aq_transport_stack_destroy(m->stack);
  free(m->devices);
  pthread_mutex_destroy(&m->event_lock);
  pthread_mutex_destroy(&m->lock);
  free(m);
  return status == AQ_OK ? finished : status;
}

void aq_mlir_lock(aq_mlir *m)
{
  pthread_mutex_lock(&m->lock);
}

void aq_mlir_unlock(aq_mlir *m)
{
  pthread_mutex_unlock(&m->lock);
}

uint32_t aq_mlir_device_count(const aq_mlir *m)
{
  return m->info.device_count;
}
