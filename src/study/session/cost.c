/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/cost.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "gpu/duration/roofline.h"
#include "transport/registry/device_models.h"

struct aq_session_cost {
  aq_executed_mode mode;
  aq_rates *rates; /* by device */
  uint32_t count;
};

aq_status aq_session_cost_create(const char *text, aq_session_cost **out,
                                 aq_diag *diag)
{
  aq_executed_mode mode = AQ_EXECUTED_NONE;
  *out = NULL;
  aq_status status = aq_executed_mode_read(text, &mode, diag);
  if (status != AQ_OK)
    return aq_diag_prefix(diag, "cost");
  if (mode == AQ_EXECUTED_NONE)
    return AQ_OK;
  aq_session_cost *cost = calloc(1, sizeof *cost);
  if (!cost)
    return aq_diag_no_memory(diag);
  cost->mode = mode;
  *out = cost;
  return AQ_OK;
}

void aq_session_cost_destroy(aq_session_cost *cost)
{
  if (!cost)
    return;
  free(cost->rates);
  free(cost);
}

bool aq_session_cost_samples(const aq_session_cost *cost)
{
  return cost && cost->mode == AQ_EXECUTED_SAMPLED;
}

bool aq_session_cost_is_auto(const aq_session_cost *cost)
{
  return cost->mode == AQ_EXECUTED_AUTO;
}

static int64_t model_number(const void *model, const char *key)
{
  return aq_device_model_number(model, key);
}

static aq_time work_time(const aq_counted *row, void *user)
{
  const aq_session_cost *cost = user;
  return aq_executed_predict(row, &cost->rates[row->device]).time;
}

/* The model of a device of a selector, "mi300x*2,./own.device". */
static bool selected(const char *devices, uint32_t device, char *out,
                     size_t size)
{
  uint32_t before = 0;
  for (const char *at = devices; *at;) {
    const size_t length = strcspn(at, ","), name = strcspn(at, "*,");
    const uint32_t times =
        at[name] == '*' ? (uint32_t)strtoul(at + name + 1, NULL, 10) : 1;
    if (device < before + times) {
      snprintf(out, size, "%.*s", (int)name, at);
      return true;
    }
    before += times;
    at += length + (at[length] == ',');
  }
  return false;
}

aq_status aq_session_model_load(const aq_transport_info *info, uint32_t device,
                                const char *devices, const char *const *edits,
                                aq_device_model **out, aq_diag *diag)
{
  char name[4096];
  const bool found = devices && selected(devices, device, name, sizeof name);
  return aq_device_model_load(found ? name : info->devices[device].model, edits,
                              out, diag);
}

static aq_status devices_read(aq_session_cost *cost,
                              const aq_transport_info *info,
                              const char *devices, const char *const *edits,
                              aq_diag *diag)
{
  aq_status status = AQ_OK;
  free(cost->rates);
  cost->count = info->device_count;
  cost->rates = calloc(cost->count, sizeof *cost->rates);
  if (!cost->rates)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < cost->count && status == AQ_OK; i++) {
    aq_device_model *model;
    status = aq_session_model_load(info, i, devices, edits, &model, diag);
    if (status == AQ_OK) {
      aq_rates_read(&cost->rates[i], aq_device_model_text(model, "gfx"),
                    model_number, model);
      aq_device_model_free(model);
    }
  }
  return status;
}

aq_status aq_session_cost_open(aq_session_cost *cost, aq_transport_stack *stack,
                               aq_transport *t, const char *devices,
                               const char *const *edits, aq_diag *diag)
{
  aq_transport_info info;
  if (!cost)
    return AQ_OK;
  t->ops->info(t, &info);
  if (cost->mode == AQ_EXECUTED_AUTO &&
      (info.device_count == 0 || !info.devices[0].model ||
       aq_transport_stack_is_hardware(stack)))
    return AQ_OK;
  if (info.device_count == 0 || !info.devices[0].model)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "cost: transport %s has no device model; expected a "
                       "simulator, which executes the code of kernels",
                       t->ops->name);
  aq_status status = devices_read(cost, &info, devices, edits, diag);
  if (status != AQ_OK)
    return status;
  const aq_transport_counting counting = {
      .sampled = aq_session_cost_samples(cost),
      .repeats = aq_session_cost_is_auto(cost),
      .xccs = (uint32_t)cost->rates[0].xccs,
      .time = work_time,
      .user = cost};
  return aq_transport_stack_count(stack, &counting, diag);
}

const char *aq_session_cost_durations(const aq_store_writer *writer,
                                      const char *otherwise,
                                      char text[AQ_STORE_DURATIONS_SIZE])
{
  uint64_t kernels;
  const uint64_t predicted = aq_store_writer_predicted(writer, &kernels);
  const uint64_t known = predicted + aq_store_writer_executed(writer);
  const char *told = aq_store_writer_durations(
      writer, predicted > 0 ? AQ_EXECUTED_DURATIONS : otherwise, text);
  if (predicted == 0 || known == kernels)
    return told;
  if (told != text)
    snprintf(text, AQ_STORE_DURATIONS_SIZE, "%s", told);
  const size_t length = strlen(text);
  snprintf(text + length, AQ_STORE_DURATIONS_SIZE - length,
           "; assumed: %" PRIu64 " of %" PRIu64 " kernel%s", kernels - known,
           kernels, aq_text_plural(kernels));
  return text;
}
