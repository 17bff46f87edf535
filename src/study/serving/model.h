/* SPDX-License-Identifier: MIT */
/*
 * A served model: the kernels of one step, in order, and how long each takes
 * (doc/serving.md has the formulas, and which figures are assumed).
 *
 * A model is read-only after reading, but for the memory of predicted products;
 * one thread. It owns everything.
 */
#ifndef AQ_STUDY_SERVING_MODEL_H
#define AQ_STUDY_SERVING_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/diag.h"
#include "common/json_in.h"
#include "common/time.h"
#include "gpu/duration/gemm.h"
#include "study/serving/interconnect.h"

enum { AQ_MODEL_KERNELS_MAX = 256, AQ_MODEL_CAPTURED_MAX = 512 };

/* K(name, what its rows are) */
#define AQ_MODEL_KINDS(K)                                                      \
  K(gemm, "a product: tokens of the step")                                     \
  K(logits, "a product: requests of the step")                                 \
  K(tokens, "tokens of the step")                                              \
  K(sequences, "requests of the step")                                         \
  K(decodes, "requests that decode; it is left out where there is none")       \
  K(prefill_attention, "pairs of tokens in chunks of prompts")                 \
  K(decode_attention, "cached tokens of requests that decode")                 \
  K(reduction, "tokens of the step: devices add up their parts")

typedef enum aq_model_kind {
#define K(name, rows) AQ_MODEL_##name,
  AQ_MODEL_KINDS(K)
#undef K
      AQ_MODEL_KIND_COUNT
} aq_model_kind;

typedef enum aq_model_part {
  AQ_MODEL_HEAD,
  AQ_MODEL_LAYER, /* once for each layer */
  AQ_MODEL_TAIL,
} aq_model_part;

typedef struct aq_model_kernel {
  aq_model_part part;
  aq_model_kind kind;
  const char *name;
  double floor, each; /* ps; of products and rows */
  double rate;        /* of attention: operations, or bytes, a second */
  int64_t n, k;       /* of products */
  double groups;      /* workgroups a row; 0: as many as compute units */
  bool split;         /* devices that share the model each do a part of it */
  bool reduced;       /* of products: devices share k, not n */
  bool tabled;        /* of products: its time is that of published tables */
  aq_gemm_type type;  /* of products */
} aq_model_kernel;

typedef struct aq_gpu {
  const char *gfx;
  uint32_t cus;
  double flops, bandwidth; /* a second */
} aq_gpu;

/* The work of one step. */
typedef struct aq_model_step {
  uint64_t tokens;              /* rows of products, with padding */
  uint64_t sequences;           /* requests, with padding */
  uint64_t decodes;             /* of them, that decode */
  uint64_t pairs, chunk_tokens; /* of chunks of prompts */
  uint64_t context; /* cached tokens that decoding requests attend to */
} aq_model_step;

typedef struct aq_model {
  aq_arena arena;
  const char *name, *source;
  aq_gpu measured_on;
  aq_gemm_type type;
  bool typed; /* `type` is known to src/gpu/duration */
  uint32_t layers, hidden;
  uint64_t kv_bytes;     /* of a token, all layers */
  double attention_work; /* operations of a pair of tokens in a layer */
  aq_time step_gap;      /* from the end of a step to the next one's submit */
  aq_time eager_gap;     /* the same before a step that is no graph */
  aq_time call;          /* between two calls of such a step */
  aq_model_kernel *kernels;
  size_t kernel_count;
  uint32_t
      captured[AQ_MODEL_CAPTURED_MAX]; /* batch sizes with a graph, rising */
  size_t captured_count;
  /* Predicted products, ps, by kernel and rows; 0: not known so far. Of one GPU
   * and number of devices at a time. */
  double **predicted;
  aq_gpu predicted_on;
  uint32_t predicted_devices;
} aq_model;

/* A model by its name ("qwen3-8b"), or of a file (a path with a slash or
 * ".json"), relative to the folder of `node`'s file. */
aq_status aq_model_open(const aq_json_node *node, aq_model **out);
void aq_model_close(aq_model *model); /* NULL is allowed */

/* Names of those built in, ended by NULL. */
const char *const *aq_model_names(void);

/* AQ_ERR_INPUT: the GPU is not in gpus.def; the diag lists those. */
aq_status aq_gpu_find(const char *gfx, uint32_t cus, aq_gpu *out,
                      aq_diag *diag);

/* The graph for so many requests: the least captured size, or 0: none. */
uint32_t aq_model_graph(const aq_model *model, uint32_t sequences);

/* Whether the step has this kernel. */
bool aq_model_has(const aq_model_kernel *kernel, const aq_model_step *step,
                  uint32_t devices);

/* AQ_ERR_INPUT: the time of a product is that of tables, and there is none of
 * this GPU. */
aq_status aq_model_check(const aq_model *model, const aq_gpu *gpu,
                         aq_diag *diag);

/* How long it takes on one of the devices that share the model, which were
 * checked. */
aq_time aq_model_time(aq_model *model, size_t kernel, const aq_model_step *step,
                      const aq_gpu *gpu, const aq_peers *peers);

/* Compute units of a device that it keeps busy, at least 1. */
uint32_t aq_model_spread(const aq_model_kernel *kernel,
                         const aq_model_step *step, const aq_gpu *gpu,
                         uint32_t devices);

/* All of them in a row. */
aq_time aq_model_step_time(aq_model *model, const aq_model_step *step,
                           const aq_gpu *gpu, const aq_peers *peers);

/* Whether the time of a kernel is a fitted one of published tables. */
bool aq_model_is_predicted(const aq_model *model, size_t kernel,
                           const aq_gpu *gpu);

#endif
