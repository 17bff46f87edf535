/* SPDX-License-Identifier: MIT */
/* Properties of the transport "hsa" outside the contract suite: its search, its
 * refusals, and its report of the drop-in behind it. */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend_hsa/core.h"
#include "backend_hsa/hsa.h"
#include "backend_hsa/library.h"
#include "common/policy.h"
#include "dropin/hsa/base/hsa.h"
#include "queue/sync/context_priv.h"

/* The loaded functions have the types of the exported ones. */
#define C(name, returns, parameters)                                           \
  _Static_assert(__builtin_types_compatible_p(returns(*) parameters,           \
                                              __typeof__(&(name))),            \
                 #name);
#define H C
#define O C
#include "backend_hsa/symbols.def"
#undef C
#undef H
#undef O

static const char *built(const char *path)
{
  static char text[2][4096];
  static int at;
  const char *root = getenv("AQ_BUILDDIR");
  char *to = text[at++ % 2];
  snprintf(to, sizeof text[0], "lib=%s/%s", root ? root : ".", path);
  return to;
}

#define DROPIN built(".libs/libhsa-runtime64.so.1")

static aq_status open_with(const char *setting, const char *device,
                           aq_transport **out, aq_diag *diag)
{
  const char *const settings[] = {setting, NULL};
  const aq_transport_layer layer = {.ops = &aqhsa_transport_ops,
                                    .settings = settings};
  const aq_transport_options options = {
      .size = sizeof options, .device = device, .layer = &layer};
  *out = NULL;
  return aqhsa_transport_ops.open(&options, out, diag);
}

static void refused(const char *setting, const char *device, aq_status status,
                    const char *words)
{
  aq_transport *t;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_int_eq(open_with(setting, device, &t, &diag), status);
  ck_assert_ptr_null(t);
  ck_assert_msg(strstr(diag.text, words) != NULL, "'%s' lacks '%s'", diag.text,
                words);
}

START_TEST(a_missing_library_symbol_or_agent_is_told)
{
  refused("lib=/nowhere/libhsa.so", NULL, AQ_ERR_NOT_FOUND,
          "/nowhere/libhsa.so");
  refused(built("tests/backend_hsa/.libs/libfakehsa.so"), NULL,
          AQ_ERR_UNSUPPORTED, "no symbol hsa_system_get_info");
  refused(DROPIN, "gfx1", AQ_ERR_NOT_FOUND, "no GPU agent is 'gfx1'");
  refused("library=x", NULL, AQ_ERR_INVALID, "library=x");
}
END_TEST

START_TEST(the_search_tells_every_place_it_looked_at)
{
  aq_transport *t;
  aq_diag diag = AQ_DIAG_INIT;
  unsetenv("AQUEDUCT_LIBHSA_PATH");
  aq_status status = open_with(NULL, NULL, &t, &diag);
  if (status == AQ_OK) {
    aqtest_leave_out("the search finds an HSA runtime with a GPU");
    t->ops->close(t);
    return;
  }
  if (status == AQ_ERR_NOT_FOUND)
    ck_assert_msg(strstr(diag.text, "/tests/backend_hsa/") &&
                      strstr(diag.text, "/opt/rocm/lib/"),
                  "%s", diag.text);
  setenv("AQUEDUCT_LIBHSA_PATH", "/nowhere", 1);
  ck_assert_int_eq(open_with(NULL, NULL, &t, &diag), AQ_ERR_NOT_FOUND);
  ck_assert_ptr_nonnull(strstr(diag.text, "/nowhere"));
  ck_assert_ptr_null(strstr(diag.text, "/opt/rocm"));
}
END_TEST

START_TEST(agents_are_selected_by_ordinal_gfx_or_name)
{
  static const char *const selectors[] = {"0", "gfx942", "mi300x", NULL};
  for (int i = 0; i < 4; i++) {
    aq_transport *t;
    aq_transport_info info;
    aq_diag diag = AQ_DIAG_INIT;
    ck_assert_status(open_with(DROPIN, selectors[i], &t, &diag), AQ_OK, &diag);
    t->ops->info(t, &info);
    ck_assert_uint_eq(info.device_count, 1);
    ck_assert_str_eq(info.devices[0].gfx, "gfx942");
    ck_assert_str_eq(info.devices[0].model, "mi300x");
    ck_assert_uint_eq(info.devices[0].timestamp_hz, 100000000);
    ck_assert_uint_gt(info.devices[0].cus, 0);
    t->ops->close(t);
  }
}
END_TEST

START_TEST(a_selector_leaves_the_agents_that_it_names)
{
  static const struct {
    const char *selector, *gfx;
  } cases[] = {{"0", "gfx90a"}, {"1", "gfx1100"}, {"gfx1100", "gfx1100"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_transport *t;
    aq_transport_info info;
    aq_diag diag = AQ_DIAG_INIT;
    setenv("AQUEDUCT_DEVICE", "mi210,rx7900xtx", 1);
    ck_assert_status(open_with(DROPIN, cases[i].selector, &t, &diag), AQ_OK,
                     &diag);
    unsetenv("AQUEDUCT_DEVICE");
    t->ops->info(t, &info);
    ck_assert_uint_eq(info.device_count, 1);
    ck_assert_str_eq(info.devices[0].gfx, cases[i].gfx);
    t->ops->close(t);
  }
}
END_TEST

START_TEST(what_only_a_simulator_takes_is_refused)
{
  const aq_policy_ops ops = {.name = "inside"};
  const aq_policy_binding policy = {.size = sizeof policy, .ops = &ops};
  const aq_transport_options options[] = {
      {.size = sizeof options[0], .semantics = AQ_SEMANTICS_FOUNDATION},
      {.size = sizeof options[0], .pace = {1, 1}},
      {.size = sizeof options[0], .policy = &policy}};
  for (int i = 0; i < 3; i++) {
    aq_transport *t = NULL;
    ck_assert_int_eq(aqhsa_transport_ops.open(&options[i], &t, NULL),
                     AQ_ERR_UNSUPPORTED);
    ck_assert_ptr_null(t);
  }
}
END_TEST

/* With the code of the device library, as on GPUs: only some have the packet
 * that waits for a value. */
START_TEST(devices_have_capabilities_of_their_own)
{
  const char *const settings[] = {DROPIN, "kernels=objects", NULL};
  const aq_transport_layer layer = {.ops = &aqhsa_transport_ops,
                                    .settings = settings};
  const aq_transport_options options = {.size = sizeof options,
                                        .layer = &layer};
  aq_transport *t;
  aq_transport_info info;
  aq_context *context;
  aq_diag diag = AQ_DIAG_INIT;
  setenv("AQUEDUCT_DEVICE", "mi210,rx7900xtx", 1);
  ck_assert_status(aqhsa_transport_ops.open(&options, &t, &diag), AQ_OK, &diag);
  unsetenv("AQUEDUCT_DEVICE");
  t->ops->info(t, &info);
  ck_assert_uint_eq(info.device_count, 2);
  ck_assert_uint_eq(info.caps & (AQ_CAP_HOST_KERNELS | AQ_CAP_BARRIER_VALUE),
                    0);
  ck_assert_uint_eq(info.devices[0].more_caps, AQ_CAP_BARRIER_VALUE);
  ck_assert_uint_eq(info.devices[1].more_caps, 0);
  ck_assert_uint_ne(aq_device_caps(&info, 0) & AQ_CAP_BARRIER_VALUE, 0);
  ck_assert_status(aq_context_create(
                       &(aq_context_options){.size = sizeof(aq_context_options),
                                             .transport = t},
                       &context, &diag),
                   AQ_OK, &diag);
  ck_assert_int_eq(context->ways[0], AQ_EDGE_BARRIER_VALUE);
  ck_assert_int_ne(context->ways[1], AQ_EDGE_BARRIER_VALUE);
  aq_context_destroy(context);
  t->ops->close(t);
}
END_TEST

/* Where the host may be allowed into a device's pool, mem_alloc does. */
START_TEST(memory_is_hidden_where_the_runtime_never_allows_the_host)
{
  static const char *const modes[] = {"off", "allowed", "never"};
  for (int i = 0; i < 3; i++) {
    aq_transport *t;
    aq_transport_info info;
    void *memory;
    aq_diag diag = AQ_DIAG_INIT;
    setenv("AQUEDUCT_STRICT_MEMORY", modes[i], 1);
    ck_assert_status(open_with(DROPIN, NULL, &t, &diag), AQ_OK, &diag);
    t->ops->info(t, &info);
    ck_assert_int_eq(info.devices[0].memory_hidden, i == 2);
    ck_assert_status(
        t->ops->mem_alloc(t, 0, AQ_MEMORY_DEVICE, 100, &memory, &diag), AQ_OK,
        &diag);
    ck_assert_int_eq(t->ops->mem_visible(t, memory, 100), i != 2);
    if (i != 2)
      memset(memory, 1, 100);
    t->ops->mem_free(t, memory);
    t->ops->close(t);
  }
  unsetenv("AQUEDUCT_STRICT_MEMORY");
}
END_TEST

/* Distance, coherence and access of paths between memories. */
START_TEST(links_have_the_distance_and_access_that_the_runtime_states)
{
  static const char *const modes[] = {"off", "never"};
  setenv("AQUEDUCT_DEVICE", "mi210*2", 1);
  for (int i = 0; i < 2; i++) {
    aq_transport *t;
    aq_transport_info info;
    aq_diag diag = AQ_DIAG_INIT;
    setenv("AQUEDUCT_STRICT_MEMORY", modes[i], 1);
    ck_assert_status(open_with(DROPIN, NULL, &t, &diag), AQ_OK, &diag);
    t->ops->info(t, &info);
    ck_assert_uint_eq(info.link_count, 3);
    for (uint32_t k = 0; k < 3; k++) {
      const aq_link_info *link = &info.links[k];
      const bool host = link->b == AQ_DEVICE_HOST;
      ck_assert(link->coherent && link->atomics);
      ck_assert_uint_eq(link->numa_distance,
                        link->type == AQ_LINK_XGMI
                            ? 15 * link->hops
                            : 20 * link->hops * link->hops);
      ck_assert(!link->a_never_allowed);
      ck_assert_int_eq(link->b_never_allowed, host && i == 1);
    }
    t->ops->close(t);
  }
  unsetenv("AQUEDUCT_STRICT_MEMORY");
  unsetenv("AQUEDUCT_DEVICE");
}
END_TEST

/* The drop-in's registers are words that clients store to. */
START_TEST(writes_of_the_host_are_flushed_to_every_device)
{
  aq_transport *t;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(open_with(DROPIN, NULL, &t, &diag), AQ_OK, &diag);
  const aqhsa *hsa = aqhsa_from(t);
  for (int k = 0; k < 2; k++)
    for (uint32_t i = 0; i < hsa->device_count; i++) {
      ck_assert(hsa->devices[i].flush != NULL);
      *hsa->devices[i].flush = 0;
      if (k == 0)
        t->ops->mem_publish(t, &diag, sizeof diag);
      ck_assert_uint_eq(*hsa->devices[i].flush, k == 0);
    }
  t->ops->close(t);
}
END_TEST

START_TEST(two_are_open_at_once_and_events_go_to_both)
{
  aq_transport *one, *two;
  aq_transport_info info;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(open_with(DROPIN, NULL, &one, &diag), AQ_OK, &diag);
  ck_assert_status(open_with(DROPIN, NULL, &two, &diag), AQ_OK, &diag);
  one->ops->info(one, &info);
  ck_assert(info.caps & AQ_CAP_EVENTS);
  two->ops->info(two, &info);
  ck_assert(info.caps & AQ_CAP_EVENTS);
  one->ops->close(one);
  two->ops->close(two);
  /* The runtime is gone, so its handler is registered anew. */
  ck_assert_status(open_with(DROPIN, NULL, &one, &diag), AQ_OK, &diag);
  one->ops->info(one, &info);
  ck_assert(info.caps & AQ_CAP_EVENTS);
  one->ops->close(one);
}
END_TEST

/* ---- handlers ---- */

typedef hsa_status_t arming(hsa_signal_t, uint32_t, hsa_signal_value_t,
                            hsa_amd_signal_handler, void *);

static arming *arm_next;
static int armed; /* atomic */

static hsa_status_t arm_count(hsa_signal_t signal, uint32_t condition,
                              hsa_signal_value_t value,
                              hsa_amd_signal_handler function, void *user)
{
  __atomic_add_fetch(&armed, 1, __ATOMIC_SEQ_CST);
  return arm_next(signal, condition, value, function, user);
}

typedef struct destroyer {
  aq_transport *t;
  aq_signal signal;
  int calls; /* atomic */
} destroyer;

static bool destroy(int64_t value, void *user)
{
  destroyer *d = user;
  (void)value;
  d->t->ops->signal_destroy(d->t, d->signal);
  __atomic_add_fetch(&d->calls, 1, __ATOMIC_SEQ_CST);
  return true;
}

START_TEST(a_handler_that_stays_is_not_armed_on_a_signal_that_went_meanwhile)
{
  destroyer d = {.calls = 0};
  aq_diag diag = AQ_DIAG_INIT;
  const aq_signal_desc desc = {.value = 1};
  ck_assert_status(open_with(DROPIN, NULL, &d.t, &diag), AQ_OK, &diag);
  aqhsa *hsa = aqhsa_from(d.t);
  arm_next = hsa->library.api.hsa_amd_signal_async_handler;
  hsa->library.api.hsa_amd_signal_async_handler = arm_count;
  ck_assert_status(d.t->ops->signal_create(d.t, &desc, &d.signal, &diag), AQ_OK,
                   &diag);
  ck_assert_status(
      d.t->ops->signal_handler(d.t, d.signal, AQ_EQ, 0, destroy, &d, &diag),
      AQ_OK, &diag);
  d.t->ops->signal_store(d.t, d.signal, 0, AQ_RELEASE);
  for (int i = 0; i < 10000 && !__atomic_load_n(&d.calls, __ATOMIC_SEQ_CST);
       i++)
    usleep(1000);
  d.t->ops->close(d.t);
  ck_assert_int_eq(d.calls, 1);
  ck_assert_int_eq(armed, 1);
}
END_TEST

AQ_TEST_MAIN("backend_hsa/hsa", a_missing_library_symbol_or_agent_is_told,
             the_search_tells_every_place_it_looked_at,
             agents_are_selected_by_ordinal_gfx_or_name,
             a_selector_leaves_the_agents_that_it_names,
             what_only_a_simulator_takes_is_refused,
             devices_have_capabilities_of_their_own,
             memory_is_hidden_where_the_runtime_never_allows_the_host,
             links_have_the_distance_and_access_that_the_runtime_states,
             writes_of_the_host_are_flushed_to_every_device,
             two_are_open_at_once_and_events_go_to_both,
             a_handler_that_stays_is_not_armed_on_a_signal_that_went_meanwhile)
