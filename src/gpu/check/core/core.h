/* SPDX-License-Identifier: MIT */
/* The state that the parts of the checker share. Within check only; everything
 * under `lock`. */
#ifndef AQ_GPU_CHECK_CORE_CORE_H
#define AQ_GPU_CHECK_CORE_CORE_H

#include <pthread.h>
#include <string.h>

#include "common/map.h"
#include "gpu/check/core/check.h"
#include "gpu/check/core/happens_before.h"
#include "gpu/check/core/shadow.h"
#include "gpu/check/core/uninit_shadow.h"
#include "gpu/codeobj/line_table.h"
#include "gpu/codeobj/variables.h"

/* How an access can take part in a race. */
typedef enum aq_check_access {
  AQ_CHECK_PLAIN,    /* no atomic of the scope that matters looks like it */
  AQ_CHECK_MAYBE,    /* a relaxed atomic looks the same */
  AQ_CHECK_COHERENT, /* its cache bits say that it is one, or volatile */
  AQ_CHECK_ATOMIC,   /* reads, modifies, writes */
} aq_check_access;

/* The part of an instruction in the order of accesses: bits. */
enum {
  AQ_CHECK_STALE_NEAR = 1, /* it invalidates a compute unit's caches */
  AQ_CHECK_STALE_FAR = 2,  /* and the next ones, up to the agent's */
  AQ_CHECK_STALE_ALL = 3,
  AQ_CHECK_WRITES_BACK = 4, /* to the agent's other caches */
  AQ_CHECK_COMPLETES = 8,   /* no store is under way behind it, */
  AQ_CHECK_NEEDS_BACK = 16, /* if they were written back */
  AQ_CHECK_MEETS_GRID = 32, /* a barrier of the dispatch's waves */
  AQ_CHECK_ARRIVES = 64,    /* at a barrier that it waits for later, */
  AQ_CHECK_AWAITS = 128,    /* and there it waits */
};

/* Registers that an operand names: rows of vectors, or scalar codes. */
typedef struct aq_check_registers {
  bool scalar, dest;
  char role; /* of instructions.def */
  uint16_t first;
  uint8_t count;
} aq_check_registers;

/* The counters that an instruction adds to: bits. */
enum {
  AQ_CHECK_COUNTS_VMEM = 1,
  AQ_CHECK_COUNTS_LDS = 2,
  AQ_CHECK_COUNTS_SMEM = 4,
  AQ_CHECK_COUNTS_FLAT = 8, /* with others */
};

enum { AQ_CHECK_NO_LIMIT = UINT8_MAX };

/* Whose numbers M0 adds to, in v_movrel and s_movrel. */
enum {
  AQ_CHECK_BY_M0_SOURCE = 1,
  AQ_CHECK_BY_M0_RESULT = 2,
  AQ_CHECK_BY_M0_HALVES = 4, /* by a half of M0 each */
  AQ_CHECK_BY_M0_SCALARS = 8,
};

/* An instruction that a wave executed: wait states up to its end. */
typedef struct aq_check_recent {
  uint32_t site, states;
} aq_check_recent;

enum { AQ_CHECK_MATRICES = 32 }; /* a power of two */
enum { AQ_CHECK_RULES = 16 };    /* of hazards.c, at most */
enum { AQ_CHECK_WINDOWS = 4 };   /* a power of two: ways to an instruction */

/* The loads of a wave that have not been waited for: for each register the
 * number of its last load, and the site. And the last instructions. */
typedef struct aq_check_waits {
  uint32_t vm_issued, vm_done, lgkm_issued, lgkm_done;
  uint32_t km_issued, km_done;  /* scalar memory, in any order */
  uint32_t written, written_by; /* LDS, by the last write to it */
  bool unordered; /* lgkmcnt counts loads that return in any order */
  uint32_t vm[2 * AQ_WAVE_ACC], lgkm[2 * AQ_WAVE_ACC], by[2 * AQ_WAVE_ACC];
  uint32_t scalar[128], scalar_by[128];
  uint32_t window; /* of the last instructions: its number in hazards.c */
  uint32_t states, matrices_at;
  aq_check_recent matrices[AQ_CHECK_MATRICES];
} aq_check_waits;

/* How `init` follows an instruction. */
typedef enum aq_check_uninit_kind {
  AQ_CHECK_INIT_NONE,
  AQ_CHECK_INIT_DEFINES, /* its results count as written */
  AQ_CHECK_INIT_COMPUTES,
  AQ_CHECK_INIT_LOADS,
  AQ_CHECK_INIT_STORES,
  AQ_CHECK_INIT_UPDATES, /* an atomic */
  AQ_CHECK_INIT_DIRECT,  /* from memory to LDS */
  AQ_CHECK_INIT_IMAGE_STORES,
  AQ_CHECK_INIT_BY_SCC,
  AQ_CHECK_INIT_BY_VCC,
  AQ_CHECK_INIT_JUMPS,
} aq_check_uninit_kind;

/* Unwritten bits of a wave's registers, and bits that depend on such;
 * and for each register the site of the load that they came by. */
typedef struct aq_uninit_regs {
  uint64_t lanes[2 * AQ_WAVE_ACC];        /* of each row: lanes that have any */
  uint64_t partial[2 * AQ_WAVE_ACC / 64]; /* rows that `bits` has, else all */
  uint32_t (*bits)[AQ_WAVE_LANES];        /* NULL: no row is partial */
  uint32_t from[2 * AQ_WAVE_ACC];         /* 0: never written */
  uint64_t scalars[2];                    /* codes that have any */
  uint64_t never[2]; /* of them, without places below: never written */
  uint32_t scalar_bits[128], scalar_from[128];
  bool scc;
  uint32_t scc_from;
  uint8_t *scratch; /* of each byte of the arena, or NULL: all */
} aq_uninit_regs;

/* The effect of an instruction on addresses of variables in registers. */
typedef enum aq_check_base {
  AQ_CHECK_BASE_NONE,  /* it writes no register */
  AQ_CHECK_BASE_ENDS,  /* its results are other values */
  AQ_CHECK_BASE_KEEPS, /* copies and sums */
  AQ_CHECK_BASE_HERE,  /* s_getpc */
} aq_check_base;

/* Of each register of a wave, the variable whose address it was made from: its
 * begin, 0: none, 1: the place of the instruction. Of a row, in some lanes. */
typedef struct aq_check_bases {
  uint64_t scalars[128];
  uint64_t rows[2 * AQ_WAVE_ACC], lanes[2 * AQ_WAVE_ACC];
} aq_check_bases;

enum { AQ_CHECK_ROWS = 16, AQ_CHECK_STRUCT_MAX = 256 /* bytes */ };

/* An instruction at an address. Site 0 is none. */
typedef struct aq_check_site {
  uint8_t looks; /* checks that look at it: AQ_CHECK_… */
  bool unloaded; /* its code is gone, and was of a line: */
  uint32_t line; /* 0: not known */
  int64_t file;  /* name */
  aq_isa_inst inst;
  aq_check_registers names[AQ_ISA_OPERANDS];
  uint8_t name_count;
  uint8_t counts; /* AQ_CHECK_COUNTS_… */
  bool waits;     /* s_waitcnt and its like: the counters' limits */
  uint8_t vm_limit, lgkm_limit, km_limit; /* or AQ_CHECK_NO_LIMIT */
  bool arrives;                           /* s_barrier, s_barrier_signal */
  bool unorders; /* what lgkmcnt counts returns in any order then */
  bool meets;    /* s_barrier, s_barrier_wait */
  bool jumps;    /* to a function, or back */
  bool returns;  /* an atomic with a result */
  uint64_t pc;
  uint8_t kind;   /* aq_wave_access_info_kind */
  uint8_t bytes;  /* a lane */
  bool drops;     /* a float atomic that fine-grained memory drops */
  uint8_t global; /* aq_check_access of memory, between workgroups */
  uint8_t group;  /* and among the waves of one */
  uint8_t shared; /* aq_check_access of LDS */
  uint8_t fence;  /* AQ_CHECK_STALE_NEAR and so on */
  /* It accessed several places at once: of memory, of LDS. */
  bool wide_global, wide_shared;
  bool unlocks;  /* it stored to a word that its wave had changed by atomics */
  uint8_t polls; /* aq_check_poll */
  bool steps;    /* something is to be looked at */
  uint8_t init;  /* aq_check_uninit_kind */
  bool moves;    /* its rows, by the register index */
  uint8_t by_m0; /* AQ_CHECK_BY_M0_…: registers that M0 moves */
  bool crosses;  /* reads lanes that are not active */
  bool keeps;    /* of its destination, parts */
  bool halves;   /* of memory: it loads or stores halves of registers */
  bool listed;   /* `rows` has all vector registers that it names */
  uint8_t sources, results; /* counts: the first rows, and the next ones */
  uint16_t rows[AQ_CHECK_ROWS];
  bool reads_scc, leaves_scc;
  uint32_t is;              /* for hazards.h */
  uint8_t passes;           /* of a matrix instruction whose rules are known */
  bool xdl;                 /* it is none of f64, nor from gfx940 of f32 */
  bool meets_acc;           /* matrix instructions and their registers: rules */
  uint8_t states;           /* that pass with it */
  uint16_t firsts, seconds; /* rules of hazards.c that it may be part of */
  /* Behind windows, + 1, no rule was broken; the next windows; the place that
   * the next one takes. */
  uint32_t window_from[AQ_CHECK_WINDOWS], window_to[AQ_CHECK_WINDOWS];
  uint8_t window_at;
  uint64_t reads[2], writes[2]; /* scalar codes */
  uint8_t base;                 /* aq_check_base */
  /* Of stack.h: how it makes addresses of objects on the stack, of which
   * operands, in which function (0: none is known); the object whose address it
   * used, and that it accessed, + 1; it was counted. */
  uint8_t tags;
  const char *sums;
  uint32_t frame, own_object;
  bool unseen;
  uint64_t within; /* variable whose address it used, and that it accessed */
  bool floats;     /* it writes vector registers: `float` follows it */
  bool matrix;     /* whatever EXEC is */
  bool mixes;      /* lanes depend on others */
  bool skips_a;    /* its result depends on B and C alone */
  uint8_t float_result, float_source; /* aq_check_float */
  uint32_t stored_by; /* the first store of a NaN or infinity that it made */
  uint64_t unset_at;  /* unwritten memory that it read last */
  bool unset_shared;  /* in LDS, or private */
  uint64_t near_base, near_end, near_epoch; /* allocation accessed last */
} aq_check_site;

/* A store of unwritten bits: of a site, in a kernel, and the load that they
 * came by (0: none) from an address. */
typedef struct aq_check_origin {
  int64_t kernel; /* name */
  uint64_t entry, at;
  uint32_t store, load;
} aq_check_origin;

/* One origin stands for this many bytes, the last one; of bytes that share a
 * place, too. */
enum { AQ_CHECK_ORIGIN = 64, AQ_CHECK_ORIGINS = 1 << 16 };

typedef struct aq_check_origin_place {
  uint64_t line; /* address / AQ_CHECK_ORIGIN; 0: none */
  aq_check_origin by;
} aq_check_origin_place;

/* Order that was not kept: workgroups that ended, and waits for their stores.
 */
typedef struct aq_check_forgotten {
  uint64_t groups, waits;
} aq_check_forgotten;

/* The barriers of a wave. */
typedef struct aq_check_sync {
  uint64_t lanes;   /* that it began with */
  uint64_t skipped; /* of them, absent from the last barrier */
  uint32_t site;    /* of the last barrier */
} aq_check_sync;

/* A kernel of loaded code, as its metadata says. */
typedef struct aq_check_kernel {
  uint64_t object, base; /* descriptor; of its code */
  uint32_t kernarg_size, kernarg_align, group_size, workgroup_max;
} aq_check_kernel;

/* The host's calls that published packets of a queue up to an id. */
typedef struct aq_check_call {
  const aq_amd_queue *queue;
  uint64_t id;
  void *stack[AQ_CHECK_STACK];
} aq_check_call;

enum { AQ_CHECK_CALLS = 256 /* the last ones are kept */ };

/* An allocation, alive or freed and in quarantine. */
typedef struct aq_check_known {
  aq_check_block block;
  bool freed;
  bool begins_unwritten; /* the program must write it before it reads it */
  bool shared;           /* kernels access it, and so may the host, unseen */
  void *freed_by[AQ_CHECK_STACK];
  bool is_variable; /* of the code at `code`, with a name */
  uint64_t code;
  int64_t name;
  struct aq_check_heap *heap; /* of heap.h, or NULL: it has no blocks */
  bool pooled;                /* a runtime keeps it in a pool: pools.c */
} aq_check_known;

/* A change of memory of a pool that waits for a packet to complete. */
typedef struct aq_check_pool_change {
  uint64_t base, size;
  const aq_amd_queue *queue; /* a free; NULL: an allocation behind a free */
  uint64_t packet;
  const void *stream;
  void *stack[AQ_CHECK_STACK];
} aq_check_pool_change;

/* A function of malloc() in kernels (heap.h). */
typedef enum aq_check_heap_role {
  AQ_CHECK_HEAP_NONE,
  AQ_CHECK_HEAP_ALLOCATES,
  AQ_CHECK_HEAP_FREES,
  AQ_CHECK_HEAP_WRAPS, /* it calls one of these */
} aq_check_heap_role;

typedef struct aq_check_heap_function {
  uint64_t base; /* of the code */
  uint64_t first, end;
  aq_check_heap_role role;
} aq_check_heap_function;

typedef struct aq_check_found {
  aq_finding row;
  uint64_t unput; /* of its count */
} aq_check_found;

/* The line table of loaded code. */
typedef struct aq_check_source {
  uint64_t base, end, bias;
  aq_code_lines lines;
} aq_check_source;

/* A part of loaded code that nothing may write, or one that has variables. */
typedef struct aq_check_readonly {
  uint64_t base; /* of the code */
  uint64_t first, end;
  bool by_waves; /* aq_check_is_by_waves */
} aq_check_readonly;

struct aq_check {
  aq_check_options options;
  pthread_mutex_t lock;
  aq_wave_observer observer;
  aq_order_hooks hooks;
  aq_hb *order;
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
  aq_check_readonly *readonly;
  size_t readonly_count, readonly_capacity;
  aq_check_readonly *variables; /* sections */
  size_t variable_count, variable_capacity;
  aq_check_pool_change *pool; /* to come, in the order of their calls */
  size_t pool_count, pool_capacity;
  uint64_t pool_unseen; /* frees whose packet is not known */
  uint64_t pool_in_use; /* blocks that another stream may still use */
  struct aq_check_windows *windows; /* of hazards.c, or NULL */
  struct aq_check_stack *stack;     /* of stack.h, or NULL */
  aq_check_heap_function *heap;
  size_t heap_count, heap_capacity;
  uint64_t heap_unseen; /* files whose functions have no symbols */
  aq_check_kernel *kernels;
  size_t kernel_count, kernel_capacity;
  aq_map gone; /* destroyed signals and queues */
  aq_check_call calls[AQ_CHECK_CALLS];
  uint64_t call_count;
  uint64_t known_epoch; /* allocations and frees */
  aq_uninit_shadow unwritten;
  aq_check_origin_place *origins; /* AQ_CHECK_ORIGINS, or NULL: none yet */
  aq_check_forgotten forgotten;
  struct aq_check_trial *trial; /* of uninit.c; NULL: none was needed */
  uint64_t unfollowed; /* atomic: allocations that are too large for init */
  bool code_is_all;    /* other code is a runtime's own */
  uint64_t foreign; /* findings in kernels of a runtime, which are left out, */
  const char *foreign_kind; /* of the first */
  uint64_t unread;          /* files whose debug information is not read */
  char unread_why[AQ_CHECK_TEXT]; /* of the first */
  bool shared_others; /* kernels access memory of the host of no pool */
  bool leaks_done;
  bool lost; /* memory ran out */
};

typedef struct aq_sync_group aq_sync_group; /* of race/synchronisation.h */

/* A dispatch under way: grid->observed. */
typedef struct aq_check_grid {
  aq_check *check;
  unsigned checks; /* of the options, as far as the processor is known */
  aq_wave_grid *grid;
  aq_hb_event *act; /* NULL: not ordered */
  struct aq_check_group *free;
  int64_t kernel; /* name */
  uint64_t entry;
  bool by_waves;         /* aq_check_is_by_waves */
  uint32_t ordered[256]; /* serials of acts, by their low bits: before it */
  uint32_t visible[256]; /* and visible */
  /* The order of its waves, by synchronisation.c. */
  aq_map groups; /* number → aq_sync_group *, resident or in `ended` */
  aq_sync_group **ended;
  size_t ended_count, ended_capacity;
  uint64_t released;                   /* releases so far */
  bool updates_global, updates_shared; /* by atomics */
} aq_check_grid;

/* group->observed; groups that ended are used again. */
typedef struct aq_check_group {
  struct aq_check_group *next; /* free */
  aq_check_grid *grid;
  uint64_t number;                 /* in the grid */
  aq_sync_group *order;            /* of its waves' accesses, or NULL */
  aq_sync_group *spare;            /* of one that ended, or NULL */
  uint32_t *lds;                   /* the state of each word, or NULL */
  aq_access_history states;        /* of LDS */
  aq_check_waits *waits;           /* of each wave, or NULL */
  aq_uninit_regs *unset;           /* of each wave, or NULL */
  aq_check_sync *sync;             /* of each wave, or NULL */
  aq_check_bases *bases;           /* of each wave, or NULL */
  struct aq_check_tags **tags;     /* of each wave, or NULL */
  struct aq_check_odd *odd;        /* of each wave, or NULL */
  struct aq_check_heap_wave *heap; /* of each wave, or NULL */
  uint8_t *lds_unset;              /* of each byte of LDS, or NULL */
  bool lds_written;                /* none of them is */
} aq_check_group;

static inline aq_check_grid *aq_check_grid_of(const aq_wave *w)
{
  return w->grid->observed;
}

static inline aq_check_grid *aq_check_grid_of_grid(const aq_wave_grid *grid)
{
  return grid->observed;
}

static inline aq_check_group *aq_check_group_of(const aq_wave *w)
{
  return w->group->observed;
}

/* ---- findings ---- */

/* The facts of a finding; the rest of the row is filled from it. */
typedef struct aq_check_what {
  unsigned check;      /* AQ_CHECK_MEMORY … */
  const char *kind;    /* static */
  uint8_t possible;    /* aq_finding_certainty */
  const aq_wave *wave; /* NULL: not by a wave */
  const aq_hb_event *act;
  uint32_t site; /* 0: none */
  uint64_t pc;   /* without a site; 0: not known */
  int lane;      /* -1: of the wave */
  unsigned lanes;
  bool has_address, has_place;
  uint64_t address;
  unsigned bytes;
  const aq_hb_event *other;
  const aq_check_origin
      *by; /* the kernel of `site` where no wave is; or NULL */
  int64_t other_kernel;
  uint32_t other_site;
  const char *other_text;
  const aq_check_grid *grid; /* of a launch without a wave, or NULL */
  void *const *called;       /* host calls, or NULL */
  const char *message;       /* borrowed, as all texts */
  const char *missing;
} aq_check_what;

/* Counts it; the first of its kind and sites is put. */
void aq_check_report(aq_check *check, const aq_check_what *what);

/* Assembly of a site. */
void aq_check_site_text(const aq_check *check, uint32_t site,
                        char text[AQ_ISA_TEXT_SIZE]);

/* "dispatch 3 of queue 1 (kernel fill)", "copy 2", "the host". */
void aq_hb_event_text(const aq_check *check, const aq_hb_event *act,
                      char text[AQ_CHECK_TEXT]);

/* The source file and line of code at an address; NULL: not known. */
const char *aq_check_line(const aq_check *check, uint64_t pc, uint32_t *line);
void aq_check_sources_fini(aq_check *check);
/* Whether bytes lie in loaded code, or in its constants. */
bool aq_check_in_code(const aq_check *check, uint64_t first, uint64_t end);
/* Whether code is GCC's: a thread is a wave, whatever its lanes do. Barriers
 * are of waves then, and may be different ones. */
bool aq_check_is_by_waves(const aq_check *check, uint64_t pc);

/* ---- sites ---- */

/* The site of an instruction, made once. 0: out of memory. */
uint32_t aq_check_site_make(const aq_wave *w, const aq_wave_op *o);

/* ---- memory ---- */

/* The allocation, alive or freed, that an address lies in or near to. */
const aq_check_known *aq_check_known_near(const aq_check *check,
                                          uint64_t address);

/* Puts an allocation among them, in place of one with the same base. */
void aq_check_known_put(aq_check *check, const aq_check_known *known);

/* The variables of loaded code come and go as allocations; whether an address
 * is in a section that has only such. */
void aq_check_variables_add(aq_check *check, uint64_t base, uint64_t bias,
                            const void *bytes, size_t size);
void aq_check_variables_gone(aq_check *check, uint64_t base);
bool aq_check_among_variables(const aq_check *check, uint64_t address);

/* Fills the fact of a site; follows it before the wave executes it; and the
 * variable that the addresses of its access were made from in `*lanes`, or
 * NULL. */
void aq_check_bases_site(const aq_check *check, aq_check_site *site);
void aq_check_bases_step(const aq_wave *w, const aq_wave_op *o,
                         const aq_check_site *site);
const aq_check_known *
aq_check_base_of(const aq_wave *w, const aq_check_site *site, uint64_t *lanes);

/* An allocation begins: nothing accessed it. */
void aq_check_known_begin(aq_check *check, const aq_check_known *made);

/* A packet is about to complete; a queue is gone, NULL: all are. */
void aq_check_pool_complete(aq_check *check, const aq_order_packet *packet);
void aq_check_pool_queue_gone(aq_check *check, const aq_amd_queue *queue);

/* The index of the first allocation that ends behind an address. */
size_t aq_check_known_from(const aq_check *check, uint64_t address);

/* Whether an address lies in an allocation that was not freed. */
bool aq_check_known_alive(const aq_check *check, uint64_t address);

/* The lanes of the access that may not be made, reported. */
uint64_t aq_check_memory(aq_wave *w, uint32_t site,
                         const aq_wave_access_info *touch);

/* The same without reports: which memory it shares with the host. */
void aq_check_shares(aq_wave *w, uint32_t site,
                     const aq_wave_access_info *touch);

/* At the end: allocations that were never freed; what could not be seen. */
void aq_check_leaks(aq_check *check);
void aq_check_unseen(aq_check *check);

/* ---- unwritten values ---- */

/* Makes the state of a workgroup; false: out of memory. Then, at its begin and
 * at a barrier. */
bool aq_check_uninit_group(aq_check_group *group, const aq_wave_grid *grid);
void aq_check_uninit_group_begin(const aq_wave_group *group);
void aq_check_uninit_barrier(const aq_wave_group *group);
void aq_check_uninit_group_fini(const aq_check_group *group,
                                const aq_wave_grid *grid);
void aq_check_uninit_fini(aq_check *check);

/* Fills the facts of a site for `init`; its registers are known. */
void aq_check_uninit_site(aq_check_site *site);

/* Runs the instruction of a site and follows its results. */
const aq_wave_op *aq_check_uninit_run(aq_wave *w, const aq_wave_op *o,
                                      uint32_t site);

void aq_check_origin_keep(aq_check *check, uint64_t address,
                          const aq_check_origin *origin);
/* NULL: none is kept. */
const aq_check_origin *aq_check_origin_find(const aq_check *check,
                                            uint64_t address);

/* The parts of it. */
void aq_check_uninit_memory(aq_wave *w, const aq_wave_op *o, uint32_t site,
                            const aq_wave_access_info *t);
void aq_check_uninit_branch(aq_wave *w, uint32_t site);
void aq_check_uninit_addresses(aq_wave *w, uint32_t site);

/* One use of a value that depends on unwritten bits. */
typedef struct aq_check_use {
  const char *kind, *message;
  uint8_t possible; /* aq_finding_certainty */
  int lane;
  unsigned lanes;
  uint32_t from; /* the load's site, or 0 */
} aq_check_use;

void aq_check_uninit_report(aq_wave *w, uint32_t site, const aq_check_use *use);

/* The bits from `first` on, `count` of them, of two words. */
static inline void aq_check_scalars_add(uint64_t mask[2], unsigned first,
                                        unsigned count)
{
  const unsigned end = first + count < 128 ? first + count : 128;
  for (unsigned i = 0; i < 2; i++) {
    const unsigned from = first > 64 * i ? first - 64 * i : 0,
                   to = end > 64 * i ? end - 64 * i : 0;
    if (from >= 64 || to <= from)
      continue;
    mask[i] |= (to < 64 ? ((uint64_t)1 << to) - 1 : UINT64_MAX) &
               ~(((uint64_t)1 << from) - 1);
  }
}

/* Results of an instruction count as written, in the lanes that are on. */
void aq_check_results_define(aq_wave *w, const aq_check_site *site,
                             aq_uninit_regs *u);

/* The scalars that an instruction writes count as written. */
static inline void aq_check_scalars_define(aq_uninit_regs *u,
                                           const aq_check_site *site)
{
  for (int i = 0; i < 2; i++) {
    u->scalars[i] &= ~site->writes[i];
    u->never[i] &= ~site->writes[i];
  }
}

void aq_check_row_get(const aq_uninit_regs *u, unsigned row,
                      uint32_t bits[AQ_WAVE_LANES]);
/* Of the lanes `which`. */
void aq_check_row_put(aq_check *check, aq_uninit_regs *u, unsigned row,
                      const uint32_t bits[AQ_WAVE_LANES], uint64_t which);
void aq_check_scalar_put(aq_uninit_regs *u, unsigned code, uint32_t bits);

static inline bool aq_check_scalar_never(const aq_uninit_regs *u, unsigned code)
{
  return u->never[code / 64] >> code % 64 & 1;
}

/* Unwritten bits of a scalar that has some, and the load that they came by. */
static inline uint32_t aq_check_scalar_bits(const aq_uninit_regs *u,
                                            unsigned code)
{
  return aq_check_scalar_never(u, code) ? UINT32_MAX : u->scalar_bits[code];
}

static inline uint32_t aq_check_scalar_from(const aq_uninit_regs *u,
                                            unsigned code)
{
  return aq_check_scalar_never(u, code) ? 0 : u->scalar_from[code];
}

/* Bits of memory that a kernel reads; the host may have written it. */
void aq_check_uninit_get(aq_check *check, uint64_t address, unsigned size,
                         uint8_t *bits);

/* Fills check->unwritten. */
void aq_check_uninit_open(aq_check *check);

/* Whether the unwritten bytes of words that a lane stores are padding of a
 * struct. */
bool aq_check_uninit_is_padding(const uint32_t *words, unsigned count);

/* A copy moves bytes; the host reads some. */
void aq_check_uninit_copy(aq_check *check, const aq_hb_event *act, uint64_t to,
                          uint64_t from, uint64_t size);
void aq_check_uninit_read(aq_check *check, const aq_hb_event *act,
                          uint64_t address, uint64_t size);
/* A kernel ran unseen: its writes are not known. */
void aq_check_uninit_forget(aq_check *check);

/* ---- barriers ---- */

void aq_check_sync_group(aq_wave_group *group);
void aq_check_sync_meets(const aq_wave *w, uint32_t site);
void aq_check_sync_access(const aq_wave *w, uint32_t site, uint64_t lanes);
void aq_check_sync_opens(const aq_wave_group *group);
void aq_check_sync_stuck(aq_wave_grid *grid);

/* ---- calls and launches ---- */

void aq_check_api_code(aq_check *check, uint64_t base, uint64_t bias,
                       const void *bytes, size_t size);
void aq_check_api_code_gone(aq_check *check, uint64_t base);
void aq_check_api_publish(aq_check *check, const aq_amd_queue *queue,
                          uint64_t id);
void aq_check_api_launch(const aq_check_grid *grid);
/* `packet`: that of a copy engine which stores there; NULL: a copy. */
void aq_check_api_range(aq_check *check, const char *packet, const char *verb,
                        uint64_t address, uint64_t size);

/* ---- waits ---- */

/* Row k of vector registers that an instruction names, with the register index
 * added. */
static inline unsigned aq_check_row(const aq_wave *w, const aq_check_site *site,
                                    const aq_check_registers *r, unsigned k)
{
  static const char roles[] = "ABCD";
  const unsigned row = r->first + k;
  if (site->by_m0 && !r->scalar) {
    const uint32_t m0 = w->s[AQ_ISA_M0];
    const unsigned by =
        site->by_m0 & (r->dest ? AQ_CHECK_BY_M0_RESULT : AQ_CHECK_BY_M0_SOURCE)
            ? site->by_m0 & AQ_CHECK_BY_M0_HALVES
                  ? (r->dest ? m0 >> 16 : m0) & 0x3ff
                  : m0
            : 0;
    return by < AQ_WAVE_ACC - row ? row + by : row;
  }
  if (!w->index_on || !site->moves || r->scalar)
    return row;
  const char *at = strchr(roles, r->role);
  const bool moves = at && w->index_mode >> (at - roles) & 1;
  return moves && row + w->index < 2 * AQ_WAVE_ACC ? row + w->index : row;
}

/* Fills the registers of a site. */
void aq_check_site_registers(aq_check_site *site);

/* Fills its counters. */
void aq_check_waits_site(aq_check_site *site);

/* Wait states: fills the figures that the rules ask of a site; before the wave
 * executes it.
 */
void aq_check_hazards_site(aq_check_site *site);
void aq_check_hazards(aq_wave *w, uint32_t site);
void aq_check_hazards_fini(aq_check *check);

/* The wave ended: nothing is under way. */
void aq_check_waits_end(aq_check_waits *waits);

/* Before the wave executes the instruction of a site. */
void aq_check_wait(aq_wave *w, uint32_t site);

/* ---- races ---- */

void aq_check_race(aq_wave *w, uint32_t site, const aq_wave_access_info *touch);

/* A workgroup begins (false: out of memory), meets at a barrier, and ends; its
 * state goes; the dispatch ends. */
bool aq_check_race_group_begin(aq_check_group *group,
                               const aq_wave_group *under_way);
void aq_check_race_barrier(const aq_wave_group *group);
void aq_check_race_group_end(aq_check_group *group);
void aq_check_race_group_fini(aq_check_group *group);
void aq_check_race_grid_end(aq_check_grid *grid);

/* Before an instruction whose site has a `fence`; and once it passed a barrier
 * of the dispatch. */
void aq_check_race_fence(aq_wave *w, uint32_t site);
void aq_check_race_met(aq_wave *w);

/* The same for a copy or a host call. */
void aq_check_race_range(aq_check *check, const aq_hb_event *act,
                         uint64_t address, uint64_t size, bool write);

#endif
