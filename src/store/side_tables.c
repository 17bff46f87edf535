/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "store/side_tables.h"

#include <stdlib.h>

#include "common/array.h"
#include "store/maintenance.h"
#include "store/store_priv.h"

static const char *const request_columns[] = {
#define F(field, unit, meaning) #field,
#include "common/request.def"
#undef F
};

static const char *const preempted_columns[] = {
#define F(field, unit, meaning) #field,
#include "common/preempted.def"
#undef F
};

static const char *const instruction_columns[] = {
#define F(field, unit, meaning) #field,
#include "common/instruction.def"
#undef F
};

static const char *const counted_columns[] = {
#define F(field, unit, meaning) #field,
#include "common/counted.def"
#undef F
};

static const char *const traced_columns[] = {
#define F(field, unit, meaning) #field,
#include "common/traced.def"
#undef F
};

static const char *const op_columns[] = {
#define F(field, unit, meaning) #field,
#include "common/host_op.def"
#undef F
};

static const char *const frame_columns[] = {
#define F(field, unit, meaning) #field,
#include "common/frame.def"
#undef F
};

static const char *const launched_columns[] = {
#define F(field, unit, meaning) #field,
#include "common/launched.def"
#undef F
};

static const char *const memory_block_columns[] = {
#define F(field, unit, meaning) #field,
#include "common/memory_block.def"
#undef F
};

static const char *const finding_columns[] = {
#define F(field, unit, meaning) #field,
#include "common/finding.def"
#undef F
};

const aq_fact_table aq_fact_tables[AQ_FACT_COUNT] = {
    [AQ_FACT_REQUEST] = {"requests", "request", request_columns,
                         AQ_REQUEST_FIELD_COUNT, "arrival, number"},
    [AQ_FACT_PREEMPTED] = {"preemptions", "preemption", preempted_columns,
                           AQ_PREEMPTED_FIELD_COUNT, "asked, number"},
    [AQ_FACT_INSTRUCTION] = {"instructions", "instruction count",
                             instruction_columns, AQ_INSTRUCTION_FIELD_COUNT,
                             "kernel, gfx, code, offset"},
    [AQ_FACT_FINDING] = {"findings", "finding", finding_columns,
                         AQ_FINDING_FIELD_COUNT, "site, number"},
    [AQ_FACT_COUNTED] = {"counted", "launch count", counted_columns,
                         AQ_COUNTED_FIELD_COUNT, "number"},
    [AQ_FACT_TRACED] = {"traced", "traced wave", traced_columns,
                        AQ_TRACED_FIELD_COUNT, "dispatch, number"},
    [AQ_FACT_OP] = {"ops", "op", op_columns, AQ_HOST_OP_FIELD_COUNT, "number"},
    [AQ_FACT_FRAME] = {"frames", "call frame", frame_columns,
                       AQ_FRAME_FIELD_COUNT, "number"},
    [AQ_FACT_LAUNCHED] = {"launched", "dispatch context", launched_columns,
                          AQ_LAUNCHED_FIELD_COUNT, "number"},
    [AQ_FACT_MEMORY_BLOCK] = {"allocations", "allocation", memory_block_columns,
                              AQ_MEMORY_BLOCK_FIELD_COUNT, "number"},
};

/* Appends the columns, separated by commas. */
static void add_columns(sqlite3_str *sql, const aq_fact_table *table)
{
  for (size_t i = 0; i < table->count; i++)
    sqlite3_str_appendf(sql, "%s%s", i ? ", " : "", table->columns[i]);
}

static void bind_row(sqlite3_stmt *insert, const int64_t *values, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (values[i] == AQ_NONE)
      sqlite3_bind_null(insert, (int)i + 3);
    else
      sqlite3_bind_int64(insert, (int)i + 3, values[i]);
}

aq_status aq_facts_insert(aq_store *store, aq_fact fact, int64_t run,
                          int64_t first, const int64_t *rows, size_t count,
                          aq_diag *diag)
{
  const aq_fact_table *table = &aq_fact_tables[fact];
  sqlite3_stmt *insert;
  if (count == 0)
    return AQ_OK;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendf(sql, "INSERT INTO %s (run, number, ", table->name);
  add_columns(sql, table);
  sqlite3_str_appendall(sql, ") VALUES (?, ?");
  for (size_t i = 0; i < table->count; i++)
    sqlite3_str_appendall(sql, ", ?");
  sqlite3_str_appendall(sql, ")");
  aq_status status = aq_store_prepare(store, sql, &insert, diag);
  if (status)
    return status;
  for (size_t i = 0; !status && i < count; i++) {
    sqlite3_bind_int64(insert, 1, run);
    sqlite3_bind_int64(insert, 2, first + (int64_t)i);
    bind_row(insert, rows + i * table->count, table->count);
    sqlite3_step(insert);
    if (sqlite3_reset(insert) != SQLITE_OK)
      status = aq_store_error(store, diag, "what happened cannot be written");
  }
  aq_store_return(store, insert);
  return status;
}

/* ---- reading ---- */

typedef struct rows {
  int64_t *values;
  size_t count;    /* rows */
  size_t capacity; /* values */
} rows;

/* One more row of `width` values, or NULL. */
static int64_t *rows_grow(rows *list, size_t width)
{
  if (!AQ_ARRAY_RESERVE(list->values, list->capacity,
                        (list->count + 1) * width))
    return NULL;
  return list->values + list->count++ * width;
}

static aq_status facts_read(aq_store *store, aq_fact fact, int64_t run,
                            rows *out, aq_diag *diag)
{
  const aq_fact_table *table = &aq_fact_tables[fact];
  sqlite3_stmt *select;
  rows list = {0};
  int code;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendall(sql, "SELECT ");
  add_columns(sql, table);
  sqlite3_str_appendf(sql, " FROM %s WHERE run = %lld ORDER BY %s", table->name,
                      (long long)run, table->order);
  aq_status status = aq_store_prepare(store, sql, &select, diag);
  if (status)
    return status;
  while (!status && (code = sqlite3_step(select)) == SQLITE_ROW) {
    int64_t *values = rows_grow(&list, table->count);
    if (values) {
      const size_t count = table->count;
      for (size_t i = 0; i < count; i++)
        values[i] = sqlite3_column_type(select, (int)i) == SQLITE_NULL
                        ? AQ_NONE
                        : sqlite3_column_int64(select, (int)i);
    } else {
      status = aq_diag_no_memory(diag);
    }
  }
  if (!status && code != SQLITE_DONE)
    status = aq_store_error(store, diag, "what happened cannot be read");
  sqlite3_finalize(select);
  if (status)
    free(list.values);
  else
    *out = list;
  return status;
}

/* The functions of one kind of facts, as store.h declares them. */
#define FACT_LIST(fact, read, fini, list_type, row_type, member)               \
  aq_status read(aq_store *store, int64_t run, list_type *out, aq_diag *diag)  \
  {                                                                            \
    rows list;                                                                 \
    aq_status status = facts_read(store, fact, run, &list, diag);              \
    if (!status)                                                               \
      *out = (list_type){(row_type *)list.values, list.count};                 \
    return status;                                                             \
  }                                                                            \
                                                                               \
  void fini(list_type *list)                                                   \
  {                                                                            \
    free(list->member);                                                        \
    *list = (list_type){0};                                                    \
  }

FACT_LIST(AQ_FACT_REQUEST, aq_store_requests, aq_request_list_fini,
          aq_request_list, aq_request, requests)
FACT_LIST(AQ_FACT_PREEMPTED, aq_store_preemptions, aq_preempted_list_fini,
          aq_preempted_list, aq_preempted, preemptions)
FACT_LIST(AQ_FACT_INSTRUCTION, aq_store_instructions, aq_instruction_list_fini,
          aq_instruction_list, aq_instruction, instructions)
FACT_LIST(AQ_FACT_FINDING, aq_store_findings, aq_finding_list_fini,
          aq_finding_list, aq_finding, findings)
FACT_LIST(AQ_FACT_COUNTED, aq_store_counted, aq_counted_list_fini,
          aq_counted_list, aq_counted, rows)
FACT_LIST(AQ_FACT_TRACED, aq_store_traced, aq_traced_list_fini, aq_traced_list,
          aq_traced, rows)
FACT_LIST(AQ_FACT_OP, aq_store_ops, aq_host_op_list_fini, aq_host_op_list,
          aq_host_op, rows)
FACT_LIST(AQ_FACT_FRAME, aq_store_frames, aq_frame_list_fini, aq_frame_list,
          aq_frame, rows)
FACT_LIST(AQ_FACT_LAUNCHED, aq_store_launched, aq_launched_list_fini,
          aq_launched_list, aq_launched, rows)
FACT_LIST(AQ_FACT_MEMORY_BLOCK, aq_store_memory_blocks,
          aq_memory_block_list_fini, aq_memory_block_list, aq_memory_block,
          rows)

/* ---- counting ---- */

AQ_STATIC_ASSERT((int)AQ_BESIDE_COUNT == (int)AQ_FACT_COUNT,
                 "a count for each table");

static aq_status facts_count(aq_store *store, aq_fact fact, int64_t run,
                             int64_t *out, aq_diag *diag)
{
  sqlite3_stmt *select;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendf(sql, "SELECT COUNT(*) FROM %s WHERE run = %lld",
                      aq_fact_tables[fact].name, (long long)run);
  aq_status status = aq_store_prepare(store, sql, &select, diag);
  if (status)
    return status;
  if (sqlite3_step(select) == SQLITE_ROW)
    *out = sqlite3_column_int64(select, 0);
  else
    status = aq_store_error(store, diag, "what happened cannot be counted");
  sqlite3_finalize(select);
  return status;
}

aq_status aq_store_beside(aq_store *store, int64_t run,
                          aq_beside out[AQ_BESIDE_COUNT], aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (int i = 0; i < AQ_FACT_COUNT && !status; i++) {
    out[i] = (aq_beside){aq_fact_tables[i].row, 0};
    status = facts_count(store, (aq_fact)i, run, &out[i].count, diag);
  }
  return status;
}

/* ---- dropping ---- */

static aq_status summary_replace(aq_store *store, int64_t run,
                                 const char *summary, aq_diag *diag)
{
  sqlite3_stmt *update;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendall(sql, "UPDATE runs SET summary = ?2 WHERE id = ?1");
  aq_status status = aq_store_prepare(store, sql, &update, diag);
  if (status)
    return status;
  sqlite3_bind_int64(update, 1, run);
  sqlite3_bind_text(update, 2, summary, -1, SQLITE_STATIC);
  sqlite3_step(update);
  return sqlite3_finalize(update) == SQLITE_OK
             ? AQ_OK
             : aq_store_error(store, diag, "the run cannot be written");
}

static aq_status facts_delete(aq_store *store, aq_fact fact, int64_t run,
                              aq_diag *diag)
{
  sqlite3_stmt *delete;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendf(sql, "DELETE FROM %s WHERE run = ?1",
                      aq_fact_tables[fact].name);
  aq_status status = aq_store_prepare(store, sql, &delete, diag);
  if (status)
    return status;
  sqlite3_bind_int64(delete, 1, run);
  sqlite3_step(delete);
  return sqlite3_finalize(delete) == SQLITE_OK
             ? AQ_OK
             : aq_store_error(store, diag, "requests cannot be removed");
}

aq_status aq_store_requests_drop(aq_store *store, int64_t run,
                                 const char *summary, aq_diag *diag)
{
  aq_status status = aq_store_begin(store, diag);
  if (status)
    return status;
  status = summary_replace(store, run, summary, diag);
  if (!status)
    status = facts_delete(store, AQ_FACT_REQUEST, run, diag);
  if (!status)
    status = facts_delete(store, AQ_FACT_PREEMPTED, run, diag);
  if (!status)
    status = aq_store_commit(store, diag);
  if (status)
    aq_store_rollback(store);
  return status;
}

/* ---- content keys ---- */

aq_status aq_store_keys(aq_store *store,
                        void (*tell)(const char *key, int64_t run,
                                     const char *failed, void *user),
                        void *user, aq_diag *diag)
{
  sqlite3_stmt *select;
  int code;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendall(sql, "SELECT content_key, id, failed FROM runs WHERE "
                             "(complete OR failed IS NOT NULL) "
                             "AND content_key IS NOT NULL ORDER BY id");
  aq_status status = aq_store_prepare(store, sql, &select, diag);
  if (status)
    return status;
  while ((code = sqlite3_step(select)) == SQLITE_ROW)
    tell((const char *)sqlite3_column_text(select, 0),
         sqlite3_column_int64(select, 1),
         (const char *)sqlite3_column_text(select, 2), user);
  if (code != SQLITE_DONE)
    status = aq_store_error(store, diag, "the runs cannot be read");
  sqlite3_finalize(select);
  return status;
}

/* ---- places of points ---- */

static aq_status places_insert(aq_store *store, const aq_store_place *places,
                               size_t count, aq_diag *diag)
{
  sqlite3_stmt *insert;
  bool good = true;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendall(sql, "INSERT OR REPLACE INTO places "
                             "(content_key, plan, point, swept_us) "
                             "VALUES (?1, ?2, ?3, ?4)");
  aq_status status = aq_store_prepare(store, sql, &insert, diag);
  if (status)
    return status;
  for (size_t i = 0; i < count && good; i++) {
    sqlite3_bind_text(insert, 1, places[i].content_key, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, places[i].plan, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 3, places[i].point, -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 4, places[i].swept_us);
    good = sqlite3_step(insert) == SQLITE_DONE &&
           sqlite3_reset(insert) == SQLITE_OK;
  }
  if (!good)
    status = aq_store_error(store, diag, "places cannot be written");
  sqlite3_finalize(insert);
  return status;
}

aq_status aq_store_places_put(aq_store *store, const aq_store_place *places,
                              size_t count, aq_diag *diag)
{
  aq_status status = aq_store_begin(store, diag);
  if (status)
    return status;
  status = places_insert(store, places, count, diag);
  if (!status)
    status = aq_store_commit(store, diag);
  if (status)
    aq_store_rollback(store);
  return status;
}

aq_status aq_store_places(aq_store *store,
                          void (*each)(const aq_store_place *place, void *user),
                          void *user, aq_diag *diag)
{
  sqlite3_stmt *select;
  int code;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendall(sql,
                        "SELECT content_key, plan, point, swept_us FROM places "
                        "ORDER BY content_key, plan");
  aq_status status = aq_store_prepare(store, sql, &select, diag);
  if (status)
    return status;
  while ((code = sqlite3_step(select)) == SQLITE_ROW)
    each(
        &(aq_store_place){.content_key =
                              (const char *)sqlite3_column_text(select, 0),
                          .plan = (const char *)sqlite3_column_text(select, 1),
                          .point = (const char *)sqlite3_column_text(select, 2),
                          .swept_us = sqlite3_column_int64(select, 3)},
        user);
  if (code != SQLITE_DONE)
    status = aq_store_error(store, diag, "places cannot be read");
  sqlite3_finalize(select);
  return status;
}
