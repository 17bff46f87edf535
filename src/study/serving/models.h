/* SPDX-License-Identifier: MIT */
/* The models that are built in: src/study/serving/models/, embedded. */
#ifndef AQ_STUDY_SERVING_MODELS_H
#define AQ_STUDY_SERVING_MODELS_H

enum { AQ_MODELS_MAX = 16 };

typedef struct aq_embedded_model {
  const char *name, *text;
} aq_embedded_model;

/* Ended by a model without a name. */
extern const aq_embedded_model aq_embedded_models[];

#endif
