/* SPDX-License-Identifier: MIT */
#include "trace/export/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/fixture.h"

/* The calls of a timeline, as text: one line a call. */
typedef struct listing {
  char *text;
  size_t size;
  FILE *out;
} listing;

static void list_track(void *writer, const aq_track *track)
{
  static const char *const kinds[] = {"process", "lane", "counter"};
  fprintf(((listing *)writer)->out, "%s %u of %u: %s\n", kinds[track->kind],
          track->id, track->process, track->name);
}

static void list_slice(void *writer, const aq_slice *slice)
{
  FILE *out = ((listing *)writer)->out;
  fprintf(out, "  on %u: %s %lld-%lld", slice->track, slice->name,
          (long long)slice->begin, (long long)slice->end);
  for (size_t i = 0; i < slice->leave_count; i++)
    fprintf(out, " leaves %llu", (unsigned long long)slice->leave[i]);
  for (size_t i = 0; i < slice->arrive_count; i++)
    fprintf(out, " arrives %llu", (unsigned long long)slice->arrive[i]);
  fputc('\n', out);
}

static void list_counter(void *writer, const aq_track *track, aq_time time,
                         int64_t value)
{
  fprintf(((listing *)writer)->out, "  %u at %lld: %lld\n", track->id,
          (long long)time, (long long)value);
}

static char *drawn(const char *jsonl)
{
  static const aq_timeline_writer ops = {list_track, list_slice, list_counter};
  const aq_run_info info = {.kind = AQ_RUN_SIMULATED};
  fixture f = fixture_text(jsonl);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  fixture_source from = fixture_read(&f.sink, &info);
  listing l = {0};
  aq_diag diag = AQ_DIAG_INIT;
  l.out = open_memstream(&l.text, &l.size);
  ck_assert_status(aq_timeline_draw(&from.source, &ops, &l, &diag), AQ_OK,
                   &diag);
  fclose(l.out);
  fixture_free(&f);
  return l.text;
}

#define RUN    "{\"kind\":\"run\",\"run\":\"simulated\"}\n"
#define KERNEL "{\"kind\":\"kernel\",\"device\":{\"id\":0,\"gfx\":\"gfx942\"},"
#define QUEUE  "\"queue\":{\"id\":0},"

START_TEST(the_life_of_a_packet_nests_in_it)
{
  char *text = drawn(RUN KERNEL QUEUE
                     "\"name\":\"k\",\"submit\":10,\"fetch\":20,\"launch\":30,"
                     "\"start\":40,\"end\":50,\"complete\":60}\n");
  ck_assert_str_eq(text, "process 1 of 1: device 0 gfx942\n"
                         "lane 2 of 1: queue 0\n"
                         "  on 2: k 40-50\n"
                         "lane 3 of 1: queue 0 packets\n"
                         "  on 3: k 10-60\n"
                         "  on 3: in the ring 10-20\n"
                         "  on 3: waits 20-30\n"
                         "  on 3: launches 30-40\n"
                         "  on 3: runs 40-50\n"
                         "  on 3: completes 50-60\n"
                         "counter 4 of 1: queue 0 depth\n"
                         "  4 at 10: 1\n"
                         "  4 at 60: 0\n");
  free(text);
}
END_TEST

START_TEST(a_start_equal_to_the_end_before_it_shows_no_launch)
{
  char *text = drawn(RUN KERNEL QUEUE
                     "\"name\":\"k\",\"submit\":10,\"fetch\":20,\"launch\":40,"
                     "\"start\":35,\"end\":50,\"complete\":60}\n");
  ck_assert_ptr_nonnull(strstr(text, "  on 2: k 35-50\n"));
  ck_assert_ptr_nonnull(strstr(text, "  on 3: waits 20-40\n"
                                     "  on 3: runs 40-50\n"));
  ck_assert_ptr_null(strstr(text, "launches"));
  free(text);
}
END_TEST

START_TEST(kernels_that_overlap_take_lanes_of_their_own)
{
  char *text = drawn(RUN KERNEL QUEUE
                     "\"name\":\"a\",\"start\":10,\"end\":30}\n" KERNEL QUEUE
                     "\"name\":\"b\",\"start\":20,\"end\":40}\n" KERNEL QUEUE
                     "\"name\":\"c\",\"start\":30,\"end\":50}\n");
  ck_assert_str_eq(text, "process 1 of 1: device 0 gfx942\n"
                         "lane 2 of 1: queue 0\n"
                         "  on 2: a 10-30\n"
                         "lane 3 of 1: queue 0\n"
                         "  on 3: b 20-40\n"
                         "  on 2: c 30-50\n");
  free(text);
}
END_TEST

START_TEST(a_call_that_submitted_many_is_drawn_once)
{
  char *text = drawn(RUN KERNEL QUEUE
                     "\"name\":\"a\",\"correlation\":5,\"pid\":7,\"tid\":8,"
                     "\"host_begin\":1,\"host_end\":3}\n" KERNEL QUEUE
                     "\"name\":\"b\",\"correlation\":5,\"pid\":7,\"tid\":8,"
                     "\"host_begin\":1,\"host_end\":3}\n" KERNEL QUEUE
                     "\"name\":\"c\",\"correlation\":6,\"pid\":7,\"tid\":8,"
                     "\"host_begin\":4,\"host_end\":5}\n");
  ck_assert_str_eq(text, "process 1 of 1: host process 7\n"
                         "lane 2 of 1: thread 8\n"
                         "  on 2: a 1-3\n"
                         "process 3 of 2: device 0 gfx942\n"
                         "  on 2: c 4-5\n");
  free(text);
}
END_TEST

START_TEST(a_dependency_leaves_one_kernel_and_arrives_at_another)
{
  char *text = drawn(RUN KERNEL QUEUE
                     "\"name\":\"a\",\"start\":1,\"end\":2}\n" KERNEL QUEUE
                     "\"name\":\"b\",\"start\":3,\"end\":4}\n"
                     "{\"kind\":\"edge\",\"to\":1,\"from\":0,\"how\":"
                     "\"call\",\"confidence\":90}\n");
  ck_assert_ptr_nonnull(strstr(text, "a 1-2 leaves 0\n"));
  ck_assert_ptr_nonnull(strstr(text, "b 3-4 arrives 0\n"));
  free(text);
}
END_TEST

START_TEST(a_deep_queue_shows_packets_from_their_fetch)
{
  char jsonl[8192] = RUN;
  for (int i = 0; i < 20; i++)
    snprintf(jsonl + strlen(jsonl), sizeof jsonl - strlen(jsonl),
             KERNEL QUEUE "\"name\":\"k\",\"submit\":0,\"fetch\":%d,"
                          "\"launch\":%d,\"start\":%d,\"end\":%d,"
                          "\"complete\":%d}\n",
             100 * i + 10, 100 * i + 20, 100 * i + 30, 100 * i + 40,
             100 * i + 50);
  char *text = drawn(jsonl);
  size_t lanes = 0;
  for (const char *at = text; (at = strstr(at, "packets\n")); at++)
    lanes++;
  ck_assert_uint_eq(lanes, 16);
  ck_assert_ptr_nonnull(strstr(text, "k 1910-1950\n"));
  ck_assert_ptr_nonnull(strstr(text, "at 0: 20\n"));
  free(text);
}
END_TEST

AQ_TEST_MAIN("trace/timeline", the_life_of_a_packet_nests_in_it,
             a_start_equal_to_the_end_before_it_shows_no_launch,
             kernels_that_overlap_take_lanes_of_their_own,
             a_call_that_submitted_many_is_drawn_once,
             a_dependency_leaves_one_kernel_and_arrives_at_another,
             a_deep_queue_shows_packets_from_their_fetch)
