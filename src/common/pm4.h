/* SPDX-License-Identifier: MIT */
/*
 * PM4: the words of AMD's command processors, for the writers of commands and
 * for the simulator, which reads them. Plain data.
 *
 * A command is a header (aq_pm4_header) and its words. Sources: Linux,
 * drivers/gpu/drm/amd/amdgpu: soc15d.h (gfx9), nvd.h (gfx10 and later), the
 * offsets of gc_9_4_3 and gc_10_1_0, and TC_OP of the enumerations beside.
 */
#ifndef AQ_COMMON_PM4_H
#define AQ_COMMON_PM4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/aql.h"

enum {
  AQ_PM4_TYPE3 = 3,

  /* Opcodes. */
  AQ_PM4_NOP = 0x10,
  AQ_PM4_DISPATCH_DIRECT = 0x15,
  AQ_PM4_DISPATCH_INDIRECT = 0x16,
  AQ_PM4_ATOMIC_MEM = 0x1e,
  AQ_PM4_WRITE_DATA = 0x37,
  AQ_PM4_WAIT_REG_MEM = 0x3c,
  AQ_PM4_INDIRECT_BUFFER = 0x3f,
  AQ_PM4_COPY_DATA = 0x40,
  AQ_PM4_EVENT_WRITE = 0x46,
  AQ_PM4_RELEASE_MEM = 0x49,
  AQ_PM4_ACQUIRE_MEM = 0x58,
  AQ_PM4_SET_SH_REG = 0x76,
  AQ_PM4_WAIT_REG_MEM64 = 0x93,

  /* COMPUTE_* registers: SET_SH_REG's offset is BASE and one of these. */
  AQ_PM4_SH_BASE = 512,
  AQ_PM4_SH_COUNT = 128,
  AQ_PM4_START_X = 4,
  AQ_PM4_NUM_THREAD_X = 7,
  AQ_PM4_PGM_LO = 12,
  AQ_PM4_PGM_HI = 13,
  AQ_PM4_PGM_RSRC1 = 18,
  AQ_PM4_PGM_RSRC2 = 19,
  AQ_PM4_RESOURCE_LIMITS = 21,
  AQ_PM4_TMPRING_SIZE = 24,
  AQ_PM4_PGM_RSRC3_GFX10 = 40,
  AQ_PM4_PGM_RSRC3_GFX9 = 45,
  AQ_PM4_USER_DATA = 64,
  AQ_PM4_USER_DATA_COUNT = 16,

  AQ_PM4_LDS_SHIFT = 15,         /* of PGM_RSRC2.LDS_SIZE, 9 bits */
  AQ_PM4_SCRATCH_GRANULE = 1024, /* bytes of a wave, of TMPRING_SIZE.WAVESIZE */
  AQ_PM4_SCRATCH_SHIFT = 12,     /* of that field, 13 bits */

  /* Of a dispatch's initiator. */
  AQ_PM4_SHADERS = 1 << 0,   /* COMPUTE_SHADER_EN */
  AQ_PM4_FROM_ZERO = 1 << 2, /* FORCE_START_AT_000 */
  AQ_PM4_IN_ITEMS = 1 << 5,  /* USE_THREAD_DIMENSIONS: sizes are work-items */
  AQ_PM4_WAVE32 = 1 << 15,   /* CS_W32_EN, gfx10 and later */

  /* Of EVENT_WRITE and RELEASE_MEM: event, and where its index begins. */
  AQ_PM4_CS_PARTIAL_FLUSH = 7,
  AQ_PM4_CACHE_FLUSH_TS = 0x14,
  AQ_PM4_INDEX_SHIFT = 8,

  /* RELEASE_MEM: the data that it stores behind the fence. */
  AQ_PM4_DATA_SHIFT = 29,
  AQ_PM4_DATA_NONE = 0,
  AQ_PM4_DATA_32 = 1,
  AQ_PM4_DATA_64 = 2,
  AQ_PM4_DATA_CLOCK = 3,

  /* COPY_DATA and WRITE_DATA: source, destination << 8. */
  AQ_PM4_FROM_MEMORY = 2, /* by L2 */
  AQ_PM4_FROM_VALUE = 5,
  AQ_PM4_FROM_CLOCK = 9,
  AQ_PM4_TO_MEMORY = 5 << 8,
  AQ_PM4_WIDE = 1 << 16,    /* COPY_DATA: 8 bytes */
  AQ_PM4_CONFIRM = 1 << 20, /* the next command waits for the store */

  /* WAIT_REG_MEM: function, and that it looks at memory. */
  AQ_PM4_LESS = 1,
  AQ_PM4_EQUAL = 3,
  AQ_PM4_NOT_EQUAL = 4,
  AQ_PM4_GREATER_EQUAL = 5,
  AQ_PM4_MEMORY = 1 << 4,
  AQ_PM4_POLL = 4, /* clocks of 16 between looks */

  /* ATOMIC_MEM: the operation of the second level of the caches on 32 bits
   * (TC_OP), and the bit for 64. The value before goes nowhere. */
  AQ_PM4_ATOMIC_SWAP = 0x07,
  AQ_PM4_ATOMIC_CAS = 0x08,
  AQ_PM4_ATOMIC_ADD = 0x0f,
  AQ_PM4_ATOMIC_AND = 0x15,
  AQ_PM4_ATOMIC_OR = 0x16,
  AQ_PM4_ATOMIC_XOR = 0x17,
  AQ_PM4_ATOMIC_64 = 0x20,
  AQ_PM4_ATOMIC_WORDS = 9, /* of the command, its header included */

  AQ_PM4_VALID = 1 << 23,    /* of an indirect buffer's size */
  AQ_PM4_IB_WORDS = 1 << 20, /* its words are fewer */
  AQ_PM4_REMAINING = 0xa,    /* words of an AQL packet behind its jump */
};

/* words: of the command, its header included. */
static inline uint32_t aq_pm4_header(uint32_t opcode, uint32_t words)
{
  return (uint32_t)AQ_PM4_TYPE3 << 30 | (words - 2) << 16 | opcode << 8;
}

/* Lets a packet jump to so many words. */
static inline void aq_pm4_jump(aq_pm4_ib_packet *packet, uint64_t words,
                               uint32_t count)
{
  packet->ib_jump[0] = aq_pm4_header(AQ_PM4_INDIRECT_BUFFER, 4);
  packet->ib_jump[1] = (uint32_t)words;
  packet->ib_jump[2] = (uint32_t)(words >> 32);
  packet->ib_jump[3] = count | AQ_PM4_VALID;
  packet->remaining = AQ_PM4_REMAINING;
}

/* Of a processor's name, "gfx942": 9 to 12; 0: none whose commands are known.
 */
static inline unsigned aq_pm4_generation(const char *gfx)
{
  static const struct {
    const char *prefix;
    unsigned generation;
  } known[] = {{"gfx10", 10}, {"gfx11", 11}, {"gfx12", 12}, {"gfx9", 9}};
  for (size_t i = 0; gfx && i < sizeof known / sizeof *known; i++)
    if (strncmp(gfx, known[i].prefix, strlen(known[i].prefix)) == 0)
      return known[i].generation;
  return 0;
}

/* The index of PGM_RSRC3. */
static inline uint32_t aq_pm4_rsrc3(unsigned generation)
{
  return generation == 9 ? AQ_PM4_PGM_RSRC3_GFX9 : AQ_PM4_PGM_RSRC3_GFX10;
}

/* Bytes of a unit of PGM_RSRC2.LDS_SIZE: LLVM, getLdsDwGranularity. */
static inline uint32_t aq_pm4_lds_granule(const char *gfx)
{
  return gfx && strcmp(gfx, "gfx950") == 0 ? 1280 : 512;
}

#endif
