/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/page/page.h"

#include <errno.h>
#include <string.h>

#include "report/page/page_data.h"
#include "report/page/page_embedded.h"

static void put_lines(FILE *out, const char *const *lines)
{
  for (; *lines; lines++)
    fputs(*lines, out);
}

aq_status aq_page_write(aq_store *store, const aq_report_page *page, FILE *out,
                        aq_diag *diag)
{
  fputs("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
        "img-src data:\">\n",
        out);
  fputs("<title>Aqueduct report: ", out);
  for (size_t i = 0; i < page->count; i++)
    fprintf(out, "%srun %lld", i ? ", " : "",
            (long long)page->runs[i].info->id);
  fputs("</title>\n<style>\n", out);
  put_lines(out, aq_page_css);
  fputs("</style>\n", out);
  put_lines(out, aq_page_html);
  fputs("<script type=\"application/json\" id=\"data\">", out);
  aq_status status = aq_page_data_write(store, page, out, diag);
  if (status != AQ_OK)
    return status;
  fputs("</script>\n<script>\n\"use strict\";\n(() => {\n", out);
  put_lines(out, aq_page_js);
  fputs("})();\n</script>\n</html>\n", out);
  if (fflush(out) != 0 || ferror(out))
    return aq_diag_set(diag, AQ_ERR_IO, "report: %s", strerror(errno));
  return AQ_OK;
}
