/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/record/capture_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "backend_sim/queue_state.h"
#include "common/allocations.h"
#include "common/array.h"
#include "common/fnv.h"
#include "common/record_filter.h"
#include "dropin/hsa/record/capture_writer.h"

enum {
  PAGE = AQ_ALLOCATION_PAGE,
  PART = 64, /* bytes that are compared at once */
  PAGES_AT_ONCE = 256,
  RUN_MAX = 32 << 10 /* bytes a line */
};

/* 256 MiB: bytes of memory, two characters each in the file. */
#define CONTENTS_LIMIT ((uint64_t)256 << 20)

typedef struct page_copy {
  struct page_copy *next;
  unsigned char bytes[PAGE];
} page_copy;

/* Different bytes that follow each other, on their way to a line. */
typedef struct run {
  uint64_t address;
  size_t size;
  unsigned char bytes[RUN_MAX];
} run;

struct aqdrop_capture_memory {
  aq_executor table;
  const aq_executor *inner;
  aqdrop_capture *capture;
  aq_map pages; /* by address: the bytes as the file has them; none: zeros */
  page_copy *first_page;
  aq_allocation *known, *now; /* that the file names, and that there are */
  size_t known_count, known_capacity, now_count, now_capacity;
  uint64_t written, limit; /* bytes */
  bool ended;              /* no memory or no room was left */
  uint32_t open;           /* kernels that have begun */
  int pagemap;             /* of this process, or -1 */
  unsigned char read[PAGES_AT_ONCE][PAGE];
  run run;
};

/* A kernel that executes. */
typedef struct execution {
  void *inner;
  aqdrop_capture_memory *contents;
  const aqsim_queue *queue; /* NULL: the capture does not have it */
  uint64_t packet;
  uint32_t waits; /* steps after which it waited for memory to change */
  uint64_t ticks; /* of the device's clock, at its last step */
} execution;

/* ---- lines ---- */

static void line_begin(aqdrop_line *line, const char *event, const execution *e)
{
  aqdrop_line_begin(line, event, e->queue->sim->now);
  aqdrop_line_number(line, "queue", e->queue->ring.id);
  aqdrop_line_number(line, "packet", (int64_t)e->packet);
}

static void line_end(aqdrop_line *line, const execution *e)
{
  aqdrop_line_end(line, e->contents->capture);
}

/* From here on the capture has no contents. */
static void contents_stop(aqdrop_capture_memory *c, const execution *e,
                          const char *why)
{
  aqdrop_line line;
  if (c->ended)
    return;
  c->ended = true;
  fprintf(stderr,
          "aqueduct: the capture holds no memory from packet %llu of queue %u "
          "on: %s\n",
          (unsigned long long)e->packet, e->queue->ring.id, why);
  line_begin(&line, "contents-end", e);
  aqdrop_line_text(&line, "why", why);
  line_end(&line, e);
}

static void run_flush(aqdrop_capture_memory *c, const execution *e, bool wrote)
{
  aqdrop_line line;
  run *r = &c->run;
  if (r->size == 0 || c->ended)
    return;
  line_begin(&line, wrote ? "wrote" : "memory", e);
  aqdrop_line_number(&line, "address", (int64_t)r->address);
  if (wrote) {
    aqdrop_line_number(&line, "size", (int64_t)r->size);
    aqdrop_line_number(
        &line, "digest",
        (int64_t)(aq_fnv_add(AQ_FNV_START, r->bytes, r->size) & INT64_MAX));
  } else {
    aqdrop_line_hex(&line, "bytes", r->bytes, r->size);
    c->written += r->size;
  }
  line_end(&line, e);
  r->size = 0;
  if (c->limit > 0 && c->written > c->limit)
    contents_stop(c, e, "AQUEDUCT_CAPTURE_MEMORY is reached");
}

static void run_add(aqdrop_capture_memory *c, const execution *e, bool wrote,
                    uint64_t address, const unsigned char *bytes)
{
  run *r = &c->run;
  if (r->size + PART > RUN_MAX || r->address + r->size != address)
    run_flush(c, e, wrote);
  if (r->size == 0)
    r->address = address;
  memcpy(r->bytes + r->size, bytes, PART);
  r->size += PART;
}

/* ---- pages ---- */

static page_copy *page_make(aqdrop_capture_memory *c, uint64_t address)
{
  page_copy *page = calloc(1, sizeof *page);
  if (!page || !aq_map_put(&c->pages, address, (uintptr_t)page)) {
    free(page);
    return NULL;
  }
  page->next = c->first_page;
  c->first_page = page;
  return page;
}

/* The bytes of a page from `first` to `end`, which are whole parts. */
static void page_compare(aqdrop_capture_memory *c, const execution *e,
                         bool wrote, uint64_t address,
                         const unsigned char *bytes, size_t first, size_t end)
{
  static const unsigned char zeros[PAGE];
  uint64_t found = 0;
  aq_map_get(&c->pages, address, &found);
  page_copy *page = (void *)(uintptr_t)found;
  if (memcmp((page ? page->bytes : zeros) + first, bytes + first,
             end - first) == 0)
    return;
  if (!page && !(page = page_make(c, address))) {
    contents_stop(c, e, "out of memory");
    return;
  }
  for (size_t at = first; at < end && !c->ended; at += PART)
    if (memcmp(page->bytes + at, bytes + at, PART) != 0)
      run_add(c, e, wrote, address + at, bytes + at);
  memcpy(page->bytes + first, bytes + first, end - first);
}

/* Whether some of the pages were ever touched: others are zeros, and reading
 * them would only make page tables. */
static bool pages_touched(const aqdrop_capture_memory *c, uint64_t address,
                          size_t count)
{
  enum { SOME = 1 << 6 }; /* of the highest byte: bits 62 and 63 */
  uint64_t facts[PAGES_AT_ONCE];
  const ssize_t size = (ssize_t)(count * sizeof *facts);
  if (c->pagemap < 0 || pread(c->pagemap, facts, (size_t)size,
                              (off_t)(address / PAGE * sizeof *facts)) != size)
    return true;
  for (size_t i = 0; i < count; i++)
    if (facts[i] >> 56 & (SOME | SOME << 1))
      return true;
  return false;
}

/* Whether the file has bytes of one of the pages: of memory that was freed. */
static bool pages_known(const aqdrop_capture_memory *c, uint64_t address,
                        size_t count)
{
  uint64_t found;
  for (size_t i = 0; i < count; i++)
    if (aq_map_get(&c->pages, address + i * PAGE, &found))
      return true;
  return false;
}

static uint64_t down(uint64_t address, uint64_t to)
{
  return address & ~(to - 1);
}

/* Bytes from `first` to `end`, which are whole parts; `shift` before them this
 * process reads them. The kernel of the host copies them: memory may go away
 * meanwhile. */
static void range_compare(aqdrop_capture_memory *c, const execution *e,
                          bool wrote, uint64_t first, uint64_t end,
                          uint64_t shift, bool private)
{
  for (uint64_t at = down(first, PAGE); at < end && !c->ended;) {
    const uint64_t left = (end - at + PAGE - 1) / PAGE;
    const size_t count = left < PAGES_AT_ONCE ? (size_t)left : PAGES_AT_ONCE;
    struct iovec own = {c->read, count * PAGE},
                 from = {(void *)(uintptr_t)(at - shift), /* NOLINT */
                         count * PAGE};
    if (private && !pages_known(c, at, count) &&
        !pages_touched(c, at - shift, count)) {
      at += count * PAGE;
      continue;
    }
    const ssize_t got = process_vm_readv(getpid(), &own, 1, &from, 1, 0);
    const size_t pages = got > 0 ? (size_t)got / PAGE : 0;
    for (size_t i = 0; i < pages && !c->ended; i++) {
      const uint64_t page = at + i * PAGE;
      page_compare(c, e, wrote, page, c->read[i],
                   first > page ? (size_t)(first - page) : 0,
                   end - page < PAGE ? (size_t)(end - page) : PAGE);
    }
    at += (pages < count ? pages + 1 : count) *
          PAGE; /* behind an unmapped page */
  }
}

/* ---- allocations ---- */

static int by_number(uint64_t a, uint64_t b)
{
  return (a > b) - (a < b);
}

static int by_identity(const void *a, const void *b)
{
  const aq_allocation *x = a, *y = b;
  int order = by_number(x->base, y->base);
  if (order == 0)
    order = by_number(x->size, y->size);
  if (order == 0)
    order = by_number(x->readers, y->readers);
  if (order == 0)
    order = by_number(x->writers, y->writers);
  if (order == 0)
    order = by_number(x->device, y->device);
  return order ? order
               : by_number((unsigned)x->kind << 1 | x->executable,
                           (unsigned)y->kind << 1 | y->executable);
}

/* Sorted. */
static bool allocations_list(aqdrop_capture_memory *c)
{
  aq_allocations *map = c->inner->allocations;
  size_t count = aq_allocations_list(map, NULL, 0);
  do {
    if (!AQ_ARRAY_RESERVE(c->now, c->now_capacity, count + 1))
      return false;
    count = aq_allocations_list(map, c->now, c->now_capacity);
  } while (count > c->now_capacity);
  c->now_count = count;
  qsort(c->now, count, sizeof *c->now, by_identity);
  return true;
}

static void allocation_put(const execution *e, const char *event,
                           const aq_allocation *a)
{
  aqdrop_line line;
  line_begin(&line, event, e);
  aqdrop_line_text(&line, "what", aq_allocation_kind_text(a->kind));
  aqdrop_line_number(&line, "address", (int64_t)a->base);
  aqdrop_line_number(&line, "size", (int64_t)a->size);
  aqdrop_line_number(&line, "device", a->device);
  aqdrop_line_number(&line, "readers", (int64_t)(a->readers & INT64_MAX));
  aqdrop_line_number(&line, "writers", (int64_t)(a->writers & INT64_MAX));
  aqdrop_line_number(&line, "executable", a->executable);
  line_end(&line, e);
}

/* Lines of the allocations that came and went. */
static void allocations_record(aqdrop_capture_memory *c, const execution *e)
{
  size_t old = 0, new = 0;
  while (old < c->known_count || new < c->now_count) {
    const int order = old == c->known_count ? 1
                      : new == c->now_count
                          ? -1
                          : by_identity(&c->known[old], &c->now[new]);
    if (order < 0)
      allocation_put(e, "allocation-end", &c->known[old]);
    if (order > 0)
      allocation_put(e, "allocation", &c->now[new]);
    old += order <= 0;
    new += order >= 0;
  }
  aq_allocation *const spare = c->known;
  const size_t capacity = c->known_capacity;
  c->known = c->now;
  c->known_count = c->now_count;
  c->known_capacity = c->now_capacity;
  c->now = spare;
  c->now_capacity = capacity;
  c->now_count = 0;
}

/* The device itself writes them, at other times in a replay. */
static bool is_the_devices(const aq_allocation *a)
{
  return a->kind == AQ_ALLOCATION_QUEUE || a->kind == AQ_ALLOCATION_RING ||
         a->kind == AQ_ALLOCATION_SIGNALS;
}

/* Pools and code have pages of their own; beside other allocations lies memory
 * that is none of the device's. */
static void memory_compare(aqdrop_capture_memory *c, const execution *e,
                           bool wrote)
{
  for (size_t i = 0; i < c->known_count && !c->ended; i++) {
    const aq_allocation *a = &c->known[i];
    const bool private =
        a->kind == AQ_ALLOCATION_POOL || a->kind == AQ_ALLOCATION_CODE;
    const uint64_t host = aq_address_host(a->base);
    if (!(wrote && is_the_devices(a)))
      range_compare(c, e, wrote, down(host, private ? PAGE : PART),
                    down(host + a->size - 1, private ? PAGE : PART) +
                        (private ? PAGE : PART),
                    host == a->base ? a->shift : 0, private);
  }
  run_flush(c, e, wrote);
}

/* ---- the executor ---- */

/* The queue of a packet, if the capture has it. */
static const aqsim_queue *queue_of(aqdrop_capture *capture,
                                   const aq_amd_queue *amd)
{
  const aqsim_queue *found = NULL;
  pthread_mutex_lock(&capture->lock);
  for (const aqdrop_captured_queue *q = capture->queues; q && !found;
       q = q->next) {
    const aqsim_queue *queue = (const void *)q->ring;
    found = &queue->amd == amd ? queue : NULL;
  }
  pthread_mutex_unlock(&capture->lock);
  return found;
}

/* The whole description, so that a replay can repeat the execution; nothing of
 * a dispatch by PM4, whose registers the file does not have. */
static void desc_put(aqdrop_line *line, const aq_execution_desc *desc)
{
  if (desc->registers)
    return;
  aqdrop_line_text(line, "gfx", desc->gfx);
  aqdrop_line_text(line, "kernel", desc->kernel);
  aqdrop_line_number(line, "device", desc->device);
  aqdrop_line_number(line, "address", (int64_t)(uintptr_t)desc->queue);
  aqdrop_line_number(line, "wave_size", desc->wave_size);
  aqdrop_line_number(line, "cus", desc->cus);
  aqdrop_line_number(line, "hz", (int64_t)desc->timestamp_hz);
  aqdrop_line_hex(line, "bytes", desc->packet, sizeof *desc->packet);
}

static void execution_record(const execution *e, const aq_execution_desc *desc)
{
  aqdrop_capture_memory *c = e->contents;
  aqdrop_line line;
  if (c->ended)
    return;
  line_begin(&line, "execute", e);
  aqdrop_line_number(&line, "open", c->open);
  desc_put(&line, desc);
  line_end(&line, e);
  if (!allocations_list(c)) {
    contents_stop(c, e, "out of memory");
    return;
  }
  allocations_record(c, e);
  memory_compare(c, e, false);
}

static aq_status contents_begin(void *user, const aq_execution_desc *desc,
                                void **out, aq_diag *diag)
{
  aqdrop_capture_memory *c = user;
  execution *e = calloc(1, sizeof *e);
  if (!e)
    return aq_diag_no_memory(diag);
  aq_status status = c->inner->begin(c->inner->user, desc, &e->inner, diag);
  if (status != AQ_OK) {
    free(e);
    return status;
  }
  e->contents = c;
  e->packet = desc->dispatch_id;
  e->queue = queue_of(c->capture, desc->queue);
  if (e->queue)
    execution_record(e, desc);
  c->open++;
  *out = e;
  return AQ_OK;
}

static void executed_record(const execution *e, aq_execution_state state)
{
  aqdrop_capture_memory *c = e->contents;
  aqdrop_line line;
  if (c->ended)
    return;
  memory_compare(c, e, true);
  if (c->ended)
    return;
  line_begin(&line, "executed", e);
  aqdrop_line_number(&line, "ticks", (int64_t)(e->ticks & INT64_MAX));
  aqdrop_line_number(&line, "waits", e->waits);
  aqdrop_line_number(&line, "fault", state == AQ_EXECUTION_FAULT);
  line_end(&line, e);
}

static aq_execution_state contents_step(void *opaque, uint64_t budget,
                                        uint64_t ticks, aq_execution_step *out)
{
  execution *e = opaque;
  const aq_execution_state state =
      e->contents->inner->step(e->inner, budget, ticks, out);
  e->ticks = ticks;
  e->waits += state == AQ_EXECUTION_WAITS;
  if (e->queue && (state == AQ_EXECUTION_DONE || state == AQ_EXECUTION_FAULT))
    executed_record(e, state);
  return state;
}

static void contents_end(void *opaque)
{
  execution *e = opaque;
  e->contents->open--;
  e->contents->inner->end(e->inner);
  free(e);
}

static bool contents_executes(void *user, const char *gfx)
{
  const aq_executor *inner = ((const aqdrop_capture_memory *)user)->inner;
  return !inner->executes || inner->executes(inner->user, gfx);
}

static bool contents_predicts(void *user)
{
  const aq_executor *inner = ((const aqdrop_capture_memory *)user)->inner;
  return inner->predicts && inner->predicts(inner->user);
}

/* ---- life ---- */

aq_status aqdrop_capture_memory_create(aqdrop_capture *capture,
                                       const aq_executor *inner,
                                       aqdrop_capture_memory **out,
                                       aq_diag *diag)
{
  const char *text = secure_getenv("AQUEDUCT_CAPTURE_MEMORY");
  uint64_t limit = CONTENTS_LIMIT;
  if (text && *text && !aq_size_read(text, &limit))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "AQUEDUCT_CAPTURE_MEMORY=%s; expected a size as 64M, or "
                       "none",
                       text);
  aqdrop_capture_memory *c = calloc(1, sizeof *c);
  if (!c)
    return aq_diag_no_memory(diag);
  c->table = *inner;
  c->table.user = c;
  c->table.begin = contents_begin;
  c->table.step = contents_step;
  c->table.end = contents_end;
  c->table.executes = contents_executes;
  c->table.predicts = contents_predicts;
  c->inner = inner;
  c->capture = capture;
  c->limit = limit;
  c->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  *out = c;
  return AQ_OK;
}

void aqdrop_capture_memory_destroy(aqdrop_capture_memory *contents)
{
  if (!contents)
    return;
  while (contents->first_page) {
    page_copy *page = contents->first_page;
    contents->first_page = page->next;
    free(page);
  }
  if (contents->pagemap >= 0)
    close(contents->pagemap);
  aq_map_fini(&contents->pages);
  free(contents->known);
  free(contents->now);
  free(contents);
}

const aq_executor *
aqdrop_capture_memory_executor(const aqdrop_capture_memory *contents)
{
  return &contents->table;
}
