/* SPDX-License-Identifier: MIT */
/*
 * A checker of GPU binaries: it sees every access of executed kernels
 * (gpu/wave/core/observe.h), the order of packets and copies
 * (common/order_hooks.h), the program's allocations and its host calls, and
 * reports defects as findings (common/finding.h). doc/checker.md is the
 * concept.
 *
 * Threads: any thread may call at any time; a lock inside orders the calls.
 * The opener's functions are called under that lock and call nothing of the
 * checker.
 */
#ifndef AQ_GPU_CHECK_CORE_CHECK_H
#define AQ_GPU_CHECK_CORE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/allocations.h"
#include "common/diag.h"
#include "common/order_hooks.h"
#include "common/record.h"
#include "gpu/codeobj/codeobj.h"
#include "gpu/wave/core/observe.h"

typedef struct aq_check aq_check;

/* Kinds of checks: bits. */
enum {
  AQ_CHECK_MEMORY = 1,
  AQ_CHECK_RACE = 2,
  AQ_CHECK_INIT = 4,
  AQ_CHECK_SYNC = 8,
  AQ_CHECK_WAIT = 16,
  AQ_CHECK_LEAK = 32, /* not among all: programs leave much to the exit */
  AQ_CHECK_API = 64,
  AQ_CHECK_FLOAT = 128, /* not among all: infinities may be meant */
  AQ_CHECK_EVERYTHING = 31 | 64,
};

/* Reads "memory,race" or "all"; AQ_ERR_INPUT names the expected words. */
aq_status aq_check_read(const char *text, unsigned *out, aq_diag *diag);

enum { AQ_CHECK_STACK = 12, AQ_CHECK_TEXT = 512, AQ_CHECK_FRAME = 4096 };

typedef struct aq_check_options {
  unsigned checks;      /* AQ_CHECK_MEMORY … */
  aq_record_sink *sink; /* takes findings, as they are found; or NULL */
  const aq_allocations *allocations; /* where memory is; NULL: at its address */
  bool host_unseen; /* the runtime above makes no calls of this header, and
                       parts the blocks for its program: notes name both */
  void *user;       /* of the functions below */
  /* One line for the caller at a host address; false: not worth a line. */
  bool (*frame)(void *user, const void *address, char text[AQ_CHECK_FRAME]);
  /* The callers of the call under way, ended by NULL; or NULL. */
  void (*stack)(void *user, void *out[AQ_CHECK_STACK]);
} aq_check_options;

/* AQ_ERR_NO_MEMORY. */
aq_status aq_check_create(const aq_check_options *options, aq_check **out,
                          aq_diag *diag);
void aq_check_destroy(aq_check *check);

unsigned aq_check_kinds(const aq_check *check);

/* As long as the checker lives. */
const aq_wave_observer *aq_check_observer(const aq_check *check);
const aq_order_hooks *aq_check_hooks(const aq_check *check);

/* Puts the counts of findings since they were first put, and notes about what
 * could not be checked. */
aq_status aq_check_put(aq_check *check, aq_diag *diag);

/* Allocations that are still there are leaks, if leaks are checked, and notes
 * say what could not be seen; once. */
void aq_check_end(aq_check *check);

/* ---- the host's calls ---- */

void aq_check_publish(aq_check *check, const aq_amd_queue *queue, uint64_t id);
void aq_check_queue_gone(aq_check *check, const aq_amd_queue *queue);

/* A packet is still there at the end, published, and no doorbell announced it.
 */
void aq_check_unrung(aq_check *check, uint32_t queue, uint64_t packet);
void aq_check_signal_set(aq_check *check, uint64_t signal);
void aq_check_signal_add(aq_check *check, uint64_t signal);
void aq_check_signal_seen(aq_check *check, uint64_t signal);

/* A call of the host is about to read or write memory; bytes. */
void aq_check_host_access(aq_check *check, const void *at, size_t size,
                          bool write);

/* Signals and queues: made, destroyed, and destroyed without being there;
 * `what` is a noun. The last is for memory, too. */
void aq_check_object_made(aq_check *check, uint64_t handle);
void aq_check_object_gone(aq_check *check, uint64_t handle);
void aq_check_object_unknown(aq_check *check, const char *what,
                             uint64_t handle);

/* Code that was loaded: a file of `size` bytes whose addresses plus `bias` are
 * its addresses in memory. Its line table is read at once. */
void aq_check_code(aq_check *check, uint64_t base, uint64_t span, uint64_t bias,
                   const aq_codeobj *code, const void *bytes, size_t size);
void aq_check_code_gone(aq_check *check, uint64_t base);

/* Below a runtime: whether aq_check_code had all code of the program, so that
 * other code is the runtime's own. Findings there are counted in a note alone.
 */
void aq_check_code_is_all(aq_check *check, bool is_all);

/* The debug information of a file could not be read: a note at the end counts
 * these, with the first reason. Under the checker's lock, as options.stack is.
 */
void aq_check_lines_unread(aq_check *check, const aq_diag *why);

/* The same for a whole file, without the lock. */
void aq_check_code_unread(aq_check *check, const aq_diag *why);

/* An allocation of the program; `device` is AQ_DEVICE_HOST for host memory. */
typedef struct aq_check_block {
  uint64_t base, size; /* as asked for; bytes */
  uint32_t device;
  bool fine;      /* coherent without fences */
  bool ours;      /* made by a runtime, not by the program: no leak */
  bool unwritten; /* its bytes are the pattern */
  void *stack[AQ_CHECK_STACK]; /* callers, ended by NULL */
} aq_check_block;

void aq_check_allocated(aq_check *check, const aq_check_block *block);

/* Whether a block should begin unwritten: memory of a device that the program
 * allocated itself, under init. */
bool aq_check_is_fresh(const aq_check *check, const aq_check_block *block);

/* Fills such a block, which the caller reaches at `to`, with the pattern.
 * False: it is larger than AQ_CHECK_FILLED_MAX and counts as written; a note
 * has their number. Takes no lock. */
enum { AQ_CHECK_FILLED_MAX = 1 << 28 /* bytes */ };
bool aq_check_fill(aq_check *check, const aq_check_block *block, void *to);

/* Writes to `to` what unwritten memory at an address has; it repeats. */
enum { AQ_CHECK_PATTERN = 1 << 24 };
void aq_check_pattern_put(void *to, uint64_t address, size_t size);

/* A runtime gave memory to the program that it keeps in a pool, and may have
 * given before; a call frees it when a packet completes, which the call is
 * about to publish; it was freed, `now` or by no packet. A stream is a name of
 * an order. */
void aq_check_pool_allocated(aq_check *check, uint64_t base, uint64_t size,
                             const void *stream,
                             void *const stack[AQ_CHECK_STACK]);
void aq_check_pool_frees(aq_check *check, uint64_t base, const void *stream,
                         const aq_amd_queue *queue, uint64_t packet,
                         void *const stack[AQ_CHECK_STACK]);
void aq_check_pool_freed(aq_check *check, uint64_t base, bool now,
                         void *const stack[AQ_CHECK_STACK]);

/* False: nothing of that base is known. */
bool aq_check_freed(aq_check *check, uint64_t base,
                    void *const stack[AQ_CHECK_STACK]);

#endif
