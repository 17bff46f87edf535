/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/whatif/provenance.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "transport/registry/device_models.h"

static void basis_add(FILE *basis, const char *format, ...) AQ_PRINTF(2, 3);

/* Sentences are apart by semicolons. */
static void basis_add(FILE *basis, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  if (ftell(basis) > 0)
    fputs("; ", basis);
  vfprintf(basis, format, args);
  va_end(args);
}

/* Where a constant of the model in force comes from. */
static void source_add(const aq_whatif_variant *v, const char *key, FILE *basis)
{
  aq_device_model *model = NULL;
  aq_diag ignored = AQ_DIAG_INIT;
  if (aq_device_model_load(v->model, NULL, &model, &ignored) != AQ_OK)
    return;
  for (size_t i = 0; i < model->count; i++)
    if (strcmp(model->constants[i].key, key) == 0)
      basis_add(basis, "%s of %s is %s", key, v->model,
                model->constants[i].source);
  aq_device_model_free(model);
}

static void families_add(const aq_whatif_variant *v, FILE *basis)
{
  const char *gap = "";
  basis_add(basis, "predicted durations: assumed parts by family (");
  for (int i = 0; i < AQ_FAMILY_COUNT; i++)
    if (v->kernels[i] > 0) {
      fprintf(basis, "%s%" PRId64 " %s", gap, v->kernels[i],
              aq_family_name((aq_family)i));
      gap = ", ";
    }
  fputs(" kernels", basis);
  if (v->copies > 0)
    fprintf(basis, "; copies and fills: %" PRId64, v->copies);
  fputs(")", basis);
}

/* What collectives wait for, and how well the replays found it. */
static void collectives_add(const aq_whatif_variant *v, FILE *basis)
{
  const aq_collectives *c = v->of->collectives;
  if (c->count == 0)
    return;
  basis_add(basis,
            "%zu of %zu collective kernels wait for the last of %zu ranks: "
            "settled to %.1f us after %u replay%s",
            c->met, c->count, c->ranks, (double)v->unsettled / (double)AQ_US,
            v->replays, aq_text_plural(v->replays));
}

/* Rows that no change of the host moves. */
static void uncalled_add(const aq_whatif_variant *v, FILE *basis)
{
  const uint64_t uncalled = v->facts.uncalled;
  if (uncalled > 0)
    basis_add(basis,
              "%" PRIu64 " of %" PRIu64
              " rows without a host call: not changed",
              uncalled, uncalled + v->facts.calls);
}

static void change_basis(const aq_whatif_variant *v, const aq_change *change,
                         FILE *basis)
{
  switch (change->id) {
  case AQ_CHANGE_LAUNCH:
    basis_add(basis, "%" PRIu64 " submission%s of the trace's launch calls",
              v->facts.called_jobs, aq_text_plural(v->facts.called_jobs));
    uncalled_add(v, basis);
    break;
  case AQ_CHANGE_HOST:
    basis_add(basis, "%" PRIu64 " wait%s among the trace's host calls",
              v->facts.waits, aq_text_plural(v->facts.waits));
    if (v->ask.launch == 0) /* else it is said already */
      uncalled_add(v, basis);
    break;
  case AQ_CHANGE_GRAPHS:
    basis_add(basis, "%" PRIu64 " graph%s that a capture can record",
              v->facts.graphs, aq_text_plural(v->facts.graphs));
    source_add(v, "graph_per_node", basis);
    break;
  case AQ_CHANGE_DEVICE:
    basis_add(basis, "durations %s", v->measured_on);
    break;
  case AQ_CHANGE_CLOCK:
    families_add(v, basis);
    break;
  case AQ_CHANGE_BANDWIDTH:
    if (v->clock == 1)
      families_add(v, basis);
    break;
  case AQ_CHANGE_LINK:
    basis_add(
        basis,
        "%.1f of %.1f ms of %zu collective kernel%s in transfers; 28 us of "
        "each assumed fixed",
        (double)v->of->collectives->transfer / (double)AQ_MS,
        (double)(v->of->collectives->transfer + v->of->collectives->waiting) /
            (double)AQ_MS,
        v->of->collectives->count, aq_text_plural(v->of->collectives->count));
    break;
  case AQ_CHANGE_QUEUES:
    if (v->facts.edges)
      basis_add(basis, "%" PRIu64 " known or inferred dependency wait%s",
                v->facts.edges, aq_text_plural(v->facts.edges));
    else
      basis_add(basis, "no known or inferred dependencies");
    break;
  case AQ_CHANGE_SET:
    basis_add(basis, "device model %s, edited", v->model);
    break;
  case AQ_CHANGE_COUNT:
    break;
  }
}

char *aq_whatif_basis(const aq_whatif_variant *v, const aq_change *changes,
                      size_t count)
{
  char *text = NULL;
  size_t size;
  FILE *basis = open_memstream(&text, &size);
  if (!basis)
    return NULL;
  /* A model that several edits change is one sentence. */
  for (size_t i = 0; i < count; i++)
    if (!(i > 0 && changes[i].id == AQ_CHANGE_SET &&
          changes[i - 1].id == AQ_CHANGE_SET))
      change_basis(v, &changes[i], basis);
  if (count == 0)
    basis_add(basis, "closed loop on %s", v->model);
  if (count == 0 && v->facts.waits)
    basis_add(basis, "%" PRIu64 " host wait%s", v->facts.waits,
              aq_text_plural(v->facts.waits));
  else if (count == 0)
    basis_add(basis, "no host waits recorded; host timing fixed; ranges "
                     "include a host that waits for each row");
  if (count == 0)
    basis_add(basis, "durations %s", v->measured_on);
  if (count == 0 && v->facts.endless)
    basis_add(basis, "%" PRIu64 " row%s without an end: no time",
              v->facts.endless, aq_text_plural(v->facts.endless));
  collectives_add(v, basis);
  const bool failed = ferror(basis);
  if (fclose(basis) == 0 && !failed)
    return text;
  free(text);
  return NULL;
}
