/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/code.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "codeobj/target.h"
#include "common/allocations.h"
#include "common/map.h"
#include "wave/atomics.h"
#include "wave/direct.h"
#include "wave/finish.h"

enum {
  PAGE_BYTES = 4096,
  PAGE_WORDS = PAGE_BYTES / 4,
  PAGE_ALIGN = 1 << 17, /* a page is found from any of its instructions */
  PAGE_MORES = PAGE_WORDS,
};

typedef struct code_page {
  aq_wave_code *code;
  struct code_page *next;
  uint64_t base;
  uint32_t size;                 /* bytes present */
  uint32_t first_used, end_used; /* bytes that instructions were made of */
  uint64_t checked;              /* the code's epoch when they were compared */
  uint64_t read;                 /* the epoch when they were read */
  uint8_t bytes[PAGE_BYTES + 16];
  aq_wave_more *mores[PAGE_WORDS];
  /* Four more than words: the last instruction may have four words. */
  aq_wave_op ops[PAGE_WORDS + 4] __attribute__((aligned(64)));
} code_page;

_Static_assert(sizeof(code_page) <= PAGE_ALIGN, "a page fits its alignment");
_Static_assert(sizeof(aq_wave_op) == 64, "an instruction is a cache line");

struct aq_wave_code {
  aq_isa_decoder decoder;
  aq_map pages;          /* by address */
  aq_map checked;        /* entries of kernels */
  uint64_t checked_when; /* code removed by then */
  code_page *first;
  uint64_t epoch; /* 1 and the number of aq_wave_code_refresh */
  aq_wave_named *named;
  unsigned level;
  bool keeps_waits;
  const aq_allocations *allocations;
  aq_wave_handler **handlers; /* by row; NULL: not looked up */
};

/* ---- handlers ---- */

static const aq_wave_op *op_missing(aq_wave *w, const aq_wave_op *o)
{
  return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                       "the instruction is not simulated");
}

static aq_wave_handler *handler_of(aq_wave_code *code, const aq_isa_row *row)
{
  aq_wave_handler **slot = &code->handlers[row - aq_isa_row_at(0)];
  if (!*slot)
    *slot = code->named(code->level, row->name);
  if (!*slot)
    *slot = op_missing;
  return *slot;
}

static aq_wave_handler *handler_for(aq_wave_code *code, const aq_isa_inst *inst)
{
  return aq_wave_is_direct(inst) ? code->named(code->level, AQ_WAVE_DIRECT)
                                 : handler_of(code, inst->row);
}

/* ---- lowering ---- */

enum { BRAIN = 1 }; /* in the place of a width: bf16 */

static uint64_t float_constant(unsigned code, unsigned bits)
{
  static const struct {
    uint16_t half;
    uint32_t single;
    uint64_t wide;
  } values[] = {
      {0x3800, 0x3f000000, 0x3fe0000000000000},
      {0xb800, 0xbf000000, 0xbfe0000000000000},
      {0x3c00, 0x3f800000, 0x3ff0000000000000},
      {0xbc00, 0xbf800000, 0xbff0000000000000},
      {0x4000, 0x40000000, 0x4000000000000000},
      {0xc000, 0xc0000000, 0xc000000000000000},
      {0x4400, 0x40800000, 0x4010000000000000},
      {0xc400, 0xc0800000, 0xc010000000000000},
      {0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
  };
  const unsigned i = code - AQ_ISA_HALF;
  return bits == BRAIN                ? values[i].single >> 16
         : bits == 64                 ? values[i].wide
         : bits == 16 || bits == 1632 ? values[i].half
                                      : values[i].single;
}

/* How wide a constant is: packed instructions take one for each half. */
static unsigned constant_bits(const aq_isa_inst *inst,
                              const aq_isa_operand *operand)
{
  const char *name = inst->row->name;
  if (strcmp(name, "v_cvt_f32_bf16") == 0)
    return BRAIN;
  if (inst->row->encoding != AQ_ISA_VOP3P &&
      inst->row->encoding != AQ_ISA_VOP3PX2)
    return operand->bits;
  if (inst->row->flags & AQ_ISA_MATRIX)
    return strncmp(name, "v_mfma_f64_", 11) == 0 ? 64 : 32;
  if (inst->row->flags & AQ_ISA_MIX)
    return inst->op_sel_hi >> (operand->role - 'A') & 1 ? 16 : 32;
  return operand->role != 'C' && strstr(name, "_f16")             ? 16
         : strncmp(name, "v_pk_", 5) == 0 && strstr(name, "_f16") ? 16
                                                                  : 32;
}

/* The value of a scalar code of 128 or more; false: it is not a constant. */
static bool constant_value(const aq_isa_inst *inst,
                           const aq_isa_operand *operand, uint64_t *out)
{
  const unsigned code = operand->code;
  if (code == AQ_ISA_LITERAL) {
    *out = operand->bits == 64 && operand->type == 'f'
               ? (uint64_t)inst->literal << 32
               : inst->literal;
  } else if (code >= AQ_ISA_INT_0 && code <= AQ_ISA_INT_0 + 64) {
    *out = code - AQ_ISA_INT_0;
  } else if (code >= AQ_ISA_INT_NEGATIVE && code < AQ_ISA_INT_NEGATIVE + 16) {
    *out = (uint64_t) - (int64_t)(code - AQ_ISA_INT_NEGATIVE + 1);
  } else if (code >= AQ_ISA_HALF && code <= AQ_ISA_INV_2PI) {
    *out = float_constant(code, constant_bits(inst, operand));
  } else if (code >= AQ_ISA_SHARED_BASE && code < AQ_ISA_SHARED_BASE + 4) {
    const unsigned which = code - AQ_ISA_SHARED_BASE;
    const uint64_t high = which < 2 ? AQ_WAVE_SHARED_HI : AQ_WAVE_PRIVATE_HI;
    *out =
        operand->bits == 64 ? high << 32 | (which & 1 ? UINT32_MAX : 0) : high;
  } else {
    return false;
  }
  return true;
}

static uint16_t row_of(const aq_isa_operand *operand)
{
  return (uint16_t)(operand->code + (operand->file == 'a' ? AQ_WAVE_ACC : 0));
}

static bool source_lower(aq_wave_op *o, int i, const aq_isa_inst *inst,
                         const aq_isa_operand *operand)
{
  if (operand->role == 'K') {
    o->kind[i] = AQ_WAVE_K;
    o->k[i] = inst->literal;
    return true;
  }
  if (operand->file == 'v' || operand->file == 'a') {
    o->kind[i] = AQ_WAVE_V;
    o->r[i] = row_of(operand);
    return true;
  }
  if (operand->file != 's')
    return true; /* not a register: a number or a target */
  if (operand->code < 128) {
    o->kind[i] = AQ_WAVE_S;
    o->r[i] = operand->code;
    return true;
  }
  o->kind[i] = AQ_WAVE_K;
  return constant_value(inst, operand, &o->k[i]);
}

static bool is_source(const aq_isa_operand *operand)
{
  return operand->role == 'A' || operand->role == 'B' || operand->role == 'C' ||
         operand->role == 'K';
}

/* Sources in the order of printing, destinations. */
static bool arithmetic_lower(aq_wave_op *o, const aq_isa_inst *inst)
{
  int i = 0;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    const aq_isa_operand *operand = &inst->operands[k];
    if (operand->role == 'D')
      o->d = operand->file == 's' ? operand->code : row_of(operand);
    else if (operand->role == 'E')
      o->e = operand->code;
    else if (is_source(operand) && i < 3 &&
             !source_lower(o, i++, inst, operand))
      return false;
  }
  for (; i < 3; i++) {
    o->kind[i] = AQ_WAVE_K;
    o->k[i] = 0;
  }
  o->imm = (int16_t)inst->imm;
  return true;
}

/* Instructions that accumulate into their destination. */
static bool accumulates(const char *name)
{
  static const char *const prefixes[] = {
      "v_fmac_",  "v_mac_",   "v_pk_fmac_",    "v_dot2c_",
      "v_dot4c_", "v_dot8c_", "v_cvt_pkaccum_"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return false;
}

/* Whether an instruction that can select halves selects none: its operands are
 * whole words. */
static bool halves_are_whole(const aq_isa_inst *inst)
{
  bool whole = inst->row->encoding == AQ_ISA_VOP3 && !inst->op_sel;
  for (unsigned k = 0; k < inst->operand_count; k++)
    whole &= inst->operands[k].bits == 32 && inst->operands[k].type != 'f';
  return whole;
}

static bool form_is_needed(const aq_isa_inst *inst)
{
  bool needed = inst->form == AQ_ISA_SDWA || inst->form == AQ_ISA_DPP ||
                inst->clamp || inst->omod;
  if (inst->row->encoding == AQ_ISA_VOP3P ||
      inst->row->encoding == AQ_ISA_VOP3PX2 ||
      strncmp(inst->row->name, "v_permlane", 10) == 0)
    return false; /* handlers read the modifiers */
  if (aq_wave_convert_selects(inst))
    return false;
  for (unsigned k = 0; k < inst->operand_count; k++)
    needed |= inst->operands[k].modifiers != 0;
  return needed || (inst->row->flags & AQ_ISA_OPSEL && !halves_are_whole(inst));
}

static bool vector_lower(aq_wave_op *o, aq_wave_more *more)
{
  const aq_isa_inst *inst = &more->inst;
  if (!arithmetic_lower(o, inst))
    return false;
  if (accumulates(inst->row->name)) {
    o->kind[2] = AQ_WAVE_V;
    o->r[2] = o->d;
  }
  if ((inst->clamp || inst->omod) && inst->row->encoding != AQ_ISA_VOP3P &&
      !aq_wave_finish_executes(inst))
    return false;
  if (form_is_needed(inst) && o->run != op_missing) {
    more->base = o->run;
    o->run = aq_wave_form_run;
  }
  return true;
}

static uint16_t vector_role(const aq_isa_inst *inst, char role)
{
  const aq_isa_operand *operand = aq_isa_operand_find(inst, role);
  return operand && (operand->file == 'v' || operand->file == 'a')
             ? row_of(operand)
             : AQ_WAVE_NONE;
}

static bool memory_lower(aq_wave_op *o, aq_wave_more *more)
{
  const aq_isa_inst *inst = &more->inst;
  const aq_isa_operand *data = aq_isa_operand_find(inst, 'D');
  const aq_isa_operand *scalar = aq_isa_operand_find(inst, 'S');
  const bool buffer = inst->row->encoding == AQ_ISA_MUBUF ||
                      inst->row->encoding == AQ_ISA_MTBUF;
  const bool smem = inst->row->encoding == AQ_ISA_SMEM;
  const aq_isa_operand *base = aq_isa_operand_find(inst, smem ? 'A' : 'R');
  o->imm = inst->offset;
  o->d = !data ? AQ_WAVE_NONE : smem ? data->code : row_of(data);
  o->k[0] = aq_wave_atomic_named(inst->row->name);
  more->address = vector_role(inst, 'A');
  more->data = buffer ? o->d : vector_role(inst, 'B');
  more->data2 = vector_role(inst, 'C');
  more->scalar = AQ_WAVE_NONE;
  if (!smem) { /* access.inc reads them here */
    o->r[1] = buffer && !inst->offen ? AQ_WAVE_NONE : more->address;
    o->r[2] = more->data;
  }
  more->bytes = data ? (uint8_t)(data->bits / 8) : 0;
  if (base)
    o->r[0] = base->code;
  const bool register_used = scalar && scalar->file == 's';
  if (register_used && scalar->code < 128)
    more->scalar = scalar->code;
  else if (register_used && !constant_value(inst, scalar, &o->k[1]))
    return false;
  o->e = more->scalar;
  const bool gws = inst->row->flags & AQ_ISA_GDS;
  if (inst->gds != gws || inst->tfe)
    return false;
  return !aq_wave_is_direct(inst) || aq_wave_direct_lower(o, inst);
}

static bool op_lower(aq_wave_op *o, aq_wave_more *more)
{
  switch (more->inst.row->encoding) {
  case AQ_ISA_SOP2:
  case AQ_ISA_SOPK:
  case AQ_ISA_SOP1:
  case AQ_ISA_SOPC:
  case AQ_ISA_SOPP:
    return arithmetic_lower(o, &more->inst);
  case AQ_ISA_VOP2:
  case AQ_ISA_VOP1:
  case AQ_ISA_VOPC:
  case AQ_ISA_VOP3:
  case AQ_ISA_VOP3P:
  case AQ_ISA_VOP3PX2:
    return vector_lower(o, more);
  case AQ_ISA_MIMG:
  case AQ_ISA_EXP:
  case AQ_ISA_VINTRP:
    return false;
  default:
    return memory_lower(o, more);
  }
}

bool aq_wave_code_lowers(const aq_isa_inst *inst)
{
  aq_wave_more more = {.inst = *inst};
  aq_wave_op op = {.run = NULL, .more = &more};
  return op_lower(&op, &more);
}

bool aq_wave_code_executes(aq_wave_code *code, const aq_isa_inst *inst)
{
  return handler_of(code, inst->row) != op_missing && aq_wave_code_lowers(inst);
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
  return (code_page *)((uintptr_t)o & ~(uintptr_t)(PAGE_ALIGN - 1));
}

uint64_t aq_wave_code_pc(const aq_wave_op *o)
{
  const code_page *page = page_of(o);
  return page->base + 4 * (uint64_t)(o - page->ops);
}

/* Words from `at` on that are s_nop and s_waitcnt. Where the host orders memory
 * accesses as they were made, neither does anything. */
static uint8_t waits_count(const code_page *page, size_t at)
{
#if defined(__x86_64__)
  enum { NOP = 0xbf80, WAITCNT = 0xbf8c };
  uint8_t count = 0;
  if (page->code->keeps_waits)
    return 0;
  for (; at + 4 <= page->size && at < PAGE_BYTES && count < 64; at += 4) {
    uint32_t word;
    memcpy(&word, page->bytes + at, 4);
    if (word >> 16 != NOP && word >> 16 != WAITCNT)
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

static void bytes_read(code_page *page)
{
  page->size = (uint32_t)code_read(page->base, page->bytes, sizeof page->bytes);
  page->read = page->code->epoch;
}

static void word_refuse(aq_wave *w, uint64_t pc, const uint8_t *bytes)
{
  uint32_t word;
  char text[20];
  memcpy(&word, bytes, sizeof word);
  snprintf(text, sizeof text, ".long 0x%08x", word);
  aq_wave_fault_at(w, pc, text, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                   "no instruction of this processor");
}

static const aq_wave_op *op_decode(aq_wave *w, const aq_wave_op *o)
{
  code_page *page = page_of(o);
  const size_t index = (size_t)(o - page->ops), at = 4 * index;
  aq_wave_more *more = calloc(1, sizeof *more);
  aq_diag diag = AQ_DIAG_INIT;
  if (!more)
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "out of memory for instructions");
  /* Only the bytes in use were compared since. */
  if (page->read != page->code->epoch)
    bytes_read(page);
  if (aq_isa_decode(&page->code->decoder, page->bytes + at,
                    at < page->size ? page->size - at : 0, page->base + at,
                    &more->inst, &diag) != AQ_OK) {
    free(more);
    word_refuse(w, page->base + at, page->bytes + at);
    return NULL;
  }
  aq_wave_op lowered = {.run = handler_for(page->code, &more->inst),
                        .words = more->inst.size / 4,
                        .more = more};
  if (!op_lower(&lowered, more))
    lowered.run = op_missing;
  lowered.words =
      (uint8_t)(lowered.words + waits_count(page, at + more->inst.size));
  page->mores[index] = more;
  if (at < page->first_used)
    page->first_used = (uint32_t)at;
  if (at + 4 * lowered.words > page->end_used)
    page->end_used = (uint32_t)at + 4 * lowered.words;
  page->ops[index] = lowered;
  return o;
}

/* After the last word of a page comes the first one of the next. */
static const aq_wave_op *op_next_page(aq_wave *w, const aq_wave_op *o)
{
  const aq_wave_op *to = aq_wave_code_at(w->grid->code, aq_wave_code_pc(o));
  return to ? to
            : aq_wave_fault(w, o, AQ_EXECUTION_FAULT_MEMORY, aq_wave_code_pc(o),
                            "the code ends without s_endpgm");
}

/* Reads the bytes; instructions made of earlier ones are gone. */
static void page_fill(code_page *page)
{
  for (size_t i = 0; i < PAGE_WORDS; i++) {
    free(page->mores[i]);
    page->mores[i] = NULL;
    page->ops[i] = (aq_wave_op){.run = op_decode};
  }
  for (size_t i = PAGE_WORDS; i < PAGE_WORDS + 4; i++)
    page->ops[i] = (aq_wave_op){.run = op_next_page};
  page->first_used = sizeof page->bytes;
  page->end_used = 0;
  bytes_read(page);
}

static code_page *page_load(aq_wave_code *code, uint64_t base)
{
  if (!aq_allocations_executable(code->allocations, base))
    return NULL;
  code_page *page = aligned_alloc(PAGE_ALIGN, PAGE_ALIGN);
  if (!page)
    return NULL;
  memset(page, 0, offsetof(code_page, ops));
  page->code = code;
  page->base = base;
  page->checked = code->epoch;
  page_fill(page);
  if (page->size == 0 ||
      !aq_map_put(&code->pages, base, (uint64_t)(uintptr_t)page)) {
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
  const uint64_t first = page->base + page->first_used,
                 end = page->base + page->end_used;
  if (!aq_allocations_executable(page->code->allocations, page->base)) {
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

aq_wave_op *aq_wave_code_at(aq_wave_code *code, uint64_t pc)
{
  const uint64_t base = pc & ~(uint64_t)(PAGE_BYTES - 1);
  uint64_t found = 0;
  if (pc & 3)
    return NULL;
  code_page *page = aq_map_get(&code->pages, base, &found)
                        ? (code_page *)(uintptr_t)found
                        : page_load(code, base);
  return page && page_check(page) ? &page->ops[(pc - base) / 4] : NULL;
}

bool aq_wave_code_is_near(const aq_wave_op *o, const aq_wave_op *to)
{
  return page_of(o) == page_of(to);
}

static void page_free(code_page *page)
{
  for (size_t i = 0; i < PAGE_WORDS; i++)
    free(page->mores[i]);
  free(page);
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

uint8_t aq_wave_code_target(const aq_wave_code *code)
{
  return code->decoder.target;
}

void aq_wave_code_destroy(aq_wave_code *code)
{
  if (!code)
    return;
  while (code->first) {
    code_page *page = code->first;
    code->first = page->next;
    page_free(page);
  }
  aq_map_fini(&code->pages);
  aq_map_fini(&code->checked);
  free(code->handlers);
  free(code);
}

aq_status aq_wave_code_create(const char *gfx, aq_wave_named *named,
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
  if (status != AQ_OK) {
    aq_wave_code_destroy(code);
    return status;
  }
  code->named = named;
  code->level = level;
  code->epoch = 1;
  code->allocations = allocations;
  *out = code;
  return AQ_OK;
}
