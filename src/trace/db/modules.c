/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <string.h>

#include "trace/db/foreign_db.h"
#include "trace/db/tracedb.h"

/* The kind of a database, by the tables that it has. */
static const struct {
  const char *name, *pattern;
  aq_database_reader *read;
} kinds[] = {
    {"rocpd", "rocpd_kernel_dispatch%", aq_rocpd_read},
    {"rpd", "rocpd_op", aq_rpd_read},
    {"rocprof-v1-db", "OPS", aq_rocprof_v1_db_read},
    {"rocprof-v1-db", "HIP", aq_rocprof_v1_db_read},
    {"rocprof-v1-db", "KERN", aq_rocprof_v1_db_read},
    {"nsys", "CUPTI_ACTIVITY_KIND_KERNEL", aq_nsys_read},
    {"nsys", "CUPTI_ACTIVITY_KIND_MEMCPY", aq_nsys_read},
    {"nsys", "CUPTI_ACTIVITY_KIND_MEMSET", aq_nsys_read},
    {"nsys", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", aq_nsys_read},
};

static aq_status read_database(aq_database *database, aq_correlation *join)
{
  aq_trace_result *result = database->import->result;
  const char *wanted = database->import->options->format;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    bool has;
    const char *pattern = kinds[i].pattern;
    sqlite3_stmt *statement;
    aq_status status = aq_database_query(
        database, &statement,
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name LIKE %Q",
        pattern);
    if (status == AQ_OK)
      status = aq_database_step(database, statement, &has);
    sqlite3_finalize(statement);
    if (status != AQ_OK)
      return status;
    if (!has)
      continue;
    if (wanted && strcmp(wanted, kinds[i].name) != 0)
      return aq_database_error(database, "is of format %s, expected %s",
                               kinds[i].name, wanted);
    result->format = kinds[i].name;
    return kinds[i].read(database, join);
  }
  return aq_database_error(database,
                           "a SQLite database without the tables of rocpd "
                           "(rocpd_kernel_dispatch…), rpd (rocpd_op), "
                           "rocprof v1 (OPS, KERN) or nsys "
                           "(CUPTI_ACTIVITY_KIND_…)");
}

static aq_status import_database(aq_import *import, aq_correlation *join,
                                 const aq_trace_files *files)
{
  aq_database database;
  aq_status status = aq_database_open(&database, import, &files->files[0]);
  if (status == AQ_OK)
    status = read_database(&database, join);
  aq_database_close(&database);
  return status;
}

const aq_trace_module aq_tracedb_modules[] = {
    {{.name = "rocpd",
      .summary = "rocprofv3's database (rocpd 3.0), SQLite",
      .imports = true,
      .exports = true},
     aq_database_detect,
     import_database,
     aq_rocpd_export},
    {{.name = "rocpd-kernels",
      .summary = "rocpd 3.0, kernels and copies without the life of packets",
      .fields = AQ_ROCPD_KERNEL_FIELDS,
      .exports = true},
     aq_database_detect,
     NULL,
     aq_rocpd_export_kernels},
    {{.name = "rpd",
      .summary = "rocmProfileData's database (.rpd), SQLite",
      .imports = true},
     aq_database_detect,
     import_database,
     NULL},
    {{.name = "rocprof-v1-db",
      .summary = "rocprof (v1) results.db of --hip-trace, SQLite",
      .imports = true},
     aq_database_detect,
     import_database,
     NULL},
    {{.name = "nsys",
      .summary = "Nsight Systems, nsys export --type=sqlite",
      .imports = true},
     aq_database_detect,
     import_database,
     NULL},
    {.format = {.name = NULL}},
};
