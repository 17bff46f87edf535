/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/fidelity_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { FIELDS_MAX = 5, ROWS_AT_ONCE = 256 };

/* ---- kernels ---- */

/* The kernel of a name, made where there is none; NULL: out of memory. */
static aq_fidelity_kernel *kernel_of(aq_fidelity_facts *f, const char *name)
{
  for (size_t i = 0; i < f->kernel_count; i++)
    if (strcmp(f->kernels[i].name, name) == 0)
      return &f->kernels[i];
  char *own = strdup(name);
  if (own && AQ_ARRAY_PUSH(f->kernels, f->kernel_count, f->kernel_capacity,
                           (aq_fidelity_kernel){.name = own}))
    return &f->kernels[f->kernel_count - 1];
  free(own);
  return NULL;
}

bool aq_fidelity_kernel_counts(const aq_fidelity_kernel *kernel)
{
  return kernel->dispatches > 0 ||
         kernel->ways & (1u << AQ_BY_CODE | 1u << AQ_BY_REFUSED);
}

aq_fidelity_by aq_fidelity_kernel_by(const aq_fidelity_kernel *kernel)
{
  for (unsigned by = 0; by < AQ_BY_COUNT; by++)
    if (kernel->ways == 1u << by)
      return (aq_fidelity_by)by;
  return kernel->ways ? AQ_BY_SEVERAL : AQ_BY_UNKNOWN;
}

/* ---- facts: a function for each kind of line ---- */

static bool host_read(aq_fidelity_facts *f, char *const fields[])
{
  aq_fidelity_kernel *kernel = kernel_of(f, fields[2]);
  if (!kernel)
    return false;
  kernel->ways |= 1u << (strcmp(fields[1], "plug-in") == 0    ? AQ_BY_PLUG_IN
                         : strcmp(fields[1], "built-in") == 0 ? AQ_BY_BUILT_IN
                                                              : AQ_BY_NOTHING);
  return true;
}

/* Of code that was loaded several times, the most counts. */
static bool code_read(aq_fidelity_facts *f, char *const fields[])
{
  aq_fidelity_kernel *kernel = kernel_of(f, fields[4]);
  const uint64_t instructions = strtoull(fields[2], NULL, 10);
  if (!kernel)
    return false;
  kernel->ways |= 1u << AQ_BY_CODE;
  kernel->indirect |= fields[3][0] == '1';
  if (instructions > kernel->instructions)
    kernel->instructions = instructions;
  return true;
}

static bool inexact_read(aq_fidelity_facts *f, char *const fields[])
{
  const aq_fidelity_kernel *of = kernel_of(f, fields[4]);
  const uint64_t count = strtoull(fields[2], NULL, 10);
  if (!of)
    return false;
  const size_t kernel = (size_t)(of - f->kernels);
  for (size_t i = 0; i < f->inexact_count; i++) {
    aq_fidelity_inexact *old = &f->inexact[i];
    if (old->kernel != kernel || strcmp(old->instruction, fields[3]) != 0 ||
        strcmp(old->class, fields[1]) != 0)
      continue;
    old->count = count > old->count ? count : old->count;
    return true;
  }
  const aq_fidelity_inexact made = {kernel, strdup(fields[1]),
                                    strdup(fields[3]), count};
  if (made.class && made.instruction &&
      AQ_ARRAY_PUSH(f->inexact, f->inexact_count, f->inexact_capacity, made))
    return true;
  free(made.class);
  free(made.instruction);
  return false;
}

static bool refused_read(aq_fidelity_facts *f, char *const fields[])
{
  aq_fidelity_kernel *kernel = kernel_of(f, fields[2]);
  if (!kernel)
    return false;
  kernel->ways |= 1u << AQ_BY_REFUSED;
  return kernel->refused || (kernel->refused = strdup(fields[1]));
}

static bool function_read(aq_fidelity_facts *f, char *const fields[])
{
  for (size_t i = 0; i < f->function_count; i++)
    if (strcmp(f->functions[i], fields[1]) == 0)
      return true;
  char *name = strdup(fields[1]);
  if (name && AQ_ARRAY_PUSH(f->functions, f->function_count,
                            f->function_capacity, name))
    return true;
  free(name);
  return false;
}

static const struct {
  const char *word;
  size_t fields;
  bool (*read)(aq_fidelity_facts *f, char *const fields[]);
} kinds[] = {{"host", 3, host_read},
             {"code", 5, code_read},
             {"inexact", 5, inexact_read},
             {"refused", 3, refused_read},
             {"function", 2, function_read}};

static aq_status line_read(aq_fidelity_facts *f, char *line, const char *path,
                           aq_diag *diag)
{
  char *fields[FIELDS_MAX] = {line};
  size_t count = 1;
  for (char *tab = strchr(line, '\t'); tab && count < FIELDS_MAX;
       tab = strchr(tab + 1, '\t')) {
    *tab = 0;
    fields[count++] = tab + 1;
  }
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(fields[0], kinds[i].word) == 0 && count == kinds[i].fields)
      return kinds[i].read(f, fields) ? AQ_OK : aq_diag_no_memory(diag);
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%s: '%.40s' with %zu fields; expected a fact of the "
                     "drop-in",
                     path, fields[0], count);
}

/* A last line without its end is of a process that was killed. */
static aq_status file_read(aq_fidelity_facts *f, const char *path,
                           aq_diag *diag)
{
  FILE *file = fopen(path, "re");
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  aq_status status = AQ_OK;
  if (!file)
    return AQ_OK;
  f->found = true;
  while (status == AQ_OK && (length = getline(&line, &capacity, file)) > 0 &&
         line[length - 1] == '\n') {
    line[length - 1] = 0;
    status = line_read(f, line, path, diag);
  }
  free(line);
  fclose(file);
  return status;
}

/* ---- rows ---- */

/* Numbers of kernels by the id of their name, and 1. */
typedef struct naming {
  size_t *kernels, capacity;
} naming;

static bool row_count(aq_fidelity_facts *f, naming *names,
                      aq_run_reader *reader, const aq_record *row)
{
  aq_fidelity_kernel *kernel;
  if (row->kind != AQ_KIND_KERNEL)
    return true;
  const size_t id = row->name == AQ_NONE ? 0 : (size_t)row->name + 1;
  if (!AQ_ARRAY_RESERVE_ZEROED(names->kernels, names->capacity, id + 1))
    return false;
  if (names->kernels[id] == 0) {
    const char *name = id ? aq_run_reader_name(reader, row->name) : NULL;
    if (!(kernel = kernel_of(f, name ? name : "(no name)")))
      return false;
    names->kernels[id] = (size_t)(kernel - f->kernels) + 1;
  }
  kernel = &f->kernels[names->kernels[id] - 1];
  kernel->dispatches++;
  if (row->flags != AQ_NONE && row->flags & AQ_FLAG_ERROR)
    kernel->failed++;
  if (row->flags != AQ_NONE && row->flags & AQ_FLAG_EXECUTED)
    kernel->ends++;
  return true;
}

static aq_status rows_read(aq_fidelity_facts *f, aq_run_reader *reader,
                           aq_diag *diag)
{
  aq_record rows[ROWS_AT_ONCE];
  naming names = {NULL, 0};
  size_t count = 0;
  aq_status status =
      aq_run_reader_want(reader,
                         UINT64_C(1) << AQ_RECORD_FIELD_kind |
                             UINT64_C(1) << AQ_RECORD_FIELD_name |
                             UINT64_C(1) << AQ_RECORD_FIELD_flags,
                         diag);
  while (status == AQ_OK) {
    status = aq_run_reader_next(reader, rows, NULL, ROWS_AT_ONCE, &count, diag);
    if (status != AQ_OK || count == 0)
      break;
    for (size_t i = 0; i < count && status == AQ_OK; i++)
      if (!row_count(f, &names, reader, &rows[i]))
        status = aq_diag_no_memory(diag);
  }
  free(names.kernels);
  return status;
}

/* ---- the whole ---- */

aq_status aq_fidelity_facts_read(const char *path, aq_store *store, int64_t run,
                                 aq_fidelity_facts *out, aq_diag *diag)
{
  aq_run_reader *reader;
  *out = (aq_fidelity_facts){.found = false};
  aq_status status = file_read(out, path, diag);
  if (status == AQ_OK)
    status = aq_run_reader_open(store, run, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  size_t used = 0;
  const size_t count = aq_run_reader_device_count(reader);
  for (size_t i = 0; i < count; i++) {
    const aq_run_device *device = aq_run_reader_device(reader, (int64_t)i);
    if (!device || !device->gfx || strstr(out->gfx, device->gfx) ||
        used + strlen(device->gfx) + 3 > sizeof out->gfx)
      continue;
    used += (size_t)snprintf(out->gfx + used, sizeof out->gfx - used, "%s%s",
                             used ? ", " : "", device->gfx);
  }
  status = rows_read(out, reader, diag);
  aq_run_reader_close(reader);
  return status;
}

void aq_fidelity_facts_fini(aq_fidelity_facts *facts)
{
  for (size_t i = 0; i < facts->kernel_count; i++) {
    free(facts->kernels[i].name);
    free(facts->kernels[i].refused);
  }
  for (size_t i = 0; i < facts->inexact_count; i++) {
    free(facts->inexact[i].class);
    free(facts->inexact[i].instruction);
  }
  for (size_t i = 0; i < facts->function_count; i++)
    free(facts->functions[i]);
  free(facts->kernels);
  free(facts->inexact);
  free(facts->functions);
  *facts = (aq_fidelity_facts){.found = false};
}
