/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/sdma/sdma_packet.h"
#include "common/pm4.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct reader {
  const aq_sdma_form *form;
  const uint32_t *at; /* the header */
  aqsim_sdma_packet *out;
  char *text;
} reader;

/* A kind of packet. `flags` are the bits of its header that may be set: hints
 * for caches have no effect on coherent memory, the others `read` checks. */
typedef struct layout {
  const char *name;
  uint32_t opcode, sub, words, flags;
  unsigned since; /* generation */
  bool (*read)(reader *r);
} layout;

static uint32_t bits(uint32_t word, unsigned first, unsigned count)
{
  return (word >> first) & (uint32_t)((UINT64_C(1) << count) - 1);
}

static uint64_t wide(const uint32_t *words)
{
  return words[0] | (uint64_t)words[1] << 32;
}

static bool refuse(const reader *r, const char *what, uint64_t value)
{
  snprintf(r->text, AQSIM_SDMA_TEXT_MAX, "%s %#" PRIx64, what, value);
  return false;
}

static bool is_aligned(const reader *r, uint64_t address, uint32_t to)
{
  return address % to == 0 || refuse(r, "misaligned address", address);
}

/* ---- kinds ---- */

static bool read_nop(reader *r)
{
  r->out->words += bits(r->at[0], AQ_SDMA_NOP_COUNT_SHIFT, 14);
  return true;
}

static bool read_flush(reader *r)
{
  (void)r;
  return true;
}

/* count, parameter, from (2), to (2). */
static bool read_linear(reader *r)
{
  enum { SWAPS = 3 << 16 | 3 << 24 };
  const uint32_t beyond = r->at[1] >> r->form->count_bits;
  if (beyond)
    return refuse(r, "reserved bits in the count", r->at[1]);
  if (r->at[2] & SWAPS)
    return refuse(r, "swaps bytes, parameter", r->at[2]);
  r->out->kind = AQSIM_SDMA_MOVE;
  r->out->size = (uint64_t)r->at[1] + 1;
  r->out->box =
      (aqsim_copy_rect){.width = r->out->size, .rows = 1, .slices = 1};
  r->out->from = wide(&r->at[3]);
  r->out->to = wide(&r->at[5]);
  return true;
}

/* Bits of the fields of a sub-window: of x and y, of z, of the pitch and where
 * it begins, of the pitch of slices. */
typedef struct rect_form {
  unsigned xy, z, pitch, pitch_at, slice;
} rect_form;

static const rect_form narrow_rect = {14, 11, 19, 13, 28};
static const rect_form wide_rect = {16, 14, 16, 16, 32};

/* One side: address (2), x and y, z and pitch, pitch of slices. Returns where
 * its first row begins. */
static uint64_t side_read(const rect_form *form, const uint32_t *at,
                          unsigned element, aq_copy_pitch *pitch)
{
  const uint64_t x = bits(at[2], 0, form->xy), y = bits(at[2], 16, form->xy),
                 z = bits(at[3], 0, form->z);
  pitch->row = ((uint64_t)bits(at[3], form->pitch_at, form->pitch) + 1)
               << element;
  pitch->slice = ((uint64_t)bits(at[4], 0, form->slice) + 1) << element;
  return wide(at) + (x << element) + y * pitch->row + z * pitch->slice;
}

/* from (5), to (5), x and y of the window, z and parameter. */
static bool read_rect(reader *r)
{
  enum { ELEMENT_MAX = 4, ALIGN = 4, SWAPS = 3 << 16 | 3 << 24 };
  const rect_form *form = r->form->wide_rect ? &wide_rect : &narrow_rect;
  const unsigned element = bits(r->at[0], AQ_SDMA_ELEMENT_SHIFT, 3);
  aqsim_copy_rect *box = &r->out->box;
  if (element > ELEMENT_MAX)
    return refuse(r, "elements of 2 to the power of", element);
  if (!r->form->wide_rect && r->at[12] & SWAPS)
    return refuse(r, "swaps bytes, parameter", r->at[12]);
  if (!is_aligned(r, wide(&r->at[1]), ALIGN) ||
      !is_aligned(r, wide(&r->at[6]), ALIGN))
    return false;
  r->out->kind = AQSIM_SDMA_MOVE;
  r->out->from = side_read(form, &r->at[1], element, &box->from);
  r->out->to = side_read(form, &r->at[6], element, &box->to);
  box->width = ((uint64_t)bits(r->at[11], 0, form->xy) + 1) << element;
  box->rows = bits(r->at[11], 16, form->xy) + 1;
  box->slices = bits(r->at[12], 0, form->z) + 1;
  r->out->size = (uint64_t)box->width * box->rows * box->slices;
  return true;
}

/* to (2), count: then so many words. */
static bool read_write(reader *r)
{
  const uint32_t count = bits(r->at[3], 0, 20) + 1;
  if (r->at[3] >> 20)
    return refuse(r, "swaps bytes or has reserved bits, count", r->at[3]);
  r->out->kind = AQSIM_SDMA_STORE;
  r->out->to = wide(&r->at[1]);
  r->out->size = count * 4ull;
  r->out->words += count;
  return is_aligned(r, r->out->to, 4);
}

/* to (2), value, count: of bytes less one, in which the low bits of a count of
 * words do not matter. */
static bool read_fill(reader *r)
{
  enum { COUNT_BITS = 22 };
  const unsigned shift = bits(r->at[0], AQ_SDMA_FILL_SHIFT, 2);
  if (shift != 0 && shift != 2)
    return refuse(r, "values of 2 to the power of", shift);
  if (r->at[4] >> COUNT_BITS)
    return refuse(r, "reserved bits in the count", r->at[4]);
  r->out->kind = AQSIM_SDMA_SET;
  r->out->to = wide(&r->at[1]);
  r->out->unit = 1u << shift;
  r->out->value = shift ? r->at[3] : r->at[3] & 0xff;
  r->out->size = ((uint64_t)(r->at[4] >> shift) + 1) << shift;
  r->out->box =
      (aqsim_copy_rect){.width = r->out->size, .rows = 1, .slices = 1};
  return is_aligned(r, r->out->to, r->out->unit);
}

/* to (2), value. */
static bool read_fence(reader *r)
{
  r->out->kind = AQSIM_SDMA_FENCE;
  r->out->to = wide(&r->at[1]);
  r->out->unit = 4;
  r->out->value = r->at[3];
  return is_aligned(r, r->out->to, 4);
}

/* event. */
static bool read_trap(reader *r)
{
  if (r->at[1] >> 28)
    return refuse(r, "reserved bits in the context", r->at[1]);
  r->out->kind = AQSIM_SDMA_TRAP;
  r->out->value = r->at[1];
  return true;
}

/* from (2), reference, mask, interval and retries. A poll of a register that
 * does not compare flushes the host's path to memory, which is coherent. */
static bool read_poll(reader *r)
{
  enum { FUNCTIONS = 7 };
  const uint32_t function = bits(r->at[0], AQ_SDMA_FUNCTION_SHIFT, 3);
  const uint32_t retries = bits(r->at[5], AQ_SDMA_RETRY_SHIFT, 12);
  const bool flush = bits(r->at[0], AQ_SDMA_HDP_FLUSH_SHIFT, 1);
  if (function == FUNCTIONS)
    return refuse(r, "unknown function", function);
  if (!bits(r->at[0], AQ_SDMA_MEMORY_SHIFT, 1))
    return flush || function == 0 ||
           refuse(r, "waits for a register, at", wide(&r->at[1]));
  r->out->from = wide(&r->at[1]);
  if (flush)
    return refuse(r, "flush of memory, at", r->out->from);
  if (retries != AQ_SDMA_RETRY_EVER)
    return refuse(r, "gives up; expected 0xfff retries, got", retries);
  r->out->kind = AQSIM_SDMA_POLL;
  r->out->function = function;
  r->out->value = r->at[3];
  r->out->mask = r->at[4];
  return is_aligned(r, r->out->from, 4);
}

/* to (2), operand (2), compared value (2), interval. */
static bool read_atomic(reader *r)
{
  const uint32_t operation = bits(r->at[0], AQ_SDMA_OPERATION_SHIFT, 7);
  if (bits(r->at[0], AQ_SDMA_ATOMIC_LOOP_SHIFT, 1))
    return refuse(r, "repeats until it has compared equal, operation",
                  operation);
  r->out->kind = AQSIM_SDMA_CHANGE;
  r->out->unit = operation & AQ_PM4_ATOMIC_64 ? 8 : 4;
  r->out->operation = operation;
  r->out->to = wide(&r->at[1]);
  r->out->value = wide(&r->at[3]);
  r->out->compare = wide(&r->at[5]);
  return is_aligned(r, r->out->to, r->out->unit);
}

/* to (2). */
static bool read_timestamp(reader *r)
{
  r->out->kind = AQSIM_SDMA_STAMP;
  r->out->to = wide(&r->at[1]);
  r->out->unit = 8;
  return is_aligned(r, r->out->to, 8);
}

/* ---- the table ---- */

enum {
  POLICY = 0x3fff << 16, /* of caches: mtype, scope, policy, snoop */
  POLICY_VALID = 1 << 28,
};

static const layout layouts[] = {
    {"NOP", AQ_SDMA_NOP, 0, 1, 0x3fffu << 16, 9, read_nop},
    {"COPY_LINEAR", AQ_SDMA_COPY, AQ_SDMA_COPY_LINEAR, AQ_SDMA_COPY_WORDS,
     POLICY_VALID, 9, read_linear},
    {"COPY_LINEAR_SUB_WINDOW", AQ_SDMA_COPY, AQ_SDMA_COPY_RECT,
     AQ_SDMA_RECT_WORDS, POLICY_VALID | 7u << AQ_SDMA_ELEMENT_SHIFT, 9,
     read_rect},
    {"WRITE_LINEAR", AQ_SDMA_WRITE, 0, AQ_SDMA_WRITE_WORDS, POLICY_VALID, 9,
     read_write},
    {"FENCE", AQ_SDMA_FENCE, 0, AQ_SDMA_FENCE_WORDS, POLICY, 9, read_fence},
    {"TRAP", AQ_SDMA_TRAP, 0, AQ_SDMA_TRAP_WORDS, 0, 9, read_trap},
    {"POLL_REGMEM", AQ_SDMA_POLL, 0, AQ_SDMA_POLL_WORDS,
     1u << AQ_SDMA_HDP_FLUSH_SHIFT | 7u << AQ_SDMA_FUNCTION_SHIFT |
         1u << AQ_SDMA_MEMORY_SHIFT,
     9, read_poll},
    {"ATOMIC", AQ_SDMA_ATOMIC, 0, AQ_SDMA_ATOMIC_WORDS,
     1u << AQ_SDMA_ATOMIC_LOOP_SHIFT | 0x7fu << AQ_SDMA_OPERATION_SHIFT, 9,
     read_atomic},
    {"CONST_FILL", AQ_SDMA_FILL, 0, AQ_SDMA_FILL_WORDS,
     POLICY_VALID | 3u << AQ_SDMA_FILL_SHIFT, 9, read_fill},
    {"TIMESTAMP", AQ_SDMA_TIMESTAMP, AQ_SDMA_TIMESTAMP_LOCAL,
     AQ_SDMA_TIMESTAMP_WORDS, 0, 9, read_timestamp},
    {"TIMESTAMP_GLOBAL", AQ_SDMA_TIMESTAMP, AQ_SDMA_TIMESTAMP_GLOBAL,
     AQ_SDMA_TIMESTAMP_WORDS, 0, 9, read_timestamp},
    {"GCR", AQ_SDMA_GCR, AQ_SDMA_GCR_USER, AQ_SDMA_GCR_WORDS, 0, 10,
     read_flush},
};

/* For messages about packets without a layout. */
static const char *opcode_name(uint32_t opcode)
{
  static const char *const names[] = {[AQ_SDMA_COPY] = "COPY",
                                      [AQ_SDMA_WRITE] = "WRITE",
                                      [AQ_SDMA_INDIRECT] = "INDIRECT",
                                      [AQ_SDMA_FENCE] = "FENCE",
                                      [AQ_SDMA_TRAP] = "TRAP",
                                      [AQ_SDMA_SEM] = "SEM",
                                      [AQ_SDMA_POLL] = "POLL",
                                      [AQ_SDMA_COND_EXE] = "COND_EXE",
                                      [AQ_SDMA_ATOMIC] = "ATOMIC",
                                      [AQ_SDMA_FILL] = "CONST_FILL",
                                      [AQ_SDMA_PTEPDE] = "PTEPDE",
                                      [AQ_SDMA_TIMESTAMP] = "TIMESTAMP",
                                      [AQ_SDMA_REGISTER_WRITE] = "SRBM_WRITE",
                                      [AQ_SDMA_PRE_EXE] = "PRE_EXE",
                                      [AQ_SDMA_GPUVM_INV] = "GPUVM_INV",
                                      [AQ_SDMA_GCR] = "GCR"};
  const char *name =
      opcode < sizeof names / sizeof *names ? names[opcode] : NULL;
  return name ? name : "unknown";
}

static const layout *layout_find(const aq_sdma_form *form, uint32_t opcode,
                                 uint32_t sub)
{
  for (const layout *l = layouts;
       l < layouts + sizeof layouts / sizeof *layouts; l++)
    if (l->opcode == opcode && l->sub == sub && l->since <= form->generation)
      return l;
  return NULL;
}

aqsim_sdma_result aqsim_sdma_decode(const aq_sdma_form *form,
                                    const uint32_t *words, uint64_t count,
                                    aqsim_sdma_packet *out, char *text)
{
  if (count == 0)
    return AQSIM_SDMA_MORE;
  const uint32_t header = words[0], opcode = bits(header, 0, 8),
                 sub = bits(header, AQ_SDMA_SUB_SHIFT, 8);
  const layout *l = layout_find(form, opcode, sub);
  reader r = {form, words, out, text};
  if (!l) {
    *out = (aqsim_sdma_packet){.name = opcode_name(opcode)};
    snprintf(text, AQSIM_SDMA_TEXT_MAX,
             "opcode %" PRIu32 ", sub-opcode %" PRIu32
             " is not one that engines of gfx%u execute here",
             opcode, sub, form->generation);
    return AQSIM_SDMA_BAD;
  }
  *out = (aqsim_sdma_packet){.name = l->name, .words = l->words};
  if (header & ~(l->flags | 0xffffu)) {
    refuse(&r, "flags that are not served, header", header);
    return AQSIM_SDMA_BAD;
  }
  if (count < l->words)
    return AQSIM_SDMA_MORE;
  if (!l->read(&r))
    return AQSIM_SDMA_BAD;
  return count < out->words ? AQSIM_SDMA_MORE : AQSIM_SDMA_OK;
}
