/* SPDX-License-Identifier: MIT */
#include "common/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/sim.h"
#include "common/visible_devices.h"
#include "support/aqtest.h"
#include "transport/null/null.h"

typedef struct site {
  aq_transport *t;
  aq_transport_info info;
  aq_driver *driver;
  aq_diag diag;
} site;

static void site_open(site *s, const aq_transport_ops *ops, const char *devices,
                      const aq_driver_options *options)
{
  *s = (site){.diag = AQ_DIAG_INIT};
  const char *edits[] = {"peer_links=1", NULL};
  ck_assert_status(ops->open(
                       &(aq_transport_options){
                           .size = sizeof(aq_transport_options),
                           .device = devices,
                           .edits = ops == &aqsim_transport_ops ? edits : NULL},
                       &s->t, &s->diag),
                   AQ_OK, &s->diag);
  s->t->ops->info(s->t, &s->info);
  ck_assert_status(aq_driver_open(s->t, options, &s->driver, &s->diag), AQ_OK,
                   &s->diag);
}

static void sim_open(site *s, const char *visible)
{
  aq_driver_options options = {
      .size = sizeof options, .visible = visible, .all = !visible};
  site_open(s, &aqsim_transport_ops, "mi300x*4", &options);
}

static void site_close(site *s)
{
  aq_driver_close(s->driver);
  s->t->ops->close(s->t);
}

/* ---- visible devices ---- */

/* The digits of the ordinals that a list shows of four devices. */
static const char *shown(const char *list)
{
  static char digits[5];
  static const aq_device_info devices[] = {{.uuid = "GPU-00ab000000000001"},
                                           {.uuid = "GPU-00ab000000000002"},
                                           {.uuid = NULL},
                                           {.uuid = "GPU-cd00000000000003"}};
  uint32_t out[4];
  uint32_t count = aq_visible_devices(list, devices, 4, out);
  for (uint32_t i = 0; i < count; i++)
    digits[i] = (char)('0' + out[i]);
  digits[count] = 0;
  return digits;
}

START_TEST(visible_devices_are_read_as_rocr_reads_them)
{
  static const char *const rows[][2] = {
      {NULL, "0123"},
      {"", ""},
      {"0", "0"},
      {"3,1", "31"},
      {" 2 ,\t0 ", "20"},
      {"0x2,01", "21"},
      /* An entry that is no device ends the list. */
      {"1,4,0", "1"},
      {"1,-1,0", "1"},
      {"1,x,0", "1"},
      {"1,2x,0", "1"},
      {"1,,0", "1"},
      {"-1", ""},
      {"1,99999999999999999999999,0", "1"},
      /* So does a repeated one. */
      {"1,2,1,3", "12"},
      {"1,GPU-00ab000000000002,3", "1"},
      /* UUIDs, whole or as far as they are unlike others, in either case. */
      {"GPU-cd00000000000003,0", "30"},
      {"gpu-CD,GPU-00AB000000000002", "31"},
      {"GPU-00ab,0", ""},
      {"GPU-,0", ""},
      {"GPU-cd000000000000031", ""},
      {"GPU-XX", ""},
      /* More entries than devices are not looked at. */
      {"0,1,2,3,x", "0123"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    ck_assert_msg(strcmp(shown(rows[i][0]), rows[i][1]) == 0,
                  "'%s' shows %s, expected %s", rows[i][0] ? rows[i][0] : "-",
                  shown(rows[i][0]), rows[i][1]);
}
END_TEST

START_TEST(a_driver_numbers_what_is_visible)
{
  site s;
  sim_open(&s, "2,0");
  ck_assert_uint_eq(aq_driver_count(s.driver), 2);
  ck_assert_uint_eq(aq_driver_device(s.driver, 0)->device, 2);
  ck_assert_uint_eq(aq_driver_device(s.driver, 1)->device, 0);
  ck_assert_ptr_eq(aq_driver_device(s.driver, 0)->info, &s.info.devices[2]);
  ck_assert_ptr_null(aq_driver_device(s.driver, 2));
  site_close(&s);
}
END_TEST

START_TEST(the_environment_counts_unless_the_caller_says_otherwise)
{
  site s;
  setenv("ROCR_VISIBLE_DEVICES", "3", 1);
  site_open(&s, &aqsim_transport_ops, "mi300x*4", NULL);
  ck_assert_uint_eq(aq_driver_count(s.driver), 1);
  ck_assert_uint_eq(aq_driver_device(s.driver, 0)->device, 3);
  site_close(&s);
  sim_open(&s, "1,2");
  ck_assert_uint_eq(aq_driver_count(s.driver), 2);
  site_close(&s);
  sim_open(&s, NULL);
  ck_assert_uint_eq(aq_driver_count(s.driver), 4);
  site_close(&s);
  unsetenv("ROCR_VISIBLE_DEVICES");
}
END_TEST

START_TEST(simulated_uuids_are_unlike_and_the_same_each_time)
{
  site a, b;
  sim_open(&a, NULL);
  sim_open(&b, NULL);
  for (uint32_t i = 0; i < 4; i++) {
    const char *uuid = aq_driver_device(a.driver, i)->uuid;
    ck_assert_uint_eq(strlen(uuid), 20);
    ck_assert_uint_eq(strncmp(uuid, "GPU-", 4), 0);
    ck_assert_uint_eq(strspn(uuid + 4, "0123456789abcdef"), 16);
    ck_assert_str_eq(uuid, aq_driver_device(b.driver, i)->uuid);
    for (uint32_t j = 0; j < i; j++)
      ck_assert_str_ne(uuid, aq_driver_device(a.driver, j)->uuid);
  }
  site_close(&a);
  site_close(&b);
}
END_TEST

/* ---- logical devices ---- */

static void check_members(const aq_logical_device *logical,
                          const char *ordinals)
{
  ck_assert_uint_eq(aq_logical_device_count(logical), strlen(ordinals));
  for (uint32_t i = 0; ordinals[i]; i++)
    ck_assert_uint_eq(aq_logical_device_physical(logical, i)->device,
                      (uint32_t)(ordinals[i] - '0'));
}

START_TEST(devices_are_chosen_by_numbers_uuids_and_all_at_once)
{
  site s;
  char text[64];
  aq_logical_device *logical;
  sim_open(&s, "3,2,1");
  ck_assert_status(
      aq_logical_device_open(s.driver, NULL, 0, 0, &logical, &s.diag), AQ_OK,
      &s.diag);
  check_members(logical, "321");
  aq_logical_device_close(logical);
  ck_assert_status(aq_logical_device_open(s.driver, (const uint32_t[]){2, 0}, 2,
                                          0, &logical, &s.diag),
                   AQ_OK, &s.diag);
  check_members(logical, "13");
  aq_logical_device_close(logical);
  snprintf(text, sizeof text, "%s,0", s.info.devices[2].uuid);
  ck_assert_status(
      aq_logical_device_select(s.driver, text, 0, &logical, &s.diag), AQ_OK,
      &s.diag);
  check_members(logical, "23");
  aq_logical_device_close(logical);
  ck_assert_status(aq_logical_device_select(s.driver, "", 0, &logical, &s.diag),
                   AQ_OK, &s.diag);
  check_members(logical, "321");
  aq_logical_device_close(logical);
  site_close(&s);
}
END_TEST

START_TEST(devices_that_are_not_there_are_refused)
{
  site s;
  aq_logical_device *logical;
  char hidden[64];
  sim_open(&s, "3,2");
  snprintf(hidden, sizeof hidden, "%s", s.info.devices[0].uuid);
  const char *const wrong[] = {"2",  "-1",   "0,",   ",",  "x",
                               "0x", "GPU-", hidden, "0,9"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    ck_assert_status(
        aq_logical_device_select(s.driver, wrong[i], 0, &logical, &s.diag),
        AQ_ERR_INPUT, &s.diag);
  ck_assert_ptr_nonnull(strstr(s.diag.text, "device '9' of '0,9'"));
  ck_assert_status(
      aq_logical_device_select(s.driver, "1,1", 0, &logical, &s.diag),
      AQ_ERR_INVALID, &s.diag);
  ck_assert_status(aq_logical_device_open(s.driver, (const uint32_t[]){2}, 1, 0,
                                          &logical, &s.diag),
                   AQ_ERR_INVALID, &s.diag);
  ck_assert_status(
      aq_logical_device_open(s.driver, NULL, 0, 33, &logical, &s.diag),
      AQ_ERR_INVALID, &s.diag);
  site_close(&s);
  sim_open(&s, "");
  ck_assert_uint_eq(aq_driver_count(s.driver), 0);
  ck_assert_status(
      aq_logical_device_open(s.driver, NULL, 0, 0, &logical, &s.diag),
      AQ_ERR_INVALID, &s.diag);
  site_close(&s);
}
END_TEST

/* ---- queues ---- */

START_TEST(a_mask_chooses_the_queues_of_physical_devices)
{
  site s;
  aq_logical_device *logical;
  aq_queue_place place;
  sim_open(&s, "3,1");
  ck_assert_status(
      aq_logical_device_open(s.driver, NULL, 0, 3, &logical, &s.diag), AQ_OK,
      &s.diag);
  ck_assert_uint_eq(aq_logical_device_affinity(logical), 0x3f);
  ck_assert_uint_eq(aq_logical_device_affinity_of(logical, 1), 0x38);
  ck_assert_uint_eq(aq_logical_device_affinity_of(logical, 2), 0);
  static const struct {
    aq_queue_affinity mask;
    aq_queue_place place;
  } rows[] = {{AQ_AFFINITY_ANY, {0, 3, 0}},
              {0x4, {0, 3, 2}},
              {0x30, {1, 1, 1}},
              {0xffe0, {1, 1, 2}}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ck_assert_status(
        aq_logical_device_queue(logical, rows[i].mask, &place, &s.diag), AQ_OK,
        &s.diag);
    ck_assert_uint_eq(place.physical, rows[i].place.physical);
    ck_assert_uint_eq(place.device, rows[i].place.device);
    ck_assert_uint_eq(place.queue, rows[i].place.queue);
  }
  ck_assert_status(aq_logical_device_queue(logical, 0, &place, &s.diag),
                   AQ_ERR_INVALID, &s.diag);
  ck_assert_status(aq_logical_device_queue(logical, 0x40, &place, &s.diag),
                   AQ_ERR_INVALID, &s.diag);
  aq_logical_device_close(logical);
  ck_assert_status(
      aq_logical_device_open(s.driver, NULL, 0, 32, &logical, &s.diag), AQ_OK,
      &s.diag);
  ck_assert_uint_eq(aq_logical_device_affinity(logical), UINT64_MAX);
  aq_logical_device_close(logical);
  site_close(&s);
}
END_TEST

START_TEST(queues_spread_over_the_places_of_their_mask)
{
  site s;
  aq_logical_device *logical;
  aq_queue_place place;
  uint32_t used[AQ_AFFINITY_BITS] = {0};
  char order[16] = "";
  sim_open(&s, "3,1");
  ck_assert_status(
      aq_logical_device_open(s.driver, NULL, 0, 2, &logical, &s.diag), AQ_OK,
      &s.diag);
  for (int i = 0; i < 6; i++) { /* the second place of device 0 is masked */
    ck_assert_status(
        aq_logical_device_spread(logical, 0xd, used, &place, &s.diag), AQ_OK,
        &s.diag);
    const uint32_t bit = aq_logical_device_bit(logical, &place);
    order[i] = (char)('0' + bit);
    used[bit]++;
  }
  ck_assert_str_eq(order, "023020");
  ck_assert_status(
      aq_logical_device_spread(logical, 0x10, used, &place, &s.diag),
      AQ_ERR_INVALID, &s.diag);
  aq_logical_device_close(logical);
  site_close(&s);
}
END_TEST

START_TEST(a_list_of_devices_may_be_a_uri)
{
  static const char *const wrong[] = {"amdgpu:",   "amdgpu://", "amdgpu:/0",
                                      "amdgpux",   "amdgpu:9",  "amdgpu://x",
                                      "nvgpu://0", "amdgpu:0,"};
  site s;
  aq_logical_device *logical;
  char text[96];
  sim_open(&s, "3,2,1");
  snprintf(text, sizeof text, "amdgpu://%s,0", s.info.devices[2].uuid);
  const struct {
    const char *list, *members;
  } rows[] = {
      {"amdgpu", "321"}, {"amdgpu:1", "2"}, {"amdgpu:2,0", "13"}, {text, "23"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ck_assert_status(
        aq_logical_device_select(s.driver, rows[i].list, 0, &logical, &s.diag),
        AQ_OK, &s.diag);
    check_members(logical, rows[i].members);
    aq_logical_device_close(logical);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    ck_assert_status(
        aq_logical_device_select(s.driver, wrong[i], 0, &logical, &s.diag),
        AQ_ERR_INPUT, &s.diag);
  site_close(&s);
}
END_TEST

/* ---- topology ---- */

START_TEST(links_and_access_are_those_of_the_physical_devices)
{
  site s;
  aq_logical_device *logical;
  aq_link_info link;
  sim_open(&s, "1,0,2"); /* 0 and 1 are neighbours, 2 is not */
  ck_assert_status(
      aq_logical_device_open(s.driver, NULL, 0, 0, &logical, &s.diag), AQ_OK,
      &s.diag);
  static const struct {
    uint32_t a, b, hops;
    aq_link_type type;
  } rows[] = {{0, 1, 1, AQ_LINK_XGMI},
              {1, 0, 1, AQ_LINK_XGMI},
              {1, 2, 2, AQ_LINK_PCIE},
              {2, AQ_DEVICE_HOST, 1, AQ_LINK_PCIE},
              {AQ_DEVICE_HOST, 0, 1, AQ_LINK_PCIE}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ck_assert_status(
        aq_logical_device_link(logical, rows[i].a, rows[i].b, &link, &s.diag),
        AQ_OK, &s.diag);
    ck_assert_uint_eq(link.a, rows[i].a);
    ck_assert_uint_eq(link.b, rows[i].b);
    ck_assert_uint_eq(link.hops, rows[i].hops);
    ck_assert_int_eq(link.type, rows[i].type);
    ck_assert_uint_gt(link.bandwidth, 0);
  }
  ck_assert_status(aq_logical_device_link(logical, 1, 1, &link, &s.diag), AQ_OK,
                   &s.diag);
  ck_assert_uint_eq(link.hops, 0);
  ck_assert_uint_eq(link.bandwidth, UINT64_MAX);
  ck_assert_status(aq_logical_device_link(logical, 0, 3, &link, &s.diag),
                   AQ_ERR_INVALID, &s.diag);
  ck_assert_uint_eq(aq_logical_device_access(logical, 0), 7);
  ck_assert_uint_eq(aq_logical_device_access(logical, AQ_DEVICE_HOST), 7);
  ck_assert(!link.a_never_allowed && !link.b_never_allowed);
  aq_logical_device_close(logical);
  site_close(&s);
}
END_TEST

START_TEST(a_transport_that_knows_no_links_gives_no_access)
{
  site s;
  aq_logical_device *logical;
  aq_link_info link;
  aq_driver_options options = {.size = sizeof options, .all = true};
  site_open(&s, &aqsim_null_transport_ops, "null*3", &options);
  ck_assert_status(
      aq_logical_device_open(s.driver, NULL, 0, 0, &logical, &s.diag), AQ_OK,
      &s.diag);
  check_members(logical, "012");
  ck_assert_status(aq_logical_device_link(logical, 0, 1, &link, &s.diag),
                   AQ_ERR_NOT_FOUND, &s.diag);
  ck_assert_uint_eq(aq_logical_device_access(logical, 1), 2);
  aq_logical_device_close(logical);
  site_close(&s);
}
END_TEST

/* The host reaches no device whose memory is hidden from it, although there is
 * a path; other devices do. */
START_TEST(hidden_memory_is_no_access_of_the_host)
{
  site s;
  aq_logical_device *logical;
  aq_driver_options options = {.size = sizeof options, .all = true};
  site_open(&s, &aqsim_transport_ops, "mi300x*2", &options);
  ck_assert_status(
      aq_logical_device_open(s.driver, NULL, 0, 0, &logical, &s.diag), AQ_OK,
      &s.diag);
  ck_assert_uint_eq(aq_logical_device_access(logical, AQ_DEVICE_HOST), 3);
  ((aq_device_info *)(uintptr_t)s.info.devices)[1].memory_hidden = true;
  ck_assert_uint_eq(aq_logical_device_access(logical, AQ_DEVICE_HOST), 1);
  ck_assert_uint_eq(aq_logical_device_access(logical, 0), 3);
  ck_assert_uint_eq(aq_logical_device_access(logical, 1), 3);
  aq_logical_device_close(logical);
  site_close(&s);
}
END_TEST

AQ_TEST_MAIN("queue/devices", visible_devices_are_read_as_rocr_reads_them,
             a_driver_numbers_what_is_visible,
             the_environment_counts_unless_the_caller_says_otherwise,
             simulated_uuids_are_unlike_and_the_same_each_time,
             devices_are_chosen_by_numbers_uuids_and_all_at_once,
             devices_that_are_not_there_are_refused,
             a_mask_chooses_the_queues_of_physical_devices,
             queues_spread_over_the_places_of_their_mask,
             a_list_of_devices_may_be_a_uri,
             links_and_access_are_those_of_the_physical_devices,
             a_transport_that_knows_no_links_gives_no_access,
             hidden_memory_is_no_access_of_the_host)
