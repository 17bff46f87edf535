/* SPDX-License-Identifier: MIT */
/* The loops of isa/kernels.c on the host, compiled for the processor's level:
 * the floors of bench_isa. */
#ifndef AQ_TESTS_BENCH_ISA_H
#define AQ_TESTS_BENCH_ISA_H

#include <stdint.h>

void isa_host_vadd(const float *a, const float *b, float *c, uint32_t n);
/* n by n. */
void isa_host_sgemm(const float *a, const float *b, float *c, uint32_t n);
void isa_host_hash(const uint32_t *a, uint32_t *out, uint32_t items,
                   uint32_t n);
void isa_host_gather(const uint32_t *table, uint32_t *out, uint32_t items,
                     uint32_t mask, uint32_t n);
void isa_host_f64_fma(const double *a, double *out, uint32_t items, uint32_t n);
/* c = a * b', n by n, f16 as bits. */
void isa_host_f16_gemm(const uint16_t *a, const uint16_t *b, float *c,
                       uint32_t n);

#endif
