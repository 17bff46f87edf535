/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/pm4.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend_sim/engine/memory_ops.h"
#include "common/allocations.h"
#include "common/pm4.h"

enum {
  WAVE_ITEMS = 64, /* whose private memory TMPRING_SIZE counts */
};

/* One command: its words after the header. */
typedef struct words {
  const uint32_t *at;
  uint32_t count;
} words;

/* The result of a command for the loop; other values are a status. */
#define GO_ON ((aqsim_pm4_result)-1)

typedef struct opcode {
  const char *name;
  uint32_t least, most; /* words after the header */
  aqsim_pm4_result (*run)(aqsim_pm4 *pm4, words w);
} opcode;

static uint32_t bits(uint32_t word, unsigned first, unsigned count)
{
  return (word >> first) & ((1u << count) - 1);
}

static uint64_t wide(uint32_t low, uint32_t high)
{
  return low | (uint64_t)high << 32;
}

static aqsim_pm4_result fault(aqsim_pm4 *pm4, const char *name,
                              const char *what, uint64_t value)
{
  snprintf(pm4->text, sizeof pm4->text, "PM4 %s: %s %#" PRIx64, name, what,
           value);
  return AQSIM_PM4_FAULT;
}

/* Where commands touch memory. */
static void *host(const aqsim_pm4 *pm4, uint64_t address)
{
  return (void *)(uintptr_t)aq_allocations_reach(pm4->allocations, address);
}

/* Commands of a run are mostly in one page: it is asked for once. */
static bool is_unmapped(aqsim_pm4 *pm4, aqsim_access access, uint64_t at,
                        uint64_t bytes)
{
  const uint64_t last = (at + bytes - 1) / AQSIM_PAGE;
  const bool here = access == AQSIM_READ && bytes > 0;
  if (here && last && at / AQSIM_PAGE == last && last == pm4->readable)
    return false;
  if (aqsim_memory_unmapped(access, at, bytes, &pm4->unmapped))
    return true;
  if (here)
    pm4->readable = last;
  return false;
}

/* Whether a command may touch `bytes` from an address in units of `unit`. */
static aqsim_pm4_result reach(aqsim_pm4 *pm4, const char *name,
                              aqsim_access access, uint64_t address,
                              uint32_t unit, uint64_t bytes)
{
  bool writes = access == AQSIM_WRITE;
  if (address % unit != 0)
    return fault(pm4, name, writes ? "misaligned destination" : "misaligned",
                 address);
  if (!is_unmapped(pm4, access, (uintptr_t)host(pm4, address), bytes))
    return GO_ON;
  pm4->unmapped += address - (uintptr_t)host(pm4, address);
  pm4->missing = true;
  return fault(pm4, name,
               writes ? "memory fault, write to" : "memory fault, read of",
               pm4->unmapped);
}

static uint64_t memory_load(const aqsim_pm4 *pm4, uint64_t address,
                            uint32_t size)
{
  const void *at = host(pm4, address);
  if (size == 4)
    return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
  return __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
}

static void value_store(aqsim_pm4 *pm4, void *to, uint64_t value, uint32_t size)
{
  pm4->stored = true;
  if (size == 4)
    __atomic_store_n((uint32_t *)to, (uint32_t)value, __ATOMIC_RELEASE);
  else
    __atomic_store_n((uint64_t *)to, value, __ATOMIC_RELEASE);
}

static void memory_store(aqsim_pm4 *pm4, uint64_t address, uint64_t value,
                         uint32_t size)
{
  value_store(pm4, host(pm4, address), value, size);
}

/* ---- commands ---- */

static aqsim_pm4_result run_nop(aqsim_pm4 *pm4, words w)
{
  (void)pm4, (void)w;
  return GO_ON;
}

/* control, address (2), data: to memory only. */
static aqsim_pm4_result run_write_data(aqsim_pm4 *pm4, words w)
{
  uint32_t to = bits(w.at[0], 8, 4);
  bool one_address = bits(w.at[0], 16, 1);
  uint64_t address = wide(w.at[1], w.at[2]);
  if (to != 1 && to != 2 && to != 5)
    return fault(pm4, "WRITE_DATA", "destination is not memory:", to);
  aqsim_pm4_result there =
      reach(pm4, "WRITE_DATA", AQSIM_WRITE, address, 4,
            one_address && w.count > 3 ? 4 : (w.count - 3) * 4ull);
  if (there != GO_ON)
    return there;
  for (uint32_t i = 3; i < w.count; i++)
    memory_store(pm4, address + (one_address ? 0 : (i - 3) * 4ull), w.at[i], 4);
  return GO_ON;
}

/* control, source (2), destination (2). */
static aqsim_pm4_result run_copy_data(aqsim_pm4 *pm4, words w)
{
  uint32_t from = bits(w.at[0], 0, 4), to = bits(w.at[0], 8, 4);
  uint32_t size = bits(w.at[0], 16, 1) ? 8 : 4;
  uint64_t source = wide(w.at[1], w.at[2]), target = wide(w.at[3], w.at[4]);
  uint64_t value = source; /* 5: immediate */
  aqsim_pm4_result there;
  if (from == 1 || from == 2) {
    there = reach(pm4, "COPY_DATA", AQSIM_READ, source, size, size);
    if (there != GO_ON)
      return there;
    value = memory_load(pm4, source, size);
  } else if (from == 9 || from == 10) {
    value = pm4->ticks;
  } else if (from != 5) {
    return fault(pm4, "COPY_DATA", "source is not served:", from);
  }
  if (to != 1 && to != 2 && to != 5)
    return fault(pm4, "COPY_DATA", "destination is not memory:", to);
  there = reach(pm4, "COPY_DATA", AQSIM_WRITE, target, size, size);
  if (there != GO_ON)
    return there;
  memory_store(pm4, target, value, size);
  return GO_ON;
}

/* control, address (2), operand (2), compared value (2), interval. */
static aqsim_pm4_result run_atomic_mem(aqsim_pm4 *pm4, words w)
{
  const uint32_t code = bits(w.at[0], 0, 7), command = bits(w.at[0], 8, 4);
  const uint32_t size = code & AQ_PM4_ATOMIC_64 ? 8 : 4;
  const uint32_t operation = code & ~(uint32_t)AQ_PM4_ATOMIC_64;
  const uint64_t address = wide(w.at[1], w.at[2]);
  const uint64_t low = size == 4 ? UINT32_MAX : UINT64_MAX;
  if (command != 0)
    return fault(pm4, "ATOMIC_MEM", "command is not served:", command);
  aqsim_pm4_result there =
      reach(pm4, "ATOMIC_MEM", AQSIM_WRITE, address, size, size);
  if (there != GO_ON)
    return there;
  if (!aqsim_memory_change(host(pm4, address), size, operation,
                           wide(w.at[3], w.at[4]) & low,
                           wide(w.at[5], w.at[6]) & low))
    return fault(pm4, "ATOMIC_MEM", "operation is not served:", code);
  pm4->stored = true;
  return GO_ON;
}

static aqsim_pm4_result wait_memory(aqsim_pm4 *pm4, const char *name,
                                    uint32_t control, uint64_t address,
                                    uint64_t reference, uint64_t mask,
                                    bool narrow)
{
  aqsim_compare *compare = aqsim_compares[bits(control, 0, 3)];
  if (!compare)
    return fault(pm4, name, "unknown function", bits(control, 0, 3));
  if (bits(control, 4, 2) != 1 || bits(control, 6, 2) == 1)
    return fault(pm4, name, "waits for a register, control", control);
  uint32_t size = narrow ? 4 : 8;
  aqsim_pm4_result there = reach(pm4, name, AQSIM_READ, address, size, size);
  if (there != GO_ON)
    return there;
  pm4->address = host(pm4, address);
  pm4->test = (aqsim_dep_wait_test){.compare = compare,
                                    .mask = (int64_t)mask,
                                    .reference = (int64_t)reference,
                                    .narrow = narrow};
  return AQSIM_PM4_WAIT;
}

/* control, address (2), reference, mask, interval. */
static aqsim_pm4_result run_wait_mem(aqsim_pm4 *pm4, words w)
{
  return wait_memory(pm4, "WAIT_REG_MEM", w.at[0], wide(w.at[1], w.at[2]),
                     w.at[3], w.at[4], true);
}

/* control, address (2), reference (2), mask (2), interval. */
static aqsim_pm4_result run_wait_mem64(aqsim_pm4 *pm4, words w)
{
  return wait_memory(pm4, "WAIT_REG_MEM64", w.at[0], wide(w.at[1], w.at[2]),
                     wide(w.at[3], w.at[4]), wide(w.at[5], w.at[6]), false);
}

static aqsim_pm4_result run_acquire_mem(aqsim_pm4 *pm4, words w)
{
  (void)pm4, (void)w; /* all caches and ranges cost the same */
  return AQSIM_PM4_ACQUIRE;
}

/* event, selection, address (2), data (2). */
static aqsim_pm4_result run_release_mem(aqsim_pm4 *pm4, words w)
{
  uint32_t kind = bits(w.at[1], 29, 3);
  uint64_t address = wide(w.at[2], w.at[3]);
  pm4->release_size = kind == 1 ? 4 : kind == 2 || kind == 3 ? 8 : 0;
  pm4->release_clock = kind == 3;
  pm4->release_value = wide(w.at[4], w.at[5]);
  if (kind > 3)
    return fault(pm4, "RELEASE_MEM", "data is not served:", kind);
  pm4->release_to = host(pm4, address);
  aqsim_pm4_result there = GO_ON;
  if (pm4->release_size)
    there = reach(pm4, "RELEASE_MEM", AQSIM_WRITE, address, pm4->release_size,
                  pm4->release_size);
  if (there != GO_ON)
    return there;
  return AQSIM_PM4_RELEASE;
}

/* event, and an address that only counters use (2). */
static aqsim_pm4_result run_event_write(aqsim_pm4 *pm4, words w)
{
  (void)pm4;
  return bits(w.at[0], 0, 6) == AQ_PM4_CS_PARTIAL_FLUSH ? AQSIM_PM4_FLUSH
                                                        : GO_ON;
}

/* offset, values: compute registers only. */
static aqsim_pm4_result run_set_sh_reg(aqsim_pm4 *pm4, words w)
{
  uint32_t offset = bits(w.at[0], 0, 16), count = w.count - 1;
  if (offset < AQ_PM4_SH_BASE ||
      offset + count > AQ_PM4_SH_BASE + AQ_PM4_SH_COUNT)
    return fault(pm4, "SET_SH_REG", "no compute register at offset", offset);
  memcpy(&pm4->sh[offset - AQ_PM4_SH_BASE], &w.at[1], count * sizeof *w.at);
  return GO_ON;
}

/* The dispatch of a size that registers hold all else of: the address of the
 * code and what its waves begin with. */
static aqsim_pm4_result dispatch_run(aqsim_pm4 *pm4, const char *name,
                                     const uint32_t size[3], uint32_t initiator)
{
  const uint32_t *sh = pm4->sh;
  const bool in_items = initiator & AQ_PM4_IN_ITEMS;
  aq_kernel_packet *packet = &pm4->dispatch;
  pm4->wave32 = pm4->generation > 9 && initiator & AQ_PM4_WAVE32;
  pm4->registers = (aq_execution_registers){
      .entry = wide(sh[AQ_PM4_PGM_LO], bits(sh[AQ_PM4_PGM_HI], 0, 8)) << 8,
      .rsrc1 = sh[AQ_PM4_PGM_RSRC1],
      .rsrc2 = sh[AQ_PM4_PGM_RSRC2],
      .rsrc3 = sh[aq_pm4_rsrc3(pm4->generation)]};
  memcpy(pm4->registers.user_data, &sh[AQ_PM4_USER_DATA],
         sizeof pm4->registers.user_data);
  *packet = (aq_kernel_packet){
      .header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 0, AQ_SCOPE_NONE,
                                 AQ_SCOPE_NONE),
      .setup = 3,
      .private_segment_size =
          bits(sh[AQ_PM4_TMPRING_SIZE], AQ_PM4_SCRATCH_SHIFT, 13) *
          AQ_PM4_SCRATCH_GRANULE / WAVE_ITEMS,
      .group_segment_size =
          bits(sh[AQ_PM4_PGM_RSRC2], AQ_PM4_LDS_SHIFT, 9) * pm4->lds_granule,
      .kernel_object = pm4->registers.entry,
      .kernarg_address = wide(sh[AQ_PM4_USER_DATA], sh[AQ_PM4_USER_DATA + 1])};
  for (int i = 0; i < 3; i++) {
    const uint32_t group = bits(sh[AQ_PM4_NUM_THREAD_X + i], 0, 16);
    const uint64_t grid = in_items ? size[i] : (uint64_t)size[i] * group;
    if (grid > UINT32_MAX)
      return fault(pm4, name, "too many work-items:", grid);
    packet->workgroup_size[i] = (uint16_t)group;
    packet->grid_size[i] = (uint32_t)grid;
  }
  return AQSIM_PM4_DISPATCH;
}

/* x, y, z, initiator. */
static aqsim_pm4_result run_dispatch_direct(aqsim_pm4 *pm4, words w)
{
  return dispatch_run(pm4, "DISPATCH_DIRECT", w.at, w.at[3]);
}

/* address of x, y, z (2), initiator. */
static aqsim_pm4_result run_dispatch_indirect(aqsim_pm4 *pm4, words w)
{
  const uint64_t address = wide(w.at[0], w.at[1]);
  uint32_t size[3];
  const aqsim_pm4_result there =
      reach(pm4, "DISPATCH_INDIRECT", AQSIM_READ, address, 4, sizeof size);
  if (there != GO_ON)
    return there;
  for (uint64_t i = 0; i < 3; i++)
    size[i] = (uint32_t)memory_load(pm4, address + 4 * i, 4);
  return dispatch_run(pm4, "DISPATCH_INDIRECT", size, w.at[2]);
}

static aqsim_pm4_result span_enter(aqsim_pm4 *pm4, const uint32_t *ib)
{
  uint64_t address = wide(ib[0], bits(ib[1], 0, 16));
  uint32_t count = bits(ib[2], 0, 20);
  aqsim_pm4_result there =
      reach(pm4, "INDIRECT_BUFFER", AQSIM_READ, address, 4, count * 4ull);
  if (there != GO_ON)
    return there;
  pm4->span.at = host(pm4, address);
  pm4->span.end = pm4->span.at + count;
  return GO_ON;
}

/* address (2), size and flags. A chained buffer does not return. */
static aqsim_pm4_result run_indirect_buffer(aqsim_pm4 *pm4, words w)
{
  if (!bits(w.at[2], 20, 1)) {
    if (pm4->depth == AQSIM_PM4_DEPTH)
      return fault(pm4, "INDIRECT_BUFFER", "nested deeper than",
                   AQSIM_PM4_DEPTH);
    pm4->callers[pm4->depth++] = pm4->span;
  }
  return span_enter(pm4, w.at);
}

static const opcode opcodes[256] = {
    [AQ_PM4_NOP] = {"NOP", 0, UINT32_MAX, run_nop},
    [AQ_PM4_DISPATCH_DIRECT] = {"DISPATCH_DIRECT", 4, 4, run_dispatch_direct},
    [AQ_PM4_DISPATCH_INDIRECT] = {"DISPATCH_INDIRECT", 3, 3,
                                  run_dispatch_indirect},
    [AQ_PM4_ATOMIC_MEM] = {"ATOMIC_MEM", 8, 8, run_atomic_mem},
    [AQ_PM4_WRITE_DATA] = {"WRITE_DATA", 3, UINT32_MAX, run_write_data},
    [AQ_PM4_WAIT_REG_MEM] = {"WAIT_REG_MEM", 6, 6, run_wait_mem},
    [AQ_PM4_INDIRECT_BUFFER] = {"INDIRECT_BUFFER", 3, 3, run_indirect_buffer},
    [AQ_PM4_COPY_DATA] = {"COPY_DATA", 5, 5, run_copy_data},
    [AQ_PM4_EVENT_WRITE] = {"EVENT_WRITE", 1, 3, run_event_write},
    [AQ_PM4_RELEASE_MEM] = {"RELEASE_MEM", 6, 7, run_release_mem},
    [AQ_PM4_ACQUIRE_MEM] = {"ACQUIRE_MEM", 6, 7, run_acquire_mem},
    [AQ_PM4_SET_SH_REG] = {"SET_SH_REG", 2, UINT32_MAX, run_set_sh_reg},
    [AQ_PM4_WAIT_REG_MEM64] = {"WAIT_REG_MEM64", 8, 8, run_wait_mem64},
};

/* ---- the loop ---- */

bool aqsim_pm4_begin(aqsim_pm4 *pm4, const char *gfx,
                     const aq_pm4_ib_packet *packet,
                     const struct aq_allocations *allocations)
{
  memset(pm4, 0, sizeof *pm4);
  pm4->allocations = allocations;
  pm4->generation = aq_pm4_generation(gfx);
  pm4->lds_granule = aq_pm4_lds_granule(gfx);
  pm4->left = AQSIM_PM4_COMMANDS;
  uint32_t header = packet->ib_jump[0];
  if (header >> 30 != AQ_PM4_TYPE3 ||
      bits(header, 8, 8) != AQ_PM4_INDIRECT_BUFFER ||
      bits(header, 16, 14) != 2) {
    fault(pm4, "packet", "its jump is not an INDIRECT_BUFFER:", header);
    return false;
  }
  return span_enter(pm4, &packet->ib_jump[1]) == GO_ON;
}

/* Takes the next command apart; NULL with `text` when it cannot be one. */
static const opcode *command_fetch(aqsim_pm4 *pm4, words *w)
{
  uint32_t header = *pm4->span.at++;
  uint32_t count = bits(header, 16, 14) + 1;
  const opcode *op = &opcodes[bits(header, 8, 8)];
  if (header >> 30 != AQ_PM4_TYPE3) {
    fault(pm4, "command", "not of type 3:", header);
    return NULL;
  }
  if (pm4->left-- == 0) {
    fault(pm4, "command", "the buffer never ends; it has more than",
          AQSIM_PM4_COMMANDS);
    return NULL;
  }
  if (!op->run) {
    fault(pm4, "command", "unknown opcode", bits(header, 8, 8));
    return NULL;
  }
  /* A NOP of one word is its header alone. */
  if (op->run == run_nop && count == 0x4000)
    count = 0;
  if (count > pm4->span.end - pm4->span.at || count < op->least ||
      count > op->most) {
    fault(pm4, op->name, "wrong number of words:", count);
    return NULL;
  }
  *w = (words){pm4->span.at, count};
  pm4->span.at += count;
  return op;
}

aqsim_pm4_result aqsim_pm4_run(aqsim_pm4 *pm4)
{
  uint64_t value = pm4->release_clock ? pm4->ticks : pm4->release_value;
  if (pm4->release_size)
    value_store(pm4, pm4->release_to, value, pm4->release_size);
  pm4->release_size = 0;
  pm4->readable = 0;
  for (;;) {
    while (pm4->span.at == pm4->span.end) {
      if (pm4->depth == 0)
        return AQSIM_PM4_DONE;
      pm4->span = pm4->callers[--pm4->depth];
    }
    words w;
    const opcode *op = command_fetch(pm4, &w);
    aqsim_pm4_result result = op ? op->run(pm4, w) : AQSIM_PM4_FAULT;
    if (result != GO_ON)
      return result;
  }
}
