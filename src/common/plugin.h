/* SPDX-License-Identifier: MIT */
/*
 * Plug-ins: shared objects that bring one table of operations each.
 *
 * A plug-in is named by a path (with a slash) or by a name, NAME.so in the
 * folder of its kind below a plug-in directory. Those are, in this order: the
 * directories of AQUEDUCT_PLUGIN_PATH (separated by colons), $pkglibdir as it
 * lies beside the running program (.libs, where that was built and not
 * installed), and $pkglibdir as it was configured.
 *
 * Every table begins with an aq_plugin_head. Tables stay valid until the
 * plug-in is closed. Only this and backend_hsa use <dlfcn.h>.
 * Thread rule: one thread at a time.
 */
#ifndef AQ_COMMON_PLUGIN_H
#define AQ_COMMON_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "diag.h"

/* What every table of a plug-in begins with. */
typedef struct aq_plugin_head {
  uint32_t abi;  /* of the kind */
  uint32_t size; /* of the table, bytes */
  const char *name;
  const char *summary; /* one line */
} aq_plugin_head;

/* A kind of plug-in; constant. */
typedef struct aq_plugin_kind {
  const char *what;   /* in messages: "transport" */
  const char *folder; /* below a plug-in directory: "transports" */
  const char *symbol; /* a function without arguments that returns the table */
  uint32_t abi;
  uint32_t size; /* bytes; a table that is smaller is refused */
} aq_plugin_kind;

typedef struct aq_plugin {
  void *library;
  const aq_plugin_head *table;
  char *path; /* that it was loaded from */
} aq_plugin;

/* Loads a plug-in by name or path. AQ_ERR_NOT_FOUND lists the searched places,
 * AQ_ERR_INPUT names the error in the file. */
aq_status aq_plugin_open(const aq_plugin_kind *kind, const char *name,
                         aq_plugin *out, aq_diag *diag);
void aq_plugin_close(aq_plugin *plugin);

/* The path of a file in one of the plug-in directories, the first that has
 * it; the caller frees it. AQ_ERR_NOT_FOUND says where it was looked for. */
aq_status aq_plugin_file_find(const char *name, char **out, aq_diag *diag);

/* Plug-ins that can be opened by name, each once: by directory in the order of
 * search, then by name. Nothing is loaded. */
typedef struct aq_plugin_file {
  const char *name, *path;
} aq_plugin_file;

typedef struct aq_plugin_list {
  aq_plugin_file *files;
  size_t count, capacity;
  aq_arena arena; /* owns the texts */
} aq_plugin_list;

aq_status aq_plugin_list_make(const aq_plugin_kind *kind, aq_plugin_list *out,
                              aq_diag *diag);
void aq_plugin_list_fini(aq_plugin_list *list);

#endif
