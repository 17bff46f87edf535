/* SPDX-License-Identifier: MIT */
/*
 * The spool: records on their way out of a process that must not open a store.
 *
 * One file a process: a header page and a window, both memory-mapped, and the
 * body, behind them. Entries (names, devices, queues, rows, texts) go into the
 * window, which stays mapped and in the cache; 64 KiB or more of them at a time
 * are appended to the body by one write. To map the body in turn would cost a
 * fault for each page.
 *
 * An entry counts once the header's `committed` covers it, and lies in the body
 * below `moved`, else in the window. So a process killed at any moment leaves a
 * readable prefix: before `moved` advances the window has the entries, behind
 * it the body. A machine that loses power may leave nothing. Once the disk is
 * full the body stays as it is and the window takes entries until it is full,
 * too. Rows that the spool's choice leaves out, and entries without room, are
 * counted.
 *
 * Writer: any thread (a lock of its own); it holds a flock on the file, which
 * is how others see that it lives. A forked child must call
 * aq_spool_abandon() before it does anything else with it.
 * Reader: a pure function of bytes; doc/formats/spool.md.
 */
#ifndef AQ_COMMON_SPOOL_H
#define AQ_COMMON_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "record_filter.h"

/* Names of files in the folder: a spool; a kernel without a host function, with
 * a zero byte and its code object behind its name; facts for the report of
 * fidelity, a line each, fields separated by tabs
 * (src/dropin/hsa/base/fidelity.h); a code object with lines, PID.N.code, for
 * the coverage. PID_1 and on instead of PID, after calls of execve. */
#define AQ_SPOOL_SUFFIX   ".spool"
#define AQ_SPOOL_MISSING  ".missing"
#define AQ_SPOOL_FIDELITY ".fidelity"
#define AQ_SPOOL_CODE     ".code"

enum {
  AQ_SPOOL_HEADER = 4096,        /* bytes before the window */
  AQ_SPOOL_WINDOW = 256 * 1024,  /* bytes of the window, behind the header */
  AQ_SPOOL_TEXT_MAX = 64 * 1024, /* bytes of a text; longer ones are cut */
};

/* ---- writing ---- */

typedef struct aq_spool aq_spool;

/* Makes a new file. `rows` chooses which rows are kept; NULL: all.
 * AQ_ERR_EXISTS: the file is there; AQ_ERR_NOT_FOUND: its folder is not. */
aq_status aq_spool_create(const char *path, const aq_record_filter *rows,
                          aq_spool **out, aq_diag *diag);

/* Where records go; owned by the spool. It fails only when out of memory.
 * put_edges is NULL. Rows without a process get that of the spool. */
aq_record_sink *aq_spool_sink(aq_spool *spool);

/* Puts rows of packets and copies, whose host call is the store to the doorbell
 * or the order of the copy: via, host_begin and host_end come of `submit`. */
void aq_spool_put_submitted(aq_spool *spool, const aq_record *rows,
                            size_t count);

/* Whether rows of a kind are never kept; if so counts one. It takes no lock. */
bool aq_spool_skip(aq_spool *spool, int64_t kind);

/* A call of the program, in the header: the known facts about a process that a
 * signal ended. */
enum { AQ_SPOOL_CALLS = 4, AQ_SPOOL_PLACE = 160 };

typedef struct aq_spool_call {
  /* Atomic: twice its number, where 1 is the first of the process, and 1 more
   * until it returns. 0: none; UINT64_MAX: a thread writes the call. */
  uint64_t state;
  int64_t tid;
  uint64_t offset; /* of the place that it returns to, in its file */
  char name[52];
  char file[AQ_SPOOL_PLACE]; /* of the caller's code; empty: not known */
} aq_spool_call;

/* A call that begins, for its end. */
typedef struct aq_spool_noted {
  aq_spool_call *call; /* NULL: not noted */
  uint64_t state;
} aq_spool_noted;

/* The call begins, at a place of a file (NULL: not known). Threads share slots:
 * a later call takes the place of another thread's. Any thread. */
aq_spool_noted aq_spool_call_begin(aq_spool *spool, int64_t tid,
                                   const char *name, const char *file,
                                   uint64_t offset);

/* It returns. */
void aq_spool_call_end(aq_spool_noted noted);

/* Whether a call that a reader found had not returned. */
static inline bool aq_spool_call_is_inside(const aq_spool_call *call)
{
  return call->state & 1;
}

/* Something about the whole run, "device_model" = "mi300x". The last value
 * of a key counts. */
void aq_spool_text_put(aq_spool *spool, const char *key, const char *value);

/* Whether the same calls would give the same rows; true until told. */
void aq_spool_reproducible(aq_spool *spool, bool yes);

/* Findings of `exec --check` are missing. */
void aq_spool_unchecked(aq_spool *spool);

/* Whether nothing more will come; it may be taken back. */
void aq_spool_ended(aq_spool *spool, bool yes);

/* Unmaps and frees; the file stays. NULL is fine. */
void aq_spool_destroy(aq_spool *spool);

/* The same in a forked child: touches neither the file nor its lock. The
 * memory is leaked, for the lock in it may be held by a thread that is gone. */
void aq_spool_abandon(aq_spool *spool);

/* ---- reading ---- */

/* The fields of the header, and the texts. Borrowed from the bytes. */
typedef struct aq_spool_reader {
  const char *name; /* of the file, for diagnostics */
  const unsigned char *bytes;
  size_t end;  /* of the committed entries */
  size_t body; /* bytes of them that lie behind the window */
  int64_t pid;
  int64_t created;       /* seconds since 1970, UTC */
  aq_record_filter rows; /* which rows were kept, and counts of the others */
  bool ended;
  bool reproducible;
  bool unchecked;       /* findings are missing */
  bool cut;             /* the file is shorter than it says */
  uint32_t field_count; /* of a row in the file */
  int16_t fields[AQ_RECORD_FIELD_COUNT * 2]; /* ours, or -1, by theirs */
} aq_spool_reader;

/* Whether the writer came as far as to the end of the header. */
bool aq_spool_has_begun(const void *bytes, size_t size);

/* Reads the header of `size` bytes. AQ_ERR_INPUT: not a spool, or of another
 * version. */
aq_status aq_spool_open(aq_spool_reader *reader, const char *name,
                        const void *bytes, size_t size, aq_diag *diag);

/* The last value of a key before the first row, or NULL; borrowed. */
const char *aq_spool_text(const aq_spool_reader *reader, const char *key);

/* The call that began last; false: there was none. Texts end with 0. */
bool aq_spool_call_last(const aq_spool_reader *reader, aq_spool_call *out);

/* Puts everything into a sink, in the order it was written. AQ_ERR_INPUT names
 * the first malformed entry; what lies before it has been put. */
aq_status aq_spool_drain(const aq_spool_reader *reader, aq_record_sink *sink,
                         aq_diag *diag);

#endif
