/* SPDX-License-Identifier: MIT */
/* Metrics of devices: tables of the driver, a tree of files that stands for
 * sysfs, and samples of a run on HSA that reads it. */
#include "support/aqtest.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend_hsa/gpu_metrics.h"
#include "backend_hsa/hsa.h"
#include "common/memory_sink.h"

static void metrics_clear(aqhsa_metrics *m)
{
  for (int i = 0; i < AQ_COUNTER_COUNT; i++)
    m->values[i] = AQ_NONE;
}

/* A table of `size` bytes of format 1 whose words are not available. */
static void table_make(unsigned char *bytes, uint16_t size, uint8_t content)
{
  memset(bytes, 0xff, size);
  memcpy(bytes, &size, sizeof size);
  bytes[2] = 1;
  bytes[3] = content;
}

static void word_put(unsigned char *bytes, size_t at, uint16_t value)
{
  memcpy(bytes + at, &value, sizeof value);
}

#define VALUE(m, name) ((m).values[AQ_COUNTER_##name])

/* Offsets: kgd_pp_interface.h of Linux. */
START_TEST(tables_of_each_revision_are_read)
{
  static const struct {
    uint8_t content;
    uint16_t size, hotspot, busy, power, core, memory;
  } cases[] = {{1, 96, 6, 16, 22, 54, 58},
               {2, 104, 6, 16, 22, 54, 58},
               {3, 120, 6, 16, 22, 54, 58},
               {4, 288, 4, 12, 10, 240, 280},
               {5, 360, 4, 12, 10, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned char bytes[512];
    aqhsa_metrics m;
    metrics_clear(&m);
    table_make(bytes, cases[i].size, cases[i].content);
    ck_assert(aqhsa_gpu_metrics_parse(bytes, cases[i].size, &m));
    for (int c = 0; c < AQ_COUNTER_COUNT; c++)
      ck_assert_int_eq(m.values[c], AQ_NONE); /* all bits set */
    word_put(bytes, cases[i].hotspot, 71);
    word_put(bytes, cases[i].busy, 98);
    word_put(bytes, cases[i].power, 512);
    if (cases[i].core) {
      word_put(bytes, cases[i].core, 2100);
      word_put(bytes, cases[i].memory, 1300);
    }
    ck_assert(aqhsa_gpu_metrics_parse(bytes, cases[i].size, &m));
    ck_assert_int_eq(VALUE(m, temperature), 71000);
    ck_assert_int_eq(VALUE(m, gpu_busy), 98);
    ck_assert_int_eq(VALUE(m, power), 512000);
    ck_assert_int_eq(VALUE(m, core_clock), cases[i].core ? 2100 : AQ_NONE);
    ck_assert_int_eq(VALUE(m, memory_clock), cases[i].core ? 1300 : AQ_NONE);
    ck_assert_int_eq(VALUE(m, vram_used), AQ_NONE);
  }
}
END_TEST

START_TEST(other_tables_are_refused)
{
  unsigned char bytes[512];
  aqhsa_metrics m;
  metrics_clear(&m);
  table_make(bytes, 96, 1);
  ck_assert(!aqhsa_gpu_metrics_parse(bytes, 95, &m));
  ck_assert(!aqhsa_gpu_metrics_parse(bytes, 3, &m));
  ck_assert(!aqhsa_gpu_metrics_parse(bytes, 0, &m));
  table_make(bytes, 96, 6);
  ck_assert(!aqhsa_gpu_metrics_parse(bytes, 96, &m));
  table_make(bytes, 96, 0);
  ck_assert(!aqhsa_gpu_metrics_parse(bytes, 96, &m));
  table_make(bytes, 96, 1);
  bytes[2] = 2; /* of APUs */
  ck_assert(!aqhsa_gpu_metrics_parse(bytes, 96, &m));
  table_make(bytes, 8, 4); /* short, as its header says */
  word_put(bytes, 4, 50);
  ck_assert(aqhsa_gpu_metrics_parse(bytes, 8, &m));
  ck_assert_int_eq(VALUE(m, temperature), 50000);
  ck_assert_int_eq(VALUE(m, power), AQ_NONE);
}
END_TEST

/* ---- files ---- */

static const char *tree(const char *path)
{
  static char text[4][600];
  static int at;
  char *to = text[at++ % 4];
  snprintf(to, sizeof text[0], "%s/sys%s%s", aqtest_tmpdir(), *path ? "/" : "",
           path);
  return to;
}

#define DEVICE "bus/pci/devices/a9d0:01:00.0"

static void file_put(const char *name, const void *bytes, size_t size)
{
  char path[600];
  snprintf(path, sizeof path, "%s", tree(name));
  for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = '\0';
    mkdir(path, 0777);
    *slash = '/';
  }
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static void text_put(const char *name, const char *text)
{
  file_put(name, text, strlen(text));
}

static void tree_make(void)
{
  text_put(DEVICE "/gpu_busy_percent", "37\n");
  text_put(DEVICE "/mem_info_vram_used", "1234567890\n");
  text_put(DEVICE "/hwmon/hwmon5/name", "amdgpu\n");
  text_put(DEVICE "/hwmon/hwmon5/freq1_label", "sclk\n");
  text_put(DEVICE "/hwmon/hwmon5/freq1_input", "2482000000\n");
  text_put(DEVICE "/hwmon/hwmon5/freq2_label", "mclk\n");
  text_put(DEVICE "/hwmon/hwmon5/freq2_input", "1249000000\n");
  text_put(DEVICE "/hwmon/hwmon5/temp1_label", "edge\n");
  text_put(DEVICE "/hwmon/hwmon5/temp1_input", "41000\n");
  text_put(DEVICE "/hwmon/hwmon5/temp2_label", "junction\n");
  text_put(DEVICE "/hwmon/hwmon5/temp2_input", "47000\n");
  text_put(DEVICE "/hwmon/hwmon5/power1_label", "PPT\n");
  text_put(DEVICE "/hwmon/hwmon5/power1_average", "102000000\n");
}

START_TEST(the_files_of_a_device_are_read_in_their_units)
{
  aqhsa_metrics m;
  unsigned revision;
  ck_assert(!aqhsa_metrics_read(tree(DEVICE), &m, &revision));
  tree_make();
  ck_assert(aqhsa_metrics_read(tree(DEVICE), &m, &revision));
  ck_assert_uint_eq(revision, 0);
  ck_assert_int_eq(VALUE(m, core_clock), 2482);
  ck_assert_int_eq(VALUE(m, memory_clock), 1249);
  ck_assert_int_eq(VALUE(m, temperature), 47000);
  ck_assert_int_eq(VALUE(m, power), 102000);
  ck_assert_int_eq(VALUE(m, gpu_busy), 37);
  ck_assert_int_eq(VALUE(m, vram_used), 1234567890);
  text_put(DEVICE "/gpu_busy_percent", "busy\n");
  text_put(DEVICE "/hwmon/hwmon5/power1_average", "");
  ck_assert(aqhsa_metrics_read(tree(DEVICE), &m, &revision));
  ck_assert_int_eq(VALUE(m, gpu_busy), AQ_NONE);
  ck_assert_int_eq(VALUE(m, power), AQ_NONE);
}
END_TEST

START_TEST(a_table_fills_what_the_files_lack)
{
  unsigned char bytes[288];
  aqhsa_metrics m;
  unsigned revision;
  text_put(DEVICE "/gpu_busy_percent", "37\n");
  table_make(bytes, sizeof bytes, 4);
  word_put(bytes, 10, 512);
  word_put(bytes, 12, 98);
  file_put(DEVICE "/gpu_metrics", bytes, sizeof bytes);
  ck_assert(aqhsa_metrics_read(tree(DEVICE), &m, &revision));
  ck_assert_int_eq(VALUE(m, gpu_busy), 37);
  ck_assert_int_eq(VALUE(m, power), 512000);
  bytes[3] = 9;
  file_put(DEVICE "/gpu_metrics", bytes, sizeof bytes);
  ck_assert(aqhsa_metrics_read(tree(DEVICE), &m, &revision));
  ck_assert_uint_eq(revision, 0x109);
  ck_assert_int_eq(VALUE(m, power), AQ_NONE);
}
END_TEST

/* ---- a run ---- */

static aq_transport *hsa_open(aq_memory_sink *sink, aq_time counters,
                              aq_status expected, aq_diag *diag)
{
  char library[600];
  const char *root = getenv("AQ_BUILDDIR");
  snprintf(library, sizeof library, "lib=%s/.libs/libhsa-runtime64.so.1",
           root ? root : ".");
  const char *const settings[] = {library, NULL};
  const aq_transport_layer layer = {.ops = &aqhsa_transport_ops,
                                    .settings = settings};
  const aq_transport_options options = {.size = sizeof options,
                                        .layer = &layer,
                                        .records = &sink->sink,
                                        .counters = counters};
  aq_transport *t = NULL;
  ck_assert_status(aqhsa_transport_ops.open(&options, &t, diag), expected,
                   diag);
  return t;
}

/* The values of a counter, in the order of their times. */
static size_t values_of(const aq_memory_sink *sink, int counter,
                        int64_t *values, size_t most)
{
  size_t count = 0;
  aq_time last = AQ_TIME_NONE;
  for (size_t i = 0; i < sink->sample_count; i++)
    if (sink->samples[i].counter == counter && count < most) {
      ck_assert_int_eq(sink->samples[i].ordinal, 0);
      ck_assert(last == AQ_TIME_NONE || sink->samples[i].time >= last);
      last = sink->samples[i].time;
      values[count++] = sink->samples[i].value;
    }
  return count;
}

/* Waits until another thread has closed a file three times from now on: the
 * second read is after all that happened before, and its sample is kept when
 * the third has ended. */
static void reads_await(int watch, const char *name)
{
  _Alignas(struct inotify_event) char bytes[4096];
  int seen = 0;
  while (read(watch, bytes, sizeof bytes) > 0)
    ; /* those so far */
  while (seen < 3) {
    struct pollfd one = {.fd = watch, .events = POLLIN};
    ck_assert_int_eq(poll(&one, 1, 30000), 1);
    const ssize_t got = read(watch, bytes, sizeof bytes);
    const struct inotify_event *event;
    for (ssize_t at = 0; at < got;
         at += (ssize_t)(sizeof *event + event->len)) {
      event = (const struct inotify_event *)(const void *)(bytes + at);
      seen += event->len > 0 && strcmp(event->name, name) == 0;
    }
  }
}

/* Renamed over the old one: a reader sees either value whole. */
static void busy_put(const char *text)
{
  text_put(DEVICE "/next", text);
  ck_assert_int_eq(
      rename(tree(DEVICE "/next"), tree(DEVICE "/gpu_busy_percent")), 0);
}

START_TEST(samples_of_a_run_follow_the_files)
{
  aq_memory_sink sink;
  aq_diag diag = AQ_DIAG_INIT;
  aq_transport_info info;
  int64_t values[8];
  const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  setenv("AQUEDUCT_SYSFS", tree(""), 1);
  tree_make();
  ck_assert_int_ge(watch, 0);
  ck_assert_int_ge(inotify_add_watch(watch, tree(DEVICE), IN_CLOSE_NOWRITE), 0);
  aq_memory_sink_init(&sink);
  aq_transport *t = hsa_open(&sink, AQ_MS, AQ_OK, &diag);
  t->ops->info(t, &info);
  ck_assert(info.caps & AQ_CAP_COUNTERS);
  busy_put("99\n");
  reads_await(watch, "gpu_busy_percent");
  busy_put("42\n");
  ck_assert_uint_eq(sink.sample_count, 0); /* they come at the end */
  t->ops->close(t);
  close(watch);
  ck_assert_uint_eq(values_of(&sink, AQ_COUNTER_gpu_busy, values, 8), 3);
  ck_assert_int_eq(values[0], 37);
  ck_assert_int_eq(values[1], 99);
  ck_assert_int_eq(values[2], 42);
  ck_assert_uint_eq(values_of(&sink, AQ_COUNTER_power, values, 8), 1);
  ck_assert_int_eq(values[0], 102000);
  aq_memory_sink_fini(&sink);
}
END_TEST

START_TEST(devices_without_files_have_no_counters)
{
  aq_memory_sink sink;
  aq_diag diag = AQ_DIAG_INIT;
  aq_transport_info info;
  setenv("AQUEDUCT_SYSFS", "/nowhere", 1);
  aq_memory_sink_init(&sink);
  aq_transport *t = hsa_open(&sink, 0, AQ_OK, &diag);
  t->ops->info(t, &info);
  ck_assert(!(info.caps & AQ_CAP_COUNTERS));
  t->ops->close(t);
  hsa_open(&sink, AQ_MS, AQ_ERR_UNSUPPORTED, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "AQUEDUCT_SYSFS"));
  setenv("AQUEDUCT_SYSFS", tree(""), 1);
  tree_make();
  hsa_open(&sink, AQ_NS, AQ_ERR_INVALID, &diag);
  aq_memory_sink_fini(&sink);
}
END_TEST

AQ_TEST_MAIN("backend_hsa/metrics", tables_of_each_revision_are_read,
             other_tables_are_refused,
             the_files_of_a_device_are_read_in_their_units,
             a_table_fills_what_the_files_lack,
             samples_of_a_run_follow_the_files,
             devices_without_files_have_no_counters)
