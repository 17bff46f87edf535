/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/hooks.h"

#include <stdlib.h>

#include "dropin/hsa/instrument/fault_injection.h"
#include "dropin/hsa/record/capture.h"
#include "dropin/hsa/record/capture_memory.h"

struct aqdrop_hooks {
  aq_device_hooks table;
  aqdrop_faults faults;
  aqdrop_capture *capture; /* NULL: none */
  aqdrop_capture_memory *contents;
};

static aq_packet_fate hook_packet(void *user, uint32_t queue, uint64_t id,
                                  aq_packet *packet)
{
  aqdrop_hooks *hooks = user;
  if (hooks->capture)
    aqdrop_capture_packet(hooks->capture, queue, id, packet);
  return aqdrop_faults_packet(&hooks->faults, queue, id, packet);
}

static aq_time hook_copy(void *user, size_t size)
{
  aqdrop_hooks *hooks = user;
  (void)size;
  return aqdrop_faults_copy(&hooks->faults);
}

static bool hook_allocation(void *user)
{
  aqdrop_hooks *hooks = user;
  return aqdrop_faults_allocation(&hooks->faults);
}

static bool hook_interrupt(void *user, aq_signal signal)
{
  (void)user;
  (void)signal;
  return true;
}

static void hook_completing(void *user, aq_signal signal, aq_time now,
                            bool done)
{
  aqdrop_hooks *hooks = user;
  aqdrop_capture_completing(hooks->capture, signal, now, done);
}

static void hook_noticed(void *user, aq_time now)
{
  aqdrop_hooks *hooks = user;
  aqdrop_capture_noticed(hooks->capture, now);
}

aq_status aqdrop_hooks_create(aqdrop_hooks **out, aq_diag *diag)
{
  const char *faults = secure_getenv("AQUEDUCT_EXEC_FAULTS");
  const char *capture = secure_getenv("AQUEDUCT_CAPTURE");
  *out = NULL;
  if ((!faults || !*faults) && (!capture || !*capture))
    return AQ_OK;
  aqdrop_hooks *hooks = calloc(1, sizeof *hooks);
  if (!hooks)
    return aq_diag_no_memory(diag);
  hooks->table = (aq_device_hooks){.size = sizeof hooks->table,
                                   .user = hooks,
                                   .interrupt = hook_interrupt,
                                   .copy_start = hook_copy,
                                   .allocation = hook_allocation,
                                   .packet = hook_packet};
  aq_status status =
      aqdrop_faults_read(faults ? faults : "", &hooks->faults, diag);
  if (status == AQ_OK && capture && *capture)
    status = aqdrop_capture_create(capture, &hooks->capture, diag);
  if (hooks->capture) {
    hooks->table.completing = hook_completing;
    hooks->table.noticed = hook_noticed;
  }
  if (status == AQ_OK)
    *out = hooks;
  else
    aqdrop_hooks_destroy(hooks);
  return status;
}

void aqdrop_hooks_destroy(aqdrop_hooks *hooks)
{
  if (!hooks)
    return;
  aqdrop_capture_memory_destroy(hooks->contents);
  aqdrop_capture_destroy(hooks->capture);
  aqdrop_faults_fini(&hooks->faults);
  free(hooks);
}

const aq_device_hooks *aqdrop_hooks_table(const aqdrop_hooks *hooks)
{
  return hooks ? &hooks->table : NULL;
}

aq_status aqdrop_hooks_executor(aqdrop_hooks *hooks, const aq_executor *inner,
                                const aq_executor **out, aq_diag *diag)
{
  *out = inner;
  if (!hooks || !hooks->capture)
    return AQ_OK;
  aq_status status = aqdrop_capture_memory_create(hooks->capture, inner,
                                                  &hooks->contents, diag);
  if (status == AQ_OK)
    *out = aqdrop_capture_memory_executor(hooks->contents);
  return status;
}

void aqdrop_hooks_end(aqdrop_hooks *hooks, aq_transport *transport)
{
  if (hooks && hooks->capture && transport)
    aqdrop_capture_end(hooks->capture, transport->ops->now(transport));
}

/* Without memory for the signal, no dependency gets lost. */
void aqdrop_hooks_attach(aqdrop_hooks *hooks, aq_transport *transport)
{
  const aq_signal_desc desc = {.value = 1, .user = UINT64_MAX};
  if (!hooks)
    return;
  if (hooks->capture && transport)
    aqdrop_capture_attach(hooks->capture, transport);
  if (hooks->faults.count == 0)
    return;
  if (transport && transport->ops->signal_create(
                       transport, &desc, &hooks->faults.never, NULL) != AQ_OK)
    hooks->faults.never.handle = 0;
}
