/* SPDX-License-Identifier: MIT */
#include "common/spool_format.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/memory_sink.h"
#include "support/aqtest.h"

static char path[4096];
static unsigned char *bytes;
static size_t size;

/* Begins a test: the file is not there. */
static void fresh(void)
{
  snprintf(path, sizeof path, "%s/a.spool", aqtest_tmpdir());
  unlink(path);
}

static aq_spool *spool_make(void)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_spool *spool;
  ck_assert_msg(aq_spool_create(path, NULL, &spool, &diag) == AQ_OK, "%s",
                diag.text);
  return spool;
}

/* A device, a queue, and `count` rows named in turn. */
static void spool_fill(aq_spool *spool, size_t count)
{
  aq_record_sink *sink = aq_spool_sink(spool);
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_device device = {
      .source_id = 7, .name = "GPU", .gfx = NULL, .cus = 304};
  aq_record row;
  int64_t ordinal, queue, names[3];
  ck_assert_int_eq(sink->device(sink, &device, &ordinal, &diag), AQ_OK);
  ck_assert_int_eq(
      sink->queue(sink, &(aq_run_queue){ordinal, 4}, &queue, &diag), AQ_OK);
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq(sink->name(sink, &"abc"[i], 1, &names[i], &diag), AQ_OK);
  aq_record_init(&row);
  row.kind = AQ_KIND_KERNEL;
  row.device = ordinal;
  row.queue = queue;
  for (size_t i = 0; i < count; i++) {
    row.name = names[i % 3];
    row.packet = (int64_t)i;
    ck_assert_int_eq(sink->put(sink, &row, 1, &diag), AQ_OK);
  }
}

static void file_read(void)
{
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  fseek(file, 0, SEEK_END);
  size = (size_t)ftell(file);
  rewind(file);
  free(bytes);
  bytes = malloc(size);
  ck_assert_uint_eq(fread(bytes, 1, size, file), size);
  fclose(file);
}

static aq_spool_head *head(void)
{
  return (aq_spool_head *)(void *)bytes;
}

/* Reads what file_read found; the rows that came. */
static aq_status drain(aq_memory_sink *to, aq_spool_reader *reader,
                       aq_diag *diag)
{
  aq_memory_sink_init(to);
  aq_status status = aq_spool_open(reader, "s", bytes, size, diag);
  return status == AQ_OK ? aq_spool_drain(reader, &to->sink, diag) : status;
}

START_TEST(what_was_put_comes_back)
{
  enum { ROWS = 20000 }; /* some in the body, some in the window */
  static const char *const letters[] = {"a", "b", "c"};
  fresh();
  aq_spool *spool = spool_make();
  aq_spool_text_put(spool, "device_model", "mi300x");
  aq_spool_text_put(spool, "device_model", "mi210");
  spool_fill(spool, ROWS);
  aq_spool_ended(spool, true);
  aq_spool_destroy(spool);
  file_read();
  aq_memory_sink to;
  aq_spool_reader reader;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_msg(drain(&to, &reader, &diag) == AQ_OK, "%s", diag.text);
  ck_assert(reader.ended && reader.reproducible && !reader.cut);
  ck_assert_int_eq(reader.pid, getpid());
  ck_assert_str_eq(aq_spool_text(&reader, "device_model"), "mi210");
  ck_assert_ptr_null(aq_spool_text(&reader, "device"));
  ck_assert_uint_eq(to.count, ROWS);
  ck_assert_uint_gt(head()->moved, AQ_SPOOL_WINDOW);
  ck_assert_uint_lt(head()->moved, head()->committed);
  for (size_t i = 0; i < ROWS; i++) {
    ck_assert_int_eq(to.rows[i].packet, (int64_t)i);
    ck_assert_int_eq(to.rows[i].pid, getpid());
    ck_assert_str_eq(aq_names_text(&to.names, to.rows[i].name), letters[i % 3]);
  }
  ck_assert_uint_eq(to.device_count, 1);
  ck_assert_str_eq(to.devices[0].name, "GPU");
  ck_assert_ptr_null(to.devices[0].gfx);
  ck_assert_int_eq(to.queues[0].source_id, 4);
  aq_memory_sink_fini(&to);
}
END_TEST

START_TEST(a_bounded_spool_keeps_a_prefix_and_counts_the_rest)
{
  aq_record_filter rows;
  aq_diag diag = AQ_DIAG_INIT;
  aq_spool *spool;
  aq_memory_sink to;
  aq_spool_reader reader;
  char text[AQ_ROW_CHOICE_TEXT];
  fresh();
  ck_assert_int_eq(aq_record_filter_read("kernels", "1M", &rows, &diag), AQ_OK);
  ck_assert_int_eq(aq_spool_create(path, &rows, &spool, &diag), AQ_OK);
  ck_assert(aq_spool_skip(spool, AQ_KIND_CALL));
  spool_fill(spool, 10000);
  aq_spool_destroy(spool);
  file_read();
  ck_assert_msg(drain(&to, &reader, &diag) == AQ_OK, "%s", diag.text);
  ck_assert_uint_eq(to.count, (1 << 20) / AQ_ROW_CHOICE_ROW);
  ck_assert_uint_le(size, AQ_SPOOL_HEADER + AQ_SPOOL_WINDOW + (1 << 20));
  ck_assert_uint_eq(aq_record_filter_left_out(&reader.rows), 10001 - to.count);
  ck_assert_ptr_nonnull(strstr(aq_record_filter_text(&reader.rows, text),
                               "past the limit of 1 MiB"));
  aq_memory_sink_fini(&to);
}
END_TEST

START_TEST(a_writer_that_is_killed_leaves_a_prefix)
{
  fresh();
  int told[2];
  char byte;
  ck_assert_int_eq(pipe(told), 0);
  pid_t child = fork();
  if (child == 0) {
    aq_spool *spool = spool_make();
    spool_fill(spool, 100);
    if (write(told[1], "x", 1) == 1)
      for (;;)
        spool_fill(spool, 10);
    _exit(1);
  }
  ck_assert_int_eq(read(told[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  close(told[0]);
  close(told[1]);
  file_read();
  aq_memory_sink to;
  aq_spool_reader reader;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_msg(drain(&to, &reader, &diag) == AQ_OK, "%s", diag.text);
  ck_assert(!reader.ended);
  ck_assert_uint_ge(to.count, 100);
  aq_memory_sink_fini(&to);
}
END_TEST

START_TEST(the_file_is_locked_as_long_as_its_writer_lives)
{
  fresh();
  aq_spool *spool = spool_make();
  FILE *file = fopen(path, "r");
  ck_assert_int_ne(flock(fileno(file), LOCK_EX | LOCK_NB), 0);
  aq_spool_destroy(spool);
  ck_assert_int_eq(flock(fileno(file), LOCK_EX | LOCK_NB), 0);
  fclose(file);
}
END_TEST

START_TEST(a_child_that_abandons_it_leaves_it_to_its_parent)
{
  fresh();
  aq_spool *spool = spool_make();
  pid_t child = fork();
  if (child == 0) {
    aq_spool_abandon(spool);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  FILE *file = fopen(path, "r");
  ck_assert_int_ne(flock(fileno(file), LOCK_EX | LOCK_NB), 0);
  fclose(file);
  spool_fill(spool, 1);
  aq_spool_destroy(spool);
}
END_TEST

START_TEST(a_run_is_as_its_writer_said_last)
{
  aq_memory_sink to;
  aq_spool_reader reader;
  aq_diag diag = AQ_DIAG_INIT;
  for (int yes = 0; yes < 2; yes++) {
    fresh();
    aq_spool *spool = spool_make();
    aq_spool_ended(spool, yes);
    aq_spool_ended(spool, !yes);
    aq_spool_reproducible(spool, !yes);
    aq_spool_reproducible(spool, yes);
    if (yes)
      aq_spool_unchecked(spool);
    aq_spool_destroy(spool);
    file_read();
    ck_assert_status(drain(&to, &reader, &diag), AQ_OK, &diag);
    ck_assert(reader.ended == !yes && reader.reproducible == yes &&
              reader.unchecked == yes);
    aq_memory_sink_fini(&to);
  }
}
END_TEST

START_TEST(the_last_call_of_all_threads_is_known)
{
  aq_spool_reader reader;
  aq_spool_call last;
  aq_diag diag = AQ_DIAG_INIT;
  fresh();
  aq_spool *spool = spool_make();
  file_read();
  ck_assert_status(aq_spool_open(&reader, "s", bytes, size, &diag), AQ_OK,
                   &diag);
  ck_assert(!aq_spool_call_last(&reader, &last));
  aq_spool_call_begin(spool, 2, "hsa_init", "/bin/a", 16);
  aq_spool_call_end(
      aq_spool_call_begin(spool, 1, "hsa_queue_create", "/bin/b", 32));
  for (int i = 0; i < 2; i++) {
    file_read();
    ck_assert_status(aq_spool_open(&reader, "s", bytes, size, &diag), AQ_OK,
                     &diag);
    ck_assert(aq_spool_call_last(&reader, &last));
    ck_assert_str_eq(last.name, i ? "hsa_shut_down" : "hsa_queue_create");
    ck_assert_str_eq(last.file, i ? "" : "/bin/b");
    ck_assert_uint_eq(last.offset, i ? 48 : 32);
    ck_assert_int_eq(aq_spool_call_is_inside(&last), i);
    aq_spool_call_begin(spool, 2, "hsa_shut_down", NULL, 48);
  }
  aq_spool_destroy(spool);
}
END_TEST

/* The newest call of a spool that is still written. */
static aq_spool_call last_call(void)
{
  aq_spool_reader reader;
  aq_spool_call last;
  aq_diag diag = AQ_DIAG_INIT;
  file_read();
  ck_assert_status(aq_spool_open(&reader, "s", bytes, size, &diag), AQ_OK,
                   &diag);
  ck_assert(aq_spool_call_last(&reader, &last));
  return last;
}

typedef struct caller {
  pthread_t thread;
  aq_spool *spool;
  int64_t number;
} caller;

static void *calls_make(void *user)
{
  const caller *c = user;
  char text[16];
  snprintf(text, sizeof text, "%d", (int)c->number);
  enum { TURNS = 20000 };
  for (int i = 0; i < TURNS; i++)
    aq_spool_call_end(aq_spool_call_begin(c->spool, c->number, text, text,
                                          (uint64_t)c->number));
  return NULL;
}

START_TEST(threads_that_share_a_slot_keep_their_calls_apart)
{
  enum { CALLERS = 3 };
  caller callers[CALLERS];
  char text[16];
  fresh();
  aq_spool *spool = spool_make();
  const aq_spool_noted first = aq_spool_call_begin(spool, 1, "a", "/a", 1);
  aq_spool_call_begin(spool, 1 + AQ_SPOOL_CALLS, "b", "/b", 2);
  aq_spool_call_end(first);
  aq_spool_call last = last_call();
  ck_assert_str_eq(last.name, "b");
  ck_assert(aq_spool_call_is_inside(&last));
  for (int i = 0; i < CALLERS; i++) {
    callers[i] = (caller){.spool = spool, .number = 2 + i * AQ_SPOOL_CALLS};
    ck_assert_int_eq(
        pthread_create(&callers[i].thread, NULL, calls_make, &callers[i]), 0);
  }
  for (int i = 0; i < CALLERS; i++)
    pthread_join(callers[i].thread, NULL);
  last = last_call();
  snprintf(text, sizeof text, "%d", (int)last.tid);
  ck_assert_str_eq(last.name, text);
  ck_assert_str_eq(last.file, text);
  ck_assert_uint_eq(last.offset, (uint64_t)last.tid);
  aq_spool_destroy(spool);
}
END_TEST

START_TEST(rows_that_the_disk_has_no_room_for_are_counted)
{
  enum { ROWS = 20000 };
  const struct rlimit limit = {AQ_SPOOL_HEADER + AQ_SPOOL_WINDOW,
                               RLIM_INFINITY};
  aq_memory_sink to;
  aq_spool_reader reader;
  aq_diag diag = AQ_DIAG_INIT;
  char text[AQ_ROW_CHOICE_TEXT];
  fresh();
  aq_spool *spool = spool_make();
  signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  spool_fill(spool, ROWS);
  aq_spool_destroy(spool);
  file_read();
  ck_assert_status(drain(&to, &reader, &diag), AQ_OK, &diag);
  ck_assert_uint_gt(to.count, 100);
  ck_assert_uint_eq(aq_record_filter_left_out(&reader.rows), ROWS - to.count);
  ck_assert_ptr_nonnull(strstr(aq_record_filter_text(&reader.rows, text),
                               "that the disk had no room for"));
  aq_memory_sink_fini(&to);
}
END_TEST

/* Names of many sizes, a row each: the last that do not fit are followed by
 * smaller ones, which would. */
START_TEST(nothing_follows_a_name_that_the_disk_has_no_room_for)
{
  enum { ROWS = 1000, NAME = 2300 };
  const struct rlimit limit = {AQ_SPOOL_HEADER + AQ_SPOOL_WINDOW,
                               RLIM_INFINITY};
  aq_memory_sink to;
  aq_spool_reader reader;
  aq_diag diag = AQ_DIAG_INIT;
  char name[NAME];
  fresh();
  aq_spool *spool = spool_make();
  aq_record_sink *sink = aq_spool_sink(spool);
  signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  spool_fill(spool, 0);
  memset(name, 'n', sizeof name);
  for (int i = 0; i < ROWS; i++) {
    aq_record row;
    int64_t id;
    aq_record_init(&row);
    memcpy(name,
           &(char[4]){(char)('a' + i % 26), (char)('a' + i / 26 % 26),
                      (char)('a' + i / 676)},
           3);
    ck_assert_int_eq(sink->name(sink, name, i % 2 ? NAME : 8, &id, &diag),
                     AQ_OK);
    row.kind = AQ_KIND_KERNEL;
    row.device = row.queue = 0;
    row.name = id;
    row.packet = i;
    ck_assert_int_eq(sink->put(sink, &row, 1, &diag), AQ_OK);
  }
  aq_spool_destroy(spool);
  file_read();
  ck_assert_status(drain(&to, &reader, &diag), AQ_OK, &diag);
  ck_assert_uint_gt(to.count, 100);
  ck_assert_uint_eq(aq_record_filter_left_out(&reader.rows), ROWS - to.count);
  for (size_t i = 0; i < to.count; i++) {
    const char *text = aq_names_text(&to.names, to.rows[i].name);
    ck_assert_int_eq(to.rows[i].packet, (int64_t)i);
    ck_assert_int_eq(text[0], 'a' + (int)i % 26);
    ck_assert_int_eq(text[1], 'a' + (int)i / 26 % 26);
  }
  aq_memory_sink_fini(&to);
}
END_TEST

/* The steps of a move, each of which a kill may follow: the body grows, then
 * `moved`, then the window gets other entries. */
START_TEST(a_kill_within_a_move_of_the_window_loses_nothing)
{
  enum { ROWS = 20000, CUT = 100 };
  aq_memory_sink to;
  aq_spool_reader reader;
  aq_diag diag = AQ_DIAG_INIT;
  fresh();
  aq_spool *spool = spool_make();
  spool_fill(spool, ROWS);
  aq_spool_destroy(spool);
  for (int step = 0; step < 3; step++) {
    file_read();
    const size_t left = head()->committed - head()->moved;
    const size_t body = AQ_SPOOL_HEADER + AQ_SPOOL_WINDOW + head()->moved;
    bytes = realloc(bytes, body + left);
    memcpy(bytes + body, bytes + AQ_SPOOL_HEADER, left);
    size = body + (step ? left : left / 2);
    if (step)
      head()->moved = head()->committed;
    if (step == 2)
      memset(bytes + AQ_SPOOL_HEADER, 0xff, CUT);
    ck_assert_status(drain(&to, &reader, &diag), AQ_OK, &diag);
    ck_assert(!reader.cut);
    ck_assert_uint_eq(to.count, ROWS);
    ck_assert_int_eq(to.rows[ROWS - 1].packet, ROWS - 1);
    aq_memory_sink_fini(&to);
  }
  /* A body that the file lacks part of: the window's entries are not next. */
  size = AQ_SPOOL_HEADER + AQ_SPOOL_WINDOW + CUT;
  ck_assert_status(drain(&to, &reader, &diag), AQ_OK, &diag);
  ck_assert(reader.cut);
  ck_assert_uint_lt(to.count, 3);
  aq_memory_sink_fini(&to);
}
END_TEST

/* Counts that no writer leaves name nothing behind the file or the window. */
START_TEST(counts_beyond_the_file_are_cut)
{
  static const uint64_t counts[][2] = {{UINT64_MAX, 0},
                                       {UINT64_MAX, UINT64_MAX},
                                       {64, UINT64_MAX},
                                       {UINT64_MAX, 1 << 30}};
  aq_memory_sink to;
  aq_spool_reader reader;
  aq_diag diag = AQ_DIAG_INIT;
  fresh();
  aq_spool *spool = spool_make();
  spool_fill(spool, 3);
  aq_spool_destroy(spool);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    file_read();
    head()->committed = counts[i][0];
    head()->moved = counts[i][1];
    drain(&to, &reader, &diag);
    ck_assert(reader.cut);
    ck_assert_uint_le(reader.end, AQ_SPOOL_WINDOW);
    aq_memory_sink_fini(&to);
  }
}
END_TEST

START_TEST(the_submission_of_a_packet_is_its_host_call)
{
  aq_memory_sink to;
  aq_spool_reader reader;
  aq_record rows[2];
  aq_diag diag = AQ_DIAG_INIT;
  fresh();
  aq_spool *spool = spool_make();
  for (int i = 0; i < 2; i++) {
    aq_record_init(&rows[i]);
    rows[i].kind = AQ_KIND_KERNEL;
  }
  rows[0].submit = 42;
  rows[1].host_begin = 7; /* of no known submission: it stays */
  aq_spool_put_submitted(spool, rows, 2);
  aq_spool_destroy(spool);
  file_read();
  ck_assert_status(drain(&to, &reader, &diag), AQ_OK, &diag);
  rows[0].via = AQ_VIA_DIRECT;
  rows[0].host_begin = rows[0].host_end = 42;
  rows[0].pid = rows[1].pid = getpid();
  ck_assert_mem_eq(to.rows, rows, sizeof rows);
  aq_memory_sink_fini(&to);
}
END_TEST

START_TEST(rows_and_queues_that_cannot_be_are_refused)
{
  static const char *const words[] = {"row of an unknown kind",
                                      "queue of an unknown device"};
  for (int i = 0; i < 2; i++) {
    aq_memory_sink to;
    aq_spool_reader reader;
    aq_record row;
    int64_t queue;
    aq_diag diag = AQ_DIAG_INIT;
    fresh();
    aq_spool *spool = spool_make();
    aq_record_sink *sink = aq_spool_sink(spool);
    aq_record_init(&row);
    row.kind = 0;
    ck_assert_status(
        i ? sink->queue(sink, &(aq_run_queue){AQ_NONE, 4}, &queue, &diag)
          : sink->put(sink, &row, 1, &diag),
        AQ_OK, &diag);
    aq_spool_destroy(spool);
    file_read();
    ck_assert_status(drain(&to, &reader, &diag), AQ_ERR_INPUT, &diag);
    ck_assert_msg(strstr(diag.text, words[i]), "%s", diag.text);
    aq_memory_sink_fini(&to);
  }
}
END_TEST

START_TEST(a_file_that_is_shorter_than_it_says_gives_what_is_there)
{
  fresh();
  aq_spool *spool = spool_make();
  spool_fill(spool, 10);
  aq_spool_destroy(spool);
  file_read();
  enum { KNOWN = 5 }; /* kind, name, device, queue, packet */
  const size_t row = sizeof(aq_spool_entry) + (1 + KNOWN) * sizeof(int64_t);
  size = AQ_SPOOL_HEADER + (size_t)head()->committed - row - row / 2;
  aq_memory_sink to;
  aq_spool_reader reader;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_msg(drain(&to, &reader, &diag) == AQ_OK, "%s", diag.text);
  ck_assert(reader.cut);
  ck_assert_uint_eq(to.count, 8);
  aq_memory_sink_fini(&to);
}
END_TEST

START_TEST(fields_that_are_not_known_are_left_out)
{
  fresh();
  aq_spool *spool = spool_make();
  spool_fill(spool, 1);
  aq_spool_destroy(spool);
  file_read();
  memcpy(strstr(head()->fields, "packet"), "pocket", 6);
  aq_memory_sink to;
  aq_spool_reader reader;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_int_eq(drain(&to, &reader, &diag), AQ_OK);
  ck_assert_int_eq(to.rows[0].packet, AQ_NONE);
  ck_assert_int_eq(to.rows[0].kind, AQ_KIND_KERNEL);
  aq_memory_sink_fini(&to);
}
END_TEST

static void break_magic(void)
{
  head()->magic[0]++;
}

static void break_version(void)
{
  head()->version++;
}

static void break_fields(void)
{
  head()->field_count = UINT32_MAX;
}

static void break_kind(void)
{
  bytes[AQ_SPOOL_HEADER] = 99;
}

static void break_size(void)
{
  bytes[AQ_SPOOL_HEADER + 7] = 0x7f;
}

static void break_short(void)
{
  size = 100;
}

START_TEST(what_is_no_spool_is_refused_with_its_place)
{
  fresh();
  static const struct {
    void (*damage)(void);
    const char *words;
  } cases[] = {
      {break_magic, "s: not a spool"},
      {break_version, "s: spool of version 4; expected 3"},
      {break_fields, "s: malformed list of 4294967295 fields"},
      {break_kind, "s: byte 4096: entry of an unknown kind"},
      {break_size, "s: byte 4096: entry that does not end"},
      {break_short, "s: 100 bytes are no spool"},
  };
  aq_spool *spool = spool_make();
  spool_fill(spool, 3);
  aq_spool_destroy(spool);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_memory_sink to;
    aq_spool_reader reader;
    aq_diag diag = AQ_DIAG_INIT;
    file_read();
    cases[i].damage();
    ck_assert_int_eq(drain(&to, &reader, &diag), AQ_ERR_INPUT);
    ck_assert_msg(strstr(diag.text, cases[i].words), "%s", diag.text);
    aq_memory_sink_fini(&to);
  }
}
END_TEST

/* It has the rows from which check-fuzz makes others. */
START_TEST(the_seed_of_the_fuzz_target_is_of_this_version)
{
  snprintf(path, sizeof path, "%s",
           aqtest_source("fuzz/corpus/spool/rows.spool"));
  file_read();
  aq_memory_sink to;
  aq_spool_reader reader;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(drain(&to, &reader, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(to.count, 2);
  ck_assert_int_eq(to.rows[0].kind, AQ_KIND_KERNEL);
  ck_assert_int_eq(to.rows[0].queue, 0);
  ck_assert_int_eq(to.rows[0].host_end, 1000);
  ck_assert_int_eq(to.rows[1].kind, AQ_KIND_WAIT);
  ck_assert_int_eq(to.rows[1].queue, AQ_NONE);
  aq_memory_sink_fini(&to);
}
END_TEST

START_TEST(a_path_that_is_taken_is_an_error)
{
  fresh();
  aq_diag diag = AQ_DIAG_INIT;
  aq_spool *spool = spool_make(), *other;
  ck_assert_int_eq(aq_spool_create(path, NULL, &other, &diag), AQ_ERR_EXISTS);
  ck_assert_ptr_nonnull(strstr(diag.text, path));
  ck_assert_int_eq(aq_spool_create("/nowhere/spool", NULL, &other, &diag),
                   AQ_ERR_NOT_FOUND);
  aq_spool_destroy(spool);
}
END_TEST

AQ_TEST_MAIN("common/spool", what_was_put_comes_back,
             a_bounded_spool_keeps_a_prefix_and_counts_the_rest,
             a_writer_that_is_killed_leaves_a_prefix,
             the_file_is_locked_as_long_as_its_writer_lives,
             a_child_that_abandons_it_leaves_it_to_its_parent,
             a_run_is_as_its_writer_said_last,
             the_last_call_of_all_threads_is_known,
             threads_that_share_a_slot_keep_their_calls_apart,
             rows_that_the_disk_has_no_room_for_are_counted,
             nothing_follows_a_name_that_the_disk_has_no_room_for,
             a_kill_within_a_move_of_the_window_loses_nothing,
             counts_beyond_the_file_are_cut,
             the_submission_of_a_packet_is_its_host_call,
             rows_and_queues_that_cannot_be_are_refused,
             a_file_that_is_shorter_than_it_says_gives_what_is_there,
             fields_that_are_not_known_are_left_out,
             what_is_no_spool_is_refused_with_its_place,
             the_seed_of_the_fuzz_target_is_of_this_version,
             a_path_that_is_taken_is_an_error)
