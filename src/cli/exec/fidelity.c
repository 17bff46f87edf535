/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/fidelity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exec/fidelity_facts.h"
#include "common/json_out.h"
#include "common/spool.h"
#include "common/text.h"
#include "gpu/wave/observe/exactness.h"

struct aq_fidelity {
  const char *file; /* borrowed */
  FILE *out;
  aq_json_out *json; /* or NULL: text */
  const char *chosen;
  uint32_t processes;
};

/* One process's part of the report. */
typedef struct part {
  FILE *out;
  aq_json_out *json;
  const aq_fidelity_facts *facts;
} part;

static const struct {
  const char *key, *text;
} ways[AQ_BY_COUNT] = {
    [AQ_BY_CODE] = {"machine code", "executed by their machine code"},
    [AQ_BY_PLUG_IN] = {"plug-in", "executed by a host function of a plug-in"},
    [AQ_BY_BUILT_IN] = {"built-in", "executed by a built-in host function"},
    [AQ_BY_NOTHING] = {"nothing", "not executed: they took time and computed "
                                  "nothing"},
    [AQ_BY_REFUSED] = {"refused", "not executed"},
    [AQ_BY_SEVERAL] = {"several", "executed in several ways, by device"},
    [AQ_BY_UNKNOWN] = {"unknown", "executed in an unknown way"},
};

/* ---- opening ---- */

aq_status aq_fidelity_open(const char *file, bool json, aq_fidelity **out,
                           aq_diag *diag)
{
  *out = NULL;
  if (!file)
    return AQ_OK;
  aq_fidelity *f = calloc(1, sizeof *f);
  if (!f)
    return aq_diag_no_memory(diag);
  *f = (aq_fidelity){.file = file,
                     .json = json ? aq_json_out_begin(true) : NULL};
  if (json && !f->json) {
    free(f);
    return aq_diag_no_memory(diag);
  }
  f->out = strcmp(f->file, "-") == 0 ? stderr : fopen(f->file, "we");
  if (!f->out) {
    aq_diag_set(diag, AQ_ERR_IO, "--report-fidelity %s: %s", f->file,
                strerror(errno));
    aq_json_out_drop(f->json);
    free(f);
    return AQ_ERR_IO;
  }
  if (f->json) {
    aq_json_out_map(f->json, NULL);
    aq_json_out_array(f->json, "processes");
  }
  *out = f;
  return AQ_OK;
}

void aq_fidelity_device(aq_fidelity *f, const char *asked, const char *chosen)
{
  if (f)
    f->chosen = asked    ? "by the user"
                : chosen ? "by the program's code objects"
                         : "by the files that the process had loaded, else as "
                           "the default";
}

aq_status aq_fidelity_close(aq_fidelity **fidelity, aq_diag *diag)
{
  aq_fidelity *f = *fidelity;
  bool done = true;
  *fidelity = NULL;
  if (!f)
    return AQ_OK;
  if (f->json) {
    aq_json_out_close_array(f->json);
    aq_json_out_close_map(f->json);
    done = aq_json_out_end(f->json, f->out);
  } else if (f->processes == 0) {
    fprintf(f->out, "no process opened HSA: there is nothing to report\n");
  }
  done &= ferror(f->out) == 0;
  done &= (f->out == stderr ? fflush(f->out) : fclose(f->out)) == 0;
  aq_status status =
      done ? AQ_OK
           : aq_diag_set(diag, AQ_ERR_IO,
                         "--report-fidelity %s: it cannot be written", f->file);
  free(f);
  return status;
}

/* ---- kernels ---- */

static void way_print(const part *p, aq_fidelity_by by)
{
  bool first = true;
  for (size_t i = 0; i < p->facts->kernel_count; i++) {
    const aq_fidelity_kernel *kernel = &p->facts->kernels[i];
    if (aq_fidelity_kernel_by(kernel) != by ||
        !aq_fidelity_kernel_counts(kernel))
      continue;
    if (p->json) {
      aq_json_out *json = p->json;
      aq_json_out_map(json, NULL);
      aq_json_out_text(json, "name", kernel->name);
      aq_json_out_text(json, "by", ways[aq_fidelity_kernel_by(kernel)].key);
      aq_json_out_int(json, "dispatches", (int64_t)kernel->dispatches);
      aq_json_out_int(json, "failed", (int64_t)kernel->failed);
      aq_json_out_int(json, "executed_ends", (int64_t)kernel->ends);
      if (kernel->instructions > 0) {
        aq_json_out_int(json, "instructions", (int64_t)kernel->instructions);
        aq_json_out_bool(json, "calls_unknown_addresses", kernel->indirect);
      }
      aq_json_out_text(json, "refused", kernel->refused);
      aq_json_out_close_map(json);
      continue;
    }
    if (first)
      fprintf(p->out, "  kernels %s:\n", ways[by].text);
    first = false;
    FILE *out = p->out;
    fprintf(out, "    %s: dispatches %" PRIu64, kernel->name,
            kernel->dispatches);
    if (kernel->failed > 0)
      fprintf(out, ", failed %" PRIu64, kernel->failed);
    if (kernel->indirect)
      fprintf(out, "; with indirect calls");
    fprintf(out, "%s%s\n", kernel->refused ? ": " : "",
            kernel->refused ? kernel->refused : "");
  }
}

/* ---- instructions that are not exact ---- */

/* "v_exp_f32 2, v_rcp_f32 1" of each kernel that has some of the class. */
static void class_text(const part *p, const aq_wave_class *class)
{
  const aq_fidelity_facts *f = p->facts;
  fprintf(p->out, "  approximate, %s: %s\n", class->key, class->text);
  for (size_t k = 0; k < f->kernel_count; k++) {
    const char *before = f->kernels[k].name, *mark = ": ";
    for (size_t i = 0; i < f->inexact_count; i++) {
      const aq_fidelity_inexact *inexact = &f->inexact[i];
      if (inexact->kernel != k || strcmp(inexact->class, class->key) != 0)
        continue;
      fprintf(p->out, "%s%s%s%s %" PRIu64, *before ? "    " : "", before, mark,
              inexact->instruction, inexact->count);
      before = "";
      mark = ", ";
    }
    if (!*before)
      fputc('\n', p->out);
  }
}

static void class_json(const part *p, const aq_wave_class *class)
{
  aq_json_out_map(p->json, NULL);
  aq_json_out_text(p->json, "class", class->key);
  aq_json_out_text(p->json, "meaning", class->text);
  aq_json_out_array(p->json, "instructions");
  for (size_t i = 0; i < p->facts->inexact_count; i++)
    if (strcmp(p->facts->inexact[i].class, class->key) == 0) {
      const aq_fidelity_inexact *inexact = &p->facts->inexact[i];
      aq_json_out_map(p->json, NULL);
      aq_json_out_text(p->json, "kernel",
                       p->facts->kernels[inexact->kernel].name);
      aq_json_out_text(p->json, "instruction", inexact->instruction);
      aq_json_out_int(p->json, "count", (int64_t)inexact->count);
      aq_json_out_close_map(p->json);
    }
  aq_json_out_close_array(p->json);
  aq_json_out_close_map(p->json);
}

static bool class_occurs(const aq_fidelity_facts *f, const char *key)
{
  for (size_t i = 0; i < f->inexact_count; i++)
    if (strcmp(f->inexact[i].class, key) == 0)
      return true;
  return false;
}

static void functions_print(const part *p)
{
  const aq_fidelity_facts *f = p->facts;
  if (p->json)
    aq_json_out_array(p->json, "unsupported_functions");
  else
    fprintf(p->out, "  unsupported HSA functions that were called:%s\n",
            f->function_count ? "" : " none");
  for (size_t i = 0; i < f->function_count; i++) {
    if (p->json)
      aq_json_out_text(p->json, NULL, f->functions[i]);
    else
      fprintf(p->out, "    %s\n", f->functions[i]);
  }
  if (p->json)
    aq_json_out_close_array(p->json);
}

/* ---- the head ---- */

static void head_text(const aq_fidelity *f, const part *p,
                      const aq_run_info *info, int64_t run, int64_t pid)
{
  fprintf(p->out, "fidelity of run %" PRId64 ", process %" PRId64 " of %s\n",
          run, pid, info->source ? info->source : "?");
  fprintf(p->out, "  device: %s (%s), chosen %s\n",
          info->device_model ? info->device_model : "?",
          *p->facts->gfx ? p->facts->gfx : "?", f->chosen ? f->chosen : "?");
  fprintf(p->out,
          "  times: durations %s; the device model's constants are %s\n",
          info->durations ? info->durations : "?",
          !info->model_verdict                         ? "unknown"
          : strcmp(info->model_verdict, "partly") == 0 ? "partly calibrated"
                                                       : info->model_verdict);
  if (info->left_out != AQ_NONE && info->left_out > 0)
    fprintf(p->out,
            "  %" PRId64 " row%s left out (--record, --record-limit): "
            "dispatches not counted\n",
            info->left_out, aq_text_plural(info->left_out));
}

/* ---- a process ---- */

static void part_print(aq_fidelity *f, const part *p, const aq_run_info *info,
                       int64_t run, int64_t pid)
{
  if (p->json) {
    aq_json_out_map(p->json, NULL);
    aq_json_out_int(p->json, "run", run);
    aq_json_out_int(p->json, "pid", pid);
    aq_json_out_text(p->json, "program", info->source);
    aq_json_out_map(p->json, "device");
    aq_json_out_text(p->json, "model", info->device_model);
    aq_json_out_text(p->json, "gfx", *p->facts->gfx ? p->facts->gfx : NULL);
    aq_json_out_text(p->json, "chosen", f->chosen);
    aq_json_out_text(p->json, "constants", info->model_verdict);
    aq_json_out_close_map(p->json);
    aq_json_out_text(p->json, "durations", info->durations);
    aq_json_out_int(p->json, "rows_left_out", info->left_out);
    aq_json_out_bool(p->json, "facts", p->facts->found);
  } else {
    head_text(f, p, info, run, pid);
  }
  if (p->json)
    aq_json_out_array(p->json, "kernels");
  for (unsigned by = 0; by < AQ_BY_COUNT; by++)
    way_print(p, (aq_fidelity_by)by);
  if (p->json)
    aq_json_out_close_array(p->json);
  const aq_wave_class *class;
  if (p->json)
    aq_json_out_array(p->json, "approximate");
  else
    fprintf(p->out, "  exact: copies and fills, and all other instructions of "
                    "executed machine code\n");
  for (size_t i = 0; (class = aq_wave_class_at(i)); i++)
    if (class_occurs(p->facts, class->key))
      (p->json ? class_json : class_text)(p, class);
  if (p->json)
    aq_json_out_close_array(p->json);
  else if (p->facts->inexact_count == 0)
    fprintf(p->out, "  approximate: nothing of executed machine code\n");
  functions_print(p);
  if (p->json)
    aq_json_out_close_map(p->json);
}

aq_status aq_fidelity_add(aq_fidelity *f, aq_store *store,
                          const aq_run_info *info, int64_t run, int64_t pid,
                          const char *files, aq_diag *diag)
{
  aq_fidelity_facts facts;
  char *path;
  if (!f)
    return AQ_OK;
  if (asprintf(&path, "%s" AQ_SPOOL_FIDELITY, files) < 0)
    return aq_diag_no_memory(diag);
  aq_status status = aq_fidelity_facts_read(path, store, run, &facts, diag);
  if (status == AQ_OK) {
    const part p = {f->out, f->json, &facts};
    f->processes++;
    part_print(f, &p, info, run, pid);
  }
  aq_fidelity_facts_fini(&facts);
  free(path);
  return status;
}
