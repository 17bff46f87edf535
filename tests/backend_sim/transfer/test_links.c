/* SPDX-License-Identifier: MIT */
/* Copies between the memories of several devices: paths, engines, and how they
 * share links, to the picosecond. */
#include "backend_sim/rig.h"

#include <string.h>

#include "backend_sim/sim.h"

/* Of the model mi300x: 64 kB take 1 us on any link. */
enum {
  SIZE = 64000,
  SETUP = 4300000, /* copy_latency */
  HOP = 700000,    /* a link's latency */
  NEIGHBOUR = 2,   /* the first engine for other devices */
};

/* Buffers in the memory of each device and of the host. */
typedef struct site {
  rig r;
  char *device[4][4];
  char *host[4];
} site;

static void site_open(site *s, const char *devices, const char *const *edits)
{
  rig_open_with(&s->r, &aqsim_transport_ops,
                &(aq_transport_options){.device = devices, .edits = edits});
  aq_transport_info info;
  s->r.t->ops->info(s->r.t, &info);
  for (uint32_t i = 0; i < 4; i++)
    for (uint32_t d = 0; d <= info.device_count; d++) {
      bool host = d == info.device_count;
      void *memory;
      ck_assert_status(
          s->r.t->ops->mem_alloc(s->r.t, host ? 0 : d,
                                 host ? AQ_MEMORY_HOST : AQ_MEMORY_DEVICE, SIZE,
                                 &memory, &s->r.diag),
          AQ_OK, &s->r.diag);
      *(host ? &s->host[i] : &s->device[d][i]) = memory;
    }
}

static void copy_on(site *s, uint32_t device, uint32_t engine, void *to,
                    const void *from)
{
  aq_copy_desc copy =
      aq_copy_by_address(device, to, from, SIZE, NULL, 0, rig_none);
  copy.engine = engine;
  ck_assert_status(s->r.t->ops->copy_submit(s->r.t, &copy, &s->r.diag), AQ_OK,
                   &s->r.diag);
}

static void copy(site *s, uint32_t device, void *to, const void *from)
{
  copy_on(s, device, AQ_COPY_ENGINE_ANY, to, from);
}

/* Runs the copies and checks their rows, in the order of their ends. */
typedef struct expected {
  uint32_t device, engine;
  aq_time start, end;
} expected;

static void check(site *s, const expected *rows, size_t count)
{
  rig_run(&s->r);
  ck_assert_uint_eq(s->r.sink.count, count);
  for (size_t i = 0; i < count; i++) {
    const aq_record *row = &s->r.sink.rows[i];
    ck_assert_int_eq(s->r.sink.devices[row->device].source_id, rows[i].device);
    ck_assert_int_eq(row->engine, rows[i].engine);
    ck_assert_time_eq(row->start, rows[i].start);
    ck_assert_time_eq(row->end, rows[i].end);
  }
  rig_close(&s->r);
}

#define CHECK(s, ...)                                                          \
  check(s, (const expected[]){__VA_ARGS__},                                    \
        sizeof((const expected[]){__VA_ARGS__}) / sizeof(expected))

START_TEST(both_directions_of_a_link_are_independent)
{
  site s;
  site_open(&s, NULL, NULL);
  copy(&s, 0, s.device[0][0], s.host[0]);
  copy(&s, 0, s.host[1], s.device[0][1]);
  CHECK(&s, {0, 0, SETUP + HOP, SETUP + HOP + AQ_US},
        {0, 1, SETUP + HOP, SETUP + HOP + AQ_US});
}
END_TEST

START_TEST(copies_of_one_direction_queue_on_one_engine)
{
  site s;
  site_open(&s, NULL, NULL);
  copy(&s, 0, s.device[0][0], s.host[0]);
  copy(&s, 0, s.device[0][1], s.host[1]);
  const aq_time first = SETUP + HOP + AQ_US;
  CHECK(&s, {0, 0, SETUP + HOP, first}, {0, 0, first + SETUP + HOP, 2 * first});
}
END_TEST

START_TEST(two_engines_share_a_link_evenly)
{
  site s;
  site_open(&s, NULL, NULL);
  copy_on(&s, 0, 0, s.device[0][0], s.host[0]);
  copy_on(&s, 0, 1, s.device[0][1], s.host[1]);
  CHECK(&s, {0, 0, SETUP + HOP, SETUP + HOP + 2 * AQ_US},
        {0, 1, SETUP + HOP, SETUP + HOP + 2 * AQ_US});
}
END_TEST

/* The first has moved a half when the second joins; they share while the other
 * half moves; then the second has the link for itself again. */
START_TEST(a_copy_that_joins_slows_the_other_exactly_while_both_move)
{
  site s;
  site_open(&s, NULL, NULL);
  copy_on(&s, 0, 0, s.device[0][0], s.host[0]);
  rig_sleep(&s.r, AQ_US / 2);
  copy_on(&s, 0, 1, s.device[0][1], s.host[1]);
  const aq_time begin = SETUP + HOP;
  CHECK(&s, {0, 0, begin, begin + 3 * AQ_US / 2},
        {0, 1, begin + AQ_US / 2, begin + 2 * AQ_US});
}
END_TEST

START_TEST(a_slow_engine_leaves_the_rest_of_the_link_to_the_other)
{
  site s;
  /* 16 GB/s an engine: two of them do not fill the link. */
  const char *edits[] = {"copy_bandwidth=16 GB/s", NULL};
  site_open(&s, NULL, edits);
  copy_on(&s, 0, 0, s.device[0][0], s.host[0]);
  copy_on(&s, 0, 1, s.device[0][1], s.host[1]);
  CHECK(&s, {0, 0, SETUP + HOP, SETUP + HOP + 4 * AQ_US},
        {0, 1, SETUP + HOP, SETUP + HOP + 4 * AQ_US});
}
END_TEST

START_TEST(neighbours_have_a_link_and_an_engine_each)
{
  site s;
  site_open(&s, "mi300x*4", NULL);
  const aq_time begin = SETUP + HOP;
  copy(&s, 1, s.device[0][0], s.device[1][0]);
  copy(&s, 1, s.device[2][0], s.device[1][1]);
  copy(&s, 1, s.device[3][0], s.device[1][2]);
  CHECK(&s, {1, NEIGHBOUR, begin, begin + AQ_US},
        {1, NEIGHBOUR + 1, begin, begin + AQ_US},
        {1, NEIGHBOUR + 2, begin, begin + AQ_US});
}
END_TEST

/* One pushes, the other pulls; the way back is another direction. */
START_TEST(two_devices_share_the_direction_between_them)
{
  site s;
  site_open(&s, "mi300x*2", NULL);
  const aq_time begin = SETUP + HOP;
  copy(&s, 0, s.device[1][0], s.device[0][0]);
  copy(&s, 1, s.device[1][1], s.device[0][1]);
  copy_on(&s, 0, 5, s.device[0][2], s.device[1][2]);
  CHECK(&s, {0, 5, begin, begin + AQ_US},
        {0, NEIGHBOUR, begin, begin + 2 * AQ_US},
        {1, NEIGHBOUR, begin, begin + 2 * AQ_US});
}
END_TEST

START_TEST(devices_that_are_no_neighbours_share_their_links_to_the_host)
{
  site s;
  const char *edits[] = {"peer_links=0", NULL};
  site_open(&s, "mi300x*3", edits);
  const aq_time begin = SETUP + 2 * HOP;
  /* Both leave device 0; the copy from the host enters it. */
  copy(&s, 0, s.device[1][0], s.device[0][0]);
  copy(&s, 0, s.device[2][0], s.device[0][1]);
  copy_on(&s, 0, 0, s.device[0][2], s.host[0]);
  CHECK(&s, {0, 0, SETUP + HOP, SETUP + HOP + AQ_US},
        {0, NEIGHBOUR, begin, begin + 2 * AQ_US},
        {0, NEIGHBOUR + 1, begin, begin + 2 * AQ_US});
}
END_TEST

START_TEST(neighbours_are_groups_of_one_more_than_their_links)
{
  site s;
  const char *edits[] = {"peer_links=1", NULL};
  site_open(&s, "mi300x*4", edits);
  aq_transport_info info;
  s.r.t->ops->info(s.r.t, &info);
  ck_assert_uint_eq(info.link_count, 4 + 6);
  for (uint32_t i = 0; i < info.link_count; i++) {
    const aq_link_info *link = &info.links[i];
    bool host = link->b == AQ_DEVICE_HOST;
    bool near = !host && link->a / 2 == link->b / 2;
    ck_assert_int_eq(link->type, near ? AQ_LINK_XGMI : AQ_LINK_PCIE);
    ck_assert_uint_eq(link->hops, host || near ? 1 : 2);
    ck_assert_time_eq(link->latency, link->hops * HOP);
    ck_assert_uint_eq(link->bandwidth, UINT64_C(64000000000));
  }
  rig_close(&s.r);
}
END_TEST

START_TEST(copies_within_a_device_take_its_engines_and_no_link)
{
  site s;
  site_open(&s, "mi300x*2", NULL);
  copy(&s, 1, s.device[1][0], s.device[1][1]);
  copy(&s, 1, s.device[1][2], s.device[1][3]);
  CHECK(&s, {1, 0, SETUP, SETUP + AQ_US}, {1, 1, SETUP, SETUP + AQ_US});
}
END_TEST

START_TEST(a_third_device_pulls_and_pushes)
{
  site s;
  site_open(&s, "mi300x*3", NULL);
  const aq_time begin = SETUP + 2 * HOP;
  copy(&s, 2, s.device[1][0], s.device[0][0]);
  CHECK(&s, {2, NEIGHBOUR + 1, begin, begin + AQ_US});
}
END_TEST

START_TEST(places_that_the_caller_knows_need_no_address)
{
  site s;
  site_open(&s, "mi300x*2", NULL);
  aq_copy_desc peer =
      aq_copy_by_address(0, s.host[0], s.host[1], SIZE, NULL, 0, rig_none);
  peer.to_device = 1;
  peer.from_device = 0;
  ck_assert_status(s.r.t->ops->copy_submit(s.r.t, &peer, &s.r.diag), AQ_OK,
                   &s.r.diag);
  CHECK(&s, {0, NEIGHBOUR, SETUP + HOP, SETUP + HOP + AQ_US});
}
END_TEST

START_TEST(idle_engines_are_told_and_missing_ones_refused)
{
  site s;
  site_open(&s, "mi300x*2", NULL);
  const aq_transport_ops *ops = s.r.t->ops;
  ck_assert_uint_eq(ops->copy_engines_idle(s.r.t, 0), 0xffff);
  copy_on(&s, 0, 3, s.device[1][0], s.device[0][0]);
  ck_assert_uint_eq(ops->copy_engines_idle(s.r.t, 0), 0xfff7);
  ck_assert_uint_eq(ops->copy_engines_idle(s.r.t, 1), 0xffff);
  ck_assert_uint_eq(ops->copy_engines_idle(s.r.t, 2), 0);
  rig_run(&s.r);
  ck_assert_uint_eq(ops->copy_engines_idle(s.r.t, 0), 0xffff);
  aq_copy_desc wrong =
      aq_copy_by_address(0, s.host[0], s.host[1], SIZE, NULL, 0, rig_none);
  wrong.engine = 16;
  ck_assert_status(ops->copy_submit(s.r.t, &wrong, &s.r.diag), AQ_ERR_INVALID,
                   &s.r.diag);
  wrong.engine = AQ_COPY_ENGINE_ANY;
  wrong.to_device = 2;
  ck_assert_status(ops->copy_submit(s.r.t, &wrong, &s.r.diag), AQ_ERR_INVALID,
                   &s.r.diag);
  rig_close(&s.r);
}
END_TEST

START_TEST(addresses_inside_device_memory_are_that_device_s)
{
  site s;
  site_open(&s, "mi300x*2", NULL);
  copy(&s, 0, s.host[0], s.device[0][0]);
  aq_copy_desc inner =
      aq_copy_by_address(1, s.device[1][0] + SIZE - 64,
                         s.device[1][1] + SIZE - 64, 64, NULL, 0, rig_none);
  ck_assert_status(s.r.t->ops->copy_submit(s.r.t, &inner, &s.r.diag), AQ_OK,
                   &s.r.diag);
  s.r.t->ops->mem_free(s.r.t, s.device[0][1]);
  copy(&s, 0, s.host[1], s.device[0][2]);
  const aq_time first = SETUP + HOP + AQ_US;
  CHECK(&s, {1, 0, SETUP, SETUP + AQ_NS}, {0, 1, SETUP + HOP, first},
        {0, 1, first + SETUP + HOP, 2 * first});
}
END_TEST

START_TEST(a_kernel_runs_while_bytes_move)
{
  site s;
  site_open(&s, NULL, NULL);
  aq_ring *queue = rig_queue(&s.r, 64);
  aq_packet packet =
      rig_dispatch(rig_kernel(&s.r, "k", 20 * AQ_US), true, rig_none);
  copy(&s, 0, s.device[0][0], s.host[0]);
  rig_submit(&s.r, queue, &packet);
  rig_run(&s.r);
  ck_assert_time_eq(s.r.sink.rows[0].end, SETUP + HOP + AQ_US);
  const aq_record *kernel = rig_record(&s.r, queue, 0);
  ck_assert_time_eq(kernel->end - kernel->start, 20 * AQ_US);
  ck_assert(kernel->start < s.r.sink.rows[0].end + 10 * AQ_US);
  rig_close(&s.r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/transfer/links",
             both_directions_of_a_link_are_independent,
             copies_of_one_direction_queue_on_one_engine,
             two_engines_share_a_link_evenly,
             a_copy_that_joins_slows_the_other_exactly_while_both_move,
             a_slow_engine_leaves_the_rest_of_the_link_to_the_other,
             neighbours_have_a_link_and_an_engine_each,
             two_devices_share_the_direction_between_them,
             devices_that_are_no_neighbours_share_their_links_to_the_host,
             neighbours_are_groups_of_one_more_than_their_links,
             copies_within_a_device_take_its_engines_and_no_link,
             a_third_device_pulls_and_pushes,
             places_that_the_caller_knows_need_no_address,
             idle_engines_are_told_and_missing_ones_refused,
             addresses_inside_device_memory_are_that_device_s,
             a_kernel_runs_while_bytes_move)
