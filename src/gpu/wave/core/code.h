/* SPDX-License-Identifier: MIT */
/*
 * Code made ready: instructions are decoded when they are first reached, a page
 * of lowered instructions for each page of code.
 *
 * A code belongs to one processor and is used by one thread at a time.
 */
#ifndef AQ_GPU_WAVE_CORE_CODE_H
#define AQ_GPU_WAVE_CORE_CODE_H

#include "common/diag.h"
#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/core/jit_page.h"

typedef struct aq_wave_code aq_wave_code;

enum { AQ_WAVE_PAGE_ALIGN = 1 << 17 };

/* How a page of instructions begins: it is found from any of them. */
typedef struct aq_wave_page {
  uint64_t base;        /* address of the code */
  aq_wave_op *ops;      /* of each word */
  aq_jit_page jit_page; /* compiled units (jit.h) */
} aq_wave_page;

static inline aq_wave_page *aq_wave_page_of(const aq_wave_op *o)
{
  return (aq_wave_page *)((uintptr_t)o & ~(uintptr_t)(AQ_WAVE_PAGE_ALIGN - 1));
}

/* Finds the handler of an instruction at a level (wave.h), or NULL. */
typedef aq_wave_handler *aq_wave_named(unsigned level, const char *name);

/* For a processor such as "gfx942" and the width of its waves.
 * AQ_ERR_UNSUPPORTED names one that cannot be executed. The borrowed map lists
 * the executable memory. */
aq_status aq_wave_code_create(const char *gfx, bool wave32,
                              aq_wave_named *named,
                              const struct aq_allocations *allocations,
                              unsigned level, aq_wave_code **out,
                              aq_diag *diag);
void aq_wave_code_destroy(aq_wave_code *code);

/* Whether code of a target (its bit) is executed at all. */
bool aq_wave_target_executes(uint16_t target);

/* Whether an instruction is simulated. */
bool aq_wave_code_executes(aq_wave_code *code, const aq_isa_inst *inst);

/* Entries of kernels whose code was looked through, until code is unloaded. */
bool aq_wave_code_is_checked(aq_wave_code *code, uint64_t entry);
void aq_wave_code_check_keep(aq_wave_code *code, uint64_t entry);

/* Bytes of the decoded instructions: whole pages of them. */
size_t aq_wave_code_memory(const aq_wave_code *code);

/* Lives as long as the code. */
const aq_isa_decoder *aq_wave_code_decoder(const aq_wave_code *code);

/* The bit of the processor: AQ_ISA_GFX900 and so on. */
uint16_t aq_wave_code_target(const aq_wave_code *code);

/* The instruction at an address, decoded or to be; NULL: out of memory, the
 * address is not a multiple of four, or not executable. Its VGPRs are in
 * `banks` (aq_isa_banks_set); 0 but on gfx1250. */
aq_wave_op *aq_wave_code_in(aq_wave_code *code, uint64_t pc, uint8_t banks);

static inline aq_wave_op *aq_wave_code_at(aq_wave_code *code, uint64_t pc)
{
  return aq_wave_code_in(code, pc, 0);
}

/* The address of an instruction. */
static inline uint64_t aq_wave_code_pc(const aq_wave_op *o)
{
  const aq_wave_page *page = aq_wave_page_of(o);
  return page->base + 4 * (uint64_t)(o - page->ops);
}

/* Where a wave that stops continues. */
static inline void aq_wave_resume_at(aq_wave *w, const aq_wave_op *o)
{
  w->pc = aq_wave_code_pc(o);
  w->resume = o;
  w->resumed = w->grid->step;
}

/* The instructions of its page, and the compiled units there. */
static inline aq_wave_op *aq_wave_code_ops(const aq_wave_op *o)
{
  return aq_wave_page_of(o)->ops;
}

static inline aq_jit_page *aq_wave_code_jit_page(const aq_wave_op *o)
{
  return &aq_wave_page_of(o)->jit_page;
}

/* Executes s_waitcnt and s_nop one by one, for profiles and traces; call it
 * before the first execution. Otherwise they are skipped where they have no
 * effect. */
void aq_wave_code_keep_waits(aq_wave_code *code);

/* The instruction, or the one behind it where it is skipped. */
const aq_wave_op *aq_wave_code_past_waits(const aq_wave_op *o);

/* Whether both lie in one page: where one of them runs, the other is as it is
 * in memory. */
bool aq_wave_code_is_near(const aq_wave_op *o, const aq_wave_op *to);

/* The instruction itself, decoded; NULL: none begins there, or out of memory.
 */
const aq_wave_op *aq_wave_code_decoded(aq_wave_code *code, aq_wave_op *o);

/* From now on a page is compared with memory before code in it runs, and made
 * anew if it changed. Between dispatches only. */
void aq_wave_code_refresh(aq_wave_code *code);

#endif
