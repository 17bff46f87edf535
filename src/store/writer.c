/* SPDX-License-Identifier: MIT */
/*
 * The writer of a run: rows and facts go into the store batch by batch.
 *
 * States of the writer, and of its run in the store:
 *
 *   state     the store has                left by
 *   late      nothing                      the first batch, in its transaction
 *   held      nothing; all is in memory    finish or abort, at any time
 *   open      the run, incomplete, and     a batch of 16384 rows, of as many
 *             whole batches                facts, or of 65536 samples: open
 *   failed    the same as before           finish, leave or abort alone
 *   finished  all, complete                (freed)
 *   left      all, incomplete              (freed)
 *   aborted   nothing; or, if that fails   (freed)
 *             too, as before: incomplete
 *
 * A batch is one transaction (store_batch): the run's row, if the writer is
 * late, or facts that became known of it; row_count and complete; devices,
 * queues, names, edges and samples that are new; the rows; the facts; COMMIT.
 * The counters of stored things advance only behind the COMMIT (write_batch),
 * so a batch that failed has changed neither the store nor the counters.
 * Rows are numbered by the order in which they are put, facts of each table by
 * `stored` and the place in the buffer; so no number comes from the store.
 *
 * Failure. The first error of a batch, or of taking back ends, stays in
 * `failure`; every put looks there first and returns it. The buffers stay as
 * they were, perhaps full. Devices, queues and names still get ids, since
 * those are memory alone.
 *
 * A run that is removed meanwhile: the update of its row changes none then
 * (one_changed), in the transaction that would have written rows, and that is
 * rolled back. The store never gives an id twice (AUTOINCREMENT), so the row
 * cannot be another run's.
 *
 * Queues, names and edges of the whole run stay in memory, since ids need them;
 * samples go with each batch. `bound` holds the present parameters of `insert`:
 * only columns that differ from the row before are bound.
 *
 * A crash, at any moment, leaves the state of the last COMMIT: the run is
 * incomplete and whole batches are there, of a late one perhaps nothing.
 *
 * Threads: one, that of the store. Others read and write the file meanwhile, in
 * this process or another: readers see whole batches (WAL), writers wait for
 * the transaction.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/maintenance.h"
#include "store/runs.h"
#include "store/schema.h"
#include "store/writer_priv.h"

static aq_store_writer *from_sink(aq_record_sink *sink)
{
  return (aq_store_writer *)sink;
}

/* ---- one batch ---- */

static aq_status prepare_insert(aq_store_writer *writer, aq_diag *diag)
{
  sqlite3_str *sql = sqlite3_str_new(writer->store->db);
  sqlite3_str_appendall(sql, "INSERT INTO records (id, ");
  aq_schema_add_columns(sql, "");
  sqlite3_str_appendall(sql, ") VALUES (?");
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT; i++)
    sqlite3_str_appendall(sql, ", ?");
  sqlite3_str_appendall(sql, ")");
  /* Parameters start as NULL. */
  aq_record_init(&writer->bound);
  return aq_store_prepare(writer->store, sql, &writer->insert, diag);
}

/* Parameters keep their values from row to row: binds only the different ones.
 */
static void bind_row(aq_store_writer *writer, const aq_record *row)
{
  const int64_t *values = aq_record_values(row);
  int64_t *bound = (int64_t *)&writer->bound;
  for (int i = 0; i < AQ_RECORD_FIELD_COUNT; i++) {
    if (values[i] == bound[i])
      continue;
    bound[i] = values[i];
    if (values[i] == AQ_NONE)
      sqlite3_bind_null(writer->insert, i + 2);
    else
      sqlite3_bind_int64(writer->insert, i + 2, values[i]);
  }
}

static aq_status store_rows(aq_store_writer *writer, const aq_record *rows,
                            size_t count, aq_diag *diag)
{
  const int64_t first = aq_store_row_key(writer->run, writer->stored_rows);
  if (count > 0 && !writer->insert) {
    const aq_status status = prepare_insert(writer, diag);
    if (status)
      return status;
  }
  for (size_t i = 0; i < count; i++) {
    sqlite3_bind_int64(writer->insert, 1, first + (int64_t)i);
    bind_row(writer, &rows[i]);
    sqlite3_step(writer->insert);
    if (sqlite3_reset(writer->insert) != SQLITE_OK)
      return aq_store_error(writer->store, diag, "rows cannot be written");
  }
  return AQ_OK;
}

/* A statement has just changed one row of the run, if the run is still there:
 * another process may remove it. */
static aq_status one_changed(const aq_store_writer *writer, aq_diag *diag)
{
  return sqlite3_changes(writer->store->db) == 1
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                           "%s: run %lld was removed while it was written",
                           writer->store->path, (long long)writer->run);
}

static aq_status store_count(aq_store_writer *writer, size_t added,
                             bool complete, aq_diag *diag)
{
  sqlite3_stmt *statement;
  aq_status status = aq_writer_prepare_once(
      writer->store,
      "UPDATE runs SET row_count = ?2, complete = ?3 WHERE id = ?1", &statement,
      diag);
  if (status)
    return status;
  sqlite3_bind_int64(statement, 1, writer->run);
  sqlite3_bind_int64(statement, 2, writer->stored_rows + (int64_t)added);
  sqlite3_bind_int(statement, 3, complete);
  status = aq_writer_run_once(writer->store, statement, diag);
  return status ? status : one_changed(writer, diag);
}

/* Within a transaction. A run that begins late gets its row here, with all that
 * is known by now. */
static aq_status store_run(aq_store_writer *writer, const aq_run_info *info,
                           aq_diag *diag)
{
  if (!writer->late)
    return info ? aq_runs_update(writer->store, writer->run, info, diag)
                : AQ_OK;
  aq_status status = aq_runs_insert(writer->store, info ? info : writer->late,
                                    &writer->run, diag);
  return !status && info
             ? aq_runs_update(writer->store, writer->run, info, diag)
             : status;
}

static aq_status store_batch(aq_store_writer *writer, const aq_record *rows,
                             size_t count, bool complete,
                             const aq_run_info *info, aq_diag *diag)
{
  if ((int64_t)count > AQ_STORE_ROWS_MAX - writer->stored_rows)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s: run %lld has more than 2^32 rows",
                       writer->store->path, (long long)writer->run);
  aq_status status = aq_store_begin(writer->store, diag);
  if (!status)
    status = store_run(writer, info, diag);
  if (!status)
    status = store_count(writer, count, complete, diag);
  if (!status)
    status = aq_writer_store_known(writer, diag);
  if (!status)
    status = store_rows(writer, rows, count, diag);
  for (int i = 0; !status && i < AQ_FACT_COUNT; i++)
    status = aq_facts_insert(writer->store, (aq_fact)i, writer->run,
                             writer->facts[i].stored, writer->facts[i].rows,
                             writer->facts[i].buffered, diag);
  if (!status)
    status = aq_store_commit(writer->store, diag);
  if (status) {
    aq_store_rollback(writer->store);
    if (writer->late)
      writer->run = AQ_NONE;
    return status;
  }
  writer->late = NULL;
  return AQ_OK;
}

aq_status aq_store_writer_hold(aq_store_writer *writer, const aq_run_info *info,
                               bool *held, aq_diag *diag)
{
  *held = writer->late && !writer->failure.status;
  if (!*held)
    return AQ_OK;
  writer->held = aq_runs_copy(info);
  if (!writer->held)
    return aq_diag_no_memory(diag);
  writer->late = writer->held;
  writer->run_out = NULL;
  return AQ_OK;
}

/* Nothing of it is prepared in the other connection. */
void aq_store_writer_move(aq_store_writer *writer, aq_store *store)
{
  writer->store = store;
}

/* After a batch that could not be stored its buffers stay full: nothing more
 * goes in. */
static aq_status writer_check(const aq_store_writer *writer, aq_diag *diag)
{
  const aq_diag *failure = &writer->failure;
  return failure->status
             ? aq_diag_set(diag, failure->status, "%s", failure->text)
             : AQ_OK;
}

static aq_status write_batch(aq_store_writer *writer, const aq_record *rows,
                             size_t count, bool complete,
                             const aq_run_info *info, aq_diag *diag)
{
  aq_status status = writer_check(writer, diag);
  if (status)
    return status;
  status = store_batch(writer, rows, count, complete, info, &writer->failure);
  if (status)
    return aq_diag_set(diag, status, "%s", writer->failure.text);
  writer->stored_rows += (int64_t)count;
  for (int i = 0; i < AQ_FACT_COUNT; i++) {
    writer->facts[i].stored += (int64_t)writer->facts[i].buffered;
    writer->facts[i].buffered = 0;
  }
  writer->stored_queues = writer->known.queue_count;
  writer->stored_names = writer->known.names.count;
  writer->stored_edges = writer->known.edge_count;
  writer->known.sample_count = 0;
  return AQ_OK;
}

/* ---- the sink ---- */

static aq_status sink_device(aq_record_sink *sink, const aq_run_device *device,
                             int64_t *ordinal, aq_diag *diag)
{
  aq_record_sink *known = &from_sink(sink)->known.sink;
  return known->device(known, device, ordinal, diag);
}

static aq_status sink_queue(aq_record_sink *sink, const aq_run_queue *queue,
                            int64_t *ordinal, aq_diag *diag)
{
  aq_record_sink *known = &from_sink(sink)->known.sink;
  return known->queue(known, queue, ordinal, diag);
}

static aq_status sink_name(aq_record_sink *sink, const char *text,
                           size_t length, int64_t *id, aq_diag *diag)
{
  aq_record_sink *known = &from_sink(sink)->known.sink;
  return known->name(known, text, length, id, diag);
}

static void kernels_count(aq_store_writer *writer, const aq_record *rows,
                          size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (rows[i].kind == AQ_KIND_KERNEL) {
      writer->kernels++;
      const bool predicted = aq_record_is(&rows[i], AQ_FLAG_PREDICTED);
      writer->predicted += predicted;
      writer->executed +=
          !predicted && aq_record_is(&rows[i], AQ_FLAG_EXECUTED);
    }
}

static aq_status sink_put(aq_record_sink *sink, const aq_record *rows,
                          size_t count, aq_diag *diag)
{
  aq_store_writer *writer = from_sink(sink);
  aq_status status = writer_check(writer, diag);
  if (status)
    return status;
  kernels_count(writer, rows, count);
  while (count > 0) {
    size_t taken = BATCH_ROWS - writer->buffered;
    if (taken > count)
      taken = count;
    memcpy(writer->buffer + writer->buffered, rows, taken * sizeof *rows);
    writer->buffered += taken;
    rows += taken;
    count -= taken;
    if (writer->buffered < BATCH_ROWS)
      break;
    status = write_batch(writer, writer->buffer, writer->buffered, false, NULL,
                         diag);
    if (status)
      return status;
    writer->buffered = 0;
  }
  return AQ_OK;
}

static aq_status sink_put_edges(aq_record_sink *sink, const aq_edge *edges,
                                size_t count, aq_diag *diag)
{
  aq_store_writer *writer = from_sink(sink);
  aq_record_sink *known = &writer->known.sink;
  aq_status status = writer_check(writer, diag);
  return status ? status : known->put_edges(known, edges, count, diag);
}

static aq_status contradict_stored(aq_store_writer *writer, int64_t row,
                                   aq_diag *diag)
{
  sqlite3_stmt *statement;
  aq_status status = aq_writer_prepare_once(
      writer->store,
      "UPDATE records SET end_ps = NULL, flags = coalesce(flags, 0) | ?2 "
      "WHERE id = ?1",
      &statement, diag);
  if (status)
    return status;
  sqlite3_bind_int64(statement, 1, aq_store_row_key(writer->run, row));
  sqlite3_bind_int64(statement, 2, AQ_FLAG_CONTRADICTED);
  status = aq_writer_run_once(writer->store, statement, diag);
  return status ? status : one_changed(writer, diag);
}

static aq_status contradict_all(aq_store_writer *writer, const int64_t *rows,
                                size_t count, aq_diag *diag)
{
  aq_status status = aq_store_begin(writer->store, diag);
  if (status)
    return status;
  for (size_t i = 0; i < count && !status; i++)
    if (rows[i] < writer->stored_rows) {
      status = contradict_stored(writer, rows[i], diag);
    } else {
      aq_record *row = &writer->buffer[rows[i] - writer->stored_rows];
      row->end = AQ_NONE;
      aq_record_flag(row, AQ_FLAG_CONTRADICTED);
    }
  if (!status)
    status = aq_store_commit(writer->store, diag);
  if (status)
    aq_store_rollback(writer->store);
  return status;
}

/* If it fails, stored ends stay that the rows do not have. */
static aq_status sink_contradict(aq_record_sink *sink, const int64_t *rows,
                                 size_t count, aq_diag *diag)
{
  aq_store_writer *writer = from_sink(sink);
  if (!writer->failure.status)
    contradict_all(writer, rows, count, &writer->failure);
  return writer_check(writer, diag);
}

static aq_status facts_put(aq_store_writer *writer, aq_fact fact,
                           const int64_t *rows, size_t count, aq_diag *diag)
{
  const size_t width = aq_fact_tables[fact].count;
  int64_t **buffer = &writer->facts[fact].rows;
  size_t *buffered = &writer->facts[fact].buffered;
  aq_status status = writer_check(writer, diag);
  if (status)
    return status;
  if (!*buffer)
    *buffer = malloc(BATCH_ROWS * width * sizeof **buffer);
  if (!*buffer)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < count; i++) {
    memcpy(*buffer + (*buffered)++ * width, rows + i * width,
           width * sizeof *rows);
    if (*buffered < BATCH_ROWS)
      continue;
    status = write_batch(writer, writer->buffer, writer->buffered, false, NULL,
                         diag);
    if (status)
      return status;
    writer->buffered = 0;
  }
  return AQ_OK;
}

static aq_status sink_put_requests(aq_record_sink *sink,
                                   const aq_request *requests, size_t count,
                                   aq_diag *diag)
{
  return facts_put(from_sink(sink), AQ_FACT_REQUEST, (const int64_t *)requests,
                   count, diag);
}

static aq_status sink_put_preempted(aq_record_sink *sink,
                                    const aq_preempted *rows, size_t count,
                                    aq_diag *diag)
{
  return facts_put(from_sink(sink), AQ_FACT_PREEMPTED, (const int64_t *)rows,
                   count, diag);
}

static aq_status sink_put_instructions(aq_record_sink *sink,
                                       const aq_instruction *rows, size_t count,
                                       aq_diag *diag)
{
  return facts_put(from_sink(sink), AQ_FACT_INSTRUCTION, (const int64_t *)rows,
                   count, diag);
}

static aq_status sink_put_counted(aq_record_sink *sink, const aq_counted *rows,
                                  size_t count, aq_diag *diag)
{
  return facts_put(from_sink(sink), AQ_FACT_COUNTED, (const int64_t *)rows,
                   count, diag);
}

static aq_status sink_put_traced(aq_record_sink *sink, const aq_traced *rows,
                                 size_t count, aq_diag *diag)
{
  return facts_put(from_sink(sink), AQ_FACT_TRACED, (const int64_t *)rows,
                   count, diag);
}

static aq_status sink_put_ops(aq_record_sink *sink, const aq_host_op *rows,
                              size_t count, aq_diag *diag)
{
  return facts_put(from_sink(sink), AQ_FACT_OP, (const int64_t *)rows, count,
                   diag);
}

static aq_status sink_put_frames(aq_record_sink *sink, const aq_frame *rows,
                                 size_t count, aq_diag *diag)
{
  return facts_put(from_sink(sink), AQ_FACT_FRAME, (const int64_t *)rows, count,
                   diag);
}

static aq_status sink_put_launched(aq_record_sink *sink,
                                   const aq_launched *rows, size_t count,
                                   aq_diag *diag)
{
  return facts_put(from_sink(sink), AQ_FACT_LAUNCHED, (const int64_t *)rows,
                   count, diag);
}

static aq_status sink_put_memory_blocks(aq_record_sink *sink,
                                        const aq_memory_block *rows,
                                        size_t count, aq_diag *diag)
{
  return facts_put(from_sink(sink), AQ_FACT_MEMORY_BLOCK, (const int64_t *)rows,
                   count, diag);
}

static aq_status sink_put_findings(aq_record_sink *sink, const aq_finding *rows,
                                   size_t count, aq_diag *diag)
{
  return facts_put(from_sink(sink), AQ_FACT_FINDING, (const int64_t *)rows,
                   count, diag);
}

static aq_status sink_put_counters(aq_record_sink *sink,
                                   const aq_sample *samples, size_t count,
                                   aq_diag *diag)
{
  aq_store_writer *writer = from_sink(sink);
  aq_record_sink *known = &writer->known.sink;
  aq_status status = writer_check(writer, diag);
  if (!status)
    status = known->put_counters(known, samples, count, diag);
  if (status || writer->known.sample_count < BATCH_SAMPLES)
    return status;
  status =
      write_batch(writer, writer->buffer, writer->buffered, false, NULL, diag);
  if (!status)
    writer->buffered = 0;
  return status;
}

/* ---- the writer ---- */

static void writer_free(aq_store_writer *writer)
{
  aq_store_return(writer->store, writer->insert);
  aq_memory_sink_fini(&writer->known);
  free(writer->buffer);
  free(writer->held);
  for (int i = 0; i < AQ_FACT_COUNT; i++)
    free(writer->facts[i].rows);
  free(writer);
}

/* Without a run. */
static aq_status writer_create(aq_store *store, aq_store_writer **out,
                               aq_diag *diag)
{
  aq_store_writer *writer = calloc(1, sizeof *writer);
  if (!writer)
    return aq_diag_no_memory(diag);
  writer->sink = (aq_record_sink){.device = sink_device,
                                  .queue = sink_queue,
                                  .name = sink_name,
                                  .put = sink_put,
                                  .put_edges = sink_put_edges,
                                  .contradict = sink_contradict,
                                  .put_requests = sink_put_requests,
                                  .put_preempted = sink_put_preempted,
                                  .put_instructions = sink_put_instructions,
                                  .put_findings = sink_put_findings,
                                  .put_counted = sink_put_counted,
                                  .put_traced = sink_put_traced,
                                  .put_ops = sink_put_ops,
                                  .put_frames = sink_put_frames,
                                  .put_launched = sink_put_launched,
                                  .put_memory_blocks = sink_put_memory_blocks,
                                  .put_counters = sink_put_counters};
  writer->store = store;
  writer->run = AQ_NONE;
  aq_memory_sink_init(&writer->known);
  writer->buffer = malloc(BATCH_ROWS * sizeof *writer->buffer);
  if (!writer->buffer) {
    writer_free(writer);
    return aq_diag_no_memory(diag);
  }
  *out = writer;
  return AQ_OK;
}

aq_status aq_store_writer_open(aq_store *store, const aq_run_info *info,
                               aq_store_writer **out, aq_diag *diag)
{
  aq_store_writer *writer;
  aq_status status = writer_create(store, &writer, diag);
  if (status)
    return status;
  status = aq_runs_insert(store, info, &writer->run, diag);
  if (status)
    writer_free(writer);
  else
    *out = writer;
  return status;
}

aq_status aq_store_writer_open_late(aq_store *store, const aq_run_info *info,
                                    int64_t *run, aq_store_writer **out,
                                    aq_diag *diag)
{
  aq_store_writer *writer;
  aq_status status = writer_create(store, &writer, diag);
  if (status)
    return status;
  writer->late = info;
  writer->run_out = run;
  *out = writer;
  return AQ_OK;
}

aq_record_sink *aq_store_writer_sink(aq_store_writer *writer)
{
  return &writer->sink;
}

const char *aq_store_writer_durations(const aq_store_writer *writer,
                                      const char *otherwise,
                                      char text[AQ_STORE_DURATIONS_SIZE])
{
  const aq_store_writer *w = writer;
  if (w->executed == 0)
    return otherwise;
  if (w->executed == w->kernels)
    return "executed";
  snprintf(text, AQ_STORE_DURATIONS_SIZE,
           "%.120s; executed: %llu of %llu kernels",
           otherwise ? otherwise : "unknown", (unsigned long long)w->executed,
           (unsigned long long)w->kernels);
  return text;
}

uint64_t aq_store_writer_predicted(const aq_store_writer *writer,
                                   uint64_t *kernels)
{
  *kernels = writer->kernels;
  return writer->predicted;
}

uint64_t aq_store_writer_executed(const aq_store_writer *writer)
{
  return writer->executed;
}

int64_t aq_store_writer_run(const aq_store_writer *writer)
{
  return writer->run;
}

aq_status aq_store_writer_finish(aq_store_writer *writer,
                                 const aq_run_info *info, aq_diag *diag)
{
  aq_status status =
      write_batch(writer, writer->buffer, writer->buffered, true, info, diag);
  if (!status && writer->run_out)
    *writer->run_out = writer->run;
  writer_free(writer);
  return status;
}

aq_status aq_store_writer_leave(aq_store_writer *writer,
                                const aq_run_info *info, aq_diag *diag)
{
  aq_status status =
      write_batch(writer, writer->buffer, writer->buffered, false, info, diag);
  writer_free(writer);
  return status;
}

void aq_store_writer_abort(aq_store_writer *writer)
{
  /* Should even this fail, the run stays behind as incomplete. */
  if (writer->run != AQ_NONE)
    aq_store_remove(writer->store, writer->run, NULL);
  writer_free(writer);
}
