/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/diff_verdict.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

struct aq_verdict_kernel {
  size_t item; /* of its family */
  aq_time times[2];
  int64_t calls[2];
  bool renamed;
};

const char *aq_verdict_reason_text(aq_verdict_reason reason)
{
  static const char *const texts[] = {
#define R(id, text) text,
      AQ_VERDICT_REASONS(R)
#undef R
  };
  return texts[reason];
}

void aq_diff_verdict_fini(aq_diff_verdict *verdict)
{
  free(verdict->items);
  free(verdict->kernels);
  free(verdict->renamed.list);
  aq_map_fini(&verdict->kernel_by_key);
  aq_names_fini(&verdict->names);
}

static int64_t name_of(aq_diff_verdict *v, const char *text)
{
  return aq_names_id(&v->names, text, strlen(text));
}

static aq_verdict_item *item_of(aq_diff_verdict *v, const char *name,
                                bool family)
{
  for (size_t i = 0; i < v->count; i++)
    if (v->items[i].family == family && strcmp(v->items[i].name, name) == 0)
      return &v->items[i];
  return AQ_ARRAY_PUSH(v->items, v->count, v->capacity,
                       (aq_verdict_item){.name = name, .family = family})
             ? &v->items[v->count - 1]
             : NULL;
}

/* The kernel of a family and name; NULL: no memory. */
static aq_verdict_kernel *kernel_of(aq_diff_verdict *v, const char *family,
                                    const char *name)
{
  const int64_t family_id = name_of(v, family), name_id = name_of(v, name);
  if (family_id < 0 || name_id < 0)
    return NULL;
  const uint64_t key = (uint64_t)family_id << 32 | (uint64_t)name_id;
  uint64_t at;
  if (aq_map_get(&v->kernel_by_key, key, &at))
    return &v->kernels[at];
  const aq_verdict_item *item =
      item_of(v, aq_names_text(&v->names, family_id), true);
  if (!item ||
      !AQ_ARRAY_PUSH(v->kernels, v->kernel_count, v->kernel_capacity,
                     (aq_verdict_kernel){.item = (size_t)(item - v->items)}) ||
      !aq_map_put(&v->kernel_by_key, key, v->kernel_count - 1))
    return NULL;
  return &v->kernels[v->kernel_count - 1];
}

bool aq_diff_verdict_add(aq_diff_verdict *verdict, int side,
                         const aq_explained *explained, aq_run_reader *reader)
{
  aq_diff_verdict *v = verdict;
  const aq_dispatches *d = &explained->dispatches;
  bool done = true;
  v->times[side] = explained->explain.time;
  v->devices[side] = explained->explain.devices;
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    if (row->kind != AQ_KIND_KERNEL || row->communicates || row->outside)
      continue;
    const char *name =
        row->name == AQ_NONE ? NULL : aq_run_reader_name(reader, row->name);
    aq_verdict_kernel *kernel =
        kernel_of(v, aq_names_text(&d->texts, row->family), name ? name : "");
    done = kernel != NULL;
    if (!done)
      break;
    kernel->times[side] += explained->ran[i];
    kernel->calls[side]++;
  }
  for (int i = 0; done && i < AQ_CAUSE_COUNT; i++) {
    if (i == AQ_CAUSE_KERNEL || i == AQ_CAUSE_TAIL)
      continue;
    aq_verdict_item *item = item_of(v, aq_explain_causes[i].name, false);
    done = item != NULL;
    if (done)
      item->times[side] = explained->explain.shares[i].time;
  }
  return done;
}

/* The time of kernels that one run alone has, under any name. */
static aq_time alone_of(const aq_verdict_kernel *k)
{
  return k->renamed || (k->calls[0] > 0 && k->calls[1] > 0)
             ? 0
             : k->times[0] + k->times[1];
}

/* Marks the kernels of a name, whatever their families. */
static bool renamed_mark(aq_diff_verdict *v, const char *name)
{
  const int64_t id = name_of(v, name);
  for (size_t i = 0; id >= 0 && i < v->count; i++) {
    const int64_t family = name_of(v, v->items[i].name);
    uint64_t at;
    if (family < 0)
      return false;
    if (v->items[i].family &&
        aq_map_get(&v->kernel_by_key, (uint64_t)family << 32 | (uint64_t)id,
                   &at))
      v->kernels[at].renamed = true;
  }
  return id >= 0;
}

static aq_verdict_reason reason_of(const aq_verdict_item *item)
{
  if (item->calls[0] == 0 || item->calls[1] == 0)
    return item->calls[0] == 0 ? AQ_VERDICT_ADDED : AQ_VERDICT_REMOVED;
  if (2 * item->alone >= item->times[0] + item->times[1])
    return AQ_VERDICT_OTHER;
  if (2 * item->renamed >= item->times[0] + item->times[1])
    return AQ_VERDICT_RENAMED;
  if (item->calls[0] == item->calls[1])
    return AQ_VERDICT_SAME;
  return item->calls[0] < item->calls[1] ? AQ_VERDICT_MORE : AQ_VERDICT_FEWER;
}

static int item_order(const void *a, const void *b)
{
  const aq_verdict_item *x = a, *y = b;
  const aq_time p = llabs(x->times[1] - x->times[0]);
  const aq_time q = llabs(y->times[1] - y->times[0]);
  if (p != q)
    return p > q ? -1 : 1;
  return x->family != y->family ? y->family - x->family
                                : strcmp(x->name, y->name);
}

bool aq_diff_verdict_finish(aq_diff_verdict *verdict, const aq_names *names)
{
  aq_diff_verdict *v = verdict;
  size_t kept = 0;
  for (size_t i = 0; i < v->renamed.count; i++)
    for (int side = 0; side < 2; side++)
      if (!renamed_mark(v,
                        aq_names_text(names, v->renamed.list[i].names[side])))
        return false;
  for (size_t k = 0; k < v->kernel_count; k++) {
    const aq_verdict_kernel *kernel = &v->kernels[k];
    aq_verdict_item *item = &v->items[kernel->item];
    for (int side = 0; side < 2; side++) {
      item->times[side] += kernel->times[side];
      item->calls[side] += kernel->calls[side];
    }
    item->alone += alone_of(kernel);
    if (kernel->renamed)
      item->renamed += kernel->times[0] + kernel->times[1];
  }
  for (size_t i = 0; i < v->count; i++) {
    aq_verdict_item *item = &v->items[i];
    if (item->family)
      item->reason = reason_of(item);
    if (item->times[0] > 0 || item->times[1] > 0)
      v->items[kept++] = *item;
  }
  v->count = kept;
  if (kept > 0)
    qsort(v->items, kept, sizeof *v->items, item_order);
  return true;
}
