/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/db/rocpd_schema.h"

#include <string.h>

static const struct {
  const char *name, *columns;
} tables[] = {
#define T(name, columns) {#name, columns},
#include "trace/db/rocpd_schema.def"
#undef T
};

static const struct {
  const char *name, *select;
} views[] = {
#define V(name, select) {#name, select},
#include "trace/db/rocpd_views.def"
#undef V
};

/* ---- tables ---- */

static const char *type_of(char letter)
{
  switch (letter) {
  case 'i':
    return "INTEGER";
  case 'n':
    return "INT";
  case 'b':
    return "BIGINT";
  case 'e':
    return "TEXT DEFAULT ''";
  case 'r':
    return "REAL DEFAULT 0.0";
  case 'j':
    return "JSONB DEFAULT '{}'";
  default:
    return "TEXT";
  }
}

/* "{A,B}" as a constraint. */
static void write_choice(sqlite3_str *sql, const char *name, int size,
                         const char *choice, int length)
{
  sqlite3_str_appendf(sql, " TEXT CHECK (\"%.*s\" IN ('", size, name);
  for (int i = 1; i < length - 1; i++)
    if (choice[i] == ',')
      sqlite3_str_appendall(sql, "', '");
    else
      sqlite3_str_appendchar(sql, 1, choice[i]);
  sqlite3_str_appendall(sql, "'))");
}

/* One column; the table it refers to goes to `keys`. */
static void write_column(sqlite3_str *sql, sqlite3_str *keys,
                         const aq_rocpd_id *id, const char *column, int length)
{
  const int name = (int)strcspn(column, ":={");
  int end = length;
  while (column[end - 1] == '!' || column[end - 1] == '^')
    end--;
  sqlite3_str_appendf(sql, ", \"%.*s\"", name, column);
  const char *what = column + name;
  if (*what == '{')
    write_choice(sql, column, name, what, end - name);
  else if (*what == ':')
    sqlite3_str_appendf(sql, " %s", type_of(what[1]));
  else {
    sqlite3_str_appendall(sql, " INTEGER");
    sqlite3_str_appendf(keys,
                        ", FOREIGN KEY (\"%.*s\") REFERENCES \"rocpd_%.*s%s\""
                        " (id) ON UPDATE CASCADE",
                        name, column, end - name - 1, what + 1, id->suffix);
  }
  for (int i = end; i < length; i++)
    sqlite3_str_appendall(sql, column[i] == '!' ? " NOT NULL" : " UNIQUE");
}

static void write_table(sqlite3_str *sql, const aq_rocpd_id *id,
                        const char *name, const char *columns)
{
  sqlite3_str *keys = sqlite3_str_new(NULL);
  sqlite3_str_appendf(sql,
                      "CREATE TABLE \"rocpd_%s%s\" (\"id\" INTEGER NOT NULL "
                      "PRIMARY KEY AUTOINCREMENT",
                      name, id->suffix);
  if (strcmp(name, "metadata") != 0)
    sqlite3_str_appendf(sql, ", \"guid\" TEXT DEFAULT '%s' NOT NULL", id->guid);
  for (const char *at = columns; *at; at += *at == ' ') {
    const int length = (int)strcspn(at, " ");
    write_column(sql, keys, id, at, length);
    at += length;
  }
  char *references = sqlite3_str_finish(keys);
  sqlite3_str_appendf(sql, "%s);\n", references ? references : "");
  sqlite3_str_appendf(sql,
                      "CREATE VIEW \"rocpd_%s\" AS SELECT * FROM "
                      "\"rocpd_%s%s\";\n",
                      name, name, id->suffix);
  sqlite3_free(references);
}

/* ---- the whole ---- */

static const char version[] =
    "INSERT INTO \"rocpd_metadata%s\" (tag, value) VALUES"
    " ('schema_version', '3.0.0'), ('schema_version_major', '3'),"
    " ('schema_version_minor', '0'), ('schema_version_patch', '0'),"
    " ('uuid', '%s'), ('guid', '%s');\n";

bool aq_rocpd_schema_make(sqlite3 *db, const aq_rocpd_id *id)
{
  sqlite3_str *sql = sqlite3_str_new(db);
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    write_table(sql, id, tables[i].name, tables[i].columns);
  for (size_t i = 0; i < sizeof views / sizeof *views; i++)
    sqlite3_str_appendf(sql, "CREATE VIEW \"%s\" AS %s;\n", views[i].name,
                        views[i].select);
  sqlite3_str_appendf(sql, version, id->suffix, id->suffix, id->guid);
  char *text = sqlite3_str_finish(sql);
  const bool made =
      text && sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK;
  sqlite3_free(text);
  return made;
}
