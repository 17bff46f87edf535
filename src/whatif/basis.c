/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "whatif/basis.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "transports/device_models.h"

static void basis_add(char *basis, size_t size, const char *format, ...)
    AQ_PRINTF(3, 4);

static void basis_add(char *basis, size_t size, const char *format, ...)
{
  const size_t used = strlen(basis);
  va_list args;
  va_start(args, format);
  if (used + 3 < size) {
    const int gap = used ? snprintf(basis + used, size - used, "; ") : 0;
    vsnprintf(basis + used + gap, size - used - (size_t)gap, format, args);
  }
  va_end(args);
}

/* Where a constant of the model in force comes from. */
static void source_add(const aq_whatif_variant *v, const char *key, char *basis,
                       size_t size)
{
  aq_device_model *model = NULL;
  aq_diag ignored = AQ_DIAG_INIT;
  if (aq_device_model_load(v->model, NULL, &model, &ignored) != AQ_OK)
    return;
  for (size_t i = 0; i < model->count; i++)
    if (strcmp(model->constants[i].key, key) == 0)
      basis_add(basis, size, "%s of %s is %.40s", key, v->model,
                model->constants[i].source);
  aq_device_model_free(model);
}

static void families_add(const aq_whatif_variant *v, char *basis, size_t size)
{
  char text[256] = "";
  for (int i = 0; i < AQ_FAMILY_COUNT; i++)
    if (v->kernels[i] > 0) {
      const size_t used = strlen(text);
      snprintf(text + used, sizeof text - used, "%s%" PRId64 " %s",
               used ? ", " : "", v->kernels[i], aq_family_name((aq_family)i));
    }
  basis_add(basis, size,
            "predicted durations: assumed parts by family (%s kernels)", text);
}

/* What collectives wait for, and how well the replays found it. */
static void collectives_add(const aq_whatif_variant *v, char *basis,
                            size_t size)
{
  const aq_collectives *c = v->of->collectives;
  if (c->count == 0)
    return;
  basis_add(basis, size,
            "%zu of %zu collective kernels wait for the last of %zu ranks, "
            "within %.1f us after %u replays",
            c->met, c->count, c->ranks, (double)v->unsettled / (double)AQ_US,
            v->replays);
}

static void change_basis(const aq_whatif_variant *v, const aq_change *change,
                         char *basis, size_t size)
{
  switch (change->id) {
  case AQ_CHANGE_LAUNCH:
    basis_add(basis, size, "the trace's launch calls (%" PRIu64 " submissions)",
              v->facts.jobs);
    break;
  case AQ_CHANGE_HOST:
    basis_add(basis, size, "the trace's host calls; %" PRIu64 " waits",
              v->facts.waits);
    break;
  case AQ_CHANGE_GRAPHS:
    basis_add(basis, size, "%" PRIu64 " graphs that a capture can hold",
              v->facts.graphs);
    source_add(v, "graph_per_node", basis, size);
    break;
  case AQ_CHANGE_DEVICE:
    basis_add(basis, size, "durations %s", v->measured_on);
    break;
  case AQ_CHANGE_CLOCK:
    families_add(v, basis, size);
    break;
  case AQ_CHANGE_BANDWIDTH:
    if (v->clock == 1)
      families_add(v, basis, size);
    break;
  case AQ_CHANGE_LINK:
    basis_add(
        basis, size,
        "transfers of %zu collective kernels, %.1f of their %.1f ms; 28 "
        "us of each assumed fixed",
        v->of->collectives->count,
        (double)v->of->collectives->transfer / (double)AQ_MS,
        (double)(v->of->collectives->transfer + v->of->collectives->waiting) /
            (double)AQ_MS);
    break;
  case AQ_CHANGE_QUEUES:
    basis_add(basis, size, "%" PRIu64 " known or inferred dependencies",
              v->facts.edges);
    break;
  case AQ_CHANGE_SET:
    basis_add(basis, size, "device model %s, edited", v->model);
    break;
  case AQ_CHANGE_COUNT:
    break;
  }
}

void aq_whatif_basis(const aq_whatif_variant *v, const aq_change *changes,
                     size_t count, char *basis, size_t size)
{
  for (size_t i = 0; i < count; i++)
    change_basis(v, &changes[i], basis, size);
  if (count == 0)
    basis_add(basis, size,
              "closed loop on %s, %" PRIu64 " waits%s; durations %s", v->model,
              v->facts.waits,
              v->facts.waits ? "" : " known: no call follows the device",
              v->measured_on);
  collectives_add(v, basis, size);
}
