/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/recording.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/spool.h"
#include "gpu/codeobj/line_table.h"

enum { NAMES = 256, NAME_TRIES = 4 };

struct aqdrop_recording {
  aq_record_sink sink; /* first: passed to the transport */
  aq_spool *spool;
  char *files;                  /* owned: paths of its files, up to suffixes */
  char program[AQ_SPOOL_PLACE]; /* its file; empty: not known */
  bool silent;                  /* no row is kept: none is made */
  bool facts;                   /* are wanted */
  bool codes;                   /* code objects are */
  uint32_t code_count;          /* that were kept */
  aq_transport *transport;      /* atomic: the open one, or NULL */
  struct {
    const char *name; /* atomic: of a function, by address; NULL: free */
    int64_t id;       /* atomic: in the spool, plus 1; 0: not yet */
  } names[NAMES];     /* of calls that were recorded */
  aq_time last;       /* when the one before it was closed */
  int64_t lives;      /* transports so far */
};

enum { LIFE_BITS = 32 }; /* of a queue's source id, below the life */

static _Thread_local uint32_t call_depth;
static _Thread_local int64_t thread_id;

/* ---- the sink ---- */

static aq_record_sink *inner(aq_record_sink *sink)
{
  return aq_spool_sink(((aqdrop_recording *)sink)->spool);
}

static aq_status recording_device(aq_record_sink *sink,
                                  const aq_run_device *device, int64_t *ordinal,
                                  aq_diag *diag)
{
  return inner(sink)->device(inner(sink), device, ordinal, diag);
}

/* Each transport of the process counts its queues from 0. */
static aq_status recording_queue(aq_record_sink *sink,
                                 const aq_run_queue *queue, int64_t *ordinal,
                                 aq_diag *diag)
{
  const aqdrop_recording *r = (aqdrop_recording *)sink;
  aq_run_queue own = *queue;
  own.source_id += (r->lives - 1) << LIFE_BITS;
  return inner(sink)->queue(inner(sink), &own, ordinal, diag);
}

static aq_status recording_name(aq_record_sink *sink, const char *text,
                                size_t length, int64_t *id, aq_diag *diag)
{
  return inner(sink)->name(inner(sink), text, length, id, diag);
}

static void reproducible_note(aqdrop_recording *r)
{
  aq_transport_info info;
  aq_transport *t = __atomic_load_n(&r->transport, __ATOMIC_ACQUIRE);
  if (!t)
    return;
  t->ops->info(t, &info);
  if (!info.reproducible)
    aq_spool_reproducible(r->spool, false);
}

static aq_status recording_put_instructions(aq_record_sink *sink,
                                            const aq_instruction *rows,
                                            size_t count, aq_diag *diag)
{
  return inner(sink)->put_instructions(inner(sink), rows, count, diag);
}

static aq_status recording_put_counted(aq_record_sink *sink,
                                       const aq_counted *rows, size_t count,
                                       aq_diag *diag)
{
  return inner(sink)->put_counted(inner(sink), rows, count, diag);
}

static aq_status recording_put_traced(aq_record_sink *sink,
                                      const aq_traced *rows, size_t count,
                                      aq_diag *diag)
{
  const aqdrop_recording *r = (aqdrop_recording *)sink;
  aq_status status = AQ_OK;
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    aq_traced own = rows[i];
    own.queue += (r->lives - 1) << LIFE_BITS;
    status = inner(sink)->put_traced(inner(sink), &own, 1, diag);
  }
  return status;
}

static aq_status recording_put_findings(aq_record_sink *sink,
                                        const aq_finding *rows, size_t count,
                                        aq_diag *diag)
{
  return inner(sink)->put_findings(inner(sink), rows, count, diag);
}

/* The store to the doorbell, or the call that ordered the copy, is the host's
 * call; it takes no time on the clock. */
static aq_status recording_put(aq_record_sink *sink, const aq_record *rows,
                               size_t count, aq_diag *diag)
{
  aqdrop_recording *r = (aqdrop_recording *)sink;
  (void)diag;
  reproducible_note(r);
  aq_spool_put_submitted(r->spool, rows, count);
  return AQ_OK;
}

/* ---- life ---- */

/* A file of this process in the folder of the exec; NULL: out of memory. */
static char *file_path(const aqdrop_recording *r, const char *suffix)
{
  char *path;
  return asprintf(&path, "%s%s", r->files, suffix) < 0 ? NULL : path;
}

/* The spool of the image number `image`: execve keeps the process id, and the
 * files of the image before it stay. */
static aq_status spool_create(aqdrop_recording *r, const char *folder,
                              unsigned image, const aq_record_filter *rows,
                              aq_diag *diag)
{
  char number[12] = "";
  if (image > 0)
    snprintf(number, sizeof number, "_%u", image);
  if (asprintf(&r->files, "%s/%ld%s", folder, (long)getpid(), number) < 0) {
    r->files = NULL;
    return aq_diag_no_memory(diag);
  }
  char *path = file_path(r, AQ_SPOOL_SUFFIX);
  const aq_status status = path ? aq_spool_create(path, rows, &r->spool, diag)
                                : aq_diag_no_memory(diag);
  free(path);
  if (status != AQ_OK)
    free(r->files);
  return status;
}

aq_status aqdrop_recording_create(aqdrop_recording **out, aq_diag *diag)
{
  const char *folder = secure_getenv("AQUEDUCT_SPOOL");
  aq_record_filter rows;
  *out = NULL;
  if (!folder || !*folder)
    return AQ_OK;
  aq_status status = aq_record_filter_read(
      secure_getenv("AQUEDUCT_RECORD"), secure_getenv("AQUEDUCT_RECORD_LIMIT"),
      &rows, diag);
  if (status != AQ_OK)
    return status;
  aqdrop_recording *r = calloc(1, sizeof *r);
  if (!r)
    return aq_diag_no_memory(diag);
  r->sink = (aq_record_sink){.device = recording_device,
                             .queue = recording_queue,
                             .name = recording_name,
                             .put = recording_put,
                             .put_instructions = recording_put_instructions,
                             .put_findings = recording_put_findings,
                             .put_counted = recording_put_counted,
                             .put_traced = recording_put_traced};
  if (readlink("/proc/self/exe", r->program, sizeof r->program - 1) ==
      sizeof r->program - 1)
    r->program[0] = 0;
  r->silent = rows.kind == AQ_ROWS_NONE;
  const char *facts = secure_getenv("AQUEDUCT_FIDELITY");
  const char *codes = secure_getenv("AQUEDUCT_COVERAGE");
  r->facts = facts && *facts;
  r->codes = codes && *codes;
  status = AQ_ERR_EXISTS;
  for (unsigned image = 0; status == AQ_ERR_EXISTS; image++)
    status = spool_create(r, folder, image, &rows, diag);
  if (status == AQ_OK) {
    *out = r;
    return AQ_OK;
  }
  free(r);
  if (status != AQ_ERR_NOT_FOUND)
    return status;
  fprintf(stderr, "aqueduct: process %ld outlived its exec: not recorded\n",
          (long)getpid());
  return AQ_OK;
}

aq_record_sink *aqdrop_recording_sink(aqdrop_recording *r)
{
  if (!r)
    return NULL;
  r->lives++;
  return r->silent ? NULL : &r->sink;
}

aq_record_sink *aqdrop_recording_results_sink(aqdrop_recording *r)
{
  return r ? &r->sink : NULL;
}

aq_time aqdrop_recording_epoch(const aqdrop_recording *r)
{
  return r ? r->last : 0;
}

void aqdrop_recording_text(aqdrop_recording *r, const char *key,
                           const char *value)
{
  if (r)
    aq_spool_text_put(r->spool, key, value);
}

void aqdrop_recording_unchecked(aqdrop_recording *r)
{
  if (r)
    aq_spool_unchecked(r->spool);
}

void aqdrop_recording_attach(aqdrop_recording *r, aq_transport *transport)
{
  if (!r)
    return;
  if (transport) {
    aq_transport_info info;
    transport->ops->info(transport, &info);
    const aq_device_info *device = &info.devices[0];
    if (device->model)
      aq_spool_text_put(r->spool, "device_model", device->model);
    if (device->model_hash)
      aq_spool_text_put(r->spool, "model_hash", device->model_hash);
    if (device->verdict)
      aq_spool_text_put(r->spool, "model_verdict", device->verdict);
    aq_spool_ended(r->spool, false);
  } else {
    reproducible_note(r);
    if (r->transport)
      r->last = r->transport->ops->now(r->transport);
  }
  __atomic_store_n(&r->transport, transport, __ATOMIC_RELEASE);
}

/* write() of memory that is gone is an error, not a fault. */
void aqdrop_recording_missing(const aqdrop_recording *r, const char *kernel,
                              size_t length, const void *bytes, size_t size)
{
  char *path = r ? file_path(r, AQ_SPOOL_MISSING) : NULL;
  int fd =
      path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
  free(path);
  if (fd < 0)
    return;
  if (write(fd, kernel, length) != (ssize_t)length || write(fd, "", 1) != 1 ||
      write(fd, bytes, size) != (ssize_t)size)
    fprintf(stderr, "aqueduct: arguments of %.*s unknown\n", (int)length,
            kernel);
  close(fd);
}

void aqdrop_recording_code(aqdrop_recording *r, const void *bytes, size_t size)
{
  char suffix[40];
  if (!r || !r->codes || !aq_code_lines_are(bytes, size))
    return;
  snprintf(suffix, sizeof suffix, ".%" PRIu32 AQ_SPOOL_CODE,
           __atomic_fetch_add(&r->code_count, 1, __ATOMIC_RELAXED));
  char *path = file_path(r, suffix);
  const int fd =
      path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
  if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
    fprintf(stderr, "aqueduct: the coverage lacks a code object of %zu bytes\n",
            size);
  if (fd >= 0)
    close(fd);
  free(path);
}

bool aqdrop_recording_wants_facts(const aqdrop_recording *r)
{
  return r && r->facts;
}

/* One write a line, so that lines of several threads stay whole, and a process
 * that is killed leaves those before. */
void aqdrop_recording_fact(const aqdrop_recording *r, const char *fmt, ...)
{
  va_list args;
  char *line;
  if (!aqdrop_recording_wants_facts(r))
    return;
  va_start(args, fmt);
  int length = vasprintf(&line, fmt, args);
  va_end(args);
  if (length < 0)
    return;
  for (char *at = line; *at; at++)
    if ((unsigned char)*at < ' ' && *at != '\t')
      *at = '?';
  line[length] = '\n'; /* in the place of the zero byte */
  char *path = file_path(r, AQ_SPOOL_FIDELITY);
  int fd =
      path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (fd < 0 || write(fd, line, (size_t)length + 1) != length + 1)
    fprintf(stderr, "aqueduct: the report of fidelity lacks: %.*s\n", length,
            line);
  if (fd >= 0)
    close(fd);
  free(path);
  free(line);
}

void aqdrop_recording_abandon(aqdrop_recording *r)
{
  aq_spool_abandon(r->spool);
}

void aqdrop_recording_end(aqdrop_recording *r)
{
  if (!r)
    return;
  reproducible_note(r);
  aq_spool_ended(r->spool, true);
}

/* ---- calls ---- */

static int64_t thread_number(void)
{
  if (thread_id == 0)
    thread_id = gettid();
  return thread_id;
}

static aq_time recording_now(const aqdrop_recording *r)
{
  aq_transport *t = __atomic_load_n(&r->transport, __ATOMIC_ACQUIRE);
  return t ? t->ops->now(t) : r->last;
}

/* Notes the call for `exec`, which reports it if a signal ends the process.
 * Unlike dladdr, _dl_find_object takes no lock: another thread may hold that
 * while it waits for this one. */
static aq_spool_noted call_note(const aqdrop_recording *r, const char *name,
                                const void *from)
{
  const char *file = NULL;
  uint64_t offset = 0;
#if __GLIBC_PREREQ(2, 35)
  struct dl_find_object found;
  if (_dl_find_object((void *)(uintptr_t)from, &found) == 0) {
    const struct link_map *map = found.dlfo_link_map;
    file = *map->l_name ? map->l_name : r->program;
    offset = (uintptr_t)from - map->l_addr;
  }
#endif
  return aq_spool_call_begin(r->spool, thread_number(), name, file, offset);
}

aqdrop_call aqdrop_call_begin(aqdrop_recording *recording, const char *name,
                              aq_record_kind kind, const void *from)
{
  const bool outer = call_depth++ == 0;
  const aq_spool_noted last = outer && recording
                                  ? call_note(recording, name, from)
                                  : (aq_spool_noted){NULL, 0};
  if (!outer || (recording && recording->silent))
    recording = NULL;
  return (aqdrop_call){.recording = recording,
                       .name = name,
                       .kind = kind,
                       .begin = recording ? recording_now(recording) : 0,
                       .last = last};
}

/* Asks the spool, which takes its lock and looks at every byte. Out of memory:
 * the row goes without. */
static int64_t name_ask(aqdrop_recording *r, const char *name)
{
  aq_record_sink *sink = aq_spool_sink(r->spool);
  aq_diag diag = AQ_DIAG_INIT;
  int64_t id;
  return sink->name(sink, name, strlen(name), &id, &diag) == AQ_OK ? id
                                                                   : AQ_NONE;
}

/* The name of a function is the same text for ever: a place once taken stays,
 * so a reader that finds the name has its id, or 0 for a moment. */
static int64_t name_of(aqdrop_recording *r, const char *name)
{
  const uint32_t hash =
      (uint32_t)((uint64_t)(uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15) >>
                 32);
  for (uint32_t i = 0; i < NAME_TRIES; i++) {
    const uint32_t at = (hash + i) % NAMES;
    const char *there = __atomic_load_n(&r->names[at].name, __ATOMIC_ACQUIRE);
    if (!there &&
        __atomic_compare_exchange_n(&r->names[at].name, &there, name, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      const int64_t id = name_ask(r, name);
      __atomic_store_n(&r->names[at].id, id == AQ_NONE ? 0 : id + 1,
                       __ATOMIC_RELEASE);
      return id;
    }
    if (there == name) {
      const int64_t id = __atomic_load_n(&r->names[at].id, __ATOMIC_ACQUIRE);
      return id > 0 ? id - 1 : name_ask(r, name);
    }
  }
  return name_ask(r, name);
}

static void call_record(const aqdrop_call *call, aq_time end)
{
  aqdrop_recording *r = call->recording;
  aq_record_sink *sink = aq_spool_sink(r->spool);
  aq_record row;
  if (aq_spool_skip(r->spool, call->kind))
    return;
  aq_diag diag = AQ_DIAG_INIT;
  aq_record_init(&row);
  row.kind = call->kind;
  row.tid = thread_number();
  row.host_begin = call->begin;
  row.host_end = end;
  row.name = name_of(r, call->name);
  sink->put(sink, &row, 1, &diag);
}

void aqdrop_call_end(aqdrop_call *call)
{
  if (!call->name)
    return;
  call_depth--;
  aq_spool_call_end(call->last);
  if (!call->recording)
    return;
  aq_time end = recording_now(call->recording);
  if (!call->poll || end > call->begin)
    call_record(call, end);
}
