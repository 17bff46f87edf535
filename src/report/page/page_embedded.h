/* SPDX-License-Identifier: MIT */
/* The files of src/report/page/, made into C by embed.sh: lines, ended by
 * NULL. */
#ifndef AQ_REPORT_PAGE_PAGE_EMBEDDED_H
#define AQ_REPORT_PAGE_PAGE_EMBEDDED_H

extern const char *const aq_page_css[];
extern const char *const aq_page_html[];
extern const char *const aq_page_js[];

#endif
