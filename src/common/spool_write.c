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

enum {
  CHUNK = 64 * 1024, /* bytes that the body gets at least, at a time */
  MAPPED = AQ_SPOOL_HEADER + AQ_SPOOL_WINDOW,
};

_Static_assert(CHUNK + 2 * AQ_SPOOL_TEXT_MAX < AQ_SPOOL_WINDOW,
               "the window has room for any entry behind a chunk");

struct aq_spool {
  aq_record_sink sink; /* first */
  pthread_mutex_t lock;
  int fd;
  aq_spool_head *head;             /* the mapping: header and window */
  unsigned char *window;           /* entries behind `moved` */
  uint64_t moved, end;             /* of entry bytes: in the body, all */
  bool full;                       /* the disk: the body takes no more */
  bool closed;                     /* the window is full, too */
  aq_names names, devices, queues; /* by their bytes, numbered as in the file */
};

/* ---- appending: the lock is held ---- */

/* Release: a reader of the file sees the entries before their count. */
static void entries_commit(aq_spool *spool)
{
  __atomic_store_n(&spool->head->committed, spool->end, __ATOMIC_RELEASE);
}

/* Writes the window behind the body. The thread is the client's: cancelled in
 * pwrite, it would keep the lock. */
static bool window_write(const aq_spool *spool, size_t size)
{
  const off_t to = MAPPED + (off_t)spool->moved;
  size_t done = 0;
  ssize_t written = 1;
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  while (done < size && (written > 0 || (written < 0 && errno == EINTR))) {
    written =
        pwrite(spool->fd, spool->window + done, size - done, to + (off_t)done);
    done += written > 0 ? (size_t)written : 0;
  }
  pthread_setcancelstate(before, &before);
  return done == size;
}

/* Appends the window to the body, whole: part of it counts as none. */
static void window_move(aq_spool *spool)
{
  entries_commit(spool);
  spool->full = !window_write(spool, (size_t)(spool->end - spool->moved));
  if (spool->full)
    return;
  spool->moved = spool->end;
  /* Release: before the window gets other entries. */
  __atomic_store_n(&spool->head->moved, spool->moved, __ATOMIC_RELEASE);
}

/* Where the payload of a new entry goes, or NULL: it is dropped. */
static inline unsigned char *entry_begin(aq_spool *spool, aq_spool_kind kind,
                                         size_t size)
{
  const size_t padded = aq_spool_padded(size);
  if (spool->end - spool->moved >= CHUNK && !spool->full)
    window_move(spool);
  const size_t used = (size_t)(spool->end - spool->moved);
  aq_spool_entry *entry = (aq_spool_entry *)(void *)(spool->window + used);
  /* Later entries may name the one that is dropped. */
  spool->closed |= AQ_SPOOL_WINDOW - used < sizeof *entry + padded;
  if (spool->closed)
    return NULL;
  *entry = (aq_spool_entry){kind, (uint32_t)size};
  spool->end += sizeof *entry + padded;
  return (unsigned char *)(entry + 1);
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
    if (at) /* else rows that name it are dropped and counted */
      memcpy(at, payload, size);
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

/* Bit n: field n is known. Without a loop, in half of its instructions. */
static inline uint64_t fields_known(const aq_record *row)
{
  return 0
#define F(field, unit, meaning)                                                \
  | (uint64_t)(row->field != AQ_NONE) << AQ_RECORD_FIELD_##field
#include "common/record.def"
#undef F
      ;
}

/* Room for every field is there; the next entry gets the rest of it. */
static inline void row_append(aq_spool *spool, aq_spool_kind kind,
                              const aq_record *row)
{
  const size_t most = (1 + AQ_RECORD_FIELD_COUNT) * sizeof(int64_t);
  const int64_t *values = aq_record_values(row);
  uint64_t known = fields_known(row);
  int64_t *begin = (int64_t *)(void *)entry_begin(spool, kind, most), *to;
  if (!begin) {
    entry_drop(spool);
    return;
  }
  *begin = (int64_t)known;
  for (to = begin + 1; known; known &= known - 1)
    *to++ = values[__builtin_ctzll(known)];
  const size_t size = (size_t)(to - begin) * sizeof *to;
  spool->end -= most - size;
  ((aq_spool_entry *)(void *)begin)[-1].size = (uint32_t)size;
}

static void rows_append(aq_spool *spool, aq_spool_kind kind,
                        const aq_record *rows, size_t count)
{
  pthread_mutex_lock(&spool->lock);
  for (size_t i = 0; i < count; i++)
    if (aq_record_filter_take(&spool->head->rows, rows[i].kind))
      row_append(spool, kind, &rows[i]);
  entries_commit(spool);
  pthread_mutex_unlock(&spool->lock);
}

static aq_status spool_put(aq_record_sink *sink, const aq_record *rows,
                           size_t count, aq_diag *diag)
{
  (void)diag;
  rows_append((aq_spool *)sink, AQ_SPOOL_ROW, rows, count);
  return AQ_OK;
}

void aq_spool_put_submitted(aq_spool *spool, const aq_record *rows,
                            size_t count)
{
  rows_append(spool, AQ_SPOOL_PACKET, rows, count);
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
  /* A store to an unallocated page of a file on a full disk would kill the
   * process. */
  errno = posix_fallocate(spool->fd, 0, MAPPED);
  if (errno)
    return false;
  void *mapped =
      mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED, spool->fd, 0);
  if (mapped == MAP_FAILED)
    return false;
  spool->head = mapped;
  spool->window = (unsigned char *)mapped + AQ_SPOOL_HEADER;
  return true;
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
  pthread_mutex_init(&spool->lock, NULL);
  if (!spool_map(spool, path)) {
    const aq_status status = errno == EEXIST   ? AQ_ERR_EXISTS
                             : errno == ENOENT ? AQ_ERR_NOT_FOUND
                                               : AQ_ERR_IO;
    aq_diag_set(diag, status, "%s: %s", path, strerror(errno));
    aq_spool_destroy(spool);
    return status;
  }
  head_init(spool->head, rows, getpid());
  *out = spool;
  return AQ_OK;
}

void aq_spool_destroy(aq_spool *spool)
{
  if (!spool)
    return;
  if (spool->head)
    munmap(spool->head, MAPPED);
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
  munmap(spool->head, MAPPED);
  close(spool->fd);
}
