/* SPDX-License-Identifier: MIT */
/* The state that the parts of the checker share. Within check only; everything
 * under `lock`. */
#ifndef AQ_CHECK_CORE_H
#define AQ_CHECK_CORE_H

#include <pthread.h>

#include "check/check.h"
#include "check/order.h"
#include "check/shadow.h"
#include "codeobj/lines.h"
#include "common/map.h"

/* How an access can take part in a race. */
typedef enum aq_check_access {
  AQ_CHECK_PLAIN,    /* no atomic of the scope that matters looks like it */
  AQ_CHECK_MAYBE,    /* a relaxed atomic looks the same */
  AQ_CHECK_COHERENT, /* its cache bits say that it is one, or volatile */
  AQ_CHECK_ATOMIC,   /* reads, modifies, writes */
} aq_check_access;

/* Registers that an operand names: rows of vectors, or scalar codes. */
typedef struct aq_check_registers {
  bool scalar, dest;
  uint16_t first;
  uint8_t count;
} aq_check_registers;

/* The counters that an instruction adds to: bits. */
enum {
  AQ_CHECK_COUNTS_VMEM = 1,
  AQ_CHECK_COUNTS_LDS = 2,
  AQ_CHECK_COUNTS_SMEM = 4,
};

/* The loads of a wave that have not been waited for: for each register the
 * number of its last load, and the site. */
typedef struct aq_check_waits {
  uint32_t vm_issued, vm_done, lgkm_issued, lgkm_done;
  uint32_t written, written_by; /* LDS, by the last write to it */
  bool unordered; /* lgkmcnt counts loads that return in any order */
  uint32_t vm[2 * AQ_WAVE_ACC], lgkm[2 * AQ_WAVE_ACC], by[2 * AQ_WAVE_ACC];
  uint32_t scalar[128], scalar_by[128];
} aq_check_waits;

/* An instruction at an address. Site 0 is none. */
typedef struct aq_check_site {
  aq_isa_inst inst;
  aq_check_registers names[AQ_ISA_OPERANDS];
  uint8_t name_count;
  uint8_t counts; /* AQ_CHECK_COUNTS_… */
  bool waits;     /* s_waitcnt */
  bool meets;     /* s_barrier */
  bool returns;   /* an atomic with a result */
  uint64_t pc;
  uint8_t kind;   /* aq_wave_touch_kind */
  uint8_t bytes;  /* a lane */
  uint8_t global; /* aq_check_access of memory */
  uint8_t shared; /* aq_check_access of LDS */
  bool fences;    /* invalidates caches */
  bool steps;     /* something is to be looked at */
} aq_check_site;

/* An allocation, alive or freed and in quarantine. */
typedef struct aq_check_known {
  aq_check_block block;
  bool freed;
  void *freed_by[AQ_CHECK_STACK];
} aq_check_known;

typedef struct aq_check_found {
  aq_finding row;
  uint64_t unput; /* of its count */
} aq_check_found;

/* The line table of loaded code. */
typedef struct aq_check_source {
  uint64_t base, end, bias;
  aq_code_lines lines;
} aq_check_source;

struct aq_check {
  aq_check_options options;
  pthread_mutex_t lock;
  aq_wave_observer observer;
  aq_order_hooks hooks;
  aq_check_order *order;
  aq_check_shadow shadow;
  aq_check_site *sites;
  size_t site_count, site_capacity;
  aq_names names;
  aq_check_found *found;
  size_t found_count, found_capacity;
  aq_map by_key;         /* → index of found */
  aq_check_known *known; /* by base */
  size_t known_count, known_capacity;
  aq_check_source *sources;
  size_t source_count, source_capacity;
  uint64_t known_epoch; /* allocations and frees */
  bool leaks_done;
  bool lost; /* memory ran out */
};

/* A dispatch under way: grid->observed. */
typedef struct aq_check_grid {
  aq_check *check;
  aq_wave_grid *grid;
  aq_check_act *act; /* NULL: not ordered */
  int64_t kernel;    /* name */
  uint64_t entry;
  uint32_t ordered[256]; /* serials of acts, by their low bits: before it */
  uint32_t visible[256]; /* and visible */
  uint64_t near_base, near_end, near_epoch; /* allocation accessed last */
} aq_check_grid;

/* group->observed. */
typedef struct aq_check_group {
  aq_check_grid *grid;
  uint64_t number;       /* in the grid */
  uint32_t barrier;      /* barriers passed */
  bool observed, fenced; /* it saw an atomic of another wave; invalidated */
  aq_check_word *lds;    /* a word each 4 bytes, or NULL */
  aq_check_waits *waits; /* of each wave, or NULL */
} aq_check_group;

static inline aq_check_grid *aq_check_grid_of(const aq_wave *w)
{
  return w->grid->observed;
}

static inline aq_check_group *aq_check_group_of(const aq_wave *w)
{
  return w->group->observed;
}

/* ---- findings ---- */

/* The facts of a finding; the rest of the row is filled from it. */
typedef struct aq_check_what {
  unsigned check;   /* AQ_CHECK_MEMORY … */
  const char *kind; /* static */
  bool possible;
  const aq_wave *wave; /* NULL: not by a wave */
  const aq_check_act *act;
  uint32_t site; /* 0: none */
  int lane;      /* -1: of the wave */
  unsigned lanes;
  bool has_address, has_place;
  uint64_t address;
  unsigned bytes;
  const aq_check_act *other;
  int64_t other_kernel;
  uint32_t other_site;
  const char *other_text;
  const char *message; /* borrowed, as all texts */
  const char *missing;
} aq_check_what;

/* Counts it; the first of its kind and sites is put. */
void aq_check_report(aq_check *check, const aq_check_what *what);

/* Assembly of a site. */
void aq_check_site_text(const aq_check *check, uint32_t site,
                        char text[AQ_ISA_TEXT_SIZE]);

/* "dispatch 3 of queue 1 (kernel fill)", "copy 2", "the host". */
void aq_check_act_text(const aq_check *check, const aq_check_act *act,
                       char text[AQ_CHECK_TEXT]);

/* The source file and line of code at an address; NULL: not known. */
const char *aq_check_line(const aq_check *check, uint64_t pc, uint32_t *line);
void aq_check_sources_fini(aq_check *check);

/* ---- sites ---- */

/* The site of an instruction, made once. 0: out of memory. */
uint32_t aq_check_site_make(aq_check *check, const aq_wave_op *o);

/* ---- memory ---- */

/* The allocation, alive or freed, that an address lies in or near to. */
const aq_check_known *aq_check_known_near(const aq_check *check,
                                          uint64_t address);

/* The lanes of the access that may not be made, reported. */
uint64_t aq_check_memory(aq_wave *w, uint32_t site, const aq_wave_touch *touch);

/* Reports allocations that were never freed. */
void aq_check_leaks(aq_check *check);

/* ---- waits ---- */

/* Fills the registers and counters of a site. */
void aq_check_waits_site(aq_check_site *site);

/* Before the wave executes the instruction of a site. */
void aq_check_wait(aq_wave *w, uint32_t site);

/* ---- races ---- */

void aq_check_race(aq_wave *w, uint32_t site, const aq_wave_touch *touch);

/* The same for a copy or a host call. */
void aq_check_race_range(aq_check *check, const aq_check_act *act,
                         uint64_t address, uint64_t size, bool write);

#endif
