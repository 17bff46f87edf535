/* SPDX-License-Identifier: MIT */
/* Every entry, called the same way: the table of functions is the truth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/hsa/client.h"

enum { REAL, STATUS_ONLY, UNSUPPORTED, OF_NO_DEVICE };

/* Enough zeros for every parameter list: pointers, handles and numbers are all
 * passed as words, and surplus ones are ignored. */
typedef hsa_status_t any_function(uint64_t, uint64_t, uint64_t, uint64_t,
                                  uint64_t, uint64_t, uint64_t, uint64_t,
                                  uint64_t, uint64_t, uint64_t, uint64_t);

typedef struct entry {
  const char *name, *returns, *group, *text;
  any_function *function;
  int kind;
  hsa_status_t status;
} entry;

#define AS_ANY(name) ((any_function *)(void (*)(void))(name))
static const entry entries[] = {
#define R(name, returns, group, parameters, text)                              \
  {#name, #returns, group, text, AS_ANY(name), REAL, 0},
#define S(name, returns, group, parameters, text)                              \
  {#name, #returns, group, text, AS_ANY(name), STATUS_ONLY, 0},
#define U(name, group, status, parameters, text)                               \
  {#name, "hsa_status_t", group, text, AS_ANY(name), UNSUPPORTED, status},
#define D(name, group, status, agent, parameters, text)                        \
  {#name, "hsa_status_t", group, text, AS_ANY(name), OF_NO_DEVICE, status},
#include "dropin/hsa/base/functions.def"
#undef R
#undef S
#undef U
#undef D
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static hsa_status_t entry_call_with(const entry *e, uint64_t argument)
{
  const uint64_t a = argument;
  return e->function(a, a, a, a, a, a, a, a, a, a, a, a);
}

static hsa_status_t entry_call(const entry *e)
{
  return entry_call_with(e, 0);
}

static bool entry_is(const entry *e, const char *const *names)
{
  for (; *names; names++)
    if (strcmp(e->name, *names) == 0)
      return true;
  return false;
}

static bool returns_status(const entry *e)
{
  return strcmp(e->returns, "hsa_status_t") == 0;
}

START_TEST(there_are_286_functions_each_once)
{
  ck_assert_int_eq(ENTRIES, 286);
  for (int i = 0; i < ENTRIES; i++)
    for (int j = 0; j < i; j++)
      ck_assert_str_ne(entries[i].name, entries[j].name);
}
END_TEST

START_TEST(before_hsa_init_every_status_is_not_initialized)
{
  static const char *const excepted[] = {"hsa_init", "hsa_status_string", NULL};
  int called = 0;
  for (int i = 0; i < ENTRIES; i++) {
    if (!returns_status(&entries[i]) || entry_is(&entries[i], excepted))
      continue;
    ck_assert_msg(entry_call(&entries[i]) == HSA_STATUS_ERROR_NOT_INITIALIZED,
                  "%s before hsa_init", entries[i].name);
    called++;
  }
  ck_assert_int_gt(called, 150);
}
END_TEST

START_TEST(before_hsa_init_functions_with_a_value_do_not_crash)
{
  for (int i = 0; i < ENTRIES; i++)
    if (!returns_status(&entries[i]))
      entry_call(&entries[i]);
}
END_TEST

START_TEST(after_the_last_shut_down_it_is_as_before_hsa_init)
{
  uint16_t major;
  ck_assert_done(hsa_init());
  ck_assert_done(hsa_shut_down());
  ck_assert_hsa(hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major),
                HSA_STATUS_ERROR_NOT_INITIALIZED);
  ck_assert_hsa(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  ck_assert_done(hsa_init());
  ck_assert_done(hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(hsa_init_and_shut_down_count_references)
{
  client c;
  client_open(&c);
  ck_assert_done(hsa_init());
  ck_assert_done(hsa_init());
  hsa_signal_t signal = client_signal(7);
  ck_assert_done(hsa_shut_down());
  ck_assert_int_eq(hsa_signal_load_relaxed(signal), 7);
  ck_assert_done(hsa_shut_down());
  ck_assert_int_eq(hsa_signal_load_relaxed(signal), 7);
  ck_assert_done(hsa_signal_destroy(signal));
  ck_assert_done(hsa_shut_down());
  ck_assert_hsa(hsa_signal_destroy(signal), HSA_STATUS_ERROR_NOT_INITIALIZED);
}
END_TEST

/* Those for which zeros are good arguments. */
static const char *const zeros_are_fine[] = {
    "hsa_memory_free",
    "hsa_amd_memory_pool_free",
    "hsa_memory_register",
    "hsa_memory_deregister",
    "hsa_amd_profiling_async_copy_enable",
    "hsa_amd_register_system_event_handler",
    NULL};

START_TEST(null_everywhere_crashes_nothing_and_does_nothing)
{
  static const char *const life[] = {"hsa_init", "hsa_shut_down", NULL};
  ck_assert_done(hsa_init());
  for (int i = 0; i < ENTRIES; i++) {
    const entry *e = &entries[i];
    if (entry_is(e, life))
      continue;
    hsa_status_t status = entry_call(e);
    if (returns_status(e))
      ck_assert_msg((status == HSA_STATUS_SUCCESS) ==
                        entry_is(e, zeros_are_fine),
                    "%s with zeros: %#x", e->name, status);
  }
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(what_is_not_supported_gives_its_documented_error)
{
  int called = 0;
  client c;
  client_open(&c);
  for (int i = 0; i < ENTRIES; i++) {
    const entry *e = &entries[i];
    if (e->kind < UNSUPPORTED)
      continue;
    ck_assert_uint_gt(e->status, HSA_STATUS_INFO_BREAK);
    if (e->kind == OF_NO_DEVICE)
      ck_assert_msg(entry_call(e) == HSA_STATUS_ERROR_INVALID_AGENT, "%s",
                    e->name);
    /* Wherever the device is in the parameters. */
    ck_assert_msg(entry_call_with(e, e->kind == OF_NO_DEVICE ? c.device.handle
                                                             : 0) == e->status,
                  "%s", e->name);
    called++;
  }
  ck_assert_int_gt(called, 0);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* ---- the page ---- */

static const char *status_name(hsa_status_t status)
{
  const char *text;
  static char name[64];
  ck_assert_done(hsa_status_string(status, &text));
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
  return name;
}

static void page_head(FILE *out, const int counts[4])
{
  fprintf(
      out,
      "# The functions of the drop-in\n\n"
      "The drop-in `libhsa-runtime64.so.1` exports all %d functions of the "
      "HSA runtime.\n`src/dropin/hsa/base/functions.def` makes this page; a "
      "test "
      "compares them.\n\n"
      "- **real** (%d): has its documented effect, through the simulator.\n"
      "- **status** (%d): checks its arguments and returns a status; on the "
      "simulator the\n  documented effect holds already, or is none.\n"
      "- **unsupported** (%d): returns the error of the table, never "
      "success. With \"for a\n  device\", any other handle returns "
      "`HSA_STATUS_ERROR_INVALID_AGENT`.\n\n"
      "Before `hsa_init` every function that returns a status, except "
      "`hsa_init` and\n`hsa_status_string`, returns "
      "`HSA_STATUS_ERROR_NOT_INITIALIZED`.\n",
      ENTRIES, counts[REAL], counts[STATUS_ONLY],
      counts[UNSUPPORTED] + counts[OF_NO_DEVICE]);
}

static void page_write(FILE *out)
{
  int counts[4] = {0};
  const char *group = "";
  for (int i = 0; i < ENTRIES; i++)
    counts[entries[i].kind]++;
  page_head(out, counts);
  for (int i = 0; i < ENTRIES; i++) {
    const entry *e = &entries[i];
    if (strcmp(e->group, group) != 0)
      fprintf(out,
              "\n## %s\n\n| function | class | effect |\n"
              "|---|---|---|\n",
              e->group);
    group = e->group;
    if (e->kind >= UNSUPPORTED)
      fprintf(out, "| `%s` | unsupported: `%s`%s | %s |\n", e->name,
              status_name(e->status),
              e->kind == OF_NO_DEVICE ? ", for a device" : "", e->text);
    else
      fprintf(out, "| `%s` | %s | %s |\n", e->name,
              e->kind == REAL ? "real" : "status", e->text);
  }
}

static char *file_read(const char *path)
{
  FILE *in = fopen(path, "rb");
  ck_assert_msg(in != NULL, "%s: cannot be read", path);
  char *text = calloc(1, 1 << 18);
  ck_assert_ptr_nonnull(text);
  ck_assert_uint_lt(fread(text, 1, 1 << 18, in), 1 << 18);
  fclose(in);
  return text;
}

START_TEST(the_page_of_functions_says_what_the_table_says)
{
  char *expected = NULL;
  size_t size;
  FILE *out = open_memstream(&expected, &size);
  page_write(out);
  fclose(out);
  char *page = file_read(aqtest_source("../doc/tables/hsa-functions.md"));
  const char *path = aqtest_write("hsa-functions.md", expected, size);
  const char *keep = getenv("AQ_WRITE_PAGE");
  if (keep) { /* to make it anew */
    FILE *made = fopen(keep, "wb");
    ck_assert_ptr_nonnull(made);
    fwrite(expected, 1, size, made);
    fclose(made);
  }
  ck_assert_msg(strcmp(page, expected) == 0,
                "doc/tables/hsa-functions.md differs from %s: make it with "
                "AQ_WRITE_PAGE=doc/tables/hsa-functions.md",
                path);
  free(page);
  free(expected);
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/entries", there_are_286_functions_each_once,
             before_hsa_init_every_status_is_not_initialized,
             before_hsa_init_functions_with_a_value_do_not_crash,
             after_the_last_shut_down_it_is_as_before_hsa_init,
             hsa_init_and_shut_down_count_references,
             null_everywhere_crashes_nothing_and_does_nothing,
             what_is_not_supported_gives_its_documented_error,
             the_page_of_functions_says_what_the_table_says)
