/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/native_table.h"

#include <stdlib.h>

/* clang-format off */
#define V1(n, td, ta, e)                                                       \
  {.name = #n, .shape = AQ_WAVE_TEXT_LANE, .result = #td, .sources = {#ta},    \
   .expression = #e},
#define V2(n, td, ta, tb, e)                                                   \
  {.name = #n, .shape = AQ_WAVE_TEXT_LANE, .result = #td,                      \
   .sources = {#ta, #tb}, .expression = #e},
#define V3(n, td, ta, tb, tc, e)                                               \
  {.name = #n, .shape = AQ_WAVE_TEXT_LANE, .result = #td,                      \
   .sources = {#ta, #tb, #tc}, .expression = #e},
#define V2_F32(n, e)                                                           \
  {.name = #n, .shape = AQ_WAVE_TEXT_NAN, .result = "b32",                     \
   .sources = {"f32", "f32"}, .expression = #e},
#define V3_F32(n, e)                                                           \
  {.name = #n, .shape = AQ_WAVE_TEXT_NAN, .result = "b32",                     \
   .sources = {"f32", "f32", "f32"}, .expression = #e},
#define V2_F64(n, w, e)                                                        \
  {.name = #n, .shape = AQ_WAVE_TEXT_NAN, .result = "b64",                     \
   .sources = {"f64", "f64"}, .expression = #e},
#define V3_F64(n, w, e)                                                        \
  {.name = #n, .shape = AQ_WAVE_TEXT_NAN, .result = "b64",                     \
   .sources = {"f64", "f64", "f64"}, .expression = #e},
#define CARRY(n, cin, e, out)                                                  \
  {.name = #n, .shape = AQ_WAVE_TEXT_CARRY, .result = "b32",                   \
   .sources = {"u32", "u32"}, .carry_in = cin, .expression = #e,               \
   .second = #out},
#define BOTH(op, t, e)                                                         \
  {.name = "v_cmp_" #op "_" #t, .shape = AQ_WAVE_TEXT_COMPARE,                 \
   .sources = {#t, #t}, .expression = #e},
#define SCALAR(n, r, ta, tb, e, scc)                                           \
  {.name = #n, .shape = AQ_WAVE_TEXT_SCALAR, .result = r,                      \
   .sources = {ta, tb}, .expression = e, .second = scc},
#define A32(n, e, scc) SCALAR(n, "b32", "u32", "u32", #e, #scc)
#define A64(n, e, scc) SCALAR(n, "b64", "u64", "u64", #e, #scc)
#define S64(n, e, scc) SCALAR(n, "b64", "u64", "u32", #e, #scc)
#define N64(n, e, scc) SCALAR(n, "b32", "u64", "", #e, #scc)
#define SAVE(n, w, e, kept)                                                    \
  {.name = #n, .shape = AQ_WAVE_TEXT_SAVE, .result = "b" w,                    \
   .sources = {"u" w}, .expression = e, .second = kept},
#define SAVEEXEC(n, e)   SAVE(n, "64", #e, "x")
#define WREXEC(n, e)     SAVE(n, "64", #e, "r")
#define EXEC32(n, e, k)  SAVE(n, "32", #e, #k)
#define TEST(n, ta, tb, e)                                                     \
  {.name = #n, .shape = AQ_WAVE_TEXT_TEST, .sources = {ta, tb}, .expression = e},
#define CMP32(n, t, op)  TEST(n, "u32", "u32", "(" #t ")a " #op " (" #t ")b")
#define CMP64(n, op)     TEST(n, "u64", "u64", "a " #op " b")
#define CMPK(n, t, k, op)                                                      \
  {.name = #n, .shape = AQ_WAVE_TEXT_TEST, .sources = {"u32", "u32"},          \
   .immediate = true, .expression = "(" #t ")a " #op " (" #t ")(" #k ")b"},
#define BIT(n, w, want)                                                        \
  TEST(n, "u" #w, "u32", "(a >> (b & (" #w " - 1)) & 1) == " #want)

static const aq_wave_text rows[] = {
#include "wave/scalar.def"
#include "wave/vector.def"
    /* Handlers of their own in vector.inc and scalar.c. */
    {.name = "v_lshlrev_b64", .shape = AQ_WAVE_TEXT_WORDS, .result = "b64",
     .sources = {"u32", "u64"},
     .expression = "const uint32_t by = al & 31; const bool far = al & 32; "
                   "const uint32_t r = bl << by; "
                   "hi = far ? r : bh << by | bl >> 1 >> (31 - by); "
                   "lo = far ? 0 : r;"},
    {.name = "v_mad_u64_u32", .shape = AQ_WAVE_TEXT_CARRY, .result = "b64",
     .sources = {"u32", "u32", "u64"},
     .expression = "(uint64_t)a * b + c", .second = "r < c"},
    {.name = "v_cndmask_b32", .shape = AQ_WAVE_TEXT_PICK, .result = "b32",
     .sources = {"u32", "u32"}},
    {.name = "s_movk_i32", .shape = AQ_WAVE_TEXT_SCALAR, .result = "b32",
     .sources = {"", "u32"}, .immediate = true,
     .expression = "(uint32_t)(int16_t)b", .second = "KEEP"},
    {.name = "s_cmovk_i32", .shape = AQ_WAVE_TEXT_SCALAR, .result = "b32",
     .sources = {"", "u32"}, .immediate = true,
     .expression = "in ? (uint32_t)(int16_t)b : OLD32", .second = "KEEP"},
    {.name = "s_addk_i32", .shape = AQ_WAVE_TEXT_SCALAR, .result = "b32",
     .sources = {"", "u32"}, .immediate = true,
     .expression = "OLD32 + (uint32_t)(int16_t)b",
     .second = "scc = (~(OLD32 ^ (uint32_t)(int16_t)b) & (OLD32 ^ r)) >> 31"},
    {.name = "s_mulk_i32", .shape = AQ_WAVE_TEXT_SCALAR, .result = "b32",
     .sources = {"", "u32"}, .immediate = true,
     .expression = "OLD32 * (uint32_t)(int16_t)b", .second = "KEEP"},
};

#define LANE(...) #__VA_ARGS__ "\n"
const char aq_wave_text_functions[] =
#include "wave/lane_values.inc"
#include "wave/vector_lane.inc"
#include "wave/scalar_functions.inc"
    ;
/* clang-format on */

static const aq_wave_load loads[] = {
    {.name = "global_load_dword", .words = 1},
    {.name = "global_load_dwordx2", .words = 2},
    {.name = "global_load_dwordx3", .words = 3},
    {.name = "global_load_dwordx4", .words = 4},
    {.name = "ds_read_b32", .words = 1, .shared = true},
    {.name = "ds_read_b64", .words = 2, .shared = true},
    {.name = "ds_read_b96", .words = 3, .shared = true},
    {.name = "ds_read_b128", .words = 4, .shared = true},
    {.name = "ds_read2_b32", .words = 1, .scale = 1, .shared = true},
    {.name = "ds_read2_b64", .words = 2, .scale = 1, .shared = true},
    {.name = "ds_read2st64_b32", .words = 1, .scale = 64, .shared = true},
    {.name = "ds_read2st64_b64", .words = 2, .scale = 64, .shared = true},
};

enum {
  ROWS = sizeof rows / sizeof *rows,
  LOADS = sizeof loads / sizeof *loads
};

struct aq_wave_texts {
  aq_wave_text rows[ROWS]; /* by handler */
  aq_wave_load loads[LOADS];
};

static int handlers_order(const void *a, const void *b)
{
  const uintptr_t x = (uintptr_t)((const aq_wave_text *)a)->run,
                  y = (uintptr_t)((const aq_wave_text *)b)->run;
  return (x > y) - (x < y);
}

aq_wave_texts *aq_wave_texts_create(unsigned level)
{
  aq_wave_texts *texts = malloc(sizeof *texts);
  if (!texts)
    return NULL;
  memcpy(texts->rows, rows, sizeof rows);
  for (size_t i = 0; i < ROWS; i++) {
    aq_wave_text *row = &texts->rows[i];
    row->run = aq_wave_handler_named(level, row->name);
    row->reads_old =
        row->shape == AQ_WAVE_TEXT_SCALAR &&
        (strstr(row->expression, "OLD") || strstr(row->second, "OLD"));
  }
  memcpy(texts->loads, loads, sizeof loads);
  for (size_t i = 0; i < LOADS; i++)
    texts->loads[i].run = aq_wave_handler_named(level, loads[i].name);
  qsort(texts->rows, ROWS, sizeof *texts->rows, handlers_order);
  return texts;
}

void aq_wave_texts_destroy(aq_wave_texts *texts)
{
  free(texts);
}

const aq_wave_text *aq_wave_text_of(const aq_wave_texts *texts,
                                    aq_wave_handler *run)
{
  const aq_wave_text key = {.run = run};
  return bsearch(&key, texts->rows, ROWS, sizeof key, handlers_order);
}

const aq_wave_load *aq_wave_load_of(const aq_wave_texts *texts,
                                    aq_wave_handler *run)
{
  for (size_t i = 0; i < LOADS; i++)
    if (texts->loads[i].run == run)
      return &texts->loads[i];
  return NULL;
}

const aq_wave_text *aq_wave_text_at(const aq_wave_texts *texts, size_t number)
{
  return number < ROWS ? &texts->rows[number] : NULL;
}

const aq_wave_load *aq_wave_load_at(const aq_wave_texts *texts, size_t number)
{
  return number < LOADS ? &texts->loads[number] : NULL;
}
