/* SPDX-License-Identifier: MIT */
/*
 * Programs: recorded command buffers.
 *
 * A program is a list of blocks of one size, a power of two. A block is
 *
 *   header (64 bytes) | records, growing up | free | rodata, growing down
 *
 * Everything lies at offsets from the start of its block and blocks name each
 * other by ordinal, so that blocks can be moved, written to a file and mapped
 * back. Each record starts with an aq_op and is a multiple of 8 bytes; the last
 * one of a block is its terminator, which the header repeats.
 *
 * Counted once: the header says how many packets and kernarg bytes its block
 * needs at most; whoever replays it reserves that and never scans.
 *
 * Ownership: a program borrows the blocks of its builder until that is reset,
 * continued or destroyed. Thread rule: a finished program is read-only.
 */
#ifndef AQ_CMDBUF_PROGRAM_H
#define AQ_CMDBUF_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "common/aql.h"

enum {
  AQ_BLOCK_MAGIC = 0x4b425141, /* "AQBK", little endian */
  AQ_BLOCK_VERSION = 1,
  AQ_BLOCK_SIZE_MIN = 256,       /* bytes */
  AQ_BLOCK_SIZE_DEFAULT = 65536, /* bytes */
  AQ_BLOCK_SIZE_MAX = 1 << 24,   /* bytes */
  AQ_KERNARG_ALIGN = 64,         /* bytes: each dispatch has its own */
};

#define AQ_BLOCK_NO_TARGET UINT32_MAX

typedef enum aq_opcode {
#define OP(code, NAME, name, size, semantics) AQ_OP_##NAME = (code),
#include "cmdbuf/opcodes.def"
#undef OP
} aq_opcode;

typedef struct aq_block {
  uint32_t magic;
  uint16_t version;
  uint16_t header_size; /* bytes */
  uint32_t ordinal;     /* of this block in its program */
  uint32_t target;      /* block that the terminator branches to */
  uint32_t size;        /* bytes of the whole block */
  uint32_t commands_offset;
  uint32_t commands_size; /* bytes, terminator included */
  uint32_t command_count; /* terminator included */
  uint32_t rodata_offset;
  uint32_t rodata_size;  /* bytes */
  uint32_t packets;      /* at most */
  uint32_t kernarg_size; /* bytes at most, each dispatch rounded up */
  uint32_t kernarg_max;  /* bytes of the largest dispatch, rounded up */
  uint32_t dispatches;
  uint8_t terminator;  /* aq_opcode of the last record */
  uint8_t reserved[7]; /* 0 */
} aq_block;

/* The head of every record. */
typedef struct aq_op {
  uint8_t code;   /* aq_opcode */
  uint8_t flags;  /* of the opcode; 0 where none are defined */
  uint16_t size;  /* of the record, in quad words */
  uint32_t index; /* of the command in its program */
} aq_op;

/* An explicit barrier is only recorded where it cannot be folded into the
 * packets around it: before a terminator that ends what the builder knows. */
typedef struct aq_op_barrier {
  aq_op op; /* flags: acquire scope of the next packet, aq_fence_scope */
} aq_op_barrier;

/* The first 40 bytes of a kernel dispatch packet, ready to be copied. */
typedef struct aq_dispatch_image {
  uint16_t header, setup;
  uint16_t workgroup_size[3];
  uint16_t reserved;
  uint32_t grid_size[3];
  uint32_t private_segment_size;
  uint32_t group_segment_size;
  uint64_t kernel_object; /* of the transport it was recorded for */
} aq_dispatch_image;

/* Arguments are "custom direct": the caller's bytes, copied as they are. */
typedef struct aq_op_dispatch {
  aq_op op;
  aq_dispatch_image image;
  uint32_t kernarg_size;   /* bytes; 0: the packet has no arguments */
  uint32_t kernarg_offset; /* of the bytes in the block */
  uint64_t reserved;       /* 0 */
} aq_op_dispatch;

typedef struct aq_op_branch {
  aq_op op;
  uint32_t target; /* ordinal of a block */
  uint32_t reserved;
} aq_op_branch;

typedef struct aq_op_return {
  aq_op op;
} aq_op_return;

_Static_assert(sizeof(aq_block) == 64, "a block header is 64 bytes");
_Static_assert(offsetof(aq_block, packets) == 40, "packets at 40");
_Static_assert(offsetof(aq_block, terminator) == 56, "terminator at 56");
_Static_assert(sizeof(aq_op) == 8, "a record head is 8 bytes");
_Static_assert(sizeof(aq_dispatch_image) ==
                   offsetof(aq_kernel_packet, kernarg_address),
               "the image is the packet up to its arguments");
_Static_assert(offsetof(aq_dispatch_image, kernel_object) ==
                   offsetof(aq_kernel_packet, kernel_object),
               "the image is the packet up to its arguments");
_Static_assert(offsetof(aq_op_dispatch, image) == 8, "image at 8");
_Static_assert(offsetof(aq_op_dispatch, kernarg_size) == 48, "kernarg at 48");
#define OP(code, NAME, name, size, semantics)                                  \
  _Static_assert(sizeof(aq_op_##name) == (size) && (size) % 8 == 0, #name);
#include "cmdbuf/opcodes.def"
#undef OP

/* A finished program: its blocks and the sums of their headers. */
typedef struct aq_program {
  const aq_block *const *blocks;
  uint32_t block_count;
  uint32_t kernarg_max;  /* bytes of the largest dispatch */
  uint64_t packets;      /* at most */
  uint64_t kernarg_size; /* bytes at most */
} aq_program;

static inline const void *aq_block_at(const aq_block *block, uint32_t offset)
{
  return (const unsigned char *)block + offset;
}

static inline uint32_t aq_kernarg_round(uint32_t size)
{
  return (size + AQ_KERNARG_ALIGN - 1) & ~(uint32_t)(AQ_KERNARG_ALIGN - 1);
}

#endif
