/* SPDX-License-Identifier: MIT */
#include "store/requests.h"

#include <stdlib.h>

#include "store/store_priv.h"

const char *aq_requests_column(size_t field)
{
  static const char *const names[AQ_REQUEST_FIELD_COUNT] = {
#define F(field, unit, meaning) [AQ_REQUEST_FIELD_##field] = #field,
#include "common/request.def"
#undef F
  };
  return names[field];
}

/* Appends the columns, separated by commas. */
static void add_columns(sqlite3_str *sql)
{
  for (size_t i = 0; i < AQ_REQUEST_FIELD_COUNT; i++)
    sqlite3_str_appendf(sql, "%s%s", i ? ", " : "", aq_requests_column(i));
}

static void bind_request(sqlite3_stmt *insert, const aq_request *request)
{
  const int64_t *values = &request->client;
  for (int i = 0; i < AQ_REQUEST_FIELD_COUNT; i++)
    if (values[i] == AQ_NONE)
      sqlite3_bind_null(insert, i + 3);
    else
      sqlite3_bind_int64(insert, i + 3, values[i]);
}

aq_status aq_requests_insert(aq_store *store, int64_t run, int64_t first,
                             const aq_request *requests, size_t count,
                             aq_diag *diag)
{
  sqlite3_stmt *insert;
  if (count == 0)
    return AQ_OK;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendall(sql, "INSERT INTO requests (run, number, ");
  add_columns(sql);
  sqlite3_str_appendall(sql, ") VALUES (?, ?");
  for (size_t i = 0; i < AQ_REQUEST_FIELD_COUNT; i++)
    sqlite3_str_appendall(sql, ", ?");
  sqlite3_str_appendall(sql, ")");
  aq_status status = aq_store_prepare(store, sql, &insert, diag);
  if (status)
    return status;
  for (size_t i = 0; !status && i < count; i++) {
    sqlite3_bind_int64(insert, 1, run);
    sqlite3_bind_int64(insert, 2, first + (int64_t)i);
    bind_request(insert, &requests[i]);
    sqlite3_step(insert);
    if (sqlite3_reset(insert) != SQLITE_OK)
      status = aq_store_error(store, diag, "requests cannot be written");
  }
  sqlite3_finalize(insert);
  return status;
}

static void take_request(sqlite3_stmt *row, aq_request *out)
{
  int64_t *values = &out->client;
  for (int i = 0; i < AQ_REQUEST_FIELD_COUNT; i++)
    values[i] = sqlite3_column_type(row, i) == SQLITE_NULL
                    ? AQ_NONE
                    : sqlite3_column_int64(row, i);
}

/* One more, with room for the next power of two. */
static aq_request *list_grow(aq_request_list *list)
{
  if ((list->count & (list->count - 1)) == 0) {
    const size_t capacity = list->count ? 2 * list->count : 1;
    aq_request *grown = realloc(list->requests, capacity * sizeof *grown);
    if (!grown)
      return NULL;
    list->requests = grown;
  }
  return &list->requests[list->count++];
}

aq_status aq_store_requests(aq_store *store, int64_t run, aq_request_list *out,
                            aq_diag *diag)
{
  sqlite3_stmt *select;
  aq_request_list list = {0};
  int code;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendall(sql, "SELECT ");
  add_columns(sql);
  sqlite3_str_appendf(sql,
                      " FROM requests WHERE run = %lld "
                      "ORDER BY arrival, number",
                      (long long)run);
  aq_status status = aq_store_prepare(store, sql, &select, diag);
  if (status)
    return status;
  while (!status && (code = sqlite3_step(select)) == SQLITE_ROW) {
    aq_request *request = list_grow(&list);
    if (request)
      take_request(select, request);
    else
      status =
          aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for requests");
  }
  if (!status && code != SQLITE_DONE)
    status = aq_store_error(store, diag, "the requests cannot be read");
  sqlite3_finalize(select);
  if (status)
    aq_request_list_fini(&list);
  else
    *out = list;
  return status;
}

void aq_request_list_fini(aq_request_list *list)
{
  free(list->requests);
  *list = (aq_request_list){0};
}

/* ---- content keys ---- */

aq_status aq_store_keys(aq_store *store,
                        void (*tell)(const char *key, int64_t run, void *user),
                        void *user, aq_diag *diag)
{
  sqlite3_stmt *select;
  int code;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendall(sql, "SELECT content_key, id FROM runs WHERE complete "
                             "AND content_key IS NOT NULL ORDER BY id");
  aq_status status = aq_store_prepare(store, sql, &select, diag);
  if (status)
    return status;
  while ((code = sqlite3_step(select)) == SQLITE_ROW)
    tell((const char *)sqlite3_column_text(select, 0),
         sqlite3_column_int64(select, 1), user);
  if (code != SQLITE_DONE)
    status = aq_store_error(store, diag, "the runs cannot be read");
  sqlite3_finalize(select);
  return status;
}
