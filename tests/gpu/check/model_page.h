/* SPDX-License-Identifier: MIT */
/* The page of the memory model, whose blocks tests make. */
#ifndef AQ_TESTS_CHECK_MODEL_PAGE_H
#define AQ_TESTS_CHECK_MODEL_PAGE_H

#include <stdio.h>
#include <string.h>

#include "support/aqtest.h"

/* A static text. */
static inline const char *model_page_read(void)
{
  static char page[1 << 16];
  FILE *file = fopen(aqtest_source("../doc/tables/memory-model.md"), "r");
  ck_assert_ptr_nonnull(file);
  page[fread(page, 1, sizeof page - 1, file)] = 0;
  fclose(file);
  return page;
}

/* Puts a text in place of a block. */
static inline void model_page_write(const char *page, const char *block,
                                    const char *text)
{
  char mark[64];
  snprintf(mark, sizeof mark, "<!-- %s:begin (make memory-model-docs) -->\n",
           block);
  const char *begin = strstr(page, mark);
  ck_assert_msg(begin != NULL, "the page lacks %s", mark);
  begin += strlen(mark);
  snprintf(mark, sizeof mark, "<!-- %s:end -->", block);
  const char *end = strstr(begin, mark);
  ck_assert_msg(end != NULL, "the page lacks %s", mark);
  FILE *file = fopen(aqtest_source("../doc/tables/memory-model.md"), "w");
  ck_assert_ptr_nonnull(file);
  fwrite(page, 1, (size_t)(begin - page), file);
  fprintf(file, "\n%s\n%s", text, end);
  ck_assert_int_eq(fclose(file), 0);
}

#endif
