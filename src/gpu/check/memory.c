/* SPDX-License-Identifier: MIT */
/* The allocations of the program, and the accesses that leave them. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/allocations.h"
#include "common/array.h"
#include "common/text.h"
#include "gpu/check/core/core.h"
#include "gpu/check/core/heap.h"
#include "gpu/check/core/stack.h"
#include "gpu/wave/core/address_translate.h"

/* The index of the first allocation whose base is above an address. */
static size_t known_above(const aq_check *check, uint64_t address)
{
  size_t low = 0, high = check->known_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (check->known[middle].block.base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

size_t aq_check_known_from(const aq_check *check, uint64_t address)
{
  const size_t above = known_above(check, address);
  const aq_check_block *b = above > 0 ? &check->known[above - 1].block : NULL;
  return b && address < b->base + b->size ? above - 1 : above;
}

bool aq_check_known_alive(const aq_check *check, uint64_t address)
{
  const size_t at = aq_check_known_from(check, address);
  return at < check->known_count && check->known[at].block.base <= address &&
         !check->known[at].freed;
}

const aq_check_known *aq_check_known_near(const aq_check *check,
                                          uint64_t address)
{
  enum { NEAR = 1 << 20 };
  const size_t above = known_above(check, address);
  const aq_check_known *best = NULL;
  uint64_t least = NEAR;
  if (above > 0) {
    const aq_check_block *b = &check->known[above - 1].block;
    const uint64_t past =
        address < b->base + b->size ? 0 : address - (b->base + b->size);
    if (past < least) {
      best = &check->known[above - 1];
      least = past;
    }
  }
  if (above < check->known_count && least > 0 &&
      check->known[above].block.base - address < least)
    best = &check->known[above];
  return best;
}

bool aq_check_is_fresh(const aq_check *check, const aq_check_block *block)
{
  return check->options.checks & AQ_CHECK_INIT && !block->ours &&
         !block->fine && block->device != AQ_DEVICE_HOST;
}

bool aq_check_fill(aq_check *check, const aq_check_block *block, void *to)
{
  if (block->size > AQ_CHECK_FILLED_MAX) {
    __atomic_fetch_add(&check->unfollowed, 1, __ATOMIC_RELAXED);
    return false;
  }
  aq_check_pattern_put(to, block->base, block->size);
  return true;
}

void aq_check_known_put(aq_check *check, const aq_check_known *known)
{
  const size_t at = known_above(check, known->block.base);
  if (at > 0 && check->known[at - 1].block.base == known->block.base) {
    aq_check_heap_drop(&check->known[at - 1]);
    check->known[at - 1] = *known;
  } else if (AQ_ARRAY_RESERVE(check->known, check->known_capacity,
                              check->known_count + 1)) {
    memmove(&check->known[at + 1], &check->known[at],
            (check->known_count - at) * sizeof *check->known);
    check->known[at] = *known;
    check->known_count++;
  } else {
    check->lost = true;
  }
  check->known_epoch++;
}

/* Freed memory that begins in a new block is that block's now. */
static void known_cover(aq_check *check, const aq_check_block *block)
{
  const size_t first = known_above(check, block->base);
  size_t kept = first;
  for (size_t i = first; i < check->known_count; i++)
    if (!check->known[i].freed ||
        check->known[i].block.base - block->base >= block->size)
      check->known[kept++] = check->known[i];
    else
      aq_check_heap_drop(&check->known[i]);
  check->known_count = kept;
}

void aq_check_known_begin(aq_check *check, const aq_check_known *made)
{
  const aq_check_block *block = &made->block;
  known_cover(check, block);
  aq_check_known_put(check, made);
  aq_check_shadow_clear(&check->shadow, block->base, block->size);
  if (check->options.checks & AQ_CHECK_INIT)
    aq_uninit_shadow_allocated(&check->unwritten, block->base, block->size,
                               made->begins_unwritten);
}

void aq_check_allocated(aq_check *check, const aq_check_block *block)
{
  const aq_check_known made = {.block = *block,
                               .begins_unwritten = block->unwritten};
  pthread_mutex_lock(&check->lock);
  aq_check_known_begin(check, &made);
  pthread_mutex_unlock(&check->lock);
}

bool aq_check_freed(aq_check *check, uint64_t base,
                    void *const stack[AQ_CHECK_STACK])
{
  pthread_mutex_lock(&check->lock);
  const size_t at = known_above(check, base);
  aq_check_known *known = at > 0 ? &check->known[at - 1] : NULL;
  const bool there = known && known->block.base == base && !known->freed;
  check->known_epoch++;
  if (there) {
    known->freed = true;
    memcpy(known->freed_by, stack, sizeof known->freed_by);
  }
  pthread_mutex_unlock(&check->lock);
  return there;
}

/* ---- accesses ---- */

typedef struct access {
  aq_wave *wave;
  aq_check_grid *grid;
  uint32_t site;
  const aq_wave_access_info *touch;
  bool write, atomic;
} access;

/* Whether the host may access a block without a call, which is not seen. */
static bool host_shares(const aq_check_block *block)
{
  return !block->ours && (block->fine || block->device == AQ_DEVICE_HOST);
}

/* Whether a live allocation has all of the bytes; the instruction's is
 * remembered. */
static bool block_has(const access *a, uint64_t first, uint64_t end)
{
  aq_check *check = a->grid->check;
  aq_check_site *site = &check->sites[a->site - 1];
  if (site->near_epoch == check->known_epoch && first >= site->near_base &&
      end <= site->near_end)
    return true;
  /* Kernels read the sizes of their workgroups there. */
  const uint64_t packet = (uintptr_t)a->grid->grid->desc.packet;
  if (!a->write && first >= packet && end <= packet + sizeof(aq_kernel_packet))
    return true;
  const size_t above = known_above(check, first);
  aq_check_known *k = above > 0 ? &check->known[above - 1] : NULL;
  if (!k || k->freed || end > k->block.base + k->block.size)
    return false;
  const aq_check_heap_block *part =
      k->heap ? aq_check_heap_has(k, first, end) : NULL;
  if (k->heap && !part)
    return false;
  k->shared |= host_shares(&k->block);
  site->near_epoch = check->known_epoch;
  site->near_base = part ? part->base : k->block.base;
  site->near_end = site->near_base + (part ? part->size : k->block.size);
  return true;
}

/* A kernel of HIP's library, which copies or fills for a call of the program.
 */
static bool is_of_hip(const aq_check_grid *grid)
{
  static const char begin[] = "__amd_rocclr_";
  return strncmp(aq_names_text(&grid->check->names, grid->kernel), begin,
                 sizeof begin - 1) == 0;
}

/* Memory that is no allocation of a pool: code, queues, locked memory. */
static bool other_has(const access *a, uint64_t address, unsigned bytes)
{
  aq_wave_grid *grid = a->wave->grid;
  aq_allocation found;
  if (!aq_wave_translate(grid, address, bytes, a->write))
    return false;
  if (!aq_allocations_find(grid->reachable->allocations, address,
                           grid->desc.device, AQ_ACCESS_READ, &found))
    return true;
  a->grid->check->shared_others |=
      (found.kind == AQ_ALLOCATION_LOCKED || found.kind == AQ_ALLOCATION_SVM) &&
      !is_of_hip(a->grid);
  return found.kind != AQ_ALLOCATION_POOL &&
         !(found.kind == AQ_ALLOCATION_CODE &&
           aq_check_among_variables(a->grid->check, aq_address_host(address)));
}

static const char *global_kind(const access *a, uint64_t address,
                               unsigned bytes, char *text, size_t size)
{
  enum { NULL_PAGE = 1 << 16, ROOM = 1 << 16 };
  const aq_check_known *k = aq_check_known_near(a->grid->check, address);
  const char *verb = a->atomic ? "atomic" : a->write ? "write" : "read";
  const bool inside =
      k && address >= k->block.base && address < k->block.base + k->block.size;
  const bool beside = k && address + ROOM >= k->block.base &&
                      address < k->block.base + k->block.size + ROOM;
  const aq_check_heap_block *part =
      inside && k->heap ? aq_check_heap_near(k, address) : NULL;
  const bool freed =
      inside && (k->freed || (part && part->freed && address >= part->base &&
                              address < part->base + part->size));
  const char *kind = address < NULL_PAGE ? "null pointer"
                     : freed             ? "use after free"
                     : inside || beside  ? "out of bounds"
                                         : "wild pointer";
  if (!inside && !beside && address >= NULL_PAGE && a->write &&
      aq_wave_translate(a->wave->grid, address, bytes, false))
    kind = "write to read-only memory";
  const char *stray = address >= NULL_PAGE && strcmp(kind, "wild pointer") == 0
                          ? aq_address_stray(address)
                          : NULL;
  snprintf(text, size, "%s of %u bytes at 0x%" PRIx64 "%s%s", verb, bytes,
           address, stray ? ", " : "", stray ? stray : "");
  return kind;
}

/* Kernel arguments, which the host and other waves read, and code. */
static bool in_arguments(const access *a, uint64_t first, uint64_t end)
{
  const aq_wave_grid *grid = a->grid->grid;
  const uint64_t at = aq_address_host(grid->desc.packet->kernarg_address);
  return a->write && first < at + grid->descriptor.kernarg_size && end > at;
}

static bool is_readonly(const access *a, uint64_t first, uint64_t end)
{
  return in_arguments(a, first, end) ||
         (a->write && aq_check_in_code(a->grid->check, first, end));
}

static aq_check_what access_what(const access *a, const char *kind, int lane,
                                 unsigned lanes, uint64_t address,
                                 const char *message)
{
  return (aq_check_what){.check = AQ_CHECK_MEMORY,
                         .kind = kind,
                         .wave = a->wave,
                         .act = a->grid->act,
                         .site = a->site,
                         .lane = lane,
                         .lanes = lanes,
                         .has_address = true,
                         .has_place = true,
                         .address = address,
                         .bytes = a->touch->bytes,
                         .other_kernel = -1,
                         .message = message};
}

static void access_report(const access *a, const char *kind, int lane,
                          unsigned lanes, uint64_t address, bool place,
                          const char *message)
{
  aq_check_what what = access_what(a, kind, lane, lanes, address, message);
  what.has_place = place;
  aq_check_report(a->grid->check, &what);
}

/* Whether the target drops the atomic (gpu/wave/core/atomics.h). */
static bool is_dropped(const access *a, uint64_t address)
{
  const aq_check *check = a->grid->check;
  const size_t i = aq_check_known_from(check, address);
  return check->sites[a->site - 1].drops && i < check->known_count &&
         check->known[i].block.base <= address && check->known[i].block.fine;
}

/* The machine drops it: no second defect. */
static bool dropped_report(const access *a, int lane, unsigned lanes,
                           uint64_t address)
{
  access_report(a, "dropped atomic", lane, lanes, address, true,
                "a float atomic in fine-grained memory has no effect on this "
                "processor");
  return true;
}

static bool global_lane(const access *a, int l, unsigned lanes)
{
  const uint64_t at = aq_address_host(a->touch->at[l]);
  const unsigned bytes = a->touch->bytes;
  const int lane = a->touch->scalar ? -1 : l;
  char text[AQ_CHECK_TEXT];
  const bool there =
      block_has(a, at, at + bytes) || other_has(a, a->touch->at[l], bytes);
  if (there && is_readonly(a, at, at + bytes)) {
    snprintf(text, sizeof text, "%s of %u bytes at 0x%" PRIx64 ", %s",
             a->atomic ? "atomic" : "write", bytes, at,
             in_arguments(a, at, at + bytes) ? "in the kernel's arguments"
                                             : "in loaded code");
    access_report(a, "write to read-only memory", lane, lanes, at, true, text);
    return false;
  }
  if (there && a->atomic && at % bytes != 0) {
    snprintf(text, sizeof text, "atomic of %u bytes at 0x%" PRIx64, bytes, at);
    access_report(a, "misaligned", lane, lanes, at, true, text);
    return false;
  }
  if (there)
    return !is_dropped(a, at) || dropped_report(a, lane, lanes, at);
  const char *kind = global_kind(a, at, bytes, text, sizeof text);
  access_report(a, kind, lane, lanes, at, true, text);
  return false;
}

static bool shared_has(const access *a, uint64_t at)
{
  const uint64_t end = a->wave->grid->lds_asked;
  return at <= end && a->touch->bytes <= end - at;
}

static bool shared_lane(const access *a, int l, unsigned lanes)
{
  const uint32_t first = (uint32_t)a->touch->at[l];
  const bool two = a->touch->second >> l & 1;
  const bool ok =
      shared_has(a, first) &&
      (!two || shared_has(a, aq_wave_access_info_second(a->touch, l)));
  const uint32_t at =
      shared_has(a, first) ? aq_wave_access_info_second(a->touch, l) : first;
  char text[AQ_CHECK_TEXT];
  if (ok && !(a->atomic && first % a->touch->bytes != 0))
    return true;
  snprintf(text, sizeof text,
           "%s of %u bytes at offset %" PRIu32
           " of LDS; the workgroup has %" PRIu32 " bytes",
           a->atomic  ? "atomic"
           : a->write ? "write"
                      : "read",
           a->touch->bytes, ok ? first : at, a->wave->grid->lds_asked);
  access_report(a, ok ? "misaligned" : "LDS out of range", l, lanes,
                ok ? first : at, false, text);
  return false;
}

/* Whether no lane's access to memory can be a defect. */
static bool global_is_inside(const access *a)
{
  const aq_wave_access_info *t = a->touch;
  const uint64_t least = aq_address_host(t->least),
                 most = aq_address_host(t->most);
  return !t->shared && least <= most &&
         !a->grid->check->sites[a->site - 1].drops &&
         block_has(a, least, most + t->bytes) &&
         !in_arguments(a, least, most + t->bytes) &&
         !(a->atomic && t->low & (t->bytes - 1));
}

static bool shared_is_inside(const access *a)
{
  const aq_wave_access_info *t = a->touch;
  const uint64_t end = a->wave->grid->lds_asked;
  const int32_t apart = t->second ? (int32_t)t->apart : 0;
  const int64_t least = (int64_t)t->least + (apart < 0 ? apart : 0),
                most = (int64_t)t->most + (apart > 0 ? apart : 0);
  return !t->global && least >= 0 && (uint64_t)most + t->bytes <= end &&
         !(a->atomic && t->low & (t->bytes - 1));
}

/* Reports an access of a lane by the address of a variable that lies in
 * another allocation. The compiler may have made such an address of the other
 * one's, by a constant; not where the instruction accesses both. */
static void variable_report(const access *a, const aq_check_known *k, int l)
{
  const aq_wave_access_info *t = a->touch;
  const bool both = a->grid->check->sites[a->site - 1].within == k->block.base;
  const uint64_t at = aq_address_host(t->at[l]);
  char text[AQ_CHECK_TEXT];
  snprintf(text, sizeof text,
           "%s of %u bytes at 0x%" PRIx64
           " by the address of variable %.200s, %" PRIu64 " bytes%s",
           a->atomic  ? "atomic"
           : a->write ? "write"
                      : "read",
           t->bytes, at, aq_names_text(&a->grid->check->names, k->name),
           k->block.size, both ? "" : "; the program may mean the other one");
  aq_check_what what =
      access_what(a, "out of bounds", t->scalar ? -1 : l,
                  (unsigned)__builtin_popcountll(t->global), at, text);
  what.possible = both ? AQ_FINDING_SURE : AQ_FINDING_NOTE;
  aq_check_report(a->grid->check, &what);
}

static void variable_check(const access *a)
{
  const aq_wave_access_info *t = a->touch;
  aq_check_site *site = &a->grid->check->sites[a->site - 1];
  uint64_t lanes = 0;
  const aq_check_known *k = aq_check_base_of(a->wave, site, &lanes);
  int out = -1;
  if (!k)
    return;
  const uint64_t first = k->block.base, end = first + k->block.size;
  for (uint64_t rest = t->global & lanes; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    const uint64_t at = aq_address_host(t->at[l]);
    if (at >= first && at + t->bytes <= end)
      site->within = first;
    else if (out < 0 && block_has(a, at, at + t->bytes))
      out = l;
  }
  if (out >= 0)
    variable_report(a, k, out);
}

static access access_of(aq_wave *w, uint32_t site,
                        const aq_wave_access_info *touch)
{
  const uint8_t kind = aq_check_grid_of(w)->check->sites[site - 1].kind;
  return (access){.wave = w,
                  .grid = aq_check_grid_of(w),
                  .site = site,
                  .touch = touch,
                  .write = kind != AQ_WAVE_ACCESS_READ,
                  .atomic = kind == AQ_WAVE_ACCESS_ATOMIC};
}

void aq_check_shares(aq_wave *w, uint32_t site,
                     const aq_wave_access_info *touch)
{
  const access a = access_of(w, site, touch);
  const uint64_t least = aq_address_host(touch->least),
                 most = aq_address_host(touch->most);
  if (!touch->global || (!touch->shared && least <= most &&
                         block_has(&a, least, most + touch->bytes)))
    return;
  for (uint64_t rest = touch->global; rest; rest &= rest - 1) {
    const uint64_t at = touch->at[__builtin_ctzll(rest)];
    if (!block_has(&a, aq_address_host(at), aq_address_host(at) + touch->bytes))
      (void)other_has(&a, at, touch->bytes);
  }
}

uint64_t aq_check_memory(aq_wave *w, uint32_t site,
                         const aq_wave_access_info *touch)
{
  const access a = access_of(w, site, touch);
  uint64_t bad = 0;
  if (touch->global)
    variable_check(&a);
  if (touch->global && !global_is_inside(&a))
    for (uint64_t rest = touch->global; rest; rest &= rest - 1) {
      const int l = __builtin_ctzll(rest);
      if (!global_lane(&a, l, (unsigned)__builtin_popcountll(touch->global)))
        bad |= (uint64_t)1 << l;
    }
  if (touch->shared && !shared_is_inside(&a))
    for (uint64_t rest = touch->shared; rest; rest &= rest - 1) {
      const int l = __builtin_ctzll(rest);
      if (!shared_lane(&a, l, (unsigned)__builtin_popcountll(touch->shared)))
        bad |= (uint64_t)1 << l;
    }
  return bad;
}

/* ---- the end ---- */

void aq_check_leaks(aq_check *check)
{
  char text[AQ_CHECK_TEXT];
  for (size_t i = 0; i < check->known_count; i++) {
    const aq_check_known *k = &check->known[i];
    if (k->freed || k->block.ours)
      continue;
    snprintf(text, sizeof text, "%" PRIu64 " bytes were never freed",
             k->block.size);
    const aq_check_what what = {.check = AQ_CHECK_LEAK,
                                .kind = "leak",
                                .lane = -1,
                                .has_address = true,
                                .has_place = true,
                                .address = k->block.base,
                                .other_kernel = -1,
                                .message = text};
    aq_check_report(check, &what);
  }
}

static void note_report(aq_check *check, unsigned of, const char *kind,
                        const char *message, const aq_check_block *first)
{
  const aq_check_what what = {.check = of,
                              .kind = kind,
                              .possible = AQ_FINDING_NOTE,
                              .lane = -1,
                              .has_address = first != NULL,
                              .has_place = first != NULL,
                              .address = first ? first->base : 0,
                              .other_kernel = -1,
                              .message = message};
  aq_check_report(check, &what);
}

static void forgotten_report(aq_check *check)
{
  const aq_check_forgotten *f = &check->forgotten;
  char text[AQ_CHECK_TEXT];
  snprintf(text, sizeof text,
           "%" PRIu64 " ended workgroup%s and %" PRIu64
           " wait%s for stores: accesses after their atomics count as ordered",
           f->groups, aq_text_plural(f->groups), f->waits,
           aq_text_plural(f->waits));
  if (f->groups || f->waits)
    note_report(check, AQ_CHECK_RACE, "order not tracked", text, NULL);
}

static void pool_unseen_report(aq_check *check)
{
  const unsigned of =
      check->options.checks & (AQ_CHECK_MEMORY | AQ_CHECK_INIT | AQ_CHECK_LEAK);
  char text[AQ_CHECK_TEXT];
  snprintf(text, sizeof text,
           "%" PRIu64 " call%s of hipFreeAsync without a packet: memory counts "
           "as allocated",
           check->pool_unseen, aq_text_plural(check->pool_unseen));
  if (of && check->pool_unseen)
    note_report(check, of & -of, "frees not followed", text, NULL);
  snprintf(text, sizeof text,
           "%" PRIu64 " pool block%s reused after the stream of the free was "
           "destroyed: count as written",
           check->pool_in_use, aq_text_plural(check->pool_in_use));
  if (check->pool_in_use)
    note_report(check, AQ_CHECK_INIT, "pool memory not followed", text, NULL);
}

static void heap_unseen_report(aq_check *check)
{
  const unsigned of =
      check->options.checks & (AQ_CHECK_MEMORY | AQ_CHECK_INIT | AQ_CHECK_LEAK);
  char text[AQ_CHECK_TEXT];
  snprintf(text, sizeof text,
           "blocks of malloc() in kernels of %" PRIu64
           " code object%s without symbols of functions",
           check->heap_unseen, aq_text_plural(check->heap_unseen));
  if (of && check->heap_unseen)
    note_report(check, of & -of, "malloc not seen", text, NULL);
}

static void stack_unseen_report(aq_check *check)
{
  const aq_check_stack_unseen n = aq_check_stack_unseen_get(check);
  char text[AQ_CHECK_TEXT];
  snprintf(text, sizeof text,
           "instructions that access arrays and variables on stacks: "
           "%" PRIu64 " in functions without debug information, %" PRIu64
           " by addresses that were not followed",
           n.without, n.other);
  if (check->options.checks & AQ_CHECK_MEMORY && (n.without || n.other))
    note_report(check, AQ_CHECK_MEMORY, "stack objects not followed", text,
                NULL);
}

/* Of every check; it appears with the first check that is on. */
static void unread_report(aq_check *check)
{
  const unsigned checks = check->options.checks;
  char text[AQ_CHECK_TEXT + 60];
  snprintf(text, sizeof text,
           "of %" PRIu64 " file%s whose debug information is not read: %s",
           check->unread, aq_text_plural(check->unread), check->unread_why);
  if (check->unread)
    note_report(check, checks & -checks, "source lines unknown", text, NULL);
}

/* The limits of a checker below a runtime. */
static void below_report(aq_check *check)
{
  static const struct {
    unsigned of;
    const char *kind, *message;
  } all[] = {
      {AQ_CHECK_MEMORY, "blocks of a program not seen",
       "the runtime parts the driver's blocks for it: an access that stays in "
       "one of those is not found"},
      {AQ_CHECK_RACE, "host not seen",
       "a dispatch counts as ordered after all that completed before it was "
       "launched, as if the host had waited"},
      {AQ_CHECK_INIT, "reused memory not followed",
       "memory counts as unwritten when the driver hands it out, not when the "
       "runtime hands it out again"},
      {AQ_CHECK_API, "calls not seen",
       "the program's calls reach its runtime, not the driver"},
      {AQ_CHECK_LEAK, "leaks not seen",
       "the runtime alone knows which memory the program did not free"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (check->options.checks & all[i].of)
      note_report(check, all[i].of, all[i].kind, all[i].message, NULL);
  char text[AQ_CHECK_TEXT];
  snprintf(text, sizeof text,
           "%" PRIu64 " finding%s, the first a \"%s\", in the runtime's own "
           "kernels (in no code object)",
           check->foreign, aq_text_plural(check->foreign),
           check->foreign ? check->foreign_kind : "");
  if (check->foreign)
    note_report(check, check->options.checks & -check->options.checks,
                "runtime's kernels left out", text, NULL);
}

void aq_check_unseen(aq_check *check)
{
  char text[AQ_CHECK_TEXT];
  const aq_check_block *first = NULL;
  uint64_t count = 0, bytes = 0;
  for (size_t i = 0; i < check->known_count; i++) {
    const aq_check_known *k = &check->known[i];
    if (!k->shared)
      continue;
    first = first ? first : &k->block;
    count++;
    bytes += k->block.size;
  }
  char pools[80] = "";
  if (count > 0)
    snprintf(pools, sizeof pools,
             "%" PRIu64 " allocation%s (%" PRIu64 " bytes)%s", count,
             aq_text_plural(count), bytes,
             check->shared_others ? " and in " : "");
  snprintf(text, sizeof text,
           "the host's own loads and stores in %s%s that kernels access", pools,
           check->shared_others ? "registered or pageable memory" : "");
  const unsigned of = check->options.checks & AQ_CHECK_RACE
                          ? AQ_CHECK_RACE
                          : check->options.checks & AQ_CHECK_INIT;
  if (of && (count > 0 || check->shared_others))
    note_report(check, of, "host accesses not seen", text, first);
  snprintf(text, sizeof text,
           "%" PRIu64 " allocation%s too large to fill: count as written",
           check->unfollowed, aq_text_plural(check->unfollowed));
  if (check->unfollowed)
    note_report(check, AQ_CHECK_INIT, "unwritten memory not followed", text,
                NULL);
  forgotten_report(check);
  heap_unseen_report(check);
  stack_unseen_report(check);
  pool_unseen_report(check);
  unread_report(check);
  if (check->options.host_unseen)
    below_report(check);
}
