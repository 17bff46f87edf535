/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/map.h"
#include "common/spool_format.h"

struct aq_spool {
  aq_record_sink sink; /* first */
  pthread_mutex_t lock;
  int fd;
  int64_t pid;
  aq_spool_head *head;
  unsigned char *window; /* NULL: the disk is full, nothing more is kept */
  uint64_t window_begin; /* in entry bytes */
  uint64_t end;          /* of the appended bytes; `committed` follows */
  aq_names names, devices, queues; /* by their bytes, numbered as in the file */
};

/* ---- appending: the lock is held ---- */

static void window_unmap(aq_spool *spool)
{
  if (spool->window)
    munmap(spool->window, AQ_SPOOL_WINDOW);
  spool->window = NULL;
}

/* Allocates the blocks of the disk at once: a store to an unallocated page of a
 * file on a full disk would kill the process. */
static bool window_map(aq_spool *spool, uint64_t begin)
{
  off_t at = (off_t)(AQ_SPOOL_HEADER + begin);
  window_unmap(spool);
  if (posix_fallocate(spool->fd, at, AQ_SPOOL_WINDOW) != 0)
    return false;
  void *window = mmap(NULL, AQ_SPOOL_WINDOW, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_POPULATE, spool->fd, at);
  if (window == MAP_FAILED)
    return false;
  spool->window = window;
  spool->window_begin = begin;
  return true;
}

static void entry_head(aq_spool *spool, uint32_t kind, size_t size)
{
  aq_spool_entry entry = {kind, (uint32_t)size};
  memcpy(spool->window + (spool->end - spool->window_begin), &entry,
         sizeof entry);
  spool->end += sizeof entry;
}

/* Where the payload of a new entry goes, or NULL: it is dropped. */
static unsigned char *entry_begin(aq_spool *spool, aq_spool_kind kind,
                                  size_t size)
{
  size_t whole = sizeof(aq_spool_entry) + aq_spool_padded(size);
  if (!spool->window)
    return NULL;
  size_t left = AQ_SPOOL_WINDOW - (size_t)(spool->end - spool->window_begin);
  if (left < whole) {
    if (left > 0) {
      entry_head(spool, AQ_SPOOL_PAD, left - sizeof(aq_spool_entry));
      spool->end = spool->window_begin + AQ_SPOOL_WINDOW;
    }
    if (!window_map(spool, spool->end))
      return NULL;
  }
  entry_head(spool, kind, size);
  unsigned char *at = spool->window + (spool->end - spool->window_begin);
  spool->end += aq_spool_padded(size);
  return at;
}

/* Release: a reader of the file sees the entries before their count. */
static void entries_commit(aq_spool *spool)
{
  __atomic_store_n(&spool->head->committed, spool->end, __ATOMIC_RELEASE);
}

static void entry_drop(aq_spool *spool)
{
  __atomic_fetch_add(&spool->head->rows.lost, 1, __ATOMIC_RELAXED);
}

/* Appends an entry unless it is there already; its number goes to *number. */
static aq_status entry_number(aq_spool *spool, aq_names *known,
                              aq_spool_kind kind, const void *payload,
                              size_t size, int64_t *number, aq_diag *diag)
{
  pthread_mutex_lock(&spool->lock);
  size_t before = known->count;
  int64_t id = aq_names_id(known, payload, size);
  if (id >= 0 && known->count > before) {
    /* An entry whose payload is there as it is. */
    unsigned char *at = entry_begin(spool, kind, size);
    if (at)
      memcpy(at, payload, size);
    else
      entry_drop(spool);
    entries_commit(spool);
  }
  pthread_mutex_unlock(&spool->lock);
  if (id < 0)
    return aq_diag_no_memory(diag);
  *number = id;
  return AQ_OK;
}

/* ---- the sink ---- */

static size_t text_length(const char *text)
{
  return text ? strnlen(text, AQ_SPOOL_TEXT_MAX / 4) : 0;
}

static aq_status spool_device(aq_record_sink *sink, const aq_run_device *device,
                              int64_t *ordinal, aq_diag *diag)
{
  aq_spool *spool = (aq_spool *)sink;
  size_t name = text_length(device->name), gfx = text_length(device->gfx);
  aq_spool_device head = {.source_id = device->source_id,
                          .cus = device->cus,
                          .name_length = device->name ? (int32_t)name : -1,
                          .gfx_length = device->gfx ? (int32_t)gfx : -1};
  size_t size = sizeof head + name + gfx;
  unsigned char *payload = malloc(size);
  if (!payload)
    return aq_diag_no_memory(diag);
  memcpy(payload, &head, sizeof head);
  if (name)
    memcpy(payload + sizeof head, device->name, name);
  if (gfx)
    memcpy(payload + sizeof head + name, device->gfx, gfx);
  aq_status status = entry_number(spool, &spool->devices, AQ_SPOOL_DEVICE,
                                  payload, size, ordinal, diag);
  free(payload);
  return status;
}

static aq_status spool_queue(aq_record_sink *sink, const aq_run_queue *queue,
                             int64_t *ordinal, aq_diag *diag)
{
  aq_spool *spool = (aq_spool *)sink;
  aq_spool_queue payload = {queue->device, queue->source_id};
  return entry_number(spool, &spool->queues, AQ_SPOOL_QUEUE, &payload,
                      sizeof payload, ordinal, diag);
}

static aq_status spool_name(aq_record_sink *sink, const char *text,
                            size_t length, int64_t *id, aq_diag *diag)
{
  aq_spool *spool = (aq_spool *)sink;
  return entry_number(spool, &spool->names, AQ_SPOOL_NAME, text,
                      length < AQ_SPOOL_TEXT_MAX ? length : AQ_SPOOL_TEXT_MAX,
                      id, diag);
}

enum {
  PID_FIELD = offsetof(aq_record, pid) / sizeof(int64_t),
  ROW_MOST = (1 + AQ_RECORD_FIELD_COUNT) * sizeof(int64_t),
};

/* Appends the known ones of the fields from `first` on, before `end`. Each is
 * stored, and the next one overwrites it unless it is known: no branch depends
 * on the row. */
static inline int64_t *fields_pack(const int64_t *values, size_t first,
                                   size_t end, int64_t *to, uint64_t *known)
{
  for (size_t i = first; i < end; i++) {
    const bool is_known = values[i] != AQ_NONE;
    *to = values[i];
    to += is_known;
    *known |= (uint64_t)is_known << i;
  }
  return to;
}

/* Room for every field is there; the next entry gets the rest of it. */
static void row_append(aq_spool *spool, const aq_record *row)
{
  int64_t *begin =
      (int64_t *)(void *)entry_begin(spool, AQ_SPOOL_ROW, ROW_MOST);
  if (!begin) {
    entry_drop(spool);
    return;
  }
  const int64_t *values = aq_record_values(row);
  uint64_t known = UINT64_C(1) << PID_FIELD;
  int64_t *to = fields_pack(values, 0, PID_FIELD, begin + 1, &known);
  *to++ = row->pid == AQ_NONE ? spool->pid : row->pid;
  to = fields_pack(values, PID_FIELD + 1, AQ_RECORD_FIELD_COUNT, to, &known);
  *begin = (int64_t)known;
  const size_t size = (size_t)(to - begin) * sizeof *to;
  spool->end -= ROW_MOST - size;
  ((aq_spool_entry *)(void *)begin)[-1].size = (uint32_t)size;
}

static aq_status spool_put(aq_record_sink *sink, const aq_record *rows,
                           size_t count, aq_diag *diag)
{
  aq_spool *spool = (aq_spool *)sink;
  (void)diag;
  pthread_mutex_lock(&spool->lock);
  for (size_t i = 0; i < count; i++) {
    if (aq_record_filter_take(&spool->head->rows, rows[i].kind))
      row_append(spool, &rows[i]);
  }
  entries_commit(spool);
  pthread_mutex_unlock(&spool->lock);
  return AQ_OK;
}

/* An entry for each of `count` rows of `size` bytes. */
static aq_status rows_put(aq_record_sink *sink, aq_spool_kind kind,
                          const void *rows, size_t count, size_t size)
{
  aq_spool *spool = (aq_spool *)sink;
  const unsigned char *row = rows;
  pthread_mutex_lock(&spool->lock);
  for (size_t i = 0; i < count; i++, row += size) {
    unsigned char *at = entry_begin(spool, kind, size);
    if (at)
      memcpy(at, row, size);
    else
      entry_drop(spool);
  }
  entries_commit(spool);
  pthread_mutex_unlock(&spool->lock);
  return AQ_OK;
}

static aq_status spool_put_instructions(aq_record_sink *sink,
                                        const aq_instruction *rows,
                                        size_t count, aq_diag *diag)
{
  (void)diag;
  return rows_put(sink, AQ_SPOOL_COUNTS, rows, count, sizeof *rows);
}

static aq_status spool_put_counted(aq_record_sink *sink, const aq_counted *rows,
                                   size_t count, aq_diag *diag)
{
  (void)diag;
  return rows_put(sink, AQ_SPOOL_COUNTED, rows, count, sizeof *rows);
}

static aq_status spool_put_findings(aq_record_sink *sink,
                                    const aq_finding *rows, size_t count,
                                    aq_diag *diag)
{
  (void)diag;
  return rows_put(sink, AQ_SPOOL_FINDING, rows, count, sizeof *rows);
}

static aq_status spool_put_traced(aq_record_sink *sink, const aq_traced *rows,
                                  size_t count, aq_diag *diag)
{
  (void)diag;
  return rows_put(sink, AQ_SPOOL_TRACED, rows, count, sizeof *rows);
}

aq_record_sink *aq_spool_sink(aq_spool *spool)
{
  return &spool->sink;
}

bool aq_spool_skip(aq_spool *spool, int64_t kind)
{
  return aq_record_filter_skip(&spool->head->rows, kind);
}

/* ---- calls ---- */

static void field_put(char *to, size_t size, const char *text)
{
  const size_t length = strnlen(text, size - 1);
  memcpy(to, text, length);
  to[length] = 0;
}

/* A slot is the thread's that exchanged its state for `writing`, until that
 * stores the next. One that finds it taken notes nothing: the other's call is
 * as late. A file whose name is too long is not known. */
aq_spool_noted aq_spool_call_begin(aq_spool *spool, int64_t tid,
                                   const char *name, const char *file,
                                   uint64_t offset)
{
  const uint64_t writing = UINT64_MAX;
  aq_spool_call *call = &spool->head->last[tid % AQ_SPOOL_CALLS];
  const bool known = file && strlen(file) < sizeof call->file;
  if (__atomic_exchange_n(&call->state, writing, __ATOMIC_ACQUIRE) == writing)
    return (aq_spool_noted){NULL, 0};
  call->tid = tid;
  call->offset = offset;
  field_put(call->name, sizeof call->name, name);
  field_put(call->file, sizeof call->file, known ? file : "");
  const uint64_t state =
      2 * __atomic_add_fetch(&spool->head->calls, 1, __ATOMIC_RELAXED) + 1;
  __atomic_store_n(&call->state, state, __ATOMIC_RELEASE);
  return (aq_spool_noted){call, state};
}

/* The slot may have another call since. */
void aq_spool_call_end(aq_spool_noted noted)
{
  if (noted.call)
    __atomic_compare_exchange_n(&noted.call->state, &noted.state,
                                noted.state - 1, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

/* ---- the description of the run ---- */

void aq_spool_text_put(aq_spool *spool, const char *key, const char *value)
{
  size_t key_size = strlen(key) + 1, length = text_length(value);
  pthread_mutex_lock(&spool->lock);
  unsigned char *at = entry_begin(spool, AQ_SPOOL_TEXT, key_size + length + 1);
  if (at) {
    memcpy(at, key, key_size);
    memcpy(at + key_size, value, length);
    at[key_size + length] = 0;
    entries_commit(spool);
  } else {
    entry_drop(spool);
  }
  pthread_mutex_unlock(&spool->lock);
}

static void state_set(aq_spool *spool, uint32_t bit, bool yes)
{
  if (yes)
    __atomic_fetch_or(&spool->head->state, bit, __ATOMIC_RELAXED);
  else
    __atomic_fetch_and(&spool->head->state, ~bit, __ATOMIC_RELAXED);
}

void aq_spool_reproducible(aq_spool *spool, bool yes)
{
  state_set(spool, AQ_SPOOL_REPRODUCIBLE, yes);
}

void aq_spool_unchecked(aq_spool *spool)
{
  state_set(spool, AQ_SPOOL_UNCHECKED, true);
}

void aq_spool_ended(aq_spool *spool, bool yes)
{
  state_set(spool, AQ_SPOOL_ENDED, yes);
}

/* ---- life ---- */

static void head_init(aq_spool_head *head, const aq_record_filter *rows,
                      int64_t pid)
{
  size_t used = 0;
  *head = (aq_spool_head){.version = AQ_SPOOL_VERSION,
                          .window = AQ_SPOOL_WINDOW,
                          .field_count = AQ_RECORD_FIELD_COUNT,
                          .state = AQ_SPOOL_REPRODUCIBLE,
                          .pid = pid,
                          .created = (int64_t)time(NULL)};
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT; i++) {
    size_t length = strlen(aq_record_fields[i].name);
    memcpy(head->fields + used, aq_record_fields[i].name, length);
    head->fields[used + length] = ' ';
    used += length + 1;
  }
  if (rows)
    head->rows = *rows;
  /* Last: a file without it is no spool yet. */
  memcpy(head->magic, AQ_SPOOL_MAGIC, sizeof head->magic);
}

static bool spool_map(aq_spool *spool, const char *path)
{
  spool->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (spool->fd < 0 || flock(spool->fd, LOCK_EX | LOCK_NB) != 0)
    return false;
  errno = posix_fallocate(spool->fd, 0, AQ_SPOOL_HEADER);
  if (errno)
    return false;
  void *head = mmap(NULL, AQ_SPOOL_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED,
                    spool->fd, 0);
  if (head == MAP_FAILED)
    return false;
  spool->head = head;
  return window_map(spool, 0);
}

aq_status aq_spool_create(const char *path, const aq_record_filter *rows,
                          aq_spool **out, aq_diag *diag)
{
  aq_spool *spool = calloc(1, sizeof *spool);
  if (!spool)
    return aq_diag_no_memory(diag);
  spool->sink = (aq_record_sink){.device = spool_device,
                                 .queue = spool_queue,
                                 .name = spool_name,
                                 .put = spool_put,
                                 .put_instructions = spool_put_instructions,
                                 .put_findings = spool_put_findings,
                                 .put_counted = spool_put_counted,
                                 .put_traced = spool_put_traced};
  spool->pid = getpid();
  pthread_mutex_init(&spool->lock, NULL);
  if (!spool_map(spool, path)) {
    aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
    aq_spool_destroy(spool);
    return AQ_ERR_IO;
  }
  head_init(spool->head, rows, spool->pid);
  *out = spool;
  return AQ_OK;
}

void aq_spool_destroy(aq_spool *spool)
{
  if (!spool)
    return;
  window_unmap(spool);
  if (spool->head)
    munmap(spool->head, AQ_SPOOL_HEADER);
  if (spool->fd >= 0)
    close(spool->fd);
  aq_names_fini(&spool->names);
  aq_names_fini(&spool->devices);
  aq_names_fini(&spool->queues);
  pthread_mutex_destroy(&spool->lock);
  free(spool);
}

void aq_spool_abandon(aq_spool *spool)
{
  window_unmap(spool);
  munmap(spool->head, AQ_SPOOL_HEADER);
  close(spool->fd);
}
