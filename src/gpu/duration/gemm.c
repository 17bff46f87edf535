/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/duration/gemm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONSTANTS = 7, FEATURES = 13 };

static const double LENGTH = 1.6; /* of the residual's kernel */
static const double BLEND = 0.2;  /* as in tools/fit_gemm.py */

static const struct model {
  const char *gfx;
  int64_t cus;
  bool known;
} models[] = {
#define MODEL(gfx, cus, known) {gfx, cus, known},
#define CONSTANTS(...)
#define SPREAD(...)
#define POINT(...)
#include "gpu/duration/gemm.def"
#undef MODEL
#undef CONSTANTS
};

static const struct constants {
  int model;
  aq_gemm_type type;
  double logs[CONSTANTS];
} constants[] = {
#define MODEL(...)
#define CONSTANTS(model, type, ...) {model, AQ_GEMM_##type, {__VA_ARGS__}},
#include "gpu/duration/gemm.def"
#undef CONSTANTS
#undef SPREAD
};

static const struct spread {
  int model, waves;
  double least, most;
} spreads[] = {
#define CONSTANTS(...)
#define SPREAD(model, waves, least, most) {model, waves, least, most},
#include "gpu/duration/gemm.def"
#undef SPREAD
#undef POINT
};

static const struct support {
  int model;
  double weight;
  double at[FEATURES];
} supports[] = {
#define SPREAD(...)
#define POINT(model, weight, ...) {model, weight, {__VA_ARGS__}},
#include "gpu/duration/gemm.def"
#undef MODEL
#undef CONSTANTS
#undef SPREAD
#undef POINT
};

enum {
  MODEL_COUNT = sizeof models / sizeof *models,
  CONSTANTS_COUNT = sizeof constants / sizeof *constants,
  SPREAD_COUNT = sizeof spreads / sizeof *spreads,
  SUPPORT_COUNT = sizeof supports / sizeof *supports,
};

static const struct {
  const char *name;
  double bytes;
  int x, y;
} types[AQ_GEMM_TYPE_COUNT] = {
#define T(name, bytes, x, y) {#name, bytes, x, y},
    AQ_GEMM_TYPES(T)
#undef T
};

static const struct {
  const char *name;
  int x, y;
} libraries[AQ_GEMM_LIBRARY_COUNT] = {
#define L(name, x, y) {#name, x, y},
    AQ_GEMM_LIBRARIES(L)
#undef L
};

/* A problem as the formula takes it. */
typedef struct problem {
  double m, n, k, tile_m, tile_n, splits, full; /* full: waves of workgroups */
  double shuffled;
  aq_gemm_type type;
  aq_gemm_library library;
} problem;

/* ---- the formula ---- */

static void tile_guess(problem *p, double cus)
{
  static const double rows[] = {16, 32, 64, 128, 256};
  double best = INFINITY;
  for (int i = 0; i < 20; i++) {
    const double m = rows[i / 4], n = rows[1 + i % 4];
    const double waves = ceil(ceil(p->m / m) * ceil(p->n / n) / cus);
    const double cost = waves * (m * n + 24 * (m + n));
    if (cost < best) {
      best = cost;
      p->tile_m = m;
      p->tile_n = n;
    }
  }
}

static problem problem_of(const aq_gemm *gemm, const struct model *model)
{
  const double cus = (double)model->cus;
  problem p = {.m = (double)gemm->m,
               .n = (double)gemm->n,
               .k = (double)gemm->k,
               .splits = 1,
               .type = gemm->type,
               .library = AQ_GEMM_LIBRARY_ck};
  if (model->known) {
    p.tile_m = (double)gemm->tile_m;
    p.tile_n = (double)gemm->tile_n;
    p.splits = (double)gemm->splits;
    p.shuffled = gemm->shuffled;
    p.library = gemm->library;
  } else {
    tile_guess(&p, cus);
  }
  p.full = ceil(p.m / p.tile_m) * ceil(p.n / p.tile_n) * p.splits / cus;
  return p;
}

static double formula(const struct constants *c, const problem *p)
{
  double x[CONSTANTS];
  for (int i = 0; i < CONSTANTS; i++)
    x[i] = exp(c->logs[i]);
  const double launch = x[0], mac = x[1], edge = x[2], tile = x[3];
  const double byte = x[4], split = x[5], part = x[6] / (1 + x[6]);
  const double waves = part * ceil(p->full) + (1 - part) * fmax(p->full, 1);
  const double one =
      p->k / p->splits *
          (p->tile_m * p->tile_n * mac + (p->tile_m + p->tile_n) * edge) +
      tile;
  const double moved =
      (p->m + p->n) * p->k * types[p->type].bytes + 2 * p->m * p->n;
  const double reduction =
      p->splits > 1 ? split * (1 + p->splits * p->m * p->n * 4 * byte) : 0;
  return launch + pow(pow(waves * one, 4) + pow(moved * byte, 4), 0.25) +
         reduction;
}

static void features(const problem *p, double out[FEATURES])
{
  const double full = fmax(p->full, 0.02);
  const double at[FEATURES] = {log2(p->m) / 2.5,
                               log2(p->n) / 1.5,
                               log2(p->k) / 1.5,
                               fmin(fmax(ceil(p->full) / full, 1), 4) / 0.7,
                               log2(full) / 2.5,
                               log2(p->tile_m) / 1.5,
                               log2(p->tile_n) / 1.5,
                               log2(p->splits) / 1.5,
                               p->shuffled,
                               types[p->type].x * LENGTH,
                               types[p->type].y * LENGTH,
                               libraries[p->library].x * LENGTH,
                               libraries[p->library].y * LENGTH};
  for (int i = 0; i < FEATURES; i++)
    out[i] = at[i] / LENGTH;
}

/* The logarithm of the error of the formula at the near support points. */
static double residual(int model, const problem *p)
{
  double at[FEATURES], sum = 0;
  features(p, at);
  for (int s = 0; s < SUPPORT_COUNT; s++) {
    double square = 0;
    if (supports[s].model != model)
      continue;
    for (int i = 0; i < FEATURES; i++)
      square += (at[i] - supports[s].at[i]) * (at[i] - supports[s].at[i]);
    sum += supports[s].weight * exp(-square / 2);
  }
  return fmin(fmax(sum, -1.2), 1.2);
}

/* ---- the tables ---- */

static int model_find(const char *gfx, int64_t cus, bool known)
{
  for (int i = 0; i < MODEL_COUNT; i++)
    if (models[i].known == known && models[i].cus == cus &&
        strcmp(models[i].gfx, gfx) == 0)
      return i;
  return -1;
}

static const struct constants *constants_find(int model, aq_gemm_type type)
{
  for (int i = 0; i < CONSTANTS_COUNT; i++)
    if (constants[i].model == model && constants[i].type == type)
      return &constants[i];
  return NULL;
}

static aq_status table_missing(const aq_gemm *gemm, const char *gfx,
                               int64_t cus, aq_diag *diag)
{
  char list[256] = "";
  for (int i = 0; i < CONSTANTS_COUNT; i++) {
    const struct model *m = &models[constants[i].model];
    const size_t used = strlen(list);
    if (constants[i].type == gemm->type && !m->known)
      snprintf(list + used, sizeof list - used, "%s%s with %lld CUs",
               used ? ", " : "", m->gfx, (long long)m->cus);
  }
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "no table of %s products for %s with %lld CUs; expected "
                     "one of: %s",
                     types[gemm->type].name, gfx, (long long)cus, list);
}

aq_status aq_gemm_predict(const aq_gemm *gemm, const char *gfx, int64_t cus,
                          aq_predicted *out, aq_diag *diag)
{
  int model = gemm->tile_m > 0 ? model_find(gfx, cus, true) : -1;
  const struct constants *c =
      model < 0 ? NULL : constants_find(model, gemm->type);
  if (!c) {
    model = model_find(gfx, cus, false);
    c = model < 0 ? NULL : constants_find(model, gemm->type);
  }
  if (!c)
    return table_missing(gemm, gfx, cus, diag);
  const problem p = problem_of(gemm, &models[model]);
  out->us = formula(c, &p) * exp(residual(model, &p));
  for (int i = 0; i < SPREAD_COUNT; i++)
    if (spreads[i].model == model && spreads[i].waves == (p.full >= 1)) {
      out->least = out->us * exp(spreads[i].least);
      out->most = out->us * exp(spreads[i].most);
    }
  return AQ_OK;
}

aq_status aq_gemm_transfer(const aq_gemm *gemm, double us, const char *from_gfx,
                           int64_t from_cus, const char *gfx, int64_t cus,
                           aq_predicted *out, aq_diag *diag)
{
  aq_gemm blind = *gemm;
  aq_predicted here;
  blind.tile_m = blind.tile_n = 0;
  aq_status status = aq_gemm_predict(&blind, from_gfx, from_cus, &here, diag);
  if (status == AQ_OK)
    status = aq_gemm_predict(&blind, gfx, cus, out, diag);
  if (status != AQ_OK)
    return status;
  const double factor = pow(us / here.us, BLEND);
  out->us *= factor;
  out->least *= factor;
  out->most *= factor;
  return AQ_OK;
}
