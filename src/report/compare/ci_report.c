/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/ci_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

/* Text of XML or of a cell: one printable line, what means something escaped.
 */
static void put_escaped(FILE *out, const char *text, const char *special)
{
  char *clean = aq_text_line(text, strlen(text));
  for (const char *at = clean ? clean : ""; *at; at++)
    if (strchr(special, *at))
      fprintf(out, "&#%d;", *at);
    else
      putc(*at, out);
  free(clean);
}

static void put_xml(FILE *out, const char *text)
{
  put_escaped(out, text, "<>&\"'");
}

static void put_cell(FILE *out, const char *text)
{
  put_escaped(out, text, "|<>&`*_[]");
}

/* ---- JUnit ---- */

static void put_case(FILE *out, const aq_verdict *v, size_t i)
{
  const aq_metric metric = aq_metric_at(v->limits[i].metric);
  const char *unit = aq_metric_unit_name(metric.unit);
  double value;
  const bool known = aq_figures_get(v->figures, v->limits[i].metric, &value);
  fprintf(out, "    <testcase classname=\"");
  put_xml(out, v->run);
  fprintf(out, "\" name=\"%s at most %.9g %s\"", metric.name,
          v->limits[i].limit, unit);
  if (known && value <= v->limits[i].limit)
    fprintf(out, "/>\n");
  else if (known)
    fprintf(out,
            ">\n      <failure message=\"%s is %.9g %s, above %.9g\"/>\n"
            "    </testcase>\n",
            metric.name, value, unit, v->limits[i].limit);
  else
    fprintf(out,
            ">\n      <error message=\"no row has %s\"/>\n    </testcase>\n",
            metric.name);
}

static size_t count_cases(const aq_verdict *v, bool unknown)
{
  size_t count = 0;
  for (size_t i = 0; i < v->count; i++) {
    double value;
    const bool known = aq_figures_get(v->figures, v->limits[i].metric, &value);
    count += unknown ? !known : known && value > v->limits[i].limit;
  }
  return count;
}

void aq_verdict_junit_begin(FILE *out)
{
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
}

void aq_verdict_junit(FILE *out, const aq_verdict *v)
{
  fputs("  <testsuite name=\"", out);
  put_xml(out, v->run);
  fputs(" against ", out);
  put_xml(out, v->reference);
  /* Without a threshold the case is that there is something to compare. */
  fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
          v->count ? v->count : 1, count_cases(v, false), count_cases(v, true));
  for (size_t i = 0; i < v->count; i++)
    put_case(out, v, i);
  if (v->count == 0) {
    fputs("    <testcase classname=\"", out);
    put_xml(out, v->run);
    fputs("\" name=\"can be compared\"/>\n", out);
  }
  fputs("  </testsuite>\n", out);
}

void aq_verdict_junit_end(FILE *out)
{
  fputs("</testsuites>\n", out);
}

/* ---- Markdown ---- */

static void put_errors(FILE *out, const aq_compare *c)
{
  fputs("| error | rows | median us | p90 us | p99 us | mean us |\n"
        "|---|--:|--:|--:|--:|--:|\n",
        out);
  for (int q = 0; q < AQ_QUANTITY_COUNT; q++) {
    const aq_compare_stat *s = &c->stats[AQ_PREDICTOR_RUN][q][AQ_CLASS_ALL];
    fprintf(out, "| %s | %" PRId64 " | %.3f | %.3f | %.3f | %.3f |\n",
            aq_compare_quantities[q].name, s->count, s->median / 1000,
            s->p90 / 1000, s->p99 / 1000, s->mean / 1000);
  }
}

static void put_group(FILE *out, const aq_diff_group *g)
{
  if (g->name)
    put_cell(out, g->name);
  else if (g->key == AQ_NONE)
    fputs("unknown", out);
  else
    fprintf(out, "%" PRId64, g->key);
  if (g->new_name) {
    fputs(" &#62; ", out);
    put_cell(out, g->new_name);
  }
}

static void put_change(FILE *out, const aq_diff_figure *f)
{
  const char *mark = f->significant ? "**" : "";
  const double percent = aq_diff_percent(f);
  if (!isnan(percent))
    fprintf(out, "%s%+.1f %%%s", mark, percent, mark);
  else
    fprintf(out, "%s-%s", mark, mark);
}

static void put_differences(FILE *out, const aq_diff *d)
{
  enum { ROWS = 20 };
  if (d->apart)
    fputs("no kernel in common\n\n", out);
  fputs("| | pairs | mean us | mean us | change | total us |\n"
        "|---|--:|--:|--:|--:|--:|\n",
        out);
  for (size_t i = 0; i < AQ_DIFF_PART_COUNT + d->count; i++) {
    const bool part = i < AQ_DIFF_PART_COUNT;
    const aq_diff_group *g = part ? NULL : &d->groups[i - AQ_DIFF_PART_COUNT];
    const aq_diff_figure *f = part ? &d->parts[i] : &g->parts[AQ_DIFF_KERNEL];
    if (i >= AQ_DIFF_PART_COUNT + ROWS)
      break;
    fputs("| ", out);
    if (g)
      put_group(out, g);
    else
      put_cell(out, aq_diff_part_names[i]);
    fprintf(out, " | %" PRId64 " | ", f->pairs);
    if (f->pairs) {
      fprintf(out, "%.3f | %.3f | ", f->a / 1000, f->b / 1000);
      put_change(out, f);
      fputs(" | ", out);
    } else {
      fputs("- | - | - | ", out);
    }
    if (!part || aq_diff_part_sums((aq_diff_part)i))
      fprintf(out, "%+.3f |\n", f->total / 1000);
    else
      fputs("- |\n", out);
  }
  if (d->count > ROWS)
    fprintf(out, "\n%zu more group%s changed less.\n", d->count - ROWS,
            aq_text_plural(d->count - ROWS));
}

static void put_version(FILE *out, const char *name,
                        const aq_versions_figure *f)
{
  const char *mark = aq_versions_differ(f) ? "**" : "";
  fputs("| ", out);
  put_cell(out, name);
  fprintf(out, " | %.3f | %.3f |", f->before / 1000, f->after / 1000);
  if (isnan(f->low))
    fputs(" - | - |\n", out);
  else
    fprintf(out, " %s%+.1f %%%s | %+.1f to %+.1f %% |\n", mark, 100 * f->change,
            mark, 100 * f->low, 100 * f->high);
}

static void put_versions(FILE *out, const aq_versions *v)
{
  enum { ROWS = 20 };
  fprintf(out, "| | before, us | after, us | change | 95 %% interval |\n"
               "|---|--:|--:|--:|--:|\n");
  put_version(out, "makespan", &v->makespan);
  put_version(out, "kernels", &v->kernel);
  for (size_t i = 0; i < v->count && i < ROWS; i++) {
    char key[32] = "unknown";
    if (v->groups[i].key != AQ_NONE)
      snprintf(key, sizeof key, "%" PRId64, v->groups[i].key);
    put_version(out, v->groups[i].name ? v->groups[i].name : key,
                &v->groups[i].kernel);
  }
  if (v->count > ROWS)
    fprintf(out, "\n%zu more group%s changed less.\n", v->count - ROWS,
            aq_text_plural(v->count - ROWS));
}

static void put_limits(FILE *out, const aq_verdict *v)
{
  fputs("\n| threshold | value | |\n|---|--:|---|\n", out);
  for (size_t i = 0; i < v->count; i++) {
    const aq_metric metric = aq_metric_at(v->limits[i].metric);
    double value = 0;
    const bool known = aq_figures_get(v->figures, v->limits[i].metric, &value);
    fprintf(out, "| %s at most %.9g %s | ", metric.name, v->limits[i].limit,
            aq_metric_unit_name(metric.unit));
    if (known)
      fprintf(out, "%.9g | %s |\n", value,
              value <= v->limits[i].limit ? "holds" : "**above**");
    else
      fputs("- | **unknown** |\n", out);
  }
}

void aq_verdict_markdown(FILE *out, const aq_verdict *v)
{
  fputs("### ", out);
  put_cell(out, v->run);
  fputs(" against ", out);
  put_cell(out, v->reference);
  fputs("\n\n", out);
  if (v->figures->versions)
    put_versions(out, v->figures->versions);
  else if (v->figures->diff)
    put_differences(out, v->figures->diff);
  else
    put_errors(out, v->figures->compare);
  if (v->count)
    put_limits(out, v);
  fputs("\n", out);
}
