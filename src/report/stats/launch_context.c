/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/launch_context.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/duration/kernel_class.h"
#include "report/stats/launch_ranges.h"
#include "report/stats/op_work.h"
#include "report/stats/steps.h"

typedef struct context {
  aq_host_op_list ops;
  aq_frame_list frames;
  aq_launched_list launched;
  /* By frame: the name id of the innermost module, and of the innermost line of
   * the program itself, else of any file. */
  int64_t *modules, *lines, *files;
  int64_t *stacks;  /* by frame: id of the dispatches' texts, or AQ_NONE */
  int64_t *shapes;  /* by op: id of the texts, or AQ_NONE */
  int64_t *groups;  /* by op: the same of a collective's process group */
  int64_t *works;   /* by op: the one whose work its kernels are part of */
  aq_op_work *work; /* by op */
  aq_family_memo families; /* by name, of kernels without a known operator */
} context;

static void context_fini(context *c)
{
  aq_host_op_list_fini(&c->ops);
  aq_frame_list_fini(&c->frames);
  aq_launched_list_fini(&c->launched);
  free(c->modules);
  free(c->lines);
  free(c->files);
  free(c->stacks);
  free(c->shapes);
  free(c->groups);
  free(c->works);
  free(c->work);
  aq_family_memo_fini(&c->families);
}

static aq_status context_read(context *c, aq_store *store, int64_t run,
                              aq_diag *diag)
{
  aq_status status = aq_store_ops(store, run, &c->ops, diag);
  if (status == AQ_OK)
    status = aq_store_frames(store, run, &c->frames, diag);
  if (status == AQ_OK)
    status = aq_store_launched(store, run, &c->launched, diag);
  return status;
}

static bool is_file(const char *name)
{
  return name && strstr(name, ".py(");
}

/* Libraries between the program's line and its launch. */
static bool is_library(const char *name)
{
  static const char *const libraries[] = {"torch/", "site-packages/",
                                          "dist-packages/", "torch\\"};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (strstr(name, libraries[i]))
      return true;
  return false;
}

/* Frames come behind their parents. */
static bool frames_resolve(context *c, aq_run_reader *reader)
{
  const size_t count = c->frames.count;
  c->modules = malloc((count + 1) * sizeof *c->modules);
  c->lines = malloc((count + 1) * sizeof *c->lines);
  c->files = malloc((count + 1) * sizeof *c->files);
  c->stacks = malloc((count + 1) * sizeof *c->stacks);
  if (!c->modules || !c->lines || !c->files || !c->stacks)
    return false;
  for (size_t i = 0; i < count; i++) {
    const aq_frame *frame = &c->frames.rows[i];
    const char *name = aq_run_reader_name(reader, frame->name);
    const bool under = frame->parent >= 0 && (size_t)frame->parent < i;
    c->modules[i] = under ? c->modules[frame->parent] : AQ_NONE;
    c->lines[i] = under ? c->lines[frame->parent] : AQ_NONE;
    c->files[i] = under ? c->files[frame->parent] : AQ_NONE;
    c->stacks[i] = AQ_NONE;
    if (frame->kind == AQ_FRAME_MODULE)
      c->modules[i] = frame->name;
    else if (is_file(name)) {
      c->files[i] = frame->name;
      if (!is_library(name))
        c->lines[i] = frame->name;
    }
  }
  return true;
}

/* The names of a frame and those around it, the innermost first. */
static bool stack_text(context *c, aq_run_reader *reader, int64_t frame,
                       aq_names *names)
{
  char *text = NULL;
  size_t size = 0;
  for (int pass = 0; pass < 2; pass++) {
    size_t at = 0;
    for (int64_t f = frame; f >= 0 && (size_t)f < c->frames.count;
         f = c->frames.rows[f].parent < f ? c->frames.rows[f].parent : -1) {
      const char *name = aq_run_reader_name(reader, c->frames.rows[f].name);
      const size_t length = name ? strlen(name) : 0;
      if (pass && at)
        memcpy(text + at, " < ", 3);
      at += at ? 3 : 0;
      if (pass && length)
        memcpy(text + at, name, length);
      at += length;
    }
    if (!pass) {
      size = at;
      text = malloc(size + 1);
      if (!text)
        return false;
    }
  }
  c->stacks[frame] = aq_names_id(names, text, size);
  free(text);
  return c->stacks[frame] >= 0;
}

/* ---- work ---- */

/* The work of the op of each pair of a name and arguments, made once. */
static bool work_find(context *c, aq_run_reader *reader, aq_map *known,
                      size_t i, aq_names *texts)
{
  const aq_host_op *op = &c->ops.rows[i];
  const uint64_t key = (uint64_t)op->name << 32 ^ (uint64_t)(op->arguments + 1);
  uint64_t same;
  if (aq_map_get(known, key, &same) && c->ops.rows[same].name == op->name &&
      c->ops.rows[same].arguments == op->arguments) {
    c->work[i] = c->work[same];
    c->shapes[i] = c->shapes[same];
    c->groups[i] = c->groups[same];
    return true;
  }
  char *shape = NULL, *group = NULL;
  const char *name = aq_run_reader_name(reader, op->name);
  const bool made = aq_op_work_of(
      name ? name : "",
      op->arguments == AQ_NONE ? NULL
                               : aq_run_reader_name(reader, op->arguments),
      &c->work[i], &shape, &group);
  c->shapes[i] = made ? aq_names_id(texts, shape, strlen(shape)) : AQ_NONE;
  c->groups[i] = made ? aq_names_id(texts, group, strlen(group)) : AQ_NONE;
  free(shape);
  free(group);
  return made && c->shapes[i] >= 0 && c->groups[i] >= 0 &&
         aq_map_put(known, key, i);
}

/* The op whose work the kernels of each op are part of: the outermost one of a
 * family that is whole, else the innermost one whose work is known. Parents
 * come before their children. */
static bool works_resolve(context *c, aq_run_reader *reader, aq_dispatches *d)
{
  const size_t count = c->ops.count;
  aq_map known = AQ_MAP_INIT;
  bool done;
  c->shapes = malloc((count + 1) * sizeof *c->shapes);
  c->groups = malloc((count + 1) * sizeof *c->groups);
  c->works = malloc((count + 1) * sizeof *c->works);
  c->work = malloc((count + 1) * sizeof *c->work);
  done = c->shapes && c->groups && c->works && c->work;
  for (size_t i = 0; i < count && done; i++) {
    const int64_t parent = c->ops.rows[i].parent;
    const int64_t outer =
        parent >= 0 && (size_t)parent < i ? c->works[parent] : AQ_NONE;
    done = work_find(c, reader, &known, i, &d->texts);
    const aq_op_work *work = &c->work[i];
    if (done && work->unreadable && d->context.unreadable++ == 0)
      d->context.unreadable_shape = c->shapes[i];
    const bool inside =
        outer != AQ_NONE && aq_op_family_is_whole(c->work[outer].family);
    const bool counts =
        work->known || aq_op_family_is_whole(work->family) || outer == AQ_NONE;
    c->works[i] =
        inside || (!counts && c->work[outer].known) ? outer : (int64_t)i;
  }
  aq_map_fini(&known);
  return done;
}

/* The family of a kernel or copy: its own, then its operator's, then that of
 * the kernel's name. */
static const char *family_of(context *c, aq_run_reader *reader,
                             const aq_dispatch_row *row)
{
  const aq_op_family of_op =
      row->work == AQ_NONE ? AQ_OP_FAMILY_OTHER : c->work[row->work].family;
  if (row->communicates)
    return aq_op_family_names[AQ_OP_FAMILY_COMMUNICATION];
  if (row->kind != AQ_KIND_KERNEL)
    return aq_op_family_names[AQ_OP_FAMILY_COPY];
  if (of_op != AQ_OP_FAMILY_OTHER)
    return aq_op_family_names[of_op];
  const aq_family family = aq_family_recall(
      &c->families, row->name,
      row->name < 0 ? NULL : aq_run_reader_name(reader, row->name));
  return family == AQ_FAMILY_UNKNOWN ? AQ_FAMILY_OTHER_KERNELS
                                     : aq_family_name(family);
}

static bool work_set(context *c, aq_run_reader *reader, aq_dispatches *d,
                     aq_dispatch_row *row)
{
  row->work = row->op == AQ_NONE ? AQ_NONE : c->works[row->op];
  if (row->work != AQ_NONE) {
    const aq_op_work *work = &c->work[row->work];
    row->shape = c->shapes[row->work];
    if (row->communicates && work->family == AQ_OP_FAMILY_COMMUNICATION) {
      row->collective = row->shape;
      row->group = c->groups[row->work];
      row->group_size = work->ranks > 0 ? work->ranks : AQ_NONE;
    }
  }
  if (d->operations)
    return true;
  const char *family = family_of(c, reader, row);
  row->family = aq_names_id(&d->texts, family, strlen(family));
  return row->family >= 0;
}

/* ---- rows ---- */

static int launched_order(const void *a, const void *b)
{
  const aq_launched *x = a, *y = b;
  return (x->row > y->row) - (x->row < y->row);
}

static const aq_launched *launched_of(const context *c, int64_t row)
{
  const aq_launched wanted = {.row = row};
  return c->launched.count
             ? bsearch(&wanted, c->launched.rows, c->launched.count,
                       sizeof wanted, launched_order)
             : NULL;
}

static bool row_set(context *c, aq_run_reader *reader, aq_dispatches *d,
                    aq_dispatch_row *row, bool stacks)
{
  const aq_launched *l = launched_of(c, row->number);
  if (!l)
    return true;
  aq_context_counts *counts = &d->context;
  row->rank = l->rank;
  if (l->op >= 0 && (size_t)l->op < c->ops.count) {
    row->op = l->op;
    row->op_name = c->ops.rows[l->op].name;
    counts->in_ops++;
  }
  if (l->frame < 0 || (size_t)l->frame >= c->frames.count)
    return true;
  counts->in_frames++;
  counts->backward += l->backward == 1;
  row->module = c->modules[l->frame];
  row->line =
      c->lines[l->frame] != AQ_NONE ? c->lines[l->frame] : c->files[l->frame];
  if (stacks && c->stacks[l->frame] == AQ_NONE &&
      !stack_text(c, reader, l->frame, &d->texts))
    return false;
  row->stack = c->stacks[l->frame];
  return true;
}

aq_status aq_launch_context_read(aq_store *store, int64_t run,
                                 aq_run_reader *reader, aq_stats_by by,
                                 aq_dispatches *dispatches, aq_diag *diag)
{
  const bool works = aq_stats_by_has_families(by);
  aq_dispatches *d = dispatches;
  context c = {0};
  aq_status status = context_read(&c, store, run, diag);
  if (status == AQ_OK) {
    if (c.launched.count)
      qsort(c.launched.rows, c.launched.count, sizeof *c.launched.rows,
            launched_order);
    bool done =
        frames_resolve(&c, reader) && (!works || works_resolve(&c, reader, d));
    for (size_t i = 0; i < d->count && done; i++)
      done = row_set(&c, reader, d, &d->rows[i], by == AQ_STATS_BY_STACK) &&
             (!works || work_set(&c, reader, d, &d->rows[i]));
    d->works = c.work;
    c.work = NULL;
    d->context.ops = c.ops.count;
    d->context.frames = c.frames.count;
    if (done && by == AQ_STATS_BY_PATH)
      done = aq_launch_ranges_paths(d, reader);
    status =
        done && aq_steps_assign(d, reader) ? AQ_OK : aq_diag_no_memory(diag);
  }
  context_fini(&c);
  return status;
}

const char *aq_launch_context_name(const aq_dispatches *dispatches,
                                   aq_run_reader *reader, int64_t key,
                                   aq_stats_by by)
{
  if (key == AQ_NONE)
    return NULL;
  return aq_stats_by_has_families(by) ? aq_names_text(&dispatches->texts, key)
                                      : aq_run_reader_name(reader, key);
}
