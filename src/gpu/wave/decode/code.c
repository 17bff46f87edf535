/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/code.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/allocations.h"
#include "common/map.h"
#include "gpu/codeobj/target.h"
#include "gpu/wave/core/jit_page.h"
#include "gpu/wave/core/lds_direct_load.h"
#include "gpu/wave/core/vopd.h"
#include "gpu/wave/decode/lower.h"

enum {
  PAGE_BYTES = 4096,
  PAGE_WORDS = PAGE_BYTES / 4,
  PAGE_MORES = PAGE_WORDS,
};

typedef struct code_page {
  aq_wave_page head;
  aq_wave_code *code;
  struct code_page *next;
  uint8_t banks;                 /* of its VGPRs */
  uint32_t size;                 /* bytes present */
  uint32_t first_used, end_used; /* bytes that instructions were made of */
  uint64_t checked;              /* the code's epoch when they were compared */
  uint64_t read;                 /* the epoch when they were read */
  uint8_t bytes[PAGE_BYTES + 16];
  aq_wave_decoded *mores[PAGE_WORDS];
  /* Four more than words: the last instruction may have four words. */
  aq_wave_op ops[PAGE_WORDS + 4] __attribute__((aligned(64)));
} code_page;

_Static_assert(sizeof(code_page) <= AQ_WAVE_PAGE_ALIGN,
               "a page fits its alignment");
_Static_assert(sizeof(aq_wave_op) == 64, "an instruction is a cache line");

struct aq_wave_code {
  aq_isa_decoder decoder;
  aq_map pages;          /* by address, and banks in its lowest bits */
  aq_map checked;        /* entries of kernels */
  uint64_t checked_when; /* code removed by then */
  code_page *first;
  code_page *last; /* that was looked for; NULL: none */
  uint64_t epoch;  /* 1 and the number of aq_wave_code_refresh */
  aq_wave_named *named;
  unsigned level;
  bool keeps_waits;
  const aq_allocations *allocations;
  aq_wave_handler **handlers; /* by row; NULL: not looked up */
};

/* ---- handlers ---- */

static aq_wave_handler *handler_of(aq_wave_code *code, const aq_isa_row *row)
{
  aq_wave_handler **slot = &code->handlers[row - aq_isa_row_at(0)];
  if (!*slot)
    *slot = code->named(code->level, row->name);
  if (!*slot)
    *slot = aq_wave_not_simulated;
  return *slot;
}

static aq_wave_handler *handler_for(aq_wave_code *code, const aq_isa_inst *inst)
{
  return aq_wave_is_direct(inst) ? code->named(code->level, AQ_WAVE_DIRECT)
                                 : handler_of(code, inst->row);
}

/* ---- kernels that were looked through ---- */

bool aq_wave_code_executes(aq_wave_code *code, const aq_isa_inst *inst)
{
  if (inst->second && handler_of(code, inst->second) == aq_wave_not_simulated)
    return false;
  return handler_of(code, inst->row) != aq_wave_not_simulated &&
         (inst->second ? aq_wave_pair_lowers(inst) : aq_wave_lowers(inst));
}

bool aq_wave_code_is_checked(aq_wave_code *code, uint64_t entry)
{
  const uint64_t gone = aq_allocations_code_removed(code->allocations);
  if (gone != code->checked_when) {
    aq_map_fini(&code->checked);
    code->checked = (aq_map){0};
    code->checked_when = gone;
  }
  return aq_map_get(&code->checked, entry, NULL);
}

void aq_wave_code_check_keep(aq_wave_code *code, uint64_t entry)
{
  aq_map_put(&code->checked, entry, 1); /* without memory: once more */
}

/* ---- pages ---- */

static code_page *page_of(const aq_wave_op *o)
{
  return (code_page *)aq_wave_page_of(o);
}

/* s_nop, s_waitcnt, and RDNA's s_clause and s_delay_alu. */
static bool word_is_wait(uint16_t target, uint32_t high)
{
  enum { NOP = 0xbf80 };
  const bool from_11 = target & AQ_ISA_FROM_GFX11;
  const uint32_t waitcnt = from_11 ? 0xbf89 : 0xbf8c;
  const uint32_t clause = from_11 ? 0xbf85 : 0xbfa1;
  const uint32_t delay = from_11 ? 0xbf87 : NOP;
  return high == NOP || high == delay ||
         (high == waitcnt && !(target & AQ_ISA_GFX12)) ||
         (high == clause && target & AQ_ISA_RDNA);
}

/* Words from `at` on that do nothing here. Where the host orders memory
 * accesses as they were made, neither does anything. */
static uint8_t waits_count(const code_page *page, size_t at)
{
#if defined(__x86_64__)
  uint8_t count = 0;
  if (page->code->keeps_waits)
    return 0;
  for (; at + 4 <= page->size && at < PAGE_BYTES && count < 64; at += 4) {
    uint32_t word;
    memcpy(&word, page->bytes + at, 4);
    if (!word_is_wait(page->code->decoder.target, word >> 16))
      break;
    count++;
  }
  return count;
#else
  (void)page, (void)at;
  return 0;
#endif
}

const aq_wave_op *aq_wave_code_past_waits(const aq_wave_op *o)
{
  const code_page *page = page_of(o);
  return o + waits_count(page, 4 * (size_t)(o - page->ops));
}

/* Bytes that are mapped from `address` on, up to `size`. */
static size_t code_read(uint64_t address, void *to, size_t size)
{
  struct iovec local = {to, size}, remote = {(void *)(uintptr_t)address, size};
  const ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  return got < 0 ? 0 : (size_t)got;
}

/* Where this process reads the page. */
static uint64_t page_host(const code_page *page)
{
  return aq_allocations_reach(page->code->allocations, page->head.base);
}

static void bytes_read(code_page *page)
{
  page->size =
      (uint32_t)code_read(page_host(page), page->bytes, sizeof page->bytes);
  page->read = page->code->epoch;
}

static void word_refuse(aq_wave *w, uint64_t pc, const uint8_t *bytes)
{
  uint32_t word;
  char text[20], what[64];
  memcpy(&word, bytes, sizeof word);
  const char *kind =
      aq_isa_graphics_kind(aq_wave_code_decoder(w->grid->code)->target, word);
  snprintf(what, sizeof what, "%s%s", kind ? kind : "no instruction",
           kind ? ", which is not simulated" : " of this processor");
  snprintf(text, sizeof text, ".long 0x%08x", word);
  aq_wave_fault_at(w, pc, text, AQ_EXECUTION_FAULT_ILLEGAL, 0, what);
}

/* AQ_ERR_NO_MEMORY, or AQ_ERR_INPUT: no instruction begins there. */
static aq_status op_make(code_page *page, size_t index)
{
  const size_t at = 4 * index;
  aq_wave_decoded *more = calloc(1, sizeof *more);
  aq_diag diag = AQ_DIAG_INIT;
  if (!more)
    return AQ_ERR_NO_MEMORY;
  /* Only the bytes in use were compared since. */
  if (page->read != page->code->epoch)
    bytes_read(page);
  if (aq_isa_decode(&page->code->decoder, page->bytes + at,
                    at < page->size ? page->size - at : 0, page->head.base + at,
                    &more->inst, &diag) != AQ_OK) {
    free(more);
    return AQ_ERR_INPUT;
  }
  aq_isa_banks_set(&more->inst, page->banks);
  aq_wave_op lowered = {.run = handler_for(page->code, &more->inst),
                        .words = more->inst.size / 4,
                        .decoded = more};
  const aq_isa_row *second = more->inst.second;
  if (second ? !aq_wave_pair_lower(&lowered, more, lowered.run,
                                   handler_of(page->code, second))
             : !aq_wave_lower(&lowered, more))
    lowered.run = aq_wave_not_simulated;
  lowered.words =
      (uint8_t)(lowered.words + waits_count(page, at + more->inst.size));
  page->mores[index] = more;
  if (at < page->first_used)
    page->first_used = (uint32_t)at;
  if (at + 4 * lowered.words > page->end_used)
    page->end_used = (uint32_t)at + 4 * lowered.words;
  page->ops[index] = lowered;
  return AQ_OK;
}

static const aq_wave_op *op_decode(aq_wave *w, const aq_wave_op *o)
{
  code_page *page = page_of(o);
  const size_t index = (size_t)(o - page->ops), at = 4 * index;
  const aq_status status = op_make(page, index);
  if (status == AQ_OK)
    return o;
  if (status == AQ_ERR_NO_MEMORY)
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "out of memory for instructions");
  word_refuse(w, page->head.base + at, page->bytes + at);
  return NULL;
}

const aq_wave_op *aq_wave_code_decoded(aq_wave_code *code, aq_wave_op *o)
{
  code_page *page = page_of(o);
  (void)code;
  if (!o->decoded && op_make(page, (size_t)(o - page->ops)) != AQ_OK)
    return NULL;
  return o;
}

/* After the last word of a page comes the first one of the next. */
static const aq_wave_op *op_next_page(aq_wave *w, const aq_wave_op *o)
{
  const aq_wave_op *to =
      aq_wave_code_in(w->grid->code, aq_wave_code_pc(o), page_of(o)->banks);
  return to ? to
            : aq_wave_fetch_miss(w, o, aq_wave_code_pc(o),
                                 "the code ends without s_endpgm before");
}

/* Reads the bytes; instructions made of earlier ones are gone. */
static void page_fill(code_page *page)
{
  aq_jit_page_fini(&page->head.jit_page);
  for (size_t i = 0; i < PAGE_WORDS; i++) {
    aq_wave_decoded_free(page->mores[i]);
    page->mores[i] = NULL;
    page->ops[i] = (aq_wave_op){.run = op_decode};
  }
  for (size_t i = PAGE_WORDS; i < PAGE_WORDS + 4; i++)
    page->ops[i] = (aq_wave_op){.run = op_next_page};
  page->first_used = sizeof page->bytes;
  page->end_used = 0;
  bytes_read(page);
}

static code_page *page_load(aq_wave_code *code, uint64_t base, uint8_t banks)
{
  if (!aq_allocations_executable(code->allocations, base))
    return NULL;
  code_page *page = aligned_alloc(AQ_WAVE_PAGE_ALIGN, AQ_WAVE_PAGE_ALIGN);
  if (!page)
    return NULL;
  memset(page, 0, offsetof(code_page, ops));
  page->code = code;
  page->head = (aq_wave_page){.base = base, .ops = page->ops};
  page->banks = banks;
  page->checked = code->epoch;
  page_fill(page);
  if (page->size == 0 ||
      !aq_map_put(&code->pages, base | banks, (uint64_t)(uintptr_t)page)) {
    free(page);
    return NULL;
  }
  page->next = code->first;
  code->first = page;
  return page;
}

/* Whether the aligned word can be read: a system call that fails in the end
 * reads it first, several times as fast as process_vm_readv. */
static bool word_is_readable(uint64_t address)
{
  const int no_such_way = ~0;
  return syscall(SYS_rt_sigprocmask, no_such_way, address & ~(uint64_t)7, NULL,
                 sizeof(uint64_t)) == 0 ||
         errno != EFAULT;
}

/* Makes the page anew if the bytes that it was made of changed. False: there is
 * no code any more. */
static bool page_check(code_page *page)
{
  if (__builtin_expect(page->checked == page->code->epoch, true))
    return page->size > 0;
  page->checked = page->code->epoch;
  const uint64_t host = page_host(page), first = host + page->first_used,
                 end = host + page->end_used;
  if (!aq_allocations_executable(page->code->allocations, page->head.base)) {
    page->size = 0;
    page->checked = 0; /* it may be again */
    return false;
  }
  if (first >= end || !word_is_readable(first) || !word_is_readable(end - 1) ||
      memcmp((const void *)(uintptr_t)first, page->bytes + page->first_used,
             end - first) != 0)
    page_fill(page);
  return page->size > 0;
}

static code_page *page_find(aq_wave_code *code, uint64_t base, uint8_t banks)
{
  uint64_t found = 0;
  code_page *page = aq_map_get(&code->pages, base | banks, &found)
                        ? (code_page *)(uintptr_t)found
                        : page_load(code, base, banks);
  if (page)
    code->last = page;
  return page;
}

aq_wave_op *aq_wave_code_in(aq_wave_code *code, uint64_t pc, uint8_t banks)
{
  const uint64_t base = pc & ~(uint64_t)(PAGE_BYTES - 1);
  code_page *page = code->last;
  if (pc & 3)
    return NULL;
  if (!page || page->head.base != base || page->banks != banks)
    page = page_find(code, base, banks);
  return page && page_check(page) ? &page->ops[(pc - base) / 4] : NULL;
}

bool aq_wave_code_is_near(const aq_wave_op *o, const aq_wave_op *to)
{
  return page_of(o) == page_of(to);
}

void aq_wave_code_keep_waits(aq_wave_code *code)
{
  code->keeps_waits = true;
}

void aq_wave_code_refresh(aq_wave_code *code)
{
  code->epoch++;
}

/* ---- life ---- */

const aq_isa_decoder *aq_wave_code_decoder(const aq_wave_code *code)
{
  return &code->decoder;
}

uint16_t aq_wave_code_target(const aq_wave_code *code)
{
  return code->decoder.target;
}

size_t aq_wave_code_memory(const aq_wave_code *code)
{
  size_t bytes = 0;
  for (const code_page *page = code->first; page; page = page->next) {
    bytes += AQ_WAVE_PAGE_ALIGN;
    for (size_t i = 0; i < PAGE_WORDS; i++)
      bytes += aq_wave_decoded_size(page->mores[i]);
  }
  return bytes;
}

void aq_wave_code_destroy(aq_wave_code *code)
{
  if (!code)
    return;
  while (code->first) {
    code_page *page = code->first;
    code->first = page->next;
    for (size_t i = 0; i < PAGE_WORDS; i++)
      aq_wave_decoded_free(page->mores[i]);
    aq_jit_page_fini(&page->head.jit_page);
    free(page);
  }
  aq_map_fini(&code->pages);
  aq_map_fini(&code->checked);
  free(code->handlers);
  free(code);
}

bool aq_wave_target_executes(uint16_t target)
{
  return target != 0;
}

aq_status aq_wave_code_create(const char *gfx, bool wave32,
                              aq_wave_named *named,
                              const struct aq_allocations *allocations,
                              unsigned level, aq_wave_code **out, aq_diag *diag)
{
  aq_target target;
  aq_status status = aq_target_parse(gfx, strlen(gfx), &target, diag);
  if (status != AQ_OK)
    return status;
  aq_wave_code *code = calloc(1, sizeof *code);
  if (code)
    code->handlers = calloc(aq_isa_row_count(), sizeof *code->handlers);
  status = code && code->handlers
               ? aq_isa_decoder_init(&code->decoder, target.processor, diag)
               : aq_diag_no_memory(diag);
  if (status == AQ_OK && !aq_wave_target_executes(code->decoder.target))
    status = aq_diag_set(
        diag, AQ_ERR_UNSUPPORTED,
        "machine code of %s is decoded but not executed; "
        "expected a target that doc/tables/isa.md lists as executed",
        gfx);
  if (status == AQ_OK && wave32 && !(code->decoder.target & AQ_ISA_RDNA))
    status = aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "code of %s for waves of 32 lanes; expected 64", gfx);
  if (status != AQ_OK) {
    aq_wave_code_destroy(code);
    return status;
  }
  code->decoder.wave32 = wave32;
  code->named = named;
  code->level = level;
  code->epoch = 1;
  code->allocations = allocations;
  *out = code;
  return AQ_OK;
}
