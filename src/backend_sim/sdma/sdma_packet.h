/* SPDX-License-Identifier: MIT */
/*
 * One packet of SDMA, taken apart: words in, a description out. Touches no
 * other memory, keeps nothing. A packet is refused by name where it asks for
 * what engines of the simulator do not do, or where a field has a value that
 * the form of its generation does not know; never read as another.
 */
#ifndef AQSIM_SDMA_PACKET_H
#define AQSIM_SDMA_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/transfer/copy_rect.h"
#include "common/sdma.h"

enum {
  AQSIM_SDMA_WORDS_MAX = 16, /* of a packet without the words that it writes */
  AQSIM_SDMA_TEXT_MAX = 120,
};

typedef enum aqsim_sdma_kind {
  AQSIM_SDMA_NOTHING, /* padding, and flushes of caches that are coherent */
  AQSIM_SDMA_MOVE,    /* `box` from `from` to `to` */
  AQSIM_SDMA_SET,     /* `box` at `to` becomes `value`, `unit` bytes each */
  AQSIM_SDMA_STORE,   /* `size` bytes behind the header's words to `to` */
  AQSIM_SDMA_FENCE,   /* `value` to `to`, 4 bytes */
  AQSIM_SDMA_STAMP,   /* the device's clock to `to`, 8 bytes */
  AQSIM_SDMA_CHANGE,  /* atomic: `operation` at `to`, `unit` bytes */
  AQSIM_SDMA_POLL,    /* until (`from` & mask), 4 bytes, fulfils `function` */
  AQSIM_SDMA_TRAP,    /* interrupt of event `value` */
} aqsim_sdma_kind;

typedef struct aqsim_sdma_packet {
  const char *name;
  aqsim_sdma_kind kind;
  uint32_t words; /* whole: the next packet is so many words on */
  uint64_t to, from, size;
  aqsim_copy_rect box;
  uint64_t value, mask, compare;
  uint32_t unit, operation, function;
} aqsim_sdma_packet;

typedef enum aqsim_sdma_result {
  AQSIM_SDMA_OK,
  AQSIM_SDMA_MORE, /* its last words are not there so far */
  AQSIM_SDMA_BAD,  /* `text` says why; `name` and, if known, `words` are set */
} aqsim_sdma_result;

/* `count` words are announced, of which at least the first
 * AQSIM_SDMA_WORDS_MAX are at `words`. `text` has room for
 * AQSIM_SDMA_TEXT_MAX. */
aqsim_sdma_result aqsim_sdma_decode(const aq_sdma_form *form,
                                    const uint32_t *words, uint64_t count,
                                    aqsim_sdma_packet *out, char *text);

#endif
