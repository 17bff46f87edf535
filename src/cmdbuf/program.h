/* SPDX-License-Identifier: MIT */
/*
 * Programs: recorded command buffers.
 *
 * A program is a list of blocks of one size, a power of two, and tables of the
 * objects they name by ordinal: kernels, static buffers, slots. A block is
 *
 *   header (64 bytes) | records, growing up | free | rodata, growing down
 *
 * Everything lies at offsets from the start of its block and nothing is an
 * address, so that blocks can be moved, written to a file and mapped back
 * (program_file.h). Each record starts with an aq_op and is a multiple of 8
 * bytes; only the last one of a block, which its header repeats, goes anywhere
 * but to the next.
 *
 * Counted once: the header says how many packets and kernarg bytes its block
 * makes, exactly; a replay reserves that and never scans.
 *
 * Ownership: a program borrows everything from its builder, until that is
 * reset, continued or destroyed, or from a mapped file. Thread rule: a finished
 * program is read-only.
 */
#ifndef AQ_CMDBUF_PROGRAM_H
#define AQ_CMDBUF_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "common/aql.h"
#include "common/export.h"

AQ_BEGIN_DECLS

enum {
  AQ_BLOCK_MAGIC = 0x4b425141, /* "AQBK", little endian */
  AQ_BLOCK_VERSION = 2,
  AQ_BLOCK_SIZE_MIN = 256,       /* bytes */
  AQ_BLOCK_SIZE_DEFAULT = 65536, /* bytes */
  AQ_BLOCK_SIZE_MAX = 1 << 19,   /* bytes: a record's size is 16 bits of 8 */
  AQ_KERNARG_ALIGN = 64,         /* bytes: each packet has its own lines */
  AQ_RODATA_ALIGN = 16,          /* bytes: what HSA asks of arguments */
  AQ_CALL_DEPTH = 16,            /* calls within calls */
};

#define AQ_BLOCK_NONE UINT32_MAX

/* ---- places in buffers ---- */

/* Bit 63: a static buffer, else a slot that a submission binds; bits 48 to 62:
 * its ordinal; below: bytes from its start. */
typedef uint64_t aq_ref;

enum { AQ_REF_ORDINALS = 1 << 15, AQ_REF_OFFSET_BITS = 48 };
#define AQ_REF_OFFSET_MAX ((UINT64_C(1) << AQ_REF_OFFSET_BITS) - 1)
#define AQ_REF_STATIC     (UINT64_C(1) << 63)

static inline aq_ref aq_ref_slot(uint32_t slot, uint64_t offset)
{
  return (uint64_t)slot << AQ_REF_OFFSET_BITS | offset;
}

static inline aq_ref aq_ref_static(uint32_t ordinal, uint64_t offset)
{
  return AQ_REF_STATIC | aq_ref_slot(ordinal, offset);
}

static inline uint32_t aq_ref_ordinal(aq_ref ref)
{
  return (uint32_t)(ref >> AQ_REF_OFFSET_BITS) & (AQ_REF_ORDINALS - 1);
}

static inline uint64_t aq_ref_offset(aq_ref ref)
{
  return ref & AQ_REF_OFFSET_MAX;
}

/* A buffer that an ordinal stands for. */
typedef struct aq_binding {
  void *address;
  uint64_t size; /* bytes */
} aq_binding;

/* ---- records ---- */

typedef enum aq_opcode {
#define OP(code, NAME, name, size, packets, ends, semantics, fields)           \
  AQ_OP_##NAME = (code),
#include "cmdbuf/opcodes.def"
#undef OP
  AQ_OP_LIMIT
} aq_opcode;

/* The head of every record. */
typedef struct aq_op {
  uint8_t code;   /* aq_opcode */
  uint8_t flags;  /* of the opcode; 0 where none are defined */
  uint16_t size;  /* of the record with its tail, in quad words */
  uint32_t index; /* of the command in its program */
} aq_op;

#define N(type, name, kind, meaning)        type name;
#define A(type, name, count, kind, meaning) type name[count];
#define OP(code, NAME, name, size, packets, ends, semantics, fields)           \
  typedef struct aq_op_##name {                                                \
    aq_op op;                                                                  \
    fields                                                                     \
  } aq_op_##name;                                                              \
  AQ_STATIC_ASSERT(sizeof(aq_op_##name) == (size) && (size) % 8 == 0, #name);
#include "cmdbuf/opcodes.def"
#undef OP
#undef A
#undef N

/* Where the arguments of a dispatch come from: its flags. */
typedef enum aq_strategy {
  AQ_ARGS_NONE,         /* there are none, or they lie in a buffer */
  AQ_ARGS_PREPUBLISHED, /* rodata, published once: replay does nothing */
  AQ_ARGS_DYNAMIC,      /* tail: refs to slots, then constants */
  AQ_ARGS_TEMPLATE,     /* rodata, then the slots of the tail patched in */
  AQ_ARGS_GENERAL,      /* tail: refs to anything, then constants */
  AQ_ARGS_DIRECT,       /* tail: the bytes as they are */
  AQ_ARGS_LIMIT
} aq_strategy;

/* Flags of branch_if: an aq_condition, and the width. */
enum { AQ_BRANCH_CONDITION_MASK = 3, AQ_BRANCH_64 = 4 };

/* Flags of an atomic: an aq_atomic_op, the width, and whether it has a result;
 * of a wait for a value the flags of branch_if. */
enum { AQ_ATOMIC_OP_MASK = 7, AQ_ATOMIC_64 = 8, AQ_ATOMIC_RESULT = 16 };

/* Flags of a marker. */
typedef enum aq_marker_kind {
  AQ_MARKER_POINT,
  AQ_MARKER_BEGIN,
  AQ_MARKER_END,
  AQ_MARKER_LIMIT
} aq_marker_kind;

enum { AQ_MARKER_NAME = 127 }; /* bytes of a marker's name, at most */

AQ_STATIC_ASSERT(sizeof(aq_op) == 8, "a record head is 8 bytes");
AQ_STATIC_ASSERT(offsetof(aq_op_dispatch, header) == 8, "header at 8");
/* A packet is the record 8 bytes on, up to its group size. */
AQ_STATIC_ASSERT(offsetof(aq_op_dispatch, group_size) ==
                     8 + offsetof(aq_kernel_packet, group_segment_size),
                 "a dispatch is recorded as its packet will be");
AQ_STATIC_ASSERT(offsetof(aq_op_dispatch, kernel) == 40, "kernel at 40");
AQ_STATIC_ASSERT(offsetof(aq_op_dispatch_params, params) == 64, "params at 64");
AQ_STATIC_ASSERT(offsetof(aq_op_dispatch_args, args) == 64, "args at 64");
AQ_STATIC_ASSERT(offsetof(aq_op_branch_if, value) == 16, "value at 16");

/* ---- blocks ---- */

typedef struct aq_block {
  uint32_t magic;
  uint16_t version;
  uint16_t header_size;   /* bytes: where the records start */
  uint32_t ordinal;       /* of this block in its program */
  uint32_t size;          /* bytes of the whole block */
  uint32_t first;         /* index of the first command */
  uint32_t commands;      /* records, terminator included */
  uint32_t commands_size; /* bytes of them */
  uint32_t rodata; /* offset of its lowest byte; it ends with the block */
  uint32_t packets;
  uint32_t kernarg_size; /* bytes, each packet's rounded up */
  uint32_t kernarg_max;  /* bytes of the largest record, rounded up */
  uint32_t dispatches;   /* records that dispatch the caller's kernels */
  uint32_t markers;
  uint32_t target, next; /* of the terminator, or AQ_BLOCK_NONE */
  uint8_t terminator;    /* aq_opcode of the last record */
  uint8_t zero[3];
} aq_block;

AQ_STATIC_ASSERT(sizeof(aq_block) == 64, "a block header is 64 bytes");
AQ_STATIC_ASSERT(offsetof(aq_block, rodata) == 28, "rodata at 28");
AQ_STATIC_ASSERT(offsetof(aq_block, packets) == 32, "packets at 32");
AQ_STATIC_ASSERT(offsetof(aq_block, terminator) == 60, "terminator at 60");

/* ---- programs ---- */

enum {
  AQ_PROGRAM_BUILTINS = 1 << 0, /* fills, copies, updates, indirect grids */
  AQ_PROGRAM_RODATA = 1 << 1,   /* has to be linked before it is submitted */
  AQ_PROGRAM_DRAINS = 1 << 2,   /* conditions, indirect grids */
  AQ_PROGRAM_ATOMICS = 1 << 3,
  AQ_PROGRAM_WAITS = 1 << 4, /* for values in memory */
  AQ_PROGRAM_FLAGS = 31,
  /* Of them, what asks for builtins. */
  AQ_PROGRAM_NEEDS =
      AQ_PROGRAM_BUILTINS | AQ_PROGRAM_ATOMICS | AQ_PROGRAM_WAITS,
};

/* A finished program: its tables, and the sums of its blocks. */
typedef struct aq_program {
  const aq_block *const *blocks;
  uint32_t block_count;
  uint32_t block_size;
  uint32_t flags;
  uint32_t kernel_count, slot_count, static_count;
  const char *const *kernel_names;
  const uint64_t *kernel_objects; /* NULL in a mapped program */
  const uint64_t *slot_sizes;     /* bytes that each has to have at least */
  const uint64_t *static_sizes;   /* the same */
  const aq_binding *statics;      /* NULL in a mapped program */
  uint32_t kernarg_max;           /* bytes of the largest record */
  uint64_t commands;
  uint64_t packets;      /* of all blocks, each once */
  uint64_t kernarg_size; /* bytes, the same */
} aq_program;

static inline const void *aq_block_at(const aq_block *block, uint32_t offset)
{
  return (const unsigned char *)block + offset;
}

static inline uint32_t aq_kernarg_round(uint32_t size)
{
  return (size + AQ_KERNARG_ALIGN - 1) & ~(uint32_t)(AQ_KERNARG_ALIGN - 1);
}

AQ_END_DECLS

#endif
