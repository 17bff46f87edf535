/* SPDX-License-Identifier: MIT */
/* Constants of one run, with the constants of the device model as prior. */
#include "support/aqtest.h"

#include <string.h>

#include "study/calibrate/fit.h"

enum { SUM = 1000 }; /* ns: what launches contain besides, of this model */

static const char *const set[] = {
    "packet_fetch=0ns",      "packet_decode=0ns",     "acquire_agent=0ns",
    "dispatch_setup=1000ns", "doorbell_to_fetch=1us", "remap_latency=4us",
    "graph_launch=6us",      "unmap_after=100us",     NULL};

static aq_calibrate_facts nothing_seen(void)
{
  aq_calibrate_facts facts = {.idle_step = AQ_TIME_NONE};
  return facts;
}

static aq_calibrate_sample sample_of(size_t n, aq_time middle, aq_time around)
{
  return (aq_calibrate_sample){n,      middle - around, middle - around,
                               middle, middle + around, middle + around,
                               middle};
}

/* The fit of a constant to facts. */
static aq_device_fit fitted(const aq_calibrate_facts *facts, aq_time shift,
                            const char *const *edits, const char *key)
{
  aq_device_fit fits[AQ_DEVICE_FIT_VARYING];
  aq_device_model *model;
  aq_diag diag = AQ_DIAG_INIT;
  aq_device_fit found = {.key = NULL};
  ck_assert_status(aq_device_model_load("mi300x", set, &model, &diag), AQ_OK,
                   &diag);
  aq_device_fit_varying(model, facts, shift, edits, fits);
  for (size_t i = 0; i < AQ_DEVICE_FIT_VARYING; i++)
    if (strcmp(fits[i].key, key) == 0)
      found = fits[i];
  aq_device_model_free(model);
  ck_assert_ptr_nonnull(found.key);
  found.sample = NULL;
  return found;
}

START_TEST(launches_that_agree_replace_the_models_constant)
{
  aq_calibrate_facts facts = nothing_seen();
  facts.figures[AQ_CALIBRATE_WARM] = sample_of(20, 9 * AQ_US, 50 * AQ_NS);
  const aq_device_fit fit = fitted(&facts, 0, NULL, "doorbell_to_fetch");
  ck_assert_str_eq(fit.why_not, "");
  ck_assert_int_eq(fit.was, 1 * AQ_US);
  ck_assert_int_gt(fit.value, 7990 * AQ_NS); /* 9 us less SUM */
  ck_assert_int_le(fit.value, 8 * AQ_US);
}
END_TEST

START_TEST(few_launches_that_scatter_stay_near_the_model)
{
  aq_calibrate_facts facts = nothing_seen();
  facts.figures[AQ_CALIBRATE_WARM] = sample_of(4, 9 * AQ_US, 6 * AQ_US);
  const aq_time few = fitted(&facts, 0, NULL, "doorbell_to_fetch").value;
  facts.figures[AQ_CALIBRATE_WARM].n = 400;
  const aq_time many = fitted(&facts, 0, NULL, "doorbell_to_fetch").value;
  ck_assert_int_gt(few, 1 * AQ_US);
  ck_assert_int_lt(few, 7 * AQ_US);
  ck_assert_int_gt(many, 7900 * AQ_NS);
}
END_TEST

/* Alone it has the usual spread of half a microsecond, which three values of
 * four show; constants of runs differ by 3 us. */
START_TEST(one_launch_moves_the_model_by_its_weight)
{
  const double weight = 1 / (1 + 3 * 0.25 / 4 / 9);
  aq_calibrate_facts facts = nothing_seen();
  facts.figures[AQ_CALIBRATE_WARM] = sample_of(1, 9 * AQ_US, 0);
  const aq_device_fit fit = fitted(&facts, 0, NULL, "doorbell_to_fetch");
  ck_assert_str_eq(fit.why_not, "");
  ck_assert_int_eq(fit.value / AQ_NS, (int64_t)(1000 + 7000 * weight));
}
END_TEST

START_TEST(of_two_launches_in_the_middle_the_earlier_counts)
{
  aq_calibrate_facts facts = nothing_seen();
  facts.figures[AQ_CALIBRATE_WARM] = sample_of(100000, 9 * AQ_US, 0);
  facts.figures[AQ_CALIBRATE_WARM].low_middle = 7 * AQ_US;
  ck_assert_int_eq(fitted(&facts, 0, NULL, "doorbell_to_fetch").value,
                   6 * AQ_US);
}
END_TEST

START_TEST(launches_shorter_than_their_constants_leave_none)
{
  aq_calibrate_facts facts = nothing_seen();
  facts.figures[AQ_CALIBRATE_WARM] = sample_of(100, 4 * AQ_US, 0);
  facts.figures[AQ_CALIBRATE_COLD] = sample_of(100, 3 * AQ_US, 0);
  const aq_device_fit warm = fitted(&facts, 0, NULL, "doorbell_to_fetch");
  const aq_device_fit cold = fitted(&facts, 0, NULL, "remap_latency");
  ck_assert(!warm.at_least);
  ck_assert_int_gt(warm.value, 2990 * AQ_NS);
  ck_assert(cold.at_least);
  ck_assert_int_eq(cold.value, 0);
  ck_assert_str_eq(cold.why_not, "");
}
END_TEST

START_TEST(two_ends_of_graphs_say_nothing)
{
  aq_calibrate_facts facts = nothing_seen();
  facts.figures[AQ_CALIBRATE_GRAPH_END] = sample_of(2, 30 * AQ_US, 0);
  const aq_device_fit fit = fitted(&facts, 0, NULL, "barrier_process");
  ck_assert_str_eq(fit.why_not, "2 cases of 'graph end'; expected at least 3");
  ck_assert_int_eq(fit.value, fit.was);
}
END_TEST

START_TEST(a_constant_that_is_set_by_hand_stays)
{
  static const char *const edits[] = {"doorbell_to_fetch=1us", NULL};
  aq_calibrate_facts facts = nothing_seen();
  facts.figures[AQ_CALIBRATE_WARM] = sample_of(20, 9 * AQ_US, 0);
  const aq_device_fit fit = fitted(&facts, 0, edits, "doorbell_to_fetch");
  ck_assert_str_eq(fit.why_not, "set by hand");
  ck_assert_int_eq(fit.value, fit.was);
}
END_TEST

START_TEST(the_offset_of_the_clocks_is_no_part_of_a_launch)
{
  aq_calibrate_facts facts = nothing_seen();
  facts.figures[AQ_CALIBRATE_WARM] = sample_of(400, 15 * AQ_US, 0);
  facts.figures[AQ_CALIBRATE_COLD] = sample_of(400, 18 * AQ_US, 0);
  ck_assert_int_eq(fitted(&facts, 12 * AQ_US, NULL, "doorbell_to_fetch").value /
                       AQ_NS / 10,
                   200);
  ck_assert_int_eq(fitted(&facts, 12 * AQ_US, NULL, "remap_latency").value /
                       AQ_NS / 10,
                   300);
}
END_TEST

START_TEST(a_graph_launch_keeps_its_time_until_one_is_seen)
{
  aq_calibrate_facts facts = nothing_seen();
  facts.figures[AQ_CALIBRATE_WARM] = sample_of(100000, 4 * AQ_US, 0);
  const aq_device_fit warm = fitted(&facts, 0, NULL, "doorbell_to_fetch");
  aq_device_fit graph = fitted(&facts, 0, NULL, "graph_launch");
  ck_assert_int_eq(warm.value, 3 * AQ_US);
  ck_assert_int_eq(graph.value + warm.value, graph.was + warm.was);
  ck_assert_str_eq(graph.why_not, "");
  facts.figures[AQ_CALIBRATE_GRAPH] = sample_of(100000, 9 * AQ_US, 0);
  graph = fitted(&facts, 0, NULL, "graph_launch");
  ck_assert_int_eq(graph.value, 9 * AQ_US);
}
END_TEST

START_TEST(a_floor_is_kept_where_kernels_are_back_to_back)
{
  aq_calibrate_facts facts = nothing_seen();
  facts.figures[AQ_CALIBRATE_INTERVAL] = sample_of(400, 9 * AQ_US, 0);
  const aq_device_fit fit = fitted(&facts, 0, NULL, "dispatch_setup");
  ck_assert_str_ne(fit.why_not, "");
  ck_assert_int_eq(fit.value, SUM * AQ_NS);
}
END_TEST

AQ_TEST_MAIN("study/calibrate/part_fit",
             launches_that_agree_replace_the_models_constant,
             few_launches_that_scatter_stay_near_the_model,
             one_launch_moves_the_model_by_its_weight,
             of_two_launches_in_the_middle_the_earlier_counts,
             launches_shorter_than_their_constants_leave_none,
             two_ends_of_graphs_say_nothing,
             a_constant_that_is_set_by_hand_stays,
             the_offset_of_the_clocks_is_no_part_of_a_launch,
             a_graph_launch_keeps_its_time_until_one_is_seen,
             a_floor_is_kept_where_kernels_are_back_to_back)
