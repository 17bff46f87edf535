/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory_sink.h"
#include "store/schema.h"
#include "store/store_priv.h"

struct aq_run_reader {
  aq_store *store;
  int64_t run;
  int64_t rows;         /* when the reader was opened */
  int64_t next;         /* rows handed out */
  aq_row_place *places; /* NULL: row numbers are in order */
  int64_t *numbers; /* of a part: by row, as it is handed out; -1: left out */
  int64_t all;      /* rows of `numbers` */
  aq_time_span *spans; /* of a part: of samples */
  size_t span_count;
  sqlite3_stmt *select;                  /* rows with keys from ?1 to ?2 */
  uint8_t fields[AQ_RECORD_FIELD_COUNT]; /* that it reads */
  size_t field_count;
  aq_memory_sink known; /* devices, queues and names; edges and samples once
                           asked for */
  bool has_edges, has_samples;
  aq_traced_list traced; /* once asked for */
  aq_host_op_list ops;   /* likewise */
};

_Static_assert(AQ_RECORD_FIELD_COUNT < 64, "a bit for each field");

/* ---- devices, queues and names ---- */

/* Hands a result row to the sink and returns the ordinal or id it gives. */
typedef aq_status take_fn(aq_record_sink *sink, sqlite3_stmt *row,
                          int64_t *ordinal, aq_diag *diag);

static int64_t integer_or_none(sqlite3_stmt *row, int at)
{
  int64_t value = sqlite3_column_int64(row, at);
  /* NULL reads as 0. */
  if (value == 0 && sqlite3_column_type(row, at) == SQLITE_NULL)
    return AQ_NONE;
  return value;
}

static aq_status take_device(aq_record_sink *sink, sqlite3_stmt *row,
                             int64_t *ordinal, aq_diag *diag)
{
  const aq_run_device device = {
      .source_id = integer_or_none(row, 1),
      .name = (const char *)sqlite3_column_text(row, 2),
      .gfx = (const char *)sqlite3_column_text(row, 3),
      .cus = integer_or_none(row, 4),
  };
  return sink->device(sink, &device, ordinal, diag);
}

static aq_status take_queue(aq_record_sink *sink, sqlite3_stmt *row,
                            int64_t *ordinal, aq_diag *diag)
{
  const aq_run_queue queue = {.device = integer_or_none(row, 1),
                              .source_id = integer_or_none(row, 2)};
  return sink->queue(sink, &queue, ordinal, diag);
}

static aq_status take_name(aq_record_sink *sink, sqlite3_stmt *row, int64_t *id,
                           aq_diag *diag)
{
  const char *text = (const char *)sqlite3_column_text(row, 1);
  return sink->name(sink, text ? text : "",
                    (size_t)sqlite3_column_bytes(row, 1), id, diag);
}

static aq_status take_all(aq_run_reader *reader, const char *sql, take_fn *take,
                          aq_diag *diag)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(reader->store->db, sql, -1, &statement, NULL) !=
      SQLITE_OK)
    return aq_store_error(reader->store, diag, "the run cannot be read");
  sqlite3_bind_int64(statement, 1, reader->run);
  aq_status status = AQ_OK;
  while (!status && sqlite3_step(statement) == SQLITE_ROW) {
    int64_t ordinal = AQ_NONE;
    status = take(&reader->known.sink, statement, &ordinal, diag);
    if (!status && ordinal != sqlite3_column_int64(statement, 0))
      status = aq_diag_set(diag, AQ_ERR_INPUT,
                           "%s: damaged: the devices, queues or names of run "
                           "%lld are not numbered 0, 1, 2…",
                           reader->store->path, (long long)reader->run);
  }
  if (sqlite3_finalize(statement) != SQLITE_OK && !status)
    status = aq_store_error(reader->store, diag, "the run cannot be read");
  return status;
}

static aq_status read_known(aq_run_reader *reader, aq_diag *diag)
{
  aq_status status =
      take_all(reader,
               "SELECT ordinal, source_id, name, gfx, cus FROM devices "
               "WHERE run = ? ORDER BY ordinal",
               take_device, diag);
  if (!status)
    status = take_all(reader,
                      "SELECT ordinal, device, source_id FROM queues "
                      "WHERE run = ? ORDER BY ordinal",
                      take_queue, diag);
  if (!status)
    status =
        take_all(reader, "SELECT id, text FROM names WHERE run = ? ORDER BY id",
                 take_name, diag);
  return status;
}

/* ---- orders ---- */

static int place_order(const void *a, const void *b)
{
  const aq_row_place *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Reads the keys of all rows; *sorted becomes false when they are not in order
 * already. */
static aq_status read_places(aq_run_reader *reader, const char *sql,
                             aq_row_place *places, bool *sorted, aq_diag *diag)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(reader->store->db, sql, -1, &statement, NULL) !=
      SQLITE_OK)
    return aq_store_error(reader->store, diag, "the run cannot be read");
  const int64_t first = aq_store_row_key(reader->run, 0);
  sqlite3_bind_int64(statement, 1, first);
  sqlite3_bind_int64(statement, 2, first + reader->rows - 1);
  int64_t i = 0;
  for (; i < reader->rows && sqlite3_step(statement) == SQLITE_ROW; i++) {
    places[i] = (aq_row_place){integer_or_none(statement, 1),
                               sqlite3_column_int64(statement, 0) - first};
    *sorted = *sorted && (i == 0 || places[i - 1].key <= places[i].key);
  }
  int code = sqlite3_finalize(statement);
  if (code != SQLITE_OK)
    return aq_store_error(reader->store, diag, "the run cannot be read");
  if (i < reader->rows)
    return aq_diag_set(
        diag, AQ_ERR_INPUT,
        "%s: run %lld has %lld of %lld rows: removed meanwhile, or damaged",
        reader->store->path, (long long)reader->run, (long long)i,
        (long long)reader->rows);
  return AQ_OK;
}

static const char *const order_sql[] = {
    [AQ_ORDER_STORED] = NULL,
    [AQ_ORDER_START] = "SELECT id, start_ps FROM records "
                       "WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    [AQ_ORDER_SUBMIT] =
        "SELECT id, coalesce(host_begin_ps, submit_ps, start_ps) FROM records "
        "WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
};

static bool is_kept(const aq_run_reader *reader)
{
  return reader->store->kept && reader->store->kept_run == reader->run;
}

static aq_status sort_rows(aq_run_reader *reader, aq_row_order order,
                           aq_diag *diag)
{
  const size_t rows = (size_t)reader->rows;
  aq_store *store = reader->store;
  const bool keep = is_kept(reader) && store->kept_count == reader->rows;
  if (rows == 0 || (keep && store->kept_sorted[order]))
    return AQ_OK;
  aq_row_place *places = malloc(rows * sizeof *places);
  if (!places)
    return aq_diag_no_memory(diag);
  if (keep && store->kept_places[order]) {
    memcpy(places, store->kept_places[order], rows * sizeof *places);
    reader->places = places;
    return AQ_OK;
  }
  bool sorted = true;
  aq_status status =
      read_places(reader, order_sql[order], places, &sorted, diag);
  if (status == AQ_OK && keep)
    store->kept_sorted[order] = sorted;
  if (status || sorted) {
    free(places);
    return status;
  }
  qsort(places, rows, sizeof *places, place_order);
  reader->places = places;
  /* Without memory the next reader sorts again. */
  if (keep && (store->kept_places[order] = malloc(rows * sizeof *places)))
    memcpy(store->kept_places[order], places, rows * sizeof *places);
  return AQ_OK;
}

/* ---- rows ---- */

aq_status aq_run_reader_want(aq_run_reader *reader, uint64_t fields,
                             aq_diag *diag)
{
  reader->field_count = 0;
  for (int i = 0; i < AQ_RECORD_FIELD_COUNT; i++)
    if (fields >> i & 1)
      reader->fields[reader->field_count++] = (uint8_t)i;
  aq_store_return(reader->store, reader->select);
  reader->select = NULL;
  sqlite3_str *sql = sqlite3_str_new(reader->store->db);
  sqlite3_str_appendall(sql, "SELECT ");
  for (size_t i = 0; i < reader->field_count; i++) {
    sqlite3_str_appendall(sql, i ? ", " : "");
    aq_schema_add_column(sql, reader->fields[i]);
  }
  sqlite3_str_appendall(sql,
                        " FROM records WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
  return aq_store_prepare(reader->store, sql, &reader->select, diag);
}

/* The fields that the reader wants, as from the table. */
static void copy_rows(const aq_run_reader *reader, int64_t number, size_t count,
                      aq_record *rows)
{
  const aq_record *kept = &reader->store->kept[number];
  if (reader->field_count == AQ_RECORD_FIELD_COUNT) {
    memcpy(rows, kept, count * sizeof *rows);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    aq_record_init(&rows[i]);
    for (size_t c = 0; c < reader->field_count; c++)
      ((int64_t *)&rows[i])[reader->fields[c]] =
          ((const int64_t *)&kept[i])[reader->fields[c]];
  }
}

/* Reads `count` rows from `number` on. No statement stays open between calls:
 * a slow consumer holds up no writer. */
static aq_status read_rows(aq_run_reader *reader, int64_t number, size_t count,
                           aq_record *rows, aq_diag *diag)
{
  if (is_kept(reader) && number + (int64_t)count <= reader->store->kept_count) {
    copy_rows(reader, number, count, rows);
    return AQ_OK;
  }
  const int64_t key = aq_store_row_key(reader->run, number);
  sqlite3_bind_int64(reader->select, 1, key);
  sqlite3_bind_int64(reader->select, 2, key + (int64_t)count - 1);
  size_t i = 0;
  for (; i < count && sqlite3_step(reader->select) == SQLITE_ROW; i++) {
    int64_t *values = (int64_t *)&rows[i];
    if (reader->field_count < AQ_RECORD_FIELD_COUNT)
      aq_record_init(&rows[i]);
    for (size_t c = 0; c < reader->field_count; c++)
      values[reader->fields[c]] = integer_or_none(reader->select, (int)c);
  }
  if (sqlite3_reset(reader->select) != SQLITE_OK)
    return aq_store_error(reader->store, diag, "rows cannot be read");
  if (i < count)
    return aq_diag_set(
        diag, AQ_ERR_INPUT,
        "%s: run %lld lacks row %lld: removed meanwhile, or damaged",
        reader->store->path, (long long)reader->run,
        (long long)number + (long long)i);
  return AQ_OK;
}

/* The number that a row is handed out with; -1: left out. */
static int64_t number_of(const aq_run_reader *reader, int64_t row)
{
  if (!reader->numbers)
    return row;
  return row >= 0 && row < reader->all ? reader->numbers[row] : -1;
}

aq_status aq_run_reader_select(aq_run_reader *reader,
                               const aq_row_selection *part, aq_diag *diag)
{
  const size_t rows = (size_t)reader->rows;
  reader->all = reader->rows;
  aq_row_place *places = malloc((rows + 1) * sizeof *places);
  reader->numbers = malloc((rows + 1) * sizeof *reader->numbers);
  reader->spans = calloc(part->span_count + 1, sizeof *reader->spans);
  if (!places || !reader->numbers || !reader->spans) {
    free(places);
    return aq_diag_no_memory(diag);
  }
  int64_t kept = 0, given = 0;
  for (size_t i = 0; i < rows; i++)
    reader->numbers[i] = !part->rows[i]   ? -1
                         : part->renumber ? given++
                                          : (int64_t)i;
  for (size_t i = 0; i < rows; i++) {
    const aq_row_place place =
        reader->places ? reader->places[i] : (aq_row_place){0, (int64_t)i};
    if (reader->numbers[place.number] >= 0)
      places[kept++] = place;
  }
  free(reader->places);
  reader->places = places;
  reader->rows = kept;
  for (size_t i = 0; i < part->span_count; i++)
    reader->spans[i] = part->spans[i];
  reader->span_count = part->span_count;
  return AQ_OK;
}

int64_t aq_run_reader_row_count(const aq_run_reader *reader)
{
  return reader->rows;
}

aq_status aq_run_reader_next(aq_run_reader *reader, aq_record *rows,
                             int64_t *numbers, size_t capacity, size_t *count,
                             aq_diag *diag)
{
  const int64_t left = reader->rows - reader->next;
  const size_t taken = (int64_t)capacity < left ? capacity : (size_t)left;
  const aq_row_place *places =
      reader->places ? reader->places + reader->next : NULL;
  aq_status status = AQ_OK;
  if (rows && taken && places) {
    /* Reads `count` rows where `places` says. One transaction for all of them:
     * taking and dropping the file's locks costs as much as a row. */
    const bool kept = is_kept(reader);
    if (!kept)
      status =
          aq_store_exec(reader->store, "BEGIN", "rows cannot be read", diag);
    for (size_t i = 0, end; !status && i < taken; i = end) {
      for (end = i + 1;
           end < taken && places[end].number == places[end - 1].number + 1;)
        end++;
      status = read_rows(reader, places[i].number, end - i, &rows[i], diag);
    }
    if (!kept)
      aq_store_rollback(reader->store);
  } else if (rows && taken)
    status = read_rows(reader, reader->next, taken, rows, diag);
  if (status)
    return status;
  for (size_t i = 0; numbers && i < taken; i++)
    numbers[i] = number_of(reader, places ? places[i].number
                                          : reader->next + (int64_t)i);
  reader->next += (int64_t)taken;
  *count = taken;
  return AQ_OK;
}

/* ---- the reader ---- */

aq_status aq_run_reader_open(aq_store *store, int64_t run, aq_row_order order,
                             aq_run_reader **out, aq_diag *diag)
{
  aq_run_reader *reader = calloc(1, sizeof *reader);
  if (!reader)
    return aq_diag_no_memory(diag);
  reader->store = store;
  reader->run = run;
  aq_memory_sink_init(&reader->known);
  reader->rows = -1;
  aq_status status =
      aq_store_integer(reader->store, "SELECT row_count FROM runs WHERE id = ?",
                       &reader->run, 1, &reader->rows, diag);
  if (!status && reader->rows < 0)
    status = aq_diag_set(diag, AQ_ERR_NOT_FOUND, "%s: there is no run %lld",
                         reader->store->path, (long long)reader->run);
  if (!status)
    status = read_known(reader, diag);
  if (!status && order_sql[order])
    status = sort_rows(reader, order, diag);
  if (!status)
    status = aq_run_reader_want(reader, AQ_FIELDS_ALL, diag);
  if (status) {
    aq_run_reader_close(reader);
    return status;
  }
  *out = reader;
  return AQ_OK;
}

void aq_run_reader_close(aq_run_reader *reader)
{
  if (!reader)
    return;
  aq_store_return(reader->store, reader->select);
  aq_memory_sink_fini(&reader->known);
  aq_traced_list_fini(&reader->traced);
  aq_host_op_list_fini(&reader->ops);
  free(reader->places);
  free(reader->numbers);
  free(reader->spans);
  free(reader);
}

aq_status aq_store_keep(aq_store *store, int64_t run, aq_diag *diag)
{
  aq_run_reader *reader;
  aq_store_forget(store);
  aq_status status =
      aq_run_reader_open(store, run, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  const int64_t count = reader->rows;
  aq_record *rows = NULL;
  if (count > 0 && count <= AQ_STORE_KEPT_MAX) {
    rows = malloc((size_t)count * sizeof *rows);
    status = rows ? read_rows(reader, 0, (size_t)count, rows, diag)
                  : aq_diag_no_memory(diag);
  }
  if (status == AQ_OK) {
    store->kept = rows;
    store->kept_run = run;
    store->kept_count = rows ? count : 0;
  } else {
    free(rows);
  }
  aq_run_reader_close(reader);
  return status;
}

void aq_store_forget(aq_store *store)
{
  free(store->kept);
  store->kept = NULL;
  for (int order = 0; order < AQ_ORDER_COUNT; order++) {
    free(store->kept_places[order]);
    store->kept_places[order] = NULL;
    store->kept_sorted[order] = false;
  }
}

const char *aq_run_reader_name(aq_run_reader *reader, int64_t id)
{
  return aq_names_text(&reader->known.names, id);
}

const aq_run_device *aq_run_reader_device(aq_run_reader *reader,
                                          int64_t ordinal)
{
  return ordinal < 0 || (size_t)ordinal >= reader->known.device_count
             ? NULL
             : &reader->known.devices[ordinal];
}

const aq_run_queue *aq_run_reader_queue(aq_run_reader *reader, int64_t ordinal)
{
  return ordinal < 0 || (size_t)ordinal >= reader->known.queue_count
             ? NULL
             : &reader->known.queues[ordinal];
}

size_t aq_run_reader_device_count(aq_run_reader *reader)
{
  return reader->known.device_count;
}

size_t aq_run_reader_queue_count(aq_run_reader *reader)
{
  return reader->known.queue_count;
}

/* ---- edges ---- */

static int64_t edge_kind(const char *name)
{
  for (int64_t kind = 1; name && kind < AQ_EDGE_COUNT; kind++)
    if (strcmp(aq_edge_kind_name(kind), name) == 0)
      return kind;
  return AQ_NONE;
}

aq_status aq_run_reader_edges(aq_run_reader *reader, const aq_edge **edges,
                              size_t *count, aq_diag *diag)
{
  sqlite3_stmt *statement;
  if (!reader->has_edges) {
    if (sqlite3_prepare_v2(reader->store->db,
                           "SELECT from_row, to_row, kind, confidence "
                           "FROM edges WHERE run = ? ORDER BY to_row, from_row",
                           -1, &statement, NULL) != SQLITE_OK)
      return aq_store_error(reader->store, diag, "the run cannot be read");
    aq_record_sink *known = &reader->known.sink;
    aq_status status = AQ_OK;
    sqlite3_bind_int64(statement, 1, reader->run);
    while (!status && sqlite3_step(statement) == SQLITE_ROW) {
      const aq_edge edge = {
          .from = number_of(reader, integer_or_none(statement, 0)),
          .to = number_of(reader, integer_or_none(statement, 1)),
          .kind = edge_kind((const char *)sqlite3_column_text(statement, 2)),
          .confidence = integer_or_none(statement, 3)};
      if (!reader->numbers || (edge.from >= 0 && edge.to >= 0))
        status = known->put_edges(known, &edge, 1, diag);
    }
    if (sqlite3_finalize(statement) != SQLITE_OK && !status)
      status = aq_store_error(reader->store, diag, "the run cannot be read");
    if (status)
      return status;
    reader->has_edges = true;
  }
  *edges = reader->known.edges;
  *count = reader->known.edge_count;
  return AQ_OK;
}

/* ---- samples ---- */

aq_status aq_run_reader_samples(aq_run_reader *reader,
                                const aq_sample **samples, size_t *count,
                                aq_diag *diag)
{
  sqlite3_stmt *statement;
  if (!reader->has_samples) {
    if (sqlite3_prepare_v2(reader->store->db,
                           "SELECT counter, ordinal, time_ps, value "
                           "FROM counters WHERE run = ? "
                           "ORDER BY counter, ordinal, time_ps",
                           -1, &statement, NULL) != SQLITE_OK)
      return aq_store_error(reader->store, diag, "the run cannot be read");
    aq_record_sink *known = &reader->known.sink;
    aq_status status = AQ_OK;
    sqlite3_bind_int64(statement, 1, reader->run);
    while (!status && sqlite3_step(statement) == SQLITE_ROW) {
      const aq_sample sample = {.counter = sqlite3_column_int64(statement, 0),
                                .ordinal = sqlite3_column_int64(statement, 1),
                                .time = sqlite3_column_int64(statement, 2),
                                .value = sqlite3_column_int64(statement, 3)};
      /* Columns of a newer program are not known here. */
      if (sample.counter >= 0 && sample.counter < AQ_COUNTER_COUNT &&
          (!reader->numbers ||
           aq_time_spans_meet(reader->spans, reader->span_count, sample.time,
                              sample.time)))
        status = known->put_counters(known, &sample, 1, diag);
    }
    if (sqlite3_finalize(statement) != SQLITE_OK && !status)
      status = aq_store_error(reader->store, diag, "the run cannot be read");
    if (status)
      return status;
    reader->has_samples = true;
  }
  *samples = reader->known.samples;
  *count = reader->known.sample_count;
  return AQ_OK;
}

aq_status aq_run_reader_earliest(aq_run_reader *reader, aq_time *out,
                                 aq_diag *diag)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(
          reader->store->db,
          "SELECT min(time) FROM (SELECT min(host_begin_ps) AS time "
          "FROM records WHERE id BETWEEN ?1 AND ?2 "
          "UNION ALL SELECT min(submit_ps) FROM records "
          "WHERE id BETWEEN ?1 AND ?2 "
          "UNION ALL SELECT min(start_ps) FROM records "
          "WHERE id BETWEEN ?1 AND ?2 "
          "UNION ALL SELECT min(time_ps) FROM counters WHERE run = ?3 "
          "UNION ALL SELECT min(begins) FROM ops WHERE run = ?3)",
          -1, &statement, NULL) != SQLITE_OK)
    return aq_store_error(reader->store, diag, "the run cannot be read");
  sqlite3_bind_int64(statement, 1, reader->run << 32);
  sqlite3_bind_int64(statement, 2, (reader->run << 32) + UINT32_MAX);
  sqlite3_bind_int64(statement, 3, reader->run);
  const aq_time time = sqlite3_step(statement) == SQLITE_ROW
                           ? sqlite3_column_int64(statement, 0)
                           : 0;
  if (sqlite3_finalize(statement) != SQLITE_OK)
    return aq_store_error(reader->store, diag, "the run cannot be read");
  *out = time;
  return AQ_OK;
}

aq_status aq_run_reader_ops(aq_run_reader *reader, const aq_host_op **ops,
                            size_t *count, aq_diag *diag)
{
  aq_host_op_list *of = &reader->ops;
  if (!of->rows) {
    aq_status status = aq_store_ops(reader->store, reader->run, of, diag);
    if (status)
      return status;
    size_t kept = 0;
    for (size_t i = 0; i < of->count; i++)
      if (!reader->numbers ||
          aq_time_spans_meet(reader->spans, reader->span_count,
                             of->rows[i].begins, of->rows[i].ends))
        of->rows[kept++] = of->rows[i];
    of->count = kept;
  }
  *ops = of->rows;
  *count = of->count;
  return AQ_OK;
}

aq_status aq_run_reader_traced(aq_run_reader *reader, const aq_traced **steps,
                               size_t *count, aq_diag *diag)
{
  if (!reader->traced.rows) {
    aq_status status =
        aq_store_traced(reader->store, reader->run, &reader->traced, diag);
    if (status)
      return status;
  }
  *steps = reader->traced.rows;
  *count = reader->traced.count;
  return AQ_OK;
}
