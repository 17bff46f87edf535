/* SPDX-License-Identifier: MIT */
#include "backend_sim/transfer/bandwidth.h"

#include <string.h>

#include "common/rng.h"
#include "support/aqtest.h"

enum { DIRECTIONS = 4, TRANSFERS = 6 };

typedef struct road {
  int64_t bandwidth[DIRECTIONS];
  aqsim_links links;
  aqsim_bandwidth traffic;
  aqsim_transfer transfers[TRANSFERS];
} road;

static void road_open(road *r, const int64_t bandwidth[DIRECTIONS])
{
  aq_diag diag = AQ_DIAG_INIT;
  memset(r, 0, sizeof *r);
  memcpy(r->bandwidth, bandwidth, sizeof r->bandwidth);
  r->links =
      (aqsim_links){.direction_count = DIRECTIONS, .bandwidth = r->bandwidth};
  ck_assert_status(aqsim_bandwidth_init(&r->traffic, &r->links, 0, &diag),
                   AQ_OK, &diag);
}

/* `ways` has the digits of the directions that it uses. */
static void join(road *r, int transfer, const char *ways, int64_t most,
                 size_t size, aq_time now)
{
  aqsim_transfer *t = &r->transfers[transfer];
  t->route = (aqsim_route){.count = 0};
  for (; *ways; ways++)
    t->route.directions[t->route.count++] = (uint32_t)(*ways - '0');
  t->most = most;
  aqsim_bandwidth_join(&r->traffic, t, size, now);
}

static void check_rates(const road *r, int64_t a, int64_t b, int64_t c)
{
  ck_assert_int_eq(r->transfers[0].rate, a);
  ck_assert_int_eq(r->transfers[1].rate, b);
  ck_assert_int_eq(r->transfers[2].rate, c);
}

START_TEST(what_one_cannot_use_goes_to_the_others)
{
  road r;
  road_open(&r, (const int64_t[]){64, 1, 1, 1});
  join(&r, 0, "0", 10, 1, 0);
  join(&r, 1, "0", 1000, 1, 0);
  join(&r, 2, "0", 1000, 1, 0);
  check_rates(&r, 10, 27, 27);
  aqsim_bandwidth_leave(&r.traffic, &r.transfers[1], 0);
  check_rates(&r, 10, 27, 54);
  aqsim_bandwidth_fini(&r.traffic);
}
END_TEST

/* Max-min: 0 is held back by direction 1, so direction 0 has more for 1. */
START_TEST(a_link_that_is_full_holds_back_only_those_on_it)
{
  road r;
  road_open(&r, (const int64_t[]){90, 20, 50, 1});
  join(&r, 0, "01", 1000, 1, 0);
  join(&r, 1, "02", 1000, 1, 0);
  join(&r, 2, "1", 1000, 1, 0);
  check_rates(&r, 10, 50, 10);
  aqsim_bandwidth_fini(&r.traffic);
}
END_TEST

START_TEST(more_transfers_than_bytes_a_second_still_move)
{
  road r;
  road_open(&r, (const int64_t[]){2, 1, 1, 1});
  for (int i = 0; i < 3; i++)
    join(&r, i, "0", 1000, 1, 0);
  check_rates(&r, 1, 1, 1);
  aqsim_bandwidth_fini(&r.traffic);
}
END_TEST

/* Three at 1/3 each would end 1 ps apart if bytes were rounded. */
START_TEST(thirds_of_a_link_are_counted_exactly)
{
  road r;
  road_open(&r, (const int64_t[]){INT64_C(64000000000), 1, 1, 1});
  for (int i = 0; i < 3; i++)
    join(&r, i, "0", INT64_MAX, 64000, 0);
  /* 64 kB at 21,333,333,333 B/s: 3,000,000.00005 ps. */
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq(aqsim_transfer_end(&r.traffic, &r.transfers[i]), 3000001);
  aqsim_bandwidth_leave(&r.traffic, &r.transfers[0], 1500000);
  /* Half a copy is left for each: 1 us at 32 GB/s. */
  ck_assert_int_eq(aqsim_transfer_end(&r.traffic, &r.transfers[1]),
                   1500000 + 1000001);
  aqsim_bandwidth_fini(&r.traffic);
}
END_TEST

/* Whatever joins and leaves, a link that is never idle moves its bandwidth,
 * less what rounding rates down costs: a byte a second a transfer. */
START_TEST(random_transfers_lose_no_byte_of_a_busy_link)
{
  for (uint64_t seed = 1; seed <= 200; seed++) {
    road r;
    aq_rng rng;
    aq_rng_init(&rng, seed, 0);
    int64_t bandwidth = 1000 + (int64_t)(aq_rng_bits(&rng) % 1000000007);
    road_open(&r, (const int64_t[]){bandwidth, 1, 1, 1});
    bool moving[TRANSFERS] = {false};
    unsigned __int128 bytes = 0;
    aq_time now = 0;
    int active = 0, begun = 0;
    while (begun < 40 || active > 0) {
      int first = -1;
      for (int i = 0; i < TRANSFERS; i++) {
        if (!moving[i] && begun < 40) {
          size_t size = 1 + aq_rng_bits(&rng) % 100000;
          join(&r, i, "0", INT64_MAX, size, now);
          bytes += size;
          moving[i] = true;
          active++, begun++;
        }
      }
      for (int i = 0; i < TRANSFERS; i++)
        if (moving[i] &&
            (first < 0 ||
             aqsim_transfer_end(&r.traffic, &r.transfers[i]) <
                 aqsim_transfer_end(&r.traffic, &r.transfers[first])))
          first = i;
      now = aqsim_transfer_end(&r.traffic, &r.transfers[first]);
      aqsim_bandwidth_leave(&r.traffic, &r.transfers[first], now);
      moving[first] = false;
      active--;
    }
    unsigned __int128 work = bytes * (uint64_t)AQ_S;
    aq_time least = (aq_time)(work / (uint64_t)bandwidth);
    aq_time most = (aq_time)(work / (uint64_t)(bandwidth - TRANSFERS)) + 40 + 1;
    ck_assert_msg(now >= least && now <= most,
                  "seed %llu: %lld ps, expected %lld to %lld",
                  (unsigned long long)seed, (long long)now, (long long)least,
                  (long long)most);
    aqsim_bandwidth_fini(&r.traffic);
  }
}
END_TEST

AQ_TEST_MAIN("backend_sim/transfer/traffic",
             what_one_cannot_use_goes_to_the_others,
             a_link_that_is_full_holds_back_only_those_on_it,
             more_transfers_than_bytes_a_second_still_move,
             thirds_of_a_link_are_counted_exactly,
             random_transfers_lose_no_byte_of_a_busy_link)
