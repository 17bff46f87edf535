/* SPDX-License-Identifier: MIT */
#include "cmdbuf/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmdbuf/program_file.h"

static const char *path_of(const char *name)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", aqtest_tmpdir(), name);
  return path;
}

/* Records a program with all kinds of arguments and one condition. */
static void record(walk_rig *w)
{
  aq_ref refs[2] = {aq_ref_slot(2, 8)};
  aq_label label;
  aq_dispatch d = walk_dispatch(1);
  aq_builder_buffer(w->builder, w->buffers[3], WALK_BUFFER, &refs[1], &w->diag);
  aq_builder_label(w->builder, &label, &w->diag);
  for (uint32_t i = 0; i < 10; i++) {
    d.group_size = i;
    d.bindings = refs + (i & 1);
    d.binding_count = 1 + (i % 4 == 0);
    ck_assert_status(aq_builder_dispatch(w->builder, &d, &w->diag), AQ_OK,
                     &w->diag);
  }
  const aq_test test = {aq_ref_slot(0, 0), 0, AQ_EQ, false};
  aq_builder_branch_if(w->builder, &test, label, &w->diag);
  walk_add(w, 98);
  aq_builder_place(w->builder, label, &w->diag);
  walk_add(w, 99);
}

/* The packets of a program, from a link of the rig's bindings. */
static void packets_of(walk_rig *w, const aq_program *program, aq_packet *out,
                       uint32_t *count)
{
  const aq_binding statics[1] = {{w->buffers[3], WALK_BUFFER}};
  const uint64_t kernels[1] = {WALK_OBJECT};
  aq_link *link;
  ck_assert_status(aq_link_create(program,
                                  &(aq_link_options){.transport = w->transport,
                                                     .kernels = kernels,
                                                     .statics = statics},
                                  &link, &w->diag),
                   AQ_OK, &w->diag);
  aq_processor_start(&w->walk, link, w->slots, 0, 0);
  w->span = (aq_packet_span){0};
  *count = 0;
  aq_walk walk;
  do {
    walk = walk_fill(w, WALK_SLOTS);
    for (uint32_t i = 0; i < w->span.packets; i++) {
      out[*count] = *aq_ring_slot(&w->ring, w->span.first + i);
      /* What its arguments are, not where. */
      aq_packet *packet = &out[*count];
      packet->header_setup = w->headers[i];
      const uint64_t *args =
          (const uint64_t *)(uintptr_t)packet->kernel.kernarg_address;
      if (aq_header_type(packet->header) == AQ_PACKET_KERNEL_DISPATCH && args)
        packet->kernel.kernarg_address = args[0];
      ++*count;
    }
  } while (walk == AQ_WALK_DRAIN);
  ck_assert_int_eq(walk, AQ_WALK_END);
  aq_link_destroy(link);
}

START_TEST(a_program_maps_back_as_it_was_saved)
{
  const aq_builder_options options = {.block_size = 512};
  walk_rig *w = walk_open(&options);
  aq_packet before[64], after[64];
  uint32_t count, again;
  aq_program_file *file;
  aq_program program;
  record(w);
  walk_start(w, 0);
  packets_of(w, &w->program, before, &count);
  ck_assert_uint_eq(count, 12);
  ck_assert_status(aq_program_save(&w->program, path_of("p"), &w->diag), AQ_OK,
                   &w->diag);
  aq_builder_reset(w->builder);
  ck_assert_status(aq_program_open(path_of("p"), &file, &program, &w->diag),
                   AQ_OK, &w->diag);
  ck_assert_str_eq(program.kernel_names[0], "k");
  ck_assert_uint_eq(program.slot_sizes[2], 8);
  packets_of(w, &program, after, &again);
  ck_assert_uint_eq(again, count);
  ck_assert_mem_eq(after, before, count * sizeof *after);
  /* Saved again it is the same file. */
  ck_assert_status(aq_program_save(&program, path_of("q"), &w->diag), AQ_OK,
                   &w->diag);
  aq_program_close(file);
  char command[9000], first[4096];
  snprintf(first, sizeof first, "%s", path_of("p"));
  snprintf(command, sizeof command, "cmp %s %s", first, path_of("q"));
  ck_assert_int_eq(system(command), 0);
  walk_close(w);
}
END_TEST

/* ---- refused files ---- */

typedef struct image {
  unsigned char *bytes;
  size_t size;
} image;

static image image_read(const char *path)
{
  struct stat info;
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(stat(path, &info), 0);
  image i = {.size = (size_t)info.st_size};
  i.bytes = aligned_alloc(64, i.size + 64 - i.size % 64);
  ck_assert_uint_eq(fread(i.bytes, 1, i.size, file), i.size);
  fclose(file);
  return i;
}

static image image_make(void)
{
  const aq_builder_options options = {.block_size = 512};
  walk_rig *w = walk_open(&options);
  record(w);
  walk_start(w, 0);
  ck_assert_status(aq_program_save(&w->program, path_of("p"), &w->diag), AQ_OK,
                   &w->diag);
  walk_close(w);
  return image_read(path_of("p"));
}

static void check_refused(const image *i, size_t size, const char *says)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_program_file *file = NULL;
  aq_program program;
  ck_assert_msg(aq_program_parse("x", i->bytes, size, &file, &program, &diag) ==
                    AQ_ERR_INPUT,
                "accepted, expected: %s", says);
  ck_assert_msg(strstr(diag.text, says), "%s; expected: %s", diag.text, says);
  ck_assert_ptr_null(file);
}

#define HEADER(member, change, says)                                           \
  do {                                                                         \
    aq_program_header *header = (aq_program_header *)i.bytes;                  \
    const aq_program_header saved = *header;                                   \
    header->member change;                                                     \
    check_refused(&i, i.size, says);                                           \
    *header = saved;                                                           \
  } while (0)

START_TEST(each_field_of_the_header_is_checked)
{
  image i = image_make();
  HEADER(magic, ++, "x: not a program");
  HEADER(version, ++, "x: a program of version 3; 2 expected");
  HEADER(header_size, = 72, "a program of version");
  HEADER(flags, |= 64, "x: flags 0x");
  HEADER(block_size, = 300, "x: blocks of 300 bytes");
  HEADER(block_size, = 0, "x: blocks of 0 bytes");
  HEADER(block_count, ++, "bytes; ");
  HEADER(block_count, = UINT32_MAX, "bytes; ");
  HEADER(block_size, *= 2, "bytes; ");
  HEADER(kernel_count, ++, "x: no name of kernel 1; there are to be 2");
  HEADER(kernel_count, = UINT32_MAX, "4294967295 kernels with 2 bytes");
  HEADER(kernel_count, = 0, "x: block 0, 0x40 (dispatch): kernel 0");
  HEADER(slot_count, = UINT32_MAX, "x: more than 32768 buffers");
  HEADER(static_count, = 40000, "x: more than 32768 buffers");
  HEADER(names_size, = 1, "x: no name of kernel 0");
  HEADER(names_size, = UINT32_MAX, "bytes; ");
  HEADER(kernarg_max, ++, "sums");
  HEADER(commands, ++, "sums");
  HEADER(packets, ++, "sums");
  HEADER(kernarg_size, ++, "sums");
  free(i.bytes);
}
END_TEST

START_TEST(a_file_that_is_cut_anywhere_or_longer_is_refused)
{
  image i = image_make();
  for (size_t size = 0; size < i.size; size += size < 200 ? 1 : 61) {
    /* A copy, so that reading behind it is seen. */
    image cut = {aligned_alloc(64, size + 64 - size % 64), size};
    memcpy(cut.bytes, i.bytes, size);
    check_refused(&cut, size, "x: ");
    free(cut.bytes);
  }
  image longer = {aligned_alloc(64, i.size + 64), i.size + 64};
  memset(longer.bytes, 0, longer.size);
  memcpy(longer.bytes, i.bytes, i.size);
  check_refused(&longer, i.size + 8, "bytes; ");
  free(longer.bytes);
  free(i.bytes);
}
END_TEST

START_TEST(what_is_no_program_is_named)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_program_file *file;
  aq_program program;
  char expected[5000];
  ck_assert_status(aq_program_open("/no/such", &file, &program, &diag),
                   AQ_ERR_NOT_FOUND, &diag);
  ck_assert_str_eq(diag.text, "/no/such: No such file or directory");
  const char *path = aqtest_write("empty", "", 0);
  snprintf(expected, sizeof expected, "%s: not a program", path);
  ck_assert_status(aq_program_open(path, &file, &program, &diag), AQ_ERR_INPUT,
                   &diag);
  ck_assert_str_eq(diag.text, expected);
  ck_assert_status(aq_program_open(aqtest_tmpdir(), &file, &program, &diag),
                   AQ_ERR_INPUT, &diag);
}
END_TEST

START_TEST(a_file_that_cannot_be_written_is_not_there)
{
  walk_rig *w = walk_open(NULL);
  walk_start(w, 0);
  ck_assert_status(aq_program_save(&w->program, "/no/such/place", &w->diag),
                   AQ_ERR_IO, &w->diag);
  /* Nor is anything replaced that is no file. */
  ck_assert_status(aq_program_save(&w->program, "/dev/null", &w->diag),
                   AQ_ERR_INVALID, &w->diag);
  walk_close(w);
}
END_TEST

/* A user who can write to the folder must not choose the overwritten file. */
START_TEST(a_link_where_the_file_is_made_is_not_followed)
{
  walk_rig *w = walk_open(NULL);
  char victim[4096], link[4200], text[8] = "";
  snprintf(victim, sizeof victim, "%s", path_of("victim"));
  snprintf(link, sizeof link, "%s.part", path_of("p"));
  FILE *file = fopen(victim, "w");
  fputs("mine", file);
  fclose(file);
  ck_assert_int_eq(symlink(victim, link), 0);
  walk_start(w, 0);
  ck_assert_status(aq_program_save(&w->program, path_of("p"), &w->diag), AQ_OK,
                   &w->diag);
  file = fopen(victim, "r");
  ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
  fclose(file);
  ck_assert_str_eq(text, "mine");
  unlink(link);
  unlink(victim);
  unlink(path_of("p"));
  walk_close(w);
}
END_TEST

/* ---- size ---- */

enum { MANY = 1000000 };

START_TEST(a_million_dispatches_are_recorded_saved_mapped_and_replayed)
{
  walk_rig *w = walk_open(NULL);
  aq_ref refs[2];
  aq_program_file *file;
  aq_program program;
  aq_dispatch d = walk_dispatch(1);
  aq_builder_buffer(w->builder, w->buffers[0], WALK_BUFFER, &refs[0], &w->diag);
  aq_builder_buffer(w->builder, w->buffers[1], WALK_BUFFER, &refs[1], &w->diag);
  d.bindings = refs;
  d.binding_count = 2;
  for (uint32_t i = 0; i < MANY; i++) {
    d.group_size = i;
    if (aq_builder_dispatch(w->builder, &d, &w->diag) != AQ_OK)
      ck_abort_msg("%s", w->diag.text);
    aq_builder_barrier(w->builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  }
  walk_start(w, 0);
  ck_assert_status(aq_program_save(&w->program, path_of("many"), &w->diag),
                   AQ_OK, &w->diag);
  aq_builder_reset(w->builder);
  ck_assert_status(aq_program_open(path_of("many"), &file, &program, &w->diag),
                   AQ_OK, &w->diag);
  ck_assert_uint_eq(program.packets, MANY);

  const aq_binding statics[2] = {w->slots[2], w->slots[3]};
  const uint64_t kernels[1] = {WALK_OBJECT};
  aq_link *link;
  ck_assert_status(aq_link_create(&program,
                                  &(aq_link_options){.transport = w->transport,
                                                     .kernels = kernels,
                                                     .statics = statics},
                                  &link, &w->diag),
                   AQ_OK, &w->diag);
  aq_processor_start(&w->walk, link, w->slots, 0, 0);
  w->span = (aq_packet_span){0};
  uint32_t seen = 0;
  aq_walk walk;
  do {
    walk = walk_fill(w, WALK_SLOTS);
    for (uint32_t i = 0; i < w->span.packets; i++, seen++) {
      const aq_kernel_packet *packet =
          &aq_ring_slot(&w->ring, w->span.first + i)->kernel;
      const uint64_t *args =
          (const uint64_t *)(uintptr_t)packet->kernarg_address;
      if (packet->group_segment_size != seen ||
          args[0] != (uintptr_t)w->buffers[2] ||
          args[1] != (uintptr_t)w->buffers[3])
        ck_abort_msg("packet %u is wrong", seen);
    }
  } while (walk == AQ_WALK_FULL);
  ck_assert_int_eq(walk, AQ_WALK_END);
  ck_assert_uint_eq(seen, MANY);
  aq_link_destroy(link);
  aq_program_close(file);
  unlink(path_of("many"));
  walk_close(w);
}
END_TEST

AQ_TEST_MAIN("cmdbuf/program_file", a_program_maps_back_as_it_was_saved,
             each_field_of_the_header_is_checked,
             a_file_that_is_cut_anywhere_or_longer_is_refused,
             what_is_no_program_is_named,
             a_file_that_cannot_be_written_is_not_there,
             a_link_where_the_file_is_made_is_not_followed,
             a_million_dispatches_are_recorded_saved_mapped_and_replayed)
