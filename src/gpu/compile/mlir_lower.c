/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/compile/mlir_lower.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/compile/mlir_objects.h"
#include "gpu/compile/subprocess.h"
#include "gpu/compile/temp_dir.h"
#include "gpu/compile/tools.h"

/* Counts into the key of cached results: changes with what this file does. */
enum { FORMAT = 1 };

/* ---- the pipeline ---- */

/* Kernels are outlined before the host's part is lowered, since both need the
 * gpu dialect's operations. */
static const char pipeline_text[] =
    "builtin.module(lower-affine,gpu-kernel-outlining,"
    "gpu.module(strip-debuginfo,convert-vector-to-scf,lower-affine,"
    "convert-scf-to-cf,expand-strided-metadata,"
    "convert-amdgpu-to-rocdl{chipset=%chip},"
    "convert-gpu-to-rocdl{chipset=%chip runtime=HIP},"
    "reconcile-unrealized-casts),"
    "rocdl-attach-target{chip=%chip O=3},"
    "convert-vector-to-scf,convert-scf-to-cf,expand-strided-metadata,"
    "lower-affine,convert-math-to-llvm,gpu-to-llvm,convert-vector-to-llvm,"
    "convert-cf-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,"
    "convert-index-to-llvm,finalize-memref-to-llvm,"
    "reconcile-unrealized-casts,gpu-module-to-binary{format=%form})";

static void replaced_write(FILE *to, const char *text, const char *chip,
                           const char *form)
{
  while (*text) {
    if (strncmp(text, "%chip", 5) == 0)
      fputs(chip, to);
    else if (strncmp(text, "%form", 5) == 0)
      fputs(form, to);
    else {
      fputc(*text++, to);
      continue;
    }
    text += 5;
  }
}

char *aq_lower_pipeline(const aq_lower_ask *ask)
{
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to)
    return NULL;
  replaced_write(to, ask->pipeline ? ask->pipeline : pipeline_text, ask->chip,
                 ask->form);
  if (fclose(to) == 0)
    return text;
  free(text);
  return NULL;
}

/* ---- tools ---- */

typedef struct lowering {
  const aq_lower_ask *ask;
  aq_lowered *out;
  char *opt, *lld, *libraries; /* the last: NULL where there are none */
  char *pipeline;
  char *input; /* the MLIR */
  size_t input_size;
  char *folder; /* for files of this invocation */
} lowering;

static bool link_put(const char *folder, const char *below, const char *name,
                     const char *to)
{
  char *inner = aq_folder_path(folder, below);
  char *path = inner ? aq_folder_path(inner, name) : NULL;
  const bool made = path && aq_folder_ensure(inner, NULL) == AQ_OK &&
                    (!to || symlink(to, path) == 0);
  free(path);
  free(inner);
  return made;
}

/* The folder that gpu-module-to-binary takes for an installation of ROCm. */
static aq_status toolkit_make(const lowering *l, aq_diag *diag)
{
  const bool made = link_put(l->folder, "llvm", "", NULL) &&
                    link_put(l->folder, "llvm/bin", "ld.lld", l->lld) &&
                    link_put(l->folder, "amdgcn", "bitcode", l->libraries);
  return made ? AQ_OK
              : aq_diag_set(diag, AQ_ERR_IO, "%s: the toolkit: %s", l->folder,
                            strerror(errno));
}

/* ---- the cache ---- */

static char *cache_find(const lowering *l)
{
  const unsigned char format = FORMAT;
  const aq_lower_ask *ask = l->ask;
  aq_cache_key key = aq_cache_key_begin();
  aq_cache_key_add(&key, &format, 1);
  aq_cache_key_add(&key, l->input, l->input_size);
  aq_cache_key_add(&key, l->pipeline, strlen(l->pipeline));
  aq_cache_key_add(&key, ask->chip, strlen(ask->chip));
  aq_cache_key_add_file(&key, l->opt);
  aq_cache_key_add_file(&key, l->lld);
  if (l->libraries) {
    char *ocml = aq_folder_path(l->libraries, "ocml.bc");
    if (ocml)
      aq_cache_key_add_file(&key, ocml);
    free(ocml);
  }
  return aq_cache_path(&key, ".mlir");
}

/* ---- lowering ---- */

static aq_status opt_run(const lowering *l, const char *to, aq_diag *diag)
{
  aq_child child = {0};
  char *passes = NULL, *messages = NULL, *libraries = NULL;
  if (asprintf(&passes, "--pass-pipeline=%s", l->pipeline) < 0)
    return aq_diag_no_memory(diag);
  if (l->ask->keep)
    messages = aq_folder_path(l->ask->keep, "messages.txt");
  aq_child_add(&child, l->opt);
  aq_child_add(&child, l->ask->path);
  aq_child_add(&child, passes);
  aq_child_add(&child, "-o");
  aq_child_add(&child, to);
  setenv("ROCM_PATH", l->folder, 1);
  aq_status status = aq_child_run(&child, messages, diag);
  if (status == AQ_ERR_INPUT && !l->libraries && strstr(diag->text, "amdgcn"))
    status = aq_device_libraries_find(&libraries, diag); /* words it instead */
  free(libraries);
  free(messages);
  free(passes);
  return status;
}

static aq_status lowered_make(lowering *l, const char *cached, aq_diag *diag)
{
  char *text = NULL, *raw = aq_folder_path(l->folder, "raw.mlir");
  size_t size = 0;
  aq_status status = raw ? toolkit_make(l, diag) : aq_diag_no_memory(diag);
  if (status == AQ_OK) {
    /* ROCM_PATH is MLIR's way to learn of the toolkit; ours again afterwards.
     */
    const char *before = getenv("ROCM_PATH");
    char *own = before ? strdup(before) : NULL;
    status = opt_run(l, raw, diag);
    if (own)
      setenv("ROCM_PATH", own, 1);
    else
      unsetenv("ROCM_PATH");
    free(own);
  }
  if (status == AQ_OK)
    status = aq_file_read(raw, &text, &size, diag);
  if (status == AQ_OK) {
    status = aq_mlir_objects_choose(text, size, l->ask->chip, &l->out->text,
                                    &l->out->size, diag);
    if (status == AQ_ERR_INPUT)
      aq_diag_prefix(diag, "%s", l->ask->path);
  }
  free(text);
  free(raw);
  if (status == AQ_OK && cached)
    aq_cache_put(cached, l->out->text, l->out->size);
  return status;
}

/* Where mlir-runner reads it: the cache, else a file of this invocation. */
static aq_status lowered_place(lowering *l, char *cached, aq_diag *diag)
{
  aq_lowered *out = l->out;
  if (cached && access(cached, R_OK) == 0) {
    out->path = cached;
    return AQ_OK;
  }
  free(cached);
  out->path = aq_folder_path(l->folder, "lowered.mlir");
  if (!out->path)
    return aq_diag_no_memory(diag);
  out->folder = l->folder;
  l->folder = NULL;
  return aq_file_write(out->path, out->text, out->size, diag);
}

static aq_status lower(lowering *l, aq_diag *diag)
{
  aq_lowered *out = l->out;
  aq_status status =
      aq_file_read(l->ask->path, &l->input, &l->input_size, diag);
  if (status == AQ_OK) {
    status = aq_tool_find(AQ_TOOL_MLIR_OPT, &l->opt, diag);
    if (status == AQ_OK)
      status = aq_tool_find_beside(AQ_TOOL_LLD, l->opt, &l->lld, diag);
    if (status == AQ_OK) /* code that calls none of them needs none */
      aq_device_libraries_find(&l->libraries, NULL);
    if (status == AQ_OK && !(l->pipeline = aq_lower_pipeline(l->ask)))
      status = aq_diag_no_memory(diag);
  }
  if (status != AQ_OK)
    return status;
  char *cached = cache_find(l);
  out->cached =
      cached && aq_file_read(cached, &out->text, &out->size, NULL) == AQ_OK;
  if (!out->cached) {
    status = aq_folder_make(&l->folder, diag);
    if (status == AQ_OK)
      status = lowered_make(l, cached, diag);
  }
  if (status == AQ_OK)
    return lowered_place(l, cached, diag);
  free(cached);
  return status;
}

aq_status aq_lower(const aq_lower_ask *ask, aq_lowered *out, aq_diag *diag)
{
  lowering l = {.ask = ask, .out = out};
  *out = (aq_lowered){0};
  aq_status status = ask->keep ? aq_folder_ensure(ask->keep, diag) : AQ_OK;
  if (status == AQ_OK)
    status = lower(&l, diag);
  if (status == AQ_OK && ask->keep) {
    char *path = aq_folder_path(ask->keep, "lowered.mlir");
    status = path ? aq_file_write(path, out->text, out->size, diag)
                  : aq_diag_no_memory(diag);
    free(path);
  }
  aq_folder_remove(l.folder);
  free(l.opt);
  free(l.lld);
  free(l.libraries);
  free(l.pipeline);
  free(l.input);
  if (status != AQ_OK)
    aq_lowered_fini(out);
  return status;
}

void aq_lowered_fini(aq_lowered *lowered)
{
  aq_folder_remove(lowered->folder);
  free(lowered->path);
  free(lowered->text);
  *lowered = (aq_lowered){0};
}

/* ---- the entry ---- */

/* "() -> i32 ATTRIBUTES {": the type of the result; NULL: it has arguments, no
 * body, or another result. */
static const char *result_of(const char *at)
{
  static const char *const types[] = {"i32", "i64", "f32"};
  const char *line_end = strchr(at, '\n');
  if (strncmp(at, "()", 2) != 0 || !line_end || line_end[-1] != '{')
    return NULL;
  if (strncmp(at + 2, " -> ", 4) != 0)
    return "void";
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strncmp(at + 6, types[i], 3) == 0 && at[9] == ' ')
      return types[i];
  return NULL;
}

aq_status aq_lowered_entry(const aq_lowered *lowered, const char *function,
                           const char **out, aq_diag *diag)
{
  static const char op[] = "llvm.func @";
  char known[200] = "";
  const char *at = lowered->text;
  *out = NULL;
  while (!*out && (at = strstr(at, op))) {
    at += sizeof op - 1;
    const size_t length = strcspn(at, "(");
    const char *result = result_of(at + length);
    const size_t used = strlen(known);
    if (!result)
      continue;
    snprintf(known + used, sizeof known - used, "%s%.*s", used ? ", " : "",
             (int)length, at);
    if (strlen(function) == length && memcmp(function, at, length) == 0)
      *out = result;
  }
  if (*out)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "no function @%.100s can be called: expected one without "
                     "arguments that returns nothing, i32, i64 or f32%s%s",
                     function, *known ? ", as " : "", known);
}
