/* SPDX-License-Identifier: MIT */
/* The bytes of a spool, for its writer and its reader: doc/formats/spool.md.
 * Integers are in the machine's format: a spool never leaves it. */
#ifndef AQ_COMMON_SPOOL_FORMAT_H
#define AQ_COMMON_SPOOL_FORMAT_H

#include "spool.h"

#define AQ_SPOOL_MAGIC "AQSPOOL\n"

enum {
  AQ_SPOOL_VERSION = 3,
  AQ_SPOOL_FIELDS_MAX = 2048, /* bytes of the field names */
};

enum aq_spool_state {
  AQ_SPOOL_ENDED = 1 << 0,
  AQ_SPOOL_REPRODUCIBLE = 1 << 1,
  AQ_SPOOL_UNCHECKED = 1 << 2,
};

typedef struct aq_spool_head {
  char magic[8];
  uint32_t version;
  uint32_t window;      /* AQ_SPOOL_WINDOW of the writer */
  uint32_t field_count; /* of a row */
  uint32_t state;       /* atomic: aq_spool_state bits */
  int64_t pid;
  int64_t created;    /* seconds since 1970, UTC */
  uint64_t committed; /* atomic: bytes of entries; release by the writer */
  uint64_t moved; /* atomic: of them, in the body; the rest is in the window,
                     from its begin on; release by the writer */
  char fields[AQ_SPOOL_FIELDS_MAX]; /* names of a row's fields, a space each */
  aq_record_filter rows;            /* counts are atomic */
  uint64_t calls;                   /* atomic: so far */
  aq_spool_call last[AQ_SPOOL_CALLS]; /* by thread, numbered modulo */
} aq_spool_head;

_Static_assert(sizeof(aq_spool_head) <= AQ_SPOOL_HEADER, "one page");
_Static_assert(AQ_RECORD_FIELD_COUNT <= 64, "a row's fields have a bit each");

/* Every entry begins with this and is padded to a multiple of 8 bytes. */
typedef struct aq_spool_entry {
  uint32_t kind; /* aq_spool_kind */
  uint32_t size; /* bytes behind this, without padding */
} aq_spool_entry;

typedef enum aq_spool_kind {
  AQ_SPOOL_TEXT = 1,    /* key, 0, value */
  AQ_SPOOL_NAME = 2,    /* text; ids count from 0 */
  AQ_SPOOL_DEVICE = 3,  /* aq_spool_device, name, gfx; ordinals count from 0 */
  AQ_SPOOL_QUEUE = 4,   /* aq_spool_queue; ordinals count from 0 */
  AQ_SPOOL_ROW = 5,     /* uint64_t: bits of the known fields; those. Without a
                           process: of the header's */
  AQ_SPOOL_COUNTS = 6,  /* aq_instruction, or the fields that it had */
  AQ_SPOOL_FINDING = 7, /* aq_finding, or the fields that it had */
  AQ_SPOOL_COUNTED = 8, /* aq_counted, or the fields that it had */
  AQ_SPOOL_TRACED = 9,  /* aq_traced, or the fields that it had */
  AQ_SPOOL_PACKET = 10, /* a row whose host call is its submission */
} aq_spool_kind;

typedef struct aq_spool_device {
  int64_t source_id, cus;
  int32_t name_length, gfx_length; /* -1: not known */
} aq_spool_device;

typedef struct aq_spool_queue {
  int64_t device, source_id;
} aq_spool_queue;

static inline size_t aq_spool_padded(size_t size)
{
  return (size + 7) & ~(size_t)7;
}

#endif
