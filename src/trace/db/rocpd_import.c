/* SPDX-License-Identifier: MIT */
/* rocpd 3.0, rocprofv3's database; see doc/formats/rocpd.md. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/db/rocpd_import.h"
#include "trace/formats/rocprofv3.h"

/* ---- dictionaries of a set of tables ---- */

/* Runs a query on a table of the set and a function for each of its rows. */
static aq_status each_row(aq_rocpd *r, const char *columns, const char *table,
                          aq_status (*row)(aq_rocpd *r, sqlite3_stmt *from))
{
  sqlite3_stmt *s;
  aq_status status = aq_database_query(
      r->database, &s, "SELECT %s FROM \"%w%w\"", columns, table, r->suffix);
  while (aq_database_next(r->database, &s, &status))
    status = row(r, s);
  return status;
}

static int64_t int_at(const aq_rocpd *r, sqlite3_stmt *from, int column)
{
  return aq_database_int(r->database, from, column);
}

static aq_status put(const aq_rocpd *r, aq_map *map, int64_t id, int64_t value)
{
  return aq_map_put(map, (uint64_t)id, (uint64_t)value)
             ? AQ_OK
             : aq_diag_no_memory(r->database->import->diag);
}

static int64_t get(const aq_map *map, int64_t id, int64_t otherwise)
{
  uint64_t value;
  return id != AQ_NONE && aq_map_get(map, (uint64_t)id, &value) ? (int64_t)value
                                                                : otherwise;
}

const char *aq_rocpd_string(const aq_rocpd *r, int64_t id, size_t *length)
{
  return aq_database_string(&r->strings, id, length);
}

/* Machines are the same in all sets, by machine_id. */
static aq_status add_node(aq_rocpd *r, sqlite3_stmt *from)
{
  size_t length;
  const char *text = aq_database_text(from, 1, &length);
  const int64_t machine = aq_names_id(&r->machines, text, length);
  return machine < 0 ? aq_diag_no_memory(r->database->import->diag)
                     : put(r, &r->machine_of, int_at(r, from, 0), machine);
}

static aq_status add_process(aq_rocpd *r, sqlite3_stmt *from)
{
  return put(r, &r->pid_of, int_at(r, from, 0), int_at(r, from, 1));
}

static aq_status add_thread(aq_rocpd *r, sqlite3_stmt *from)
{
  return put(r, &r->tid_of, int_at(r, from, 0), int_at(r, from, 1));
}

/* An agent's extdata says how many compute units it has. */
static int64_t cus_of(const char *json, size_t length)
{
  static const char key[] = "\"cu_count\":";
  const char *at = memmem(json, length, key, strlen(key));
  int64_t cus = AQ_NONE;
  if (!at)
    return AQ_NONE;
  at += strlen(key);
  at += strspn(at, " ");
  return aq_decimal_int(at, strspn(at, "0123456789"), &cus) ? cus : AQ_NONE;
}

static aq_status add_agent(aq_rocpd *r, sqlite3_stmt *from)
{
  size_t type_length, gfx_length, name_length, json_length;
  const char *type = aq_database_text(from, 2, &type_length);
  const char *json = aq_database_text(from, 6, &json_length);
  const int64_t index = int_at(r, from, 3), id = int_at(r, from, 0);
  const bool gpu = strcmp(type, "GPU") == 0;
  aq_agent agent = {.id = aq_import_scoped(
                        index == AQ_NONE ? id : index,
                        (uint64_t)get(&r->machine_of, int_at(r, from, 1), 0)),
                    .gpu = gpu,
                    .cus = gpu ? cus_of(json, json_length) : AQ_NONE,
                    .gfx = aq_database_text(from, 4, &gfx_length),
                    .name = aq_database_text(from, 5, &name_length)};
  aq_status status = put(r, &r->agent_of, id, agent.id);
  return status != AQ_OK ? status
                         : aq_agents_add(&r->agents, r->database->import, agent,
                                         name_length, gpu ? gfx_length : 0);
}

static aq_status add_symbol(aq_rocpd *r, sqlite3_stmt *from)
{
  size_t length;
  const char *name = aq_database_text(from, 1, &length);
  if (length == 0)
    name = aq_database_text(from, 2, &length);
  aq_rocpd_symbol symbol = {aq_names_id(&r->strings.texts, name, length),
                            int_at(r, from, 3), int_at(r, from, 4),
                            int_at(r, from, 5)};
  const int64_t index = (int64_t)r->symbol_count;
  if (symbol.name < 0 ||
      !AQ_ARRAY_PUSH(r->symbols, r->symbol_count, r->symbol_capacity, symbol))
    return aq_diag_no_memory(r->database->import->diag);
  return put(r, &r->symbol_of, int_at(r, from, 0), index);
}

const aq_rocpd_symbol *aq_rocpd_symbol_at(const aq_rocpd *r, int64_t id)
{
  const int64_t index = get(&r->symbol_of, id, -1);
  return index < 0 ? NULL : &r->symbols[index];
}

int64_t aq_rocpd_agent(const aq_rocpd *r, int64_t id)
{
  return get(&r->agent_of, id, AQ_NONE);
}

int64_t aq_rocpd_pid(const aq_rocpd *r, int64_t id)
{
  return get(&r->pid_of, id, AQ_NONE);
}

int64_t aq_rocpd_tid(const aq_rocpd *r, int64_t id)
{
  return get(&r->tid_of, id, AQ_NONE);
}

aq_status aq_rocpd_scope(aq_rocpd *r, int64_t pid, uint64_t *scope)
{
  pid = pid == AQ_NONE ? -1 : pid;
  const int64_t known = get(&r->scope_of, pid, -1);
  *scope = known < 0 ? r->scopes : (uint64_t)known;
  if (known >= 0)
    return AQ_OK;
  return put(r, &r->scope_of, pid, (int64_t)r->scopes++);
}

/* The recorded environment of the process is not read. */
static aq_status read_dictionaries(aq_rocpd *r)
{
  static const struct {
    const char *columns, *table;
    aq_status (*row)(aq_rocpd *r, sqlite3_stmt *from);
  } tables[] = {
      {"id, machine_id", "rocpd_info_node", add_node},
      {"id, pid", "rocpd_info_process", add_process},
      {"id, tid", "rocpd_info_thread", add_thread},
      {"id, nid, type, absolute_index, name, product_name, extdata",
       "rocpd_info_agent", add_agent},
      {"id, display_name, kernel_name, arch_vgpr_count, accum_vgpr_count, "
       "sgpr_count",
       "rocpd_info_kernel_symbol", add_symbol},
  };
  char strings[256];
  snprintf(strings, sizeof strings, "rocpd_string%s", r->suffix);
  aq_status status =
      aq_database_strings_read(r->database, &r->strings, strings, "string");
  for (size_t i = 0; status == AQ_OK && i < sizeof tables / sizeof *tables; i++)
    status = each_row(r, tables[i].columns, tables[i].table, tables[i].row);
  return status;
}

/* ---- sets of tables ---- */

static aq_status check_tables(aq_rocpd *r)
{
  static const char *const tables[] = {
      "rocpd_string",      "rocpd_info_node",  "rocpd_info_process",
      "rocpd_info_thread", "rocpd_info_agent", "rocpd_info_kernel_symbol",
      "rocpd_event",       "rocpd_region",     "rocpd_kernel_dispatch",
      "rocpd_memory_copy",
  };
  char name[256];
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    snprintf(name, sizeof name, "%s%s", tables[i], r->suffix);
    if (!aq_database_has(r->database, name, "id"))
      return aq_database_error(
          r->database, "no table %s with key id, which rocpd 3.0 has", name);
  }
  return AQ_OK;
}

/* "3", "3.0.0"…: where present, it has to be 3.0. */
static aq_status check_version(aq_rocpd *r)
{
  char name[256];
  bool got = false;
  snprintf(name, sizeof name, "rocpd_metadata%s", r->suffix);
  if (!aq_database_has(r->database, name, NULL))
    return AQ_OK;
  sqlite3_stmt *statement;
  aq_status status = aq_database_query(
      r->database, &statement,
      "SELECT value FROM \"%w\" WHERE tag = 'schema_version'", name);
  if (status == AQ_OK)
    status = aq_database_step(r->database, statement, &got);
  if (status == AQ_OK && got) {
    size_t length;
    const char *text = aq_database_text(statement, 0, &length);
    if (strcmp(text, "3") != 0 && strncmp(text, "3.0.", 4) != 0)
      status = aq_database_error(
          r->database,
          "rocpd schema version \"%.32s\", expected 3.0.0 to 3.0.5", text);
  }
  sqlite3_finalize(statement);
  return status;
}

static aq_status read_set(aq_rocpd *r)
{
  aq_status status = check_version(r);
  if (status == AQ_OK)
    status = check_tables(r);
  if (status == AQ_OK)
    status = read_dictionaries(r);
  if (status == AQ_OK)
    status = aq_rocpd_read_rows(r);
  aq_map *maps[] = {&r->machine_of, &r->pid_of,   &r->tid_of, &r->agent_of,
                    &r->symbol_of,  &r->scope_of, &r->root_of};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
    aq_map_fini(maps[i]);
  aq_database_strings_fini(&r->strings);
  r->strings = (aq_database_strings)AQ_DATABASE_STRINGS_INIT;
  free(r->symbols);
  r->symbols = NULL;
  r->symbol_count = r->symbol_capacity = 0;
  return status;
}

aq_status aq_rocpd_read(aq_database *database, aq_correlation *join)
{
  static const char table[] = "rocpd_kernel_dispatch";
  aq_rocpd r = {.database = database,
                .join = join,
                .strings = AQ_DATABASE_STRINGS_INIT,
                .machines = AQ_NAMES_INIT};
  sqlite3_stmt *statement;
  aq_status status = aq_database_query(
      database, &statement,
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE "
      "'rocpd\\_kernel\\_dispatch%%' ESCAPE '\\' ORDER BY name");
  while (aq_database_next(database, &statement, &status)) {
    size_t length;
    const char *name = aq_database_text(statement, 0, &length);
    if (length - strlen(table) >= sizeof r.suffix) {
      status = aq_database_error(database, "a table's name is too long");
    } else {
      snprintf(r.suffix, sizeof r.suffix, "%s", name + strlen(table));
      status = read_set(&r);
    }
  }
  aq_agents_fini(&r.agents);
  aq_names_fini(&r.machines);
  database->import->result->advice =
      "record host calls too: rocprofv3 --hip-runtime-trace --kernel-trace "
      "--memory-copy-trace -d DIR -- PROGRAM";
  return status;
}
