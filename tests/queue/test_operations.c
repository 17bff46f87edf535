/* SPDX-License-Identifier: MIT */
/* Memory, transfers, files and host functions on every ground: every byte, the
 * order, and what failures do. */
#include "queue/ground.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "queue/operations.h"

enum { SMALL = 1000, LARGE = 3000001 /* three pieces of staging */ };

static unsigned char *device_memory(ground *g, size_t size)
{
  void *memory = NULL;
  ck_assert_ok(
      g, g->ops->mem_alloc(g->t, 0, AQ_MEMORY_DEVICE, size, &memory, &g->diag));
  unsigned char *bytes = malloc(size);
  ground_move(g, memory, memset(bytes, 0xee, size), size);
  free(bytes);
  return memory;
}

/* The bytes of a device's memory, until the next ones are asked for. */
static const unsigned char *device_bytes(ground *g, const void *memory,
                                         size_t size)
{
  static unsigned char bytes[LARGE + 1];
  ck_assert_uint_le(size, sizeof bytes);
  ground_move(g, bytes, memory, size);
  return bytes;
}

static unsigned char byte_of(uint64_t seed, size_t at)
{
  return (unsigned char)((at * 131 + (at >> 9) * 17 + seed * 71) >> 1);
}

static unsigned char *pattern_make(unsigned char *bytes, size_t size,
                                   uint64_t seed)
{
  for (size_t i = 0; i < size; i++)
    bytes[i] = byte_of(seed, i);
  return bytes;
}

static void pattern_check(const unsigned char *bytes, size_t size,
                          uint64_t seed)
{
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != byte_of(seed, i))
      ck_abort_msg("byte %zu is %u, expected %u", i, bytes[i],
                   byte_of(seed, i));
}

static void all_are(const unsigned char *bytes, size_t size, unsigned char byte)
{
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != byte)
      ck_abort_msg("byte %zu is %u, expected %u", i, bytes[i], byte);
}

static aq_queue_stats stats_of(aq_queue *queue)
{
  aq_queue_stats stats;
  aq_queue_stats_get(queue, &stats);
  return stats;
}

/* ---- transfers ---- */

static void bytes_are_filled_copied_and_updated_in_order(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *done = ground_semaphore(g, 0);
  unsigned char *a = device_memory(g, SMALL + 16),
                *b = device_memory(g, SMALL + 16);
  unsigned char part[100];
  pattern_make(part, sizeof part, 3);
  ground_sync s;
  ck_assert_ok(g, aq_queue_fill(queue, NULL,
                                &(aq_fill){.target = a,
                                           .size = SMALL,
                                           .pattern = 0x04030201,
                                           .pattern_size = 4},
                                &g->diag));
  ck_assert_ok(
      g, aq_queue_update(
             queue, NULL,
             &(aq_update){.target = a + 17, .bytes = part, .size = sizeof part},
             &g->diag));
  memset(part, 0, sizeof part); /* it was copied */
  ck_assert_ok(
      g, aq_queue_copy(queue, ground_sync_make(&s, NULL, 0, done, 1),
                       &(aq_copy){.target = b, .source = a, .size = SMALL},
                       &g->diag));
  ground_wait(g, done, 1);
  const unsigned char *bytes = device_bytes(g, b, SMALL + 16);
  pattern_check(bytes + 17, sizeof part, 3);
  for (size_t i = 0; i < SMALL; i++)
    if (i < 17 || i >= 117)
      ck_assert_uint_eq(bytes[i], i % 4 + 1);
  all_are(bytes + SMALL, 16, 0xee);
  const aq_queue_stats stats = stats_of(queue);
  ck_assert_uint_eq(stats.operations, 3);
  ck_assert_uint_eq(stats.kinds[AQ_OPERATION_FILL], 1);
  ck_assert_uint_eq(stats.kinds[AQ_OPERATION_COPY], 1);
  ck_assert_uint_eq(stats.kinds[AQ_OPERATION_UPDATE], 1);
  ck_assert_uint_eq(stats.copies[AQ_COPY_KERNEL], 3);
  ck_assert_uint_eq(stats.bytes, 2 * SMALL + sizeof part);
  aq_queue_destroy(queue);
  aq_semaphore_release(done);
}

/* The same bytes by each way; later operations see them. The host has no way
 * into memory that is hidden from it. */
static void every_way_of_copying_moves_the_same_bytes(ground *g)
{
  static const aq_copy_way ways[] = {AQ_COPY_KERNEL, AQ_COPY_ENGINE,
                                     AQ_COPY_HOST};
  const uint64_t count = ground_hides(g) ? 2 : 3;
  aq_queue *queue = ground_queue(g, NULL), *other = ground_queue(g, NULL);
  aq_semaphore *done = ground_semaphore(g, 0), *last = ground_semaphore(g, 0);
  unsigned char *from = malloc(LARGE), *to = device_memory(g, LARGE),
                *back = malloc(LARGE);
  for (uint64_t i = 0; i < count; i++) {
    ground_sync s;
    pattern_make(from, LARGE, i);
    ck_assert_ok(g, aq_queue_copy(queue,
                                  ground_sync_make(&s, NULL, 0, done, i + 1),
                                  &(aq_copy){.target = to,
                                             .source = from,
                                             .size = LARGE,
                                             .path = AQ_PATH_HOST,
                                             .way = ways[i]},
                                  &g->diag));
    ck_assert_ok(
        g, aq_queue_copy(other, ground_sync_make(&s, done, i + 1, last, i + 1),
                         &(aq_copy){.target = back,
                                    .source = to,
                                    .size = LARGE,
                                    .path = AQ_PATH_HOST,
                                    .way = ways[(i + 1) % count]},
                         &g->diag));
    ground_wait(g, last, i + 1);
    pattern_check(back, LARGE, i);
  }
  const aq_queue_stats stats = stats_of(queue);
  for (uint64_t i = 0; i < count; i++)
    ck_assert_uint_eq(stats.copies[ways[i]], 1);
  ck_assert_uint_eq(stats.published, count - 2);
  if (ground_hides(g)) {
    ck_assert_int_eq(
        aq_queue_copy(queue, NULL,
                      &(aq_copy){to, from, LARGE, AQ_PATH_HOST, AQ_COPY_HOST},
                      &g->diag),
        AQ_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(g->diag.text, "does not support this way"));
  }
  /* Only the host waits for operations in which the host has a part. */
  ck_assert_uint_le(stats_of(other).rules[AQ_WAIT_DEFERRED],
                    g->kind->way == AQ_EDGE_DEFER ? 3 : 1);
  aq_queue_destroy(queue);
  aq_queue_destroy(other);
  aq_semaphore_release(done);
  aq_semaphore_release(last);
  free(from);
  free(back);
}

static void the_way_is_chosen_by_path_and_size(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  unsigned char *a = device_memory(g, LARGE), *b = device_memory(g, LARGE);
  aq_copy copy = {.target = a, .source = b, .size = LARGE};
  ck_assert_ok(g, aq_queue_copy(queue, NULL, &copy, &g->diag));
  copy.path = AQ_PATH_HOST;
  copy.size = 4096;
  ck_assert_ok(g, aq_queue_copy(queue, NULL, &copy, &g->diag));
  ck_assert_uint_eq(stats_of(queue).copies[AQ_COPY_KERNEL], 2);
  copy.size = LARGE;
  ck_assert_ok(g, aq_queue_copy(queue, NULL, &copy, &g->diag));
  copy.path = AQ_PATH_PEER;
  ck_assert_ok(g, aq_queue_copy(queue, NULL, &copy, &g->diag));
  ck_assert_uint_eq(stats_of(queue).copies[AQ_COPY_ENGINE], 2);
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  aq_queue_destroy(queue);
}

static void transfers_that_make_no_sense_are_refused(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  unsigned char *a = device_memory(g, SMALL);
  const aq_fill fills[] = {
      {.target = a, .size = 0, .pattern_size = 1},
      {.target = NULL, .size = 8, .pattern_size = 1},
      {.target = a, .size = 8, .pattern_size = 3},
      {.target = a, .size = 8, .pattern_size = 16},
      {.target = a, .size = 9, .pattern_size = 2},
      {.target = a, .size = UINT64_MAX, .pattern_size = 1},
      {.target = a, .size = 8, .pattern_size = 1, .way = AQ_COPY_WAY_COUNT}};
  for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
    ck_assert_int_eq(aq_queue_fill(queue, NULL, &fills[i], &g->diag),
                     AQ_ERR_INVALID);
  ck_assert_int_eq(aq_queue_fill(queue, NULL,
                                 &(aq_fill){a, 8, 0, 8, AQ_COPY_ENGINE},
                                 &g->diag),
                   AQ_ERR_UNSUPPORTED);
  ck_assert_int_eq(
      aq_queue_copy(queue, NULL,
                    &(aq_copy){.target = a, .source = a + 99, .size = 100},
                    &g->diag),
      AQ_ERR_INVALID);
  ck_assert_ptr_nonnull(strstr(g->diag.text, "overlap"));
  ck_assert_int_eq(
      aq_queue_update(queue, NULL, &(aq_update){a, a, UINT32_MAX, 0}, &g->diag),
      AQ_ERR_INVALID);
  ck_assert_uint_eq(stats_of(queue).operations, 0);
  all_are(device_bytes(g, a, SMALL), SMALL, 0xee);
  aq_queue_destroy(queue);
}

/* ---- the host ---- */

typedef struct host_note {
  ground *g;
  uint64_t *cell;
  uint64_t value;
  unsigned calls;
  aq_status result;
} host_note;

static aq_status host_noted(void *user, aq_diag *diag)
{
  host_note *note = user;
  *note->cell = ground_stepped(*note->cell, note->value);
  note->calls++;
  return note->result == AQ_OK
             ? AQ_OK
             : aq_diag_set(diag, note->result, "the host says no");
}

static void host_calls_take_their_turn(ground *g)
{
  enum { CALLS = 10 };
  aq_queue *queue = ground_queue(g, NULL), *other = ground_queue(g, NULL);
  aq_semaphore *done = ground_semaphore(g, 0), *last = ground_semaphore(g, 0);
  uint64_t cell = 1, expected = 1;
  host_note notes[CALLS];
  ground_sync s;
  for (uint64_t i = 0; i < CALLS; i++) {
    notes[i] = (host_note){.g = g, .cell = &cell, .value = i};
    ck_assert_ok(g, ground_dispatch(g, queue, NULL, &cell, i + 100));
    ck_assert_ok(
        g, aq_queue_host_call(
               queue,
               i + 1 < CALLS ? NULL : ground_sync_make(&s, NULL, 0, done, 1),
               &(aq_host_call){.function = host_noted,
                               .user = &notes[i],
                               .target = &cell,
                               .target_size = sizeof cell},
               &g->diag));
    expected = ground_stepped(ground_stepped(expected, i + 100), i);
  }
  ck_assert_ok(g, ground_dispatch(g, queue, NULL, &cell, 5));
  expected = ground_stepped(expected, 5);
  ck_assert_ok(g, aq_queue_barrier(
                      queue, ground_sync_make(&s, NULL, 0, done, 2), &g->diag));
  ck_assert_ok(g,
               ground_dispatch(g, other, ground_sync_make(&s, done, 2, last, 1),
                               &cell, 6));
  expected = ground_stepped(expected, 6);
  ground_wait(g, last, 1);
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  ck_assert_uint_eq(cell, expected);
  const aq_queue_stats stats = stats_of(queue);
  ck_assert_uint_eq(stats.kinds[AQ_OPERATION_HOST_CALL], CALLS);
  ck_assert_uint_eq(stats.published, CALLS);
  ck_assert_uint_eq(stats.operations, 2 * CALLS + 2);
  aq_queue_destroy(queue);
  aq_queue_destroy(other);
  aq_semaphore_release(done);
  aq_semaphore_release(last);
}

static void a_host_call_that_fails_fails_those_that_wait_for_it(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL), *other = ground_queue(g, NULL);
  aq_semaphore *a = ground_semaphore(g, 0), *b = ground_semaphore(g, 0),
               *c = ground_semaphore(g, 0);
  uint64_t cell = 1;
  host_note note = {.g = g, .cell = &cell, .result = AQ_ERR_IO};
  const aq_host_call call = {.function = host_noted, .user = &note};
  ground_sync s;
  ck_assert_ok(g, aq_queue_host_call(queue, ground_sync_make(&s, NULL, 0, a, 1),
                                     &call, &g->diag));
  ck_assert_ok(
      g, ground_dispatch(g, other, ground_sync_make(&s, a, 1, b, 1), &cell, 9));
  ck_assert_ok(g, ground_dispatch(g, queue, ground_sync_make(&s, NULL, 0, c, 1),
                                  &cell, 5));
  const aq_point point = {b, 1};
  ck_assert_int_eq(
      aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag),
      AQ_ERR_IO);
  ck_assert_str_eq(g->diag.text, "the host says no");
  ground_wait(g, c, 1); /* the queue continues */
  ck_assert_uint_eq(cell, ground_stepped(ground_stepped(1, 0), 5));
  ck_assert_uint_eq(note.calls, 1);
  /* One that waits for a failure is not called. */
  ck_assert_ok(g, aq_queue_host_call(other, ground_sync_make(&s, b, 1, NULL, 0),
                                     &call, &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(other, AQ_TIME_MAX, &g->diag));
  ck_assert_uint_eq(note.calls, 1);
  aq_queue_destroy(queue);
  aq_queue_destroy(other);
  aq_semaphore_release(a);
  aq_semaphore_release(b);
  aq_semaphore_release(c);
}

/* ---- files ---- */

static int file_make(size_t size, uint64_t seed)
{
  const int fd = memfd_create("test", MFD_CLOEXEC);
  unsigned char *bytes = pattern_make(malloc(size + 1), size, seed);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
  free(bytes);
  return fd;
}

static void files_are_read_and_written(ground *g)
{
  static const size_t sizes[] = {1, SMALL, 1 << 20, LARGE};
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *done = ground_semaphore(g, 0);
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < 4; i++) {
    const size_t size = sizes[i];
    unsigned char *memory = device_memory(g, size + 1);
    const int in = file_make(size + 7, i), out = file_make(0, 0);
    ground_sync s;
    ck_assert_ok(g, aq_queue_read(queue, NULL,
                                  &(aq_file_range){in, 7, memory, size},
                                  &g->diag));
    ck_assert_ok(
        g, aq_queue_write(queue, ground_sync_make(&s, NULL, 0, done, i + 1),
                          &(aq_file_range){out, 3, memory, size}, &g->diag));
    ground_wait(g, done, i + 1);
    unsigned char *back = malloc(size + 7);
    ck_assert_int_eq(pread(out, back + 4, size + 3, 0), (ssize_t)size + 3);
    all_are(back + 4, 3, 0);
    const unsigned char *there = device_bytes(g, memory, size + 1);
    for (size_t k = 0; k < size; k++)
      if (back[k + 7] != byte_of(i, k + 7) || there[k] != byte_of(i, k + 7))
        ck_abort_msg("byte %zu of %zu", k, size);
    ck_assert_uint_eq(there[size], 0xee);
    free(back);
    close(in);
    close(out);
    bytes += 2 * size;
  }
  const aq_queue_stats stats = stats_of(queue);
  ck_assert_uint_eq(stats.kinds[AQ_OPERATION_READ], 4);
  ck_assert_uint_eq(stats.kinds[AQ_OPERATION_WRITE], 4);
  ck_assert_uint_eq(stats.bytes, bytes);
  aq_queue_destroy(queue);
  aq_semaphore_release(done);
}

static void files_fail_with_what_was_wrong(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  unsigned char *memory = device_memory(g, LARGE);
  const int in = file_make(LARGE - 5, 1);
  const int closed = dup(in);
  close(closed);
  const aq_file_range ranges[] = {{in, 0, memory, LARGE},
                                  {closed, 0, memory, 100},
                                  {in, LARGE, memory, 100}};
  const char *const words[] = {"5 bytes of", "Bad file", "100 bytes of"};
  for (int i = 0; i < 3; i++) {
    aq_semaphore *done = ground_semaphore(g, 0),
                 *after = ground_semaphore(g, 0);
    uint64_t cell = 1;
    ground_sync s;
    ck_assert_ok(g, aq_queue_read(queue, ground_sync_make(&s, NULL, 0, done, 1),
                                  &ranges[i], &g->diag));
    ck_assert_ok(g, ground_dispatch(g, queue,
                                    ground_sync_make(&s, done, 1, after, 1),
                                    &cell, 1));
    const aq_point point = {after, 1};
    ck_assert_int_eq(
        aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag),
        AQ_ERR_IO);
    if (!strstr(g->diag.text, words[i]))
      ck_abort_msg("%s", g->diag.text);
    ck_assert_uint_eq(cell, 1);
    aq_semaphore_release(done);
    aq_semaphore_release(after);
  }
  ck_assert_int_eq(
      aq_queue_read(queue, NULL, &(aq_file_range){-1, 0, memory, 1}, &g->diag),
      AQ_ERR_INVALID);
  close(in);
  aq_queue_destroy(queue);
}

/* ---- memory ---- */

static void memory_is_used_again_in_the_order_of_the_queues(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL), *other = ground_queue(g, NULL),
           *holder = ground_queue(g, NULL);
  aq_semaphore *done = ground_semaphore(g, 0), *held = ground_semaphore(g, 0);
  const aq_memory_request request = {AQ_MEMORY_DEVICE, 1000};
  aq_memory_stats memory;
  void *a, *b, *c, *word;
  ground_sync s;
  ck_assert_ok(g, aq_queue_alloca(queue, NULL, &request, &a, &g->diag));
  ck_assert_ok(
      g, aq_queue_fill(queue, NULL, &(aq_fill){a, 1000, 1, 1, 0}, &g->diag));
  aq_context_memory(g->context, 0, &memory);
  ck_assert_uint_ge(memory.used, 1000);
  ck_assert_uint_lt(memory.used, 1400);
  ck_assert_ok(g, aq_queue_dealloca(queue, NULL, a, &g->diag));
  ck_assert_int_eq(aq_queue_dealloca(queue, NULL, a, &g->diag), AQ_ERR_INVALID);
  ck_assert_ptr_nonnull(strstr(g->diag.text, "any more"));
  ck_assert_int_eq(aq_queue_dealloca(queue, NULL, &s, &g->diag),
                   AQ_ERR_INVALID);
  /* At once, in this queue. */
  ck_assert_ok(g, aq_queue_alloca(queue, NULL, &request, &b, &g->diag));
  ck_assert_ptr_eq(a, b);
  ck_assert_ok(g, aq_queue_fill(queue, ground_sync_make(&s, NULL, 0, done, 1),
                                &(aq_fill){b, 1000, 2, 1, 0}, &g->diag));
  ground_wait(g, done, 1);
  all_are(device_bytes(g, b, 1000), 1000, 2);
  /* In another one after the end of the dealloca. */
  ck_assert_ok(g,
               aq_queue_dealloca(queue, ground_sync_make(&s, NULL, 0, done, 2),
                                 b, &g->diag));
  ground_wait(g, done, 2);
  ck_assert_ok(g, aq_queue_alloca(other, NULL, &request, &c, &g->diag));
  ck_assert_ptr_eq(a, c);
  aq_context_memory(g->context, 0, &memory);
  ck_assert_uint_eq(memory.reused, 2);
  ck_assert_uint_eq(memory.allocations, 3);
  ck_assert_uint_eq(memory.used, memory.reserved);
  /* Without room, in another one before that: it waits, as the dealloca does
   * for a device that looks at a word. */
  aq_context_memory_limit(g->context, 0, memory.reserved);
  ck_assert_ok(g,
               g->ops->mem_alloc(g->t, 0, AQ_MEMORY_HOST, 64, &word, &g->diag));
  *(uint64_t *)word = 0;
  ck_assert_ok(g, aq_queue_wait_value(
                      holder, ground_sync_make(&s, NULL, 0, held, 1),
                      &(aq_value_wait){.address = word, .size = 8, .value = 1},
                      &g->diag));
  ck_assert_ok(g,
               aq_queue_dealloca(other, ground_sync_make(&s, held, 1, NULL, 0),
                                 c, &g->diag));
  ck_assert_ok(g, aq_queue_alloca(queue, ground_sync_make(&s, NULL, 0, done, 3),
                                  &request, &b, &g->diag));
  ck_assert_ptr_eq(b, c);
  uint64_t value;
  aq_queue_poll(queue);
  ck_assert_ok(g, aq_semaphore_query(done, &value, &g->diag));
  ck_assert_uint_eq(value, 2);
  __atomic_store_n((uint64_t *)word, 1, __ATOMIC_RELEASE);
  ground_wait(g, done, 3);
  ck_assert_ok(g,
               aq_queue_dealloca(queue, ground_sync_make(&s, NULL, 0, done, 4),
                                 b, &g->diag));
  ground_wait(g, done, 4);
  ck_assert_uint_eq(aq_context_memory_trim(g->context, 0), memory.reserved);
  aq_context_memory(g->context, 0, &memory);
  ck_assert_uint_eq(memory.reserved, 0);
  ck_assert_uint_eq(memory.used, 0);
  ck_assert_uint_gt(memory.used_max, 0);
  aq_queue_destroy(queue);
  aq_queue_destroy(other);
  aq_queue_destroy(holder);
  g->ops->mem_free(g->t, word);
  aq_semaphore_release(done);
  aq_semaphore_release(held);
}

static void no_memory_fails_the_operation_and_those_that_wait(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *a = ground_semaphore(g, 0), *b = ground_semaphore(g, 0),
               *c = ground_semaphore(g, 0);
  void *address = &a;
  uint64_t cell = 1;
  ground_sync s;
  aq_memory_stats memory;
  aq_context_memory_limit(g->context, 0, 4096);
  ck_assert_ok(g, aq_queue_alloca(queue, ground_sync_make(&s, NULL, 0, a, 1),
                                  &(aq_memory_request){AQ_MEMORY_DEVICE, 5000},
                                  &address, &g->diag));
  ck_assert_ptr_null(address);
  ck_assert_ok(
      g, ground_dispatch(g, queue, ground_sync_make(&s, a, 1, b, 1), &cell, 1));
  const aq_point point = {b, 1};
  ck_assert_int_eq(
      aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag),
      AQ_ERR_NO_MEMORY);
  ck_assert_ptr_nonnull(strstr(g->diag.text, "of 4096"));
  ck_assert_uint_eq(cell, 1);
  ck_assert_ok(g, aq_queue_alloca(queue, ground_sync_make(&s, NULL, 0, c, 1),
                                  &(aq_memory_request){AQ_MEMORY_DEVICE, 2000},
                                  &address, &g->diag));
  ground_wait(g, c, 1);
  ck_assert_ptr_nonnull(address);
  aq_context_memory(g->context, 0, &memory);
  ck_assert_uint_eq(memory.refused, 1);
  aq_queue_destroy(queue);
  aq_semaphore_release(a);
  aq_semaphore_release(b);
  aq_semaphore_release(c);
}

/* Memory of a failed dealloca is still allocated; of a failed alloca it is not.
 * */
static void failed_allocas_and_deallocas_change_nothing(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *bad = ground_semaphore(g, 0), *got = ground_semaphore(g, 0),
               *done = ground_semaphore(g, 0);
  const aq_memory_request request = {AQ_MEMORY_DEVICE, 1000};
  aq_memory_stats memory;
  void *a, *b;
  ground_sync s;
  ck_assert_ok(g, aq_queue_alloca(queue, NULL, &request, &a, &g->diag));
  aq_context_memory_limit(g->context, 0, 1100);
  ck_assert_ok(g,
               aq_queue_dealloca(queue, ground_sync_make(&s, bad, 1, NULL, 0),
                                 a, &g->diag));
  /* It gets the block that leaves, and fails with it. */
  ck_assert_ok(g, aq_queue_alloca(queue, ground_sync_make(&s, NULL, 0, got, 1),
                                  &request, &b, &g->diag));
  ck_assert_ptr_eq(a, b);
  /* Its dealloca is submitted before the failure is known. */
  aq_semaphore_fail(bad, AQ_ERR_IO, "it was not to be");
  const aq_point point = {got, 1};
  ck_assert_int_eq(
      aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag),
      AQ_ERR_IO);
  aq_context_memory(g->context, 0, &memory);
  ck_assert_uint_eq(memory.used, memory.reserved);
  ck_assert_ok(g,
               aq_queue_dealloca(queue, ground_sync_make(&s, NULL, 0, done, 1),
                                 a, &g->diag));
  ground_wait(g, done, 1);
  aq_context_memory(g->context, 0, &memory);
  ck_assert_uint_eq(memory.used, 0);
  /* An alloca that fails, with its dealloca behind it. */
  aq_semaphore *bad2 = ground_semaphore(g, 0), *got2 = ground_semaphore(g, 0);
  ck_assert_ok(g, aq_queue_alloca(queue, ground_sync_make(&s, bad2, 1, got2, 1),
                                  &request, &b, &g->diag));
  ck_assert_ok(g,
               aq_queue_dealloca(queue, ground_sync_make(&s, got2, 1, NULL, 0),
                                 b, &g->diag));
  aq_semaphore_fail(bad2, AQ_ERR_IO, "it was not to be");
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  aq_context_memory(g->context, 0, &memory);
  ck_assert_uint_eq(memory.used, 0);
  ck_assert_ok(g, aq_queue_alloca(queue, ground_sync_make(&s, NULL, 0, done, 2),
                                  &request, &b, &g->diag));
  ground_wait(g, done, 2);
  ck_assert_ptr_eq(a, b);
  aq_queue_destroy(queue);
  aq_semaphore_release(bad);
  aq_semaphore_release(bad2);
  aq_semaphore_release(got);
  aq_semaphore_release(got2);
  aq_semaphore_release(done);
}

/* Parked behind a wait of the host, and by want of room. */
static void operations_are_parked_with_what_they_borrow(ground *g)
{
  enum { MANY = 200 };
  aq_queue *queue =
      ground_queue(g, &(aq_queue_options){.size = 64, .notifications = 64});
  aq_semaphore *go = ground_semaphore(g, 0), *done = ground_semaphore(g, 0);
  unsigned char *a = device_memory(g, 4 * MANY),
                *b = device_memory(g, 4 * MANY);
  uint64_t cell = 1, expected = 1;
  host_note note = {.g = g, .cell = &cell, .value = 3};
  ground_sync s;
  ck_assert_ok(g, aq_queue_barrier(queue, ground_sync_make(&s, go, 1, NULL, 0),
                                   &g->diag));
  const aq_sync park = {.flags = AQ_SYNC_DEFER};
  for (uint32_t i = 0; i < MANY; i++) {
    uint32_t value = i * 3;
    ck_assert_ok(g, aq_queue_update(queue, &park,
                                    &(aq_update){a + 4 * i, &value, 4, 0},
                                    &g->diag));
    value = 0;
    ck_assert_ok(g, aq_queue_copy(queue, &park,
                                  &(aq_copy){.target = b + 4 * i,
                                             .source = a + 4 * i,
                                             .size = 4,
                                             .way = i % 2 ? AQ_COPY_ENGINE : 0},
                                  &g->diag));
    if (i % 50 == 0) {
      ck_assert_ok(g, aq_queue_host_call(queue, &park,
                                         &(aq_host_call){.function = host_noted,
                                                         .user = &note},
                                         &g->diag));
      expected = ground_stepped(expected, 3);
    }
  }
  ck_assert_ok(g, aq_semaphore_signal(go, 1, &g->diag));
  ck_assert_ok(g, aq_queue_barrier(
                      queue, ground_sync_make(&s, NULL, 0, done, 1), &g->diag));
  ground_wait(g, done, 1);
  const unsigned char *bytes = device_bytes(g, b, 4 * (size_t)MANY);
  for (uint32_t i = 0; i < MANY; i++) {
    uint32_t value;
    memcpy(&value, bytes + 4 * i, 4);
    ck_assert_uint_eq(value, i * 3);
  }
  ck_assert_uint_eq(cell, expected);
  aq_queue_destroy(queue);
  aq_semaphore_release(go);
  aq_semaphore_release(done);
}

/* A queue that stops with all kinds of operations in flight and deferred. */
static void a_queue_that_stops_fails_operations_of_every_kind(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *done[6];
  unsigned char *a = device_memory(g, LARGE), *b = device_memory(g, LARGE);
  const int fd = file_make(LARGE, 1);
  uint64_t cell = 1;
  host_note note = {.g = g, .cell = &cell};
  void *block;
  ground_sync s;
  aq_status status[6];
  for (int i = 0; i < 6; i++)
    done[i] = ground_semaphore(g, 0);
  const aq_launch broken = {
      .object = 0, .grid = {1, 1, 1}, .workgroup = {1, 1, 1}};
  ck_assert_ok(g, aq_queue_dispatch(queue, &(aq_sync){.flags = AQ_SYNC_MORE},
                                    &broken, &g->diag));
#define SYNC(i) ground_sync_make(&s, NULL, 0, done[i], 1)
  status[0] =
      aq_queue_fill(queue, SYNC(0), &(aq_fill){a, 8, 0, 1, 0}, &g->diag);
  status[1] = aq_queue_copy(queue, SYNC(1),
                            &(aq_copy){a, b, LARGE, AQ_PATH_HOST, 0}, &g->diag);
  status[2] = aq_queue_read(queue, SYNC(2), &(aq_file_range){fd, 0, a, LARGE},
                            &g->diag);
  status[3] = aq_queue_host_call(
      queue, SYNC(3), &(aq_host_call){.function = host_noted, .user = &note},
      &g->diag);
  status[4] =
      aq_queue_alloca(queue, SYNC(4), &(aq_memory_request){AQ_MEMORY_DEVICE, 8},
                      &block, &g->diag);
  status[5] =
      aq_queue_update(queue, SYNC(5), &(aq_update){a, "a", 1, 0}, &g->diag);
#undef SYNC
  for (int i = 0; i < 6; i++) {
    const aq_point point = {done[i], 1};
    if (status[i] == AQ_OK)
      status[i] = aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL,
                                    &g->diag);
    ck_assert_int_eq(status[i], AQ_ERR_QUEUE);
    aq_semaphore_release(done[i]);
  }
  ck_assert_uint_eq(note.calls, 0);
  close(fd);
  aq_queue_destroy(queue);
}

/* ---- reports ---- */

typedef struct report_log {
  char what[256];
  unsigned count;
} report_log;

static void reported(const aq_operation_report *report, void *user)
{
  report_log *log = user;
  ck_assert_int_ge(report->retired, report->submitted);
  ck_assert_int_ge(report->submitted, report->begin);
  ck_assert_int_eq(report->status, AQ_OK);
  strcat(strcat(log->what, report->what), ",");
  log->count++;
}

static void every_operation_is_reported_once(ground *g)
{
  report_log log = {.count = 0};
  aq_queue *queue = ground_queue(
      g, &(aq_queue_options){.size = 64, .report = reported, .user = &log});
  unsigned char *a = device_memory(g, 64), *b = device_memory(g, 64);
  const int fd = file_make(64, 1);
  uint64_t cell = 1;
  host_note note = {.g = g, .cell = &cell};
  void *block;
  const aq_file_range range = {fd, 0, a, 64};
  const aq_copy_way own_way = ground_hides(g) ? AQ_COPY_CHOOSE : AQ_COPY_HOST;
  ck_assert_ok(g, aq_queue_alloca(queue, NULL,
                                  &(aq_memory_request){AQ_MEMORY_HOST, 8},
                                  &block, &g->diag));
  ck_assert_ok(g,
               aq_queue_fill(queue, NULL, &(aq_fill){a, 8, 0, 1, 0}, &g->diag));
  ck_assert_ok(g,
               aq_queue_copy(queue, NULL,
                             &(aq_copy){a, b, 8, 0, AQ_COPY_ENGINE}, &g->diag));
  ck_assert_ok(g, aq_queue_update(queue, NULL, &(aq_update){a, "a", 1, own_way},
                                  &g->diag));
  ck_assert_ok(g, aq_queue_read(queue, NULL, &range, &g->diag));
  ck_assert_ok(g, aq_queue_write(queue, NULL, &range, &g->diag));
  ck_assert_ok(g, aq_queue_host_call(
                      queue, NULL,
                      &(aq_host_call){.function = host_noted, .user = &note},
                      &g->diag));
  ck_assert_ok(g, aq_queue_dealloca(queue, NULL, block, &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  aq_queue_destroy(queue);
  ck_assert_str_eq(log.what,
                   "alloca,fill,copy,update,read,write,host call,dealloca,");
  close(fd);
}

/* ---- the suite on each ground ---- */

static const ground_case cases[] = {
    GROUND_CASE(bytes_are_filled_copied_and_updated_in_order),
    GROUND_CASE(every_way_of_copying_moves_the_same_bytes),
    GROUND_CASE(the_way_is_chosen_by_path_and_size),
    GROUND_CASE(transfers_that_make_no_sense_are_refused),
    GROUND_CASE(host_calls_take_their_turn),
    GROUND_CASE(a_host_call_that_fails_fails_those_that_wait_for_it),
    GROUND_CASE(files_are_read_and_written),
    GROUND_CASE(files_fail_with_what_was_wrong),
    GROUND_CASE(memory_is_used_again_in_the_order_of_the_queues),
    GROUND_CASE(no_memory_fails_the_operation_and_those_that_wait),
    GROUND_CASE(failed_allocas_and_deallocas_change_nothing),
    GROUND_CASE(operations_are_parked_with_what_they_borrow),
    GROUND_CASE(a_queue_that_stops_fails_operations_of_every_kind),
    GROUND_CASE(every_operation_is_reported_once),
};

int main(void)
{
  return ground_main("queue/operations", cases, sizeof cases / sizeof *cases);
}
