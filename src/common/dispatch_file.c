/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/dispatch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/array.h"

static const char magic[4] = "AQDI";

enum {
  VERSION = 1,
  ORDER = 0x01020304,
  PAGE = AQ_ALLOCATION_PAGE,
  CHUNK = 256 * PAGE, /* read at once */
  NAME_MAX_BYTES = 4096,
};

/* The file: head, name, allocations, runs, heads of bytes, then all bytes. */
typedef struct head {
  char magic[4];
  uint32_t version, order, name_size; /* with its zero byte */
  char gfx[24];
  aq_kernel_packet packet;
  uint32_t allocations, runs, bytes, reserved;
} head;

typedef struct stored_allocation {
  uint64_t base, size;
  uint32_t kind;
  uint8_t writable, executable, reserved[2];
} stored_allocation;

typedef struct stored_bytes {
  uint64_t address, size;
} stored_bytes;

/* ---- writing ---- */

typedef struct writing {
  const char *path;
  int fd;
  const aq_allocations *map;
  aq_allocation *all; /* that the device may access */
  size_t count, capacity;
  aq_dispatch_run *runs;
  size_t run_count, run_capacity;
  stored_bytes *bytes;
  size_t bytes_count, bytes_capacity;
  unsigned char *chunk;
  aq_diag *diag;
} writing;

static uint64_t page_down(uint64_t address)
{
  return address & ~(uint64_t)(PAGE - 1);
}

static bool put(const writing *w, const void *bytes, size_t size)
{
  const char *at = bytes;
  while (size > 0) {
    const ssize_t done = write(w->fd, at, size);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    at += done;
    size -= (size_t)done;
  }
  return true;
}

static int by_base(const void *a, const void *b)
{
  const aq_allocation *x = a, *y = b;
  const uint64_t left = aq_address_host(x->base),
                 right = aq_address_host(y->base);
  return (left > right) - (left < right);
}

static aq_status allocations_take(writing *w, uint32_t device,
                                  aq_allocations *map)
{
  const size_t all = aq_allocations_list(map, NULL, 0);
  if (!AQ_ARRAY_RESERVE(w->all, w->capacity, all + 1))
    return aq_diag_no_memory(w->diag);
  const size_t count = aq_allocations_list(map, w->all, all);
  for (size_t i = 0; i < count && i < all; i++)
    if ((w->all[i].readers | w->all[i].writers) & aq_device_bit(device))
      w->all[w->count++] = w->all[i];
  qsort(w->all, w->count, sizeof *w->all, by_base);
  return AQ_OK;
}

/* Pages of all allocations, with touching and overlapping ones that are read
 * alike as one. */
static bool runs_make(writing *w)
{
  uint64_t before = 0;
  for (size_t i = 0; i < w->count; i++) {
    const uint64_t base = page_down(aq_address_host(w->all[i].base));
    const uint64_t end =
        page_down(aq_address_host(w->all[i].base) + w->all[i].size + PAGE - 1);
    aq_dispatch_run *last = w->run_count ? &w->runs[w->run_count - 1] : NULL;
    /* Where this process reads an allocation, from its place in the file. */
    const uint64_t shift =
        aq_address_is_alias(w->all[i].base) ? 0 : w->all[i].shift;
    if (last && base <= last->base + last->size && shift == before) {
      if (end > last->base + last->size)
        last->size = end - last->base;
    } else if (!AQ_ARRAY_PUSH(w->runs, w->run_count, w->run_capacity,
                              (aq_dispatch_run){base, end - base})) {
      return false;
    }
    before = shift;
  }
  return true;
}

/* A page that is gone reads as an error. */
static bool chunk_read(writing *w, uint64_t address, size_t size)
{
  const uint64_t host = aq_allocations_reach(w->map, address);
  const struct iovec to = {w->chunk, size},
                     from = {(void *)(uintptr_t)host, size};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size;
}

static bool is_zero(const unsigned char *page)
{
  return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

/* The pages of a run that are not all 0, as ranges; with `store`, their bytes
 * into the file. The memory may change between both: pages that were 0 stay
 * out. */
static aq_status run_scan(writing *w, const aq_dispatch_run *run)
{
  for (uint64_t at = run->base, end = run->base + run->size; at < end;) {
    const size_t size = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
    if (!chunk_read(w, at, size))
      return aq_diag_set(w->diag, AQ_ERR_IO,
                         "%s: memory at 0x%llx cannot be read", w->path,
                         (unsigned long long)at);
    for (size_t page = 0; page < size; page += PAGE) {
      stored_bytes *last =
          w->bytes_count ? &w->bytes[w->bytes_count - 1] : NULL;
      if (is_zero(w->chunk + page))
        continue;
      if (last && last->address + last->size == at + page &&
          at + page > run->base)
        last->size += PAGE;
      else if (!AQ_ARRAY_PUSH(w->bytes, w->bytes_count, w->bytes_capacity,
                              (stored_bytes){at + page, PAGE}))
        return aq_diag_no_memory(w->diag);
    }
    at += size;
  }
  return AQ_OK;
}

static bool bytes_put(writing *w, const stored_bytes *bytes)
{
  for (uint64_t at = bytes->address, end = at + bytes->size; at < end;) {
    const size_t size = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
    if (!chunk_read(w, at, size) || !put(w, w->chunk, size))
      return false;
    at += size;
  }
  return true;
}

static bool file_put(writing *w, const aq_kernel_packet *packet,
                     const char *gfx, const char *kernel)
{
  head h = {.version = VERSION,
            .order = ORDER,
            .name_size = (uint32_t)strlen(kernel) + 1,
            .packet = *packet,
            .allocations = (uint32_t)w->count,
            .runs = (uint32_t)w->run_count,
            .bytes = (uint32_t)w->bytes_count};
  memcpy(h.magic, magic, sizeof magic);
  snprintf(h.gfx, sizeof h.gfx, "%s", gfx);
  bool ok = put(w, &h, sizeof h) && put(w, kernel, h.name_size);
  for (size_t i = 0; i < w->count && ok; i++) {
    const aq_allocation *a = &w->all[i];
    const stored_allocation s = {.base = a->base,
                                 .size = a->size,
                                 .kind = a->kind,
                                 .writable = a->writers != 0,
                                 .executable = a->executable};
    ok = put(w, &s, sizeof s);
  }
  ok = ok && put(w, w->runs, w->run_count * sizeof *w->runs) &&
       put(w, w->bytes, w->bytes_count * sizeof *w->bytes);
  for (size_t i = 0; i < w->bytes_count && ok; i++)
    ok = bytes_put(w, &w->bytes[i]);
  return ok;
}

static aq_status whole_write(writing *w, const aq_kernel_packet *packet,
                             const char *gfx, const char *kernel)
{
  if (!runs_make(w) || !(w->chunk = malloc(CHUNK)))
    return aq_diag_no_memory(w->diag);
  aq_status status = AQ_OK;
  for (size_t i = 0; i < w->run_count && status == AQ_OK; i++)
    status = run_scan(w, &w->runs[i]);
  if (status != AQ_OK)
    return status;
  w->fd = open(w->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (w->fd < 0)
    return aq_diag_set(w->diag, errno == EEXIST ? AQ_ERR_EXISTS : AQ_ERR_IO,
                       "%s: %s", w->path, strerror(errno));
  const bool ok = file_put(w, packet, gfx, kernel);
  if (close(w->fd) == 0 && ok)
    return AQ_OK;
  unlink(w->path);
  return aq_diag_set(w->diag, AQ_ERR_IO, "%s: it cannot be written", w->path);
}

aq_status aq_dispatch_file_write(const char *path,
                                 const aq_kernel_packet *packet,
                                 const char *gfx, const char *kernel,
                                 uint32_t device, aq_allocations *map,
                                 aq_diag *diag)
{
  writing w = {.path = path, .map = map, .diag = diag};
  if (aq_allocations_are_open(map))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s: with XNACK all memory of the process belongs to "
                       "a dispatch, which a file does not hold",
                       path);
  if (strlen(kernel) >= NAME_MAX_BYTES)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s: the kernel's name has more than %d bytes", path,
                       NAME_MAX_BYTES - 1);
  aq_status status = allocations_take(&w, device, map);
  if (status == AQ_OK)
    status = whole_write(&w, packet, gfx, kernel);
  free(w.all);
  free(w.runs);
  free(w.bytes);
  free(w.chunk);
  return status;
}

/* ---- reading ---- */

bool aq_dispatch_file_is(const char *path)
{
  char first[sizeof magic] = "";
  FILE *file = fopen(path, "re");
  const bool is = file && fread(first, sizeof first, 1, file) == 1 &&
                  memcmp(first, magic, sizeof magic) == 0;
  if (file)
    fclose(file);
  return is;
}

typedef struct reading {
  const unsigned char *at;
  size_t left;
} reading;

static const void *take(reading *r, uint64_t size)
{
  const unsigned char *at = r->at;
  if (size > r->left)
    return NULL;
  r->at += size;
  r->left -= size;
  return at;
}

static aq_status damaged(aq_diag *diag, const char *atomic)
{
  return aq_diag_set(diag, AQ_ERR_INPUT, "dispatch file: %s", atomic);
}

/* A range of the host's memory that programs can have. */
static bool is_range(uint64_t base, uint64_t size)
{
  return size > 0 && base >= PAGE && size <= AQ_ALIAS_BASE &&
         base <= AQ_ALIAS_BASE - size;
}

static bool run_has(const aq_dispatch_run *run, uint64_t base, uint64_t size)
{
  return base >= run->base && size <= run->size &&
         base - run->base <= run->size - size;
}

static const aq_dispatch_run *run_of(const aq_dispatch_file *f, uint64_t base,
                                     uint64_t size)
{
  uint32_t first = 0, end = f->run_count;
  while (first < end) {
    const uint32_t middle = first + (end - first) / 2;
    if (f->runs[middle].base <= base)
      first = middle + 1;
    else
      end = middle;
  }
  return first > 0 && run_has(&f->runs[first - 1], base, size)
             ? &f->runs[first - 1]
             : NULL;
}

static aq_status runs_read(aq_dispatch_file *f, reading *r, aq_diag *diag)
{
  const void *from = take(r, (uint64_t)f->run_count * sizeof *f->runs);
  if (!from || !(f->runs = calloc(f->run_count + 1u, sizeof *f->runs)))
    return from ? aq_diag_no_memory(diag) : damaged(diag, "it is cut off");
  memcpy(f->runs, from, f->run_count * sizeof *f->runs);
  for (uint32_t i = 0; i < f->run_count; i++) {
    const aq_dispatch_run *run = &f->runs[i];
    if (run->base % PAGE || run->size % PAGE || !is_range(run->base, run->size))
      return damaged(diag, "a run is not of whole pages");
    if (i > 0 && run->base < run[-1].base + run[-1].size)
      return damaged(diag, "runs are out of order");
  }
  return AQ_OK;
}

static aq_status allocations_read(aq_dispatch_file *f, const void *from,
                                  aq_diag *diag)
{
  f->allocations = calloc(f->allocation_count + 1u, sizeof *f->allocations);
  if (!f->allocations)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < f->allocation_count; i++) {
    stored_allocation s;
    memcpy(&s, (const char *)from + i * sizeof s, sizeof s);
    const uint64_t host = aq_address_host(s.base);
    if (!aq_allocation_kind_text(s.kind) || !is_range(host, s.size) ||
        !run_of(f, host, s.size))
      return damaged(diag, "an allocation is of no kind or without memory");
    f->allocations[i] =
        (aq_allocation){.base = s.base,
                        .size = s.size,
                        .readers = AQ_DEVICES_ALL,
                        .writers = s.writable ? AQ_DEVICES_ALL : 0,
                        .kind = (uint8_t)s.kind,
                        .executable = s.executable != 0};
  }
  return AQ_OK;
}

static aq_status bytes_read(aq_dispatch_file *f, reading *r, aq_diag *diag)
{
  const char *from = take(r, (uint64_t)f->bytes_count * sizeof(stored_bytes));
  if (!from || !(f->bytes = calloc(f->bytes_count + 1u, sizeof *f->bytes)))
    return from ? aq_diag_no_memory(diag) : damaged(diag, "it is cut off");
  for (uint32_t i = 0; i < f->bytes_count; i++) {
    stored_bytes s;
    memcpy(&s, from + i * sizeof s, sizeof s);
    const void *bytes = take(r, s.size);
    if (!bytes)
      return damaged(diag, "it is cut off");
    if (!is_range(s.address, s.size) || !run_of(f, s.address, s.size))
      return damaged(diag, "bytes lie outside of its memory");
    f->bytes[i] = (aq_dispatch_bytes){s.address, s.size, bytes};
  }
  return r->left == 0 ? AQ_OK : damaged(diag, "more follows than it says");
}

static aq_status head_check(const head *h, aq_diag *diag)
{
  if (memcmp(h->magic, magic, sizeof magic) != 0)
    return damaged(diag, "it does not begin as one");
  if (h->order != ORDER)
    return damaged(diag, "it is of a machine with another byte order");
  if (h->version != VERSION)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "dispatch file: version %u of the format, expected %d",
                       h->version, VERSION);
  if (h->name_size == 0 || h->name_size > NAME_MAX_BYTES ||
      memchr(h->gfx, 0, sizeof h->gfx) == NULL)
    return damaged(diag, "its head is damaged");
  for (int i = 0; i < 3; i++)
    if (h->packet.workgroup_size[i] == 0 || h->packet.grid_size[i] == 0)
      return damaged(diag, "the packet has a size of 0");
  return AQ_OK;
}

static aq_status parts_read(aq_dispatch_file *f, reading *r, aq_diag *diag)
{
  head h;
  const void *from = take(r, sizeof h);
  if (!from)
    return damaged(diag, "it is cut off");
  memcpy(&h, from, sizeof h);
  aq_status status = head_check(&h, diag);
  if (status != AQ_OK)
    return status;
  f->packet = h.packet;
  memcpy(f->gfx, h.gfx, sizeof f->gfx);
  f->allocation_count = h.allocations;
  f->run_count = h.runs;
  f->bytes_count = h.bytes;
  f->kernel = take(r, h.name_size);
  from = take(r, (uint64_t)h.allocations * sizeof(stored_allocation));
  if (!f->kernel || f->kernel[h.name_size - 1] != 0 || !from)
    return damaged(diag, "it is cut off");
  status = runs_read(f, r, diag);
  if (status == AQ_OK)
    status = allocations_read(f, from, diag);
  return status == AQ_OK ? bytes_read(f, r, diag) : status;
}

aq_status aq_dispatch_file_read(const void *bytes, size_t size,
                                aq_dispatch_file *out, aq_diag *diag)
{
  aq_dispatch_file f = {.kernel = NULL};
  reading r = {bytes, size};
  aq_status status = parts_read(&f, &r, diag);
  if (status == AQ_OK)
    *out = f;
  else
    aq_dispatch_file_close(&f);
  return status;
}

aq_status aq_dispatch_file_open(const char *path, aq_dispatch_file *out,
                                aq_diag *diag)
{
  struct stat info = {0};
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  void *bytes = MAP_FAILED;
  if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0)
    bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  const int error = errno;
  if (fd >= 0)
    close(fd);
  if (bytes == MAP_FAILED)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "%s: %s", path, strerror(error));
  aq_status status =
      aq_dispatch_file_read(bytes, (size_t)info.st_size, out, diag);
  if (status != AQ_OK) {
    munmap(bytes, (size_t)info.st_size);
    return aq_diag_prefix(diag, "%s", path);
  }
  out->file = bytes;
  out->size = (size_t)info.st_size;
  return AQ_OK;
}

void aq_dispatch_file_close(aq_dispatch_file *file)
{
  free(file->allocations);
  free(file->runs);
  free(file->bytes);
  if (file->file)
    munmap((void *)(uintptr_t)file->file, file->size);
  *file = (aq_dispatch_file){.kernel = NULL};
}
