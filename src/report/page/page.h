/* SPDX-License-Identifier: MIT */
/*
 * The report: runs as one self-contained HTML page, to be looked at, kept and
 * sent. The page is src/report/page/, embedded; here its data is written.
 *
 * Texts from traces are data: JSON in an element that no browser executes, with
 * every < written as \u003c, and put into the page as text.
 *
 * The rows are read once; memory is 64 bytes a dispatch. One thread at a time.
 */
#ifndef AQ_REPORT_PAGE_PAGE_H
#define AQ_REPORT_PAGE_PAGE_H

#include <stdio.h>

#include "report/compare/ab_compare.h"
#include "report/stats/selection.h"
#include "store/store.h"

/* One constant of a device model, as `show DEVICE` prints it. */
typedef struct aq_page_constant {
  const char *key, *value, *unit, *source;
} aq_page_constant;

typedef struct aq_page_run {
  const aq_run_info *info;
  /* Of its device model, if that is the one in force then; all borrowed. */
  const aq_page_constant *constants;
  size_t constant_count;
  const char *whatif;      /* table of what-ifs as a JSON text; NULL: none */
  const char *whatif_note; /* why there is none; NULL: nothing to say */
  /* The part that the page is of; NULL: all of the run. */
  const aq_run_window *window;
  const aq_selection *part;
  const char *part_text; /* as text */
} aq_page_run;

enum { AQ_PAGE_RUNS_MAX = 32 };

/* The contents of a page; all borrowed. */
typedef struct aq_report_page {
  const aq_page_run *runs;
  size_t count;
  /* Of the runs, first those after, then those before; NULL: not compared. */
  const aq_versions *versions;
} aq_report_page;

/* Writes the page. A run that replays another of them, or the same one as
 * another, is compared with it. Bytes depend on the runs alone. */
aq_status aq_page_write(aq_store *store, const aq_report_page *page, FILE *out,
                        aq_diag *diag);

#endif
