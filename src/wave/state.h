/* SPDX-License-Identifier: MIT */
/* The state of waves and the form in which they execute code. Within wave. */
#ifndef AQ_WAVE_STATE_H
#define AQ_WAVE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/executor.h"
#include "isa/isa.h"

enum { AQ_WAVE_LANES = 64, AQ_WAVE_ROWS_MAX = 32 };

typedef struct aq_wave aq_wave;
typedef struct aq_wave_op aq_wave_op;
typedef struct aq_wave_group aq_wave_group;

/* Executes one instruction; the PC already points behind it. */
typedef void aq_wave_execute(aq_wave *wave, const aq_wave_op *op);

/* The value of a vector instruction in all lanes. A value of n dwords takes n
 * rows of 64 lanes. `d` may be one of the sources. */
typedef void aq_wave_value(uint32_t *d, const uint32_t *a, const uint32_t *b,
                           const uint32_t *c);

/* A bit a lane. `in` is a carry or a selecting mask; `d` may be NULL. */
typedef uint64_t aq_wave_mask(uint32_t *d, const uint32_t *a, const uint32_t *b,
                              const uint32_t *c, uint64_t in);

typedef enum aq_wave_source_kind {
  AQ_WAVE_NONE,
  AQ_WAVE_VGPR,
  AQ_WAVE_SGPR,
  AQ_WAVE_CONSTANT,
} aq_wave_source_kind;

typedef struct aq_wave_source {
  uint8_t kind; /* aq_wave_source_kind */
  uint8_t rows; /* dwords a lane */
  uint16_t number;
  uint64_t value;     /* CONSTANT, for scalar instructions */
  uint32_t *constant; /* CONSTANT, for vector ones: rows of 64 equal lanes */
} aq_wave_source;

/* A decoded instruction, ready to execute. */
struct aq_wave_op {
  aq_wave_execute *execute;
  aq_wave_value *value; /* of vector instructions one of both */
  aq_wave_mask *mask;
  uint8_t size;       /* bytes */
  uint8_t dst_rows;   /* dwords a lane */
  bool plain;         /* no modifier of sources or result, no SDWA, no DPP */
  bool acts;          /* false: waits and nops, which no figure counts */
  uint8_t float_bits; /* of the result: 16, 32, 64; 0: no float */
  uint16_t dst, sdst; /* registers */
  bool compare_exec;  /* v_cmpx: the mask becomes EXEC too */
  uint8_t bytes;      /* of memory instructions, a lane */
  bool sext;          /* loads of less than a dword */
  uint8_t half;       /* D16: 1 the lower, 2 the upper half of the register */
  uint8_t operation;  /* of atomics */
  aq_wave_source a, b, c;
  const aq_isa_inst *inst;
};

/* Where flat addresses mean LDS and scratch: the upper words of apertures that
 * no mapping of a process can be in. */
enum { AQ_WAVE_SHARED_APERTURE = 0x10000, AQ_WAVE_PRIVATE_APERTURE = 0x20000 };

typedef struct aq_wave_range {
  uint64_t low, high; /* bytes low to high - 1 */
  bool write;
} aq_wave_range;

/* The process's mappings, sorted; see memory.h. */
typedef struct aq_wave_maps {
  aq_wave_range *ranges;
  size_t count, capacity;
} aq_wave_maps;

/* A workgroup. Its waves run in turn. */
struct aq_wave_group {
  unsigned char *lds;
  uint32_t lds_size;
  uint32_t private_size;     /* bytes a lane */
  aq_wave_maps *maps;        /* borrowed, of the machine */
  aq_wave_range near;        /* the last range that was hit */
  uint64_t ticks, issued;    /* clock at the step's start, instructions since */
  aq_execution_fault *fault; /* borrowed, of the execution */
};

typedef enum aq_wave_status {
  AQ_WAVE_RUNS,
  AQ_WAVE_SLEEPS, /* yields once */
  AQ_WAVE_AT_BARRIER,
  AQ_WAVE_ENDED,
  AQ_WAVE_FAULTED,
} aq_wave_status;

/* MODE, by bits of the hardware register. */
enum {
  AQ_WAVE_ROUND = 0xf,
  AQ_WAVE_DENORM_32 = 3 << 4,
  AQ_WAVE_DENORM_16_64 = 3 << 6,
  AQ_WAVE_DX10_CLAMP = 1 << 8,
  AQ_WAVE_IEEE = 1 << 9,
};

struct aq_wave {
  uint64_t pc;
  uint32_t status; /* aq_wave_status */
  uint32_t mode;
  uint32_t vgprs, accs; /* registers a lane; AccVGPRs follow the VGPRs */
  uint32_t *v;          /* rows of 64 lanes */
  aq_wave_group *group;
  uint32_t number; /* in its workgroup */
  unsigned char *scratch;
  /* By scalar code: SGPRs, VCC, EXEC, M0, and above 128 inline constants and
   * SCC as 32-bit instructions read them. */
  _Alignas(64) uint32_t s[256];
};

static inline uint64_t aq_wave_pair(const aq_wave *wave, unsigned code)
{
  return (uint64_t)wave->s[code + 1] << 32 | wave->s[code];
}

static inline void aq_wave_pair_set(aq_wave *wave, unsigned code,
                                    uint64_t value)
{
  wave->s[code] = (uint32_t)value;
  wave->s[code + 1] = (uint32_t)(value >> 32);
}

static inline uint64_t aq_wave_exec(const aq_wave *wave)
{
  return aq_wave_pair(wave, AQ_ISA_EXEC);
}

static inline uint32_t *aq_wave_row(const aq_wave *wave, unsigned number)
{
  return wave->v + (size_t)number * AQ_WAVE_LANES;
}

/* Stops the wave: its execution ends with this fault. */
void aq_wave_fault(aq_wave *wave, const aq_wave_op *op,
                   aq_execution_fault_kind kind, uint64_t address,
                   const char *what);

#endif
