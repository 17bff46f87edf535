/* SPDX-License-Identifier: MIT */
/*
 * The run store: every run in one SQLite database, comparable with any other.
 *
 * This folder is the only user of SQLite. A store is opened by one thread at a
 * time; several processes may use one file (WAL; a rollback journal where the
 * file lies on a network file system).
 *
 * Crash rule: a run is marked complete by the last transaction of its writer,
 * so that a process killed at any moment leaves a database that opens, with
 * that run marked incomplete and every other run intact.
 *
 * Ownership: texts in what readers return belong to the reader or list and live
 * until its next call or free, as each function says.
 */
#ifndef AQ_STORE_STORE_H
#define AQ_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/diag.h"
#include "common/export.h"
#include "common/record.h"
#include "common/run_info.h"

AQ_BEGIN_DECLS

typedef struct aq_store aq_store;

typedef enum aq_store_mode {
  AQ_STORE_READ,  /* the file must exist */
  AQ_STORE_CHECK, /* the same, for aq_store_check: it may be damaged */
  AQ_STORE_WRITE, /* made or migrated as needed; its folders only by default */
} aq_store_mode;

/* Opens a store; the caller closes it. path NULL:
 * $XDG_DATA_HOME/aqueduct/runs.db. A file that is not a store of ours, or is of
 * a newer version, is AQ_ERR_INPUT and left alone.
 * ":memory:" is a store of its own that ends with close. */
AQ_API aq_status aq_store_open(const char *path, aq_store_mode mode,
                               aq_store **out, aq_diag *diag);

/* Closes it, after its writers and readers. NULL is allowed. */
AQ_API void aq_store_close(aq_store *store);

/* The path that was opened; and a notice about how it was (network file
 * system: rollback journal) or NULL. Both live as long as the store. */
AQ_API const char *aq_store_path(const aq_store *store);
AQ_API const char *aq_store_notice(const aq_store *store);

/* ---- writing a run ---- */

typedef struct aq_store_writer aq_store_writer;

/* Begins a run: its row is committed at once, as incomplete. id, complete and
 * created of `info` are ignored: the store gives them. A name that is taken is
 * AQ_ERR_EXISTS. */
AQ_API aq_status aq_store_writer_open(aq_store *store, const aq_run_info *info,
                                      aq_store_writer **out, aq_diag *diag);

/* The same, but nothing of the run is in the store before its first batch is
 * full, or it is finished: a short run is one transaction, and one whose writer
 * is killed leaves nothing. `info` has to outlive the writer; finish gives the
 * id to *run. */
AQ_API aq_status aq_store_writer_open_late(aq_store *store,
                                           const aq_run_info *info,
                                           int64_t *run, aq_store_writer **out,
                                           aq_diag *diag);

/* Where to put the run; owned by the writer. Rows are buffered and committed
 * in batches of one transaction each; rows get the numbers 0, 1, 2… in the
 * order they are put. */
AQ_API aq_record_sink *aq_store_writer_sink(aq_store_writer *writer);

enum { AQ_STORE_DURATIONS_SIZE = 192 };

/* For aq_run_info.durations, from the rows so far: `otherwise`, but kernels
 * flagged AQ_FLAG_EXECUTED are counted, "assumed; executed: 2 of 40 kernels";
 * "executed" where all are. Into `text`, `otherwise` itself, or static. */
AQ_API const char *
aq_store_writer_durations(const aq_store_writer *writer, const char *otherwise,
                          char text[AQ_STORE_DURATIONS_SIZE]);

/* How many of its kernel rows so far have AQ_FLAG_PREDICTED; *kernels is the
 * number of all. */
AQ_API uint64_t aq_store_writer_predicted(const aq_store_writer *writer,
                                          uint64_t *kernels);

/* How many have AQ_FLAG_EXECUTED, and not that one. */
AQ_API uint64_t aq_store_writer_executed(const aq_store_writer *writer);

/* Its id; AQ_NONE: it is not in the store yet. */
AQ_API int64_t aq_store_writer_run(const aq_store_writer *writer);

/* Commits everything, stores what became known of the run while it was made
 * (`info` as for open; NULL: nothing changed) and marks it complete. The writer
 * is freed whatever the result. */
AQ_API aq_status aq_store_writer_finish(aq_store_writer *writer,
                                        const aq_run_info *info, aq_diag *diag);

/* The same, but the run stays incomplete: what made it did not finish. */
AQ_API aq_status aq_store_writer_leave(aq_store_writer *writer,
                                       const aq_run_info *info, aq_diag *diag);

/* Removes the run and all its rows, as if it had never begun. Frees. */
AQ_API void aq_store_writer_abort(aq_store_writer *writer);

/* ---- finding runs ---- */

/* Resolves a user's text for RUN: an id, a unique name, or `latest` (the
 * newest complete run). The run's info is valid until aq_run_info_free. */
AQ_API aq_status aq_store_find(aq_store *store, const char *text,
                               aq_run_info **out, aq_diag *diag);

enum { AQ_RUN_ID_TEXT = 24 };

/* The id alone, as a text for a later aq_store_find: unlike `latest` or a name
 * it stays that run, whatever other processes store. */
AQ_API aq_status aq_store_find_id(aq_store *store, const char *text,
                                  char id[AQ_RUN_ID_TEXT], aq_diag *diag);

/* The same by id alone; AQ_ERR_NOT_FOUND. */
AQ_API aq_status aq_store_run(aq_store *store, int64_t id, aq_run_info **out,
                              aq_diag *diag);

/* Frees a run's info and its texts. NULL is allowed. */
AQ_API void aq_run_info_free(aq_run_info *info);

typedef struct aq_run_list {
  aq_run_info **runs; /* oldest first */
  size_t count, capacity;
} aq_run_list;

/* All runs, incomplete ones too; the caller frees them with
 * aq_run_list_fini. */
AQ_API aq_status aq_store_list(aq_store *store, aq_run_list *out,
                               aq_diag *diag);
AQ_API void aq_run_list_fini(aq_run_list *list);

/* Removes a run and its rows. */
AQ_API aq_status aq_store_remove(aq_store *store, int64_t run, aq_diag *diag);

/* ---- reading a run ---- */

typedef enum aq_row_order {
  AQ_ORDER_STORED, /* row number */
  AQ_ORDER_START,  /* device start, then row number; unknown first */
  AQ_ORDER_SUBMIT, /* host begin (else submit, else start), then row number */
  AQ_ORDER_COUNT
} aq_row_order;

enum { AQ_STORE_KEPT_MAX = 100000 }; /* rows */

/* Keeps the rows of a run, as they are now, in memory until aq_store_forget or
 * the store's end, for a caller that reads them many times; of a run of more
 * than AQ_STORE_KEPT_MAX rows it keeps none. Thread rule: as the store's. */
AQ_API aq_status aq_store_keep(aq_store *store, int64_t run, aq_diag *diag);

/* Frees the kept rows, if there are any. */
AQ_API void aq_store_forget(aq_store *store);

typedef struct aq_run_reader aq_run_reader;

/* Opens the rows of one run. Several readers may be open at once; close them
 * before the store. AQ_ERR_NOT_FOUND: there is no such run. */
AQ_API aq_status aq_run_reader_open(aq_store *store, int64_t run,
                                    aq_row_order order, aq_run_reader **out,
                                    aq_diag *diag);
AQ_API void aq_run_reader_close(aq_run_reader *reader);

#define AQ_FIELDS_ALL ((UINT64_C(1) << AQ_RECORD_FIELD_COUNT) - 1)

/* Only some fields from here on, a bit each (1 << AQ_RECORD_FIELD_name); the
 * others read as AQ_NONE. Half of the fields take half of the time. */
AQ_API aq_status aq_run_reader_want(aq_run_reader *reader, uint64_t fields,
                                    aq_diag *diag);

/* Both ends belong to it. */
typedef struct aq_time_span {
  aq_time from, to;
} aq_time_span;

/* Whether one of the spans, disjoint and by time, meets that from `from` to
 * `to`. */
static inline bool aq_time_spans_meet(const aq_time_span *spans, size_t count,
                                      aq_time from, aq_time to)
{
  size_t low = 0, high = count;
  while (low < high) { /* the first that does not end before */
    const size_t middle = low + (high - low) / 2;
    if (spans[middle].to < from)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && spans[low].from <= to;
}

/* A part of a run's rows; arrays are for the length of the call. */
typedef struct aq_row_selection {
  const bool *rows;          /* by row number: in the part */
  const aq_time_span *spans; /* disjoint, by time: samples in them are in it */
  size_t span_count;
  bool renumber; /* rows are 0, 1, 2… of the part, in edges too */
} aq_row_selection;

/* Leaves the rows of a part, the edges between them and samples of its time;
 * steps of traced waves have no rows and stay. Before anything is read, and
 * once. */
AQ_API aq_status aq_run_reader_select(aq_run_reader *reader,
                                      const aq_row_selection *part,
                                      aq_diag *diag);

/* How many rows the reader has, read ones too. */
AQ_API int64_t aq_run_reader_row_count(const aq_run_reader *reader);

/* Fills up to `capacity` rows and their numbers (rows may be NULL: not
 * wanted); *count is 0 at the end. */
AQ_API aq_status aq_run_reader_next(aq_run_reader *reader, aq_record *rows,
                                    int64_t *numbers, size_t capacity,
                                    size_t *count, aq_diag *diag);

/* Names, devices and queues of the run, by id or ordinal; NULL when there is
 * none. Text lives as long as the reader; ids are as in the rows. */
AQ_API const char *aq_run_reader_name(aq_run_reader *reader, int64_t id);
AQ_API const aq_run_device *aq_run_reader_device(aq_run_reader *reader,
                                                 int64_t ordinal);
AQ_API const aq_run_queue *aq_run_reader_queue(aq_run_reader *reader,
                                               int64_t ordinal);
AQ_API size_t aq_run_reader_device_count(aq_run_reader *reader);
AQ_API size_t aq_run_reader_queue_count(aq_run_reader *reader);

/* The run's dependencies, by the row that waits; they live as long as the
 * reader. */
AQ_API aq_status aq_run_reader_edges(aq_run_reader *reader,
                                     const aq_edge **edges, size_t *count,
                                     aq_diag *diag);

/* The run's samples, by counter, ordinal and time; they live as long as the
 * reader. */
AQ_API aq_status aq_run_reader_samples(aq_run_reader *reader,
                                       const aq_sample **samples, size_t *count,
                                       aq_diag *diag);

/* The earliest time of the run's rows and samples, a part's or not; 0 where
 * none is known. Reads all rows. */
AQ_API aq_status aq_run_reader_earliest(aq_run_reader *reader, aq_time *out,
                                        aq_diag *diag);

/* The operators and annotations of the run's program, by number; of a part, of
 * its time. They live as long as the reader. */
AQ_API aq_status aq_run_reader_ops(aq_run_reader *reader,
                                   const aq_host_op **ops, size_t *count,
                                   aq_diag *diag);

/* The steps of the run's traced waves, by dispatch; they live as long as the
 * reader. */
AQ_API aq_status aq_run_reader_traced(aq_run_reader *reader,
                                      const aq_traced **steps, size_t *count,
                                      aq_diag *diag);

/* ---- requests, preemptions, instructions ---- */

typedef struct aq_request_list {
  aq_request *requests; /* by arrival */
  size_t count;
} aq_request_list;

/* The clients' requests of a run; empty where none were kept. The caller frees
 * *out with aq_request_list_fini. */
AQ_API aq_status aq_store_requests(aq_store *store, int64_t run,
                                   aq_request_list *out, aq_diag *diag);
AQ_API void aq_request_list_fini(aq_request_list *list);

typedef struct aq_preempted_list {
  aq_preempted *preemptions; /* by the time they were asked for */
  size_t count;
} aq_preempted_list;

/* The preemptions of a run; empty where none were kept. The caller frees
 * *out with aq_preempted_list_fini. */
AQ_API aq_status aq_store_preemptions(aq_store *store, int64_t run,
                                      aq_preempted_list *out, aq_diag *diag);
AQ_API void aq_preempted_list_fini(aq_preempted_list *list);

typedef struct aq_instruction_list {
  aq_instruction *instructions; /* by kernel, processor, code and offset */
  size_t count;
} aq_instruction_list;

/* The counts of instructions of a run; empty where none were kept. The caller
 * frees *out with aq_instruction_list_fini. */
AQ_API aq_status aq_store_instructions(aq_store *store, int64_t run,
                                       aq_instruction_list *out, aq_diag *diag);
AQ_API void aq_instruction_list_fini(aq_instruction_list *list);

typedef struct aq_counted_list {
  aq_counted *rows; /* in the order of their first dispatches */
  size_t count;
} aq_counted_list;

/* The work of a run's executed dispatches; empty where none was counted. The
 * caller frees *out with aq_counted_list_fini. */
AQ_API aq_status aq_store_counted(aq_store *store, int64_t run,
                                  aq_counted_list *out, aq_diag *diag);
AQ_API void aq_counted_list_fini(aq_counted_list *list);

typedef struct aq_traced_list {
  aq_traced *rows; /* by traced wave, each in its order */
  size_t count;
} aq_traced_list;

/* The steps of a run's traced waves; empty where none were traced. The caller
 * frees *out with aq_traced_list_fini. */
AQ_API aq_status aq_store_traced(aq_store *store, int64_t run,
                                 aq_traced_list *out, aq_diag *diag);
AQ_API void aq_traced_list_fini(aq_traced_list *list);

typedef struct aq_host_op_list {
  aq_host_op *rows; /* by number */
  size_t count;
} aq_host_op_list;

typedef struct aq_frame_list {
  aq_frame *rows; /* by number */
  size_t count;
} aq_frame_list;

typedef struct aq_launched_list {
  aq_launched *rows; /* one a row of the device at most */
  size_t count;
} aq_launched_list;

/* The program around the launches of a run: its operators, its call stacks, and
 * the launched rows; empty where the source has none. The caller frees each
 * with its fini. */
AQ_API aq_status aq_store_ops(aq_store *store, int64_t run,
                              aq_host_op_list *out, aq_diag *diag);
AQ_API void aq_host_op_list_fini(aq_host_op_list *list);
AQ_API aq_status aq_store_frames(aq_store *store, int64_t run,
                                 aq_frame_list *out, aq_diag *diag);
AQ_API void aq_frame_list_fini(aq_frame_list *list);
AQ_API aq_status aq_store_launched(aq_store *store, int64_t run,
                                   aq_launched_list *out, aq_diag *diag);
AQ_API void aq_launched_list_fini(aq_launched_list *list);

typedef struct aq_memory_block_list {
  aq_memory_block *rows; /* by their first recorded time */
  size_t count;
} aq_memory_block_list;

/* The allocations of memory in a run; empty where none were recorded. The
 * caller frees *out with aq_memory_block_list_fini. */
AQ_API aq_status aq_store_memory_blocks(aq_store *store, int64_t run,
                                        aq_memory_block_list *out,
                                        aq_diag *diag);
AQ_API void aq_memory_block_list_fini(aq_memory_block_list *list);

enum { AQ_BESIDE_COUNT = 10 };

typedef struct aq_beside {
  const char *what; /* one of it, static storage */
  int64_t count;
} aq_beside;

/* Counts the facts of a run beside its rows by kind: "call frame", 1364. */
AQ_API aq_status aq_store_beside(aq_store *store, int64_t run,
                                 aq_beside out[AQ_BESIDE_COUNT], aq_diag *diag);

typedef struct aq_finding_list {
  aq_finding *findings; /* by site */
  size_t count;
} aq_finding_list;

/* The findings of a run's checker; empty where none were kept. The caller
 * frees *out with aq_finding_list_fini. */
AQ_API aq_status aq_store_findings(aq_store *store, int64_t run,
                                   aq_finding_list *out, aq_diag *diag);
AQ_API void aq_finding_list_fini(aq_finding_list *list);

/* Reports the content key of each complete or failed run that has one, oldest
 * first; of a failed one with the reason, else NULL. */
AQ_API aq_status aq_store_keys(aq_store *store,
                               void (*tell)(const char *key, int64_t run,
                                            const char *failed, void *user),
                               void *user, aq_diag *diag);

/* A place in a plan of the point with a key, besides that of its run: a later
 * sweep, maybe of another plan, found the run. */
typedef struct aq_store_place {
  const char *content_key;
  const char *plan;
  const char *point; /* as of aq_run_info.point */
  int64_t swept_us;  /* since 1970, UTC */
} aq_store_place;

/* Stores places, each instead of an earlier one of its key and plan; all or
 * none. */
AQ_API aq_status aq_store_places_put(aq_store *store,
                                     const aq_store_place *places, size_t count,
                                     aq_diag *diag);

/* Calls `each` for every place; its texts live until that returns. */
AQ_API aq_status aq_store_places(aq_store *store,
                                 void (*each)(const aq_store_place *place,
                                              void *user),
                                 void *user, aq_diag *diag);

AQ_END_DECLS

#endif
