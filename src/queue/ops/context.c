/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/sync/context_priv.h"

#include <stdlib.h>
#include <string.h>

#include "queue/core/operation_rows.h"
#include "queue/ops/alloca_pool.h"
#include "queue/ops/staging.h"
#include "queue/queue.h"
#include "queue/submit_hooks.h"

static const char *const way_names[AQ_EDGE_WAY_COUNT] = {
    [AQ_EDGE_CHOOSE] = "choose",
    [AQ_EDGE_BARRIER_AND] = "barrier-and",
    [AQ_EDGE_BARRIER_VALUE] = "barrier-value",
    [AQ_EDGE_PM4] = "pm4",
    [AQ_EDGE_DEFER] = "defer",
};

const char *aq_edge_way_name(aq_edge_way way)
{
  return (unsigned)way < AQ_EDGE_WAY_COUNT ? way_names[way] : NULL;
}

/* What each generation does best: gfx9 has the vendor packet, gfx10 and gfx11
 * only the command processor's own wait, gfx12 neither that can be trusted. */
static const struct {
  const char *gfx; /* prefix */
  aq_edge_way way;
} generations[] = {
    {"gfx12", AQ_EDGE_DEFER},      {"gfx11", AQ_EDGE_PM4},
    {"gfx10", AQ_EDGE_PM4},        {"gfx9", AQ_EDGE_BARRIER_VALUE},
    {"none", AQ_EDGE_BARRIER_AND}, /* the null transport's: any will do */
};

static bool way_is_served(aq_edge_way way, uint32_t caps)
{
  if (way == AQ_EDGE_BARRIER_VALUE)
    return caps & AQ_CAP_BARRIER_VALUE;
  if (way == AQ_EDGE_PM4)
    return caps & AQ_CAP_PM4;
  return true;
}

static aq_edge_way way_choose(const aq_device_info *device, uint32_t caps)
{
  for (size_t i = 0; i < sizeof generations / sizeof *generations; i++) {
    const char *gfx = generations[i].gfx;
    if (device->gfx && strncmp(device->gfx, gfx, strlen(gfx)) == 0 &&
        way_is_served(generations[i].way, caps))
      return generations[i].way;
  }
  return caps & AQ_CAP_BARRIER_VALUE ? AQ_EDGE_BARRIER_VALUE
                                     : AQ_EDGE_BARRIER_AND;
}

static aq_status context_init(aq_context *context, aq_edge_way way,
                              aq_record_sink *records, aq_diag *diag)
{
  const aq_transport_info *info = &context->info;
  if (!way_is_served(way, info->caps))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s: queues cannot wait by %s packets",
                       context->ops->name, aq_edge_way_name(way));
  context->ways = calloc(info->device_count + 1, sizeof *context->ways);
  context->builtins = calloc(info->device_count + 1, sizeof *context->builtins);
  if (!context->ways || !context->builtins)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < info->device_count; i++) {
    context->ways[i] =
        way == AQ_EDGE_CHOOSE
            ? way_choose(&info->devices[i], aq_device_caps(info, i))
            : way;
    context->flagged |= context->ways[i] == AQ_EDGE_BARRIER_AND;
  }
  /* Host functions are the same everywhere; code is the device's own. */
  const bool same = context->info.caps & AQ_CAP_HOST_KERNELS;
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < context->info.device_count && status == AQ_OK; i++)
    if (i > 0 && same)
      context->builtins[i] = context->builtins[0];
    else
      status = aq_builtins_register(context->transport, i,
                                    &context->builtins[i], diag);
  for (uint32_t i = 0; i < info->device_count && status == AQ_OK; i++)
    context->builtins[i].wait =
        aq_value_wait_way(info, i, &context->builtins[i]);
  if (status == AQ_OK)
    status = aq_pools_create(context, diag);
  if (status == AQ_OK)
    status = aq_staging_create(context, diag);
  if (status == AQ_OK && records)
    status =
        aq_operation_rows_create(records, context->live, &context->rows, diag);
  return status;
}

aq_status aq_context_create(const aq_context_options *given, aq_context **out,
                            aq_diag *diag)
{
  aq_context_options chosen = {.way = AQ_EDGE_CHOOSE};
  const aq_context_options *options = &chosen;
  memcpy(&chosen, given, /* an older caller has fewer */
         given->size && given->size < sizeof chosen ? given->size
                                                    : sizeof chosen);
  if (!options->transport || (unsigned)options->way >= AQ_EDGE_WAY_COUNT)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "context options: expected an open transport and a "
                       "known way to wait");
  aq_context *context = calloc(1, sizeof *context);
  if (!context)
    return aq_diag_no_memory(diag);
  context->transport = options->transport;
  context->devices = options->devices;
  context->ops = options->transport->ops;
  context->ops->info(context->transport, &context->info);
  context->live = context->info.caps & AQ_CAP_LIVE;
  aq_status status = aq_sync_domain_acquire(context->transport, &context->info,
                                            &context->sync_domain, diag);
  if (status == AQ_OK)
    status = context_init(context, options->way, options->records, diag);
  const uint32_t caps = context->info.caps;
  context->marked =
      context->rows && options->packets && caps & AQ_CAP_PROFILING;
  context->timed = context->marked && !(caps & AQ_CAP_RECORDS);
  if (status != AQ_OK) {
    aq_context_destroy(context);
    return status;
  }
  *out = context;
  return AQ_OK;
}

static void builtins_release(aq_context *context)
{
  const bool same = context->info.caps & AQ_CAP_HOST_KERNELS;
  const uint32_t count = same ? 1 : context->info.device_count;
  for (uint32_t i = 0; context->builtins && i < count; i++)
    aq_builtins_release(context->transport, &context->builtins[i]);
}

void aq_context_destroy(aq_context *context)
{
  if (!context)
    return;
  const bool ended = aq_staging_destroy(context);
  builtins_release(context); /* its queues are gone */
  if (!ended) {
    /* Work that never ends could still touch the rest. The process keeps
     * nothing by the transport's address, which the next one may get. */
    aq_sync_domain_abandon(context->sync_domain);
    return;
  }
  aq_operation_rows_destroy(context->rows);
  aq_pools_destroy(context);
  aq_sync_domain_release(context->sync_domain);
  free(context->builtins);
  free(context->ways);
  free(context);
}

aq_status aq_context_records_flush(aq_context *context, aq_diag *diag)
{
  return context->rows ? aq_operation_rows_flush(context->rows, diag) : AQ_OK;
}

void aq_context_submit_hooks(aq_context *context, const aq_submit_hooks *hooks)
{
  context->hooks = hooks;
}

aq_transport *aq_context_transport(const aq_context *context)
{
  return context->transport;
}

aq_edge_way aq_context_edge_way(const aq_context *context, uint32_t device)
{
  return context->ways[device];
}
