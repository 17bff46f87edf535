/* SPDX-License-Identifier: MIT */
#include "bench/bench_isa.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  SIDE = 256, /* of matrices */
  CUBE = SIDE * SIDE * SIDE,
  TABLE = 1 << 16, /* words */
  ITEMS = 1 << 16, /* of loops */
};

isa_array isa_a, isa_b, isa_out, isa_out_host;

/* ---- loops on the host ---- */

static void host_vadd(const isa_case *c)
{
  isa_host_vadd(isa_a.f32, isa_b.f32, isa_out_host.f32, c->n[0]);
}

static void host_sgemm(const isa_case *c)
{
  isa_host_sgemm(isa_a.f32, isa_b.f32, isa_out_host.f32, c->n[0]);
}

static void host_hash(const isa_case *c)
{
  isa_host_hash(isa_a.u32, isa_out_host.u32, c->grid[0], c->n[0]);
}

static void host_gather(const isa_case *c)
{
  isa_host_gather(isa_a.u32, isa_out_host.u32, c->grid[0], c->n[0], c->n[1]);
}

static void host_f64_fma(const isa_case *c)
{
  isa_host_f64_fma(isa_a.f64, isa_out_host.f64, c->grid[0], c->n[0]);
}

static void host_f16_gemm(const isa_case *c)
{
  isa_host_f16_gemm(isa_a.f16, isa_b.f16, isa_out_host.f32, c->n[0]);
}

static void host_parts(const isa_case *c)
{
  isa_host_parts(isa_a.u32, isa_out_host.u32, c->grid[0], c->n[0]);
}

static void host_scan(const isa_case *c)
{
  isa_host_scan(isa_a.u32, isa_out_host.u32, c->grid[0], c->n[0]);
}

static void host_permute(const isa_case *c)
{
  isa_host_permute(isa_a.u32, isa_out_host.u32, c->grid[0], c->n[0]);
}

static void host_f16_poly(const isa_case *c)
{
  isa_host_f16_poly(isa_a.f16, isa_out_host.f16, c->grid[0], c->n[0]);
}

static void host_divide(const isa_case *c)
{
  isa_host_divide(isa_a.f32, isa_out_host.f32, c->grid[0], c->n[0]);
}

static void host_bytes(const isa_case *c)
{
  isa_host_bytes(isa_a.u8, isa_b.f16, isa_out_host.u32, c->grid[0], c->n[0]);
}

/* ---- cases ---- */

#define LANES "G lane-operations/s"

/* A loop of ISA_STEPS over ITEMS. */
#define LOOP                                                                   \
  .group = {256, 1}, .grid = {ITEMS, 1}, .results = ITEMS, .unit = LANES
#define STEPS(n) (1.0 * (n)*ITEMS * ISA_STEPS)

/* Operations: additions, multiplications (a fused one is both), shifts, logic,
 * divisions, and reads of tables and of other lanes. */
isa_case isa_cases[] = {
    {.name = "isa_vadd",
     .kernel = "vadd",
     .group = {256, 1},
     .grid = {ISA_ITEMS, 1},
     .pointers = 3,
     .n = {ISA_ITEMS},
     .elements = ISA_F32,
     .results = ISA_ITEMS,
     .operations = ISA_ITEMS,
     .host = host_vadd,
     .unit = LANES},
    {.name = "isa_sgemm_lds",
     .kernel = "sgemm_lds",
     .group = {16, 16},
     .grid = {SIDE, SIDE},
     .pointers = 3,
     .n = {SIDE},
     .elements = ISA_F32,
     .results = SIDE * SIDE,
     .operations = 2.0 * CUBE,
     .host = host_sgemm,
     .unit = LANES},
    {LOOP, .name = "isa_hash", .kernel = "hash", .pointers = 2,
     .n = {ISA_STEPS}, .operations = STEPS(15), .host = host_hash},
    {LOOP, .name = "isa_gather", .kernel = "gather", .pointers = 2,
     .n = {TABLE - 1, ISA_STEPS}, .operations = STEPS(4), .host = host_gather},
    {LOOP, .name = "isa_f64_fma", .kernel = "f64_fma", .pointers = 2,
     .n = {ISA_STEPS}, .elements = ISA_F64, .within = 1e-12,
     .operations = STEPS(8), .host = host_f64_fma},
    {LOOP, .name = "isa_sdwa", .kernel = "parts", .pointers = 2,
     .n = {ISA_STEPS}, .operations = STEPS(14), .host = host_parts},
    {LOOP, .name = "isa_dpp", .kernel = "scan", .pointers = 2, .n = {ISA_STEPS},
     .operations = STEPS(7), .host = host_scan},
    {LOOP, .name = "isa_bpermute", .kernel = "permute", .pointers = 2,
     .n = {ISA_STEPS}, .operations = STEPS(3), .host = host_permute},
    {LOOP, .name = "isa_f16", .kernel = "f16_poly", .pointers = 2,
     .n = {ISA_STEPS}, .elements = ISA_F16, .operations = STEPS(12),
     .host = host_f16_poly},
    {LOOP, .name = "isa_divide", .kernel = "divide", .pointers = 2,
     .n = {ISA_STEPS}, .elements = ISA_F32, .operations = STEPS(2),
     .host = host_divide},
    {LOOP, .name = "isa_bytes", .kernel = "bytes", .pointers = 3,
     .n = {ISA_STEPS}, .operations = STEPS(4), .host = host_bytes},
    {.name = "isa_mfma_f16_gemm",
     .kernel = "mfma_f16_gemm",
     .group = {64, 1},
     .grid = {SIDE * 2, SIDE / 32},
     .pointers = 3,
     .n = {SIDE},
     .elements = ISA_F16,
     .results = SIDE * SIDE,
     .within = 1e-4,
     .operations = 2.0 * CUBE,
     .host = host_f16_gemm,
     .unit = "GFLOP/s"},
    {.name = NULL},
};

/* ---- inputs and results ---- */

/* Positive numbers that are normal, so that no result is a NaN or denormal. */
void isa_inputs_make(const isa_case *c)
{
  uint64_t seed = 1;
  for (size_t i = 0; i < ISA_ITEMS; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const uint32_t x = (uint32_t)(seed >> 33);
    switch (c->elements) {
    case ISA_U32:
      isa_a.u32[i] = x;
      isa_b.u32[i] = x * 0x9e3779b9;
      break;
    case ISA_F32:
      isa_a.f32[i] = (float)(1 + (x & 15));
      isa_b.f32[i] = (float)(1 + (x >> 4 & 15));
      break;
    case ISA_F64:
      isa_a.f64[i] = (x & 0xffff) * 0x1p-17;
      break;
    case ISA_F16:
      isa_a.f16[i] = (uint16_t)(0x3800 + (x & 0x3ff));
      isa_b.f16[i] = (uint16_t)(0x3800 + (x >> 10 & 0x3ff));
      break;
    }
  }
}

static bool result_fits(const isa_case *c, size_t i)
{
  const bool wide = c->elements == ISA_F64;
  const double mine = wide ? isa_out.f64[i] : (double)isa_out.f32[i];
  const double host = wide ? isa_out_host.f64[i] : (double)isa_out_host.f32[i];
  return c->within > 0 ? fabs(mine - host) <= c->within * fabs(host)
                       : isa_out.u32[i] == isa_out_host.u32[i];
}

/* Exactly where sums are exact in any order, else near. */
void isa_results_compare(const isa_case *c)
{
  c->host(c);
  for (size_t i = 0; i < c->results; i++)
    if (!result_fits(c, i)) {
      fprintf(stderr, "bench_isa: %s: element %zu differs from the host's\n",
              c->name, i);
      exit(1);
    }
}
