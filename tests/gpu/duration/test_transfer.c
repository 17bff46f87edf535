/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include "gpu/duration/cross_device.h"

static aq_peaks peaks(const char *gfx, int64_t cus, int64_t mhz, int64_t gflops,
                      int64_t gbs)
{
  aq_peaks found;
  ck_assert(aq_peaks_of(gfx, cus, mhz * 1000000, gflops * 1000000000,
                        gbs * 1000000000, &found));
  return found;
}

static aq_peaks mi300x(void)
{
  return peaks("gfx942", 304, 2100, 163400, 5300);
}

START_TEST(matrix_peaks_are_those_of_data_sheets)
{
  ck_assert_double_eq_tol(mi300x().matrix, 1307.4e12, 1e12);
  ck_assert_double_eq_tol(peaks("gfx950", 256, 2400, 157300, 8000).matrix,
                          2516.6e12, 1e12);
  ck_assert_double_eq_tol(peaks("gfx90a", 104, 1700, 22600, 1638).matrix,
                          181e12, 1e12);
}
END_TEST

START_TEST(an_unknown_gpu_has_no_peaks)
{
  aq_peaks none;
  ck_assert(!aq_peaks_of("gfx000", 1, 1, 1, 1, &none));
  ck_assert(!aq_peaks_of("gfx942", 0, 1, 1, 1, &none));
  ck_assert(!aq_peaks_of("gfx942", 304, 1, 1, 0, &none));
}
END_TEST

START_TEST(the_same_gpu_keeps_every_duration)
{
  const aq_peaks same = mi300x();
  for (int end = -1; end <= 1; end++)
    ck_assert_int_eq(
        aq_transfer(AQ_FAMILY_GEMM, 123 * AQ_US, &same, &same, (aq_end)end),
        123 * AQ_US);
}
END_TEST

START_TEST(a_short_kernel_takes_as_long_everywhere)
{
  const aq_peaks from = mi300x(), to = peaks("gfx950", 256, 2400, 157300, 8000);
  ck_assert_int_eq(
      aq_transfer(AQ_FAMILY_GEMM, 5 * AQ_US, &from, &to, AQ_END_MIDDLE),
      5 * AQ_US);
}
END_TEST

START_TEST(each_family_follows_the_peak_that_limits_it)
{
  const aq_peaks from = mi300x();
  aq_peaks matrices = from, memory = from;
  matrices.matrix *= 2;
  memory.memory *= 2;
  const aq_time us = 1007 * AQ_US;
  ck_assert_int_eq(
      aq_transfer(AQ_FAMILY_ELEMENTWISE, us, &from, &matrices, AQ_END_MIDDLE),
      us);
  ck_assert_int_lt(
      aq_transfer(AQ_FAMILY_ELEMENTWISE, us, &from, &memory, AQ_END_MIDDLE),
      650 * AQ_US);
  ck_assert_int_lt(
      aq_transfer(AQ_FAMILY_GEMM, us, &from, &matrices, AQ_END_MIDDLE),
      650 * AQ_US);
  ck_assert_int_gt(
      aq_transfer(AQ_FAMILY_GEMM, us, &from, &memory, AQ_END_MIDDLE),
      850 * AQ_US);
}
END_TEST

START_TEST(the_interval_widens_with_what_the_name_leaves_open)
{
  const aq_peaks from = mi300x(), to = peaks("gfx90a", 104, 1700, 22600, 1638);
  static const aq_family kernels[] = {AQ_FAMILY_ELEMENTWISE, AQ_FAMILY_UNKNOWN};
  aq_time width[2];
  for (int i = 0; i < 2; i++) {
    const aq_time least =
        aq_transfer(kernels[i], AQ_MS, &from, &to, AQ_END_LEAST);
    const aq_time most =
        aq_transfer(kernels[i], AQ_MS, &from, &to, AQ_END_MOST);
    const aq_time middle =
        aq_transfer(kernels[i], AQ_MS, &from, &to, AQ_END_MIDDLE);
    ck_assert(least < middle && middle < most);
    width[i] = most - least;
  }
  ck_assert_int_lt(width[0], width[1]);
}
END_TEST

START_TEST(the_interval_contains_the_spread_of_tuned_kernels)
{
  const aq_peaks from = mi300x(), to = peaks("gfx950", 256, 2400, 157300, 8000);
  static const aq_transfer_spread wide = {0.25, 3};
  const aq_time middle =
      aq_transfer(AQ_FAMILY_GEMM, AQ_MS, &from, &to, AQ_END_MIDDLE);
  ck_assert_int_eq(aq_transfer_within(AQ_FAMILY_GEMM, AQ_MS, &from, &to, &wide,
                                      AQ_END_MIDDLE),
                   middle);
  ck_assert_int_eq(aq_transfer_within(AQ_FAMILY_GEMM, AQ_MS, &from, &to, &wide,
                                      AQ_END_LEAST),
                   (middle + 2) / 4);
  ck_assert_int_eq(
      aq_transfer_within(AQ_FAMILY_GEMM, AQ_MS, &from, &to, &wide, AQ_END_MOST),
      3 * middle);
  ck_assert_int_le(aq_transfer(AQ_FAMILY_GEMM, AQ_MS, &from, &to, AQ_END_LEAST),
                   middle / 2);
}
END_TEST

START_TEST(families_without_a_measured_pair_have_twice_the_spread_of_products)
{
  const aq_peaks from = mi300x(), to = peaks("gfx950", 256, 2400, 157300, 8000);
  static const aq_transfer_spread wide = {0.25, 3};
  const aq_time middle =
      aq_transfer(AQ_FAMILY_COPY, AQ_MS, &from, &to, AQ_END_MIDDLE);
  ck_assert_int_eq(aq_transfer_within(AQ_FAMILY_COPY, AQ_MS, &from, &to, &wide,
                                      AQ_END_LEAST),
                   (middle + 8) / 16);
  ck_assert_int_eq(
      aq_transfer_within(AQ_FAMILY_COPY, AQ_MS, &from, &to, &wide, AQ_END_MOST),
      9 * middle);
}
END_TEST

START_TEST(a_short_kernel_may_take_the_whole_fixed_part)
{
  const aq_peaks from = mi300x(), to = peaks("gfx950", 256, 2400, 157300, 8000);
  ck_assert_int_eq(
      aq_transfer(AQ_FAMILY_COPY, 2 * AQ_US, &from, &to, AQ_END_MOST),
      7 * AQ_US);
  ck_assert_int_lt(
      aq_transfer(AQ_FAMILY_COPY, 2 * AQ_US, &from, &to, AQ_END_LEAST),
      2 * AQ_US);
}
END_TEST

AQ_TEST_MAIN("gpu/duration/transfer", matrix_peaks_are_those_of_data_sheets,
             an_unknown_gpu_has_no_peaks, the_same_gpu_keeps_every_duration,
             families_without_a_measured_pair_have_twice_the_spread_of_products,
             a_short_kernel_may_take_the_whole_fixed_part,
             a_short_kernel_takes_as_long_everywhere,
             each_family_follows_the_peak_that_limits_it,
             the_interval_widens_with_what_the_name_leaves_open,
             the_interval_contains_the_spread_of_tuned_kernels)
