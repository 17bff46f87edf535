/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/spools.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/exec/driver_files.h"
#include "cli/exec/missing_kernels.h"
#include "common/json_out.h"
#include "common/spool.h"
#include "common/text.h"
#include "store/maintenance.h"
#include "study/session/cost.h"

#define EXEC_FILE   "exec"
#define OPENED_FILE "opened"

/* Storing the spools of one folder. */
typedef struct draining {
  const aq_spool_watch *watch;
  aq_store *store;
  const char *folder;
  aq_spool_wish wish;
  char *text;              /* owned; of the wish */
  bool recovers, outlived; /* orphans; of an exec that ended as it should */
  pid_t program;           /* 0: not known */
  int status;              /* of waitpid */
  uint32_t runs, left;
  aq_exec_reports *reports; /* or NULL */
  aq_spool_call last;       /* of the program */
  aq_diag *diag;
} draining;

/* ---- files ---- */

static char *path_join(const char *folder, const char *name)
{
  char *path;
  return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* The file, if no process has it locked; -1 otherwise. */
static int file_lock(const char *path)
{
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    fd = -1;
  }
  return fd;
}

static bool has_suffix(const char *name)
{
  const size_t suffix = sizeof AQ_SPOOL_SUFFIX - 1, length = strlen(name);
  return length > suffix &&
         strcmp(name + length - suffix, AQ_SPOOL_SUFFIX) == 0;
}

static int is_spool(const struct dirent *entry)
{
  return has_suffix(entry->d_name);
}

static int is_folder(const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

/* Lower process ids come first, and of one the images of execve in order. */
static int by_number(const struct dirent **a, const struct dirent **b)
{
  long x = strtol((*a)->d_name, NULL, 10), y = strtol((*b)->d_name, NULL, 10);
  return x != y ? (x > y) - (x < y) : strverscmp((*a)->d_name, (*b)->d_name);
}

/* ---- the description of the run ---- */

/* The file `exec`: texts, each ended by a zero byte. */
static bool text_write(const char *text, int fd)
{
  const size_t size = text ? strlen(text) + 1 : 1;
  return write(fd, text ? text : "", size) == (ssize_t)size;
}

static bool wish_write(const aq_spool_wish *wish, int fd)
{
  return text_write(wish->version, fd) && text_write(wish->command, fd) &&
         text_write(wish->program, fd) && text_write(wish->name, fd) &&
         text_write(wish->replaces ? "replace" : NULL, fd);
}

/* Of an execution that was killed before it had written, all is unknown. */
static bool wish_read(int fd, draining *d)
{
  aq_spool_wish *wish = &d->wish;
  struct stat state;
  if (fstat(fd, &state) != 0)
    return false;
  d->text = calloc(1, (size_t)state.st_size + 1);
  if (!d->text)
    return false;
  ssize_t size = pread(fd, d->text, (size_t)state.st_size, 0);
  const char *at = d->text, *end = d->text + (size > 0 ? size : 0);
  const char *replace = NULL, *outlived = NULL;
  const char **texts[] = {&wish->version, &wish->command, &wish->program,
                          &wish->name,    &replace,       &outlived};
  for (size_t i = 0; i < sizeof texts / sizeof *texts && at < end; i++) {
    *texts[i] = *at ? at : NULL;
    at += strlen(at) + 1;
  }
  wish->replaces = replace != NULL;
  d->outlived = outlived != NULL;
  return true;
}

/* ---- one spool ---- */

static char *notes_make(const draining *d, const aq_spool_reader *reader)
{
  aq_json_out *json = aq_json_out_begin(false);
  const bool known = d->program == reader->pid;
  if (!json)
    return NULL;
  aq_json_out_map(json, NULL);
  const char *time = aq_spool_text(reader, "time");
  aq_json_out_text(json, "time", time ? time : "live");
  aq_json_out_int(json, "pid", reader->pid);
  const char *kind = aq_spool_text(reader, "kind");
  if (kind && strcmp(kind, "measured") == 0 &&
      aq_spool_text(reader, "device_model"))
    aq_json_out_text(json, "measured_on", "simulator");
  if (known && WIFEXITED(d->status))
    aq_json_out_int(json, "exit_status", WEXITSTATUS(d->status));
  if (known && WIFSIGNALED(d->status))
    aq_json_out_int(json, "signal", WTERMSIG(d->status));
  if (d->recovers)
    aq_json_out_bool(json, "recovered", true);
  aq_json_out_close_map(json);
  return aq_json_out_take(json);
}

static aq_run_info info_make(const draining *d, const aq_spool_reader *reader,
                             const char *notes, char *recorded)
{
  const aq_spool_wish *w = &d->wish;
  aq_run_info info;
  const char *kind = aq_spool_text(reader, "kind");
  const char *transport = aq_spool_text(reader, "transport");
  const bool measured = kind && strcmp(kind, "measured") == 0;
  aq_run_info_init(&info, measured ? AQ_RUN_MEASURED : AQ_RUN_SIMULATED);
  info.durations = measured ? "measured here" : "assumed";
  info.source = w->program;
  info.transport = transport ? transport : "sim";
  info.device_model = aq_spool_text(reader, "device_model");
  info.model_hash = aq_spool_text(reader, "model_hash");
  info.model_verdict = aq_spool_text(reader, "model_verdict");
  info.command = w->command;
  info.version = w->version;
  info.notes = notes;
  info.reproducible = reader->reproducible;
  info.recorded = aq_record_filter_text(&reader->rows, recorded);
  if (reader->rows.kind != AQ_ROWS_NONE)
    info.left_out = (int64_t)aq_record_filter_left_out(&reader->rows);
  /* The name is that of the program that exec started. */
  if (d->runs == 0)
    info.name = w->name;
  return info;
}

/* Begins the run; a name that another run took meanwhile is dropped. */
static aq_status writer_open(draining *d, aq_run_info *info,
                             aq_store_writer **out)
{
  aq_status status = aq_store_writer_open(d->store, info, out, d->diag);
  if (status != AQ_ERR_EXISTS)
    return status;
  aq_note(d->watch->notes, "the name %s is taken: the run has none",
          info->name);
  info->name = NULL;
  return aq_store_writer_open(d->store, info, out, d->diag);
}

static aq_status run_store(draining *d, const aq_spool_reader *reader,
                           const char *files, const char *notes)
{
  const bool ended =
      reader->ended || (d->program == reader->pid && WIFEXITED(d->status));
  char recorded[AQ_ROW_CHOICE_TEXT], mixed[AQ_STORE_DURATIONS_SIZE];
  aq_run_info info = info_make(d, reader, notes, recorded);
  aq_store_writer *writer;
  aq_diag diag = AQ_DIAG_INIT;
  aq_status status = writer_open(d, &info, &writer);
  if (status != AQ_OK)
    return status;
  aq_status drained =
      aq_spool_drain(reader, aq_store_writer_sink(writer), &diag);
  int64_t id = aq_store_writer_run(writer);
  if (drained != AQ_OK && drained != AQ_ERR_INPUT) {
    aq_store_writer_abort(writer);
    return aq_diag_set(d->diag, drained, "%s", diag.text);
  }
  /* Of a spool that is damaged, what lies before the damage is kept. */
  const bool complete = ended && drained == AQ_OK && !reader->cut;
  info.durations = aq_session_cost_durations(writer, info.durations, mixed);
  status = complete ? aq_store_writer_finish(writer, &info, d->diag)
                    : aq_store_writer_leave(writer, &info, d->diag);
  if (status != AQ_OK)
    return status;
  if (drained != AQ_OK)
    aq_note(d->watch->notes, "run %" PRId64 " ends early: %s", id, diag.text);
  d->watch->run(
      &(aq_spooled_run){&info, id, complete, d->recovers, d->outlived},
      d->watch->user);
  d->runs++;
  if (!d->reports)
    return AQ_OK;
  d->reports->unchecked |= reader->unchecked;
  d->reports->unended |= !reader->ended;
  return aq_exec_reports_add(d->reports, d->store, &info, id, reader->pid,
                             files, d->diag);
}

static aq_status spool_store_bytes(draining *d, const char *path,
                                   const void *bytes, size_t size)
{
  aq_spool_reader reader;
  /* Killed before it had begun: there is nothing to keep. */
  if (!aq_spool_has_begun(bytes, size))
    return AQ_OK;
  aq_status status = aq_spool_open(&reader, path, bytes, size, d->diag);
  if (status != AQ_OK)
    return status;
  if (reader.pid == d->program)
    aq_spool_call_last(&reader, &d->last);
  char *notes = notes_make(d, &reader);
  char *files = strndup(path, strlen(path) - (sizeof AQ_SPOOL_SUFFIX - 1));
  status = notes && files ? run_store(d, &reader, files, notes)
                          : aq_diag_no_memory(d->diag);
  free(files);
  free(notes);
  return status;
}

/* Stores a spool whose process has ended, and removes it. */
static aq_status spool_take(draining *d, const char *path)
{
  struct stat state;
  int fd = file_lock(path);
  if (fd < 0) {
    d->left++;
    return AQ_OK;
  }
  aq_status status = AQ_OK;
  if (fstat(fd, &state) == 0 && state.st_size > 0) {
    size_t size = (size_t)state.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
      status = aq_diag_set(d->diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
    } else {
      status = spool_store_bytes(d, path, bytes, size);
      munmap(bytes, size);
    }
  }
  if (status == AQ_OK)
    unlink(path);
  close(fd);
  return status;
}

/* ---- a folder ---- */

static void folder_remove(const char *folder, int lock)
{
  char *driver = path_join(folder, AQ_SPOOLS_DRIVER);
  char *path = path_join(folder, EXEC_FILE);
  char *opened = path_join(folder, OPENED_FILE);
  struct dirent **names;
  int count = scandir(folder, &names, is_spool, NULL);
  for (int i = 0; i < count; i++)
    free(names[i]);
  if (count >= 0)
    free(names);
  if (path && opened && driver && count == 0) {
    aq_exec_driver_files_remove(driver);
    unlink(opened);
    unlink(path);
    rmdir(folder);
  }
  free(driver);
  free(opened);
  free(path);
  close(lock);
}

/* Stores a folder whose file `exec` is locked as `lock`. */
static aq_status folder_drain(draining *d, int lock, const char *store)
{
  if (!wish_read(lock, d))
    return aq_diag_no_memory(d->diag);
  aq_status status = aq_store_open(store, AQ_STORE_WRITE, &d->store, d->diag);
  if (status == AQ_OK) {
    aq_store_replace(d->store, d->wish.replaces);
    /* The spool of the program first, since it gets the name. */
    struct dirent **names;
    status = AQ_OK;
    int count = scandir(d->folder, &names, is_spool, by_number);
    for (int i = 0; i < count; i++) {
      char *path = path_join(d->folder, names[i]->d_name);
      if (status == AQ_OK)
        status = path ? spool_take(d, path) : aq_diag_no_memory(d->diag);
      free(path);
      free(names[i]);
    }
    if (count >= 0)
      free(names);
    aq_store_close(d->store);
  }
  aq_missing_kernels_report(d->folder, d->watch->notes);
  if (d->left == 0 && status == AQ_OK)
    aq_exec_reports_remove(d->folder);
  free(d->text);
  return status;
}

/* ---- an execution ---- */

/* A name that is taken is an error before the program runs. */
static aq_status name_check(aq_store *store, const aq_spool_wish *wish,
                            aq_diag *diag)
{
  const char *name = wish->name;
  aq_run_list list;
  if (!name || wish->replaces)
    return AQ_OK;
  aq_status status = aq_store_list(store, &list, diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; i < list.count && status == AQ_OK; i++)
    if (list.runs[i]->name && strcmp(list.runs[i]->name, name) == 0)
      status = aq_diag_set(diag, AQ_ERR_EXISTS,
                           "%s: there is a run named '%s' already; choose "
                           "another name, or --replace",
                           aq_store_path(store), name);
  aq_run_list_fini(&list);
  return status;
}

static char *folder_above(const char *store_path)
{
  char *real = realpath(store_path, NULL), *above = NULL;
  if (real && asprintf(&above, "%s.spool", real) < 0)
    above = NULL;
  free(real);
  return above;
}

/* It is hidden until its file is locked, so that no process takes it for an
 * orphan. */
static bool folder_make(const aq_spool_wish *wish, char *above, aq_spools *out)
{
  if (mkdir(above, 0700) != 0 && errno != EEXIST)
    return false;
  char *hidden = path_join(above, ".XXXXXX");
  char *path = hidden && mkdtemp(hidden) ? path_join(hidden, EXEC_FILE) : NULL;
  if (path)
    out->lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool made = out->lock >= 0 && flock(out->lock, LOCK_EX) == 0 &&
              wish_write(wish, out->lock) &&
              (out->folder = path_join(above, strrchr(hidden, '.') + 1)) &&
              (out->opened = path_join(out->folder, OPENED_FILE)) &&
              rename(hidden, out->folder) == 0;
  free(path);
  free(hidden);
  return made;
}

aq_status aq_spools_create(aq_store *store, const aq_spool_wish *wish,
                           aq_spools *out, aq_diag *diag)
{
  *out = (aq_spools)AQ_SPOOLS_NONE;
  aq_status status = name_check(store, wish, diag);
  char *above = status == AQ_OK ? folder_above(aq_store_path(store)) : NULL;
  if (status == AQ_OK && (!above || !folder_make(wish, above, out)))
    status = aq_diag_set(diag, AQ_ERR_IO, "%s.spool: %s", aq_store_path(store),
                         strerror(errno));
  free(above);
  return status;
}

aq_status aq_spools_store(aq_spools *spools, const char *store, pid_t program,
                          int status, const aq_spool_watch *watch,
                          aq_diag *diag)
{
  draining d = {.watch = watch,
                .folder = spools->folder,
                .program = program,
                .status = status,
                .reports = spools->reports,
                .diag = diag};
  aq_status stored = folder_drain(&d, spools->lock, store);
  spools->last = d.last;
  spools->stored = stored == AQ_OK;
  if (spools->reports)
    spools->reports->left = d.left;
  if (d.left > 0)
    aq_note(watch->notes,
            "%" PRIu32 " process%s still running: a later command stores the "
            "records",
            d.left, aq_text_plural_es(d.left));
  return stored;
}

void aq_spools_close(aq_spools *spools)
{
  if (spools->folder && spools->lock >= 0) {
    if (spools->stored) /* what stays is of processes that run on */
      (void)!text_write("outlived", spools->lock);
    folder_remove(spools->folder, spools->lock);
  }
  free(spools->opened);
  free(spools->folder);
  *spools = (aq_spools)AQ_SPOOLS_NONE;
}

/* ---- orphans ---- */

static void folder_recover(const aq_spool_watch *watch, const char *store_path,
                           const char *folder)
{
  char *path = path_join(folder, EXEC_FILE);
  int lock = path ? file_lock(path) : -1;
  aq_diag diag = AQ_DIAG_INIT;
  draining d = {
      .watch = watch, .folder = folder, .recovers = true, .diag = &diag};
  free(path);
  if (lock < 0)
    return;
  if (folder_drain(&d, lock, store_path) != AQ_OK)
    aq_note(watch->notes, "%s was not recovered: %s", folder, diag.text);
  folder_remove(folder, lock);
}

static int folders_list(char *above, struct dirent ***names)
{
  return above ? scandir(above, names, is_folder, alphasort) : -1;
}

void aq_spools_recover(const char *store_path, const aq_spool_watch *watch)
{
  struct dirent **names;
  char *above = folder_above(store_path);
  int count = folders_list(above, &names);
  for (int i = 0; i < count; i++) {
    char *folder = path_join(above, names[i]->d_name);
    if (folder)
      folder_recover(watch, store_path, folder);
    free(folder);
    free(names[i]);
  }
  if (count >= 0)
    free(names);
  free(above);
}

size_t aq_spools_count(const char *store_path)
{
  struct dirent **names;
  char *above = folder_above(store_path);
  int count = folders_list(above, &names);
  for (int i = 0; i < count; i++)
    free(names[i]);
  if (count >= 0)
    free(names);
  free(above);
  return count > 0 ? (size_t)count : 0;
}
