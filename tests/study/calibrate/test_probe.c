/* SPDX-License-Identifier: MIT */
/* The loop is closed: probing a device model gives its own constants back. */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_hsa/hsa.h"
#include "backend_sim/sim.h"
#include "common/memory_sink.h"
#include "study/calibrate/probe.h"

/* Different from the constants of any device, and no multiples of the step. */
static const char *const edits[] = {"timestamp_step=20ns",
                                    "doorbell_to_fetch=900ns",
                                    "packet_fetch=130ns",
                                    "packet_decode=50ns",
                                    "acquire_agent=333ns",
                                    "acquire_system=777ns",
                                    "dispatch_setup=1234ns",
                                    "workgroup_interval=0.6ns",
                                    "release_agent=222ns",
                                    "release_system=555ns",
                                    "signal_write=111ns",
                                    "interrupt_to_host=6543ns",
                                    "barrier_process=2468ns",
                                    "dependency_poll=3579ns",
                                    "unmap_after=321us",
                                    "remap_latency=4321ns",
                                    "remap_ramp=0ns",
                                    "copy_latency=3us",
                                    "host_link_latency=500ns",
                                    "copy_bandwidth=20GB/s",
                                    NULL};

static const struct {
  aq_probe_id id;
  int64_t value;
} expected[] = {{AQ_PROBE_STEP, 20 * AQ_NS},
                {AQ_PROBE_FRONT, 1080 * AQ_NS},
                {AQ_PROBE_SETUP, 1234 * AQ_NS},
                {AQ_PROBE_ACQUIRE_AGENT, 333 * AQ_NS},
                {AQ_PROBE_ACQUIRE_SYSTEM, 777 * AQ_NS},
                {AQ_PROBE_RELEASE_AGENT, 222 * AQ_NS},
                {AQ_PROBE_RELEASE_SYSTEM, 555 * AQ_NS},
                {AQ_PROBE_SIGNAL, 111 * AQ_NS},
                {AQ_PROBE_INTERRUPT, 6543 * AQ_NS},
                {AQ_PROBE_PERIOD_ON, 1900 * AQ_NS},
                {AQ_PROBE_BARRIER, 2468 * AQ_NS},
                {AQ_PROBE_EDGE, 3579 * AQ_NS},
                {AQ_PROBE_REMAP, 4321 * AQ_NS},
                {AQ_PROBE_UNMAP, 321 * AQ_US},
                {AQ_PROBE_WORKGROUP, 600},
                {AQ_PROBE_COPY_LATENCY, 3500 * AQ_NS},
                {AQ_PROBE_COPY_RATE, INT64_C(20000000000)}};

START_TEST(a_probe_of_a_device_model_gives_its_constants_back)
{
  aq_transport *t;
  aq_probe_result result;
  aq_memory_sink sink;
  aq_diag diag = AQ_DIAG_INIT;
  const aq_transport_options options = {.size = sizeof options, .edits = edits};
  ck_assert_status(aqsim_transport_ops.open(&options, &t, &diag), AQ_OK, &diag);
  aq_memory_sink_init(&sink);
  ck_assert_status(aq_device_probe(t, 0, NULL, &sink.sink, &result, &diag),
                   AQ_OK, &diag);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    const aq_probe_fact *fact = &result.facts[expected[i].id];
    ck_assert_msg(llabs(fact->value - expected[i].value) <= fact->resolution,
                  "%s: probed %lld %s, the model has %lld, resolution %lld",
                  fact->key, (long long)fact->value, fact->unit,
                  (long long)expected[i].value, (long long)fact->resolution);
  }
  ck_assert_uint_gt(sink.count, 500);
  aq_memory_sink_fini(&sink);
  t->ops->close(t);
}
END_TEST

/* Through HSA the clock has calls in between, which cost 100 ns each. */
START_TEST(a_probe_through_hsa_finds_the_model_of_the_drop_in)
{
  char setting[4096];
  aq_transport *t;
  aq_probe_result result;
  aq_diag diag = AQ_DIAG_INIT;
  const char *root = getenv("AQ_BUILDDIR");
  snprintf(setting, sizeof setting, "lib=%s/.libs/libhsa-runtime64.so.1",
           root ? root : ".");
  const char *const settings[] = {setting, NULL};
  const aq_transport_layer layer = {.ops = &aqhsa_transport_ops,
                                    .settings = settings};
  const aq_transport_options options = {.size = sizeof options,
                                        .layer = &layer};
  ck_assert_status(aqhsa_transport_ops.open(&options, &t, &diag), AQ_OK, &diag);
  ck_assert_status(aq_device_probe(t, 0, NULL, NULL, &result, &diag), AQ_OK,
                   &diag);
  ck_assert_int_eq(result.facts[AQ_PROBE_STEP].value, 40 * AQ_NS);
  ck_assert_int_gt(result.facts[AQ_PROBE_PERIOD_ON].value, 3500 * AQ_NS);
  ck_assert_int_lt(result.facts[AQ_PROBE_PERIOD_ON].value, 3700 * AQ_NS);
  t->ops->close(t);
}
END_TEST

START_TEST(what_has_no_times_cannot_be_probed)
{
  aq_transport *t;
  aq_probe_result result;
  aq_diag diag = AQ_DIAG_INIT;
  const aq_transport_options options = {.size = sizeof options};
  ck_assert_status(aqsim_transport_ops.open(&options, &t, &diag), AQ_OK, &diag);
  ck_assert_int_eq(aq_device_probe(t, 9, NULL, NULL, &result, &diag),
                   AQ_ERR_UNSUPPORTED);
  t->ops->close(t);
}
END_TEST

AQ_TEST_MAIN("study/calibrate/probe",
             a_probe_of_a_device_model_gives_its_constants_back,
             a_probe_through_hsa_finds_the_model_of_the_drop_in,
             what_has_no_times_cannot_be_probed)
