/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/plugin.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/plugin_dirs.h"

static const char suffix[] = ".so";

enum { DIRS_MAX = 32 };

/* Plug-in directories in the order of search. */
typedef struct search {
  char *dirs[DIRS_MAX];
  size_t count;
} search;

static void search_fini(search *s)
{
  while (s->count > 0)
    free(s->dirs[--s->count]);
}

/* Takes `dir` (NULL: out of memory); drops it if the list has it already. */
static bool search_add(search *s, char *dir)
{
  if (!dir)
    return false;
  for (size_t i = 0; i < s->count; i++)
    if (strcmp(s->dirs[i], dir) == 0) {
      free(dir);
      return true;
    }
  if (s->count == DIRS_MAX)
    free(dir);
  else
    s->dirs[s->count++] = dir;
  return true;
}

static char *text_join(const char *a, size_t a_length, const char *b)
{
  char *text;
  return asprintf(&text, "%.*s%s", (int)a_length, a, b) < 0 ? NULL : text;
}

static bool add_environment(search *s)
{
  const char *at = secure_getenv("AQUEDUCT_PLUGIN_PATH");
  while (at && *at) {
    size_t length = strcspn(at, ":");
    if (length > 0 && !search_add(s, text_join(at, length, "")))
      return false;
    at += length + (at[length] == ':');
  }
  return true;
}

/* A tree that was moved as a whole after its installation: when the program
 * lies in DIR/bin and was configured for PREFIX/bin, PREFIX is DIR now. */
static bool add_beside_program(search *s)
{
  static const char bin[] = AQ_BIN_DIR, lib[] = AQ_PLUGIN_DIR;
  char program[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0)
    return true;
  program[length] = 0;
  char *slash = strrchr(program, '/');
  size_t folder = slash ? (size_t)(slash - program) : 0;
  size_t same = 0;
  for (size_t i = 0; bin[i] && bin[i] == lib[i]; i++)
    if (bin[i] == '/')
      same = i;
  size_t tail = sizeof bin - 1 - same; /* "/bin" */
  if (folder < tail || memcmp(program + folder - tail, bin + same, tail) != 0) {
    /* Where libtool leaves shared objects: the program was built in this folder
     * and is run without having been installed. */
    char *dir = text_join(program, folder, "/.libs");
    if (!dir)
      return false;
    if (access(dir, X_OK) == 0)
      return search_add(s, dir);
    free(dir);
    return true;
  }
  return search_add(s, text_join(program, folder - tail, lib + same));
}

static aq_status search_init(search *s, aq_diag *diag)
{
  *s = (search){.count = 0};
  if (add_environment(s) && add_beside_program(s) &&
      search_add(s, strdup(AQ_PLUGIN_DIR)))
    return AQ_OK;
  search_fini(s);
  return aq_diag_no_memory(diag);
}

/* ---- loading ---- */

static aq_status table_check(const aq_plugin_kind *kind,
                             const aq_plugin *plugin, aq_diag *diag)
{
  const aq_plugin_head *table = plugin->table;
  if (!table)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s gives no table",
                       plugin->path, kind->symbol);
  if (table->abi != kind->abi)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: made for version %u of the %s interface; this "
                       "program has version %u: compile it with the headers "
                       "of this version",
                       plugin->path, table->abi, kind->what, kind->abi);
  if (table->size < kind->size)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: its table has %u bytes, at least %u expected; "
                       "rebuild it with the headers of this version",
                       plugin->path, table->size, kind->size);
  if (!table->name || !table->summary)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: it has no name or no summary",
                       plugin->path);
  return AQ_OK;
}

static aq_status library_read(const aq_plugin_kind *kind, aq_plugin *plugin,
                              aq_diag *diag)
{
  union {
    void *object;
    const void *(*function)(void);
  } entry;
  entry.object = dlsym(plugin->library, kind->symbol);
  if (!entry.object)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: no %s plug-in: it has no %s",
                       plugin->path, kind->what, kind->symbol);
  plugin->table = entry.function();
  return table_check(kind, plugin, diag);
}

/* Loads exactly this file; takes `path`. */
static aq_status path_open(const aq_plugin_kind *kind, char *path,
                           aq_plugin *out, aq_diag *diag)
{
  aq_plugin plugin = {.path = path};
  aq_status status;
  if (!path)
    return aq_diag_no_memory(diag);
  plugin.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin.library)
    status = library_read(kind, &plugin, diag);
  else
    status = aq_diag_set(diag, AQ_ERR_INPUT, "%s plug-in %s: %s", kind->what,
                         path, dlerror());
  if (status == AQ_OK)
    *out = plugin;
  else
    aq_plugin_close(&plugin);
  return status;
}

static char *plugin_path(const char *dir, const aq_plugin_kind *kind,
                         const char *name)
{
  char *path;
  return asprintf(&path, "%s/%s/%s%s", dir, kind->folder, name, suffix) < 0
             ? NULL
             : path;
}

static aq_status say_not_found(const aq_plugin_kind *kind, const char *name,
                               const search *s, aq_diag *diag)
{
  char where[320] = "";
  for (size_t i = 0; i < s->count; i++) {
    size_t used = strlen(where);
    snprintf(where + used, sizeof where - used, "%s%s/%s", i ? ", " : "",
             s->dirs[i], kind->folder);
  }
  return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                     "no %s '%s': neither built in nor as %s%s in %s",
                     kind->what, name, name, suffix, where);
}

aq_status aq_plugin_open(const aq_plugin_kind *kind, const char *name,
                         aq_plugin *out, aq_diag *diag)
{
  if (strchr(name, '/'))
    return path_open(kind, strdup(name), out, diag);
  search s;
  aq_status status = search_init(&s, diag);
  if (status != AQ_OK)
    return status;
  char *found = NULL;
  for (size_t i = 0; i < s.count && !found; i++) {
    found = plugin_path(s.dirs[i], kind, name);
    if (found && access(found, F_OK) != 0) {
      free(found);
      found = NULL;
    }
  }
  status = found ? path_open(kind, found, out, diag)
                 : say_not_found(kind, name, &s, diag);
  search_fini(&s);
  return status;
}

void aq_plugin_close(aq_plugin *plugin)
{
  if (plugin->library)
    dlclose(plugin->library);
  free(plugin->path);
  *plugin = (aq_plugin){NULL, NULL, NULL};
}

/* ---- listing ---- */

static int is_plugin(const struct dirent *entry)
{
  size_t length = strlen(entry->d_name), end = sizeof suffix - 1;
  return length > end && strcmp(entry->d_name + length - end, suffix) == 0;
}

/* By bytes: a locale may not change the order. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
  return strcmp((*a)->d_name, (*b)->d_name);
}

static bool list_has(const aq_plugin_list *list, const char *name)
{
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->files[i].name, name) == 0)
      return true;
  return false;
}

static bool list_add(aq_plugin_list *list, const aq_plugin_kind *kind,
                     const char *dir, const char *file)
{
  char *name =
      aq_arena_text(&list->arena, file, strlen(file) - (sizeof suffix - 1));
  if (!name)
    return false;
  if (list_has(list, name))
    return true;
  char *path = plugin_path(dir, kind, name);
  char *kept = path ? aq_arena_text(&list->arena, path, strlen(path)) : NULL;
  free(path);
  return kept && AQ_ARRAY_PUSH(list->files, list->count, list->capacity,
                               (aq_plugin_file){name, kept});
}

static bool list_folder(aq_plugin_list *list, const aq_plugin_kind *kind,
                        const char *dir)
{
  char *folder;
  if (asprintf(&folder, "%s/%s", dir, kind->folder) < 0)
    return false;
  struct dirent **entries;
  int count = scandir(folder, &entries, is_plugin, by_name);
  bool ok = count >= 0 || errno != ENOMEM; /* a folder may be missing */
  free(folder);
  for (int i = 0; i < count; i++) {
    ok = ok && list_add(list, kind, dir, entries[i]->d_name);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  return ok;
}

aq_status aq_plugin_list_make(const aq_plugin_kind *kind, aq_plugin_list *out,
                              aq_diag *diag)
{
  search s;
  aq_status status = search_init(&s, diag);
  if (status != AQ_OK)
    return status;
  aq_plugin_list list = {.arena = AQ_ARENA_INIT};
  bool ok = true;
  for (size_t i = 0; i < s.count && ok; i++)
    ok = list_folder(&list, kind, s.dirs[i]);
  search_fini(&s);
  if (!ok) {
    aq_plugin_list_fini(&list);
    return aq_diag_no_memory(diag);
  }
  *out = list;
  return AQ_OK;
}

void aq_plugin_list_fini(aq_plugin_list *list)
{
  free(list->files);
  aq_arena_fini(&list->arena);
  *list = (aq_plugin_list){.arena = AQ_ARENA_INIT};
}

aq_status aq_plugin_file_find(const char *name, char **out, aq_diag *diag)
{
  search s;
  char *path = NULL;
  aq_status status = search_init(&s, diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; i < s.count; i++) {
    if (asprintf(&path, "%s/%s", s.dirs[i], name) < 0) {
      status = aq_diag_no_memory(diag);
      break;
    }
    if (access(path, R_OK) == 0) {
      *out = path;
      break;
    }
    free(path);
    path = NULL;
  }
  if (status == AQ_OK && !path)
    status =
        aq_diag_set(diag, AQ_ERR_NOT_FOUND, "%s: not found; looked in %s%s%s",
                    name, s.dirs[0], s.count > 1 ? " and " : "",
                    s.count > 1 ? s.dirs[s.count - 1] : "");
  search_fini(&s);
  return status;
}
