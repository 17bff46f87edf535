/* SPDX-License-Identifier: MIT */
/* Several GPUs behind the transport "hsa": how they are linked. */
#include "backend_sim/rig.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend_hsa/hsa.h"
#include "backend_sim/sim.h"

static void hsa_open(rig *r, const char *library, const char *devices)
{
  char setting[4096];
  const char *root = getenv("AQ_BUILDDIR");
  snprintf(setting, sizeof setting, "lib=%s/%s", root ? root : ".", library);
  const char *const settings[] = {setting, NULL};
  const aq_transport_layer layer = {.ops = &aqhsa_transport_ops,
                                    .settings = settings};
  setenv("AQUEDUCT_DEVICE", devices, 1);
  rig_open_with(r, &aqhsa_transport_ops,
                &(aq_transport_options){.layer = &layer});
  unsetenv("AQUEDUCT_DEVICE");
}

/* ---- links ---- */

static void links_equal(const char *devices)
{
  rig hsa, sim;
  aq_transport_info told, meant;
  hsa_open(&hsa, ".libs/libhsa-runtime64.so.1", devices);
  rig_open_with(&sim, &aqsim_transport_ops,
                &(aq_transport_options){.device = devices});
  hsa.t->ops->info(hsa.t, &told);
  sim.t->ops->info(sim.t, &meant);
  ck_assert_uint_ge(meant.link_count, 1);
  ck_assert_uint_eq(told.link_count, meant.link_count);
  for (uint32_t i = 0; i < told.link_count; i++) {
    const aq_link_info *a = &told.links[i], *b = &meant.links[i];
    ck_assert_uint_eq(a->a, b->a);
    ck_assert_uint_eq(a->b, b->b);
    ck_assert_int_eq(a->type, b->type);
    ck_assert_uint_eq(a->hops, b->hops);
    ck_assert_int_eq(a->latency, b->latency);
    ck_assert_uint_eq(a->bandwidth, b->bandwidth);
  }
  rig_close(&sim);
  rig_close(&hsa);
}

START_TEST(links_are_those_of_the_simulator)
{
  links_equal("mi300x");
  links_equal("mi300x*4");
  links_equal("mi50,rx7900xtx,mi50"); /* peers through the host */
  links_equal("mi300x,mi300x,mi50");
}
END_TEST

AQ_TEST_MAIN("backend_hsa/devices", links_are_those_of_the_simulator)
