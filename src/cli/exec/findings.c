/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/findings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exec/findings_priv.h"
#include "common/text.h"

struct aq_findings {
  aq_findings_options options;
  aq_suppressions *suppressions;
  FILE *out, *sarif_out;
  aq_json_out *json, *sarif;
  uint64_t errors, possible, notes, suppressed;
  char *text;  /* of the first one, and how many */
  char *first; /* NULL: none */
};

static void findings_free(aq_findings *f)
{
  aq_suppressions_free(f->suppressions);
  free(f->text);
  free(f->first);
  aq_json_out_drop(f->json);
  aq_json_out_drop(f->sarif);
  if (f->out && f->out != stderr)
    fclose(f->out);
  if (f->sarif_out)
    fclose(f->sarif_out);
  free(f);
}

static aq_status file_open(const char *option, const char *file, FILE **out,
                           aq_diag *diag)
{
  *out = fopen(file, "we");
  return *out ? AQ_OK
              : aq_diag_set(diag, AQ_ERR_IO, "%s %s: %s", option, file,
                            strerror(errno));
}

static aq_status files_open(aq_findings *f, aq_diag *diag)
{
  aq_status status = AQ_OK;
  f->out = stderr;
  if (f->options.file)
    status = file_open("--check-report", f->options.file, &f->out, diag);
  if (status == AQ_OK && f->options.sarif)
    status = file_open("--sarif", f->options.sarif, &f->sarif_out, diag);
  if (status != AQ_OK)
    return status;
  if (f->options.json && !(f->json = aq_json_out_begin(true)))
    return aq_diag_no_memory(diag);
  if (f->sarif_out && !(f->sarif = aq_json_out_begin(true)))
    return aq_diag_no_memory(diag);
  if (f->json) {
    aq_json_out_map(f->json, NULL);
    aq_json_out_text(f->json, "checks", f->options.checks);
    aq_json_out_array(f->json, "findings");
  }
  if (f->sarif)
    aq_findings_sarif_begin(f->sarif);
  return AQ_OK;
}

aq_status aq_findings_open(const aq_findings_options *options,
                           aq_findings **out, aq_diag *diag)
{
  aq_findings *f = calloc(1, sizeof *f);
  aq_status status = AQ_OK;
  if (!f)
    return aq_diag_no_memory(diag);
  f->options = *options;
  if (options->suppress)
    status = aq_suppressions_read(options->suppress, &f->suppressions, diag);
  if (status == AQ_OK)
    status = files_open(f, diag);
  if (status == AQ_OK)
    *out = f;
  else
    findings_free(f);
  return status;
}

/* ---- runs ---- */

static const char *text_of(aq_run_reader *reader, int64_t name)
{
  return name == AQ_NONE ? NULL : aq_run_reader_name(reader, name);
}

static void finding_put(aq_findings *f, aq_run_reader *reader,
                        const aq_finding *row)
{
  aq_finding_texts texts = {.row = *row};
#define T(name) texts.name = text_of(reader, row->name);
  TEXTS(T)
#undef T
  /* It counts, whatever of its texts was lost. */
  texts.category = texts.category ? texts.category : "unknown";
  texts.kind = texts.kind ? texts.kind : "finding without text, no memory";
  if (aq_suppressions_match(f->suppressions, &texts)) {
    f->suppressed++;
    return;
  }
  if (row->possible == AQ_FINDING_NOTE)
    f->notes++;
  else if (row->possible == AQ_FINDING_POSSIBLE)
    f->possible++;
  else
    f->errors++;
  if (!f->first && row->possible != AQ_FINDING_NOTE)
    f->first = aq_finding_line(&texts);
  if (f->json)
    aq_finding_json(&texts, f->json);
  else
    aq_finding_print(&texts, f->out);
  if (f->sarif)
    aq_finding_sarif(&texts, f->sarif);
}

typedef void finding_take(void *user, aq_run_reader *reader,
                          const aq_finding *row);

/* Each finding of a run once, with the sum of its counts. */
static aq_status findings_each(aq_store *store, int64_t run, finding_take *take,
                               void *user, aq_diag *diag)
{
  aq_run_reader *reader;
  aq_finding_list list;
  aq_status status = aq_store_findings(store, run, &list, diag);
  if (status != AQ_OK)
    return status;
  if (list.count > 0)
    status = aq_run_reader_open(store, run, AQ_ORDER_STORED, &reader, diag);
  for (size_t i = 0; i < list.count && status == AQ_OK;) {
    aq_finding sum = list.findings[i];
    for (i++; i < list.count && list.findings[i].site == sum.site; i++)
      sum.count += list.findings[i].count;
    take(user, reader, &sum);
  }
  if (list.count > 0 && status == AQ_OK)
    aq_run_reader_close(reader);
  aq_finding_list_fini(&list);
  return status;
}

static void finding_report(void *user, aq_run_reader *reader,
                           const aq_finding *row)
{
  finding_put(user, reader, row);
}

aq_status aq_findings_add(aq_findings *f, aq_store *store, int64_t run,
                          aq_diag *diag)
{
  return f ? findings_each(store, run, finding_report, f, diag) : AQ_OK;
}

static void finding_show(void *user, aq_run_reader *reader,
                         const aq_finding *row)
{
  aq_findings *f = user;
  if (!f->json && f->errors + f->possible + f->notes == 0)
    fputs("\nfindings\n\n", f->out);
  finding_put(f, reader, row);
}

aq_status aq_findings_show(aq_store *store, int64_t run, FILE *out,
                           aq_json_out *json, aq_diag *diag)
{
  aq_findings shown = {.out = out, .json = json};
  if (json)
    aq_json_out_array(json, "findings");
  const aq_status status =
      findings_each(store, run, finding_show, &shown, diag);
  free(shown.first);
  if (json)
    aq_json_out_close_array(json);
  return status;
}

const char *aq_findings_text(aq_findings *f)
{
  if (!f || f->errors + f->possible == 0)
    return "";
  free(f->text);
  if (asprintf(&f->text,
               "%" PRIu64 " error%s and %" PRIu64 " possible, first: %s",
               f->errors, aq_text_plural(f->errors), f->possible,
               f->first ? f->first : "without text, no memory") < 0)
    f->text = NULL;
  return f->text    ? f->text
         : f->first ? f->first
                    : "findings without text, no memory";
}

/* ---- the end ---- */

static bool out_end(aq_findings *f, const char *cut)
{
  if (f->json) {
    aq_json_out *json = f->json;
    f->json = NULL;
    aq_json_out_close_array(json);
    aq_json_out_int(json, "errors", (int64_t)f->errors);
    aq_json_out_int(json, "possible", (int64_t)f->possible);
    aq_json_out_int(json, "notes", (int64_t)f->notes);
    aq_json_out_int(json, "suppressed", (int64_t)f->suppressed);
    if (cut)
      aq_json_out_text(json, "incomplete", cut);
    aq_json_out_close_map(json);
    if (!aq_json_out_end(json, f->out))
      return false;
  } else {
    fprintf(f->out, "CHECK SUMMARY (%s): %" PRIu64 " error%s",
            f->options.checks, f->errors, aq_text_plural(f->errors));
    if (f->possible)
      fprintf(f->out, ", %" PRIu64 " possible", f->possible);
    if (f->notes)
      fprintf(f->out, ", %" PRIu64 " note%s", f->notes,
              aq_text_plural(f->notes));
    if (f->suppressed)
      fprintf(f->out, ", %" PRIu64 " suppressed", f->suppressed);
    if (cut)
      fprintf(f->out, "; incomplete: %s\n", cut);
    else
      fputc('\n', f->out);
  }
  bool done = ferror(f->out) == 0;
  done &= (f->out == stderr ? fflush(f->out) : fclose(f->out)) == 0;
  f->out = NULL;
  return done;
}

static bool sarif_end(aq_findings *f, const char *cut)
{
  if (!f->sarif)
    return true;
  aq_json_out *sarif = f->sarif;
  f->sarif = NULL;
  aq_findings_sarif_end(sarif, cut);
  bool done = aq_json_out_end(sarif, f->sarif_out);
  done &= fclose(f->sarif_out) == 0;
  f->sarif_out = NULL;
  return done;
}

void aq_findings_drop(aq_findings **findings)
{
  if (*findings)
    findings_free(*findings);
  *findings = NULL;
}

aq_status aq_findings_close(aq_findings **findings, const char *cut,
                            uint64_t *count, aq_diag *diag)
{
  aq_findings *f = *findings;
  aq_status status = AQ_OK;
  *findings = NULL;
  *count = 0;
  if (!f)
    return AQ_OK;
  *count = f->errors + f->possible;
  if (!out_end(f, cut))
    status =
        aq_diag_set(diag, AQ_ERR_IO, "--check-report %s: it cannot be written",
                    f->options.file ? f->options.file : "-");
  if (!sarif_end(f, cut) && status == AQ_OK)
    status = aq_diag_set(diag, AQ_ERR_IO, "--sarif %s: it cannot be written",
                         f->options.sarif);
  findings_free(f);
  return status;
}
