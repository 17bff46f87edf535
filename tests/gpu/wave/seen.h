/* SPDX-License-Identifier: MIT */
/*
 * Which instructions the tests executed: with AQ_SEEN=FILE the opcode, name and
 * target of each, a line each, are appended to the file. seen.sh compares them
 * with doc/tables/isa.md. For the tests of src/gpu/wave, each of which compares
 * results with another source.
 */
#ifndef AQ_TESTS_WAVE_SEEN_H
#define AQ_TESTS_WAVE_SEEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/wave/core/wave.h"
#include "gpu/wave/jit/jit_builder.h"
#include "support/aqtest.h"

static inline void seen_row(const aq_isa_row *row, uint16_t target)
{
  static const char *const targets[] = {
      /* by their bits; columns of isa.md */
      "gfx900",  "gfx906",  "gfx908",  "gfx90a",  "gfx942",  "gfx950",
      "gfx1010", "gfx1030", "gfx1100", "gfx1150", "gfx1200", "gfx1250"};
  static bool seen[16][4608]; /* by target and number of the row */
  const char *path = getenv("AQ_SEEN");
  const int bit = __builtin_ctz(target);
  bool *slot = &seen[bit][row - aq_isa_row_at(0)];
  if (!path || *slot)
    return;
  *slot = true;
  FILE *file = fopen(path, "a");
  ck_assert_ptr_nonnull(file);
  fprintf(file, "0x%02x %s %s\n", row->opcode, row->name, targets[bit]);
  ck_assert_int_eq(fclose(file), 0);
}

/* ---- of a machine's kernels ---- */

typedef struct seen_sink {
  aq_record_sink sink;
  char names[64][16]; /* of processors; a kernel's name has none */
  int64_t count;
} seen_sink;

static inline aq_status seen_name(aq_record_sink *sink, const char *text,
                                  size_t length, int64_t *id, aq_diag *diag)
{
  seen_sink *s = (seen_sink *)sink;
  (void)diag;
  *id = 0;
  if (length >= sizeof s->names[0] || strncmp(text, "gfx", 3) != 0)
    return AQ_OK;
  *id = s->count++ % 64;
  memcpy(s->names[*id], text, length);
  s->names[*id][length] = 0;
  return AQ_OK;
}

static inline aq_status seen_put(aq_record_sink *sink,
                                 const aq_instruction *rows, size_t count,
                                 aq_diag *diag)
{
  const seen_sink *s = (const seen_sink *)sink;
  for (size_t i = 0; i < count; i++) {
    const char *gfx = s->names[rows[i].gfx];
    aq_target target;
    aq_isa_decoder decoder;
    aq_isa_inst inst;
    /* Rows keep two words: a third one says nothing about the opcode. */
    const uint32_t words[4] = {(uint32_t)rows[i].word0,
                               (uint32_t)rows[i].word1};
    if (rows[i].issued == 0)
      continue;
    ck_assert_status(aq_target_parse(gfx, strlen(gfx), &target, diag), AQ_OK,
                     diag);
    ck_assert_status(aq_isa_decoder_init(&decoder, target.processor, diag),
                     AQ_OK, diag);
    ck_assert_status(
        aq_isa_decode(&decoder, words, sizeof words, 0, &inst, diag), AQ_OK,
        diag);
    seen_row(inst.row, inst.target);
    if (inst.second)
      seen_row(inst.second, inst.target);
  }
  return AQ_OK;
}

static inline void native_fail(const char *line, void *user)
{
  (void)user;
  ck_abort_msg("%s", line);
}

/* With AQ_NATIVE=always the machine compiles all code for the host, so that
 * the tests compare that. */
static inline void native_open(aq_wave_machine *machine)
{
  static aq_jit_builder *builder; /* as long as the process */
  const char *mode = getenv("AQ_NATIVE");
  aq_jit_mode read;
  aq_diag diag = AQ_DIAG_INIT;
  if (!mode)
    return;
  ck_assert_status(aq_jit_mode_read(mode, &read, &diag), AQ_OK, &diag);
  if (!builder)
    ck_assert_status(
        aq_jit_builder_create(read, native_fail, NULL, &builder, &diag), AQ_OK,
        &diag);
  ck_assert_status(aq_jit_builder_use(builder, machine, &diag), AQ_OK, &diag);
}

/* After the machine was made; before it is destroyed. */
static inline void seen_open(aq_wave_machine *machine)
{
  native_open(machine);
  aq_diag diag = AQ_DIAG_INIT;
  if (getenv("AQ_SEEN"))
    ck_assert_status(aq_wave_machine_profile(machine, &diag), AQ_OK, &diag);
}

static inline void seen_close(aq_wave_machine *machine)
{
  static seen_sink s;
  aq_diag diag = AQ_DIAG_INIT;
  s = (seen_sink){.sink = {.name = seen_name, .put_instructions = seen_put}};
  ck_assert_status(aq_wave_machine_profile_put(machine, &s.sink, &diag), AQ_OK,
                   &diag);
}

#endif
