/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/serving/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREDICTED = 16384 }; /* rows whose predictions are kept */

static const aq_gpu gpus[] = {
#define G(gfx, cus, flops, bandwidth, source) {gfx, cus, flops, bandwidth},
#include "study/serving/gpus.def"
#undef G
};

aq_status aq_gpu_find(const char *gfx, uint32_t cus, aq_gpu *out, aq_diag *diag)
{
  char list[256] = "";
  size_t at = 0;
  for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
    if (gfx && strcmp(gpus[i].gfx, gfx) == 0 && gpus[i].cus == cus) {
      *out = gpus[i];
      return AQ_OK;
    }
    if (at < sizeof list)
      at += (size_t)snprintf(list + at, sizeof list - at, "%s%s with %u",
                             i ? ", " : "", gpus[i].gfx, gpus[i].cus);
  }
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "no peaks of %s with %u compute units to serve models "
                     "with; expected one of %s",
                     gfx ? gfx : "a GPU without a name", cus, list);
}

uint32_t aq_model_graph(const aq_model *model, uint32_t sequences)
{
  for (size_t i = 0; i < model->captured_count; i++)
    if (model->captured[i] >= sequences)
      return model->captured[i];
  return 0;
}

bool aq_model_has(const aq_model_kernel *kernel, const aq_model_step *step,
                  uint32_t devices)
{
  switch (kernel->kind) {
  case AQ_MODEL_decodes:
  case AQ_MODEL_decode_attention:
    return step->decodes > 0;
  case AQ_MODEL_prefill_attention:
    return step->chunk_tokens > 0;
  case AQ_MODEL_reduction:
    return devices > 1;
  default:
    return true;
  }
}

static uint64_t rows_of(const aq_model_kernel *kernel,
                        const aq_model_step *step)
{
  switch (kernel->kind) {
  case AQ_MODEL_logits:
  case AQ_MODEL_sequences:
    return step->sequences;
  case AQ_MODEL_decodes:
    return step->decodes;
  default:
    return step->tokens;
  }
}

/* The larger of the two, with a smooth corner. */
static double either(double a, double b)
{
  return sqrt(sqrt(a * a * a * a + b * b * b * b));
}

static bool same_gpu(const aq_gpu *a, const aq_gpu *b)
{
  return strcmp(a->gfx, b->gfx) == 0 && a->cus == b->cus;
}

static bool predict(const aq_model_kernel *kernel, uint64_t rows,
                    const aq_gpu *gpu, uint32_t devices, double *us)
{
  aq_diag ignored = AQ_DIAG_INIT;
  aq_predicted predicted;
  const int64_t n = kernel->reduced ? kernel->n : kernel->n / devices;
  const int64_t k = kernel->reduced ? kernel->k / devices : kernel->k;
  const aq_gemm gemm = {
      .type = kernel->type,
      .m = (int64_t)(rows ? rows : 1),
      .n = n ? n : 1,
      .k = k ? k : 1,
      .splits = 1,
      .library = AQ_GEMM_LIBRARY_hipblaslt,
  };
  if (aq_gemm_predict(&gemm, gpu->gfx, gpu->cus, &predicted, &ignored) != AQ_OK)
    return false;
  *us = predicted.us;
  return true;
}

/* Published tables give its time: a recorded one is of the measured GPU. */
static bool uses_tables(const aq_model *model, const aq_model_kernel *kernel,
                        const aq_gpu *gpu)
{
  return (kernel->kind == AQ_MODEL_gemm || kernel->kind == AQ_MODEL_logits) &&
         (kernel->tabled ||
          (model->typed && !same_gpu(gpu, &model->measured_on)));
}

bool aq_model_is_predicted(const aq_model *model, size_t at, const aq_gpu *gpu)
{
  const aq_model_kernel *kernel = &model->kernels[at];
  double us;
  return uses_tables(model, kernel, gpu) && predict(kernel, 1, gpu, 1, &us);
}

aq_status aq_model_check(const aq_model *model, const aq_gpu *gpu,
                         aq_diag *diag)
{
  for (size_t i = 0; i < model->kernel_count; i++)
    if (model->kernels[i].tabled && !aq_model_is_predicted(model, i, gpu))
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "model %s: no published tables have the product %s on "
                         "%s with %u compute units",
                         model->name, model->kernels[i].name, gpu->gfx,
                         gpu->cus);
  return AQ_OK;
}

/* Where the prediction of so many rows is kept; NULL: nowhere. */
static double *kept_of(aq_model *model, size_t at, uint64_t rows,
                       const aq_gpu *gpu, uint32_t devices)
{
  if (!model->predicted_on.gfx || !same_gpu(gpu, &model->predicted_on) ||
      devices != model->predicted_devices)
    for (size_t i = 0; i < model->kernel_count; i++) {
      free(model->predicted[i]);
      model->predicted[i] = NULL;
    }
  model->predicted_on = *gpu;
  model->predicted_devices = devices;
  if (rows >= PREDICTED)
    return NULL;
  if (!model->predicted[at])
    model->predicted[at] = calloc(PREDICTED, sizeof **model->predicted);
  return model->predicted[at] ? &model->predicted[at][rows] : NULL;
}

/* Products: published tables where there are some, else the recorded time, its
 * two ends each by the quotient of the peaks. */
static double product_time(aq_model *model, size_t at, uint64_t rows,
                           const aq_gpu *gpu, uint32_t devices)
{
  const aq_model_kernel *kernel = &model->kernels[at];
  const aq_gpu *from = &model->measured_on;
  double us;
  if (uses_tables(model, kernel, gpu)) {
    double *kept = kept_of(model, at, rows, gpu, devices);
    if (kept && *kept > 0)
      return *kept;
    if (predict(kernel, rows, gpu, devices, &us)) {
      if (kept)
        *kept = us * (double)AQ_US;
      return us * (double)AQ_US;
    }
  }
  return either(kernel->floor * from->bandwidth / gpu->bandwidth,
                (double)rows * kernel->each * from->flops / gpu->flops) /
         devices;
}

aq_time aq_model_time(aq_model *model, size_t at, const aq_model_step *step,
                      const aq_gpu *gpu, const aq_peers *peers)
{
  const aq_model_kernel *k = &model->kernels[at];
  const uint32_t devices = peers->devices;
  const aq_gpu *from = &model->measured_on;
  const double rows = (double)rows_of(k, step);
  double time = 0;
  switch (k->kind) {
  case AQ_MODEL_gemm:
  case AQ_MODEL_logits:
    time = product_time(model, at, rows_of(k, step), gpu, devices);
    break;
  case AQ_MODEL_prefill_attention:
    time = k->floor + model->attention_work * (double)step->pairs / k->rate *
                          (double)AQ_S * from->flops / gpu->flops / devices;
    break;
  case AQ_MODEL_decode_attention:
    time = k->floor + (double)step->context * (double)model->kv_bytes /
                          model->layers / k->rate * (double)AQ_S *
                          from->bandwidth / gpu->bandwidth / devices;
    break;
  case AQ_MODEL_reduction:
    time = k->floor +
           aq_peers_reduce(peers, 2.0 * model->hidden * (double)step->tokens);
    break;
  case AQ_MODEL_tokens:
  case AQ_MODEL_sequences:
  case AQ_MODEL_decodes:
  case AQ_MODEL_KIND_COUNT:
    time = either(k->floor, rows * k->each * from->bandwidth / gpu->bandwidth /
                                (k->split ? devices : 1));
    break;
  }
  return time < 1 ? 1 : (aq_time)(time + 0.5);
}

uint32_t aq_model_spread(const aq_model_kernel *kernel,
                         const aq_model_step *step, const aq_gpu *gpu,
                         uint32_t devices)
{
  const double groups = ceil(kernel->groups * (double)rows_of(kernel, step) /
                             (kernel->split ? devices : 1));
  if (kernel->groups <= 0 || groups >= gpu->cus)
    return gpu->cus;
  return groups < 1 ? 1 : (uint32_t)groups;
}

aq_time aq_model_step_time(aq_model *model, const aq_model_step *step,
                           const aq_gpu *gpu, const aq_peers *peers)
{
  aq_time sum = 0;
  for (size_t i = 0; i < model->kernel_count; i++)
    if (aq_model_has(&model->kernels[i], step, peers->devices))
      sum += aq_model_time(model, i, step, gpu, peers) *
             (model->kernels[i].part == AQ_MODEL_LAYER ? model->layers : 1);
  return sum;
}
