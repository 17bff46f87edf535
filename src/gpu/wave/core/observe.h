/* SPDX-License-Identifier: MIT */
/*
 * Observers: a checker that sees each instruction of each wave. A machine has
 * at most one. Its loop takes the place of the plain one for grids that begin
 * afterwards, so that machines without an observer pay nothing for it.
 *
 * A grid with an observer runs on the thread that steps it, alone. All calls
 * of a step lie between `enter` and `leave`, which an observer may use to lock
 * itself. The guard (guard.h) may leave a step at any access to memory of the
 * program: between the two an observer takes no other lock across such an
 * access, and its state is consistent at each. `leave` comes all the same. Of
 * the others, `stuck` comes behind `leave`, `begin` and `end` outside of steps.
 */
#ifndef AQ_GPU_WAVE_CORE_OBSERVE_H
#define AQ_GPU_WAVE_CORE_OBSERVE_H

#include "gpu/wave/core/execution_state.h"

struct aq_wave_machine;

typedef struct aq_wave_observer {
  void *user;
  /* A dispatch begins; the result becomes grid->observed. NULL: out of
   * memory. */
  void *(*begin)(void *user, aq_wave_grid *grid);
  /* It ends: all waves ended, or it stopped. */
  void (*end)(aq_wave_grid *grid);
  /* Around each step of a grid, on the thread that steps. */
  void (*enter)(void *user);
  void (*leave)(void *user);
  /* A workgroup begins, before its first instruction, and is observed if that
   * sets group->observed; false: out of memory. It ends, or its memory goes:
   * once for each that is observed, and then it is not. */
  bool (*group_begin)(aq_wave_group *group);
  void (*group_end)(aq_wave_group *group);
  /* Every wave that has not ended waits at the barrier, which opens. */
  void (*barrier)(aq_wave_group *group);
  /* Runs instructions from `o` on, as the plain loop: until the wave stops or
   * `*left` of them ran; the one that stopped it, or the next. */
  const aq_wave_op *(*run)(aq_wave *w, const aq_wave_op *o, int64_t *left);
  /* Its waves wait for memory, and the program's time has ended. */
  void (*stuck)(aq_wave_grid *grid);
  /* The grid stopped at grid->fault. */
  void (*fault)(aq_wave_grid *grid);
} aq_wave_observer;

/* Before the first execution. The observer is borrowed until the machine is
 * destroyed; s_waitcnt and s_nop are executed one by one from now on. */
void aq_wave_machine_observe(struct aq_wave_machine *machine,
                             const aq_wave_observer *observer);

/* ---- accesses ---- */

typedef enum aq_wave_access_info_kind {
  AQ_WAVE_ACCESS_NONE, /* no memory, or none whose address is known before */
  AQ_WAVE_ACCESS_READ,
  AQ_WAVE_ACCESS_WRITE,
  AQ_WAVE_ACCESS_ATOMIC,
} aq_wave_access_info_kind;

enum { AQ_WAVE_ACCESS_PARTS = 2 /* ds_read2 has two addresses a lane */ };

/* The memory that an instruction accesses when the wave executes it next. */
typedef struct aq_wave_access_info {
  /* A lane, at each of its addresses; scalar: of the wave. Of an image its
   * resource has the size. */
  unsigned bytes;
  bool scalar; /* of the wave: lane 0 stands for it, in `global` */
  uint64_t global, shared, scratch; /* lanes, by where their address lies */
  uint64_t second;                  /* lanes that have another part in LDS */
  uint32_t apart;                   /* from a lane's place to its second */
  uint32_t first;                   /* scratch: bytes of the arena before */
  /* Where all lanes access memory, or all LDS: the least and the most of their
   * addresses, and the low bits that any of them has. */
  uint64_t least, most;
  uint32_t low;
  bool row; /* they are the first lanes, and their places adjacent */
  uint64_t at[AQ_WAVE_LANES]; /* address; of LDS and scratch, offset */
} aq_wave_access_info;

/* The place of a lane's second part in LDS. */
static inline uint32_t aq_wave_access_info_second(const aq_wave_access_info *t,
                                                  int lane)
{
  return (uint32_t)t->at[lane] + t->apart;
}

/* Fills `at` with `base` plus low[lane] plus high[lane] << 32 (NULL: 0), and
 * least, most, low and row for the lanes `exec`; bytes and shared are there. */
typedef void aq_wave_access_info_lanes(aq_wave_access_info *t,
                                       const uint32_t *low,
                                       const uint32_t *high, uint64_t base,
                                       uint64_t exec);

aq_wave_access_info_lanes aq_wave_access_info_base;
#if defined(__x86_64__)
aq_wave_access_info_lanes aq_wave_access_info_v3, aq_wave_access_info_v4;
#endif

/* The fastest one that this host can run. */
aq_wave_access_info_lanes *aq_wave_access_info_best(void);

/* Constant for an instruction. */
aq_wave_access_info_kind aq_wave_access_info_kind_of(const aq_isa_inst *inst);

/* `bytes` is aq_wave_access_info_bytes() of the instruction. */
unsigned aq_wave_access_info_bytes(const aq_isa_inst *inst);
void aq_wave_access_info_find(aq_wave *w, const aq_wave_op *o, unsigned bytes,
                              aq_wave_access_info *out);

#endif
