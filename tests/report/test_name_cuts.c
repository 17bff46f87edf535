/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/stats/name_cuts.h"
#include "support/aqtest.h"

enum { MANY = 400, LENGTH = 400 };

/* Cuts copies of names, a row each or two a row, and checks the rules. */
static void fit(const char *const *given, size_t count, size_t width,
                size_t of_row, aq_name_cell *cells)
{
  for (size_t i = 0; i < count; i++)
    cells[i] = (aq_name_cell){strdup(given[i]), width, i / of_row};
  ck_assert_int_eq(aq_names_fit(cells, count), 0);
  for (size_t i = 0; i < count; i++) {
    ck_assert_uint_le(aq_name_width(cells[i].name), width);
    if (aq_name_width(given[i]) <= width)
      ck_assert_str_eq(cells[i].name, given[i]);
    for (size_t j = 0; j < i; j++)
      ck_assert_msg((strcmp(given[i], given[j]) == 0) ==
                        (strcmp(cells[i].name, cells[j].name) == 0),
                    "%s and %s are %s and %s in %zu columns", given[i],
                    given[j], cells[i].name, cells[j].name, width);
  }
}

static void cells_free(aq_name_cell *cells, size_t count)
{
  for (size_t i = 0; i < count; i++)
    free(cells[i].name);
}

START_TEST(cut_names_fit_and_keep_their_differences)
{
  static const char *const given[] = {
      "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x64x32_wt32x32x8_ws1x1_end",
      "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x32x32_wt32x32x8_ws1x1_end",
      "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x64x32_wt32x32x8_ws1x1_end",
      "short",
      "",
      "a\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
      "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
      "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4z",
      "a\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
      "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa5"
      "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4z",
  };
  enum { COUNT = sizeof given / sizeof *given };
  aq_name_cell cells[COUNT];
  for (size_t width = 16; width <= 70; width++) {
    fit(given, COUNT, width, 1, cells);
    cells_free(cells, COUNT);
  }
  ck_assert_int_eq(aq_names_fit(cells, 0), 0);
}
END_TEST

/* A name of words that many others have as well, some of them more often. */
static void name_make(char name[LENGTH], unsigned *seed)
{
  static const char *const words[] = {"MT128x64x32", "AFC1", "AFC0", "CLR1",
                                      "_",           "a",    "..",   " < ",
                                      "\xc3\xa4",    "CB0",  "7",    " (2)"};
  size_t length = (size_t)sprintf(name, "gemm TN BBS_BH");
  for (int words_left = rand_r(seed) % 24; words_left > 0; words_left--)
    length += (size_t)sprintf(
        name + length, "_%s",
        words[(size_t)rand_r(seed) % (sizeof words / sizeof *words)]);
}

START_TEST(made_names_never_look_alike_when_they_differ)
{
  static char names[MANY][LENGTH];
  static aq_name_cell cells[MANY];
  const char *given[MANY];
  for (unsigned seed = 1; seed <= 20; seed++) {
    unsigned state = seed;
    for (int i = 0; i < MANY; i++) {
      name_make(names[i], &state);
      given[i] = names[i];
    }
    for (size_t width = 16; width < 120; width += 13) {
      fit(given, MANY, width, 1 + seed % 2, cells);
      cells_free(cells, MANY);
    }
  }
}
END_TEST

START_TEST(names_that_differ_in_more_places_than_fit_are_numbered)
{
  static char names[MANY][LENGTH];
  static aq_name_cell cells[MANY];
  const char *given[MANY];
  for (unsigned i = 0; i < MANY; i++) {
    size_t length = 0;
    for (unsigned bit = 0; bit < 9; bit++)
      length += (size_t)sprintf(names[i] + length, "shared_by_all_of_them_%u_",
                                i >> bit & 1);
    given[i] = names[i];
  }
  fit(given, MANY, 24, 1, cells);
  ck_assert_ptr_nonnull(strstr(cells[MANY - 1].name, " ("));
  cells_free(cells, MANY);
}
END_TEST

static void rows_are(const char *a, const char *b, size_t width,
                     const char *a_shown, const char *b_shown)
{
  const char *const given[] = {a, b};
  aq_name_cell cells[2];
  fit(given, 2, width, 2, cells);
  ck_assert_str_eq(cells[0].name, a_shown);
  ck_assert_str_eq(cells[1].name, b_shown);
  cells_free(cells, 2);
}

#define GEMM                                                                   \
  "gemm TN BBS_BH_Bias_HA_S_SAV_UserArgs_MT192x128x64_MI16x16x1_SN_LDSB1_AFC1" \
  "_AG0_AFEM1_AFEM1_ASEM1_"
#define GEMM_END "CADS0_DTLA0_DTLB0_DTVA0_DTVB0_DTVMXSA0_DTVMXSB0_WS64_WG32_8_1"

START_TEST(names_of_a_row_show_their_first_difference_and_the_tile)
{
  rows_are(GEMM "CLR1_" GEMM_END, GEMM "CB0_CD1_1_CLR1_" GEMM_END, 49,
           "gemm TN BBS_BH_..MT192x128x64_MI16x..CLR1_CADS0..",
           "gemm TN BBS_BH_..MT192x128x64_MI16x1..CB0_CD1_1..");
}
END_TEST

START_TEST(a_stack_keeps_its_innermost_frame)
{
  rows_are("torch/nn/functional.py(2103): softmax < torch/overrides.py(1670): "
           "handle < model.py(410): forward < layer_1 < run.py(7): main",
           "torch/nn/functional.py(2103): softmax < torch/overrides.py(1670): "
           "handle < model.py(410): forward < layer_2 < run.py(7): main",
           80,
           "torch/nn/functional.py(2103): softmax < torch/overrid..layer_1 < "
           "run.py(7): main",
           "torch/nn/functional.py(2103): softmax < torch/overrid..layer_2 < "
           "run.py(7): main");
}
END_TEST

AQ_TEST_MAIN("report/name_cuts", cut_names_fit_and_keep_their_differences,
             made_names_never_look_alike_when_they_differ,
             names_that_differ_in_more_places_than_fit_are_numbered,
             names_of_a_row_show_their_first_difference_and_the_tile,
             a_stack_keeps_its_innermost_frame)
