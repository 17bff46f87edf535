/* SPDX-License-Identifier: MIT */
/* The queue families of a device, on every transport. */
#include "queue/ground.h"
#include "queue/queue_families.h"

static void families_are_what_the_device_has(ground *g)
{
  aq_queue_family families[AQ_QUEUE_FAMILY_COUNT];
  const aq_device_info *device = &g->info.devices[0];
  const bool copies = g->info.caps & AQ_CAP_COPY;
  const uint32_t count = aq_queue_families(&g->info, 0, families);
  ck_assert_uint_eq(count, copies ? 3 : 2);
  ck_assert_int_eq(families[0].kind, AQ_QUEUE_FAMILY_COMPUTE);
  ck_assert_str_eq(aq_queue_family_name(families[0].kind), "compute");
  ck_assert_uint_eq(families[0].caps & AQ_CAP_COOPERATIVE,
                    aq_device_caps(&g->info, 0) & AQ_CAP_COOPERATIVE);
  ck_assert_int_eq(families[count - 1].kind, AQ_QUEUE_FAMILY_HOST);
  if (copies) {
    ck_assert_int_eq(families[1].kind, AQ_QUEUE_FAMILY_COPY);
    ck_assert_uint_eq(families[1].count - families[1].peer,
                      device->copy_engines);
  }
  ck_assert_uint_eq(aq_queue_families(&g->info, g->info.device_count, families),
                    0);
  ck_assert_ptr_null(aq_queue_family_name(AQ_QUEUE_FAMILY_COUNT));
}

static void a_device_has_as_many_queues_as_its_family_says(ground *g)
{
  enum { MOST = 256 };
  aq_queue_family families[AQ_QUEUE_FAMILY_COUNT];
  aq_queue *queues[MOST + 1];
  const aq_queue_options options = {.size_of = sizeof options, .size = 64};
  aq_queue_families(&g->info, 0, families);
  const uint32_t count = families[0].count;
  if (count == 0 || count > MOST)
    return;
  for (uint32_t i = 0; i < count; i++)
    queues[i] = ground_queue(g, &options);
  ck_assert_int_eq(
      aq_queue_create(g->context, &options, &queues[count], &g->diag),
      AQ_ERR_RESOURCES);
  for (uint32_t i = 0; i < count; i++)
    aq_queue_destroy(queues[i]);
}

static const ground_case cases[] = {
    GROUND_CASE(families_are_what_the_device_has),
    GROUND_CASE(a_device_has_as_many_queues_as_its_family_says),
};

int main(void)
{
  return ground_main("queue/families", cases, sizeof cases / sizeof *cases);
}
