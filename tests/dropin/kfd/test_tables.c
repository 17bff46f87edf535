/* SPDX-License-Identifier: MIT */
/* The page of the driver's calls, and the files that describe devices. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/model/device_model.h"
#include "dropin/kfd/kfd.h"
#include "dropin/kfd/topology.h"
#include "support/aqtest.h"

#define PAGE "../doc/tables/driver-calls.md"

static const char head[] =
    "# Calls of the kernel driver\n\n"
    "For whoever runs AMD's own runtime above the simulator "
    "([kfd.md](../kfd.md)). "
    "One row a call of\n`/dev/kfd`, interface 1.14, from "
    "`src/dropin/kfd/calls.def` (`make driver-docs`; a test compares them).\n"
    "An unknown call gets `ENOTTY`. Of a render node there are the three calls "
    "by "
    "which libdrm opens one:\nthe version, the client, and the information "
    "about "
    "the device.\n\n"
    "| number | call | answer | effect |\n|---|---|---|---|\n";

static const char *error_name(int error)
{
  return error == EPERM    ? "EPERM"
         : error == EINVAL ? "EINVAL"
         : error == EACCES ? "EACCES"
                           : "?";
}

static void page_write(FILE *to)
{
  aqkfd_call_info info;
  fputs(head, to);
  for (size_t i = 0; aqkfd_call_describe(i, &info); i++) {
    fprintf(to, "| 0x%02x | %s | ", info.number, info.name);
    if (info.answer == AQKFD_REFUSED)
      fprintf(to, "refused: %s", error_name(info.error));
    else
      fputs(info.answer == AQKFD_DONE ? "done" : "partly", to);
    fprintf(to, " | %s |\n", info.text);
  }
}

static char *file_read(const char *path)
{
  FILE *file = fopen(path, "r");
  char *text = NULL;
  size_t size = 0;
  ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
  const ssize_t length = getdelim(&text, &size, 0, file);
  ck_assert_int_gt(length, 0);
  fclose(file);
  return text;
}

START_TEST(the_page_of_calls_is_the_table)
{
  char *text;
  size_t size;
  const char *path = aqtest_source(PAGE);
  FILE *to = open_memstream(&text, &size);
  page_write(to);
  fclose(to);
  if (getenv("AQ_WRITE_DOCS")) {
    to = fopen(path, "w");
    ck_assert_ptr_nonnull(to);
    fwrite(text, 1, size, to);
    fclose(to);
  }
  char *is = file_read(path);
  ck_assert_msg(strcmp(is, text) == 0, "%s is old: make driver-docs", path);
  free(is);
  free(text);
}
END_TEST

/* The number behind a name in a file of properties. */
static long long property(const char *folder, const char *file,
                          const char *name)
{
  char path[512], key[64];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  snprintf(key, sizeof key, "\n%s ", name);
  char *text = file_read(path);
  const char *at = strstr(text, key);
  const long long value = at ? atoll(at + strlen(key)) : -1;
  free(text);
  return value;
}

START_TEST(every_device_model_has_a_topology)
{
  char folder[256];
  aq_diag diag = AQ_DIAG_INIT;
  for (size_t i = 0; i < aqsim_model_count(); i++) {
    aqsim_device_set set;
    ck_assert_status(
        aqsim_device_set_load(aqsim_model_name(i), NULL, &set, &diag), AQ_OK,
        &diag);
    snprintf(folder, sizeof folder, "%s/%zu", aqtest_tmpdir(), i);
    ck_assert_status(aqkfd_topology_write(&set, folder, &diag), AQ_OK, &diag);
    ck_assert_int_eq(property(folder, "nodes/1/properties", "simd_count"),
                     set.models[0]->cus * set.models[0]->simds_per_cu);
    ck_assert_int_eq(property(folder, "nodes/1/properties", "drm_render_minor"),
                     AQKFD_RENDER_FIRST);
    ck_assert_int_gt(
        property(folder, "nodes/1/mem_banks/0/properties", "size_in_bytes"), 0);
    aqsim_device_set_fini(&set);
  }
}
END_TEST

START_TEST(processors_have_their_numbers_and_devices_their_links)
{
  static const struct {
    const char *device;
    int version, links, peers;
  } wanted[] = {{"mi210", 90010, 1, 0},      {"mi300x*3", 90402, 3, 0},
                {"rx7900xtx", 110000, 1, 0}, {"rx6900xt*2", 100300, 1, 1},
                {"mi50", 90006, 1, 0},       {"rx9070xt", 120001, 1, 0}};
  char folder[256];
  aq_diag diag = AQ_DIAG_INIT;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    aqsim_device_set set;
    ck_assert_status(aqsim_device_set_load(wanted[i].device, NULL, &set, &diag),
                     AQ_OK, &diag);
    snprintf(folder, sizeof folder, "%s/l%zu", aqtest_tmpdir(), i);
    ck_assert_status(aqkfd_topology_write(&set, folder, &diag), AQ_OK, &diag);
    const char *file = "nodes/1/properties";
    ck_assert_int_eq(property(folder, file, "gfx_target_version"),
                     wanted[i].version);
    ck_assert_int_eq(property(folder, file, "io_links_count"), wanted[i].links);
    ck_assert_int_eq(property(folder, file, "p2p_links_count"),
                     wanted[i].peers);
    ck_assert_int_eq(property(folder, "nodes/0/properties", "io_links_count"),
                     set.count);
    aqsim_device_set_fini(&set);
  }
}
END_TEST

START_TEST(a_device_without_a_number_is_refused_by_name)
{
  static const char *const edits[] = {"gfx=mine", NULL};
  aqsim_device_set set;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_device_set_load("mi210", edits, &set, &diag), AQ_OK,
                   &diag);
  ck_assert_int_eq(aqkfd_topology_write(&set, aqtest_tmpdir(), &diag),
                   AQ_ERR_UNSUPPORTED);
  ck_assert_str_eq(diag.text, "device mi210: its instruction set mine has no "
                              "topology; expected a name as gfx942");
  aqsim_device_set_fini(&set);
}
END_TEST

AQ_TEST_MAIN("dropin/kfd/tables", the_page_of_calls_is_the_table,
             every_device_model_has_a_topology,
             processors_have_their_numbers_and_devices_their_links,
             a_device_without_a_number_is_refused_by_name)
