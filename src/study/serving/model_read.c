/* SPDX-License-Identifier: MIT */
/* Models from JSON: those built in, and files of the same form. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/serving/model.h"
#include "study/serving/models.h"

enum { FORMAT_VERSION = 1, PATH_SIZE = 4096 };

static const double RATE_MAX = 1e18;

/* us that the kernel of a reduction takes beside its links: assumed. */
static const double REDUCTION = 10;

static const char *const kind_names[] = {
#define K(name, rows) #name,
    AQ_MODEL_KINDS(K)
#undef K
        NULL};
static const char *const part_names[] = {"head", "layer", "tail", NULL};
static const char *const type_names[] = {
#define T(name, bytes, x, y) #name,
    AQ_GEMM_TYPES(T)
#undef T
        NULL};

const char *const *aq_model_names(void)
{
  static const char *names[AQ_MODELS_MAX + 1];
  for (size_t i = 0; i < AQ_MODELS_MAX && aq_embedded_models[i].name; i++)
    names[i] = aq_embedded_models[i].name;
  return names;
}

static aq_status word_need(const aq_json_node *node, const char *key,
                           const char *const *words, int *out)
{
  aq_json_node member;
  const char *text;
  aq_status status = aq_json_need(node, key, &member);
  if (status == AQ_OK)
    status = aq_json_text(&member, &text);
  if (status != AQ_OK)
    return status;
  for (int i = 0; words[i]; i++)
    if (strcmp(words[i], text) == 0) {
      *out = i;
      return AQ_OK;
    }
  return aq_json_error(&member, "\"%.40s\" is none of those there are", text);
}

static aq_status text_need(aq_model *model, const aq_json_node *node,
                           const char *key, const char **out)
{
  aq_json_node member;
  const char *text;
  aq_status status = aq_json_need(node, key, &member);
  if (status == AQ_OK)
    status = aq_json_text(&member, &text);
  if (status != AQ_OK)
    return status;
  *out = aq_arena_text(&model->arena, text, strlen(text));
  return *out ? AQ_OK : aq_json_no_memory(node);
}

static aq_status integer_need(const aq_json_node *node, const char *key,
                              int64_t most, int64_t *out)
{
  aq_json_node member;
  aq_status status = aq_json_need(node, key, &member);
  return status == AQ_OK ? aq_json_integer(&member, 1, most, out) : status;
}

static aq_status time_need(const aq_json_node *node, const char *key,
                           aq_time *out)
{
  aq_json_node member;
  aq_status status = aq_json_need(node, key, &member);
  return status == AQ_OK ? aq_json_time(&member, out) : status;
}

/* A product has recorded times, or none: then published tables have them. */
static aq_status product_read(const aq_model *model, const aq_json_node *node,
                              aq_model_kernel *kernel)
{
  aq_json_node member;
  aq_time floor = 0, each = 0;
  int type = (int)model->type;
  kernel->tabled = !aq_json_member(node, "floor", &member) &&
                   !aq_json_member(node, "each", &member);
  aq_status status = integer_need(node, "n", INT32_MAX, &kernel->n);
  if (status == AQ_OK)
    status = integer_need(node, "k", INT32_MAX, &kernel->k);
  if (status == AQ_OK && aq_json_member(node, "reduced", &member))
    status = aq_json_bool(&member, &kernel->reduced);
  if (status == AQ_OK && aq_json_member(node, "type", &member))
    status = word_need(node, "type", type_names, &type);
  else if (status == AQ_OK && kernel->tabled && !model->typed)
    status = aq_json_error(node, "a product without times needs its \"type\"");
  kernel->type = (aq_gemm_type)type;
  if (status != AQ_OK || kernel->tabled)
    return status;
  status = time_need(node, "floor", &floor);
  if (status == AQ_OK)
    status = time_need(node, "each", &each);
  kernel->floor = (double)floor;
  kernel->each = (double)each;
  return status;
}

static aq_status figures_read(const aq_model *model, const aq_json_node *node,
                              aq_model_kernel *kernel)
{
  aq_json_node member;
  aq_time time = 0;
  if (kernel->kind == AQ_MODEL_gemm || kernel->kind == AQ_MODEL_logits)
    return product_read(model, node, kernel);
  aq_status status = time_need(node, "floor", &time);
  kernel->floor = (double)time;
  if (status != AQ_OK || kernel->kind == AQ_MODEL_reduction)
    return status;
  if (kernel->kind == AQ_MODEL_prefill_attention ||
      kernel->kind == AQ_MODEL_decode_attention) {
    status = aq_json_need(node, "rate", &member);
    return status == AQ_OK ? aq_json_number(&member, 1, RATE_MAX, &kernel->rate)
                           : status;
  }
  status = time_need(node, "each", &time);
  kernel->each = (double)time;
  if (status == AQ_OK && aq_json_member(node, "groups", &member))
    status = aq_json_number(&member, 0, 65536, &kernel->groups);
  if (status == AQ_OK && aq_json_member(node, "split", &member))
    status = aq_json_bool(&member, &kernel->split);
  return status;
}

/* A kernel; one that is `reduced` has a reduction behind it. */
static aq_status kernel_read(aq_model *model, const aq_json_node *node)
{
  static const char *const keys[] = {
      "part", "name",   "kind",    "floor", "each",  "rate", "n",
      "k",    "groups", "reduced", "type",  "split", NULL};
  aq_model_kernel *kernel = &model->kernels[model->kernel_count];
  int part = 0, kind = 0;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = word_need(node, "part", part_names, &part);
  if (status == AQ_OK)
    status = word_need(node, "kind", kind_names, &kind);
  if (status != AQ_OK)
    return status;
  kernel->part = (aq_model_part)part;
  kernel->kind = (aq_model_kind)kind;
  status = text_need(model, node, "name", &kernel->name);
  if (status == AQ_OK)
    status = figures_read(model, node, kernel);
  model->kernel_count++;
  if (status == AQ_OK && kernel->reduced)
    model->kernels[model->kernel_count++] =
        (aq_model_kernel){.part = kernel->part,
                          .kind = AQ_MODEL_reduction,
                          .name = "all_reduce",
                          .floor = REDUCTION * (double)AQ_US};
  return status;
}

static aq_status kernels_read(aq_model *model, const aq_json_node *root)
{
  aq_json_node list;
  size_t count = 0;
  aq_status status = aq_json_need(root, "kernels", &list);
  if (status == AQ_OK)
    status = aq_json_array(&list, 1, AQ_MODEL_KERNELS_MAX, &count);
  if (status != AQ_OK)
    return status;
  model->kernels =
      aq_arena_alloc(&model->arena, 2 * count * sizeof *model->kernels);
  model->predicted =
      aq_arena_alloc(&model->arena, 2 * count * sizeof *model->predicted);
  if (!model->kernels || !model->predicted)
    return aq_json_no_memory(root);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    status = kernel_read(model, &element);
  }
  return status;
}

static aq_status captured_read(aq_model *model, const aq_json_node *root)
{
  aq_json_node list;
  int64_t last = 0;
  if (!aq_json_member(root, "captured", &list))
    return AQ_OK;
  aq_status status =
      aq_json_array(&list, 0, AQ_MODEL_CAPTURED_MAX, &model->captured_count);
  for (size_t i = 0; i < model->captured_count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    status = aq_json_integer(&element, last + 1, 65536, &last);
    model->captured[i] = (uint32_t)last;
  }
  return status;
}

static aq_status gpu_read(aq_model *model, const aq_json_node *root)
{
  aq_json_node gfx;
  const char *text;
  int64_t cus = 0;
  aq_diag why = AQ_DIAG_INIT;
  aq_status status = aq_json_need(root, "gfx", &gfx);
  if (status == AQ_OK)
    status = aq_json_text(&gfx, &text);
  if (status == AQ_OK)
    status = integer_need(root, "cus", 4096, &cus);
  if (status != AQ_OK)
    return status;
  return aq_gpu_find(text, (uint32_t)cus, &model->measured_on, &why) == AQ_OK
             ? AQ_OK
             : aq_json_error(&gfx, "%s", why.text);
}

static aq_status type_read(aq_model *model, const aq_json_node *root)
{
  aq_json_node member;
  int type = 0;
  if (!aq_json_member(root, "type", &member))
    return AQ_OK;
  aq_status status = word_need(root, "type", type_names, &type);
  model->type = (aq_gemm_type)type;
  model->typed = true;
  return status;
}

static aq_status sizes_read(aq_model *model, const aq_json_node *root)
{
  int64_t layers = 0, hidden = 0, kv_bytes = 0;
  aq_json_node member;
  aq_status status = integer_need(root, "layers", 4096, &layers);
  if (status == AQ_OK)
    status = integer_need(root, "hidden", 1 << 24, &hidden);
  if (status == AQ_OK)
    status = integer_need(root, "kv_bytes", INT64_C(1) << 32, &kv_bytes);
  if (status == AQ_OK)
    status = aq_json_need(root, "attention_work", &member);
  if (status == AQ_OK)
    status = aq_json_number(&member, 1, RATE_MAX, &model->attention_work);
  model->layers = (uint32_t)layers;
  model->hidden = (uint32_t)hidden;
  model->kv_bytes = (uint64_t)kv_bytes;
  return status;
}

static aq_status model_fill(aq_model *model, const aq_json_node *root)
{
  static const char *const keys[] = {
      "version", "name",     "source",    "gfx",      "cus",
      "type",    "layers",   "hidden",    "kv_bytes", "attention_work",
      "call",    "step_gap", "eager_gap", "captured", "kernels",
      "notes",   NULL};
  int64_t version = 0;
  aq_status status = aq_json_object(root, keys);
  if (status == AQ_OK)
    status = integer_need(root, "version", FORMAT_VERSION, &version);
  if (status == AQ_OK)
    status = text_need(model, root, "name", &model->name);
  if (status == AQ_OK)
    status = text_need(model, root, "source", &model->source);
  if (status == AQ_OK)
    status = gpu_read(model, root);
  if (status == AQ_OK)
    status = type_read(model, root);
  if (status == AQ_OK)
    status = sizes_read(model, root);
  if (status == AQ_OK)
    status = time_need(root, "step_gap", &model->step_gap);
  if (status == AQ_OK)
    status = time_need(root, "eager_gap", &model->eager_gap);
  if (status == AQ_OK)
    status = time_need(root, "call", &model->call);
  if (status == AQ_OK)
    status = captured_read(model, root);
  return status == AQ_OK ? kernels_read(model, root) : status;
}

static const char *embedded_find(const char *name)
{
  for (size_t i = 0; aq_embedded_models[i].name; i++)
    if (strcmp(aq_embedded_models[i].name, name) == 0)
      return aq_embedded_models[i].text;
  return NULL;
}

/* The text of a model, which the caller frees. */
static aq_status text_load(const aq_json_node *node, const char *name,
                           char *path, char **out, size_t *size)
{
  const char *file = node->doc->file, *slash = strrchr(file, '/');
  const char *text = embedded_find(name);
  aq_diag why = AQ_DIAG_INIT;
  snprintf(path, PATH_SIZE, "model %s", name);
  if (text) {
    *size = strlen(text);
    *out = strdup(text);
    return *out ? AQ_OK : aq_json_no_memory(node);
  }
  if (!strchr(name, '/') && !strstr(name, ".json"))
    return aq_json_error(node,
                         "no model is named \"%.64s\"; a path or \"%s\" "
                         "expected",
                         name, aq_model_names()[0]);
  const int folder = slash && name[0] != '/' ? (int)(slash - file) + 1 : 0;
  if (snprintf(path, PATH_SIZE, "%.*s%s", folder, file, name) >= PATH_SIZE)
    return aq_json_error(node, "path too long");
  aq_status status = aq_json_load(path, out, size, &why);
  return status == AQ_ERR_INPUT ? aq_json_error(node, "%s", why.text) : status;
}

aq_status aq_model_open(const aq_json_node *node, aq_model **out)
{
  char path[PATH_SIZE], *text = NULL;
  size_t size = 0;
  aq_json_doc doc;
  const char *name;
  aq_status status = aq_json_text(node, &name);
  if (status == AQ_OK)
    status = text_load(node, name, path, &text, &size);
  if (status != AQ_OK)
    return status;
  aq_model *model = calloc(1, sizeof *model);
  if (!model) {
    free(text);
    return aq_json_no_memory(node);
  }
  model->arena = (aq_arena)AQ_ARENA_INIT;
  status = aq_json_parse(&doc, text, size, path, node->doc->diag);
  if (status == AQ_OK) {
    const aq_json_node root = aq_json_root(&doc);
    status = model_fill(model, &root);
    aq_json_free(&doc);
  }
  free(text);
  if (status == AQ_OK)
    *out = model;
  else
    aq_model_close(model);
  return status;
}

void aq_model_close(aq_model *model)
{
  if (!model)
    return;
  for (size_t i = 0; model->predicted && i < model->kernel_count; i++)
    free(model->predicted[i]);
  aq_arena_fini(&model->arena);
  free(model);
}
