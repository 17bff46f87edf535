/* SPDX-License-Identifier: MIT */
/* Operators and call frames of a Kineto trace, from the texts of their events.
 */
#include "config.h"

#include <string.h>

#include "common/array.h"
#include "trace/formats/kineto.h"
#include "trace/text/json_slice.h"

enum { ARGUMENTS_MAX = 4096 };

/* The members of an event; a length of 0: it is not there. */
typedef struct parts {
  aq_json_slice ph, cat, name, pid, tid, ts, dur, args;
} parts;

/* The members of an operator's arguments, in the order in which they are kept.
 */
#define KEY(name) "\"" name "\":"
#define ARGUMENTS(A)                                                           \
  A(external, "External id", NULL)                                             \
  A(sequence, "Sequence number", NULL)                                         \
  A(forward, "Fwd thread id", NULL)                                            \
  A(dims, "Input Dims", KEY("dims"))                                           \
  A(types, "Input type", KEY("types"))                                         \
  A(values, "Concrete Inputs", KEY("values"))                                  \
  A(collective, "Collective name", KEY("collective"))                          \
  A(dtype, "dtype", KEY("dtype"))                                              \
  A(elements_in, "In msg nelems", KEY("in"))                                   \
  A(elements_out, "Out msg nelems", KEY("out"))                                \
  A(group, "Group size", KEY("group"))                                         \
  A(group_name, "Process Group Name", KEY("group_name"))                       \
  A(group_ranks, "Process Group Ranks", KEY("group_ranks"))
enum {
#define A(id, key, kept) ARGUMENT_##id,
  ARGUMENTS(A)
#undef A
      ARGUMENT_COUNT
};

static const struct {
  const char *key;
  size_t length;
  const char *kept; /* behind this key among those stored; NULL: not there */
} arguments[ARGUMENT_COUNT] = {
#define A(id, key, kept) {key, sizeof(key) - 1, kept},
    ARGUMENTS(A)
#undef A
};

/* The category of an op; before PyTorch 1.12 "Operator". */
static const char op_word[] = "cpu_op", old_op_word[] = "Operator";

static bool is_word(aq_json_slice value, const char *text, size_t length)
{
  aq_json_slice inside;
  return aq_json_slice_string(value, &inside) &&
         aq_json_slice_is(inside, text, length);
}

bool aq_kineto_sets_aside(const char *name, size_t length)
{
  const aq_json_slice text = {name, length};
  return aq_json_slice_is(text, op_word, strlen(op_word)) ||
         aq_json_slice_is(text, old_op_word, strlen(old_op_word)) ||
         aq_json_slice_is(text, "python_function", 15);
}

/* Most events have these keys alone, and there are many events. */
static aq_json_slice *part_of(parts *p, aq_json_slice key)
{
  const char *text = key.text;
  if (key.length == 2)
    return memcmp(text, "ph", 2) == 0   ? &p->ph
           : memcmp(text, "ts", 2) == 0 ? &p->ts
                                        : NULL;
  if (key.length == 3)
    return memcmp(text, "cat", 3) == 0   ? &p->cat
           : memcmp(text, "pid", 3) == 0 ? &p->pid
           : memcmp(text, "tid", 3) == 0 ? &p->tid
           : memcmp(text, "dur", 3) == 0 ? &p->dur
                                         : NULL;
  if (key.length == 4)
    return memcmp(text, "name", 4) == 0   ? &p->name
           : memcmp(text, "args", 4) == 0 ? &p->args
                                          : NULL;
  return NULL;
}

/* Of a frame nothing more is read once these are known. */
static bool is_whole_frame(const parts *p)
{
  return p->dur.length && p->ts.length && p->tid.length && p->pid.length &&
         p->name.length && p->ph.length &&
         is_word(p->cat, "python_function", 15);
}

static bool parts_read(aq_json_slice text, parts *out)
{
  aq_json_members m;
  aq_json_members_begin(&m, text);
  while (!is_whole_frame(out) && aq_json_members_next(&m)) {
    aq_json_slice *part = part_of(out, m.key);
    if (part)
      *part = m.value;
  }
  return !m.failed;
}

/* The inside of a string, or a value as it stands. */
static aq_json_slice bare(aq_json_slice value)
{
  aq_json_slice inside;
  return aq_json_slice_string(value, &inside) ? inside : value;
}

static int64_t integer_or_none(aq_json_slice value)
{
  int64_t number;
  value = bare(value);
  return value.length > 0 && aq_decimal_int(value.text, value.length, &number)
             ? number
             : AQ_NONE;
}

static bool tick_of(aq_json_slice value, aq_tick *out)
{
  value = bare(value);
  return value.length > 0 &&
         aq_decimal_tick(value.text, value.length, AQ_TICK_US, out);
}

/* The arguments as one object behind the name in k->text; its length, 0 where
 * nothing is known or it would be too long. */
static size_t arguments_pack(aq_kineto *k, const aq_span *span,
                             const aq_json_slice values[ARGUMENT_COUNT])
{
  size_t size = 0, needed = 2;
  for (int i = 0; i < ARGUMENT_COUNT; i++)
    if (arguments[i].kept && values[i].length > 0)
      needed += values[i].length + strlen(arguments[i].kept) + 1;
  if (needed == 2)
    return 0;
  if (needed > ARGUMENTS_MAX) {
    aq_import_fault(k->import, AQ_REPAIR_LONG_ARGUMENTS, "op", span->name,
                    span->name_length);
    return 0;
  }
  char *out = k->text + span->name_length;
  for (int i = 0; i < ARGUMENT_COUNT; i++) {
    if (!arguments[i].kept || values[i].length == 0)
      continue;
    const size_t length = strlen(arguments[i].kept);
    out[size] = size ? ',' : '{';
    memcpy(out + size + 1, arguments[i].kept, length);
    size += length + 1;
    size += aq_json_slice_pack(values[i], out + size);
  }
  out[size++] = '}';
  return size;
}

static bool arguments_read(aq_json_slice args,
                           aq_json_slice values[ARGUMENT_COUNT])
{
  aq_json_members m;
  aq_json_members_begin(&m, args);
  while (aq_json_members_next(&m))
    for (int i = 0; i < ARGUMENT_COUNT; i++)
      if (aq_json_slice_is(m.key, arguments[i].key, arguments[i].length)) {
        values[i] = m.value;
        break;
      }
  return !m.failed;
}

/* Names the event by the name's text as it stands. */
static bool skipped(aq_kineto *k, const char *why, aq_json_slice name)
{
  name = bare(name);
  aq_import_fault(k->import, AQ_REPAIR_SKIPPED_OP, why, name.text, name.length);
  return true;
}

static bool op_add(aq_kineto *k, const parts *p, aq_span *span)
{
  aq_json_slice values[ARGUMENT_COUNT] = {{0}};
  if (p->args.length > 0 && !arguments_read(p->args, values))
    return skipped(k, "args of an op: not JSON", p->name);
  const int64_t forward = integer_or_none(values[ARGUMENT_forward]);
  span->external = integer_or_none(values[ARGUMENT_external]);
  span->sequence = integer_or_none(values[ARGUMENT_sequence]);
  if (forward > 0)
    span->forward_thread = forward;
  span->arguments = k->text + span->name_length;
  span->arguments_length = arguments_pack(k, span, values);
  return aq_context_span_add(k->import, span) == AQ_OK;
}

static bool is_module(const char *name, size_t length)
{
  return length > 11 && memcmp(name, "nn.Module: ", 11) == 0;
}

/* A step of torch.profiler, which old profiles have among the ops. */
static bool is_step(const char *name, size_t length)
{
  static const char step[] = "ProfilerStep#";
  return length > strlen(step) && memcmp(name, step, strlen(step)) == 0;
}

bool aq_kineto_aside(void *kineto, const char *text, size_t length, bool whole)
{
  aq_kineto *k = kineto;
  parts p = {{0}};
  aq_json_slice name;
  aq_span span = {
      .external = AQ_NONE, .sequence = AQ_NONE, .forward_thread = AQ_NONE};
  const bool read = parts_read((aq_json_slice){text, length}, &p);
  if (!whole)
    return skipped(k, "op or frame of more than 1 MiB", p.name);
  if (!read)
    return skipped(k, "event of an op or frame: not JSON", p.name);
  if (p.ph.length == 0)
    return skipped(k, "op or frame without ph", p.name);
  if (is_word(p.ph, "B", 1))
    return skipped(k, "op or frame in halves (phases B and E)", p.name);
  if (!is_word(p.ph, "X", 1))
    return true;
  if (!aq_json_slice_string(p.name, &name))
    return skipped(k, "op or frame without a name", p.name);
  if (!tick_of(p.ts, &span.begin) || !tick_of(p.dur, &span.length))
    return skipped(k, "op or frame without ts or dur", p.name);
  if (!AQ_ARRAY_RESERVE(k->text, k->text_capacity,
                        name.length + ARGUMENTS_MAX)) {
    aq_diag_no_memory(k->import->diag);
    return false;
  }
  span.pid = integer_or_none(p.pid);
  span.tid = integer_or_none(p.tid);
  span.name = k->text;
  span.name_length = aq_json_slice_resolve(name, k->text);
  const bool old = is_word(p.cat, old_op_word, strlen(old_op_word));
  if (old && is_step(span.name, span.name_length))
    return aq_kineto_annotation(k, &span) == AQ_OK;
  if (old || is_word(p.cat, op_word, strlen(op_word)))
    return op_add(k, &p, &span);
  span.kind = is_module(span.name, span.name_length) ? AQ_SPAN_MODULE
                                                     : AQ_SPAN_FUNCTION;
  return aq_context_span_add(k->import, &span) == AQ_OK;
}
