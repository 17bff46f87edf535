/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/duration/gemm.h"

static aq_diag diag = AQ_DIAG_INIT;

static aq_gemm gemm(const char *type, int m, int n, int k)
{
  char words[4][40];
  const char *list[4];
  aq_gemm read;
  snprintf(words[0], 40, "m=%d", m);
  snprintf(words[1], 40, "n=%d", n);
  snprintf(words[2], 40, "k=%d", k);
  snprintf(words[3], 40, "type=%s", type);
  for (int i = 0; i < 4; i++)
    list[i] = words[i];
  ck_assert_status(aq_gemm_read(list, 4, &read, &diag), AQ_OK, &diag);
  return read;
}

/* One line of gemm_vectors.tsv, which tools/fit_gemm.py writes. */
static bool vector_check(const char *line)
{
  char gfx[16], library[24], type[24], word[40];
  int cus, tile_m, tile_n, splits, shuffled, m, n, k;
  double us;
  aq_predicted got;
  if (sscanf(line, "%15s %d %d %d %d %d %23s %23s %d %d %d %lf", gfx, &cus,
             &tile_m, &tile_n, &splits, &shuffled, library, type, &m, &n, &k,
             &us) != 12)
    return false;
  aq_gemm g = gemm(type, m, n, k);
  g.tile_m = tile_m;
  g.tile_n = tile_n;
  g.splits = splits;
  g.shuffled = shuffled;
  const aq_gemm_type kept = g.type;
  snprintf(word, sizeof word, "library=%s", library);
  const char *words[] = {"m=1", "n=1", "k=1", "type=bf16", word};
  aq_gemm named;
  ck_assert_status(aq_gemm_read(words, 5, &named, &diag), AQ_OK, &diag);
  g.library = named.library;
  g.type = kept;
  ck_assert_status(aq_gemm_predict(&g, gfx, cus, &got, &diag), AQ_OK, &diag);
  ck_assert_msg(fabs(got.us / us - 1) < 0.02, "%s: %g us", line, got.us);
  ck_assert(got.least < got.us && got.us < got.most);
  return true;
}

START_TEST(the_formula_agrees_with_the_fit_that_made_its_table)
{
  char path[512], line[256];
  int checked = 0;
  snprintf(path, sizeof path, "%s/tests/gpu/duration/gemm_vectors.tsv",
           getenv("AQ_SRCDIR") ? getenv("AQ_SRCDIR") : ".");
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "%s", path);
  while (fgets(line, sizeof line, file))
    checked += line[0] != '#' && vector_check(line);
  fclose(file);
  ck_assert_int_ge(checked, 50);
}
END_TEST

START_TEST(a_larger_product_takes_longer)
{
  static const char *const types[] = {"bf16", "a8w8", "a8w8_blockscale",
                                      "a4w4_blockscale"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    aq_predicted small, large;
    const aq_gemm a = gemm(types[i], 1024, 4096, 4096);
    const aq_gemm b = gemm(types[i], 8192, 4096, 4096);
    ck_assert_status(aq_gemm_predict(&a, "gfx950", 256, &small, &diag), AQ_OK,
                     &diag);
    ck_assert_status(aq_gemm_predict(&b, "gfx950", 256, &large, &diag), AQ_OK,
                     &diag);
    ck_assert_msg(large.us > 3 * small.us, "%s: %g, %g", types[i], small.us,
                  large.us);
  }
}
END_TEST

START_TEST(a_slow_measurement_elsewhere_makes_the_prediction_slower)
{
  aq_predicted fast, slow;
  const aq_gemm g = gemm("a8w8_blockscale", 4096, 7168, 2048);
  ck_assert_status(
      aq_gemm_transfer(&g, 100, "gfx942", 304, "gfx950", 256, &fast, &diag),
      AQ_OK, &diag);
  ck_assert_status(
      aq_gemm_transfer(&g, 200, "gfx942", 304, "gfx950", 256, &slow, &diag),
      AQ_OK, &diag);
  ck_assert_double_eq_tol(slow.us / fast.us, pow(2, 0.2), 1e-6);
}
END_TEST

START_TEST(a_gpu_without_a_table_is_refused_with_the_tables_there_are)
{
  aq_predicted got;
  const aq_gemm g = gemm("bf16", 128, 128, 128);
  ck_assert_status(aq_gemm_predict(&g, "gfx90a", 104, &got, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "gfx950 with 256 CUs"));
}
END_TEST

START_TEST(malformed_products_are_refused_by_word)
{
  static const char *const bad[] = {"m=0",
                                    "m=-1",
                                    "m=",
                                    "n=4x",
                                    "k=99999999999",
                                    "tile=4x4",
                                    "tile=128",
                                    "type=f16",
                                    "splits=0",
                                    "library=me",
                                    "shuffled=maybe",
                                    "m",
                                    "",
                                    "=4",
                                    "mm=4"};
  aq_gemm g;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *words[] = {"m=1", "n=1", "k=1", "type=bf16", bad[i]};
    ck_assert_status(aq_gemm_read(words, 5, &g, &diag), AQ_ERR_INPUT, &diag);
    ck_assert_ptr_nonnull(strstr(diag.text, bad[i]));
  }
  const char *few[] = {"m=1", "n=1", "type=bf16"};
  ck_assert_status(aq_gemm_read(few, 3, &g, &diag), AQ_ERR_INPUT, &diag);
}
END_TEST

AQ_TEST_MAIN("gpu/duration/gemm",
             the_formula_agrees_with_the_fit_that_made_its_table,
             a_larger_product_takes_longer,
             a_slow_measurement_elsewhere_makes_the_prediction_slower,
             a_gpu_without_a_table_is_refused_with_the_tables_there_are,
             malformed_products_are_refused_by_word)
