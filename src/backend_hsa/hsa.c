/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_hsa/hsa.h"

#include <stdlib.h>
#include <string.h>

#include "backend_hsa/core.h"
#include "common/policy.h"

/* ---- options ---- */

typedef struct hsa_settings {
  const char *library; /* or NULL */
  bool objects_only;   /* as hardware: no host functions */
} hsa_settings;

static aq_status settings_read(const aq_transport_layer *layer,
                               hsa_settings *out, aq_diag *diag)
{
  static const char key[] = "lib=";
  *out = (hsa_settings){NULL, false};
  for (size_t i = 0; layer && layer->settings && layer->settings[i]; i++) {
    const char *setting = layer->settings[i];
    if (strncmp(setting, key, sizeof key - 1) == 0)
      out->library = setting + sizeof key - 1;
    else if (strcmp(setting, "kernels=objects") == 0)
      out->objects_only = true;
    else
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "transport hsa has no setting '%s'; expected lib=PATH "
                         "or kernels=objects",
                         setting);
  }
  return AQ_OK;
}

/* Calls that only a simulator accepts. */
static aq_status options_check(const aq_transport_options *options,
                               aq_diag *diag)
{
  if (options->edits && options->edits[0])
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "transport hsa: '%s' edits a device model, and hardware "
                       "has none",
                       options->edits[0]);
  if (options->policy)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "policy %s decides inside the device, which transport "
                       "hsa does not offer",
                       options->policy->ops->name);
  const char *what = options->semantics == AQ_SEMANTICS_FOUNDATION
                         ? "semantics but the runtime's own"
                     : options->pace.wall ? "pace"
                                          : NULL;
  if (what)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "transport hsa: hardware takes no %s", what);
  return AQ_OK;
}

/* ---- life ---- */

static void hsa_close(aq_transport *t)
{
  aqhsa *hsa = aqhsa_from(t);
  aqhsa_meter_close(hsa);
  aqhsa_events_close(hsa);
  if (hsa->initialized) {
    aqhsa_queues_close(hsa);
    aqhsa_signals_close(hsa);
    aqhsa_modules_close(hsa);
    aqhsa_memory_close(hsa);
    if (hsa->nap.handle)
      hsa->api->hsa_signal_destroy(hsa->nap);
    hsa->api->hsa_shut_down();
    aqhsa_events_shut(hsa);
  }
  aqhsa_signals_free(hsa);
  aqhsa_agents_close(hsa);
  aqhsa_library_close(&hsa->library);
  pthread_mutex_destroy(&hsa->queues_lock);
  pthread_mutex_destroy(&hsa->lock);
  free(hsa->done);
  free(hsa);
}

/* Whether the runtime is the simulator. Hardware's does not know the
 * extension. */
static void simulator_find(aqhsa *hsa)
{
  aq_hsa_sim sim = {0};
  if (hsa->api->hsa_system_get_major_extension_table(
          AQ_HSA_EXTENSION_SIM, AQ_HSA_SIM_MAJOR, sizeof sim, &sim) ==
          HSA_STATUS_SUCCESS &&
      sim.size >= sizeof sim)
    hsa->sim = sim;
}

static aq_status runtime_open(aqhsa *hsa, const aq_transport_options *options,
                              aq_diag *diag)
{
  hsa_status_t got = hsa->api->hsa_init();
  if (got != HSA_STATUS_SUCCESS)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "hsa: %s: hsa_init: %s (0x%x); is there an AMD GPU, and "
                       "may this user open /dev/kfd?",
                       hsa->library.path, aqhsa_status_text(hsa->api, got),
                       (unsigned)got);
  hsa->initialized = true;
  simulator_find(hsa);
  got = hsa->api->hsa_signal_create(0, 0, NULL, &hsa->nap);
  if (got != HSA_STATUS_SUCCESS)
    return aqhsa_fail(hsa->api, got, diag, "hsa_signal_create");
  aq_status status = aqhsa_agents_open(hsa, options->device, diag);
  if (status == AQ_OK)
    status = aqhsa_clock_open(hsa, options->epoch, diag);
  if (status == AQ_OK)
    aqhsa_events_open(hsa);
  return status;
}

static aq_status hsa_open(const aq_transport_options *options,
                          aq_transport **out, aq_diag *diag)
{
  hsa_settings settings;
  aq_status status = settings_read(options->layer, &settings, diag);
  if (status == AQ_OK)
    status = options_check(options, diag);
  if (status != AQ_OK)
    return status;
  aqhsa *hsa = calloc(1, sizeof *hsa);
  if (!hsa)
    return aq_diag_no_memory(diag);
  pthread_mutex_init(&hsa->lock, NULL);
  pthread_mutex_init(&hsa->queues_lock, NULL);
  hsa->base.ops = &aqhsa_transport_ops;
  hsa->api = &hsa->library.api;
  hsa->report = options->report;
  hsa->report_user = options->report_user;
  hsa->event = options->event;
  hsa->event_user = options->event_user;
  hsa->objects_only = settings.objects_only;
  status = aqhsa_library_find(settings.library, &hsa->library, diag);
  if (status == AQ_OK)
    status = aqhsa_library_bind(&hsa->library, AQHSA_API_ALL, diag);
  if (status == AQ_OK)
    status = runtime_open(hsa, options, diag);
  if (status == AQ_OK)
    status = aqhsa_meter_open(hsa, options, diag);
  if (status != AQ_OK) {
    hsa_close(&hsa->base);
    return status;
  }
  *out = &hsa->base;
  return AQ_OK;
}

static void hsa_info(aq_transport *t, aq_transport_info *out)
{
  const aqhsa *hsa = aqhsa_from(t);
  *out = (aq_transport_info){.caps = hsa->caps,
                             .device_count = hsa->device_count,
                             .devices = hsa->infos,
                             .links = hsa->links,
                             .link_count = hsa->link_count};
}

const aq_transport_ops aqhsa_transport_ops = {
    .abi = AQ_TRANSPORT_ABI,
    .size = sizeof(aq_transport_ops),
    .name = "hsa",
    .summary = "AMD GPUs through libhsa-runtime64",
    .open = hsa_open,
    .close = hsa_close,
    .info = hsa_info,
    .inspect = aqhsa_inspect,
    .mem_alloc = aqhsa_mem_alloc,
    .mem_free = aqhsa_mem_free,
    .mem_publish = aqhsa_mem_publish,
    .mem_lock = aqhsa_mem_lock,
    .mem_unlock = aqhsa_mem_unlock,
    .mem_visible = aqhsa_mem_visible,
    .copy_async = aqhsa_copy_async,
    .copy_submit = aqhsa_copy_submit,
    .copy_engines_idle = aqhsa_copy_engines_idle,
    .module_load = aqhsa_module_load,
    .module_unload = aqhsa_module_unload,
    .kernel_lookup = aqhsa_kernel_lookup,
    .kernel_register = aqhsa_kernel_register,
    .kernel_unregister = aqhsa_kernel_unregister,
    .kernel_describe = aqhsa_kernel_describe,
    .signal_create = aqhsa_signal_create,
    .signal_destroy = aqhsa_signal_destroy,
    .signal_load = aqhsa_signal_load,
    .signal_store = aqhsa_signal_store,
    .signal_update = aqhsa_signal_update,
    .signal_handler = aqhsa_signal_handler,
    .queue_create = aqhsa_queue_create,
    .queue_destroy = aqhsa_queue_destroy,
    .queue_doorbell = aqhsa_queue_doorbell,
    .queue_wait_space = aqhsa_queue_wait_space,
    .queue_control = aqhsa_queue_control,
    .now = aqhsa_now,
    .clock_correlate = aqhsa_clock_correlate,
    .wait = aqhsa_wait,
    .drain = aqhsa_drain,
    .sleep_until = aqhsa_sleep_until,
    .dispatch_times = aqhsa_dispatch_times,
};
