/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/pm4.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "cmdbuf/pm4_priv.h"
#include "cmdbuf/value_packets.h"
#include "common/hsa_abi.h"

enum {
  ASKS_PRIVATE_BUFFER = 1 << 0,
  ASKS_PACKET = 1 << 1,
  ASKS_ID = 1 << 4,
  ASKS_SCRATCH = 1 << 5,
  ASKS_PRIVATE_SIZE = 1 << 6,

  /* ACQUIRE_MEM of gfx9, COHER_CNTL: caches to invalidate, and the second level
   * written back. */
  COHER_L2_WRITE = 1 << 18,
  COHER_L1 = 1 << 22,
  COHER_L2 = 1 << 23,
  COHER_SCALAR = 1 << 27,
  COHER_CODE = 1 << 29,
  /* Of gfx10 and later, GCR_CNTL. */
  GCR_CODE = 1 << 0,
  GCR_META_WRITE = 1 << 4,
  GCR_META = 1 << 5,
  GCR_SCALAR = 1 << 7,
  GCR_L0 = 1 << 8,
  GCR_L1 = 1 << 9,
  GCR_L2 = 1 << 14,
  GCR_L2_WRITE = 1 << 15,

  /* RELEASE_MEM: gfx9's write back of the second level; gfx10's. */
  RELEASE_L2_WRITE_GFX9 = 1 << 15,
  RELEASE_L2_GFX9 = 1 << 17,
  RELEASE_META_WRITE_GFX10 = 1 << 12,
  RELEASE_META_GFX10 = 1 << 13,
  RELEASE_L2_WRITE_GFX10 = 1 << 21,
  RELEASE_SEQUENCE_GFX10 = 1 << 22,

  INDEX_FLUSH = 4,
  INDEX_RELEASE = 5,
  POLL_INTERVAL = 10,
  STORED_MAX =
      64, /* bytes of a copy or update that commands store themselves */
};

/* ---- commands ---- */

static void command(aq_pm4_buffer *b, uint32_t opcode, const uint32_t *words,
                    uint32_t count)
{
  b->words[b->count++] = aq_pm4_header(opcode, count + 1);
  memcpy(b->words + b->count, words, count * sizeof *words);
  b->count += count;
}

#define COMMAND(b, opcode, ...)                                                \
  command(b, opcode, (const uint32_t[]){__VA_ARGS__},                          \
          sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

#define LOW(value)  ((uint32_t)(value))
#define HIGH(value) ((uint32_t)((uint64_t)(value) >> 32))

/* Registers that keep their values need no command. */
static void registers_set(aq_pm4_buffer *b, uint32_t first,
                          const uint32_t *values, uint32_t count)
{
  uint32_t words[1 + AQ_PM4_USER_DATA_COUNT] = {AQ_PM4_SH_BASE + first};
  if (b->known[first] >= count &&
      memcmp(b->sh + first, values, count * sizeof *values) == 0)
    return;
  memcpy(words + 1, values, count * sizeof *values);
  memcpy(b->sh + first, values, count * sizeof *values);
  b->known[first] = (uint8_t)count;
  command(b, AQ_PM4_SET_SH_REG, words, 1 + count);
}

#define REGISTERS(b, first, ...)                                               \
  registers_set(b, first, (const uint32_t[]){__VA_ARGS__},                     \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void flush(aq_pm4_buffer *b)
{
  COMMAND(b, AQ_PM4_EVENT_WRITE,
          AQ_PM4_CS_PARTIAL_FLUSH | INDEX_FLUSH << AQ_PM4_INDEX_SHIFT);
}

/* All of memory. Within the agent all compute units share the second level. */
static void acquire(aq_pm4_buffer *b, unsigned scope)
{
  const bool system = scope == AQ_SCOPE_SYSTEM;
  if (scope == AQ_SCOPE_NONE)
    return;
  if (b->code->generation == 9) {
    COMMAND(b, AQ_PM4_ACQUIRE_MEM,
            COHER_L1 | COHER_SCALAR |
                (system ? (uint32_t)COHER_L2 | COHER_L2_WRITE | COHER_CODE : 0),
            UINT32_MAX, 0xffffff, 0, 0, POLL_INTERVAL);
    return;
  }
  COMMAND(b, AQ_PM4_ACQUIRE_MEM, 0, UINT32_MAX, 0xffffff, 0, 0, POLL_INTERVAL,
          GCR_L0 | GCR_L1 | GCR_SCALAR |
              (system ? (uint32_t)GCR_L2 | GCR_L2_WRITE | GCR_META |
                            GCR_META_WRITE | GCR_CODE
                      : 0));
}

/* Behind all dispatches: the second level is written back, then a value is
 * stored. */
static void release(aq_pm4_buffer *b, uint32_t data, uint64_t address,
                    uint64_t value)
{
  const uint32_t event = AQ_PM4_CACHE_FLUSH_TS | INDEX_RELEASE
                                                     << AQ_PM4_INDEX_SHIFT;
  const uint32_t caches =
      b->code->generation == 9
          ? (uint32_t)RELEASE_L2_WRITE_GFX9 | RELEASE_L2_GFX9
          : (uint32_t)RELEASE_L2_WRITE_GFX10 | RELEASE_META_GFX10 |
                RELEASE_META_WRITE_GFX10 | RELEASE_SEQUENCE_GFX10;
  COMMAND(b, AQ_PM4_RELEASE_MEM, event | caches, data << AQ_PM4_DATA_SHIFT,
          LOW(address), HIGH(address), LOW(value), HIGH(value), 0);
}

static void words_store(aq_pm4_buffer *b, uint64_t to, const void *words,
                        uint32_t count)
{
  uint32_t data[3 + STORED_MAX / 4] = {AQ_PM4_TO_MEMORY | AQ_PM4_CONFIRM,
                                       LOW(to), HIGH(to)};
  memcpy(data + 3, words, count * sizeof *data);
  command(b, AQ_PM4_WRITE_DATA, data, 3 + count);
}

static void copy(aq_pm4_buffer *b, uint32_t from, uint64_t source, uint64_t to)
{
  COMMAND(b, AQ_PM4_COPY_DATA, from | AQ_PM4_TO_MEMORY | AQ_PM4_CONFIRM,
          LOW(source), HIGH(source), LOW(to), HIGH(to));
}

/* ---- stores of the command processor ---- */

static bool are_words(uint64_t address, uint64_t bytes)
{
  return (address | bytes) % 4 == 0 && bytes > 0 && bytes <= STORED_MAX;
}

/* A short fill, copy or update of whole words; false: its kernel does it. */
static bool stored(aq_pm4_buffer *b, const aq_kernel_packet *packet)
{
  const uint64_t *objects = b->code->builtins.objects;
  const void *args = (const void *)(uintptr_t)packet->kernarg_address;
  if (packet->kernel_object == objects[AQ_BUILTIN_UPDATE]) {
    aq_update_args a;
    memcpy(&a, args, sizeof a);
    const uint64_t to = (uintptr_t)a.target;
    if (!are_words(to, a.bytes))
      return false;
    words_store(b, to, (const char *)args + sizeof a, (uint32_t)a.bytes / 4);
    return true;
  }
  if (packet->kernel_object == objects[AQ_BUILTIN_FILL]) {
    aq_fill_args a;
    uint32_t words[STORED_MAX / 4];
    memcpy(&a, args, sizeof a);
    const uint64_t to = (uintptr_t)a.target;
    if (!are_words(to, a.bytes) || a.pattern_size < 4)
      return false;
    for (uint32_t i = 0; i < a.bytes / 4; i++)
      words[i] =
          (uint32_t)(a.pattern >> (a.pattern_size == 8 ? i % 2 * 32 : 0));
    words_store(b, to, words, (uint32_t)a.bytes / 4);
    return true;
  }
  if (packet->kernel_object == objects[AQ_BUILTIN_COPY]) {
    aq_copy_args a;
    memcpy(&a, args, sizeof a);
    const uint64_t to = (uintptr_t)a.target, from = (uintptr_t)a.source;
    const uint64_t apart = to > from ? to - from : from - to;
    if (!are_words(to | from, a.bytes) || apart < a.bytes)
      return false;
    for (uint32_t i = 0; i < a.bytes; i += 4)
      copy(b, AQ_PM4_FROM_MEMORY, from + i, to + i);
    return true;
  }
  return false;
}

/* Whole commands that were written elsewhere. */
static void commands_add(aq_pm4_buffer *b, const uint32_t *words,
                         uint32_t count)
{
  memcpy(b->words + b->count, words, count * sizeof *words);
  b->count += count;
}

/* An atomic without a result; false: its kernel does it. */
static bool changed(aq_pm4_buffer *b, const aq_kernel_packet *packet)
{
  const uint64_t object = b->code->builtins.objects[AQ_BUILTIN_ATOMIC];
  uint32_t words[AQ_VALUE_WORDS];
  aq_atomic_args args;
  if (object == 0 || packet->kernel_object != object)
    return false;
  memcpy(&args, (const void *)(uintptr_t)packet->kernarg_address, sizeof args);
  if (args.result)
    return false;
  commands_add(b, words, aq_atomic_words(&args, words));
  return true;
}

/* A vendor packet of the walk waits for a value in memory: by a barrier-value,
 * or by the command that its own buffer has. */
static void waited(aq_pm4_buffer *b, const aq_packet *packet, uint32_t header)
{
  uint32_t words[AQ_VALUE_WORDS];
  aq_wait_args args;
  if (header >> 16 == AQ_AMD_FORMAT_PM4_IB) {
    const uint32_t *jump = packet->pm4_ib.ib_jump;
    const uint64_t at = jump[1] | (uint64_t)jump[2] << 32;
    commands_add(b, (const uint32_t *)(uintptr_t)at,
                 jump[3] & (AQ_PM4_IB_WORDS - 1));
  } else if (aq_wait_of_packet(&packet->barrier_value, &args)) {
    const uint32_t count = aq_wait_words(&args, words);
    commands_add(b, words, count);
  }
}

/* ---- dispatches ---- */

static void user_put(uint32_t *user, uint32_t *count, uint64_t value,
                     uint32_t words)
{
  for (uint32_t i = 0; i < words && *count < AQ_PM4_USER_DATA_COUNT; i++) {
    user[(*count)++] = (uint32_t)value;
    value >>= 32;
  }
}

/* The first scalar registers, as the descriptor asks. */
static void user_set(aq_pm4_buffer *b, const aq_pm4_kernel *kernel,
                     const aq_kernel_packet *packet, uint64_t id,
                     const aq_packet *seen)
{
  uint32_t user[AQ_PM4_USER_DATA_COUNT] = {0}, count = 0;
  const unsigned asks = kernel->asks;
  if (asks & ASKS_PRIVATE_BUFFER)
    user_put(user, &count, 0, 4); /* there is no private memory */
  if (asks & ASKS_PACKET)
    user_put(user, &count, (uintptr_t)seen, 2);
  if (asks & AQ_PM4_ASKS_ARGS)
    user_put(user, &count, packet->kernarg_address, 2);
  if (asks & ASKS_ID)
    user_put(user, &count, id, 2);
  if (asks & ASKS_SCRATCH)
    user_put(user, &count, 0, 2);
  if (asks & ASKS_PRIVATE_SIZE)
    user_put(user, &count, 0, 1);
  if (count > 0)
    registers_set(b, AQ_PM4_USER_DATA, user, count);
}

static void program_set(aq_pm4_buffer *b, const aq_pm4_kernel *kernel,
                        const aq_kernel_packet *packet)
{
  const uint32_t lds = (packet->group_segment_size + b->code->lds_granule - 1) /
                       b->code->lds_granule;
  /* A host function's packet says it; code that needs some is refused. */
  const uint32_t scratch =
      kernel->entry == kernel->object
          ? (packet->private_segment_size * 64 + AQ_PM4_SCRATCH_GRANULE - 1) /
                AQ_PM4_SCRATCH_GRANULE
          : 0;
  REGISTERS(b, AQ_PM4_START_X, 0, 0, 0, packet->workgroup_size[0],
            packet->workgroup_size[1], packet->workgroup_size[2]);
  REGISTERS(b, AQ_PM4_PGM_LO, (uint32_t)(kernel->entry >> 8),
            (uint32_t)(kernel->entry >> 40));
  REGISTERS(b, AQ_PM4_PGM_RSRC1, kernel->rsrc1,
            kernel->rsrc2 | lds << AQ_PM4_LDS_SHIFT);
  REGISTERS(b, AQ_PM4_RESOURCE_LIMITS, 0);
  REGISTERS(b, AQ_PM4_TMPRING_SIZE, scratch << AQ_PM4_SCRATCH_SHIFT);
  REGISTERS(b, aq_pm4_rsrc3(b->code->generation), kernel->rsrc3);
  b->kernel = kernel;
  b->last = *packet;
}

/* The packet as the kernel sees it, where it looks. */
static void packet_show(aq_pm4_buffer *b, const aq_packet *packet,
                        uint32_t header, aq_packet *seen)
{
  *seen = *packet;
  seen->header_setup = header;
  if (!b->indirect)
    return;
  const uint64_t params = (uintptr_t)b->indirect->params;
  const uint64_t grid = (uintptr_t)seen->kernel.grid_size;
  for (uint32_t i = 0; i < 12; i += 4)
    copy(b, AQ_PM4_FROM_MEMORY, params + i, grid + i);
}

static const aq_pm4_kernel *kernel_of(const aq_pm4_code *code, uint64_t object)
{
  uint64_t index = 0;
  const bool found = aq_map_get(&code->by_object, object, &index);
  assert(found); /* all kernels of the link are there */
  (void)found;
  return &code->kernels[index - 1];
}

static void dispatch(aq_pm4_buffer *b, const aq_packet *packet, uint32_t header,
                     uint64_t id, aq_packet *seen)
{
  /* Whether the registers already hold all but the arguments of a packet. */
  const aq_kernel_packet *last = &b->last;
  const bool set =
      b->kernel && last->kernel_object == packet->kernel.kernel_object &&
      memcmp(last->workgroup_size, packet->kernel.workgroup_size,
             sizeof last->workgroup_size) == 0 &&
      last->group_segment_size == packet->kernel.group_segment_size &&
      last->private_segment_size == packet->kernel.private_segment_size;
  const aq_pm4_kernel *kernel =
      set ? b->kernel : kernel_of(b->code, packet->kernel.kernel_object);
  const uint32_t initiator = AQ_PM4_SHADERS | AQ_PM4_FROM_ZERO |
                             AQ_PM4_IN_ITEMS |
                             (kernel->wave32 ? (uint32_t)AQ_PM4_WAVE32 : 0);
  if (kernel->asks & ASKS_PACKET)
    packet_show(b, packet, header, seen);
  if (!set)
    program_set(b, kernel, &packet->kernel);
  user_set(b, kernel, &packet->kernel, id, seen);
  if (b->indirect) {
    const uint64_t params = (uintptr_t)b->indirect->params;
    COMMAND(b, AQ_PM4_DISPATCH_INDIRECT, LOW(params), HIGH(params), initiator);
    return;
  }
  COMMAND(b, AQ_PM4_DISPATCH_DIRECT, packet->kernel.grid_size[0],
          packet->kernel.grid_size[1], packet->kernel.grid_size[2], initiator);
}

/* ---- packets ---- */

static void fences_after(aq_pm4_buffer *b, uint32_t header, aq_signal signal)
{
  const uint64_t at = signal.handle;
  if (at == 0) {
    /* Stores reach the second level anyway: nothing for the agent. */
    if (aq_header_release(header) == AQ_SCOPE_SYSTEM)
      release(b, AQ_PM4_DATA_NONE, 0, 0);
    return;
  }
  release(b, AQ_PM4_DATA_CLOCK, at + offsetof(aq_amd_signal, end_ts), 0);
  release(b, AQ_PM4_DATA_64, at + offsetof(aq_amd_signal, value), 0);
}

void aq_pm4_put(aq_pm4_buffer *b, const aq_packet *packet, uint32_t header,
                uint64_t id, aq_packet *seen)
{
  const uint32_t begin = b->count;
  const aq_signal signal = packet->kernel.completion_signal;
  const bool kernel =
      b->indirect || aq_header_type(header) == AQ_PACKET_KERNEL_DISPATCH;
  if (b->indirect)
    header = b->indirect->header_setup;
  if (aq_header_barrier(header))
    flush(b);
  acquire(b, aq_header_acquire(header));
  if (kernel && packet->kernel.kernel_object ==
                    b->code->builtins.objects[AQ_BUILTIN_PATCH]) {
    b->indirect = (const aq_patch_args *)packet->kernel.kernarg_address;
    return;
  }
  if (signal.handle)
    copy(b, AQ_PM4_FROM_CLOCK | (uint32_t)AQ_PM4_WIDE, 0,
         signal.handle + offsetof(aq_amd_signal, start_ts));
  if (aq_header_type(header) == AQ_PACKET_VENDOR)
    waited(b, packet, header);
  else if (kernel && !stored(b, &packet->kernel) &&
           !changed(b, &packet->kernel))
    dispatch(b, packet, header, id, seen);
  fences_after(b, header, signal);
  b->indirect = NULL;
  assert((b->count - begin) * sizeof *b->words + sizeof *seen <=
         AQ_PM4_PACKET_SIZE);
  (void)begin;
}

void aq_pm4_end(aq_pm4_buffer *b)
{
  flush(b);
}
