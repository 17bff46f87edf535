/* SPDX-License-Identifier: MIT */
/*
 * A format whose reader or writer lives in another folder, since it needs a
 * library that trace/ does not own: databases (tracedb/). The main program
 * hands the table of them in (aq_trace_options.modules), so that they
 * are found by content and listed like all others.
 * Thread rule: tables are constant.
 */
#ifndef AQ_TRACE_IMPORT_MODULE_H
#define AQ_TRACE_IMPORT_MODULE_H

#include "trace/import/importers.h"

struct aq_trace_module {
  aq_trace_format format;
  /* Whether the first bytes of a file, unpacked, can be of the format. Several
   * modules may share an importer and their detector: it then sets
   * result->format to the one it met. */
  bool (*detect)(const char *bytes, size_t size);
  aq_trace_importer *import; /* NULL: only written */
  /* Writes a run to an existing empty file. NULL: only read. */
  aq_status (*export_file)(aq_trace_source *source, const char *path,
                           aq_diag *diag);
};

/* The module of a name, NULL where none has it. `modules` may be NULL. */
const aq_trace_module *aq_trace_module_find(const aq_trace_module *modules,
                                            const char *name);

#endif
