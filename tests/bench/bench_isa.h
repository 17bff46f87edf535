/* SPDX-License-Identifier: MIT */
/*
 * The kernels that bench_isa measures, with their inputs, and their loops on
 * the host, compiled for the processor's level: the floors. One thread.
 */
#ifndef AQ_TESTS_BENCH_ISA_H
#define AQ_TESTS_BENCH_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/wave/core/wave.h"

enum {
  ISA_ITEMS = 1 << 20,
  ISA_STEPS = 64, /* of a loop in a kernel */
};

/* The numbers in the arrays. */
typedef enum isa_elements {
  ISA_U32,
  ISA_F32,
  ISA_F64,
  ISA_F16,
} isa_elements;

typedef struct isa_case {
  const char *name, *kernel;
  uint16_t group[2];
  uint32_t grid[2];
  unsigned pointers;
  uint32_t n[2];
  isa_elements elements;
  size_t results;    /* words, or pairs of words, that are compared */
  double within;     /* of the host's results; 0: exactly */
  double operations; /* of all lanes, by the source; or bytes */
  void (*host)(const struct isa_case *c);
  const char *unit; /* of the operations */
  /* State of a run. */
  void *arrays[3]; /* NULL: the common ones */
  aq_wave_machine *machine;
  uint64_t instructions;
  bool concurrent;
} isa_case;

typedef union isa_array {
  float f32[ISA_ITEMS];
  uint32_t u32[ISA_ITEMS];
  double f64[ISA_ITEMS];
  uint16_t f16[ISA_ITEMS];
  uint8_t u8[ISA_ITEMS];
} isa_array;

/* The common arrays: sources, results of a kernel, results of its loop. */
extern isa_array isa_a, isa_b, isa_out, isa_out_host;

/* A NULL name ends the list. */
extern isa_case isa_cases[];

/* Fills the sources. */
void isa_inputs_make(const isa_case *c);

/* Exits with a message if the kernel's results are not its loop's. */
void isa_results_compare(const isa_case *c);

/* ---- loops ---- */

void isa_host_vadd(const float *a, const float *b, float *c, uint32_t n);
/* n by n. */
void isa_host_sgemm(const float *a, const float *b, float *c, uint32_t n);
void isa_host_hash(const uint32_t *a, uint32_t *out, uint32_t items,
                   uint32_t n);
void isa_host_gather(const uint32_t *table, uint32_t *out, uint32_t items,
                     uint32_t mask, uint32_t n);
void isa_host_parts(const uint32_t *a, uint32_t *out, uint32_t items,
                    uint32_t n);
void isa_host_scan(const uint32_t *a, uint32_t *out, uint32_t items,
                   uint32_t n);
void isa_host_permute(const uint32_t *a, uint32_t *out, uint32_t items,
                      uint32_t n);
/* f16 as bits. */
void isa_host_f16_poly(const uint16_t *a, uint16_t *out, uint32_t items,
                       uint32_t n);
void isa_host_divide(const float *a, float *out, uint32_t items, uint32_t n);
void isa_host_bytes(const uint8_t *a, const uint16_t *b, uint32_t *out,
                    uint32_t items, uint32_t n);
void isa_host_f64_fma(const double *a, double *out, uint32_t items, uint32_t n);
/* c = a * b', n by n, f16 as bits. */
void isa_host_f16_gemm(const uint16_t *a, const uint16_t *b, float *c,
                       uint32_t n);

#endif
