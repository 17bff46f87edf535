/* SPDX-License-Identifier: MIT */
/* The tables of a run besides rows: devices, queues, names, edges, samples. */
#include "config.h"

#include "store/writer_priv.h"

aq_status aq_writer_run_once(aq_store *store, sqlite3_stmt *statement,
                             aq_diag *diag)
{
  sqlite3_step(statement);
  if (aq_store_return(store, statement) != SQLITE_OK)
    return aq_store_error(store, diag, "the run cannot be written");
  return AQ_OK;
}

aq_status aq_writer_prepare_once(aq_store *store, const char *sql,
                                 sqlite3_stmt **out, aq_diag *diag)
{
  if (aq_store_prepare_text(store, sql, out) != SQLITE_OK)
    return aq_store_error(store, diag, "the run cannot be written");
  return AQ_OK;
}

static void bind_known(sqlite3_stmt *statement, int at, int64_t value)
{
  if (value != AQ_NONE)
    sqlite3_bind_int64(statement, at, value);
}

/* Devices are few and may have become better known: all are written again. */
static aq_status store_device(aq_store_writer *writer, size_t i, aq_diag *diag)
{
  const aq_run_device *device = &writer->known.devices[i];
  sqlite3_stmt *statement;
  aq_status status =
      aq_writer_prepare_once(writer->store,
                             "INSERT OR REPLACE INTO devices "
                             "(run, ordinal, source_id, name, gfx, cus) "
                             "VALUES (?, ?, ?, ?, ?, ?)",
                             &statement, diag);
  if (status)
    return status;
  sqlite3_bind_int64(statement, 1, writer->run);
  sqlite3_bind_int64(statement, 2, (int64_t)i);
  bind_known(statement, 3, device->source_id);
  sqlite3_bind_text(statement, 4, device->name, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 5, device->gfx, -1, SQLITE_STATIC);
  bind_known(statement, 6, device->cus);
  return aq_writer_run_once(writer->store, statement, diag);
}

static aq_status store_queue(aq_store_writer *writer, size_t i, aq_diag *diag)
{
  const aq_run_queue *queue = &writer->known.queues[i];
  sqlite3_stmt *statement;
  aq_status status = aq_writer_prepare_once(
      writer->store,
      "INSERT INTO queues (run, ordinal, device, source_id) "
      "VALUES (?, ?, ?, ?)",
      &statement, diag);
  if (status)
    return status;
  sqlite3_bind_int64(statement, 1, writer->run);
  sqlite3_bind_int64(statement, 2, (int64_t)i);
  bind_known(statement, 3, queue->device);
  bind_known(statement, 4, queue->source_id);
  return aq_writer_run_once(writer->store, statement, diag);
}

static aq_status store_name(aq_store_writer *writer, size_t i, aq_diag *diag)
{
  const aq_names *names = &writer->known.names;
  sqlite3_stmt *statement;
  aq_status status = aq_writer_prepare_once(
      writer->store, "INSERT INTO names (run, id, text) VALUES (?, ?, ?)",
      &statement, diag);
  if (status)
    return status;
  sqlite3_bind_int64(statement, 1, writer->run);
  sqlite3_bind_int64(statement, 2, (int64_t)i);
  sqlite3_bind_text64(statement, 3, aq_names_text(names, (int64_t)i),
                      aq_names_length(names, (int64_t)i), SQLITE_STATIC,
                      SQLITE_UTF8);
  return aq_writer_run_once(writer->store, statement, diag);
}

static aq_status store_edges(aq_store_writer *writer, aq_diag *diag)
{
  const aq_memory_sink *known = &writer->known;
  sqlite3_stmt *insert;
  if (writer->stored_edges == known->edge_count)
    return AQ_OK;
  aq_status status =
      aq_writer_prepare_once(writer->store,
                             "INSERT OR REPLACE INTO edges "
                             "(run, from_row, to_row, kind, confidence) "
                             "VALUES (?, ?, ?, ?, ?)",
                             &insert, diag);
  for (size_t i = writer->stored_edges; !status && i < known->edge_count; i++) {
    const aq_edge *edge = &known->edges[i];
    sqlite3_bind_int64(insert, 1, writer->run);
    sqlite3_bind_int64(insert, 2, edge->from);
    sqlite3_bind_int64(insert, 3, edge->to);
    sqlite3_bind_text(insert, 4, aq_edge_kind_name(edge->kind), -1,
                      SQLITE_STATIC);
    sqlite3_bind_int64(insert, 5, edge->confidence);
    sqlite3_step(insert);
    if (sqlite3_reset(insert) != SQLITE_OK)
      status = aq_store_error(writer->store, diag, "edges cannot be written");
  }
  aq_store_return(writer->store, insert);
  return status;
}

/* The memory of samples is used again by the next batch. */
static aq_status store_samples(aq_store_writer *writer, aq_diag *diag)
{
  const aq_memory_sink *known = &writer->known;
  sqlite3_stmt *insert;
  if (known->sample_count == 0)
    return AQ_OK;
  aq_status status =
      aq_writer_prepare_once(writer->store,
                             "INSERT OR REPLACE INTO counters "
                             "(run, counter, ordinal, time_ps, value) "
                             "VALUES (?, ?, ?, ?, ?)",
                             &insert, diag);
  if (status)
    return status;
  sqlite3_bind_int64(insert, 1, writer->run);
  for (size_t i = 0; !status && i < known->sample_count; i++) {
    const aq_sample *sample = &known->samples[i];
    sqlite3_bind_int64(insert, 2, sample->counter);
    sqlite3_bind_int64(insert, 3, sample->ordinal);
    sqlite3_bind_int64(insert, 4, sample->time);
    sqlite3_bind_int64(insert, 5, sample->value);
    sqlite3_step(insert);
    if (sqlite3_reset(insert) != SQLITE_OK)
      status = aq_store_error(writer->store, diag, "samples cannot be written");
  }
  aq_store_return(writer->store, insert);
  return status;
}

aq_status aq_writer_store_known(aq_store_writer *writer, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (size_t i = 0; !status && i < writer->known.device_count; i++)
    status = store_device(writer, i, diag);
  for (size_t i = writer->stored_queues;
       !status && i < writer->known.queue_count; i++)
    status = store_queue(writer, i, diag);
  for (size_t i = writer->stored_names;
       !status && i < writer->known.names.count; i++)
    status = store_name(writer, i, diag);
  if (!status)
    status = store_edges(writer, diag);
  return status ? status : store_samples(writer, diag);
}
