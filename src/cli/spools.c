/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/spools.h"

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

#include "cli/missing_kernels.h"
#include "cli/runs.h"
#include "common/json_out.h"
#include "common/spool.h"
#include "store/store.h"

#define EXEC_FILE   "exec"
#define OPENED_FILE "opened"

enum { TEXT_MAX = 64 * 1024 };

/* What the file `exec` says: texts, each ended by a zero byte. */
typedef struct wish {
  char *text; /* owned */
  const char *version, *command, *program, *name;
} wish;

/* Storing the spools of one folder. */
typedef struct draining {
  aq_cli *cli;
  aq_store *store;
  const char *folder;
  const wish *wish;
  bool recovers;
  pid_t program; /* 0: not known */
  int status;    /* of waitpid */
  uint32_t runs, left;
} draining;

/* ---- files ---- */

static char *path_join(const char *folder, const char *name)
{
  char *path;
  return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* The file, if nobody has it locked; -1 otherwise. */
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

/* Lower process ids come first: numbers, then texts. */
static int by_number(const struct dirent **a, const struct dirent **b)
{
  long x = strtol((*a)->d_name, NULL, 10), y = strtol((*b)->d_name, NULL, 10);
  return x != y ? (x > y) - (x < y) : strcmp((*a)->d_name, (*b)->d_name);
}

/* ---- what the run is ---- */

static bool wish_write(const aq_cli *cli, int fd)
{
  const char *name = cli->values[AQ_CLI_OPT_NAME];
  const char *texts[] = {PACKAGE_VERSION, cli->command_line, cli->args[0],
                         name ? name : ""};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t size = strlen(texts[i]) + 1;
    if (write(fd, texts[i], size) != (ssize_t)size)
      return false;
  }
  return true;
}

/* A folder whose exec was killed before it had written: all are unknown. */
static bool wish_read(int fd, wish *out)
{
  *out = (wish){.text = calloc(1, TEXT_MAX + 1)};
  if (!out->text)
    return false;
  ssize_t size = pread(fd, out->text, TEXT_MAX, 0);
  const char *at = out->text, *end = out->text + (size > 0 ? size : 0);
  const char **texts[] = {&out->version, &out->command, &out->program,
                          &out->name};
  for (size_t i = 0; i < sizeof texts / sizeof *texts && at < end; i++) {
    *texts[i] = *at ? at : NULL;
    at += strlen(at) + 1;
  }
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
  aq_json_out_text(json, "time", "live");
  aq_json_out_int(json, "pid", reader->pid);
  if (known && WIFEXITED(d->status))
    aq_json_out_int(json, "exit_status", WEXITSTATUS(d->status));
  if (known && WIFSIGNALED(d->status))
    aq_json_out_int(json, "signal", WTERMSIG(d->status));
  if (reader->dropped)
    aq_json_out_int(json, "rows_lost", (int64_t)reader->dropped);
  if (d->recovers)
    aq_json_out_bool(json, "recovered", true);
  aq_json_out_close_map(json);
  return aq_json_out_take(json);
}

static aq_run_info info_make(const draining *d, const aq_spool_reader *reader,
                             const char *notes)
{
  const wish *w = d->wish;
  aq_run_info info = {.id = AQ_NONE,
                      .kind = AQ_RUN_SIMULATED,
                      .origin = AQ_NONE,
                      .source = w->program,
                      .transport = "sim",
                      .device_model = aq_spool_text(reader, "device_model"),
                      .model_hash = aq_spool_text(reader, "model_hash"),
                      .model_verdict = aq_spool_text(reader, "model_verdict"),
                      .command = w->command,
                      .version = w->version,
                      .notes = notes,
                      .seed = AQ_NONE,
                      .base_ns = AQ_NONE,
                      .created = AQ_NONE,
                      .reproducible = reader->reproducible};
  /* The name is that of the program that exec started. */
  if (d->runs == 0)
    info.name = w->name;
  return info;
}

/* Begins the run; a name that somebody took meanwhile is let go. */
static aq_status writer_open(draining *d, aq_run_info *info,
                             aq_store_writer **out)
{
  aq_status status = aq_store_writer_open(d->store, info, out, &d->cli->diag);
  if (status != AQ_ERR_EXISTS)
    return status;
  aq_cli_note(d->cli, "the name %s is taken: the run has none", info->name);
  info->name = NULL;
  return aq_store_writer_open(d->store, info, out, &d->cli->diag);
}

static void run_tell(const draining *d, const aq_run_info *info, int64_t id,
                     bool complete)
{
  aq_cli *cli = d->cli;
  char trust[AQ_CLI_TRUST_SIZE];
  const char *how = complete ? "" : " (incomplete)";
  aq_cli_run_trust(info, trust);
  if (d->recovers)
    aq_cli_note(cli, "recovered run %" PRId64 "%s of '%s', which was killed",
                id, how, info->command ? info->command : "?");
  else
    aq_cli_note(cli, "run %" PRId64 "%s, %s", id, how, trust);
  if (!d->recovers && cli->values[AQ_CLI_OPT_OUTPUT])
    fprintf(cli->out, "%" PRId64 "\n", id);
}

static aq_status run_store(draining *d, const aq_spool_reader *reader,
                           const char *notes)
{
  const bool ended =
      reader->ended || (d->program == reader->pid && WIFEXITED(d->status));
  aq_run_info info = info_make(d, reader, notes);
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
    return aq_diag_set(&d->cli->diag, drained, "%s", diag.text);
  }
  /* Of a spool that is damaged, what lies before the damage is kept. */
  const bool complete = ended && drained == AQ_OK && !reader->cut;
  status = complete ? aq_store_writer_finish(writer, NULL, &d->cli->diag)
                    : aq_store_writer_leave(writer, NULL, &d->cli->diag);
  if (status != AQ_OK)
    return status;
  if (drained != AQ_OK)
    aq_cli_note(d->cli, "run %" PRId64 " ends early: %s", id, diag.text);
  run_tell(d, &info, id, complete);
  d->runs++;
  return AQ_OK;
}

static aq_status spool_store(draining *d, const aq_spool_reader *reader)
{
  char *notes = notes_make(d, reader);
  if (!notes)
    return aq_cli_no_memory(d->cli);
  aq_status status = run_store(d, reader, notes);
  free(notes);
  return status;
}

static aq_status spool_store_bytes(draining *d, const char *path,
                                   const void *bytes, size_t size)
{
  aq_spool_reader reader;
  aq_diag diag = AQ_DIAG_INIT;
  /* Killed before it had begun: there is nothing to keep. */
  if (aq_spool_open(&reader, path, bytes, size, &diag) != AQ_OK)
    return AQ_OK;
  return spool_store(d, &reader);
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
      status = aq_diag_set(&d->cli->diag, AQ_ERR_IO, "%s: %s", path,
                           strerror(errno));
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

/* The spool of the program first, since it gets the name. */
static aq_status folder_store(draining *d)
{
  struct dirent **names;
  aq_status status = AQ_OK;
  int count = scandir(d->folder, &names, is_spool, by_number);
  for (int i = 0; i < count; i++) {
    char *path = path_join(d->folder, names[i]->d_name);
    if (status == AQ_OK)
      status = path ? spool_take(d, path) : aq_cli_no_memory(d->cli);
    free(path);
    free(names[i]);
  }
  if (count >= 0)
    free(names);
  return status;
}

static void folder_remove(const char *folder, int lock)
{
  char *path = path_join(folder, EXEC_FILE);
  char *opened = path_join(folder, OPENED_FILE);
  struct dirent **names;
  int count = scandir(folder, &names, is_spool, NULL);
  for (int i = 0; i < count; i++)
    free(names[i]);
  if (count >= 0)
    free(names);
  if (path && opened && count == 0) {
    unlink(opened);
    unlink(path);
    rmdir(folder);
  }
  free(opened);
  free(path);
  close(lock);
}

/* ---- for exec ---- */

/* A name that is taken is an error before the program runs. */
static aq_status name_check(aq_cli *cli, aq_store *store)
{
  const char *name = cli->values[AQ_CLI_OPT_NAME];
  aq_run_list list;
  aq_status status = AQ_OK;
  if (!name)
    return AQ_OK;
  status = aq_store_list(store, &list, &cli->diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; i < list.count && status == AQ_OK; i++)
    if (list.runs[i]->name && strcmp(list.runs[i]->name, name) == 0)
      status = aq_diag_set(&cli->diag, AQ_ERR_EXISTS,
                           "%s: there is a run named '%s' already",
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

/* It is hidden until its file is locked, so that nobody takes it for one that
 * was left. */
static bool folder_make(const aq_cli *cli, char *above, aq_cli_spools *out)
{
  if (mkdir(above, 0700) != 0 && errno != EEXIST)
    return false;
  char *hidden = path_join(above, ".XXXXXX");
  char *path = hidden && mkdtemp(hidden) ? path_join(hidden, EXEC_FILE) : NULL;
  if (path)
    out->lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool made = out->lock >= 0 && flock(out->lock, LOCK_EX) == 0 &&
              wish_write(cli, out->lock) &&
              (out->folder = path_join(above, strrchr(hidden, '.') + 1)) &&
              (out->opened = path_join(out->folder, OPENED_FILE)) &&
              rename(hidden, out->folder) == 0;
  free(path);
  free(hidden);
  return made;
}

aq_status aq_cli_spools_create(aq_cli *cli, aq_cli_spools *out)
{
  aq_store *store;
  *out = (aq_cli_spools)AQ_CLI_SPOOLS_NONE;
  aq_status status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status != AQ_OK)
    return status;
  status = name_check(cli, store);
  char *above = status == AQ_OK ? folder_above(aq_store_path(store)) : NULL;
  if (status == AQ_OK && (!above || !folder_make(cli, above, out)))
    status = aq_diag_set(&cli->diag, AQ_ERR_IO, "%s.spool: %s",
                         aq_store_path(store), strerror(errno));
  free(above);
  aq_store_close(store);
  return status;
}

aq_status aq_cli_spools_store(aq_cli *cli, aq_cli_spools *spools, pid_t program,
                              int waited)
{
  wish w;
  draining d = {.cli = cli,
                .folder = spools->folder,
                .wish = &w,
                .program = program,
                .status = waited};
  if (!wish_read(spools->lock, &w))
    return aq_cli_no_memory(cli);
  aq_status status = aq_store_open(cli->values[AQ_CLI_OPT_STORE],
                                   AQ_STORE_WRITE, &d.store, &cli->diag);
  if (status == AQ_OK) {
    status = folder_store(&d);
    aq_store_close(d.store);
  }
  aq_cli_missing_kernels_tell(cli, spools->folder);
  if (d.left > 0)
    aq_cli_note(cli,
                "%" PRIu32 " processes still run; a later command stores "
                "their records",
                d.left);
  free(w.text);
  return status;
}

void aq_cli_spools_close(aq_cli_spools *spools)
{
  if (spools->folder && spools->lock >= 0)
    folder_remove(spools->folder, spools->lock);
  free(spools->opened);
  free(spools->folder);
  *spools = (aq_cli_spools)AQ_CLI_SPOOLS_NONE;
}

/* ---- what was left ---- */

static void folder_recover(aq_cli *cli, const char *store_path,
                           const char *folder)
{
  char *path = path_join(folder, EXEC_FILE);
  int lock = path ? file_lock(path) : -1;
  wish w = {0};
  draining d = {.cli = cli, .folder = folder, .wish = &w, .recovers = true};
  aq_diag before = cli->diag;
  free(path);
  if (lock < 0)
    return;
  aq_status status = wish_read(lock, &w) ? AQ_OK : AQ_ERR_NO_MEMORY;
  if (status == AQ_OK)
    status = aq_store_open(store_path, AQ_STORE_WRITE, &d.store, &cli->diag);
  if (status == AQ_OK) {
    status = folder_store(&d);
    aq_store_close(d.store);
  }
  aq_cli_missing_kernels_tell(cli, folder);
  if (status != AQ_OK)
    aq_cli_note(cli, "%s was not recovered: %s", folder, cli->diag.text);
  cli->diag = before;
  free(w.text);
  folder_remove(folder, lock);
}

void aq_cli_spools_recover(aq_cli *cli, const char *store_path)
{
  struct dirent **names;
  char *above = folder_above(store_path);
  int count = above ? scandir(above, &names, is_folder, alphasort) : -1;
  for (int i = 0; i < count; i++) {
    char *folder = path_join(above, names[i]->d_name);
    if (folder)
      folder_recover(cli, store_path, folder);
    free(folder);
    free(names[i]);
  }
  if (count >= 0)
    free(names);
  free(above);
}
