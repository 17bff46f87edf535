/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/check/core/core.h"
#include "gpu/check/core/heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static const char *check_name(unsigned check)
{
  return check == AQ_CHECK_MEMORY  ? "memory"
         : check == AQ_CHECK_RACE  ? "race"
         : check == AQ_CHECK_INIT  ? "init"
         : check == AQ_CHECK_SYNC  ? "sync"
         : check == AQ_CHECK_LEAK  ? "leak"
         : check == AQ_CHECK_API   ? "api"
         : check == AQ_CHECK_FLOAT ? "float"
                                   : "wait";
}

static int64_t name_of(aq_check *check, const char *text)
{
  if (!text || !*text)
    return AQ_NONE;
  const int64_t id = aq_names_id(&check->names, text, strlen(text));
  check->lost |= id < 0;
  return id < 0 ? AQ_NONE : id;
}

/* Of a kernel's name, which may be -1. */
static int64_t kernel_of(int64_t name)
{
  return name < 0 ? AQ_NONE : name;
}

void aq_check_site_text(const aq_check *check, uint32_t site,
                        char text[AQ_ISA_TEXT_SIZE])
{
  *text = 0;
  if (site > 0 && site <= check->site_count)
    aq_isa_print(&check->sites[site - 1].inst, text);
}

void aq_hb_event_text(const aq_check *check, const aq_hb_event *act,
                      char text[AQ_CHECK_TEXT])
{
  const char *kernel =
      act && act->kernel >= 0 ? aq_names_text(&check->names, act->kernel) : "";
  if (!act)
    snprintf(text, AQ_CHECK_TEXT, "an unknown dispatch");
  else if (act->actor == AQ_CHECK_HOST)
    snprintf(text, AQ_CHECK_TEXT, "the host");
  else if (act->actor == AQ_CHECK_COPY)
    snprintf(text, AQ_CHECK_TEXT, "copy %" PRIu64, act->id);
  else
    snprintf(text, AQ_CHECK_TEXT, "dispatch %" PRIu64 " of queue %" PRIu32,
             act->id, act->queue_id);
  (void)kernel;
}

/* ---- rows ---- */

static void line_put(aq_check *check, uint64_t pc, int64_t *file, int64_t *line)
{
  uint32_t number;
  const char *name = aq_check_line(check, pc, &number);
  if (!name)
    return;
  *file = name_of(check, name);
  *line = number;
}

static void source_put(aq_check *check, uint32_t number, int64_t *file,
                       int64_t *line)
{
  const aq_check_site *site = number ? &check->sites[number - 1] : NULL;
  if (!site)
    return;
  if (!site->unloaded) {
    line_put(check, site->pc, file, line);
  } else if (site->file >= 0) {
    *file = site->file;
    *line = site->line;
  }
}

static int64_t stack_name(aq_check *check, void *const *stack)
{
  char one[AQ_CHECK_FRAME], *all = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&all, &size);
  for (int i = 0; out && i < AQ_CHECK_STACK && stack[i] && check->options.frame;
       i++)
    if (check->options.frame(check->options.user, stack[i], one))
      fprintf(out, ftell(out) > 0 ? "\n%s" : "%s", one);
  if (!out || fclose(out) != 0)
    check->lost = true;
  const int64_t name = name_of(check, all);
  free(all);
  return name;
}

static int64_t call_name(aq_check *check, const aq_check_heap_call *call)
{
  int64_t file = AQ_NONE, line = AQ_NONE;
  char text[AQ_CHECK_FRAME];
  const char *kernel = aq_names_text(&check->names, call->kernel);
  source_put(check, call->site, &file, &line);
  if (file != AQ_NONE)
    snprintf(text, sizeof text, "%.2000s at %.1000s:%" PRId64,
             kernel ? kernel : "?", aq_names_text(&check->names, file), line);
  else
    snprintf(text, sizeof text, "%.2000s (kernel)", kernel ? kernel : "?");
  return name_of(check, text);
}

/* Where an address lies in, before or behind a range. */
static void place_text(uint64_t address, uint64_t base, uint64_t size,
                       bool freed, const char *where, char text[AQ_CHECK_TEXT])
{
  const bool before = address < base, behind = address >= base + size;
  const uint64_t far = before   ? base - address
                       : behind ? address - (base + size)
                                : address - base;
  snprintf(text, AQ_CHECK_TEXT,
           "%" PRIu64 " bytes %s %" PRIu64 " bytes of %s%s at 0x%" PRIx64, far,
           before   ? "before"
           : behind ? "past the end of"
                    : "into",
           size, freed ? "freed " : "", where, base);
}

static void block_place_put(aq_check *check, const aq_check_heap_block *block,
                            uint64_t address, aq_finding *row)
{
  char text[AQ_CHECK_TEXT];
  place_text(address, block->base, block->size, block->freed,
             "malloc() in a kernel", text);
  row->place = name_of(check, text);
  row->made = call_name(check, &block->made);
  if (block->freed)
    row->freed = call_name(check, &block->gone);
}

/* Where an address lies, and the call stacks of what lies there. */
static void place_put(aq_check *check, uint64_t address, aq_finding *row)
{
  const aq_check_known *known = aq_check_known_near(check, address);
  char text[AQ_CHECK_TEXT];
  if (!known)
    return;
  const aq_check_block *b = &known->block;
  const aq_check_heap_block *part =
      known->heap ? aq_check_heap_near(known, address) : NULL;
  if (part) {
    block_place_put(check, part, address, row);
    return;
  }
  char where[200] = "host memory";
  const char *name =
      known->is_variable ? aq_names_text(&check->names, known->name) : NULL;
  if (known->is_variable)
    snprintf(where, sizeof where, "variable %.180s", name ? name : "?");
  else if (b->device != AQ_DEVICE_HOST)
    snprintf(where, sizeof where, "memory of device %" PRIu32, b->device);
  place_text(address, b->base, b->size, known->freed, where, text);
  row->place = name_of(check, text);
  row->made = stack_name(check, b->stack);
  if (known->freed)
    row->freed = stack_name(check, known->freed_by);
}

/* The work-item of a lane in its workgroup. */
static void item_put(const aq_wave *w, int lane, aq_finding *row)
{
  const uint16_t *size = w->grid->desc.packet->workgroup_size;
  const uint32_t x = size[0], y = size[1];
  const uint32_t item =
      w->number * w->grid->lanes + (lane >= 0 ? (uint32_t)lane : 0);
  row->group_x = w->group->id[0];
  row->group_y = w->group->id[1];
  row->group_z = w->group->id[2];
  if (lane < 0)
    return;
  row->item_x = item % x;
  row->item_y = item / x % y;
  row->item_z = item / x / y;
}

static void act_put(const aq_hb_event *act, int64_t *queue, int64_t *packet)
{
  if (!act || act->actor == AQ_CHECK_HOST)
    return;
  *packet = (int64_t)act->id;
  if (act->actor == AQ_CHECK_KERNEL)
    *queue = act->queue_id;
}

static int64_t text_of_site(aq_check *check, uint32_t site)
{
  char text[AQ_ISA_TEXT_SIZE];
  aq_check_site_text(check, site, text);
  return name_of(check, text);
}

static void other_put(aq_check *check, const aq_check_what *what,
                      aq_finding *row)
{
  if (!what->other && !what->other_site)
    return;
  row->other = name_of(check, what->other_text);
  row->other_kernel = kernel_of(what->other_kernel);
  row->other_instruction = text_of_site(check, what->other_site);
  source_put(check, what->other_site, &row->other_file, &row->other_line);
  act_put(what->other, &row->other_queue, &row->other_packet);
}

static aq_finding row_make(aq_check *check, const aq_check_what *what)
{
  aq_finding row;
  int64_t *fields = (int64_t *)&row;
  for (int i = 0; i < AQ_FINDING_FIELD_COUNT; i++)
    fields[i] = AQ_NONE;
  row.site = (int64_t)check->found_count;
  row.count = 1;
  row.category = name_of(check, check_name(what->check));
  row.kind = name_of(check, what->kind);
  row.possible = what->possible;
  row.message = name_of(check, what->message);
  row.missing = name_of(check, what->missing);
  row.instruction = text_of_site(check, what->site);
  row.lanes = what->lanes ? what->lanes : AQ_NONE;
  if (what->pc)
    line_put(check, what->pc, &row.file, &row.line);
  source_put(check, what->site, &row.file, &row.line);
  if (what->act)
    row.kernel = kernel_of(what->act->kernel);
  if (what->wave) {
    const aq_check_grid *grid = aq_check_grid_of(what->wave);
    row.kernel = kernel_of(grid->kernel);
    /* Functions that the kernel calls may lie before it. */
    if (what->site && check->sites[what->site - 1].pc >= grid->entry)
      row.offset = (int64_t)(check->sites[what->site - 1].pc - grid->entry);
    item_put(what->wave, what->lane, &row);
  }
  if (what->by) {
    row.kernel = kernel_of(what->by->kernel);
    if (what->site && check->sites[what->site - 1].pc >= what->by->entry)
      row.offset = (int64_t)(check->sites[what->site - 1].pc - what->by->entry);
  }
  act_put(what->act, &row.queue, &row.packet);
  if (what->grid)
    row.kernel = kernel_of(what->grid->kernel);
  if (what->called)
    row.called = stack_name(check, what->called);
  if (what->has_address) {
    row.address = (int64_t)what->address;
    row.bytes = what->bytes ? (int64_t)what->bytes : AQ_NONE;
  }
  if (what->has_place)
    place_put(check, what->address, &row);
  other_put(check, what, &row);
  return row;
}

/* ---- putting ---- */

static aq_status row_put(aq_check *check, const aq_finding *row, uint64_t count,
                         aq_diag *diag)
{
  aq_record_sink *sink = check->options.sink;
  aq_finding own = *row;
  int64_t *fields = (int64_t *)&own;
  aq_status status = AQ_OK;
  if (!sink || !sink->put_findings || count == 0)
    return AQ_OK;
  own.count = (int64_t)count;
  for (int i = 0; i < AQ_FINDING_FIELD_COUNT && status == AQ_OK; i++)
    if (aq_finding_field_is_name(i) && fields[i] != AQ_NONE) {
      const char *text = aq_names_text(&check->names, fields[i]);
      if (text)
        status = sink->name(sink, text, strlen(text), &fields[i], diag);
      else
        fields[i] = AQ_NONE;
    }
  return status == AQ_OK ? sink->put_findings(sink, &own, 1, diag) : status;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

/* In a kernel of the runtime's own. */
static bool is_foreign(const aq_check *check, const aq_check_what *what)
{
  if (!check->code_is_all || !what->wave || !what->site)
    return false;
  const uint64_t pc = check->sites[what->site - 1].pc;
  for (size_t i = 0; i < check->source_count; i++)
    if (pc >= check->sources[i].base && pc < check->sources[i].end)
      return false;
  return !check->sites[what->site - 1].unloaded;
}

void aq_check_report(aq_check *check, const aq_check_what *what)
{
  const uint64_t foreign = UINT64_MAX; /* instead of an index */
  aq_diag diag = AQ_DIAG_INIT;
  uint64_t key = mix(what->site, what->other_site), at;
  key = mix(key, (uintptr_t)what->kind);
  key = mix(key, what->possible);
  if (what->grid)
    key = mix(key, (uint64_t)what->grid->kernel + 1);
  key = mix(key, what->wave  ? (uint64_t)aq_check_grid_of(what->wave)->kernel
                 : what->act ? (uint64_t)what->act->actor + 7
                             : 3);
  key = mix(key, what->other ? (uint64_t)what->other->actor + 1 : 0);
  key = mix(key, (uint64_t)what->other_kernel);
  if (!what->site && !what->wave)
    key = mix(key, what->address);
  if (aq_map_get(&check->by_key, key, &at)) {
    if (at != foreign)
      check->found[at].unput++;
    return;
  }
  if (is_foreign(check, what)) {
    if (check->foreign++ == 0)
      check->foreign_kind = what->kind;
    check->lost |= !aq_map_put(&check->by_key, key, foreign);
    return;
  }
  const aq_check_found made = {.row = row_make(check, what)};
  if (!AQ_ARRAY_PUSH(check->found, check->found_count, check->found_capacity,
                     made) ||
      !aq_map_put(&check->by_key, key, check->found_count - 1) ||
      row_put(check, &made.row, 1, &diag) != AQ_OK)
    check->lost = true;
}

aq_status aq_check_put(aq_check *check, aq_diag *diag)
{
  aq_status status = AQ_OK;
  pthread_mutex_lock(&check->lock);
  for (size_t i = 0; i < check->found_count && status == AQ_OK; i++) {
    status = row_put(check, &check->found[i].row, check->found[i].unput, diag);
    check->found[i].unput = 0;
  }
  if (status == AQ_OK && (check->lost || aq_hb_is_full(check->order)))
    status = aq_diag_set(diag, AQ_ERR_RESOURCES,
                         "the checker ran out of %s: findings are missing",
                         check->lost ? "memory" : "memory or dispatches");
  pthread_mutex_unlock(&check->lock);
  return status;
}
