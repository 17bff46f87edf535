/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/gemm_duration.h"

#include <stdlib.h>
#include <string.h>

#include "transport/registry/device_models.h"

/* The words of the product, and a measurement elsewhere. */
typedef struct question {
  const char *words[16];
  size_t count;
  double us;        /* 0: none */
  const char *from; /* device model that it was measured on */
} question;

static aq_status question_read(const char *const *words, size_t count,
                               question *q, aq_diag *diag)
{
  for (size_t i = 0; i < count; i++) {
    const char *word = words[i];
    char *end = NULL;
    if (strncmp(word, "from=", 5) == 0) {
      q->from = word + 5;
    } else if (strncmp(word, "us=", 3) == 0) {
      q->us = word[3] >= '0' && word[3] <= '9' ? strtod(word + 3, &end) : 0;
      if (!end || *end || !(q->us > 0 && q->us < 1e12))
        return aq_diag_set(diag, AQ_ERR_INPUT,
                           "%s: expected microseconds above 0", word);
    } else if (q->count < sizeof q->words / sizeof *q->words) {
      q->words[q->count++] = word;
    }
  }
  if ((q->us > 0) != (q->from != NULL))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "device predict: expected us= and from= together");
  return AQ_OK;
}

static aq_status model_predict(const question *q, const aq_gemm *gemm,
                               const aq_device_model *to, aq_predicted *out,
                               aq_diag *diag)
{
  aq_device_model *from;
  const char *gfx = aq_device_model_text(to, "gfx");
  const int64_t cus = aq_device_model_number(to, "cus");
  if (!q->from)
    return aq_gemm_predict(gemm, gfx, cus, out, diag);
  aq_status status = aq_device_model_load(q->from, NULL, &from, diag);
  if (status != AQ_OK)
    return status;
  status = aq_gemm_transfer(gemm, q->us, aq_device_model_text(from, "gfx"),
                            aq_device_model_number(from, "cus"), gfx, cus, out,
                            diag);
  aq_device_model_free(from);
  return status;
}

aq_status aq_product_predict(const char *device, const char *const *words,
                             size_t count, aq_predicted *out, aq_diag *diag)
{
  question q = {.count = 0};
  aq_gemm gemm;
  aq_device_model *model;
  aq_status status = question_read(words, count, &q, diag);
  if (status == AQ_OK)
    status = aq_gemm_read(q.words, q.count, &gemm, diag);
  if (status == AQ_OK)
    status = aq_device_model_load(device, NULL, &model, diag);
  if (status != AQ_OK)
    return status;
  status = model_predict(&q, &gemm, model, out, diag);
  aq_device_model_free(model);
  return status;
}
