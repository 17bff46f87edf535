/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/calibrate/probe_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "gpu/devlib/devlib.h"

static void text_keep(char *to, size_t size, const char *from)
{
  snprintf(to, size, "%s", from ? from : "");
}

static aq_status notes_make(const aq_run_info *info, aq_probed *out,
                            aq_diag *diag)
{
  aq_json_out *json = aq_json_out_begin(false);
  if (!json)
    return aq_diag_no_memory(diag);
  aq_json_out_map(json, NULL);
  if (info->kind == AQ_RUN_MEASURED && out->model[0])
    aq_json_out_text(json, "measured_on", "simulator");
  aq_device_probed_note(json, &out->result);
  aq_json_out_close_map(json);
  out->notes = aq_json_out_take(json);
  return out->notes ? AQ_OK : aq_diag_no_memory(diag);
}

static aq_status probe_store(aq_transport *t, aq_store *store,
                             aq_run_info *info, aq_probed *out, aq_diag *diag)
{
  aq_transport_info what;
  aq_store_writer *writer;
  t->ops->info(t, &what);
  const aq_device_info *device = &what.devices[0];
  text_keep(out->name, sizeof out->name, device->name);
  text_keep(out->gfx, sizeof out->gfx, device->gfx);
  text_keep(out->model, sizeof out->model, device->model);
  text_keep(out->hash, sizeof out->hash, device->model_hash);
  text_keep(out->verdict, sizeof out->verdict, device->verdict);
  if (device->model) {
    info->device_model = out->model;
    info->model_hash = out->hash;
    info->model_verdict = out->verdict;
  }
  info->kind = aq_run_measures(what.caps) ? AQ_RUN_MEASURED : AQ_RUN_SIMULATED;
  aq_status status = aq_store_writer_open(store, info, &writer, diag);
  if (status != AQ_OK)
    return status;
  out->run = aq_store_writer_run(writer);
  status = aq_device_probe(t, 0, aq_devlib_image, aq_store_writer_sink(writer),
                           &out->result, diag);
  if (status == AQ_OK)
    status = notes_make(info, out, diag);
  if (status != AQ_OK) {
    aq_store_writer_abort(writer);
    return status;
  }
  t->ops->info(t, &what);
  info->reproducible = what.reproducible;
  info->notes = out->notes;
  return aq_store_writer_finish(writer, info, diag);
}

aq_status aq_probe_perform(const aq_session *session, aq_store *store,
                           aq_run_info *info, aq_probed *out, aq_diag *diag)
{
  aq_transport *t;
  *out = (aq_probed){.run = AQ_NONE};
  info->source = "device probe";
  info->format = AQ_PROBE_FORMAT;
  info->transport = aq_transport_stack_name(session->transport);
  aq_status status = aq_session_open(session, NULL, &t, diag);
  if (status != AQ_OK)
    return status;
  status = probe_store(t, store, info, out, diag);
  t->ops->close(t);
  if (status != AQ_OK)
    aq_probed_fini(out);
  return status;
}

void aq_probed_fini(aq_probed *probed)
{
  free(probed->notes);
  probed->notes = NULL;
}
