/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/page/page_findings.h"

#include <inttypes.h>

#include "report/page/page_json.h"

static void text_put(FILE *out, const char *key, aq_run_reader *reader,
                     int64_t name)
{
  const char *text = name == AQ_NONE ? NULL : aq_run_reader_name(reader, name);
  if (text)
    aq_page_member_put(out, key, text);
}

static void number_put(FILE *out, const char *key, int64_t value)
{
  if (value != AQ_NONE)
    fprintf(out, ",\"%s\":%" PRId64, key, value);
}

static void finding_put(FILE *out, aq_run_reader *reader, const aq_finding *row)
{
  fprintf(out, "{\"possible\":%s,\"note\":%s,\"count\":%" PRId64,
          row->possible == AQ_FINDING_POSSIBLE ? "true" : "false",
          row->possible == AQ_FINDING_NOTE ? "true" : "false", row->count);
  number_put(out, "line", row->line);
  number_put(out, "otherLine", row->other_line);
  number_put(out, "offset", row->offset);
  number_put(out, "queue", row->queue);
  number_put(out, "packet", row->packet);
  const struct {
    const char *key;
    int64_t name;
  } texts[] = {{"check", row->category},
               {"kind", row->kind},
               {"message", row->message},
               {"kernel", row->kernel},
               {"instruction", row->instruction},
               {"file", row->file},
               {"place", row->place},
               {"made", row->made},
               {"freed", row->freed},
               {"called", row->called},
               {"other", row->other},
               {"otherKernel", row->other_kernel},
               {"otherInstruction", row->other_instruction},
               {"otherFile", row->other_file},
               {"missing", row->missing}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    text_put(out, texts[i].key, reader, texts[i].name);
  putc('}', out);
}

aq_status aq_page_findings_put(aq_store *store, int64_t run,
                               aq_run_reader *reader, FILE *out, aq_diag *diag)
{
  aq_finding_list list;
  const aq_status status = aq_store_findings(store, run, &list, diag);
  if (status != AQ_OK)
    return status;
  fputs(",\"findings\":[", out);
  for (size_t i = 0; i < list.count;) {
    aq_finding sum = list.findings[i];
    if (i > 0)
      putc(',', out);
    for (i++; i < list.count && list.findings[i].site == sum.site; i++)
      sum.count += list.findings[i].count;
    finding_put(out, reader, &sum);
  }
  putc(']', out);
  aq_finding_list_fini(&list);
  return AQ_OK;
}
