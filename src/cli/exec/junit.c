/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/junit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "common/array.h"
#include "common/signal_name.h"
#include "common/utf8.h"

typedef struct property {
  const char *name; /* static */
  char *value;
} property;

struct aq_junit {
  const char *file;  /* borrowed */
  char *const *args; /* borrowed */
  FILE *out;
  struct timespec begun;
  char *failure; /* of a program that succeeded, or NULL */
  property *properties;
  size_t count, capacity;
};

static void now(struct timespec *out)
{
  clock_gettime(CLOCK_MONOTONIC, out);
}

aq_status aq_junit_open(const char *file, char *const *args, aq_junit **out,
                        aq_diag *diag)
{
  *out = NULL;
  if (!file)
    return AQ_OK;
  aq_junit *j = calloc(1, sizeof *j);
  if (!j)
    return aq_diag_no_memory(diag);
  *j = (aq_junit){.file = file, .args = args};
  j->out = strcmp(file, "-") == 0 ? stderr : fopen(file, "we");
  if (!j->out) {
    free(j);
    return aq_diag_set(diag, AQ_ERR_IO, "--junit %s: %s", file,
                       strerror(errno));
  }
  now(&j->begun);
  *out = j;
  return AQ_OK;
}

aq_status aq_junit_property(aq_junit *j, const char *name, const char *value,
                            aq_diag *diag)
{
  if (!j || !value)
    return AQ_OK;
  property made = {name, strdup(value)};
  if (made.value && AQ_ARRAY_PUSH(j->properties, j->count, j->capacity, made))
    return AQ_OK;
  free(made.value);
  return aq_diag_no_memory(diag);
}

aq_status aq_junit_failure(aq_junit *j, const char *why, aq_diag *diag)
{
  if (!j || !*why)
    return AQ_OK;
  free(j->failure);
  j->failure = strdup(why);
  return j->failure ? AQ_OK : aq_diag_no_memory(diag);
}

/* ---- XML ---- */

/* XML 1.0 has no place for most control characters and none for other bytes:
 * they become U+FFFD. */
static void text_put(FILE *out, const char *text)
{
  static const char unknown[] = "\xef\xbf\xbd";
  for (size_t left = strlen(text), step; left > 0; text += step, left -= step) {
    uint32_t code = 0;
    step = aq_utf8_length(text, left, &code);
    if (step == 0) {
      step = 1;
      fputs(unknown, out);
    } else if (code == '&' || code == '<' || code == '"') {
      fputs(code == '&' ? "&amp;" : code == '<' ? "&lt;" : "&quot;", out);
    } else if (code == '\t' || code == '\n' || code == '\r') {
      fprintf(out, "&#%u;", (unsigned)code);
    } else if (code < ' ' || code == 0xfffe || code == 0xffff) {
      fputs(unknown, out);
    } else {
      fwrite(text, 1, step, out);
    }
  }
}

static void attribute(FILE *out, const char *name, const char *value)
{
  fprintf(out, " %s=\"", name);
  text_put(out, value);
  fputc('"', out);
}

/* ---- the report ---- */

/* Why the program failed, in `text` or where it is; empty: it passed. */
static const char *failure_of(const aq_junit *j, const aq_junit_end *end,
                              char text[80])
{
  char name[AQ_SIGNAL_NAME];
  if (end->failure)
    return end->failure;
  if (end->ran && WIFSIGNALED(end->status)) {
    snprintf(text, 80, "ended by %s",
             aq_signal_name(WTERMSIG(end->status), name));
    return text;
  }
  if (end->ran && WEXITSTATUS(end->status) != 0) {
    snprintf(text, 80, "exit status %d", WEXITSTATUS(end->status));
    return text;
  }
  return j->failure ? j->failure : "";
}

static void report_put(const aq_junit *j, const aq_junit_end *end)
{
  struct timespec ended;
  char room[80];
  const char *failure = failure_of(j, end, room);
  FILE *out = j->out;
  now(&ended);
  const double seconds = (double)(ended.tv_sec - j->begun.tv_sec) +
                         (double)(ended.tv_nsec - j->begun.tv_nsec) / 1e9;
  const bool failed = *failure && !end->error;
  fprintf(out,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
          "<testsuite name=\"aqueduct exec\" tests=\"1\" failures=\"%d\" "
          "errors=\"%d\" skipped=\"0\" time=\"%.3f\">\n",
          failed, end->error != NULL, seconds);
  if (j->count > 0)
    fputs("<properties>\n", out);
  for (size_t i = 0; i < j->count; i++) {
    fputs("<property", out);
    attribute(out, "name", j->properties[i].name);
    attribute(out, "value", j->properties[i].value);
    fputs("/>\n", out);
  }
  if (j->count > 0)
    fputs("</properties>\n", out);
  fputs("<testcase classname=\"aqueduct.exec\"", out);
  char *const *args = j->args;
  fputs(" name=\"", out);
  for (size_t i = 0; args[i]; i++) {
    if (i > 0)
      fputc(' ', out);
    text_put(out, args[i]);
  }
  fputc('"', out);
  fprintf(out, " time=\"%.3f\"", seconds);
  if (end->error || failed) {
    fprintf(out, ">\n<%s", end->error ? "error" : "failure");
    attribute(out, "message", end->error ? end->error : failure);
    fputs("/>\n</testcase>\n", out);
  } else {
    fputs("/>\n", out);
  }
  fputs("</testsuite>\n</testsuites>\n", out);
}

aq_status aq_junit_close(aq_junit **junit, const aq_junit_end *end,
                         aq_diag *diag)
{
  aq_junit *j = *junit;
  *junit = NULL;
  if (!j)
    return AQ_OK;
  report_put(j, end);
  bool done = ferror(j->out) == 0;
  done &= (j->out == stderr ? fflush(j->out) : fclose(j->out)) == 0;
  aq_status status =
      done ? AQ_OK
           : aq_diag_set(diag, AQ_ERR_IO, "--junit %s: it cannot be written",
                         j->file);
  for (size_t i = 0; i < j->count; i++)
    free(j->properties[i].value);
  free(j->properties);
  free(j->failure);
  free(j);
  return status;
}
